"""Batches for training: sample order a pure function of (seed, epoch), noise a pure function of (seed, epoch, batch)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lightning as L
import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from mimir_learn.estimator.augment import AugmentConfig, augment
from mimir_learn.estimator.batch import to_tensors
from mimir_learn.estimator.cache import SampleCache, build_cache
from mimir_learn.estimator.config import EstimatorConfig


@dataclass(frozen=True)
class BatchKey:
    """Which rows make a batch, and the seed of its noise."""

    rows: NDArray[np.int64]
    seed: tuple[int, int, int]


class EpochBatches(Sampler[BatchKey]):
    """Batches of a shuffled epoch; the same for the same (seed, epoch) whatever came before, so a resumed run goes on exactly."""

    def __init__(self, length: int, batch_size: int, seed: int, shuffle: bool = True) -> None:
        self.length, self.batch_size, self.seed, self.shuffle, self.epoch = length, batch_size, seed, shuffle, 0

    def set_epoch(self, epoch: int) -> None:
        """Called by Lightning before each epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return -(-self.length // self.batch_size)

    def __iter__(self) -> Iterator[BatchKey]:
        order = np.arange(self.length)
        if self.shuffle:
            order = np.random.default_rng((self.seed, self.epoch)).permutation(self.length)
        for i in range(len(self)):
            yield BatchKey(order[i * self.batch_size : (i + 1) * self.batch_size], (self.seed, self.epoch, i))


class BatchDataset(Dataset[dict[str, Tensor]]):
    """Maps a `BatchKey` to a batch of tensors."""

    def __init__(self, cache: SampleCache, config: EstimatorConfig, noise: AugmentConfig | None = None) -> None:
        self.cache, self.config, self.noise = cache, config, noise

    def __getitem__(self, key: BatchKey) -> dict[str, Tensor]:
        batch = self.cache.take(np.sort(key.rows))  # sorted: memory maps like it, and the loss does not mind
        if self.noise is not None:
            batch = augment(batch, self.noise, np.random.default_rng((*key.seed, 1)))
        return to_tensors(batch, self.config.candidates + self.config.change_regions)


class EstimatorDataModule(L.LightningDataModule):
    """Train and validation batches of a log.

    Args:
        log_dir: transition log with a ``train`` and a ``validation`` split.
        config: fixes the input arrays.
        batch_size, seed, workers: workers are processes that build the cache; loading itself is cheap and stays in this process.
        cache_dir: where samples are cached; None = hidden folder inside the log.
        noise: training-time noise, None for none.
        second_looks: also train on (before, action, frame after a following quiet look).
    """

    def __init__(
        self, log_dir: str | Path, config: EstimatorConfig, batch_size: int = 64, seed: int = 0, workers: int = 1,
        cache_dir: str | Path | None = None, noise: AugmentConfig | None = None, second_looks: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.log_dir, self.config, self.batch_size, self.seed, self.workers = Path(log_dir), config, batch_size, seed, workers
        self.cache_dir, self.noise, self.second_looks = cache_dir, noise, second_looks
        self.train: SampleCache | None = None
        self.validation: SampleCache | None = None

    def setup(self, stage: str | None = None) -> None:
        """Build or open the caches. Raises LogError."""
        if self.train is None:
            self.train = build_cache(self.log_dir, "train", self.config, self.cache_dir, self.second_looks, self.workers)
            self.validation = build_cache(self.log_dir, "validation", self.config, self.cache_dir, False, self.workers)

    def train_dataloader(self) -> DataLoader[dict[str, Tensor]]:
        assert self.train is not None
        order = EpochBatches(len(self.train), self.batch_size, self.seed)
        return DataLoader(BatchDataset(self.train, self.config, self.noise), batch_size=None, sampler=order)

    def val_dataloader(self) -> DataLoader[dict[str, Tensor]]:
        assert self.validation is not None
        order = EpochBatches(len(self.validation), 128, self.seed, shuffle=False)
        return DataLoader(BatchDataset(self.validation, self.config), batch_size=None, sampler=order)
