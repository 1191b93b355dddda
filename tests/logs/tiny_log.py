"""A tiny log made without a simulator: one mug in a bowl, one table, one box that opens, flat grey frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mimir_learn.logs import EpisodeHeader, EpisodeRecorder, LogOrigin, ShardWriter, house_seed, write_meta
from mimir_learn.logs.meta import shard_path
from mimir_learn.logs.writer import RecordedEpisode
from mimir_learn.symbols import (
    HAND,
    IN_HAND,
    Action,
    CategorySpec,
    Entity,
    Kind,
    Observation,
    Outcome,
    Parent,
    Percept,
    Place,
    PrivilegedState,
    Relation,
    Sighting,
    Snapshot,
    Task,
    Vocabulary,
)

SIZE = 16
ROOM, TABLE, BOX, MUG, BOWL = (
    Entity("kitchen_1", "kitchen", Kind.ROOM),
    Entity("table_1", "table", Kind.RECEPTACLE),
    Entity("fridge_1", "fridge", Kind.RECEPTACLE),
    Entity("mug_1", "mug", Kind.OBJECT),
    Entity("bowl_1", "bowl", Kind.OBJECT),
)
ENTITIES = {e.id: e for e in (HAND, ROOM, TABLE, BOX, MUG, BOWL)}
VOCABULARY = Vocabulary(
    "tiny",
    {
        "kitchen": CategorySpec("kitchen", Kind.ROOM, Relation.ROOM),
        "table": CategorySpec("table", Kind.RECEPTACLE, Relation.ON),
        "fridge": CategorySpec("fridge", Kind.RECEPTACLE, Relation.IN, ("open",)),
        "mug": CategorySpec("mug", Kind.OBJECT),
        "bowl": CategorySpec("bowl", Kind.OBJECT, Relation.IN, ("dirty",)),
    },
)
PLACES = (Place(ROOM, ROOM.id), Place(TABLE, ROOM.id), Place(BOX, ROOM.id))
ON_TABLE, ON_FLOOR, IN_BOWL = Parent(TABLE.id, Relation.ON), Parent(ROOM.id, Relation.ROOM), Parent(BOWL.id, Relation.IN)


def observation(rng: np.random.Generator) -> Observation:
    pose = np.eye(4)
    pose[:3, :3] = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # level, looking along world y
    pose[:3, 3] = rng.normal(size=3)
    intrinsics = np.array([[10.0, 0, SIZE / 2], [0, 10.0, SIZE / 2], [0, 0, 1]])
    rgb = rng.integers(0, 256, (SIZE, SIZE, 3), dtype=np.uint8)
    depth = np.round(rng.uniform(0.3, 5.0, (SIZE, SIZE)), 3).astype(np.float32)
    return Observation(rgb, depth, intrinsics, pose)


def state(parent: Parent, opened: bool, fault: str = "", moved: tuple[str, ...] = ()) -> PrivilegedState:
    room = Parent(ROOM.id, Relation.ROOM)
    attributes = {(BOX.id, "open"): opened, (BOWL.id, "dirty"): True}
    snapshot = Snapshot({TABLE.id: room, BOX.id: room, BOWL.id: ON_TABLE, MUG.id: parent}, attributes)
    positions = {MUG.id: np.array([1.0, 2.0, 0.8]), BOWL.id: np.array([1.0, 2.0, 0.7])}
    return PrivilegedState(snapshot, ENTITIES, fault, positions, moved, frozenset({BOWL.id}))


def percept(parent: Parent) -> Percept:
    return Percept((Sighting(MUG, parent, {}, np.array([0.1, 0.2, 0.30004]), 40),), frozenset({TABLE.id}), TABLE.id)


# (action, command, claimed success, sentence, mug's parent after, box open after, fault)
SCRIPT = (
    (Action("pick", "mug_1"), "pick up mug_1", True, "You pick up mug_1.", IN_HAND, False, ""),
    (Action("open", None, "fridge_1"), "open fridge_1", True, "You open fridge_1.", IN_HAND, False, "stuck"),
    (Action("pick", "mug_1"), "pick up mug_1", False, "Refused: your hand is full.", IN_HAND, False, ""),
    (Action("place", "mug_1", "table_1"), "put mug_1 at table_1", True, "You put mug_1 on table_1.", ON_FLOOR, False, "beside"),
    (Action("open", None, "fridge_1"), "open fridge_1", True, "You open fridge_1.", ON_FLOOR, True, ""),
    (Action("look"), "look", True, "You look at table_1 from another side.", ON_FLOOR, True, ""),
)


def record(index: int, split: str, rng: np.random.Generator) -> tuple[RecordedEpisode, list[Observation]]:
    """One episode of the script; returns it encoded, with the frames that went in."""
    rows = len(SCRIPT) + 1
    header = EpisodeHeader(index, index * rows, house_seed(split, index), 100 + index, Task("play", "Play.", ()), PLACES)
    frames = [observation(rng)]
    recorder = EpisodeRecorder(header, frames[0], percept(IN_BOWL), state(IN_BOWL, False))
    for action, command, success, text, parent, opened, fault in SCRIPT:
        frames.append(observation(rng))
        recorder.add(action, command, Outcome(success, text), frames[-1], percept(parent), state(parent, opened, fault))
    return recorder.finish(), frames


def make_log(root: Path, splits: tuple[tuple[str, ...], ...] = (("train", "train"), ("test",))) -> list[list[Observation]]:
    """Write a log with one shard per inner tuple, one chunk each; return the frames of every episode."""
    rng, all_frames, index = np.random.default_rng(7), [], 0
    for chunk, names in enumerate(splits):
        with ShardWriter(shard_path(root, chunk, 0)) as shard:
            for split in names:
                episode, frames = record(index, split, rng)
                shard.write(episode)
                all_frames.append(frames)
                index += 1
    write_meta(root, LogOrigin(VOCABULARY, SIZE, ("Play.",), "none", "0", "abc", {"seed": 7}))
    return all_frames
