"""Δ quality on hand-made cases whose numbers can be checked by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from mimir_learn.estimator.metrics import Scored, calibration, risk_coverage, score
from mimir_learn.estimator.samples import replay
from mimir_learn.estimator.scoring import HEADLINE, scored, table
from mimir_learn.logs import read_episodes
from mimir_learn.symbols import ELSEWHERE, IN_HAND, MANIPULATIONS, Delta, Estimate, Parent, ParentChange, Relation, StateChange

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


def assert_perfect(out: dict[str, float]) -> None:
    ones = ("precision", "recall", "f1", "no_hand", "exact_delta", "balanced_accuracy", "recall_visible")
    zeros = ("false_change_rate", "false_change_rate_manipulation", "ece", "brier", "aurc")
    for key, value in out.items():
        if math.isnan(value):  # nothing to find in this group
            continue
        if key.endswith(ones) or ".f1" in key or key.startswith(("f1.", "coverage_at")):
            assert value == 1.0, key
        elif key.endswith(zeros):
            assert value == pytest.approx(0.0, abs=1e-9), key
        else:
            assert key.endswith(("n", "no_ops")), key


def test_an_oracle_scores_one_on_everything() -> None:
    """Also where someone else changed what no frame shows, and where a thing went to a place memory has not heard of."""
    moved, mug = Delta([ParentChange("mug_9", TABLE, DESK)]), frozenset({"mug_9"})
    items = [
        Scored(PICK, PICK, verb="pick", did=True, success=1.0),
        Scored(moved, moved, verb="look", fault="exogenous", unseen=mug, moved=mug, did=True, success=1.0),
        Scored(moved, moved, verb="look", fault="exogenous", moved=mug, did=True, success=1.0),
        Scored(moved, moved, verb="place", known=frozenset({"table_1"}), did=False, success=0.0),
        Scored(Delta([*PICK, *OPEN]), Delta([*PICK, *OPEN]), verb="pick", unseen=frozenset({"fridge_1"}), did=True, success=1.0),
        Scored(NONE, NONE, verb="open", fault="stuck", did=False, success=0.0),
    ]
    out = score(items)
    assert_perfect(out)
    assert out["exogenous_recall_visible_n"] == out["false_change_rate_manipulation_n"] == 1
    assert out["visible.no_ops"] == 2 and out["no_ops"] == 1


def test_an_oracle_scores_one_on_a_real_log(log_dir: Path) -> None:
    rows = []
    for episode in read_episodes(log_dir):
        for s in replay(episode):
            rows.append(scored(s, Estimate(s.delta, 1.0, float(s.did))))
    assert_perfect(score(rows))
    assert sum(len(r.true_atoms()) for r in rows) > 10


def test_a_claim_about_what_no_frame_shows_costs_in_the_headline_only() -> None:
    wrong = Delta([ParentChange("mug_9", TABLE, DESK)])
    out = score([Scored(OPEN, Delta([*OPEN, *wrong]), unseen=frozenset({"mug_9"}))])
    assert out["changed_atom_precision"] == 0.5 and out["visible.changed_atom_precision"] == out["visible.exact_delta"] == 1.0
    assert score([Scored(OPEN, Delta([*OPEN, *wrong]))])["visible.changed_atom_precision"] == 0.5


def test_without_hand_atoms_a_grasp_counts_once() -> None:
    items = [Scored(PICK, PICK), Scored(OPEN, NONE)]
    out = score(items)
    assert out["changed_atom_f1"] == pytest.approx(2 * 2 / (2 + 3))
    assert out["changed_atom_f1_no_hand"] == pytest.approx(2 * 1 / (1 + 2))


def test_false_changes_of_manipulations_leave_out_refusals_and_everything_else() -> None:
    items = [
        Scored(NONE, OPEN, verb="open"),  # the one false change that counts
        *[Scored(NONE, NONE, verb=v) for v in sorted(MANIPULATIONS)],
        Scored(NONE, OPEN, verb="open", refused=True),
        Scored(NONE, OPEN, verb="navigate"),
        Scored(NONE, OPEN, verb="look"),
        Scored(OPEN, PICK, verb="open"),
    ]
    out = score(items)
    n = 1 + len(MANIPULATIONS)
    assert out["false_change_rate_manipulation_n"] == n and out["false_change_rate_manipulation"] == pytest.approx(1 / n)
    assert out["false_change_rate"] == pytest.approx(4 / (n + 3))
    assert math.isnan(score([Scored(NONE, OPEN, verb="look")])["false_change_rate_manipulation"])


def test_exogenous_recall_counts_what_someone_else_changed_in_view() -> None:
    gone = Delta([ParentChange("mug_9", TABLE, DESK)])
    both = Delta([*gone, *OPEN])
    seen = Scored(both, OPEN, moved=frozenset({"mug_9"}))
    items = [seen, replace(seen, predicted=both), replace(seen, predicted=NONE, unseen=frozenset({"mug_9"})), Scored(OPEN, NONE)]
    out = score(items)
    assert out["exogenous_recall_visible"] == 0.5 and out["exogenous_recall_visible_n"] == 2


def test_the_table_shows_every_headline_number_under_its_whole_name() -> None:
    text = table({"learned": score([Scored(PICK, PICK, verb="pick")]), "none": score([Scored(PICK, NONE, verb="pick")])})
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()[1:]}
    assert set(rows) == set(HEADLINE) and rows["changed_atom_f1_no_hand"] == ["1.0000", "0.0000"]
    assert {"changed_atom_f1_no_hand", "false_change_rate_manipulation", "exogenous_recall_visible"} <= set(HEADLINE)


def test_outcome_accuracy_is_balanced() -> None:
    items = [Scored(NONE, NONE, did=True, success=0.9)] * 9 + [Scored(NONE, NONE, did=False, success=0.9)]
    assert score(items)["outcome_balanced_accuracy"] == 0.5
    assert math.isnan(score([Scored(NONE, NONE, did=True)])["outcome_balanced_accuracy"])


def test_every_kind_of_change_has_a_score_of_its_own() -> None:
    bowl, floor = Parent("bowl_1", Relation.IN), Parent("kitchen_1", Relation.ROOM)
    nest, fall = Delta([ParentChange("mug_1", IN_HAND, bowl)]), Delta([ParentChange("mug_1", IN_HAND, floor)])
    dirt = Delta([StateChange("bowl_1", "dirty", True, False)])
    holders = frozenset({"bowl_1"})
    out = score([Scored(nest, nest, holders=holders), Scored(nest, fall, holders=holders), Scored(dirt, NONE), Scored(PICK, PICK)])
    assert out["change.nest.f1"] == pytest.approx(2 / 3) and out["change.nest.n"] == 2
    assert out["change.floor.f1"] == 0 and out["change.floor.n"] == 0  # claimed only
    assert out["change.state.dirty.f1"] == 0 and out["change.state.dirty.n"] == 1 and out["change.grasp.f1"] == 1
    assert {k.split(".")[1] for k in out if k.startswith("change.")} == {"nest", "floor", "state", "grasp"}


def test_results_are_split_by_appearance_where_the_action_names_a_thing() -> None:
    out = score([Scored(PICK, PICK, novel=False), Scored(PICK, NONE, novel=True), Scored(OPEN, NONE, novel=None)])
    assert out["appearance.seen.exact_delta"] == 1 and out["appearance.novel.exact_delta"] == 0
    assert out["appearance.seen.n"] == out["appearance.novel.n"] == 1 and out["n"] == 3


def test_calibration_and_risk() -> None:
    out = calibration([0.8] * 10, [True] * 8 + [False] * 2)
    assert out["ece"] == pytest.approx(0.0, abs=1e-6) and out["brier"] == pytest.approx(0.16)
    right = Delta([StateChange("fridge_1", "open", False, True, p=0.99)])
    wrong = Delta([StateChange("fridge_1", "open", False, True, p=0.6)])
    risk = risk_coverage([Scored(OPEN, right)] * 99 + [Scored(NONE, wrong)])
    assert risk["coverage_at_0.005"] == pytest.approx(0.99) and risk["coverage_at_0.01"] == 1.0
