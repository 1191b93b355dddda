"""What makes a resumed run the same run: its recipe on disk, and a checkpoint that can be read and belongs where it lies.

A resumed optimiser and schedule come out of the checkpoint, so changed settings would be recorded but only half obeyed; they are
refused instead. So is another number of processes: the batches of an epoch would be others.
"""

from __future__ import annotations

import csv
import json
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.writing import write_json

RECIPE = "recipe.json"
_FREE = (
    "log_dir", "out_dir", "threads", "workers", "cache_dir", "max_minutes", "resume", "progress", "accelerator", "strategy", "compile",
    "checkpoint_every",
)  # fmt: skip
_LOG = "log (content hash)"


def recipe(settings: Mapping[str, Any], log_fingerprint: str) -> dict[str, Any]:
    """The settings that decide the weights, flat (``estimator.dim``), and the log's content hash; where files lie is left out."""
    flat: dict[str, Any] = {_LOG: log_fingerprint}

    def add(prefix: str, body: Mapping[str, Any]) -> None:
        for key, value in body.items():
            if isinstance(value, Mapping):
                add(f"{prefix}{key}.", value)
            else:
                flat[prefix + key] = list(value) if isinstance(value, tuple) else value

    add("", {k: v for k, v in settings.items() if k not in _FREE})
    return flat


def write_recipe(out: Path, body: Mapping[str, Any]) -> None:
    """Write ``recipe.json`` into the run's folder ``out``."""
    write_json(out / RECIPE, body)


def check_recipe(out: Path, body: Mapping[str, Any]) -> None:
    """Raises ConfigError when the run in ``out`` was begun with other settings than ``body``, or when that cannot be told."""
    path = out / RECIPE
    try:
        begun = json.loads(path.read_text())
        if not isinstance(begun, dict):
            raise ValueError("not a recipe")
    except (OSError, ValueError) as e:
        raise ConfigError(
            f"resume: {path} is missing or damaged ({e}), so what the run was begun with is unknown; train anew in another out_dir"
        ) from e
    keys = [k for k in sorted({*begun, *body}) if k not in begun or k not in body or begun[k] != body[k]]
    if keys:
        said = "; ".join(f"{k} was {begun.get(k, 'not recorded')!r}, now {body.get(k, 'unknown')!r}" for k in keys)
        raise ConfigError(f"resume: {out} was begun with other settings: {said}; resume with those, or train anew in another out_dir")


def read_checkpoint(path: Path) -> dict[str, Any]:
    """The body of a training checkpoint. Raises CheckpointError when it is truncated or no checkpoint."""
    try:
        body = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(body, dict) or "state_dict" not in body:
            raise ValueError("no state_dict in it")
    except (RuntimeError, OSError, EOFError, ValueError, KeyError, pickle.UnpicklingError) as e:
        cure = f"remove the folder {path.parent.parent} and train again"
        if path.name != "best.ckpt" and path.with_name("best.ckpt").is_file():
            cure = f"remove it to go on from best.ckpt beside it with `mimir train --resume true`, or {cure}"
        raise CheckpointError(f"{path}: damaged ({_how(e)}); {cure}") from e
    return body


def _how(error: Exception) -> str:
    """What is wrong with a checkpoint, in a line, without torch's advice to unpickle it nevertheless: that runs whatever the file says."""
    if isinstance(error, pickle.UnpicklingError) or "weights_only" in str(error):
        return "it does not hold tensors and plain values alone"
    return " ".join(str(error).split("\n", 1)[0].split())[:200] or type(error).__name__


def open_checkpoint(path: Path) -> Path:
    """``path`` itself, checked. In a run whose folder was moved, its record of where the best weights lie is moved along.

    Lightning forgets the best score otherwise and overwrites ``best.ckpt`` with whatever comes next.
    """
    body = read_checkpoint(path)
    here = os.path.realpath(path.parent)
    moved = False
    for state in body.get("callbacks", {}).values():
        if not isinstance(state, dict) or state.get("dirpath", here) == here:
            continue
        moved = True
        state["dirpath"] = here
        for key in ("best_model_path", "kth_best_model_path", "last_model_path"):
            if state.get(key):
                state[key] = os.path.join(here, os.path.basename(state[key]))
        state["best_k_models"] = {os.path.join(here, os.path.basename(k)): v for k, v in state.get("best_k_models", {}).items()}
    if moved:
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        torch.save(body, partial)
        partial.replace(path)
    return path


def position(body: Mapping[str, Any]) -> tuple[int, int]:
    """(epoch, batch) that comes next in a checkpoint's run; batch 0 of epoch 0, which changes nothing, for one that has not said."""
    epoch, batch = body.get("run", {}).get("position", (0, 0))
    return int(epoch), int(batch)


def curve(out: Path, key: str = "train/loss") -> dict[int, float]:
    """Optimizer step → logged value of a run, over all its beginnings: each resumed run logs into a file of its own."""
    found: dict[int, float] = {}
    for path in sorted(Path(out).glob("logs/csv/version_*/metrics.csv"), key=lambda p: int(p.parent.name.removeprefix("version_"))):
        with path.open(newline="") as file:
            found |= {int(row["step"]): float(row[key]) for row in csv.DictReader(file) if row.get(key)}
    return dict(sorted(found.items()))
