"""Small configs and synthetic samples shared by the estimator's tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.estimator import EstimatorConfig, build_with_ids
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.labels import targets

from .synthetic import transition

SMALL = EstimatorConfig(
    candidates=10, image_px=32, crop_px=8, change_regions=2, dim=32, heads=2, layers=1, ffn=64, crop_width=8, image_width=8
)  # fmt: skip


def make_samples(n: int, seed: int = 0, config: EstimatorConfig = SMALL) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        tr, delta = transition(rng)
        ids, arrays = build_with_ids(tr, config)
        find = rng.integers(-1, (config.image_px // 4) ** 2 + 1, 2)
        out.append({**arrays, **targets(delta, ids, tr.action, tr.belief, config), "y_find": find})
    return out


@pytest.fixture(scope="session")
def samples() -> list[dict[str, np.ndarray]]:
    return make_samples(24)


@pytest.fixture
def batch(samples: list[dict[str, np.ndarray]]) -> dict[str, torch.Tensor]:
    return collate(samples[:8], SMALL)


@pytest.fixture(scope="session")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real, very small household log with all four splits."""
    root = tmp_path_factory.mktemp("log")
    houses = HouseCounts(train=2, validation=1, calibration=1, test=1)
    collect(CollectConfig(str(root), houses=houses, episodes_per_house=1, steps=12, image_size=64, n_jobs=1), progress=False, commit="test")
    return root


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
