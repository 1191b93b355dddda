"""What is published loads again, says what was measured, and nothing false or half-made gets out."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from huggingface_hub import DatasetCard, ModelCard, parse_eval_result_entries

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.calibration import FILE, HEADS, Calibration
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.export import save_pretrained, weights_sha256, with_vocabulary
from mimir_learn.hub import Checkpoint, PublishConfig, bundle_checkpoint, bundle_log, publish, push
from mimir_learn.hub.check import check_model_repo
from mimir_learn.hub.dataset import size_category, split_rates
from mimir_learn.logs import LogDirectory, read_episodes
from tests.doubles import VOCABULARY
from tests.logs.tiny_log import make_log

NUMBERS = {
    "changed_atom_f1": 0.91,
    "exact_delta": 0.87654,
    "false_change_rate": float("nan"),
    "fault.slip.n": 12.0,
    "fault.slip.exact_delta": 0.5,
    "fault.slip.changed_atom_f1": 0.0,
    "fault.slip.changed_atom_recall": float("nan"),
    "fault.drop.n": 30.0,
    "fault.drop.exact_delta": 0.25,
    "fault.drop.changed_atom_f1": 0.75,
    "fault.drop.changed_atom_recall": 0.7,
}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    config = with_vocabulary(EstimatorConfig(dim=32, heads=2, layers=1, ffn=32, crop_width=8, image_width=8), VOCABULARY)
    model = save_pretrained(DeltaEstimator(config), tmp_path / "model")
    digest = weights_sha256(model)
    (model / FILE).write_text(json.dumps(asdict(Calibration(dict.fromkeys(HEADS, 1.25), digest, transitions=77))))
    scores = {
        "sources": {"learned": NUMBERS, "schema": {"changed_atom_f1": 0.4}},
        "reliability": [{"p": 0.5, "right": 0.4, "n": 10}, {"p": 0.97, "right": 0.99, "n": 90}],
        "split": "test",
        "log_fingerprint": "ab" * 32,
        "checkpoint_sha256": digest,
    }
    return Checkpoint(model, VOCABULARY, scores, {"config": {"epochs": 3, "seed": 7}}, "cd" * 32)


def test_what_is_published_loads_in_one_line(checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = bundle_checkpoint(checkpoint, tmp_path / "out", "lab/small")
    loaded = DeltaEstimator.from_pretrained(out, vocabulary=VOCABULARY)
    assert weights_sha256(out) == weights_sha256(checkpoint.model)
    assert loaded.config.vocabulary_sha256 == VOCABULARY.sha256
    assert json.loads((out / "training.json").read_text())["log_fingerprint"] == "cd" * 32


def test_the_card_says_what_was_measured_and_no_more(checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = bundle_checkpoint(checkpoint, tmp_path / "out", "lab/small", dataset="lab/log")
    card = ModelCard.load(out / "README.md")
    assert {r.metric_type: r.metric_value for r in card.data.eval_results or []} == {"changed_atom_f1": 0.91, "exact_delta": 0.87654}
    assert "| drop | 30 | 0.250 | 0.750 |" in card.text
    assert "| slip | 12 | 0.500 | – |" in card.text  # nothing truly changed: an F1 of 0 would say nothing
    assert "| changed-atom F1 | 0.9100 | 0.4000 |" in card.text
    entries = parse_eval_result_entries(yaml.safe_load((out / ".eval_results/mimir-delta.yaml").read_text()))
    assert [(e.dataset_id, e.task_id, e.value) for e in entries] == [
        ("lab/log", "changed_atom_f1", 0.91),
        ("lab/log", "exact_delta", 0.87654),
    ]


def test_same_input_same_bytes(checkpoint: Checkpoint, tmp_path: Path) -> None:
    a, b = (bundle_checkpoint(checkpoint, tmp_path / name, "lab/small", dataset="lab/log") for name in "ab")
    names = sorted(p.relative_to(a) for p in a.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(b) for p in b.rglob("*") if p.is_file())
    assert all((a / n).read_bytes() == (b / n).read_bytes() for n in names)


@pytest.mark.parametrize("repo", ["small", "lab/", "a/b/c", "lab/sm all", "lab/..", ""])
def test_names_the_hub_refuses(checkpoint: Checkpoint, tmp_path: Path, repo: str) -> None:
    with pytest.raises(ConfigError, match="repo"):
        bundle_checkpoint(checkpoint, tmp_path / "out", repo)
    assert not (tmp_path / "out").exists()


def test_what_does_not_belong_together_is_refused_and_leaves_nothing(checkpoint: Checkpoint, tmp_path: Path) -> None:
    other = replace(checkpoint, scores={**checkpoint.scores, "checkpoint_sha256": "0" * 64})
    with pytest.raises(CheckpointError, match="the scores are of weights 000000000000"):
        bundle_checkpoint(other, tmp_path / "out", "lab/small")
    with pytest.raises(CheckpointError, match="trained on vocabulary"):
        bundle_checkpoint(replace(checkpoint, vocabulary=replace(VOCABULARY, name="another")), tmp_path / "out", "lab/small")
    (checkpoint.model / FILE).unlink()
    with pytest.raises(CheckpointError, match="probabilities mean nothing yet"):
        bundle_checkpoint(checkpoint, tmp_path / "out", "lab/small")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model"]


def test_a_folder_with_something_in_it_is_left_alone(checkpoint: Checkpoint, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep")
    with pytest.raises(ConfigError, match="not empty"):
        bundle_checkpoint(checkpoint, tmp_path / "out", "lab/small")
    assert (tmp_path / "out" / "mine.txt").read_text() == "keep"


def test_a_pickle_is_never_published(checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = bundle_checkpoint(checkpoint, tmp_path / "out", "lab/small")
    (out / "last.ckpt").write_bytes(b"x")
    with pytest.raises(CheckpointError, match=r"last\.ckpt are pickles"):
        check_model_repo(out)


def test_publishing_a_run_scores_it_once(checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    (log / "meta").mkdir(parents=True)
    (log / "meta" / "info.json").write_text("{}")
    monkeypatch.setattr("mimir_learn.hub.command.fingerprint", lambda path: "ab" * 32)
    monkeypatch.setattr("mimir_learn.hub.command.LogDirectory", lambda path: SimpleNamespace(vocabulary=VOCABULARY))
    asked: list[str] = []

    def score(model: Path, log: Path, split: str) -> dict[str, object]:
        asked.append(split)
        return dict(checkpoint.scores)

    for name in ("a", "b"):
        said = publish(PublishConfig(str(tmp_path), f"lab/{name}", str(tmp_path / name), str(log)), score)
        assert "checked; not uploaded" in said and DeltaEstimator.from_pretrained(tmp_path / name, vocabulary=VOCABULARY)
    assert asked == ["test"]


def test_what_cannot_be_published_is_named(checkpoint: Checkpoint, tmp_path: Path) -> None:
    def score(*_: object) -> dict[str, object]:
        raise AssertionError("nothing to score")

    with pytest.raises(CheckpointError, match="no log and no exported estimator"):
        publish(PublishConfig(str(tmp_path / "nowhere"), "lab/x"), score)
    with pytest.raises(ConfigError, match="give --log DIR"):
        publish(PublishConfig(str(tmp_path), "lab/x"), score)


def test_a_missing_folder_beside_others_is_not_looked_for_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    with pytest.raises(CheckpointError, match="not an exported Δ-estimator"):
        DeltaEstimator.from_pretrained("runs/nothing")


def test_a_hub_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> str:
        raise OSError("no route")

    monkeypatch.setattr("huggingface_hub.snapshot_download", unreachable)
    with pytest.raises(CheckpointError, match="no such folder here, and the hub did not give"):
        DeltaEstimator.from_pretrained("lab/small")


def test_push_needs_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mimir_learn.hub.upload.get_token", lambda: None)
    with pytest.raises(ConfigError, match="no token"):
        push(tmp_path, "lab/small", "model")


@pytest.mark.parametrize(("n", "name"), [(999, "n<1K"), (1000, "1K<n<10K"), (76_800, "10K<n<100K"), (10**6, "1M<n<10M")])
def test_size_category(n: int, name: str) -> None:
    assert size_category(n) == name


def test_the_card_shows_kinds_thresholds_and_what_an_ablation_hides(checkpoint: Checkpoint, tmp_path: Path) -> None:
    learned = {**NUMBERS, "change.grasp.f1": 0.98, "change.grasp.n": 396.0, "change.state.open.f1": 0.5, "change.state.open.n": 7.0}
    with_kinds = replace(checkpoint, scores={**checkpoint.scores, "sources": {"learned": learned}})
    body = json.loads((checkpoint.model / FILE).read_text())
    (checkpoint.model / FILE).write_text(json.dumps(body | {"thresholds": {"0.99": {"pick": 0.912, "place": None}}}))
    card = (bundle_checkpoint(with_kinds, tmp_path / "out", "lab/small") / "README.md").read_text()
    assert "| grasp | 396 | 0.980 |" in card and "| state.open | 7 | 0.500 |" in card
    assert "| precision | pick | place |\n|---|---:|---:|\n| 0.99 | 0.9120 | never |\n" in card
    assert "it does not get" not in card
    assert "Permission is hereby granted" in (tmp_path / "out" / "LICENSE").read_text()


def test_the_licence_is_the_projects() -> None:
    from importlib import resources

    ours = Path(__file__).parents[2] / "LICENSE"
    assert resources.files("mimir_learn.hub").joinpath("templates/LICENSE.j2").read_text() == ours.read_text()


def test_no_path_of_this_machine_is_published(checkpoint: Checkpoint, tmp_path: Path) -> None:
    recipe = {
        "config": {"log_dir": "/home/me/log", "cache_dir": None, "seed": 3},
        "summary": {"checkpoint": "/home/me/run/model", "epochs": 2},
    }
    out = bundle_checkpoint(replace(checkpoint, recipe=recipe), tmp_path / "out", "lab/small")
    kept = json.loads((out / "training.json").read_text())
    assert kept["config"] == {"seed": 3} and kept["summary"] == {"epochs": 2}
    assert not any("/home/me" in p.read_text() for p in out.rglob("*") if p.suffix in (".json", ".md", ".yaml"))


def test_a_dataset_name_the_hub_refuses(checkpoint: Checkpoint, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="repo 'log'"):
        bundle_checkpoint(checkpoint, tmp_path / "out", "lab/small", dataset="log")


def test_a_published_log_loads_with_datasets_and_says_how_often_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    log = tmp_path / "log"
    make_log(log)
    out = bundle_log(log, tmp_path / "out", "lab/log")
    card = DatasetCard.load(out / "README.md")
    assert card.data.license == "mit" and {c["config_name"] for c in card.data.configs} == {"default"}
    parts = split_rates(LogDirectory(log))
    for split, part in parts.items():
        steps = [s for e in read_episodes(log, split) for s in e.steps]
        assert part["transitions"] == len(steps) and part["changed"] == sum(bool(s.delta) for s in steps) / len(steps)
        assert f"| {split} | {part['episodes']} | {len(steps)} | {100 * part['changed']:.1f} % |" in card.text
        rows = datasets.load_dataset(str(out), split=split, cache_dir=str(tmp_path / "cache"))
        assert len(rows) == len(steps) + part["episodes"]
    assert (tmp_path / "out" / "LICENSE").is_file()
