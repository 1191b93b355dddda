"""Recordings for Rerun: the memory tree as text, and, where rerun-sdk is installed, a file that Rerun itself reads."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.experiment import GridConfig, run_grid
from mimir_learn.evaluation.reading import open_run
from mimir_learn.evaluation.recording import need_rerun, tree_text
from mimir_learn.evaluation.report import report_from_folder
from mimir_learn.evaluation.results import write_json


@pytest.fixture(scope="module")
def folder(suite_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real grid of one task and two sources."""
    out = tmp_path_factory.mktemp("experiments")
    grid = out / "two.yaml"
    grid.write_text("axes: {delta: [privileged, schema], faults: [rough]}\ntable: {rows: delta, reference: privileged}\ntasks: 1\n")
    run_grid(GridConfig(str(grid), str(out), suite=str(suite_path), n_jobs=1))
    return out / "two"


def test_the_tree_hangs_things_on_things_and_marks_what_is_wrong() -> None:
    tree = [["mug_1", "on", "table_1", ["dirty"], "learned", [], False], ["pea_1", "in", "mug_1", [], "", ["on floor"], True],
            ["cup_1", "unknown", "?", [], "", [], None]]  # fmt: skip
    assert tree_text({"tree": tree}).splitlines() == [
        "- whereabouts unknown", "  - unknown cup_1", "- table_1", "  - **on mug_1 (dirty, by learned): not there**",
        "    - in pea_1 (or on floor)",
    ]  # fmt: skip


def test_a_real_grid_is_filmed_once_and_found_again(folder: Path, tmp_path: Path) -> None:
    page = report_from_folder(folder, tmp_path, films=2)
    films = sorted((folder / "films").iterdir())
    assert len(films) == 2 and page.read_text(encoding="utf-8").count('"command":"start"') == 2
    stamps = [f.stat().st_mtime_ns for f in films]
    assert report_from_folder(folder, tmp_path, films=2) == page and [f.stat().st_mtime_ns for f in films] == stamps
    run = open_run(folder)
    assert run.why == "" and {k: len(v) for k, v in run.rows.items()} == {"privileged, rough": 1, "schema, rough": 1}
    record = run.rows["schema, rough"][0]
    assert run.job("schema, rough", record).arm.world == "schema" and len(run.steps(record)) == record["steps"]


def test_records_are_found_by_what_they_rest_on_even_if_they_are_not_named(folder: Path) -> None:
    body = json.loads((folder / "results.json").read_text())
    body.pop("episodes", None)
    unnamed = folder.parent / "unnamed"
    write_json(unnamed / "results.json", body)
    assert open_run(unnamed).rows == open_run(folder).rows
    write_json(unnamed / "results.json", {**body, "provenance": {**body["provenance"], "source_sha256": "other code"}})
    assert open_run(unnamed).why.endswith("no longer matches: 0 of 1 episodes of privileged, rough")


@pytest.mark.skipif(find_spec("rerun") is not None, reason="rerun-sdk is installed")
def test_without_rerun_the_cure_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pip install 'mimir-learn\[rerun\]'"):
        need_rerun()


@pytest.mark.skipif(find_spec("rerun") is None, reason="rerun-sdk is not installed: pip install 'mimir-learn[rerun]'")
def test_rerun_reads_the_recording(folder: Path, tmp_path: Path) -> None:
    report_from_folder(folder, tmp_path, films=2, rerun=True)
    files = sorted((tmp_path / "rerun").glob("*.rrd"))
    assert len(files) == 2 and "2 recordings in rerun/" in (tmp_path / "report.html").read_text(encoding="utf-8")
    rerun = [sys.executable, "-m", "rerun", "rrd"]
    subprocess.run([*rerun, "verify", *map(str, files)], check=True, capture_output=True, timeout=60)
    shown = subprocess.run([*rerun, "print", "-vvv", str(files[0])], check=True, capture_output=True, text=True, timeout=60).stdout
    for entity in (
        "/house/camera/rgb",
        "/house/camera/depth",
        "/house/camera",
        "/memory/tree",
        "/memory/agenda",
        "/log",
        "/scores/confidence",
    ):
        assert entity in shown
    assert "Pinhole" in shown and "Transform3D" in shown and "Δ written" in shown
