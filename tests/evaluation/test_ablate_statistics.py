"""Intervals over seeds and houses, paired tests by house, and when a difference may be called one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mimir_learn.evaluation import ablate_tables
from mimir_learn.evaluation.ablate_statistics import difference_over_houses, over_houses, over_seeds
from mimir_learn.evaluation.ablate_tables import compare, faults_frame, scores_frame


def sums(rate: float, rng: np.random.Generator, houses: int = 30, size: int = 60) -> dict[str, list[float]]:
    return {str(h): [float(rng.binomial(size, rate)), float(size)] for h in range(houses)}


def test_over_seeds_is_students_interval() -> None:
    values = [0.91, 0.94, 0.92]
    interval = over_seeds(values)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (interval.value, interval.low, interval.high) == pytest.approx((np.mean(values), expected.low, expected.high))
    assert over_seeds([0.5]).low == over_seeds([0.5]).high == 0.5


def test_over_houses_holds_the_pooled_ratio_and_is_as_wide_as_theory_says() -> None:
    run = sums(0.8, np.random.default_rng(0))
    interval = over_houses([run])
    tops, bottoms = np.array(list(run.values())).T
    assert interval.value == pytest.approx(tops.sum() / bottoms.sum())
    width = 2 * 1.96 * (tops / bottoms).std(ddof=1) / len(tops) ** 0.5
    assert interval.high - interval.low == pytest.approx(width, rel=0.15)
    assert over_houses([run, run]).value == pytest.approx(interval.value)


def test_a_house_without_cases_counts_for_nothing() -> None:
    run = sums(0.8, np.random.default_rng(1))
    assert over_houses([run | {"empty": [0.0, 0.0]}]).value == over_houses([run]).value
    assert np.isnan(over_houses([{"a": [0.0, 0.0], "b": [0.0, 0.0]}]).value)


def test_equal_arms_do_not_differ_and_a_real_difference_is_found() -> None:
    rng = np.random.default_rng(2)
    a, b = sums(0.8, rng), sums(0.9, rng)
    same, p = difference_over_houses([a], [a])
    assert same.value == 0 and p == 1.0
    interval, p = difference_over_houses([b], [a])
    assert p < 0.001 and interval.low > 0
    back, q = difference_over_houses([a], [b])
    assert back.value == pytest.approx(-interval.value) and q == pytest.approx(p, abs=1e-3)


def test_under_the_null_the_test_rejects_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    p = [difference_over_houses([sums(0.7, rng, 12)], [sums(0.7, rng, 12)], seed)[1] for seed in range(80)]
    assert np.mean(np.array(p) <= 0.1) < 0.2


def record(name: str, seed: int | None, rates: tuple[float, ...], rng: np.random.Generator) -> dict:
    houses = {
        m: sums(r, rng)
        for m, r in zip(("changed_atom_f1", "exact_delta", "exact_delta_faulty"), rates, strict=True)
    }  # fmt: skip
    more = ("exact_delta_novel", "false_change_rate", "false_change_rate_manipulation")
    houses |= {m: sums(0.1, rng) for m in more}
    score = {"ece": 0.02, "outcome_balanced_accuracy": None, "fault.slip.exact_delta": rates[2], "fault.slip.n": 50.0,
             "fault.rare.exact_delta": 0.0, "fault.rare.n": 2.0}  # fmt: skip
    return {"name": name, "seed": seed, "houses": houses, "score": score, "cpu_s": 1.0, "transitions": 1800}


def test_a_word_is_said_only_where_houses_and_seeds_agree() -> None:
    rng = np.random.default_rng(4)
    steady = [record("full", s, (0.9, 0.9, 0.9), rng) for s in range(3)]
    worse = [record("no action", s, (0.6, 0.6, 0.9), rng) for s in range(3)]
    shaky = [record("shaky", s, (r, 0.9, 0.9), rng) for s, r in enumerate((0.4, 0.97, 0.85))]
    results = compare(
        {"full": steady, "no action": worse, "shaky": shaky, "schema": [record("schema", None, (0.5, 0.5, 0.5), rng)]}, "full"
    )
    said = {(t["name"], t["metric"]): t for t in results["tests"]}
    assert said["no action", "changed_atom_f1"]["verdict"] == "worse"
    assert said["no action", "exact_delta_faulty"]["verdict"] == ""
    unsure = said["shaky", "changed_atom_f1"]
    assert unsure["p_holm"] <= 0.05 and unsure["difference"]["high"] < 0 and unsure["verdict"] == ""  # seeds disagree
    assert said["schema", "changed_atom_f1"]["verdict"] == "worse" and said["schema", "changed_atom_f1"]["seeds"] is None
    assert all(t["p_holm"] >= t["p"] for t in results["tests"])


def test_frames_have_a_line_per_arm_and_leave_rare_faults_out() -> None:
    rng = np.random.default_rng(5)
    results = compare(
        {"full": [record("full", s, (0.9, 0.9, 0.9), rng) for s in range(2)], "none": [record("none", None, (0.0, 0.8, 0.1), rng)]}, "full"
    )
    scores = scores_frame(results)
    assert list(scores[""]) == ["full", "none"] and list(scores["outcome"]) == ["–", "–"]
    assert scores["F1"][0].count("[") == 1 and scores["ECE"][1] == "2.0"
    assert list(faults_frame(results).columns) == ["", "slip (50)"]
    assert len(ablate_tables.tests_frame({**results, "reference": "full"})) == 3
