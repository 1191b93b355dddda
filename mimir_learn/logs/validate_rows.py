"""Checks the rows of one episode: first that every value is there and of its type, then what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mimir_learn.errors import LogError
from mimir_learn.logs import codec, schema
from mimir_learn.logs.episode import LoggedStep
from mimir_learn.logs.reader import LogDirectory, decode_entry, decode_step
from mimir_learn.logs.validate_meta import image_size
from mimir_learn.logs.validate_truth import check_state
from mimir_learn.symbols import Entity, Kind, Observation, Snapshot, Vocabulary

Columns = Mapping[str, list[Any]]


@dataclass(frozen=True)
class Known:
    """What the rows of an episode may speak of.

    Attributes:
        entities: all of the house, by id.
        places: ids of the places the robot knows.
        vocabulary: None where that is damaged, which is one problem and not one per row.
        size: height and width of the frames; None where ``meta/info.json`` does not say.
    """

    entities: Mapping[str, Entity]
    places: frozenset[str]
    vocabulary: Vocabulary | None
    size: int | None

    @classmethod
    def of(cls, log: LogDirectory, entry: Mapping[str, Any]) -> Known:
        """Raises LogError when the entry's task, places, entities or novel things do not parse, or things are novel that are not there."""
        _, places, entities, novel = decode_entry(entry)
        if stray := sorted(e for e in novel if e not in entities or entities[e].kind is not Kind.OBJECT):
            raise LogError(f"privileged.novel names {stray}, which are no things of the house")
        vocabulary: Vocabulary | None
        try:
            vocabulary = log.vocabulary
        except LogError:
            vocabulary = None
        return cls(entities, frozenset(p.entity.id for p in places), vocabulary, image_size(log))


def check_episode(log: LogDirectory, table: pa.Table, entry: Mapping[str, Any], known: Known) -> Iterator[tuple[int, str | LoggedStep]]:
    """(row within the episode, what is wrong) for one episode's rows, and (row, step) for every step that is sound in itself."""
    if missing := [c.name for c in schema.COLUMNS if c.name not in table.column_names]:
        yield 0, f"columns are missing: {missing}"
        return
    if other := [c.name for c in schema.COLUMNS if table.schema.field(c.name).type != c.arrow]:
        yield 0, f"columns of another type: {', '.join(f'{n} is {table.schema.field(n).type}' for n in other)}"
        return
    rows = len(table)
    columns: dict[str, list[Any]] = {}
    for column in schema.COLUMNS:
        try:
            columns[column.name] = table[column.name].to_pylist()
        except ValueError as e:  # text that is no text
            yield 0, f"{column.name} does not decode ({e})"
            return
    whole = [True] * rows
    for name, values in columns.items():
        for row in (r for r, value in enumerate(values) if value is None):
            whole[row] = False
            yield row, f"{name} is missing"
    yield from _check_numbering(columns, entry)
    snapshots: list[Snapshot | None] = []
    for row in range(rows):
        state: list[Snapshot] = []
        if whole[row]:
            yield from ((row, what) for what in _guarded(_check_state, columns, row, known, snapshots[0] if snapshots else None, state))
        snapshots.append(state[0] if state else None)
    for row in range(rows):
        if not whole[row]:
            continue
        yield from ((row, what) for what in _guarded(_check_frame, columns, row, known))
        yield from ((row, what) for what in _guarded(_check_positions, columns, row, known))
        yield from ((row, what) for what in _guarded(_check_percept, columns, row, known, snapshots[row]))
        yield from ((row, what) for what in _guarded(_check_action, table, columns, row, known, snapshots))


def _guarded(check: Callable[..., Iterator[Any]], *arguments: Any) -> Iterator[Any]:
    try:
        yield from check(*arguments)
    except Exception as e:  # damage of a kind nobody thought of is damage all the same, and the other rows are still to be checked
        yield f"does not parse ({type(e).__name__}: {e})"


def _check_numbering(columns: Columns, entry: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    rows = len(columns["index"])
    first = entry["dataset_from_index"]
    expected = {
        "episode_index": [entry["episode_index"]] * rows,
        "frame_index": list(range(rows)),
        "timestamp": [t / schema.FPS for t in range(rows)],
        "index": list(range(first, first + rows)),
        "house_seed": [entry["house_seed"]] * rows,
        "split": [entry["split"]] * rows,
        "task_index": [entry["task_index"]] * rows,
    }
    for name, values in expected.items():
        for row, (found, wanted) in enumerate(zip(columns[name], values, strict=True)):
            if found is not None and found != wanted:
                yield row, f"{name} is {found}, expected {wanted}"
                break  # the rest of the column follows from the first wrong one


def _check_state(columns: Columns, row: int, known: Known, first: Snapshot | None, out: list[Snapshot]) -> Iterator[str]:
    """Puts the row's snapshot into ``out`` where it is one. The true state always speaks of the same facts."""
    try:
        state = Snapshot.from_json(columns["privileged.state"][row])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as e:
        yield f"privileged.state is not a snapshot ({e})"
        return
    out.append(state)
    yield from check_state(state, known.entities, known.vocabulary)
    if first is not None and (facts := sorted(f"{e}.{a}" for e, a in first.attributes.keys() ^ state.attributes.keys())):
        yield f"privileged.state has other attributes than the episode's first row: {facts}"


def _check_frame(columns: Columns, row: int, known: Known) -> Iterator[str]:
    images: dict[str, Any] = {}
    for name, decode in ((schema.RGB, codec.decode_rgb), (schema.DEPTH, codec.decode_depth_mm)):
        try:
            images[name] = decode(columns[name][row]["bytes"])
        except LogError as e:
            yield f"{name}: {e}"
            continue
        if known.size is not None and images[name].shape[:2] != (known.size, known.size):
            yield f"{name}: shape {images[name].shape}, expected {known.size} x {known.size}"
        elif name == schema.DEPTH and not images[name].any():
            yield f"{name}: zero everywhere, the sensor returned nothing"
    if len(images) < 2:
        return
    intrinsics = np.asarray(columns["observation.camera_intrinsics"][row], dtype=np.float64).reshape(3, 3)
    pose = np.asarray(columns["observation.camera_pose"][row], dtype=np.float64).reshape(4, 4)
    rgb = images[schema.RGB]
    try:
        codec.check_camera(intrinsics, pose, rgb.shape[0], rgb.shape[1])
    except LogError as e:
        yield str(e)
        return
    state = np.asarray(columns["observation.state"][row], dtype=np.float64)
    true = codec.camera_state(Observation(rgb, images[schema.DEPTH].astype(np.float32), intrinsics, pose))
    if not np.allclose(state, true, atol=1e-4):
        yield f"observation.state is {state.round(3).tolist()}, but the camera's pose and intrinsics say {np.round(true, 3).tolist()}"


def _check_positions(columns: Columns, row: int, known: Known) -> Iterator[str]:
    try:
        positions = codec.decode_positions(columns["privileged.positions"][row])
    except LogError as e:
        yield f"privileged.positions: {e}"
        return
    if stray := sorted(positions.keys() - known.entities.keys()):
        yield f"privileged.positions has {stray}, which the house does not have"
    if lacking := sorted({e.id for e in known.entities.values() if e.kind is Kind.OBJECT} - positions.keys()):
        yield f"privileged.positions lacks {lacking}"


def _check_percept(columns: Columns, row: int, known: Known, state: Snapshot | None) -> Iterator[str]:
    """The ideal detector says what is true, in words the vocabulary has."""
    try:
        percept = codec.decode_percept(columns["privileged.percept"][row])
    except (LogError, ValueError) as e:
        yield f"privileged.percept: {e}"
        return
    if stray := sorted((percept.viewed | ({percept.at} if percept.at is not None else set())) - known.places):
        yield f"privileged.percept is at or views {stray}, which are no places of the house"
    for sighting in percept.sightings:
        name = sighting.entity.id
        if known.vocabulary is not None and sighting.entity.category not in known.vocabulary.categories:
            yield f"privileged.percept: category {sighting.entity.category!r} is not in the vocabulary"
        if known.entities.get(name) != sighting.entity:
            yield f"privileged.percept sees {sighting.entity}, which the house does not have"
        if state is None:
            continue
        if state.parents.get(name) != sighting.parent:
            yield f"privileged.percept sees {name} {sighting.parent}, but in truth it is {state.parents.get(name)}"
        if wrong := [a for a, v in sighting.attributes.items() if state.attributes.get((name, a)) is not v]:
            yield f"privileged.percept sees {wrong} of {name} other than they are"


_OF_THE_ACTION = {"next.success": False, "next.feedback": "", "next.delta": "[]", "privileged.fault": "", "privileged.moved": "[]"}


def _check_action(
    table: pa.Table, columns: Columns, row: int, known: Known, snapshots: list[Snapshot | None]
) -> Iterator[str | LoggedStep]:
    verb, last = columns["action"][row], row == len(table) - 1
    if columns["next.done"][row] != (row >= len(table) - 2):
        yield f"next.done is {columns['next.done'][row]}"
    if last:
        if verb != schema.NO_ACTION or columns["skill.arguments"][row] or columns["skill.text"][row]:
            yield "the last row of an episode has an action: the frame after it is missing (T+1 rows for T actions)"
        for name, empty in _OF_THE_ACTION.items():
            if columns[name][row] != empty:
                yield f"the last row of an episode has no action, but {name} is {columns[name][row]!r}"
        return
    if verb == schema.NO_ACTION:
        yield "has no action, but is not the last row of its episode"
        return
    try:
        step = decode_step(table, row)
    except (LogError, ValueError, KeyError, TypeError, AttributeError) as e:
        yield f"action or its outcome does not parse ({e})"
        return
    if not 0 <= verb < len(schema.VERBS) or schema.VERBS[verb] != step.action.verb.value:
        yield f"action is {verb}, but skill.arguments says {step.action.verb.value}"
    if not step.command:
        yield "skill.text is empty"
    if (canonical := step.delta.to_json()) != columns["next.delta"][row]:
        yield f"next.delta is not canonical JSON: {columns['next.delta'][row][:120]}"
    # an agent may ask for what does not exist; that must have been refused
    carried_out = step.outcome.success or step.fault not in ("", "exogenous")
    if carried_out and (strangers := sorted(set(step.action.arguments) - known.entities.keys())):
        yield f"skill.arguments names {strangers}, which the house does not have, yet the command was not refused"
    # someone else may undo what the action did, so that what they touched need not have changed; but it must exist
    if stray := sorted(set(step.moved) - known.entities.keys()):
        yield f"privileged.moved names {stray}, which the true state does not know"
    before, after = snapshots[row], snapshots[row + 1]
    if before is not None and after is not None and (true := before.diff(after)) != step.delta:
        yield f"next.delta is {canonical}, but the true states differ by {true.to_json()}"
    yield step
