"""Record files survive a kill and refuse to mix evaluations."""

from __future__ import annotations

from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.checks import refuse_duplicates
from mimir_learn.evaluation.records import EpisodeKey, RecordFile, read_records
from mimir_learn.logs.locks import only_one


def record(task: str) -> dict[str, object]:
    return {"arm": "none", "task": task, "seed": 0, "sr": True}


def test_append_and_resume(tmp_path: Path) -> None:
    path = tmp_path / "run" / "records.jsonl"
    first = RecordFile(path, {"suite": "abc"})
    first.append(record("a"))
    again = RecordFile(path, {"suite": "abc"})
    assert again.done == {EpisodeKey("none", "a", 0)}
    again.append(record("b"))
    assert [r["task"] for r in read_records(path)] == ["a", "b"]
    with pytest.raises(ConfigError, match="already recorded"):
        again.append(record("a"))


def test_a_half_written_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path, {}).append(record("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"arm": "none", "ta')
    assert RecordFile(path, {}).done == {EpisodeKey("none", "a", 0)}
    assert path.read_bytes() == whole
    path.write_bytes(b'{"hea')
    assert RecordFile(path, {}).done == set()


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path, {"suite": "abc", "faults": 0.2})
    with pytest.raises(ConfigError, match="differs in: faults"):
        RecordFile(path, {"suite": "abc", "faults": 0.3})


def test_other_code_sets_the_records_aside_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path, {"source_sha256": "1", "calibration_sha256": "x"}, {"git": "old"}).append(record("a"))
    old = path.read_bytes()
    for number, calibration in enumerate("xy", 1):
        header = {"source_sha256": "2", "calibration_sha256": calibration}
        new = RecordFile(path, header, {"git": "new"}, renew=("source_sha256", "calibration_sha256"))
        assert new.done == set() and new.made_by == {"git": "new"} and new.set_aside == tmp_path / f"records.old{number}.jsonl"
        assert ("another source" if number == 1 else "another calibration") in capsys.readouterr().err
        new.append(record("b"))
    assert (tmp_path / "records.old1.jsonl").read_bytes() == old, "kept, and never mixed in"
    again = RecordFile(path, header, {"git": "newer"}, renew=("source_sha256",))
    assert again.set_aside is None and again.made_by == {"git": "new"}, "provenance is of the code that began the records"
    with pytest.raises(ConfigError, match="differs in: faults, source_sha256"):
        RecordFile(path, {**header, "source_sha256": "3", "faults": 1}, renew=("source_sha256",))


def test_a_file_without_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"arm": "none"}\n')
    with pytest.raises(ConfigError, match="does not begin with a header"):
        RecordFile(tmp_path / "records.jsonl", {})


def test_damage_in_the_middle_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path, {}).append(record("a"))
    path.write_bytes(path.read_bytes() + b"garbage\n")
    with pytest.raises(ConfigError, match=r"records.jsonl:3 is not JSON"):
        RecordFile(path, {})


def test_an_episode_recorded_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    RecordFile(path, {}).append(record("a"))
    refuse_duplicates(path)
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(ConfigError, match=r"1 episodes are recorded more than once, the first is none\|a\|0"):
        refuse_duplicates(path)


def test_one_evaluation_in_a_folder_at_a_time(tmp_path: Path) -> None:
    refused = pytest.raises(ConfigError, match="another process is evaluating into this directory")
    with only_one(tmp_path, "evaluating", ConfigError), refused, only_one(tmp_path, "evaluating", ConfigError):
        pass
    with only_one(tmp_path, "evaluating", ConfigError):
        pass
