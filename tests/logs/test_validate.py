"""The validator passes a sound log and names file and row of every kind of damage."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from mimir_learn.errors import LogError
from mimir_learn.logs import check_log, house_seed, schema
from mimir_learn.logs.codec import encode_percept
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


def test_sound_log_has_no_problems(log: Log) -> None:
    assert check_log(log[0]) == []
    rewrite(log[0], lambda rows: None)  # the tests' own tool does no damage
    assert check_log(log[0]) == []


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
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_with_its_row(log: Log, name: str) -> None:
    change, row, word = DAMAGES[name]
    rewrite(log[0], change)
    problems = check_log(log[0])
    hits = [p for p in problems if (p.file, p.row) == (SHARD, row) and word in p.what]
    assert hits, f"{name}: got {[str(p) for p in problems]}"
    assert f"{SHARD}, row {row}: " in str(hits[0])


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
    assert [(p.row, p.what) for p in problems] == [(2, "house 0 is in two splits: train and test")]


def test_house_in_a_foreign_split(log: Log) -> None:
    change_entry(log[0], 2, house_seed=house_seed("calibration", 5))
    assert any(p.row == 2 and "belongs to split 'calibration'" in p.what for p in check_log(log[0]))


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
