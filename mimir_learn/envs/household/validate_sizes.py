"""Whether the furniture and things of a `HouseSpec` have sizes that can be, and the furniture stands where furniture can."""

from __future__ import annotations

from math import hypot, radians
from typing import NoReturn

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import Relation

from .nesting import Outline
from .shell import HEIGHT, WALL
from .spec import Doorway, FixtureSpec, HouseSpec, RoomSpec, ThingSpec

_LARGEST = 1.5  # metres across of a thing that a hand can carry
_HEAVIEST = 100.0  # kg
_TURN, _SLIDE = 180.0, 1.5  # the furthest that a door turns (degrees) and a drawer slides (metres)
_ROUNDING = 0.01  # metres by which a radius may differ from that of its solid
_OUTSIDE = 0.05  # metres that a fixture may reach into a wall
_OVERLAP = 0.06  # metres that the outlines of two fixtures may overlap
_BEFORE_DOOR = 0.25  # metres to keep free on both sides of a doorway's wall
_UNDER = {"chair": ("table", "desk", "coffee_table")}  # what may be pushed under what


def check_thing(t: ThingSpec) -> None:
    """Raises SymbolError where a thing is too large or too heavy, or its radius or half height are not those of its solid."""
    size = t.solid.size
    across = 2 * max(size)
    if across > _LARGEST:
        _refuse(f"{t.id}: its solid is {across:.2f} m long; a thing is at most {_LARGEST} m, half sizes are given in metres")
    if t.mass > _HEAVIEST:
        _refuse(f"{t.id}: mass {t.mass:g} kg is too heavy to carry; give at most {_HEAVIEST:g} kg")
    radius, half = (hypot(size[0], size[1]), size[2]) if t.solid.shape == "box" else (size[0], size[-1])
    for name, given, true in (("radius", t.radius, radius), ("half_height", t.half_height, half)):
        if abs(given - true) > _ROUNDING:
            _refuse(f"{t.id}: {name} {given:g} m does not agree with its solid, a {t.solid.shape} of {size}; give {true:.4f}")


def check_furniture(house: HouseSpec) -> None:
    """Raises SymbolError where a fixture is too large, outside its room, in a doorway or inside another, or somebody stands outside."""
    rooms = {r.id: r for r in house.rooms}
    for f in house.fixtures:
        _panels(f)
        _in_its_room(f, rooms[f.room])
    for k, door in enumerate(house.doorways):
        for f in house.fixtures:
            if f.room in door.rooms and f.parent.relation is Relation.ROOM:
                _beside_doorway(f, door, k)
    for i, f in enumerate(house.fixtures):
        for g in house.fixtures[:i]:
            _apart(f, g)
    places: tuple[RoomSpec | FixtureSpec, ...] = (*house.rooms, *house.fixtures)
    for spec in places:
        for view in spec.viewpoints:
            x, y, z = view.eye
            gap = min(max(abs(x - r.centre[0]) - r.size[0] / 2, abs(y - r.centre[1]) - r.size[1] / 2) for r in house.rooms)
            if gap > WALL / 2 + 1e-6 or not 0 < z < HEIGHT:
                _refuse(f"{spec.id}: the eye of a viewpoint, {view.eye}, is outside the house; put it in a room, 0–{HEIGHT} m high")


def _refuse(complaint: str) -> NoReturn:
    raise SymbolError(complaint)


def _panels(f: FixtureSpec) -> None:
    for panel in f.panels:
        most, unit = (_TURN, "degrees") if panel.joint == "hinge" else (_SLIDE, "m")
        if abs(panel.travel) > most:
            _refuse(f"{f.id}: travel {panel.travel:g} of a {panel.joint} is too far; give at most {most:g} {unit} either way")


def _outline(f: FixtureSpec) -> Outline:
    x, y, z = f.position
    return Outline((x, y), (f.size[0] / 2, f.size[1] / 2), radians(f.yaw), z, z + f.size[2])


def _in_its_room(f: FixtureSpec, room: RoomSpec) -> None:
    outline = _outline(f)
    reach = (outline.reach((1.0, 0.0)), outline.reach((0.0, 1.0)))
    if f.parent.relation is not Relation.ROOM:  # what is mounted may stick out of what carries it, into the wall
        reach = (min(reach[0], 0.0), min(reach[1], 0.0))
    elif any(2 * r > s + 2 * _OUTSIDE for r, s in zip(reach, room.size, strict=True)) or f.size[2] > HEIGHT:
        _refuse(f"{f.id}: size {f.size} is larger than {room.id}, {room.size} and {HEIGHT} m high; make it smaller")
    for k in (0, 1):
        out = abs(f.position[k] - room.centre[k]) + reach[k] - room.size[k] / 2
        if out > _OUTSIDE:
            _refuse(f"{f.id}: at {f.position} it is {out:.2f} m outside {room.id}; move it in, or name the room it is in")


def _beside_doorway(f: FixtureSpec, door: Doorway, number: int) -> None:
    half = (door.width / 2, WALL / 2 + _BEFORE_DOOR)
    opening = Outline(door.centre, half if door.along == "x" else (half[1], half[0]), 0.0, 0.0, door.height)
    if opening.gap(_outline(f)) < -_OVERLAP:
        _refuse(f"{f.id}: it stands in doorway {number}, between {' and '.join(door.rooms)}; move it aside")


def _apart(f: FixtureSpec, g: FixtureSpec) -> None:
    mounted = [h.parent.relation is not Relation.ROOM for h in (f, g)]
    near = max(abs(f.position[k] - g.position[k]) for k in (0, 1, 2)) < 0.02
    if any(mounted) and not (all(mounted) and near and f.parent.relation is g.parent.relation):
        return
    hung = (f.category == "wall_cabinet") != (g.category == "wall_cabinet")  # over a base unit
    under = f.category in _UNDER.get(g.category, ()) or g.category in _UNDER.get(f.category, ())
    if not hung and (near or not under) and _outline(f).gap(_outline(g)) < -_OVERLAP:
        _refuse(f"{f.id} and {g.id} stand in the same spot, at {f.position} and {g.position}; move one of them")
