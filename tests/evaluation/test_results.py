"""Aggregation: right numbers from records whose answer is known, and a refusal of arms that ran different episodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.results import by_arm, evaluate, summary_of, write_json

from .synthetic import ARMS, records


def test_scores_intervals_and_pairs() -> None:
    results = evaluate(records(), ARMS)
    arms = results["arms"]
    assert arms["privileged_no_fault"]["metrics"]["sr"]["value"] == 1.0
    assert arms["none"]["metrics"]["declared_sr"]["value"] == 0.0
    assert arms["schema"]["metrics"]["wrong_writes"]["value"] == 2.0
    assert arms["schema"]["metrics"]["wrong_write_rate"]["value"] == 0.5
    assert arms["none"]["metrics"]["false_completion_rate"] == {"value": 0.0, "low": 0.0, "high": 0.0, "n": 0}
    for body in arms.values():
        for m in body["metrics"].values():
            assert m["low"] <= m["value"] + 1e-9 and m["value"] <= m["high"] + 1e-9
    pairs = {(p["metric"], p["b"]): p for p in results["paired"]}
    assert ("sr", "privileged_no_fault") not in pairs, "another fault level is no fair pair"
    none = pairs["declared_sr", "none"]
    assert none["only_b"] == 0 and none["p"] < 1e-6 and none["difference"]["low"] > 0


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


def test_json_is_strict(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"a": float("nan"), "b": [float("inf"), 1.0], "c": {"d": 2}})
    assert json.loads((tmp_path / "x.json").read_text(), parse_constant=pytest.fail) == {"a": None, "b": [None, 1.0], "c": {"d": 2}}
