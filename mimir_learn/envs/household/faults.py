"""The seeded fault model: how often, and how, an action's outcome differs from its nominal effect."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from mimir_learn.checks import chance
from mimir_learn.errors import ConfigError

KINDS = ("slip", "wrong_instance", "drop", "beside", "stuck", "exogenous")


@dataclass(frozen=True)
class FaultRates:
    """Probabilities per action; all zero by default.

    Attributes:
        slip: a pick takes nothing.
        wrong_instance: a pick takes another thing near, of the same category if there is one.
        drop: a `go to` while holding loses the thing, half the time where it starts and half where it arrives.
        beside: a place misses its target.
        stuck: an open, close or toggle does nothing.
        exogenous: on any step somebody moves a thing or switches a device.
        silent: share of the faults whose flag and sentence still claim success.
    """

    slip: float = 0.0
    wrong_instance: float = 0.0
    drop: float = 0.0
    beside: float = 0.0
    stuck: float = 0.0
    exogenous: float = 0.0
    silent: float = 0.0

    def __post_init__(self) -> None:
        for f in fields(self):
            chance(f"fault rate {f.name}", getattr(self, f.name))
        if self.slip + self.wrong_instance > 1.0:
            raise ConfigError(f"slip + wrong_instance = {self.slip + self.wrong_instance} exceeds 1: both are faults of the same pick")

    @classmethod
    def level(cls, p: float, silent: float = 0.7) -> FaultRates:
        """The standard mix at level ``p``: each pick, place, open, close and toggle goes wrong with probability ``p``."""
        if not 0.0 <= p <= 1.0:
            raise ConfigError(f"fault level {p!r} is outside [0, 1]")
        return cls(p / 2, p / 2, p / 2, p, p, p / 10, silent if p > 0 else 0.0)


class FaultDice:
    """Draws faults in a fixed order from one generator, so that the same seed and commands give the same faults."""

    def __init__(self, rates: FaultRates, rng: np.random.Generator) -> None:
        self.rates = rates
        self.rng = rng

    def hits(self, kind: str) -> bool:
        """Whether a fault of this kind strikes now."""
        return bool(self.rng.random() < getattr(self.rates, kind))

    def pick(self) -> str:
        """``slip``, ``wrong_instance`` or "" for one pick."""
        u = self.rng.random()
        if u < self.rates.slip:
            return "slip"
        return "wrong_instance" if u < self.rates.slip + self.rates.wrong_instance else ""

    def silent(self) -> bool:
        """Whether the fault that just struck goes unreported."""
        return bool(self.rng.random() < self.rates.silent)

    def coin(self) -> bool:
        return bool(self.rng.random() < 0.5)
