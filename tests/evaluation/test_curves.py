"""Curves: risk against coverage is what the metrics say, fault labels find their level, and every figure is well-formed."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.estimator.metrics import Scored, risk_coverage
from mimir_learn.evaluation import curves
from mimir_learn.evaluation.plots import COLOURS, colours
from mimir_learn.symbols import EMPTY, Delta, StateChange


def _scored(p: float, right: bool) -> Scored:
    claimed = Delta([StateChange("fridge_1", "open", False, True, p)])
    return Scored(true=claimed if right else EMPTY, predicted=claimed)


@given(st.lists(st.tuples(st.floats(0.01, 1.0), st.booleans()), min_size=1, max_size=60, unique_by=lambda x: x[0]))
def test_the_risk_curve_agrees_with_the_metric(answers: list[tuple[float, bool]]) -> None:
    items = [_scored(p, right) for p, right in answers]
    points = curves.risk_curve(items)
    assert len(points) == len(answers) and points[-1][0] == pytest.approx(1.0)
    assert sum(risk for _, risk in points) / len(points) == pytest.approx(risk_coverage(items)["aurc"])
    assert all(a[0] < b[0] for a, b in pairwise(points))


def test_changes_of_one_probability_are_taken_together() -> None:
    items = [_scored(0.9, True), _scored(0.9, False), _scored(0.5, False)]
    assert curves.risk_curve(items) == [(pytest.approx(2 / 3), pytest.approx(0.5)), (pytest.approx(1.0), pytest.approx(2 / 3))]
    assert curves.risk_curve([Scored(true=EMPTY, predicted=EMPTY)]) == []


def test_a_long_curve_is_thinned_but_keeps_its_ends() -> None:
    items = [_scored(i / 1000, i % 3 > 0) for i in range(1, 1000)]
    points = curves.risk_curve(items, most=50)
    assert len(points) <= 50 and points[0][0] == pytest.approx(1 / 999) and points[-1][0] == pytest.approx(1.0)


def test_a_fault_suite_lies_at_its_level_if_it_has_one() -> None:
    levels = {n: curves.fault_level(n) for n in ("none", "mild", "rough", "silent", "exogenous", "0.4", "no_such")}
    assert levels == {"none": 0.0, "mild": 0.1, "rough": 0.25, "silent": None, "exogenous": None, "0.4": 0.4, "no_such": None}


def test_rows_keep_their_colour_and_noise_darkens_with_its_rate() -> None:
    names = ["learned", "noisy(0.2)", "noisy(0.05)", "noisy(0.1)/learned", "text"]
    tints = colours(names)
    assert len(set(tints.values())) == len(names) and tints["learned"] == COLOURS["learned"]
    assert int(tints["noisy(0.05)"][1:], 16) > int(tints["noisy(0.2)"][1:], 16)
    assert len(set(colours([f"arm {i}" for i in range(12)]).values())) == 12


def test_figures_are_well_formed_and_follow_the_page() -> None:
    v = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 10}
    tints = {"a": "#112233", "b": "#445566", "c": "#778899"}
    test = {"difference": v, "verdict": "better"}
    points = [curves.At(float(x), 0.5, 0.4, 0.6) for x in (1, 2, 4)]
    drawn = [
        curves.against_faults({n: {"none": v, "rough": v, "silent": v} for n in tints}, tints, "t"),
        curves.against_faults({"a": {"none": v, "rough": v}}, tints, "t"),
        curves.against_number({"a": points, "b": points, "c": points}, tints, "t", "k", log=True),
        curves.differences(["a", "b"], {"one": {"a": test, "b": {**test, "verdict": ""}}, "two": {"a": test}}, tints, "t"),
        curves.reliability_lines({"a": [{"p": 0.9, "right": 0.8, "n": 12}]}, tints, "t"),
        curves.risk_lines({"a": [(0.5, 0.0), (1.0, 0.1)], "b": [(1.0, 0.0)]}, tints, "t"),
    ]
    for svg in drawn:
        ElementTree.fromstring(svg)
        assert "currentColor" in svg and curves.INK not in svg and "<metadata" not in svg
