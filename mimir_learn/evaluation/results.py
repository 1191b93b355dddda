"""Episode records → scores with intervals, paired tests, Δ quality, and the flat summary a script reads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import Arm
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.statistics import Interval, mean_by_task, paired, ratio_by_task, wilson

RATES = ("sr", "declared_sr", "declared")
MEANS = (
    "gc",
    "gc_end",
    "gc_ever",
    "steps",
    "invalid",
    "look_agains",
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
RATIOS = {"false_completion_rate": ("false_completions", "completions"), "wrong_write_rate": ("wrong_writes", "committed")}
SUMMARY = {
    "sr": "sr",
    "declared_sr": "declared_sr",
    "gc": "gc",
    "steps": "steps",
    "invalid_actions": "invalid",
    "look_agains": "look_agains",
    "memory_f1": "memory_f1",
    "wrong_writes_per_episode": "wrong_writes",
    "false_completion_rate": "false_completion_rate",
}
"""Key in summary.json → metric of an arm."""


def by_arm(records: Iterable[Record], arms: Sequence[Arm]) -> dict[str, list[Record]]:
    """Records of each arm in one common order (task, seed).

    Raises ConfigError when an arm has no records or the arms did not run the same episodes.
    """
    out: dict[str, list[Record]] = {a.name: [] for a in arms}
    for record in records:
        if record["arm"] in out:
            out[record["arm"]].append(record)
    keys: dict[str, list[tuple[str, int]]] = {}
    for name, rows in out.items():
        rows.sort(key=lambda r: (r["task"], r["seed"]))
        keys[name] = [(r["task"], r["seed"]) for r in rows]
        if not rows:
            raise ConfigError(f"no episodes of arm {name!r} are recorded; run `mimir eval` to the end")
        if keys[name] != keys[arms[0].name]:
            raise ConfigError(f"arms {arms[0].name!r} and {name!r} did not run the same episodes; run `mimir eval` to the end")
    return out


def arm_metrics(rows: Sequence[Record]) -> dict[str, Interval]:
    """All scores of one arm. Rates get Wilson intervals while every task was run once, a bootstrap by task otherwise."""
    tasks = [r["task"] for r in rows]
    once = len(set(tasks)) == len(tasks)
    out: dict[str, Interval] = {}
    for name in RATES:
        hits = [bool(r[name]) for r in rows]
        out[name] = wilson(sum(hits), len(hits)) if once else mean_by_task([float(h) for h in hits], tasks)
    for name in MEANS:
        given = [(float(r[name]), r["task"]) for r in rows if r[name] is not None]
        out[name] = mean_by_task([v for v, _ in given], [t for _, t in given])
    for name, (top, bottom) in RATIOS.items():
        out[name] = ratio_by_task([r[top] for r in rows], [r[bottom] for r in rows], tasks)
    return out


def paired_tests(
    rows: Mapping[str, Sequence[Record]], arms: Sequence[Arm], reference: str = "learned", metrics: Sequence[str] = ("declared_sr", "sr")
) -> list[dict[str, Any]]:
    """``reference`` against every other arm at the same fault level (its no-fault arm left out)."""
    level = {a.name: a.faults for a in arms}
    if reference not in level:
        return []
    out = []
    for metric in metrics:
        for other in level:
            if other == reference or level[other] != level[reference]:
                continue
            a, b = ([bool(r[metric]) for r in rows[name]] for name in (reference, other))
            test = paired(a, b, [r["task"] for r in rows[reference]])
            out.append({"metric": metric, "a": reference, "b": other, **test.to_dict()})
    return out


def delta_quality(rows: Sequence[Record]) -> dict[str, float]:
    """Δ quality of an arm's world source on the agent's own transitions, by the estimator room's definitions."""
    from mimir_learn.estimator.metrics import Scored, score
    from mimir_learn.symbols import Delta

    items = [
        Scored(
            true=Delta.from_json(s["judged"]),
            predicted=Delta.from_json(s["estimate"]),
            confidence=s["confidence"],
            verb=s["verb"],
            fault=s["fault"],
            known=frozenset(s["known"]),
            unseen=frozenset(s["unseen"]),
            did=s["did"],
            success=s["p_success"],
        )
        for r in rows
        for s in r["trace"]
    ]
    return score(items)


def evaluate(records: Iterable[Record], arms: Sequence[Arm]) -> dict[str, Any]:
    """Everything results.json says about the episodes: per arm, per kind of task, paired tests, Δ quality, what happened on the way."""
    rows = by_arm(records, arms)
    kinds = sorted({r["kind"] for rs in rows.values() for r in rs})
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
        "by_kind": {kind: {a.name: _short([r for r in rows[a.name] if r["kind"] == kind]) for a in arms} for kind in kinds},
        "paired": paired_tests(rows, arms),
        "delta": {a.name: delta_quality(rows[a.name]) for a in arms},
    }


def _short(rows: Sequence[Record]) -> dict[str, Any]:
    metrics = arm_metrics(rows)
    return {name: metrics[name].to_dict() for name in ("sr", "declared_sr", "gc")}


def summary_of(results: Mapping[str, Any]) -> dict[str, float]:
    """Flat ``ARM.metric`` keys of `SUMMARY` for every arm."""
    return {f"{arm}.{key}": body["metrics"][metric]["value"] for arm, body in results["arms"].items() for key, metric in SUMMARY.items()}


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
