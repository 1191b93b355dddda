"""What the change regions say about the candidates and the hand: is this the thing that was held, and whose place does it lie at?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mimir_learn.estimator.candidates import ROLES
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import KINDS, REGION_FEATURES

_REACH_M = (0.1, 0.25, 0.6)  # "here", "at this place", "near it"
_WIDTH = 32
_MASKED = -1e4
_SAME_SPOT = 0.09  # of the frame's side, between a region and the cell of a thing
_ROOM_BEFORE, _ROOM_AFTER = (len(KINDS) + ROLES.index(r) for r in ("room_before", "room_after"))


class Landing(nn.Module):
    """Which region is what left (or came into) the hand, and where the regions lie from every candidate.

    Two burners are 0.25 m apart: attention by distance alone cannot tell which of them a thing was put on. And whether what fell on the way
    to another room is in view decides in which of the two it lies; few walks end so, but every put trains the comparison with the hand.
    """

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__()
        d = config.dim
        self.region_look, self.hand_look = nn.Linear(d, _WIDTH), nn.Linear(d, _WIDTH)
        self.plain, self.none = nn.Linear(REGION_FEATURES, 2), nn.Linear(d, 1)
        self.matched, self.found = nn.Linear(2, d), nn.Linear(2, d)
        self.pair = nn.Sequential(nn.Linear(2 + len(_REACH_M) + REGION_FEATURES + 2, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, _WIDTH))
        self.out = nn.Linear(2 * _WIDTH, d)
        self.room = nn.Parameter(torch.tensor(0.5))
        for last in (self.matched, self.found, self.out):  # start from nearly the network without it
            nn.init.normal_(last.weight, std=0.01)
            nn.init.zeros_(last.bias)

    def forward(self, region_BRFD: Tensor, hand_BFD: Tensor, batch: Mapping[str, Tensor]) -> Landed:
        """Looks of R regions and of the hand in both frames (F = 0 before, 1 after)."""
        k = batch["mask"].shape[1]
        left = torch.stack([region_BRFD[:, :, 1], region_BRFD[:, :, 0]], 2)  # (B, R, 2, D): against the hand before, against the hand after
        match_BR2 = torch.einsum("brfc,bfc->brf", self.region_look(left).float(), self.hand_look(hand_BFD).float()) * _WIDTH**-0.5
        match_BR2 = match_BR2 + self.plain(batch["region"]).float()
        lands = torch.cat([match_BR2, self.none(hand_BFD).float().transpose(1, 2)], 1).transpose(1, 2)  # (B, 2, R + 1)
        lands = lands.masked_fill(~F.pad(batch["region_mask"], (0, 1), value=True)[:, None], _MASKED)
        found_B2 = (lands[..., :-1].logsumexp(-1) - lands[..., -1]).clamp(-6.0, 6.0) if lands.shape[-1] > 1 else lands[..., 0] * 0.0 - 6.0
        told_BR2 = lands.softmax(-1)[..., :-1].transpose(1, 2)
        mask_BR = batch["region_mask"].float()
        offset = batch["point"][:, None, k:] - batch["point"][:, :k, None]  # (B, K, R, 3)
        flat, up = offset[..., :2].norm(dim=-1), offset[..., 2]
        square = flat.square() + up.square()
        near = [torch.exp(-square / reach**2) for reach in _REACH_M]
        known = (batch["point_ok"][:, :k, None] & batch["point_ok"][:, None, k:]).float() * mask_BR[:, None]
        geometry = torch.stack([flat.clamp(max=3.0), up.clamp(-2.0, 2.0), *near], -1)
        told = torch.cat([batch["region"], told_BR2], -1)[:, None].expand(-1, k, -1, -1)
        pair_BKRC = self.pair(torch.cat([geometry, told], -1)) * known[..., None]
        most = pair_BKRC.amax(2) if pair_BKRC.shape[2] else pair_BKRC.sum(2)
        entity = self.out(torch.cat([pair_BKRC.sum(2), most], -1))
        return Landed(entity, self.matched(told_BR2), self.found(found_B2), lands, self.room * found_B2[:, 0])


@dataclass(frozen=True)
class Landed:
    """What `Landing` adds to the queries and says.

    Attributes:
        entity_BKD, region_BRD, hand_BD: additions to the queries of candidates, regions, and of the hand and the held thing.
        lands_B2: logits (B, 2, R + 1): which region is what left the hand, and which is what came into it; last = none of them.
        here_B: log-odds that what left the hand lies in the room of the after-frame rather than in that of the before-frame.
    """

    entity_BKD: Tensor
    region_BRD: Tensor
    hand_BD: Tensor
    lands_B2: Tensor
    here_B: Tensor


def landing_targets(batch: Mapping[str, Tensor], side: int) -> Tensor:
    """(B, 2): the region that lies where ``y_find`` says, R for "nowhere to be seen", −1 where there is no such thing or no such region.

    ``side``: cells along a side of the grid that ``y_find`` counts.
    """
    k, find = batch["mask"].shape[1], batch["y_find"]
    uv_BFR2, ok_BFR = batch["uv"][:, :, k:].flip(1), batch["uv_ok"][:, :, k:].flip(1)  # what left is sought in the after-frame
    cell = torch.stack([find % side, find.div(side, rounding_mode="floor")], -1)
    gap = (uv_BFR2 - (cell[:, :, None] + 0.5) / side).norm(dim=-1)
    gap = gap.masked_fill(~(ok_BFR & batch["region_mask"][:, None]), 9.0)
    r = gap.shape[-1]
    if not r:
        return torch.where(find == side * side, 0, -1)
    near, which = gap.min(-1)
    seen = torch.where(near < _SAME_SPOT, which, -1)
    return torch.where(find < 0, -1, torch.where(find == side * side, r, seen))


def same_or_other_room(batch: Mapping[str, Tensor]) -> Tensor:
    """(B, K): 1 for the room of the after-frame, −1 for that of the before-frame, 0 for everything else and where they are one."""
    return batch["feature"][..., _ROOM_AFTER] - batch["feature"][..., _ROOM_BEFORE]
