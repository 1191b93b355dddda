"""The next batches are made while the present one is trained on. What they hold and their order do not depend on it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any, TypeVar

from torch.utils.data import DataLoader

T = TypeVar("T")


class Prefetching(DataLoader[T]):
    """A `DataLoader` without workers whose batches are made ``ahead`` of time in a thread: reading and noise are numpy and torch kernels
    that let go of Python's lock, and no array has to travel between processes."""

    def __init__(self, *args: Any, ahead: int = 2, **kwargs: Any) -> None:
        self.ahead = ahead
        super().__init__(*args, **kwargs)

    def __iter__(self) -> Any:
        return prefetched(super().__iter__(), self.ahead)


def prefetched(items: Iterator[T], ahead: int) -> Iterator[T]:
    """``items``, the next ``ahead`` of them made in a thread meanwhile. An error is raised where its item would have come; the thread
    ends when the iterator is closed or forgotten."""
    ready: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=max(1, ahead))
    stopped = threading.Event()

    def put(kind: str, value: Any = None) -> bool:
        while not stopped.is_set():
            try:
                ready.put((kind, value), timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        try:
            for item in items:
                if not put("item", item):
                    return
            put("end")
        except BaseException as e:
            put("error", e)

    thread = threading.Thread(target=work, name="prefetch", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = ready.get()
            if kind == "item":
                yield value
            elif kind == "end":
                return
            else:
                raise value
    finally:
        stopped.set()
        thread.join()
