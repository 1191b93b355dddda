"""Collects a whole log in parallel worker processes: resumes after a kill, survives killed workers, measures itself."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool
from tqdm import tqdm

from mimir_learn.collect.config import CollectConfig
from mimir_learn.collect.plan import ShardPlan, plan_shards
from mimir_learn.collect.shard import INSTRUCTIONS, ShardCost, make_shard
from mimir_learn.errors import ConfigError, LogError, SimulatorError
from mimir_learn.logs import LogDirectory, LogOrigin, write_meta
from mimir_learn.logs.locks import abandoned, only_one
from mimir_learn.logs.meta import INFO, ORIGIN, shard_paths
from mimir_learn.logs.reader import load_json
from mimir_learn.logs.validate_meta import check_meta
from mimir_learn.logs.writer import NotOurs, read_footer, write_atomic

STATS_FILE = "collect_stats.json"  # timings; outside the log's hash
_COMMITS = ".commits"  # versions of the code that made shards; a hidden file, for what a log is made by is no part of the data


@dataclass(frozen=True)
class CollectSummary:
    """What a run of `collect` did.

    Attributes:
        directory: where the log is.
        transitions: transitions in the whole log; ``made`` of them in this run.
        retried: shards that lost their worker process and were made again.
        wall_s, cpu_s: seconds of this run, on the clock and of CPU over all workers.
        transitions_per_s_per_core: made per second of CPU; None when everything was there already.
        transitions_per_s: made per second on the clock, all workers together.
        rates: shares of verbs, faults and changes (see `mimir_learn.logs.statistics`).
    """

    directory: Path
    transitions: int
    made: int
    retried: tuple[str, ...]
    wall_s: float
    cpu_s: float
    transitions_per_s_per_core: float | None
    transitions_per_s: float | None
    rates: dict[str, float] = field(default_factory=dict)


def collect(config: CollectConfig, *, progress: bool = True, commit: str | None = None) -> CollectSummary:
    """Make the log that ``config`` describes under ``config.out``, or what is missing of it.

    Complete shards of an earlier, interrupted run with the same settings are kept; the result is byte for byte what an unbroken run
    makes. ``commit`` is recorded as the version of the code; by default git is asked.

    Raises ConfigError when ``config.out`` cannot be made or has something else in it, LogError when it holds another log or another
    process is collecting into it,
    SimulatorError when a shard lost its worker ``config.max_tries`` times.
    """
    root = Path(config.out)
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise ConfigError(f"collect.out is {config.out}: cannot make this directory ({e}); choose another") from e
    _refuse_foreign(root)
    with only_one(root, "collecting", LogError):
        return _collect(config, root, progress, code_version() if commit is None else commit)


def _collect(config: CollectConfig, root: Path, progress: bool, commit: str) -> CollectSummary:
    started, shards = time.perf_counter(), plan_shards(config)
    missing = _missing(config, shards, root)
    if missing:
        (root / INFO).unlink(missing_ok=True)  # its presence says that a log is complete
        _note_commit(root, commit)
    costs, retried = _make(config, missing, progress)
    rates = _rates(root) if not missing and _described(root) else write_meta(root, _origin(config, root))
    made, cpu = sum(c.transitions for c in costs), sum(c.cpu_s for c in costs)
    wall = time.perf_counter() - started
    summary = CollectSummary(
        directory=root,
        transitions=sum(len(s.episodes) for s in shards) * config.steps,
        made=made,
        retried=tuple(retried),
        wall_s=wall,
        cpu_s=cpu,
        transitions_per_s_per_core=made / cpu if made else None,
        transitions_per_s=made / wall if made else None,
        rates=rates,
    )
    if made:
        _write_stats(root, summary, costs)
    return summary


def _refuse_foreign(root: Path) -> None:
    """Raises ConfigError for a folder that has something in it and is no log, finished or begun: its files might be written over."""
    ours = (root / ".collecting.lock").exists() or (root / ORIGIN).is_file() or any(root.glob("data/chunk-*/*file-*.parquet*"))
    if not ours and (found := sorted(p.name for p in root.iterdir())):
        listed = ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
        raise ConfigError(f"collect.out is {root}, which is no transition log and not empty ({listed}); choose a new directory")


def _missing(config: CollectConfig, shards: Sequence[ShardPlan], root: Path) -> list[ShardPlan]:
    """Shards still to make. Removes what a killed run left half-written; raises LogError for another log's shards."""
    planned = {s.path(root): s for s in shards}
    for stale in (*root.glob("data/chunk-*/.*.tmp"), *root.glob("meta/.*.tmp"), *root.glob(".*.tmp")):
        if abandoned(stale):  # else an orphan of a killed run is still at it, and will notice
            stale.unlink(missing_ok=True)
    done = set()
    for path in shard_paths(root):
        try:
            footer = read_footer(path)
        except NotOurs:
            raise  # somebody's whole log, not damage of ours
        except LogError:
            if path in planned:
                continue  # damaged: made again
            raise
        if path not in planned or footer.get("config_sha256") != config.sha256:
            raise LogError(f"{root} holds a log made with other settings ({path.name}); choose another out, or remove it first")
        done.add(path)
    return [s for p, s in planned.items() if p not in done]


def _make(config: CollectConfig, missing: Sequence[ShardPlan], progress: bool) -> tuple[list[ShardCost], list[str]]:
    """Run the shards through worker processes, a new pool whenever one of them was killed."""
    root, waiting, costs, lost = Path(config.out), list(missing), [], Counter[str]()
    total = sum(len(s.episodes) for s in missing) * config.steps
    with tqdm(total=total, unit="transition", desc="collect", disable=not progress) as bar:
        while waiting:
            try:
                for cost in _parallel(config, waiting):
                    costs.append(cost)
                    bar.update(cost.transitions)
                break
            except BrokenProcessPool:
                get_reusable_executor().shutdown(wait=True, kill_workers=True)
            # a worker that dies before it opens a shard (out of memory while importing) is counted against the first one waiting
            lost.update(_in_flight(root) or [waiting[0].path(root).relative_to(root).as_posix()])
            name, times = lost.most_common(1)[0]
            if times >= config.max_tries:
                raise SimulatorError(
                    f"{root / name}: its worker process was killed {times} times; is memory short? Try fewer n_jobs. "
                    "Finished shards are kept: the same command resumes."
                ) from None
            # also leaves out a finished shard whose report died with the pool: its cost is unknown, its data is there
            waiting = [s for s in waiting if not s.path(root).exists()]
    return costs, sorted(lost)


def _parallel(config: CollectConfig, shards: Sequence[ShardPlan]) -> Iterable[ShardCost]:
    with joblib.parallel_config(backend="loky", n_jobs=config.n_jobs, inner_max_num_threads=1):
        work = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        yield from work(joblib.delayed(make_shard)(config, s, os.getpid()) for s in shards)


def _in_flight(root: Path) -> list[str]:
    """Shards that were being written, by their temporary files, which are removed."""
    names = []
    for path in root.glob("data/chunk-*/.*.tmp"):
        if abandoned(path):
            names.append(f"{path.parent.relative_to(root).as_posix()}/{path.name[1:].partition('.parquet')[0]}.parquet")
            path.unlink(missing_ok=True)
    return sorted(set(names))


def _described(root: Path) -> bool:
    """Whether ``meta/`` is there and says what the shards say; else it is written again."""
    try:
        return not list(check_meta(LogDirectory(root)))
    except LogError:
        return False


def _origin(config: CollectConfig, root: Path) -> LogOrigin:
    from mimir_learn.envs.household import VOCABULARY

    return LogOrigin(
        vocabulary=VOCABULARY,
        image_size=config.image_size,
        instructions=INSTRUCTIONS,
        simulator="mujoco",
        simulator_version=importlib.metadata.version("mujoco"),
        commit=" + ".join(_commits(root)) or "unknown",
        config=config.content(),
        faults=str(config.faults),
        feedback_style=config.feedback_style,
    )


def _commits(root: Path) -> list[str]:
    """Every version of the code that made shards of this log, in order of the alphabet, so far as it is recorded."""
    try:
        return sorted(set((root / _COMMITS).read_text(encoding="utf-8").split()))
    except OSError:
        pass
    try:  # a copy of a log has no hidden files
        return str(load_json(root / ORIGIN)["commit"]).split(" + ")
    except (LogError, KeyError, TypeError):
        return []


def _note_commit(root: Path, commit: str) -> None:
    write_atomic(root / _COMMITS, "".join(f"{c}\n" for c in sorted({*_commits(root), commit} - {"unknown"} or {"unknown"})).encode())


def code_version() -> str:
    """``git describe`` of the working tree this package lies in, "unknown" where there is none."""
    package = Path(__file__).resolve().parents[1]
    if not (package.parent / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(package.parent), "describe", "--always", "--dirty", "--tags"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip() or "unknown"
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _rates(root: Path) -> dict[str, float]:
    return dict(load_json(root / "meta/rates.json")["rates"])


def _write_stats(root: Path, summary: CollectSummary, costs: Sequence[ShardCost]) -> None:
    body: dict[str, Any] = {k: v for k, v in asdict(summary).items() if k not in ("directory", "rates")}
    body["shards"] = [asdict(c) for c in sorted(costs, key=lambda c: (c.chunk, c.file))]
    write_atomic(root / STATS_FILE, (json.dumps(body, indent=1, sort_keys=True) + "\n").encode())
