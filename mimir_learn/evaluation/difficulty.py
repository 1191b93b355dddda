"""Difficulty cards: how long and how ambiguous a suite's tasks are, and how far trivial agents come, per subset."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.build import _in_parallel
from mimir_learn.evaluation.results import write_json
from mimir_learn.evaluation.suite import Suite, SuiteTask
from mimir_learn.evaluation.trials import Mimir, Setting, Trial, run_trial
from mimir_learn.evaluation.trivial import NearestFirst, Nothing, Policy, RandomLegal
from mimir_learn.symbols import Task

AGENTS: Mapping[str, Callable[[Setting, Task], Policy]] = {
    "nothing": lambda s, t: Nothing(),
    "random": lambda s, t: RandomLegal(s.vocabulary, s.places, s.seed),
    "nearest_first": lambda s, t: NearestFirst(s.vocabulary, s.places, t, s.positions),
    "oracle": lambda s, t: Mimir(s, t),
}
"""Do nothing, random legal, nearest first, and the agent with the simulator's own Δ."""


def play(task: SuiteTask, agent: str) -> Trial:
    """One agent on one task without faults, within its step limit; ends at the first success, as EmbodiedBench's episodes do."""
    limit = 1 if agent == "nothing" else task.limit  # nothing changes by waiting
    return run_trial(task.task, task.house_seed, limit, lambda s: AGENTS[agent](s, task.task))


def card_of(suite: Suite, n_jobs: int = -1, measured: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The card as plain data: {suite, sha256, subsets: {subset or "all": row}}. ``measured``: rows there are already, by subset."""
    known = {s: row["agents"] for s, row in (measured or {}).items()}
    tasks = [t for t in suite.tasks if t.subset not in known]
    trials = {a: _in_parallel(play, [(t, a) for t in tasks], n_jobs) for a in AGENTS}
    for subset in dict.fromkeys(t.subset for t in tasks):
        chosen = [i for i, t in enumerate(tasks) if t.subset == subset]
        known[subset] = {a: _scores([trials[a][i] for i in chosen]) for a in AGENTS}
    rows = {s: _row([t for t in suite.tasks if t.subset == s], known[s]) for s in suite.subsets()}
    count = suite.subsets()

    def overall(agent: str, score: str) -> float:
        return round(sum(known[s][agent][score] * n for s, n in count.items()) / len(suite.tasks), 3)

    rows["all"] = _row(suite.tasks, {a: {s: overall(a, s) for s in ("sr", "gc")} for a in AGENTS})
    return {"suite": suite.name, "sha256": suite.sha256, "subsets": rows}


def _scores(trials: Sequence[Trial]) -> dict[str, float]:
    return {
        "sr": round(float(np.mean([t.solved is not None for t in trials])), 3),
        "gc": round(float(np.mean([1.0 if t.solved is not None else t.last for t in trials])), 3),
    }


def _row(tasks: Sequence[SuiteTask], agents: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    steps = [t.certificate.steps for t in tasks]

    def mean(key: str) -> float:
        return round(float(np.mean([t.task.meta[key] for t in tasks])), 2)

    return {
        "tasks": len(tasks),
        "houses": len({t.house_seed for t in tasks}),
        "kinds": len({t.kind for t in tasks}),
        "goals": mean("goals"),
        "steps_median": float(np.median(steps)),
        "steps_p90": float(np.percentile(steps, 90)),
        "shut": mean("shut"),
        "distractors": mean("distractors"),
        "across": mean("across"),
        "agents": {agent: dict(scores) for agent, scores in agents.items()},
    }


def table(card: Mapping[str, Any]) -> str:
    """The card as a Markdown table."""
    head = "| subset | tasks | kinds | goals | reference steps: median, p90 | to be opened | distractors | rooms |"
    head += "".join(f" {a.replace('_', ' ')} SR / GC |" for a in AGENTS)
    lines = [head, "|---" * (8 + len(AGENTS)) + "|"]
    for subset, row in card["subsets"].items():
        cells = [
            subset,
            row["tasks"],
            row["kinds"],
            row["goals"],
            f"{row['steps_median']:g}, {row['steps_p90']:g}",
            row["shut"],
            row["distractors"],
            row["across"],
        ]
        cells += [f"{100 * row['agents'][a]['sr']:.0f} / {100 * row['agents'][a]['gc']:.0f}" for a in AGENTS]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def card_path(suite_path: Path) -> Path:
    return suite_path.with_suffix(".card.json")


def write_card(suite_path: Path, n_jobs: int = -1, page: Path | None = None, add: str | None = None) -> str:
    """``mimir suite --card true``: measure, write the card beside the suite, return the table.

    With ``page`` the table is also put between its pair of comments ``<!-- card SUITE -->``. With ``add`` that subset alone is measured;
    the other rows are those of the card there is, which must be that of the same suite without it. Raises ConfigError, before anything
    is measured, for a page without the comments or a card of other tasks.
    """
    suite = Suite.load(suite_path)
    mark = f"<!-- card {suite.name} -->"
    if page is not None:
        _halves(page, mark)
    card = card_of(suite, n_jobs, None if add is None else _rows_without(suite, add, card_path(suite_path)))
    write_json(card_path(suite_path), card)
    if page is not None:
        before, after = _halves(page, mark)
        page.write_text(f"{before}{mark}\n{table(card)}\n{mark}{after}", encoding="utf-8")
    return f"{card_path(suite_path)}:\n\n{table(card)}"


def _rows_without(suite: Suite, add: str, path: Path) -> dict[str, Any]:
    """The rows of a card of ``suite`` without the subset ``add``."""
    card = load_card(path)
    rest = replace(suite, tasks=tuple(t for t in suite.tasks if t.subset != add))
    if card["sha256"] != rest.sha256:
        raise ConfigError(f"{path} is not the card of this suite without {add}; measure all of it: leave --add out")
    return {s: row for s, row in card["subsets"].items() if s != "all"}


def _halves(page: Path, mark: str) -> tuple[str, str]:
    """What stands before and after the pair of marks."""
    try:
        parts = page.read_text(encoding="utf-8").split(mark)
    except (OSError, UnicodeDecodeError) as e:
        raise ConfigError(f"suite.docs is {page}, which cannot be read ({e})") from e
    if len(parts) != 3:
        raise ConfigError(f"suite.docs is {page}, which has no place for this table; write {mark} twice where it shall stand")
    return parts[0], parts[2]


def load_card(path: Path) -> dict[str, Any]:
    """Raises ConfigError for a file that is no card."""
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        table(card)
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise ConfigError(f"{path} is not a difficulty card ({type(e).__name__}: {e}); make one with `mimir suite --card true`") from e
    return card
