"""An export is a folder with ``model.safetensors``, ``config.json`` and, once calibrated, ``calibration.json``; read back strictly.

With a text encoder of names there is also ``names.safetensors``, its vectors of the training vocabulary.

``config.json`` is the `EstimatorConfig` plus ``package_version``, the mimir-learn that wrote it (absent in the oldest exports).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor

from mimir_learn import __version__
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.config import VERBS, VISIBLE_ATTRIBUTES, EstimatorConfig
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.names import TABLE, prepare, read_table, write_table
from mimir_learn.estimator.writing import write_json, write_tensors
from mimir_learn.symbols import Vocabulary

WEIGHTS, CONFIG = "model.safetensors", "config.json"
FILES = (WEIGHTS, CONFIG, TABLE)  # what an export needs to be loaded; the last only where a text model encodes the names
_MADE_BY = "package_version"
_BOUND = "config"  # in the metadata of the weights; absent in the oldest exports, whose config is then not checked
_AGAIN = "run `mimir train --resume true` with its run's settings to write the export again, or remove the run's folder and train again"
_REPO = re.compile(r"[\w.-]+/[\w.-]+")
_PICKLES = (".ckpt", ".pt", ".pth", ".bin", ".pkl")


def save_pretrained(model: DeltaEstimator, directory: Path) -> Path:
    """Write weights and config into ``directory`` (made if missing) and return it, each file at once or not at all.

    An old calibration there is removed. The weights' file says which config they are of. Raises CheckpointError, and writes nothing, for
    weights that are not finite.
    """
    state = {k: v.detach().cpu().contiguous() for k, v in model.state_dict().items()}
    if broken := _broken(state):
        raise CheckpointError(
            f"{directory}: not exported, {len(broken)} of {len(state)} tensors hold NaN or infinity ({_short(', '.join(broken))}); the "
            "training diverged: train again in another out_dir with a smaller lr, and with clip=1"
        )
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "calibration.json").unlink(missing_ok=True)  # it belongs to other weights
    bound = json.dumps(model.config.bound(), sort_keys=True)
    write_tensors(directory / WEIGHTS, state, {"format": "pt", _BOUND: bound})
    write_table(model.config.names, directory)
    body = {**model.config.to_dict(), _MADE_BY: __version__}
    write_json(directory / CONFIG, body)
    return directory


def local_folder(source: str | Path) -> Path:
    """The folder of an export: ``source`` itself, or a download of the hub repository ``owner/name`` that it names.

    What could be a path on this machine (it exists, or the folder it would lie in does) is never looked for on the hub. Only weights and
    JSON are downloaded. Raises CheckpointError when the hub cannot be reached or has no such repository.
    """
    path = Path(source)
    if path.exists() or not _REPO.fullmatch(str(source)) or path.parent.exists():
        return path
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(str(source), allow_patterns=[*FILES, "*.json"]))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as e:
        raise CheckpointError(
            f"{source}: no such folder here, and the hub did not give a repository of that name ({_short(e)}); check the name and the "
            "network, or train one with `mimir train`"
        ) from e


def weights_sha256(directory: Path) -> str:
    """Hash of the weights file, under which calibrations and results are filed."""
    try:
        return hashlib.sha256((Path(directory) / WEIGHTS).read_bytes()).hexdigest()
    except OSError:
        raise CheckpointError(f"{directory}: no {WEIGHTS}; train one with `mimir train`") from None


def read_config(directory: Path) -> EstimatorConfig:
    """The config of an export. Raises CheckpointError."""
    body = {k: v for k, v in _body(directory).items() if k != _MADE_BY}
    try:
        return EstimatorConfig.from_dict(body)
    except CheckpointError as e:
        raise CheckpointError(f"{directory}: {e}") from e
    except (ConfigError, TypeError, ValueError) as e:
        raise CheckpointError(f"{directory}: {CONFIG} is damaged ({e}); {_AGAIN}") from e


def _cure(directory: Path) -> str:
    """Who wrote an export that this code cannot use, and what helps: exporting it again does not, the network has changed."""
    version = _body(directory).get(_MADE_BY)
    made = f"it was made by mimir-learn {version}" if version else "it was made by a mimir-learn too old to write its version down"
    other = f"install mimir-learn {version}" if version else "install the version that made it"
    if version == __version__:
        other = "restore the files from one training run, or the code they were made with"
    return f"{made}, this is {__version__}; train again with `mimir train`, or {other}"


def _body(directory: Path) -> dict[str, Any]:
    if directory.suffix in _PICKLES:
        raise CheckpointError(f"{directory} is a training checkpoint (a pickle); give the exported folder with {WEIGHTS} instead")
    path = directory / CONFIG
    if not path.is_file():
        pickles = sorted(p.name for p in directory.glob("*") if p.suffix in _PICKLES) if directory.is_dir() else []
        hint = f"it holds only pickles ({', '.join(pickles)}), which are not loaded" if pickles else f"{CONFIG} is missing"
        raise CheckpointError(f"{directory}: not an exported Δ-estimator, {hint}; train one with `mimir train`")
    try:
        body = json.loads(path.read_text())
    except ValueError as e:
        raise CheckpointError(f"{path}: damaged JSON ({e}); {_AGAIN}") from e
    if not isinstance(body, dict):
        raise CheckpointError(f"{path}: not a config; {_AGAIN}")
    return body


def from_pretrained(directory: Path, vocabulary: Vocabulary | None = None, *, allow_other_vocabulary: bool = False) -> DeltaEstimator:
    """The exported estimator in eval mode.

    Raises CheckpointError for a pickle, a newer schema, weights that are not finite, other attribute or verb tables, weights that do not
    fit the config or were trained with another one, or a vocabulary other than the one it was trained on (unless
    ``allow_other_vocabulary``: names enter as text, so it runs, but its calibration says nothing there).
    """
    config = read_config(directory)
    if config.attributes != VISIBLE_ATTRIBUTES or config.verbs != VERBS:
        raise CheckpointError(
            f"{directory}: trained with attributes {config.attributes} and verbs {config.verbs}, this package has {VISIBLE_ATTRIBUTES} "
            f"and {VERBS}; {_cure(directory)}"
        )
    if vocabulary is not None and not allow_other_vocabulary and config.vocabulary_sha256 != vocabulary.sha256:
        raise CheckpointError(
            f"{directory}: trained on vocabulary {config.vocabulary_name!r} ({config.vocabulary_sha256[:12]}), asked to run on "
            f"{vocabulary.name!r} ({vocabulary.sha256[:12]}); train on logs of that environment, or pass allow_other_vocabulary=True"
        )
    if not (directory / WEIGHTS).is_file():
        raise CheckpointError(f"{directory}: {WEIGHTS} is missing; {_AGAIN}")
    try:
        state = load_file(directory / WEIGHTS)
        with safe_open(directory / WEIGHTS, "pt") as file:
            bound = json.loads((file.metadata() or {}).get(_BOUND, "{}"))
    except (ValueError, SafetensorError, OSError) as e:
        raise CheckpointError(f"{directory / WEIGHTS}: damaged ({e}); {_AGAIN}") from e
    read_table(config.names, directory)
    model = DeltaEstimator(config, pretrained=False)
    try:
        model.load_state_dict(state, strict=True)
    except RuntimeError as e:
        raise CheckpointError(f"{directory}: weights do not fit the network of config.json ({_short(e)}); {_cure(directory)}") from e
    has = config.bound()
    if odd := [f"{k} is {has.get(k)!r}, was {v!r}" for k, v in bound.items() if has.get(k) != v]:
        raise CheckpointError(
            f"{directory}: {CONFIG} is not the one that the weights were trained with: {_short('; '.join(odd))}; put these values back, or "
            "restore both files from one export"
        )
    if broken := _broken(state):
        raise CheckpointError(
            f"{directory / WEIGHTS}: {len(broken)} of {len(state)} tensors hold NaN or infinity ({_short(', '.join(broken))}); the "
            "training diverged or the file is damaged; remove the run's folder and train again with a smaller lr"
        )
    return model.eval()


def _broken(state: Mapping[str, Tensor]) -> list[str]:
    return [name for name, tensor in state.items() if not bool(torch.isfinite(tensor).all())]


def _short(error: Exception | str) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:300] + " …"


def with_vocabulary(config: EstimatorConfig, vocabulary: Vocabulary) -> EstimatorConfig:
    """``config`` stamped with the vocabulary of the logs it is trained on; a text encoder's vectors of it are made ready for the export."""
    prepare(config.names, vocabulary.categories)
    return dataclasses.replace(config, vocabulary_name=vocabulary.name, vocabulary_sha256=vocabulary.sha256)
