"""Which K entities a transition is about, read from the belief *before* the action and the two camera poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import BelievedEntity, Kind, Observation, Transition, Verb

ROLES: tuple[str, ...] = (
    "acted_object", "acted_receptacle", "held", "at", "at_child", "receptacle_child", "source", "destination", "destination_child",
    "room_before", "room_after",
)  # fmt: skip
_NEAR_M = 4.0


@dataclass(frozen=True)
class View:
    """Remembered points seen through one camera.

    Attributes:
        uv_N2: pixels; NaN where memory has no point.
        z_N: metres along the optical axis; NaN where memory has no point.
        inside_N: whether the point falls inside the frame, in front of the camera.
    """

    uv_N2: NDArray[np.float64]
    z_N: NDArray[np.float64]
    inside_N: NDArray[np.bool_]


@dataclass(frozen=True)
class Candidates:
    """The chosen entities, most relevant first.

    Attributes:
        entities: at most K believed entities.
        roles_NR: (n, len(ROLES)) float32 flags.
        views: their points through the camera before and after.
        points_N3: world metres, NaN where unknown.
    """

    entities: tuple[BelievedEntity, ...]
    roles_NR: NDArray[np.float32]
    views: tuple[View, View]
    points_N3: NDArray[np.float64]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(b.entity.id for b in self.entities)


def select(transition: Transition, k: int) -> Candidates:
    """The ``k`` entities of ``transition.belief`` that its action can most plausibly concern.

    Order: what the action names, what is held, where the robot is, where the acted thing comes from and goes to, the rooms of
    before and after; then things at those places and things in view of either camera; places in view; rooms; then everything
    else memory knows, most recently seen first. Ties are broken by distance and id, so the order is a pure function of the input.
    Reads nothing of the state after the action: of the after-frame only its camera pose.
    """
    belief = transition.belief
    believed = [b for _, b in sorted(belief.entities.items()) if b.entity.kind is not Kind.HAND]
    index = {b.entity.id: i for i, b in enumerate(believed)}
    roles = _roles(transition, believed, index)
    points_N3 = np.full((len(believed), 3), np.nan)
    for i, b in enumerate(believed):
        if b.point is not None:
            points_N3[i] = b.point
    views = (_view(transition.before, points_N3), _view(transition.after, points_N3))

    named = ("acted_object", "acted_receptacle", "held", "at", "source", "destination", "room_before", "room_after")
    named_cols = [ROLES.index(r) for r in named]
    child_cols = [ROLES.index(r) for r in ("at_child", "receptacle_child", "destination_child")]
    in_view_N = views[0].inside_N | views[1].inside_N
    distance_N = np.fmin(np.where(views[0].inside_N, views[0].z_N, np.nan), np.where(views[1].inside_N, views[1].z_N, np.nan))
    distance_N = np.nan_to_num(distance_N, nan=99.0)

    def rank(i: int) -> tuple[float, float, float, str]:
        b = believed[i]
        held_by = [named_cols.index(c) for c in named_cols if roles[i, c]]
        if held_by:
            return (0, min(held_by), 0.0, b.entity.id)
        near = bool(in_view_N[i]) and distance_N[i] < _NEAR_M
        movable = b.entity.kind is Kind.OBJECT
        if movable and (roles[i, child_cols].any() or near):
            return (1, float(distance_N[i]), 0.0, b.entity.id)
        if not movable and near:
            return (2, float(distance_N[i]), 0.0, b.entity.id)
        if b.entity.kind is Kind.ROOM:
            return (3, 0.0, 0.0, b.entity.id)
        age = float(belief.step - b.last_seen) if b.last_seen is not None else 1e6
        return (4 if movable else 5, float(distance_N[i]) if in_view_N[i] else 99.0, age, b.entity.id)

    chosen = sorted(range(len(believed)), key=rank)[:k]
    rows = np.asarray(chosen, dtype=int)
    return Candidates(
        tuple(believed[i] for i in chosen),
        roles[rows],
        tuple(View(v.uv_N2[rows], v.z_N[rows], v.inside_N[rows]) for v in views),  # type: ignore[arg-type]
        points_N3[rows],
    )


def _view(frame: Observation, points_N3: NDArray[np.float64]) -> View:
    uv_N2, z_N = frame.project(points_N3)
    height, width = frame.depth.shape
    with np.errstate(invalid="ignore"):
        inside = (z_N > 0.05) & (uv_N2[:, 0] >= 0) & (uv_N2[:, 0] < width) & (uv_N2[:, 1] >= 0) & (uv_N2[:, 1] < height)
    return View(uv_N2, z_N, inside)


def _roles(transition: Transition, believed: list[BelievedEntity], index: dict[str, int]) -> NDArray[np.float32]:
    belief, action = transition.belief, transition.action
    flags = np.zeros((len(believed), len(ROLES)), dtype=np.float32)

    def flag(role: str, entity_id: str | None) -> None:
        if entity_id is not None and entity_id in index:
            flags[index[entity_id], ROLES.index(role)] = 1.0

    def flag_children(role: str, parent_id: str | None) -> None:
        if parent_id is None:
            return
        for i, b in enumerate(believed):
            if b.parent is not None and b.parent.id == parent_id:
                flags[i, ROLES.index(role)] = 1.0

    def parent_of(entity_id: str | None) -> str | None:
        b = belief.entities.get(entity_id) if entity_id is not None else None
        return None if b is None or b.parent is None else b.parent.id

    source = parent_of(action.object)
    going = None
    if action.verb is Verb.NAVIGATE:
        going = action.receptacle if action.receptacle is not None else source
    flag("acted_object", action.object)
    flag("acted_receptacle", action.receptacle)
    flag("held", belief.hand)
    flag("at", belief.at)
    flag("source", source)
    flag("destination", going)
    flag("room_before", belief.room_of(belief.at))
    flag("room_after", belief.room_of(going if going is not None else belief.at))
    flag_children("at_child", belief.at)
    flag_children("receptacle_child", action.receptacle)
    flag_children("destination_child", going)
    return flags
