"""`Transformers`: vision transformers of the transformers library (DINOv2, DINOv3, SigLIP, CLIP, ViT): patch tokens as a map."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.backbones.base import Pretrained
from mimir_learn.estimator.backbones.sources import IMAGENET, package_file, package_of, read_weights
from mimir_learn.estimator.config import EstimatorConfig

_COLOURS = {
    "clip": {"mean": (0.48145466, 0.4578275, 0.40821073), "std": (0.26862954, 0.26130258, 0.27577711)},
    "siglip": {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)},
    "vit": {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)},
}
_NOISE = ("transformers_version", "architectures", "dtype", "torch_dtype", "id2label", "label2id", "_name_or_path")


def describe(name: str, weights: str) -> str:
    """``backbone_config`` of ``transformers:NAME``: architecture and colour normalisation as JSON, so that an export needs nothing else.

    NAME is a model type (``dinov2``: then the weights say the size, else transformers' defaults), a folder or a hub id.
    Raises ConfigError or CheckpointError.
    """
    from transformers import CONFIG_MAPPING, AutoConfig

    package = package_of(weights)
    if package is not None and not package.architecture:
        raise ConfigError(f"{weights} holds no weights of a vision transformer")
    if package is not None:
        hf = AutoConfig.for_model(**package.architecture)
        _expect(hf.model_type, name, weights, CONFIG_MAPPING)
        return _pack(hf, None)
    source = weights if name in CONFIG_MAPPING and weights else name
    if source in CONFIG_MAPPING:
        return _pack(AutoConfig.for_model(source), None)
    try:
        hf = AutoConfig.from_pretrained(source)
    except (OSError, ValueError) as e:
        raise CheckpointError(f"transformers:{name}: no config at {source!r} ({_short(e)}); give a model type, a folder or a hub id") from e
    _expect(hf.model_type, name, weights, CONFIG_MAPPING)
    return _pack(hf, source)


def _expect(model_type: str, name: str, weights: str, known: Any) -> None:
    if name in known and model_type != name and not model_type.startswith(f"{name}_"):
        raise ConfigError(f"{weights} holds a {model_type!r} model; set estimator.backbone to transformers:{model_type}")


def _pack(hf: Any, source: str | None) -> str:
    hf = getattr(hf, "vision_config", hf)
    if hf.model_type.startswith("siglip"):
        hf.vision_use_head = False
    architecture = {k: v for k, v in hf.to_diff_dict().items() if k not in _NOISE}
    colours = next((c for k, c in _COLOURS.items() if hf.model_type == k or hf.model_type.startswith(f"{k}_")), IMAGENET)
    body = {"architecture": {"model_type": hf.model_type, **architecture}, **{k: list(v) for k, v in colours.items()}}
    if source is not None and (said := _processor(source)):
        body.update(said)
    return json.dumps(body, sort_keys=True)


def _processor(source: str) -> dict[str, Any]:
    """Mean and deviation of the published image processor, where there is one."""
    from transformers.utils import cached_file

    try:
        path = cached_file(source, "preprocessor_config.json", _raise_exceptions_for_missing_entries=False)
    except OSError:
        return {}
    said = json.loads(Path(path).read_text()) if path else {}
    return {k: said[f"image_{k}"] for k in ("mean", "std") if f"image_{k}" in said}


class Transformers(Pretrained):
    """Tokens are the patches' (class and register tokens left out), the finer map is the same, interpolated.

    ``image_px`` must be a multiple of the patch: 112 with patch 14 or 128 with patch 16 give 8 × 8 tokens.
    """

    def __init__(self, config: EstimatorConfig) -> None:
        try:
            body = json.loads(config.backbone_config)
            architecture = dict(body["architecture"])
            mean, std = ([255 * float(x) for x in body[k]] for k in ("mean", "std"))
        except (ValueError, KeyError, TypeError) as e:
            raise ConfigError(f"estimator.backbone_config is no architecture with mean and std ({e!r}); leave it empty") from e
        super().__init__(config, mean, std)
        from transformers import AutoConfig, AutoModel

        self.hf = AutoConfig.for_model(architecture.pop("model_type"), **architecture)
        self.patch = int(getattr(self.hf, "patch_size", 0))
        if not self.patch or self.image_px % self.patch:
            raise ConfigError(f"estimator.image_px={self.image_px} must be a multiple of {self.hf.model_type}'s patch, {self.patch} pixels")
        self.net = AutoModel.from_config(self.hf)
        self._resize = "interpolate_pos_encoding" in inspect.signature(self.net.forward).parameters
        self.settle()

    def maps(self, x_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        more = {"interpolate_pos_encoding": True} if self._resize else {}
        tokens = self.net(pixel_values=x_N3HW, **more).last_hidden_state
        side = self.image_px // self.patch
        map_NCSS = tokens[:, -side * side :].transpose(1, 2).unflatten(2, (side, side))
        return map_NCSS, map_NCSS

    def blocks(self) -> list[nn.Module]:
        lists = [list(m) for m in self.net.modules() if isinstance(m, nn.ModuleList)]
        return max(lists, key=len)

    def load(self, spec: str) -> None:
        """Weights from a package, a file, a folder or a hub id."""
        from transformers import AutoModel

        kind: Any = type(self.net)
        package = package_of(spec)
        try:
            if package is not None or Path(spec).is_file():
                state = read_weights(package_file(spec) if package is not None else Path(spec))
                net, info = kind.from_pretrained(None, config=self.hf, state_dict=state, output_loading_info=True)
            else:
                net, info = AutoModel.from_pretrained(spec, config=self.hf, output_loading_info=True)
        except (OSError, ValueError, RuntimeError) as e:
            raise CheckpointError(f"{spec}: no weights for transformers:{self.hf.model_type} there ({_short(e)})") from e
        needed = {n for n, p in self.net.named_parameters() if p.requires_grad} or {n for n, _ in self.net.named_parameters()}
        missing = sorted(k for k in info["missing_keys"] if k in needed and "pooler" not in k)
        if missing or info["mismatched_keys"]:
            raise CheckpointError(f"{spec}: does not fit transformers:{self.hf.model_type}; missing or of another shape: {missing[:3]}")
        self.net.load_state_dict({k: v.to(torch.float32) for k, v in net.state_dict().items()})


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
