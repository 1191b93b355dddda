"""Batches for training: sample order a pure function of (seed, epoch), noise a pure function of (seed, epoch, batch)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import lightning as L
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.augment import AugmentConfig, augment
from mimir_learn.estimator.backbones.features import StoredMaps, stored_maps
from mimir_learn.estimator.batch import to_tensors
from mimir_learn.estimator.cache import SampleCache, build_cache
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.prefetch import Prefetching

VALIDATION_BATCH = 128


@dataclass(frozen=True)
class BatchKey:
    """Which rows make a batch, the seed of its noise, and what its mean loss weighs.

    ``share`` is (rows of the batch) · (batches of the optimizer step, over all processes) / (rows of the optimizer step). DDP and gradient
    accumulation average over batches; with the loss times ``share`` that average is the mean over rows, however unequal the batches.
    """

    rows: NDArray[np.int64]
    seed: tuple[int, int, int]
    share: float = 1.0


class EpochBatches(Sampler[BatchKey]):
    """Batches of an epoch; the same for the same (seed, epoch) whatever came before, so that a resumed run goes on exactly.

    Batch i of W processes takes rows [i·W·B, (i + 1)·W·B) of the epoch's order, and process r every W-th of them from the r-th on: W
    processes with batches of B see in each step the rows that one process sees with batches of W·B.

    Args:
        rows: rows of the cache, or how many there are.
        batch_size: B, per process.
        seed: of the order.
        shuffle: False keeps the order of ``rows``.
        rank, world: r and W.
        accumulate: batches per optimizer step.
        resume_at: (epoch, batch): in that epoch the batches before that one are left out.

    A process for which no row of the last batch is left gets one with share 0: it must take part in the step. Without ``shuffle``, which
    is for counting, every process gets equally many rows, the first ones again where the number does not divide.
    """

    def __init__(
        self, rows: int | NDArray[np.int64], batch_size: int, seed: int, shuffle: bool = True, rank: int = 0, world: int = 1,
        accumulate: int = 1, resume_at: tuple[int, int] = (0, 0),
    ) -> None:  # fmt: skip
        self.rows = np.arange(rows, dtype=np.int64) if isinstance(rows, int) else rows
        self.batch_size, self.seed, self.shuffle, self.rank, self.world = batch_size, seed, shuffle, rank, world
        self.accumulate, self.resume_at, self.epoch = accumulate, resume_at, 0
        if not shuffle and len(self.rows) % world:
            self.rows = np.concatenate([self.rows, np.resize(self.rows, world - len(self.rows) % world)])

    def set_epoch(self, epoch: int) -> None:
        """Called by Lightning before each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-len(self.rows) // (self.batch_size * self.world))

    def __iter__(self) -> Iterator[BatchKey]:
        order = self.rows
        if self.shuffle:
            order = self.rows[np.random.default_rng((self.seed, self.epoch)).permutation(len(self.rows))]
        together = self.batch_size * self.world
        first = self.resume_at[1] if self.epoch == self.resume_at[0] else 0
        for i in range(first, len(self)):
            begin = i - i % self.accumulate  # of the optimizer step
            end = min(begin + self.accumulate, len(self))
            in_step = min(end * together, len(order)) - begin * together
            mine = order[i * together : (i + 1) * together][self.rank :: self.world]
            share = len(mine) * self.accumulate * self.world / in_step
            yield BatchKey(mine if len(mine) else order[:1], (self.seed, self.epoch, i * self.world + self.rank), share)


class BatchDataset(Dataset[dict[str, Tensor]]):
    """Maps a `BatchKey` to a batch of tensors, with ``row`` (B,) the cache's rows and ``share`` () that of the key.

    ``maps`` of a frozen backbone take the place of the frames' colours.
    """

    def __init__(
        self, cache: SampleCache, config: EstimatorConfig, noise: AugmentConfig | None = None, maps: StoredMaps | None = None
    ) -> None:
        self.cache, self.config, self.noise, self.maps = cache, config, noise, maps

    def __getitem__(self, key: BatchKey) -> dict[str, Tensor]:
        rows = np.sort(key.rows)  # sorted: memory maps like it, and the loss does not mind
        batch = self.cache.take(rows)
        if self.maps is not None:
            batch["image_rgb"] = batch["image_rgb"][:, :, :1, :1]  # nobody looks at it: no noise for it
        if self.noise is not None:
            batch = augment(batch, self.noise, np.random.default_rng((*key.seed, 1)))
        if self.maps is not None:
            del batch["image_rgb"]
            batch |= self.maps.take(rows)
        out = to_tensors(batch, self.config.candidates + self.config.change_regions)
        return {**out, "row": torch.from_numpy(rows), "share": torch.tensor(key.share, dtype=torch.float32)}


class EstimatorDataModule(L.LightningDataModule):
    """Train and validation batches of a log.

    Args:
        log_dir: transition log with a ``train`` and a ``validation`` split.
        config: fixes the input arrays.
        batch_size, seed, workers: batch size per process; workers are processes that build the cache; loading itself is cheap and stays
            in this process.
        cache_dir: where samples are cached; None = hidden folder inside the log.
        noise: training-time noise, None for none.
        second_looks: also train on (before, action, frame after a following quiet look).
        leave_out: categories; transitions whose action names one are left out of both splits.
        episodes: of the training split only the first so many (0 = all).
        accumulate, rank, world, resume_at: see `EpochBatches`.
        progress: show a bar while the cache is built.
    """

    def __init__(
        self, log_dir: str | Path, config: EstimatorConfig, batch_size: int = 64, seed: int = 0, workers: int = 1,
        cache_dir: str | Path | None = None, noise: AugmentConfig | None = None, second_looks: bool = True,
        leave_out: Sequence[str] = (), episodes: int = 0, accumulate: int = 1, rank: int = 0, world: int = 1,
        resume_at: tuple[int, int] = (0, 0), progress: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.prepare_data_per_node = False  # nodes share a file system, and one of them builds
        self.log_dir, self.config, self.batch_size, self.seed, self.workers = Path(log_dir), config, batch_size, seed, workers
        self.cache_dir, self.noise, self.second_looks, self.leave_out = cache_dir, noise, second_looks, tuple(leave_out)
        self.episodes, self.accumulate, self.rank, self.world, self.resume_at = episodes, accumulate, rank, world, resume_at
        self.progress = progress
        self.train: SampleCache | None = None
        self.validation: SampleCache | None = None
        self.train_rows = self.validation_rows = np.zeros(0, dtype=np.int64)
        self.model: DeltaEstimator | None = None
        self.maps: dict[str, StoredMaps | None] = {}
        self.cache_s = 0.0

    def use_maps(self, model: DeltaEstimator) -> None:
        """Read a frozen backbone's maps of the frames from disk (computed once) instead of running it; no effect for other backbones."""
        self.model = model

    def prepare_data(self) -> None:
        """Open or build the caches; of several processes one does this while the others wait. Raises LogError, and ConfigError when
        nothing is left to train on."""
        if self.train is None:
            start = time.monotonic()
            self.train, self.validation = self._open("train", self.second_looks), self._open("validation", False)
            self.train_rows = kept_rows(self.train, self.leave_out, self.episodes)
            self.validation_rows = kept_rows(self.validation, self.leave_out)
            if self.model is not None:
                both = {"train": self.train, "validation": self.validation}
                self.maps = {split: stored_maps(cache, self.model, self.progress) for split, cache in both.items()}
            self.cache_s = time.monotonic() - start

    def setup(self, stage: str | None = None) -> None:
        """The same, in every process."""
        self.prepare_data()

    def _open(self, split: str, second_looks: bool) -> SampleCache:
        return build_cache(self.log_dir, split, self.config, self.cache_dir, second_looks, self.workers, self.progress)

    def train_dataloader(self) -> DataLoader[dict[str, Tensor]]:
        assert self.train is not None
        order = EpochBatches(self.train_rows, self.batch_size, self.seed, True, self.rank, self.world, self.accumulate, self.resume_at)
        return _loader(BatchDataset(self.train, self.config, self.noise, self.maps.get("train")), order)

    def val_dataloader(self) -> DataLoader[dict[str, Tensor]]:
        assert self.validation is not None
        order = EpochBatches(self.validation_rows, VALIDATION_BATCH, self.seed, False, self.rank, self.world)
        return _loader(BatchDataset(self.validation, self.config, maps=self.maps.get("validation")), order)


def _loader(batches: BatchDataset, order: EpochBatches) -> DataLoader[dict[str, Tensor]]:
    return Prefetching(batches, batch_size=None, sampler=order, pin_memory=torch.cuda.is_available())


def kept_rows(cache: SampleCache, leave_out: Sequence[str], episodes: int = 0) -> NDArray[np.int64]:
    """Rows of the first ``episodes`` (0 = all) whose action names none of the categories ``leave_out``. Raises ConfigError when none is
    left."""
    kept = np.ones(len(cache), dtype=np.bool_)
    if leave_out:
        gone = [i for i, name in enumerate(cache.categories) if name in leave_out]
        kept &= ~np.isin(cache.column("meta_acted"), gone).any(1)
    if episodes:
        kept &= cache.column("meta_episode") < episodes
    if not kept.any():
        raise ConfigError(f"leave_out={', '.join(leave_out)} leaves no transition of {cache.directory.name.split('-')[0]}; leave fewer out")
    return np.flatnonzero(kept).astype(np.int64)
