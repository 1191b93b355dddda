"""Batches made ahead of time: the same ones in the same order, errors where they belong, no thread left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from torch.utils.data import DataLoader

from mimir_learn.estimator.augment import AugmentConfig
from mimir_learn.estimator.cache import build_cache
from mimir_learn.estimator.data import BatchDataset, EpochBatches
from mimir_learn.estimator.prefetch import Prefetching, prefetched

from .conftest import SMALL


def names() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name == "prefetch"]


def test_batches_do_not_depend_on_prefetching(log_dir: Path, tmp_path: Path) -> None:
    """Order and noise are functions of (seed, epoch, batch), also when a run is broken off and goes on, and however slow the consumer."""
    cache = build_cache(log_dir, "train", SMALL, tmp_path)
    dataset = BatchDataset(cache, SMALL, AugmentConfig())

    def batches(kind: type[DataLoader], wait: float = 0.0) -> Iterator[dict[str, np.ndarray]]:
        order = EpochBatches(len(cache), 4, 3)
        for epoch in (0, 1):
            order.set_epoch(epoch)
            for batch in kind(dataset, batch_size=None, sampler=order):
                time.sleep(wait)
                yield {k: v.numpy() for k, v in batch.items()}

    plain = list(batches(DataLoader))
    for ahead in (list(batches(Prefetching)), list(batches(Prefetching, 0.01))):
        assert len(ahead) == len(plain) > 4
        for a, b in zip(plain, ahead, strict=True):
            assert a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)
    loader: Prefetching[object] = Prefetching(dataset, batch_size=None, sampler=EpochBatches(len(cache), 4, 3))
    assert len(loader) == len(plain) // 2
    for _ in zip(range(2), loader, strict=False):  # broken off
        pass
    del _
    assert not names()


def test_an_error_comes_where_its_batch_would_have() -> None:
    def broken() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("disk gone")

    got = []
    with pytest.raises(OSError, match="disk gone"):
        for x in prefetched(broken(), 4):
            got.append(x)
    assert got == [1, 2] and not names()


def test_no_more_than_asked_for_is_made_ahead() -> None:
    made: list[int] = []

    def count() -> Iterator[int]:
        for i in range(100):
            made.append(i)
            yield i

    items = prefetched(count(), 3)
    assert next(items) == 0
    time.sleep(0.2)
    assert len(made) <= 5  # one taken, three waiting, one in the making
    items.close()  # type: ignore[attr-defined]
    assert not names()
