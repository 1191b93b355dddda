"""Grid files: what becomes of axes, arms, include and exclude, and that what is wrong is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.cells import Cell, Ground, cell, code_of, content, digest
from mimir_learn.evaluation.grid import load_grid, make_grid
from mimir_learn.evaluation.suite import Certificate, SuiteTask
from mimir_learn.feedback.gate import GateConfig
from mimir_learn.symbols import Goal, ObjectQuery, Task

READY = Path(__file__).parents[2] / "configs/experiments"
GROUND = Ground("v", "s", {"numpy": "2", "torch": "3"}, {"model": {"checkpoint_sha256": "a", "calibration_sha256": None}})
TASK = SuiteTask(Task("t1", "Turn it on.", (Goal("g1", ObjectQuery("lamp"), attribute="on"),)), 7, "h", 40, Certificate(5))


def grid(**body: Any):  # type: ignore[no-untyped-def]
    return make_grid({"name": "g", **body})


def test_axes_multiply_and_arms_are_an_axis() -> None:
    made = grid(arms={"full": None, "no gate": {"gate": False}}, axes={"faults": ["none", 0.25], "k": [1, 8]}, delta="schema")
    assert made.axes == ("arm", "faults", "k") and len(made.points) == 8
    assert made.labels("arm") == ("full", "no gate") and made.labels("faults") == ("none", "0.25")
    assert made.points[0].cell == Cell(delta="schema", faults="none", k=1)
    assert {p.cell.gate for p in made.points if p.at["arm"] == "no gate"} == {"off"}
    assert made.layout.rows == "arm" and made.layout.columns == "faults" and made.layout.reference is None


def test_exclude_and_include_keep_it_readable() -> None:
    made = grid(
        axes={"delta": ["privileged", "schema", "none"], "faults": ["none", "rough"]},
        exclude=[{"delta": ["schema", "none"], "faults": "none"}],
        include=[{"delta": "schema", "faults": 0.5}],
    )
    at = [(p.at["delta"], p.at["faults"]) for p in made.points]
    assert at == [("privileged", "none"), ("privileged", "rough"), ("schema", "rough"), ("none", "rough"), ("schema", "0.5")]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"axis": {"delta": ["none"]}}, "unknown key 'axis'; did you mean axes"),
        ({}, "neither axes nor arms"),
        ({"axes": {"detla": ["none"]}}, "did you mean delta"),
        ({"axes": {"delta": "none"}}, "give a list of values"),
        ({"axes": {"delta": ["nune"]}}, "unknown Δ-source"),
        ({"axes": {"delta": ["none", "none"]}}, "a cell is there twice: none"),
        ({"axes": {"delta": ["none@0.2"]}}, "a key of their own"),
        ({"axes": {"variant": ["none"]}}, "unknown variant 'none'"),
        ({"axes": {"perception": ["noisy(2)"]}}, "choose one of privileged_visible"),
        ({"axes": {"gate": ["ajar"]}}, "ajar' is none of on, off"),
        ({"axes": {"faults": [1.5]}}, "outside"),
        ({"axes": {"k": [0]}}, "at least 1"),
        ({"arms": {"a": {"k": 1}}, "axes": {"k": [1, 2]}}, "sets k, which is an axis too"),
        ({"arms": {"a": {"kk": 1}}}, "unknown setting 'kk'"),
        ({"axes": {"k": [1, 2]}, "exclude": [{"k": 3}]}, "leaves nothing out"),
        ({"axes": {"k": [1]}, "exclude": [{"k": 1}]}, "leaves no cell"),
        ({"axes": {"k": [1, 2]}, "table": {"rows": "delta"}}, "choose one of k"),
        ({"axes": {"k": [1, 2]}, "table": {"reference": 3}}, "is no row; rows: 1, 2"),
        ({"axes": {"k": [1, 2]}, "table": {"metrics": ["srr"]}}, "known: declared_sr"),
        ({"axes": {"k": [1, 2]}, "seeds": [0, 0]}, "each once"),
        ({"axes": {"k": [1, 2]}, "tasks": 0}, "at least 1"),
        ({"axes": {"k": [1, 2]}, "gate_thresholds": {"comit": 0.5}}, "did you mean commit"),
        ({"axes": {"k": [1, 2]}, "name": "../up"}, "becomes a folder"),
    ],
)
def test_what_is_wrong_is_named(body: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        grid(**body)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("axes: {gate: [on, off]}\ndelta: schema\n")
    made = load_grid(path, tasks=3, checkpoint=None)
    assert (made.name, made.tasks, made.labels("gate")) == ("my", 3, ("on", "off"))
    path.write_text("axes: [1")
    with pytest.raises(ConfigError, match="cannot be read as a grid"):
        load_grid(path)
    path.write_text("axes: {k: [x]}")
    with pytest.raises(ConfigError, match=r"my\.yaml: k is 'x'"):
        load_grid(path)
    with pytest.raises(ConfigError, match="grids there: my"):
        load_grid(tmp_path / "other.yaml")


def test_the_ready_grids_say_what_they_should() -> None:
    made = {p.stem: load_grid(p) for p in READY.glob("*.yaml")}
    assert set(made) == {
        "components", "delta_sources", "falsifier", "gate", "headline", "horizon", "k_sensitivity", "paper_tables", "scale", "smoke",
    }  # fmt: skip
    assert all(g.name == stem and g.about and g.layout.reference in g.labels(g.layout.rows) for stem, g in made.items())
    sources = made["delta_sources"]
    assert len(sources.points) == 60 and sources.attribute
    assert {p.cell.delta for p in sources.points} >= {"learned", "privileged", "schema", "text", "geometry", "none", "noisy(0.3)"}
    headline = made["headline"]
    assert [p.cell.delta for p in headline.points] == ["learned", "privileged", "schema", "text", "geometry", "none"]
    assert {(p.cell.faults, p.cell.subset) for p in headline.points} == {("rough", "all")} and headline.layout.columns == "subset"
    assert {p.cell.variant for p in made["components"].points} >= {"no_world_memory", "no_task_memory", "flat_history", "no_grounding"}
    assert {p.cell.delta for p in made["falsifier"].points} == {"learned", "none/learned", "learned/none", "none"}
    assert [p.cell.k for p in made["k_sensitivity"].points] == [1, 2, 3, 4, 6, 8, 12, 16, 32]
    assert made["horizon"].layout.columns == "goals" and max(p.cell.rooms or 0 for p in made["scale"].points) == 12


# ---- what names an episode -----------------------------------------------------------------------------------------


def key(given: dict[str, Any], *, seed: int = 0, task: SuiteTask = TASK, gate: GateConfig | None = None, ground: Ground = GROUND) -> str:
    made = cell({"checkpoint": "model", **given})
    what = content(made, task, seed, made.settings(gate or GateConfig(), 128), ground)
    return digest({"episode": digest(what), "code": code_of(made, ground)})


def test_the_same_episode_has_one_key_however_it_is_spelt() -> None:
    assert key({"faults": "mild"}) == key({"faults": 0.1}) != key({"faults": 0.2})
    assert key({"delta": "learned/learned"}) == key({"delta": "learned"})
    assert key({"variant": "no_grounding+no_ramifications"}) == key({"variant": "no_ramifications+no_grounding"})
    assert key({"suite": "a.json"}) == key({"suite": "b.json"}), "the task counts, not the file it is in"
    assert key({"gate": "off"}) == key({"gate": "on"}, gate=GateConfig().named("off")) != key({})


def test_everything_that_decides_an_episode_changes_its_key() -> None:
    from dataclasses import replace

    base = key({})
    changed = [
        key({"delta": "schema"}), key({"delta": "learned/privileged"}), key({"perception": "noisy(0.1)"}), key({"variant": "no_grounding"}),
        key({"gate": "off"}), key({"faults": "silent"}), key({"k": 3}), key({"feedback_text": "off"}), key({"budget": 3}), key({}, seed=1),
        key({}, task=replace(TASK, limit=41)), key({}, task=replace(TASK, house_sha256="i")), key({}, gate=GateConfig(commit=0.8)),
        key({}, ground=replace(GROUND, vocabulary="w")), key({}, ground=replace(GROUND, source="t")),
        key({}, ground=replace(GROUND, packages={"numpy": "2", "torch": "4"})),
        key({}, ground=replace(GROUND, estimators={"model": {"checkpoint_sha256": "a", "calibration_sha256": "c"}})),
    ]  # fmt: skip
    assert len({base, *changed}) == len(changed) + 1


def test_an_arm_without_the_estimator_rests_on_none() -> None:
    from dataclasses import replace

    other = replace(GROUND, packages={"numpy": "2", "torch": "4"}, estimators={})
    assert key({"delta": "schema"}) == key({"delta": "schema"}, ground=other) == key({"delta": "schema", "checkpoint": None})
