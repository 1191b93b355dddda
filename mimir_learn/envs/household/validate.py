"""Whether a `HouseSpec`, perhaps written by hand, is a house that can be built, drawn and talked about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import ATTRIBUTES, Kind, Parent, Relation

from .shapes import SWEPT, check_profile
from .shell import HEIGHT, WALL
from .spec import FixtureSpec, HouseSpec, Part, Region, RoomSpec, ThingSpec, Viewpoint
from .textures import PATTERNS
from .truth import Regions
from .validate_sizes import check_furniture, check_thing
from .vocabulary import VOCABULARY

MAX_ROOMS = 12
_RESERVED = ("hand", "world")  # the gripper, and MuJoCo's own root body
_ID = re.compile(r"\w[\w.-]*")
_SIZES = {"box": 3, "ellipsoid": 3, "cylinder": 2, "capsule": 2, "sphere": 1, **dict.fromkeys(SWEPT, 0)}  # 0 = as long as its profile
_SOLIDS = ("box", "cylinder", "sphere")


def check(house: HouseSpec) -> None:
    """Raises SymbolError naming the first thing that is wrong and what it should be."""
    _demand(_whole(house.seed) and house.seed >= -1, f"house seed {house.seed!r} must be a whole number ≥ 0, or −1 for one not generated")
    _demand(bool(house.rooms), f"house {house.seed} has no rooms; give it at least one")
    _demand(
        len(house.rooms) <= MAX_ROOMS,
        f"house {house.seed} has {len(house.rooms)} rooms; at most {MAX_ROOMS} are supported",
    )
    ids: set[str] = set()
    specs: tuple[RoomSpec | FixtureSpec | ThingSpec, ...] = (*house.rooms, *house.fixtures, *house.things)
    for spec in specs:
        _identity(spec, ids)
    for room in house.rooms:
        _category(room, Kind.ROOM)
        _vector(room.centre, 2, f"{room.id}: centre")
        _positive(room.size, 2, f"{room.id}: size")
        _colour(room.wall_rgb, f"{room.id}: wall_rgb")
        _colour(room.floor_rgb, f"{room.id}: floor_rgb")
        _texture(room.wall_texture, f"{room.id}: wall_texture")
        _texture(room.floor_texture, f"{room.id}: floor_texture")
        _demand(_number(room.light) and 0 < room.light <= 1, f"{room.id}: light {room.light!r} must be above 0 and at most 1")
        _views(room.viewpoints, room.id)
        for part in room.decor:
            _part(part, f"{room.id}: decor")
    fixtures = {f.id: f for f in house.fixtures}
    rooms = {r.id for r in house.rooms}
    for fixture in house.fixtures:
        _fixture(fixture, rooms, fixtures)
    things = {t.id: t for t in house.things}
    for thing in house.things:
        _thing(thing, rooms, fixtures, things)
    _floor_plan(house)
    check_furniture(house)
    _holders(house)
    _where_it_lies(house)


def _demand(sound: bool, complaint: str) -> None:
    if not sound:
        raise SymbolError(complaint)


def _identity(spec: RoomSpec | FixtureSpec | ThingSpec, ids: set[str]) -> None:
    _demand(
        isinstance(spec.id, str) and _ID.fullmatch(spec.id) is not None,
        f"id {spec.id!r} must be letters, digits, '_', '.', '-', like 'mug_2'",
    )
    _demand(spec.id not in _RESERVED, f"id {spec.id!r} is reserved; use ids like 'mug_2'")
    _demand(spec.id not in ids, f"id {spec.id!r} is used twice; ids must be unique in a house")
    ids.add(spec.id)


def _category(spec: RoomSpec | FixtureSpec | ThingSpec, *kinds: Kind) -> None:
    known = VOCABULARY.categories.get(spec.category)
    _demand(
        known is not None and known.kind in kinds,
        f"{spec.id}: category {spec.category!r} is no {' or '.join(kinds)}; known: "
        + ", ".join(c.name for c in VOCABULARY.categories.values() if c.kind in kinds),
    )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _vector(value: Any, length: int, what: str) -> None:
    sound = isinstance(value, tuple) and len(value) == length and all(map(_number, value))
    _demand(sound, f"{what} must be {length} finite numbers, got {value!r}")


def _colour(value: Any, what: str) -> None:
    _vector(value, 3, what)
    _demand(all(0 <= c <= 1 for c in value), f"{what} must be in [0, 1], got {value!r}")


def _positive(value: Any, length: int, what: str) -> None:
    _vector(value, length, what)
    _demand(all(v > 0 for v in value), f"{what} must be above 0, got {value!r}")


def _part(part: Part, owner: str, shapes: tuple[str, ...] = tuple(_SIZES)) -> None:
    _demand(part.shape in shapes, f"{owner}: shape {part.shape!r} is unknown here; use one of {', '.join(shapes)}")
    if part.shape in SWEPT:
        sound = isinstance(part.size, tuple) and all(map(_number, part.size))
        _demand(sound, f"{owner}: size of a {part.shape} must be finite numbers, got {part.size!r}")
        check_profile(part, owner)
    else:
        _positive(part.size, _SIZES[part.shape], f"{owner}: size of a {part.shape}")
    _vector(part.pos, 3, f"{owner}: pos of a {part.shape}")
    _vector(part.euler, 3, f"{owner}: euler of a {part.shape}")
    _colour(part.rgb, f"{owner}: rgb of a {part.shape}")
    attribute = part.when.removeprefix("!") if isinstance(part.when, str) else None
    _demand(
        part.when == "" or (attribute in ATTRIBUTES and ATTRIBUTES[attribute].visible),
        f"{owner}: when {part.when!r} must be '', a visible attribute, or one with '!' before it",
    )
    _texture(part.texture, f"{owner}: texture of a {part.shape}")
    _demand(_number(part.emission) and 0 <= part.emission <= 1, f"{owner}: emission {part.emission!r} must be in [0, 1]")


def _texture(name: Any, what: str) -> None:
    _demand(name == "" or name in PATTERNS, f"{what} {name!r} is unknown; use '' or one of {', '.join(PATTERNS)}")


def _views(views: tuple[Viewpoint, ...], owner: str) -> None:
    _demand(bool(views), f"{owner} has no viewpoints; give it at least one to stand at")
    for view in views:
        _vector(view.eye, 3, f"{owner}: eye of a viewpoint")
        _vector(view.target, 3, f"{owner}: target of a viewpoint")
        level = max(abs(view.eye[k] - view.target[k]) for k in (0, 1))
        _demand(level > 1e-6, f"{owner}: a viewpoint looks straight up or down from {view.eye}; move its target aside")


def _fixture(f: FixtureSpec, rooms: set[str], fixtures: Mapping[str, FixtureSpec]) -> None:
    _category(f, Kind.RECEPTACLE, Kind.FIXTURE)
    _demand(f.room in rooms, f"{f.id}: there is no room {f.room!r}")
    on_floor = f.parent == Parent(f.room, Relation.ROOM)
    carrier = fixtures.get(f.parent.id)
    on_other = f.parent.relation is not Relation.ROOM and carrier is not None and carrier is not f and carrier.room == f.room
    _demand(
        on_floor or (on_other and carrier is not None and carrier.parent.relation is Relation.ROOM),
        f"{f.id}: parent {f.parent} must be room {f.room}, or in or on something that stands on its floor",
    )
    _vector(f.position, 3, f"{f.id}: position")
    _demand(_number(f.yaw), f"{f.id}: yaw must be finite degrees, got {f.yaw!r}")
    _positive(f.size, 3, f"{f.id}: size")
    _views(f.viewpoints, f.id)
    _demand(bool(f.parts), f"{f.id} has no parts; without any it is nothing")
    for part in f.parts:
        _part(part, f.id)
    _attributes(f)
    _panels_and_regions(f)


def _attributes(f: FixtureSpec) -> None:
    needed = set(VOCABULARY.spec(f.category).attributes)
    given = set(f.attributes)
    _demand(given == needed, f"{f.id}: a {f.category} must give the attributes {sorted(needed)}, got {sorted(given)}")
    _truth_values(f)


def _truth_values(spec: FixtureSpec | ThingSpec) -> None:
    for name, value in spec.attributes.items():
        _demand(isinstance(value, bool), f"{spec.id}: attribute {name!r} must be true or false, got {value!r}")


def _panels_and_regions(f: FixtureSpec) -> None:
    for panel in f.panels:
        _demand(panel.joint in ("hinge", "slide"), f"{f.id}: joint {panel.joint!r} must be hinge or slide")
        _vector(panel.axis, 3, f"{f.id}: axis of a panel")
        _demand(any(panel.axis), f"{f.id}: axis of a panel must not be zero")
        _vector(panel.anchor, 3, f"{f.id}: anchor of a panel")
        _demand(_number(panel.travel), f"{f.id}: travel of a panel must be a finite number, got {panel.travel!r}")
        for part in panel.parts:
            _part(part, f"{f.id}: panel")
    _demand(not f.panels or "open" in f.attributes, f"{f.id}: a {f.category} cannot be opened, so it must have no panels")
    holds = VOCABULARY.spec(f.category).relation is not None
    _demand(bool(f.regions) == holds, f"{f.id}: a {f.category} must have {'at least one region to hold things' if holds else 'no regions'}")
    for region in f.regions:
        _region(region, f.id)
        slides = bool(f.panels) and f.panels[0].joint == "slide"
        _demand(slides or not region.rides, f"{f.id}: a region rides on panel 0, which must be there and slide")


def _region(region: Region, owner: str) -> None:
    _vector(region.centre, 3, f"{owner}: centre of a region")
    _positive(region.half, 2, f"{owner}: half of a region")
    _positive((region.height,), 1, f"{owner}: height of a region")


def _thing(t: ThingSpec, rooms: set[str], fixtures: Mapping[str, FixtureSpec], things: Mapping[str, ThingSpec]) -> None:
    _category(t, Kind.OBJECT)
    if t.parent.id in rooms:
        fits = t.parent.relation is Relation.ROOM
    else:
        holder = fixtures.get(t.parent.id) or things.get(t.parent.id)
        fits = holder is not None and holder is not t and VOCABULARY.spec(holder.category).relation is t.parent.relation
    _demand(fits, f"{t.id}: parent {t.parent} must be a room of the house, or in or on something that holds things so")
    _vector(t.position, 3, f"{t.id}: position")
    _demand(_number(t.yaw), f"{t.id}: yaw must be finite degrees, got {t.yaw!r}")
    _part(t.solid, f"{t.id}: solid", _SOLIDS)
    _demand(bool(t.parts), f"{t.id} has no parts; without any it cannot be seen")
    for part in t.parts:
        _part(part, t.id)
    able = [a for a in VOCABULARY.spec(t.category).attributes if ATTRIBUTES[a].visible]
    for name in t.attributes:
        _demand(name in able, f"{t.id}: a {t.category} has no attribute {name!r} that it could start with; it can be {able or 'nothing'}")
    _truth_values(t)
    relation = VOCABULARY.spec(t.category).relation
    _demand(t.holds is None or relation is not None, f"{t.id}: a {t.category} holds nothing, so it must have no `holds`")
    if t.holds is not None:
        _region(t.holds, f"{t.id}: holds")
    for name in ("mass", "radius", "half_height", "scale"):
        _positive((getattr(t, name),), 1, f"{t.id}: {name}")
    check_thing(t)


def _floor_plan(house: HouseSpec) -> None:
    """Rooms do not overlap, and a doorway leads through the one wall that two rooms share."""
    for i, a in enumerate(house.rooms):
        for b in house.rooms[:i]:
            apart = max(abs(a.centre[k] - b.centre[k]) - (a.size[k] + b.size[k]) / 2 for k in (0, 1))
            _demand(apart > -1e-6, f"{a.id} and {b.id} overlap; rooms that share a wall lie {WALL} m apart")
    rooms = {r.id: r for r in house.rooms}
    for k, door in enumerate(house.doorways):
        name = f"doorway {k} ({door.rooms!r})"
        pair = isinstance(door.rooms, tuple) and len(door.rooms) == 2 and door.rooms[0] != door.rooms[1]
        _demand(pair and all(r in rooms for r in door.rooms), f"{name} must name two different rooms of the house")
        _demand(door.along in ("x", "y"), f"{name}: along {door.along!r} must be the direction of its wall, 'x' or 'y'")
        _vector(door.centre, 2, f"{name}: centre")
        _positive((door.width, door.height), 2, f"{name}: (width, height)")
        _demand(door.height < HEIGHT - 0.05, f"{name}: height {door.height} m must be below the wall's {HEIGHT} m")
        along = 0 if door.along == "x" else 1
        across = 1 - along
        low, high = sorted((rooms[r] for r in door.rooms), key=lambda r: r.centre[across])
        edges = (low.centre[across] + low.size[across] / 2, high.centre[across] - high.size[across] / 2)
        _demand(
            abs(edges[1] - edges[0] - WALL) < 0.02,
            f"{name}: the floors of its rooms must be {WALL} m apart, they are {edges[1] - edges[0]:.3f}",
        )
        middle = sum(edges) / 2
        _demand(
            abs(door.centre[across] - middle) < 0.02, f"{name}: centre {door.centre} must lie in the wall, at {'xy'[across]} = {middle:.3f}"
        )
        for room in (low, high):
            reach = room.size[along] / 2 - door.width / 2
            _demand(
                abs(door.centre[along] - room.centre[along]) <= reach + 1e-6, f"{name}: it is wider than the wall that {room.id} has there"
            )


def _holders(house: HouseSpec) -> None:
    """A chain of things in things ends at a fixture or room, and each of them is made to hold something."""
    things = {t.id: t for t in house.things}
    for thing in house.things:
        chain, at = [thing.id], thing.parent.id
        while at in things:
            _demand(at not in chain, f"{thing.id} is inside itself: {' in '.join([*chain, at])}")
            _demand(things[at].holds is not None, f"{thing.id}: its parent {at} has no `holds`, the region in which it holds things")
            chain.append(at)
            at = things[at].parent.id


def _where_it_lies(house: HouseSpec) -> None:
    """Parents are read from geometry once physics runs; what the spec says must agree, or a reset would silently correct it."""
    opened = frozenset(f.id for f in house.fixtures if f.attributes.get("open"))
    regions = Regions(house)
    points_N3 = np.array([t.position for t in house.things], dtype=float).reshape(-1, 3)
    for thing, found in zip(house.things, regions.parents(points_N3, opened), strict=True):
        where = f"{thing.id}: position {thing.position}"
        inside = regions.room_at(np.array(thing.position)) is not None and thing.position[2] >= 0
        _demand(inside, f"{where} is in no room or below the floor")
        _demand(found == thing.parent, f"{where} is {found or 'on top of something that holds nothing'}, but its parent is {thing.parent}")
