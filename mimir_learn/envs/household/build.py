"""`HouseSpec` → MuJoCo: one model per house, and the index from entities to bodies, joints and geoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import radians
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SymbolError

from .engine import give_back_memory, mujoco
from .shapes import SWEPT, surface
from .shell import doorway_parts, room_parts
from .skins import SkinPiece, Skins
from .spec import FixtureSpec, HouseSpec, Panel, Part, ThingSpec, Vec
from .textures import PATTERNS, SIZE, image
from .viewpoints import FOV

DRAWN, UNDRAWN, COLLISION = 0, 1, 5
"""Geom groups: in the picture, not in the picture, only there to collide (never drawn)."""
STATIC, MOVING = 1, 3  # contype of what stays and of what can be carried

_HEAD = f"""<mujoco model="household">
<compiler angle="degree" autolimits="true"/>
<size memory="16M"/>
<option timestep="0.004" sleep_tolerance="0.03" iterations="30" cone="pyramidal"><flag sleep="enable" autoreset="disable"/></option>
<statistic extent="1" center="0 0 1"/>
<visual><global fovy="{FOV}" offwidth="512" offheight="512"/>
<quality shadowsize="0" offsamples="4" numslices="14" numstacks="8" numquads="1"/>
<headlight ambient="0.56 0.56 0.56" diffuse="0.3 0.3 0.3" specular="0 0 0"/><map znear="0.04" zfar="25"/></visual>
<default><geom type="box" condim="4" friction="0.9 0.01 0.004" solref="0.01 1"/></default>
<worldbody>
<light directional="true" castshadow="false" pos="0 0 4" dir="0.35 0.5 -0.8" diffuse="0.42 0.42 0.4" specular="0.05 0.05 0.05"/>
<geom type="plane" size="80 80 1" group="{COLLISION}" contype="{STATIC}" conaffinity="0"/>
"""


@dataclass(frozen=True, eq=False)
class ThingIndex:
    """Where a thing lives in the model: body, kinematic tree, first qpos and dof, its drawn geoms and its collision geom."""

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
        when: entity id → ((geom, attribute, drawn while the attribute has this value), …).
        rooms: room id, or "/doorway" and its number → the geoms that are drawn with it, things not counted.
    """

    house: HouseSpec
    model: mujoco.MjModel
    ids: tuple[str, ...]
    geom_entity: NDArray[np.int64]
    things: dict[str, ThingIndex]
    panels: dict[str, tuple[tuple[int, int, float], ...]]
    when: dict[str, tuple[tuple[int, str, bool], ...]]
    rooms: dict[str, NDArray[np.int64]]


@dataclass
class _Draft:
    """What the geoms written so far need and mean: meshes, materials, and for every drawn geom its place and condition."""

    meshes: dict[tuple[str, tuple[float, ...], str], str] = field(default_factory=dict)
    materials: dict[tuple[str, float], str] = field(default_factory=dict)
    rooms: dict[str, list[str]] = field(default_factory=dict)
    when: dict[str, list[tuple[str, str, bool]]] = field(default_factory=dict)
    skins: dict[str, SkinPiece] = field(default_factory=dict)

    def skin(self, pieces: Sequence[SkinPiece], owner: str, room: str, light: float = 1.0) -> str:
        """XML of meshes that are drawn instead of an owner's parts."""
        out = []
        material = self.materials.setdefault(("", 0.0), f"material{len(self.materials)}")
        for i, piece in enumerate(pieces):
            name = f"{owner}/skin{i}"
            self.rooms.setdefault(room, []).append(name)
            self.skins[name] = piece
            rgb = _numbers(lit(Part("box", (1.0, 1.0, 1.0), rgb=piece.rgb), light))
            out.append(
                f'<geom name={quoteattr(name)} type="mesh" mesh={quoteattr(name)} rgba="{rgb} 1" material="{material}" '
                f'group="{DRAWN}" contype="0" conaffinity="0" mass="0"/>\n'
            )
        return "".join(out)

    def geom(self, part: Part, name: str, owner: str, room: str, *, moving: bool = False, light: float = 1.0) -> str:
        """XML of what is drawn of a part and, for a solid part of something that stays, of what it collides with."""
        solid = part.solid and part.shape not in SWEPT and not moving
        meshed = part.shape != "box" or bool(part.texture)  # MuJoCo's own round shapes have several times the triangles
        self.rooms.setdefault(room, []).append(name)
        if part.when:
            self.when.setdefault(owner, []).append((name, part.when.removeprefix("!"), not part.when.startswith("!")))
        material = self.materials.setdefault((part.texture, round(part.emission, 2)), f"material{len(self.materials)}")
        shape = f'type="{part.shape}" size="{_numbers(part.size)}"'
        if meshed:
            mesh = self.meshes.setdefault((part.shape, part.size, part.texture), f"mesh{len(self.meshes)}")
            shape = f'type="mesh" mesh="{mesh}"'
        rgb = lit(part, light)
        contype = STATIC if solid and not meshed else 0
        text = (
            f'<geom name={quoteattr(name)} {shape} {_pose(part)} rgba="{_numbers(rgb)} 1" material="{material}" '
            f'group="{DRAWN}" contype="{contype}" conaffinity="0" mass="0"/>\n'
        )
        return text + (_solid(part, f"{name}/solid") if solid and meshed else "")


def build(house: HouseSpec, skins: Skins | None = None) -> BuiltHouse:
    """Compile a house. Same spec, same model. Raises SymbolError for a house that is not sound (see `HouseSpec.validate`).

    ``skins`` are drawn instead of the parts of what they fit; all else, collisions too, is as without them.
    """
    house.validate()
    give_back_memory()
    draft, xml = _Draft(), [_HEAD]
    light = {room.id: room.light for room in house.rooms}
    for room in house.rooms:
        parts = (*room_parts(room, house.doorways), *room.decor)
        xml.extend(draft.geom(p, f"/{room.id}/{i}", room.id, room.id, light=room.light) for i, p in enumerate(parts))
    for k, doorway in enumerate(house.doorways):
        bright = max(light[r] for r in doorway.rooms)
        xml.extend(draft.geom(p, f"/doorway{k}/{i}", "", f"/doorway{k}", light=bright) for i, p in enumerate(doorway_parts(doorway, house)))
    owners: tuple[FixtureSpec | ThingSpec, ...] = (*house.fixtures, *house.things)
    dressed = {owner.id: () if skins is None else skins.dress(owner, house.seed) for owner in owners}
    xml.extend(_fixture(f, draft, light[f.room], dressed[f.id]) for f in house.fixtures)
    xml.extend(_thing(t, draft, dressed[t.id]) for t in house.things)
    xml.append("</worldbody></mujoco>")
    try:
        spec = mujoco.MjSpec.from_string("".join(xml))
        _assets(spec, draft)
        model = spec.compile()
    except ValueError as e:
        raise SymbolError(f"house {house.seed}: MuJoCo cannot build it: {e}") from e
    return _index(house, model, draft)


def lit(part: Part, light: float) -> Vec:
    """The colour of a part in a room that gets ``light``; what gives light itself does not darken."""
    share = light + (1.0 - light) * min(1.0, part.emission)
    r, g, b = (min(1.0, c * share) for c in part.rgb)
    # MuJoCo takes exactly this grey for "not given" and would draw white.
    return (0.501, 0.5, 0.5) if (r, g, b) == (0.5, 0.5, 0.5) else (r, g, b)


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join([f"{v:.6g}" for v in values])


def _pose(part: Part) -> str:
    return f'pos="{_numbers(part.pos)}"' + (f' euler="{_numbers(part.euler)}"' if any(part.euler) else "")


def _solid(part: Part, name: str, mass: float = 0.0, moving: bool = False) -> str:
    """XML of a geom that is only there to collide."""
    contype, affinity = (MOVING, MOVING) if moving else (STATIC, 0)
    rolls = ' condim="6" friction="0.9 0.02 0.02"' if moving and part.shape != "box" else ""
    return (
        f'<geom name={quoteattr(name)} type="{part.shape}" size="{_numbers(part.size)}" {_pose(part)} group="{COLLISION}" '
        f'contype="{contype}" conaffinity="{affinity}"{rolls} mass="{mass:.6g}"/>\n'
    )


def _assets(spec: mujoco.MjSpec, draft: _Draft) -> None:
    for texture in sorted({name for name, _ in draft.materials if name}):
        picture = spec.add_texture(name=texture, type=mujoco.mjtTexture.mjTEXTURE_2D, width=SIZE, height=SIZE, nchannel=3)
        picture.data = image(texture).tobytes()
    for (texture, emission), name in draft.materials.items():
        specular = PATTERNS[texture].specular if texture else 0.1
        material = spec.add_material(name=name, specular=specular, shininess=0.3 if specular > 0.1 else 0.1, emission=emission)
        if texture:
            textures = [""] * mujoco.mjtTextureRole.mjNTEXROLE.value
            textures[mujoco.mjtTextureRole.mjTEXROLE_RGB.value] = texture
            material.textures = textures
    for (shape, size, texture), name in draft.meshes.items():
        skin = surface(Part(shape, size), along=bool(texture) and PATTERNS[texture].along)
        mesh = spec.add_mesh(
            name=name,
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
            uservert=skin.vertices.ravel(),
            usernormal=skin.normals.ravel(),
            userface=skin.faces.ravel(),
        )
        if texture:
            mesh.usertexcoord = (skin.texcoord / PATTERNS[texture].period).ravel()
    for name, piece in draft.skins.items():
        shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        spec.add_mesh(name=name, inertia=shell, uservert=piece.vertices.ravel(), userface=piece.faces.ravel())


def _fixture(fixture: FixtureSpec, draft: _Draft, light: float, skin: Sequence[SkinPiece] = ()) -> str:
    if skin:
        solids = [_solid(p, f"{fixture.id}/{i}/solid") for i, p in enumerate(fixture.parts) if p.solid and p.shape not in SWEPT]
        parts = "".join(solids) + draft.skin(skin, fixture.id, fixture.room, light)
    else:
        parts = "".join([draft.geom(p, f"{fixture.id}/{i}", fixture.id, fixture.room, light=light) for i, p in enumerate(fixture.parts)])
    panels = "".join([_panel(fixture, i, p, draft, light) for i, p in enumerate(fixture.panels)])
    pos = _numbers(fixture.position)
    return f'<body name={quoteattr(fixture.id)} pos="{pos}" euler="0 0 {fixture.yaw:.6g}">\n{parts}{panels}</body>\n'


def _panel(fixture: FixtureSpec, number: int, panel: Panel, draft: _Draft, light: float) -> str:
    name = f"{fixture.id}/panel{number}"
    parts = "".join([draft.geom(p, f"{name}/{i}", fixture.id, fixture.room, light=light) for i, p in enumerate(panel.parts)])
    # The huge armature makes a door or drawer stay where a skill put it, whatever leans on it.
    where = f'axis="{_numbers(panel.axis)}" pos="{_numbers(panel.anchor)}"'
    joint = f'<joint name="{name}" type="{panel.joint}" {where} armature="1e5" damping="1e3"/>'
    # gravcomp on any body makes MuJoCo apply it at all, which `World.hold` relies on.
    return f'<body name="{name}" gravcomp="1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{joint}\n{parts}</body>\n'


def _thing(thing: ThingSpec, draft: _Draft, skin: Sequence[SkinPiece] = ()) -> str:
    if skin:
        parts = draft.skin(skin, thing.id, "")
    else:
        parts = "".join([draft.geom(p, f"{thing.id}/{i}", thing.id, "", moving=True) for i, p in enumerate(thing.parts)])
    solid = _solid(replace(thing.solid, when=""), f"{thing.id}/solid", thing.mass, moving=True)
    where = f'pos="{_numbers(thing.position)}" euler="0 0 {thing.yaw:.6g}"'
    return f"<body name={quoteattr(thing.id)} {where}><freejoint/>\n{parts}{solid}</body>\n"


def _index(house: HouseSpec, model: mujoco.MjModel, draft: _Draft) -> BuiltHouse:
    ids = (*(f.id for f in house.fixtures), *(t.id for t in house.things))
    number = {entity: i for i, entity in enumerate(ids)}
    names = [model.geom(g).name for g in range(model.ngeom)]
    at = {name: i for i, name in enumerate(names)}
    geom_entity = np.array([number.get(name.partition("/")[0], -1) for name in names], dtype=np.int64)
    drawn = model.geom_group != COLLISION
    things = {}
    for thing in house.things:
        body = model.body(thing.id).id
        joint = int(model.body_jntadr[body])
        geoms = np.flatnonzero((geom_entity == number[thing.id]) & drawn)
        things[thing.id] = ThingIndex(
            body,
            int(model.body_treeid[body]),
            int(model.jnt_qposadr[joint]),
            int(model.jnt_dofadr[joint]),
            geoms,
            at[f"{thing.id}/solid"],
        )
    panels = {}
    for f in house.fixtures:
        panels[f.id] = tuple(
            (
                int(model.joint(f"{f.id}/panel{i}").qposadr[0]),
                int(model.joint(f"{f.id}/panel{i}").dofadr[0]),
                p.travel if p.joint == "slide" else radians(p.travel),
            )
            for i, p in enumerate(f.panels)
        )
    when = {owner: tuple((at[name], attribute, value) for name, attribute, value in rows) for owner, rows in draft.when.items()}
    rooms = {room: np.array([at[name] for name in rows], dtype=np.int64) for room, rows in draft.rooms.items() if room}
    return BuiltHouse(house, model, ids, geom_entity, things, panels, when, rooms)
