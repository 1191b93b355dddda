"""`fit`: logs → trained, calibrated, exported Δ-estimator. What `mimir train` and ``train.py`` call."""

from __future__ import annotations

import json
import logging
import time
import warnings
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint, RichProgressBar
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger

from mimir_learn.checks import chance, not_negative, positive, whole
from mimir_learn.errors import CheckpointError, ConfigError, LogError
from mimir_learn.estimator.augment import AugmentConfig
from mimir_learn.estimator.calibrating import calibrate_all
from mimir_learn.estimator.calibration import Calibration
from mimir_learn.estimator.callbacks import AtomicCheckpoints, Periodic, StepLog, StopAfter, clear_partial
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.criterion import LossWeights, criterion
from mimir_learn.estimator.data import EstimatorDataModule
from mimir_learn.estimator.distributed import Devices, check_strategy, devices
from mimir_learn.estimator.ema import Ema
from mimir_learn.estimator.export import save_pretrained, weights_sha256, with_vocabulary
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.module import EstimatorModule, validate
from mimir_learn.estimator.resume import check_recipe, open_checkpoint, position, read_checkpoint, recipe, write_recipe
from mimir_learn.estimator.schedule import SCHEDULES
from mimir_learn.estimator.writing import write_whole
from mimir_learn.logs import LogDirectory, fingerprint
from mimir_learn.logs.locks import only_one
from mimir_learn.symbols import Vocabulary


@dataclass(frozen=True)
class TrainConfig:
    """Everything a training run depends on.

    Attributes:
        log_dir: transition log with train, validation and calibration houses.
        out_dir: gets ``model/`` (the export), ``checkpoints/`` (best and last), ``logs/`` (TensorBoard, CSV),
            ``recipe.json`` (what the run was begun with), ``train.json``.
        epochs, batch_size, lr, weight_decay: of AdamW; the batch size is that of one device.
        schedule, warmup: ``cosine`` or ``one_cycle``; warmup is the share of all steps in which the rate rises.
        accumulate: batches per optimizer step. A step sees batch_size · accumulate · devices · nodes transitions, each with equal weight.
        clip: largest gradient norm (0 = no limit).
        ema: decay of the moving average of the weights that is validated, kept and exported instead of the weights (0 = none; 0.999).
        seed: of weights, sample order and noise.
        threads: torch threads; 0 = measure one against two on a real batch and keep the faster.
        bf16: autocast matrix products and convolutions to bfloat16; softmax, loss and calibration stay in fp32.
        compile: ``torch.compile`` the network, in place (takes minutes at first; pays on a GPU).
        accelerator: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        devices, nodes: devices per node, and nodes; one process each (DDP). ``mimir train --devices 4`` starts the processes of one node
            itself; several nodes are started by torchrun or SLURM, see docs/training.md.
        strategy: ``auto`` or ``ddp``: the same here. FSDP and DeepSpeed are refused: the model fits on one device.
        checkpoint_every: also write ``last.ckpt`` every so many optimizer steps (0 = after each epoch only).
        leave_out: categories never trained on; transitions whose action names one are left out of training and validation.
        episodes: train on the first so many episodes of the training split only (0 = all).
        workers: processes that build the sample cache.
        cache_dir: where samples are cached; None = hidden folder inside the log.
        second_looks: also train on after-frames taken one quiet ``look`` later.
        max_minutes: stop after the epoch in which this much time has passed (0 = no limit); the best weights so far are exported.
        resume: go on from ``checkpoints/last.ckpt`` (``best.ckpt`` if that is gone); settings that decide the weights must be those the
            run was begun with.
        progress: show a progress bar.
        estimator, noise, loss: see their classes.
    """

    log_dir: str = "data/logs/demo"
    out_dir: str = "runs/train"
    epochs: int = 12
    batch_size: int = 48
    lr: float = 2e-3
    weight_decay: float = 0.02
    warmup: float = 0.05
    clip: float = 1.0
    seed: int = 0
    threads: int = 0
    bf16: bool = False
    workers: int = 1
    cache_dir: str | None = None
    second_looks: bool = True
    max_minutes: float = 0.0
    resume: bool = False
    accelerator: str = "auto"
    devices: int = 1
    strategy: str = "auto"
    nodes: int = 1
    accumulate: int = 1
    ema: float = 0.0
    schedule: str = "cosine"
    compile: bool = False
    checkpoint_every: int = 0
    leave_out: tuple[str, ...] = ()
    episodes: int = 0
    progress: bool = True
    estimator: EstimatorConfig = field(default_factory=EstimatorConfig)
    noise: AugmentConfig = field(default_factory=AugmentConfig)
    loss: LossWeights = field(default_factory=LossWeights)

    def __post_init__(self) -> None:
        object.__setattr__(self, "leave_out", tuple(self.leave_out))
        for name in ("epochs", "batch_size", "workers", "devices", "nodes", "accumulate"):
            whole(name, getattr(self, name), 1)
        for name in ("threads", "seed", "checkpoint_every", "episodes"):
            whole(name, getattr(self, name), 0)
        if self.seed >= 1 << 32:
            raise ConfigError(f"seed={self.seed} must be below 2**32")
        positive("lr", self.lr)
        for name in ("weight_decay", "clip", "max_minutes"):
            not_negative(name, getattr(self, name))
        chance("warmup", self.warmup, below_one=True)
        chance("ema", self.ema, below_one=True)
        check_strategy(self.strategy)
        if self.schedule not in SCHEDULES:
            raise ConfigError(f"schedule is {self.schedule!r}; choose one of {', '.join(SCHEDULES)}")
        if not self.out_dir:
            raise ConfigError("out_dir is empty; give the name of a folder")


@dataclass(frozen=True)
class TrainSummary:
    """What a run came to; also written to ``train.json``.

    ``checkpoint`` is the exported folder; ``best`` the validation numbers of the exported weights.
    """

    checkpoint: str
    weights_sha256: str
    transitions: int
    epochs: int
    steps: int
    parameters: int
    threads: int
    cache_s: float
    wall_s: float
    cpu_s: float
    best: dict[str, float]
    temperature: dict[str, float]


def fit(config: TrainConfig) -> TrainSummary:
    """Train, keep the weights with the lowest validation loss, calibrate on the calibration split if the log has one, and export.

    With several devices every process runs this; process 0 alone writes, the others return its summary.

    Raises LogError (missing or damaged log or split), ConfigError (out_dir holds a run, is being trained into by another process or is no
    folder, nothing to resume, other settings than the run was begun with, devices that are not there, a loss or gradient that is not
    finite), CheckpointError (the checkpoint to resume is damaged, weights that are not finite).
    """
    out = Path(config.out_dir)
    use = devices(config.accelerator, config.devices, config.nodes, config.strategy)
    _kept(config)
    vocabulary = LogDirectory(Path(config.log_dir)).vocabulary
    if unknown := sorted(set(config.leave_out) - set(vocabulary.categories)):
        raise ConfigError(f"leave_out names {', '.join(unknown)}, which {config.log_dir} does not know; name categories of its vocabulary")
    _make(out)
    with only_one(out, "training", ConfigError) if use.rank == 0 else nullcontext():
        return _fit(config, use, vocabulary)


def _kept(config: TrainConfig) -> list[Path]:
    """The checkpoints to resume from. Raises ConfigError where there are none, or some although the run is a new one."""
    out = Path(config.out_dir)
    kept = [p for p in (out / "checkpoints" / "last.ckpt", out / "checkpoints" / "best.ckpt") if p.exists()]
    if config.resume and not kept:
        raise ConfigError(f"resume: {out / 'checkpoints' / 'last.ckpt'} does not exist; train without resume first")
    if not config.resume and kept:
        raise ConfigError(f"{out} already holds a run; pass resume=true to go on with it, or another out_dir")
    return kept


def _fit(config: TrainConfig, use: Devices, vocabulary: Vocabulary) -> TrainSummary:
    start, cpu = time.monotonic(), time.process_time()
    out, kept = Path(config.out_dir), _kept(config)  # once more: another process may have trained here until now
    begun = recipe(asdict(config), fingerprint(config.log_dir))
    if config.resume:
        check_recipe(out, begun)
    resumed = open_checkpoint(kept[0]) if config.resume else None
    before = read_checkpoint(resumed).get("run", {}) if resumed else {}
    estimator = with_vocabulary(config.estimator, vocabulary)
    data = EstimatorDataModule(
        config.log_dir, estimator, config.batch_size, config.seed, config.workers, config.cache_dir, config.noise, config.second_looks,
        config.leave_out, config.episodes, config.accumulate, use.rank, use.world, position({"run": before}), config.progress,
    )  # fmt: skip
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)
    L.seed_everything(config.seed, workers=True, verbose=False)
    module = EstimatorModule(
        estimator, config.lr, config.weight_decay, config.warmup, config.loss, schedule=config.schedule, seed=config.seed
    )  # fmt: skip
    data.use_maps(module.model)
    if use.world == 1:
        data.setup()
    threads = config.threads or before.get("threads") or (choose_threads(module.model, data, config.bf16) if use.world == 1 else 1)
    torch.set_num_threads(threads)
    module.run = {"threads": threads, "accelerator": use.accelerator, "compile": config.compile}
    _say_what_changed(before, module.run)
    if config.compile:
        module.model.compile()  # in place: the names of the weights stay what they are
    if use.rank == 0:
        clear_partial(out / "checkpoints")
        if not config.resume:
            write_recipe(out, begun)
    best = ModelCheckpoint(out / "checkpoints", "best", monitor="val/loss", mode="min", save_last=True, enable_version_counter=False)
    trainer = make_trainer(config, use, out, best)
    with warnings.catch_warnings():
        for known in (
            ".*does not have many workers.*",  # loading is a memory-map read
            ".*ended before the epoch ended.*",  # the batches already seen are left out by `EpochBatches`
            ".*sync_dist=True.*",  # validation numbers are those of all processes already
            ".*exists and is not empty.*",  # a resumed run's
            ".*smaller than the logging interval.*",  # `StepLog` logs
            ".*LeafSpec.*",  # Lightning's own
            ".*eval mode at the start.*",  # frozen backbones stay there
        ):
            warnings.filterwarnings("ignore", message=known)
        trainer.fit(module, datamodule=data, ckpt_path=resumed, weights_only=True)
    failed: Exception | None = None
    if use.rank == 0:
        try:
            model, numbers = _best_weights(Path(best.best_model_path), module, data)
            target = save_pretrained(model, out / "model")
            calibration = _calibrate(config, target)
            summary = TrainSummary(
                str(target), weights_sha256(target), len(data.train_rows), trainer.current_epoch, trainer.global_step,
                sum(p.numel() for p in model.parameters()), threads, data.cache_s, time.monotonic() - start, time.process_time() - cpu,
                numbers, dict(calibration.temperature) if calibration is not None else {},
            )  # fmt: skip
            body = json.dumps({"config": asdict(config), "summary": asdict(summary)}, indent=2)
            write_whole(out / "train.json", body + "\n")
        except Exception as e:
            failed = e
    # the others wait here; they hear of it when process 0 fails, else they would wait for ever
    said = trainer.strategy.broadcast(None if failed is None else f"{type(failed).__name__}: {failed}")
    if failed is not None:
        raise failed
    if said is not None:
        raise CheckpointError(f"process 0 could not export the run ({said})")
    return TrainSummary(**json.loads((out / "train.json").read_text())["summary"])


def make_trainer(config: TrainConfig, use: Devices, out: Path, best: ModelCheckpoint) -> L.Trainer:
    """The loop that `fit` runs, with what it logs and keeps under ``out``; ``best`` is the callback that keeps the best weights."""
    callbacks: list[Callback] = [StepLog(), _Greeting(config, use)]
    callbacks += [Ema(config.ema)] if config.ema else []
    callbacks += [RichProgressBar()] if config.progress else []
    callbacks += [StopAfter(config.max_minutes)] if config.max_minutes else []
    callbacks += [best, Periodic(out / "checkpoints" / "last.ckpt", config.checkpoint_every)] if config.checkpoint_every else [best]
    chosen = use.trainer_arguments()
    return L.Trainer(
        **{**chosen, "plugins": [*chosen["plugins"], AtomicCheckpoints()]}, default_root_dir=out, max_epochs=config.epochs,
        precision="bf16-mixed" if config.bf16 else "32-true", accumulate_grad_batches=config.accumulate, gradient_clip_val=config.clip,
        callbacks=callbacks, logger=[TensorBoardLogger(out / "logs", "tensorboard"), CSVLogger(out / "logs", "csv")],
        enable_progress_bar=config.progress, enable_model_summary=False, log_every_n_steps=20, num_sanity_val_steps=0,
    )  # fmt: skip


class _Greeting(Callback):
    """Says once what is trained on."""

    def __init__(self, config: TrainConfig, use: Devices) -> None:
        self.config, self.use = config, use

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        if trainer.is_global_zero:
            data, rows = trainer.datamodule, self.config.batch_size * self.config.accumulate * self.use.world  # type: ignore[attr-defined]
            print(
                f"training on {len(data.train_rows)} transitions, {rows} a step, on {self.use.world} × {self.use.accelerator}, "
                f"torch threads: {torch.get_num_threads()}, sample cache took {data.cache_s:.0f} s", flush=True,
            )  # fmt: skip


def _say_what_changed(before: dict[str, Any], now: dict[str, Any]) -> None:
    changed = [f"{k} was {before[k]}, now {now[k]}" for k in now if k in before and before[k] != now[k]]
    if changed:
        print(f"resumed with {'; '.join(changed)}: the same samples in the same order, but not bit for bit the same weights", flush=True)


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise ConfigError(f"out_dir={out} cannot be made ({e.strerror or e}); choose another, or move away what is in its place") from e


def _best_weights(path: Path, module: EstimatorModule, data: EstimatorDataModule) -> tuple[DeltaEstimator, dict[str, float]]:
    """The best checkpoint's weights (the current ones if no validation ran) in a network made from the config alone, and its validation
    numbers over the whole split. A compiled or wrapped network would leave its traces in the names."""
    weights = dict(module.model.state_dict())
    if path.is_file():
        weights = {k.removeprefix("model."): v for k, v in read_checkpoint(path)["state_dict"].items()}
    model = DeltaEstimator(module.model.config, pretrained=False)
    if odd := sorted(set(weights) ^ set(model.state_dict())):
        raise CheckpointError(f"{path}: {len(odd)} weights too many or too few for the network of this run's config ({', '.join(odd[:5])})")
    model.load_state_dict(weights, strict=True)
    data.rank, data.world = 0, 1
    return model, validate(model, data.val_dataloader(), module.weights)


def _calibrate(config: TrainConfig, target: Path) -> Calibration | None:
    try:
        return calibrate_all(target, config.log_dir, workers=config.workers)
    except LogError as e:
        print(f"not calibrated: {e}", flush=True)
        return None


def choose_threads(model: DeltaEstimator, data: EstimatorDataModule, bf16: bool = False, seconds: float = 1.0) -> int:
    """1 or 2 torch threads, whichever takes fewer wall seconds for a training step right now.

    On shared cores two OpenMP threads that wait for each other can be many times slower than one, so two must win clearly.
    """
    batch = next(iter(data.train_dataloader()))
    speed: dict[int, float] = {}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        times: list[float] = []
        begin = time.monotonic()
        while len(times) < 2 or time.monotonic() - begin < seconds:
            t = time.monotonic()
            with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
                loss = criterion(model(batch), batch)["loss"]
            loss.backward()
            times.append(time.monotonic() - t)
        speed[threads] = sorted(times)[len(times) // 2]
    model.zero_grad(set_to_none=True)
    return 2 if speed[2] < 0.85 * speed[1] else 1
