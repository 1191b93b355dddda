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
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mimir_learn.errors import CheckpointError, ConfigError, LogError, MimirError
from mimir_learn.evaluation.ablations import AblateConfig, Ablation, completed_settings, load_ablation, settings_of
from mimir_learn.evaluation.cells import digest
from mimir_learn.evaluation.progress import words
from mimir_learn.evaluation.provenance import git_state, loaded_sha256, provenance, versions
from mimir_learn.evaluation.results import write_json
from mimir_learn.logs import fingerprint
from mimir_learn.logs.codec import json_object
from mimir_learn.logs.locks import only_one

if TYPE_CHECKING:
    from mimir_learn.estimator import TrainConfig

_SETTINGS, _RECORD, _TRAINED, _PRINTED = "settings.json", "record.json", "train.json", "log.txt"


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
        return json_object(self.folder / _RECORD)


def ablate(config: AblateConfig) -> Path | None:
    """Run what is missing of a grid, write tables and plot, and return the path of the Markdown table; None where only the plan was asked.

    Raises ConfigError (grid, log, a folder that cannot be made or that another process ablates into), LogError; MimirError when runs
    failed, for whatever reason: all others are finished and drawn first.
    """
    ablation = load_ablation(config)
    log = Path(ablation.log)
    out = Path(config.out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise ConfigError(f"out={out} cannot be made ({e.strerror or e}); choose another, or move away what is in its place") from e
    with only_one(out, "ablating", ConfigError):
        runs = _runs(ablation, out, fingerprint(log))
        waiting = list({r.folder: r for r in runs if r.record is None}.values())  # arms that agree in all settings are one run
        for arm in ablation.arms:
            if arm.missing:
                print(f"ablate: {arm.name} is left out: {arm.missing}", file=sys.stderr)
        print(f"ablate: {len(runs)} runs, {len(runs) - len(waiting)} of them finished already", file=sys.stderr)
        if config.plan:
            return None
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
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    jobs = os.cpu_count() if config.n_jobs == -1 else config.n_jobs
    started = time.monotonic()
    failed = _build_caches(waiting, ablation, config, jobs or 1)
    for label, wrong in failed.items():
        print(f"ablate: {label} failed: {wrong}", file=sys.stderr, flush=True)
    todo = [run for run in waiting if run.label not in failed]
    told: set[str] = set()
    calls = (delayed(_run)(run, ablation.log, ablation.split, config.cache_dir) for run in todo)
    try:
        for label, wrong, wall_s in Parallel(n_jobs=jobs, return_as="generator_unordered")(calls):
            told.add(label)
            if wrong:
                failed[label] = wrong
            left = (time.monotonic() - started) / len(told) * (len(todo) - len(told))
            said = f"failed: {wrong}" if wrong else f"done in {words(wall_s)}"
            print(f"ablate: {label} {said}; {len(told)} of {len(todo)}, about {words(left)} left", file=sys.stderr, flush=True)
    except TerminatedWorkerError:  # and which run it had is not known
        dead = "a worker process was killed, by lack of memory perhaps; the same command goes on, smaller n_jobs need less memory"
        failed |= {run.label: dead for run in todo if run.label not in told and run.record is None}
    return failed


def _build_caches(waiting: Sequence[Run], ablation: Ablation, config: AblateConfig, workers: int) -> dict[str, str]:
    """Samples first, each kind once: runs with one input share them. {label: what went wrong} of the runs that cannot have theirs."""
    from mimir_learn.estimator.cache import build_cache

    wanted: dict[tuple[str, str, bool], list[Run]] = {}
    for run in waiting:
        if run.recipe is not None:
            key = run.recipe.estimator.input_key()
            unseen = dict.fromkeys(("validation", "calibration", ablation.split))
            for split, second in (("train", run.recipe.second_looks), *((s, False) for s in unseen)):
                wanted.setdefault((key, split, second), []).append(run)
    failed: dict[str, str] = {}
    for number, ((_, split, second), runs) in enumerate(wanted.items(), start=1):
        if all(run.label in failed for run in runs):
            continue
        print(f"ablate: samples {number} of {len(wanted)} ({split})", file=sys.stderr, flush=True)
        try:
            build_cache(ablation.log, split, runs[0].recipe.estimator, config.cache_dir, second, workers)
        except Exception as e:
            if split == "calibration" != ablation.split and isinstance(e, LogError):
                continue  # a log without one trains, uncalibrated
            for run in runs:
                failed.setdefault(run.label, f"samples of the {split} split: {_said(e)}")
    return failed


def _run(run: Run, log: str, split: str, cache_dir: str | None) -> tuple[str, str, float]:
    """One run from where it stands to its record: (label, what went wrong, seconds)."""
    started = time.monotonic()
    try:
        _do(run, log, split, cache_dir)
    except Exception as e:
        with contextlib.suppress(OSError), (run.folder / _PRINTED).open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        return run.label, _said(e), time.monotonic() - started
    return run.label, "", time.monotonic() - started


def _said(error: Exception) -> str:
    """What went wrong in one line; of an error that is not ours also what kind it is."""
    text = " ".join(str(error).split())
    if not isinstance(error, MimirError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= 400 else text[:400] + " …"


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

    if (body := _finished(run.folder)) is not None:
        return body
    (run.folder / _TRAINED).unlink(missing_ok=True)
    settings = {"log_dir": log, "out_dir": str(run.folder), "cache_dir": cache_dir, "threads": 1, "workers": 1, "progress": False}
    recipe = replace(run.recipe, **settings, resume=False)
    with _told(run.folder / _PRINTED):
        kept = _can_go_on(run.folder, recipe)
        try:
            fit(replace(recipe, resume=kept))
        except RuntimeError as e:
            if not kept or "loading state_dict" not in str(e):
                raise
            _start_over(run.folder, _said(e))  # of another version of the network
            fit(recipe)
    body = _finished(run.folder)
    if body is None:
        raise CheckpointError(f"{run.folder}: its model is not the one that {_TRAINED} tells of; remove the folder and train again")
    return body


def _finished(folder: Path) -> dict[str, Any] | None:
    """The summary of a training run that has ended; None where it has not, or its files are not whole."""
    from mimir_learn.estimator.export import weights_sha256

    summary = (json_object(folder / _TRAINED) or {}).get("summary")
    with contextlib.suppress(CheckpointError):
        if isinstance(summary, dict) and summary.get("weights_sha256") == weights_sha256(folder / "model"):
            return summary
    return None


def _can_go_on(folder: Path, config: TrainConfig) -> bool:
    """Whether there is a checkpoint of this very run. What is damaged, or another run's, is removed; nothing else is a reason to."""
    from mimir_learn.estimator.resume import check_recipe, read_checkpoint, recipe

    kept = [p for p in (folder / "checkpoints" / "last.ckpt", folder / "checkpoints" / "best.ckpt") if p.is_file()]
    if not kept:
        return False
    ours = recipe(asdict(config), fingerprint(config.log_dir))
    try:
        check_recipe(folder, ours)
    except ConfigError as e:
        _start_over(folder, str(e))
        return False
    for path in kept:
        try:
            read_checkpoint(path)
        except CheckpointError as e:
            print(e, flush=True)
            path.unlink()
    whole = any(p.is_file() for p in kept)
    if not whole:
        _start_over(folder, "no checkpoint is whole")
    return whole


def _start_over(folder: Path, why: str) -> None:
    print(f"trained from the start: {why}", flush=True)
    for part in ("checkpoints", "logs", "model"):
        shutil.rmtree(folder / part, ignore_errors=True)


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
