"""Aggregation: right numbers from records whose answer is known, and a refusal of arms that ran different episodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import parse_arms
from mimir_learn.evaluation.caveats import caveats
from mimir_learn.evaluation.reliability import reliability_bins
from mimir_learn.evaluation.results import by_arm, delta_quality, evaluate, judged_transitions, pairs_of, summary_of, write_json
from mimir_learn.symbols import ELSEWHERE, EMPTY, Delta, Parent, ParentChange, Relation

from .synthetic import ARMS, PICK, TABLE, records, trace


def test_scores_intervals_and_pairs() -> None:
    results = evaluate(records(), ARMS)
    arms = results["arms"]
    assert arms["privileged_no_fault"]["metrics"]["sr"]["value"] == 1.0
    assert arms["none"]["metrics"]["declared_sr"]["value"] == 0.0
    assert arms["schema"]["metrics"]["wrong_writes"]["value"] == 2.0
    assert arms["schema"]["metrics"]["wrong_write_rate"]["value"] == 0.5
    assert arms["none"]["metrics"]["false_completion_rate"] == {"value": 0.0, "low": 0.0, "high": 1.0, "n": 0}, "0 of 0 says nothing"
    assert arms["learned"]["metrics"]["held"]["value"] == 1.0 and arms["learned"]["metrics"]["fault_rate"]["value"] == 0.5
    for body in arms.values():
        for m in body["metrics"].values():
            assert m["low"] <= m["value"] + 1e-9 and m["value"] <= m["high"] + 1e-9
    assert results["by_appearance"]["unseen"]["none"]["sr"]["n"] == 10 and results["by_subset"]["base"]["learned"]["gc"]["n"] == 20
    pairs = {(p["metric"], p["b"]): p for p in results["paired"]}
    assert ("sr", "privileged_no_fault") not in pairs, "another fault level is no fair pair"
    none = pairs["declared_sr", "none"]
    assert none["only_b"] == 0 and none["p"] < 0.001 and none["difference"]["low"] > 0
    assert [p["b"] for p in results["paired"] if p["by_construction"]] == ["none", "none"], "declared SR alone, against none as task source"
    assert not pairs["sr", "none"]["by_construction"]


def test_which_pairs_are_tested() -> None:
    default = [("learned", b) for b in ("privileged", "schema", "none", "none/privileged")]
    assert pairs_of(ARMS) == [*default, ("privileged", "none/privileged"), ("none/privileged", "none")]
    untrained = parse_arms(["privileged", "noisy(0.1)", "noisy(0.2)"], 0.2)
    assert pairs_of(untrained) == [("privileged", "noisy(0.1)"), ("privileged", "noisy(0.2)")]
    assert pairs_of(untrained, "noisy(0.1)", [["noisy(0.2)", "noisy(0.1)"]]) == [("noisy(0.1)", "privileged"), ("noisy(0.1)", "noisy(0.2)")]
    assert pairs_of(parse_arms(["schema", "text"], 0.2)) == []
    assert pairs_of(parse_arms(["schema", "text"], 0.2), pairs=[["schema", "text"]]) == [("schema", "text")]
    with pytest.raises(ConfigError, match=r"eval\.reference is 'oracle'"):
        pairs_of(untrained, "oracle")
    with pytest.raises(ConfigError, match="names two arms of this evaluation"):
        pairs_of(untrained, pairs=[["privileged", "schema"]])
    with pytest.raises(ConfigError, match="different fault levels"):
        pairs_of(ARMS, pairs=[["privileged_no_fault", "schema"]])


def test_caveats_say_the_numbers_of_this_evaluation() -> None:
    results = {**evaluate(records(), ARMS), "settings": {"perception": "privileged_visible"}}
    construction, world = caveats(results)
    assert construction.startswith("Declared SR of none is 0 by construction")
    wanted = ("privileged", "none/privileged", "declared_sr")
    d = next(p for p in results["paired"] if (p["a"], p["b"], p["metric"]) == wanted)["difference"]
    assert f"declared SR {100 * d['value']:+.1f} points ({100 * d['low']:+.1f} … {100 * d['high']:+.1f}, p 1.000)" in world
    assert "no gain in success from Δ in world memory by itself is shown" in world and "none/privileged − none: SR +" in world
    rows = [{**r, "sr": r["task"] < "t20", "declared_sr": r["task"] < "t20"} if r["arm"] == "none/privileged" else r for r in records()]
    changed = caveats({**evaluate(rows, ARMS), "settings": {"perception": "privileged_visible"}})[1]
    assert "does change success here" in changed, "the conclusion follows the data"
    assert caveats({**evaluate(records(), ARMS[:4]), "settings": {"perception": "x"}}) == []


def test_a_second_look_is_one_judged_action() -> None:
    rows = records(tasks=1)
    learned = next(r for r in rows if r["arm"] == "learned")
    first, look = learned["trace"]
    first |= {"deferred": True, "estimate": EMPTY.to_json()}
    look |= {"verb": "pick", "judged": PICK.to_json(), "estimate": PICK.to_json(), "fault": "", "judged_fault": "slip", "did": True}
    delta = delta_quality([learned])
    assert delta["n"] == 1 and delta["exact_delta"] == 1.0 and delta["fault.slip.n"] == 1 and "fault.none.n" not in delta


def test_a_refused_manipulation_is_no_manipulation_without_effect() -> None:
    slip = trace(EMPTY, PICK, "slip")
    assert delta_quality([{"trace": [slip]}])["false_change_rate_manipulation"] == 1.0
    both = delta_quality([{"trace": [slip, {**trace(EMPTY, EMPTY), "judged_refused": True}]}])
    assert both["false_change_rate_manipulation"] == 1.0 and both["false_change_rate_manipulation_n"] == 1.0


def test_reliability_matches_as_the_metrics_do() -> None:
    """The mug truly landed on a shelf memory did not know: "it left" and the shelf's name are right, for the curve as for the F1."""
    gone = Delta([ParentChange("mug_1", TABLE, ELSEWHERE, 0.8)])
    truth = Delta([ParentChange("mug_1", TABLE, Parent("shelf_9", Relation.ON))])
    row = {**trace(truth, gone), "known": []}
    items = judged_transitions([{"trace": [row]}])
    assert reliability_bins(items) == [{"p": 0.8, "right": 1.0, "n": 1}]
    assert delta_quality([{"trace": [row]}])["changed_atom_f1"] == 1.0
    named = {**row, "estimate": truth.to_json()}
    assert reliability_bins(judged_transitions([{"trace": [named]}])) == [{"p": 1.0, "right": 1.0, "n": 1}]
    assert reliability_bins(judged_transitions([{"trace": [{**row, "known": ["shelf_9"]}]}]))[0]["right"] == 0.0


def test_delta_quality_tells_the_silent_fault() -> None:
    delta = evaluate(records(), ARMS)["delta"]
    assert delta["learned"]["changed_atom_f1"] == 1.0 and delta["learned"]["false_change_rate"] == 0.0
    assert delta["schema"]["false_change_rate"] == 1.0 and delta["schema"]["fault.slip.exact_delta"] == 0.0
    assert delta["none"]["exact_delta"] == 0.5 and delta["none"]["changed_atom_f1"] == 0.0


def test_several_seeds_are_clustered_by_task() -> None:
    one, three = (evaluate(records(tasks=20, seeds=s), ARMS)["arms"]["schema"]["metrics"]["sr"] for s in (1, 3))
    assert three["n"] == 3 * one["n"]
    assert three["high"] - three["low"] > 0.1


def test_arms_that_ran_other_episodes_are_refused() -> None:
    rows = records()
    with pytest.raises(ConfigError, match="did not run the same episodes"):
        by_arm(rows[:-1], ARMS)
    with pytest.raises(ConfigError, match="no episodes of arm 'none'"):
        by_arm([r for r in rows if r["arm"] != "none"], ARMS)


def test_summary_has_the_promised_keys() -> None:
    summary = summary_of(evaluate(records(), ARMS))
    for source in ("privileged", "learned", "schema", "none"):
        for key in ("sr", "declared_sr", "gc", "wrong_writes_per_episode", "false_completion_rate"):
            assert isinstance(summary[f"{source}.{key}"], float)
    assert summary["privileged_no_fault.sr"] == 1.0
    assert summary["none.completions"] == 0 and summary["none.false_completion_rate"] == 0.0
    assert summary["learned.completions"] == 40 and summary["learned.held_changes"] == 1.0 and summary["learned.look_agains"] == 0.0


def test_json_is_strict(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"a": float("nan"), "b": [float("inf"), 1.0], "c": {"d": 2}})
    assert json.loads((tmp_path / "x.json").read_text(), parse_constant=pytest.fail) == {"a": None, "b": [None, 1.0], "c": {"d": 2}}
