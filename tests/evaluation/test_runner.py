"""The runner: resumes, re-runs what a dead worker was doing and marks it, reports errors without losing the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mimir_learn.errors import MimirError
from mimir_learn.evaluation.arms import parse_arm
from mimir_learn.evaluation.jobs import EpisodeSettings, Job
from mimir_learn.evaluation.records import EpisodeKey, Record, RecordFile, read_records
from mimir_learn.evaluation.runner import _collapsed, run_all
from mimir_learn.evaluation.suite import SuiteTask
from mimir_learn.symbols import Goal, ObjectQuery, Task


def jobs(folder: Path, n: int) -> list[Job]:
    arm = parse_arm("none/privileged", 0.2)
    goal = Goal("g1", ObjectQuery("lamp"), attribute="on")
    tasks = [SuiteTask(Task(f"t{i}", str(folder), (goal,)), 0, "", 10, 5) for i in range(n)]
    return [Job(EpisodeKey(arm.name, t.task.id, 0), arm, t, EpisodeSettings()) for t in tasks]


def worker(scenario: str = "") -> Callable[[Job], Record]:
    """What a worker does with a job. A closure, because workers cannot import test modules."""

    def run(job: Job) -> Record:
        import os
        import signal
        import time
        from pathlib import Path

        flag = Path(job.task.task.instruction) / "happened"
        first = job.key.task == "t1" and not flag.exists()
        if first and scenario:
            flag.touch()
        if (scenario == "always dies" and job.key.task == "t1") or (scenario == "dies once" and first):
            os.kill(os.getpid(), signal.SIGKILL)
        if scenario == "hangs once" and first:
            time.sleep(60)
        if scenario == "raises" and job.key.task == "t1":
            raise ValueError("no such mug")
        return {"arm": job.key.arm, "task": job.key.task, "seed": job.key.seed, "reruns": job.reruns}

    return run


def test_a_killed_worker_costs_a_rerun_and_no_score(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records = RecordFile(tmp_path / "records.jsonl", {})
    run_all(jobs(tmp_path, 4), records, n_jobs=2, run=worker("dies once"))
    rows = {r["task"]: r for r in read_records(records.path)}
    assert sorted(rows) == ["t0", "t1", "t2", "t3"] and rows["t1"]["reruns"] == 1
    assert "none/privileged|t1|0" in capfd.readouterr().err


def test_a_hanging_episode_is_ended_by_the_watchdog(tmp_path: Path) -> None:
    records = RecordFile(tmp_path / "records.jsonl", {})
    started = time.monotonic()
    run_all(jobs(tmp_path, 2), records, n_jobs=2, watchdog_s=1.0, run=worker("hangs once"))
    assert time.monotonic() - started < 30
    assert {r["task"]: r["reruns"] for r in read_records(records.path)}["t1"] == 1


def test_an_episode_that_kills_every_worker_is_given_up_by_name(tmp_path: Path) -> None:
    records = RecordFile(tmp_path / "records.jsonl", {})
    with pytest.raises(MimirError, match=r"1 episodes could not be run(.|\n)*t1\|0: its worker died 4 times"):
        run_all(jobs(tmp_path, 2), records, n_jobs=2, run=worker("always dies"))
    assert [r["task"] for r in read_records(records.path)] == ["t0"]


def test_workers_that_cannot_read_their_work_are_an_error_not_a_loop(tmp_path: Path) -> None:
    class Unreadable:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return __import__, ("no_such_module_anywhere",)

    with pytest.raises(MimirError, match="cannot start or read"):
        run_all(jobs(tmp_path, 2), RecordFile(tmp_path / "records.jsonl", {}), n_jobs=2, run=Unreadable())  # type: ignore[arg-type]


def test_errors_name_the_episode_and_the_rest_is_kept(tmp_path: Path) -> None:
    records = RecordFile(tmp_path / "records.jsonl", {})
    with pytest.raises(MimirError, match=r"t1\|0: ValueError: no such mug at test_runner.py:\d+"):
        run_all(jobs(tmp_path, 3), records, n_jobs=1, run=worker("raises"))
    assert {r["task"] for r in read_records(records.path)} == {"t0", "t2"}


def test_what_is_recorded_is_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    run_all(jobs(tmp_path, 2), RecordFile(path, {}), n_jobs=1, run=worker())
    seen: list[Record] = []
    run_all(jobs(tmp_path, 3), RecordFile(path, {}), n_jobs=1, run=worker(), progress=seen.append)
    assert [r["task"] for r in seen] == ["t2"]


def test_equal_failures_are_one_line() -> None:
    keys = [EpisodeKey("none", f"t{i}", 0) for i in range(4)]
    assert _collapsed({keys[0]: "no driver", keys[1]: "no mug", keys[2]: "no driver", keys[3]: "no driver"}) == [
        "  none|t0|0 and 2 more: no driver",
        "  none|t1|0: no mug",
    ]


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    code = """
        import os, sys, time
        from pathlib import Path
        from tests.evaluation.test_runner import jobs
        from mimir_learn.evaluation.records import RecordFile
        from mimir_learn.evaluation.runner import run_all
        folder = Path(sys.argv[1])
        def outer():
            def run(job):
                import os, time
                from pathlib import Path
                (Path(job.task.task.instruction) / f"worker{os.getpid()}").touch()
                time.sleep(120)
            return run
        run_all(jobs(folder, 2), RecordFile(folder / "records.jsonl", {}), n_jobs=2, run=outer())
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), str(tmp_path)], cwd=Path(__file__).parents[2])
    try:
        found = wait_for(lambda: len(list(tmp_path.glob("worker*"))) == 2, 60)
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    workers = [int(p.name.removeprefix("worker")) for p in tmp_path.glob("worker*")]
    assert found and wait_for(lambda: not any(map(alive, workers)), 20), "workers outlived the process that wanted their results"


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
