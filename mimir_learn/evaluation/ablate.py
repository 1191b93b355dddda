"""``mimir ablate``: trains every arm under every seed, scores all of them and the untrained sources on the same transitions, once each.

A run lies in a folder of its own and is known by its settings and the log's content: a finished one is never run twice, a killed one goes
on.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError, MimirError
from mimir_learn.evaluation.ablations import AblateConfig, Ablation, completed_settings, load_ablation, settings_of
from mimir_learn.evaluation.cells import digest
from mimir_learn.evaluation.progress import words
from mimir_learn.evaluation.provenance import git_state, loaded_sha256, provenance, versions
from mimir_learn.evaluation.results import write_json
from mimir_learn.logs import fingerprint
from mimir_learn.logs.locks import only_one

_SETTINGS, _RECORD = "settings.json", "record.json"


@dataclass(frozen=True)
class Run:
    """One training run, or one untrained source (``recipe`` None), and the folder its results lie in.

    Attributes:
        name: of the arm or source. seed: None for a source.
        what: settings and log, plain data; their digest is the run's key.
    """

    name: str
    seed: int | None
    what: Mapping[str, Any]
    folder: Path
    recipe: Any = None

    @property
    def label(self) -> str:
        return self.name if self.seed is None else f"{self.name}, seed {self.seed}"

    @property
    def record(self) -> dict[str, Any] | None:
        """What it came to; None where it is not finished."""
        path = self.folder / _RECORD
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def ablate(config: AblateConfig) -> Path:
    """Run what is missing of a grid, write tables and plot, and return the path of the Markdown table.

    Raises ConfigError (grid, log, a folder another process ablates into), LogError; MimirError when runs failed: all others are
    finished and drawn first.
    """
    ablation = load_ablation(config)
    log = Path(ablation.log)
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    with only_one(out, "ablating", ConfigError):
        runs = _runs(ablation, out, fingerprint(log))
        waiting = list({r.folder: r for r in runs if r.record is None}.values())  # arms that agree in all settings are one run
        for arm in ablation.arms:
            if arm.missing:
                print(f"ablate: {arm.name} is left out: {arm.missing}", file=sys.stderr)
        print(f"ablate: {len(runs)} runs, {len(runs) - len(waiting)} of them finished already", file=sys.stderr)
        if config.plan:
            return out / "tables.md"
        failed = _run_all(waiting, ablation, config)
        from mimir_learn.evaluation.ablate_tables import write_results

        results = _results(ablation, runs, failed)
        path = write_results(results, out)
        write_json(out / "results.json", results)
    if failed:
        first = next(iter(failed.items()))
        raise MimirError(f"{len(failed)} of {len(runs)} runs failed, {first[0]} first: {first[1]}; the same command runs them again")
    return path


def _runs(ablation: Ablation, out: Path, log_sha256: str) -> list[Run]:
    """All runs, first seeds first, so that a stopped grid has whole tables of fewer seeds."""
    there = _folders(out)
    runs = []

    def add(name: str, seed: int | None, what: dict[str, Any], recipe: Any = None) -> None:
        key = digest(what)
        slug = re.sub(r"\W+", "-", name).strip("-") + ("" if seed is None else f"-seed{seed}")
        runs.append(Run(name, seed, what, there.get(key, out / "runs" / f"{slug}-{key[:12]}"), recipe))

    for spec in ablation.sources:
        add(spec, None, {"source": spec, "code": loaded_sha256("score"), "log": log_sha256, "split": ablation.split})
    for seed in ablation.seeds:
        for arm in ablation.arms:
            if not arm.missing:
                recipe = replace(arm.recipe, seed=seed)
                add(arm.name, seed, {"train": settings_of(recipe), "log": log_sha256, "split": ablation.split}, recipe)
    return runs


def _folders(out: Path) -> dict[str, Path]:
    """Folders of begun or finished runs by the key their settings have today."""
    found = {}
    for path in sorted(out.glob(f"runs/*/{_SETTINGS}")):
        try:
            what = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue  # killed while writing it: nothing else is in there yet
        if "train" in what:
            what = {**what, "train": completed_settings(what["train"])}
        found[digest(what)] = path.parent
    return found


def _run_all(waiting: Sequence[Run], ablation: Ablation, config: AblateConfig) -> dict[str, str]:
    """Run them in parallel; {label: what went wrong}."""
    if not waiting:
        return {}
    from joblib import Parallel, delayed

    jobs = os.cpu_count() if config.n_jobs == -1 else config.n_jobs
    started, failed = time.monotonic(), {}
    _build_caches(waiting, ablation, config, jobs or 1)
    calls = (delayed(_run)(run, ablation.log, ablation.split, config.cache_dir) for run in waiting)
    for number, (label, wrong, wall_s) in enumerate(Parallel(n_jobs=jobs, return_as="generator_unordered")(calls), start=1):
        if wrong:
            failed[label] = wrong
        left = (time.monotonic() - started) / number * (len(waiting) - number)
        said = f"failed: {wrong}" if wrong else f"done in {words(wall_s)}"
        print(f"ablate: {label} {said}; {number} of {len(waiting)}, about {words(left)} left", file=sys.stderr, flush=True)
    return failed


def _build_caches(waiting: Sequence[Run], ablation: Ablation, config: AblateConfig, workers: int) -> None:
    """Samples first, each kind once: runs with one input share them."""
    from mimir_learn.errors import LogError
    from mimir_learn.estimator.cache import build_cache

    wanted: dict[tuple[str, str, bool], Any] = {}
    for run in waiting:
        if run.recipe is not None:
            for split, second in (
                ("train", run.recipe.second_looks),
                ("validation", False),
                ("calibration", False),
                (ablation.split, False),
            ):
                wanted.setdefault((run.recipe.estimator.input_key(), split, second), run.recipe.estimator)
    for number, ((_, split, second), estimator) in enumerate(wanted.items(), start=1):
        print(f"ablate: samples {number} of {len(wanted)} ({split})", file=sys.stderr, flush=True)
        try:
            build_cache(ablation.log, split, estimator, config.cache_dir, second, workers)
        except LogError:
            if split != "calibration":  # a log without one trains, uncalibrated
                raise


def _run(run: Run, log: str, split: str, cache_dir: str | None) -> tuple[str, str, float]:
    """One run from where it stands to its record: (label, what went wrong, seconds)."""
    started = time.monotonic()
    try:
        _do(run, log, split, cache_dir)
    except MimirError as e:
        return run.label, str(e), time.monotonic() - started
    return run.label, "", time.monotonic() - started


def _do(run: Run, log: str, split: str, cache_dir: str | None) -> None:
    import torch

    from mimir_learn.estimator.export import weights_sha256
    from mimir_learn.evaluation.ablate_score import estimator_answers, source_answers, summary
    from mimir_learn.evaluation.reliability import reliability_bins
    from mimir_learn.feedback import make_source

    torch.set_num_threads(1)
    run.folder.mkdir(parents=True, exist_ok=True)
    write_json(run.folder / _SETTINGS, run.what)
    begun, cpu = time.monotonic(), time.process_time()
    trained: dict[str, Any] = {}
    more: dict[str, Any] = {}
    if run.recipe is None:
        items, houses = source_answers(make_source(run.name), Path(log), split)
    else:
        trained = _train(run, log, cache_dir)
        more = {"checkpoint_sha256": weights_sha256(run.folder / "model")}
        items, houses = estimator_answers(run.folder / "model", Path(log), split, None if cache_dir is None else Path(cache_dir))
    record = {
        "name": run.name, "seed": run.seed, "what": run.what, "train": trained, **summary(items, houses),
        "reliability": reliability_bins(items), **more,
        "code": loaded_sha256("score"), "versions": versions(), "git": git_state(),
        "wall_s": time.monotonic() - begun, "cpu_s": time.process_time() - cpu,
    }  # fmt: skip
    write_json(run.folder / _RECORD, record)
    shutil.rmtree(run.folder / "checkpoints", ignore_errors=True)  # a finished run is not gone on with; its model stays


def _train(run: Run, log: str, cache_dir: str | None) -> dict[str, Any]:
    """Train, or go on with training, in the run's folder; its summary."""
    from mimir_learn.estimator import fit

    done = run.folder / "train.json"
    if not done.is_file():
        kept = any((run.folder / "checkpoints" / f"{n}.ckpt").is_file() for n in ("last", "best"))
        settings = {"log_dir": log, "out_dir": str(run.folder), "cache_dir": cache_dir, "threads": 1, "workers": 1, "progress": False}
        with _told(run.folder / "log.txt"):
            try:
                fit(replace(run.recipe, **settings, resume=kept))
            except MimirError:
                if not kept:
                    raise
                for part in ("checkpoints", "logs", "model"):  # what was there cannot be gone on with: from the start, then
                    shutil.rmtree(run.folder / part, ignore_errors=True)
                fit(replace(run.recipe, **settings, resume=False))
    body: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))["summary"]
    return body


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """What is printed goes into a file: the runs of a grid would talk over each other."""
    with path.open("a", encoding="utf-8") as file, contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
        yield


def _results(ablation: Ablation, runs: Sequence[Run], failed: Mapping[str, str]) -> dict[str, Any]:
    """What tables and plot are made of, and what it rests on."""
    from mimir_learn.evaluation.ablate_tables import compare

    by_name: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        if (record := run.record) is not None:
            by_name.setdefault(run.name, []).append(record)
    records = [r for found in by_name.values() for r in found]
    order = [n for n in (*(a.name for a in ablation.arms), *ablation.sources) if n in by_name]
    body = {
        "schema_version": 1,
        "about": ablation.about,
        "seeds": list(ablation.seeds),
        "reference": ablation.reference,
        "left_out": {a.name: a.missing for a in ablation.arms if a.missing},
        "failed": dict(failed),
        **compare({n: by_name[n] for n in order}, ablation.reference if ablation.reference in by_name else None),
    }
    codes = sorted({r["code"] for r in records})
    return body | {
        "provenance": provenance(log_fingerprint=records[0]["what"]["log"] if records else None, split=ablation.split, code=codes)
    }
