"""Writes a log: `EpisodeRecorder` gathers an episode while it runs, `ShardWriter` puts whole episodes into one atomic file."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mimir_learn.errors import LogError
from mimir_learn.logs import codec, schema
from mimir_learn.logs.episode import LoggedStep
from mimir_learn.logs.locks import hold
from mimir_learn.logs.splits import split_of
from mimir_learn.logs.statistics import Moments, count
from mimir_learn.symbols import EMPTY, Action, Kind, Observation, Outcome, Percept, Place, PrivilegedState, Task

FOOTER_KEY = b"mimir_learn"
_PIXEL_STRIDE = 4  # image statistics look at every fourth pixel each way: a sixteenth of the cost, the same mean
_NUMERIC = {"observation.state": 6, "action": 1, "timestamp": 1, "frame_index": 1, "episode_index": 1, "index": 1, "task_index": 1}
_COMPRESSION = {c.name: "none" if c.dtype == "image" else "zstd" for c in schema.COLUMNS}
_STRINGS = [c.name for c in schema.COLUMNS if c.dtype == "string"]
_STATISTICS = ["house_seed", "split", "episode_index", "index"]


@dataclass(frozen=True)
class EpisodeHeader:
    """What is known of an episode before its first step.

    Attributes:
        index: number of the episode in the log.
        first_row: number of its first row in the log.
        house_seed, seed: which house, and the seed of its fault draws.
        task: what the behaviour policy is up to.
        task_index: row of its instruction in ``meta/tasks.parquet``.
        places: what the robot knows of the house.
    """

    index: int
    first_row: int
    house_seed: int
    seed: int
    task: Task
    places: tuple[Place, ...]
    task_index: int = 0


@dataclass(frozen=True, eq=False)
class RecordedEpisode:
    """A finished episode, encoded: its rows, its entry for the episode table, its counts and moments."""

    table: pa.Table
    entry: dict[str, Any]
    counts: Counter[str]
    moments: dict[str, Moments]


class NotOurs(LogError):
    """A whole and sound file, but none of this schema version's shards: nothing to be written over."""


class EpisodeRecorder:
    """Gathers one episode: a first frame, then one frame per action, each encoded at once."""

    def __init__(self, header: EpisodeHeader, observation: Observation, percept: Percept, state: PrivilegedState) -> None:
        self.header = header
        self._split = split_of(header.house_seed)
        self._columns: dict[str, list[Any]] = {c.name: [] for c in schema.COLUMNS}
        self._steps: list[LoggedStep] = []
        self._state = state
        self._entities, self._novel = codec.encode_entities(state.entities.values()), codec.encode_ids(state.novel)
        self._things = frozenset(e.id for e in state.entities.values() if e.kind is Kind.OBJECT)
        self.moments = {schema.RGB: Moments(3), schema.DEPTH: Moments(1)}
        self._frame(observation, percept, state)

    def add(
        self, action: Action, command: str, outcome: Outcome, observation: Observation, percept: Percept, state: PrivilegedState
    ) -> LoggedStep:
        """Record one action, the frame after it and the true state after it; return the step with its true Δ."""
        delta = self._state.snapshot.diff(state.snapshot)
        step = LoggedStep(action, command, outcome, delta, state.fault, tuple(state.moved))
        self._steps.append(step)
        self._action(step)
        self._state = state
        self._frame(observation, percept, state)
        return step

    def finish(self) -> RecordedEpisode:
        """Close the episode: T+1 rows for T actions. Raises LogError for an episode without an action."""
        if not self._steps:
            raise LogError(f"episode {self.header.index} has no action: nothing to log")
        self._action(None)
        h, rows = self.header, len(self._steps) + 1
        fixed = {"house_seed": h.house_seed, "split": self._split, "episode_index": h.index, "task_index": h.task_index}
        for name, value in fixed.items():
            self._columns[name] = [value] * rows
        self._columns["frame_index"] = list(range(rows))
        self._columns["timestamp"] = [t / schema.FPS for t in range(rows)]
        self._columns["index"] = list(range(h.first_row, h.first_row + rows))
        self._columns["next.done"] = [t >= rows - 2 for t in range(rows)]
        arrow = schema.arrow_schema()
        table = pa.table([pa.array(self._columns[f.name], type=f.type) for f in arrow], schema=arrow)
        for name, channels in _NUMERIC.items():
            self.moments[name] = Moments(channels)
            self.moments[name].add(np.asarray(self._columns[name], dtype=np.float64).reshape(rows, channels))
        entry = {
            "episode_index": h.index, "length": rows, "dataset_from_index": h.first_row, "dataset_to_index": h.first_row + rows,
            "split": self._split, "house_seed": h.house_seed, "seed": h.seed, "task_index": h.task_index,
            "task": codec.dumps(h.task.to_dict()), "places": codec.encode_places(h.places), "privileged.entities": self._entities,
            "privileged.novel": self._novel,
        }  # fmt: skip
        return RecordedEpisode(table, entry, count(self._steps, self._things, self._state.novel), self.moments)

    def _frame(self, observation: Observation, percept: Percept, state: PrivilegedState) -> None:
        put = self._columns
        put[schema.RGB].append({"bytes": codec.encode_rgb(observation.rgb), "path": None})
        put[schema.DEPTH].append({"bytes": codec.encode_depth(observation.depth), "path": None})
        put["observation.state"].append(codec.camera_state(observation))
        put["observation.camera_pose"].append(observation.pose.reshape(-1).tolist())
        put["observation.camera_intrinsics"].append(observation.intrinsics.reshape(-1).tolist())
        put["privileged.state"].append(state.snapshot.to_json())
        put["privileged.positions"].append(codec.encode_positions(state.positions))
        put["privileged.percept"].append(codec.encode_percept(percept))
        self.moments[schema.RGB].add(observation.rgb[::_PIXEL_STRIDE, ::_PIXEL_STRIDE] / 255.0)
        self.moments[schema.DEPTH].add(observation.depth[::_PIXEL_STRIDE, ::_PIXEL_STRIDE].astype(np.float64) * 1000.0)

    def _action(self, step: LoggedStep | None) -> None:
        put, delta = self._columns, EMPTY if step is None else step.delta
        put["action"].append(schema.NO_ACTION if step is None else schema.VERBS.index(step.action.verb.value))
        put["skill.text"].append("" if step is None else step.command)
        put["skill.arguments"].append("" if step is None else step.action.to_json())
        put["next.success"].append(step is not None and bool(step.outcome.success))
        put["next.feedback"].append("" if step is None else step.outcome.text)
        put["next.delta"].append(delta.to_json())
        put["privileged.fault"].append("" if step is None else step.fault)
        put["privileged.moved"].append("[]" if step is None else codec.dumps(list(step.moved)))


@dataclass
class ShardWriter:
    """One Parquet file of whole episodes, one row group each. It appears under its name only when complete and on disk.

    Use as a context manager; leaving it with an exception removes the temporary file.

    Attributes:
        path: final file name.
        footer: JSON-able facts of the shard, stored in the file's footer beside the episode entries, counts and moments.
    """

    path: Path
    footer: Mapping[str, Any] = field(default_factory=dict)

    def __enter__(self) -> ShardWriter:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        self._entries: list[dict[str, Any]] = []
        self._counts: Counter[str] = Counter()
        self._moments: dict[str, Moments] = {}
        self._file = self._temporary.open("wb")
        hold(self._file)  # tells a half-written file of this process from one a killed process left behind
        self._writer = pq.ParquetWriter(
            self._file, schema.arrow_schema(), compression=_COMPRESSION, use_dictionary=_STRINGS, write_statistics=_STATISTICS
        )
        return self

    def write(self, episode: RecordedEpisode) -> None:
        """Append one episode as one row group."""
        self._writer.write_table(episode.table, row_group_size=len(episode.table))
        self._entries.append(episode.entry)
        self._counts.update(episode.counts)
        for name, moments in episode.moments.items():
            self._moments.setdefault(name, Moments(len(moments.sum))).merge(moments)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            body = {
                **self.footer, "schema_version": schema.SCHEMA_VERSION, "episodes": self._entries,
                "counts": dict(sorted(self._counts.items())), "moments": {k: m.to_list() for k, m in sorted(self._moments.items())},
            }  # fmt: skip
            self._writer.add_key_value_metadata({FOOTER_KEY: codec.dumps(body).encode()})
        self._writer.close()
        if kind is not None:
            self._file.close()
            self._temporary.unlink(missing_ok=True)
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        self._temporary.replace(self.path)
        self._file.close()  # not earlier: with it goes the lock
        sync_directory(self.path.parent)


def sync_directory(path: Path) -> None:
    """Make a rename inside ``path`` durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomic(path: Path, data: bytes) -> None:
    """Write a whole small file under its name at once: whoever is killed, or fails, leaves what was there before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def read_footer(path: Path) -> dict[str, Any]:
    """The facts a complete shard carries in its footer. Raises LogError for a missing, truncated or foreign file."""
    if not path.is_file():
        raise LogError(f"{path}: shard is missing; collect again into the same directory to remake it")
    try:
        metadata = pq.read_metadata(path).metadata or {}
        if FOOTER_KEY not in metadata:
            raise NotOurs(f"{path}: not a shard of a transition log (no {FOOTER_KEY.decode()} footer); choose another directory")
        body: dict[str, Any] = json.loads(metadata[FOOTER_KEY])
    except (pa.ArrowException, OSError) as e:
        raise LogError(f"{path}: truncated or damaged parquet file ({e}); collect again into the same directory to remake it") from e
    except ValueError as e:
        raise LogError(f"{path}: its footer is damaged ({e}); collect again into the same directory to remake it") from e
    if not isinstance(body, dict) or not {"episodes", "counts", "moments"} <= body.keys():
        raise LogError(f"{path}: its footer lacks episodes, counts or moments; collect again into the same directory to remake it")
    if (other := schema.other_version(body.get("schema_version"))) is not None:
        raise NotOurs(f"{path}: {other}")
    return body
