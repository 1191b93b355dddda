"""Scores the estimator and the untrained sources on one split of a transition log, all on the same transitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mimir_learn.evaluation.reliability import reliability_bins
from mimir_learn.logs import fingerprint

BASELINES = ("schema", "text", "none")


def score_checkpoint(checkpoint: Path, log: Path, split: str = "test", limit: int | None = None) -> dict[str, Any]:
    """{``sources``: {source: Δ-quality numbers}, ``reliability``: bins of the learned source's changes, and what they rest on}.

    Raises LogError or CheckpointError.
    """
    from mimir_learn.estimator.export import weights_sha256
    from mimir_learn.estimator.metrics import score
    from mimir_learn.estimator.predict import Predictor
    from mimir_learn.estimator.scoring import answer
    from mimir_learn.feedback import make_source
    from mimir_learn.logs import LogDirectory

    vocabulary = LogDirectory(log).vocabulary
    sources: dict[str, Any] = {"learned": Predictor.load(checkpoint, vocabulary)}
    sources |= {name: make_source(name) for name in BASELINES}
    answers = answer(sources, log, split, limit)
    return {
        "sources": {name: score(items) for name, items in answers.items()},
        "reliability": reliability_bins(answers["learned"]),
        "split": split,
        "log_fingerprint": fingerprint(log),
        "checkpoint_sha256": weights_sha256(checkpoint),
    }
