"""What the robot sees of things from where it stands: enough pixels, and a picture of its own for every state."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin

import numpy as np
import pytest
from numpy.typing import NDArray

from mimir_learn.envs.household import VOCABULARY
from mimir_learn.envs.household.build import DRAWN, UNDRAWN, build
from mimir_learn.envs.household.engine import mujoco
from mimir_learn.envs.household.render import Camera
from mimir_learn.envs.household.scenery import Scenery
from mimir_learn.envs.household.spec import HouseSpec, RoomSpec, ThingSpec, Viewpoint
from mimir_learn.envs.household.wares import ALL_COLOURS, LINES, build_ware, footprint
from mimir_learn.envs.household.wares.palette import brightness
from mimir_learn.envs.household.wares.stock import SCALES
from mimir_learn.errors import SimulatorError
from mimir_learn.symbols import ATTRIBUTES, Parent, Relation

STATES = {c: [a for a in VOCABULARY.spec(c).attributes if ATTRIBUTES[a].visible] for c in LINES}
SEEN = 12  # pixels of 128×128; the detector of the household needs 10
CHANGED = 0.12  # share of a thing's pixels that a state must change …
VISIBLY = 45  # … by this much, summed over the three colours
GRID, STEP = 10, 0.7


class Stage:
    """Things on the floor of one big room, of which one is drawn at a time, and the camera as it stands before a table."""

    def __init__(self, looks: list[tuple[str, str, str]], camera: Camera) -> None:
        self.looks, self.camera = looks, camera
        things = []
        for i, (category, variant, colour) in enumerate(looks):
            ware = build_ware(category, variant, colour, SCALES[0])
            radius, half = footprint(ware.solid)
            at = (STEP * (i % GRID - GRID / 2 + 0.5), STEP * (i // GRID - GRID / 2 + 0.5), half)
            states = dict.fromkeys(STATES[category], False)
            things.append(
                ThingSpec(
                    f"{category}_{i}", category, Parent("kitchen_1", Relation.ROOM), at, 0.0, ware.colour, ware.scale, ware.parts,
                    ware.solid, ware.mass, radius, half, states, ware.holds, ware.variant, ware.novel,
                )
            )  # fmt: skip
        view = Viewpoint((0.0, -1.0, 1.2), (0.0, 0.0, 0.0))
        room = RoomSpec("kitchen_1", "kitchen", (0.0, 0.0), (9.0, 9.0), (0.86, 0.84, 0.78), (0.6, 0.5, 0.4), (view,))
        self.things = things
        self.built = build(HouseSpec(-1, (room,), (), tuple(things)))
        self.data = mujoco.MjData(self.built.model)
        mujoco.mj_forward(self.built.model, self.data)
        self.scenery = Scenery(self.built)
        self.built.model.geom_group[np.concatenate([self.built.things[t.id].geoms for t in things])] = UNDRAWN  # one at a time is faster

    def look(self, i: int, state: str, turn: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(128, 128, 3) colour and (128, 128) pixels of thing ``i`` while only ``state`` is true, from ``turn`` degrees, 1.1 m away."""
        thing = self.things[i]
        x, y, z = thing.position
        eye = (x + 0.88 * sin(radians(turn)), y - 0.88 * cos(radians(turn)), z + 0.62)
        group, mine = self.built.model.geom_group, self.built.things[thing.id].geoms
        group[mine] = DRAWN
        self.scenery.show(thing.id, {state: True} if state else {})
        rgb, _ = self.camera.draw(self.built.model, self.data, Viewpoint(eye, (x, y, z)))
        geoms = self.camera.geoms()
        group[mine] = UNDRAWN
        owner = self.built.ids.index(thing.id)
        return rgb.astype(np.int64), (geoms >= 0) & (self.built.geom_entity[geoms] == owner)


def looks(state_only: bool) -> list[tuple[str, str, str]]:
    """Every shape in the darkest and in the brightest colour it can have."""
    out = []
    for category, line in LINES.items():
        if state_only and not STATES[category]:
            continue
        for variant in (*line.shapes, *line.held_out_shapes):
            tones = sorted(
                {c for v, c in (*line.looks(False), *line.looks(True)) if v == variant}, key=lambda c: brightness(ALL_COLOURS[c])
            )
            out += [(category, variant, colour) for colour in (tones[0], tones[-1])]
    return out


@pytest.fixture(scope="module")
def camera() -> Iterator[Camera]:
    try:
        camera = Camera(128)
    except SimulatorError as e:
        pytest.skip(f"no GL here: {e}")
    yield camera
    camera.close()


def test_every_state_can_be_told_from_its_opposite(camera: Camera) -> None:
    wanted = looks(state_only=True)
    weak = []
    for start in range(0, len(wanted), GRID * GRID):
        stage = Stage(wanted[start : start + GRID * GRID], camera)
        for i, look in enumerate(stage.looks):
            for turn in (10.0, 130.0, 250.0):
                plain, here = stage.look(i, "", turn)
                for state in STATES[look[0]]:
                    other, there = stage.look(i, state, turn)
                    changed = np.abs(plain - other).sum(-1) > VISIBLY
                    share = changed.sum() / (here | there).sum()
                    if share < CHANGED or changed.sum() < SEEN - 2:
                        weak.append((*look, state, turn, round(float(share), 3), int(changed.sum())))
    assert not weak, f"{len(weak)} of them: {weak[:40]}"


def test_everything_is_large_enough_to_be_seen(camera: Camera) -> None:
    wanted = looks(state_only=False)
    small = []
    for start in range(0, len(wanted), GRID * GRID):
        stage = Stage(wanted[start : start + GRID * GRID], camera)
        for i, look in enumerate(stage.looks):
            pixels = min(int(stage.look(i, "", turn)[1].sum()) for turn in (10.0, 100.0))
            if pixels < 2 * SEEN:
                small.append((*look, pixels))
    assert not small, small
