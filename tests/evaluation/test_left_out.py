"""Scoring actions on categories left out of training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.errors import ConfigError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.evaluation import left_out as room
from mimir_learn.evaluation.left_out import LeftOutConfig, choose, left_out, left_out_of, score_left_out
from mimir_learn.logs import LogDirectory, read_episodes
from mimir_learn.symbols import Kind


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("log")
    houses = HouseCounts(train=1, validation=0, calibration=0, test=1)
    collect(CollectConfig(str(root), houses=houses, episodes_per_house=2, steps=20, image_size=32, n_jobs=1), progress=False, commit="test")
    return root


def acted(log: Path, split: str) -> list[set[str]]:
    """Categories that each action of a split names, read off the episodes themselves."""
    out = []
    for episode in read_episodes(log, split):
        out += [{episode.entities[a].category for a in s.action.arguments if a in episode.entities} for s in episode.steps]
    return out


def run_of(folder: Path, log: Path, categories: list[str]) -> str:
    small = EstimatorConfig(candidates=10, image_px=32, crop_px=8, dim=32, heads=2, layers=1, ffn=64, crop_width=8, image_width=8)
    DeltaEstimator(with_vocabulary(small, LogDirectory(log).vocabulary)).save_pretrained(folder / "model")
    (folder / "train.json").write_text(json.dumps({"config": {"leave_out": categories}}))
    return str(folder)


def test_the_draw_is_a_function_of_the_seed_and_of_what_training_acts_on(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "ENOUGH", 1)
    kinds = {n: s.kind for n, s in LogDirectory(log).vocabulary.categories.items()}
    named = set().union(*acted(log, "train"))
    drawn = choose(log, 3, 0)
    assert drawn == choose(log, 3, 0) and set(drawn) <= named
    assert sorted(kinds[c] is Kind.OBJECT for c in drawn) == [False, True, True] and all(kinds[c] is not Kind.ROOM for c in drawn)
    assert {choose(log, 3, s) for s in range(8)} != {drawn}
    monkeypatch.setattr(room, "ENOUGH", 10_000)
    with pytest.raises(ConfigError, match="choose fewer"):
        choose(log, 3, 0)


def test_every_action_that_names_something_is_in_one_group(log: Path, tmp_path: Path) -> None:
    named = [c for c in acted(log, "test") if c]
    common = max(set().union(*named), key=lambda c: sum(c in x for x in named))
    run, all_seen = run_of(tmp_path / "a", log, [common]), run_of(tmp_path / "b", log, [])
    categories, results = score_left_out(LeftOutConfig((run, all_seen), str(log)))
    assert categories == (common,)
    for parts in results.values():
        assert parts["left_out"]["n"] == sum(common in c for c in named)
        assert sum(p["n"] for p in parts.values()) == len(named)
    text = left_out(LeftOutConfig((run,), str(log), out=str(tmp_path / "out.json")))
    assert common in text and json.loads((tmp_path / "out.json").read_text())["left_out"] == [common]


def test_runs_that_cannot_be_compared_are_refused(log: Path, tmp_path: Path) -> None:
    a, b, none = (run_of(tmp_path / n, log, c) for n, c in (("a", ["mug"]), ("b", ["cup"]), ("c", [])))
    assert left_out_of(Path(a)) == {"mug"}
    for runs, count in (((a, b), 2), ((none,), 0)):
        with pytest.raises(ConfigError, match=f"{count} different sets"):
            score_left_out(LeftOutConfig(runs, str(log)))
    with pytest.raises(ConfigError, match="no finished training run"):
        left_out_of(tmp_path)
    with pytest.raises(ConfigError, match="give runs"):
        LeftOutConfig()
