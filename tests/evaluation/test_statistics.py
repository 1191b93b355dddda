"""Intervals and tests against hand-computed values and library oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.statistics import mean_by_task, paired, ratio_by_task, wilson


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_statsmodels(case: tuple[int, int]) -> None:
    k, n = case
    interval = wilson(k, n)
    low, high = proportion_confint(k, n, 0.05, "wilson")
    assert interval.low == pytest.approx(low, abs=1e-9) and interval.high == pytest.approx(high, abs=1e-9)
    assert interval.low <= interval.value + 1e-12 and interval.value <= interval.high + 1e-12


def test_wilson_of_nothing_says_nothing() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    with pytest.raises(ConfigError):
        wilson(3, 2)


def test_repeating_every_episode_does_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(0)
    values, tasks = list(rng.random(40)), [f"t{i}" for i in range(40)]
    once, thrice = mean_by_task(values, tasks), mean_by_task(values * 3, tasks * 3)
    assert thrice.value == pytest.approx(once.value)
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=1e-6)


def test_mean_interval_has_the_width_of_a_standard_error() -> None:
    values = list(np.random.default_rng(1).normal(size=400))
    interval = mean_by_task(values, [str(i) for i in range(400)])
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 / 20, rel=0.15)


def test_ratio_pools_before_dividing() -> None:
    interval = ratio_by_task([1, 0, 0], [1, 3, 0], ["a", "b", "c"])
    assert interval.value == 0.25 and interval.n == 4
    assert ratio_by_task([0, 0], [0, 0], ["a", "b"]).value == 0.0


def test_paired_counts_and_exact_p() -> None:
    a = [True] * 10 + [True] * 8 + [False] * 1 + [False] * 5
    b = [True] * 10 + [False] * 8 + [True] * 1 + [False] * 5
    result = paired(a, b, [str(i) for i in range(len(a))])
    assert (result.both, result.only_a, result.only_b, result.neither) == (10, 8, 1, 5)
    assert result.p == pytest.approx(binomtest(1, 9).pvalue)
    assert result.difference.value == pytest.approx(7 / 24)
    assert result.difference.low < 7 / 24 < result.difference.high


def test_equal_arms_do_not_differ() -> None:
    result = paired([True, False, True], [True, False, True], ["a", "b", "c"])
    assert result.p == 1.0 and result.difference.value == 0.0
    with pytest.raises(ConfigError, match="do not match"):
        paired([True], [True, False], ["a", "b"])
