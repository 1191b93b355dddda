"""`Conv`: three strided convolutions over RGB and geometry, trained from scratch; the default, and affordable on one CPU core."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mimir_learn.estimator.backbones.base import GEOMETRY, Backbone
from mimir_learn.estimator.config import EstimatorConfig


def conv_block(inp: int, out: int) -> nn.Sequential:
    """Half the side, ``out`` channels."""
    return nn.Sequential(nn.Conv2d(inp, out, 3, 2, 1, bias=False), nn.GroupNorm(4, out), nn.ReLU(inplace=True))


class Conv(nn.Sequential, Backbone):
    """Tokens at stride 8, the finer map at stride 4. A Sequential, so that its weights keep the names of the first exports."""

    def __init__(self, config: EstimatorConfig) -> None:
        width = config.image_width
        super().__init__(conv_block(3 + GEOMETRY, width), conv_block(width, 2 * width), conv_block(2 * width, 4 * width))
        self.channels, self.side = 4 * width, config.image_px // 8
        self.fine_channels, self.fine_side = 2 * width, config.image_px // 4

    def forward(self, rgb_N3HW: Tensor, geometry_N3HW: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        fine = self[1](self[0](torch.cat([rgb_N3HW / 127.5 - 1.0, geometry_N3HW], dim=1)))
        return self[2](fine), fine
