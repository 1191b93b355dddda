"""An ablation folder becomes folders ready to upload, each of which loads, and nothing unfinished or mixed up gets in."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from mimir_learn.cli import main
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.calibration import FILE, HEADS, Calibration
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.export import save_pretrained, weights_sha256, with_vocabulary
from mimir_learn.hub import PublishAllConfig, publish_all
from mimir_learn.logs import LogDirectory
from tests.logs.tiny_log import make_log

LOG_SHA = "ab" * 32


def _run(grid: Path, name: str, seed: int | None, score: dict[str, float], log: Path, **record: Any) -> Path:
    folder = (
        grid / "runs" / f"{re.sub(r'[^a-z]+', '-', name)}{'' if seed is None else f'-seed{seed}'}-{len(list(grid.glob('runs/*'))):012d}"
    )
    folder.mkdir(parents=True)
    body = {"name": name, "seed": seed, "what": {"log": LOG_SHA, "split": "test"}, "score": score}
    if seed is not None:
        torch.manual_seed(seed)
        config = with_vocabulary(
            EstimatorConfig(dim=32, heads=2, layers=1, ffn=32, crop_width=8, image_width=8), LogDirectory(log).vocabulary
        )
        model = save_pretrained(DeltaEstimator(config), folder / "model")
        (model / FILE).write_text(json.dumps(asdict(Calibration(dict.fromkeys(HEADS, 1.0), weights_sha256(model)))))
        (folder / "train.json").write_text(json.dumps({"config": {"seed": seed, "log_dir": str(log)}}))
        body["reliability"] = [{"p": 0.9, "right": 0.8, "n": 10}]
    (folder / "record.json").write_text(json.dumps(body | record))
    return folder


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    log, out = tmp_path / "log", tmp_path / "ablations"
    make_log(log)
    _run(out, "no depth", 0, {"changed_atom_f1": 0.8, "exact_delta": 0.7}, log)
    _run(out, "full", 1, {"changed_atom_f1": 0.91, "exact_delta": 0.9}, log)
    _run(out, "full", 0, {"changed_atom_f1": 0.9, "exact_delta": 0.89}, log)
    _run(out, "schema", None, {"changed_atom_f1": 0.4, "exact_delta": 0.3}, log)
    (out / "runs" / "full-seed2-killed").mkdir()
    (out / "results.json").write_text(json.dumps({"about": "What depth brings.", "rows": [{"name": "full"}, {"name": "no depth"}]}))
    (out / "tables.md").write_text("# Ablations\n")
    return out


def test_every_finished_run_loads_and_the_index_compares_them(grid: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = publish_all(PublishAllConfig((str(grid), str(out)), "lab/delta", dataset="lab/log"))
    assert "3 model repositories" in said and "full-seed2-killed: not finished" in said and "nothing is uploaded" in said
    names = sorted(p.name for p in out.iterdir() if p.is_dir())
    assert names == ["full-seed0", "full-seed1", "no-depth-seed0"]
    for name in names:
        model = DeltaEstimator.from_pretrained(out / name, LogDirectory(tmp_path / "log").vocabulary)
        assert sum(p.numel() for p in model.parameters())
        assert (out / name / ".eval_results/mimir-delta.yaml").is_file() and (out / name / "reliability.png").is_file()
    index = (out / "README.md").read_text()
    rows = [line.split("|")[2].strip() + line.split("|")[3].strip() for line in index.splitlines() if line.startswith("| [")]
    assert rows == ["full0", "full1", "no depth0"]  # in the table's order
    size = sum(p.stat().st_size for p in (out / "full-seed1").rglob("*") if p.is_file()) / 1e6
    row = next(line for line in index.splitlines() if "full-seed1/README.md" in line)
    assert "| 0.9100 | 0.9000 | – |" in row and f"| {size:.2f} |" in row and weights_sha256(out / "full-seed1")[:12] in row
    assert "What depth brings." in index and "[tables.md](tables.md)" in index and (out / "tables.md").is_file()
    assert "hf upload lab/delta-full-seed0 full-seed0" in index and "full-seed2-killed: not finished" in index
    assert "| changed-atom F1 | 0.9100 | 0.4000 |" in (out / "full-seed1" / "README.md").read_text()
    assert str(tmp_path) not in "".join(p.read_text() for p in out.rglob("*") if p.suffix in (".md", ".json", ".yaml"))


def test_a_run_that_is_not_what_it_says_is_left_out_by_name(grid: Path, tmp_path: Path) -> None:
    (next(grid.glob("runs/no-depth*")) / "model" / FILE).unlink()
    _run(grid, "swapped", 0, {"changed_atom_f1": 1.0}, tmp_path / "log", checkpoint_sha256="0" * 64)
    said = publish_all(PublishAllConfig((str(grid), str(tmp_path / "out")), "lab/delta"))
    assert "2 model repositories" in said
    assert re.search(r"left out: no-depth-seed0: .*not calibrated", said) and re.search(
        r"left out: swapped-seed0: .*scores are of weights", said
    )
    assert sorted(p.name for p in (tmp_path / "out").iterdir() if p.is_dir()) == ["full-seed0", "full-seed1"]


def test_runs_of_one_name_stay_apart_and_choices_hold(grid: Path, tmp_path: Path) -> None:
    _run(grid, "full", 0, {"changed_atom_f1": 0.5, "exact_delta": 0.5}, tmp_path / "log")
    config = PublishAllConfig((str(grid), str(tmp_path / "out")), arms=["full"], seeds=[0])
    assert "2 model repositories" in publish_all(config)
    names = [p.name for p in (tmp_path / "out").iterdir() if p.is_dir()]
    assert len(names) == 2 and all(n.startswith("full-seed0-") for n in names)
    assert f"All are scored on the same transitions, the test split of log {LOG_SHA[:12]}." in (tmp_path / "out" / "README.md").read_text()


def test_runs_scored_on_other_transitions_are_not_said_to_compare(grid: Path, tmp_path: Path) -> None:
    _run(grid, "full", 5, {"changed_atom_f1": 0.5}, tmp_path / "log", what={"log": "cd" * 32, "split": "test"})
    publish_all(PublishAllConfig((str(grid), str(tmp_path / "out"))))
    index = (tmp_path / "out" / "README.md").read_text()
    assert (
        "do not compare:** full-seed0, full-seed1, no-depth-seed0 on the" in index
        and "full-seed5 on the test split of log cdcdcdcdcdcd" in index
    )


def test_what_cannot_be_done_leaves_nothing_behind(grid: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ConfigError, match=r"no finished run.*arms with finished runs: full, no depth"):
        publish_all(PublishAllConfig((str(grid), str(out)), arms=["fulll"]))
    with pytest.raises(ConfigError, match="repo"):
        publish_all(PublishAllConfig((str(grid), str(out)), "delta"))
    for path in grid.glob("runs/*/model/calibration.json"):
        path.unlink()
    with pytest.raises(CheckpointError, match="no run can be published"):
        publish_all(PublishAllConfig((str(grid), str(out))))
    assert not out.exists() and not list(tmp_path.glob(".out*"))


def test_from_the_command_line(grid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "--all", str(grid), str(tmp_path / "out"), "--repo", "lab/delta"]) == 0
    assert "3 model repositories" in capsys.readouterr().out
    assert main(["publish", "--all", str(grid), str(tmp_path / "out")]) == 1  # not written over
