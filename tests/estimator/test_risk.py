"""Certified thresholds keep their promise, agree with MAPIE, and never rest on too little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.risk import (
    FAMILIES,
    NEVER,
    POOLED,
    Judged,
    certified_threshold,
    family,
    independent,
    p_values,
    realised,
    smallest_sample,
    thresholds,
)
from mimir_learn.symbols import Verb


def _sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    p = rng.beta(6, 0.6, n)
    return p, rng.random(n) < p


def _mapie_p_values(p: np.ndarray, right: np.ndarray, cut: np.ndarray, level: float) -> np.ndarray:
    mapie = pytest.importorskip("mapie.risk_control.methods", reason="MAPIE is the oracle; it comes with the dev extra")
    n = np.array([(p >= t).sum() for t in cut])
    # MAPIE rounds n × risk up to a count, which turns a rounding error of the division into one more mistake
    wrong = np.array([(~right[p >= t]).mean() for t in cut]) - 1e-12
    return mapie.compute_hoeffding_bentkus_p_value(np.maximum(wrong, 0), n, 1 - level, binary=True)[:, 0]


@given(st.integers(0, 10_000), st.sampled_from([0.9, 0.95, 0.98]))
@settings(max_examples=40, deadline=None)
def test_p_values_are_mapies(seed: int, level: float) -> None:
    p, right = _sample(np.random.default_rng(seed), 400)
    cut = np.linspace(0.05, 0.95, 19)
    assert p_values(p, right, cut, level) == pytest.approx(_mapie_p_values(p, right, cut, level), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_threshold_is_mapies_with_the_same_walk(seed: int, level: float) -> None:
    risk = pytest.importorskip("mapie.risk_control", reason="MAPIE is the oracle; it comes with the dev extra")
    p, right = _sample(np.random.default_rng(seed), 3000)
    start = np.sort(p)[::-1][smallest_sample(level) - 1]
    walk = np.unique(p[p <= start])[::-1]
    rejected = risk.control_fwer(_mapie_p_values(p, right, walk, level), 0.1, "fixed_sequence")
    assert certified_threshold(p, right, level) == (walk[rejected].min() if len(rejected) else NEVER)


def test_the_promise_is_kept() -> None:
    """Over repeated calibrations the true precision falls short of the level at most as often as δ allows."""
    rng, level, short = np.random.default_rng(0), 0.9, 0
    for _ in range(200):
        p, right = _sample(rng, 300)
        cut = certified_threshold(p, right, level, 0.9)
        if cut < NEVER:
            fresh, truth = _sample(rng, 20_000)
            short += truth[fresh >= cut].mean() < level
    assert short <= 200 * 0.1 + 3 * (200 * 0.1 * 0.9) ** 0.5


@pytest.mark.parametrize(("level", "n"), [(0.98, 114), (0.99, 230), (0.995, 460)])
def test_too_little_certifies_nothing(level: float, n: int) -> None:
    assert smallest_sample(level) == n
    assert certified_threshold([0.99] * (n - 1), [True] * (n - 1), level) == NEVER
    assert certified_threshold([0.99] * n, [True] * n, level) == 0.99


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=400))
@settings(max_examples=60, deadline=None)
def test_a_stricter_level_never_has_a_lower_threshold(rows: list[tuple[float, bool]]) -> None:
    p, right = [x for x, _ in rows], [y for _, y in rows]
    cuts = [certified_threshold(p, right, level) for level in (0.8, 0.9, 0.95)]
    assert cuts == sorted(cuts)


def test_all_wrong_certifies_nothing() -> None:
    assert certified_threshold([0.9] * 1000, [False] * 1000, 0.98) == NEVER


@pytest.mark.parametrize(
    ("p", "right", "level"), [([0.5], [True], 1.0), ([0.5], [True], 0.0), ([1.5], [True], 0.9), ([0.5, 0.6], [True], 0.9)]
)
def test_bad_input(p: list[float], right: list[bool], level: float) -> None:
    with pytest.raises(ConfigError):
        certified_threshold(p, right, level)


def test_one_judgement_per_episode_and_family() -> None:
    rows = [Judged(0.9, True, f, e) for e in ("a", "b") for f in ("pick", "place") for _ in range(5)]
    picked = independent(rows, np.random.default_rng(0))
    assert sorted((r.episode, r.family) for r in picked) == [("a", "pick"), ("a", "place"), ("b", "pick"), ("b", "place")]
    assert picked == independent(rows, np.random.default_rng(0))


def test_small_families_take_the_pooled_threshold_and_large_ones_their_own() -> None:
    rows = [Judged(0.95, True, "pick", f"e{i}") for i in range(300)] + [Judged(0.7, True, "place", f"e{i}") for i in range(300)]
    rows += [Judged(0.99, True, "treat", "e0")]
    cut = thresholds(rows, np.random.default_rng(0), levels=(0.98,))["0.98"]
    assert set(cut) == {POOLED, *FAMILIES}
    assert cut["pick"] == 0.95
    assert cut["place"] == 0.7
    assert cut["treat"] == cut[POOLED] == 0.7


def test_realised_risk_and_coverage() -> None:
    rows = [Judged(0.9, True, "pick", "a"), Judged(0.8, False, "pick", "a"), Judged(0.4, True, "pick", "b"), Judged(0.9, True, "move", "b")]
    out = realised(rows, {"pick": 0.75, POOLED: 0.95})
    assert (out["coverage"], out["risk"], out["committed"]) == (0.5, 0.5, 2.0)


def test_every_verb_has_a_family() -> None:
    assert {family(v) for v in Verb} == set(FAMILIES)
