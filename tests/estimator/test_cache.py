"""The sample cache: what it holds beside inputs and targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mimir_learn.estimator.batch import to_tensors
from mimir_learn.estimator.cache import SampleCache, build_cache
from mimir_learn.estimator.samples import replay
from mimir_learn.logs import read_episodes

from .conftest import SMALL


@pytest.fixture(scope="module")
def cache(log_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> SampleCache:
    return build_cache(log_dir, "train", SMALL, tmp_path_factory.mktemp("cache"), second_looks=True)


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
