"""Furnishing: which fixtures a room gets and where they stand, clear of doorways and of each other's doors, drawers and standing room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from math import cos, radians, sin
from typing import TypeVar

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Parent, Relation

from .furniture import DESIGNS, Design, decor, design
from .layouts import PlannedRoom
from .spec import Doorway, FixtureSpec, RoomSpec, Vec
from .viewpoints import Block, fixture_viewpoints, room_viewpoints, unblocked
from .vocabulary import VOCABULARY

_ALWAYS: dict[str, tuple[str, ...]] = {
    "kitchen": ("fridge", "counter", "sink", "oven", "cabinet", "microwave"),
    "livingroom": ("sofa", "tv_stand", "coffee_table", "shelf"),
    "bedroom": ("bed", "wardrobe", "side_table"),
    "bathroom": ("sink", "toilet", "bathtub"),
    "office": ("desk", "bookcase", "safe"),
    "hall": (),
}
_SOME: dict[str, tuple[tuple[str, ...], int, int]] = {  # candidates, fewest and most of them
    "kitchen": (("freezer", "dishwasher", "drawer", "bin", "table", "shelf"), 3, 5),
    "livingroom": (("armchair", "bookcase", "side_table", "table", "cabinet", "lamp", "drawer"), 1, 3),
    "bedroom": (("dresser", "desk", "lamp", "shelf", "chair", "drawer", "armchair"), 2, 3),
    "bathroom": (("washer", "cabinet", "bin", "shelf"), 1, 2),
    "office": (("lamp", "drawer", "shelf", "armchair", "chair", "side_table"), 1, 3),
    "hall": (("side_table", "wardrobe", "shelf", "dresser", "chair", "lamp", "bin", "cabinet"), 2, 4),
}
_HUNG: dict[str, tuple[str, int, int]] = {"kitchen": ("wall_cabinet", 1, 2), "bathroom": ("wall_cabinet", 0, 1)}
_BENEATH = ("counter", "sink", "dishwasher", "cabinet", "drawer", "washer")  # what a hung cabinet may hang over
_LINE = ("fridge", "freezer", "counter", "sink", "dishwasher", "oven", "cabinet", "drawer", "microwave")  # stand side by side in a kitchen
_MIDDLE = ("table", "coffee_table")  # may stand free
_CHANCE = {"open": 0.1, "on": 0.25}
_SIDES = ("north", "east", "south", "west")
_YAWS = (0.0, -90.0, 180.0, 90.0)  # against the north, east, south, west wall: the back of a fixture is at its local +y
Rect = tuple[float, float, float, float]
T = TypeVar("T")

_WALLS: tuple[Vec, ...] = (
    (0.9, 0.88, 0.82), (0.78, 0.84, 0.9), (0.84, 0.9, 0.82), (0.92, 0.84, 0.8), (0.84, 0.81, 0.88), (0.93, 0.93, 0.91), (0.93, 0.88, 0.68),
)  # fmt: skip
_WOODS: tuple[Vec, ...] = ((0.68, 0.5, 0.34), (0.52, 0.37, 0.25), (0.8, 0.68, 0.52), (0.45, 0.38, 0.33))
_STONES: tuple[Vec, ...] = ((0.72, 0.73, 0.73), (0.62, 0.58, 0.53), (0.82, 0.8, 0.76), (0.5, 0.54, 0.56), (0.7, 0.6, 0.52))
_CARPETS: tuple[Vec, ...] = ((0.55, 0.57, 0.62), (0.64, 0.56, 0.48), (0.46, 0.54, 0.48), (0.58, 0.5, 0.56))
_FLOORS: dict[str, tuple[tuple[str, tuple[Vec, ...]], ...]] = {
    "kitchen": (("tiles", _STONES), ("planks", _WOODS), ("checks", _STONES)),
    "bathroom": (("tiles", _STONES), ("marble", _STONES), ("checks", _STONES)),
    "livingroom": (("planks", _WOODS), ("planks", _WOODS), ("carpet", _CARPETS)),
    "bedroom": (("carpet", _CARPETS), ("planks", _WOODS)),
    "office": (("planks", _WOODS), ("carpet", _CARPETS)),
    "hall": (("planks", _WOODS), ("tiles", _STONES), ("marble", _STONES)),
}


@dataclass
class _Spot:
    """Where a design stands in its room: (x, y) from the room's middle, degrees."""

    kind: str
    plan: Design
    x: float
    y: float
    yaw: float
    beneath: float = 0.0  # how much deeper than itself the thing is that it hangs over

    def rect(self, offset: tuple[float, float], half: tuple[float, float]) -> Rect:
        """A rectangle given in its own frame, in the room's."""
        c, s = _TURN[self.yaw]
        x, y = self.x + c * offset[0] - s * offset[1], self.y + s * offset[0] + c * offset[1]
        hx, hy = half if s == 0 else half[::-1]
        return (x - hx, y - hy, x + hx, y + hy)

    @property
    def body(self) -> Rect:
        return self.rect((0.0, 0.0), (self.plan.size[0] / 2, self.plan.size[1] / 2 + 0.02))

    @property
    def front(self) -> Rect:
        """Where one stands before it, an open drawer counted in."""
        w, d, _ = self.plan.size
        deep = 0.45 + self.plan.reach / 2
        return self.rect((0.0, -d / 2 - deep), (max(w, 0.6) / 2, deep))

    @property
    def sweep(self) -> Rect | None:
        """Where its doors swing."""
        w, d, _ = self.plan.size
        swing = self.plan.swing
        return self.rect((0.0, -d / 2 - swing / 2), (w / 2 + 0.03, swing / 2)) if swing else None


_TURN = {yaw: (round(cos(radians(yaw))), round(sin(radians(yaw)))) for yaw in _YAWS}


@dataclass
class _Floor:
    """The floor of one room: what is taken so far. ``doors`` and ``fronts`` may overlap each other, bodies nothing."""

    size: tuple[float, float]
    doors: list[Rect]
    spots: list[_Spot] = field(default_factory=list)
    bodies: list[Rect] = field(default_factory=list)
    fronts: list[Rect] = field(default_factory=list)

    def add(self, spot: _Spot, gap: float = 0.08) -> bool:
        """Take the place for ``spot`` if it is free, with ``gap`` metres left to neighbours."""
        x0, y0, x1, y1 = spot.body
        wide = (x0 - gap, y0 - gap, x1 + gap, y1 + gap)
        half = (self.size[0] / 2 + 0.001, self.size[1] / 2 + 0.001)
        if x0 < -half[0] or y0 < -half[1] or x1 > half[0] or y1 > half[1]:
            return False
        front, sweep = spot.front, spot.sweep
        if front[0] < -half[0] or front[1] < -half[1] or front[2] > half[0] or front[3] > half[1]:
            return False
        taken = self.bodies + self.fronts + self.doors
        if _hits(spot.body, self.fronts + self.doors) or _hits(wide, self.bodies) or _hits(front, self.bodies):
            return False
        if sweep is not None and _hits(sweep, taken if gap > 0.05 else self.bodies + self.doors):
            return False
        self.spots.append(spot)
        self.bodies.append(spot.body)
        if sweep is not None:
            self.bodies.append(sweep)
        self.fronts.append(front)
        return True

    def on_wall(self, kind: str, plan: Design, side: int, t: float) -> _Spot:
        """Its back to wall ``side``, its middle ``t`` metres along."""
        back = self.size[1 - side % 2] / 2 - plan.size[1] / 2 - 0.02
        x, y = ((t, back), (back, t), (t, -back), (-back, t))[side]
        return _Spot(kind, plan, round(x, 3), round(y, 3), _YAWS[side])


def _hits(rect: Rect, others: Sequence[Rect]) -> bool:
    x0, y0, x1, y1 = rect
    return any(x0 < o[2] and o[0] < x1 and y0 < o[3] and o[1] < y1 for o in others)


def furnish(
    planned: PlannedRoom, doorways: Sequence[Doorway], inner: Collection[int], rng: np.random.Generator, counts: Counter[str]
) -> tuple[RoomSpec, list[FixtureSpec]]:
    """A planned room with its furniture; ``counts`` numbers the ids of the whole house. ``doorways`` are those of this room.

    ``inner``: its walls (0 north, 1 east, 2 south, 3 west) behind which there is another room, so that they get no windows.

    Raises ConfigError when even the necessary furniture does not fit, which a room of a usual size does not do.
    """
    spots = _arrange(planned, doorways, rng)
    counts[planned.category] += 1
    room_id = f"{planned.category}_{counts[planned.category]}"
    centre, size = planned.centre, planned.size
    fixtures: list[FixtureSpec] = []
    for spot in spots:
        position: Vec = (round(centre[0] + spot.x, 4), round(centre[1] + spot.y, 4), 0.0)
        blocks = [_block(o, centre) for o in spots if o is not spot]
        views = unblocked(fixture_viewpoints(spot.plan, position, spot.yaw, centre, size, beneath=spot.beneath), blocks)
        parent = Parent(room_id, Relation.ROOM)
        owner = _fixture(spot.kind, counts, room_id, parent, position, spot.yaw, spot.plan, views, rng)
        fixtures.append(owner)
        for kind, offset in spot.plan.mounted:
            at = to_world(position, spot.yaw, offset)
            plan = design(kind, rng)
            aim = _aim_at(spot.plan, plan, offset[2])
            seen = views if aim is None else unblocked(fixture_viewpoints(aim, position, spot.yaw, centre, size), blocks)
            # Everything mounted is on its carrier, a faucet on its sink as well.
            fixtures.append(_fixture(kind, counts, room_id, Parent(owner.id, Relation.ON), at, spot.yaw, plan, seen, rng))
    return _room(room_id, planned, spots, doorways, inner, rng), fixtures


def _block(spot: _Spot, centre: tuple[float, float]) -> Block:
    x0, y0, x1, y1 = spot.body
    return (x0 + centre[0], y0 + centre[1], x1 + centre[0], y1 + centre[1], spot.plan.size[2])


def _aim_at(carrier: Design, plan: Design, height: float) -> Design | None:
    """What to aim the camera at for something mounted; None where the carrier's own views show it."""
    low, high = height + plan.focus[0], height + plan.focus[1]
    if carrier.focus[0] - 0.15 <= low <= carrier.focus[1] + 0.05 and high <= carrier.focus[1] + 0.3:
        return None
    return replace(carrier, focus=(low, high), reach=0.0, swing=0.0, eye=plan.eye)


def _arrange(planned: PlannedRoom, doorways: Sequence[Doorway], rng: np.random.Generator) -> list[_Spot]:
    category = planned.category
    candidates, fewest, most = _SOME[category]
    always = [k for k in _ALWAYS[category] if k in DESIGNS]
    some = [str(k) for k in rng.permutation(candidates) if str(k) in DESIGNS][: int(rng.integers(fewest, most + 1))]
    best: _Floor | None = None
    for attempt in range(40):
        floor = _Floor(planned.size, [_clearance(d, planned) for d in doorways])
        missing = _fill(floor, category, always, some if attempt < 30 else [], rng)
        if not any(k in always for k in missing):
            if best is None or len(floor.spots) > len(best.spots):
                best = floor
            if not missing or attempt >= 8:
                break
    if best is None:
        raise ConfigError(f"could not furnish a {category} of {planned.size} m with {always}")
    _hang(best, category, rng)
    return best.spots


def _clearance(door: Doorway, room: PlannedRoom) -> Rect:
    """The floor inside a room that its doorway needs."""
    x, y = door.centre[0] - room.centre[0], door.centre[1] - room.centre[1]
    half = (door.width / 2 + 0.1, 0.95) if door.along == "x" else (0.95, door.width / 2 + 0.1)
    return (x - half[0], y - half[1], x + half[0], y + half[1])


def _fill(floor: _Floor, category: str, always: list[str], some: list[str], rng: np.random.Generator) -> list[str]:
    """Place what fits and return what does not."""
    wanted = [(k, design(k, rng)) for k in (*always, *some)]
    if category == "kitchen":
        wanted = _line_up(floor, wanted, rng)
    missing = []
    # Large pieces first; what may stand free last, in what is left of the middle.
    for kind, plan in sorted(wanted, key=lambda kp: (kp[0] in _MIDDLE, -kp[1].size[0] * kp[1].size[1])):
        if not ((kind in _MIDDLE and _in_the_middle(floor, kind, plan, rng)) or _along_a_wall(floor, kind, plan, rng)):
            missing.append(kind)
    return missing


def _line_up(floor: _Floor, wanted: list[tuple[str, Design]], rng: np.random.Generator) -> list[tuple[str, Design]]:
    """Stand kitchen units side by side along walls, from corner to corner; returns what is left."""
    units = [wanted[int(i)] for i in rng.permutation(len(wanted)) if wanted[int(i)][0] in _LINE]
    units.sort(key=lambda kp: kp[0] in ("fridge", "freezer"))  # tall ones at the end of the line
    first, turn = int(rng.integers(4)), int(rng.choice((-1, 1)))
    for leg in range(2):
        side = (first + turn * leg) % 4
        length = floor.size[side % 2]
        t, end = -length / 2 + 0.04 + 0.95 * leg, length / 2 - 0.04
        mirror = rng.random() < 0.5 if leg == 0 else False
        while t < end and units:
            for i, (kind, plan) in enumerate(units):
                middle = t + plan.size[0] / 2
                if middle + plan.size[0] / 2 <= end and floor.add(
                    floor.on_wall(kind, plan, side, -middle if mirror else middle), gap=0.015
                ):
                    t += plan.size[0] + 0.04
                    del units[i]
                    break
            else:
                t += 0.12
    kept = {id(plan) for _, plan in units}
    return [(k, p) for k, p in wanted if k not in _LINE or id(p) in kept]


def _along_a_wall(floor: _Floor, kind: str, plan: Design, rng: np.random.Generator) -> bool:
    for _ in range(50):
        side = int(rng.integers(4))
        slack = floor.size[side % 2] / 2 - plan.size[0] / 2 - 0.06
        if slack > 0 and floor.add(floor.on_wall(kind, plan, side, float(rng.uniform(-slack, slack)))):
            return True
    return False


def _in_the_middle(floor: _Floor, kind: str, plan: Design, rng: np.random.Generator) -> bool:
    for _ in range(12):
        x, y = (float(rng.uniform(-0.25, 0.25)) * s for s in floor.size)
        if floor.add(_Spot(kind, plan, round(x, 3), round(y, 3), _YAWS[int(rng.integers(4))]), gap=0.5):
            return True
    return False


def _hang(floor: _Floor, category: str, rng: np.random.Generator) -> None:
    """Hang cabinets over what is low enough."""
    kind, fewest, most = _HUNG.get(category, ("", 0, 0))
    if kind not in DESIGNS:
        return
    below = [s for s in floor.spots if s.kind in _BENEATH and s.plan.size[2] < 1.2]
    number = int(rng.integers(fewest, most + 1))
    hung: list[Rect] = []
    for i in rng.permutation(len(below)):
        under = below[int(i)]
        plan = design(kind, rng)
        back = under.plan.size[1] / 2 - plan.size[1] / 2
        x, y, _, _ = under.rect((0.0, back), (0.0, 0.0))
        spot = _Spot(kind, plan, round(x, 3), round(y, 3), under.yaw, beneath=max(0.0, under.plan.size[1] - plan.size[1]))
        tall = [s.body for s in floor.spots if s.plan.size[2] > plan.hung - 0.05]
        inside = all(abs(v) <= h / 2 + 0.001 for v, h in zip(spot.body, (*floor.size, *floor.size), strict=True))
        x0, y0, x1, y1 = spot.body
        if len(hung) < number and inside and not _hits((x0 - 0.02, y0 - 0.02, x1 + 0.02, y1 + 0.02), hung + tall + floor.doors):
            hung.append(spot.body)
            floor.spots.append(spot)


def _fixture(
    kind: str,
    counts: Counter[str],
    room: str,
    parent: Parent,
    position: Vec,
    yaw: float,
    plan: Design,
    views: tuple,
    rng: np.random.Generator,
) -> FixtureSpec:
    counts[kind] += 1
    attributes = {a: bool(rng.random() < _CHANCE[a]) for a in VOCABULARY.spec(kind).attributes}
    if kind == "laptop":
        attributes["open"] = attributes["open"] or attributes["on"]
    elif attributes.get("open") and "on" in attributes:
        attributes["on"] = False  # a machine with its door open does not run
    parts, panels, regions = tuple(plan.parts), tuple(plan.panels), tuple(plan.regions)
    return FixtureSpec(f"{kind}_{counts[kind]}", kind, room, parent, position, yaw, plan.size, parts, panels, regions, views, attributes)


def _room(
    room_id: str,
    planned: PlannedRoom,
    spots: list[_Spot],
    doorways: Sequence[Doorway],
    inner: Collection[int],
    rng: np.random.Generator,
) -> RoomSpec:
    category, centre, size = planned.category, planned.centre, planned.size
    texture, colours = _pick(rng, _FLOORS[category])
    wall_texture = _pick(rng, ("plaster", "plaster", "plaster", ""))
    tall = [(s.x, s.y, s.plan.size) for s in spots]
    outside = [name for side, name in enumerate(_SIDES) if side not in inner]
    blocks = [_block(s, centre) for s in spots]
    return RoomSpec(
        room_id,
        category,
        centre,
        size,
        _pick(rng, _WALLS),
        _pick(rng, colours),
        room_viewpoints(centre, size, tall),
        decor(category, size, rng, doorways, centre, blocks, outside),
        wall_texture,
        texture,
        round(float(rng.uniform(0.78, 1.0)), 3),
    )


def to_world(position: Vec, yaw: float, local: Sequence[float]) -> Vec:
    """A point of a fixture's own frame in the world."""
    x, y, z = local
    c, s = cos(radians(yaw)), sin(radians(yaw))
    return (round(position[0] + c * x - s * y, 5), round(position[1] + s * x + c * y, 5), round(position[2] + z, 5))


def _pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]
