"""A grid's folder made by hand: synthetic records in a real store, real tables, films that need no simulator."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from mimir_learn.evaluation.cells import digest
from mimir_learn.evaluation.grid import Grid, make_grid
from mimir_learn.evaluation.provenance import provenance
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.results import write_json
from mimir_learn.evaluation.store import Store
from mimir_learn.evaluation.strips import data_uri
from mimir_learn.evaluation.tables import tabulate
from mimir_learn.symbols import EMPTY

from .synthetic import PICK, trace

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SUCCESS = {"privileged": 0.95, "learned": 0.85, "schema": 0.5, "none": 0.0, "noisy(0.1)": 0.8, "noisy(0.2)": 0.6}
HARM = {"none": 0.0, "mild": 0.3, "rough": 0.6, "silent": 0.7}
SUBSETS = ("base", "long_horizon", "spatial")


def sources_grid(**more: Any) -> Grid:
    body = {
        "name": "sources",
        "about": "Only the origin of Δ differs.",
        "axes": {"delta": [*SUCCESS], "faults": [*HARM]},
        "checkpoint": "nowhere",
        "table": {"rows": "delta", "columns": "faults", "reference": "learned", "metrics": ["declared_sr", "sr", "wrong_writes"]},
    }
    return make_grid({**body, **more})


def make_folder(folder: Path, grid: Grid | None = None, tasks: int = 12, luck: int = 0) -> Path:
    """Write ``folder/NAME/results.json`` and the store beside; returns the grid's folder. ``luck`` seeds who succeeds."""
    grid = grid or sources_grid()
    store, rows = Store(folder), dict[str, list[Record]]()
    for point in grid.points:
        rng = np.random.default_rng([luck, len(point.cell.delta), len(str(point.cell.faults))])
        rows[point.label] = [_record(point.label, point.cell, i, bool(rng.random() < _chance(point.cell))) for i in range(tasks)]
        for record in rows[point.label]:
            store.append({**record, "trace": _steps(record)})
    failed = {k: [r for r in rs if not r["declared_sr"]] for k, rs in rows.items()}
    attribution = {
        "cells": [
            {
                "label": k,
                "episodes": len(rows[k]),
                "failed": len(rs),
                "causes": {"unnoticed fault": len(rs)} if rs else {},
                "other_faults": 1,
            }
            for k, rs in failed.items()
        ],
        "episodes": {r["key"]: {"cause": "unnoticed fault", "link": "Δ for both"} for rs in failed.values() for r in rs},
    }
    body = {
        "schema_version": 1, "name": grid.name, "about": grid.about, "missing": [], "seeds": [0], "suites": {},
        **tabulate(grid, rows), "attribution": attribution, "episodes": {k: [r["key"] for r in rs] for k, rs in rows.items()},
        "provenance": provenance(estimators={}), "timings": {},
    }  # fmt: skip
    write_json(folder / grid.name / "results.json", body)
    for records in rows.values():
        for record in records:
            write_json(folder / grid.name / "films" / f"{record['key']}.json", _film(record))
    return folder / grid.name


def _chance(cell: Any) -> float:
    return SUCCESS.get(cell.delta, 0.7) ** (1 + 2 * HARM.get(str(cell.faults), 0.5))


def _record(label: str, cell: Any, i: int, ok: bool) -> Record:
    silent = cell.delta == "none"
    scores = dict.fromkeys(("gc", "gc_end", "gc_ever", "gc_compat"), float(ok)) | dict.fromkeys(("declared_sr", "sr_compat"), ok)
    return {
        "key": hashlib.sha256(f"{label}{i}".encode()).hexdigest(),
        "episode": digest([label, i]),
        "task": f"t{i:02d}",
        "subset": SUBSETS[i % 3],
        "kind": ("place", "toggle")[i % 2],
        "novel": i % 4 == 0,
        "instruction": f"Do <b>thing</b> {i}.",
        "arm": cell.delta,
        "world_source": cell.arm.world,
        "task_source": cell.arm.task,
        "variant": cell.variant,
        **scores,
        "sr": ok or (silent and i % 5 == 0),
        "declared": not silent,
        "faults": i % 3,
        "wrong_writes": int(not ok),
        "code": "c", "seed": 0, "goals": {"g1": "mug in sink"}, "n_goals": 1, "rooms": None, "steps": 2, "memory_f1": 0.9, "reruns": 0,
        "false_completions": 0, "completions": 1, "committed": 2, "settings": {}, "task_sha256": "t",
    }  # fmt: skip


def _steps(record: Record) -> list[dict[str, Any]]:
    first = {**trace(PICK, PICK), "mode": "plan"}
    fooled = not record["declared_sr"]
    second = {
        **trace(EMPTY, PICK if fooled else EMPTY, "slip" if fooled else ""),
        "mode": "plan",
        "command": f"put mug_1 at {record['arm']}",
    }
    return [first, second]


def _film(record: Record) -> dict[str, Any]:
    image = data_uri(np.full((8, 8, 3), 90, np.uint8))
    more = {
        "image": image, "depth": image, "hand": None, "tree": [["mug_1", "on", "table_1", [], "learned", [], False]],
        "agenda": [["g1", "pending"]], "candidates": [], "grounded": None, "failed": 0,
    }  # fmt: skip
    head = {k: record[k] for k in ("arm", "task", "seed", "instruction", "goals", "subset", "sr", "declared", "declared_sr", "faults")}
    places = {"places": [["table_1", "kitchen_1"]], "first": image, "first_depth": image, "length": record["steps"]}
    return {**head, **places, "steps": [{**s, **more} for s in _steps(record)]}


def in_browser(page: Path, walk: str, width: int = 1280) -> Any:
    """Open ``page`` in headless Chromium, run ``walk`` in it and return what it left in ``out``, after any error of the page's own."""
    assert CHROMIUM is not None
    watch = "<script>window.errors = []; addEventListener('error', (e) => errors.push(String(e.message || e.target.src)), true);</script>"
    run = f"<script>const out = []; {walk}; document.title = JSON.stringify({{out, errors: window.errors}});</script>"
    text = page.read_text(encoding="utf-8").replace("<head>", f"<head>{watch}", 1).replace("</body>", f"{run}</body>")
    copy = page.with_name("walked.html")
    copy.write_text(text, encoding="utf-8")
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={width},900",
        f"--user-data-dir={page.parent / 'profile'}",
        "--dump-dom",
    ]
    done = subprocess.run([CHROMIUM, *flags, copy.as_uri()], capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None and title[1].startswith("{"), done.stderr[-2000:]
    seen = json.loads(title[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert seen["errors"] == []
    return seen["out"]
