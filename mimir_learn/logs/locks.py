"""Locks that the operating system releases when their process ends, however it ends: for an output folder and for half-written files."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mimir_learn.errors import MimirError


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
def only_one(folder: Path, doing: str, error: type[MimirError]) -> Iterator[None]:
    """Be the only process that is ``doing`` (one word: "collecting") something in ``folder``, which must exist.

    Raises ``error`` at once when another process is. The lock file stays; that it is locked counts, not that it is there.
    """
    with (folder / f".{doing}.lock").open("ab") as file:
        try:
            mine = hold(file)
        except OSError as e:
            raise error(f"{folder}: this file system has no file locks ({e}); choose a folder on a local disk") from e
        if not mine:
            raise error(f"{folder}: another process is {doing} into this directory; wait until it is done, or choose another out")
        yield
