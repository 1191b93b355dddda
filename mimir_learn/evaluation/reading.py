"""Opens a folder of results, of `mimir eval` or of a grid: scores, episode records by arm, their steps, and what runs one again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError, MimirError
from mimir_learn.evaluation.arms import parse_arm
from mimir_learn.evaluation.cells import Cell, Ground, code_of, content, digest, task_sha256
from mimir_learn.evaluation.jobs import EpisodeSettings, Job
from mimir_learn.evaluation.records import EpisodeKey, Record, read_records
from mimir_learn.evaluation.store import RECORDS, Store
from mimir_learn.evaluation.suite import Suite, SuiteTask
from mimir_learn.feedback.gate import GateConfig

RESULTS = "results.json"
SIZES = (128, 64, 96, 224, 256)
"""Image sizes tried where the results do not say theirs; the right one is known by its hash."""


@dataclass
class Run:
    """Results read from a folder.

    Attributes:
        folder: where results.json lies.
        grid: whether it is an experiment grid's.
        body: results.json.
        rows: arm, or a grid point's label → its records in one order (task, seed); empty where there are none (see ``why``).
        at: label → its axes and values; for an evaluation's arms just {"arm": name}.
        why: why there are no records, "" where there are.
        steps: gives a record's steps.
        job: makes the job that runs a record's episode again; raises MimirError where that is not possible.
    """

    folder: Path
    grid: bool
    body: dict[str, Any]
    rows: dict[str, list[Record]] = field(default_factory=dict)
    at: dict[str, dict[str, str]] = field(default_factory=dict)
    why: str = ""
    steps: Callable[[Record], list[dict[str, Any]]] = lambda record: list(record["trace"])
    job: Callable[[str, Record], Job] = field(default=lambda label, record: _refuse("its task is not known"))

    @property
    def name(self) -> str:
        return str(self.body.get("name") or self.body.get("title") or self.folder.name)

    def source(self, label: str) -> str:
        """``WORLD/TASK`` or the one source that feeds both memories."""
        if self.grid:
            return next((c["cell"]["delta"] for c in self.body["cells"] if c["at"] == self.at[label]), "")
        body = self.body["arms"][label]
        return str(body["world"] if body["world"] == body["task"] else f"{body['world']}/{body['task']}")


def open_run(folder: Path) -> Run:
    """Read a results folder. Raises ConfigError when it holds no results, or damaged ones."""
    path = folder / RESULTS
    if not path.is_file():
        raise ConfigError(f"no {RESULTS} in {folder}{_near(folder)}; run `mimir eval` first")
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as e:  # no JSON, or not even UTF-8
        raise ConfigError(f"{path} is damaged: {e}; run `mimir eval` again") from e
    if not isinstance(body, dict) or not ("cells" in body or "arms" in body):
        raise ConfigError(f"{path} is neither an evaluation's nor a grid's; run `mimir eval` again")
    return _grid_run(folder, body) if "cells" in body else _eval_run(folder, body)


def _near(folder: Path) -> str:
    found = sorted(p.parent.name for p in folder.glob(f"*/{RESULTS}")) if folder.is_dir() else []
    return f" (there are in its folders {', '.join(found)}: name one of them)" if found else ""


def _refuse(why: str) -> Any:
    raise MimirError(f"the episode cannot be run again: {why}")


# ---- an evaluation -------------------------------------------------------------------------------------------------


def _eval_run(folder: Path, body: dict[str, Any]) -> Run:
    run = Run(folder, False, body, at={a: {"arm": a} for a in body["arms"]})
    path = folder / "records.jsonl"
    if not path.is_file():
        run.why = f"there is no {path.name} beside {RESULTS}"
        return run
    rows: dict[str, list[Record]] = {a: [] for a in body["arms"]}
    for record in read_records(path):
        if record["arm"] in rows:
            rows[record["arm"]].append(record)
    run.rows = {a: sorted(rs, key=_order) for a, rs in rows.items()}
    run.job = lambda label, record: _eval_job(body, label, record)
    return run


def _eval_job(body: Mapping[str, Any], label: str, record: Record) -> Job:
    config = (body.get("provenance") or {}).get("config")
    if not config:
        return _refuse(f"{RESULTS} does not say with which settings it ran")
    suite = Suite.load(Path(config["suite"]))
    task = next((t for t in suite.tasks if t.task.id == record["task"]), None)
    if task is None or suite.sha256 != body["settings"]["suite_sha256"]:
        return _refuse(f"{config['suite']} is no longer the suite it ran on")
    settings = EpisodeSettings(
        config["image_size"], config["feedback_text"], config["checkpoint"], GateConfig.recorded(config["gate"]), config["silent"]
    )
    arm = body["arms"][label]
    spec = f"{arm['world']}/{arm['task']}" if arm["world"] != arm["task"] else arm["world"]
    return Job(EpisodeKey(label, record["task"], record["seed"]), parse_arm(spec, arm["faults"]), task, settings)


# ---- a grid --------------------------------------------------------------------------------------------------------


def _grid_run(folder: Path, body: dict[str, Any]) -> Run:
    run = Run(folder, True, body, at={", ".join(c["at"].values()): dict(c["at"]) for c in body["cells"]})
    if not (folder.parent / RECORDS).is_file():
        run.why = f"there is no {RECORDS} in {folder.parent}"
        return run
    store = Store(folder.parent)
    tasks = _Tasks(folder.parent / "suites")
    named: Mapping[str, Sequence[str]] = body.get("episodes") or {}
    for label, spec in zip(run.at, body["cells"], strict=True):
        keys = named.get(label) or _keys(body, spec, tasks, store)
        found = [r for k in keys if (r := store.get(k)) is not None]
        if len(found) != spec["episodes"]:
            run.rows, run.why = {}, f"{folder.parent / RECORDS} no longer matches: {len(found)} of {spec['episodes']} episodes of {label}"
            return run
        run.rows[label] = sorted(found, key=_order)
    run.steps = store.trace
    cells = {label: Cell(**spec["cell"]) for label, spec in zip(run.at, body["cells"], strict=True)}
    run.job = lambda label, record: _grid_job(body, cells[label], label, record, tasks)
    return run


def _order(record: Record) -> tuple[str, int]:
    return record["task"], record["seed"]


class _Tasks:
    """Tasks of the suites a grid ran on, read once each; those of a suite that is not there any more are just missing."""

    def __init__(self, made: Path) -> None:
        self.made, self._read = made, dict[str, tuple[SuiteTask, ...]]()

    def of(self, cell: Cell, number: int | None = None) -> list[SuiteTask]:
        """Tasks of a cell: ``number`` as chosen by the grid, all where None."""
        paths = [Path(cell.suite)] if cell.rooms is None else sorted(self.made.glob(f"rooms-{cell.rooms}-*.json"))
        out: list[SuiteTask] = []
        for path in paths:
            if not path.is_file():
                continue
            suite = Suite.load(path)
            out += suite.select(cell.subsets if cell.rooms is None else None, number if cell.rooms is None else None)
        return out


def _ground(body: Mapping[str, Any]) -> Ground:
    made = body["provenance"]
    packages = {k: v for k, v in made["versions"].items() if k in ("python", "numpy", "mujoco", "torch")}
    return Ground(made["vocabulary_sha256"], made["source_sha256"], packages, made["estimators"])


def _settings(body: Mapping[str, Any], cell: Cell, size: int) -> EpisodeSettings:
    return cell.settings(GateConfig.recorded(body["provenance"]["gate"]), size)


def _keys(body: Mapping[str, Any], spec: Mapping[str, Any], tasks: _Tasks, store: Store) -> list[str]:
    """Content keys of a point's episodes, computed again from what the results say they rest on."""
    cell, ground, seeds = Cell(**spec["cell"]), _ground(body), body["seeds"]
    code, wanted = code_of(cell, ground), tasks.of(cell, max(1, spec["episodes"] // len(seeds)))
    for size in _sizes(body):
        settings = _settings(body, cell, size)
        contents = (content(cell, t, s, settings, ground) for t in wanted for s in seeds)
        keys = [digest({"episode": digest(c), "code": code}) for c in contents]
        if found := [k for k in keys if store.get(k) is not None]:
            return found
    return []


def _sizes(body: Mapping[str, Any]) -> Sequence[int]:
    said = body["provenance"].get("image_size")
    return SIZES if said is None else (said,)


def _grid_job(body: Mapping[str, Any], cell: Cell, label: str, record: Record, tasks: _Tasks) -> Job:
    task = next((t for t in tasks.of(cell) if task_sha256(t) == record["task_sha256"]), None)
    if task is None:
        return _refuse(f"{cell.suite} no longer holds the task it ran on")
    for size in _sizes(body):
        settings = _settings(body, cell, size)
        if digest(content(cell, task, record["seed"], settings, _ground(body))) == record["episode"]:
            return Job(EpisodeKey(label, record["task"], record["seed"]), cell.arm, task, settings)
    return _refuse("its settings are not those of its record")
