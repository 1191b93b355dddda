"""Episode records on disk: one JSON line per episode, append-only, so that a killed evaluation goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError

Record = dict[str, Any]


@dataclass(frozen=True, order=True)
class EpisodeKey:
    """Which episode: arm, task and seed. One record each."""

    arm: str
    task: str
    seed: int

    def __str__(self) -> str:
        return f"{self.arm}|{self.task}|{self.seed}"


class RecordFile:
    """``records.jsonl`` of one evaluation.

    The first line is a header that names what all records have in common (suite, checkpoint, settings); appending to a file
    with another header is refused, because its records would not be comparable. A half-written last line (the writer was
    killed) is cut off on opening.

    Args:
        path: the file; created with its header when absent.
        header: JSON-serialisable settings the records depend on.

    Raises ConfigError when the file has another header or a damaged line.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        line = json.dumps({"header": header}, sort_keys=True)
        if not path.exists() or not _whole(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(line + "\n")
        stored = json.loads(path.open().readline())
        if stored != json.loads(line):
            theirs, ours = stored.get("header", {}), json.loads(line)["header"]
            changed = sorted(k for k in {*theirs, *ours} if theirs.get(k) != ours.get(k))
            raise ConfigError(
                f"{path} holds episodes of another evaluation (differs in: {', '.join(changed)}); "
                "choose another output folder or pass --resume false to start over"
            )
        self.done = {key_of(r) for r in read_records(path)}

    def append(self, record: Record) -> None:
        """Add one record. Raises ConfigError when its key is already there."""
        key = key_of(record)
        if key in self.done:
            raise ConfigError(f"episode {key} is already recorded in {self.path}")
        with self.path.open("a") as f:
            f.write(json.dumps(record, sort_keys=True) + "\n")
        self.done.add(key)


def key_of(record: Record) -> EpisodeKey:
    return EpisodeKey(record["arm"], record["task"], record["seed"])


def read_records(path: Path) -> Iterator[Record]:
    """All records of a file, header left out. Raises ConfigError naming the damaged line."""
    with path.open() as f:
        for number, line in enumerate(f, 1):
            try:
                body = json.loads(line)
            except json.JSONDecodeError as e:
                raise ConfigError(f"{path}:{number} is not JSON ({e}); delete this line to have its episode run again") from e
            if "header" not in body:
                yield body


def _whole(path: Path) -> bool:
    """Cut a half-written last line off; False when nothing whole is left."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        path.write_bytes(data[:end])
    return end > 0
