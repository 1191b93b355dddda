"""`fit`: logs → trained, calibrated, exported Δ-estimator. What `mimir train` and ``train.py`` call."""

from __future__ import annotations

import json
import logging
import time
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint, RichProgressBar
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from torch.utils.data import DataLoader

from mimir_learn.checks import chance, not_negative, positive, whole
from mimir_learn.errors import ConfigError, LogError
from mimir_learn.estimator.augment import AugmentConfig
from mimir_learn.estimator.cache import build_cache
from mimir_learn.estimator.calibration import Calibration, calibrate
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.criterion import LossWeights, criterion
from mimir_learn.estimator.data import BatchDataset, EpochBatches, EstimatorDataModule
from mimir_learn.estimator.export import save_pretrained, weights_sha256, with_vocabulary
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.module import EstimatorModule, add_counts, ratios
from mimir_learn.estimator.resume import check_recipe, open_checkpoint, read_checkpoint, recipe, write_recipe
from mimir_learn.logs import LogDirectory, fingerprint


@dataclass(frozen=True)
class TrainConfig:
    """Everything a training run depends on.

    Attributes:
        log_dir: transition log with train, validation and calibration houses.
        out_dir: gets ``model/`` (the export), ``checkpoints/`` (best and last), ``logs/`` (TensorBoard, CSV),
            ``recipe.json`` (what the run was begun with), ``train.json``.
        epochs, batch_size, lr, weight_decay, warmup: AdamW with a cosine schedule; warmup is a share of all steps.
        clip: largest gradient norm (0 = no limit).
        seed: of weights, sample order and noise.
        threads: torch threads; 0 = measure one against two on a real batch and keep the faster.
        bf16: autocast matrix products and convolutions to bfloat16; softmax, loss and calibration stay in fp32.
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
    progress: bool = True
    estimator: EstimatorConfig = field(default_factory=EstimatorConfig)
    noise: AugmentConfig = field(default_factory=AugmentConfig)
    loss: LossWeights = field(default_factory=LossWeights)

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "workers"):
            whole(name, getattr(self, name), 1)
        for name in ("threads", "seed"):
            whole(name, getattr(self, name), 0)
        if self.seed >= 1 << 32:
            raise ConfigError(f"seed={self.seed} must be below 2**32")
        positive("lr", self.lr)
        for name in ("weight_decay", "clip", "max_minutes"):
            not_negative(name, getattr(self, name))
        chance("warmup", self.warmup, below_one=True)
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


class _StopAfter(Callback):
    """Ends training at the first epoch border after ``minutes``."""

    def __init__(self, minutes: float) -> None:
        self.minutes, self.start = minutes, time.monotonic()

    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        if time.monotonic() - self.start > 60 * self.minutes:
            trainer.should_stop = True


def fit(config: TrainConfig) -> TrainSummary:
    """Train, keep the weights with the lowest validation loss, calibrate on the calibration split if the log has one, and export.

    Raises LogError (missing or damaged log or split), ConfigError (out_dir in use or no folder, nothing to resume, other
    settings than the run was begun with), CheckpointError (the checkpoint to resume is damaged).
    """
    start, cpu = time.monotonic(), time.process_time()
    out = Path(config.out_dir)
    kept = [p for p in (out / "checkpoints" / "last.ckpt", out / "checkpoints" / "best.ckpt") if p.exists()]
    if config.resume and not kept:
        raise ConfigError(f"resume: {out / 'checkpoints' / 'last.ckpt'} does not exist; train without resume first")
    if not config.resume and kept:
        raise ConfigError(f"{out} already holds a run; pass resume=true to go on with it, or another out_dir")
    vocabulary = LogDirectory(Path(config.log_dir)).vocabulary
    begun = recipe(asdict(config), fingerprint(config.log_dir))
    if config.resume:
        check_recipe(out, begun)
    resumed = open_checkpoint(kept[0]) if config.resume else None
    _make(out)
    estimator = with_vocabulary(config.estimator, vocabulary)
    data = EstimatorDataModule(
        config.log_dir, estimator, config.batch_size, config.seed, config.workers, config.cache_dir, config.noise, config.second_looks
    )
    data.setup()
    cache_s = time.monotonic() - start
    assert data.train is not None
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    L.seed_everything(config.seed, workers=True, verbose=False)
    module = EstimatorModule(estimator, config.lr, config.weight_decay, config.warmup, config.loss)
    threads = config.threads or choose_threads(module.model, data, config.bf16)
    torch.set_num_threads(threads)
    print(f"training on {len(data.train)} transitions, torch threads: {threads}, sample cache took {cache_s:.0f} s", flush=True)
    best = ModelCheckpoint(out / "checkpoints", "best", monitor="val/loss", mode="min", save_last=True, enable_version_counter=False)
    callbacks: list[Callback] = [best]
    callbacks += [RichProgressBar()] if config.progress else []
    callbacks += [_StopAfter(config.max_minutes)] if config.max_minutes else []
    loggers = [TensorBoardLogger(out / "logs", "tensorboard"), CSVLogger(out / "logs", "csv")]
    trainer = L.Trainer(
        accelerator="cpu", devices=1, max_epochs=config.epochs, precision="bf16-mixed" if config.bf16 else "32-true",
        gradient_clip_val=config.clip, callbacks=callbacks, logger=loggers,
        enable_progress_bar=config.progress, enable_model_summary=False, log_every_n_steps=20, num_sanity_val_steps=0,
    )  # fmt: skip
    if not config.resume:
        write_recipe(out, begun)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")  # loading is a memory-map read
        trainer.fit(module, datamodule=data, ckpt_path=resumed)
    model, numbers = _best_weights(Path(best.best_model_path), module, data)
    target = save_pretrained(model, out / "model")
    calibration = _calibrate(model, config, target)
    summary = TrainSummary(
        str(target), weights_sha256(target), len(data.train), trainer.current_epoch, trainer.global_step,
        sum(p.numel() for p in model.parameters()), threads, cache_s, time.monotonic() - start, time.process_time() - cpu, numbers,
        dict(calibration.temperature) if calibration is not None else {},
    )  # fmt: skip
    (out / "train.json").write_text(json.dumps({"config": asdict(config), "summary": asdict(summary)}, indent=2) + "\n")
    return summary


def _make(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise ConfigError(f"out_dir={out} cannot be made ({e.strerror or e}); choose another, or move away what is in its place") from e


def _best_weights(path: Path, module: EstimatorModule, data: EstimatorDataModule) -> tuple[DeltaEstimator, dict[str, float]]:
    """The best checkpoint's model and its validation numbers (the current weights if no validation ran)."""
    if path.is_file():
        module.load_state_dict(read_checkpoint(path)["state_dict"], strict=True)
    module.eval()
    sums: dict[str, float] = {}
    with torch.no_grad():
        for batch in data.val_dataloader():
            add_counts(sums, module.model(batch), batch, module.weights)
    return module.model, ratios(sums)


def _calibrate(model: DeltaEstimator, config: TrainConfig, target: Path) -> Calibration | None:
    try:
        cache = build_cache(config.log_dir, "calibration", model.config, config.cache_dir, False, config.workers)
    except LogError as e:
        print(f"not calibrated: {e}", flush=True)
        return None
    order = EpochBatches(len(cache), 128, 0, shuffle=False)
    return calibrate(model, DataLoader(BatchDataset(cache, model.config), batch_size=None, sampler=order), target)


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
