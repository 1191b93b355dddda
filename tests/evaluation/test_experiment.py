"""Grids end to end: every episode once, across grids and kills, other code noticed, failures attributed, tables written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mimir_learn import cli
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import experiment
from mimir_learn.evaluation.attribution import CAUSES, LINKS, frame_of
from mimir_learn.evaluation.cells import Cell
from mimir_learn.evaluation.experiment import GridConfig, run_grid
from mimir_learn.evaluation.sized import buildable, sized_suite
from mimir_learn.evaluation.store import Store, read

SMOKE = Path(__file__).parents[2] / "configs/experiments/smoke.yaml"


def write(path: Path, **body: Any) -> str:
    path.write_text(json.dumps(body))  # JSON is YAML
    return str(path)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory, suite_path: Path) -> GridConfig:
    """The smoke grid, run."""
    config = GridConfig(str(SMOKE), out=str(tmp_path_factory.mktemp("grid")), suite=str(suite_path), n_jobs=1)
    run_grid(config)
    return config


def timeless(folder: Path) -> dict[str, dict[str, Any]]:
    store = Store(folder)
    out = {}
    for r in read(folder):
        kept = {k: v for k, v in r.items() if k not in ("wall_s", "cpu_s", "reruns", "trace", "made_by")}
        out[r["key"]] = {**kept, "steps_taken": store.trace(r)}
    return out


def test_what_a_grid_leaves(smoke: GridConfig) -> None:
    folder = Path(smoke.out) / "smoke"
    results = json.loads((folder / "results.json").read_text())
    assert len(results["cells"]) == 6 and all(c["episodes"] == 4 for c in results["cells"])
    by = {(c["at"]["delta"], c["at"]["faults"]): c["scores"] for c in results["cells"]}
    assert by["privileged", "none"]["declared_sr"]["value"] == 1.0 and by["none", "rough"]["declared_sr"]["value"] == 0.0
    assert results["provenance"]["source_unchanged_while_running"] in (True, False) and results["suites"]
    assert {p.name for p in folder.iterdir()} == {
        "results.json", "tables.md", "tables.tex", "scores.csv", "tests.csv", "attribution.csv", "attribution.svg",
    }  # fmt: skip


def test_what_a_record_carries(smoke: GridConfig) -> None:
    record = next(r for r in read(Path(smoke.out)) if r["world_source"] == "schema" and r["faults"])
    needed = {
        "key", "episode", "code", "settings", "task", "task_sha256", "house_sha256", "seed", "made_by", "estimator", "world_source",
        "task_source", "feedback_text", "perception", "variant", "k", "sr", "declared_sr", "gc", "gc_ever", "gc_end", "sr_compat",
        "gc_compat", "vocabulary_sha256", "trace", "reruns",
    }  # fmt: skip
    assert needed <= set(record) and record["made_by"]["versions"]["mujoco"]
    steps = Store(Path(smoke.out)).trace(record)
    assert len(steps) == record["steps"] and {"command", "fault", "truth", "estimate", "committed", "met"} <= set(steps[0])


def test_the_same_key_is_never_run_twice_also_by_another_grid(
    smoke: GridConfig, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(job: object) -> None:
        raise AssertionError("an episode was run again")

    monkeypatch.setattr(experiment, "run_cell", no)
    before = (Path(smoke.out) / "records.jsonl").read_bytes()
    run_grid(smoke)
    other = write(
        tmp_path / "other.yaml", arms={"a": {"delta": "schema", "faults": 0.25}, "b": {"delta": "none", "faults": "rough"}}, tasks=4
    )
    results = run_grid(replace(smoke, grid=other))
    assert (Path(smoke.out) / "records.jsonl").read_bytes() == before and len(results["cells"]) == 2
    assert "other: 8 episodes, 8 of them recorded already" in capfd.readouterr().err


def test_other_code_is_seen_said_and_run_anew(
    smoke: GridConfig, tmp_path: Path, suite_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = write(tmp_path / "g.yaml", axes={"delta": ["none", "schema"]}, faults="none", tasks=1)
    config = replace(smoke, grid=grid, out=str(tmp_path / "out"))
    run_grid(config)
    capfd.readouterr()
    monkeypatch.setattr(experiment, "loaded_sha256", lambda stage: "f" * 64)
    run_grid(config)
    said = capfd.readouterr().err
    assert "2 episodes, 0 of them recorded already" in said and "code or a package has changed" in said and "2 under" in said
    assert len(read(tmp_path / "out")) == 4, "append-only: the others are still there"
    results = run_grid(config)
    assert all(c["episodes"] == 1 for c in results["cells"])


def test_a_grid_that_is_killed_goes_on_and_ends_with_the_same_records(smoke: GridConfig, tmp_path: Path) -> None:
    """SIGKILL in the middle, twice, with a pool and without; what then stands there is what an undisturbed run records."""
    out, path = tmp_path / "out", tmp_path / "out/records.jsonl"
    grid = write(tmp_path / "part.yaml", axes={"delta": ["privileged", "schema", "none"]}, faults="rough", tasks=4)
    command = [sys.executable, "-m", "mimir_learn.cli", "eval", "--grid", grid, "--suite", str(smoke.suite), "--out", str(out)]
    for more, n_jobs in ((2, "2"), (7, "1")):
        process = subprocess.Popen([*command, "--n_jobs", n_jobs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < limit and not (path.exists() and path.read_bytes().count(b"\n") >= more):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    interrupted = path.read_bytes().count(b"\n")
    run_grid(replace(smoke, grid=grid, out=str(out)))
    undisturbed = timeless(Path(smoke.out))
    assert 2 <= interrupted < 12 and timeless(out) == {k: undisturbed[k] for k in timeless(out)} and len(timeless(out)) == 12


def test_one_process_at_a_time(smoke: GridConfig) -> None:
    from mimir_learn.logs.locks import only_one

    with only_one(Path(smoke.out), "evaluating", ConfigError), pytest.raises(ConfigError, match="another process is evaluating"):
        run_grid(smoke)


def test_settings_that_cannot_work_are_refused_before_anything_runs(tmp_path: Path, suite_path: Path) -> None:
    grid = write(tmp_path / "g.yaml", axes={"delta": ["learned", "schema"]})
    with pytest.raises(ConfigError, match="needs a checkpoint"):
        run_grid(GridConfig(grid, out=str(tmp_path / "o"), suite=str(suite_path)))
    with pytest.raises(ConfigError, match="no subset hard"):
        run_grid(
            GridConfig(write(tmp_path / "h.yaml", axes={"delta": ["none"]}, subset="hard"), out=str(tmp_path / "o"), suite=str(suite_path))
        )
    with pytest.raises(ConfigError, match="no suite at"):
        run_grid(
            GridConfig(write(tmp_path / "i.yaml", axes={"delta": ["none"]}), out=str(tmp_path / "o"), suite=str(tmp_path / "none.json"))
        )
    with pytest.raises(ConfigError, match="choose one of loky, ray, dask"):
        GridConfig(grid, backend="spark")


def test_the_command_line(smoke: GridConfig, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["eval", "--grid", str(SMOKE), "--suite", str(smoke.suite), "--out", smoke.out]
    assert cli.main([*args, "--plan", "true"]) == 0
    assert "smoke: 6 cells, 24 episodes" in capsys.readouterr().out
    assert cli.main(["eval", "--grid", "nowhere.yaml"]) == 1
    assert "there is no grid at nowhere.yaml" in capsys.readouterr().err


# ---- attribution ---------------------------------------------------------------------------------------------------


def test_every_failure_has_one_cause(smoke: GridConfig) -> None:
    results = json.loads((Path(smoke.out) / "smoke/results.json").read_text())
    cells = {c["label"]: c for c in results["attribution"]["cells"]}
    assert all(sum(c["causes"].values()) == c["failed"] and set(c["causes"]) <= set(CAUSES) for c in cells.values())
    assert cells["privileged, none"]["failed"] == 0 and cells["none, none"]["causes"] == {"Δ missed": 4}, "nothing else is wrong there"
    rough = cells["schema, rough"]["causes"]
    assert set(rough) <= {"unnoticed fault", "fault not recovered from", "several links", "Δ otherwise", "budget"}
    frame = frame_of(results["attribution"])
    assert list(frame["failed"]) == [c["failed"] for c in cells.values()] and "Δ missed" in frame.columns
    assert (Path(smoke.out) / "smoke/attribution.svg").read_text().lstrip().startswith("<?xml")


def test_replays_replace_one_link_and_nothing_else() -> None:
    cell = Cell(delta="learned/schema", perception="noisy(0.1)", variant="no_world_memory", faults="rough")
    changed = {link.name: {k for k, v in vars(link.mend(cell)).items() if v != vars(cell)[k]} for link in LINKS}
    assert changed == {
        "detection": {"perception"}, "recall": {"k"}, "Δ for task memory": {"delta"}, "Δ for world memory": {"delta"},
        "Δ for both": {"delta"}, "sight": {"perception"}, "ablated part": {"variant"}, "budget": {"budget"}, "faults": {"faults"},
        "all at once": {"delta", "perception", "variant", "k", "budget", "faults"},
    }  # fmt: skip
    mended = {link.name: link.mend(cell) for link in LINKS}
    assert mended["Δ for task memory"].delta == "learned/privileged" and mended["Δ for world memory"].delta == "privileged/schema"
    assert mended["Δ for both"].delta == "privileged" == mended["all at once"].delta


def test_what_was_left_out_of_the_agent_is_found_to_be_missing(smoke: GridConfig, tmp_path: Path) -> None:
    """Who knows of the last two steps only does not get through an errand, though nothing else is wrong."""
    body = {"arms": {"short": {"variant": "flat_history(2)"}}, "delta": "privileged", "faults": "none", "tasks": 3, "attribute": True}
    results = run_grid(replace(smoke, grid=write(tmp_path / "g.yaml", **body), out=str(tmp_path / "out")))
    found = results["attribution"]["cells"][0]
    assert found["failed"] and found["causes"] == {"ablated part": found["failed"]}


# ---- houses of a given size ----------------------------------------------------------------------------------------


def test_sized_suites_are_certified_deterministic_and_kept(tmp_path: Path) -> None:
    first = sized_suite(2, ["base"], 2, tmp_path / "a")
    again = sized_suite(2, ["base"], 2, tmp_path / "b")
    assert first.sha256 == again.sha256 == sized_suite(2, ["base"], 2, tmp_path / "a").sha256
    assert all(t.task.meta["rooms"] == 2 and t.certificate.steps > 0 for t in first.tasks) and len(first.tasks) == 2
    from mimir_learn.envs.household import generate_house

    assert all(len(generate_house(t.house_seed, 2).rooms) == 2 for t in first.tasks)


def test_sizes_that_are_not_generated_are_left_out_and_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert buildable(1) and not buildable(0)
    grid = write(tmp_path / "g.yaml", axes={"delta": ["privileged"], "rooms": [1, 99]}, faults="none", subset="base", tasks=1)
    results = run_grid(GridConfig(grid, out=str(tmp_path / "out"), n_jobs=1))
    assert results["missing"] == ["houses of 99 rooms are not generated yet: these cells are left out"] and len(results["cells"]) == 1
    assert results["cells"][0]["scores"]["declared_sr"]["value"] == 1.0
    assert "99 rooms are not generated" in (tmp_path / "out/g/tables.md").read_text() and "99 rooms" in capfd.readouterr().err
    with pytest.raises(ConfigError, match="houses of 1 to 12 rooms"):
        sized_suite(99, None, None, tmp_path)
