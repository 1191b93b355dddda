"""Builds, re-certifies and describes task suites: sample tasks house by house, certify them, pick a balanced set.

Houses are worked on in fixed batches until every subset is full, so the result depends neither on the number of processes nor on an
interruption: what is certified is kept in a work file beside the suite, and a build that was stopped goes on there.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from mimir_learn.checks import whole
from mimir_learn.envs.household import VOCABULARY, generate_house
from mimir_learn.envs.household.tasks import COURSES, SUBSETS, WEIGHTS, World, sample_subset
from mimir_learn.envs.household.tasks.compose import key
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.certify import certify, recertify
from mimir_learn.evaluation.provenance import git_state, loaded_sha256, versions
from mimir_learn.evaluation.suite import Suite, SuiteTask
from mimir_learn.logs import house_seed
from mimir_learn.symbols import Task

SHARE = 0.24
"""Largest share of one kind in the subsets that are balanced by kind."""
_BALANCED = ("long_horizon", *COURSES)


@dataclass(frozen=True)
class SuiteConfig:
    """A suite to build, to check, or to describe.

    Attributes:
        out: the suite file.
        name: its name.
        split: house split; ``test`` for results, ``validation`` for choosing settings.
        subsets: which subsets.
        tasks: how many tasks of each.
        houses: at most that many houses, from ``first_house`` of ``split`` on.
        first_house: index of the first house within the split.
        batch: houses worked on before it is looked whether there are enough tasks.
        draws: candidates tried per house and subset, until one is certified: the most demanding of three times as many.
        most_steps: upper bound of every task's step limit.
        seed: of the task sampler.
        add: do not build anew: build this subset alone and append it to the suite at ``out``, whose tasks stay as they are; with ``card``:
            measure it alone and keep the card's other rows.
        check: do not build; run every certificate of the file at ``out`` again.
        card: do not build; run the trivial agents on the suite at ``out`` and write its difficulty card beside it.
        docs: with ``card``: also put the table into this page, between its two comments ``<!-- card NAME -->``; null = no page.
        resume: go on with what an interrupted build of the same settings and code has certified.
        n_jobs: worker processes; -1 = one per core.
    """

    out: str = "data/suites/household-v1-test.json"
    name: str = "household-v1/test"
    split: str = "test"
    subsets: list[str] = field(default_factory=lambda: list(SUBSETS))
    tasks: int = 50
    houses: int = 200
    first_house: int = 1000
    batch: int = 8
    draws: int = 4
    most_steps: int = 150
    seed: int = 0
    add: str | None = None
    check: bool = False
    card: bool = False
    docs: str | None = None
    resume: bool = True
    n_jobs: int = -1

    def __post_init__(self) -> None:
        for name in ("tasks", "houses", "batch", "draws", "most_steps"):
            whole(f"suite.{name}", getattr(self, name), 1)
        if self.tasks > self.houses:
            raise ConfigError(f"{self.tasks} tasks of each subset do not fit in {self.houses} houses: a house gives one of each at most")
        if unknown := [s for s in self.subsets if s not in SUBSETS]:
            raise ConfigError(f"suite.subsets has {', '.join(unknown)}; known: {', '.join(SUBSETS)}")
        if not self.subsets or len(set(self.subsets)) < len(self.subsets):
            raise ConfigError("suite.subsets is empty or names one twice")
        if self.add is not None and self.add not in self.subsets:
            raise ConfigError(f"suite.add is {self.add!r}, which is none of its subsets; they are {', '.join(self.subsets)}")
        if self.docs is not None and not self.card:
            raise ConfigError("suite.docs is a page for the difficulty card; give --card true with it")
        if self.n_jobs == 0 or self.n_jobs < -1:
            raise ConfigError(f"suite.n_jobs is {self.n_jobs}; give a number of processes, or -1 for one per core")


def run_suite_command(config: SuiteConfig) -> str:
    """``mimir suite``: build and save, check, or describe. Returns what to print; raises ConfigError when a check fails."""
    path = Path(config.out)
    if config.check and config.card:
        raise ConfigError("give either --check or --card")
    if config.card:
        from mimir_learn.evaluation.difficulty import write_card

        return write_card(path, config.n_jobs, None if config.docs is None else Path(config.docs), config.add)
    if config.check:
        suite = Suite.load(path)
        problems = check_suite(suite, config.most_steps, config.n_jobs)
        if problems:
            listed = "\n".join(f"  {p}" for p in problems[:20])
            raise ConfigError(f"{len(problems)} of {len(suite.tasks)} certificates in {path} no longer hold:\n{listed}\nrun `mimir suite`")
        return f"{path}: all {len(suite.tasks)} certificates hold ({suite.sha256[:12]}…)"
    there = Suite.load(path) if config.add is not None or _readable(path) else None
    before = None if there is None else there.sha256
    suite, work = build_suite(config, path.with_suffix(".work.jsonl"), None if config.add is None else there)
    suite.save(path)
    work.unlink()
    change = (
        "unchanged" if before == suite.sha256 else "new" if before is None else f"CHANGED, was {before[:12]}…: results before are no match"
    )
    subsets = ", ".join(f"{k} {n}" for k, n in suite.subsets().items())
    houses = len({t.house_seed for t in suite.tasks})
    return f"{path}: {len(suite.tasks)} tasks in {houses} houses ({subsets}); sha256 {suite.sha256[:12]}… ({change})"


def build_suite(config: SuiteConfig, work: Path, there: Suite | None = None) -> tuple[Suite, Path]:
    """Sample, certify and pick; deterministic. Raises ConfigError when the houses do not yield enough tasks.

    ``there``: the suite that ``config.add`` is appended to; its tasks stay, byte for byte.
    """
    kept = () if there is None else there.tasks
    if config.add is not None and any(t.subset == config.add for t in kept):
        raise ConfigError(f"{config.out} has a subset {config.add} already; build the suite again to replace it")
    subsets = config.subsets if config.add is None else [config.add]
    order = [*dict.fromkeys(t.subset for t in kept), *subsets]
    total = config.tasks * len(subsets) + len(kept)
    done = _Work(work, config)
    houses = [house_seed(config.split, config.first_house + i) for i in range(config.houses)]
    picked: list[SuiteTask] = list(kept)
    with tqdm(total=total, initial=len(kept), unit="task", desc="suite", disable=None) as bar:
        for start in range(0, len(houses), config.batch):
            batch = houses[start : start + config.batch]
            missing = [h for h in batch if h not in done.found]
            kinds = Counter((t.subset, t.kind) for t in picked)
            for seed, found in zip(missing, _in_parallel(_house, [(h, config, kinds) for h in missing], config.n_jobs), strict=True):
                done.add(seed, found)
            found_so_far = (t for h in houses[: start + config.batch] for t in done.certified(h))
            picked = [*kept, *pick(found_so_far, order, config.tasks, kept)]
            bar.update(len(picked) - bar.n)
            if len(picked) == total:
                break
    discarded = done.discarded()
    for subset in subsets:
        counts = Counter(reason for s, reason, _ in discarded if s == subset)
        listed = "; ".join(f"{n} × {reason}" for reason, n in counts.most_common())
        print(f"suite: {subset}: {sum(t.subset == subset for t in picked)} kept, discarded: {listed or 'none'}", file=sys.stderr)
    for subset, reason, words in discarded[:8]:
        print(f"suite: discarded ({subset}): {reason}: {words!r}", file=sys.stderr)
    short = {s: n for s in subsets if (n := sum(t.subset == s for t in picked)) < config.tasks}
    if short:
        listed = ", ".join(f"{s} {n}" for s, n in short.items())
        raise ConfigError(f"{config.houses} houses yield too few certified tasks ({listed} of {config.tasks}); raise `houses` or `draws`")
    reasons = {s: dict(Counter(r for x, r, _ in discarded if x == s)) for s in subsets}
    made: dict[str, Any] = {
        "config": _settings(config),
        "discarded": reasons,
        "git": git_state(),
        "versions": versions(),
        "source_sha256": loaded_sha256("suite"),
    }
    if there is None:
        return Suite(config.name, "household", VOCABULARY.sha256, tuple(picked), config.split, made), work
    if there.vocabulary_sha256 != VOCABULARY.sha256:
        raise ConfigError(f"{config.out} speaks another vocabulary than the household does now; build the suite again")
    added = {**there.provenance.get("added", {}), config.add: made}
    return replace(there, tasks=tuple(picked), provenance={**there.provenance, "added": added}), work


def pick(certified: Iterable[SuiteTask], subsets: Sequence[str], count: int, kept: Sequence[SuiteTask] = ()) -> list[SuiteTask]:
    """Up to ``count`` tasks of each subset, the first ones: no two with the same words, none with the meaning of another in its house.

    No kind makes more than `SHARE` of ``long_horizon`` or of ``sequence``. ``kept``: tasks that are in the suite already; they come before
    all others and are not returned.
    """
    taken: Counter[str] = Counter()
    of_kind: Counter[tuple[str, str]] = Counter()
    words = {t.task.instruction for t in kept}
    meanings = {(t.house_seed, key(t.task)) for t in kept}
    out = []
    for task in certified:
        meaning = (task.house_seed, key(task.task))
        crowded = task.subset in _BALANCED and of_kind[task.subset, task.kind] >= max(1, int(SHARE * count))
        if crowded or taken[task.subset] >= count or task.task.instruction in words or meaning in meanings:
            continue
        of_kind[task.subset, task.kind] += 1
        words.add(task.task.instruction)
        meanings.add(meaning)
        taken[task.subset] += 1
        out.append(task)
    return sorted(out, key=lambda t: (list(subsets).index(t.subset), t.house_seed, t.task.id))


def check_suite(suite: Suite, most_steps: int = 150, n_jobs: int = -1) -> list[str]:
    """Run every reference again; one sentence for each task that is no longer what the file says."""
    if suite.vocabulary_sha256 != VOCABULARY.sha256:
        return [f"the suite speaks another vocabulary ({suite.vocabulary_sha256[:12]}…, household now {VOCABULARY.sha256[:12]}…)"]
    return [problem for problem in _in_parallel(recertify, [(t, most_steps) for t in suite.tasks], n_jobs) if problem]


def _house(seed: int, config: SuiteConfig, kinds: Counter[tuple[str, str]]) -> dict[str, list[dict[str, Any]]]:
    """Candidates of one house: the certified ones and the discarded ones, as plain JSON types.

    ``kinds``: how many tasks of which (subset, kind) there are already; kinds that fall short of their weight are tried first.
    """
    world = World.of_house(generate_house(seed))
    certified, discarded = [], []
    candidates: dict[str, list[Task]] = {}
    first: dict[str, list[Task]] = {}
    for subset in config.subsets:
        rng = np.random.default_rng([config.seed, seed, SUBSETS.index(subset)])
        drawn = sample_subset(world, rng, subset, 3 * config.draws, f"h{seed}")
        first[subset] = drawn[:1]  # what a subset that comes later is compared with must not depend on what is there already
        candidates[subset] = _in_order(drawn, {k: kinds[subset, k] / w for k, w in WEIGHTS[subset].items()})[: config.draws]
    for subset in config.subsets if config.add is None else [config.add]:
        pool = first if subset in COURSES else candidates
        others = [t for s in config.subsets if s != subset and s not in COURSES for t in pool[s][:1]]
        full = sum(n for (s, _), n in kinds.items() if s == subset) >= config.tasks
        for number, task in enumerate([] if full else candidates[subset]):
            others = [o for o in others if key(o) != key(task)]
            verdict = certify(task, seed, others[number % len(others)] if others else None, config.most_steps)
            if verdict.certified is not None:
                certified.append(verdict.certified.to_dict())
                break
            discarded.append({"subset": subset, "reason": verdict.reason, "instruction": task.instruction, "id": task.id})
    return {"certified": certified, "discarded": discarded}


def _in_order(tasks: Sequence[Task], supply: Mapping[str, float]) -> list[Task]:
    """The scarcest kind first; of a kind those that need memory: things or places behind doors, more than one room."""

    def demand(task: Task) -> int:
        meta = task.meta
        return (meta["shut"] > 0) + (meta["across"] > 1) + (meta["subset"] == "long_horizon") * (meta["goals"] > 3)

    return sorted(tasks, key=lambda t: (supply.get(t.meta["kind"], 0.0), -demand(t)))


class _Work:
    """Certified and discarded candidates by house, kept in a file so that a stopped build can go on. Settings and code are its header."""

    def __init__(self, path: Path, config: SuiteConfig) -> None:
        self.path = path
        self.found: dict[int, dict[str, list[dict[str, Any]]]] = {}
        header = {"settings": _settings(config), "source": loaded_sha256("suite")}
        digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode()).hexdigest()
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() and config.resume else []
        if lines and lines[0] == digest:
            for line in lines[1:]:
                try:
                    body = json.loads(line)
                except ValueError:
                    break  # the build was stopped while writing
                self.found[body["house"]] = body["found"]
            print(f"suite: going on after {len(self.found)} houses that are certified already", file=sys.stderr)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([digest, *(self._line(h) for h in self.found)]) + "\n", encoding="utf-8")

    def _line(self, seed: int) -> str:
        return json.dumps({"house": seed, "found": self.found[seed]}, ensure_ascii=False)

    def add(self, seed: int, found: dict[str, list[dict[str, Any]]]) -> None:
        self.found[seed] = found
        with self.path.open("a", encoding="utf-8") as f:
            f.write(self._line(seed) + "\n")

    def certified(self, seed: int) -> list[SuiteTask]:
        return [SuiteTask.from_dict(t) for t in self.found.get(seed, {"certified": []})["certified"]]

    def discarded(self) -> list[tuple[str, str, str]]:
        return [(d["subset"], d["reason"], d["instruction"]) for _, f in sorted(self.found.items()) for d in f["discarded"]]


def _settings(config: SuiteConfig) -> dict[str, Any]:
    """Settings that what is built depends on."""
    return {k: v for k, v in asdict(config).items() if k not in ("out", "check", "card", "docs", "resume", "n_jobs")}


def _readable(path: Path) -> bool:
    try:
        Suite.load(path)
    except ConfigError:
        return False
    return True


def _in_parallel(work, arguments, n_jobs):  # type: ignore[no-untyped-def]
    if n_jobs == 1 or len(arguments) <= 1:
        return [work(*a) for a in arguments]
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        return Parallel()(delayed(work)(*a) for a in arguments)
