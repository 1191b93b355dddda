"""Δ-source ``geometry``: the difference of two scene graphs read off depth, in the manner of REFLECT and ConceptGraphs. Never trained.

For the hand and for every remembered thing it is decided from depth whether it is still where it was; what has left the hand is sought
among the surfaces that have appeared, and put into relation with the nearest remembered place. Open, on, filled and sliced are read as a
change of appearance of what the action names. Thresholds and the extents of places are chosen on training houses (`classical`); identity
and points are memory's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.changes import changed_regions, same_camera
from mimir_learn.estimator.classical import HAND_BOX, hand_change, hand_kept, hand_share, place_change, presence
from mimir_learn.feedback.classical import GROUPS, Thresholds, thresholds
from mimir_learn.feedback.difference import evidence
from mimir_learn.feedback.schema import held_at, nominal_delta
from mimir_learn.symbols import (
    EFFECT,
    ELSEWHERE,
    IN_HAND,
    Belief,
    BelievedEntity,
    Change,
    Delta,
    Estimate,
    HandChange,
    Kind,
    Parent,
    ParentChange,
    Transition,
    Verb,
)

Point = NDArray[np.float64]
_FLOOR_M = 0.2  # what lies lower and in no place lies on the floor
_REACH_M = 1.0  # a wrong instance is taken from within this distance of the right one
_REGIONS = 6


class GeometrySource:
    """Scene-graph difference without learning; reads neither flag nor sentence."""

    name = "geometry"

    def __init__(self, settings: Thresholds | None = None) -> None:
        self.settings = settings or thresholds()

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        """Δ_t. Raises ObservationError for a frame no sensor could have taken."""
        transition.before.validate()
        transition.after.validate()
        changes = [*self._hand(transition), *self._states(transition)]
        changes += self._vanished(transition, {c.entity for c in changes if isinstance(c, ParentChange)})
        delta = Delta.fitting(changes)
        nominal = nominal_delta(transition.action, transition.belief)
        did = nominal.atoms <= delta.atoms if nominal else delta.hand is None
        return Estimate(delta, success=float(did))

    def _states(self, t: Transition) -> list[Change]:
        if t.action.verb not in EFFECT or evidence(t) <= self.settings.changed[GROUPS[t.action.verb]]:
            return []
        return [c for c in nominal_delta(t.action, t.belief, self.name) if not isinstance(c, HandChange)]

    def _hand(self, t: Transition) -> list[Change]:
        held = t.belief.hand
        still = same_camera(t.before, t.after)
        gained = hand_share(t.after) - hand_share(t.before)
        if held is None:
            full = gained > self.settings.grasp and hand_change(t.before, t.after) > self.settings.grasp
            taken = self._taken(t) if full and t.action.verb is Verb.PICK else None
            return [] if taken is None else [ParentChange(taken, _parent(taken, t.belief), IN_HAND, source=self.name)]
        if still and t.action.verb is not Verb.PLACE:
            return []  # a door that swings through the hand's corner looks like a release
        empty = gained < -self.settings.release if still else hand_kept(t.before, t.after) < self.settings.kept
        return [ParentChange(held, IN_HAND, self._landed(t, held), source=self.name)] if empty else []

    def _taken(self, t: Transition) -> str | None:
        """What is in the hand now: what the action names, unless it is still there and another thing nearby is gone."""
        known = t.belief.entities
        asked = known.get(t.action.object or "")
        if asked is None or asked.point is None or self._gone(asked.point, t):
            return t.action.object
        near = [
            (float(np.linalg.norm(b.point - asked.point)), e) for e, b in sorted(known.items())
            if b.entity.kind is Kind.OBJECT and b is not asked and b.point is not None and self._gone(b.point, t)
        ]  # fmt: skip
        near = [pair for pair in near if pair[0] < _REACH_M]
        return min(near)[1] if near else t.action.object

    def _gone(self, point: Point, t: Transition) -> bool:
        """Whether a thing has left its point: one looks through it now, or what is there looks otherwise."""
        after = presence(t.after, point)
        if after is not None and after.behind > 0.5:
            return True
        changed = place_change(t.before, t.after, point, 0.15)
        return changed is not None and changed > self.settings.changed["pick"]

    def _landed(self, t: Transition, thing: str) -> Parent:
        """Where the thing that left the hand is: at the largest surface that has appeared; unseen, where it was to be put, or the floor."""
        regions = changed_regions(t.before, t.after, _REGIONS, HAND_BOX)
        for point, nearer in zip(regions.points_M3, regions.nearer_M, strict=True):
            if nearer > 0:
                return self._relation(point, t, thing)
        if t.action.verb is Verb.PLACE and t.action.receptacle is not None:
            return held_at(t.action.receptacle, t.belief)
        return _floor(t.belief.at, t.belief)

    def _relation(self, point: Point, t: Transition, thing: str) -> Parent:
        """The remembered place whose extent a point fits best, what the action names first; else the floor of the room, else unknown."""
        fits = {
            e: fit for e, b in sorted(t.belief.entities.items())
            if e != thing and b.entity.kind in (Kind.RECEPTACLE, Kind.OBJECT) and b.point is not None
            and t.belief.vocabulary.spec(b.entity).relation is not None and (fit := self._fit(point, b)) <= 1.0
        }  # fmt: skip
        asked = t.action.receptacle
        if asked in fits and t.action.verb is Verb.PLACE:
            return held_at(asked, t.belief)
        if fits:
            return held_at(min(fits, key=lambda e: (fits[e], e)), t.belief)
        return _floor(t.belief.at, t.belief) if point[2] < _FLOOR_M else ELSEWHERE

    def _fit(self, point: Point, place: BelievedEntity) -> float:
        """How far off a place's middle a point lies, in units of the place's extent; above 1 = not there."""
        assert place.point is not None
        extent = self.settings.extent(place.entity.category)
        x, y, z = point - place.point
        above = (z - extent.low) / max(extent.high - extent.low, 1e-6)
        return max(float(np.hypot(x, y)) / extent.radius, 2 * abs(above - 0.5))

    def _vanished(self, t: Transition, explained: set[str]) -> list[Change]:
        """Things that stood in plain view and that one looks through now, unless they went with what was taken."""
        out: list[Change] = []
        for e, b in sorted(t.belief.entities.items()):
            held = b.parent is None or b.parent == IN_HAND or b.parent.id in explained
            if b.entity.kind is not Kind.OBJECT or b.point is None or e in explained or held or e == t.action.object:
                continue
            before, after = presence(t.before, b.point), presence(t.after, b.point)
            if before is not None and after is not None and before.there > 0.5 and after.behind >= self.settings.vanished:
                out.append(ParentChange(e, _parent(e, t.belief), ELSEWHERE, source=self.name))
        return out


def _parent(entity: str, belief: Belief) -> Parent:
    """Remembered parent, or unknown."""
    known = belief.entities.get(entity)
    return ELSEWHERE if known is None or known.parent is None else known.parent


def _floor(at: str | None, belief: Belief) -> Parent:
    """The floor of the room the robot stood in."""
    room = belief.room_of(at)
    return ELSEWHERE if room is None else held_at(room, belief)
