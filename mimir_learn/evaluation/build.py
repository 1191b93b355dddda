"""Builds and re-certifies task suites: sample tasks in test houses, have the privileged agent solve them without faults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed, parallel_config

from mimir_learn.envs.household import VOCABULARY, generate_house
from mimir_learn.envs.household.tasks import KINDS, sample_tasks
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import parse_arm
from mimir_learn.evaluation.episode import initial_sha256, run_job
from mimir_learn.evaluation.jobs import EpisodeSettings, Job
from mimir_learn.evaluation.records import EpisodeKey
from mimir_learn.evaluation.suite import Candidate, Suite, SuiteTask, balanced
from mimir_learn.logs import house_seed


@dataclass(frozen=True)
class SuiteConfig:
    """A suite to build, or one to check.

    Attributes:
        out: the suite file.
        name: its name.
        tasks: how many tasks.
        houses: how many houses, from ``first_house`` of ``split`` on.
        split: house split; ``test`` for results.
        first_house: index of the first house within the split.
        tasks_per_house: most tasks of one house.
        draws_per_kind: candidates sampled per house and kind.
        most_steps: upper bound of every task's step limit.
        seed: of the task sampler.
        check: do not build; run every certificate of the file at ``out`` again.
        n_jobs: worker processes; -1 = one per core.
    """

    out: str = "data/suites/household-main.json"
    name: str = "household-v0-main"
    tasks: int = 96
    houses: int = 20
    split: str = "test"
    first_house: int = 0
    tasks_per_house: int = 5
    draws_per_kind: int = 2
    most_steps: int = 120
    seed: int = 0
    check: bool = False
    n_jobs: int = -1

    def __post_init__(self) -> None:
        for name in ("tasks", "houses", "tasks_per_house", "draws_per_kind", "most_steps"):
            if getattr(self, name) < 1:
                raise ConfigError(f"suite.{name} is {getattr(self, name)}; it must be at least 1")
        if self.tasks > self.houses * self.tasks_per_house:
            raise ConfigError(f"{self.tasks} tasks do not fit in {self.houses} houses of at most {self.tasks_per_house} tasks")


def build_suite(config: SuiteConfig) -> Suite:
    """Sample, certify and pick; deterministic. Raises ConfigError when too few tasks could be certified."""
    houses = [house_seed(config.split, config.first_house + i) for i in range(config.houses)]
    found = _in_parallel(_candidates_of, [(seed, config) for seed in houses], config.n_jobs)
    candidates = [c for part in found for c in part]
    tasks = balanced(candidates, KINDS, config.tasks, config.tasks_per_house, config.most_steps)
    return Suite(config.name, "household", VOCABULARY.sha256, tuple(tasks))


def check_suite(suite: Suite, n_jobs: int = -1) -> list[str]:
    """Run every certificate again; one sentence for each task that is no longer what the file says."""
    if suite.vocabulary_sha256 != VOCABULARY.sha256:
        return [f"the suite speaks another vocabulary ({suite.vocabulary_sha256[:12]}…, household now {VOCABULARY.sha256[:12]}…)"]
    found = _in_parallel(_recertify, [(task,) for task in suite.tasks], n_jobs)
    return [problem for problem in found if problem]


def run_suite_command(config: SuiteConfig) -> str:
    """``mimir suite``: build and save, or check. Returns what to print; raises ConfigError when a check fails."""
    path = Path(config.out)
    if config.check:
        suite = Suite.load(path)
        problems = check_suite(suite, config.n_jobs)
        if problems:
            listed = "\n".join(f"  {p}" for p in problems[:20])
            raise ConfigError(f"{len(problems)} of {len(suite.tasks)} certificates in {path} no longer hold:\n{listed}\nrun `mimir suite`")
        return f"{path}: all {len(suite.tasks)} certificates hold ({suite.sha256[:12]}…)"
    before = Suite.load(path).sha256 if path.is_file() else None
    suite = build_suite(config)
    suite.save(path)
    change = (
        "unchanged" if before == suite.sha256 else "new" if before is None else f"CHANGED, was {before[:12]}…: results before are no match"
    )
    kinds = ", ".join(f"{k} {n}" for k, n in suite.kinds().items())
    houses = len({t.house_seed for t in suite.tasks})
    return f"{path}: {len(suite.tasks)} tasks in {houses} houses ({kinds}); sha256 {suite.sha256[:12]}… ({change})"


def _in_parallel(work, arguments, n_jobs):  # type: ignore[no-untyped-def]
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        return Parallel()(delayed(work)(*a) for a in arguments)


def _candidates_of(seed: int, config: SuiteConfig) -> list[Candidate]:
    house, out = generate_house(seed), []
    sha = initial_sha256(seed)
    for number, kind in enumerate(KINDS):
        rng = np.random.default_rng([config.seed, seed, number])
        try:
            tasks = sample_tasks(house, rng, config.draws_per_kind, [kind])
        except ConfigError:
            continue  # this house has nothing of the kind
        for task in tasks:
            solved, steps = _certify(SuiteTask(task, seed, sha, config.most_steps, 0))
            out.append(Candidate(task, seed, sha, solved, steps))
    return out


def _certify(task: SuiteTask) -> tuple[bool, int]:
    arm = parse_arm("privileged@0", 0.0)
    record = run_job(Job(EpisodeKey(arm.name, task.task.id, 0), arm, task, EpisodeSettings()))
    return bool(record["declared_sr"]) and not record["false_completions"], int(record["steps"])


def _recertify(task: SuiteTask) -> str:
    name = f"{task.task.id} ({task.task.instruction!r})"
    try:
        solved, steps = _certify(task)
    except ConfigError as e:
        return f"{name}: {e}"
    if not solved:
        return f"{name}: the privileged agent no longer solves it within {task.limit} steps"
    return "" if steps == task.certified_steps else f"{name}: takes {steps} steps, certified with {task.certified_steps}"
