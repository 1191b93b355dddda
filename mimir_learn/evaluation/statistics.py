"""Intervals and paired tests: Wilson for rates, bootstrap by task for means, McNemar and a paired bootstrap between arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, bootstrap
from statsmodels.stats.contingency_tables import mcnemar

from mimir_learn.errors import ConfigError

LEVEL = 0.95
RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A value with its confidence interval at level `LEVEL`, from ``n`` observations."""

    value: float
    low: float
    high: float
    n: int

    def to_dict(self) -> dict[str, float | int]:
        return asdict(self)


def wilson(successes: int, n: int) -> Interval:
    """Rate of ``successes`` in ``n`` trials with the Wilson score interval; no trials give (0, 0, 1)."""
    if not 0 <= successes <= n:
        raise ConfigError(f"{successes} successes in {n} trials")
    if n == 0:
        return Interval(0.0, 0.0, 1.0, 0)
    ci = binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return Interval(successes / n, float(ci.low), float(ci.high), n)


def mean_by_task(values: Sequence[float], tasks: Sequence[str], seed: int = 0) -> Interval:
    """Mean of per-episode ``values``; episodes of one task are resampled together, because they are not independent.

    ``value`` is the mean over episodes, ``n`` the number of episodes.
    """
    if len(values) != len(tasks):
        raise ConfigError(f"{len(values)} values for {len(tasks)} task ids")
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    sums, counts = _per_task(np.asarray(values, dtype=np.float64), tasks)
    low, high = _bootstrap_ratio(sums, counts, seed)
    return Interval(float(sums.sum() / counts.sum()), low, high, len(values))


def ratio_by_task(numerators: Sequence[float], denominators: Sequence[float], tasks: Sequence[str], seed: int = 0) -> Interval:
    """Pooled ratio Σ numerators / Σ denominators (say, false completions per completion), resampled by task; 0/0 gives 0.

    ``n`` is the pooled denominator.
    """
    if not len(numerators) == len(denominators) == len(tasks):
        raise ConfigError("numerators, denominators and task ids differ in length")
    total = float(np.sum(denominators))
    if total == 0:
        return Interval(0.0, 0.0, 0.0, 0)
    top, _ = _per_task(np.asarray(numerators, dtype=np.float64), tasks)
    bottom, _ = _per_task(np.asarray(denominators, dtype=np.float64), tasks)
    low, high = _bootstrap_ratio(top, bottom, seed)
    return Interval(float(top.sum() / total), low, high, int(total))


def _per_task(values: NDArray[np.float64], tasks: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    _, index = np.unique(np.asarray(tasks), return_inverse=True)
    return np.bincount(index, weights=values).astype(np.float64), np.bincount(index).astype(np.float64)


def _bootstrap_ratio(top: NDArray[np.float64], bottom: NDArray[np.float64], seed: int) -> tuple[float, float]:
    if len(top) < 2:
        value = float(top.sum() / bottom.sum())
        return value, value

    def statistic(a: NDArray[np.float64], b: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
        whole = b.sum(axis)
        return np.divide(a.sum(axis), whole, out=np.zeros_like(whole), where=whole > 0)

    ci = bootstrap(
        (top, bottom),
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(ci.low), float(ci.high)


@dataclass(frozen=True)
class Paired:
    """Two arms on the same episodes.

    Attributes:
        both, only_a, only_b, neither: how many episodes each arm got right.
        difference: rate of a minus rate of b, with a bootstrap interval that resamples tasks.
        p: two-sided exact McNemar p-value.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    difference: Interval
    p: float

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def paired(a: Sequence[bool], b: Sequence[bool], tasks: Sequence[str], seed: int = 0) -> Paired:
    """Compare two arms that ran the same episodes in the same order. Raises ConfigError when the lengths differ."""
    if not len(a) == len(b) == len(tasks):
        raise ConfigError(f"arms do not match: {len(a)} and {len(b)} episodes for {len(tasks)} task ids")
    x, y = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    table = [[int((x & y).sum()), int((x & ~y).sum())], [int((~x & y).sum()), int((~x & ~y).sum())]]
    difference = mean_by_task(list(x.astype(float) - y.astype(float)), tasks, seed)
    return Paired(table[0][0], table[0][1], table[1][0], table[1][1], difference, float(mcnemar(table, exact=True).pvalue))
