"""Reads a log: `read_episodes` walks over its episodes and decodes frames only when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mimir_learn.errors import LogError, MimirError
from mimir_learn.logs import codec, meta, schema
from mimir_learn.logs.episode import Episode, Lazy, LoggedStep
from mimir_learn.logs.splits import SPLITS
from mimir_learn.symbols import Action, Delta, Entity, Observation, Outcome, Percept, Place, Snapshot, Task, Vocabulary

_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError)  # what parsing damaged JSON into objects can raise


def load_json(path: Path) -> Any:
    """Parse one meta file. Raises LogError naming it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LogError(f"{path} is missing: no complete transition log here; make or resume one with `mimir collect`") from None
    except ValueError as e:
        raise LogError(f"{path}: damaged JSON ({e}); run `mimir collect` again into this directory to rewrite it") from e


@dataclass(frozen=True)
class LogDirectory:
    """An opened log: its meta data, checked to be there and to be of this schema version.

    Raises LogError naming the file that is missing, damaged or of another version.
    """

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root))
        if not self.root.is_dir():
            raise LogError(f"{self.root}: no such directory; make a log with `mimir collect`")
        if (other := schema.other_version(self.origin.get("schema_version"))) is not None:
            raise LogError(f"{self.root / meta.ORIGIN}: {other}")

    @cached_property
    def info(self) -> dict[str, Any]:
        return self._object(meta.INFO, ("features", "total_episodes", "total_frames"))

    @cached_property
    def origin(self) -> dict[str, Any]:
        return self._object(meta.ORIGIN, ("schema_version", "vocabulary"))

    def _object(self, name: str, keys: tuple[str, ...]) -> dict[str, Any]:
        body = load_json(self.root / name)
        if not isinstance(body, dict) or (lacking := [k for k in keys if k not in body]):
            what = f"lacks {lacking}" if isinstance(body, dict) else "is no JSON object"
            raise LogError(f"{self.root / name}: {what}; run `mimir collect` again into this directory to rewrite it")
        return body

    @cached_property
    def vocabulary(self) -> Vocabulary:
        path = self.root / meta.VOCABULARY
        try:
            vocabulary = Vocabulary.from_json(json.dumps(load_json(path)))
        except _BROKEN as e:
            raise LogError(f"{path}: not a vocabulary ({e})") from e
        said = self.origin["vocabulary"]
        wanted = str(said.get("sha256") if isinstance(said, dict) else said)
        if vocabulary.sha256 != wanted:
            raise LogError(f"{path}: hash {vocabulary.sha256[:12]} is not the {wanted[:12]} of {meta.ORIGIN}")
        return vocabulary

    @cached_property
    def entries(self) -> list[dict[str, Any]]:
        """The episode table as dictionaries, in order, whatever is in it. Raises LogError where it is no table of episodes."""
        path = self.root / schema.EPISODES_PATH
        self.info  # a log without info.json is not finished: say so first  # noqa: B018
        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowException) as e:
            raise LogError(f"{path}: missing or damaged ({e}); run `mimir collect` again into this directory") from e
        if missing := [name for name in schema.EPISODE_COLUMNS if name not in table.column_names]:
            raise LogError(f"{path}: columns are missing: {missing}; run `mimir collect` again into this directory")
        return list(table.to_pylist())

    @cached_property
    def episodes(self) -> list[dict[str, Any]]:
        """The episode table as dictionaries, in order. Raises LogError naming the first row that lacks a value."""
        for row, entry in enumerate(self.entries):
            if bad := ill_typed(entry):
                raise LogError(f"{self.root / schema.EPISODES_PATH}, row {row}: {bad}")
        return self.entries

    def shard_of(self, entry: Mapping[str, Any]) -> Path:
        """File that holds an episode of the table."""
        return meta.shard_path(self.root, entry["data/chunk_index"], entry["data/file_index"])

    def table(self, entry: Mapping[str, Any], columns: list[str] | None = None) -> pa.Table:
        """The T+1 rows of one episode. Raises LogError naming the shard."""
        path = self.shard_of(entry)
        try:
            with pq.ParquetFile(path) as file:
                table = file.read_row_group(entry["data/row_group"], columns=columns)
        except FileNotFoundError:
            raise LogError(f"{path} is missing; run `mimir collect` again into this directory to remake it") from None
        except (OSError, pa.ArrowException, IndexError, OverflowError) as e:
            raise LogError(f"{path}: truncated or damaged parquet file ({e}); run `mimir collect` again to remake it") from e
        if len(table) != entry["length"]:
            raise LogError(f"{path}: episode {entry['episode_index']} has {len(table)} rows, the episode table says {entry['length']}")
        return table

    def episode(self, entry: Mapping[str, Any]) -> Episode:
        """One episode as objects."""
        return _episode(self, entry, self.table(entry))


def read_episodes(directory: str | Path, split: str | None = None) -> Iterator[Episode]:
    """Episodes of a log in order, of one split or of all. Frames are decoded on access.

    Raises LogError naming file and row for whatever is missing, truncated or broken.
    """
    log = LogDirectory(Path(directory))
    if split is not None and split not in SPLITS:
        raise LogError(f"unknown split {split!r}; known: {', '.join(SPLITS)}")
    return (log.episode(entry) for entry in log.episodes if split in (None, entry["split"]))


def ill_typed(entry: Mapping[str, Any]) -> str | None:
    """Which values of a row of the episode table are missing or of another type; None where all is well."""
    bad = {k: entry[k] for k, kind in schema.EPISODE_COLUMNS.items() if not isinstance(entry[k], kind)}
    return f"missing or of another type: {bad}; run `mimir collect` again into this directory" if bad else None


def decode_entry(entry: Mapping[str, Any]) -> tuple[Task, tuple[Place, ...], dict[str, Entity], frozenset[str]]:
    """Task, places, all entities and the novel ones of a row of the episode table. Raises LogError naming the column."""
    out: list[Any] = []
    decoders = {"task": lambda text: Task.from_dict(json.loads(text)), "places": codec.decode_places}
    for name, decode in {**decoders, "privileged.entities": codec.decode_entities, "privileged.novel": codec.decode_ids}.items():
        try:
            out.append(decode(entry[name]))
        except _BROKEN as e:
            raise LogError(f"{name} does not parse: {entry[name]!r:.80} ({type(e).__name__}: {e})") from e
    return out[0], out[1], out[2], out[3]


def _episode(log: LogDirectory, entry: Mapping[str, Any], table: pa.Table) -> Episode:
    path, first = log.shard_of(entry), entry["dataset_from_index"]
    try:
        task, places, entities, novel = decode_entry(entry)
    except LogError as e:
        raise LogError(f"{log.root / schema.EPISODES_PATH}, row {entry['episode_index']}: {e}") from e

    def at(row: int) -> str:
        return f"{path}, row {first + row} (episode {entry['episode_index']}, frame {row})"

    def frame(row: int) -> Observation:
        try:
            return decode_frame(table, row).validate()
        except (MimirError, *_BROKEN) as e:
            raise LogError(f"{at(row)}: {e}") from e

    def percept(row: int) -> Percept:
        try:
            return codec.decode_percept(table["privileged.percept"][row].as_py())
        except MimirError as e:
            raise LogError(f"{at(row)}: {e}") from e

    def snapshot(row: int) -> Snapshot:
        text = table["privileged.state"][row].as_py()
        try:
            return Snapshot.from_json(text)
        except _BROKEN as e:
            raise LogError(f"{at(row)}: privileged.state is not a snapshot ({e})") from e

    def step(row: int) -> LoggedStep:
        try:
            return decode_step(table, row)
        except (MimirError, *_BROKEN) as e:
            raise LogError(f"{at(row)}: {e}") from e

    rows = len(table)
    return Episode(
        episode_id=f"episode_{entry['episode_index']:06d}",
        house_seed=entry["house_seed"],
        split=entry["split"],
        seed=entry["seed"],
        task=task,
        vocabulary=log.vocabulary,
        places=places,
        frames=Lazy(rows, frame),
        percepts=Lazy(rows, percept),
        steps=tuple(step(t) for t in range(rows - 1)),
        snapshots=Lazy(rows, snapshot),
        entities=entities,
        novel=novel,
    )


def decode_frame(table: pa.Table, row: int) -> Observation:
    """The posed RGB-D frame of one row, depth in metres. Raises LogError."""
    depth_mm = codec.decode_depth_mm((table[schema.DEPTH][row].as_py() or {}).get("bytes"))
    rgb = codec.decode_rgb((table[schema.RGB][row].as_py() or {}).get("bytes"))
    intrinsics = np.asarray(table["observation.camera_intrinsics"][row].as_py(), dtype=np.float64).reshape(3, 3)
    pose = np.asarray(table["observation.camera_pose"][row].as_py(), dtype=np.float64).reshape(4, 4)
    codec.check_camera(intrinsics, pose, rgb.shape[0], rgb.shape[1])
    return Observation(rgb, depth_mm.astype(np.float32) / np.float32(1000.0), intrinsics, pose)


def decode_step(table: pa.Table, row: int) -> LoggedStep:
    """The action of one row and what it brought about. Raises LogError, SymbolError, ValueError, KeyError, TypeError or AttributeError."""

    def value(name: str) -> Any:
        found = table[name][row].as_py()
        if found is None:
            raise LogError(f"{name} is missing")
        return found

    fault, moved = value("privileged.fault"), json.loads(value("privileged.moved"))
    if fault not in schema.FAULTS:
        raise LogError(f"privileged.fault is {fault!r}; known: {', '.join(f or 'none' for f in schema.FAULTS)}")
    if not isinstance(moved, list) or not all(isinstance(m, str) for m in moved):
        raise LogError(f"privileged.moved is {moved!r}, expected a list of ids")
    return LoggedStep(
        Action.from_json(value("skill.arguments")),
        value("skill.text"),
        Outcome(value("next.success"), value("next.feedback")),
        Delta.from_json(value("next.delta")),
        fault,
        tuple(moved),
    )
