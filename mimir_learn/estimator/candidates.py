"""Which K entities a transition is about, read from the belief *before* the action and the two camera poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Belief, BelievedEntity, Kind, Observation, Transition, Verb

ROLES: tuple[str, ...] = (
    "acted_object", "acted_receptacle", "held", "at", "source", "source_place", "destination", "other", "room_before", "room_after",
    "inside_object", "inside_receptacle", "inside_held", "inside_at", "inside_source", "inside_destination", "beside",
)  # fmt: skip
_NAMED = tuple(r for r in ROLES if not r.startswith(("inside_", "beside")))
_INSIDE = tuple(r for r in ROLES if r.startswith("inside_"))
_CARRIED = ("inside_object", "inside_held")  # what goes where a bowl goes, and falls where it breaks
_NEAR_M = 4.0
_BESIDE_M = 2.0


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

    def with_role(self, role: str) -> NDArray[np.int64]:
        """Rows that have a role."""
        return np.flatnonzero(self.roles_NR[:, ROLES.index(role)] > 0)


def select(transition: Transition, k: int) -> Candidates:
    """The ``k`` entities of ``transition.belief`` that its action can most plausibly concern.

    Order: what the action names, what is held, where the robot is, where the acted thing comes from (also the place its bowl stands at) and
    goes to, the next receptacle of the target's category (where it may have ended up instead), the rooms of before and after; what is in a
    carried thing; then things at those places, also in other things there, and things in view of either camera; places beside the target;
    places in view; rooms; then everything else memory knows, most recently seen first. Ties are broken by distance and id, so the order is
    a pure function of the input. Reads nothing of the state after the action: of the after-frame only its camera pose.
    """
    belief = transition.belief
    believed = [b for _, b in sorted(belief.entities.items()) if b.entity.kind is not Kind.HAND]
    points_N3 = np.full((len(believed), 3), np.nan)
    for i, b in enumerate(believed):
        if b.point is not None:
            points_N3[i] = b.point
    roles = _roles(transition, believed, points_N3)
    views = (_view(transition.before, points_N3), _view(transition.after, points_N3))

    columns = {r: i for i, r in enumerate(ROLES)}
    named_cols, carried_cols, inside_cols = ([columns[r] for r in group] for group in (_NAMED, _CARRIED, _INSIDE))
    in_view_N = views[0].inside_N | views[1].inside_N
    distance_N = np.fmin(np.where(views[0].inside_N, views[0].z_N, np.nan), np.where(views[1].inside_N, views[1].z_N, np.nan))
    distance_N = np.nan_to_num(distance_N, nan=99.0)

    def rank(i: int) -> tuple[float, float, float, str]:
        b = believed[i]
        held_by = [place for place, c in enumerate(named_cols) if roles[i, c]]
        if held_by:
            return (0, min(held_by), 0.0, b.entity.id)
        near = bool(in_view_N[i]) and distance_N[i] < _NEAR_M
        movable = b.entity.kind is Kind.OBJECT
        if roles[i, carried_cols].any():
            return (0, len(named_cols), 0.0, b.entity.id)
        if movable and (roles[i, inside_cols].any() or near):
            return (1, float(distance_N[i]), 0.0, b.entity.id)
        if roles[i, columns["beside"]]:
            return (2, 0.0, 0.0, b.entity.id)
        if not movable and near:
            return (3, float(distance_N[i]), 0.0, b.entity.id)
        if b.entity.kind is Kind.ROOM:
            return (4, 0.0, 0.0, b.entity.id)
        age = float(belief.step - b.last_seen) if b.last_seen is not None else 1e6
        return (5 if movable else 6, float(distance_N[i]) if in_view_N[i] else 99.0, age, b.entity.id)

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


def _roles(transition: Transition, believed: list[BelievedEntity], points_N3: NDArray[np.float64]) -> NDArray[np.float32]:
    belief, action = transition.belief, transition.action
    index = {b.entity.id: i for i, b in enumerate(believed)}
    flags = np.zeros((len(believed), len(ROLES)), dtype=np.float32)
    children: dict[str, list[str]] = {}
    for b in believed:
        if b.parent is not None:
            children.setdefault(b.parent.id, []).append(b.entity.id)

    def flag(role: str, entity_id: str | None) -> None:
        if entity_id is not None and entity_id in index:
            flags[index[entity_id], ROLES.index(role)] = 1.0

    def flag_inside(role: str, entity_id: str | None) -> None:
        stack, seen = list(children.get(entity_id or "", ())), {entity_id}
        while stack:
            at = stack.pop()
            if at not in seen:
                seen.add(at)
                flag(role, at)
                stack += children.get(at, ())

    def parent_of(entity_id: str | None) -> str | None:
        b = belief.entities.get(entity_id) if entity_id is not None else None
        return None if b is None or b.parent is None else b.parent.id

    source = parent_of(action.object)
    going = None
    if action.verb is Verb.NAVIGATE:
        going = action.receptacle if action.receptacle is not None else _place(source, belief)
    target = _place(action.receptacle, belief) if going is None else None
    other, beside = _around(target, belief, index, points_N3)
    named = {
        "acted_object": action.object, "acted_receptacle": action.receptacle, "held": belief.hand, "at": belief.at, "source": source,
        "source_place": _place(source, belief), "destination": going, "other": other, "room_before": belief.room_of(belief.at),
        "room_after": belief.room_of(going if going is not None else belief.at),
    }  # fmt: skip
    for role, entity_id in named.items():
        flag(role, entity_id)
    for entity_id in beside:
        flag("beside", entity_id)
    for role, entity_id in (
        ("inside_object", action.object), ("inside_receptacle", action.receptacle), ("inside_held", belief.hand), ("inside_at", belief.at),
        ("inside_source", source), ("inside_destination", going),
    ):  # fmt: skip
        flag_inside(role, entity_id)
    return flags


def _place(entity_id: str | None, belief: Belief) -> str | None:
    """The entity itself, or what it stands on or lies in, whatever cannot be carried first; None where memory does not know."""
    for _ in range(len(belief.entities)):
        b = belief.entities.get(entity_id) if entity_id is not None else None
        if b is None or b.entity.kind is not Kind.OBJECT:
            return entity_id if b is not None and b.entity.kind is not Kind.HAND else None
        entity_id = None if b.parent is None else b.parent.id
    return None


def _around(
    target: str | None, belief: Belief, index: dict[str, int], points_N3: NDArray[np.float64]
) -> tuple[str | None, tuple[str, ...]]:
    """The nearest other place of the target's category in its room, and the places beside the target, nearest first."""
    if target is None or target not in index or not np.isfinite(points_N3[index[target]]).all():
        return None, ()
    category, room = belief.entities[target].entity.category, belief.room_of(target)
    gap_N = np.hypot(*(points_N3[:, :2] - points_N3[index[target], :2]).T)
    holds = [
        e for e, b in belief.entities.items()
        if e in index and e != target and b.entity.kind is Kind.RECEPTACLE and np.isfinite(gap_N[index[e]]) and belief.room_of(e) == room
    ]  # fmt: skip
    holds.sort(key=lambda e: (gap_N[index[e]], e))
    same = [e for e in holds if belief.entities[e].entity.category == category]
    return (same[0] if same else None), tuple(e for e in holds if gap_N[index[e]] < _BESIDE_M)
