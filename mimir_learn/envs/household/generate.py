"""Procedural houses: a seed in, a furnished `HouseSpec` with its things in plausible places out. Pure numpy, no engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import cos, radians, sin

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Parent, Relation

from .furniture import Design, design
from .spec import FixtureSpec, HouseSpec, Part, RoomSpec, ThingSpec, Vec
from .viewpoints import fixture_viewpoints, room_viewpoints
from .vocabulary import VOCABULARY
from .wares import COLOURS, WARES, footprint, scaled

_FURNITURE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # room category → (always, some of)
    "kitchen": (("fridge", "counter", "sink", "microwave", "cabinet"), ("table", "bin", "shelf", "drawer")),
    "livingroom": (("sofa", "table", "tv", "shelf"), ("lamp", "drawer", "cabinet", "bin")),
    "bedroom": (("bed", "wardrobe", "drawer"), ("desk", "lamp", "shelf", "table")),
    "bathroom": (("sink", "washer", "cabinet"), ("bin", "shelf", "drawer")),
    "office": (("desk", "shelf", "safe"), ("lamp", "tv", "drawer", "table", "sofa")),
}
_WALLS: tuple[Vec, ...] = ((0.86, 0.84, 0.78), (0.75, 0.8, 0.85), (0.82, 0.87, 0.8), (0.88, 0.8, 0.76), (0.8, 0.78, 0.84), (0.9, 0.9, 0.88))
_FLOORS: tuple[Vec, ...] = ((0.52, 0.42, 0.33), (0.45, 0.45, 0.47), (0.63, 0.56, 0.48), (0.38, 0.34, 0.32), (0.58, 0.6, 0.6))
_WALL_YAW = (0.0, -90.0, 180.0, 90.0)  # north, east, south, west: the back of a fixture is at its local +y
HELD_OUT_FROM = 40_000
"""Houses from this seed on (the test split) use floor plans, and a share of shapes and colours, that no house below it has."""


def generate_house(seed: int) -> HouseSpec:
    """A house of 2–4 rooms with 10–18 things; the same seed gives the same house, byte for byte.

    Raises ConfigError for a negative seed.
    """
    if seed < 0:
        raise ConfigError(f"house seed must be ≥ 0, got {seed}")
    rng = np.random.default_rng([0x4D494D, seed])
    others = [str(c) for c in rng.permutation(["livingroom", "bedroom", "bathroom", "office"])]
    categories = ["kitchen", *others[: int(rng.choice([1, 2, 3], p=[0.35, 0.4, 0.25]))]]
    counts: Counter[str] = Counter()
    rooms: list[RoomSpec] = []
    fixtures: list[FixtureSpec] = []
    x = 0.0
    for category in categories:
        size = (float(round(rng.uniform(4.0, 4.6), 2)), float(round(rng.uniform(3.7, 4.2), 2)))
        centre = (round(x + size[0] / 2, 3), 0.0)
        x += size[0] + 0.4
        room, furniture = _furnish(category, centre, size, rng, counts)
        rooms.append(room)
        fixtures.extend(furniture)
    return HouseSpec(seed, tuple(rooms), tuple(fixtures), _things(fixtures, rng))


def _furnish(
    category: str, centre: tuple[float, float], size: tuple[float, float], rng: np.random.Generator, counts: Counter[str]
) -> tuple[RoomSpec, list[FixtureSpec]]:
    always, some = _FURNITURE[category]
    wanted = [*always, *(str(c) for c in rng.permutation(some)[: int(rng.integers(1, 3))])]
    for _ in range(60):
        designs = [(c, design(c, rng)) for c in wanted]
        spots = _arrange([d for _, d in designs], size, rng)
        if spots is not None:
            break
    else:  # pragma: no cover - no seed tried has come here; the sizes above leave room to spare
        raise ConfigError(f"could not furnish a {category} of {size} m with {wanted}")
    counts[category] += 1
    room_id = f"{category}_{counts[category]}"
    fixtures: list[FixtureSpec] = []
    for (kind, plan), (px, py, yaw) in zip(designs, spots, strict=True):
        counts[kind] += 1
        position: Vec = (round(centre[0] + px, 4), round(centre[1] + py, 4), 0.0)
        views = fixture_viewpoints(plan, position, yaw, centre, size)
        owner = _fixture(f"{kind}_{counts[kind]}", kind, room_id, Parent(room_id, Relation.ROOM), position, yaw, plan, views, rng)
        fixtures.append(owner)
        for device, offset in plan.mounted:
            counts[device] += 1
            at = to_world(position, yaw, offset)
            relation = Relation.ON
            fixtures.append(
                _fixture(
                    f"{device}_{counts[device]}", device, room_id, Parent(owner.id, relation), at, yaw, design(device, rng), views, rng
                )
            )
    wall, floor = _WALLS[int(rng.integers(len(_WALLS)))], _FLOORS[int(rng.integers(len(_FLOORS)))]
    tall = [(*spot[:2], plan.size) for (_, plan), spot in zip(designs, spots, strict=True)]
    decor = _decor(centre, size, rng)
    return RoomSpec(room_id, category, centre, size, wall, floor, room_viewpoints(centre, size, tall), decor), fixtures


def _fixture(
    fixture_id: str, kind: str, room: str, parent: Parent, position: Vec, yaw: float, plan: Design, views: tuple, rng: np.random.Generator
) -> FixtureSpec:
    spec = VOCABULARY.spec(kind)
    chance = {"open": 0.1, "on": 0.25}
    attributes = {a: bool(rng.random() < chance[a]) for a in spec.attributes}
    return FixtureSpec(
        fixture_id,
        kind,
        room,
        parent,
        position,
        yaw,
        plan.size,
        tuple(plan.parts),
        tuple(plan.panels),
        tuple(plan.regions),
        views,
        attributes,
    )


def _decor(centre: tuple[float, float], size: tuple[float, float], rng: np.random.Generator) -> tuple[Part, ...]:
    """A rug, for the eye and for the depth-free look of a home."""
    shade = float(rng.uniform(0.3, 0.6))
    rgb: Vec = tuple(round(float(np.clip(shade + d, 0, 1)), 3) for d in rng.uniform(-0.08, 0.08, 3))  # type: ignore[assignment]
    half = (size[0] * 0.24, size[1] * 0.2)
    return (Part("box", (round(half[0], 3), round(half[1], 3), 0.002), (centre[0], centre[1], 0.002), rgb, solid=False),)


def _arrange(plans: list[Design], size: tuple[float, float], rng: np.random.Generator) -> list[tuple[float, float, float]] | None:
    """Spots (x, y, yaw) along the walls: nothing overlaps anything or the space one stands in before it. None when it does not fit."""
    order = sorted(range(len(plans)), key=lambda i: -plans[i].size[0])
    spots: dict[int, tuple[float, float, float]] = {}
    bodies: list[tuple[float, float, float, float]] = []
    fronts: list[tuple[float, float, float, float]] = []
    for i in order:
        w, d, _ = plans[i].size
        for _ in range(40):
            side = int(rng.integers(4))
            along = size[0] if side % 2 == 0 else size[1]
            depth = (size[1] if side % 2 == 0 else size[0]) / 2
            t = float(rng.uniform(-along / 2 + w / 2 + 0.1, along / 2 - w / 2 - 0.1))
            yaw = _WALL_YAW[side]
            back = depth - d / 2 - 0.02
            local = {0: (t, back), 1: (back, t), 2: (t, -back), 3: (-back, t)}[side]
            body = _rect(local, yaw, (0.0, 0.0), (w / 2 + 0.1, d / 2 + 0.02))
            front = _rect(local, yaw, (0.0, -d / 2 - 0.45 - plans[i].reach / 2), (max(w, 0.6) / 2, 0.45 + plans[i].reach / 2))
            swing = plans[i].swing
            sweep = _rect(local, yaw, (0.0, -d / 2 - swing / 2), (w / 2 + 0.1, swing / 2)) if swing else body
            if any(_overlap(r, o) for r in (body, sweep) for o in bodies + fronts) or any(_overlap(front, o) for o in bodies):
                continue
            spots[i] = (round(local[0], 3), round(local[1], 3), yaw)
            bodies += [body, sweep]
            fronts.append(front)
            break
        else:
            return None
    return [spots[i] for i in range(len(plans))]


def to_world(position: Vec, yaw: float, local: Iterable[float]) -> Vec:
    """A point of a fixture's own frame in the world."""
    x, y, z = local
    c, s = cos(radians(yaw)), sin(radians(yaw))
    return (round(position[0] + c * x - s * y, 5), round(position[1] + s * x + c * y, 5), round(position[2] + z, 5))


def _rect(at: tuple[float, float], yaw: float, offset: tuple[float, float], half: tuple[float, float]) -> tuple[float, float, float, float]:
    x, y, _ = to_world((at[0], at[1], 0.0), yaw, (*offset, 0.0))
    hx, hy = half if yaw % 180 == 0 else (half[1], half[0])
    return (x - hx, y - hy, x + hx, y + hy)


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _things(fixtures: list[FixtureSpec], rng: np.random.Generator) -> tuple[ThingSpec, ...]:
    """10–18 things: several instances of some categories, in different colours, mostly where such things usually are."""
    holders = [f for f in fixtures if f.regions]
    total = int(rng.integers(10, 19))
    names = [str(n) for n in rng.permutation(sorted(WARES))]
    chosen: list[str] = []
    for name in names:
        chosen.extend([name] * int(rng.choice([1, 2, 3], p=[0.45, 0.4, 0.15])))
    chosen = chosen[:total]
    colours = {name: [str(c) for c in rng.permutation(WARES[name][1])] for name in sorted(set(chosen))}
    counts: Counter[str] = Counter()
    taken: dict[str, list[tuple[int, float, float, float]]] = {f.id: [] for f in holders}
    things: list[ThingSpec] = []
    for name in chosen:
        usual = VOCABULARY.spec(name).usual_places
        pool = [f for f in holders if f.category in usual] if rng.random() < 0.75 else []
        colour = colours[name][counts[name] % len(colours[name])]
        scale = round(float(rng.uniform(0.92, 1.15)), 3)
        ware = WARES[name][0](COLOURS[colour])
        solid = scaled(ware.solid, scale)
        radius, half = footprint(solid)
        spot = None
        for _ in range(30):
            options = pool or holders
            fixture = options[int(rng.integers(len(options)))]
            spot = _spot(fixture, taken[fixture.id], radius, half, rng)
            if spot is not None:
                break
            pool = []
        if spot is None:
            continue
        counts[name] += 1
        taken[fixture.id].append(spot[1])
        relation = VOCABULARY.spec(fixture.category).relation
        assert relation is not None
        things.append(
            ThingSpec(
                f"{name}_{counts[name]}", name, Parent(fixture.id, relation), spot[0], round(float(rng.uniform(-180, 180)), 1), colour,
                scale,
                tuple(scaled(p, scale) for p in ware.parts), solid, round(ware.mass * scale**3, 3), round(radius, 4), round(half, 4),
            )
        )  # fmt: skip
    return tuple(things)


def _spot(
    fixture: FixtureSpec, taken: list[tuple[int, float, float, float]], radius: float, half: float, rng: np.random.Generator
) -> tuple[Vec, tuple[int, float, float, float]] | None:
    for _ in range(12):
        level = int(rng.integers(len(fixture.regions)))
        region = fixture.regions[level]
        room = (region.half[0] - radius - 0.005, region.half[1] - radius - 0.005)
        if min(room) < 0 or 2 * half > region.height:
            continue
        x, y = (region.centre[k] + float(rng.uniform(-room[k], room[k])) for k in (0, 1))
        if all(lv != level or (x - ox) ** 2 + (y - oy) ** 2 > (radius + r + 0.015) ** 2 for lv, ox, oy, r in taken):
            z = region.centre[2] + half + 0.002
            local = (x, y, z)
            if region.rides and fixture.attributes.get("open"):
                panel = fixture.panels[0]
                local = tuple(v + a * panel.travel for v, a in zip(local, panel.axis, strict=True))  # type: ignore[assignment]
            return to_world(fixture.position, fixture.yaw, local), (level, x, y, radius)
    return None
