"""A grid's report: its page with films, its tables for papers, and recordings for Rerun."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import blocks, gridpage
from mimir_learn.evaluation.films import choose_films, films
from mimir_learn.evaluation.measures import BESIDE, PERCENT, name_of
from mimir_learn.evaluation.page import viewer, write_page
from mimir_learn.evaluation.quality import delta_section
from mimir_learn.evaluation.reading import Run
from mimir_learn.evaluation.recording import recorder_into
from mimir_learn.evaluation.typeset import write_tables


def write_grid(run: Run, page: Path, most: int, rerun: bool) -> None:
    """Write the page, tables and recordings of a grid. Raises ConfigError when its results are from another version."""
    try:
        grid = gridpage.Grid(run)
        sections = gridpage.sections(grid)
        cards, lines = gridpage.cards(grid), gridpage.subtitle(grid)
    except (KeyError, TypeError) as e:
        raise ConfigError(
            f"these results cannot be reported ({type(e).__name__}: {e}); they are from another version: run `mimir eval --grid` again"
        ) from e
    labels = {g: [ls[n] for n in grid.names if n in ls] for g, ls in grid.groups().items()}
    if (found := delta_section(run, labels, grid.first)) is not None:
        sections.append(found)
    strips, troubles = films(run, choose_films(run.rows, _order(grid, labels), most), recorder_into(page.parent) if rerun else None)
    if run.why:
        troubles.append(f"{run.why}: no films, splits and gaps.")
    write_tables(run.body, page.parent)
    context = {
        "title": run.body["name"].replace("_", " "),
        "about": run.body["about"],
        "lines": lines,
        "cards": cards,
        "contents": [(s["id"], _short(s["title"])) for s in sections]
        + ([("episodes", "Episodes")] if strips else [])
        + [("made", "Method")],
        "sections": sections,
        "troubles": troubles,
        "files": _files(page.parent),
        "made": [blocks.folded("All scores of all cells", _everything(grid))],
        "provenance": json.dumps(run.body["provenance"], indent=1, ensure_ascii=False, default=str),
        **viewer(strips),
    }
    write_page("grid.html.j2", context, page)


def _order(grid: gridpage.Grid, labels: dict[str, list[str]]) -> list[str]:
    """Labels in the order in which they are filmed: those of the first group, the reference before all."""
    return sorted(labels[grid.first], key=lambda label: grid.run.at[label][grid.rows_of] != grid.reference)


def _short(title: str) -> str:
    return title.partition(",")[0]


def _files(folder: Path) -> str:
    known = ("tables.tex", "tables.md", "scores.csv", "tests.csv", "attribution.csv", "attribution.svg")
    there = [n for n in known if (folder / n).is_file()]
    recordings = sorted((folder / "rerun").glob("*.rrd"))
    return ", ".join(there) + (f", and {len(recordings)} recordings in rerun/" if recordings else "")


def _everything(grid: gridpage.Grid) -> blocks.Block:
    metrics: Sequence[str] = [m for m in BESIDE if m in grid.body["cells"][0]["scores"]]
    rows = []
    for cell in grid.body["cells"]:
        cells: list[Any] = [blocks.score(cell["scores"].get(m), m) | {"bar": None} for m in metrics]
        rows.append(
            blocks.row(", ".join(cell["at"].values()), [blocks.plain(str(cell["episodes"])), *cells], grid.tints[cell["at"][grid.rows_of]])
        )
    return blocks.table(["cell", "episodes", *(name_of(m) + (" %" if m in PERCENT else "") for m in metrics)], rows)
