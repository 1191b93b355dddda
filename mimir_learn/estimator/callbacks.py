"""What happens beside a training step: its losses are logged, checkpoints are written now and then, and time runs out."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import lightning as L
import torch
from lightning.fabric.plugins import TorchCheckpointIO
from lightning.pytorch.callbacks import Callback, Checkpoint
from torch import Tensor


class StepLog(Callback):
    """Logs ``train/…``, means over all rows of an optimizer step (of its batches in all processes), and ``lr``, every ``every`` steps.

    Sums are reduced over processes, never means: ranks with unequal batches would count unequally.
    """

    def __init__(self, every: int = 20) -> None:
        self.every = every
        self.sums: Tensor | None = None
        self.before = 0  # optimizer steps taken before the present one

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        self.before = trainer.global_step

    def on_train_batch_end(self, trainer: L.Trainer, pl_module: L.LightningModule, outputs: Any, batch: Any, batch_idx: int) -> None:
        parts: dict[str, Tensor] = outputs["parts"]
        weight = outputs["share"] / (trainer.accumulate_grad_batches * trainer.world_size)
        here = torch.stack([v.float() for v in parts.values()]) * weight
        self.sums = here if self.sums is None else self.sums + here
        if trainer.global_step == self.before:  # the optimizer step goes on
            return
        sums, self.sums, self.before = self.sums, None, trainer.global_step
        step = trainer.global_step - 1
        if step % self.every:
            return
        if trainer.world_size > 1:
            sums = trainer.strategy.reduce(sums, reduce_op="sum")
        row = {f"train/{k}": float(v) for k, v in zip(parts, sums.tolist(), strict=True)}
        for logger in trainer.loggers:
            logger.log_metrics({**row, "lr": trainer.optimizers[0].param_groups[0]["lr"]}, step=step)


class Periodic(Checkpoint):
    """Writes the checkpoint ``path`` every ``every`` optimizer steps, between two of them: no gradient is half gathered then.

    Not after the last batch of an epoch, whose validation and own checkpoint come next. What was logged is on disk before the checkpoint
    is: a run that is killed later misses no step that is not run again.
    """

    def __init__(self, path: Path, every: int) -> None:
        self.path, self.every = path, every

    def on_train_batch_end(self, trainer: L.Trainer, pl_module: L.LightningModule, outputs: Any, batch: Any, batch_idx: int) -> None:
        done = batch_idx + 1
        if done % trainer.accumulate_grad_batches or done >= trainer.num_training_batches or trainer.global_step % self.every:
            return
        for logger in trainer.loggers:
            logger.save()
        trainer.save_checkpoint(self.path)


class StopAfter(Callback):
    """Ends training at the first epoch border after ``minutes``, in all processes at the same one."""

    def __init__(self, minutes: float) -> None:
        self.minutes, self.start = minutes, time.monotonic()

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        late = time.monotonic() - self.start > 60 * self.minutes
        if trainer.strategy.reduce_boolean_decision(late, all=False):
            trainer.should_stop = True


class AtomicCheckpoints(TorchCheckpointIO):
    """Writes a checkpoint beside its place, then moves it there: whoever is killed while writing leaves the last good one."""

    def save_checkpoint(self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None) -> None:
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.{os.getpid()}")
        with partial.open("wb") as file:
            torch.save(checkpoint, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)


def clear_partial(folder: Path) -> None:
    """Remove what killed writers of `AtomicCheckpoints` have left in ``folder``."""
    for path in folder.glob(".*.ckpt.*"):
        path.unlink(missing_ok=True)
