"""Error attribution by counterfactual replay: for every failed episode, the first link whose replacement by the truth makes it succeed.

One link is replaced at a time, the narrowest first, in the order of `LINKS`; everything else of the episode, its faults included, stays as
it was as far as the agent acts alike. Deterministic, and every replay is an episode of the store like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from mimir_learn.agent.variants import UNBOUNDED
from mimir_learn.evaluation.cells import Cell
from mimir_learn.evaluation.perception import EVERYTHING, VISIBLE
from mimir_learn.evaluation.records import Record

if TYPE_CHECKING:
    from mimir_learn.evaluation.experiment import Lab

TRUE = "privileged"
BUDGET = 3
OTHER_FAULTS = 1000
"""Added to the seed to see how many failures other faults alone would have turned into successes."""


@dataclass(frozen=True)
class Link:
    """One replacement: its name, and the cell with it; the same cell where there is nothing to replace."""

    name: str
    mend: Callable[[Cell], Cell]


def _true_for(cell: Cell, *, world: bool, task: bool) -> Cell:
    arm = cell.arm
    w, t = TRUE if world else arm.world, TRUE if task else arm.task
    return replace(cell, delta=w if w == t else f"{w}/{t}")


def _all(cell: Cell) -> Cell:
    return replace(cell, delta=TRUE, perception=EVERYTHING, variant="full", k=UNBOUNDED, budget=BUDGET * cell.budget, faults=0.0)


LINKS = (
    Link("detection", lambda c: c if c.perception == EVERYTHING else replace(c, perception=VISIBLE)),
    Link("recall", lambda c: replace(c, k=UNBOUNDED)),
    Link("Δ for task memory", lambda c: _true_for(c, world=False, task=True)),
    Link("Δ for world memory", lambda c: _true_for(c, world=True, task=False)),
    Link("Δ for both", lambda c: _true_for(c, world=True, task=True)),
    Link("ablated part", lambda c: replace(c, variant="full")),
    Link("sight", lambda c: replace(c, perception=EVERYTHING)),
    Link("budget", lambda c: replace(c, budget=BUDGET * c.budget)),
    Link("faults", lambda c: replace(c, faults=0.0)),
    Link("all at once", _all),
)
CAUSES = (
    "perception", "recall", "unnoticed fault", "wrong Δ written", "Δ missed", "Δ otherwise", "ablated part", "out of sight", "budget",
    "fault not recovered from", "several links", "grounding or plan",
)  # fmt: skip
"""What the table names: which link it was, and for Δ in which way it was wrong."""
_CAUSE = {
    "detection": "perception", "recall": "recall", "sight": "out of sight", "ablated part": "ablated part", "budget": "budget",
    "faults": "fault not recovered from", "all at once": "several links",
}  # fmt: skip


def attribute(lab: Lab, rows: Mapping[str, Sequence[Record]]) -> dict[str, Any]:
    """Replay the failed episodes (declared SR 0) of every point and name the causes.

    Returns {``cells``: one per point with episodes, failed, causes and luck; ``episodes``: key → cause and link}.

    Args:
        lab: runs the replays. rows: a point's label → its records.
    """
    open_: dict[str, list[Record]] = {label: [r for r in rs if not r["declared_sr"]] for label, rs in rows.items()}
    cell_of = {p.label: p.cell for p in lab.grid.points}
    failed = {label: list(rs) for label, rs in open_.items()}
    found: dict[str, dict[str, str]] = {}
    for link in LINKS:
        replays = {}
        for label, left in open_.items():
            mended = link.mend(cell_of[label])
            if left and mended != cell_of[label]:
                replays[label] = lab.jobs(mended, [(r["task"], r["seed"]) for r in left])
        if not replays:
            continue
        lab.run([j for js in replays.values() for j in js], f"replays with the truth for: {link.name}")
        for label, jobs in replays.items():
            saved = {(r["task"], r["seed"]) for r in lab.records(jobs) if r["declared_sr"]}
            for record in [r for r in open_[label] if (r["task"], r["seed"]) in saved]:
                found[label + record["key"]] = {"key": record["key"], "link": link.name, "cause": _cause(link.name, record, lab)}
            open_[label] = [r for r in open_[label] if (r["task"], r["seed"]) not in saved]
    for label, left in open_.items():
        for record in left:
            found[label + record["key"]] = {"key": record["key"], "link": "", "cause": "grounding or plan"}
    luck = _luck(lab, failed)
    cells = []
    for label, lost in failed.items():
        causes = Counter(found[label + r["key"]]["cause"] for r in lost)
        cells.append(
            {
                "label": label,
                "episodes": len(rows[label]),
                "failed": len(lost),
                "causes": {c: causes[c] for c in CAUSES if causes[c]},
                "other_faults": luck[label],
            }
        )
    return {"cells": cells, "episodes": {f["key"]: {"cause": f["cause"], "link": f["link"]} for f in found.values()}}


def _cause(link: str, record: Record, lab: Lab) -> str:
    """The name of a link; for Δ, in which way what world memory was told first went wrong."""
    if link in _CAUSE:
        return _CAUSE[link]
    if record["task_source"] == "none" or record["world_source"] == "none":
        return "Δ missed"
    if record["task_source"] != record["world_source"]:
        return "Δ otherwise"  # the trace tells of world memory's source only
    for step in lab.store.trace(record):
        if step["wrong"] or step["missed"]:
            if step["judged_fault"]:
                return "unnoticed fault"
            return "wrong Δ written" if step["wrong"] else "Δ missed"
    return "Δ otherwise"


def _luck(lab: Lab, failed: Mapping[str, Sequence[Record]]) -> dict[str, int]:
    """How many failed episodes succeed with nothing replaced, under other fault draws: what any change of course would bring by chance."""
    again = {}
    for point in lab.grid.points:
        if lost := [(r["task"], r["seed"]) for r in failed[point.label]]:
            again[point.label] = lab.jobs(point.cell, lost, shift=OTHER_FAULTS)
    if again:
        lab.run([j for js in again.values() for j in js], "replays under other faults")
    return {label: sum(bool(r["declared_sr"]) for r in lab.records(again[label])) if label in again else 0 for label in failed}


def frame_of(attribution: Mapping[str, Any]) -> pd.DataFrame:
    """Counts of causes, one line per point; only causes that occur."""
    used = [c for c in CAUSES if any(c in x["causes"] for x in attribution["cells"])]
    lines = [
        {
            "cell": x["label"],
            "episodes": x["episodes"],
            "failed": x["failed"],
            **{c: x["causes"].get(c, 0) for c in used},
            "(other faults alone)": x["other_faults"],
        }
        for x in attribution["cells"]
    ]
    return pd.DataFrame(lines)


def write_chart(attribution: Mapping[str, Any], path: Path) -> None:
    """Stacked bars: the share of all episodes that failed, by cause."""
    from matplotlib import colormaps, rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    cells = [c for c in attribution["cells"] if c["episodes"]]
    used = [c for c in CAUSES if any(c in x["causes"] for x in cells)]
    figure = Figure(figsize=(9, 1.2 + 0.32 * len(cells)), layout="constrained")
    axes = figure.add_subplot()
    left = [0.0] * len(cells)
    for cause in used:
        shares = [100 * x["causes"].get(cause, 0) / x["episodes"] for x in cells]
        axes.barh([x["label"] for x in cells], shares, left=left, label=cause, color=colormaps["tab20"](CAUSES.index(cause)))
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("failed episodes by first wrong link, % of all")
    if used:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    with rc_context({"svg.hashsalt": "mimir"}):  # the same results give the same bytes
        FigureCanvasSVG(figure).print_svg(str(path), metadata={"Date": None})
