"""Checks a log's ``meta/`` folder: every file there, in the right form, and saying what the shards say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mimir_learn.errors import LogError
from mimir_learn.logs import meta, schema
from mimir_learn.logs.reader import LogDirectory, load_json
from mimir_learn.logs.splits import SPLITS, split_of

Found = tuple[str, int | None, str]  # file, row, what is wrong


def check_meta(log: LogDirectory) -> Iterator[Found]:
    """Everything wrong with the files under ``meta/``, but for the houses' splits."""
    yield from _check_table(log)
    try:
        log.vocabulary  # noqa: B018 (checks its hash)
    except LogError as e:
        yield meta.VOCABULARY, None, str(e)
    tasks, problem = _tasks(log)
    if problem is not None:
        yield meta.TASKS, None, problem
    else:
        yield from _check_tasks(log, tasks)
    yield from _check_against_shards(log, None if problem else len(tasks))


def _check_table(log: LogDirectory) -> Iterator[Found]:
    row = 0
    for number, entry in enumerate(log.episodes):
        if (entry["episode_index"], entry["dataset_from_index"]) != (number, row):
            yield schema.EPISODES_PATH, number, f"expected episode {number} from row {row}, found episode {entry['episode_index']}"
        first, row = entry["dataset_from_index"], entry["dataset_to_index"]
        if row - first != entry["length"]:
            yield schema.EPISODES_PATH, number, f"rows {first} to {row} are not the {entry['length']} of its length"
    for key, value in (("total_episodes", len(log.episodes)), ("total_frames", row)):
        if log.info[key] != value:
            yield meta.INFO, None, f"{key} is {log.info[key]}, the episode table has {value}"


def _tasks(log: LogDirectory) -> tuple[list[str], str | None]:
    """Instructions by ``task_index``, or what is wrong with their file."""
    path = log.root / meta.TASKS
    try:
        columns = pq.read_table(path).to_pydict()
    except (OSError, pa.ArrowException) as e:
        return [], f"missing or damaged ({e}); run `mimir collect` again into this directory"
    names, numbers = columns.get("task"), columns.get("task_index")
    if not names or numbers != list(range(len(names))) or not all(isinstance(n, str) for n in names):
        return [], f"expected the tasks by number from 0, found {numbers}: {names}"
    return names, None


def _check_tasks(log: LogDirectory, tasks: list[str]) -> Iterator[Found]:
    for number, entry in enumerate(log.episodes):
        task = entry["task_index"]
        if not 0 <= task < len(tasks):
            yield schema.EPISODES_PATH, number, f"task_index is {task}, {meta.TASKS} has {len(tasks)}"
        elif entry.get("tasks") != [tasks[task]]:
            yield schema.EPISODES_PATH, number, f"tasks is {entry.get('tasks')}, task {task} of {meta.TASKS} is {tasks[task]!r}"


def image_size(log: LogDirectory) -> int | None:
    """Height and width of the frames as ``meta/info.json`` has it; None where it does not say."""
    try:
        size = log.info["features"][schema.RGB]["shape"][0]
    except (KeyError, TypeError, IndexError):
        return None
    return size if isinstance(size, int) else None


def _check_against_shards(log: LogDirectory, tasks: int | None) -> Iterator[Found]:
    """The episode table and every JSON file against what follows from the shards; only their form where a shard is damaged."""
    try:
        totals = meta.add_up(log.root)
        wanted = totals.bodies()
    except (LogError, KeyError, TypeError, ValueError):  # said where shards are checked
        totals, wanted = None, {}
    said = {} if totals is None else {e["episode_index"]: e for e in totals.entries}
    for number, entry in enumerate(log.episodes):
        footer = said.get(entry["episode_index"], {})
        place = ("data/chunk_index", "data/file_index")  # a shard out of place is said where shards are checked
        if wrong := [k for k in footer if k not in place and entry.get(k) != footer[k]]:
            yield schema.EPISODES_PATH, number, f"{', '.join(wrong)} other than in the footer of its shard"
    for name in (meta.STATS, meta.RATES, meta.SPLIT_FILE, meta.ACTIONS):
        try:
            body = load_json(log.root / name)
        except LogError as e:
            yield name, None, str(e)
            continue
        if name in wanted and (other := _difference(body, wanted[name])):
            yield name, None, f"{other}; run `mimir collect` again into this directory to rewrite it"
    if not (log.root / meta.CARD).is_file():
        yield meta.CARD, None, "missing: `datasets` finds the splits by it; run `mimir collect` again into this directory"
    size = image_size(log)
    if size is None or not isinstance(log.info["features"], dict) or log.info["features"].keys() != {c.name for c in schema.COLUMNS}:
        yield meta.INFO, None, "features are not the columns of this schema version"
        return
    if totals is None or not totals.entries or tasks is None:
        return
    try:
        robot = log.vocabulary.name
    except LogError:
        return
    counted = {k: log.info[k] for k in ("total_episodes", "total_frames")}  # compared with the episode table already
    if other := _difference(log.info, {**meta.info(totals.entries, robot, tasks, size), **counted}):
        yield meta.INFO, None, other


def _difference(found: Any, wanted: Any) -> str | None:
    """How a meta file differs from what the shards say, None where it does not."""
    wanted = json.loads(json.dumps(wanted))
    if found == wanted:
        return None
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return f"is {str(found)[:80]}, expected {str(wanted)[:80]}"
    return f"{', '.join(sorted(k for k in found.keys() | wanted.keys() if found.get(k) != wanted.get(k)))} not as in the shards"


def check_splits(log: LogDirectory) -> Iterator[Found]:
    """Every house in the split whose block of seeds it lies in, and in no other."""
    seen: dict[int, str] = {}
    for number, entry in enumerate(log.episodes):
        house, split = entry["house_seed"], entry["split"]
        try:
            own = split_of(house)
        except LogError as e:
            yield schema.EPISODES_PATH, number, str(e)
            continue
        if split not in SPLITS:
            yield schema.EPISODES_PATH, number, f"unknown split {split!r}"
        elif seen.setdefault(house, split) != split:
            yield schema.EPISODES_PATH, number, f"house {house} is in two splits: {seen[house]} and {split}"
        elif own != split:
            yield schema.EPISODES_PATH, number, f"house {house} belongs to split {own!r}, not {split!r}"
