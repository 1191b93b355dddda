"""Export round trip, refusals, and calibration that is tied to its weights."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import mimir_learn
from mimir_learn.errors import CheckpointError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.calibration import Calibration, calibrate, fit_temperature, load_calibration
from mimir_learn.estimator.export import weights_sha256, with_vocabulary
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.writing import write_whole
from mimir_learn.symbols import Vocabulary

from .conftest import SMALL
from .synthetic import VOCABULARY, transition


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch.manual_seed(1)
    return DeltaEstimator(with_vocabulary(SMALL, VOCABULARY)).save_pretrained(tmp_path / "model")


def test_round_trip_gives_the_same_logits(tmp_path: Path, batch: dict[str, torch.Tensor]) -> None:
    model = DeltaEstimator(SMALL).eval()
    again = DeltaEstimator.from_pretrained(model.save_pretrained(tmp_path / "m"))
    assert again.config == SMALL and not again.training
    with torch.no_grad():
        a, b = model(batch), again(batch)
    assert all(torch.equal(a[k], b[k]) for k in a)


def edit(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema_version": 99}, "newer"),
        ({"attributes": ["open"]}, "attributes"),
        ({"verbs": ["pick"]}, "verbs"),
        ({"dim": 64}, "do not fit"),
        ({"surprise": 1}, "unknown keys"),
        ({"dropout": 7}, "dropout"),
        ({"hand_box": 3}, "config.json is damaged"),
        ({"schema_version": None}, "no schema version"),
        ({"schema_version": True}, "no schema version"),
        ({"hand_box": [0, 0, 1]}, "hand_box"),
        ({"hidden": "rgb"}, "hidden"),
        ({"hidden": [1]}, "hidden"),
        ({"landing": "no"}, "landing is 'no'; give true or false"),
        ({"outcome_flag": 1}, "outcome_flag"),
        ({"names": {}}, r"names is \{\}; give text"),
        ({"backbone": None}, "backbone"),
        ({"vocabulary_sha256": 5}, "vocabulary_sha256"),
        ({"input_version": 3.0}, "input_version"),
        ({"candidates": True}, "candidates"),
        ({"max_depth_m": "8"}, "max_depth_m"),
        ({"max_depth_m": 4.0}, "max_depth_m is 4.0, was 8.0"),
        ({"hidden": ["rgb"]}, r"hidden is \['rgb'\], was \[\]"),
        ({"input_version": 2}, "input_version is 2, was 3"),
    ],
)
def test_foreign_configs_are_refused(folder: Path, changes: dict[str, object], said: str) -> None:
    edit(folder, **changes)
    with pytest.raises(CheckpointError, match=said) as info:
        DeltaEstimator.from_pretrained(folder)
    assert str(folder) in str(info.value)


def test_the_config_of_an_export_from_before_it_was_bound_is_not_checked(folder: Path) -> None:
    save_file(load_file(folder / "model.safetensors"), folder / "model.safetensors", {"format": "pt"})
    edit(folder, max_depth_m=4.0)
    assert DeltaEstimator.from_pretrained(folder).config.max_depth_m == 4.0


def test_the_same_weights_are_the_same_bytes_and_permissions_follow_the_umask(folder: Path, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        again = DeltaEstimator.from_pretrained(folder).save_pretrained(tmp_path / "again")
    finally:
        os.umask(before)
    for name in ("model.safetensors", "config.json"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()
        assert stat.S_IMODE((again / name).stat().st_mode) == 0o640
    assert {p.name for p in again.iterdir()} == {"model.safetensors", "config.json"}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_whole(tmp_path / "a.json", "old")

    def full(fd: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, "new")
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_not_exported(folder: Path, tmp_path: Path, value: float) -> None:
    model = DeltaEstimator.from_pretrained(folder)
    with torch.no_grad():
        model.verb.weight[0, 0] = value
    with pytest.raises(CheckpointError, match=r"not exported, 1 of \d+ tensors hold NaN or infinity \(verb\.weight\).*smaller lr"):
        model.save_pretrained(tmp_path / "bad")
    assert not (tmp_path / "bad").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"confidence": 0.1}, "confidence is 0.1"),
        ({"confidence": "high"}, "confidence"),
        ({"houses": None}, "houses is None"),
        ({"houses": {"thresholds": -1}}, "houses.thresholds"),
        ({"judged": {"pick": 1.5}}, "judged.pick"),
        ({"temperature": {"parent": 1.0, "attr": True, "outcome": 1.0}}, "temperature.attr"),
        ({"temperature": {"parent": 1.0, "attr": 1.0}}, "no temperature for outcome"),
        ({"nll_after": {"parent": "low"}}, "nll_after.parent"),
        ({"transitions": -1}, "transitions"),
        ({"method": "hope"}, "method"),
        ({"split": None}, "split"),
        ({"thresholds": {"0.99": {"pick": True}}}, "a threshold is True"),
        ({"thresholds": {"0.99": {"juggle": 0.5}}}, "juggle"),
        ({"own": {"0.99": ["pick"]}}, "no thresholds"),
    ],
)
def test_a_calibration_with_values_that_none_has_is_refused_by_name(folder: Path, changes: dict[str, object], said: str) -> None:
    path = Calibration({"parent": 1.0, "attr": 1.0, "outcome": 1.0}, weights_sha256(folder)).save(folder)
    assert load_calibration(folder) is not None
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(CheckpointError, match=rf"calibration\.json: .*{said}.*mimir calibrate"):
        load_calibration(folder)


def test_a_hypotheses_head_needs_its_own_temperature(tmp_path: Path) -> None:
    folder = DeltaEstimator(with_vocabulary(dataclasses.replace(SMALL, head="hypotheses"), VOCABULARY)).save_pretrained(tmp_path / "m")
    three = {"parent": 1.0, "attr": 1.0, "outcome": 1.0}
    Calibration(three, weights_sha256(folder)).save(folder)
    with pytest.raises(CheckpointError, match="no temperature for hypothesis"):
        Predictor.load(folder)
    Calibration({**three, "hypothesis": 2.0}, weights_sha256(folder)).save(folder)
    assert Predictor.load(folder).temperature["hypothesis"] == 2.0


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_and_answers_that_are_not_finite_are_refused(folder: Path, value: float) -> None:
    predictor = Predictor.load(folder)
    state = load_file(folder / "model.safetensors")
    state["verb.weight"][0, 0] = value
    save_file(state, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"1 of \d+ tensors hold NaN or infinity \(verb\.weight\).*train again"):
        DeltaEstimator.from_pretrained(folder)
    with torch.no_grad():
        next(predictor.model.outcome_head.parameters()).fill_(float("nan"))
    with pytest.raises(CheckpointError, match=r"model: .*not finite"):
        predictor.estimate(transition(np.random.default_rng(7))[0])


def test_the_package_version_is_written_and_is_no_part_of_the_config(folder: Path) -> None:
    assert json.loads((folder / "config.json").read_text())["package_version"] == mimir_learn.__version__
    model = DeltaEstimator.from_pretrained(folder)
    assert model.config == with_vocabulary(SMALL, VOCABULARY) and "package_version" not in model.config.to_dict()
    edit(folder, package_version="0.0.7")
    assert DeltaEstimator.from_pretrained(folder).config == model.config
    body = json.loads((folder / "config.json").read_text())
    del body["package_version"]  # an export from before it was written
    (folder / "config.json").write_text(json.dumps(body))
    assert DeltaEstimator.from_pretrained(folder).config == model.config


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.0.7", r"made by mimir-learn 0\.0\.7, this is .*train again with `mimir train`, or install mimir-learn 0\.0\.7$"),
        (None, r"too old to write its version down, this is .*train again with `mimir train`, or install the version that made it$"),
        (mimir_learn.__version__, r"train again with `mimir train`, or restore the files"),
    ],
)
@pytest.mark.parametrize("damage", ["shape", "key", "attributes"])
def test_weights_of_another_network_name_their_maker_and_the_cure(folder: Path, damage: str, version: str | None, said: str) -> None:
    body = json.loads((folder / "config.json").read_text())
    body = {k: v for k, v in body.items() if k != "package_version"} | ({"package_version": version} if version else {})
    (folder / "config.json").write_text(json.dumps(body))
    state = load_file(folder / "model.safetensors")
    name = sorted(state)[0]
    if damage == "attributes":
        edit(folder, attributes=["open"])
    else:
        tensor = state.pop(name)
        state[name if damage == "shape" else "renamed"] = tensor[None].contiguous()
        save_file(state, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=said) as info:
        DeltaEstimator.from_pretrained(folder)
    assert "export the model again" not in str(info.value)
    assert damage == "attributes" or name in str(info.value)


def test_another_vocabulary_is_refused_unless_allowed(folder: Path) -> None:
    other = Vocabulary("other", {k: v for k, v in VOCABULARY.categories.items() if k != "lamp"})
    assert DeltaEstimator.from_pretrained(folder, VOCABULARY)
    with pytest.raises(CheckpointError, match="toy-v1"):
        DeltaEstimator.from_pretrained(folder, other)
    assert DeltaEstimator.from_pretrained(folder, other, allow_other_vocabulary=True)


def test_pickles_damage_and_absence_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="mimir train"):
        DeltaEstimator.from_pretrained(tmp_path / "nowhere")
    (tmp_path / "old").mkdir()
    torch.save({}, tmp_path / "old" / "weights.ckpt")
    for path in (tmp_path / "old", tmp_path / "old" / "weights.ckpt"):
        with pytest.raises(CheckpointError, match="pickle"):
            DeltaEstimator.from_pretrained(path)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match=r"damaged.*mimir train --resume true"):
        DeltaEstimator.from_pretrained(folder)
    weights.unlink()
    with pytest.raises(CheckpointError, match="missing"):
        DeltaEstimator.from_pretrained(folder)


def test_calibration_belongs_to_its_weights(folder: Path, samples: list[dict[str, np.ndarray]]) -> None:
    model = DeltaEstimator.from_pretrained(folder)
    made = calibrate(model, [collate(samples, SMALL)], folder)
    assert load_calibration(folder) == made
    for head, after in made.nll_after.items():
        assert after <= made.nll_before[head]
    kept = (folder / "calibration.json").read_text()
    with torch.no_grad():
        model.verb.weight += 1
    model.save_pretrained(folder)
    assert load_calibration(folder) is None  # saving other weights removes it
    (folder / "calibration.json").write_text(kept)
    with pytest.raises(CheckpointError, match="mimir calibrate"):
        Predictor.load(folder)


def test_temperature_reduces_nll_and_finds_the_planted_one() -> None:
    g = torch.Generator().manual_seed(0)
    logits = torch.randn(4000, 5, generator=g)
    target = torch.distributions.Categorical(logits=logits).sample()
    t, before, after = fit_temperature(logits * 3.0, target)
    assert after < before and abs(t - 3.0) < 0.4
    binary = torch.randn(4000, generator=g)
    t, before, after = fit_temperature(binary * 0.25, torch.bernoulli(torch.sigmoid(binary), generator=g))
    assert after < before and abs(t - 0.25) < 0.1
    few = torch.randn(300, generator=g) * 4
    t, before, after = fit_temperature(few, (few > 0).float())  # all right: the likelihood alone would have temperature 0
    assert after < before and 0.2 < t < 0.8, t
    assert fit_temperature(torch.zeros(0, 3), torch.zeros(0, dtype=torch.long)) == (1.0, 0.0, 0.0)


def test_predictions_are_repeatable_and_change_with_the_temperature(folder: Path, samples: list[dict[str, np.ndarray]]) -> None:
    tr, _ = transition(np.random.default_rng(7))
    plain = Predictor.load(folder)
    assert plain.estimate(tr) == plain.estimate(tr)
    calibration = calibrate(plain.model, [collate(samples, SMALL)], folder)
    hot = Predictor(plain.model, dataclasses.replace(calibration, temperature={"parent": 50.0, "attr": 50.0, "outcome": 50.0}))
    assert hot.estimate(tr).confidence < plain.estimate(tr).confidence
    success = hot.estimate(tr).success
    assert success is not None and abs(success - 0.5) < 0.05
