"""Where a thing can be put: free spots on surfaces, in containers and on the floor, and spots that miss the target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mimir_learn.symbols import Relation

from .generate import to_world
from .render import pose_of
from .spec import FixtureSpec, Region, ThingSpec, Vec, Viewpoint
from .viewpoints import FOV
from .world import World, front_of

_CLEAR = 0.012  # metres between the footprints of two things side by side


@dataclass(frozen=True)
class Spot:
    """A release pose: world position of the thing's middle, yaw in degrees, laid on its side or upright."""

    at: Vec
    yaw: float
    lying: bool = False


def in_view(view: Viewpoint, point: Vec, margin: float = 0.12) -> bool:
    """Whether a point projects into the picture with ``margin`` (share of the width) to spare. Occlusion is not looked at."""
    pose = pose_of(view)
    x, y, z = (np.asarray(point) - pose[:3, 3]) @ pose[:3, :3]
    limit = np.tan(np.radians(FOV / 2)) * z * (1 - 2 * margin)
    return bool(z > 0.2 and abs(x) < limit and abs(y) < limit)


def on_fixture(world: World, fixture: FixtureSpec, thing: ThingSpec, rng: np.random.Generator) -> Spot:
    """A free spot of the fixture, at random; the least crowded one tried where nothing is free."""
    spot, clear = _freest(world, fixture, thing, rng)
    return spot if clear > _CLEAR else Spot((spot.at[0], spot.at[1], spot.at[2] + 0.06), spot.yaw, spot.lying)


def free_on_fixture(world: World, fixture: FixtureSpec, thing: ThingSpec, rng: np.random.Generator) -> Spot | None:
    """A free spot of the fixture, at random; None where none was found."""
    spot, clear = _freest(world, fixture, thing, rng)
    return spot if clear > _CLEAR else None


def _freest(world: World, fixture: FixtureSpec, thing: ThingSpec, rng: np.random.Generator) -> tuple[Spot, float]:
    """The first free spot drawn, else the least crowded of those drawn, with its distance to the next thing."""
    taken = [(world.position(t), world.specs[t].radius) for t in world.contents(fixture.id)]
    best: tuple[Spot, float] | None = None
    for attempt in range(40):
        region = fixture.regions[int(rng.integers(len(fixture.regions)))]
        spot, clear = _candidate(world, fixture, region, thing, taken, rng)
        if clear > _CLEAR:
            return spot, clear
        if best is None or clear > best[1]:
            best = (spot, clear)
        if attempt > 25 and best[1] > -0.02:
            break
    assert best is not None
    return best


def _candidate(
    world: World, fixture: FixtureSpec, region: Region, thing: ThingSpec, taken: list[tuple[np.ndarray, float]], rng: np.random.Generator
) -> tuple[Spot, float]:
    solid = thing.solid
    lying = 2 * thing.half_height > region.height - 0.02 and thing.half_height > thing.radius
    yaw = round(float(rng.uniform(-180, 180)), 1)
    height = (solid.size[1] if solid.shape == "box" else thing.radius) if lying else thing.half_height
    radius = max(thing.radius, thing.half_height) if lying else thing.radius
    reach = (radius, radius)
    if solid.shape == "box" and not lying and radius > min(region.half) - 0.01:  # only fits in line with the fixture
        yaw = fixture.yaw + 180.0 * int(rng.integers(2))
        reach = (solid.size[0], solid.size[1])
    room = [max(h - r - 0.01, 0.0) for h, r in zip(region.half, reach, strict=True)]
    x, y = (region.centre[k] + float(rng.uniform(-room[k], room[k])) for k in (0, 1))
    local = (x, y, region.centre[2] + height + float(rng.uniform(0.004, 0.02)))
    if region.rides and world.is_open(fixture.id):
        panel = fixture.panels[0]
        local = tuple(v + a * panel.travel for v, a in zip(local, panel.axis, strict=True))  # type: ignore[assignment]
    at = to_world(fixture.position, fixture.yaw, local)
    clear = min(
        (float(np.hypot(p[0] - at[0], p[1] - at[1])) - r - radius for p, r in taken if abs(p[2] - at[2]) < 0.3),
        default=1.0,
    )
    return Spot(at, yaw, lying), clear


def on_floor(world: World, thing: ThingSpec, view: Viewpoint, rng: np.random.Generator, unseen: bool = False) -> Spot | None:
    """A free floor spot in view of the camera, 0.4–1.6 m before it; None when there is none.

    With ``unseen``, a free spot within 1.6 m all around the camera will do where none is in view.
    """
    pose = pose_of(view)
    heading = float(np.arctan2(pose[1, 2], pose[0, 2]))
    for attempt in range(160 if unseen else 80):
        spread = 0.5 if attempt < 80 else np.pi
        angle, distance = heading + float(rng.uniform(-spread, spread)), float(rng.uniform(0.3, 1.6))
        x, y = view.eye[0] + distance * np.cos(angle), view.eye[1] + distance * np.sin(angle)
        at = (round(float(x), 4), round(float(y), 4), round(thing.half_height + float(rng.uniform(0.005, 0.05)), 4))
        if (attempt >= 80 or in_view(view, at, 0.05)) and world.free_floor(at, thing.radius, ignore=thing.id):
            return Spot(at, round(float(rng.uniform(-180, 180)), 1))
    return None


def beside(world: World, fixture: FixtureSpec, thing: ThingSpec, view: Viewpoint, rng: np.random.Generator) -> Spot | None:
    """Where a thing lands that misses ``fixture``: on a surface next to it now and then, else on the floor at its front or sides.

    Spots in view are taken before others. None when the floor around is full.
    """
    if rng.random() < 0.3:
        neighbours = [
            f
            for f in world.house.fixtures
            if f.id != fixture.id
            and f.room == fixture.room
            and f.regions
            and world.regions.relation[f.id] is Relation.ON
            and np.hypot(f.position[0] - fixture.position[0], f.position[1] - fixture.position[1]) < (f.size[0] + fixture.size[0]) / 2 + 0.7
        ]
        for neighbour in neighbours:
            for _ in range(30):
                spot = on_fixture(world, neighbour, thing, rng)
                if in_view(view, spot.at, 0.03):
                    return spot
    unseen: Spot | None = None
    w, d, _ = fixture.size
    reach = fixture.panels[0].travel if fixture.panels and fixture.panels[0].joint == "slide" and world.is_open(fixture.id) else 0.0
    between_doors = any(p.joint == "hinge" for p in fixture.panels)  # open leaves would hide what lands at the sides
    span = max(w / 2 - thing.radius, 0.05) if between_doors else w / 2
    for _ in range(60):
        if between_doors or rng.random() < 0.7:
            floor = front_of(fixture, reach + thing.radius + float(rng.uniform(0.04, 0.3)), float(rng.uniform(-span, span)))
        else:
            side = 1.0 if rng.random() < 0.5 else -1.0
            floor = front_of(fixture, -float(rng.uniform(-0.15, d * 0.5)), side * (w / 2 + thing.radius + float(rng.uniform(0.04, 0.2))))
        at = (round(floor[0], 4), round(floor[1], 4), round(thing.half_height + float(rng.uniform(0.01, 0.12)), 4))
        if not world.free_floor(at, thing.radius, ignore=thing.id):
            continue
        spot = Spot(at, round(float(rng.uniform(-180, 180)), 1))
        if in_view(view, at):
            return spot
        unseen = unseen or spot
    return unseen
