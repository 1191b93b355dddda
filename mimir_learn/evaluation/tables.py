"""A grid's records as tables: scores with intervals, and every row tested against the reference row with Holm's correction.

A verdict is a word only where interval and corrected p allow one: ``better`` or ``worse`` when p ≤ 0.05 after Holm over the whole table and
the interval excludes 0, ``alike`` when the whole interval of a rate lies within `ALIKE`, else nothing is claimed. (A bootstrap interval, as
of means, can have no width at all and bears no such word.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from mimir_learn.evaluation.grid import Grid, Layout
from mimir_learn.evaluation.measures import BESIDE, GOOD, RATES, SHARES, value
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.statistics import LEVEL, Interval, effect_size, holm, minimum_detectable, paired, paired_mean, spread

ALL = "all"
"""The column of all subsets together, in front of theirs."""
ALIKE = 0.05
"""Two rates whose difference surely lies within this are called alike."""


def tabulate(grid: Grid, rows: Mapping[str, Sequence[Record]]) -> dict[str, Any]:
    """``cells`` (every cell's scores, by subset too, and where its variance comes from) and ``tables``.

    Args:
        rows: a point's label → its records, in one order (task, seed).
    """
    cells = [
        {
            "at": dict(p.at),
            "cell": asdict(p.cell),
            "episodes": len(rows[p.label]),
            "reruns": sum(r["reruns"] for r in rows[p.label]),
            "scores": {m: value(rows[p.label], m).to_dict() for m in BESIDE},
            "by_subset": {
                subset: {m: value(part, m).to_dict() for m in ("declared_sr", "sr", "gc")}
                for subset, part in _split(rows[p.label], "subset").items()
            },
            "spread": _spread(rows[p.label]),
        }
        for p in grid.points
    ]
    tables = [t for where in _others(grid) for t in _tables(grid, where, rows)]
    for table in tables:
        _correct(table)
    return {"layout": asdict(grid.layout), "cells": cells, "tables": tables}


def _spread(rows: Sequence[Record]) -> dict[str, Any] | None:
    """Standard deviations of declared SR between tasks and between seeds; None with one seed."""
    found = spread([float(r["declared_sr"]) for r in rows], [r["task"] for r in rows], [r["seed"] for r in rows])
    return None if found is None else asdict(found)


def _others(grid: Grid) -> Iterator[dict[str, str]]:
    """Values of the axes that are neither rows nor columns: one set of tables each."""
    rest = [a for a in grid.axes if a not in (grid.layout.rows, grid.layout.columns)]
    yield from (dict(w) for w in dict.fromkeys(tuple((a, p.at[a]) for a in rest) for p in grid.points))


def _tables(grid: Grid, where: Mapping[str, str], rows: Mapping[str, Sequence[Record]]) -> Iterator[dict[str, Any]]:
    layout = grid.layout
    parts: dict[tuple[str, str], list[Record]] = {}
    for point in grid.points:
        if all(point.at[a] == v for a, v in where.items()):
            for column, part in _columns(layout, point.at, rows[point.label]).items():
                parts[point.at[layout.rows], column] = part
    columns = _in_order(grid, {c for _, c in parts})
    for metric in layout.metrics:
        yield {
            "metric": metric,
            "where": dict(where),
            "rows": [r for r in grid.labels(layout.rows) if any((r, c) in parts for c in columns)],
            "columns": columns,
            "values": [{"row": r, "column": c, **value(part, metric).to_dict()} for (r, c), part in parts.items()],
            "tests": [] if layout.reference is None else list(_tests(layout, columns, parts, metric)),
        }


def _columns(layout: Layout, at: Mapping[str, str], rows: Sequence[Record]) -> dict[str, list[Record]]:
    if layout.columns is None:
        return {"": list(rows)}
    if layout.columns in at:
        return {at[layout.columns]: list(rows)}
    parts = _split(rows, layout.columns)
    return {ALL: list(rows), **parts} if layout.columns == "subset" and len(parts) > 1 else parts


def _split(rows: Sequence[Record], name: str) -> dict[str, list[Record]]:
    read: dict[str, Callable[[Record], Any]] = {
        "subset": lambda r: r["subset"], "kind": lambda r: r["kind"], "goals": lambda r: r["n_goals"], "rooms": lambda r: r["rooms"],
        "appearance": lambda r: "unseen" if r["novel"] else "seen",
    }  # fmt: skip
    out: dict[str, list[Record]] = {}
    for record in rows:
        out.setdefault(str(read[name](record)), []).append(record)
    return out


def _in_order(grid: Grid, names: set[str]) -> list[str]:
    """Columns as in the grid file, or else sorted, numbers by size, and all subsets together first."""
    if grid.layout.columns in grid.axes:
        return [c for c in grid.labels(str(grid.layout.columns)) if c in names]
    return sorted(names, key=lambda n: (n != ALL, not n.isdigit(), int(n) if n.isdigit() else 0, n))


# ---- tests ---------------------------------------------------------------------------------------------------------


def _tests(
    layout: Layout, columns: Sequence[str], parts: Mapping[tuple[str, str], Sequence[Record]], metric: str
) -> Iterator[dict[str, Any]]:
    """Every row minus the reference, column by column. Rows that ran other tasks or seeds are passed over."""
    assert layout.reference is not None
    if metric in SHARES:
        return
    for column in columns:
        reference = parts.get((layout.reference, column))
        for (row, other), rows in parts.items():
            if other != column or row == layout.reference or reference is None:
                continue
            if [(r["task"], r["seed"]) for r in rows] != [(r["task"], r["seed"]) for r in reference]:
                continue
            yield {"row": row, "reference": layout.reference, "column": column, **_test(rows, reference, metric)}


def _test(rows: Sequence[Record], reference: Sequence[Record], metric: str) -> dict[str, Any]:
    tasks = [r["task"] for r in rows]
    if metric in RATES:
        a, b = [bool(r[metric]) for r in rows], [bool(r[metric]) for r in reference]
        test = paired(a, b, tasks)
        rate = sum(b) / len(b)
        return {
            "difference": test.difference.to_dict(),
            "p": test.p,
            "mcnemar": test.mcnemar,
            "effect": effect_size(sum(a) / len(a), rate),
            "detectable": minimum_detectable(a, b, tasks),
            "ratio": sum(a) / sum(b) if sum(b) else None,
            "by_construction": metric in ("declared_sr", "declared") and _idle(rows) != _idle(reference),
        }
    both = [(x, y) for x, y in zip(rows, reference, strict=True) if x[metric] is not None and y[metric] is not None]
    if not both:
        return {"difference": Interval(0.0, 0.0, 0.0, 0).to_dict(), "p": 1.0, "by_construction": False}
    xs, ys = [float(x[metric]) for x, _ in both], [float(y[metric]) for _, y in both]
    difference, p = paired_mean(xs, ys, [x["task"] for x, _ in both])
    deviation = float(np.std(np.subtract(xs, ys), ddof=1)) if len(xs) > 1 else 0.0
    effect = difference.value / deviation if deviation > 0 else 0.0
    return {"difference": difference.to_dict(), "p": p, "effect": effect, "by_construction": False}


def _idle(rows: Sequence[Record]) -> bool:
    """Task memory is given Δ = ∅ and completes goals through Δ alone: such an arm can declare nothing, whatever it does."""
    return all(r["task_source"] == "none" and "no_task_memory" not in r["variant"] for r in rows)


def _correct(table: dict[str, Any]) -> None:
    """Holm over a table's tests, those that are so by construction left out; and the verdicts."""
    counted = [t for t in table["tests"] if not t["by_construction"]]
    for test, p in zip(counted, holm([t["p"] for t in counted]), strict=True):
        test["p_holm"] = p
    for test in table["tests"]:
        test["verdict"] = verdict(test, table["metric"])


def verdict(test: Mapping[str, Any], metric: str) -> str:
    """One word, or none where nothing may be claimed."""
    if test["by_construction"]:
        return "by construction"
    low, high = test["difference"]["low"], test["difference"]["high"]
    if test["p_holm"] <= 1 - LEVEL and (low > 0 or high < 0):
        return "better" if (low > 0) == (metric in GOOD) else "worse"
    if metric in RATES and low >= -ALIKE and high <= ALIKE:
        return "alike"
    return ""
