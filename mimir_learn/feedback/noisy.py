"""Δ-source ``noisy(p)``: privileged, corrupted at rate p, for the sensitivity curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.feedback.privileged import Privileged, PrivilegedSource, achieved
from mimir_learn.feedback.schema import held_at, nominal_delta
from mimir_learn.symbols import ELSEWHERE, Belief, Change, Delta, Estimate, HandChange, Kind, Parent, ParentChange, StateChange, Transition


class NoisySource:
    """Each true change is, with probability p, dropped or, as often, told wrongly: a thing that moved is sent to a random other believed
    holder, a state that changed is told of another believed entity of the same category (dropped where there is none). Where the nominal
    effect did not happen, it is invented with probability p.

    Args:
        state: the sealed channel. p: corruption rate in [0, 1].
    """

    def __init__(self, state: Privileged, p: float) -> None:
        if not 0.0 <= p <= 1.0:
            raise ConfigError(f"noisy({p}): the rate must lie in [0, 1]")
        self.p = p
        self.name = f"noisy({p:g})"
        self._truth = PrivilegedSource(state)
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        self._truth.reset(seed)
        self._rng = np.random.default_rng([seed, 0x6E6F])

    def estimate(self, transition: Transition) -> Estimate:
        truth = self._truth.difference()
        changes = [c for change in truth if not isinstance(change, HandChange) for c in self._corrupt(change, transition.belief)]
        delta = Delta.fitting(changes)
        nominal = nominal_delta(transition.action, transition.belief)
        if nominal and not nominal.atoms <= truth.atoms and self._rng.random() < self.p:
            delta = Delta.fitting([*(c for c in nominal if not isinstance(c, HandChange)), *changes])
        delta = delta.tagged(self.name)
        return Estimate(delta, success=achieved(transition, delta))

    def _corrupt(self, change: Change, belief: Belief) -> list[Change]:
        if self._rng.random() >= self.p:
            return [change]
        flip = self._rng.random() < 0.5
        if not flip or isinstance(change, HandChange):
            return []
        if isinstance(change, StateChange):
            twins = _twins(change.entity, belief)
            return [replace(change, entity=twins[int(self._rng.integers(len(twins)))])] if twins else []
        others = [p for p in _holders(belief) if p not in (change.new, change.old) and not _inside(p.id, change.entity, belief)]
        return [ParentChange(change.entity, change.old, others[int(self._rng.integers(len(others)))])] if others else []


def _holders(belief: Belief) -> list[Parent]:
    ids = sorted(i for i, b in belief.entities.items() if b.entity.kind in (Kind.RECEPTACLE, Kind.ROOM, Kind.OBJECT))
    return [p for p in (held_at(i, belief) for i in ids) if p != ELSEWHERE]


def _inside(at: str, holder: str, belief: Belief) -> bool:
    """Whether ``at`` is ``holder`` or inside it: a thing cannot be sent there."""
    for _ in range(16):
        if at == holder:
            return True
        known = belief.entities.get(at)
        if known is None or known.parent is None:
            return False
        at = known.parent.id
    return True


def _twins(entity: str, belief: Belief) -> list[str]:
    known = belief.entities.get(entity)
    if known is None:
        return []
    return sorted(i for i, b in belief.entities.items() if b.entity.category == known.entity.category and i != entity)
