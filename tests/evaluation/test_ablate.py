"""`mimir ablate`: what is run, what is not run again, what goes on after a kill, and what the numbers are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.errors import ConfigError, MimirError
from mimir_learn.estimator import TrainConfig, fit
from mimir_learn.estimator.config import HIDEABLE
from mimir_learn.estimator.metrics import score
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.scoring import answer
from mimir_learn.evaluation.ablate import ablate
from mimir_learn.evaluation.ablate_score import RATIOS, estimator_answers, source_answers, summary
from mimir_learn.evaluation.ablations import AblateConfig, completed_settings, load_ablation, make_ablation, settings_of
from mimir_learn.feedback import make_source
from mimir_learn.logs import LogDirectory

CONFIGS = Path(__file__).parents[2] / "configs"
SMOKE = str(CONFIGS / "ablations-smoke.yaml")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("log")
    houses = HouseCounts(train=2, validation=1, calibration=1, test=2)
    collect(CollectConfig(str(root), houses=houses, episodes_per_house=1, steps=12, image_size=64, n_jobs=1), progress=False, commit="test")
    return str(root)


@pytest.fixture(scope="module")
def out(log: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ablations")
    ablate(AblateConfig(SMOKE, str(folder), log=log, n_jobs=1))
    return folder


def _records(out: Path) -> dict[str, tuple[int, dict]]:
    return {p.parent.name: (p.stat().st_mtime_ns, json.loads(p.read_text())) for p in out.glob("runs/*/record.json")}


def test_every_arm_is_trained_under_every_seed_and_every_source_is_asked_once(out: Path) -> None:
    runs = sorted((r["name"], r["seed"]) for _, r in _records(out).values() if r["seed"] is not None)
    assert runs == [("action only", 0), ("action only", 1), ("full", 0), ("full", 1)]
    assert sorted(r["name"] for _, r in _records(out).values() if r["seed"] is None) == ["none", "schema"]
    assert len({r["transitions"] for _, r in _records(out).values()}) == 1
    seeds = {r["checkpoint_sha256"] for _, r in _records(out).values() if r["seed"] is not None}
    assert len(seeds) == 4


def test_tables_and_plot_lie_beside_the_runs(out: Path) -> None:
    text = (out / "tables.md").read_text()
    assert "| full | 2 |" in text and "| schema | 1 |" in text and "Differences to `full`" in text
    assert "<svg" in (out / "ablations.svg").read_text()
    assert all((out / f).stat().st_size for f in ("scores.csv", "tests.csv", "tables.tex", "results.json"))


def test_a_second_time_only_draws(out: Path, log: str) -> None:
    before = _records(out)
    table = (out / "tables.md").read_bytes()
    (out / "tables.md").unlink()
    ablate(AblateConfig(SMOKE, str(out), log=log, n_jobs=1))
    assert _records(out) == before
    assert (out / "tables.md").read_bytes() == table


def test_another_name_for_the_same_settings_is_the_same_run(out: Path, log: str, tmp_path: Path) -> None:
    body = yaml.safe_load(Path(SMOKE).read_text())
    body["arms"] = {"everything": body["arms"]["full"]}
    (tmp_path / "renamed.yaml").write_text(yaml.safe_dump(body))
    before = _records(out)
    ablate(AblateConfig(str(tmp_path / "renamed.yaml"), str(out), log=log, n_jobs=1))
    assert _records(out) == before
    assert "| everything | 2 |" in (out / "tables.md").read_text()


def test_a_field_that_a_record_does_not_know_stands_for_its_default() -> None:
    whole = settings_of(TrainConfig(epochs=2))
    older = {k: v for k, v in whole.items() if k != "weight_decay"}
    older["estimator"] = {k: v for k, v in whole["estimator"].items() if k != "hidden"}
    assert completed_settings(older) == whole
    assert completed_settings(older) != settings_of(TrainConfig(epochs=2, weight_decay=0.5))


def test_batched_answers_are_the_ones_of_single_questions(out: Path, log: str) -> None:
    for _, record in _records(out).values():
        if record["seed"] != 0:
            continue
        folder = next(p.parent for p in out.glob("runs/*/record.json") if json.loads(p.read_text()) == record)
        single = answer({"x": Predictor.load(folder / "model", LogDirectory(Path(log)).vocabulary)}, log, "test")["x"]
        many, houses = estimator_answers(folder / "model", Path(log), "test", None)
        assert [i.predicted for i in many] == [i.predicted for i in single]
        assert [i.confidence for i in many] == pytest.approx([i.confidence for i in single], abs=1e-5)
        assert len(set(houses)) == 2
        assert record["score"]["exact_delta"] == score(single)["exact_delta"]


def test_sums_by_house_give_the_numbers_of_the_scorer(log: str) -> None:
    for name in ("schema", "none", "text"):
        items, houses = source_answers(make_source(name), Path(log), "test")
        body = summary(items, houses)
        for metric in RATIOS:
            top, bottom = (sum(v[i] for v in body["houses"][metric].values()) for i in (0, 1))
            if metric in body["score"] and bottom:
                assert top / bottom == pytest.approx(body["score"][metric])


def test_a_killed_grid_goes_on_and_ends_with_the_same_weights(log: str, tmp_path: Path) -> None:
    body = yaml.safe_load(Path(SMOKE).read_text())
    body |= {"arms": {"full": {}}, "sources": [], "seeds": [0]}
    body["base"] |= {"epochs": 15, "batch_size": 8}
    grid = tmp_path / "grid.yaml"
    grid.write_text(yaml.safe_dump(body))
    broken = tmp_path / "broken"
    code = f"from mimir_learn.evaluation.ablate import *; ablate(AblateConfig({str(grid)!r}, {str(broken)!r}, log={log!r}, n_jobs=1))"
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    deadline = time.monotonic() + 120
    while not list(broken.glob("runs/*/checkpoints/last.ckpt")) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    (folder,) = broken.glob("runs/*")
    assert list(folder.glob("checkpoints/*.ckpt")) and not (folder / "record.json").exists()
    ablate(AblateConfig(str(grid), str(broken), log=log, n_jobs=1))
    whole = make_ablation(body).arms[0].recipe
    unbroken = fit(TrainConfig(**{**vars(whole), "log_dir": log, "out_dir": str(tmp_path / "whole"), "threads": 1, "progress": False}))
    assert json.loads((folder / "record.json").read_text())["checkpoint_sha256"] == unbroken.weights_sha256


def test_a_run_that_fails_does_not_stop_the_others(log: str, tmp_path: Path) -> None:
    body = yaml.safe_load(Path(SMOKE).read_text())
    body |= {"seeds": [0], "sources": ["none"], "arms": {"full": {}, "impossible": {"leave_out": "EVERYTHING"}}}
    body["arms"]["impossible"] = {"leave_out": sorted(LogDirectory(Path(log)).vocabulary.categories)}
    grid = tmp_path / "grid.yaml"
    grid.write_text(yaml.safe_dump(body))
    with pytest.raises(MimirError, match="1 of 3 runs failed, impossible, seed 0 first"):
        ablate(AblateConfig(str(grid), str(tmp_path / "out"), log=log, n_jobs=1))
    text = (tmp_path / "out" / "tables.md").read_text()
    assert "| full | 1 |" in text and "`impossible, seed 0` failed" in text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"arms": {}}, "arms is empty"),
        ({"arms": {"full": {}}, "bases": {}}, "unknown key 'bases'"),
        ({"arms": {"full": {"epoch": 3}}}, "arm 'full'.*epoch"),
        ({"arms": {"full": {"estimator": {"hidden": ["sound"]}}}}, "hidden has"),
        ({"arms": {"full": {"seed": 3}}}, "sets seed"),
        ({"arms": {"full": {}}, "seeds": [1, 1]}, "seeds is"),
        ({"arms": {"full": {}}, "reference": "half"}, "'half', which is no arm"),
        ({"arms": {"full": {}}, "sources": ["privileged"]}, "sources has 'privileged'"),
        ({"arms": {"schema": {}}, "sources": ["schema"]}, "twice"),
    ],
)
def test_what_is_wrong_with_a_grid_is_named(body: dict, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_ablation(body)


def test_an_arm_whose_package_is_missing_is_left_out_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    from mimir_learn.estimator.backbones import sources

    absent = sources.Package("1.0", "no_such_package_anywhere", "x.safetensors", "0" * 64, "MIT")
    monkeypatch.setitem(sources.PACKAGES, "no-such-package", absent)
    arms = {"full": {}, "words": {"estimator": {"names": "package:no-such-package"}}}
    full, words = make_ablation({"arms": arms}).arms
    assert not full.missing and "pip install --no-deps no-such-package" in words.missing


def test_the_grids_that_come_with_it_can_be_read() -> None:
    grid = load_ablation(AblateConfig(str(CONFIGS / "ablations.yaml")))
    load_ablation(AblateConfig(SMOKE))
    hidden = {h for a in grid.arms for h in a.recipe.estimator.hidden}
    assert hidden == set(HIDEABLE)
    assert len(grid.seeds) >= 3
