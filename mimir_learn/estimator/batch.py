"""Samples of `build_input` → one batch of tensors, for training and for a single transition alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import RAGGED, ROWS

Arrays = dict[str, NDArray[Any]]


def to_tensors(batch: Mapping[str, NDArray[Any]], slots: int) -> dict[str, Tensor]:
    """A stacked batch (`SampleCache.take`) → tensors; ``crop_slot`` becomes an index into the flattened (B, K + R) slots, ``close_slot``
    one into the flattened (B, K + R + 1), where ``slots`` = K + R."""
    out = {k: torch.from_numpy(np.ascontiguousarray(v)) for k, v in batch.items() if k not in ROWS}
    for name, width in (("crop", slots), ("close", slots + 1)):
        out[f"{name}_slot"] = torch.from_numpy(np.asarray(batch[f"{name}_slot"] + width * batch[f"{name}_row"], dtype=np.int64))
    return out


def collate(samples: Iterable[Arrays], config: EstimatorConfig) -> dict[str, Tensor]:
    """Samples of `build_input` (with or without targets) → one batch of tensors."""
    items = list(samples)
    ragged = {key for keys in RAGGED.values() for key in keys}
    stacked: Arrays = {k: np.stack([s[k] for s in items]) for k in items[0] if k not in ragged}
    for name, keys in RAGGED.items():
        for key in keys:
            stacked[key] = np.concatenate([s[key] for s in items])
        stacked[f"{name}_row"] = np.repeat(np.arange(len(items)), [len(s[f"{name}_slot"]) for s in items])
    return to_tensors(stacked, config.candidates + config.change_regions)
