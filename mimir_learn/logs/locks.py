"""Locks that the operating system releases when their process ends, however it ends: for a log's directory and for half-written files."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mimir_learn.errors import LogError

LOCK_FILE = ".collect.lock"  # stays; that it is locked counts, not that it is there


def hold(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; False when another process (or another open file) holds it. Raises OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def abandoned(path: Path) -> bool:
    """Whether nobody is writing a file that its writer would `hold`. A process number would not do: they are used again."""
    try:
        with path.open("rb") as file:
            return hold(file)
    except FileNotFoundError:
        return False


@contextmanager
def only_writer(root: Path) -> Iterator[None]:
    """Be the only one who writes the log under ``root``. Raises LogError at once when somebody else does."""
    with (root / LOCK_FILE).open("ab") as file:
        try:
            mine = hold(file)
        except OSError as e:
            raise LogError(f"{root}: this file system has no file locks ({e}); collect into a directory on a local disk") from e
        if not mine:
            raise LogError(f"{root}: another process is collecting into this directory; wait until it is done, or choose another out")
        yield
