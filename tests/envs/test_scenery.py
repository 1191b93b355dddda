"""What is in the picture: states of fixtures and things, the rooms in view, and nothing that is only there to collide."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from mimir_learn.envs.household.build import COLLISION, BuiltHouse, build
from mimir_learn.envs.household.engine import mujoco
from mimir_learn.envs.household.render import Camera
from mimir_learn.envs.household.scenery import Scenery
from mimir_learn.envs.household.spec import Viewpoint
from mimir_learn.envs.household.viewpoints import rooms_in_view
from mimir_learn.errors import SymbolError

from .small import ACROSS, DOWN, house


@pytest.fixture(scope="module")
def camera() -> Iterator[Camera]:
    camera = Camera(64, keep=2)
    yield camera
    camera.close()


@pytest.fixture(scope="module")
def built() -> BuiltHouse:
    return build(house(light=0.5))


@pytest.fixture
def scenery(built: BuiltHouse) -> Scenery:
    scenery = Scenery(built)
    for thing, room in (("mug_1", "kitchen_1"), ("mug_2", "livingroom_1")):
        scenery.place_in(thing, room)
    return scenery


def posed(built: BuiltHouse) -> mujoco.MjData:
    data = mujoco.MjData(built.model)
    mujoco.mj_forward(built.model, data)
    return data


def seen(camera: Camera, built: BuiltHouse, view: Viewpoint) -> dict[str, int]:
    """Entity → pixels."""
    camera.draw(built.model, posed(built), view)
    owners = np.append(built.geom_entity, -1)[camera.geoms()]
    return {built.ids[i]: int((owners == i).sum()) for i in np.unique(owners) if i >= 0}


def pixels(camera: Camera, built: BuiltHouse, view: Viewpoint, rgb: tuple[int, int, int]) -> int:
    """How many pixels are mostly of this primary colour (1 = high, 0 = low)."""
    picture = camera.draw(built.model, posed(built), view)[0].astype(int)
    high = [picture[..., k] for k in range(3) if rgb[k]]
    low = [picture[..., k] for k in range(3) if not rgb[k]]
    return int((np.min(high, 0) > np.max(low, 0) + 70).sum())


def test_states_of_things_and_fixtures_show(camera: Camera, built: BuiltHouse, scenery: Scenery) -> None:
    red, green, blue = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    scenery.show("mug_1", {})
    assert pixels(camera, built, DOWN, blue) > 10 and pixels(camera, built, DOWN, red) == 0
    scenery.show("mug_1", {"dirty": True})
    assert pixels(camera, built, DOWN, red) > 5
    scenery.show("mug_1", {"filled": True})
    assert pixels(camera, built, DOWN, red) == 0 and pixels(camera, built, DOWN, green) > 5
    lamp = Viewpoint((1.2, 0.3, 1.0), (1.2, 1.6, 0.4))
    scenery.show("lamp_1", {"on": False})
    assert pixels(camera, built, lamp, red) > 30 and pixels(camera, built, lamp, green) == 0
    scenery.show("lamp_1", {"on": True})
    assert pixels(camera, built, lamp, green) > 30 and pixels(camera, built, lamp, red) == 0


def test_the_next_room_is_seen_through_the_doorway_and_only_when_drawn(camera: Camera, built: BuiltHouse, scenery: Scenery) -> None:
    scenery.draw_only({"kitchen_1", "livingroom_1"})
    assert {"table_2", "mug_2"} <= set(seen(camera, built, ACROSS))
    scenery.draw_only({"kitchen_1"})
    assert not {"table_2", "mug_2"} & set(seen(camera, built, ACROSS))
    scenery.place_in("mug_2", "kitchen_1")  # as when it is carried over
    assert "mug_2" in seen(camera, built, ACROSS)
    scenery.place_in("mug_2", "livingroom_1")
    assert rooms_in_view(built.house, "kitchen_1", ACROSS) == {"kitchen_1", "livingroom_1"}
    assert rooms_in_view(built.house, "kitchen_1", DOWN) == {"kitchen_1"}


def test_what_is_in_the_picture_is_the_same_however_much_else_is_drawn(camera: Camera, built: BuiltHouse, scenery: Scenery) -> None:
    for view in (DOWN, ACROSS):
        scenery.draw_only({"kitchen_1", "livingroom_1"})
        whole = camera.draw(built.model, posed(built), view)
        scenery.draw_only(rooms_in_view(built.house, "kitchen_1", view))
        part = camera.draw(built.model, posed(built), view)
        assert whole[0].tobytes() == part[0].tobytes() and whole[1].tobytes() == part[1].tobytes()


def test_a_thing_is_as_bright_as_the_room_it_is_in(built: BuiltHouse, scenery: Scenery) -> None:
    geom = built.things["mug_1"].geoms[0]
    bright = built.model.geom_rgba[geom, :3].copy()
    scenery.place_in("mug_1", "livingroom_1")
    assert np.allclose(built.model.geom_rgba[geom, :3], 0.5 * bright)
    scenery.place_in("mug_1", "kitchen_1")
    assert np.allclose(built.model.geom_rgba[geom, :3], bright)


def test_collision_solids_are_never_drawn_and_drawn_meshes_never_collide(built: BuiltHouse, scenery: Scenery) -> None:
    model = built.model
    solid = model.geom_group == COLLISION
    scenery.draw_only(())
    scenery.draw_only({"kitchen_1"})
    assert ((model.geom_group == COLLISION) == solid).all()
    meshes = model.geom_type == mujoco.mjtGeom.mjGEOM_MESH
    assert meshes.any() and (model.geom_contype[meshes] == 0).all() and (model.geom_conaffinity[meshes] == 0).all()
    assert model.body("mug_1").mass[0] == pytest.approx(0.3)


def test_unknown_names_are_named(scenery: Scenery) -> None:
    with pytest.raises(SymbolError, match="no thing 'mug_9' or no room 'kitchen_1'"):
        scenery.place_in("mug_9", "kitchen_1")
    with pytest.raises(SymbolError, match="no room 'attic'"):
        scenery.draw_only({"attic"})


def test_many_models_share_a_camera_and_come_back_the_same(camera: Camera) -> None:
    models = [build(house(light=light)) for light in (1.0, 0.8, 0.6, 0.4)]
    first = [camera.draw(b.model, posed(b), ACROSS)[0].copy() for b in models]
    assert all(a.mean() > b.mean() + 1 for a, b in pairwise(first))  # the room beyond gets darker
    again = [camera.draw(b.model, posed(b), ACROSS)[0].copy() for b in models]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, again, strict=True))


def test_a_ceiling_shows_from_below_only(camera: Camera, built: BuiltHouse, scenery: Scenery) -> None:
    scenery.draw_only({"kitchen_1"})
    below = camera.draw(built.model, posed(built), Viewpoint((0.0, 0.0, 1.5), (0.3, 0.0, 2.6)))[1]
    assert np.median(below) == pytest.approx(1.1, abs=0.25)
    assert "table_1" in seen(camera, built, Viewpoint((-1.5, -1.0, 6.0), (-1.5, 0.2, 0.5)))


FRAMES = """
import hashlib
from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv
env = HouseholdEnv(HouseholdConfig(image_size=64))
digest = hashlib.sha256()
for seed in (5, 40005):
    observation, info = env.reset(seed=1, options={"house_seed": seed})
    for place in info["places"][:6]:
        observation = env.step(f"go to {place.entity.id}")[0]
        digest.update(observation["rgb"].tobytes() + observation["depth"].tobytes())
print(digest.hexdigest())
"""


def test_frames_are_byte_identical_across_processes() -> None:
    def run() -> str:
        return subprocess.run([sys.executable, "-c", FRAMES], check=True, capture_output=True, text=True).stdout

    first = run()
    assert len(first.strip()) == len(hashlib.sha256().hexdigest()) and run() == first
