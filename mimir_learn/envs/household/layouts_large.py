"""Floor plans of 7 to 12 rooms: halls with rooms along them, halls at right angles to each other, and bathrooms behind bedrooms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .layouts import MOST_PLAIN, Draft, FloorPlan
from .shell import WALL

MOST_ROOMS = 12
_ROUNDS = (("livingroom", "bedroom", "bathroom", "office"), ("bedroom", "bathroom"), ("bedroom", "office", "livingroom", "bathroom"))
"""What there is besides the kitchen: all of one round, in random order, before any of the next."""
_COURT = (3.0, 4.5)  # metres between the two wings of a house with a court
_SHORTEST_HALL = 2.6


def draw_large_plan(rng: np.random.Generator, rooms: int, held_out: bool) -> FloorPlan:
    """A floor plan with so many rooms, 7–12, of a held-out kind or an ordinary one. A kitchen is always there, next to a hall."""
    plans = HELD_OUT_LARGE_PLANS if held_out else LARGE_PLANS
    kinds = [k for k, (_, _, fewest, most) in plans.items() if fewest <= rooms <= most]
    kind = kinds[int(rng.integers(len(kinds)))]
    planner, halls, _, _ = plans[kind]
    others = [str(c) for some in _ROUNDS for c in rng.permutation(some)]
    categories = ["kitchen", *others[: rooms - halls - 1]]
    along, suites = _divide(categories, rng)
    draft = Draft(rng)
    beside = planner(draft, along)
    bedrooms = [(room, side) for room, side in beside if draft.rooms[room][0] == "bedroom"]
    for (room, side), category in zip(bedrooms, suites, strict=False):
        _behind(draft, room, side, category)
    return draft.plan(kind)


def _divide(categories: list[str], rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Rooms along the halls in random order, and bathrooms that lie behind bedrooms: all but one, while there are bedrooms."""
    bathrooms = categories.count("bathroom")
    suites = min(max(0, bathrooms - 1), categories.count("bedroom"))
    along = list(categories)
    for _ in range(suites):
        along.remove("bathroom")
    return [str(c) for c in rng.permutation(along)], ["bathroom"] * suites


def _behind(draft: Draft, room: int, side: str, category: str) -> None:
    """A room on the far side of another one, as wide as that at most."""
    x0, y0, x1, y1 = draft.box(room)
    turned = side in ("east", "west")
    w, d = draft.size(category, turned)
    w, d = (w, min(d, round(y1 - y0, 2))) if turned else (min(w, round(x1 - x0, 2)), d)
    at = {"north": (x0, y1 + WALL), "south": (x0, y0 - WALL - d), "east": (x1 + WALL, y0), "west": (x0 - WALL - w, y0)}[side]
    draft.join(room, draft.put(category, *at, (w, d)))


Beside = list[tuple[int, str]]
"""(room, side of its hall that it lies on)"""


def _length(sizes: list[tuple[float, float]], axis: int) -> float:
    return sum(s[axis] for s in sizes) + WALL * max(0, len(sizes) - 1)


def _sizes(draft: Draft, categories: list[str], side: str) -> list[tuple[float, float]]:
    return [draft.size(c, turned=side in ("east", "west")) for c in categories]


def _line(draft: Draft, hall: int, side: str, categories: list[str], sizes: list[tuple[float, float]]) -> Beside:
    """Rooms one beside the other along one side of a hall, from its west or south end."""
    hx0, hy0, hx1, hy1 = draft.box(hall)
    x, y = hx0, hy0
    out: Beside = []
    for category, (w, d) in zip(categories, sizes, strict=True):
        at = {"north": (x, hy1 + WALL), "south": (x, hy0 - WALL - d), "east": (hx1 + WALL, y), "west": (hx0 - WALL - w, y)}[side]
        room = draft.put(category, *at, (w, d))
        draft.join(hall, room)
        out.append((room, side))
        x, y = x + w + WALL, y + d + WALL
    return out


def _wide(draft: Draft) -> float:
    return draft.size("hall")[1]


def _hall_between(draft: Draft, north: list[str], south: list[str]) -> tuple[int, Beside]:
    """A hall from west to east with rooms on both sides."""
    width, up, down = _wide(draft), _sizes(draft, north, "north"), _sizes(draft, south, "south")
    hall = draft.put("hall", 0.0, 0.0, (max(_SHORTEST_HALL, _length(up, 0), _length(down, 0)), width))
    return hall, [*_line(draft, hall, "north", north, up), *_line(draft, hall, "south", south, down)]


def _wings(draft: Draft, along: list[str]) -> Beside:
    """One hall with rooms on both sides."""
    half = (len(along) + 1) // 2
    return _hall_between(draft, along[:half], along[half:])[1]


def _tee(draft: Draft, along: list[str]) -> Beside:
    """A hall with rooms on both sides that ends in a second one across it, with rooms along the far side of that."""
    across = max(2, len(along) // 3)
    rest = along[across:]
    half = (len(rest) + 1) // 2
    hall, beside = _hall_between(draft, rest[:half], rest[half:])
    _, y0, x1, y1 = draft.box(hall)
    east = _sizes(draft, along[:across], "east")
    length = max(_length(east, 1), y1 - y0)
    low = y0 - float(draft.rng.uniform(0.3, 0.7)) * (length - (y1 - y0))
    second = draft.put("hall", x1 + WALL, low, (_wide(draft), length))
    draft.join(hall, second)
    return [*beside, *_line(draft, second, "east", along[:across], east)]


def _elbow(draft: Draft, along: list[str]) -> Beside:
    """Two halls that meet in a corner, with rooms on the outside of both."""
    half = (len(along) + 1) // 2
    south, west = _sizes(draft, along[:half], "south"), _sizes(draft, along[half:], "west")
    first = draft.put("hall", 0.0, 0.0, (max(_SHORTEST_HALL, _length(south, 0)), _wide(draft)))
    width = _wide(draft)
    second = draft.put("hall", -WALL - width, 0.0, (width, max(_SHORTEST_HALL, _length(west, 1))))
    draft.join(second, first)
    return [*_line(draft, first, "south", along[:half], south), *_line(draft, second, "west", along[half:], west)]


def _court(draft: Draft, along: list[str]) -> Beside:
    """Three halls around a court that is open to the east, with rooms on the outside."""
    west, rest = along[:1], along[1:]
    half = (len(rest) + 1) // 2
    south, north = rest[:half], rest[half:]
    down, up, left = _sizes(draft, south, "south"), _sizes(draft, north, "north"), _sizes(draft, west, "west")
    first = draft.put("hall", 0.0, 0.0, (max(_SHORTEST_HALL, _length(down, 0)), _wide(draft)))
    y = draft.box(first)[3] + float(round(draft.rng.uniform(*_COURT), 2))
    second = draft.put("hall", 0.0, y, (max(_SHORTEST_HALL, _length(up, 0)), _wide(draft)))
    width = _wide(draft)
    third = draft.put("hall", -WALL - width, 0.0, (width, draft.box(second)[3]))
    draft.join(third, first)
    draft.join(third, second)
    beside = [*_line(draft, first, "south", south, down), *_line(draft, second, "north", north, up)]
    return [*beside, *_line(draft, third, "west", west, left)]


Planner = Callable[[Draft, list[str]], Beside]
LARGE_PLANS: dict[str, tuple[Planner, int, int, int]] = {  # kind → who draws it, halls, fewest and most rooms
    "wings": (_wings, 1, MOST_PLAIN + 1, 9),
    "tee": (_tee, 2, 8, MOST_ROOMS),
}
HELD_OUT_LARGE_PLANS: dict[str, tuple[Planner, int, int, int]] = {
    "elbow": (_elbow, 2, MOST_PLAIN + 1, 10),
    "court": (_court, 3, 9, MOST_ROOMS),
}
