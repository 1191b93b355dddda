"""Samples of `build_input` → one batch of tensors, for training and for a single transition alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import RAGGED

Arrays = dict[str, NDArray[Any]]


def to_tensors(batch: Mapping[str, NDArray[Any]], slots: int) -> dict[str, Tensor]:
    """A stacked batch (`SampleCache.take`) → tensors; ``crop_slot`` becomes an index into the flattened (B, K + R) slots."""
    out = {k: torch.from_numpy(np.ascontiguousarray(v)) for k, v in batch.items() if k != "crop_row"}
    out["crop_slot"] = torch.from_numpy(np.asarray(batch["crop_slot"] + slots * batch["crop_row"], dtype=np.int64))
    return out


def collate(samples: Iterable[Arrays], config: EstimatorConfig) -> dict[str, Tensor]:
    """Samples of `build_input` (with or without targets) → one batch of tensors."""
    items = list(samples)
    stacked: Arrays = {k: np.stack([s[k] for s in items]) for k in items[0] if k not in RAGGED}
    for key in RAGGED:
        stacked[key] = np.concatenate([s[key] for s in items])
    stacked["crop_row"] = np.repeat(np.arange(len(items)), [len(s["crop_slot"]) for s in items])
    return to_tensors(stacked, config.candidates + config.change_regions)
