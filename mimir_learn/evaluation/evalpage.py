"""What an evaluation's report shows beside its own tables, where arms and records allow: fault curves, gaps, risk and coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mimir_learn.evaluation import blocks, curves
from mimir_learn.evaluation.blocks import Block
from mimir_learn.evaluation.films import films
from mimir_learn.evaluation.gridpage import gap_section
from mimir_learn.evaluation.measures import PERCENT, name_of
from mimir_learn.evaluation.plots import colours
from mimir_learn.evaluation.reading import Run
from mimir_learn.evaluation.recording import recorder_into
from mimir_learn.evaluation.results import judged_transitions
from mimir_learn.evaluation.typeset import latex, markdown

PAPER = ("sr", "declared_sr", "gc", "steps", "memory_f1", "wrong_writes", "false_completion_rate")


def write_evaluation(run: Run, page: Path, strips: Sequence[Mapping[str, Any]], rerun: bool) -> None:
    """Write the page of an evaluation, its tables and, if asked for, recordings of the episodes it has filmed."""
    from mimir_learn.evaluation.report import write_report

    files = write_paper(run.body, page.parent)
    if rerun:
        wanted = {(s["arm"], s["task"], s["seed"]) for s in strips}
        chosen = [(a, r) for a, rs in run.rows.items() for r in rs if (a, r["task"], r["seed"]) in wanted]
        made, troubles = films(run, chosen, recorder_into(page.parent))
        for line in troubles:
            print(f"report: {line}")
        files.append(f"{len(made)} recordings in rerun/")
    write_report(run.body, page, strips, sections(run), ", ".join(files))


def sections(run: Run) -> list[Block]:
    """Those that the arms and records allow."""
    groups = by_faults(run.body["arms"])
    tints = colours(list(dict.fromkeys(s for ls in groups.values() for s in ls)))
    found = [_faults(run.body["arms"], groups, tints)]
    if run.rows:
        found += [gap_section(groups, run.rows, tints), _risk(run)]
    return [s for s in found if s is not None]


def by_faults(arms: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Fault setting → Δ-source → arm."""
    out: dict[str, dict[str, str]] = {}
    for name, body in arms.items():
        source = body["world"] if body["world"] == body["task"] else f"{body['world']}/{body['task']}"
        faults = body["faults"] if isinstance(body["faults"], str) else f"{body['faults']:g}"
        out.setdefault(faults, {})[source] = name
    return out


def _faults(arms: Mapping[str, Any], groups: Mapping[str, Mapping[str, str]], tints: Mapping[str, str]) -> Block | None:
    if len(groups) < 2:
        return None
    items = []
    for metric, title in (("declared_sr", "Declared SR"), ("sr", "SR")):
        series: dict[str, dict[str, Mapping[str, float]]] = {}
        for faults, of in groups.items():
            for source, arm in of.items():
                series.setdefault(source, {})[faults] = arms[arm]["metrics"][metric]
        several = {s: by for s, by in series.items() if len(by) > 1}
        if several:
            items.append((curves.against_faults(several, tints, title), ""))
    if not items:
        return None
    return blocks.section("faults", "Success against faults", "Bands and bars are 95 % intervals.", blocks.figures(*items))


def _risk(run: Run) -> Block | None:
    learned = [a for a in run.rows if run.source(a).partition("/")[0] == "learned"]
    found = {a: curves.risk_curve(judged_transitions([{"trace": run.steps(r)} for r in run.rows[a]])) for a in learned}
    drawn = {a: c for a, c in found.items() if c}
    if not drawn:
        return None
    svg = curves.risk_lines(drawn, colours(list(drawn)), "Risk and coverage, learned")
    said = "Changes the agent's own transitions were said to make, the surest first; dashed: one wrong in a hundred."
    return blocks.section("risk", "Risk and coverage", "", blocks.figures((svg, said)))


def write_paper(results: Mapping[str, Any], folder: Path) -> list[str]:
    """``tables.md``, ``tables.tex`` and ``scores.csv`` of an evaluation's arms; returns their names."""
    flat = [{"arm": a, "metric": m, **v} for a, body in results["arms"].items() for m, v in body["metrics"].items()]
    lines = []
    for arm, body in results["arms"].items():
        cells = {"Δ-source": arm}
        for m in PAPER:
            v, (factor, digits) = body["metrics"][m], (100, 1) if m in PERCENT else (1, 2)
            name = name_of(m) + (" %" if m in PERCENT else "")
            cells[name] = (
                f"{factor * v['value']:.{digits}f} [{factor * v['low']:.{digits}f}, {factor * v['high']:.{digits}f}]" if v["n"] else "–"
            )
        lines.append(cells)
    frame = pd.DataFrame(lines)
    (folder / "tables.md").write_text(f"# {results['title']}\n\n{results['subtitle']}\n\n{markdown(frame)}\n", encoding="utf-8")
    (folder / "tables.tex").write_text(latex(frame, results["title"]), encoding="utf-8")
    pd.DataFrame(flat).to_csv(folder / "scores.csv", index=False)
    return ["tables.tex", "tables.md", "scores.csv"]
