"""Floor plans: rooms lie beside each other, doorways lead through shared walls, and test houses have plans of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import generate_house
from mimir_learn.envs.household.generate import HELD_OUT_FROM
from mimir_learn.envs.household.layouts import HELD_OUT_PLANS, MOST_ROOMS, PLANS, FloorPlan, draw_plan
from mimir_learn.envs.household.shell import WALL
from mimir_learn.errors import ConfigError


def plan(seed: int, rooms: int | None = None, held_out: bool = False) -> FloorPlan:
    return draw_plan(np.random.default_rng(seed), rooms, held_out)


@given(st.integers(0, 10**6), st.integers(1, MOST_ROOMS), st.booleans())
@settings(max_examples=120, deadline=None)
def test_rooms_share_walls_and_every_room_can_be_walked_to(seed: int, rooms: int, held_out: bool) -> None:
    drawn = plan(seed, rooms, held_out)
    assert len(drawn.rooms) == rooms and drawn.kind in (HELD_OUT_PLANS if held_out else PLANS)
    assert "kitchen" in [r.category for r in drawn.rooms]
    for i, a in enumerate(drawn.rooms):
        for b in drawn.rooms[:i]:
            apart = [abs(a.centre[k] - b.centre[k]) - (a.size[k] + b.size[k]) / 2 for k in (0, 1)]
            assert max(apart) > WALL - 1e-3
    reached, todo = {0}, [0]
    while todo:
        at = todo.pop()
        for door in drawn.doors:
            if at in door.rooms:
                new = set(door.rooms) - reached
                reached |= new
                todo += new
    assert reached == set(range(rooms))
    for door in drawn.doors:
        for k in door.rooms:
            room, along = drawn.rooms[k], "xy".index(door.along)
            assert abs(door.centre[along] - room.centre[along]) <= room.size[along] / 2 - 0.45 - 0.2
            assert abs(door.centre[1 - along] - room.centre[1 - along]) == pytest.approx(room.size[1 - along] / 2 + WALL / 2, abs=0.002)


def test_ordinary_and_held_out_plans_are_disjoint_and_all_occur() -> None:
    assert not set(PLANS) & set(HELD_OUT_PLANS)
    assert {plan(s).kind for s in range(150)} == set(PLANS)
    assert {plan(s, held_out=True).kind for s in range(150)} == set(HELD_OUT_PLANS)


def test_most_houses_have_three_or_four_rooms_and_larger_ones_mostly_a_hall() -> None:
    drawn = [plan(s) for s in range(300)]
    counts = np.bincount([len(p.rooms) for p in drawn], minlength=MOST_ROOMS + 1)[1:]
    assert (counts > 0).all() and counts[2] + counts[3] > 0.5 * len(drawn)
    large = [p for p in drawn if len(p.rooms) >= 3]
    assert sum(any(r.category == "hall" for r in p.rooms) for p in large) > 0.6 * len(large)


def test_held_out_houses_begin_with_the_test_split() -> None:
    def shape(seed: int) -> tuple:
        house = generate_house(seed, rooms=2)
        return tuple(d.along for d in house.doorways)

    assert {shape(s) for s in range(HELD_OUT_FROM - 8, HELD_OUT_FROM)} == {("y",)}  # a row
    assert {shape(s) for s in range(HELD_OUT_FROM, HELD_OUT_FROM + 8)} == {("x",)}  # a stack


@pytest.mark.parametrize("rooms", [0, 7, -1])
def test_numbers_of_rooms_that_cannot_be(rooms: int) -> None:
    with pytest.raises(ConfigError, match=f"1–6 rooms, got {rooms}"):
        generate_house(0, rooms=rooms)
