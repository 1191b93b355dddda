"""``mimir bench train``: how fast training is against its own step on batches that already lie in memory, and what feeding it costs.

Everything is measured in one run, real loop and resident batches in turns, so that the ratios hold on a machine that does other things
too: the loop is the very one of `fit` (Lightning, loggers, noise, prefetching); the ceiling is a bare forward, backward and optimizer
step on the batches that the loop has just used.
"""

from __future__ import annotations

import copy
import logging
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightning as L
import numpy as np
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.estimator.augment import AugmentConfig
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.criterion import criterion
from mimir_learn.estimator.data import BatchDataset, EpochBatches, EstimatorDataModule
from mimir_learn.estimator.distributed import devices
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.estimator.module import EstimatorModule
from mimir_learn.estimator.training import TrainConfig, make_trainer
from mimir_learn.evaluation.bench import _against
from mimir_learn.logs import LogDirectory

CEILING_BAR, INPUT_BAR = 0.95, 3.0
_WARM = 3  # batches of the loop before its clock starts: what was made ahead during the ceiling's turn is used up then
PEAK_BF16 = {
    "GB200": 2.5e15, "B200": 2.25e15, "H200": 989e12, "H100 PCIe": 756e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L40": 181e12,
    "L4": 121e12, "A10G": 70e12, "A10": 125e12, "RTX 4090": 165e12, "RTX 3090": 71e12,
}  # fmt: skip
"""Dense bf16 operations per second, by what the device's name contains, as its maker states them; the first match counts."""


@dataclass(frozen=True)
class TrainBenchConfig:
    """What to measure.

    Attributes:
        log_dir, cache_dir, batch_size, bf16, workers, accelerator, estimator, noise: as for `mimir train`.
        threads: torch threads.
        batches: of the loop and of the ceiling, in each of their turns.
        rounds: turns of each.
        seed: of weights, order and noise.
    """

    log_dir: str = "data/logs/demo"
    cache_dir: str | None = None
    batch_size: int = 48
    bf16: bool = True
    workers: int = 1
    accelerator: str = "auto"
    threads: int = 1
    batches: int = 12
    rounds: int = 5
    seed: int = 0
    estimator: EstimatorConfig = field(default_factory=EstimatorConfig)
    noise: AugmentConfig = field(default_factory=AugmentConfig)

    def __post_init__(self) -> None:
        for name in ("batch_size", "workers", "threads", "batches", "rounds"):
            whole(name, getattr(self, name), 1)


@dataclass(frozen=True)
class Pace:
    """Seconds per sample: on the wall, and of all cores (CPU). On a GPU only the wall tells."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class TrainBench:
    """What was measured; ``loop`` and ``ceiling`` hold one `Pace` per round, ``feed`` is the input pipeline alone in one thread."""

    device: str
    loop: tuple[Pace, ...]
    ceiling: tuple[Pace, ...]
    feed: Pace
    bytes_per_sample: float
    open_s: float
    first_step_s: float
    flops_per_sample: float
    bf16: bool

    @property
    def of_ceiling(self) -> float:
        """Median over rounds of samples/s of the loop ÷ samples/s of the ceiling, on the wall."""
        return float(np.median([c.wall / a.wall for a, c in zip(self.loop, self.ceiling, strict=True)]))

    @property
    def of_ceiling_cpu(self) -> float:
        """The same in CPU time: what it would be on one core."""
        return float(np.median([c.cpu / a.cpu for a, c in zip(self.loop, self.ceiling, strict=True)]))

    @property
    def feeds(self) -> float:
        """Samples/s the input pipeline makes on one core ÷ samples/s the step consumes: in CPU time, or of the wall where a GPU steps."""
        step = [c.cpu if self.device == "cpu" else c.wall for c in self.ceiling]
        return float(np.median(step)) / self.feed.cpu

    @property
    def mfu(self) -> float | None:
        """Model FLOP utilisation: operations that the network needs ÷ what the device could do meanwhile; None where that is unknown."""
        peak = peak_flops(self.device) if self.bf16 else None
        return None if peak is None else self.flops_per_sample / float(np.median([a.wall for a in self.loop])) / peak


def peak_flops(device: str) -> float | None:
    """Dense bf16 operations per second of a device by its name; None where that is not known."""
    return next((peak for name, peak in PEAK_BF16.items() if name in device), None)


def bench_train(config: TrainBenchConfig) -> str:
    """Measure and return the findings as text. Raises LogError and ConfigError as `fit` does."""
    found = measure(config)
    loop, ceiling = (1 / float(np.median([p.wall for p in side])) for side in (found.loop, found.ceiling))
    loop_cpu, ceiling_cpu = (1 / float(np.median([p.cpu for p in side])) for side in (found.loop, found.ceiling))
    where = f"{config.threads} thread{'s' * (config.threads > 1)}, {'bf16' if config.bf16 else 'fp32'}, batches of {config.batch_size}"
    lines = [f"Training on {found.device}, {where}; {config.rounds} rounds of {config.batches} batches:"]
    lines += [
        f"  {loop:.0f} samples per second; {ceiling:.0f} with batches that lie in memory (wall clock)",
        f"  {loop_cpu:.0f} samples per CPU second; {ceiling_cpu:.0f} with batches that lie in memory (all threads together)",
        _against("of that ceiling, wall clock", found.of_ceiling, CEILING_BAR),
        f"           {found.of_ceiling_cpu:.2f} of it in CPU time: what is left where one core feeds and steps",
        _against(
            f"times what the step consumes is what the input pipeline makes on one core ({1 / found.feed.cpu:.0f} samples per second)",
            found.feeds, INPUT_BAR,
        ),
        f"  {found.bytes_per_sample / 1e3:.0f} kB read per sample",
        f"  {found.open_s:.1f} s to open (or build) and check the sample cache, {found.first_step_s:.1f} s from there to the first step",
        f"  {found.flops_per_sample / 1e6:.0f} million floating-point operations per sample, forward and backward; "
        + ("model FLOP utilisation: unknown (" + _why(found) + ")" if found.mfu is None else f"model FLOP utilisation {found.mfu:.2%}"),
    ]  # fmt: skip
    return "\n".join(lines)


def _why(found: TrainBench) -> str:
    if found.device == "cpu":
        return "no GPU"
    return f"the peak of {found.device} is not in the table" if found.bf16 else "not bf16"


def measure(config: TrainBenchConfig) -> TrainBench:
    """Run the loop and the ceiling in turns."""
    begin = time.monotonic()
    estimator = with_vocabulary(config.estimator, LogDirectory(Path(config.log_dir)).vocabulary)
    data = EstimatorDataModule(
        config.log_dir, estimator, config.batch_size, config.seed, config.workers, config.cache_dir, config.noise, progress=True
    )
    data.setup()
    assert data.train is not None
    needed = config.rounds * (config.batches + _WARM)
    if len(data.train_rows) < config.batch_size:
        raise ConfigError(
            f"batch_size={config.batch_size} is more than the {len(data.train_rows)} samples of {config.log_dir}; make it smaller"
        )
    open_s = time.monotonic() - begin
    begin = time.monotonic()
    torch.set_num_threads(config.threads)
    L.seed_everything(config.seed, workers=True, verbose=False)
    module = EstimatorModule(estimator, seed=config.seed, total_steps=needed)
    meter = _Meter(config)
    with tempfile.TemporaryDirectory() as folder:
        train = TrainConfig(
            config.log_dir, folder, epochs=-(-needed * config.batch_size // len(data.train_rows)) + 1, batch_size=config.batch_size,
            bf16=config.bf16, accelerator=config.accelerator, progress=False, estimator=config.estimator, noise=config.noise,
        )  # fmt: skip
        logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
        trainer = make_trainer(train, devices(config.accelerator, 1, 1, "auto"), Path(folder), ModelCheckpoint(folder, save_top_k=0))
        trainer.callbacks.append(meter)  # type: ignore[attr-defined]
        trainer.limit_val_batches = 0
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*does not have many workers.*")
            trainer.fit(module, datamodule=data)
    device = (
        torch.cuda.get_device_name(trainer.strategy.root_device)
        if trainer.strategy.root_device.type == "cuda"
        else trainer.strategy.root_device.type
    )
    feed, read = _feed(data, config)
    return TrainBench(
        device,
        tuple(meter.loop),
        tuple(meter.ceiling),
        feed,
        read,
        open_s,
        meter.first - begin,
        meter.flops / config.batch_size,
        config.bf16,
    )


class _Meter(Callback):
    """Clocks turns of the loop from outside, and takes a turn of bare steps after each."""

    def __init__(self, config: TrainBenchConfig) -> None:
        self.config = config
        self.loop: list[Pace] = []
        self.ceiling: list[Pace] = []
        self.first = self.flops = 0.0
        self._done = 0
        self._start = (0.0, 0.0)
        self._kept: list[dict[str, Tensor]] = []
        self._step: Any = None

    def on_train_batch_end(self, trainer: L.Trainer, pl_module: L.LightningModule, outputs: Any, batch: Any, batch_idx: int) -> None:
        if not self.first:
            _wait(pl_module.device)
            self.first = time.monotonic()
            assert isinstance(pl_module, EstimatorModule)
            self._step = _bare(pl_module, self.config.bf16)
            with FlopCounterMode(display=False) as counter:
                self._step(batch)
            self.flops = float(counter.get_total_flops()) * self.config.batch_size / len(batch["mask"])
        if self._done >= _WARM:
            self._kept.append(batch)
        self._done += 1
        if self._done == _WARM:
            self._start = _clocks(pl_module.device)
        if self._done == _WARM + self.config.batches:
            rows = sum(len(b["mask"]) for b in self._kept)
            self.loop.append(_pace(self._start, _clocks(pl_module.device), rows))
            start = _clocks(pl_module.device)
            for kept in self._kept:
                self._step(kept)
            self.ceiling.append(_pace(start, _clocks(pl_module.device), rows))
            self._kept, self._done = [], 0
            trainer.should_stop = len(self.loop) == self.config.rounds


def _bare(module: EstimatorModule, bf16: bool) -> Any:
    """One training step and nothing else, on a copy of the network."""
    model = copy.deepcopy(module.model)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=1e-3, betas=(0.9, 0.98), fused=module.device.type in ("cpu", "cuda"))

    def step(batch: dict[str, Tensor]) -> None:
        with torch.autocast(module.device.type, torch.bfloat16, enabled=bf16):
            loss = criterion(model(batch), batch, module.weights)["loss"]
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()

    return step


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _clocks(device: torch.device) -> tuple[float, float]:
    _wait(device)
    return time.monotonic(), time.process_time()


def _pace(start: tuple[float, float], end: tuple[float, float], rows: int) -> Pace:
    return Pace((end[0] - start[0]) / rows, (end[1] - start[1]) / rows)


def _feed(data: EstimatorDataModule, config: TrainBenchConfig) -> tuple[Pace, float]:
    """The input pipeline alone, as the loader runs it; and the bytes of the cache that a sample takes."""
    assert data.train is not None
    dataset = BatchDataset(data.train, data.config, data.noise)
    keys = [k for k, _ in zip(EpochBatches(data.train_rows, config.batch_size, config.seed), range(2 * config.batches), strict=False)]
    read = sum(sum(a.nbytes for a in data.train.take(np.sort(k.rows)).values()) for k in keys) / sum(len(k.rows) for k in keys)
    start = time.monotonic(), time.process_time()
    for key in keys:
        dataset[key]
    return _pace(start, (time.monotonic(), time.process_time()), sum(len(k.rows) for k in keys)), read
