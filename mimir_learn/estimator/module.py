"""Lightning module: optimiser, schedule and validation numbers around `DeltaEstimator` and `criterion`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import lightning as L
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.criterion import LossWeights, criterion
from mimir_learn.estimator.distributed import gathered, once
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.schedule import factor

COUNTS = ("loss", "hits", "predicted", "true", "exact", "quiet", "false")


class EstimatorModule(L.LightningModule):
    """Trains a `DeltaEstimator`. Raises ConfigError at the first optimizer step whose loss or gradient is not finite, in all processes.

    Whatever is random in a step (dropout) is drawn from (seed, epoch, batch), not from what came before, so that a resumed run draws the
    same. Validation counts each transition of the split once, whichever process saw it (and how often), and sums before any ratio is
    taken: ``val/loss`` (the criterion per transition), ``val/exact`` (every candidate's facts right), ``val/f1`` (micro, changed facts of
    the candidates; `metrics.score` on the decoded Δ is the number to report), ``val/false_change`` (on transitions in which no candidate
    changes).
    """

    def __init__(
        self, config: EstimatorConfig, lr: float = 2e-3, weight_decay: float = 0.02, warmup: float = 0.05,
        weights: LossWeights | None = None, total_steps: int | None = None, schedule: str = "cosine", seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.model = DeltaEstimator(config)
        self.lr, self.weight_decay, self.warmup, self.total_steps = lr, weight_decay, warmup, total_steps
        self.weights, self.schedule, self.seed = weights or LossWeights(), schedule, seed
        self.save_hyperparameters({"estimator": config.to_dict(), "lr": lr, "weight_decay": weight_decay, "loss": self.weights.to_dict()})
        self.position = (0, 0)  # (epoch, batch) that comes next
        self.run: dict[str, Any] = {}  # what this run is done with; kept in its checkpoints
        self._loss: Tensor | float = 0.0  # of the batches since the last optimizer step
        self._seen: list[tuple[Tensor, Tensor]] = []

    def setup(self, stage: str) -> None:
        data = getattr(self.trainer, "datamodule", None)
        if self.weights.prior == "effective" and not self.weights.parent_counts and data is not None:
            keys = ("y_parent", "y_attr", "mask", "movable", "attr_mask")
            self.weights = self.weights.counted({k: data.train.column(k)[data.train_rows] for k in keys})

    def training_step(self, batch: dict[str, Tensor], batch_idx: int) -> dict[str, Any]:
        torch.manual_seed(step_seed(self.seed, self.current_epoch, batch_idx * self.trainer.world_size + self.global_rank))
        losses = criterion(self.model(batch), batch, self.weights)
        self.position = (self.current_epoch, batch_idx + 1)
        self._loss = self._loss + losses["loss"].detach() / self.trainer.accumulate_grad_batches
        self.log("loss", losses["loss"].detach(), prog_bar=True, logger=False, batch_size=batch["mask"].shape[0])
        return {"loss": losses["loss"] * batch["share"], "parts": {k: v.detach() for k, v in losses.items()}, "share": batch["share"]}

    def on_train_epoch_end(self) -> None:
        self.position = (self.current_epoch + 1, 0)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint["run"] = {**self.run, "position": list(self.position)}

    def on_validation_epoch_start(self) -> None:
        self._seen = []

    def validation_step(self, batch: dict[str, Tensor], batch_idx: int) -> None:
        self._seen.append((batch["row"], row_counts(self.model(batch), batch, self.weights)))

    def on_validation_epoch_end(self) -> None:
        if self._seen:
            table = gathered(self, torch.cat([r for r, _ in self._seen]), torch.cat([c for _, c in self._seen]))
            self.log_dict({f"val/{k}": v for k, v in ratios(table).items()}, prog_bar=True)
            self._seen = []

    def configure_gradient_clipping(
        self, optimizer: torch.optim.Optimizer, gradient_clip_val: float | None = None, gradient_clip_algorithm: str | None = None
    ) -> None:
        # Lightning refuses to clip for a fused optimiser under autocast, as if gradients were scaled; bfloat16's are not
        trained = [p for group in optimizer.param_groups for p in group["params"]]
        norm = torch.nn.utils.clip_grad_norm_(trained, gradient_clip_val or float("inf"))
        loss, self._loss = float(self._loss), 0.0
        bad = not (math.isfinite(float(norm)) and math.isfinite(loss))
        if self.trainer.world_size > 1:  # all processes end at the same step, or none: one alone would leave the others waiting
            bad = self.trainer.strategy.reduce_boolean_decision(bad, all=False)
        if bad:
            raise ConfigError(
                f"training diverged at step {self.trainer.global_step + 1}: its loss is {loss:g}, its gradient norm {float(norm):g}, and "
                f"nothing was exported; train again in another out_dir with a smaller lr (it was {self.lr:g}) and a limit on the gradient "
                f"(clip was {gradient_clip_val or 0:g}; 1 is usual)"
            )

    def configure_optimizers(self) -> Any:
        trained = [p for p in self.parameters() if p.requires_grad]
        decay, rest = [p for p in trained if p.dim() > 1], [p for p in trained if p.dim() <= 1]
        groups = [{"params": decay, "weight_decay": self.weight_decay}, {"params": rest, "weight_decay": 0.0}]
        optimiser = torch.optim.AdamW(groups, lr=self.lr, betas=(0.9, 0.98), fused=all(p.device.type in ("cpu", "cuda") for p in trained))
        total = self.total_steps or int(self.trainer.estimated_stepping_batches)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, factor(self.schedule, total, self.warmup))
        return {"optimizer": optimiser, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


def step_seed(seed: int, epoch: int, batch: int) -> int:
    """Seed of what a training step draws at random."""
    return int(np.random.SeedSequence((seed, epoch, batch, 2)).generate_state(1, np.uint64)[0] >> 1)


def row_counts(logits: dict[str, Tensor], batch: dict[str, Tensor], weights: LossWeights) -> Tensor:
    """(B, 7) in the order of `COUNTS`, facts of the offered candidates only: the loss; changed facts hit, predicted, true; whether the
    transition is exactly right; whether nothing changes in it, and whether a change is claimed nevertheless."""
    movable = batch["movable"] & batch["mask"]
    applies = batch["attr_mask"] & batch["mask"][..., None]
    said_p, said_a = logits["parent"].argmax(-1) * movable, logits["attr"].argmax(-1) * applies
    true_p, true_a = batch["y_parent"] * movable, batch["y_attr"] * applies
    said = torch.cat([said_p, said_a.flatten(1)], 1)
    true = torch.cat([true_p, true_a.flatten(1)], 1)
    quiet = (true == 0).all(1)
    hits, exact = ((said == true) & (true != 0)).sum(1), (said == true).all(1)
    loss = criterion(logits, batch, weights, reduction="none")["loss"]
    columns = (loss, hits, (said != 0).sum(1), (true != 0).sum(1), exact, quiet, quiet & (said != 0).any(1))
    return torch.stack([c.float() for c in columns], 1)


def ratios(table: NDArray[np.float64]) -> dict[str, float]:
    """``loss``, ``exact``, ``f1`` and ``false_change`` from the `row_counts` of all transitions, (N, 7)."""
    total = dict(zip(COUNTS, table.sum(0).tolist(), strict=True))
    return {
        "loss": total["loss"] / len(table),
        "exact": total["exact"] / len(table),
        "f1": 2 * total["hits"] / max(total["predicted"] + total["true"], 1.0),
        "false_change": total["false"] / max(total["quiet"], 1.0),
    }


@torch.no_grad()
def validate(model: DeltaEstimator, batches: Iterable[dict[str, Tensor]], weights: LossWeights) -> dict[str, float]:
    """The numbers of `EstimatorModule`'s validation for ``model`` (put into eval mode), in this process alone."""
    model.eval()
    seen = [(batch["row"], row_counts(model(batch), batch, weights)) for batch in batches]
    return ratios(once(torch.cat([r for r, _ in seen]).numpy(), torch.cat([c for _, c in seen]).numpy()))
