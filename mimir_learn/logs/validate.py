"""Checks a log row by row: `check_log` names file and row of everything that a reader or a trainer would trip over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mimir_learn.errors import LogError
from mimir_learn.logs import meta, schema
from mimir_learn.logs.grammar import Commands
from mimir_learn.logs.reader import LogDirectory, ill_typed
from mimir_learn.logs.validate_meta import check_meta, check_splits
from mimir_learn.logs.validate_rows import Known, check_episode
from mimir_learn.logs.writer import read_footer


@dataclass(frozen=True)
class Problem:
    """Something wrong in a log.

    Attributes:
        file: path below the log's directory.
        row: row number within the file, None where the whole file is meant.
        what: what is wrong with it.
    """

    file: str
    row: int | None
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what}" if self.row is None else f"{self.file}, row {self.row}: {self.what}"


def check_log(directory: str | Path) -> list[Problem]:
    """Everything wrong with a log: its meta data first, then shard by shard, row by row; empty for a sound one.

    Raises LogError when there is no log at ``directory`` at all: ``meta/info.json``, ``meta/mimir.json`` or the episode table is missing
    or is none.
    """
    log = LogDirectory(Path(directory))
    if bad := [Problem(schema.EPISODES_PATH, n, text) for n, entry in enumerate(log.entries) if (text := ill_typed(entry))]:
        return bad  # without a whole episode table nothing says which rows belong to what
    problems = [Problem(*p) for p in (*check_meta(log), *check_splits(log))]
    by_shard: dict[Path, list[dict[str, Any]]] = {}
    for entry in log.episodes:
        by_shard.setdefault(log.shard_of(entry), []).append(entry)
    commands = Commands()
    for path in sorted(set(by_shard) | set(meta.shard_paths(log.root))):
        problems += _check_shard(log, path, by_shard.get(path, []), commands)
    return problems + [Problem(*p) for p in commands.wrong()]


def _check_shard(log: LogDirectory, path: Path, entries: list[dict[str, Any]], commands: Commands) -> Iterator[Problem]:
    name = path.relative_to(log.root).as_posix()
    try:
        numbers = [e["episode_index"] for e in read_footer(path)["episodes"]]
    except LogError as e:
        yield Problem(name, None, str(e).removeprefix(f"{path}: "))
        return
    except (KeyError, TypeError) as e:
        yield Problem(name, None, f"its footer has no list of episodes ({e!r})")
        return
    if numbers != [e["episode_index"] for e in entries]:
        yield Problem(name, None, f"holds episodes {numbers}, the episode table expects {[e['episode_index'] for e in entries]}")
        return
    row = 0
    for entry in entries:
        try:
            known = Known.of(log, entry)
        except LogError as e:
            yield Problem(schema.EPISODES_PATH, entry["episode_index"], str(e))
            row += entry["length"]
            continue  # what its rows may speak of is not known
        try:
            table = log.table(entry)
        except LogError as e:
            yield Problem(name, row, str(e).removeprefix(f"{path}: "))
        else:
            for at, found in check_episode(log, table, entry, known):
                if isinstance(found, str):
                    yield Problem(name, row + at, found)
                else:
                    commands.add(name, row + at, found)
        row += entry["length"]
