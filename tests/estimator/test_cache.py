"""The sample cache: what it holds, what a kill leaves, what damage is noticed, and two builders at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mimir_learn.errors import LogError
from mimir_learn.estimator import cachefile
from mimir_learn.estimator.batch import to_tensors
from mimir_learn.estimator.cache import SampleCache, build_cache, cache_path
from mimir_learn.estimator.samples import replay
from mimir_learn.logs import read_episodes

from .conftest import SMALL


@pytest.fixture(scope="module")
def cache(log_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> SampleCache:
    return build_cache(log_dir, "train", SMALL, tmp_path_factory.mktemp("cache"), second_looks=True)


def contents(cache: SampleCache) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(cache.directory.iterdir())}


def forked(work: Any) -> multiprocessing.process.BaseProcess:
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    return process


def test_every_sample_says_where_it_comes_from(log_dir: Path, cache: SampleCache) -> None:
    batch = cache.take(np.arange(len(cache)))
    at = 0
    for number, episode in enumerate(read_episodes(log_dir, "train")):
        for sample in replay(episode, second_looks=True):
            action = sample.transition.action
            assert (batch["meta_episode"][at], batch["meta_step"][at], batch["meta_second"][at]) == (
                number,
                sample.step,
                sample.second_look,
            )
            assert cache.faults[batch["meta_fault"][at]] == sample.fault
            for name, category in zip((action.object, action.receptacle), batch["meta_acted"][at], strict=True):
                wanted = None if name is None or name not in episode.entities else episode.entities[name].category
                assert (cache.categories[category] if category >= 0 else None) == wanted
            at += 1
    assert at == len(cache) and cache.faults[0] == "" and len(cache.faults) > 1 and len(set(cache.faults)) == len(cache.faults)
    assert (batch["meta_acted"] >= 0).any(0).all()
    for key in ("meta_episode", "meta_step", "meta_fault", "meta_acted"):
        assert batch[key].dtype == np.int64 and np.array_equal(cache.column(key), batch[key])
    tensors = to_tensors(batch, SMALL.candidates + SMALL.change_regions)
    assert tensors["meta_second"].tolist() == batch["meta_second"].tolist()
    assert not any(key.startswith("meta_") for key in cache[0])


def test_a_killed_build_does_not_open_and_goes_on_where_it_stopped(
    log_dir: Path, tmp_path: Path, cache: SampleCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cachefile, "_JOURNAL_S", -1.0)
    add, made = cachefile._Writer.add, cachefile._episode

    def killed() -> None:
        def once(self: Any, chunk: Any) -> None:
            add(self, chunk)
            add(self, (chunk[0][:3], chunk[1][:3]))  # rows that no journal vouches for
            os.kill(os.getpid(), signal.SIGKILL)

        journal = cachefile._Writer.save
        monkeypatch.setattr(cachefile._Writer, "save", lambda self: journal(self) if self.episodes == 1 else None)
        monkeypatch.setattr(cachefile._Writer, "add", once)
        build_cache(log_dir, "train", SMALL, tmp_path, second_looks=True)

    process = forked(killed)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    target = cache_path(tmp_path, log_dir, "train", SMALL, True)
    partial = target.with_name(f".{target.name}.partial")
    assert not target.exists() and json.loads((partial / "journal.json").read_text())["episodes"] == 1
    with pytest.raises(LogError, match="no finished sample cache"):
        SampleCache(partial)
    numbers: list[int] = []

    def counted(*a: Any) -> Any:
        numbers.append(a[2])
        return made(*a)

    monkeypatch.setattr(cachefile, "_episode", counted)
    assert contents(build_cache(log_dir, "train", SMALL, tmp_path, second_looks=True)) == contents(cache)
    assert numbers == [1]
    assert not partial.exists()


def test_a_partial_build_that_lost_bytes_starts_again(log_dir: Path, tmp_path: Path, cache: SampleCache) -> None:
    target = cache_path(tmp_path, log_dir, "train", SMALL, True)
    with cachefile._Writer(target.with_name(f".{target.name}.partial")) as writer:
        entry = next(e for e in cachefile.LogDirectory(log_dir).episodes if e["split"] == "train")
        writer.add(cachefile._episode(log_dir, entry, 0, SMALL, True))
        writer.save()
    path = writer.folder / "name.bin"
    path.write_bytes(path.read_bytes()[:-1])
    assert contents(build_cache(log_dir, "train", SMALL, tmp_path, second_looks=True)) == contents(cache)


def test_two_builders_make_one_cache(log_dir: Path, tmp_path: Path, cache: SampleCache) -> None:
    both = [forked(lambda: build_cache(log_dir, "train", SMALL, tmp_path, second_looks=True)) for _ in range(2)]
    for process in both:
        process.join()
    assert [p.exitcode for p in both] == [0, 0]
    assert contents(build_cache(log_dir, "train", SMALL, tmp_path, second_looks=True)) == contents(cache)


def test_workers_make_the_same_bytes(log_dir: Path, tmp_path: Path, cache: SampleCache) -> None:
    assert contents(build_cache(log_dir, "train", SMALL, tmp_path, second_looks=True, workers=2, progress=True)) == contents(cache)


def test_a_dead_worker_is_named(log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(cachefile, "_episode", die)
    with pytest.raises(LogError, match=r"has died.*run the same command again.*workers"):
        build_cache(log_dir, "train", SMALL, tmp_path, workers=2)


@pytest.mark.parametrize("name", ["image_rgb.bin", "crop_depth.bin", "y_parent.bin", "meta_acted.bin", "crop_count.bin", "meta.json"])
def test_a_flipped_bit_is_found_before_it_is_trained_on(log_dir: Path, tmp_path: Path, name: str) -> None:
    path = build_cache(log_dir, "test", SMALL, tmp_path).directory / name
    raw = bytearray(path.read_bytes())
    raw[len(raw) * 2 // 3] ^= 1
    path.write_bytes(raw)
    with pytest.raises(LogError, match=rf"{name}.*damaged.*delete .* and train again"):
        build_cache(log_dir, "test", SMALL, tmp_path)
    if name != "meta.json":
        path.write_bytes(raw[:-1])
        with pytest.raises(LogError, match=name):
            SampleCache(path.parent)
