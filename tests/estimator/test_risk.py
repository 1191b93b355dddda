"""Certified thresholds keep their promise, agree with MAPIE, and never rest on too little."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.risk import (
    FAMILIES,
    LEAST_HOUSES,
    METHODS,
    NEVER,
    POOLED,
    Judged,
    certified_threshold,
    cluster_p_values,
    family,
    independent,
    p_values,
    realised,
    shortage,
    smallest_sample,
    thresholds,
    unopposed,
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
    rows = [Judged(p, True, f, f"e{i}", f"h{i % 20}") for f, p in (("pick", 0.95), ("place", 0.7)) for i in range(300)]
    rows += [Judged(0.99, True, "treat", "e0", "h0")]
    cut = thresholds(rows, np.random.default_rng(0), levels=(0.98,), method="one")["0.98"]
    assert set(cut.threshold) == {POOLED, *FAMILIES}
    assert cut.own == ("pick", "place")
    assert cut.threshold["pick"] == 0.95
    assert cut.threshold["place"] == 0.7
    assert cut.threshold["treat"] == cut.threshold[POOLED] == 0.7


def test_a_small_family_that_speaks_against_the_level_gets_more_than_the_pool() -> None:
    rows = [Judged(0.9, True, "pick", f"e{i}", f"h{i % 20}") for i in range(600)]
    rows += [Judged(0.99, True, "move", "x", "h0")] * 10 + [Judged(0.95, False, "move", "x", "h1")] * 2
    cut = thresholds(rows, np.random.default_rng(0), levels=(0.98,))["0.98"]
    assert cut.threshold["move"] == 0.99 and "move" not in cut.own
    assert cut.threshold["pick"] == cut.threshold["treat"] == 0.9


@given(st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.7, 0.9, 1.0]), st.booleans()), max_size=60), st.sampled_from([0.8, 0.9]))
@settings(max_examples=60, deadline=None)
def test_nothing_speaks_against_what_is_unopposed(given_rows: list[tuple[float, bool]], level: float) -> None:
    rows = [Judged(p, ok, "pick", "e") for p, ok in given_rows]
    cut = unopposed(rows, level)
    for t in {r.p for r in rows if r.p >= cut}:
        kept = [r.right for r in rows if r.p >= t]
        assert sum(kept) >= level * len(kept) - 1e-9


@given(st.integers(0, 1000), st.sampled_from(METHODS))
@settings(max_examples=20, deadline=None)
def test_no_family_gets_a_lower_threshold_at_a_stricter_level(seed: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    p, right = _sample(rng, 500)
    rows = [
        Judged(float(x), bool(y), FAMILIES[int(f)], f"e{i}", f"h{i % 12}")
        for i, (x, y, f) in enumerate(zip(p, right, rng.choice(5, 500, p=[0.4, 0.3, 0.2, 0.05, 0.05]), strict=True))
    ]
    out = thresholds(rows, np.random.default_rng(0), levels=(0.85, 0.9, 0.95), method=method)
    for name in (POOLED, *FAMILIES):
        cuts = [out[level].threshold[name] for level in ("0.85", "0.9", "0.95")]
        assert cuts == sorted(cuts)


def test_mistakes_that_come_in_one_house_count_against_the_threshold() -> None:
    """Sixteen wrong of 1200 pass an exact test at 0.98 where they are independent; all in one house of ten, they do not."""
    p, right = np.full(1200, 0.9), np.ones(1200, dtype=bool)
    right[:16] = False
    cut, rng = np.array([0.5]), np.random.default_rng(0)
    together, spread = [str(i // 120) for i in range(1200)], [str(i % 120) for i in range(1200)]
    assert p_values(p, right, cut, 0.98)[0] <= 0.1
    assert cluster_p_values(p, right, spread, cut, 0.98, rng)[0] <= 0.1 < cluster_p_values(p, right, together, cut, 0.98, rng)[0]


@pytest.mark.parametrize("method", METHODS)
def test_a_few_houses_certify_nothing_however_much_is_judged(method: str) -> None:
    """A bootstrap of a few houses is far too sure, so what they say is no certificate, and it is said why."""

    def cuts(houses: int) -> dict[str, float]:
        rows = [Judged(0.9, True, "pick", f"e{i}", f"h{i % houses}") for i in range(2000)]
        assert bool(shortage(rows)) and ("no threshold is certified" in shortage(rows)) == (houses < LEAST_HOUSES)
        return dict(thresholds(rows, np.random.default_rng(0), levels=(0.98,), method=method)["0.98"].threshold)

    for houses in (1, 2, 3, LEAST_HOUSES - 1):
        assert set(cuts(houses).values()) == {NEVER}
    assert cuts(LEAST_HOUSES)["pick"] == 0.9


def test_houses_count_where_their_changes_reach_the_threshold() -> None:
    """One house makes all the sure changes; the others are needed before anything is certified, so the walk begins with them."""
    p = [0.99] * 500 + [0.8] * 30
    houses = ["h0"] * 500 + [f"h{i % (LEAST_HOUSES - 1) + 1}" for i in range(30)]
    assert certified_threshold(p, [True] * 530, 0.98, houses=houses, rng=np.random.default_rng(0)) == 0.8
    assert certified_threshold(p, [True] * 500 + [False] * 30, 0.98, houses=houses, rng=np.random.default_rng(0)) == NEVER


def test_houses_that_are_worse_than_the_level_are_seldom_certified() -> None:
    """Mistakes come by house, and houses are right 88 % of the time on average: a certificate at 0.9 is a broken promise."""
    broken = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        right = (rng.random((LEAST_HOUSES, 60)) < rng.beta(13.2, 1.8, LEAST_HOUSES)[:, None]).ravel()
        houses = np.repeat([f"h{i}" for i in range(LEAST_HOUSES)], 60).tolist()
        broken += certified_threshold(np.full(len(right), 0.9), right, 0.9, 0.9, houses, rng) < NEVER
    assert broken <= 100 * 0.1 + 3 * (100 * 0.1 * 0.9) ** 0.5


def test_another_method_is_refused() -> None:
    with pytest.raises(ConfigError, match="houses, one"):
        thresholds([], np.random.default_rng(0), method="hope")


def test_realised_risk_and_coverage() -> None:
    rows = [Judged(0.9, True, "pick", "a"), Judged(0.8, False, "pick", "a"), Judged(0.4, True, "pick", "b"), Judged(0.9, True, "move", "b")]
    out = realised(rows, {"pick": 0.75, POOLED: 0.95})
    assert (out["coverage"], out["risk"], out["committed"]) == (0.5, 0.5, 2.0)


def test_every_verb_has_a_family() -> None:
    assert {family(v) for v in Verb} == set(FAMILIES)
