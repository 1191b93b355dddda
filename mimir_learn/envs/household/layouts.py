"""Floor plans of up to six rooms: which rooms, how they lie next to each other, where the doorways are; `layouts_large` has larger ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .shell import WALL
from .spec import Doorway

_SIZES: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {  # category → ranges of width and depth, metres
    "kitchen": ((4.3, 5.0), (4.1, 4.6)),
    "livingroom": ((4.4, 5.2), (4.2, 4.8)),
    "bedroom": ((4.0, 4.7), (3.8, 4.3)),
    "bathroom": ((3.3, 3.9), (3.1, 3.6)),
    "office": ((3.8, 4.4), (3.6, 4.1)),
    "hall": ((2.8, 3.6), (2.1, 2.5)),
}
_DOOR = 0.9
_CORNER = 0.25  # least distance of a doorway from a corner


@dataclass(frozen=True)
class PlannedRoom:
    """A room before it has an id or furniture: its category, the middle of its floor and its (width, depth), metres."""

    category: str
    centre: tuple[float, float]
    size: tuple[float, float]


@dataclass(frozen=True)
class PlannedDoor:
    """A doorway between the rooms at two places in the plan's list."""

    rooms: tuple[int, int]
    centre: tuple[float, float]
    along: str


@dataclass(frozen=True)
class FloorPlan:
    """Rooms and doorways; ``kind`` is a key of `PLANS`, of `HELD_OUT_PLANS`, or of those of large houses."""

    kind: str
    rooms: tuple[PlannedRoom, ...]
    doors: tuple[PlannedDoor, ...]

    def doorways(self, ids: list[str]) -> tuple[Doorway, ...]:
        """The doorways, given the ids of the rooms in order."""
        return tuple(Doorway((ids[d.rooms[0]], ids[d.rooms[1]]), d.centre, d.along, _DOOR) for d in self.doors)

    def inner_walls(self, room: PlannedRoom) -> frozenset[int]:
        """Which walls of a room (0 north, 1 east, 2 south, 3 west) have another room behind them, at least in part."""
        out = set()
        for other in self.rooms:
            for side in range(4):
                across, sign = 1 - side % 2, 1 if side < 2 else -1
                step = sign * (other.centre[across] - room.centre[across]) - (other.size[across] + room.size[across]) / 2
                beside = abs(other.centre[1 - across] - room.centre[1 - across]) < (other.size[1 - across] + room.size[1 - across]) / 2
                if other is not room and beside and -0.01 < step < 2 * WALL:
                    out.add(side)
        return frozenset(out)


class Draft:
    """Rooms as rectangles (x0, y0, x1, y1), put next to each other one by one."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rooms: list[tuple[str, tuple[float, float, float, float]]] = []
        self.doors: list[PlannedDoor] = []

    def size(self, category: str, turned: bool = False) -> tuple[float, float]:
        (a, b), (c, d) = _SIZES[category]
        size = (float(round(self.rng.uniform(a, b), 2)), float(round(self.rng.uniform(c, d), 2)))
        return size[::-1] if turned else size

    def put(self, category: str, x: float, y: float, size: tuple[float, float]) -> int:
        """A room with its lower left corner at (x, y)."""
        self.rooms.append((category, (round(x, 3), round(y, 3), round(x + size[0], 3), round(y + size[1], 3))))
        return len(self.rooms) - 1

    def box(self, room: int) -> tuple[float, float, float, float]:
        return self.rooms[room][1]

    def join(self, a: int, b: int) -> None:
        """A doorway in the wall that rooms ``a`` and ``b`` share."""
        ax0, ay0, ax1, ay1 = self.box(a)
        bx0, by0, bx1, by1 = self.box(b)
        if min(abs(bx0 - ax1), abs(ax0 - bx1)) < 2 * WALL and min(ay1, by1) - max(ay0, by0) > _DOOR + 2 * _CORNER:
            x = (ax1 + bx0) / 2 if abs(bx0 - ax1) < 2 * WALL else (bx1 + ax0) / 2
            self.doors.append(PlannedDoor((a, b), (round(x, 4), self._spot(max(ay0, by0), min(ay1, by1))), "y"))
        else:
            y = (ay1 + by0) / 2 if abs(by0 - ay1) < 2 * WALL else (by1 + ay0) / 2
            self.doors.append(PlannedDoor((a, b), (self._spot(max(ax0, bx0), min(ax1, bx1)), round(y, 4)), "x"))

    def plan(self, kind: str) -> FloorPlan:
        """What has been put down, as a plan of this kind."""
        placed = tuple(
            PlannedRoom(category, (round((x0 + x1) / 2, 4), round((y0 + y1) / 2, 4)), (round(x1 - x0, 4), round(y1 - y0, 4)))
            for category, (x0, y0, x1, y1) in self.rooms
        )
        return FloorPlan(kind, placed, tuple(self.doors))

    def _spot(self, low: float, high: float) -> float:
        """Near either end of the shared wall, so that a long piece is left for furniture."""
        room = high - low - _DOOR - 2 * _CORNER
        shift = float(self.rng.uniform(0.0, 0.2)) * room
        at = low + _CORNER + _DOOR / 2 + (shift if self.rng.random() < 0.5 else room - shift)
        return round(at, 3)


def _single(draft: Draft, categories: list[str]) -> None:
    draft.put(categories[0], 0.0, 0.0, draft.size(categories[0]))


def _row(draft: Draft, categories: list[str]) -> None:
    """One after the other from west to east."""
    x = 0.0
    for i, category in enumerate(categories):
        size = draft.size(category)
        draft.put(category, x, -size[1] / 2, size)
        x += size[0] + WALL
        if i:
            draft.join(i - 1, i)


def _corner(draft: Draft, categories: list[str]) -> None:
    """An L: eastwards, then the last rooms northwards."""
    turn = (len(categories) + 1) // 2
    _row(draft, categories[:turn])
    for i in range(turn, len(categories)):
        x0, _, _, y1 = draft.box(i - 1)
        draft.put(categories[i], x0, y1 + WALL, draft.size(categories[i]))
        draft.join(i - 1, i)


def _corridor(draft: Draft, categories: list[str]) -> None:
    """A hall from west to east with rooms on both sides."""
    _hall_with(draft, categories, both_sides=True)


def _hall_with(draft: Draft, categories: list[str], both_sides: bool) -> None:
    others = [c for c in categories if c != "hall"]
    width = draft.size("hall")[1]
    sizes = [draft.size(c) for c in others]
    sides: tuple[list[int], list[int]] = ([], [])
    for i in range(len(others)):
        sides[i % 2 if both_sides else 0].append(i)
    length = max(sum(sizes[i][0] for i in side) + WALL * max(0, len(side) - 1) for side in sides)
    hall = draft.put("hall", 0.0, 0.0, (max(2.6, length), width))
    for k, side in enumerate(sides):
        x = 0.0
        for i in side:
            y = width + WALL if k == 0 else -WALL - sizes[i][1]
            draft.join(hall, draft.put(others[i], x, y, sizes[i]))
            x += sizes[i][0] + WALL


def _stack(draft: Draft, categories: list[str]) -> None:
    """One behind the other from south to north, each turned by a quarter."""
    y = 0.0
    for i, category in enumerate(categories):
        size = draft.size(category, turned=True)
        draft.put(category, -size[0] / 2, y, size)
        y += size[1] + WALL
        if i:
            draft.join(i - 1, i)


def _comb(draft: Draft, categories: list[str]) -> None:
    """A hall with all rooms on one side."""
    _hall_with(draft, categories, both_sides=False)


def _hub(draft: Draft, categories: list[str]) -> None:
    """A square hall with rooms around it like the sails of a windmill; a fifth one behind the first."""
    others = [c for c in categories if c != "hall"]
    hall = draft.put("hall", -1.7, -1.7, (3.4, 3.4))
    x0, y0, x1, y1 = draft.box(hall)
    for i, category in enumerate(others):
        w, d = draft.size(category)
        corners = ((x0, y1 + WALL), (x1 + WALL, y1 - d), (x1 - w, y0 - WALL - d), (x0 - WALL - w, y0))
        x, y = corners[i] if i < 4 else (x0, draft.box(1)[3] + WALL)
        draft.join(hall if i < 4 else 1, draft.put(category, x, y, (w, d)))


def _long(draft: Draft, categories: list[str]) -> None:
    """One room, as narrow as no ordinary one."""
    rng = draft.rng
    draft.put(categories[0], 0.0, 0.0, (float(round(rng.uniform(5.6, 6.2), 2)), float(round(rng.uniform(3.3, 3.6), 2))))


Planner = Callable[[Draft, list[str]], None]
PLANS: dict[str, tuple[Planner, int, int, bool]] = {  # kind → who draws it, fewest and most rooms, whether with a hall
    "single": (_single, 1, 1, False),
    "row": (_row, 2, 4, False),
    "corner": (_corner, 3, 6, False),
    "corridor": (_corridor, 3, 6, True),
}
HELD_OUT_PLANS: dict[str, tuple[Planner, int, int, bool]] = {
    "long": (_long, 1, 1, False),
    "stack": (_stack, 2, 4, False),
    "comb": (_comb, 3, 5, True),
    "hub": (_hub, 3, 6, True),
}
_WEIGHTS = {"single": 1.0, "row": 0.35, "corner": 0.35, "corridor": 1.3, "long": 1.0, "stack": 0.3, "comb": 0.7, "hub": 0.8}
_MOST_OF = {"bedroom": 2, "bathroom": 2}
MOST_PLAIN = 6
_HOW_MANY = (0.05, 0.15, 0.32, 0.28, 0.13, 0.07)


def draw_plan(rng: np.random.Generator, rooms: int | None, held_out: bool) -> FloorPlan:
    """A floor plan with so many rooms (None: 1–6, mostly 3 or 4), of a held-out kind or an ordinary one. A kitchen is always there."""
    number = int(rng.choice(range(1, MOST_PLAIN + 1), p=_HOW_MANY)) if rooms is None else rooms
    plans = HELD_OUT_PLANS if held_out else PLANS
    kinds = [k for k, (_, fewest, most, _) in plans.items() if fewest <= number <= most]
    weights = np.array([_WEIGHTS[k] for k in kinds])
    kind = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]
    planner, _, _, with_hall = plans[kind]
    pool = ["livingroom", "bedroom", "bathroom", "office"]
    others = [str(c) for c in rng.permutation(pool)]
    others += [str(c) for c in rng.permutation([c for c in pool if _MOST_OF.get(c, 1) > 1])]
    categories = ["kitchen", *others[: number - 1 - with_hall]]
    if with_hall:
        categories.append("hall")
    draft = Draft(rng)
    planner(draft, categories)
    return draft.plan(kind)
