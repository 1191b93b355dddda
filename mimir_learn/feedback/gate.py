"""The gate between Δ-source and memory: commits sure changes, holds doubtful ones, and asks for a second look.

**Commit**: a change at least as probable as the commit threshold is written. **Hold**: one below it and not below ``ignore`` is kept as an
alternative hypothesis, and the agent looks again before anything is written. **Contradict** is memory's: what a committed change or a look
refutes enters F_t.

The commit threshold is a number of the config's, or with ``risk`` what the source's calibration has certified for the action's family.

A certificate covers first looks only: it was fitted on single judgements, and nothing is promised of several looks combined. Where a family
has a certified threshold, further looks decide by ``second_commit`` as configured (0.5: the more probable of the two; None, or ``sure``:
the certified threshold again). Where it has none at the level, at no probability, its changes are held whatever further looks say:
``second_commit`` may lower a threshold but not stand in for one that the data deny.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import EMPTY, Change, Delta, Estimate, HandChange

_LOGIT_LIMIT = 12.0
VIEWS = ("doubt", "turn", "down", "stay")


@dataclass(frozen=True)
class GateConfig:
    """Thresholds on (calibrated) probabilities, and what is done in doubt.

    Attributes:
        commit: a change at least this probable is written at once.
        ignore: one less probable than this is dropped; between the two it is held and the agent looks again.
        min_confidence: a whole estimate less sure than this asks for a second look even where no single change is doubtful.
        second_commit: after the last look, combined probability above which a change is written; the rest stays held. None: the threshold
            of the first look. Under ``risk`` without a certificate, see the top of this file.
        look_again: False commits what reaches the threshold and holds the rest without looking.
        flag_log_odds: weight of the claimed flag beside the source's own success probability when σ_t is decided.
        risk: a level such as 0.99: the commit threshold is the one that the checkpoint's calibration has certified for it, per family of
            actions. ``commit`` then holds only for sources without calibrated probabilities.
        view: how the agent looks again, see `agent.second_look`: ``doubt`` (what fits the doubt), ``turn``, ``down``, ``stay``.
        looks: how often at most it looks again at one action.
    """

    commit: float = 0.9
    ignore: float = 0.1
    min_confidence: float = 0.5
    second_commit: float | None = 0.5
    look_again: bool = True
    flag_log_odds: float = 1.0
    risk: float | None = None
    view: str = "doubt"
    looks: int = 1

    def __post_init__(self) -> None:
        for name in ("commit", "ignore", "min_confidence", "second_commit"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value <= 1.0:
                raise ConfigError(f"gate.{name} is {value}; it is a probability in [0, 1]")
        if self.ignore > self.commit:
            raise ConfigError(f"gate.ignore ({self.ignore}) is above gate.commit ({self.commit})")
        if self.risk is not None and not 0.0 < self.risk < 1.0:
            raise ConfigError(f"gate.risk is {self.risk}; give the share of writes that is to be right, such as 0.99, or null")
        if self.view not in VIEWS:
            raise ConfigError(f"gate.view is {self.view!r}; choose one of {', '.join(VIEWS)}")
        whole("gate.looks", self.looks, 1)

    def build(self) -> DeltaGate:
        """The gate with these thresholds."""
        return DeltaGate(self)

    @classmethod
    def recorded(cls, body: Mapping[str, Any]) -> GateConfig:
        """The config of a stored result. Those that do not say how the agent looked again turned to the next viewpoint."""
        return cls(**{"view": "turn", **body})

    def named(self, words: str) -> GateConfig:
        """This config changed by some words.

        They are joined with ``+``: ``on`` (nothing), ``off`` (everything is written at once), a level such as
        ``0.99`` (``risk``), ``once`` (no second look), ``twice`` (two of them), a view, or how sure further looks must be: ``sure`` (as the
        first) or ``again=0.8`` (``second_commit``). Raises ConfigError for another word.
        """
        out = self
        for word in words.split("+"):
            if word == "off":
                out = replace(out, commit=0.0, ignore=0.0, min_confidence=0.0, look_again=False, risk=None)
            elif word in VIEWS:
                out = replace(out, view=word)
            elif word in ("once", "twice"):
                out = replace(out, look_again=word == "twice", looks=2 if word == "twice" else out.looks)
            elif word == "sure":
                out = replace(out, second_commit=None)
            elif word != "on":
                try:
                    number = float(word.removeprefix("again="))
                except ValueError:
                    known = ", ".join(("on", "off", "a level such as 0.99", "once", "twice", "sure", "again=0.8", *VIEWS))
                    raise ConfigError(f"gate is {words!r}; {word!r} is none of {known}") from None
                out = replace(out, second_commit=number) if word.startswith("again=") else replace(out, risk=number)
        return out


@dataclass(frozen=True)
class Verdict:
    """What memory gets: ``committed`` and ``held`` changes and σ_t. With ``look_again`` nothing is written until the next look."""

    committed: Delta
    held: Delta
    look_again: bool
    sigma: bool


class DeltaGate:
    """Stateless: commit · hold · look again."""

    def __init__(self, config: GateConfig | None = None) -> None:
        self.config = config or GateConfig()

    def commit_at(self, estimate: Estimate) -> float:
        """The probability at which a change of ``estimate`` is written at once.

        Raises ConfigError where ``risk`` asks for a level that the source's calibration has no thresholds for.
        """
        level = self.config.risk
        if level is None or estimate.certified is None:
            return self.config.commit
        found = dict(estimate.certified).get(level)
        if found is None:
            has = ", ".join(f"{known:g}" for known, _ in estimate.certified) or "none"
            raise ConfigError(
                f"gate.risk is {level:g}, and the estimator's calibration has thresholds for {has}; make it again with "
                "`mimir calibrate CHECKPOINT --log LOG`, or choose a level it has, or gate.risk null"
            )
        return found

    def judge(self, estimate: Estimate, claimed: bool = True) -> Verdict:
        """Verdict on a first look. ``claimed`` is the environment's flag. Raises ConfigError, see `commit_at`."""
        c = self.config
        sigma = self.sigma([estimate], claimed)
        if not estimate.parsed:
            return Verdict(EMPTY, EMPTY, False, sigma)  # looking again would read the same sentence
        commit = self.commit_at(estimate)
        committed = [x for x in _facts(estimate.delta) if x.p >= commit]
        held = [x for x in _facts(estimate.delta) if c.ignore <= x.p < commit]
        again = c.look_again and (bool(held) or estimate.confidence < c.min_confidence)
        if again:
            return Verdict(EMPTY, Delta.fitting([*committed, *held]), True, sigma)
        return Verdict(Delta.fitting(committed), Delta.fitting(held), False, sigma)

    def judge_again(self, first: Estimate, second: Estimate, claimed: bool = True) -> Verdict:
        """Verdict on two looks at the same action, the second being the last one."""
        return self.judge_looks([first, second], claimed)

    def judge_looks(self, looks: Sequence[Estimate], claimed: bool = True, final: bool = True) -> Verdict:
        """Verdict on several looks at the same action: their log-odds add, so agreement is worth more than either alone.

        The looks must be at different pictures: one picture judged twice is one piece of evidence, and its log-odds count once (the caller
        has the frames and leaves the repetition out).

        A look that does not list a change speaks against it with the confidence it has in its whole answer. Of two changes of one fact the
        more probable one is kept. Unless ``final``, what is still between ``ignore`` and the threshold of a first look asks for one more.
        """
        c = self.config
        best: dict[tuple[str, str], Change] = {}
        for change in (x for look in looks for x in _facts(look.delta)):
            p = _sigmoid(sum(_logit(_support(look, change)) for look in looks))
            if change.key not in best or best[change.key].p < p:
                best[change.key] = replace(change, p=p)
        ranked = sorted(best.values(), key=lambda x: (-x.p, x.key))
        sigma = self.sigma(looks, claimed)
        first = self.commit_at(looks[0])
        if not final and any(c.ignore <= x.p < first for x in ranked):
            return Verdict(EMPTY, Delta.fitting([x for x in ranked if x.p >= c.ignore]), True, sigma)
        last = c.second_commit if math.isfinite(first) else None
        committed = [x for x in ranked if (x.p >= first if last is None else x.p > last)]
        held = [x for x in ranked if x not in committed and x.p >= c.ignore]
        return Verdict(Delta.fitting(committed), Delta.fitting(held), False, sigma)

    def sigma(self, estimates: Sequence[Estimate], claimed: bool) -> bool:
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
