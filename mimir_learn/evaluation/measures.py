"""The scores a table may show: what each is called, what kind of number it is, and its interval over some episodes."""

from __future__ import annotations

from collections.abc import Sequence

from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.results import RATIOS
from mimir_learn.evaluation.statistics import Interval, mean_by_task, proportion_by_task

RATES = {"declared_sr": "declared SR", "sr": "SR", "declared": "declared", "sr_compat": "SR, EmbodiedBench compat"}
MEANS = {
    "gc": "GC", "gc_end": "GC at the end", "gc_ever": "GC, monotone", "gc_compat": "GC, EmbodiedBench compat", "steps": "steps",
    "invalid": "refused actions", "failed_actions": "failed actions", "look_agains": "look-agains", "memory_f1": "memory F1",
    "memory_recall_seen": "memory recall of what was seen", "wrong_writes": "wrong writes", "missed_writes": "missed writes",
    "faults": "faults", "cpu_s": "CPU seconds",
}  # fmt: skip
SHARES = {
    "false_completion_rate": "false completions", "wrong_write_rate": "wrong writes per write", "write_coverage": "true changes written",
    "fault_rate": "faults per step",
}  # fmt: skip
_PARTS = {**RATIOS, "write_coverage": ("right_writes", "true_changes")}
KNOWN = (*RATES, *MEANS, *SHARES)
PERCENT = (*RATES, "gc", "gc_end", "gc_ever", "gc_compat", *SHARES)
GOOD = (*RATES, "gc", "gc_end", "gc_ever", "gc_compat", "memory_f1", "memory_recall_seen", "write_coverage")
"""More of it is better; of all others, less is."""
BESIDE = (
    "declared_sr", "sr", "gc", "gc_end", "gc_ever", "sr_compat", "gc_compat", "false_completion_rate", "wrong_writes", "memory_f1", "steps",
)  # fmt: skip
"""Scores kept of every cell, whichever are laid out in tables."""


def name_of(metric: str) -> str:
    return {**RATES, **MEANS, **SHARES}[metric]


def value(rows: Sequence[Record], metric: str) -> Interval:
    """A score of some episodes with its interval; the task is the unit, see docs/evaluation.md."""
    tasks = [r["task"] for r in rows]
    if metric in RATES:
        return proportion_by_task([float(r[metric]) for r in rows], [1.0] * len(rows), tasks)
    if metric in SHARES:
        top, bottom = _PARTS[metric]
        return proportion_by_task([r[top] for r in rows], [r[bottom] for r in rows], tasks)
    given = [(float(r[metric]), r["task"]) for r in rows if r[metric] is not None]
    return mean_by_task([v for v, _ in given], [t for _, t in given])
