"""What of a run may leave the machine: no path of it, and not without the name and licence of pretrained weights that are inside."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from mimir_learn.errors import CheckpointError
from mimir_learn.estimator.backbones.sources import package_of

LOG = "log (content hash)"  # of the training log, in a run's recipe.json
_SPECS = ("names", "backbone_weights", "backbone")  # settings of the estimator that may be a path
_ROOTED = re.compile(r"(/|~|\.\.?[/\\]|[A-Za-z]:[/\\]|\\\\)")
_KIND = re.compile(r"(transformers|torchvision):(.*)", re.DOTALL)
_FILES = (".pt", ".pth", ".bin", ".ckpt", ".onnx", ".safetensors")


def public_spec(spec: str) -> str:
    """A weights spec without a path of this machine: of a local file or folder its last component. Packages and hub ids stay.

    ``owner/name`` that is also a folder here is taken for the folder, as transformers does.
    """
    if (kind := _KIND.fullmatch(spec)) is not None:
        return f"{kind[1]}:{public_spec(kind[2])}"
    if spec.startswith("package:") or not spec:
        return spec
    several = len(re.split(r"[/\\]", spec)) > 1
    local = _ROOTED.match(spec) or spec.count("/") > 1 or "\\" in spec or spec.endswith(_FILES) or (several and os.path.exists(spec))
    return _last(spec) if local else spec


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or "folder"


def public(body: Any, key: str = "") -> Any:
    """JSON-able settings, history or scores without paths of the machine they were made on, however deep.

    Folders of the run are left out; any other value that is a path becomes its last component.
    """
    if isinstance(body, Mapping):
        return {k: public(v, k.rpartition(".")[2]) for k, v in body.items() if not k.endswith("_dir") and k != "checkpoint"}
    if isinstance(body, list | tuple):
        return [public(v, key) for v in body]
    if isinstance(body, str):
        if key == "backbone_config":
            return public_architecture(body)
        if key in _SPECS:
            return public_spec(body)
        return _last(body) if re.match(r"(/|~/|[A-Za-z]:[/\\]|\\\\)", body) and "\n" not in body else body
    return body


def public_architecture(text: str) -> str:
    """``backbone_config``, a transformers architecture as JSON, without paths."""
    try:
        body = json.loads(text)
    except ValueError:
        return text
    if not isinstance(body, dict):
        return text
    clean = {k: public_spec(v) if k == "_name_or_path" and isinstance(v, str) else public(v) for k, v in body.items()}
    return text if clean == body else json.dumps(clean, sort_keys=True)


def stored_names(table: Path) -> frozenset[str]:
    """The category names whose vectors an export's table has; none where it is missing. Raises CheckpointError for a damaged one."""
    if not table.is_file():
        return frozenset()
    try:
        with safe_open(table, "np") as file:
            return frozenset(json.loads(file.metadata()["names"]))
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as e:
        raise CheckpointError(f"{table}: damaged ({e}); write the export again with `mimir train --resume true`") from e


def copy_table(source: Path, target: Path, names: str) -> None:
    """Copy a table of name vectors as one of the text model ``names``: its header names the model too."""
    with safe_open(source, "np") as file:
        header, vectors = file.metadata(), file.get_tensor("vectors")
    if header.get("encoder", names) == names:
        shutil.copyfile(source, target)
    else:
        save_file({"vectors": vectors}, target, {**header, "encoder": names})


def pretrained(config: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(what for, spec, licence) of the pretrained weights that an export's ``config.json`` says are inside."""
    found = []
    weights, names = str(config.get("backbone_weights") or ""), str(config.get("names") or "ngrams")
    if weights:
        found.append((f"image encoder `{config.get('backbone')}`, its weights inside", weights))
    if names != "ngrams":
        found.append(("vectors of category names, computed by a text model; the model is not inside", names))
    return [(what, spec, _licence(spec)) for what, spec in found]


def _licence(spec: str) -> str:
    package = package_of(spec)
    if package is not None:
        return package.licence
    return (
        f"see its page on the hub, `{spec}`"
        if spec.count("/") == 1
        else "not known to the tool that wrote this; ask whom the weights are of"
    )


def training_log(run: Path, trained: Mapping[str, Any]) -> str:
    """Content hash of the log that the run in folder ``run`` was trained on, as it was recorded then; "" where it was not.

    ``trained`` is its ``train.json``. Raises CheckpointError for a damaged ``recipe.json``, or two records that differ.
    """
    said = {str(body[LOG]) for body in (read_json(run / "recipe.json"), trained) if body.get(LOG)}
    if len(said) > 1:
        raise CheckpointError(f"{run}: recipe.json and train.json name different training logs; they are of two runs, train again")
    return said.pop() if said else ""


def read_json(path: Path) -> dict[str, Any]:
    """A record of a training run, {} where there is none. Raises CheckpointError naming a damaged one and the cure."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(body, dict):
            raise ValueError("no JSON object")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as e:
        raise CheckpointError(
            f"{path}: damaged ({e}); run `mimir train --resume true` with its run's settings to write it again, or remove it: the card "
            "then says that the recipe is not known"
        ) from e
    return body
