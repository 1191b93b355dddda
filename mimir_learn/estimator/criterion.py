"""The training loss: negative log-likelihood of the whole true Δ, of the hypothesis where there is that head, and of the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from mimir_learn.checks import chance, not_negative
from mimir_learn.errors import ConfigError
from mimir_learn.estimator import hypotheses
from mimir_learn.estimator.labels import FIRST_CANDIDATE, UNCHANGED
from mimir_learn.estimator.landing import landing_targets
from mimir_learn.estimator.model import Batch

PRIORS = ("none", "effective", "focal")
_CLASSES = FIRST_CANDIDATE + 1  # of a parent fact: unchanged, hand, elsewhere, some candidate


@dataclass(frozen=True)
class LossWeights:
    """Weights of the heads and of the auxiliary search, of changed facts against unchanged ones, and the prior against class imbalance.

    ``changed`` stays 1 by default: summed (not averaged) over a transition's facts the loss is the negative log-probability of the
    whole Δ, a proper score, so probabilities come out calibrated; rare changes need no reweighting because the many easy
    "unchanged" facts cost next to nothing once learned. Raise it only together with recalibration.

    Attributes:
        parent, attr, outcome, find, hypothesis, land: of the losses of these names.
        changed: of facts that changed; not undone.
        prior: how facts are weighted by class, with the logits adjusted (see `adjusted_nll`) so that probabilities stay those of the data:
            ``none``; ``effective``, by the inverse effective number of the class in the training data (1 − β) / (1 − βⁿ), relative to
            "unchanged"; ``focal``, by (1 − p)^γ of the network's own probability p.
        beta: β of ``effective``. gamma: γ of ``focal``.
        parent_counts: facts per class of the parent head (unchanged, hand, elsewhere, a candidate); attr_counts: per class of the attribute
            heads, (keep, set, cleared) of one attribute after the other. Filled in by `counted`.
    """

    parent: float = 1.0
    attr: float = 1.0
    outcome: float = 0.5
    find: float = 0.3
    changed: float = 1.0
    hypothesis: float = 1.0
    land: float = 0.5
    prior: str = "none"
    beta: float = 0.999
    gamma: float = 1.0
    parent_counts: tuple[int, ...] = ()
    attr_counts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("parent", "attr", "outcome", "find", "changed", "hypothesis", "land", "gamma"):
            not_negative(f"loss.{name}", getattr(self, name))
        chance("loss.beta", self.beta, below_one=True)
        for name in ("parent_counts", "attr_counts"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.prior not in PRIORS:
            raise ConfigError(f"loss.prior is {self.prior!r}; choose one of {', '.join(PRIORS)}")

    def counted(self, targets: Mapping[str, NDArray[Any]]) -> LossWeights:
        """Itself with the class counts of training data: arrays of all samples (N, …) by the names of `build_input` and `labels.targets`
        (``y_parent``, ``y_attr``, ``mask``, ``movable``, ``attr_mask``). Only ``prior="effective"`` reads them."""
        moves = targets["movable"] & targets["mask"]
        parent = np.bincount(np.minimum(targets["y_parent"], FIRST_CANDIDATE)[moves], minlength=_CLASSES)
        applies = targets["attr_mask"] & targets["mask"][..., None]
        kinds = np.arange(applies.shape[-1]) * 3 + targets["y_attr"]
        attr = np.bincount(kinds[applies], minlength=3 * applies.shape[-1])
        return replace(self, parent_counts=tuple(int(n) for n in parent), attr_counts=tuple(int(n) for n in attr))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def effective_weights(counts: Tensor, beta: float) -> Tensor:
    """(…, C) counts → weights by the inverse effective number of samples, class 0 having weight 1; one never seen counts as seen once."""
    number = (1.0 - beta ** counts.double().clamp(min=1.0)) / (1.0 - beta) if beta > 0 else torch.ones_like(counts.double())
    return (number[..., :1] / number).float()


def adjusted_nll(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Class-weighted cross-entropy whose minimum is at the data's own class probabilities, for any positive weights.

    w_y · −log softmax(z + log w)_y: weighting alone would end at softmax(z) ∝ w p; with the same weights in the logits z ends at log p.

    Args:
        logits: z (…, C). target: y (…). weight: w (…, C), constants to the gradient.
    """
    log_w = weight.detach().clamp(min=1e-6).log()
    nll = -F.log_softmax(logits + log_w, -1).gather(-1, target[..., None]).squeeze(-1)
    return nll * log_w.expand_as(logits).gather(-1, target[..., None]).squeeze(-1).exp()


def criterion(
    logits: dict[str, Tensor], batch: Batch, weights: LossWeights | None = None, reduction: str = "mean"
) -> dict[str, Tensor]:
    """Losses ``parent``, ``attr``, ``outcome``, ``find``, ``land`` and ``hypothesis`` (where the network has them), and their weighted sum
    ``loss``; all in fp32, means over the batch (scalars), or with ``reduction="none"`` those of each transition, (B,).

    Facts that are masked (padding, things that cannot move, attributes that do not apply) do not count; a batch in which
    everything is masked gives zero loss with a graph that still reaches every head. Raises ConfigError where ``prior`` is ``effective`` and
    the classes were not counted.
    """
    weights = weights or LossWeights()
    movable = (batch["movable"] & batch["mask"]).float()
    y_parent, y_attr = batch["y_parent"], batch["y_attr"]
    nll = adjusted_nll(logits["parent"].float(), y_parent, _weight(logits["parent"], weights, "parent"))
    boost = 1.0 + (weights.changed - 1.0) * (y_parent != UNCHANGED).float()
    parent = (nll * movable * boost).sum(1)

    applies = (batch["attr_mask"] & batch["mask"][..., None]).float()
    nll = adjusted_nll(logits["attr"].float(), y_attr, _weight(logits["attr"], weights, "attr"))
    boost = 1.0 + (weights.changed - 1.0) * (y_attr != UNCHANGED).float()
    attr = (nll * applies * boost).sum((1, 2))

    outcome = F.binary_cross_entropy_with_logits(logits["outcome"].float(), batch["y_outcome"].float(), reduction="none")
    asked = batch["y_find"] >= 0
    find_log = F.log_softmax(logits["find"].float(), -1)
    find = (-find_log.gather(-1, batch["y_find"].clamp(min=0)[..., None]).squeeze(-1) * asked).sum(1)
    losses = {"parent": parent, "attr": attr, "outcome": outcome, "find": find}
    if "land" in logits:
        lands = landing_targets(batch, round((logits["find"].shape[-1] - 1) ** 0.5))
        nll = -F.log_softmax(logits["land"].float(), -1).gather(-1, lands.clamp(min=0)[..., None]).squeeze(-1)
        losses["land"] = (nll * (lands >= 0)).sum(1)
    if "hypothesis" in logits:
        losses["hypothesis"] = F.cross_entropy(logits["hypothesis"].float(), hypotheses.targets(batch), reduction="none")
    total = sum((getattr(weights, name) * loss for name, loss in losses.items()), start=torch.zeros_like(parent))
    losses = {"loss": total, **losses}
    if reduction == "none":
        return losses
    return {k: v.sum() / max(len(v), 1) for k, v in losses.items()}


def _weight(logits: Tensor, weights: LossWeights, head: str) -> Tensor:
    """Class weights, broadcast against ``logits`` (B, K, O) of the parent head or (B, K, A, 3) of the attributes."""
    if weights.prior == "focal":
        return (1.0 - torch.softmax(logits.detach().float(), -1)).clamp(min=1e-3) ** weights.gamma
    if weights.prior == "none":
        return torch.ones(logits.shape[-1], device=logits.device)
    counts = torch.tensor(getattr(weights, f"{head}_counts"), device=logits.device)
    if not len(counts):
        raise ConfigError("loss.prior=effective needs the class counts of the training data; call LossWeights.counted on its targets first")
    if head == "attr":
        return effective_weights(counts.view(-1, 3), weights.beta)
    weight = effective_weights(counts, weights.beta)
    return torch.cat([weight[:FIRST_CANDIDATE], weight[FIRST_CANDIDATE:].expand(logits.shape[-1] - FIRST_CANDIDATE)])


def probabilities(logits: dict[str, Tensor], temperature: dict[str, float] | None = None) -> dict[str, Tensor]:
    """Logits → fp32 probabilities of the three heads, and of ``hypothesis`` where there is one, each divided by its temperature (1 where
    none is given)."""
    t = temperature or {}
    out = {h: torch.softmax(x.float() / t.get(h, 1.0), -1) for h in ("parent", "attr", "hypothesis") if (x := logits.get(h)) is not None}
    return out | {"outcome": torch.sigmoid(logits["outcome"].float() / t.get("outcome", 1.0))}
