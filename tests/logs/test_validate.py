"""The validator passes a sound log and names file and row of every kind of damage."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from mimir_learn.errors import LogError
from mimir_learn.logs import check_log, house_seed, read_episodes, schema
from mimir_learn.logs.codec import dumps, encode_percept
from mimir_learn.logs.splits import SPLITS, split_of
from mimir_learn.symbols import Observation

from .tiny_log import ON_FLOOR, SIZE, percept

Log = tuple[Path, list[list[Observation]]]
SHARD, ROWS = "data/chunk-000/file-000.parquet", 7


def rewrite(root: Path, change: Callable[[list[dict[str, Any]]], None], shard: str = SHARD) -> None:
    """Change a shard's rows in place, keeping its footer and its row groups."""
    path = root / shard
    with pq.ParquetFile(path) as file:
        rows, metadata = file.read().to_pylist(), file.metadata.metadata
    change(rows)
    with pq.ParquetWriter(path, schema.arrow_schema()) as writer:
        for episode in sorted({r["episode_index"] for r in rows}):
            writer.write_table(pa.Table.from_pylist([r for r in rows if r["episode_index"] == episode], schema=schema.arrow_schema()))
        writer.add_key_value_metadata({b"mimir_learn": metadata[b"mimir_learn"]})


def png(array: np.ndarray) -> dict[str, Any]:
    out = io.BytesIO()
    Image.fromarray(array).save(out, "PNG")
    return {"bytes": out.getvalue(), "path": None}


def put(row: int, column: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    def change(rows: list[dict[str, Any]]) -> None:
        assert column in rows[row] and rows[row][column] != value
        rows[row][column] = value

    return change


def alter(row: int, **facts: dict[str, Any]) -> Callable[[list[dict[str, Any]]], None]:
    """Change facts of a row's true state; None takes one out."""

    def change(rows: list[dict[str, Any]]) -> None:
        body = json.loads(rows[row]["privileged.state"])
        for part, values in facts.items():
            body[part] = {k: v for k, v in (body[part] | values).items() if v is not None}
        rows[row]["privileged.state"] = dumps(body)

    return change


def test_sound_log_has_no_problems(log: Log) -> None:
    assert check_log(log[0]) == []
    rewrite(log[0], lambda rows: None)  # the tests' own tool does no damage
    assert check_log(log[0]) == []


FLAT = [float("nan")] * 9
WRONG_DELTA = '[{"attribute":"open","entity":"fridge_1","new":true,"old":false,"p":1.0,"source":"","type":"state"}]'
DAMAGES = {
    "zero depth": (put(8, schema.DEPTH, png(np.zeros((SIZE, SIZE), np.uint16))), 8, "zero everywhere"),
    "8-bit depth": (put(8, schema.DEPTH, png(np.ones((SIZE, SIZE), np.uint8))), 8, "16-bit"),
    "missing depth": (put(2, schema.DEPTH, None), 2, "missing"),
    "broken colour": (put(3, schema.RGB, {"bytes": b"\x89PNG broken", "path": None}), 3, "does not decode"),
    "small colour": (put(3, schema.RGB, png(np.zeros((8, 8, 3), np.uint8))), 3, "shape"),
    "NaN pose": (put(9, "observation.camera_pose", [float("nan")] * 16), 9, "not finite"),
    "wrong delta": (put(5, "next.delta", WRONG_DELTA), 5, "true states differ by []"),
    "forgotten delta": (put(0, "next.delta", "[]"), 0, "true states differ by"),
    "no delta": (put(4, "next.delta", "{nonsense"), 4, "does not parse"),
    "spaced delta": (put(5, "next.delta", "[ ]"), 5, "not canonical"),
    "unknown verb": (put(1, "skill.arguments", '{"verb":"fly","object":null,"receptacle":null}'), 1, "does not parse"),
    "other verb": (put(1, "action", 0), 1, "skill.arguments says open"),
    "no action": (put(1, "action", -1), 1, "not the last row"),
    "action on the last row": (put(6, "action", 1), 6, "T+1 rows"),
    "broken state": (put(2, "privileged.state", "{}"), 2, "not a snapshot"),
    "broken percept": (put(2, "privileged.percept", "[]"), 2, "privileged.percept"),
    "percept against the truth": (put(2, "privileged.percept", encode_percept(percept(ON_FLOOR))), 2, "sees mug_1 room kitchen_1"),
    "jump": (put(4, "frame_index", 5), 4, "frame_index is 5, expected 4"),
    "other house": (put(10, "house_seed", 99), 10, "house_seed is 99"),
    "false witness": (put(1, "privileged.moved", '["cup_9"]'), 1, "does not know"),
    "moved is no list": (put(1, "privileged.moved", '"mug_1"'), 1, "expected a list of ids"),
    "unknown fault": (put(1, "privileged.fault", "gremlin"), 1, "'gremlin'; known: none, slip"),
    "command to elsewhere": (put(1, "skill.text", "open table_1"), 1, "no command for the open"),
    "command of another verb": (put(1, "skill.text", "look"), 1, "no command for the open"),
    "command without its object": (put(8, "skill.text", "open"), 8, "no command for the open"),
    "stranger": (put(8, "skill.arguments", '{"verb": "open", "object": null, "receptacle": "oven_1"}'), 8, "names ['oven_1']"),
    "no pinhole": (put(3, "observation.camera_intrinsics", [0.0] * 9), 3, "no pinhole camera"),
    "NaN intrinsics": (put(3, "observation.camera_intrinsics", FLAT), 3, "not finite"),
    "no rotation": (put(3, "observation.camera_pose", [2.0, *([0.0] * 14), 1.0]), 3, "no rotation and translation"),
    "another camera": (put(3, "observation.camera_pose", np.eye(4).reshape(-1).tolist()), 3, "observation.state is"),
    "another summary": (put(3, "observation.state", [0.0] * 6), 3, "observation.state is"),
    "positions are junk": (put(2, "privileged.positions", "nope"), 2, "privileged.positions: not positions"),
    "positions are flat": (put(2, "privileged.positions", '{"mug_1":[1,2]}'), 2, "no position in metres"),
    "no positions": (put(2, "privileged.positions", "{}"), 2, "lacks ['bowl_1', 'mug_1']"),
    "position of a stranger": (put(2, "privileged.positions", '{"mug_1":[1,2,3],"cup_9":[1,2,3]}'), 2, "has ['cup_9']"),
    "circle": (alter(2, parents={"mug_1": ["bowl_1", "in"], "bowl_1": ["mug_1", "in"]}), 2, "circle of parents: bowl_1 in mug_1 in bowl_1"),
    "held twice": (alter(2, parents={"mug_1": ["hand", "held"], "bowl_1": ["hand", "held"]}), 2, "['bowl_1', 'mug_1'] in one hand"),
    "in what holds nothing": (alter(2, parents={"bowl_1": ["mug_1", "in"]}), 2, "bowl_1 in mug_1, but a mug holds nothing"),
    "on what holds inside": (alter(2, parents={"mug_1": ["bowl_1", "on"]}), 2, "mug_1 on bowl_1, but a bowl holds things in"),
    "in a stranger": (alter(2, parents={"mug_1": ["cup_9", "in"]}), 2, "names ['cup_9'] as parents"),
    "no such attribute": (alter(0, attributes={"mug_1.dirty": True}), 0, "says ['mug_1.dirty'], which these have not"),
    "forgotten attribute": (alter(0, attributes={"bowl_1.dirty": None}), 0, "does not say ['bowl_1.dirty']"),
    "empty state": (put(2, "privileged.state", '{"attributes":{},"parents":{}}'), 2, "no parent for, or should not"),
    "percept elsewhere": (put(2, "privileged.percept", '{"at":"oven_1","sightings":[],"viewed":[]}'), 2, "no places of the house"),
    "percept is a list of lists": (put(2, "privileged.percept", '{"at":null,"sightings":[[]],"viewed":[]}'), 2, "not a percept"),
    "late": (put(4, "timestamp", 99.0), 4, "timestamp is 99.0, expected 4.0"),
    "other task": (put(4, "task_index", 1), 4, "task_index is 1, expected 0"),
    "claim on the last row": (put(6, "next.success", True), 6, "no action, but next.success is True"),
    "sentence on the last row": (put(6, "next.feedback", "Hm."), 6, "no action, but next.feedback is 'Hm.'"),
    "delta on the last row": (put(6, "next.delta", WRONG_DELTA), 6, "no action, but next.delta is"),
    "fault on the last row": (put(6, "privileged.fault", "slip"), 6, "no action, but privileged.fault is 'slip'"),
    "command on the last row": (put(6, "skill.text", "look"), 6, "has an action"),
    **{f"null {c.name}": (put(2, c.name, None), 2, f"{c.name} is missing") for c in schema.COLUMNS if c.name != "episode_index"},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_with_its_row(log: Log, name: str) -> None:
    change, row, word = DAMAGES[name]
    rewrite(log[0], change)
    problems = check_log(log[0])
    hits = [p for p in problems if (p.file, p.row) == (SHARD, row) and word in p.what]
    assert hits, f"{name}: got {[str(p) for p in problems]}"
    assert f"{SHARD}, row {row}: " in str(hits[0])


@pytest.mark.parametrize("name", DAMAGES)
def test_the_reader_never_crashes_on_damage(log: Log, name: str) -> None:
    rewrite(log[0], DAMAGES[name][0])
    try:
        for episode in read_episodes(log[0]):
            list(zip(episode.frames, episode.percepts, episode.snapshots, strict=True))
    except LogError as e:
        assert f"{SHARD}, row {DAMAGES[name][1]} (" in str(e)


def test_what_does_not_exist_may_be_asked_for(log: Log) -> None:
    def ask(rows: list[dict[str, Any]]) -> None:
        rows[2] |= {"skill.arguments": '{"object": "cup_9", "receptacle": null, "verb": "pick"}', "skill.text": "pick up cup_9"}

    rewrite(log[0], ask)
    assert check_log(log[0]) == []


def test_unforeseen_damage_is_a_problem_of_its_row(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(text: str) -> None:
        raise ZeroDivisionError("odd")

    monkeypatch.setattr("mimir_learn.logs.codec.decode_positions", odd)
    problems = check_log(log[0])
    assert [p.row for p in problems] == [*range(14), *range(7)] and all("ZeroDivisionError: odd" in p.what for p in problems)


def test_column_of_another_type(log: Log) -> None:
    path = log[0] / "data/chunk-001/file-000.parquet"
    with pq.ParquetFile(path) as file:
        table, metadata = file.read(), file.metadata.metadata
    at = table.schema.get_field_index("next.success")
    table = table.set_column(at, "next.success", table["next.success"].cast(pa.int64()))
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({b"mimir_learn": metadata[b"mimir_learn"]})
    assert [(p.file, p.row) for p in check_log(log[0])] == [("data/chunk-001/file-000.parquet", 0)]
    assert "next.success is int64" in check_log(log[0])[0].what


ENTRIES = {
    "task": ("nope", "task does not parse"),
    "places": ("[1]", "places does not parse"),
    "privileged.entities": ("nope", "privileged.entities does not parse"),
    "privileged.novel": ("{}", "privileged.novel does not parse"),
    "split": (None, "missing or of another type"),
    "length": (None, "missing or of another type"),
    "dataset_to_index": (20, "rows 7 to 20 are not the 7"),
    "seed": (1, "seed other than in the footer"),
    "task_index": (3, "task_index is 3"),
    "tasks": (["Sleep."], "task 0 of meta/tasks.parquet is 'Play.'"),
    "data/row_group": (0, "data/row_group other than in the footer"),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_damaged_row_of_the_episode_table(log: Log, name: str) -> None:
    value, word = ENTRIES[name]
    change_entry(log[0], 1, **{name: value})
    problems = check_log(log[0])
    assert any((p.file, p.row) == (schema.EPISODES_PATH, 1) and word in p.what for p in problems), [str(p) for p in problems]
    if "parse" in word or "missing" in word:
        with pytest.raises(LogError, match=rf"{schema.EPISODES_PATH}, row 1: .*{name}"):
            list(read_episodes(log[0]))


def test_novel_things_must_be_things_of_the_house(log: Log) -> None:
    change_entry(log[0], 1, **{"privileged.novel": '["bowl_1","cup_9","table_1"]'})
    assert any(p.row == 1 and "privileged.novel names ['cup_9', 'table_1']" in p.what for p in check_log(log[0]))


def test_log_of_another_schema_version_names_the_cure(log: Log) -> None:
    path = log[0] / "meta/mimir.json"
    path.write_text(path.read_text().replace(f'"schema_version": {schema.SCHEMA_VERSION}', '"schema_version": 1'))
    for read in (check_log, read_episodes):
        with pytest.raises(LogError, match=r"mimir\.json: schema version 1, this code reads 2; make the log again with `mimir collect`"):
            read(log[0])


def test_episode_table_without_a_column(log: Log) -> None:
    path = log[0] / schema.EPISODES_PATH
    pq.write_table(pq.read_table(path).drop_columns(["seed"]), path)
    with pytest.raises(LogError, match=r"columns are missing: \['seed'\]"):
        check_log(log[0])


META = ("stats.json", "rates.json", "splits.json", "actions.json", "tasks.parquet", "vocabulary.json")


@pytest.mark.parametrize("name", META)
@pytest.mark.parametrize("content", [None, b"{", b"[]", b"{}", b"null", b"\xff\xfe"])
def test_damaged_meta_file(log: Log, name: str, content: bytes | None) -> None:
    path = log[0] / "meta" / name
    path.unlink() if content is None else path.write_bytes(content)
    assert [(p.file, p.row) for p in check_log(log[0])] == [(f"meta/{name}", None)]


@pytest.mark.parametrize("name", ["info.json", "mimir.json", "episodes/chunk-000/file-000.parquet"])
@pytest.mark.parametrize("content", [None, b"{", b"[]", b"{}", b"null", b"\xff\xfe"])
def test_without_a_description_there_is_no_log(log: Log, name: str, content: bytes | None) -> None:
    path = log[0] / "meta" / name
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(LogError, match=rf"meta/{name}.*mimir collect"):
        check_log(log[0])
    with pytest.raises(LogError, match=rf"meta/{name}.*mimir collect"):
        list(read_episodes(log[0]))


EDITS = {
    "splits.json": lambda body: body | {"train": [0]},
    "actions.json": lambda body: body[::-1],
    "rates.json": lambda body: body | {"rates": {}},
    "stats.json": lambda body: body | {"index": {}},
    "info.json": lambda body: body | {"total_frames": 20},
}


@pytest.mark.parametrize("name", EDITS)
def test_meta_file_that_says_something_else(log: Log, name: str) -> None:
    path = log[0] / "meta" / name
    path.write_text(json.dumps(EDITS[name](json.loads(path.read_text()))))
    assert [p.file for p in check_log(log[0])] == [f"meta/{name}"]


@pytest.mark.parametrize("features", [{}, [], None, {schema.RGB: {}}])
def test_features_are_named(log: Log, features: Any) -> None:
    path = log[0] / "meta/info.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"features": features}))
    assert [(p.file, p.what) for p in check_log(log[0])] == [("meta/info.json", "features are not the columns of this schema version")]


def test_log_without_a_card(log: Log) -> None:
    (log[0] / "README.md").unlink()
    assert [p.file for p in check_log(log[0])] == ["README.md"]


def test_faults_are_those_of_the_household() -> None:
    from mimir_learn.envs.household.faults import KINDS

    assert ("", *KINDS) == schema.FAULTS


def test_missing_row(log: Log) -> None:
    rewrite(log[0], lambda rows: rows.__delitem__(3))
    assert [(p.file, p.row) for p in check_log(log[0])] == [(SHARD, 0)]
    assert "has 6 rows, the episode table says 7" in check_log(log[0])[0].what


@pytest.mark.parametrize("keep", [0, 30, -1, -4000])
def test_truncated_shard(log: Log, keep: int) -> None:
    path = log[0] / SHARD
    path.write_bytes(path.read_bytes()[:keep])
    problems = check_log(log[0])
    assert [p.file for p in problems] == [SHARD] and "truncated or damaged" in problems[0].what


def test_missing_and_stray_shards(log: Log) -> None:
    (log[0] / SHARD).rename(log[0] / "data/chunk-000/file-001.parquet")
    assert [p.file for p in check_log(log[0])] == [SHARD, "data/chunk-000/file-001.parquet"]


def change_entry(root: Path, episode: int, **values: Any) -> None:
    path = root / schema.EPISODES_PATH
    rows = pq.read_table(path).to_pylist()
    rows[episode].update(values)
    pq.write_table(pa.Table.from_pylist(rows), path)


def test_house_in_two_splits(log: Log) -> None:
    change_entry(log[0], 2, house_seed=house_seed("train", 0))
    problems = [p for p in check_log(log[0]) if p.file == schema.EPISODES_PATH]
    assert (2, "house 0 is in two splits: train and test") in [(p.row, p.what) for p in problems]
    assert (2, "house_seed other than in the footer of its shard") in [(p.row, p.what) for p in problems]


def test_house_in_a_foreign_split(log: Log) -> None:
    change_entry(log[0], 2, house_seed=house_seed("calibration", 5))
    assert any(p.row == 2 and "belongs to split 'calibration'" in p.what for p in check_log(log[0]))
    change_entry(log[0], 2, house_seed=30_000)
    assert any(p.row == 2 and "lies in no split" in p.what for p in check_log(log[0]))


def test_gap_in_the_episode_table(log: Log) -> None:
    change_entry(log[0], 1, episode_index=5)
    assert any(p.file == schema.EPISODES_PATH and p.row == 1 for p in check_log(log[0]))


def test_other_vocabulary(log: Log) -> None:
    path = log[0] / "meta/vocabulary.json"
    path.write_text(path.read_text().replace('"tiny"', '"huge"'))
    assert [p.file for p in check_log(log[0])] == ["meta/vocabulary.json"]


def test_no_log_at_all(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="mimir collect"):
        check_log(tmp_path)


def test_splits_are_disjoint_blocks() -> None:
    assert [house_seed(s, 3) for s in SPLITS] == [3, 10_003, 20_003, 40_003]
    assert all(split_of(house_seed(s, i)) == s for s in SPLITS for i in (0, 1, 9_999))
    for bad in (-1, 30_000, 39_999, 50_000):
        with pytest.raises(LogError, match="no split"):
            split_of(bad)
    with pytest.raises(LogError, match="indices"):
        house_seed("train", 10_000)
    with pytest.raises(LogError, match="unknown split"):
        house_seed("dev", 0)
