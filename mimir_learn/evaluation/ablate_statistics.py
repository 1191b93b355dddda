"""Intervals and tests of an ablation: over training seeds, and over the houses of the split.

Seeds say how much a number would move if one trained again, houses how much if one went to other homes. A difference is called better or
worse only where both agree: the test over houses (Holm over the table) and the t-interval over seeds, where there are several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from mimir_learn.evaluation.statistics import FLIPS, LEVEL, RESAMPLES, Interval

Sums = Mapping[str, Sequence[float]]
"""House → [top, bottom] of a number; see `ablate_score.RATIOS`."""
Array = NDArray[np.float64]


def over_seeds(values: Sequence[float]) -> Interval:
    """Mean of one value per training seed with its t-interval; one value alone has an interval without width."""
    x = np.asarray(values, dtype=np.float64)
    mean = float(x.mean())
    if len(x) < 2 or float(x.std()) == 0.0:
        return Interval(mean, mean, mean, len(x))
    low, high = stats.t.interval(LEVEL, len(x) - 1, loc=mean, scale=stats.sem(x))
    return Interval(mean, float(low), float(high), len(x))


def over_houses(runs: Sequence[Sums], seed: int = 0) -> Interval:
    """The number of some runs together, houses resampled (bootstrap, percentile); ``n`` is the number of houses.

    Houses where the number has no cases count for nothing. No cases at all give NaN.
    """
    top, bottom = _table(runs, _houses(runs))
    value = float(_ratio(top, bottom))
    if not bottom.sum() or len(top) < 2:
        return Interval(value, value, value, len(top))
    pick = np.random.default_rng(seed).integers(len(top), size=(RESAMPLES, len(top)))
    draws = _ratio(top[pick], bottom[pick])
    low, high = _percentiles(draws)
    return Interval(value, low, high, len(top))


def difference_over_houses(a: Sequence[Sums], b: Sequence[Sums], seed: int = 0) -> tuple[Interval, float]:
    """Number of ``a`` minus that of ``b`` on the same houses: bootstrap interval by house, and two-sided sign-flip p by house.

    The runs (seeds) of each side are pooled first, so the test is about houses alone. In a flip the two sides of a house change places.
    """
    names = _houses([*a, *b])
    (ta, ba), (tb, bb) = _table(a, names), _table(b, names)
    ta, ba, tb, bb = ta / len(a), ba / len(a), tb / len(b), bb / len(b)
    value = float(_ratio(ta, ba) - _ratio(tb, bb))
    if len(names) < 2 or not (ba.sum() and bb.sum()):
        return Interval(value, value, value, len(names)), 1.0
    rng = np.random.default_rng(seed)
    pick = rng.integers(len(names), size=(RESAMPLES, len(names)))
    low, high = _percentiles(_ratio(ta[pick], ba[pick]) - _ratio(tb[pick], bb[pick]))
    flip = rng.random((FLIPS, len(names))) < 0.5
    swapped = _ratio(np.where(flip, tb, ta), np.where(flip, bb, ba)) - _ratio(np.where(flip, ta, tb), np.where(flip, ba, bb))
    extreme = np.abs(swapped) >= abs(value) - 1e-12
    return Interval(value, low, high, len(names)), float((1 + extreme.sum()) / (1 + FLIPS))


def _houses(runs: Sequence[Sums]) -> list[str]:
    return sorted({h for run in runs for h in run})


def _table(runs: Sequence[Sums], names: Sequence[str]) -> tuple[Array, Array]:
    """Tops and bottoms per house, summed over runs."""
    sums = np.array([[run.get(h, (0.0, 0.0)) for h in names] for run in runs], dtype=np.float64).reshape(len(runs), len(names), 2).sum(0)
    return sums[:, 0], sums[:, 1]


def _ratio(top: Array, bottom: Array) -> Array:
    """Σ top / Σ bottom over the last axis; NaN where there are no cases."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(top.sum(-1) / bottom.sum(-1))


def _percentiles(draws: Array) -> tuple[float, float]:
    low, high = np.nanquantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
