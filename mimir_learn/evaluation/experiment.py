"""``mimir eval --grid``: the episodes of a grid in one parallel pool, each one once, then tables, tests and the causes of failure."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.backends import LOKY, check_backend
from mimir_learn.evaluation.caveats import UNCALIBRATED
from mimir_learn.evaluation.cells import Cell, Ground, code_of, content, digest, task_sha256
from mimir_learn.evaluation.checks import probe_drawing
from mimir_learn.evaluation.compat import compat_scores
from mimir_learn.evaluation.grid import Grid, Point, load_grid
from mimir_learn.evaluation.jobs import Job
from mimir_learn.evaluation.progress import Progress
from mimir_learn.evaluation.provenance import git_state, loaded_sha256, provenance, source_sha256, versions
from mimir_learn.evaluation.records import EpisodeKey, Record
from mimir_learn.evaluation.results import write_json
from mimir_learn.evaluation.store import ContentKey, Store
from mimir_learn.evaluation.suite import Suite, SuiteTask
from mimir_learn.logs.locks import only_one


@dataclass(frozen=True)
class GridConfig:
    """An experiment grid to run.

    Attributes:
        grid: the grid file, see docs/experiments.md.
        out: folder of the records, shared by any number of grids; tables go to ``out/NAME``.
        suite, checkpoint, tasks, seeds: instead of what the file says.
        attribute: find the first wrong link of failed episodes; null = as the file says.
        plan: only say what would be run.
        n_jobs: worker processes, one thread each; -1 = one per core.
        backend: joblib's: loky, ray or dask.
        watchdog_s: seconds after which a hanging episode is ended and run again.
    """

    grid: str
    out: str = "runs/experiments"
    suite: str | None = None
    checkpoint: str | None = None
    tasks: int | None = None
    seeds: list[int] | None = None
    attribute: bool | None = None
    plan: bool = False
    n_jobs: int = -1
    backend: str = LOKY
    watchdog_s: float = 600.0

    def __post_init__(self) -> None:
        if self.n_jobs == 0 or self.n_jobs < -1:
            raise ConfigError(f"n_jobs is {self.n_jobs}; give a number of processes, or -1 for one per core")
        if not (self.watchdog_s > 0 and isfinite(self.watchdog_s)):
            raise ConfigError(f"watchdog_s is {self.watchdog_s}; give the seconds an episode may take, above 0")
        if self.tasks is not None:
            whole("tasks", self.tasks, 1)
        check_backend(self.backend)

    def load(self) -> Grid:
        """The grid with what the command line says instead. Raises ConfigError."""
        instead = {
            "suite": self.suite,
            "checkpoint": self.checkpoint,
            "tasks": self.tasks,
            "seeds": self.seeds,
            "attribute": self.attribute,
        }
        return load_grid(Path(self.grid), **instead)


@dataclass(frozen=True)
class GridJob:
    """One episode: what runs it, and what its record says beside its scores."""

    key: ContentKey
    job: Job
    entry: Mapping[str, Any]
    reruns: int = 0


def run_cell(job: GridJob) -> Record:
    """Run one episode and make its record."""
    from mimir_learn.evaluation.episode import run_job

    record = run_job(replace(job.job, reruns=job.reruns))
    return {**record, **compat_scores(record, record["trace"]), **job.entry}


class Lab:
    """What the episodes of a run have in common: suites, hashes of what they rest on, the store, the pool.

    Raises ConfigError for a suite, checkpoint or store that cannot be used.
    """

    def __init__(self, config: GridConfig, grid: Grid) -> None:
        self.config, self.grid = config, grid
        self.folder = Path(config.out)
        self.suites: dict[tuple[Any, ...], tuple[SuiteTask, ...]] = {}
        self.suite_hashes: dict[str, str] = {}
        self.ground = _ground(p.cell for p in grid.points)
        self.store = Store(self.folder)
        self.made_by = {"versions": versions(), "git": git_state()}

    def tasks(self, cell: Cell) -> tuple[SuiteTask, ...]:
        """The tasks of a cell, always the same ones."""
        key = (cell.suite, cell.rooms, cell.subset)
        if key not in self.suites:
            suite = self._suite(cell)
            self.suite_hashes[suite.name] = suite.sha256
            self.suites[key] = suite.select(cell.subsets, None if cell.rooms is not None else self.grid.tasks)
        return self.suites[key]

    def _suite(self, cell: Cell) -> Suite:
        if cell.rooms is not None:
            from mimir_learn.evaluation.sized import sized_suite

            return sized_suite(cell.rooms, cell.subsets, self.grid.tasks, self.folder / "suites")
        suite = Suite.load(Path(cell.suite))
        if suite.vocabulary_sha256 != self.ground.vocabulary:
            raise ConfigError(f"{cell.suite} was built for another vocabulary of the household; build it again with `mimir suite`")
        return suite

    def jobs(self, cell: Cell, only: Sequence[tuple[str, int]] | None = None, shift: int = 0) -> list[GridJob]:
        """One per task and seed of a cell; ``only`` some (task id, seed), with ``shift`` added to the seed."""
        settings, code = cell.settings(self.grid.gate, self.grid.image_size), code_of(cell, self.ground)
        if settings.checkpoint is not None:  # a name on the hub is looked up once, not by every worker
            from mimir_learn.estimator.export import local_folder

            settings = replace(settings, checkpoint=str(local_folder(settings.checkpoint)))
        out = []
        for task in self.tasks(cell):
            for number in self.grid.seeds:
                if only is not None and (task.task.id, number) not in only:
                    continue
                seed = number + shift
                what = content(cell, task, seed, settings, self.ground)
                episode = digest(what)
                key = ContentKey(digest({"episode": episode, "code": code}), f"{cell.delta}|{task.task.id}|{seed}")
                estimator = what["estimator"] or {}
                entry = {
                    "key": key.sha256,
                    "episode": episode,
                    "code": code,
                    "settings": asdict(cell),
                    "task_sha256": task_sha256(task),
                    "house_sha256": task.house_sha256,
                    "vocabulary_sha256": self.ground.vocabulary,
                    "estimator": estimator,
                    "rooms": task.task.meta.get("rooms"),
                    "n_goals": len(task.task.goals),
                    "made_by": self.made_by,
                }
                out.append(GridJob(key, Job(EpisodeKey(cell.delta, task.task.id, seed), cell.arm, task, settings), entry))
        return out

    def run(self, jobs: Iterable[GridJob], what: str = "") -> None:
        """Run those of ``jobs`` that no record has yet. Raises MimirError when some could not be run; all others are recorded first."""
        from mimir_learn.evaluation.runner import run_all

        unique = {j.key: j for j in jobs}
        waiting = [j for k, j in unique.items() if k not in self.store.done]
        before = [r for k in unique if (r := self.store.get(k.sha256)) is not None]
        self._say(unique, waiting, what)
        if not waiting:
            return
        probe_drawing(self.grid.image_size)
        # a house is compiled once per worker as long as its episodes come in a row
        waiting.sort(key=lambda j: (j.job.task.house_seed, j.job.task.task.id, j.key.label))
        with Progress(len(waiting), before) as progress:
            run_all(
                waiting, self.store, n_jobs=self.config.n_jobs, watchdog_s=self.config.watchdog_s, progress=progress, run=run_cell,
                backend=self.config.backend,
            )  # fmt: skip

    def _say(self, unique: Mapping[ContentKey, GridJob], waiting: Sequence[GridJob], what: str) -> None:
        there = len(unique) - len(waiting)
        print(f"eval: {what or self.grid.name}: {len(unique)} episodes, {there} of them recorded already", file=sys.stderr)
        others = self.store.other_versions({j.entry["episode"]: k.sha256 for k, j in unique.items()})
        if others:
            listed = ", ".join(f"{n} under {code[:12]}" for code, n in sorted(others.items()))
            now = ", ".join(sorted({j.entry["code"][:12] for j in waiting}))
            print(
                f"eval: the code or a package has changed since some of these were recorded ({listed}; now {now}): they are kept, "
                "not used, and run anew",
                file=sys.stderr,
            )

    def records(self, jobs: Iterable[GridJob]) -> list[Record]:
        """Their records in one common order (task, seed). Raises ConfigError when one is missing."""
        found = [(j, self.store.get(j.key.sha256)) for j in jobs]
        if missing := [str(j.key) for j, r in found if r is None]:
            raise ConfigError(f"{len(missing)} episodes are not recorded, {missing[0]} first; run the grid to its end")
        return sorted((r for _, r in found if r is not None), key=lambda r: (r["task"], r["seed"]))


def _ground(cells: Iterable[Cell]) -> Ground:
    from mimir_learn.envs.household import VOCABULARY
    from mimir_learn.evaluation.run import checkpoint_hashes

    estimators: dict[str, Mapping[str, str | None]] = {}
    for cell in cells:
        if not cell.arm.learned:
            continue
        if cell.checkpoint is None:
            raise ConfigError("the source 'learned' needs a checkpoint: give --checkpoint DIR (made by `mimir train`)")
        if cell.checkpoint not in estimators:
            estimators[cell.checkpoint] = checkpoint_hashes(cell.checkpoint)
            if estimators[cell.checkpoint]["calibration_sha256"] is None:
                print(f"eval: warning: {cell.checkpoint} is {UNCALIBRATED}", file=sys.stderr)
    packages = {k: v for k, v in versions().items() if k in ("python", "numpy", "mujoco", "torch")}
    return Ground(VOCABULARY.sha256, loaded_sha256("episodes"), packages, estimators)


def run_grid(config: GridConfig) -> dict[str, Any]:
    """Run what is missing of a grid and write its tables; returns results.json's content.

    Raises ConfigError (grid, suite, checkpoint, a folder another process evaluates into), CheckpointError, SimulatorError, MimirError
    (episodes that could not be run).
    """
    grid = config.load()
    Path(config.out).mkdir(parents=True, exist_ok=True)
    with only_one(Path(config.out), "evaluating", ConfigError):
        return _run_grid(config, grid)


def _run_grid(config: GridConfig, grid: Grid) -> dict[str, Any]:
    from mimir_learn.evaluation.tables import tabulate
    from mimir_learn.evaluation.typeset import write_tables

    started = time.monotonic()
    grid, missing = _possible(grid)
    lab = Lab(config, grid)
    jobs: dict[str, list[GridJob]] = {p.label: lab.jobs(p.cell) for p in grid.points}
    everything = [j for js in jobs.values() for j in js]
    if config.plan:
        lab._say({j.key: j for j in everything}, [j for j in everything if j.key not in lab.store.done], "")
        return {"name": grid.name, "cells": len(grid.points), "episodes": len({j.key for j in everything})}
    lab.run(everything)
    rows: dict[str, list[Record]] = {p.label: lab.records(jobs[p.label]) for p in grid.points}
    results: dict[str, Any] = {
        "schema_version": 1,
        "name": grid.name,
        "about": grid.about,
        "missing": missing,
        "seeds": list(grid.seeds),
        "suites": lab.suite_hashes,
        **tabulate(grid, rows),
    }
    if grid.attribute:
        from mimir_learn.evaluation.attribution import attribute

        results["attribution"] = attribute(lab, rows)
    steady = source_sha256("episodes") == lab.ground.source
    if not steady:
        print("eval: the package's source changed while episodes ran; run it again for results of one version", file=sys.stderr)
    results["provenance"] = provenance(
        grid={"file": config.grid, "points": [{"at": dict(p.at), **asdict(p.cell)} for p in grid.points]},
        source_sha256=lab.ground.source,
        source_unchanged_while_running=steady,
        vocabulary_sha256=lab.ground.vocabulary,
        estimators={k: dict(v) for k, v in lab.ground.estimators.items()},
        gate=asdict(grid.gate),
    )
    results["timings"] = {
        "wall_s": time.monotonic() - started,
        "cpu_s": sum(r["cpu_s"] for r in {r["key"]: r for rs in rows.values() for r in rs}.values()),
    }
    folder = lab.folder / grid.name
    folder.mkdir(parents=True, exist_ok=True)
    write_tables(results, folder)
    write_json(folder / "results.json", results)
    return results


def _possible(grid: Grid) -> tuple[Grid, list[str]]:
    """The grid without cells that cannot be run here, and why they cannot."""
    from mimir_learn.evaluation.sized import buildable

    left: list[Point] = [p for p in grid.points if p.cell.rooms is None or buildable(p.cell.rooms)]
    sizes = sorted({p.cell.rooms for p in grid.points if p.cell.rooms is not None} - {p.cell.rooms for p in left})
    if not left:
        raise ConfigError(f"no cell of {grid.name} can be run: no houses of {', '.join(map(str, sizes))} rooms are generated")
    why = [f"houses of {n} rooms are not generated yet: these cells are left out" for n in sizes]
    for line in why:
        print(f"eval: {line}", file=sys.stderr)
    return replace(grid, points=tuple(left)), why
