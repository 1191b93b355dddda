"""How well an estimator reads actions on categories it never acted on in training: `mimir left-out`.

``mimir train --leave_out`` drops the transitions whose action names such a category. They stay in the pictures and among the candidates of
other transitions, as they would in a robot's home; what is unseen is every action on them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError, LogError
from mimir_learn.estimator.metrics import Scored, score
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.samples import Sample, replay
from mimir_learn.estimator.scoring import scored
from mimir_learn.evaluation.statistics import wilson
from mimir_learn.logs import LogDirectory, read_episodes
from mimir_learn.symbols import Action, Kind

ENOUGH = 20  # actions that must name a category in training, so that leaving it out is a loss and not an accident
SHOWN = ("n", "changed_atom_f1", "exact_delta", "false_change_rate", "outcome_balanced_accuracy")


@dataclass(frozen=True)
class LeftOutConfig:
    """Score estimators on actions that name a category left out of their training, and on the rest.

    Attributes:
        runs: folders of ``mimir train``, comma-separated; what each left out is read from its ``train.json``. All must have left out the
            same, or nothing (then they are the reference that has seen everything).
        log: transition log.
        split: of it.
        limit: score at most this many transitions (0 = all).
        choose: do not score; print this many categories to leave out, drawn by ``seed`` (see `choose`).
        seed: of the draw.
        out: write all numbers there as JSON (null = print only).
    """

    runs: tuple[str, ...] = field(default_factory=tuple)
    log: str = "data/logs/demo"
    split: str = "test"
    limit: int = 0
    choose: int = 0
    seed: int = 0
    out: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", tuple(self.runs))
        for name in ("limit", "choose", "seed"):
            whole(name, getattr(self, name), 0)
        if bool(self.choose) == bool(self.runs):
            raise ConfigError("left-out: give runs to score (--runs '[runs/a, runs/b]'), or --choose N to draw categories")


def choose(log: str | Path, n: int, seed: int) -> tuple[str, ...]:
    """``n`` categories, two in three of them movable things, the others fixtures and receptacles, drawn from those that at least `ENOUGH`
    training actions name. Rooms are never drawn.

    Raises ConfigError where there are too few.
    """
    directory = LogDirectory(Path(log))
    count: Counter[str] = Counter()
    for entry in (e for e in directory.episodes if e["split"] == "train"):
        category = {i: c for i, c, _ in json.loads(entry["privileged.entities"])}
        for text in directory.table(entry, ["skill.arguments"])["skill.arguments"].to_pylist():
            if text:  # the last row of an episode has none
                count.update({category[a] for a in Action.from_json(text).arguments if a in category})
    kinds = {name: spec.kind for name, spec in directory.vocabulary.categories.items()}
    often = sorted(c for c, k in count.items() if k >= ENOUGH)
    things = [c for c in often if kinds[c] is Kind.OBJECT]
    places = [c for c in often if kinds[c] in (Kind.FIXTURE, Kind.RECEPTACLE)]
    movable = -(-2 * n // 3)
    if len(things) < movable or len(places) < n - movable:
        raise ConfigError(f"{log}: too few categories are acted on {ENOUGH} times in training to leave {n} out; choose fewer")
    rng = np.random.default_rng(seed)
    drawn = [*rng.choice(things, movable, replace=False), *rng.choice(places, n - movable, replace=False)]
    return tuple(sorted(str(c) for c in drawn))


def names_one(sample: Sample, categories: frozenset[str]) -> bool:
    """Whether the action of a sample names a thing or place of one of ``categories``."""
    entities = sample.transition.belief.entities
    return any(entities[a].entity.category in categories for a in sample.transition.action.arguments if a in entities)


def left_out_of(run: Path) -> frozenset[str]:
    """What a run left out. Raises ConfigError for a folder without a finished run."""
    try:
        return frozenset(json.loads((run / "train.json").read_text())["config"].get("leave_out", ()))
    except (OSError, ValueError, KeyError) as e:
        raise ConfigError(f"{run}: no finished training run ({e}); give an out_dir of `mimir train`") from e


def groups(answers: Sequence[tuple[bool, Scored]]) -> dict[str, dict[str, float]]:
    """`metrics.score` of the transitions whose action names a left-out category, and of the others that name something."""
    parts = {"left_out": [s for out, s in answers if out], "rest": [s for out, s in answers if not out]}
    return {name: score(items) for name, items in parts.items() if items}


def score_left_out(config: LeftOutConfig) -> tuple[tuple[str, ...], dict[str, dict[str, dict[str, float]]]]:
    """The left-out categories, and run → group → numbers. Raises ConfigError, CheckpointError or LogError."""
    left = {run: left_out_of(Path(run)) for run in config.runs}
    sets = {s for s in left.values() if s}
    if len(sets) != 1:
        raise ConfigError(f"left-out: the runs left out {len(sets)} different sets of categories; score runs that left out the same")
    (categories,) = sets
    vocabulary = LogDirectory(Path(config.log)).vocabulary
    predictors = {run: Predictor.load(Path(run) / "model", vocabulary) for run in config.runs}
    answers: dict[str, list[tuple[bool, Scored]]] = {run: [] for run in config.runs}
    for n, sample in enumerate(s for e in read_episodes(config.log, config.split) for s in replay(e)):
        if config.limit and n >= config.limit:
            break
        if sample.transition.action.arguments:  # looks and waits name nothing
            group = names_one(sample, categories)
            for run, predictor in predictors.items():
                answers[run].append((group, scored(sample, predictor.estimate(sample.transition))))
    if not any(group for group, _ in answers[config.runs[0]]):
        raise LogError(f"{config.log}: no action of split {config.split!r} names {', '.join(sorted(categories))}; score a longer log")
    return tuple(sorted(categories)), {run: groups(a) for run, a in answers.items()}


def table(results: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """One line per run and group; the interval is Wilson's at 95 % for exact Δ, transitions taken as independent."""
    lines = [f"{'run':<28} {'group':<9} {'n':>5} {'F1':>7} {'exact Δ':>8} {'95 %':>15} {'false':>7} {'outcome':>8}"]
    for run, parts in results.items():
        for group, numbers in parts.items():
            n, f1, exact, false, outcome = (numbers.get(k, float("nan")) for k in SHOWN)
            low, high = wilson(exact * n, n)
            interval = f"{low:.3f} – {high:.3f}"
            lines.append(f"{Path(run).name:<28} {group:<9} {n:>5.0f} {f1:>7.3f} {exact:>8.3f} {interval:>15} {false:>7.3f} {outcome:>8.3f}")
    return "\n".join(lines)


def left_out(config: LeftOutConfig) -> str:
    """What `mimir left-out` prints."""
    if config.choose:
        return json.dumps(list(choose(config.log, config.choose, config.seed)))
    categories, results = score_left_out(config)
    if config.out is not None:
        body = {"left_out": categories, "log": config.log, "split": config.split, "results": results}
        Path(config.out).write_text(json.dumps(body, indent=2) + "\n")
    return f"left out of training: {', '.join(categories)}\n{table(results)}"
