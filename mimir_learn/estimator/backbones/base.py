"""What the whole-frame trunk needs of an image encoder, and the parts that all pretrained ones share: depth, norms, freezing.

Shape letters: N frames (B·F), H W pixels (both ``image_px``), C channels, S side of the token map, P side of the finer map.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.config import EstimatorConfig

GEOMETRY = 3  # depth, height above the floor, whether there is any depth; each about in ±1


class Backbone(nn.Module, ABC):
    """RGB and geometry of single frames → two feature maps.

    Attributes:
        channels, side: of the map the decoder's tokens come from.
        fine_channels, fine_side: of the finer map in which `Finder` searches.
    """

    channels: int
    side: int
    fine_channels: int
    fine_side: int

    @abstractmethod
    def forward(self, rgb_N3HW: Tensor, geometry_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        """Colour 0…255 (float32) and geometry (`GEOMETRY` channels) → tokens (N, C, S, S), finer map (N, C', P, P)."""


class DepthBranch(nn.Module):
    """A small convolutional tower over geometry whose last layers are zero: what it is added to starts unchanged, bit for bit.

    It joins the features at the end and not at the first layer: a frozen network then still sees the pictures it was trained on, gradients
    need not pass through it, and its features can be computed once (`features`).
    """

    def __init__(self, channels: int, fine_channels: int, side: int, fine_side: int, width: int = 32) -> None:
        super().__init__()
        self.side, self.fine_side = side, fine_side
        self.patch = nn.Sequential(nn.Conv2d(GEOMETRY, width, 4, 4, bias=False), nn.GroupNorm(4, width), nn.ReLU(inplace=True))
        self.down = nn.Sequential(nn.Conv2d(width, width, 3, 2, 1, bias=False), nn.GroupNorm(4, width), nn.ReLU(inplace=True))
        self.to_fine, self.to_coarse = nn.Conv2d(width, fine_channels, 1), nn.Conv2d(width, channels, 3, 1, 1)
        for last in (self.to_fine, self.to_coarse):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)  # type: ignore[arg-type]

    def forward(self, geometry_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        """→ what is added to the token map and to the finer map."""
        x = self.down(self.patch(geometry_N3HW))
        return self.to_coarse(F.adaptive_avg_pool2d(x, self.side)), self.to_fine(F.adaptive_avg_pool2d(x, self.fine_side))


class Pretrained(Backbone):
    """A network of someone else's: normalised colours → maps, plus `DepthBranch`, then a LayerNorm over channels.

    Subclasses set ``net`` and the four sizes in ``__init__``, give `maps` and `blocks`, and call `settle` last.
    """

    def __init__(self, config: EstimatorConfig, mean: Sequence[float], std: Sequence[float]) -> None:
        """``mean`` and ``std`` of each channel in units of 0…255, as the weights were trained with."""
        super().__init__()
        self.image_px, self.tuned, self.last = config.image_px, config.backbone_tuned, config.backbone_last
        self.keep_statistics = bool(config.backbone_weights)
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32)[:, None, None], persistent=False)
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32)[:, None, None], persistent=False)
        self.mean: Tensor
        self.std: Tensor
        self.net: nn.Module

    @abstractmethod
    def maps(self, x_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        """Normalised colours → the network's own token map and finer map."""

    @abstractmethod
    def blocks(self) -> list[nn.Module]:
        """What ``backbone_tuned: last`` counts, first to last."""

    def settle(self) -> None:
        """Probe the sizes, add the depth branch, and freeze what ``backbone_tuned`` says."""
        with torch.no_grad():
            coarse, fine = self.eval().maps(torch.zeros(1, 3, self.image_px, self.image_px))
        self.channels, self.side = coarse.shape[1], coarse.shape[-1]
        self.fine_channels, self.fine_side = fine.shape[1], self.image_px // 8
        self.depth = DepthBranch(self.channels, self.fine_channels, self.side, self.fine_side)
        self.norm, self.fine_norm = nn.LayerNorm(self.channels), nn.LayerNorm(self.fine_channels)
        self.trained: tuple[nn.Module, ...] = ()
        if self.tuned == "all":
            self.trained = (self.net,)
        elif self.tuned == "last":
            blocks = self.blocks()
            if self.last > len(blocks):
                raise ConfigError(f"estimator.backbone_last is {self.last}, but the backbone has {len(blocks)} blocks; choose fewer")
            self.trained = tuple(blocks[-self.last :])
        self.net.requires_grad_(False)
        for module in self.trained:
            module.requires_grad_(True)
        self._freeze_what_is_not_read()
        self.train()

    def _freeze_what_is_not_read(self) -> None:
        """Heads and mask tokens that the maps do not depend on: without a gradient they would only confuse DDP and the optimiser."""
        parameters = [p for p in self.net.parameters() if p.requires_grad]
        if not parameters:
            return
        coarse, fine = self.eval().maps(torch.zeros(1, 3, self.image_px, self.image_px))
        for p, g in zip(parameters, torch.autograd.grad(coarse.sum() + fine.sum(), parameters, allow_unused=True), strict=True):
            p.requires_grad_(g is not None)

    def train(self, mode: bool = True) -> Pretrained:
        """Frozen parts stay in eval mode; so does BatchNorm with pretrained statistics, wherever it is."""
        super().train(mode)
        if hasattr(self, "trained"):
            self.net.eval()
            for module in self.trained:
                module.train(mode)
            if self.keep_statistics:
                for module in _batch_norms(self.net):
                    module.eval()
        return self

    @property
    def frozen(self) -> bool:
        """Whether nothing of the network is trained, so that its maps of a picture never change."""
        return not self.trained

    def look(self, rgb_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        """Colour 0…255 → the network's maps, before depth: what `features` stores for a frozen network."""
        return self.maps((rgb_N3HW - self.mean) / self.std)

    def join(self, coarse: Tensor, fine: Tensor, geometry_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        """The network's maps and geometry → the backbone's output."""
        more, more_fine = self.depth(geometry_N3HW)
        if fine.shape[-1] != self.fine_side:
            fine = F.interpolate(fine, size=self.fine_side, mode="bilinear", align_corners=False)
        return _over_channels(self.norm, coarse + more), _over_channels(self.fine_norm, fine + more_fine)

    def forward(self, rgb_N3HW: Tensor, geometry_N3HW: Tensor) -> tuple[Tensor, Tensor]:
        coarse, fine = self.look(rgb_N3HW)
        return self.join(coarse, fine, geometry_N3HW)


def _over_channels(norm: nn.LayerNorm, x_NCHW: Tensor) -> Tensor:
    out: Tensor = norm(x_NCHW.movedim(1, -1)).movedim(-1, 1)
    return out


def _batch_norms(module: nn.Module) -> Iterator[nn.Module]:
    return (m for m in module.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm))
