"""The moving parts of a compiled house: poses of things, doors and drawers, who touches whom, and physics until all rests."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SimulatorError

from .build import MOVING, BuiltHouse
from .engine import mujoco
from .nesting import TILTS
from .spec import Vec

_MAX_STEPS = 375  # 1.5 s of falling and rolling; then what still moves is stopped
_BURST = 5


class Bodies:
    """MuJoCo's state of one house, spoken to in ids, metres and degrees.

    MuJoCo's sleeping islands do the freezing: what rests costs nothing until something touches it.
    """

    def __init__(self, built: BuiltHouse) -> None:
        self.built, self.model = built, built.model
        self.data = mujoco.MjData(built.model)
        self.gaps = {f.id: 0.0 for f in built.house.fixtures}  # share of its travel by which a fixture's doors and drawers are open
        self._bodies = np.array([built.things[t.id].body for t in built.house.things], dtype=np.int64)
        self._hinged = [f.id for f in built.house.fixtures if built.panels[f.id]]

    # --- starting over

    def save(self) -> tuple[mujoco.MjData, dict[str, float], tuple[NDArray[np.int32], ...]]:
        """Everything that `restore` needs."""
        kept = mujoco.MjData(self.model)
        mujoco.mj_copyData(kept, self.model, self.data)
        return kept, dict(self.gaps), tuple(a.copy() for a in self._touch())

    def restore(self, saved: tuple[mujoco.MjData, dict[str, float], tuple[NDArray[np.int32], ...]]) -> None:
        data, gaps, touch = saved
        mujoco.mj_copyData(self.data, self.model, data)
        self.gaps = dict(gaps)
        for array, was in zip(self._touch(), touch, strict=True):
            array[:] = was

    def _touch(self) -> tuple[NDArray[np.int32], ...]:
        return self.model.geom_contype, self.model.geom_conaffinity, self.model.body_gravcomp

    # --- asking

    def points(self) -> NDArray[np.float64]:
        """(N, 3) middles of all things in world metres, in the house's order."""
        return self.data.xpos[self._bodies]

    def rotations(self) -> NDArray[np.float64]:
        """(N, 3, 3) body to world of all things."""
        return self.data.xmat[self._bodies].reshape(-1, 3, 3)

    def position(self, thing: str) -> NDArray[np.float64]:
        """(3,) world position of a thing's middle."""
        return self.data.xpos[self.built.things[thing].body].copy()

    def rotation(self, thing: str) -> NDArray[np.float64]:
        """(3, 3) body to world."""
        return self.data.xmat[self.built.things[thing].body].reshape(3, 3).copy()

    def pose(self, thing: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(3,) position and (4,) quaternion as last set or simulated, also before `sync`."""
        at = self.built.things[thing].qpos
        return self.data.qpos[at : at + 3].copy(), self.data.qpos[at + 3 : at + 7].copy()

    # --- changing

    def put(self, thing: str, at: Vec | NDArray[np.float64], quat: NDArray[np.float64], push: Vec = (0.0, 0.0, 0.0)) -> None:
        """Set a thing's pose and velocity (m/s); nothing is simulated yet."""
        index = self.built.things[thing]
        self.data.qpos[index.qpos : index.qpos + 3] = at
        self.data.qpos[index.qpos + 3 : index.qpos + 7] = quat
        self.data.qvel[index.dof : index.dof + 6] = 0
        self.data.qvel[index.dof : index.dof + 3] = push

    def shift(self, thing: str, by: NDArray[np.float64]) -> None:
        """Move a thing by so many metres."""
        at = self.built.things[thing].qpos
        self.data.qpos[at : at + 3] += by

    def loose(self, thing: str, free: bool) -> None:
        """Whether a thing falls and touches others (``free``), or floats where it is put: in the hand, or inside a thing."""
        index = self.built.things[thing]
        self.model.geom_contype[index.solid] = self.model.geom_conaffinity[index.solid] = MOVING if free else 0
        self.model.body_gravcomp[index.body] = 0.0 if free else 1.0

    def set_gap(self, fixture: str, share: float) -> None:
        """Move every door or drawer of a fixture to this share of its travel."""
        self.gaps[fixture] = share
        for qpos, dof, travel in self.built.panels[fixture]:
            self.data.qpos[qpos] = travel * share
            self.data.qvel[dof] = 0.0

    def rest(self) -> int:
        """Step until everything rests; returns the number of physics steps. Doors and drawers stay where they were put."""
        steps = 0
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
        for fixture in self._hinged:
            self.set_gap(fixture, self.gaps[fixture])
        return steps

    def sync(self) -> None:
        """Bring world positions up to date with the poses set."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)

    def _stop_at(self, qpos: NDArray[np.float64]) -> None:
        """Where things are wedged into each other so that the solver diverges, they stop where they were before it did."""
        self.data.qpos[:] = qpos
        for rates in (self.data.qvel, self.data.qacc, self.data.qacc_warmstart):
            rates[:] = 0
        mujoco.mj_forward(self.model, self.data)
        if not np.isfinite(self.data.xpos).all():
            raise SimulatorError(f"house {self.built.house.seed}: physics diverged; please report this seed")


def turned(yaw: float, tilt: int = 0) -> NDArray[np.float64]:
    """(4,) quaternion of a posture (see `nesting.TILTS`) turned by ``yaw`` degrees about the vertical."""
    half = radians(yaw) / 2
    return times(np.array([cos(half), 0.0, 0.0, sin(half)]), np.array(TILTS[tilt]))


def times(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Product of two (4,) quaternions: ``second`` is applied first."""
    out = np.zeros(4)
    mujoco.mju_mulQuat(out, first, second)
    return out


def inverse(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.zeros(4)
    mujoco.mju_negQuat(out, quat)
    return out


def rotated(vector: NDArray[np.float64], quat: NDArray[np.float64]) -> NDArray[np.float64]:
    """A (3,) vector turned by a quaternion."""
    out = np.zeros(3)
    mujoco.mju_rotVecQuat(out, vector, quat)
    return out
