"""Runs episodes in parallel worker processes, one thread each; survives the death of a worker.

A worker that dies mid-episode (killed, out of memory, or stopped by its watchdog) takes the process pool with it. The episodes that
had begun and left no record are run again in a new pool and marked; none of them is ever scored as the agent's failure.

joblib runs the pool: its own loky, or Ray or Dask where they are installed, on this machine or on a cluster.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor

from mimir_learn.errors import MimirError
from mimir_learn.evaluation.backends import LOKY, Pool, opened
from mimir_learn.evaluation.records import Record

WATCHDOG_S = 600.0
MAX_RERUNS = 3


class Records(Protocol):
    """Where results go: `records.RecordFile`, or `store.Store`."""

    path: Path

    @property
    def done(self) -> Collection[Any]: ...

    def append(self, record: Record) -> None: ...


def run_all(
    jobs: Sequence[Any],
    records: Records,
    *,
    n_jobs: int,
    watchdog_s: float = WATCHDOG_S,
    progress: Callable[[Record], object] | None = None,
    run: Callable[[Any], Record] | None = None,
    backend: str = LOKY,
) -> None:
    """Run every job whose key ``records`` lacks and append its record.

    Args:
        jobs: one per episode: dataclasses with ``key`` and ``reruns``; keys must be unique, hashable and sortable.
        records: where results go; what is there already is not run again.
        n_jobs: worker processes; 1 runs in this process (no watchdog, no protection against a crash).
        watchdog_s: wall-clock seconds after which a hanging episode's worker is ended and the episode run again.
        progress: called with every new record.
        run: what a worker does with a job; None = `episode.run_job`.
        backend: joblib's: loky, ray or dask.

    Raises MimirError when an episode raised an error, or lost its worker more than `MAX_RERUNS` times; all other episodes are
    recorded first.
    """
    if run is None:
        from mimir_learn.evaluation.episode import run_job

        run = run_job
    reruns: Counter[Any] = Counter()
    failures: dict[Any, str] = {}
    marks = records.path.parent / ".running"
    marks.mkdir(parents=True, exist_ok=True)
    for stale in marks.iterdir():
        stale.unlink()
    pool = opened(backend, n_jobs)
    while todo := [replace(j, reruns=reruns[j.key]) for j in jobs if j.key not in records.done and j.key not in failures]:
        done = len(records.done)
        try:
            for key, result in _results(todo, n_jobs, watchdog_s, marks, run, pool):
                if isinstance(result, str):
                    failures[key] = result
                else:
                    records.append(result)
                    if progress is not None:
                        progress(result)
                _mark(marks, key).unlink(missing_ok=True)
        except pool.broken as e:
            lost = [j.key for j in todo if _mark(marks, j.key).exists() and j.key not in records.done]
            if not lost and len(records.done) == done:
                raise MimirError(f"worker processes cannot start or read their work: {e} ({e.__cause__})") from e
            for key in lost:
                _mark(marks, key).unlink()
                reruns[key] += 1
                if reruns[key] > MAX_RERUNS:
                    failures[key] = f"its worker died {reruns[key]} times (out of memory, or hanging longer than {watchdog_s:g} s)"
            print(f"a worker died; running again: {', '.join(map(str, lost)) or 'nothing had begun'}", file=sys.stderr)
            pool.renew()
    with contextlib.suppress(OSError):
        marks.rmdir()
    if failures:
        listed = "\n".join(_collapsed(failures)[:5])
        raise MimirError(f"{len(failures)} episodes could not be run; the others are recorded in {records.path}:\n{listed}")


def _results(
    todo: Sequence[Any], n_jobs: int, watchdog_s: float, marks: Path, run: Callable[[Any], Record], pool: Pool
) -> Iterator[tuple[Any, Record | str]]:
    if n_jobs == 1:
        for job in todo:
            yield _guarded(job, None, marks, run)
        return
    loky = pool.backend == LOKY
    if loky:
        # Workers left over from an earlier stage would look to loky as if they leaked memory as soon as they load the estimator.
        get_reusable_executor().shutdown(wait=True)
    own: dict[str, Any] = {"inner_max_num_threads": 1} if loky else {}
    home = (socket.gethostname(), os.getpid())
    with parallel_config(pool.backend, n_jobs=n_jobs, **own):
        if pool.streams:
            workers = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
            yield from workers(delayed(_guarded)(job, watchdog_s, marks, run, home, child=loky) for job in todo)
            return
        for start in range(0, len(todo), pool.chunk):  # it answers for a whole list at once
            some = todo[start : start + pool.chunk]
            yield from Parallel(batch_size=1)(delayed(_guarded)(job, watchdog_s, marks, run, home, unmark=True) for job in some)


def _collapsed(failures: Mapping[Any, str]) -> list[str]:
    """One line for each different text: the first episode it struck, and how many more."""
    struck: dict[str, list[Any]] = {}
    for key, text in sorted(failures.items()):
        struck.setdefault(text, []).append(key)
    return [f"  {k[0]}{f' and {len(k) - 1} more' if len(k) > 1 else ''}: {text}" for text, k in struck.items()]


def _guarded(
    job: Any,
    watchdog_s: float | None,
    marks: Path,
    run: Callable[[Any], Record],
    home: tuple[str, int] | None = None,
    *,
    child: bool = False,
    unmark: bool = False,
) -> tuple[Any, Record | str]:
    """Run one job; an exception comes back as text so that one bad episode does not stop the others.

    Args:
        home: host and number of the process that wants the result; that one is never ended by a watchdog.
        child: this process is a child of that one, and ends when it has died.
        unmark: say that the job is through although its result may yet be lost.
    """
    here = (socket.gethostname(), os.getpid())
    if child and home is not None and here != home:
        _end_with(home[1])
    with _mark(marks, job.key).open("ab") as mark:
        mark.write(b".")
        begun = mark.tell()  # more than once where the backend itself has begun a lost job again
    with _watched(watchdog_s if here != home else None):
        try:
            return job.key, run(replace(job, reruns=job.reruns + begun - 1))
        except Exception as e:
            return job.key, _describe(e)
        finally:
            if unmark:
                _mark(marks, job.key).unlink(missing_ok=True)


@contextlib.contextmanager
def _watched(seconds: float | None) -> Iterator[None]:
    """End this process when it has not come through in so many seconds."""
    if seconds is None:
        yield
        return
    _single_thread()
    if threading.current_thread() is threading.main_thread():
        faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        stop = faulthandler.cancel_dump_traceback_later
    else:  # several at once in one process (Dask), and faulthandler has one clock for all
        timer = threading.Timer(seconds, os._exit, (1,))
        timer.daemon = True
        timer.start()
        stop = timer.cancel
    try:
        yield
    finally:
        stop()


@cache
def _end_with(parent: int) -> None:
    """End this process soon after ``parent`` has died, whatever it is doing: nobody would take the result."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)  # an ordinary exit would wait for the dead parent's queue

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def _describe(error: Exception) -> str:
    if isinstance(error, MimirError):
        return str(error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
    return f"{type(error).__name__}: {error}{where}"


def _single_thread() -> None:
    """One thread per worker also in libraries that were imported before the environment said so."""
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def _mark(marks: Path, key: object) -> Path:
    return marks / str(key).replace("/", "+").replace(os.sep, "+")
