"""Intervals and paired tests that respect that episodes of one task are not independent.

Proportions: Wilson on the cluster-effective sample size. Means: bootstrap by task. Two arms: sign-flip permutation test by task, and an
interval that never contradicts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import bootstrap, norm, permutation_test
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint, proportion_effectsize

from mimir_learn.errors import ConfigError

LEVEL = 0.95
RESAMPLES = 2000
FLIPS = 9999

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A value with its confidence interval at level `LEVEL`, from ``n`` observations."""

    value: float
    low: float
    high: float
    n: int

    def to_dict(self) -> dict[str, float | int]:
        return asdict(self)


def wilson(successes: float, n: float) -> tuple[float, float]:
    """The Wilson score interval; ``n`` may be an effective sample size; no trials give (0, 1). Raises ConfigError."""
    if not 0 <= successes <= n:
        raise ConfigError(f"{successes} successes in {n} trials")
    if n == 0:
        return 0.0, 1.0
    low, high = proportion_confint(successes, n, 1 - LEVEL, "wilson")
    return float(low), float(high)


def proportion_by_task(successes: Sequence[float], trials: Sequence[float], tasks: Sequence[str]) -> Interval:
    """Pooled proportion Σ successes / Σ trials with the Wilson interval on the effective sample size n / deff.

    deff, at least 1, is the variance of the proportion between tasks over that of as many independent trials. Where all trials came
    out alike it cannot be estimated; then a task counts as one trial, so that repeating it under other seeds does not feign certainty.
    ``n`` is Σ trials; none gives value 0 with interval (0, 1). Each episode's successes must lie between 0 and its trials.
    """
    if not len(successes) == len(trials) == len(tasks):
        raise ConfigError("successes, trials and task ids differ in length")
    hits, sizes = _per_task(np.asarray(successes, dtype=np.float64), tasks), _per_task(np.asarray(trials, dtype=np.float64), tasks)
    hits, sizes = hits[sizes > 0], sizes[sizes > 0]
    n = float(sizes.sum())
    if n == 0:
        return Interval(0.0, 0.0, 1.0, 0)
    p = float(hits.sum() / n)
    binomial = p * (1 - p) / n
    between = float(((hits - p * sizes) ** 2).sum()) / n**2
    deff = max(1.0, between / binomial) if binomial > 0 else max(1.0, n / len(sizes))
    low, high = wilson(p * n / deff, n / deff)
    return Interval(p, low, high, round(n))


def mean_by_task(values: Sequence[float], tasks: Sequence[str], seed: int = 0) -> Interval:
    """Mean of per-episode ``values``; episodes of one task are resampled together, because they are not independent.

    ``value`` is the mean over episodes, ``n`` the number of episodes. Values that are all equal give an interval without width.
    """
    if len(values) != len(tasks):
        raise ConfigError(f"{len(values)} values for {len(tasks)} task ids")
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    sums, counts = _per_task(np.asarray(values, dtype=np.float64), tasks), _per_task(np.ones(len(values)), tasks)
    low, high = _bootstrap_ratio(sums, counts, seed)
    return Interval(float(sums.sum() / counts.sum()), low, high, len(values))


def _per_task(values: Array, tasks: Sequence[str]) -> Array:
    """Sum per task, tasks sorted by name."""
    _, index = np.unique(np.asarray(tasks), return_inverse=True)
    return np.bincount(index, weights=values).astype(np.float64)


def _bootstrap_ratio(top: Array, bottom: Array, seed: int) -> tuple[float, float]:
    if len(top) < 2:
        value = float(top.sum() / bottom.sum())
        return value, value

    def statistic(a: Array, b: Array, axis: int = -1) -> Array:
        return np.asarray(a.sum(axis) / b.sum(axis))

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
        difference: rate of a minus rate of b. Its interval holds 0 whenever ``p`` is above 1 − `LEVEL`.
        p: two-sided sign-flip permutation test by task: exact with few tasks that differ, else Monte Carlo with `FLIPS` draws.
        mcnemar: two-sided exact McNemar p-value; None with several episodes a task, which it would take for independent.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    difference: Interval
    p: float
    mcnemar: float | None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def paired(a: Sequence[bool], b: Sequence[bool], tasks: Sequence[str], seed: int = 0) -> Paired:
    """Compare two arms that ran the same episodes in the same order. Raises ConfigError when the lengths differ or there are none."""
    if not len(a) == len(b) == len(tasks):
        raise ConfigError(f"arms do not match: {len(a)} and {len(b)} episodes for {len(tasks)} task ids")
    if not len(a):
        raise ConfigError("there are no episodes to compare")
    x, y = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    table = [[int((x & y).sum()), int((x & ~y).sum())], [int((~x & y).sum()), int((~x & ~y).sum())]]
    sums_a, sums_b, sizes = (_per_task(v.astype(np.float64), tasks) for v in (x, y, np.ones(len(x))))
    p = _sign_flip_p(sums_a, sums_b, seed)
    inverted, squared = _inverted(sums_a - sums_b, sizes, seed), _square_and_add(a, b, tasks)
    low, high = min(inverted[0], squared[0]), max(inverted[1], squared[1])
    if p > 1 - LEVEL:  # the two draw other flips: at the very border they could disagree
        low, high = min(low, 0.0), max(high, 0.0)
    difference = Interval(float(x.mean() - y.mean()), max(-1.0, low), min(1.0, high), len(x))
    exact = float(mcnemar(table, exact=True).pvalue) if sizes.max() == 1 else None
    return Paired(table[0][0], table[0][1], table[1][0], table[1][1], difference, p, exact)


def paired_mean(a: Sequence[float], b: Sequence[float], tasks: Sequence[str], seed: int = 0) -> tuple[Interval, float]:
    """Mean of a − b on the same episodes with a bootstrap interval by task, and the two-sided sign-flip p-value by task.

    Raises ConfigError when the lengths differ or there are none.
    """
    if not len(a) == len(b) == len(tasks) or not len(a):
        raise ConfigError(f"arms do not match: {len(a)} and {len(b)} values for {len(tasks)} task ids")
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return mean_by_task((x - y).tolist(), tasks, seed), _sign_flip_p(_per_task(x, tasks), _per_task(y, tasks), seed)


def _sign_flip_p(a: Array, b: Array, seed: int) -> float:
    """H₀: within a task it is a coin's toss which arm is called a. Tasks with equal sums have nothing to flip."""
    differ = a != b
    if not differ.any():
        return 1.0
    if differ.sum() == 1:
        return 1.0  # scipy wants two; one task can be flipped one way or the other, both as extreme

    def statistic(s: Array, t: Array, axis: int = -1) -> Array:
        return np.asarray((s - t).sum(axis))

    result = permutation_test(
        (a[differ], b[differ]),
        statistic,
        permutation_type="samples",
        vectorized=True,
        n_resamples=FLIPS,
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def _inverted(difference: Array, sizes: Array, seed: int) -> tuple[float, float]:
    """All δ that the sign-flip test of "the difference is δ" does not reject.

    With D = Σd, n = Σm and A, M the same sums under one draw of signs, the draw is at least as extreme as the data iff
    |A − δM| ≥ |D − δn|, that is for δ between (D − A)/(n − M) and (D + A)/(n + M), which both lie about D/n. So the p-value falls
    to both sides of D/n, and the limits are order statistics of these bounds.
    """
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(FLIPS, len(sizes)))
    a, m, d, n = signs @ difference, signs @ sizes, difference.sum(), sizes.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (d - a) / (n - m), (d + a) / (n + m)
    unflipped = np.isclose(abs(m), n)  # such a draw is as extreme as the data whatever δ
    low = np.sort(np.where(unflipped, -np.inf, np.fmin(one, other)))
    high = np.sort(np.where(unflipped, np.inf, np.fmax(one, other)))[::-1]
    needed = int(np.floor((1 - LEVEL) * (FLIPS + 1) - 1)) + 1  # p = (1 + count) / (FLIPS + 1) > 1 − LEVEL
    return float(max(low[needed - 1], -1.0)), float(min(high[needed - 1], 1.0))


def _square_and_add(a: Sequence[bool], b: Sequence[bool], tasks: Sequence[str]) -> tuple[float, float]:
    """Newcombe's interval for a paired difference (his method 10 without continuity correction) from the arms' Wilson intervals.

    Where few tasks differ the inverted test has next to nothing to flip and its interval collapses; this one does not.
    """
    ones = [1.0] * len(tasks)
    p, q = proportion_by_task(a, ones, tasks), proportion_by_task(b, ones, tasks)
    x, y = (_per_task(np.asarray(v, dtype=np.float64), tasks) / _per_task(np.ones(len(tasks)), tasks) for v in (a, b))
    phi = float(np.corrcoef(x, y)[0, 1]) if x.std() > 0 and y.std() > 0 else 0.0

    def reach(s: float, t: float) -> float:
        return float(np.sqrt(max(0.0, s * s - 2 * phi * s * t + t * t)))

    middle = p.value - q.value
    return middle - reach(p.value - p.low, q.high - q.value), middle + reach(p.high - p.value, q.value - q.low)


# ---- a table of tests ------------------------------------------------------------------------------------------------------


def holm(p: Sequence[float]) -> list[float]:
    """Holm-adjusted p-values of the tests of one table, in their order: below α they may be claimed together at family-wise level α."""
    return [float(x) for x in multipletests(list(p), method="holm")[1]] if len(p) else []


def effect_size(a: float, b: float) -> float:
    """Cohen's h of two proportions: 0.2 small, 0.5 medium, 0.8 large."""
    return float(proportion_effectsize(a, b))


def minimum_detectable(a: Sequence[bool], b: Sequence[bool], tasks: Sequence[str], power: float = 0.8) -> float:
    """The smallest true difference of two paired rates that a test at `LEVEL` on these episodes would find with this ``power``.

    Connor's sample-size formula for paired proportions, solved for the difference, at the share of episodes on which the arms were seen to
    differ (at least one of them), with the design effect of repeating tasks. 1.0 where not even a difference of 1 would do.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(x) == len(y) == len(tasks) or not len(x):
        raise ConfigError(f"arms do not match: {len(x)} and {len(y)} episodes for {len(tasks)} task ids")
    differ, sizes = _per_task(x - y, tasks), _per_task(np.ones(len(x)), tasks)
    discordant = max(float(np.abs(x - y).mean()), 1 / len(x))
    spread = float(((differ - (x - y).mean() * sizes) ** 2).sum()) / len(x)
    deff = min(max(1.0, spread / discordant), float(sizes.max()))
    n, (z_test, z_power) = len(x) / deff, norm.ppf([(1 + LEVEL) / 2, power])

    def surplus(delta: float) -> float:
        share = max(discordant, delta)
        return n * delta**2 - (z_test * share**0.5 + z_power * (share - delta**2) ** 0.5) ** 2

    return float(brentq(surplus, 0.0, 1.0)) if surplus(1.0) > 0 else 1.0


@dataclass(frozen=True)
class Spread:
    """Where the variance of a score comes from: standard deviations between tasks, between seeds of all tasks, and what is left."""

    tasks: float
    seeds: float
    rest: float


def spread(values: Sequence[float], tasks: Sequence[str], seeds: Sequence[int]) -> Spread | None:
    """Two-way split of a balanced task × seed table (each cell once); None with fewer than two seeds or tasks, or cells missing.

    A negative variance estimate counts as 0, as is usual.
    """
    names, repeats = sorted(set(tasks)), sorted(set(seeds))
    cells = {(t, s): v for v, t, s in zip(values, tasks, seeds, strict=True)}
    if len(names) < 2 or len(repeats) < 2 or len(cells) != len(names) * len(repeats) or len(values) != len(cells):
        return None
    table = np.array([[cells[t, s] for s in repeats] for t in names], dtype=np.float64)
    rows, columns, grand = table.mean(1), table.mean(0), table.mean()
    left = table - rows[:, None] - columns[None] + grand
    rest = float((left**2).sum() / ((len(names) - 1) * (len(repeats) - 1)))
    between_tasks = max(0.0, float(rows.var(ddof=1)) - rest / len(repeats))
    between_seeds = max(0.0, float(columns.var(ddof=1)) - rest / len(names))
    return Spread(between_tasks**0.5, between_seeds**0.5, rest**0.5)
