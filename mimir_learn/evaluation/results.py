"""Episode records → scores with intervals, paired tests, Δ quality, and the flat summary a script reads."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.metrics import Scored, score
from mimir_learn.evaluation.arms import Arm
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.reliability import reliability_bins
from mimir_learn.evaluation.statistics import Interval, mean_by_task, paired, proportion_by_task
from mimir_learn.symbols import Delta

RATES = ("sr", "declared_sr", "declared", "gc", "gc_end", "gc_ever")
MEANS = (
    "steps",
    "invalid",
    "look_agains",
    "held",
    "memory_precision",
    "memory_recall",
    "memory_f1",
    "memory_f1_end",
    "memory_recall_seen",
    "wrong_writes",
    "untrue_writes",
    "missed_writes",
    "faults",
)
RATIOS = {
    "false_completion_rate": ("false_completions", "completions"),
    "wrong_write_rate": ("wrong_writes", "committed"),
    "fault_rate": ("faults", "steps"),
}
DEFAULT_PAIRS = (("privileged", "none/privileged"), ("none/privileged", "none"))
"""Compared whenever both arms ran: what Δ is worth to world memory alone, and to task memory alone."""
SUMMARY = {
    "sr": "sr",
    "declared_sr": "declared_sr",
    "gc": "gc",
    "steps": "steps",
    "invalid_actions": "invalid",
    "look_agains": "look_agains",
    "held_changes": "held",
    "memory_f1": "memory_f1",
    "wrong_writes_per_episode": "wrong_writes",
    "false_completion_rate": "false_completion_rate",
}
"""Key in summary.json → metric of an arm."""


def by_arm(records: Iterable[Record], arms: Sequence[Arm]) -> dict[str, list[Record]]:
    """Records of each arm in one common order (task, seed).

    Raises ConfigError when an arm has no records, has one twice, or the arms did not run the same episodes.
    """
    out: dict[str, list[Record]] = {a.name: [] for a in arms}
    for record in records:
        if record["arm"] in out:
            out[record["arm"]].append(record)
    keys: dict[str, list[tuple[str, int]]] = {}
    for name, rows in out.items():
        rows.sort(key=lambda r: (r["task"], r["seed"]))
        keys[name] = [(r["task"], r["seed"]) for r in rows]
        if twice := [k for k, n in Counter(keys[name]).items() if n > 1]:
            raise ConfigError(f"arm {name!r} has more than one record of task {twice[0][0]}, seed {twice[0][1]}: it would be counted twice")
        if not rows:
            raise ConfigError(f"no episodes of arm {name!r} are recorded; run `mimir eval` to the end")
        if keys[name] != keys[arms[0].name]:
            raise ConfigError(f"arms {arms[0].name!r} and {name!r} did not run the same episodes; run `mimir eval` to the end")
    return out


def arm_metrics(rows: Sequence[Record]) -> dict[str, Interval]:
    """All scores of one arm: `RATES` and `RATIOS` as proportions with Wilson intervals, `MEANS` with a bootstrap, all by task."""
    tasks = [r["task"] for r in rows]
    out: dict[str, Interval] = {}
    for name in RATES:
        out[name] = proportion_by_task([float(r[name]) for r in rows], [1.0] * len(rows), tasks)
    for name in MEANS:
        given = [(float(r[name]), r["task"]) for r in rows if r[name] is not None]
        out[name] = mean_by_task([v for v, _ in given], [t for _, t in given])
    for name, (top, bottom) in RATIOS.items():
        out[name] = proportion_by_task([r[top] for r in rows], [r[bottom] for r in rows], tasks)
    return out


def pairs_of(arms: Sequence[Arm], reference: str | None = None, pairs: Sequence[Sequence[str]] | None = None) -> list[tuple[str, str]]:
    """Which arms are compared: ``reference`` with every other arm at its fault level or suite, then ``pairs``; each pair once.

    Args:
        reference: an arm's name; None = ``learned`` if it ran, else ``privileged``, else none.
        pairs: names of two arms each; None = those of `DEFAULT_PAIRS` that ran.

    Raises ConfigError for a name that is not among ``arms``, or a pair at two fault levels.
    """
    level = {a.name: a.faults for a in arms}
    known = ", ".join(level)
    if reference is None:
        reference = next((n for n in ("learned", "privileged") if n in level), None)
    elif reference not in level:
        raise ConfigError(f"eval.reference is {reference!r}, which is no arm of this evaluation; its arms: {known}")
    out = [] if reference is None else [(reference, b) for b in level if b != reference and level[b] == level[reference]]
    if pairs is None:
        out += [p for p in DEFAULT_PAIRS if set(p) <= set(level) and level[p[0]] == level[p[1]]]
    for pair in pairs or ():
        if len(pair) != 2 or pair[0] == pair[1] or not set(pair) <= set(level):
            raise ConfigError(f"eval.pairs has {list(pair)}; each pair names two arms of this evaluation: {known}")
        if level[pair[0]] != level[pair[1]]:
            raise ConfigError(f"eval.pairs has {list(pair)}, which ran at different fault levels: that is no fair pair")
        out.append((pair[0], pair[1]))
    return [p for i, p in enumerate(out) if p not in out[:i] and p[::-1] not in out[:i]]


def paired_tests(
    rows: Mapping[str, Sequence[Record]],
    arms: Sequence[Arm],
    pairs: Sequence[tuple[str, str]],
    metrics: Sequence[str] = ("declared_sr", "sr"),
) -> list[dict[str, Any]]:
    """`statistics.paired` of every pair and metric.

    ``by_construction`` marks declared success against an arm whose task memory gets Δ = ∅: such an arm completes no goal whatever it does,
    so its declared success is 0 by definition and the difference is no finding.
    """
    idle = {a.name for a in arms if a.task == "none"}
    out = []
    for metric in metrics:
        for first, second in pairs:
            a, b = ([bool(r[metric]) for r in rows[name]] for name in (first, second))
            test = paired(a, b, [r["task"] for r in rows[first]])
            settled = metric == "declared_sr" and bool(idle & {first, second})
            out.append({"metric": metric, "a": first, "b": second, "by_construction": settled, **test.to_dict()})
    return out


def judged_transitions(rows: Sequence[Record]) -> list[Scored]:
    """The agent's own transitions with its world source's answers, one per judged action.

    A step whose judgement was put off until a second look is not counted: the look's row is about both, with the action's own fault.
    """
    return [
        Scored(
            true=Delta.from_json(s["judged"]),
            predicted=Delta.from_json(s["estimate"]),
            confidence=s["confidence"],
            verb=s["verb"],
            fault=s["judged_fault"],
            known=frozenset(s["known"]),
            unseen=frozenset(s["unseen"]),
            did=s["did"],
            success=s["p_success"],
            refused=s["judged_refused"],
            moved=frozenset(s["judged_moved"]),
        )
        for r in rows
        for s in r["trace"]
        if not s["deferred"]
    ]


def delta_quality(rows: Sequence[Record]) -> dict[str, float]:
    """Δ quality of an arm's world source on the agent's own transitions, by the estimator room's definitions."""
    return score(judged_transitions(rows))


def evaluate(
    records: Iterable[Record], arms: Sequence[Arm], reference: str | None = None, pairs: Sequence[Sequence[str]] | None = None
) -> dict[str, Any]:
    """Everything results.json says about the episodes: per arm, split by subset, kind and appearance, paired tests, Δ quality, reliability.

    ``reference`` and ``pairs``: see `pairs_of`.
    """
    compared = pairs_of(arms, reference, pairs)
    rows = by_arm(records, arms)
    learned = [r for rs in rows.values() for r in rs if r["world_source"] == "learned"]
    return {
        "arms": {
            a.name: {
                "world": a.world,
                "task": a.task,
                "faults": a.faults,
                "episodes": len(rows[a.name]),
                "reruns": sum(r["reruns"] for r in rows[a.name]),
                "metrics": {k: v.to_dict() for k, v in arm_metrics(rows[a.name]).items()},
            }
            for a in arms
        },
        "by_subset": _split(rows, lambda r: str(r["subset"])),
        "by_appearance": _split(rows, lambda r: "unseen" if r["novel"] else "seen"),
        "by_kind": _split(rows, lambda r: str(r["kind"])),
        "paired": paired_tests(rows, arms, compared),
        "delta": {a.name: delta_quality(rows[a.name]) for a in arms},
        "reliability_episodes": reliability_bins(judged_transitions(learned)),
    }


def _split(rows: Mapping[str, Sequence[Record]], part: Callable[[Record], str]) -> dict[str, Any]:
    """{part: {arm: success rates}}, parts sorted by name."""
    parts = sorted({part(r) for rs in rows.values() for r in rs})
    return {p: {arm: _short([r for r in rs if part(r) == p]) for arm, rs in rows.items()} for p in parts}


def _short(rows: Sequence[Record]) -> dict[str, Any]:
    metrics = arm_metrics(rows)
    return {name: metrics[name].to_dict() for name in ("sr", "declared_sr", "gc")}


def summary_of(results: Mapping[str, Any]) -> dict[str, float]:
    """Flat ``ARM.metric`` keys of `SUMMARY` for every arm, ``ARM.completions`` (how many a false completion rate rests on), and success
    by subset as ``ARM.SUBSET.metric``."""
    arms = {name: body["metrics"] for name, body in results["arms"].items()}
    flat = {f"{arm}.{key}": metrics[metric]["value"] for arm, metrics in arms.items() for key, metric in SUMMARY.items()}
    flat |= {
        f"{arm}.{subset}.{metric}": short[metric]["value"]
        for subset, by_arm in results.get("by_subset", {}).items()
        for arm, short in by_arm.items()
        for metric in ("sr", "declared_sr", "gc")
    }
    return flat | {f"{arm}.completions": metrics["false_completion_rate"]["n"] for arm, metrics in arms.items()}


def write_json(path: Path, body: Mapping[str, Any]) -> None:
    """Strict, readable JSON; NaN and infinity become null. Written beside and renamed, so a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(json.dumps(_finite(body), indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    part.replace(path)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
