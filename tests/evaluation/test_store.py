"""The record store: what is written stays, once, and a kill leaves nothing that misleads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.store import RECORDS, TRACES, ContentKey, Store, read


def record(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "episode": f"e{key}", "code": "c1", "trace": [{"command": f"go to {key}"}] * 3, **more}


def test_records_and_steps_come_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "new")
    for key in ("a", "b"):
        store.append(record(key, sr=True))
    again = Store(tmp_path / "new")
    assert ContentKey("a", "whatever it is called") in again.done and len(again) == 2
    found = again.get("b")
    assert found is not None and found["sr"] and again.trace(found) == [{"command": "go to b"}] * 3
    assert [r["key"] for r in read(tmp_path / "new")] == ["a", "b"] and [r["key"] for r in read(tmp_path / "new", ["b", "z"])] == ["b"]
    assert "command" not in (tmp_path / "new" / RECORDS).read_text(), "steps are kept apart"


def test_nothing_is_recorded_twice(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.append(record("a"))
    with pytest.raises(ConfigError, match="already recorded"):
        store.append(record("a"))
    path = tmp_path / RECORDS
    path.write_text(path.read_text() * 2)
    with pytest.raises(ConfigError, match=r"records\.jsonl:2 records episode a… a second time"):
        Store(tmp_path)


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_kill_while_writing_loses_that_episode_only(tmp_path: Path, cut: int) -> None:
    store = Store(tmp_path)
    for key in ("a", "b"):
        store.append(record(key))
    path = tmp_path / RECORDS
    path.write_bytes(path.read_bytes()[:-cut])
    with (tmp_path / TRACES).open("ab") as f:
        f.write(b"half a trace")  # killed between the two writes
    store = Store(tmp_path)
    assert {k.sha256 for k in store.done} == {"a"}
    store.append(record("b", trace=[{"command": "anew"}]))
    for key, command in (("a", "go to a"), ("b", "anew")):
        found = Store(tmp_path).get(key)
        assert found is not None and Store(tmp_path).trace(found)[0]["command"] == command


def test_reading_while_another_process_writes_touches_nothing(tmp_path: Path) -> None:
    writer = Store(tmp_path)
    writer.append(record("a"))
    path = tmp_path / RECORDS
    with path.open("ab") as f:
        f.write('{"key": "b", "text": "halfway through ä'.encode()[:-1])  # and in the middle of a letter
        f.flush()
        before = path.read_bytes()
        assert [r["key"] for r in read(tmp_path)] == ["a"] and path.read_bytes() == before
        f.write('ä"}\n'.encode()[1:])
    assert {k.sha256 for k in Store(tmp_path).done} == {"a", "b"}


def test_damage_is_named(tmp_path: Path) -> None:
    Store(tmp_path).append(record("a"))
    path = tmp_path / RECORDS
    whole = path.read_text()
    path.write_text("{not json\n" + whole)
    with pytest.raises(ConfigError, match=r"records\.jsonl:1 is not JSON"):
        Store(tmp_path)
    path.write_text('{"header": 1}\n')
    with pytest.raises(ConfigError, match="is no record of an experiment"):
        Store(tmp_path)
    path.write_text(whole)
    (tmp_path / TRACES).write_bytes(b"something else altogether")
    store = Store(tmp_path)
    found = store.get("a")
    assert found is not None
    with pytest.raises(ConfigError, match="does not hold the steps"):
        store.trace(found)


def test_other_code_versions_are_counted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for key, code in (("a1", "old"), ("b1", "old"), ("c2", "new")):
        store.append(record(key, episode=key[0], code=code))
    assert store.other_versions({"a": "a2", "b": "b2", "c": "c2", "d": "d2"}) == {"old": 2}
