"""Learn-then-Test: the lowest commit threshold whose precision is certified, per family of actions.

A change is committed when its calibrated probability reaches a threshold. How far the threshold may come down so that at most a share α of
what is committed is wrong is decided on houses the weights were not trained on, by fixed-sequence testing (Angelopoulos et al., Learn
then Test, 2021): from strict to lax, each step is an exact binomial test of "more than α wrong" at level δ, and the first that cannot be
rejected ends the walk. The chance that the threshold returned does not keep its promise is then at most δ, for judgements that are
independent.

Those of one house are not: they share a light, a layout and a memory's mistakes. Two cures: ``one`` tests one judgement per (episode,
family), which keeps the promise exact and throws most of the data away; ``houses`` tests all of them, and asks in addition that the share
of wrong ones is below α in all but a share δ of bootstrap samples drawn by house, which is approximate and uses everything.

A few houses cannot say how much houses differ, and a bootstrap of them is far too sure. So nothing is certified by fewer than
`LEAST_HOUSES` houses, counted among the judgements that reach the threshold, whichever the method. Simulated with houses that differ a lot
(a log-odds of deviation 1 each), a promise of 90 % at level 0.95 was broken in 33 % of calibrations on 2 houses, 23 % on 5, 15 % on 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from mimir_learn.errors import ConfigError
from mimir_learn.symbols.families import FAMILIES, family

__all__ = [
    "CONFIDENCE", "FAMILIES", "LEAST_HOUSES", "LEVELS", "METHODS", "NEVER", "POOLED", "Cuts", "Judged", "certified_threshold",
    "cluster_p_values", "family", "independent", "p_values", "realised", "shortage", "smallest_sample", "thresholds", "unopposed",
]  # fmt: skip

LEVELS: tuple[float, ...] = (0.98, 0.99, 0.995)
CONFIDENCE = 0.9
POOLED = "any"
NEVER = math.inf  # a threshold no probability reaches
METHODS = ("houses", "one")
_DRAWS = 1000  # bootstrap samples
LEAST_HOUSES = 10  # see the top of this file


@dataclass(frozen=True)
class Judged:
    """One predicted change of a calibration transition: its probability, whether it was right, and what it is clustered by."""

    p: float
    right: bool
    family: str
    episode: str
    house: str = ""


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


def cluster_p_values(
    p: NDArray[np.float64], right: NDArray[np.bool_], houses: Sequence[str], thresholds: NDArray[np.float64], level: float,
    rng: np.random.Generator,
) -> NDArray[np.float64]:  # fmt: skip
    """Per threshold: in what share of bootstrap samples of houses more than 1 − ``level`` of what reaches it is wrong, or nothing does."""
    _, house = np.unique(np.asarray(houses), return_inverse=True)
    count = int(house.max()) + 1
    reached_NT = p[:, None] >= thresholds[None, :]
    n_HT, wrong_HT = (np.zeros((count, len(thresholds))) for _ in range(2))
    np.add.at(n_HT, house, reached_NT)
    np.add.at(wrong_HT, house, reached_NT & ~right[:, None])
    weight_DH = rng.multinomial(count, np.full(count, 1 / count), size=_DRAWS)
    n_DT, wrong_DT = weight_DH @ n_HT, weight_DH @ wrong_HT
    return np.asarray((wrong_DT > (1 - level) * n_DT) | (n_DT == 0)).mean(0)


def certified_threshold(
    p: Sequence[float], right: Sequence[bool], level: float, confidence: float = CONFIDENCE,
    houses: Sequence[str] | None = None, rng: np.random.Generator | None = None,
) -> float:  # fmt: skip
    """The lowest threshold certified to keep precision ``level`` with ``confidence``; `NEVER` where there is none.

    The walk starts at the strictest threshold that enough changes reach for a test to have a chance (a choice that looks at the
    probabilities alone, not at who was right), and goes through the probabilities that occur. With ``houses`` (which house each judgement
    is of) changes of at least `LEAST_HOUSES` houses must reach it, and with ``rng`` too a step must also pass the bootstrap by house.

    Raises ConfigError for levels outside (0, 1), probabilities outside [0, 1], and lists of different lengths.
    """
    for name, value in (("level", level), ("confidence", confidence)):
        if not 0.0 < value < 1.0:
            raise ConfigError(f"{name} {value} must lie strictly between 0 and 1")
    p_N, right_N = np.asarray(p, dtype=np.float64), np.asarray(right, dtype=bool)
    if p_N.shape != right_N.shape or p_N.ndim != 1 or (houses is not None and len(houses) != len(p_N)):
        named = "" if houses is None else f" and {len(houses)} houses"
        raise ConfigError(f"{p_N.shape} probabilities for {right_N.shape} judgements{named}: give one of each")
    if not bool(np.all((p_N >= 0) & (p_N <= 1))):
        raise ConfigError("probabilities must lie in [0, 1]")
    enough = smallest_sample(level, confidence)
    if len(p_N) < enough:
        return NEVER
    start = np.sort(p_N)[::-1][enough - 1]
    if houses is not None:
        best_H: dict[str, float] = {}
        for house, value in zip(houses, p_N.tolist(), strict=True):
            best_H[house] = max(best_H.get(house, 0.0), value)
        if len(best_H) < LEAST_HOUSES:
            return NEVER
        start = min(start, sorted(best_H.values())[-LEAST_HOUSES])
    walk = np.unique(p_N[p_N <= start])[::-1]
    passed = p_values(p_N, right_N, walk, level) <= 1 - confidence
    if houses is not None and rng is not None:
        passed &= cluster_p_values(p_N, right_N, houses, walk, level, rng) <= 1 - confidence
    steps = int(np.argmin(passed)) if not passed.all() else len(walk)
    return float(walk[steps - 1]) if steps else NEVER


def unopposed(rows: Sequence[Judged], level: float) -> float:
    """The lowest threshold from which upwards no more than 1 − ``level`` of ``rows`` is wrong at any threshold: what a few judgements can
    say, which is not a certificate. 0 without rows."""
    ranked = sorted(rows, key=lambda r: -r.p)
    wrong, cut = 0, math.nextafter(ranked[0].p, math.inf) if ranked else 0.0
    for n, row in enumerate(ranked, 1):
        wrong += not row.right
        tied = n < len(ranked) and ranked[n].p == row.p
        if not tied and wrong > (1 - level) * n:
            return cut
        cut = cut if tied else row.p
    return 0.0


@dataclass(frozen=True)
class Cuts:
    """Thresholds of one level: of every family and of all together (`POOLED`), and which families are certified by their own judgements."""

    threshold: Mapping[str, float]
    own: tuple[str, ...]


def thresholds(
    judged: Iterable[Judged], rng: np.random.Generator, levels: Sequence[float] = LEVELS, confidence: float = CONFIDENCE,
    method: str = "houses",
) -> dict[str, Cuts]:  # fmt: skip
    """The thresholds per level ("0.99").

    A family whose own judgements do not certify a level (there are too few of them, or too many are wrong) takes the pool's threshold,
    raised to where its own judgements do not speak against the level (`unopposed`). The promise then holds for the mix of the
    calibration houses and not for the family. A stricter level never gets a lower threshold.

    ``method``: see the top of this file. Raises ConfigError for another one.
    """
    if method not in METHODS:
        raise ConfigError(f"method is {method!r}; choose one of {', '.join(METHODS)}")
    given = list(judged)
    rows = independent(given, rng) if method == "one" else given
    groups = {POOLED: rows} | {f: [r for r in rows if r.family == f] for f in FAMILIES}
    out: dict[str, Cuts] = {}
    floor = dict.fromkeys(groups, 0.0)
    for level in sorted(levels):
        found = {}
        for name, group in groups.items():
            houses, draws = [r.house for r in group], rng if method == "houses" else None
            found[name] = certified_threshold([r.p for r in group], [r.right for r in group], level, confidence, houses, draws)
        own = tuple(f for f in FAMILIES if found[f] < NEVER)
        for f in FAMILIES:
            if f not in own:
                found[f] = max(found[POOLED], unopposed(groups[f], level))
        floor = {f: max(t, floor[f]) for f, t in found.items()}
        out[f"{level:g}"] = Cuts(dict(floor), own)
    return out


def shortage(judged: Iterable[Judged]) -> str:
    """What to say of judgements that are of too few houses to certify anything, or a family by itself; "" where they are of enough."""
    seen: dict[str, set[str]] = {name: set() for name in (POOLED, *FAMILIES)}
    for row in judged:
        seen[POOLED].add(row.house)
        seen[row.family].add(row.house)
    if len(seen[POOLED]) < LEAST_HOUSES:
        return f"no threshold is certified: judged changes are of {len(seen[POOLED])} houses, and it takes {LEAST_HOUSES}"
    if few := [f"{f} ({len(seen[f])})" for f in FAMILIES if len(seen[f]) < LEAST_HOUSES]:
        return f"not certified by themselves, with changes of fewer than {LEAST_HOUSES} houses: {', '.join(few)}"
    return ""


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
