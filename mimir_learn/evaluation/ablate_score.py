"""Answers to the logged transitions of a split, by a trained estimator in batches or by any Δ-source, summed by house.

Every headline number is a ratio of two sums over transitions, so its sums by house are all that intervals and paired tests need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mimir_learn.estimator.cache import build_cache
from mimir_learn.estimator.candidates import select
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.metrics import KINDS, Scored, counts, score
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.samples import Sample, replay
from mimir_learn.estimator.scoring import scored
from mimir_learn.estimator.withheld import ASKED, unknowing
from mimir_learn.logs import LogDirectory, read_episodes
from mimir_learn.symbols import MANIPULATIONS, DeltaSource

_BATCH = 64
Ratio = Callable[[Scored], tuple[float, float]]


def _f1(kinds: Sequence[str], visible_only: bool = False) -> Ratio:
    def of(item: Scored) -> tuple[float, float]:
        hits, predicted, true = counts([item], kinds, visible_only)
        return 2.0 * hits, float(predicted + true)

    return of


def _share(of: Callable[[Scored], bool], among: Callable[[Scored], bool] = lambda _: True) -> Ratio:
    return lambda item: (float(of(item)), 1.0) if among(item) else (0.0, 0.0)


RATIOS: dict[str, Ratio] = {
    "changed_atom_f1": _f1(KINDS),
    "changed_atom_f1_no_hand": _f1(("relation", "state")),
    "visible.changed_atom_f1": _f1(KINDS, True),
    "exact_delta": _share(Scored.exact),
    "exact_delta_faulty": _share(Scored.exact, lambda i: bool(i.fault)),
    "exact_delta_changed": _share(Scored.exact, lambda i: bool(i.true_atoms())),
    "exact_delta_novel": _share(Scored.exact, lambda i: bool(i.novel)),
    "false_change_rate": _share(lambda i: bool(i.predicted_atoms()), lambda i: not i.true_atoms()),
    "false_change_rate_manipulation": _share(
        lambda i: bool(i.predicted_atoms()), lambda i: i.verb in MANIPULATIONS and not i.refused and not i.true_atoms()
    ),
}
"""Each number as (top, bottom) of one transition; the number is the sum of the tops over that of the bottoms (`metrics.score` agrees)."""


@dataclass(frozen=True)
class Asked:
    """The transitions of a split without their frames, in the log's order, and the house each is from."""

    samples: tuple[Sample, ...]
    houses: tuple[int, ...]


def estimator_answers(checkpoint: Path, log: Path, split: str, cache_dir: Path | None) -> tuple[list[Scored], tuple[int, ...]]:
    """A trained estimator's answers to a split, in order, from the sample cache, and the houses. Raises CheckpointError, LogError."""
    predictor = Predictor.load(checkpoint, LogDirectory(log).vocabulary)
    config = predictor.model.config
    cache = build_cache(log, split, config, cache_dir, False)
    asked, ids = _asked(str(log), split), _ids(str(log), split, config.candidates, tuple(h for h in config.hidden if h in ASKED))
    out: list[Scored] = []
    for at in range(0, len(asked.samples), _BATCH):
        samples = asked.samples[at : at + _BATCH]
        built = [(ids[at + i], cache[at + i]) for i in range(len(samples))]
        estimates = predictor.estimates([s.transition for s in samples], built)
        out += [scored(s, e) for s, e in zip(samples, estimates, strict=True)]
    return out, asked.houses


def source_answers(source: DeltaSource, log: Path, split: str) -> tuple[list[Scored], tuple[int, ...]]:
    """An untrained source's answers to a split, in order, and the houses. Raises LogError."""
    out: list[Scored] = []
    houses: list[int] = []
    for number, episode in enumerate(read_episodes(log, split)):
        source.reset(number)
        for sample in replay(episode):
            out.append(scored(sample, source.estimate(sample.transition)))
            houses.append(episode.house_seed)
    return out, tuple(houses)


def summary(items: Sequence[Scored], houses: Sequence[int]) -> dict[str, Any]:
    """``score``: all numbers of `metrics.score`; ``houses``: {number: {house: [top, bottom]}} of `RATIOS`; ``transitions``."""
    names = sorted(set(houses))
    at = np.searchsorted(names, houses)
    sums: dict[str, dict[str, list[float]]] = {}
    for metric, ratio in RATIOS.items():
        pairs = np.array([ratio(i) for i in items], dtype=np.float64).reshape(-1, 2)
        top, bottom = (np.bincount(at, weights=column, minlength=len(names)) for column in pairs.T)
        sums[metric] = {str(h): [float(t), float(b)] for h, t, b in zip(names, top, bottom, strict=True)}
    return {"score": score(items), "houses": sums, "transitions": len(items)}


@lru_cache(maxsize=1)
def _asked(log: str, split: str) -> Asked:
    """Replayed once per process: what answering and scoring read, without the pixels."""
    pairs = [(_bare(s), house) for s, house in _replayed(log, split)]
    return Asked(tuple(s for s, _ in pairs), tuple(h for _, h in pairs))


@lru_cache(maxsize=4)
def _ids(log: str, split: str, candidates: int, hidden: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The entities behind the rows of the sample cache."""
    config = EstimatorConfig(candidates=candidates, hidden=hidden)
    return tuple(select(unknowing(s.transition, config), candidates).ids for s, _ in _replayed(log, split))


def _replayed(log: str, split: str) -> Iterator[tuple[Sample, int]]:
    for episode in read_episodes(log, split):
        for sample in replay(episode):
            yield sample, episode.house_seed


def _bare(sample: Sample) -> Sample:
    t = sample.transition
    empty = replace(t.before, rgb=t.before.rgb[:0].copy(), depth=t.before.depth[:0].copy())  # a view would keep the frame
    return replace(sample, transition=replace(t, before=empty, after=empty))
