"""Statistics of a whole table: corrected p-values, what the sample could have found, and whose variance it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.statistics import effect_size, holm, minimum_detectable, paired, spread


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_holm_never_lowers_a_p_value_nor_changes_their_order(p: list[float]) -> None:
    adjusted = holm(p)
    assert all(a >= x - 1e-12 for a, x in zip(adjusted, p, strict=True))
    order = np.argsort(p, kind="stable")
    assert list(np.sort(adjusted)) == [adjusted[i] for i in order]


def test_effect_size_is_antisymmetric_and_zero_for_equal_rates() -> None:
    assert effect_size(0.7, 0.7) == 0.0
    assert effect_size(0.9, 0.5) == pytest.approx(-effect_size(0.5, 0.9)) and effect_size(0.9, 0.5) > 0.8


def test_the_detectable_difference_is_found_as_often_as_promised() -> None:
    """Simulated at exactly the difference it names, the paired test rejects in about 80 % of the runs."""
    rng, n, discordant = np.random.default_rng(0), 200, 0.2
    tasks = [f"t{i}" for i in range(n)]

    def draw(delta: float) -> tuple[list[bool], list[bool]]:
        u = rng.random(n)
        first = u < (discordant + delta) / 2
        second = (u >= (discordant + delta) / 2) & (u < discordant)
        return list(first), list(second)

    detectable = float(np.mean([minimum_detectable(*draw(0.0), tasks) for _ in range(20)]))
    assert 0.06 < detectable < 0.12
    found = np.mean([paired(*draw(detectable), tasks, seed=i).p < 0.05 for i in range(60)])
    assert 0.62 <= found <= 0.95


def test_more_episodes_find_smaller_differences_but_repeating_a_task_does_not() -> None:
    a, b = [True, False, True, True] * 25, [True, True, True, False] * 25
    tasks = [f"t{i}" for i in range(100)]
    once = minimum_detectable(a, b, tasks)
    assert minimum_detectable(a * 4, b * 4, [f"t{i}" for i in range(400)]) < once
    assert minimum_detectable([x for x in a for _ in range(4)], [x for x in b for _ in range(4)], [t for t in tasks for _ in range(4)]) == (
        pytest.approx(once, rel=0.05)
    )
    assert minimum_detectable([True], [True], ["t"]) == 1.0
    with pytest.raises(ConfigError, match="do not match"):
        minimum_detectable([True], [True, False], ["t"])


def test_spread_finds_the_variance_that_was_put_in() -> None:
    rng, tasks, seeds = np.random.default_rng(1), 400, 40
    by_task, by_seed = rng.normal(0, 2.0, tasks), rng.normal(0, 0.7, seeds)
    rows = [(by_task[i] + by_seed[j] + rng.normal(0, 1.0), f"t{i}", j) for i in range(tasks) for j in range(seeds)]
    parts = spread(*map(list, zip(*rows, strict=True)))  # type: ignore[arg-type]
    assert parts is not None
    assert (parts.tasks, parts.rest) == (pytest.approx(2.0, rel=0.1), pytest.approx(1.0, rel=0.05))
    assert parts.seeds == pytest.approx(by_seed.std(ddof=1), rel=0.1)


def test_spread_needs_a_full_table() -> None:
    assert spread([1, 0, 1], ["a", "b", "a"], [0, 0, 1]) is None
    assert spread([1, 0], ["a", "b"], [0, 0]) is None
