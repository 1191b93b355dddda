"""Where a log may go and what counts as part of it: foreign folders are refused, previews and the code's version do not count."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mimir_learn.collect import CollectConfig, HouseCounts, check_log, collect
from mimir_learn.errors import ConfigError, LogError
from mimir_learn.logs import fingerprint
from mimir_learn.logs.meta import shard_paths
from mimir_learn.showroom.preview import PreviewConfig, preview

TINY = CollectConfig(houses=HouseCounts(1, 1, 0, 0), episodes_per_house=1, steps=4, image_size=32, episodes_per_shard=1, n_jobs=1)


def run(root: Path, commit: str = "v1") -> Path:
    collect(replace(TINY, out=str(root)), progress=False, commit=commit)
    return root


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("folder") / "log")


@pytest.mark.parametrize("name", ["README.md", "data/table.csv", "meta/stats.json", ".hidden"])
def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    with pytest.raises(ConfigError, match=rf"not empty \({name.partition('/')[0]}\); choose a new directory"):
        run(tmp_path)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [file] and file.read_text() == "mine"


def test_another_dataset_in_the_same_layout_is_left_alone(tmp_path: Path) -> None:
    shard = tmp_path / "data/chunk-000/file-000.parquet"
    shard.parent.mkdir(parents=True)
    pq.write_table(pa.table({"x": [1]}), shard)
    before = shard.read_bytes()
    with pytest.raises(LogError, match="not a shard of a transition log"):
        run(tmp_path)
    assert shard.read_bytes() == before


def test_a_log_that_was_begun_goes_on(log: Path, tmp_path: Path) -> None:
    begun = run(tmp_path / "log")
    print_ = fingerprint(log)
    for path in (*shard_paths(begun)[1:], *begun.glob("*.*"), begun / ".collecting.lock", *begun.glob("meta/*.json")):
        path.unlink(missing_ok=True)
    assert fingerprint(run(begun)) == print_ and check_log(begun) == []
    fresh = tmp_path / "fresh"  # killed before its first shard was complete
    fresh.mkdir()
    (fresh / ".collecting.lock").touch()
    assert fingerprint(run(fresh)) == print_


def test_previews_in_the_log_do_not_change_it(log: Path) -> None:
    before = fingerprint(log)
    assert [p.parent for p in preview(PreviewConfig(str(log), transitions=2))] == [log, log]
    assert fingerprint(log) == before


def test_the_version_of_the_code_is_recorded_but_does_not_count(log: Path, tmp_path: Path) -> None:
    other = run(tmp_path / "log", "v2-dirty")
    assert [p.read_bytes() for p in shard_paths(other)] == [p.read_bytes() for p in shard_paths(log)]
    assert fingerprint(other) == fingerprint(log)
    shard_paths(other)[1].unlink()
    run(other, "v3")
    origin = json.loads((other / "meta/mimir.json").read_text())
    assert origin["commit"] == "v2-dirty + v3" and fingerprint(other) == fingerprint(log)
    (other / "meta/mimir.json").write_text(json.dumps({**origin, "faults": "0.9"}))
    assert fingerprint(other) != fingerprint(log)
