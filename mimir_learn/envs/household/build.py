"""`HouseSpec` → MuJoCo: one model per house, and the index from entities to bodies, joints and geoms."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SymbolError

from .engine import mujoco
from .spec import FixtureSpec, HouseSpec, Panel, Part, ThingSpec
from .validate import MAX_ROOMS
from .viewpoints import FOV

HIDDEN_GROUP = MAX_ROOMS  # collision-only solids; each room has a geom group of its own before it, and MuJoCo has six
STATIC, MOVING = 1, 3  # contype of what stays and of what can be carried

_HEAD = f"""<mujoco model="household">
<compiler angle="degree" autolimits="true"/>
<option timestep="0.004" sleep_tolerance="0.03" iterations="30" cone="pyramidal"><flag sleep="enable" autoreset="disable"/></option>
<statistic extent="1" center="0 0 1"/>
<visual><global fovy="{FOV}" offwidth="512" offheight="512"/>
<quality shadowsize="0" offsamples="0" numslices="14" numstacks="8" numquads="1"/>
<headlight ambient="0.5 0.5 0.5" diffuse="0.32 0.32 0.32" specular="0 0 0"/><map znear="0.04" zfar="25"/></visual>
<asset><material name="matt" specular="0.1" shininess="0.1" emission="0"/><material name="glow" specular="0" shininess="0" emission="1"/>
<material name="dim" specular="0" shininess="0" emission="0.7"/></asset>
<default><geom type="box" condim="4" friction="0.9 0.01 0.004" solref="0.01 1" material="matt"/></default>
<worldbody>
<light directional="true" castshadow="false" pos="0 0 4" dir="0.35 0.5 -0.8" diffuse="0.42 0.42 0.4" specular="0.05 0.05 0.05"/>
"""


@dataclass(frozen=True, eq=False)
class ThingIndex:
    """Where a thing lives in the model: body, kinematic tree, first qpos and dof, its geoms and its collision geom."""

    body: int
    tree: int
    qpos: int
    dof: int
    geoms: NDArray[np.int64]
    solid: int


@dataclass(frozen=True, eq=False)
class BuiltHouse:
    """A compiled house.

    Attributes:
        model: the MuJoCo model.
        ids: entity ids in the order that ``geom_entity`` counts.
        geom_entity: (ngeom,) index into ``ids``, −1 for walls and floors.
        things: thing id → index.
        panels: fixture id → ((qpos address, dof address, value when open), …).
        lights: fixture id → (geoms drawn while on, geoms drawn while off).
        group: room id → geom group, so that only the room one is in is drawn.
    """

    house: HouseSpec
    model: mujoco.MjModel
    ids: tuple[str, ...]
    geom_entity: NDArray[np.int64]
    things: dict[str, ThingIndex]
    panels: dict[str, tuple[tuple[int, int, float], ...]]
    lights: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]
    group: dict[str, int]


def build(house: HouseSpec) -> BuiltHouse:
    """Compile a house. Same spec, same model. Raises SymbolError for a house that is not sound (see `HouseSpec.validate`)."""
    house.validate()
    group = {room.id: i for i, room in enumerate(house.rooms)}
    xml = [_HEAD, f'<geom type="plane" size="40 40 1" group="{HIDDEN_GROUP}" contype="{STATIC}" conaffinity="0"/>\n']
    for room in house.rooms:
        xml.extend(_shell(room.centre, room.size, room.wall_rgb, room.floor_rgb, group[room.id]))
        xml.extend(_geom(p, f"{room.id}/decor{i}", group[room.id]) for i, p in enumerate(room.decor))
    xml.extend(_fixture(f, group[f.room]) for f in house.fixtures)
    xml.extend(_thing(t) for t in house.things)
    xml.append("</worldbody></mujoco>")
    try:
        model = mujoco.MjModel.from_xml_string("".join(xml))
    except ValueError as e:
        raise SymbolError(f"house {house.seed}: MuJoCo cannot build it: {e}") from e
    return _index(house, model, group)


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{v:.6g}" for v in values)


def _geom(part: Part, name: str, group: int, moving: bool = False, hidden: bool = False) -> str:
    solid = hidden if moving else part.solid
    contype = (MOVING if moving else STATIC) if solid else 0
    material = "matt" if part.emission <= 0 else "glow" if part.emission >= 0.85 else "dim"
    round_one = moving and part.shape != "box"
    return (
        f'<geom name={quoteattr(name)} type="{part.shape}" size="{_numbers(part.size)}" pos="{_numbers(part.pos)}" '
        f'euler="{_numbers(part.euler)}" rgba="{_numbers(part.rgb)} 1" material="{material}" group="{HIDDEN_GROUP if hidden else group}" '
        f'contype="{contype}" conaffinity="{contype if moving and solid else 0}"'
        + (' condim="6" friction="0.9 0.02 0.02"' if round_one and hidden else "")
        + ("" if hidden else ' mass="0"')
        + "/>\n"
    )


def _shell(
    centre: tuple[float, float], size: tuple[float, float], wall: tuple[float, ...], floor: tuple[float, ...], group: int
) -> list[str]:
    (cx, cy), (w, d), h = centre, size, 1.3
    grey = tuple(c * 0.86 for c in wall)
    solids = [Part("box", (w / 2, d / 2, 0.05), (cx, cy, -0.05), floor)]  # type: ignore[arg-type]
    for sx, sy, rgb in ((1, 0, grey), (-1, 0, grey), (0, 1, wall), (0, -1, wall)):
        half = (0.05 if sx else w / 2 + 0.1, 0.05 if sy else d / 2 + 0.1, h)
        solids.append(Part("box", half, (cx + sx * (w / 2 + 0.05), cy + sy * (d / 2 + 0.05), h), rgb))  # type: ignore[arg-type]
    return [_geom(p, f"/shell{group}_{i}", group) for i, p in enumerate(solids)]


def _fixture(fixture: FixtureSpec, group: int) -> str:
    parts = "".join(_geom(p, f"{fixture.id}/{i}", group) for i, p in enumerate(fixture.parts))
    panels = "".join(_panel(fixture, i, p, group) for i, p in enumerate(fixture.panels))
    pos = _numbers(fixture.position)
    return f'<body name={quoteattr(fixture.id)} pos="{pos}" euler="0 0 {fixture.yaw:.6g}">\n{parts}{panels}</body>\n'


def _panel(fixture: FixtureSpec, number: int, panel: Panel, group: int) -> str:
    name = f"{fixture.id}/panel{number}"
    parts = "".join(_geom(p, f"{name}/{i}", group) for i, p in enumerate(panel.parts))
    # The huge armature makes a door or drawer stay where a skill put it, whatever leans on it.
    where = f'axis="{_numbers(panel.axis)}" pos="{_numbers(panel.anchor)}"'
    joint = f'<joint name="{name}" type="{panel.joint}" {where} armature="1e5" damping="1e3"/>'
    # gravcomp on any body makes MuJoCo apply it at all, which `World.hold` relies on.
    return f'<body name="{name}" gravcomp="1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{joint}\n{parts}</body>\n'


def _thing(thing: ThingSpec) -> str:
    # Things are drawn in whatever room they are in: World moves their geoms between groups.
    parts = "".join(_geom(p, f"{thing.id}/{i}", 0, moving=True) for i, p in enumerate(thing.parts))
    solid = _geom(thing.solid, f"{thing.id}/solid", 0, moving=True, hidden=True).replace("/>", f' mass="{thing.mass}"/>')
    where = f'pos="{_numbers(thing.position)}" euler="0 0 {thing.yaw:.6g}"'
    return f"<body name={quoteattr(thing.id)} {where}><freejoint/>\n{parts}{solid}</body>\n"


def _index(house: HouseSpec, model: mujoco.MjModel, group: dict[str, int]) -> BuiltHouse:
    ids = (*(f.id for f in house.fixtures), *(t.id for t in house.things))
    number = {entity: i for i, entity in enumerate(ids)}
    names = [model.geom(g).name for g in range(model.ngeom)]
    geom_entity = np.array([number.get(name.partition("/")[0], -1) for name in names], dtype=np.int64)
    things = {}
    for thing in house.things:
        body = model.body(thing.id).id
        joint = int(model.body_jntadr[body])
        geoms = np.flatnonzero((geom_entity == number[thing.id]) & (model.geom_group != HIDDEN_GROUP))
        things[thing.id] = ThingIndex(
            body,
            int(model.body_treeid[body]),
            int(model.jnt_qposadr[joint]),
            int(model.jnt_dofadr[joint]),
            geoms,
            int(model.geom(f"{thing.id}/solid").id),
        )
    panels, lights = {}, {}
    at = {name: i for i, name in enumerate(names)}
    for f in house.fixtures:
        panels[f.id] = tuple(
            (
                int(model.joint(f"{f.id}/panel{i}").qposadr[0]),
                int(model.joint(f"{f.id}/panel{i}").dofadr[0]),
                p.travel if p.joint == "slide" else radians(p.travel),
            )
            for i, p in enumerate(f.panels)
        )
        when: dict[str, list[int]] = {"on": [], "!on": []}
        for prefix, parts in ((f.id, f.parts), *((f"{f.id}/panel{i}", p.parts) for i, p in enumerate(f.panels))):
            for i, part in enumerate(parts):
                if part.when in when:
                    when[part.when].append(at[f"{prefix}/{i}"])
        lights[f.id] = (np.array(when["on"], dtype=np.int64), np.array(when["!on"], dtype=np.int64))
    return BuiltHouse(house, model, ids, geom_entity, things, panels, lights, group)
