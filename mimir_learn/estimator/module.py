"""Lightning module: optimiser, schedule, logging and validation numbers around `DeltaEstimator` and `criterion`."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import lightning as L
import torch
from torch import Tensor

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.criterion import LossWeights, criterion
from mimir_learn.estimator.model import DeltaEstimator


class EstimatorModule(L.LightningModule):
    """Trains a `DeltaEstimator`.

    Validation counts are summed over the whole split before any ratio is taken: ``val/loss`` (the criterion per transition),
    ``val/exact`` (every candidate's facts right), ``val/f1`` (micro, changed facts of the candidates; `metrics.score` on the decoded
    Δ is the number to report), ``val/false_change`` (on transitions in which no candidate changes).
    """

    def __init__(
        self, config: EstimatorConfig, lr: float = 2e-3, weight_decay: float = 0.02, warmup: float = 0.05,
        weights: LossWeights | None = None, total_steps: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.model = DeltaEstimator(config)
        self.lr, self.weight_decay, self.warmup, self.total_steps = lr, weight_decay, warmup, total_steps
        self.weights = weights or LossWeights()
        self.save_hyperparameters({"estimator": config.to_dict(), "lr": lr, "weight_decay": weight_decay, "loss": asdict(self.weights)})
        self._sums: dict[str, float] = {}

    def training_step(self, batch: dict[str, Tensor], batch_idx: int) -> Tensor:
        losses = criterion(self.model(batch), batch, self.weights)
        size = batch["mask"].shape[0]
        self.log_dict({f"train/{k}": v.detach() for k, v in losses.items()}, batch_size=size)
        self.log("loss", losses["loss"].detach(), prog_bar=True, logger=False, batch_size=size)
        return losses["loss"]

    def on_validation_epoch_start(self) -> None:
        self._sums = {}

    def validation_step(self, batch: dict[str, Tensor], batch_idx: int) -> None:
        add_counts(self._sums, self.model(batch), batch, self.weights)

    def on_validation_epoch_end(self) -> None:
        if self._sums:
            self.log_dict({f"val/{k}": v for k, v in ratios(self._sums).items()}, prog_bar=True)

    def configure_optimizers(self) -> Any:
        decay = [p for p in self.parameters() if p.dim() > 1]
        rest = [p for p in self.parameters() if p.dim() <= 1]
        groups = [{"params": decay, "weight_decay": self.weight_decay}, {"params": rest, "weight_decay": 0.0}]
        optimiser = torch.optim.AdamW(groups, lr=self.lr, betas=(0.9, 0.98))
        total = self.total_steps or int(self.trainer.estimated_stepping_batches)
        warm = max(1, int(self.warmup * total))

        def scale(step: int) -> float:
            if step < warm:
                return (step + 1) / warm
            return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warm) / max(1, total - warm))))

        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, scale)
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


def candidate_counts(logits: dict[str, Tensor], batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """Sums over a batch, facts of the offered candidates only: ``hits``, ``predicted``, ``true`` changed facts, ``exact`` and ``quiet``
    transitions, ``false`` changes claimed on quiet ones, ``n``."""
    movable = batch["movable"] & batch["mask"]
    applies = batch["attr_mask"] & batch["mask"][..., None]
    said_p, said_a = logits["parent"].argmax(-1) * movable, logits["attr"].argmax(-1) * applies
    true_p, true_a = batch["y_parent"] * movable, batch["y_attr"] * applies
    said = torch.cat([said_p, said_a.flatten(1)], 1)
    true = torch.cat([true_p, true_a.flatten(1)], 1)
    quiet = (true == 0).all(1)
    return {
        "n": torch.tensor(len(said)),
        "hits": ((said == true) & (true != 0)).sum(),
        "predicted": (said != 0).sum(),
        "true": (true != 0).sum(),
        "exact": (said == true).all(1).sum(),
        "quiet": quiet.sum(),
        "false": (quiet & (said != 0).any(1)).sum(),
    }


def add_counts(sums: dict[str, float], logits: dict[str, Tensor], batch: dict[str, Tensor], weights: LossWeights) -> None:
    """Add a batch's `candidate_counts` and summed loss to ``sums``."""
    loss = criterion(logits, batch, weights)["loss"] * len(batch["mask"])
    for key, value in {"loss": loss, **candidate_counts(logits, batch)}.items():
        sums[key] = sums.get(key, 0.0) + float(value)


def ratios(sums: dict[str, float]) -> dict[str, float]:
    """``loss``, ``exact``, ``f1`` and ``false_change`` from summed counts."""
    return {
        "loss": sums["loss"] / sums["n"],
        "exact": sums["exact"] / sums["n"],
        "f1": 2 * sums["hits"] / max(sums["predicted"] + sums["true"], 1.0),
        "false_change": sums["false"] / max(sums["quiet"], 1.0),
    }
