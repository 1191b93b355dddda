"""Devices and processes: what a training runs on, what is refused, and how numbers of several processes become one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import lightning as L
import numpy as np
import torch
from lightning.pytorch.plugins.environments import SLURMEnvironment
from lightning.pytorch.strategies import DDPStrategy
from numpy.typing import NDArray
from torch import Tensor

from mimir_learn.errors import ConfigError

ACCELERATORS = ("auto", "cpu", "cuda", "mps")
STRATEGIES = ("auto", "ddp")


@dataclass(frozen=True)
class Devices:
    """What a run uses: ``accelerator`` (cpu, cuda or mps), ``devices`` per node, ``nodes``; one process for each device."""

    accelerator: str
    devices: int
    nodes: int

    @property
    def world(self) -> int:
        """Number of processes."""
        return self.devices * self.nodes

    @property
    def rank(self) -> int:
        """Number of this process among them; 0 writes files and speaks."""
        return rank(self.world)

    def trainer_arguments(self) -> dict[str, Any]:
        """Arguments of `lightning.Trainer`. Every parameter must get a gradient: no search for unused ones, which hides dead wiring."""
        plugins = [SLURMEnvironment(auto_requeue=False)] if self.world > 1 and SLURMEnvironment.detect() else []
        strategy = DDPStrategy(find_unused_parameters=False) if self.world > 1 else "auto"
        return {
            "accelerator": self.accelerator, "devices": self.devices, "num_nodes": self.nodes, "strategy": strategy,
            "use_distributed_sampler": False, "plugins": plugins,
        }  # fmt: skip


def rank(world: int) -> int:
    """Number of this process among ``world``, 0 where it is the only one (also inside somebody else's job)."""
    said = (os.environ[k] for k in ("RANK", "LOCAL_RANK", "SLURM_PROCID") if k in os.environ)  # as Lightning reads it
    return int(next(said, 0)) if world > 1 else 0


def check_strategy(strategy: str) -> None:
    """Raises ConfigError for a strategy that is not offered, with the reason."""
    if strategy.startswith(("fsdp", "deepspeed")):
        raise ConfigError(
            f"strategy={strategy} is not supported: it splits a model over devices, and every Δ-estimator fits on one; use strategy=ddp, "
            "which splits the batch"
        )
    if strategy not in STRATEGIES:
        raise ConfigError(f"strategy is {strategy!r}; choose one of {', '.join(STRATEGIES)}")


def devices(accelerator: str, count: int, nodes: int, strategy: str = "auto") -> Devices:
    """What to run on. Raises ConfigError where this machine has not got it, or other processes than asked for were started."""
    check_strategy(strategy)
    if accelerator not in ACCELERATORS:
        raise ConfigError(f"accelerator is {accelerator!r}; choose one of {', '.join(ACCELERATORS)}")
    has = {"cpu": os.cpu_count() or 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if accelerator == "auto":
        accelerator = next((a for a in ("cuda", "mps") if has[a]), "cpu")
    if not has[accelerator]:
        raise ConfigError(f"accelerator={accelerator}: this machine has none that torch can use; choose accelerator=cpu")
    if count > has[accelerator]:
        unit = "CPU cores" if accelerator == "cpu" else f"{accelerator} devices"
        raise ConfigError(f"devices={count}, but this machine has {has[accelerator]} {unit}; ask for at most so many")
    started = int(os.environ.get("WORLD_SIZE", "1")) if "TORCHELASTIC_RUN_ID" in os.environ else 0
    if started and started != count * nodes:
        raise ConfigError(
            f"torchrun started {started} processes, but devices={count} and nodes={nodes} make {count * nodes}; pass "
            "--devices (processes per node) and --nodes as given to torchrun"
        )
    return Devices(accelerator, count, nodes)


def once(rows: NDArray[np.int64], values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """``values`` (N, C) of the distinct ``rows`` (N,), in the order of the rows: what was counted twice to fill up a rank counts once."""
    _, first = np.unique(rows, return_index=True)
    out: NDArray[np.float64] = values[first].astype(np.float64)
    return out


def gathered(module: L.LightningModule, rows: Tensor, values: Tensor) -> NDArray[np.float64]:
    """The values (N, C) of all processes, each row once. Every process must bring equally many rows (N,)."""
    if module.trainer.world_size > 1:
        rows, values = _all(rows), _all(values)
    return once(rows.cpu().numpy(), values.float().cpu().numpy())


def _all(mine: Tensor) -> Tensor:
    """The tensors of all processes, one after the other; on their own device, since NCCL knows no other."""
    parts = [torch.empty_like(mine) for _ in range(torch.distributed.get_world_size())]
    torch.distributed.all_gather(parts, mine.contiguous())
    return torch.cat(parts)
