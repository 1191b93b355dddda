"""Procedural houses: a seed in, a furnished `HouseSpec` with its things in plausible places out. Pure numpy, no engine."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mimir_learn.errors import ConfigError

from .generate_rooms import furnish, to_world
from .generate_things import things
from .layouts import MOST_PLAIN, draw_plan
from .layouts_large import MOST_ROOMS, draw_large_plan
from .spec import FixtureSpec, HouseSpec, RoomSpec

__all__ = ["HELD_OUT_FROM", "MOST_ROOMS", "generate_house", "to_world"]

HELD_OUT_FROM = 40_000
"""Houses from this seed on (the test split) use floor plans, and a share of shapes and colours, that no house below it has."""


def generate_house(seed: int, rooms: int | None = None) -> HouseSpec:
    """A house of so many ``rooms``, 1–12 (None: 1–6, mostly 3 or 4), furnished, with 6–9 things a room; a kitchen is always there.

    The same arguments give the same house, byte for byte. Raises ConfigError for a negative seed or a number of rooms that is not 1–12.
    """
    if seed < 0:
        raise ConfigError(f"house seed must be ≥ 0, got {seed}")
    if rooms is not None and not 1 <= rooms <= MOST_ROOMS:
        raise ConfigError(f"a generated house has 1–{MOST_ROOMS} rooms, got {rooms}")
    rng = np.random.default_rng([0x4D494D, seed, rooms or 0])
    held_out = seed >= HELD_OUT_FROM
    plan = draw_plan(rng, rooms, held_out) if rooms is None or rooms <= MOST_PLAIN else draw_large_plan(rng, rooms, held_out)
    number: Counter[str] = Counter()
    ids = []
    for planned in plan.rooms:
        number[planned.category] += 1
        ids.append(f"{planned.category}_{number[planned.category]}")
    doorways = plan.doorways(ids)
    counts: Counter[str] = Counter()
    specs: list[RoomSpec] = []
    fixtures: list[FixtureSpec] = []
    for room_id, planned in zip(ids, plan.rooms, strict=True):
        room, furniture = furnish(planned, [d for d in doorways if room_id in d.rooms], plan.inner_walls(planned), rng, counts)
        specs.append(room)
        fixtures.extend(furniture)
    inside = things(specs, fixtures, rng, held_out, chains=len(specs) <= MOST_PLAIN)
    return HouseSpec(seed, tuple(specs), tuple(fixtures), inside, doorways)
