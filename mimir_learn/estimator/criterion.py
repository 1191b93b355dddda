"""The training loss: negative log-likelihood of the whole true Δ, plus the outcome head's cross-entropy."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from mimir_learn.checks import not_negative
from mimir_learn.estimator.labels import KEEP, UNCHANGED
from mimir_learn.estimator.model import Batch


@dataclass(frozen=True)
class LossWeights:
    """Weights of the three heads and of the auxiliary search, and of changed facts against unchanged ones.

    ``changed`` stays 1 by default: summed (not averaged) over a transition's facts the loss is the negative log-probability of the
    whole Δ, a proper score, so probabilities come out calibrated; rare changes need no reweighting because the many easy
    "unchanged" facts cost next to nothing once learned. Raise it only together with recalibration.
    """

    parent: float = 1.0
    attr: float = 1.0
    outcome: float = 0.5
    find: float = 0.3
    changed: float = 1.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            not_negative(f"loss.{name}", value)


def criterion(logits: dict[str, Tensor], batch: Batch, weights: LossWeights | None = None) -> dict[str, Tensor]:
    """Scalar losses ``parent``, ``attr``, ``outcome``, ``find`` and their weighted sum ``loss``; all in fp32, means over the batch.

    Facts that are masked (padding, things that cannot move, attributes that do not apply) do not count; a batch in which
    everything is masked gives zero loss with a graph that still reaches every head.
    """
    weights = weights or LossWeights()
    size = max(batch["mask"].shape[0], 1)
    movable = (batch["movable"] & batch["mask"]).float()
    parent_log = F.log_softmax(logits["parent"].float(), -1)
    nll = -parent_log.gather(-1, batch["y_parent"][..., None]).squeeze(-1)
    boost = 1.0 + (weights.changed - 1.0) * (batch["y_parent"] != UNCHANGED).float()
    parent = (nll * movable * boost).sum() / size

    applies = (batch["attr_mask"] & batch["mask"][..., None]).float()
    attr_log = F.log_softmax(logits["attr"].float(), -1)
    nll = -attr_log.gather(-1, batch["y_attr"][..., None]).squeeze(-1)
    boost = 1.0 + (weights.changed - 1.0) * (batch["y_attr"] != KEEP).float()
    attr = (nll * applies * boost).sum() / size

    outcome = F.binary_cross_entropy_with_logits(logits["outcome"].float(), batch["y_outcome"].float(), reduction="sum") / size
    asked = batch["y_find"] >= 0
    find_log = F.log_softmax(logits["find"].float(), -1)
    find = (-find_log.gather(-1, batch["y_find"].clamp(min=0)[..., None]).squeeze(-1) * asked).sum() / size
    total = weights.parent * parent + weights.attr * attr + weights.outcome * outcome + weights.find * find
    return {"loss": total, "parent": parent, "attr": attr, "outcome": outcome, "find": find}


def probabilities(logits: dict[str, Tensor], temperature: dict[str, float] | None = None) -> dict[str, Tensor]:
    """Logits → fp32 probabilities of the three heads, each divided by its temperature (1 where none is given)."""
    t = temperature or {}
    return {
        "parent": torch.softmax(logits["parent"].float() / t.get("parent", 1.0), -1),
        "attr": torch.softmax(logits["attr"].float() / t.get("attr", 1.0), -1),
        "outcome": torch.sigmoid(logits["outcome"].float() / t.get("outcome", 1.0)),
    }
