"""Δ quality on hand-made cases whose numbers can be checked by hand."""

from __future__ import annotations

import math

import pytest

from mimir_learn.estimator.metrics import Scored, calibration, risk_coverage, score
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Delta, Parent, ParentChange, Relation, StateChange

TABLE, DESK = Parent("table_1", Relation.ON), Parent("desk_1", Relation.ON)
PICK = Delta([ParentChange("mug_1", TABLE, IN_HAND)])
OTHER = Delta([ParentChange("mug_2", TABLE, IN_HAND)])
OPEN = Delta([StateChange("fridge_1", "open", False, True)])
NONE = Delta()


def test_perfect_and_empty() -> None:
    out = score([Scored(PICK, PICK, verb="pick"), Scored(NONE, NONE, verb="look"), Scored(OPEN, OPEN, verb="open")])
    assert out["changed_atom_f1"] == out["exact_delta"] == out["f1.state"] == out["f1.hand"] == 1.0
    assert out["false_change_rate"] == 0.0 and out["no_ops"] == 1
    assert score([Scored(NONE, NONE)])["changed_atom_f1"] == 1.0


def test_wrong_instance_costs_both_ways_and_probabilities_do_not_count() -> None:
    sure = Delta([ParentChange("mug_1", TABLE, IN_HAND, p=0.6, source="x")])
    out = score([Scored(OTHER, sure, 0.6, fault="wrong_instance", verb="pick")])
    assert out["changed_atom_f1"] == 0.0 and out["fault.wrong_instance.exact_delta"] == 0.0
    assert score([Scored(PICK, sure)])["exact_delta"] == 1.0
    half = score([Scored(Delta([*PICK, *OPEN]), OPEN)])  # 1 of 3 atoms found, none wrong
    assert half["changed_atom_precision"] == 1.0 and half["changed_atom_recall"] == pytest.approx(1 / 3)


def test_false_changes_are_counted_on_no_ops_only() -> None:
    out = score([Scored(NONE, OPEN), Scored(NONE, NONE), Scored(PICK, OPEN)])
    assert out["false_change_rate"] == 0.5


def test_a_place_memory_does_not_know_counts_as_elsewhere() -> None:
    true = Delta([ParentChange("mug_1", TABLE, DESK)])
    gone = Delta([ParentChange("mug_1", TABLE, ELSEWHERE)])
    known = frozenset({"mug_1", "table_1"})
    assert score([Scored(true, gone, known=known)])["exact_delta"] == 1.0
    assert score([Scored(true, gone, known=known | {"desk_1"})])["exact_delta"] == 0.0


def test_changes_nobody_could_see_count_in_the_headline_only() -> None:
    out = score([Scored(OPEN, NONE, fault="exogenous", unseen=frozenset({"fridge_1"}))])
    assert out["exact_delta"] == 0.0 and out["visible.exact_delta"] == 1.0 and out["visible.false_change_rate"] == 0.0


def test_outcome_accuracy_is_balanced() -> None:
    items = [Scored(NONE, NONE, did=True, success=0.9)] * 9 + [Scored(NONE, NONE, did=False, success=0.9)]
    assert score(items)["outcome_balanced_accuracy"] == 0.5
    assert math.isnan(score([Scored(NONE, NONE, did=True)])["outcome_balanced_accuracy"])


def test_calibration_and_risk() -> None:
    out = calibration([0.8] * 10, [True] * 8 + [False] * 2)
    assert out["ece"] == pytest.approx(0.0, abs=1e-6) and out["brier"] == pytest.approx(0.16)
    right = Delta([StateChange("fridge_1", "open", False, True, p=0.99)])
    wrong = Delta([StateChange("fridge_1", "open", False, True, p=0.6)])
    risk = risk_coverage([Scored(OPEN, right)] * 99 + [Scored(NONE, wrong)])
    assert risk["coverage_at_0.005"] == pytest.approx(0.99) and risk["coverage_at_0.01"] == 1.0
