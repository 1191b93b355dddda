"""`calibrate_all`: temperatures and certified thresholds of an exported estimator, from a log's houses that it was not trained on.

Both come from different houses: of those of the split, in order of seed, every fourth from the first gives the temperatures, the others
the thresholds. So what is certified is what is used, the calibrated probability.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from torch import Tensor

from mimir_learn.errors import CheckpointError, ConfigError, LogError
from mimir_learn.estimator.batch import Arrays, collate
from mimir_learn.estimator.calibration import Calibration, load_calibration, temperatures
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.export import from_pretrained, weights_sha256
from mimir_learn.estimator.metrics import Scored
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.risk import LEVELS, Judged, family, shortage, thresholds
from mimir_learn.estimator.samples import arrays, replay
from mimir_learn.estimator.scoring import scored
from mimir_learn.logs import LogDirectory, fingerprint
from mimir_learn.symbols import HandChange

METHOD = "houses"
_FOURTH = 4
_BATCH = 64


def calibrate_all(
    checkpoint: str | Path, log_dir: str | Path, split: str = "calibration", *, method: str = METHOD, seed: int = 0, workers: int = 1,
    levels: Iterable[float] = LEVELS, write: bool = True,
) -> Calibration:  # fmt: skip
    """Fit the export in ``checkpoint`` and, unless ``write`` is false, put ``calibration.json`` beside its weights.

    With a single house there are temperatures and no thresholds. Temperatures are fitted on the frames as logged, without second looks.

    Args:
        split: ``calibration``, or ``validation`` (its houses also chose the epoch, so the promise is a little weaker).
        method: how judgements of one house are treated, see `risk`.
        seed: of the bootstrap. workers: processes that read the log.

    Raises ConfigError for the split of the training or test houses, LogError when the log has no episodes of the split, CheckpointError
    for an export that cannot be used.
    """
    if split not in ("calibration", "validation"):
        why = "its numbers would no longer be a test" if split == "test" else "the weights have seen them"
        raise ConfigError(f"calibrating on {split} houses: {why}; choose split calibration or validation")
    directory, log = Path(checkpoint), LogDirectory(Path(log_dir))
    entries = _entries(log, split)
    houses = sorted({int(e["house_seed"]) for e in entries})
    first = set(houses[::_FOURTH])
    parts: tuple[list[int], list[int]] = ([], [])
    for number, entry in enumerate(entries):
        parts[int(entry["house_seed"]) not in first].append(number)
    model = from_pretrained(directory, log.vocabulary)
    pool = Parallel(n_jobs=workers, return_as="generator")
    samples = (s for chunk in pool(delayed(_inputs)(str(log_dir), split, n, model.config) for n in parts[0]) for s in chunk)
    fitted = temperatures(model, _batches(samples, model.config), weights_sha256(directory), split)
    judged = [j for part in pool(delayed(_judge)(str(directory), fitted, str(log_dir), split, n) for n in parts[1]) for j in part]
    cuts = thresholds(judged, np.random.default_rng(seed), tuple(levels), method=method) if parts[1] else {}
    out = replace(
        fitted, log=fingerprint(log_dir), thresholds={k: c.threshold for k, c in cuts.items()}, own={k: c.own for k, c in cuts.items()},
        method=method, judged=dict(sorted(Counter(j.family for j in judged).items())),
        houses={"temperature": len(first), "thresholds": len(houses) - len(first)},
    )  # fmt: skip
    if few := shortage(judged):
        print(f"{directory}: {few}; calibrate on a log with more houses", file=sys.stderr, flush=True)
    if write:
        out.save(directory)
    return out


def judge_log(checkpoint: str | Path, log_dir: str | Path, split: str, *, workers: int = 1) -> list[Judged]:
    """Every change that the estimator, as calibrated, predicts on the episodes of a split, and whether it was right.

    Raises LogError when the log has no episodes of the split, CheckpointError for an export that cannot be used or has no calibration.
    """
    directory, log = Path(checkpoint), LogDirectory(Path(log_dir))
    from_pretrained(directory, log.vocabulary)
    calibration = load_calibration(directory)
    if calibration is None:
        raise CheckpointError(f"{directory} has no calibration.json; make one with `mimir calibrate CHECKPOINT --log LOG`")
    count = len(_entries(log, split))
    jobs = (delayed(_judge)(str(directory), calibration, str(log_dir), split, n) for n in range(count))
    return [j for part in Parallel(n_jobs=workers, return_as="generator")(jobs) for j in part]


def judgements(item: Scored, episode: str, house: str) -> list[Judged]:
    """The predicted changes of one transition; the hand's, which relations imply, do not count twice."""
    true = item.true_atoms()
    changes = (c for c in item.predicted if not isinstance(c, HandChange))
    return [Judged(min(c.p, 1.0), item.matches(c.atom, true), family(item.verb), episode, house) for c in changes]


def _inputs(log_dir: str, split: str, number: int, config: EstimatorConfig) -> list[Arrays]:
    log, entry = _entry(log_dir, split, number)
    return [arrays(s, config) for s in replay(log.episode(entry))]


def _judge(checkpoint: str, fitted: Calibration, log_dir: str, split: str, number: int) -> list[Judged]:
    log, entry = _entry(log_dir, split, number)
    model = _model(checkpoint, fitted.weights_sha256)
    predictor = Predictor(model, fitted)
    house = str(entry["house_seed"])
    return [j for s in replay(log.episode(entry)) for j in judgements(scored(s, predictor.estimate(s.transition)), s.episode, house)]


@lru_cache(maxsize=1)
def _model(checkpoint: str, sha256: str) -> DeltaEstimator:
    return from_pretrained(Path(checkpoint))


def _entries(log: LogDirectory, split: str) -> list[dict[str, Any]]:
    if not (found := [e for e in log.episodes if e["split"] == split]):
        raise LogError(f"{log.root}: no episodes of split {split!r}; collect some with `mimir collect`")
    return found


def _entry(log_dir: str, split: str, number: int) -> tuple[LogDirectory, dict[str, Any]]:
    log = LogDirectory(Path(log_dir))
    return log, _entries(log, split)[number]


def _batches(samples: Iterator[Arrays], config: EstimatorConfig) -> Iterator[dict[str, Tensor]]:
    while chunk := list(islice(samples, _BATCH)):
        yield collate(chunk, config)
