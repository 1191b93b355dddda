"""The physical house: things that rest, fall, roll and are carried; doors, drawers and lights; where everything really is."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SimulatorError
from mimir_learn.symbols import HAND, IN_HAND, Parent, Relation, Snapshot

from .build import MOVING, BuiltHouse
from .engine import mujoco
from .scenery import Scenery
from .spec import FixtureSpec, Vec, Viewpoint
from .truth import Regions, derive, initial_attributes, snapshot
from .viewpoints import FOV, Block
from .vocabulary import VOCABULARY

_MAX_STEPS = 375  # 1.5 s of falling and rolling; then what still moves is stopped
_BURST = 5
_UPRIGHT, _LYING = (1.0, 0.0, 0.0, 0.0), (0.7071067811865476, 0.7071067811865476, 0.0, 0.0)


class World:
    """State of one house. All motion is deterministic: the same calls give the same bytes.

    MuJoCo's sleeping islands do the freezing: what rests costs nothing until something touches it.
    """

    def __init__(self, built: BuiltHouse) -> None:
        self.built = built
        self.house = built.house
        self.model = built.model
        self.data = mujoco.MjData(built.model)
        self.regions = Regions(built.house)
        self.specs = {t.id: t for t in built.house.things}
        self.fixtures = {f.id: f for f in built.house.fixtures}
        self.room_of_fixture = {f.id: f.room for f in built.house.fixtures}
        self._blocks = [(f.room, _block(f)) for f in built.house.fixtures if f.parent.relation is Relation.ROOM]
        self._order = list(self.specs)
        self._bodies = np.array([built.things[t].body for t in self._order], dtype=np.int64)
        self.held: str | None = None
        self.attributes = initial_attributes(built.house)
        self.parents: dict[str, Parent] = {}
        self.scenery = Scenery(built)
        self._show_all()
        for fixture in built.house.fixtures:
            self._set_panels(fixture.id, self.attributes.get((fixture.id, "open"), False))
        mujoco.mj_forward(self.model, self.data)
        self.settle()
        start = mujoco.MjData(self.model)
        mujoco.mj_copyData(start, self.model, self.data)
        self._start = (start, dict(self.attributes), dict(self.parents))

    def reset(self) -> None:
        """Back to how the house was when it was built, without compiling or settling anything again."""
        if self.held is not None:
            self._let_go(self.held)
        start, attributes, parents = self._start
        mujoco.mj_copyData(self.data, self.model, start)
        self.attributes, self.parents = dict(attributes), dict(parents)
        self._show_all()
        self._group_things()

    # --- asking

    def position(self, thing: str) -> NDArray[np.float64]:
        """(3,) world position of a thing's middle."""
        return self.data.xpos[self.built.things[thing].body].copy()

    def positions(self) -> dict[str, NDArray[np.float64]]:
        """World position of every thing and fixture."""
        out = {f.id: np.array(f.position) + np.array((0, 0, f.size[2] / 2)) for f in self.house.fixtures}
        out.update({t: self.position(t) for t in self._order})
        return out

    def is_open(self, fixture: str) -> bool:
        """Whether one can reach in: open, or nothing to open."""
        return self.attributes.get((fixture, "open"), True)

    def room_of(self, entity: str) -> str:
        """The room an entity is in."""
        if entity in self.room_of_fixture:
            return self.room_of_fixture[entity]
        parent = self.parents.get(entity)
        if parent is None or parent.relation is Relation.HELD:
            return entity
        return parent.id if parent.relation is Relation.ROOM else self.room_of_fixture[parent.id]

    def snapshot(self) -> Snapshot:
        """True parents and attributes, fixtures included."""
        parents = {f.id: f.parent for f in self.house.fixtures} | self.parents
        return snapshot(parents, self.attributes)

    def contents(self, place: str) -> list[str]:
        """Things whose parent is ``place``, in spec order."""
        return [t for t in self._order if self.parents[t].id == place]

    # --- changing

    def set_open(self, fixture: str, value: bool) -> None:
        """Move every door or drawer of a fixture; what lies in a drawer comes along, what sticks out is pushed in by the door."""
        spec = self.fixtures[fixture]
        was = self.attributes[fixture, "open"]
        self.attributes[fixture, "open"] = value
        self._set_panels(fixture, value)
        front = _turn(spec.yaw, (0.0, -1.0, 0.0))
        for thing in self.contents(fixture):
            at = self.built.things[thing].qpos
            if any(r.rides for r in spec.regions):
                if was != value:
                    self.data.qpos[at : at + 3] += front * spec.panels[0].travel * (1 if value else -1)
            elif not value:
                sticks_out = (self.position(thing) - spec.position) @ front + self.specs[thing].radius - (spec.size[1] / 2 - 0.03)
                self.data.qpos[at : at + 3] -= front * max(0.0, float(sticks_out))
        self._sync()
        self._derive(fixture, "open", value)

    def set_on(self, fixture: str, value: bool) -> None:
        """Switch a device."""
        self.attributes[fixture, "on"] = value
        self._show(fixture)
        self._derive(fixture, "on", value)

    def hold(self, thing: str, view: Viewpoint) -> None:
        """Take a thing into the hand: it floats at a fixed place of the camera's picture and touches nothing."""
        index = self.built.things[thing]
        self.model.geom_contype[index.solid] = self.model.geom_conaffinity[index.solid] = 0
        self.model.body_gravcomp[index.body] = 1.0
        self.held = thing
        self.parents[thing] = IN_HAND
        self.carry(view)

    def carry(self, view: Viewpoint) -> None:
        """Bring the held thing, if any, to where the camera now is."""
        if self.held is None:
            return
        spec, index = self.specs[self.held], self.built.things[self.held]
        eye, target = np.asarray(view.eye), np.asarray(view.target)
        forward = (target - eye) / np.linalg.norm(target - eye)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        size = max(spec.radius, spec.half_height)
        ahead = 0.36 + 1.1 * size
        edge = ahead * np.tan(np.radians(FOV / 2))
        at = eye + ahead * forward + (edge - spec.radius - 0.015) * right + (edge - spec.half_height - 0.05) * down
        yaw = np.degrees(np.arctan2(forward[1], forward[0])) - 90 + 25
        self._pose(index.qpos, index.dof, at, _UPRIGHT, yaw)
        self._sync()

    def release(self, thing: str, at: Vec | NDArray[np.float64], yaw: float, lying: bool = False, push: Vec = (0.0, 0.0, 0.0)) -> None:
        """Let go of a thing at a world position and let physics bring it to rest."""
        if self.held == thing:
            self._let_go(thing)
        index = self.built.things[thing]
        self._pose(index.qpos, index.dof, at, _LYING if lying else _UPRIGHT, yaw)
        self.data.qvel[index.dof : index.dof + 3] = push
        self.settle()

    def settle(self) -> int:
        """Step until everything rests, then read all parents from geometry. Returns the number of physics steps."""
        steps = 0
        hand = None if self.held is None else self.built.things[self.held]
        kept = None if hand is None else self.data.qpos[hand.qpos : hand.qpos + 7].copy()
        while steps < _MAX_STEPS:
            safe = self.data.qpos.copy()
            mujoco.mj_step(self.model, self.data, _BURST)
            steps += _BURST
            if not np.isfinite(self.data.qpos).all():
                self._stop_at(safe)
                break
            if self.data.ntree_awake == 0:
                break
        self.data.qvel[:] = 0
        self._hold_panels()
        if hand is not None and kept is not None:
            self.data.qpos[hand.qpos : hand.qpos + 7] = kept
        self._sync()
        self._read_parents()
        return steps

    # --- inside

    def _stop_at(self, qpos: NDArray[np.float64]) -> None:
        """Where things are wedged into each other so that the solver diverges, they stop where they were before it did."""
        self.data.qpos[:] = qpos
        for rates in (self.data.qvel, self.data.qacc, self.data.qacc_warmstart):
            rates[:] = 0
        mujoco.mj_forward(self.model, self.data)
        if not np.isfinite(self.data.xpos).all():
            raise SimulatorError(f"house {self.house.seed}: physics diverged; please report this seed")

    def _let_go(self, thing: str) -> None:
        index = self.built.things[thing]
        self.model.geom_contype[index.solid] = self.model.geom_conaffinity[index.solid] = MOVING
        self.model.body_gravcomp[index.body] = 0.0
        self.held = None

    def _pose(self, qpos: int, dof: int, at: Vec | NDArray[np.float64], tilt: tuple[float, ...], yaw: float) -> None:
        half = radians(yaw) / 2
        quat = np.zeros(4)
        mujoco.mju_mulQuat(quat, np.array([cos(half), 0.0, 0.0, sin(half)]), np.array(tilt))
        self.data.qpos[qpos : qpos + 3] = at
        self.data.qpos[qpos + 3 : qpos + 7] = quat
        self.data.qvel[dof : dof + 6] = 0

    def _sync(self) -> None:
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)

    def _set_panels(self, fixture: str, is_open: bool) -> None:
        for qpos, dof, travel in self.built.panels[fixture]:
            self.data.qpos[qpos] = travel if is_open else 0.0
            self.data.qvel[dof] = 0.0

    def _hold_panels(self) -> None:
        for fixture in self.fixtures:
            if self.built.panels[fixture]:
                self._set_panels(fixture, self.attributes[fixture, "open"])

    def _show(self, entity: str) -> None:
        """Draw an entity in the state it is in."""
        category = self.house.entities[entity].category
        self.scenery.show(entity, {a: self.attributes.get((entity, a), False) for a in VOCABULARY.spec(category).attributes})

    def _show_all(self) -> None:
        for entity in (*self.fixtures, *self._order):
            self._show(entity)

    def _derive(self, fixture: str, attribute: str, value: bool) -> None:
        parents = {f.id: f.parent for f in self.house.fixtures} | self.parents
        derive(self.attributes, parents, fixture, self.fixtures[fixture].category, attribute, value)

    def _read_parents(self) -> None:
        opened = frozenset(f for f in self.fixtures if self.attributes.get((f, "open"), False))
        points = self.data.xpos[self._bodies]
        lost = []
        for thing, parent in zip(self._order, self.regions.parents(points, opened), strict=True):
            if thing == self.held:
                self.parents[thing] = IN_HAND
            elif parent is None:
                lost.append(thing)
            else:
                self.parents[thing] = parent
        self._group_things()
        for thing in lost:
            self._rescue(thing)

    def _rescue(self, thing: str) -> None:
        """A thing that came to rest on top of something that holds nothing there (a fridge) slides off to the floor before it."""
        at = self.position(thing)
        nearest = min(self.house.fixtures, key=lambda f: (np.hypot(f.position[0] - at[0], f.position[1] - at[1]), f.id))
        spec = self.specs[thing]
        for gap in (0.12, 0.3, 0.5, 0.8):
            spot = front_of(nearest, gap + spec.radius)
            if self.free_floor(spot, spec.radius, ignore=thing):
                break
        index = self.built.things[thing]
        self._pose(index.qpos, index.dof, (spot[0], spot[1], spec.half_height + 0.003), _UPRIGHT, 0.0)
        self._sync()
        room = self.regions.room_at(np.array(spot))
        assert room is not None
        self.parents[thing] = Parent(room, Relation.ROOM)
        self._group_things()

    def _group_things(self) -> None:
        for thing in self._order:
            parent = self.parents.get(thing)
            if parent is None or parent.id == HAND.id:
                continue
            self.scenery.place_in(thing, self.room_of(thing))

    def show_held_in(self, room: str) -> None:
        """Draw the held thing in the room the robot is in."""
        if self.held is not None:
            self.scenery.place_in(self.held, room)

    def blocks(self, room: str) -> list[Block]:
        """Footprints and heights of what stands on a room's floor."""
        return [b for r, b in self._blocks if r == room]

    def free_floor(self, at: tuple[float, ...], radius: float, ignore: str | None = None) -> bool:
        """Whether a disc on the floor is inside one room and clear of furniture and of things on the floor."""
        room = self.regions.room_at(np.array(at))
        if room is None:
            return False
        centre, size = next((r.centre, r.size) for r in self.house.rooms if r.id == room)
        if any(abs(at[k] - centre[k]) > size[k] / 2 - radius - 0.02 for k in (0, 1)):
            return False
        for x0, y0, x1, y1, _ in self.blocks(room):
            if x0 - radius - 0.02 < at[0] < x1 + radius + 0.02 and y0 - radius - 0.02 < at[1] < y1 + radius + 0.02:
                return False
        for t in self._order:
            if t not in (ignore, self.held) and self.parents.get(t) == Parent(room, Relation.ROOM):
                p = self.data.xpos[self.built.things[t].body]
                if np.hypot(p[0] - at[0], p[1] - at[1]) < radius + self.specs[t].radius + 0.02:
                    return False
        return True


def _turn(yaw: float, local: Vec) -> NDArray[np.float64]:
    c, s = cos(radians(yaw)), sin(radians(yaw))
    return np.array([c * local[0] - s * local[1], s * local[0] + c * local[1], local[2]])


def _block(f: FixtureSpec) -> Block:
    half = (f.size[1] / 2, f.size[0] / 2) if f.yaw % 180 != 0 else (f.size[0] / 2, f.size[1] / 2)
    x, y, _ = f.position
    return (x - half[0], y - half[1], x + half[0], y + half[1], f.size[2])


def front_of(fixture: FixtureSpec, gap: float, along: float = 0.0) -> tuple[float, float, float]:
    """The floor point ``gap`` metres before a fixture's front edge, ``along`` to its right."""
    step = _turn(fixture.yaw, (along, -fixture.size[1] / 2 - gap, 0.0))
    return (fixture.position[0] + float(step[0]), fixture.position[1] + float(step[1]), 0.0)
