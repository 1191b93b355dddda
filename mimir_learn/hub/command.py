"""``mimir publish``: from the folder of a training run, a demo or a log to a checked repository folder, and to the hub if asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.export import CONFIG, weights_sha256
from mimir_learn.hub.card import SCORED
from mimir_learn.hub.checkpoint import SCORES, Checkpoint, bundle_checkpoint
from mimir_learn.hub.dataset import bundle_log
from mimir_learn.hub.public import read_json, training_log
from mimir_learn.hub.upload import push
from mimir_learn.logs import LogDirectory, fingerprint

Scorer = Callable[[Path, Path, str], Mapping[str, Any]]
"""(exported folder, log, split) → scores, as `evaluation.score.score_checkpoint` gives them."""


@dataclass(frozen=True)
class PublishConfig:
    """Make a trained estimator, or a log, ready for a model hub; nothing leaves this machine without ``push``.

    Attributes:
        run: folder of a training run (``mimir train``), of a demo, an exported model, or a log.
        repo: owner/name on the hub.
        out: the folder to write; default ``runs/publish/NAME``.
        log: the log an estimator is scored on; not needed for a demo's folder. Where it is another than the one that the run recorded, by
            content, the card says so.
        split: the split scored; not the training houses.
        dataset: hub id of that log, where it is published too; the results are then filed under it.
        push: upload the folder when it is written and sound; needs a token (``hf auth login`` or HF_TOKEN).
        private: whether a repository that does not exist yet is made private.
    """

    run: str
    repo: str
    out: str | None = None
    log: str | None = None
    split: str = "test"
    dataset: str | None = None
    push: bool = False
    private: bool = True

    def __post_init__(self) -> None:
        if self.split not in SCORED:
            raise ConfigError(f"split is {self.split!r}; a card has scores of houses not trained on: {', '.join(SCORED)}")


def publish(config: PublishConfig, score: Scorer) -> str:
    """Write the folder, push it if asked to, and say in one line what happened.

    Raises ConfigError or CheckpointError for what cannot be published; an upload that fails leaves the folder for another try.
    """
    run = Path(config.run)
    out = Path(config.out or f"runs/publish/{config.repo.partition('/')[2] or config.repo}")
    if (run / "meta" / "info.json").is_file():
        folder, kind = bundle_log(run, out, config.repo), "dataset"
    else:
        folder, kind = _checkpoint(config, run, out, score), "model"
    size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6
    if not config.push:
        unfiled = kind == "model" and config.dataset is None
        filed = "; no .eval_results: they are filed under a dataset (--dataset OWNER/LOG)" if unfiled else ""
        return f"{folder}: {kind} repository {config.repo}, {size:.1f} MB, checked; not uploaded (--push true uploads it){filed}"
    return f"{folder}: uploaded as {push(folder, config.repo, kind, private=config.private)}"


def _checkpoint(config: PublishConfig, run: Path, out: Path, score: Scorer) -> Path:
    model = next((p for p in (run, run / "model", run / "train" / "model") if (p / CONFIG).is_file()), None)
    if model is None:
        raise CheckpointError(f"{run}: no log and no exported estimator in it; give a folder made by `mimir collect`, `train` or `demo`")
    log = Path(config.log) if config.log else run / "log"
    if not (log / "meta" / "info.json").is_file():
        raise ConfigError(f"{run}: what log is {model} to be scored on? give --log DIR")
    recipe = read_json(model.parent / "train.json")
    trained_on = training_log(model.parent, recipe)
    digest, print_ = weights_sha256(model), fingerprint(log)
    kept = model.parent / SCORES
    scores = _kept(kept, digest, print_, config.split)
    if scores is None:
        scores = dict(score(model, log, config.split))
        kept.write_text(json.dumps(scores, indent=1, sort_keys=True) + "\n")
    checkpoint = Checkpoint(model, LogDirectory(log).vocabulary, scores, recipe, trained_on)
    return bundle_checkpoint(checkpoint, out, config.repo, dataset=config.dataset)


def _kept(path: Path, weights: str, log: str, split: str) -> dict[str, Any] | None:
    """Scores of these very weights on this very log and split, where an earlier call left them."""
    try:
        body = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    of = {"checkpoint_sha256": weights, "log_fingerprint": log, "split": split}
    return body if isinstance(body, dict) and of.items() <= body.items() else None
