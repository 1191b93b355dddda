"""Order and shares of batches over processes and accumulation, as laws; what is left out of training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.errors import ConfigError
from mimir_learn.estimator import TrainConfig, fit
from mimir_learn.estimator.augment import AugmentConfig
from mimir_learn.estimator.cache import SampleCache, build_cache
from mimir_learn.estimator.data import BatchDataset, BatchKey, EpochBatches, EstimatorDataModule, kept_rows
from mimir_learn.estimator.distributed import once

from .workers import SMALL

SIZES = {"length": st.integers(1, 90), "batch": st.integers(1, 9), "world": st.integers(1, 5), "accumulate": st.integers(1, 4)}


def batches(length: int, batch: int, epoch: int = 0, **more: object) -> list[BatchKey]:
    order = EpochBatches(length, batch, 7, **more)  # type: ignore[arg-type]
    order.set_epoch(epoch)
    keys = list(order)
    assert len(keys) == len(order) or more.get("resume_at")
    return keys


@given(**SIZES, epoch=st.integers(0, 3))
def test_processes_together_take_the_rows_of_one_with_larger_batches(
    length: int, batch: int, world: int, accumulate: int, epoch: int
) -> None:
    alone = batches(length, batch * world, epoch)
    ranks = [batches(length, batch, epoch, rank=r, world=world, accumulate=accumulate) for r in range(world)]
    assert {len(r) for r in ranks} == {len(alone)}
    for one, parts in zip(alone, zip(*ranks, strict=True), strict=True):
        taken = [row for p in parts if p.share for row in p.rows]
        assert sorted(taken) == sorted(one.rows) and all(len(p.rows) for p in parts)
    assert sorted(row for key in alone for row in key.rows) == list(range(length))


@given(**SIZES)
def test_pitfall_9_the_average_over_processes_and_batches_is_the_mean_over_rows(
    length: int, batch: int, world: int, accumulate: int
) -> None:
    """What DDP (mean over processes) and accumulation (sum of losses / number of batches) make of the batches' means times their shares."""
    loss = np.random.default_rng(length).normal(size=length)
    ranks = [batches(length, batch, rank=r, world=world, accumulate=accumulate) for r in range(world)]
    for begin in range(0, len(ranks[0]), accumulate):
        keys = [key for r in ranks for key in r[begin : begin + accumulate]]
        rows = [row for key in keys if key.share for row in key.rows]
        got = sum(loss[key.rows].mean() * key.share for key in keys) / (accumulate * world)
        assert got == pytest.approx(loss[rows].mean(), abs=1e-12)


@given(length=SIZES["length"], batch=SIZES["batch"], world=SIZES["world"])
def test_pitfall_1_counting_pads_every_process_alike_and_misses_none(length: int, batch: int, world: int) -> None:
    ranks = [np.concatenate([k.rows for k in batches(length, batch, shuffle=False, rank=r, world=world)]) for r in range(world)]
    assert len({len(r) for r in ranks}) == 1
    rows = np.concatenate(ranks)
    assert np.array_equal(once(rows, rows[:, None]).ravel(), np.arange(length))


@given(**SIZES, epoch=st.integers(0, 2), at=st.integers(0, 20))
def test_pitfall_12_a_resumed_epoch_goes_on_with_the_batches_that_were_left(
    length: int, batch: int, world: int, accumulate: int, epoch: int, at: int
) -> None:
    def texts(resume_at: tuple[int, int], now: int) -> list[str]:
        return [str(k) for k in batches(length, batch, now, world=world, accumulate=accumulate, resume_at=resume_at)]

    whole = texts((0, 0), epoch)
    assert texts((epoch, at), epoch) == whole[at:]
    assert texts((epoch, at), epoch + 1) == texts((0, 0), epoch + 1)


def test_pitfall_10_every_process_batch_and_epoch_draws_noise_of_its_own() -> None:
    """Noise comes from the key's seed alone; no generator is made once and copied."""
    keys = [k.seed for epoch in range(3) for r in range(4) for k in batches(50, 4, epoch, rank=r, world=4)]
    assert len(set(keys)) == len(keys)


@pytest.fixture(scope="module")
def caches(log_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[SampleCache, Path]:
    root = tmp_path_factory.mktemp("cache")
    return build_cache(log_dir, "train", SMALL, root, True), root


def test_a_batch_says_its_rows_and_share_and_is_made_of_its_key_alone(caches: tuple[SampleCache, Path]) -> None:
    data = BatchDataset(caches[0], SMALL, AugmentConfig())
    key = BatchKey(np.array([7, 2, 5]), (1, 2, 3), 0.25)
    first, _, again = data[key], data[BatchKey(np.arange(4), (1, 2, 4))], data[key]
    assert first["row"].tolist() == [2, 5, 7] and float(first["share"]) == 0.25
    assert all(np.array_equal(first[k].numpy(), again[k].numpy()) for k in first)
    assert not np.array_equal(first["image_rgb"].numpy(), data[BatchKey(key.rows, (1, 2, 5))]["image_rgb"].numpy())


def test_categories_left_out_are_in_no_batch_of_either_split(log_dir: Path, caches: tuple[SampleCache, Path]) -> None:
    cache, root = caches
    acted = cache.column("meta_acted")
    name = cache.categories[int(acted[acted >= 0][0])]
    data = EstimatorDataModule(log_dir, SMALL, 8, cache_dir=root, leave_out=[name])
    data.setup()
    assert 0 < len(data.train_rows) < len(cache)
    for loader in (data.train_dataloader(), data.val_dataloader()):
        for batch in loader:
            assert not (batch["meta_acted"] == cache.categories.index(name)).any()
    gone = set(range(len(cache))) - set(data.train_rows.tolist())
    assert gone == {i for i, pair in enumerate(acted) if cache.categories.index(name) in pair}


def test_first_episodes_and_settings_that_leave_nothing(log_dir: Path, caches: tuple[SampleCache, Path], tmp_path: Path) -> None:
    cache, root = caches
    assert set(cache.column("meta_episode")[kept_rows(cache, (), 1)]) == {0} and len(kept_rows(cache, (), 99)) == len(cache)
    with pytest.raises(ConfigError, match=r"leave_out names unicorn, which .* does not know"):
        fit(TrainConfig(str(log_dir), str(tmp_path / "run"), leave_out=("unicorn",), cache_dir=str(root)))

    class Mugs:
        """A cache in which every action names a mug."""

        categories, directory = ("mug",), Path("train-0")

        def __len__(self) -> int:
            return 3

        def column(self, key: str) -> np.ndarray:
            return np.array([[0, -1], [-1, 0], [0, 0]])

    with pytest.raises(ConfigError, match="leave_out=mug leaves no transition of train"):
        kept_rows(Mugs(), ["mug"])  # type: ignore[arg-type]
