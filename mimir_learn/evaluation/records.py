"""Episode records on disk: one JSON line per episode, append-only, so that a killed evaluation goes on where it stopped."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator
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

    The first line is a header that names what all records have in common (suite, checkpoint, code, settings); records under another
    header would not be comparable and are never mixed in. A half-written last line (the writer was killed) is cut off on opening.

    Args:
        path: the file; created with its header when absent.
        header: JSON-serialisable settings the records depend on.
        made_by: where the records come from (commit, versions); kept in the first line, not compared.
        renew: header keys that may differ: then the old file is set aside under another name, stderr says so, and the records start anew.

    Attributes:
        made_by: of the file, that is, of the code that began it.
        set_aside: where the records of another header went, None when there were none.

    Raises ConfigError when another key of the header differs, or a line is damaged.
    """

    def __init__(self, path: Path, header: dict[str, Any], made_by: dict[str, Any] | None = None, renew: Collection[str] = ()) -> None:
        self.path = path
        self.set_aside: Path | None = None
        line = json.dumps({"header": header, "made_by": made_by or {}}, sort_keys=True)
        if path.exists() and _whole(path) and (changed := _changed(path, json.loads(line)["header"])):
            if not set(changed) <= set(renew):
                raise ConfigError(
                    f"{path} holds episodes of another evaluation (differs in: {', '.join(changed)}); "
                    "choose another output folder or pass --resume false to start over"
                )
            self.set_aside = set_aside(path)
            count = sum(1 for _ in self.set_aside.open()) - 1
            print(
                f"eval: {count} episodes recorded under another {', '.join(k.removesuffix('_sha256') for k in changed)} are not used; "
                f"kept as {self.set_aside}, starting anew",
                file=sys.stderr,
            )
        if not path.exists() or not _whole(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(line + "\n")
        with path.open() as f:
            self.made_by: dict[str, Any] = json.loads(f.readline()).get("made_by", {})
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


def _changed(path: Path, header: dict[str, Any]) -> list[str]:
    """Keys in which the file's header differs."""
    with path.open() as f:
        first = f.readline()
    try:
        stored = json.loads(first)["header"]
    except (json.JSONDecodeError, KeyError, TypeError) as e:
        raise ConfigError(f"{path} does not begin with a header; choose another output folder or pass --resume false") from e
    return sorted(k for k in {*stored, *header} if stored.get(k) != header.get(k))


def set_aside(path: Path) -> Path:
    """Rename a file out of the way, under a name that is free."""
    number = 1
    while (other := path.with_name(f"{path.stem}.old{number}{path.suffix}")).exists():
        number += 1
    return path.rename(other)


def _whole(path: Path) -> bool:
    """Cut a half-written last line off; False when nothing whole is left."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        path.write_bytes(data[:end])
    return end > 0
