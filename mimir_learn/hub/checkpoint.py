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
from mimir_learn.estimator.names import NGRAMS, TABLE
from mimir_learn.hub.card import EVAL_RESULTS, SCORED, eval_results_yaml, model_card, reliability_png
from mimir_learn.hub.check import check_model_repo, check_repo_id, fresh_folder
from mimir_learn.hub.public import copy_table, public, stored_names
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
    without it there are none but those of the card. Paths of this machine are left out or become their last component. Same input, same
    bytes.

    Raises CheckpointError when weights, calibration, vocabulary or scores do not belong together, when it was scored on the houses it was
    trained on, or needs a file that only this machine has; ConfigError for a bad name or a folder
    that holds something else. Nothing is left behind then.
    """
    for name in (repo, dataset) if dataset is not None else (repo,):
        check_repo_id(name)
    if checkpoint.scores.get("split") not in SCORED:
        raise CheckpointError(
            f"{checkpoint.model}: scored on the split {checkpoint.scores.get('split')!r}; a card says how good it is on houses it was not "
            f"trained on: {', '.join(SCORED)}"
        )
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
        for name in (WEIGHTS, CALIBRATION):
            shutil.copyfile(checkpoint.model / name, folder / name)
        _copy_described(checkpoint, folder)
        (folder / VOCABULARY).write_text(checkpoint.vocabulary.to_json() + "\n")
        _write_json(folder / SCORES, public(checkpoint.scores))
        recipe = {**public(checkpoint.recipe), "log_fingerprint": checkpoint.log_fingerprint, "weights_sha256": digest}
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


def _copy_described(checkpoint: Checkpoint, folder: Path) -> None:
    """``config.json`` and a text model's vectors, without paths of this machine; untouched where they have none.

    Raises CheckpointError where the export needs a text model that lies on this machine only.
    """
    body = json.loads((checkpoint.model / CONFIG).read_text())
    table, clean = checkpoint.model / TABLE, public(body)
    names, shown = str(body.get("names", NGRAMS)), str(clean.get("names", NGRAMS))
    for key in ("backbone", "backbone_config"):  # the weights are bound to these, so they cannot be written otherwise
        if body.get(key) != clean.get(key):
            raise CheckpointError(
                f"{checkpoint.model}: its {key} names a folder of this machine; train with `transformers:TYPE` (dinov2, say) as backbone "
                "and the folder as backbone_weights, then only the folder's name is published"
            )
    if names != shown:
        lacking = sorted(set(checkpoint.vocabulary.categories) - stored_names(table))
        if lacking:
            raise CheckpointError(
                f"{checkpoint.model}: {TABLE} has no vector of {', '.join(lacking[:5])}, so the export needs the text model in {names}, "
                "which nobody else has; write the export again with `mimir train --resume true`, or train with a package or hub id as names"
            )
    if table.is_file():
        copy_table(table, folder / TABLE, shown)
    if clean == body:
        shutil.copyfile(checkpoint.model / CONFIG, folder / CONFIG)
        return
    (folder / CONFIG).write_text(json.dumps(clean, indent=2, sort_keys=True) + "\n")
    from_pretrained(folder, checkpoint.vocabulary)


def _write_json(path: Path, body: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(body, indent=1, sort_keys=True) + "\n")
