"""Checks a log row by row: `check_log` names file and row of everything that a reader or a trainer would trip over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mimir_learn.errors import LogError, MimirError
from mimir_learn.logs import codec, meta, schema
from mimir_learn.logs.reader import LogDirectory, decode_step
from mimir_learn.logs.splits import SPLITS, split_of
from mimir_learn.logs.writer import read_footer
from mimir_learn.symbols import Snapshot


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
    """Everything wrong with a log, in file and row order; empty for a sound one.

    Raises LogError when there is no log at ``directory`` at all (its meta data is missing or unreadable).
    """
    log = LogDirectory(Path(directory))
    entries = log.episodes
    problems = [*_check_meta(log, entries), *_check_splits(log, entries)]
    by_shard: dict[Path, list[dict[str, Any]]] = {}
    for entry in entries:
        by_shard.setdefault(log.shard_of(entry), []).append(entry)
    for path in sorted(set(by_shard) | set(meta.shard_paths(log.root))):
        problems += _check_shard(log, path, by_shard.get(path, []))
    return problems


def _check_meta(log: LogDirectory, entries: list[dict[str, Any]]) -> Iterator[Problem]:
    row = 0
    for number, entry in enumerate(entries):
        if (entry["episode_index"], entry["dataset_from_index"]) != (number, row):
            yield Problem(schema.EPISODES_PATH, number, f"expected episode {number} from row {row}, found episode {entry['episode_index']}")
        row = entry["dataset_to_index"]
    for key, value in (("total_episodes", len(entries)), ("total_frames", row)):
        if log.info[key] != value:
            yield Problem(meta.INFO, None, f"{key} is {log.info[key]}, the episode table has {value}")
    if log.info["features"].keys() != {c.name for c in schema.COLUMNS}:
        yield Problem(meta.INFO, None, "features are not the columns of this schema version")
    try:
        log.vocabulary  # noqa: B018 (checks its hash)
    except LogError as e:
        yield Problem(meta.VOCABULARY, None, str(e))


def _check_splits(log: LogDirectory, entries: list[dict[str, Any]]) -> Iterator[Problem]:
    seen: dict[int, str] = {}
    for number, entry in enumerate(entries):
        house, split = entry["house_seed"], entry["split"]
        if split not in SPLITS:
            yield Problem(schema.EPISODES_PATH, number, f"unknown split {split!r}")
        elif seen.setdefault(house, split) != split:
            yield Problem(schema.EPISODES_PATH, number, f"house {house} is in two splits: {seen[house]} and {split}")
        elif split_of(house) != split:
            yield Problem(schema.EPISODES_PATH, number, f"house {house} belongs to split {split_of(house)!r}, not {split!r}")


def _categories(log: LogDirectory) -> frozenset[str] | None:
    """Category names of the log's vocabulary; None where that is damaged, which is one problem and not one per row."""
    try:
        return frozenset(log.vocabulary.categories)
    except LogError:
        return None


def _check_shard(log: LogDirectory, path: Path, entries: list[dict[str, Any]]) -> list[Problem]:
    name = path.relative_to(log.root).as_posix()
    try:
        numbers = [e["episode_index"] for e in read_footer(path)["episodes"]]
        if numbers != [e["episode_index"] for e in entries]:
            return [Problem(name, None, f"holds episodes {numbers}, the episode table expects {[e['episode_index'] for e in entries]}")]
    except LogError as e:
        return [Problem(name, None, str(e).removeprefix(f"{path}: "))]
    problems: list[Problem] = []
    row = 0
    for entry in entries:
        try:
            table = log.table(entry)
        except LogError as e:
            problems.append(Problem(name, row, str(e).removeprefix(f"{path}: ")))
        else:
            problems += (Problem(name, row + at, what) for at, what in _check_episode(log, table, entry))
        row += entry["length"]
    return problems


def _check_episode(log: LogDirectory, table: pa.Table, entry: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """(row within the episode, what is wrong) for one episode's rows."""
    if missing := [c.name for c in schema.COLUMNS if c.name not in table.column_names]:
        yield 0, f"columns are missing: {missing}"
        return
    rows = len(table)
    columns = {c.name: table[c.name].to_pylist() for c in schema.COLUMNS}
    expected = {
        "episode_index": [entry["episode_index"]] * rows,
        "frame_index": list(range(rows)),
        "index": list(range(entry["dataset_from_index"], entry["dataset_to_index"])),
        "house_seed": [entry["house_seed"]] * rows,
        "split": [entry["split"]] * rows,
    }
    for name, values in expected.items():
        for row, (found, wanted) in enumerate(zip(columns[name], values, strict=True)):
            if found != wanted:
                yield row, f"{name} is {found}, expected {wanted}"
                break  # the rest of the column follows from the first wrong one
    snapshots: list[Snapshot | None] = []
    for row in range(rows):
        yield from ((row, what) for what in _check_frame(log, columns, row))
        try:
            snapshots.append(Snapshot.from_json(columns["privileged.state"][row]))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as e:
            snapshots.append(None)
            yield row, f"privileged.state is not a snapshot ({e})"
    known = _categories(log)
    for row in range(rows):
        yield from ((row, what) for what in _check_percept(columns["privileged.percept"][row], snapshots[row], known))
        yield from ((row, what) for what in _check_action(table, columns, row, snapshots))


def _check_frame(log: LogDirectory, columns: Mapping[str, list[Any]], row: int) -> Iterator[str]:
    size = log.info["features"][schema.RGB]["shape"]
    for name, decode, shape in ((schema.RGB, codec.decode_rgb, size), (schema.DEPTH, codec.decode_depth_mm, size[:2])):
        try:
            image = decode((columns[name][row] or {}).get("bytes"))
        except LogError as e:
            yield f"{name}: {e}"
            continue
        if list(image.shape) != shape:
            yield f"{name}: shape {image.shape}, expected {tuple(shape)}"
        elif name == schema.DEPTH and not image.any():
            yield f"{name}: zero everywhere, the sensor returned nothing"
    for name in ("observation.state", "observation.camera_pose", "observation.camera_intrinsics"):
        if columns[name][row] is None or not np.isfinite(np.asarray(columns[name][row], dtype=np.float64)).all():
            yield f"{name} is missing or not finite"


def _check_percept(text: str, state: Snapshot | None, known: frozenset[str] | None) -> Iterator[str]:
    """The ideal detector says what is true, in words the vocabulary has (``known`` categories; None = cannot tell)."""
    try:
        percept = codec.decode_percept(text)
    except MimirError as e:
        yield f"privileged.percept: {e}"
        return
    for sighting in percept.sightings:
        name = sighting.entity.id
        if known is not None and sighting.entity.category not in known:
            yield f"privileged.percept: category {sighting.entity.category!r} is not in the vocabulary"
        if state is None:
            continue
        if state.parents.get(name) != sighting.parent:
            yield f"privileged.percept sees {name} {sighting.parent}, but in truth it is {state.parents.get(name)}"
        if wrong := [a for a, v in sighting.attributes.items() if state.attributes.get((name, a)) is not v]:
            yield f"privileged.percept sees {wrong} of {name} other than they are"


def _check_action(table: pa.Table, columns: Mapping[str, list[Any]], row: int, snapshots: list[Snapshot | None]) -> Iterator[str]:
    verb, last = columns["action"][row], row == len(table) - 1
    if columns["next.done"][row] != (row >= len(table) - 2):
        yield f"next.done is {columns['next.done'][row]}"
    if last or verb == schema.NO_ACTION:
        if not last:
            yield "has no action, but is not the last row of its episode"
        elif verb != schema.NO_ACTION or columns["skill.arguments"][row]:
            yield "the last row of an episode has an action: the frame after it is missing (T+1 rows for T actions)"
        return
    try:
        step = decode_step(table, row)
    except (MimirError, ValueError, KeyError, TypeError) as e:
        yield f"action or its outcome does not parse ({e})"
        return
    if not 0 <= verb < len(schema.VERBS) or schema.VERBS[verb] != step.action.verb.value:
        yield f"action is {verb}, but skill.arguments says {step.action.verb.value}"
    if not step.command:
        yield "skill.text is empty"
    if (canonical := step.delta.to_json()) != columns["next.delta"][row]:
        yield f"next.delta is not canonical JSON: {columns['next.delta'][row][:120]}"
    before, after = snapshots[row], snapshots[row + 1]
    if before is None or after is None:
        return
    true = before.diff(after)
    if true != step.delta:
        yield f"next.delta is {canonical}, but the true states differ by {true.to_json()}"
    # someone else may undo what the action did, so that what they touched need not have changed; but it must exist
    if stray := set(step.moved) - set(before.parents):
        yield f"privileged.moved names {sorted(stray)}, which the true state does not know"
