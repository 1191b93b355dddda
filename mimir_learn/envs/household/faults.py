"""The seeded fault model: how often, and how, an action's outcome differs from its nominal effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np

from mimir_learn.checks import chance
from mimir_learn.errors import ConfigError

KINDS = (
    "slip", "wrong_instance", "drop", "beside", "stuck", "exogenous", "partial", "unfilled", "breaks", "misplaced", "unplaced", "third_put",
    "camera",
)  # fmt: skip
"""What `PrivilegedState.fault` can name; "" means nothing went wrong."""


@dataclass(frozen=True)
class FaultRates:
    """Probabilities per action; all zero by default.

    Attributes:
        slip: a pick takes nothing.
        wrong_instance: a pick takes another thing near, of the same category if there is one.
        drop: a `go to` while holding loses the thing, half the time where it starts and half where it arrives.
        beside: a place misses its target.
        stuck: an open, close, toggle or slice does nothing.
        exogenous: on any step somebody moves a thing, switches a device, or opens or closes something.
        silent: share of the faults whose flag and sentence still claim success.
        partial: an open stops half way: the door is ajar, too narrow to reach in.
        unfilled: a fill leaves the vessel empty; a pour empties it but misses its target.
        breaks: a breakable thing that is put down or dropped breaks; what it held lies around it, liquid is lost.
        misplaced: a place puts the thing on the next-nearest open receptacle of that category in the room instead; where there is
            none with room for it, it becomes a ``beside`` (or nothing, if those are off).
        unplaced: a place does not come off: the thing stays in the hand.
        third_put: the third place in a row that does not come off at one receptacle (unplaced, or refused because it is closed or full)
            drops the thing. Always reported as a failure. A place that comes off, opening or closing it and trying another one start anew.
        camera: a pick, place, open or close takes several tries, which leave the camera at another viewpoint. The kind is recorded where
            nothing else went wrong; what the action does is what it says.
    """

    slip: float = 0.0
    wrong_instance: float = 0.0
    drop: float = 0.0
    beside: float = 0.0
    stuck: float = 0.0
    exogenous: float = 0.0
    silent: float = 0.0
    partial: float = 0.0
    unfilled: float = 0.0
    breaks: float = 0.0
    misplaced: float = 0.0
    unplaced: float = 0.0
    third_put: float = 0.0
    camera: float = 0.0

    def __post_init__(self) -> None:
        for f in fields(self):
            chance(f"fault rate {f.name}", getattr(self, f.name))
        if self.slip + self.wrong_instance > 1.0:
            raise ConfigError(f"slip + wrong_instance = {self.slip + self.wrong_instance} exceeds 1: both are faults of the same pick")
        if (total := self.beside + self.misplaced + self.unplaced) > 1.0:
            raise ConfigError(f"beside + misplaced + unplaced = {total} exceeds 1: all are faults of the same place")
        if (total := self.stuck + self.partial) > 1.0:
            raise ConfigError(f"stuck + partial = {total} exceeds 1: both are faults of the same open")

    @classmethod
    def level(cls, p: float, silent: float = 0.7) -> FaultRates:
        """The standard mix at level ``p``: each pick, open, toggle, slice and fill goes wrong with chance ``p``, see docs/household.md."""
        if not 0.0 <= p <= 1.0:
            raise ConfigError(f"fault level {p!r} is outside [0, 1]")
        return cls(
            slip=p / 2, wrong_instance=p / 2, drop=p / 2, beside=p / 2, misplaced=p / 4, unplaced=p / 4, third_put=1.0 if p > 0 else 0.0,
            stuck=p * 3 / 4, partial=p / 4, unfilled=p, breaks=p / 4, camera=p / 4, exogenous=p / 10, silent=silent if p > 0 else 0.0,
        )  # fmt: skip

    @classmethod
    def suite(cls, name: str) -> FaultRates:
        """One of the named fault suites of `FAULT_SUITES`. Raises ConfigError for another name."""
        try:
            return FAULT_SUITES[name]
        except KeyError:
            raise ConfigError(f"unknown fault suite {name!r}; known: {', '.join(FAULT_SUITES)}") from None


FAULT_SUITES: Mapping[str, FaultRates] = MappingProxyType(
    {
        "none": FaultRates(),
        "mild": FaultRates.level(0.1),
        "rough": FaultRates.level(0.25),
        "silent": FaultRates.level(0.25, silent=1.0),
        "exogenous": FaultRates(exogenous=0.1),
    }
)
"""Named mixes that results are reported under: nothing, the standard mix at 0.1 and 0.25, the latter never admitted, and only somebody
else in the house, on every tenth step."""


class FaultDice:
    """Draws faults, each kind from a stream of its own, so that the rate of one kind does not change the draws of another.

    The same generator state and commands give the same faults. ``rng`` is what places and choices are drawn from.
    """

    def __init__(self, rates: FaultRates, rng: np.random.Generator) -> None:
        self.rates = rates
        self.rng = rng
        self._base = int(rng.integers(2**32))
        self._streams: dict[str, np.random.Generator] = {}

    def hits(self, kind: str) -> bool:
        """Whether a fault of this kind strikes now."""
        return self._draw(kind) < getattr(self.rates, kind)

    def first_of(self, *kinds: str) -> str:
        """Which of several faults of one action strikes, "" for none; each with its own rate, no two at once."""
        struck, left = "", 1.0
        for kind in kinds:
            rate = getattr(self.rates, kind)
            if self._draw(kind) * left < rate and not struck:
                struck = kind
            left -= rate
        return struck

    def silent(self) -> bool:
        """Whether the fault that just struck goes unreported."""
        return self._draw("silent") < self.rates.silent

    def coin(self) -> bool:
        """Heads: a drop happens where the way starts."""
        return self._draw("coin") < 0.5

    def _draw(self, name: str) -> float:
        if name not in self._streams:
            self._streams[name] = np.random.default_rng([self._base, _STREAMS.index(name)])
        return float(self._streams[name].random())


_STREAMS = (*KINDS, "silent", "coin")
