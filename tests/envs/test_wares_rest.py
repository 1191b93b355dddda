"""Things as bodies: let go a little above the floor, they come to rest as they stand in life."""

from __future__ import annotations

import numpy as np
import pytest

from mimir_learn.envs.household.build import build
from mimir_learn.envs.household.engine import mujoco
from mimir_learn.envs.household.spec import HouseSpec, RoomSpec, ThingSpec, Viewpoint
from mimir_learn.envs.household.wares import LINES, build_ware, footprint
from mimir_learn.symbols import Parent, Relation

GRID, STEP, DROP = 8, 0.75, 0.02


Rest = tuple[str, float, float, float]
SHAPES = [(category, variant) for category, line in LINES.items() for variant in (*line.shapes, *line.held_out_shapes)]


def dropped(shapes: list[tuple[str, str]]) -> list[Rest]:
    """Of every shape: its name, the cosine of its tilt, how far it went aside (m), how far its middle is above its rest height (m)."""
    things = []
    for i, (category, variant) in enumerate(shapes):
        ware = build_ware(category, variant, LINES[category].colours[0])
        radius, half = footprint(ware.solid)
        at = (STEP * (i % GRID - GRID / 2 + 0.5), STEP * (i // GRID - GRID / 2 + 0.5), half + DROP)
        parent = Parent("kitchen_1", Relation.ROOM)
        things.append(
            ThingSpec(
                f"{category}_{i}", category, parent, at, 20.0, ware.colour, 1.0, ware.parts[:1], ware.solid, ware.mass, radius, half, {},
                ware.holds, variant,
            )
        )  # fmt: skip
    view = Viewpoint((0.0, -1.0, 1.2), (0.0, 0.0, 0.0))
    room = RoomSpec("kitchen_1", "kitchen", (0.0, 0.0), (7.0, 7.0), (0.86, 0.84, 0.78), (0.6, 0.5, 0.4), (view,))
    built = build(HouseSpec(-1, (room,), (), tuple(things)))
    data = mujoco.MjData(built.model)
    mujoco.mj_step(built.model, data, 300)
    assert np.isfinite(data.qpos).all()
    out = []
    for thing in things:
        body = built.things[thing.id].body
        aside = float(np.hypot(*(data.xpos[body, :2] - np.array(thing.position[:2]))))
        up = 1.0 if thing.solid.shape == "sphere" else float(data.xmat[body, 8])
        out.append((f"{thing.category} {thing.variant}", up, aside, float(data.xpos[body, 2] - thing.half_height)))
    return out


@pytest.mark.parametrize("start", range(0, len(SHAPES), GRID * GRID))
def test_everything_rests_upright_where_it_was_let_go(start: int) -> None:
    rested = dropped(SHAPES[start : start + GRID * GRID])
    assert [r for r in rested if r[1] < 0.995 or r[2] > 0.02 or abs(r[3]) > 0.003] == []
