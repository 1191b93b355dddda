"""Score Δ-sources on logged transitions: every source is asked about the same ones and judged by `metrics.score`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from mimir_learn.estimator.believed import completed
from mimir_learn.estimator.labels import refused
from mimir_learn.estimator.metrics import Scored, score
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.samples import Sample, replay, visible
from mimir_learn.logs import LogDirectory, read_episodes
from mimir_learn.symbols import Belief, DeltaSource, Estimate, Kind

HEADLINE = (
    "n", "changed_atom_f1", "changed_atom_f1_no_hand", "exact_delta", "false_change_rate", "false_change_rate_manipulation",
    "false_change_rate_manipulation_n", "exogenous_recall_visible", "exogenous_recall_visible_n", "visible.changed_atom_f1",
    "outcome_balanced_accuracy", "ece",
)  # fmt: skip


def scored(sample: Sample, estimate: Estimate) -> Scored:
    """A source's answer to a sample, ready for `metrics.score`.

    Derived attributes are nobody's to read off pixels and left out. What the vocabulary's causal rules derive of visible ones (dirt under a
    running faucet) is added to every source's answer, as memory adds it to whatever Δ it is given.
    """
    belief = sample.transition.belief
    return Scored(
        sample.delta, visible(completed(estimate.delta, belief)), estimate.confidence, sample.transition.action.verb.value, sample.fault,
        frozenset(belief.entities), sample.unseen, sample.did, estimate.success,
        refused(sample.transition.outcome), sample.moved, sample.novel, _holders(belief),
    )  # fmt: skip


def _holders(belief: Belief) -> frozenset[str]:
    """What memory knows as things that hold things."""
    return frozenset(e for e, b in belief.entities.items() if b.entity.kind is Kind.OBJECT and belief.vocabulary.spec(b.entity).relation)


def answer(
    sources: Mapping[str, DeltaSource | Predictor], log_dir: str | Path, split: str, limit: int | None = None
) -> dict[str, list[Scored]]:
    """Every source's answer to every transition of ``split`` (at most ``limit``), in order; memory is replayed with the true Δ."""
    out: dict[str, list[Scored]] = {name: [] for name in sources}
    count = 0
    for number, episode in enumerate(read_episodes(log_dir, split)):
        for source in sources.values():
            if not isinstance(source, Predictor):
                source.reset(number)
        for sample in replay(episode):
            if limit is not None and count >= limit:
                return out
            count += 1
            for name, source in sources.items():
                out[name].append(scored(sample, source.estimate(sample.transition)))
    return out


def score_log(
    checkpoint: str | Path, log_dir: str | Path, split: str = "test", baselines: Mapping[str, DeltaSource] | None = None,
    limit: int | None = None,
) -> dict[str, dict[str, float]]:  # fmt: skip
    """{``learned``: numbers, baseline: numbers, …} over the same transitions of one split; see `metrics.score` for the keys.

    ``baselines`` are sources built by the caller (``{"schema": SchemaSource()}``): this room may not import `feedback`.
    Raises CheckpointError or LogError.
    """
    vocabulary = LogDirectory(Path(log_dir)).vocabulary
    sources: dict[str, DeltaSource | Predictor] = {"learned": Predictor.load(checkpoint, vocabulary), **(baselines or {})}
    return {name: score(items) for name, items in answer(sources, log_dir, split, limit).items()}


def table(results: Mapping[str, Mapping[str, float]], keys: Iterable[str] = HEADLINE) -> str:
    """A plain text table: one row per number, one column per source."""
    keys = list(keys)
    left = max([len(k) for k in keys] + [1])
    width = max([len(n) for n in results] + [10])
    head = " ".join([" " * left, *(f"{n:>{width}}" for n in results)])
    rows = [" ".join([f"{k:<{left}}", *(f"{r.get(k, float('nan')):>{width}.4f}" for r in results.values())]) for k in keys]
    return "\n".join([head, *rows])
