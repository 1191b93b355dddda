"""Pixels → vectors: siamese crop encoders, and a siamese trunk over the whole frames around a `Backbone`.

Shape letters: B batch, M crops in the batch, F=2 frames (before, after), H W pixels, C channels, T tokens, D width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.backbones import Backbone, Pretrained, conv_block, make_backbone
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.crops import DEPTH_CLIP_M, HAND_DEPTH_M, INVALID


def _pixels(rgb_MFHWC: Tensor, depth_MFHW: Tensor) -> Tensor:
    """(M·F, 5, H, W): colour in ±1, relative depth, and whether there is any."""
    seen = (depth_MFHW > INVALID + 0.1).to(torch.float32)
    colour = rgb_MFHWC.to(torch.float32).permute(0, 1, 4, 2, 3) / 127.5 - 1.0
    depth = depth_MFHW.to(torch.float32) * seen / DEPTH_CLIP_M
    return torch.cat([colour, depth[:, :, None], seen[:, :, None]], dim=2).flatten(0, 1)


class CropEncoder(nn.Module):
    """Before and after crops of one thing → what changed there (D) and what each looked like (D per frame).

    The two frames pass through one stem, so equal pixels give equal features and their difference is exactly zero where nothing
    changed; appearance vectors of all crops and of the hand live in one space and can be compared.
    """

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__()
        width = config.crop_width
        self.stem = nn.Sequential(conv_block(5, width), conv_block(width, 2 * width))
        flat = 2 * width * (config.crop_px // 4) ** 2
        self.fuse = nn.Linear(3 * flat, config.dim)
        self.look = nn.Linear(flat, config.dim)

    def forward(self, rgb_MFHWC: Tensor, depth_MFHW: Tensor) -> tuple[Tensor, Tensor]:
        """uint8 colour and relative metres (`INVALID` = nothing) → change (M, D), appearance (M, F, D)."""
        feature_MFC = self.stem(_pixels(rgb_MFHWC, depth_MFHW)).flatten(1).unflatten(0, (rgb_MFHWC.shape[0], 2))
        before, after = feature_MFC[:, 0], feature_MFC[:, 1]
        return self.fuse(torch.cat([before, after, after - before], dim=-1)), self.look(feature_MFC)

    def hand(self, rgb_BFHWC: Tensor, depth_BFHW: Tensor) -> tuple[Tensor, Tensor]:
        """The same for hand crops, whose depth is absolute metres with 0 = no return."""
        depth = depth_BFHW.to(torch.float32)
        relative = (depth - HAND_DEPTH_M).clamp(-DEPTH_CLIP_M, DEPTH_CLIP_M)
        return self(rgb_BFHWC, torch.where(depth > 0, relative, torch.full_like(relative, INVALID)))


class CloseUp(nn.Module):
    """Finer before and after crops of what an action handles → what it is like and what changed (D): water, slices, shards, a door ajar."""

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__()
        width = config.close_width
        self.stem = nn.Sequential(conv_block(5, width), conv_block(width, 2 * width), conv_block(2 * width, 3 * width))
        self.fuse = nn.Linear(9 * width * (config.close_px // 8) ** 2, config.dim)

    def forward(self, rgb_LFHWC: Tensor, depth_LFHW: Tensor) -> Tensor:
        """uint8 colour and relative metres (`INVALID` = nothing) → (L, D)."""
        feature_LFC = self.stem(_pixels(rgb_LFHWC, depth_LFHW)).flatten(1).unflatten(0, (rgb_LFHWC.shape[0], 2))
        before, after = feature_LFC[:, 0], feature_LFC[:, 1]
        out: Tensor = self.fuse(torch.cat([before, after, after - before], dim=-1))
        return out


class Trunk(nn.Module):
    """Both frames → tokens of the before-frame and of the after-frame, each with its difference to the other where one camera took both."""

    def __init__(self, config: EstimatorConfig, pretrained: bool = True) -> None:
        super().__init__()
        self.stem = make_backbone(config, pretrained)
        self.max_depth_m = config.max_depth_m
        self.side = self.stem.side
        self.project = nn.Linear(2 * self.stem.channels, config.dim)
        self.frame = nn.Parameter(torch.zeros(2, config.dim))
        self.position = nn.Linear(2, config.dim)
        x = (torch.arange(self.side, dtype=torch.float32) + 0.5) / self.side
        self.register_buffer("cell_T2", torch.stack(torch.meshgrid(x, x, indexing="xy"), -1).reshape(-1, 2), persistent=False)
        pixel = (torch.arange(config.image_px, dtype=torch.float32) + 0.5) / config.image_px
        self.register_buffer("pixel", pixel, persistent=False)
        self.cell_T2: Tensor
        self.pixel: Tensor

    def forward(self, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """→ tokens (B, F·T, D), before-frame first, and the finer map (B, F, C, P, P) that `Finder` searches.

        Reads ``image_depth``, ``image_plane`` (turns depth into height above the floor, see `build_input`), the last column of ``action``
        (same camera), and the colours: ``image_rgb``, or ``frame_coarse`` and ``frame_fine`` where the batch has a frozen backbone's maps.
        """
        size = batch["image_depth"].shape[0]
        geometry = self._geometry(batch["image_depth"].to(torch.float32), batch["image_plane"]).flatten(0, 1)
        if "frame_coarse" in batch and isinstance(self.stem, Pretrained):
            coarse, fine = (batch[k].flatten(0, 1).to(torch.float32) for k in ("frame_coarse", "frame_fine"))
            coarse, fine = self.stem.join(coarse, fine, geometry)
        else:
            coarse, fine = self.stem(batch["image_rgb"].to(torch.float32).permute(0, 1, 4, 2, 3).flatten(0, 1), geometry)
        map_BFCT = coarse.flatten(2).unflatten(0, (size, 2))
        step = (map_BFCT[:, 1] - map_BFCT[:, 0]) * batch["action"][:, -1, None, None]
        both = torch.cat([map_BFCT, torch.stack([step, step], 1)], dim=2).transpose(2, 3)
        tokens = self.project(both) + self.frame[:, None] + self.position(self.cell_T2)
        return tokens.flatten(1, 2), fine.unflatten(0, (size, 2))

    def _geometry(self, depth_BFHW: Tensor, plane_BF4: Tensor) -> Tensor:
        """(B, F, 3, H, W): depth, height above the floor, and whether there is any."""
        a, b, c, d = plane_BF4[..., None, None].unbind(2)
        seen = (depth_BFHW > 0).to(torch.float32)
        height = (depth_BFHW * (a * self.pixel + b * self.pixel[:, None] + c) + d).clamp(-1, 3) * seen
        return torch.stack([depth_BFHW / self.max_depth_m * 2 - 1, height - 1, seen], dim=2)


class Finder(nn.Module):
    """Looks for the thing seen in the hand in one frame over the other frame: where is what was dropped, where was what was taken?

    Attention over P cells and "nowhere". The criterion teaches it where the thing that left or entered the hand really is.
    """

    def __init__(self, config: EstimatorConfig, stem: Backbone) -> None:
        super().__init__()
        channels, d, side = stem.fine_channels, config.dim, stem.fine_side
        self.label_side, self.ratio = config.image_px // 4, config.image_px // 4 // side
        if side * self.ratio != self.label_side:
            raise ConfigError(f"estimator.image_px={config.image_px} does not suit {config.backbone}, whose finer map is {side} × {side}")
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(channels, d), nn.Linear(channels + 2, d)
        self.nowhere = nn.Linear(d, 1)
        self.out = nn.Linear(2 * (d + 1), d)
        x = (torch.arange(side, dtype=torch.float32) + 0.5) / side
        self.register_buffer("place_P2", torch.stack(torch.meshgrid(x, x, indexing="xy"), -1).reshape(-1, 2), persistent=False)
        self.place_P2: Tensor

    def forward(self, look_BFD: Tensor, fine_BFCHW: Tensor) -> tuple[Tensor, Tensor]:
        """Hand appearance per frame and `Trunk`'s fine map → what was found (B, D), and logits (B, F, L + 1), last = nowhere.

        L = (``image_px`` / 4)² cells of the labels; where the map is coarser, a cell's probability is spread evenly over the labels in it.

        F = 0: what the hand held before, sought in the after-frame. F = 1: what it holds after, sought in the before-frame.
        """
        fine_BFPC = fine_BFCHW.flip(1).flatten(3).transpose(2, 3)
        place = self.place_P2.expand(*fine_BFPC.shape[:2], -1, -1)
        query_BFD = self.query(look_BFD)
        score_BFP = (self.key(fine_BFPC) @ query_BFD[..., None]).squeeze(-1).float() * query_BFD.shape[-1] ** -0.5
        logits = torch.cat([score_BFP, self.nowhere(look_BFD).float()], -1)
        weight = logits.softmax(-1)
        found = (weight[..., None, :-1].to(fine_BFPC.dtype) @ self.value(torch.cat([fine_BFPC, place], -1))).squeeze(-2)
        odds = logits[..., -1:] - score_BFP.logsumexp(-1, keepdim=True)
        return self.out(torch.cat([found.flatten(1), odds.flatten(1).clamp(-8, 8).to(found.dtype)], -1)), self._spread(logits)

    def _spread(self, logits_BFP: Tensor) -> Tensor:
        if self.ratio == 1:
            return logits_BFP
        side = self.label_side // self.ratio
        cells = logits_BFP[..., :-1].unflatten(-1, (side, side)) - 2 * math.log(self.ratio)
        cells = cells.repeat_interleave(self.ratio, -1).repeat_interleave(self.ratio, -2)
        return torch.cat([cells.flatten(-2), logits_BFP[..., -1:]], -1)
