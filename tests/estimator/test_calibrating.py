"""One call fits temperatures and thresholds on different houses; the file reads back as it was; test houses are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.calibrating import calibrate_all, judgements
from mimir_learn.estimator.calibration import Calibration, load_calibration
from mimir_learn.estimator.export import weights_sha256, with_vocabulary
from mimir_learn.estimator.metrics import Scored
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.risk import FAMILIES, NEVER, POOLED
from mimir_learn.logs import LogDirectory
from mimir_learn.symbols import IN_HAND, Delta, Parent, ParentChange, Relation

from .conftest import SMALL


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("calibration_log")
    houses = HouseCounts(train=0, validation=0, calibration=3, test=1)
    collect(CollectConfig(str(root), houses=houses, episodes_per_house=1, steps=10, image_size=64, n_jobs=1), progress=False, commit="test")
    return root


@pytest.fixture
def folder(tmp_path: Path, log: Path) -> Path:
    torch.manual_seed(3)
    return DeltaEstimator(with_vocabulary(SMALL, LogDirectory(log).vocabulary)).save_pretrained(tmp_path / "model")


def test_temperatures_and_thresholds_come_from_different_houses(folder: Path, log: Path) -> None:
    made = calibrate_all(folder, log)
    assert made.houses == {"temperature": 1, "thresholds": 2} and made.transitions == 10
    assert made.weights_sha256 == weights_sha256(folder) and made.split == "calibration"
    assert {f for cut in made.thresholds.values() for f in cut} == {POOLED, *FAMILIES}
    assert all(p == NEVER for p in made.thresholds["0.995"].values())  # ten actions certify nothing
    assert load_calibration(folder) == made == calibrate_all(folder, log)
    assert made.certified("pick") == tuple((float(level), cut["pick"]) for level, cut in sorted(made.thresholds.items()))


def test_the_file_is_strict_json_and_says_never_with_null(folder: Path, log: Path) -> None:
    calibrate_all(folder, log)

    def refuse(text: str) -> None:
        raise AssertionError(text)

    body = json.loads((folder / "calibration.json").read_text(), parse_constant=refuse)
    assert body["thresholds"]["0.995"]["pick"] is None


def test_without_write_nothing_is_written(folder: Path, log: Path) -> None:
    calibrate_all(folder, log, write=False)
    assert not (folder / "calibration.json").exists()


@pytest.mark.parametrize("split", ["test", "train"])
def test_houses_that_would_spoil_a_result_are_refused(folder: Path, log: Path, split: str) -> None:
    with pytest.raises(ConfigError, match="choose split calibration"):
        calibrate_all(folder, log, split)
    assert not (folder / "calibration.json").exists()


def test_an_old_file_without_thresholds_still_loads(folder: Path) -> None:
    old = {
        "temperature": {"parent": 0.9, "attr": 1.1, "outcome": 1.0}, "weights_sha256": weights_sha256(folder), "nll_before": {},
        "nll_after": {}, "transitions": 7, "split": "calibration",
    }  # fmt: skip
    (folder / "calibration.json").write_text(json.dumps(old))
    read = load_calibration(folder)
    assert read is not None and read.thresholds == {} and read.certified("pick") == ()
    assert Predictor.load(folder).temperature == old["temperature"]


@pytest.mark.parametrize("bad", [{"0.99": {"pick": 1.5}}, {"2": {"pick": 0.5}}, {"high": {"pick": 0.5}}, [1]])
def test_damaged_thresholds_are_refused(folder: Path, bad: object) -> None:
    Calibration({"parent": 1.0, "attr": 1.0, "outcome": 1.0}, weights_sha256(folder)).save(folder)
    body = json.loads((folder / "calibration.json").read_text())
    (folder / "calibration.json").write_text(json.dumps({**body, "thresholds": bad}))
    with pytest.raises(CheckpointError, match="mimir calibrate"):
        load_calibration(folder)


def test_a_grasp_counts_once() -> None:
    grasp = Delta([ParentChange("mug_1", Parent("table_1", Relation.ON), IN_HAND, 0.8)])
    right = judgements(Scored(grasp, grasp, verb="pick"), "e", "h")
    assert [(j.p, j.right, j.family, j.house) for j in right] == [(0.8, True, "pick", "h")]
    assert not judgements(Scored(Delta([]), grasp, verb="pick"), "e", "h")[0].right
