"""``mimir eval``: a suite × Δ-sources × seeds, scored, written as results.json, summary.json and report.html."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from tqdm import tqdm

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import results as scores
from mimir_learn.evaluation.arms import Arm, fault_rates, fault_setting, fault_words, parse_arms
from mimir_learn.evaluation.caveats import UNCALIBRATED, uncalibrated
from mimir_learn.evaluation.checks import open_log, probe_drawing, refuse_duplicates
from mimir_learn.evaluation.jobs import EpisodeSettings, Job
from mimir_learn.evaluation.provenance import file_sha256, git_state, loaded_sha256, provenance, source_sha256, versions
from mimir_learn.evaluation.records import EpisodeKey, Record, RecordFile, key_of, read_records, set_aside
from mimir_learn.evaluation.suite import Suite
from mimir_learn.feedback.gate import GateConfig
from mimir_learn.logs.locks import only_one

SOURCES = ("privileged@0", "privileged", "learned", "schema", "text", "none", "none/privileged")


@dataclass(frozen=True)
class EvalConfig:
    """One evaluation.

    Attributes:
        suite: suite file.
        out: folder for records.jsonl, results.json, summary.json, strips.json, report.html.
        sources: arms, each ``SOURCE`` or ``WORLD/TASK`` (Δ for world memory / for task memory), with ``@LEVEL`` for another fault level.
            Sources: privileged, learned, schema, text, none, noisy(p).
        faults: fault level of arms that name none, see `FaultRates.level`, or a fault suite by name, see `FAULT_SUITES`.
        reference: arm that is tested against every other at its fault level; null = learned if it runs, else privileged.
        pairs: more pairs of arms to test; null = (privileged, none/privileged) and (none/privileged, none) where both run.
        seeds: every task is run once per seed; a seed fixes the fault draws.
        subsets: use the tasks of these subsets only; null = all.
        tasks: use that many of them, spread evenly over subsets, then kinds, then houses; null = all.
        checkpoint: folder of the trained estimator; needed by ``learned``.
        log: transition log whose test houses the estimator is scored on for the report; null = leave that out.
        score_limit: score at most that many transitions of it; null = all.
        feedback_text: what of the environment's report reaches the agent: full, flag_only or off.
        image_size: frames, pixels (16–512).
        silent: share of faults that claim success; null = the fault model's own.
        gate: thresholds of the gate.
        n_jobs: worker processes, one thread each; -1 = one per core.
        watchdog_s: seconds after which a hanging episode is ended and run again.
        strips: episodes shown frame by frame in the report.
        resume: keep finished episodes of an interrupted run in ``out`` if code, suite and checkpoint are still the same (else they are
            set aside); false sets them aside and starts over.
        title: heading of the report.
    """

    suite: str = "data/suites/household-v1-test.json"
    out: str = "runs/eval"
    sources: list[str] = field(default_factory=lambda: list(SOURCES))
    faults: float | str = 0.2
    reference: str | None = None
    pairs: list[list[str]] | None = None
    seeds: list[int] = field(default_factory=lambda: [0])
    subsets: list[str] | None = None
    tasks: int | None = None
    checkpoint: str | None = None
    log: str | None = None
    score_limit: int | None = None
    feedback_text: str = "full"
    image_size: int = 128
    silent: float | None = None
    gate: GateConfig = field(default_factory=GateConfig)
    n_jobs: int = -1
    watchdog_s: float = 600.0
    strips: int = 3
    resume: bool = True
    title: str = "Mimir, learned: where Δ comes from"

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", fault_setting(self.faults, "eval.faults"))
        scores.pairs_of(parse_arms(self.sources, self.faults), self.reference, self.pairs)
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ConfigError(f"eval.seeds is {self.seeds}; give at least one seed, each once")
        for seed in self.seeds:
            whole("eval.seeds", seed, 0)
        if self.feedback_text not in ("full", "flag_only", "off"):
            raise ConfigError(f"eval.feedback_text is {self.feedback_text!r}; choose full, flag_only or off")
        if self.silent is not None and not 0.0 <= self.silent <= 1.0:
            raise ConfigError(f"eval.silent is {self.silent}; it is a share, give a number from 0 to 1")
        if self.n_jobs == 0 or self.n_jobs < -1:
            raise ConfigError(f"eval.n_jobs is {self.n_jobs}; give a number of processes, or -1 for one per core")
        if not 16 <= self.image_size <= 512:
            raise ConfigError(f"eval.image_size is {self.image_size}; give 16 to 512 pixels")
        if not (self.watchdog_s > 0 and isfinite(self.watchdog_s)):
            raise ConfigError(f"eval.watchdog_s is {self.watchdog_s}; give the seconds an episode may take, above 0")
        if self.strips < 0:
            raise ConfigError(f"eval.strips is {self.strips}; give a number of episodes, 0 for none")
        if self.score_limit is not None and self.score_limit < 1:
            raise ConfigError(f"eval.score_limit is {self.score_limit}; give at least 1 transition, or null for all")

    @property
    def arms(self) -> list[Arm]:
        return parse_arms(self.sources, self.faults)


# Other values of these set earlier records aside; other settings are refused, because they look like a slip of the hand.
RENEWED = ("source_sha256", "packages", "suite_sha256", "checkpoint_sha256", "calibration_sha256", "model_config_sha256")


def evaluate(
    config: EvalConfig, *, score: dict[str, Any] | None = None, extra: dict[str, Any] | None = None, renew: bool = False
) -> dict[str, Any]:
    """Run what is missing, score, and write everything; returns results.json's content.

    Args:
        score: `score.score_checkpoint`'s answer when the caller has it already.
        extra: entries to add to results.json (timings of earlier stages, say).
        renew: set records made with any other settings aside instead of refusing.

    Raises ConfigError (settings, suite, a folder another process evaluates into), CheckpointError, LogError, SimulatorError, MimirError
    (episodes that could not be run), OSError (a folder that cannot be written).
    """
    if config.checkpoint is None and any(a.learned for a in config.arms):
        raise ConfigError("the source 'learned' needs a checkpoint: give --checkpoint DIR (made by `mimir train`)")
    suite = _open_suite(config)
    jobs = _jobs(config, suite, config.arms)
    checkpoint = checkpoint_hashes(config.checkpoint)
    if score is None and config.log is not None and config.checkpoint is not None:
        open_log(config.log)
    if uncalibrated({s for a in config.arms for s in (a.world, a.task)}, checkpoint):
        print(f"eval: warning: {config.checkpoint} is {UNCALIBRATED}", file=sys.stderr)
    Path(config.out).mkdir(parents=True, exist_ok=True)
    with only_one(Path(config.out), "evaluating", ConfigError):
        return _evaluate(config, suite, jobs, checkpoint, score, extra, renew)


def _evaluate(
    config: EvalConfig,
    suite: Suite,
    jobs: Sequence[Job],
    checkpoint: dict[str, str | None],
    score: dict[str, Any] | None,
    extra: dict[str, Any] | None,
    renew: bool,
) -> dict[str, Any]:
    started = time.monotonic()
    path, arms = Path(config.out) / "records.jsonl", config.arms
    if not config.resume and path.exists():
        print(f"eval: starting over; the episodes recorded so far are kept as {set_aside(path)}", file=sys.stderr)
    code = {"source_sha256": loaded_sha256("episodes"), "packages": _packages()}
    header = {"suite_sha256": suite.sha256, **checkpoint, **code, **_shared(config)}
    records = RecordFile(path, header, {"git": git_state(), "versions": versions()}, renew=(*header,) if renew else RENEWED)
    refuse_duplicates(path)
    _run(jobs, records, config)
    steady = source_sha256("episodes") == code["source_sha256"]
    if not steady:
        print("eval: the package's source changed while episodes ran; run it again for results of one version", file=sys.stderr)
    wanted = {j.key for j in jobs}
    rows = [r for r in read_records(path) if key_of(r) in wanted]
    results: dict[str, Any] = {
        "schema_version": 1,
        "title": config.title,
        "subtitle": _subtitle(suite, config, rows),
        "settings": {"perception": rows[0]["perception"], "suite": suite.name, **header, "seeds": config.seeds, "faults": config.faults},
        **scores.evaluate(rows, arms, config.reference, config.pairs),
    }
    results["settings"]["silent"] = _silent(config)
    if score is None and config.log is not None and config.checkpoint is not None:
        from mimir_learn.evaluation.score import score_checkpoint

        score = score_checkpoint(Path(config.checkpoint), Path(config.log), limit=config.score_limit)
    if score is not None:
        results["estimator"] = score["sources"]
    results["reliability"] = [] if score is None else score["reliability"]
    results["provenance"] = provenance(
        **code,
        source_unchanged_while_running=steady,
        config=asdict(config),
        suite={"name": suite.name, "sha256": suite.sha256, "tasks": len(suite.tasks)},
        vocabulary_sha256=suite.vocabulary_sha256,
        **checkpoint,
        log_fingerprint=None if score is None else score["log_fingerprint"],
        seeds=config.seeds,
    )
    results["provenance"] |= {"scored_by": {k: results["provenance"][k] for k in ("git", "versions")}, **records.made_by}
    results["timings"] = {"episodes": time.monotonic() - started}
    for key, value in (extra or {}).items():
        results[key] = {**results[key], **value} if isinstance(results.get(key), dict) and isinstance(value, dict) else value
    _write(results, rows, jobs, config)
    return results


def _write(results: dict[str, Any], rows: Sequence[Record], jobs: Sequence[Job], config: EvalConfig) -> None:
    from mimir_learn.evaluation.report import report_from_folder
    from mimir_learn.evaluation.strips import choose, film

    out = Path(config.out)
    by_key, record_of = {j.key: j for j in jobs}, {key_of(r): r for r in rows}
    chosen = choose(scores.by_arm(rows, config.arms), config.strips)
    strips = [film(by_key[k], record_of[k]) for k in chosen]
    (out / "strips.json").write_text(json.dumps(strips), encoding="utf-8")
    scores.write_json(out / "results.json", results)
    scores.write_json(out / "summary.json", scores.summary_of(results))
    report_from_folder(out)


def _open_suite(config: EvalConfig) -> Suite:
    from mimir_learn.envs.household import VOCABULARY

    suite = Suite.load(Path(config.suite))
    if suite.vocabulary_sha256 != VOCABULARY.sha256:
        raise ConfigError(f"{config.suite} was built for another vocabulary of the household; build it again with `mimir suite`")
    return suite


def checkpoint_hashes(checkpoint: str | None) -> dict[str, str | None]:
    """Hashes of everything in the export that changes what ``learned`` answers; None for what there is not."""
    if checkpoint is None:
        return {"checkpoint_sha256": None, "calibration_sha256": None, "model_config_sha256": None}
    from mimir_learn.envs.household import VOCABULARY
    from mimir_learn.estimator.calibration import FILE as CALIBRATION
    from mimir_learn.estimator.export import CONFIG as MODEL_CONFIG
    from mimir_learn.estimator.export import local_folder, weights_sha256
    from mimir_learn.estimator.predict import Predictor

    Predictor.load(checkpoint, VOCABULARY)  # fails here, once and clearly, rather than in every worker
    folder = local_folder(checkpoint)
    calibration = folder / CALIBRATION
    return {
        "checkpoint_sha256": weights_sha256(folder),
        "calibration_sha256": file_sha256(calibration) if calibration.is_file() else None,
        "model_config_sha256": file_sha256(folder / MODEL_CONFIG),
    }


def _packages() -> dict[str, str]:
    """Versions of the packages that an episode's numbers come from."""
    return {k: v for k, v in versions().items() if k in ("python", "numpy", "mujoco", "torch")}


def _shared(config: EvalConfig) -> dict[str, Any]:
    """Settings an episode's outcome depends on, arms, tasks and seeds apart (those are in the record's key)."""
    return {
        "faults": config.faults,
        "feedback_text": config.feedback_text,
        "image_size": config.image_size,
        "silent": config.silent,
        "gate": asdict(config.gate),
    }


def _silent(config: EvalConfig) -> float:
    level = max(config.faults, 1e-9) if isinstance(config.faults, float) else config.faults
    return fault_rates(level).silent if config.silent is None else config.silent


def _jobs(config: EvalConfig, suite: Suite, arms: Sequence[Arm]) -> list[Job]:
    settings = EpisodeSettings(config.image_size, config.feedback_text, config.checkpoint, config.gate, config.silent)
    return [
        Job(EpisodeKey(arm.name, task.task.id, seed), arm, task, settings)
        for arm in sorted(arms, key=lambda a: not a.learned)  # the slowest arm first, so that no worker is left with it alone at the end
        for task in suite.select(config.subsets, config.tasks)
        for seed in config.seeds
    ]


def _run(jobs: Sequence[Job], records: RecordFile, config: EvalConfig) -> None:
    from mimir_learn.evaluation.runner import run_all

    waiting = sum(j.key not in records.done for j in jobs)
    if waiting < len(jobs):
        print(f"eval: {len(jobs) - waiting} of {len(jobs)} episodes are there already", file=sys.stderr)
    if waiting:
        probe_drawing(config.image_size)
    with tqdm(total=waiting, unit="episode", desc="eval", disable=None) as bar:
        run_all(jobs, records, n_jobs=config.n_jobs, watchdog_s=config.watchdog_s, progress=lambda _: bar.update())


def _subtitle(suite: Suite, config: EvalConfig, rows: Sequence[Record]) -> str:
    tasks, houses = {r["task"] for r in rows}, {r["house_seed"] for r in rows}
    times = "" if len(config.seeds) == 1 else f", each {len(config.seeds)} times with other faults"
    return f"{len(tasks)} tasks of {suite.name} in {len(houses)} houses never seen in training{times}; {fault_words(config.faults)}."
