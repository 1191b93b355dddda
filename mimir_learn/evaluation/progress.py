"""The live view of a run: how many episodes are done, how well they went so far, and how long it will take."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from types import TracebackType
from typing import TextIO

from tqdm import tqdm

from mimir_learn.evaluation.records import Record


class Progress:
    """Call it with every new record. On a terminal a bar, elsewhere a line every ``every_s`` seconds.

    Args:
        total: episodes to run now.
        before: records that were there already; they count in the rates.
    """

    def __init__(self, total: int, before: Iterable[Record] = (), *, every_s: float = 30.0, stream: TextIO | None = None) -> None:
        self.total, self.every_s, self.stream = total, every_s, stream or sys.stderr
        self.now = self.solved = self.declared = self.all = self.reruns = 0
        for record in before:
            self._count(record)
        self.started = self.said = time.monotonic()
        terminal = self.stream.isatty()
        self.bar = tqdm(total=total, unit="episode", desc="eval", file=self.stream, dynamic_ncols=True) if terminal else None

    def _count(self, record: Record) -> None:
        self.all += 1
        self.solved += bool(record["sr"])
        self.declared += bool(record["declared_sr"])
        self.reruns += record["reruns"]

    def __call__(self, record: Record) -> None:
        self.now += 1
        self._count(record)
        if self.bar is not None:
            self.bar.set_postfix_str(self.rates, refresh=False)
            self.bar.update()
        elif time.monotonic() - self.said >= self.every_s or self.now == self.total:
            self.said = time.monotonic()
            print(f"eval: {self}", file=self.stream, flush=True)

    @property
    def rates(self) -> str:
        if not self.all:
            return "nothing yet"
        again = f", {self.reruns} run again" if self.reruns else ""
        return f"SR {self.solved / self.all:.1%}, declared {self.declared / self.all:.1%} of {self.all}{again}"

    @property
    def left_s(self) -> float:
        """Seconds that the rest will take at the pace so far."""
        return (time.monotonic() - self.started) / max(self.now, 1) * (self.total - self.now)

    def __str__(self) -> str:
        return f"{self.now} of {self.total} episodes; {self.rates}; about {words(self.left_s)} left"

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.bar is not None:
            self.bar.close()


def words(seconds: float) -> str:
    """A duration for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
