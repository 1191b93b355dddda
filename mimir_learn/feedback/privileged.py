"""Δ-source ``privileged``: the difference of the simulator's own state before and after."""

from __future__ import annotations

from collections.abc import Callable

from mimir_learn.feedback.schema import nominal_delta
from mimir_learn.symbols import Delta, Estimate, PrivilegedState, Snapshot, Transition

Privileged = Callable[[], PrivilegedState]


class PrivilegedSource:
    """Upper bound: true Δ since the last call, changes out of view included.

    Args:
        state: the sealed channel, ``env.privileged_state``. The environment must have been reset before `reset`.
    """

    name = "privileged"

    def __init__(self, state: Privileged) -> None:
        self._state = state
        self._last: Snapshot | None = None

    def reset(self, seed: int) -> None:
        """Remember the state the episode starts from."""
        self._last = self._state().snapshot

    def difference(self) -> Delta:
        """True Δ since the last call."""
        now = self._state().snapshot
        before, self._last = self._last, now
        return now.diff(now) if before is None else before.diff(now, self.name)

    def estimate(self, transition: Transition) -> Estimate:
        delta = self.difference()
        return Estimate(delta, success=achieved(transition, delta))


def achieved(transition: Transition, delta: Delta) -> float:
    """1.0 iff the action's nominal effect is in ``delta``; for actions without one, the claimed flag is all there is."""
    nominal = nominal_delta(transition.action, transition.belief)
    return float(nominal.atoms <= delta.atoms) if nominal else float(transition.outcome.success)
