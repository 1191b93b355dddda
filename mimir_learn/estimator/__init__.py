"""The Δ-estimator: input building (torch-free), model, training, calibration, export. Torch is imported only when a name needs it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import build_input, build_with_ids

if TYPE_CHECKING:
    from mimir_learn.estimator.model import DeltaEstimator
    from mimir_learn.estimator.scoring import score_log
    from mimir_learn.estimator.training import TrainConfig, TrainSummary, fit

_LAZY = {"DeltaEstimator": "model", "TrainConfig": "training", "TrainSummary": "training", "fit": "training", "score_log": "scoring"}
__all__ = ["DeltaEstimator", "EstimatorConfig", "TrainConfig", "TrainSummary", "build_input", "build_with_ids", "fit", "score_log"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"mimir_learn.estimator.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
