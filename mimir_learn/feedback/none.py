"""Δ-source ``none``: Δ = ∅ whatever happens, the falsifier."""

from __future__ import annotations

from mimir_learn.symbols import EMPTY, Estimate, Transition


class NoneSource:
    """Reads nothing and reports nothing."""

    name = "none"

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        return Estimate(EMPTY)
