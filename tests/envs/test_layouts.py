"""Floor plans: rooms lie beside each other, doorways lead through shared walls, and test houses have plans of their own."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv, generate_house
from mimir_learn.envs.household.generate import HELD_OUT_FROM
from mimir_learn.envs.household.layouts import HELD_OUT_PLANS, MOST_PLAIN, PLANS, FloorPlan, draw_plan
from mimir_learn.envs.household.layouts_large import HELD_OUT_LARGE_PLANS, LARGE_PLANS, MOST_ROOMS, draw_large_plan
from mimir_learn.envs.household.shell import WALL
from mimir_learn.errors import ConfigError


def plan(seed: int, rooms: int | None = None, held_out: bool = False) -> FloorPlan:
    draw = draw_plan if rooms is None or rooms <= MOST_PLAIN else draw_large_plan
    return draw(np.random.default_rng(seed), rooms, held_out)


@given(st.integers(0, 10**6), st.integers(1, MOST_ROOMS), st.booleans())
@settings(max_examples=200, deadline=None)
def test_rooms_share_walls_and_every_room_can_be_walked_to(seed: int, rooms: int, held_out: bool) -> None:
    drawn = plan(seed, rooms, held_out)
    kinds = (HELD_OUT_PLANS if held_out else PLANS) if rooms <= MOST_PLAIN else (HELD_OUT_LARGE_PLANS if held_out else LARGE_PLANS)
    assert len(drawn.rooms) == rooms and drawn.kind in kinds
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
    counts = np.bincount([len(p.rooms) for p in drawn], minlength=MOST_PLAIN + 1)[1:]
    assert (counts > 0).all() and counts[2] + counts[3] > 0.5 * len(drawn)
    large = [p for p in drawn if len(p.rooms) >= 3]
    assert sum(any(r.category == "hall" for r in p.rooms) for p in large) > 0.6 * len(large)


def test_held_out_houses_begin_with_the_test_split() -> None:
    def shape(seed: int) -> tuple:
        house = generate_house(seed, rooms=2)
        return tuple(d.along for d in house.doorways)

    assert {shape(s) for s in range(HELD_OUT_FROM - 8, HELD_OUT_FROM)} == {("y",)}  # a row
    assert {shape(s) for s in range(HELD_OUT_FROM, HELD_OUT_FROM + 8)} == {("x",)}  # a stack


@pytest.mark.parametrize("rooms", [0, 13, -1])
def test_numbers_of_rooms_that_cannot_be(rooms: int) -> None:
    with pytest.raises(ConfigError, match=f"1–12 rooms, got {rooms}"):
        generate_house(0, rooms=rooms)


def test_large_houses_have_several_rooms_of_a_kind_around_halls() -> None:
    drawn = [plan(s, rooms, held) for s in range(40) for rooms in range(MOST_PLAIN + 1, MOST_ROOMS + 1) for held in (False, True)]
    assert {p.kind for p in drawn} == set(LARGE_PLANS) | set(HELD_OUT_LARGE_PLANS)
    assert not (set(LARGE_PLANS) | set(PLANS)) & (set(HELD_OUT_LARGE_PLANS) | set(HELD_OUT_PLANS))
    for p in drawn:
        names = [r.category for r in p.rooms]
        assert names.count("kitchen") == 1 and "hall" in names and max(map(names.count, names)) > 1
        assert all(max(r.size) < 20 for r in p.rooms)  # a hall can be looked along
        halls = {i for i, name in enumerate(names) if name == "hall"}
        behind = [i for i in range(len(names)) if i not in halls and not any(i in d.rooms and halls & set(d.rooms) for d in p.doors)]
        assert {names[i] for i in behind} <= {"bathroom"}  # one walks through a bedroom to its own bathroom, and through no other room
        for i in behind:
            (door,) = [d for d in p.doors if i in d.rooms]
            assert {names[k] for k in door.rooms} == {"bathroom", "bedroom"}


@pytest.mark.parametrize(("seed", "rooms"), [(1, 7), (2, 12), (40_001, 9), (40_004, 12)])
def test_large_houses_are_sound_and_furnished(seed: int, rooms: int) -> None:
    house = generate_house(seed, rooms)
    house.validate()
    assert house.key == generate_house(seed, rooms).key
    counts = np.bincount([len([f for f in house.fixtures if f.room == r.id]) for r in house.rooms])
    assert counts[0] == 0
    assert 4 * rooms <= len(house.things) <= 9 * rooms


def test_houses_of_up_to_six_rooms_are_what_they_always_were() -> None:
    """Suites hash their houses; these are the keys before there were larger ones."""

    def digest(pairs: list[tuple[int, int | None]]) -> str:
        return hashlib.sha256("".join(generate_house(s, r).key for s, r in pairs).encode()).hexdigest()

    assert digest([(s, None) for s in (*range(12), *range(40_000, 40_012))]) == KEYS[None]
    for rooms in range(1, MOST_PLAIN + 1):
        assert digest([(s, rooms) for s in (0, 1, 40_000, 40_001)]) == KEYS[rooms], rooms


KEYS = {
    None: "367b4696a86bcaf02570528058801f098ecf03dab4dc5c6f41f6ed1415d7edf0",
    1: "4bbb1ed6518a8e013ba99d9f71d90df7b7a1a0e905977eb8468b81c1afe1e1cb",
    2: "e00d3f2e7124afd9330fee0fec2966729814d8d1b3382af43d1d179ee70e371f",
    3: "e6f26cc0ac9ec2b17014fd8ba1a96f170375e987f42930e5911bd5a611a4aa7e",
    4: "769a7537a8b829f9bc85c0b2a73ba4bab97473397eb699b547677f72128bbcc7",
    5: "3a3d35c40e46c5347035ce95699a18fc3b3b6fb7a1182882ca1c46bf57d69f6f",
    6: "4dacbd12fd7dd3eeb350f29b25efdfdab475bc26728fdf756dcde41fedfc0896",
}


def test_a_large_house_can_be_walked_through() -> None:
    house = generate_house(40_004, 12)
    env = HouseholdEnv(HouseholdConfig(image_size=32, max_steps=100))
    try:
        env.reset(seed=0, options={"house": house})
        for room in house.rooms:
            observation, _, _, _, info = env.step(f"go to {room.id}")
            assert info["success"] and (observation["depth"] > 0).mean() > 0.9, room.id
    finally:
        env.close()
