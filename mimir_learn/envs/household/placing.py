"""Where a thing can be put: free spots on surfaces, in containers, inside other things and on the floor, and spots that miss the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np

from mimir_learn.symbols import Relation

from .ground import front_of, reach_forward
from .nesting import STICKS_OUT, UPRIGHT, Outline, Posture, fitting, outline_of, postures
from .render import pose_of
from .spec import FixtureSpec, Region, ThingSpec, Vec, Viewpoint
from .viewpoints import FOV
from .world import World

_CLEAR = 0.012  # metres between two things side by side
_TRIES = 40
_ON_NEIGHBOUR = 0.85  # share of the misses that land on a surface where there is one
_NEXT_TO = 1.5  # metres between the edges of a place and of a surface that a thing may land on instead


@dataclass(frozen=True)
class Spot:
    """A pose to put a thing in: the position of its middle, yaw in degrees, a posture of `nesting.TILTS`.

    In the world, or, for a spot inside a thing, in that thing's own frame.
    """

    at: Vec
    yaw: float
    tilt: int = UPRIGHT


def in_view(view: Viewpoint, point: Vec, margin: float = 0.12) -> bool:
    """Whether a point projects into the picture with ``margin`` (share of the width) to spare. Occlusion is not looked at."""
    pose = pose_of(view)
    x, y, z = (np.asarray(point) - pose[:3, 3]) @ pose[:3, :3]
    limit = np.tan(np.radians(FOV / 2)) * z * (1 - 2 * margin)
    return bool(z > 0.2 and abs(x) < limit and abs(y) < limit)


def on_fixture(
    world: World, fixture: FixtureSpec, thing: ThingSpec, rng: np.random.Generator, view: Viewpoint | None = None
) -> Spot | None:
    """A free spot of the fixture, at random; in a container also on top of other things, over the mouth of a vessel only where
    nothing else is left. None where there is no room for the thing.

    With ``view``, one in that picture, occlusion aside.
    """
    ways = [(r, p) for r in fixture.regions for p in _ways(world, fixture, r, thing)]
    if not ways:
        return None
    lying = [t for f in _together(world, fixture) for t in world.contents(f)]
    taken = [_outline(world, t) for t in lying]
    mouths = [_outline(world, t) for t in lying if world.specs[t].holds is not None and world.holds(t) is not None]
    taken += [_outline_of_fixture(f) for f in _standing_on(world, fixture)]
    slide = np.zeros(3)
    if fixture.panels:
        slide = np.multiply(fixture.panels[0].axis, fixture.panels[0].travel * world.bodies.gaps[fixture.id])
    best: tuple[tuple[bool, float], Spot] | None = None  # of what only fits on top of others: clear of vessels, height left
    for region, posture, (x, y, yaw) in _candidates(ways, rng):
        local = np.array((x, y, region.centre[2] + posture.half[2] + float(rng.uniform(0.004, 0.02)))) + (slide if region.rides else 0.0)
        at = _to_world(fixture, local)
        turn = round(yaw + fixture.yaw, 2)
        outline = _candidate(at, posture, turn)
        if view is not None and not in_view(view, at, 0.03):
            continue
        below = [o for o in taken if outline.gap(o) <= _CLEAR]
        if not below:
            return Spot(at, turn, posture.tilt)
        lift = max(o.high for o in below) + 0.01 - outline.low
        left = region.height - 2 * posture.half[2] - lift
        rank = (all(outline.gap(m) > 0.0 for m in mouths), left)
        if left > 0.0 and (best is None or rank > best[0]):
            best = (rank, Spot((at[0], at[1], round(at[2] + lift, 5)), turn, posture.tilt))
    piles = world.regions.relation[fixture.id] is Relation.IN
    return best[1] if piles and best is not None else None


def _candidates(
    ways: list[tuple[Region, Posture]], rng: np.random.Generator
) -> Iterator[tuple[Region, Posture, tuple[float, float, float]]]:
    """Where to try: at random, then at random in line with the fixture, then row by row."""
    for attempt in range(_TRIES):
        region, posture = ways[int(rng.integers(len(ways)))]
        yield region, posture, _anywhere(region, posture, rng, straight=attempt >= _TRIES // 2)
    for region, posture in ways:
        for yaw in (0.0,) if posture.round else (0.0, 90.0):
            hx, hy, _ = posture.half
            spread = (hx, hy) if yaw == 0.0 else (hy, hx)
            if _within(spread, region.half):
                rows = [
                    np.linspace(c - h + e + 0.005, c + h - e - 0.005, 9)
                    for c, h, e in zip(region.centre, region.half, spread, strict=False)
                ]
                yield from ((region, posture, (float(x), float(y), yaw)) for x in rows[0] for y in rows[1])


def _ways(world: World, fixture: FixtureSpec, region: Region, thing: ThingSpec) -> list[Posture]:
    """How a thing can stand or lie in a region: upright if it can; what holds something or is filled never lies on its side."""
    level = bool(world.contents(thing.id)) or world.attributes.get((thing.id, "filled"), False)
    lenient = world.regions.relation[fixture.id] is Relation.ON  # a pillow hangs over the edge of a chair
    for posture in postures(thing.solid)[: 1 if level else 2]:
        x, y, z = posture.half
        low = 2 * z <= region.height - 0.02 or (lenient and posture.tilt == UPRIGHT and thing.half_height <= thing.radius)
        for slack in (1.0, 1.5) if lenient else (1.0,):
            a, b = region.half[0] * slack - 0.005, region.half[1] * slack - 0.005
            if low and ((x <= a and y <= b) or (y <= a and x <= b)):
                return [posture]
    return []


def _anywhere(region: Region, posture: Posture, rng: np.random.Generator, straight: bool = False) -> tuple[float, float, float]:
    """(x, y, yaw in degrees) of a posture in a region, in the owner's frame; in line with it if ``straight`` or where it only fits so."""
    hx, hy, _ = posture.half
    yaw = round(float(rng.uniform(-180, 180)), 1)
    quarter = int(rng.integers(4))
    if posture.round:
        spread = (hx, hx)
    else:
        c, s = abs(cos(radians(yaw))), abs(sin(radians(yaw)))
        spread = (c * hx + s * hy, s * hx + c * hy)
    if not posture.round and (straight or any(e > h - 0.005 for e, h in zip(spread, region.half, strict=True))):
        fits = [q for q in range(4) if _within((hx, hy) if q % 2 == 0 else (hy, hx), region.half)] or [
            q for q in range(4) if (hx >= hy) == ((region.half[0] >= region.half[1]) == (q % 2 == 0))
        ]
        turn = fits[quarter % len(fits)]
        yaw, spread = 90.0 * turn, ((hx, hy) if turn % 2 == 0 else (hy, hx))
    room = [max(h - e - 0.005, 0.0) for h, e in zip(region.half, spread, strict=True)]
    x, y = (region.centre[k] + float(rng.uniform(-room[k], room[k])) for k in (0, 1))
    return x, y, yaw


def _within(spread: tuple[float, float], half: tuple[float, float]) -> bool:
    return spread[0] <= half[0] - 0.005 and spread[1] <= half[1] - 0.005


def in_thing(world: World, holder: ThingSpec, thing: ThingSpec, rng: np.random.Generator) -> Spot | None:
    """A spot inside or on a movable thing, in its own frame; None where ``thing`` is too large, or nothing more fits in.

       In a vessel or box also on top of what is in there.
    A holder that lies on its side takes nothing.
    """
    posture, region = fitting(thing, holder), holder.holds
    if posture is None or region is None or world.bodies.rotation(holder.id)[2, 2] < 0.8:
        return None
    if posture.tilt and (world.contents(thing.id) or world.attributes.get((thing.id, "filled"), False)):
        return None
    turn, middle = world.bodies.rotation(holder.id), world.position(holder.id)
    inside = [
        outline_of(world.specs[t].solid, (world.position(t) - middle) @ turn, turn.T @ world.bodies.rotation(t))
        for t in world.contents(holder.id)
    ]
    best: tuple[float, Spot] | None = None
    for _ in range(_TRIES):
        x, y, yaw = _anywhere(region, posture, rng)
        at = (round(x, 5), round(y, 5), round(region.centre[2] + posture.half[2] + 0.002, 5))
        outline = _candidate(at, posture, yaw)
        below = [o for o in inside if outline.gap(o) <= 0.001]
        if not below:
            return Spot(at, yaw, posture.tilt)
        lift = max(o.high for o in below) + 0.002 - (at[2] - posture.half[2])
        if best is None or lift < best[0]:
            best = (lift, Spot((at[0], at[1], round(at[2] + lift, 5)), yaw, posture.tilt))
    if best is None or world.holds(holder.id) is not Relation.IN:
        return None
    deep_enough = best[0] < region.height and best[0] + 2 * posture.half[2] <= region.height + STICKS_OUT
    return best[1] if deep_enough else None


def on_floor(
    world: World, thing: ThingSpec, view: Viewpoint, rng: np.random.Generator, unseen: bool = False, room: str | None = None
) -> Spot | None:
    """A free floor spot in view of the camera, 0.3–1.6 m before it, in ``room`` or else in any; None when there is none.

    With ``unseen``, a free spot within 1.6 m all around the camera will do where none is in view.
    """
    pose = pose_of(view)
    heading = float(np.arctan2(pose[1, 2], pose[0, 2]))
    for attempt in range(160 if unseen else 80):
        spread = 0.5 if attempt < 80 else np.pi
        angle, distance = heading + float(rng.uniform(-spread, spread)), float(rng.uniform(0.3, 1.6))
        x, y = view.eye[0] + distance * np.cos(angle), view.eye[1] + distance * np.sin(angle)
        at = (round(float(x), 4), round(float(y), 4), round(thing.half_height + float(rng.uniform(0.005, 0.05)), 4))
        if (attempt >= 80 or in_view(view, at, 0.05)) and world.free_floor(at, thing.radius, ignore=thing.id, room=room):
            return Spot(at, round(float(rng.uniform(-180, 180)), 1))
    return None


def beside(world: World, fixture: FixtureSpec, thing: ThingSpec, view: Viewpoint, rng: np.random.Generator) -> Spot | None:
    """Where a thing lands that misses ``fixture``: on a surface next to it where there is one in view, else on the floor around it.

    In the same room; spots in view are taken before others. None when the floor around is full.
    """
    if rng.random() < _ON_NEIGHBOUR:
        near = [f for f in world.house.fixtures if f.id != fixture.id and f.room == fixture.room and f.regions and world.is_open(f.id)]
        for neighbour in sorted(
            (f for f in near if _edge_gap(f, fixture) < _NEXT_TO), key=lambda f: (round(_edge_gap(f, fixture), 3), f.id)
        ):
            spot = on_fixture(world, neighbour, thing, rng, view)
            if spot is not None:
                return spot
    unseen: Spot | None = None
    w, d, _ = fixture.size
    reach = reach_forward(fixture) if world.bodies.gaps[fixture.id] > 0 else 0.0
    between_doors = any(
        p.joint == "hinge" and abs(p.axis[2]) > 0.5 for p in fixture.panels
    )  # open leaves would hide what lands at the sides
    span = max(w / 2 - thing.radius, 0.05) if between_doors else w / 2
    for _ in range(60):
        if between_doors or rng.random() < 0.7:
            floor = front_of(fixture, reach + thing.radius + float(rng.uniform(0.04, 0.3)), float(rng.uniform(-span, span)))
        else:
            side = 1.0 if rng.random() < 0.5 else -1.0
            floor = front_of(fixture, -float(rng.uniform(-0.15, d * 0.5)), side * (w / 2 + thing.radius + float(rng.uniform(0.04, 0.2))))
        at = (round(floor[0], 4), round(floor[1], 4), round(thing.half_height + float(rng.uniform(0.01, 0.12)), 4))
        if not world.free_floor(at, thing.radius, ignore=thing.id, room=fixture.room):
            continue
        spot = Spot(at, round(float(rng.uniform(-180, 180)), 1))
        if in_view(view, at):
            return spot
        unseen = unseen or spot
    return on_floor(world, thing, view, rng, room=fixture.room) or unseen


def beside_thing(world: World, holder: str, thing: ThingSpec, view: Viewpoint, rng: np.random.Generator) -> Spot | None:
    """Where a thing lands that misses the movable ``holder``: as near to it as there is room on what that stands on, else on the floor."""
    root = world.root(holder)
    if root in world.fixtures:
        here = world.position(holder)
        spots = [s for _ in range(6) if (s := on_fixture(world, world.fixtures[root], thing, rng)) is not None]
        if spots:
            return min(spots, key=lambda s: float(np.hypot(s.at[0] - here[0], s.at[1] - here[1])))
    return on_floor(world, thing, view, rng, unseen=True, room=world.room_of(holder))


def spill(world: World, holder: str, rng: np.random.Generator) -> None:
    """What was in or on ``holder`` comes to lie around it: on what that stands on where there is room, else on the floor before that."""
    for thing in world.contents(holder):
        root, spec = world.root(holder), world.specs[thing]
        spot = None
        if root in world.fixtures:
            spot = on_fixture(world, world.fixtures[root], spec, rng)
            base = world.fixtures[root]
        else:
            base = min(
                world.house.fixtures, key=lambda f: (float(np.hypot(*(np.array(f.position[:2]) - world.position(holder)[:2]))), f.id)
            )
        if spot is None:
            at = world.position(holder)
            spot = _around(world, (float(at[0]), float(at[1])), spec, rng) if root not in world.fixtures else None
        if spot is None:
            gap = spec.radius + float(rng.uniform(0.05, 0.3))
            floor = front_of(base, gap)
            spot = Spot((floor[0], floor[1], spec.half_height + 0.02), 0.0)
        world.release(thing, spot.at, spot.yaw, spot.tilt)


def _around(world: World, centre: tuple[float, float], thing: ThingSpec, rng: np.random.Generator) -> Spot | None:
    for k in range(80):
        angle, distance = float(rng.uniform(-np.pi, np.pi)), 0.1 + 0.01 * k
        at = (centre[0] + distance * cos(angle), centre[1] + distance * sin(angle), thing.half_height + 0.02)
        if world.free_floor(at, thing.radius, ignore=thing.id):
            return Spot((round(at[0], 4), round(at[1], 4), round(at[2], 4)), round(float(rng.uniform(-180, 180)), 1))
    return None


def _outline(world: World, thing: str) -> Outline:
    return outline_of(world.specs[thing].solid, world.bodies.position(thing), world.bodies.rotation(thing))


def _candidate(at: Vec, posture: Posture, yaw: float) -> Outline:
    x, y, z = posture.half
    return Outline((at[0], at[1]), (x, y), radians(yaw), at[2] - z - 0.02, at[2] + z, posture.round)


def _standing_on(world: World, fixture: FixtureSpec) -> list[FixtureSpec]:
    """Devices that stand on a surface, in the way of things put there."""
    return [f for f in world.house.fixtures if f.parent.id == fixture.id and world.regions.relation[fixture.id] is Relation.ON]


def _together(world: World, fixture: FixtureSpec) -> list[str]:
    """A fixture, what carries it and what is mounted on either: a pan on one burner may reach over the next."""
    base = fixture.parent.id if fixture.parent.id in world.fixtures else fixture.id
    return [f.id for f in world.house.fixtures if base in (f.id, f.parent.id)]


def _outline_of_fixture(f: FixtureSpec) -> Outline:
    x, y, z = f.position
    return Outline((x, y), (f.size[0] / 2, f.size[1] / 2), radians(f.yaw), z, z + f.size[2])


def _edge_gap(a: FixtureSpec, b: FixtureSpec) -> float:
    """Metres between the outlines of two fixtures, seen from above."""
    flat = [Outline(o.middle, o.half, o.yaw, 0.0, 1.0) for o in (_outline_of_fixture(a), _outline_of_fixture(b))]
    return flat[0].gap(flat[1])


def _to_world(fixture: FixtureSpec, local: np.ndarray) -> Vec:
    x, y, z = (float(v) for v in local)
    c, s = cos(radians(fixture.yaw)), sin(radians(fixture.yaw))
    px, py, pz = fixture.position
    return (round(px + c * x - s * y, 5), round(py + s * x + c * y, 5), round(pz + z, 5))
