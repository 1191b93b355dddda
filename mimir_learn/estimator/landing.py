"""What the change regions say about the candidates and the hand: is this the thing that was held, and whose place does it lie at?"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import REGION_FEATURES

_REACH_M = (0.1, 0.25, 0.6)  # "here", "at this place", "near it"
_WIDTH = 32


class Landing(nn.Module):
    """Adds to each region how much it looks like what the hand held (or now holds), and to each candidate where the regions lie from it.

    Two burners are 0.25 m apart: attention by distance alone cannot tell which of them a thing was put on.
    """

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__()
        d = config.dim
        self.region_look, self.hand_look = nn.Linear(d, _WIDTH), nn.Linear(d, _WIDTH)
        self.matched = nn.Linear(2, d)
        self.pair = nn.Sequential(nn.Linear(2 + len(_REACH_M) + REGION_FEATURES + 2, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, _WIDTH))
        self.out = nn.Linear(2 * _WIDTH, d)
        for last in (self.matched, self.out):  # start from nearly the network without it
            nn.init.normal_(last.weight, std=0.01)
            nn.init.zeros_(last.bias)

    def forward(self, region_BRFD: Tensor, hand_BFD: Tensor, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Looks of R regions and of the hand in both frames → additions to the candidates' (B, K, D) and the regions' (B, R, D) queries.

        F = 0, 1: before, after. A region of the after-frame is compared with the hand before, and the other way round.
        """
        k = batch["mask"].shape[1]
        here, held = self.region_look(region_BRFD), self.hand_look(hand_BFD.flip(1))
        match_BR2 = torch.einsum("brfc,bfc->brf", here.float(), held.float()) * _WIDTH**-0.5
        mask_BR = batch["region_mask"].float()
        match_BR2 = match_BR2 * mask_BR[..., None]
        offset = batch["point"][:, None, k:] - batch["point"][:, :k, None]  # (B, K, R, 3)
        flat, up = offset[..., :2].norm(dim=-1), offset[..., 2]
        square = flat.square() + up.square()
        near = [torch.exp(-square / reach**2) for reach in _REACH_M]
        known = (batch["point_ok"][:, :k, None] & batch["point_ok"][:, None, k:]).float() * mask_BR[:, None]
        geometry = torch.stack([flat.clamp(max=3.0), up.clamp(-2.0, 2.0), *near], -1)
        told = torch.cat([batch["region"], match_BR2.to(batch["region"].dtype)], -1)[:, None].expand(-1, k, -1, -1)
        pair_BKRC = self.pair(torch.cat([geometry, told], -1)) * known[..., None]
        most = pair_BKRC.amax(2) if pair_BKRC.shape[2] else pair_BKRC.sum(2)
        return self.out(torch.cat([pair_BKRC.sum(2), most], -1)), self.matched(match_BR2.to(here.dtype))
