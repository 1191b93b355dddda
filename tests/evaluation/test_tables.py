"""Tables of a grid, from records whose right answers are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mimir_learn.evaluation.grid import Grid, make_grid
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.statistics import paired_mean
from mimir_learn.evaluation.tables import tabulate, verdict
from mimir_learn.evaluation.typeset import comparisons_frame, latex, markdown, scores_frame, write_tables

RIGHT = {"learned": 0.9, "privileged": 0.9, "schema": 0.4, "none": 0.0}


def grid(**table: Any) -> Grid:
    axes = {"delta": list(RIGHT), "faults": ["none", "rough"]}
    layout = {"rows": "delta", "columns": "faults", "reference": "learned", **table}
    return make_grid({"name": "g", "about": "A test.", "axes": axes, "seeds": [0, 1], "table": layout})


def rows(delta: str, faults: str, tasks: int = 40) -> list[Record]:
    rng = np.random.default_rng(3)  # the same luck for all: learned and privileged differ in nothing
    out = []
    for t in range(tasks):
        for seed in (0, 1):
            ok = bool(rng.random() < RIGHT[delta])
            out.append(
                {
                    "task": f"t{t:02d}", "seed": seed, "sr": ok, "declared": ok, "declared_sr": ok, "sr_compat": ok, "gc": float(ok),
                    "gc_end": float(ok), "gc_ever": float(ok), "gc_compat": 0.0, "steps": 10 - ok, "invalid": 0, "look_agains": 0,
                    "memory_f1": None if t == 0 else 0.9, "wrong_writes": 1 - ok, "missed_writes": 0, "faults": 2, "committed": 3,
                    "completions": 1, "false_completions": int(not ok), "reruns": int(t == 0), "subset": ("base", "spatial")[t % 2],
                    "kind": "k", "n_goals": t % 3 + 1, "rooms": None, "novel": t % 2 == 0, "task_source": delta, "variant": "full",
                    "failed_actions": 0, "cpu_s": 0.1, "memory_recall_seen": 0.5,
                }
            )  # fmt: skip
    return out


def results(made: Grid) -> dict[str, Any]:
    found = tabulate(made, {p.label: rows(p.at["delta"], p.at["faults"]) for p in made.points})
    return {"name": made.name, "about": made.about, "seeds": list(made.seeds), "missing": [], **found}


@pytest.fixture(scope="module")
def usual() -> dict[str, Any]:
    return results(grid())


def test_scores_tests_and_verdicts(usual: dict[str, Any]) -> None:
    table = next(t for t in usual["tables"] if t["metric"] == "declared_sr")
    assert table["rows"] == list(RIGHT) and table["columns"] == ["none", "rough"] and len(table["values"]) == 8
    tests = {(t["row"], t["column"]): t for t in table["tests"]}
    assert len(tests) == 6 and {t["reference"] for t in tests.values()} == {"learned"}
    schema, same, none = (tests[name, "rough"] for name in ("schema", "privileged", "none"))
    assert schema["verdict"] == "worse" and schema["difference"]["high"] < 0 and schema["p_holm"] >= schema["p"]
    assert same["verdict"] == "alike" and same["p"] == 1.0 and same["difference"]["value"] == 0
    assert none["verdict"] == "by construction" and "p_holm" not in none, "it completes no goal whatever it does"
    assert 0 < schema["detectable"] < 0.3 and schema["effect"] < -1 and schema["ratio"] < 0.6
    assert all(t["mcnemar"] is None for t in tests.values()), "two seeds a task are not independent"


def test_holm_counts_all_tests_of_the_table(usual: dict[str, Any]) -> None:
    table = next(t for t in usual["tables"] if t["metric"] == "sr")
    counted = [t for t in table["tests"] if not t["by_construction"]]
    least = min(counted, key=lambda t: t["p"])
    assert len(counted) == 6 and least["p_holm"] == pytest.approx(min(1.0, 6 * least["p"]))


def test_a_verdict_needs_interval_and_corrected_p() -> None:
    def of(low: float, high: float, p: float, metric: str = "sr") -> str:
        return verdict({"by_construction": False, "p_holm": p, "difference": {"low": low, "high": high}}, metric)

    assert of(0.02, 0.1, 0.04) == "better" and of(-0.1, -0.02, 0.04) == "worse"
    assert of(0.02, 0.1, 0.06) == of(-0.02, 0.1, 0.04) == of(-0.06, 0.02, 1.0) == ""
    assert of(-0.04, 0.02, 1.0) == "alike" and of(0.0, 0.0, 1.0, "gc") == "", "a bootstrap interval can collapse"
    assert of(0.5, 2.0, 0.01, "steps") == "worse" and of(-2.0, -0.5, 0.01, "wrong_writes") == "better"


def test_columns_may_be_a_property_of_the_task() -> None:
    made = grid(columns="goals", metrics=["sr"])
    tables = results(made)["tables"]
    assert [t["where"] for t in tables] == [{"faults": "none"}, {"faults": "rough"}], "a table for every other axis"
    assert tables[0]["columns"] == ["1", "2", "3"] and sum(v["n"] for v in tables[0]["values"] if v["row"] == "schema") == 80
    assert results(grid(columns="appearance", metrics=["sr"]))["tables"][0]["columns"] == ["seen", "unseen"]
    subsets = results(grid(columns="subset", metrics=["sr"]))["tables"][0]
    assert subsets["columns"] == ["all", "base", "spatial"]
    number = {c: sum(v["n"] for v in subsets["values"] if v["column"] == c) for c in subsets["columns"]}
    assert number["all"] == number["base"] + number["spatial"] and {t["column"] for t in subsets["tests"]} == set(subsets["columns"])


def test_rows_that_ran_other_tasks_are_not_tested() -> None:
    made = grid(metrics=["sr"])
    given = {p.label: rows(p.at["delta"], p.at["faults"], 40 if p.at["delta"] != "schema" else 30) for p in made.points}
    tests = tabulate(made, given)["tables"][0]["tests"]
    assert {t["row"] for t in tests} == {"privileged", "none"}


def test_variance_of_seeds_and_tasks_is_told_apart(usual: dict[str, Any]) -> None:
    cells = usual["cells"]
    assert all(set(c["spread"]) == {"tasks", "seeds", "rest"} for c in cells) and cells[0]["reruns"] == 2
    assert cells[0]["by_subset"]["spatial"]["sr"]["n"] == 40 and cells[0]["scores"]["memory_f1"]["n"] == 78


def test_paired_mean() -> None:
    tasks = [f"t{i // 2}" for i in range(40)]
    a, b = [1.0 + 0.1 * (i % 3) for i in range(40)], [0.5] * 40
    difference, p = paired_mean(a, b, tasks)
    assert difference.value == pytest.approx(np.mean(a) - 0.5) and difference.low > 0 and p < 0.001
    assert paired_mean(a, a, tasks)[1] == 1.0


def test_files(tmp_path: Path, usual: dict[str, Any]) -> None:
    found = json.loads(json.dumps(usual))
    write_tables(found, tmp_path)
    text = (tmp_path / "tables.md").read_text()
    assert "## declared SR, % by faults" in text and "| schema | learned | rough |" in text and "by construction" in text
    assert "16 episodes lost their worker" in text and "between tasks" in text
    tex = (tmp_path / "tables.tex").read_text()
    assert r"\begin{tabular}" in tex and r"declared SR, \% by faults" in tex
    assert r"$\Delta$ for 5\% of a\_b" in latex(scores_frame(found["tables"][0]), "Δ for 5% of a_b")
    flat = (tmp_path / "scores.csv").read_text().splitlines()
    assert flat[0].startswith("metric,row,column,value,low,high,n") and len(flat) == 1 + 8 * 3
    assert len((tmp_path / "tests.csv").read_text().splitlines()) == 1 + 6 * 3
    table = found["tables"][0]
    assert markdown(scores_frame(table)).count("\n") == 5 and list(comparisons_frame(table)["verdict"]).count("worse") == 2
