"""A written log reads back the same through our reader, plain pyarrow and `datasets`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from mimir_learn.errors import LogError
from mimir_learn.logs import LogDirectory, ShardWriter, fingerprint, read_episodes, schema
from mimir_learn.logs.statistics import Moments
from mimir_learn.symbols import Delta, Observation

from .tiny_log import ENTITIES, IN_BOWL, PLACES, SCRIPT, SIZE, VOCABULARY, make_log, percept, record

Log = tuple[Path, list[list[Observation]]]


def test_own_reader(log: Log) -> None:
    root, frames = log
    episodes = list(read_episodes(root))
    assert [e.episode_id for e in episodes] == ["episode_000000", "episode_000001", "episode_000002"]
    assert [e.split for e in episodes] == ["train", "train", "test"]
    for episode, originals in zip(episodes, frames, strict=True):
        assert len(episode) == len(SCRIPT) and len(episode.frames) == len(episode.percepts) == len(SCRIPT) + 1
        assert episode.novel == {"bowl_1"} and episode.snapshots[0].parents["mug_1"] == IN_BOWL
        assert episode.vocabulary == VOCABULARY and episode.places == PLACES and dict(episode.entities) == ENTITIES
        for got, was in zip(episode.frames, originals, strict=True):
            assert np.array_equal(got.rgb, was.rgb) and np.array_equal(got.depth, was.depth)
            assert np.array_equal(got.pose, was.pose) and np.array_equal(got.intrinsics, was.intrinsics)
        for step, (action, command, success, text, *_, fault) in zip(episode.steps, SCRIPT, strict=True):
            assert (step.action, step.command, step.fault) == (action, command, fault)
            assert (step.outcome.success, step.outcome.text) == (success, text)
        for t, step in enumerate(episode.steps):
            assert episode.snapshots[t].apply(step.delta) == episode.snapshots[t + 1]
    sighting, was = episodes[0].percepts[0].sightings[0], percept(episodes[0].snapshots[0].parents["mug_1"]).sightings[0]
    assert sighting.entity == was.entity and sighting.parent == was.parent and np.allclose(sighting.point, was.point, atol=1e-4)
    assert [e.split for e in read_episodes(root, "test")] == ["test"]


def test_step_kinds(log: Log) -> None:
    kinds = [s.kind for s in next(iter(read_episodes(log[0]))).steps]
    assert kinds == ["nominal", "fault", "refused", "fault", "nominal", "nominal"]
    body = json.loads((log[0] / "meta/rates.json").read_text())
    assert body["counts"]["kind.fault"] == 6 and body["rates"]["unusual"] == pytest.approx(0.5)
    assert body["counts"]["change.nested"] == body["counts"]["novel"] == 0 and body["counts"]["change.relation"] == 6
    assert body["counts"]["claims_wrong"] == 6 and body["counts"]["change.state.open"] == 3


def test_plain_pyarrow(log: Log) -> None:
    table = pq.ParquetDataset(log[0] / "data").read()
    assert table.column_names == [c.name for c in schema.COLUMNS]
    assert table["index"].to_pylist() == list(range(3 * (len(SCRIPT) + 1)))
    assert [Delta.from_json(t) for t in table["next.delta"].to_pylist()[:2]][1] == Delta()
    file = pq.ParquetFile(log[0] / "data/chunk-000/file-000.parquet")
    assert file.num_row_groups == 2  # one episode each


def test_datasets_library(log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    root, frames = log
    data = datasets.load_dataset(str(root), cache_dir=str(tmp_path / "cache"))
    assert {k: len(v) for k, v in data.items()} == {"train": 14, "test": 7}
    row = data["test"][0]
    assert np.array_equal(np.asarray(row[schema.RGB]), frames[2][0].rgb)
    mm = np.asarray(row[schema.DEPTH])
    assert mm.dtype == np.uint16 and np.array_equal(mm, np.rint(frames[2][0].depth.astype(float) * 1000))
    assert len(row["observation.state"]) == 6 and row["action"] == schema.VERBS.index("pick")
    files = str(root / "data/chunk-000/*.parquet")
    one = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache2"))
    assert np.array_equal(np.asarray(one[8][schema.RGB]), frames[1][1].rgb)


def test_lerobot_layout(log: Log) -> None:
    info = json.loads((log[0] / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["splits"] == {"train": "0:2", "test": "2:3"} and info["total_frames"] == 21
    assert info["features"][schema.DEPTH] == {
        "dtype": "image", "shape": [SIZE, SIZE, 1], "names": ["height", "width", "channels"],
        "info": {"is_depth_map": True, "depth_unit": "mm"},
    }  # fmt: skip
    stats = json.loads((log[0] / "meta/stats.json").read_text())
    assert np.shape(stats[schema.RGB]["mean"]) == (3, 1, 1) and 0.4 < stats[schema.RGB]["mean"][0][0][0] < 0.6
    import pandas as pd

    tasks = pd.read_parquet(log[0] / "meta/tasks.parquet")
    assert tasks.index.tolist() == ["Play."] and tasks["task_index"].tolist() == [0]


def test_labels_are_no_inputs() -> None:
    inputs = {c.name for c in schema.COLUMNS if c.name.startswith(("observation", "action"))}
    assert inputs == {schema.RGB, schema.DEPTH, "observation.state", "observation.camera_pose", "observation.camera_intrinsics", "action"}


def test_same_input_same_bytes(tmp_path: Path) -> None:
    make_log(tmp_path / "a")
    make_log(tmp_path / "b")
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b")
    (tmp_path / "b/collect_stats.json").write_text("timings are no data")
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b")
    (tmp_path / "b/meta/splits.json").write_text("{}")
    assert fingerprint(tmp_path / "a") != fingerprint(tmp_path / "b")


def test_shard_appears_only_when_complete(tmp_path: Path) -> None:
    path = tmp_path / "file-000.parquet"
    with pytest.raises(RuntimeError, match="stop"), ShardWriter(path) as shard:
        shard.write(record(0, "train", np.random.default_rng(0))[0])
        assert not path.exists()
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []


def test_missing_log_is_one_clear_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(LogError, match="mimir collect"):
            read_episodes(path)
        with pytest.raises(LogError, match="mimir collect"):
            fingerprint(path)


def test_reader_names_file_and_row_of_a_bad_frame(log: Log) -> None:
    root, _ = log
    path = root / "data/chunk-001/file-000.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    episodes = read_episodes(root)
    next(episodes)
    next(episodes)
    with pytest.raises(LogError, match=r"chunk-001/file-000\.parquet"):
        next(episodes)


def test_other_vocabulary_is_refused(log: Log) -> None:
    path = log[0] / "meta/vocabulary.json"
    path.write_text(path.read_text().replace("fridge", "icebox"))
    with pytest.raises(LogError, match=r"vocabulary\.json"):
        LogDirectory(log[0]).vocabulary  # noqa: B018


def test_moments_merge_like_one_pass() -> None:
    values = np.random.default_rng(0).normal(size=(50, 2))
    whole, left, right = Moments(2), Moments(2), Moments(2)
    whole.add(values)
    left.add(values[:20])
    right.add(values[20:])
    left.merge(Moments.from_list(json.loads(json.dumps(right.to_list()))))
    got = left.lerobot(image=False)
    assert np.allclose(got["mean"], values.mean(0)) and np.allclose(got["std"], values.std(0)) and got["count"] == [50]
    assert np.allclose(whole.lerobot(image=False)["std"], got["std"])


def test_fingerprint_is_a_sha256(log: Log) -> None:
    assert len(fingerprint(log[0])) == len(hashlib.sha256().hexdigest())
