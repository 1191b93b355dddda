"""Learn-then-Test: the lowest commit threshold whose precision is certified, per family of actions.

A change is committed when its calibrated probability reaches a threshold. How far the threshold may come down so that at most a share α of
what is committed is wrong is decided on houses the weights were not trained on, by fixed-sequence testing (Angelopoulos et al., Learn
then Test, 2021): from strict to lax, each step is an exact binomial test of "more than α wrong" at level δ, and the first that cannot be
rejected ends the walk. The chance that the threshold returned does not keep its promise is then at most δ, for judgements that are
independent; `independent` picks such from transitions of the same episode.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Verb

LEVELS: tuple[float, ...] = (0.98, 0.99, 0.995)
CONFIDENCE = 0.9
POOLED = "any"
NEVER = math.inf  # a threshold no probability reaches

_FAMILY: Mapping[Verb, str] = MappingProxyType(
    {
        Verb.PICK: "pick",
        Verb.PLACE: "place",
        Verb.OPEN: "switch",
        Verb.CLOSE: "switch",
        Verb.TOGGLE_ON: "switch",
        Verb.TOGGLE_OFF: "switch",
        Verb.SLICE: "treat",
        Verb.FILL: "treat",
        Verb.POUR: "treat",
    }
)
FAMILIES: tuple[str, ...] = ("pick", "place", "switch", "treat", "move")


def family(verb: Verb) -> str:
    """The family a verb's changes are certified in; verbs that change nothing by themselves are ``move``."""
    return _FAMILY.get(verb, "move")


@dataclass(frozen=True)
class Judged:
    """One predicted change of a calibration transition: its probability, whether it was right, and what it is clustered by."""

    p: float
    right: bool
    family: str
    episode: str


def independent(judged: Iterable[Judged], rng: np.random.Generator) -> list[Judged]:
    """One judgement per (episode, family), drawn at random: those of one episode share a house, a light and a memory's mistakes."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for item in judged:
        groups.setdefault((item.episode, item.family), []).append(item)
    return [rows[int(rng.integers(len(rows)))] for _, rows in sorted(groups.items())]


def smallest_sample(level: float, confidence: float = CONFIDENCE) -> int:
    """Commits needed, all of them right, before precision ``level`` can be certified at all."""
    return math.ceil(math.log(1 - confidence) / math.log(level))


def p_values(p: NDArray[np.float64], right: NDArray[np.bool_], thresholds: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Exact binomial p-value, per threshold, of "what reaches it is wrong more often than 1 − ``level``"; 1 where nothing reaches it."""
    order = np.argsort(-p, kind="stable")
    ranked, wrong = p[order], np.concatenate([[0], np.cumsum(~right[order])])
    n = np.searchsorted(-ranked, -thresholds, side="right")
    return np.where(n > 0, binom.cdf(wrong[n], np.maximum(n, 1), 1 - level), 1.0)


def certified_threshold(p: Sequence[float], right: Sequence[bool], level: float, confidence: float = CONFIDENCE) -> float:
    """The lowest threshold certified to keep precision ``level`` with ``confidence``; `NEVER` where there is none.

    The walk starts at the strictest threshold that enough changes reach for a test to have a chance (a choice that looks at the
    probabilities alone, not at who was right), and goes through the probabilities that occur.

    Raises ConfigError for levels outside (0, 1) and probabilities outside [0, 1].
    """
    for name, value in (("level", level), ("confidence", confidence)):
        if not 0.0 < value < 1.0:
            raise ConfigError(f"{name} {value} must lie strictly between 0 and 1")
    p_N, right_N = np.asarray(p, dtype=np.float64), np.asarray(right, dtype=bool)
    if p_N.shape != right_N.shape or p_N.ndim != 1:
        raise ConfigError(f"{p_N.shape} probabilities for {right_N.shape} judgements")
    if not bool(np.all((p_N >= 0) & (p_N <= 1))):
        raise ConfigError("probabilities must lie in [0, 1]")
    enough = smallest_sample(level, confidence)
    if len(p_N) < enough:
        return NEVER
    start = np.sort(p_N)[::-1][enough - 1]
    walk = np.unique(p_N[p_N <= start])[::-1]
    passed = p_values(p_N, right_N, walk, level) <= 1 - confidence
    steps = int(np.argmin(passed)) if not passed.all() else len(walk)
    return float(walk[steps - 1]) if steps else NEVER


def thresholds(
    judged: Iterable[Judged], rng: np.random.Generator, levels: Sequence[float] = LEVELS, confidence: float = CONFIDENCE
) -> dict[str, dict[str, float]]:
    """{level: {family: threshold}}, with `POOLED` for all families together.

    A family too small to certify a level by itself takes the pooled threshold, if the pool has one: that promise then holds for the
    mix of the calibration houses and not for the family.
    """
    rows = independent(judged, rng)
    out: dict[str, dict[str, float]] = {}
    for level in levels:
        groups = {POOLED: rows} | {f: [r for r in rows if r.family == f] for f in FAMILIES}
        found = {f: certified_threshold([r.p for r in g], [r.right for r in g], level, confidence) for f, g in groups.items()}
        small = smallest_sample(level, confidence)
        out[f"{level:g}"] = {f: found[POOLED] if f != POOLED and len(groups[f]) < small else t for f, t in found.items()}
    return out


def realised(judged: Iterable[Judged], cut: Mapping[str, float]) -> dict[str, float]:
    """What thresholds did on other transitions: ``coverage`` (share committed), ``risk`` (share of those that is wrong), and counts."""
    rows = list(judged)
    kept = [r for r in rows if r.p >= cut.get(r.family, cut.get(POOLED, NEVER))]
    wrong = sum(not r.right for r in kept)
    return {
        "coverage": len(kept) / len(rows) if rows else float("nan"),
        "risk": wrong / len(kept) if kept else float("nan"),
        "committed": float(len(kept)),
        "wrong": float(wrong),
        "n": float(len(rows)),
    }
