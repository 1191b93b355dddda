"""`DeltaEstimator`: entity, region, hand and action queries read two RGB-D frames and say what changed (DESIGN.md §4).

Shape letters: B batch, K candidates, R change regions, Q = K + R + 2 queries (entities, regions, hand, action), T image tokens,
A attributes, O = 3 + K options of the parent pointer, D width, N heads.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mimir_learn.estimator.backbones import resolve
from mimir_learn.estimator.candidates import ROLES
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.encoders import CloseUp, CropEncoder, Finder, Trunk
from mimir_learn.estimator.hidden import hide
from mimir_learn.estimator.hypotheses import HypothesisHead
from mimir_learn.estimator.inputs import ACTION_FEATURES, FEATURES, KINDS, REGION_FEATURES, VIEW_FEATURES
from mimir_learn.estimator.labels import FIRST_CANDIDATE, KEEP, TO_HAND, UNCHANGED
from mimir_learn.estimator.landing import Landed, Landing, same_or_other_room
from mimir_learn.symbols import Vocabulary

_HELD = len(KINDS) + ROLES.index("held")  # column of ``feature``
MASKED = -1e4  # finite, so that a row with every option masked still has a softmax
Batch = Mapping[str, Tensor]


class DecoderLayer(nn.Module):
    """Self-attention among queries, cross-attention to image tokens, feed-forward; pre-norm, additive attention biases."""

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__()
        d, self.heads, self.dropout = config.dim, config.heads, config.dropout
        self.norm_self, self.norm_cross, self.norm_ffn, self.norm_image = (nn.LayerNorm(d) for _ in range(4))
        self.qkv, self.out_self = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.query, self.key_value, self.out_cross = nn.Linear(d, d), nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.ffn = nn.Sequential(nn.Linear(d, config.ffn), nn.GELU(), nn.Dropout(config.dropout), nn.Linear(config.ffn, d))
        # how fast attention falls with metric distance; two burners are 0.25 m apart, so some heads must look only there
        near = torch.logspace(-1.0, 1.7, config.heads).expm1().log() if config.landing else torch.linspace(-2.0, 2.0, config.heads)
        self.near = nn.Parameter(near)
        self.spot = nn.Parameter(torch.linspace(-2.0, 3.0, config.heads))  # and with distance in the image
        self.kin = nn.Parameter(torch.zeros(2, config.heads))  # to one's remembered parent, to one's remembered children

    def forward(self, x_BQD: Tensor, image_BTD: Tensor, geometry: Mapping[str, Tensor]) -> Tensor:
        bias = geometry["mask_B1Q"][:, None] - F.softplus(self.near)[:, None, None] * geometry["distance_BQQ"][:, None]
        kin_BQQ = geometry["kin_BQQ"][:, None]
        bias = bias + self.kin[0][:, None, None] * kin_BQQ + self.kin[1][:, None, None] * kin_BQQ.transpose(2, 3)
        q, k, v = self._split(self.qkv(self.norm_self(x_BQD)), 3)
        x_BQD = x_BQD + self.out_self(self._attend(q, k, v, bias))
        spot = -F.softplus(self.spot)[:, None, None] * geometry["image_BQT"][:, None]
        (q,) = self._split(self.query(self.norm_cross(x_BQD)), 1)
        k, v = self._split(self.key_value(self.norm_image(image_BTD)), 2)
        x_BQD = x_BQD + self.out_cross(self._attend(q, k, v, spot))
        out: Tensor = x_BQD + self.ffn(self.norm_ffn(x_BQD))
        return out

    def _split(self, x: Tensor, parts: int) -> tuple[Tensor, ...]:
        b, n, _ = x.shape
        return x.view(b, n, parts, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        if torch.is_grad_enabled() and q.device.type == "cpu" and not dropout:  # no fused kernel serves a bias with a gradient there
            weight = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + bias.to(q.dtype)
            return (weight.softmax(-1).to(v.dtype) @ v).transpose(1, 2).flatten(2)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype), dropout_p=dropout)
        return out.transpose(1, 2).flatten(2)


class DeltaEstimator(nn.Module):
    """Distributions over each candidate's new parent and visible attributes, and over whether the action did what it says."""

    def __init__(self, config: EstimatorConfig | None = None, *, pretrained: bool = True) -> None:
        """``pretrained=False`` builds the backbone without reading ``backbone_weights``: an export brings its own."""
        super().__init__()
        self.config = config = resolve(config or EstimatorConfig())
        d, attributes = config.dim, len(config.attributes)
        self.crops, self.close, self.trunk = CropEncoder(config), CloseUp(config), Trunk(config, pretrained)
        self.finder = Finder(config, self.trunk.stem)
        self.name = nn.Linear(config.name_dim, d)
        self.parent_name = nn.Linear(config.name_dim, d, bias=False)
        self.fact = nn.Sequential(nn.Linear(FEATURES + VIEW_FEATURES + 2 * attributes + 2, d), nn.GELU(), nn.Linear(d, d))
        self.region = nn.Sequential(nn.Linear(REGION_FEATURES, d), nn.GELU(), nn.Linear(d, d))
        self.hand_query = nn.Parameter(torch.randn(d) * 0.02)
        self.verb = nn.Embedding(len(config.verbs), d)
        self.motion = nn.Linear(ACTION_FEATURES, d)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(d)
        self.parent_head = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 3))
        self.pointer_from, self.pointer_to = nn.Linear(d, d), nn.Linear(d, d)
        self.same_from, self.same_to = nn.Linear(d, d), nn.Linear(d, d)
        self.attr_head = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 3 * attributes))
        self.outcome_head = nn.Linear(2 * d, 1)
        self.landing = Landing(config) if config.landing else None
        self.hypotheses = HypothesisHead(config) if config.head == "hypotheses" else None
        with torch.no_grad():  # start from "nothing changed", which is true of most facts
            last: nn.Linear = self.parent_head[-1]  # type: ignore[assignment]
            last.bias[UNCHANGED] += 4.0
            attr: nn.Linear = self.attr_head[-1]  # type: ignore[assignment]
            attr.bias.view(attributes, 3)[:, KEEP] += 3.0

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """A collated batch (`mimir_learn.estimator.batch.collate`) → fp32 logits.

        ``parent`` (B, K, O): unchanged, hand, elsewhere, candidate…; options that cannot be are `MASKED`.
        ``attr`` (B, K, A, 3): keep, set, cleared. ``outcome`` (B,). ``find`` (B, 2, P + 1): see `Finder`, an auxiliary.
        ``land`` (B, 2, R + 1): see `Landing`, an auxiliary. With the head of that name also ``hypothesis`` (B, H): see
        `mimir_learn.estimator.hypotheses`.
        """
        batch = hide(batch, self.config) if self.config.hidden else batch
        k = self.config.candidates
        looks, x_BQD, landed = self._queries(batch)
        image_BTD, fine = self.trunk(batch)
        found_BD, find = self.finder(looks["hand"], fine)
        x_BQD = torch.cat([x_BQD[:, :-2], x_BQD[:, -2:-1] + found_BD[:, None], x_BQD[:, -1:]], 1)
        geometry = self._geometry(batch)
        for layer in self.layers:
            x_BQD = layer(x_BQD, image_BTD, geometry)
        x_BQD = self.norm(x_BQD).float()
        entity_BKD, hand_BD, action_BD = x_BQD[:, :k], x_BQD[:, -2], x_BQD[:, -1]
        same_BK = self._same(looks)
        room_BK = None if landed is None else same_or_other_room(batch).float() * landed.here_B[:, None]
        out = {
            "parent": self._parent(entity_BKD, same_BK, room_BK, batch),
            "attr": self.attr_head(entity_BKD).float().unflatten(-1, (len(self.config.attributes), 3)),
            "find": find,
            "outcome": self.outcome_head(torch.cat([hand_BD, action_BD], -1)).float().squeeze(-1),
        }
        if landed is not None:
            out["land"] = landed.lands_B2
        if self.hypotheses is not None:
            out["hypothesis"] = self.hypotheses(entity_BKD, hand_BD, action_BD, same_BK, room_BK, batch)
        return out

    def _queries(self, batch: Batch) -> tuple[dict[str, Tensor], Tensor, Landed | None]:
        b, k, r = batch["mask"].shape[0], self.config.candidates, self.config.change_regions
        change_MD, look_MFD = self.crops(batch["crop_rgb"], batch["crop_depth"])
        slots = change_MD.new_zeros(b * (k + r), change_MD.shape[-1]).index_copy(0, batch["crop_slot"], change_MD)
        look = look_MFD.new_zeros(b * (k + r), *look_MFD.shape[1:]).index_copy(0, batch["crop_slot"], look_MFD)
        slots_BSD, look_BSFD = slots.view(b, k + r, -1), look.view(b, k + r, 2, -1)
        hand_BD, hand_look_BFD = self.crops.hand(batch["hand_rgb"], batch["hand_depth"])
        value = batch["attr_value"].float() * 2 - 1
        parent = batch["parent"]
        known = batch["attr_known"].float()
        odd = torch.stack([(parent == k).float(), (parent == -2).float()], -1)
        facts = torch.cat([batch["feature"], batch["view"], batch["attr_mask"].float(), value * known, odd], -1)
        parent_name = torch.gather(batch["name"], 1, parent.clamp(0, k - 1)[..., None].expand(-1, -1, batch["name"].shape[-1]))
        parent_name = parent_name * ((parent >= 0) & (parent < k)).float()[..., None]
        act = batch["action"]
        if not self.config.outcome_flag:
            act = torch.cat([torch.zeros_like(act[:, :1]), act[:, 1:]], 1)
        action_BD = self.verb(batch["verb"]) + self.motion(act)
        entity_BKD = self.name(batch["name"]) + self.parent_name(parent_name) + self.fact(facts) + slots_BSD[:, :k]
        close_LD = self.close(batch["close_rgb"], batch["close_depth"])
        close_BSD = (
            close_LD.new_zeros(b * (k + r + 1), close_LD.shape[-1]).index_copy(0, batch["close_slot"], close_LD).view(b, k + r + 1, -1)
        )
        close_hand_BD = close_BSD[:, -1]
        held_BK1 = batch["feature"][..., _HELD : _HELD + 1]  # what is held has no place of its own to be looked at
        entity_BKD = entity_BKD + close_BSD[:, :k] + held_BK1 * close_hand_BD[:, None]
        landed = None
        region_BRD = self.region(batch["region"]) + slots_BSD[:, k:] + close_BSD[:, k:-1]
        if self.landing is not None:
            landed = self.landing(look_BSFD[:, k:], hand_look_BFD, batch)
            entity_BKD = entity_BKD + landed.entity_BKD + held_BK1 * landed.hand_BD[:, None]
            region_BRD, hand_BD = region_BRD + landed.region_BRD, hand_BD + landed.hand_BD
        hand_query = (hand_BD + close_hand_BD + self.hand_query)[:, None]
        x_BQD = torch.cat([entity_BKD, region_BRD, hand_query, torch.zeros_like(hand_query)], 1) + action_BD[:, None]
        return {"before": look_BSFD[:, :k, 0], "hand": hand_look_BFD}, x_BQD, landed

    def _geometry(self, batch: Batch) -> dict[str, Tensor]:
        """Attention biases that need no weights: masks, metric and image distances, remembered parent links."""
        mask_BS = torch.cat([batch["mask"], batch["region_mask"]], 1)
        s = mask_BS.shape[1]
        mask_BQ = F.pad(mask_BS, (0, 2), value=True)
        point, ok = batch["point"], batch["point_ok"].float()
        square = (point[:, :, None] - point[:, None]).square().sum(-1).clamp(max=4.0)
        distance = F.pad(square * ok[:, :, None] * ok[:, None], (0, 2, 0, 2))
        k = self.config.candidates
        parent = batch["parent"]
        kin = F.one_hot(parent.clamp(0, k), k + 1).float()[..., :k] * (parent >= 0).float()[..., None]
        kin = F.pad(kin, (0, s + 2 - k, 0, s + 2 - k))
        cell_T2 = self.trunk.cell_T2
        image = (batch["uv"][:, :, :, None] - cell_T2).square().sum(-1) * 16.0 * batch["uv_ok"].float()[..., None]  # (B, F, S, T)
        image_BQT = F.pad(image.permute(0, 2, 1, 3).flatten(2), (0, 0, 0, 2))
        mask = (~mask_BQ).float()[:, None] * MASKED
        return {"mask_B1Q": mask, "distance_BQQ": distance, "kin_BQQ": kin, "image_BQT": image_BQT}

    def _same(self, looks: Mapping[str, Tensor]) -> Tensor:
        """(B, K): how much each candidate looked like what is in the hand now."""
        same_to = self.same_to(looks["hand"][:, 1]).float()
        return torch.einsum("bkd,bd->bk", self.same_from(looks["before"]).float(), same_to) * same_to.shape[-1] ** -0.5

    def _parent(self, entity_BKD: Tensor, same_BK: Tensor, room_BK: Tensor | None, batch: Batch) -> Tensor:
        k, scale = self.config.candidates, entity_BKD.shape[-1] ** -0.5
        fixed_BK3 = self.parent_head(entity_BKD).float()
        fixed_BK3 = fixed_BK3 + same_BK[..., None] * F.one_hot(torch.tensor(TO_HAND, device=same_BK.device), 3)
        pointer_BKK = self.pointer_from(entity_BKD).float() @ self.pointer_to(entity_BKD).float().transpose(1, 2) * scale
        if room_BK is not None:
            pointer_BKK = pointer_BKK + batch["feature"][..., _HELD, None] * room_BK[:, None]
        cannot = ~(batch["holds"] & batch["mask"])[:, None] | torch.eye(k, dtype=torch.bool, device=same_BK.device)
        logits = torch.cat([fixed_BK3, pointer_BKK.masked_fill(cannot, MASKED)], -1)
        assert logits.shape[-1] == FIRST_CANDIDATE + k
        return logits

    def save_pretrained(self, directory: str | Path) -> Path:
        """Write ``model.safetensors`` and ``config.json``; see `mimir_learn.estimator.export`."""
        from mimir_learn.estimator.export import save_pretrained

        return save_pretrained(self, Path(directory))

    @classmethod
    def from_pretrained(
        cls, directory: str | Path, vocabulary: Vocabulary | None = None, *, allow_other_vocabulary: bool = False
    ) -> DeltaEstimator:
        """Read an export from a folder or a hub repository ``owner/name``, strictly; see `mimir_learn.estimator.export`.

        Raises CheckpointError.
        """
        from mimir_learn.estimator.export import from_pretrained, local_folder

        return from_pretrained(local_folder(directory), vocabulary, allow_other_vocabulary=allow_other_vocabulary)
