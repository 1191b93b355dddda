"""Where one stands: every place shows its surface or inside and the floor before it, and heads tilt."""

from __future__ import annotations

from dataclasses import replace
from math import atan2, degrees, hypot, radians, tan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import generate_house
from mimir_learn.envs.household.build import build
from mimir_learn.envs.household.engine import mujoco
from mimir_learn.envs.household.furniture import DESIGNS
from mimir_learn.envs.household.generate_rooms import to_world
from mimir_learn.envs.household.render import pose_of
from mimir_learn.envs.household.shell import WALL
from mimir_learn.envs.household.spec import Doorway, FixtureSpec, HouseSpec, Viewpoint
from mimir_learn.envs.household.viewpoints import FOV, rooms_in_view, tilted
from mimir_learn.symbols import Relation

from .small import room

SEEDS = (0, 4, 5, 9, 21, 40000, 40007)


def in_picture(view: Viewpoint, point: np.ndarray) -> bool:
    pose = pose_of(view)
    x, y, z = pose[:3, :3].T @ (point - pose[:3, 3])
    return bool(z > 0 and max(abs(x), abs(y)) / z < tan(radians(FOV / 2)) * 0.98)


def clear(model: mujoco.MjModel, data: mujoco.MjData, view: Viewpoint, point: np.ndarray) -> bool:
    eye = np.array(view.eye)
    distance = float(np.linalg.norm(point - eye))
    drawn = np.array([1, 0, 0, 0, 0, 0], np.uint8)
    hit = mujoco.mj_ray(model, data, eye, (point - eye) / distance, drawn, 1, -1, np.zeros(1, np.int32))
    return bool(hit < 0 or hit > distance - 0.03)


def on_level(fixture: FixtureSpec, level: int, along: float, above: float) -> np.ndarray:
    """A point over the middle line of a region, everything being open."""
    region = fixture.regions[level]
    local = [region.centre[0] + along * region.half[0], region.centre[1], region.centre[2] + above]
    if region.rides:
        local = [v + a * fixture.panels[0].travel for v, a in zip(local, fixture.panels[0].axis, strict=True)]
    return np.array(to_world(fixture.position, fixture.yaw, local))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_level_of_every_place_is_seen_from_it(seed: int) -> None:
    house = generate_house(seed)
    built = build(replace(house, things=()))
    data = mujoco.MjData(built.model)
    for f in house.fixtures:
        data.qpos[:] = 0
        for qpos, _, value in built.panels[f.id]:
            data.qpos[qpos] = value
        mujoco.mj_forward(built.model, data)
        for level in range(len(f.regions)):
            for along in (-0.5, 0.0, 0.5):
                point = on_level(f, level, along, 0.04)
                assert any(in_picture(v, point) and clear(built.model, data, v, point) for v in f.viewpoints), (f.id, level, along)
        middle = np.array((f.position[0], f.position[1], f.position[2] + f.size[2] / 2))
        assert any(in_picture(v, middle) for v in f.viewpoints), f.id


def test_all_kinds_of_furniture_were_among_them() -> None:
    assert {f.category for s in SEEDS for f in generate_house(s).fixtures} == set(DESIGNS)


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_floor_before_a_place_is_in_one_of_its_pictures(seed: int) -> None:
    house = generate_house(seed)
    for f in house.fixtures:
        if f.regions and f.parent.relation is Relation.ROOM and f.category != "wall_cabinet":
            spot = np.array(to_world(f.position, f.yaw, (0.0, -f.size[1] / 2 - 0.2, 0.0)))
            assert any(in_picture(v, spot) for v in f.viewpoints), f.id


@pytest.mark.parametrize("seed", SEEDS)
def test_one_stands_inside_the_room_and_not_in_tall_furniture(seed: int) -> None:
    house = generate_house(seed)
    rooms = {r.id: r for r in house.rooms}
    tall = [f for f in house.fixtures if f.size[2] > 1.3 and f.parent.relation is Relation.ROOM and f.category != "wall_cabinet"]
    for owner, at, views in (*((f.id, f.room, f.viewpoints) for f in house.fixtures), *((r.id, r.id, r.viewpoints) for r in house.rooms)):
        room_spec = rooms[at]
        assert views
        for view in views:
            assert all(abs(view.eye[k] - room_spec.centre[k]) < room_spec.size[k] / 2 - 0.05 for k in (0, 1)), owner
        for f in tall:
            if f.room == at:
                half = f.size[:2] if f.yaw % 180 == 0 else f.size[1::-1]
                inside = all(abs(views[0].eye[k] - f.position[k]) < half[k] / 2 for k in (0, 1))
                assert not inside or views[0].eye[2] > f.size[2], (owner, f.id)


@given(st.floats(-80, 80), st.floats(-60, 60))
@settings(max_examples=40, deadline=None)
def test_a_tilted_head_looks_that_much_higher_and_no_further_than_75_degrees(by: float, pitch: float) -> None:
    view = Viewpoint((1.0, 2.0, 1.5), (3.0, 3.0, 1.5 + hypot(2, 1) * tan(radians(pitch))))
    new = tilted(view, by)
    dx, dy, dz = (t - e for t, e in zip(new.target, new.eye, strict=True))
    assert new.eye == view.eye and atan2(dy, dx) == pytest.approx(atan2(1, 2))
    assert degrees(atan2(dz, hypot(dx, dy))) == pytest.approx(min(75, max(-75, pitch + by)), abs=0.01)


def chain(doors: list[float]) -> HouseSpec:
    """Rooms from west to east, each joined to the next by a doorway at that y."""
    pitch = 4.0 + WALL
    kinds = ("kitchen", "livingroom", "bedroom", "office")
    rooms = tuple(room(kinds[i], pitch * i) for i in range(len(doors) + 1))
    ways = tuple(Doorway((rooms[i].id, rooms[i + 1].id), (pitch * i + 2 + WALL / 2, y), "y", 1.0, 2.1) for i, y in enumerate(doors))
    house = HouseSpec(-1, rooms, (), (), ways)
    house.validate()
    return house


def test_rooms_are_seen_through_several_doorways_only_where_these_line_up() -> None:
    east = Viewpoint((-1.5, 0.0, 1.4), (3.0, 0.0, 1.2))
    all_rooms = {"kitchen_1", "livingroom_1", "bedroom_1", "office_1"}
    assert rooms_in_view(chain([0.0, 0.0, 0.0]), "kitchen_1", east) == all_rooms
    aside = Viewpoint((-1.5, 0.4, 1.4), (3.0, 0.4, 1.2))
    assert rooms_in_view(chain([0.0, 1.4, 0.0]), "kitchen_1", aside) == {"kitchen_1", "livingroom_1"}
    west = Viewpoint((1.5, 0.0, 1.4), (-3.0, 0.0, 1.2))
    assert rooms_in_view(chain([0.0, 0.0, 0.0]), "kitchen_1", west) == {"kitchen_1"}
    over = Viewpoint((0.0, 0.0, 1.5), (1.0, 0.0, 4.0))  # over the lintel
    assert rooms_in_view(chain([0.0, 0.0, 0.0]), "kitchen_1", over) == {"kitchen_1"}
