"""Intervals and tests against hand-computed values and library oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.statistics import mean_by_task, paired, proportion_by_task, wilson


def names(n: int) -> list[str]:
    return [f"t{i:03d}" for i in range(n)]


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(case: tuple[int, int]) -> None:
    k, n = case
    ci = binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k, n) == pytest.approx((ci.low, ci.high), abs=1e-9)
    one_each = proportion_by_task([1.0] * k + [0.0] * (n - k), [1.0] * n, names(n))
    assert (one_each.low, one_each.high) == pytest.approx((ci.low, ci.high), abs=1e-9), "tasks run once are independent trials"
    assert one_each.value == pytest.approx(k / n) and one_each.n == n


def test_no_trials_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    nothing = proportion_by_task([0, 0], [0, 0], ["a", "b"])
    assert (nothing.value, nothing.low, nothing.high, nothing.n) == (0.0, 0.0, 1.0, 0)
    with pytest.raises(ConfigError):
        wilson(3, 2)


@pytest.mark.parametrize("ok", [0.0, 1.0])
def test_all_alike_under_two_seeds_is_no_certainty(ok: float) -> None:
    interval = proportion_by_task([ok] * 80, [1.0] * 80, names(40) * 2)
    assert (interval.low, interval.high) == pytest.approx(wilson(40 * ok, 40)), "40 tasks are 40 trials, not 80"
    assert interval.high - interval.low > 0.05


def test_repeating_every_episode_does_not_narrow_a_proportion() -> None:
    hits = [1.0] * 30 + [0.0] * 10
    once = proportion_by_task(hits, [1.0] * 40, names(40))
    twice = proportion_by_task(hits * 2, [1.0] * 80, names(40) * 2)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high)), "design effect 2"


def test_seeds_that_disagree_within_a_task_are_independent_trials() -> None:
    interval = proportion_by_task([1.0] * 40 + [0.0] * 40, [1.0] * 80, names(40) * 2)
    assert (interval.low, interval.high) == pytest.approx(wilson(40, 80)), "the design effect is never below 1"


def test_a_proportion_pools_before_dividing() -> None:
    interval = proportion_by_task([1, 0, 0], [1, 3, 0], ["a", "b", "c"])
    assert interval.value == 0.25 and interval.n == 4 and interval.low < 0.25 < interval.high


def test_repeating_every_episode_does_not_narrow_a_mean() -> None:
    values = list(np.random.default_rng(0).random(40))
    once, thrice = mean_by_task(values, names(40)), mean_by_task(values * 3, names(40) * 3)
    assert thrice.value == pytest.approx(once.value)
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=1e-6)


def test_mean_interval_has_the_width_of_a_standard_error() -> None:
    interval = mean_by_task(list(np.random.default_rng(1).normal(size=400)), names(400))
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 / 20, rel=0.15)


def pair(only_a: int, only_b: int, both: int = 10, neither: int = 6) -> tuple[list[bool], list[bool]]:
    a = [True] * (both + only_a) + [False] * (only_b + neither)
    b = [True] * both + [False] * only_a + [True] * only_b + [False] * neither
    return a, b


def test_one_against_seven_does_not_exclude_zero() -> None:
    a, b = pair(7, 1)
    result = paired(a, b, names(24))
    assert (result.both, result.only_a, result.only_b, result.neither) == (10, 7, 1, 6)
    assert result.p == pytest.approx(2 * 9 / 256) and result.mcnemar == pytest.approx(result.p), "exact: no Monte Carlo error"
    assert result.difference.value == pytest.approx(6 / 24)
    assert result.difference.low <= 0 < 6 / 24 < result.difference.high


def test_one_against_nine_does() -> None:
    a, b = pair(9, 1)
    result = paired(a, b, names(26))
    assert result.p == pytest.approx(binomtest(1, 10).pvalue) and result.difference.low > 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60), st.integers(1, 3))
def test_the_interval_never_contradicts_the_test(episodes: list[tuple[bool, bool]], per_task: int) -> None:
    tasks = [f"t{i // per_task}" for i in range(len(episodes))]
    a, b = [x for x, _ in episodes], [y for _, y in episodes]
    result, back = paired(a, b, tasks), paired(b, a, tasks)
    d = result.difference
    assert -1 <= d.low <= d.value <= d.high <= 1
    assert not (result.p > 0.05 and (d.low > 0 or d.high < 0))
    assert d.high - d.low > 0, "no finite number of episodes is certainty"
    assert (result.mcnemar is None) == (per_task > 1 and len(episodes) > 1)
    assert back.difference.value == -d.value and 0 < result.p <= 1


def test_seeds_of_one_task_are_flipped_together() -> None:
    a, b = [True] * 12, [False] * 12
    once, thrice = paired(a, b, names(12)), paired(a, b, names(4) * 3)
    assert once.p == pytest.approx(2 / 2**12) and thrice.p == pytest.approx(2 / 2**4) and thrice.mcnemar is None
    assert thrice.difference.low <= 0 < once.difference.low, "four tasks can never show a difference at 5 %"


def test_the_inverted_test_covers_the_truth() -> None:
    """Two arms with a true difference of 0.2, 60 tasks × 2 correlated seeds: the interval should miss it about 5 % of the time."""
    rng, missed = np.random.default_rng(3), 0
    for _ in range(120):
        ease = rng.random(60)
        a = (rng.random((2, 60)) < np.clip(ease + 0.1, 0.1, 0.9)).ravel()
        b = (rng.random((2, 60)) < np.clip(ease - 0.1, 0.1, 0.9)).ravel()
        truth = np.mean(np.clip(ease + 0.1, 0.1, 0.9) - np.clip(ease - 0.1, 0.1, 0.9))
        d = paired(list(a), list(b), names(60) * 2).difference
        missed += not d.low <= truth <= d.high
    assert missed <= 13


def test_equal_arms_do_not_differ() -> None:
    result = paired([True, False, True], [True, False, True], ["a", "b", "c"])
    assert result.p == 1.0 and result.mcnemar == 1.0 and result.difference.value == 0.0
    assert result.difference.low < 0 < result.difference.high
    with pytest.raises(ConfigError, match="do not match"):
        paired([True], [True, False], ["a", "b"])
    with pytest.raises(ConfigError, match="no episodes"):
        paired([], [], [])
