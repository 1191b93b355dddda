"""The record store of experiments: append-only files in one folder, one record per content key, whichever grid asked for it.

``records.jsonl`` has one line per episode without its steps; ``traces.bin`` has the steps, compressed, found by offset. The line is written
last: a process that is killed at any point leaves at most a piece of trace that no line points to, and half a line. Whoever reads passes
over that, since another process may just be writing it; the next one that appends cuts it off. Those that append hold a lock on the folder
(`experiment.run_grid`), so there is one at a time.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.records import Record

RECORDS, TRACES = "records.jsonl", "traces.bin"


@dataclass(frozen=True, order=True)
class ContentKey:
    """Names an episode by what determines it; ``label`` is for people and does not count."""

    sha256: str
    label: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.label} {self.sha256[:12]}".strip()


class Store:
    """Episode records of any number of grids.

    Attributes:
        path: the file of records.
        done: keys recorded.

    Raises ConfigError for a damaged line or a key recorded twice, naming the line.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self._traces = folder / RECORDS, folder / TRACES
        self._whole = False  # whether the file is known to end with a whole line
        self._records: dict[str, Record] = {}
        self._common: dict[str, Any] = {}
        for number, record in self._lines():
            key = record.get("key")
            if not isinstance(key, str):
                raise ConfigError(f"{self.path}:{number} is no record of an experiment; choose another out, or delete this line")
            if key in self._records:
                raise ConfigError(f"{self.path}:{number} records episode {key[:12]}… a second time; delete this line")
            self._records[key] = self._slim(record)
        self.done: set[ContentKey] = {ContentKey(k) for k in self._records}

    def _lines(self) -> Iterator[tuple[int, Record]]:
        if not self.path.exists():
            return
        with self.path.open("rb") as f:
            for number, line in enumerate(f, 1):
                if not line.endswith(b"\n"):
                    return  # being written, or left by a kill
                try:
                    yield number, json.loads(line.decode("utf-8"))
                except ValueError as e:
                    raise ConfigError(f"{self.path}:{number} is not JSON ({e}); delete this line to have its episode run again") from e

    def _slim(self, record: Record) -> Record:
        """The same record; what many records have word for word is held in memory once."""
        for name in ("made_by", "settings", "estimator"):
            if name in record:
                record[name] = self._common.setdefault(json.dumps(record[name], sort_keys=True), record[name])
        return record

    def append(self, record: Record) -> None:
        """Add one record; its ``trace`` goes to the trace file. Raises ConfigError when its key is already there."""
        key = record["key"]
        if key in self._records:
            raise ConfigError(f"episode {key[:12]}… is already recorded in {self.path}")
        if not self._whole:
            _cut_half_line(self.path)
            self._whole = True
        slim = dict(record)
        packed = zlib.compress(json.dumps(slim.pop("trace"), sort_keys=True).encode(), 6)
        with self._traces.open("ab") as f:
            slim["trace"] = {"at": f.tell(), "bytes": len(packed)}
            f.write(packed)
        with self.path.open("a", encoding="utf-8") as f:
            f.write(json.dumps(slim, sort_keys=True, ensure_ascii=False) + "\n")
        self._records[key] = self._slim(slim)
        self.done.add(ContentKey(key))

    def get(self, key: str) -> Record | None:
        """A record without its steps (``trace`` says where they are), None when there is none."""
        return self._records.get(key)

    def trace(self, record: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The steps of a record. Raises ConfigError when the trace file is not the one it was recorded with."""
        where = record["trace"]
        try:
            with self._traces.open("rb") as f:
                f.seek(where["at"])
                steps: list[dict[str, Any]] = json.loads(zlib.decompress(f.read(where["bytes"])))
        except (OSError, zlib.error, ValueError) as e:
            raise ConfigError(f"{self._traces} does not hold the steps of episode {record['key'][:12]}… ({e}); was it exchanged?") from e
        return steps

    def __len__(self) -> int:
        return len(self._records)

    def other_versions(self, wanted: Mapping[str, str]) -> dict[str, int]:
        """Code version → how many of the episodes in ``wanted`` (episode hash → key) are only recorded under that other version."""
        missing = {episode for episode, key in wanted.items() if key not in self._records}
        out: dict[str, int] = {}
        for record in self._records.values():
            if record["episode"] in missing:
                out[record["code"]] = out.get(record["code"], 0) + 1
        return out


def read(folder: Path, keys: Collection[str] | None = None) -> list[Record]:
    """Records of a store, without their steps, in the order of their keys; only those of ``keys`` if given."""
    store = Store(folder)
    wanted: Iterable[str] = sorted(k.sha256 for k in store.done) if keys is None else keys
    return [r for k in wanted if (r := store.get(k)) is not None]


def _cut_half_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as f:
        data = f.read()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            f.truncate(end)
