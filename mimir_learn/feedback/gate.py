"""The gate between Δ-source and memory: commits sure changes, holds doubtful ones, and asks for a second look."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import EMPTY, Change, Delta, Estimate, HandChange

_LOGIT_LIMIT = 12.0


@dataclass(frozen=True)
class GateConfig:
    """Thresholds on (calibrated) probabilities.

    Attributes:
        commit: a change at least this probable is written at once.
        ignore: one less probable than this is dropped; between the two it is held and the agent looks again.
        min_confidence: a whole estimate less sure than this asks for a second look even where no single change is doubtful.
        second_commit: after the second look, combined probability above which a change is written; the rest stays held.
        look_again: False commits what reaches ``commit`` and holds the rest without looking.
        flag_log_odds: weight of the claimed flag beside the source's own success probability when σ_t is decided.
    """

    commit: float = 0.9
    ignore: float = 0.1
    min_confidence: float = 0.5
    second_commit: float = 0.5
    look_again: bool = True
    flag_log_odds: float = 1.0

    def __post_init__(self) -> None:
        for name in ("commit", "ignore", "min_confidence", "second_commit"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise ConfigError(f"gate.{name} is {value}; it is a probability in [0, 1]")
        if self.ignore > self.commit:
            raise ConfigError(f"gate.ignore ({self.ignore}) is above gate.commit ({self.commit})")

    def build(self) -> DeltaGate:
        """The gate with these thresholds."""
        return DeltaGate(self)


@dataclass(frozen=True)
class Verdict:
    """What memory gets: ``committed`` and ``held`` changes and σ_t. With ``look_again`` nothing is written until the second look."""

    committed: Delta
    held: Delta
    look_again: bool
    sigma: bool


class DeltaGate:
    """Stateless: commit · hold · look again."""

    def __init__(self, config: GateConfig | None = None) -> None:
        self.config = config or GateConfig()

    def judge(self, estimate: Estimate, claimed: bool = True) -> Verdict:
        """Verdict on a first look. ``claimed`` is the environment's flag."""
        c = self.config
        sigma = self.sigma([estimate], claimed)
        if not estimate.parsed:
            return Verdict(EMPTY, EMPTY, False, sigma)  # looking again would read the same sentence
        committed = [x for x in _facts(estimate.delta) if x.p >= c.commit]
        held = [x for x in _facts(estimate.delta) if c.ignore <= x.p < c.commit]
        again = c.look_again and (bool(held) or estimate.confidence < c.min_confidence)
        if again:
            return Verdict(EMPTY, Delta.fitting([*committed, *held]), True, sigma)
        return Verdict(Delta.fitting(committed), Delta.fitting(held), False, sigma)

    def judge_again(self, first: Estimate, second: Estimate, claimed: bool = True) -> Verdict:
        """Verdict on two looks at the same action: their log-odds add, so agreement is worth more than either alone.

        A look that does not list a change speaks against it with the confidence it has in its whole answer. Of two changes of one fact the
        more probable one is kept.
        """
        best: dict[tuple[str, str], Change] = {}
        for change in [*_facts(first.delta), *_facts(second.delta)]:
            p = _sigmoid(_logit(_support(first, change)) + _logit(_support(second, change)))
            combined = replace(change, p=p)
            if change.key not in best or best[change.key].p < p:
                best[change.key] = combined
        ranked = sorted(best.values(), key=lambda x: (-x.p, x.key))
        committed = [x for x in ranked if x.p > self.config.second_commit]
        held = [x for x in ranked if self.config.ignore <= x.p <= self.config.second_commit]
        return Verdict(Delta.fitting(committed), Delta.fitting(held), False, self.sigma([first, second], claimed))

    def sigma(self, estimates: list[Estimate], claimed: bool) -> bool:
        """σ_t: the claimed flag, outweighed by sources that have an opinion of their own."""
        opinions = [e.success for e in estimates if e.success is not None]
        if not opinions:
            return claimed
        flag = self.config.flag_log_odds if claimed else -self.config.flag_log_odds
        return sum(_logit(p) for p in opinions) + flag > 0


def _facts(delta: Delta) -> Iterator[Change]:
    """The changes apart from the hand's, which the relations imply."""
    return (c for c in delta if not isinstance(c, HandChange))


def _support(estimate: Estimate, change: Change) -> float:
    """Probability an estimate gives to ``change``."""
    said = next((c for c in estimate.delta if c.key == change.key), None)
    if said is not None and said.new == change.new:
        return said.p
    if not estimate.parsed:
        return 0.5
    return min(1.0 - said.p if said is not None else 1.0 - estimate.confidence, 0.5)


def _logit(p: float) -> float:
    p = min(max(p, 1e-9), 1 - 1e-9)
    return max(-_LOGIT_LIMIT, min(_LOGIT_LIMIT, math.log(p / (1 - p))))


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))
