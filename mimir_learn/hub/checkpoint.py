"""A trained Δ-estimator as a model repository: weights, calibration, vocabulary, scores, and a card that says what it is good for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from mimir_learn.errors import CheckpointError
from mimir_learn.estimator.calibration import FILE as CALIBRATION
from mimir_learn.estimator.calibration import load_calibration
from mimir_learn.estimator.export import CONFIG, WEIGHTS, from_pretrained, weights_sha256
from mimir_learn.estimator.names import TABLE
from mimir_learn.hub.card import EVAL_RESULTS, eval_results_yaml, model_card, reliability_png
from mimir_learn.hub.check import check_model_repo, check_repo_id, fresh_folder
from mimir_learn.symbols import Vocabulary

RECIPE, SCORES, VOCABULARY, RELIABILITY = "training.json", "scores.json", "vocabulary.json", "reliability.png"


@dataclass(frozen=True)
class Checkpoint:
    """What a model repository is made of.

    Attributes:
        model: exported folder (``model.safetensors``, ``config.json``, ``calibration.json``).
        vocabulary: the one it was trained on.
        scores: as `evaluation.score.score_checkpoint` gives them, for these very weights.
        recipe: settings and history of the training run, JSON-able; {} where they are not known.
        log_fingerprint: of the log it was trained on, "" where it is not known.
    """

    model: Path
    vocabulary: Vocabulary
    scores: Mapping[str, Any]
    recipe: Mapping[str, Any]
    log_fingerprint: str = ""


def bundle_checkpoint(checkpoint: Checkpoint, out: Path, repo: str, *, dataset: str | None = None) -> Path:
    """Write the repository ``repo`` (``owner/name``) into the new folder ``out`` and check it as the hub would; returns ``out``.

    ``dataset`` is the hub id of the log it was scored on, where that is published: the hub files evaluation results under one, so
    without it there are none but those of the card. Folders of this machine are left out of the recipe. Same input, same bytes.

    Raises CheckpointError when weights, calibration, vocabulary or scores do not belong together, ConfigError for a bad name or a folder
    that holds something else. Nothing is left behind then.
    """
    for name in (repo, dataset) if dataset is not None else (repo,):
        check_repo_id(name)
    digest = weights_sha256(checkpoint.model)
    from_pretrained(checkpoint.model, checkpoint.vocabulary)  # strict: what cannot be loaded here is not worth uploading
    calibration = load_calibration(checkpoint.model)
    if calibration is None:
        raise CheckpointError(
            f"{checkpoint.model}: no {CALIBRATION}; its probabilities mean nothing yet, train to the end with `mimir train`"
        )
    scored = str(checkpoint.scores.get("checkpoint_sha256"))
    if scored != digest:
        raise CheckpointError(f"{checkpoint.model}: the scores are of weights {scored[:12]}, not {digest[:12]}; score again with --log")
    with fresh_folder(out) as folder:
        for name in (WEIGHTS, CONFIG, CALIBRATION):
            shutil.copyfile(checkpoint.model / name, folder / name)
        if (checkpoint.model / TABLE).is_file():  # a text encoder's vectors of the vocabulary
            shutil.copyfile(checkpoint.model / TABLE, folder / TABLE)
        (folder / VOCABULARY).write_text(checkpoint.vocabulary.to_json() + "\n")
        _write_json(folder / SCORES, checkpoint.scores)
        recipe = {**_public(checkpoint.recipe), "log_fingerprint": checkpoint.log_fingerprint, "weights_sha256": digest}
        _write_json(folder / RECIPE, recipe)
        (folder / "LICENSE").write_text(resources.files("mimir_learn.hub").joinpath("templates/LICENSE.j2").read_text())
        if bins := checkpoint.scores.get("reliability"):
            (folder / RELIABILITY).write_bytes(reliability_png(bins))
        config = json.loads((folder / CONFIG).read_text())
        (folder / "README.md").write_text(model_card(repo, config, recipe, checkpoint.scores, calibration, dataset))
        if dataset is not None:
            target = folder / EVAL_RESULTS
            target.parent.mkdir()
            target.write_text(eval_results_yaml(dataset, checkpoint.scores))
        check_model_repo(folder)
    return out


def _public(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe without the paths of the machine it ran on."""
    out = {k: v for k, v in recipe.items() if not k.endswith("_dir") and k != "checkpoint"}
    return {k: _public(v) if isinstance(v, Mapping) else v for k, v in out.items()}


def _write_json(path: Path, body: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n")
