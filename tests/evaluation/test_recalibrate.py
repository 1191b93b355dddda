"""The agent's own episodes become a sound log; one command calibrates on it and measures risk; test houses are refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from mimir_learn.collect import check_log
from mimir_learn.envs.household import VOCABULARY
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator.calibration import Calibration, load_calibration
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.estimator.names import TABLE
from mimir_learn.estimator.risk import FAMILIES, NEVER, POOLED, Judged
from mimir_learn.evaluation.onpolicy import OnPolicyConfig, collect_onpolicy
from mimir_learn.evaluation.recalibrate import CalibrateConfig, fitted_table, own_judgements, risk_report, risk_table, run_calibrate
from mimir_learn.evaluation.records import read_records
from mimir_learn.logs import read_episodes
from mimir_learn.symbols import Delta

SMALL = EstimatorConfig(
    candidates=10, image_px=32, crop_px=8, change_regions=2, dim=32, heads=2, layers=1, ffn=64, crop_width=8, image_width=8
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return DeltaEstimator(with_vocabulary(SMALL, VOCABULARY)).save_pretrained(tmp_path_factory.mktemp("export") / "model")


@pytest.fixture(scope="module")
def log(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("own") / "log"
    config = OnPolicyConfig(str(model), str(out), houses=2, tasks=1, steps=8, image_size=64, n_jobs=1)
    return collect_onpolicy(config, progress=False)


def test_the_agents_episodes_are_a_sound_log(log: Path) -> None:
    assert check_log(log) == []
    episodes = list(read_episodes(log, "calibration"))
    records = [json.loads(line) for line in (log / "records.jsonl").read_text().splitlines()[1:]]
    assert len(episodes) == 2 and {e.house_seed for e in episodes} == {20000, 20001}
    for episode, record in zip(episodes, records, strict=True):
        assert [s.command for s in episode.steps] == [t["command"] for t in record["trace"]]
        assert [s.outcome.success for s in episode.steps] == [t["success"] for t in record["trace"]]
        assert [s.delta.to_json() for s in episode.steps if s.delta] != []


def test_a_log_is_never_written_over(log: Path, model: Path) -> None:
    with pytest.raises(ConfigError, match="not empty"):
        collect_onpolicy(OnPolicyConfig(str(model), str(log)), progress=False)


def test_a_copy_has_all_that_an_export_needs(model: Path, log: Path, tmp_path: Path) -> None:
    named = shutil.copytree(model, tmp_path / "named")
    (named / TABLE).write_bytes(b"vectors")  # as a text model's export has them; n-grams do not read them
    run_calibrate(CalibrateConfig(str(named), str(log), out=str(tmp_path / "copy")))
    assert {p.name for p in (tmp_path / "copy").iterdir()} == {"model.safetensors", "config.json", TABLE, "calibration.json"}


def test_one_command_calibrates_a_copy_and_leaves_the_estimator_alone(model: Path, log: Path, tmp_path: Path) -> None:
    said = run_calibrate(CalibrateConfig(str(model), str(log), out=str(tmp_path / "copy")))
    made = load_calibration(tmp_path / "copy")
    assert made is not None and made.houses == {"temperature": 1, "thresholds": 1} and "1 houses of split calibration" in said
    assert load_calibration(model) is None
    with pytest.raises(ConfigError, match="not empty"):
        run_calibrate(CalibrateConfig(str(model), str(log), out=str(tmp_path / "copy")))


def test_measuring_needs_thresholds_and_writes_nothing(model: Path, log: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no thresholds"):
        run_calibrate(CalibrateConfig(str(model), str(log), fit=False))
    run_calibrate(CalibrateConfig(str(model), str(log), out=str(tmp_path / "copy")))
    before = (tmp_path / "copy" / "calibration.json").read_bytes()
    assert "promised risk" in run_calibrate(CalibrateConfig(str(tmp_path / "copy"), str(log), fit=False))
    assert (tmp_path / "copy" / "calibration.json").read_bytes() == before


def test_records_are_measured_with_the_agents_own_memory(model: Path, log: Path, tmp_path: Path) -> None:
    run_calibrate(CalibrateConfig(str(model), str(log), out=str(tmp_path / "copy")))
    own = {"records": str(log / "records.jsonl"), "fit": False}
    assert "promised risk" in run_calibrate(CalibrateConfig(str(tmp_path / "copy"), **own))
    with pytest.raises(ConfigError, match="no episodes in houses of split 'test'"):
        run_calibrate(CalibrateConfig(str(tmp_path / "copy"), split="test", **own))
    rows = list(read_records(log / "records.jsonl"))
    first = [Delta.from_json(s["estimate"]) for r in rows for s in r["trace"] if not s["look_again"]]
    assert len(own_judgements(rows, "calibration")) == sum(a[0] != "hand" for delta in first for a in delta.atoms)
    with pytest.raises(ConfigError, match="learned episodes alone"):
        own_judgements([{**rows[0], "world_source": "schema"}], "calibration")


@pytest.mark.parametrize("kw", [{}, {"log": "a", "records": "b"}, {"records": "b"}, {"log": "a", "fit": False, "out": "c"}])
def test_contradictory_settings_are_refused(kw: dict) -> None:
    with pytest.raises(ConfigError):
        CalibrateConfig("model", **kw)


@pytest.mark.parametrize("split", ["test", "train"])
def test_calibrating_on_houses_that_would_spoil_a_result_is_an_error(model: Path, log: Path, split: str) -> None:
    with pytest.raises(ConfigError, match=split):
        run_calibrate(CalibrateConfig(str(model), str(log), split=split))


def test_realised_risk_is_counted_per_level_and_family() -> None:
    cut = {POOLED: 0.9, **dict.fromkeys(FAMILIES, 0.9), "move": NEVER}
    calibration = Calibration({}, "", thresholds={"0.98": cut}, judged={"pick": 9}, houses={"temperature": 1, "thresholds": 3})
    rows = [Judged(0.95, i > 0, "pick", "e") for i in range(10)] + [Judged(0.99, True, "move", "e")] * 10
    report = risk_report(rows, calibration)
    assert report["0.98"]["risk"] == report["0.98.pick"]["risk"] == 0.1
    assert report["0.98"]["coverage"] == 0.5 and report["0.98.move"]["committed"] == 0
    assert report["0.98"]["risk_low"] < 0.1 < report["0.98"]["risk_high"]
    assert "10.00 %" in risk_table(report) and "never" in fitted_table(calibration)


@pytest.mark.parametrize("kw", [{"split": "tests"}, {"houses": 0}, {"n_jobs": 0}, {"faults": 2.0}])
def test_bad_settings_of_a_collection_are_refused(kw: dict) -> None:
    with pytest.raises(ConfigError):
        OnPolicyConfig(**kw)
