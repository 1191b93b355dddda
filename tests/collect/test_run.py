"""Collecting in the real household: same bytes however it is run, interrupted or hurt; enough faults; logs that check out."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mimir_learn.collect import CollectConfig, HouseCounts, check_log, collect
from mimir_learn.collect.run import code_version
from mimir_learn.errors import ConfigError, LogError, SimulatorError
from mimir_learn.logs import read_episodes
from mimir_learn.logs.fingerprint import content_files
from mimir_learn.logs.locks import hold, only_one

TINY = CollectConfig(houses=HouseCounts(2, 1, 0, 1), episodes_per_house=2, steps=8, image_size=48, episodes_per_shard=2, n_jobs=1)


def contents(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in content_files(root)}


def run(root: Path, config: CollectConfig = TINY, **values: object) -> Path:
    collect(replace(config, out=str(root), **values), progress=False, commit="test")  # type: ignore[arg-type]
    return root


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny log, made in one go by this process."""
    return run(tmp_path_factory.mktemp("unbroken") / "log")


def test_log_is_sound(unbroken: Path) -> None:
    assert check_log(unbroken) == []
    episodes = list(read_episodes(unbroken))
    assert [e.split for e in episodes] == ["train"] * 4 + ["validation"] * 2 + ["test"] * 2
    assert all(len(e) == TINY.steps and e.frames[0].rgb.shape == (48, 48, 3) for e in episodes)
    assert episodes[0].house_seed == episodes[1].house_seed and episodes[0].seed != episodes[1].seed
    assert [s.command for s in episodes[0].steps] != [s.command for s in episodes[1].steps]
    stats = json.loads((unbroken / "collect_stats.json").read_text())
    assert stats["made"] == 64 and stats["transitions_per_s_per_core"] > 0 and len(stats["shards"]) == 4


def test_two_workers_make_the_same_bytes(unbroken: Path, tmp_path: Path) -> None:
    assert contents(run(tmp_path / "log", n_jobs=2)) == contents(unbroken)


def test_rerun_makes_nothing_and_changes_nothing(unbroken: Path) -> None:
    before = contents(unbroken)
    summary = collect(replace(TINY, out=str(unbroken)), progress=False, commit="another")
    assert summary.made == 0 and summary.transitions == 64 and summary.transitions_per_s_per_core is None
    assert contents(unbroken) == before


def test_kill_and_resume(unbroken: Path, tmp_path: Path) -> None:
    root = tmp_path / "log"
    code = "import sys; sys.path.insert(0, sys.argv[2]); from test_run import run, Path; run(Path(sys.argv[1]))"
    process = subprocess.Popen([sys.executable, "-c", code, str(root), str(Path(__file__).parent)])
    deadline = time.monotonic() + 120
    while not (list(root.glob("data/*/file-*.parquet")) and list(root.glob("data/*/.*.tmp"))):
        assert process.poll() is None and time.monotonic() < deadline, "the collector ended before it could be killed"
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not (root / "meta/info.json").exists()
    with pytest.raises(LogError, match="mimir collect"):
        read_episodes(root)
    kept = contents(root)
    assert 1 <= len(kept) < 4
    run(root)
    assert contents(root) == contents(unbroken)
    assert not list(root.glob("data/*/.*"))


def test_orphans_end_and_are_not_disturbed(unbroken: Path, tmp_path: Path) -> None:
    root = tmp_path / "log"
    code = "import sys; sys.path.insert(0, sys.argv[2]); from test_run import run, Path; run(Path(sys.argv[1]), n_jobs=2)"
    process = subprocess.Popen([sys.executable, "-c", code, str(root), str(Path(__file__).parent)])
    deadline = time.monotonic() + 120
    while not (files := list(root.glob("data/*/.*.tmp"))):
        assert process.poll() is None and time.monotonic() < deadline, "the collector ended before it could be killed"
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    run(root)  # at once: the workers of the killed one may still be writing
    assert contents(root) == contents(unbroken)
    orphans = {int(f.name.split(".")[-2]) for f in files}
    assert process.pid not in orphans
    while any(Path(f"/proc/{pid}").exists() and "(defunct)" not in status(pid) for pid in orphans):
        assert time.monotonic() < deadline, "an orphan goes on"
        time.sleep(0.05)
    assert contents(root) == contents(unbroken) and check_log(root) == []
    assert not list(root.glob("data/*/.*"))


def status(pid: int) -> str:
    """Says "(defunct)" for a process that has ended and that nobody has asked about yet."""
    try:
        return "(defunct)" if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z" else ""
    except OSError:
        return "(defunct)"


def test_file_in_the_making_is_left_alone(unbroken: Path, tmp_path: Path) -> None:
    root = tmp_path / "log"
    dead, alive = (root / f"data/chunk-000/.file-000.parquet.{n}.tmp" for n in (1, 2))
    dead.parent.mkdir(parents=True)
    dead.write_text("left behind, by a process whose number is in use again")
    with alive.open("wb") as file:
        assert hold(file)
        run(root)
        assert alive.exists() and not dead.exists()
    assert contents(root) == contents(unbroken)
    run(root)
    assert not alive.exists()


def test_second_collector_is_refused(unbroken: Path, tmp_path: Path) -> None:
    root = tmp_path / "log"
    root.mkdir()
    with only_one(root, "collecting", LogError):
        with pytest.raises(LogError, match=r"log: another process is collecting into this directory; wait .* or choose another out"):
            run(root)
        assert contents(root) == {}
    assert contents(run(root)) == contents(unbroken)


def test_lock_goes_with_its_process(tmp_path: Path) -> None:
    code = "import sys, pathlib, time; from mimir_learn.errors import LogError; from mimir_learn.logs.locks import only_one\n"
    code += "with only_one(pathlib.Path(sys.argv[1]), 'collecting', LogError): print('mine', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "mine\n"
    with pytest.raises(LogError, match="another process"), only_one(tmp_path, "collecting", LogError):
        pass
    process.kill()
    process.communicate()
    with only_one(tmp_path, "collecting", LogError):
        pass


@pytest.mark.parametrize("name", ["meta/splits.json", "meta/info.json", "meta/tasks.parquet", "meta/vocabulary.json", "README.md"])
def test_damaged_description_is_written_again(unbroken: Path, tmp_path: Path, name: str) -> None:
    root = tmp_path / "log"
    shutil.copytree(unbroken, root)
    (root / name).unlink() if name == "README.md" else (root / name).write_text("{")
    assert collect(replace(TINY, out=str(root)), progress=False, commit="another").made == 0
    assert contents(root) == contents(unbroken)


def test_out_that_cannot_be_made(tmp_path: Path) -> None:
    config = replace(TINY, out=str(tmp_path / "file/log"))
    (tmp_path / "file").write_text("in the way only after the settings were read")
    with pytest.raises(ConfigError, match=r"collect\.out is .*file/log: cannot make"):
        collect(config, progress=False, commit="test")


def test_damaged_shard_is_made_again(unbroken: Path, tmp_path: Path) -> None:
    root = run(tmp_path / "log")
    shard = root / "data/chunk-000/file-001.parquet"
    shard.write_bytes(shard.read_bytes()[:-50])
    assert [p.file for p in check_log(root)] == ["data/chunk-000/file-001.parquet"]
    run(root)
    assert contents(root) == contents(unbroken)


def test_log_of_another_version_is_not_written_over(unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "log"
    shutil.copytree(unbroken, root)
    monkeypatch.setattr("mimir_learn.logs.schema.SCHEMA_VERSION", 99)
    before = contents(root)
    with pytest.raises(
        LogError, match=r"schema version 2, this code reads 99; make the log again with `mimir collect` into another directory"
    ):
        run(root)
    assert contents(root) == before


def test_origin_names_faults_and_style(tmp_path: Path) -> None:
    root = run(tmp_path / "log", replace(TINY, houses=HouseCounts(1, 0, 0, 0), faults="mild", feedback_style="habitat"))
    body = json.loads((root / "meta/mimir.json").read_text())
    assert (body["schema_version"], body["faults"], body["feedback_style"]) == (2, "mild", "habitat")
    assert check_log(root) == []


def kill_workers(root: Path, times: int) -> threading.Thread:
    """Start a thread that kills ``times`` processes that are writing a shard under ``root`` (never this one)."""

    def watch() -> None:
        left, deadline, seen = times, time.monotonic() + 120, set()
        while left and time.monotonic() < deadline:
            for path in root.glob("data/*/.*.tmp"):
                pid = int(path.name.split(".")[-2])
                if left and pid != os.getpid() and pid not in seen:
                    seen.add(pid)
                    left -= 1
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_killed_worker_is_replaced_and_noted(unbroken: Path, tmp_path: Path) -> None:
    root = tmp_path / "log"
    root.mkdir()
    thread = kill_workers(root, 1)
    summary = collect(replace(TINY, out=str(root), n_jobs=2), progress=False, commit="test")
    thread.join(10)
    assert summary.retried and set(summary.retried) <= {p for p in contents(root) if p.startswith("data/")}
    assert json.loads((root / "collect_stats.json").read_text())["retried"] == list(summary.retried)
    assert contents(root) == contents(unbroken)


def test_worker_that_always_dies_is_one_clear_error(tmp_path: Path) -> None:
    root = tmp_path / "log"
    root.mkdir()
    thread = kill_workers(root, 1)
    with pytest.raises(SimulatorError, match=r"file-00\d\.parquet.*killed 1 times.*resumes"):
        collect(replace(TINY, out=str(root), n_jobs=2, max_tries=1), progress=False, commit="test")
    thread.join(10)


def test_other_settings_do_not_mix(unbroken: Path) -> None:
    for other in (replace(TINY, seed=1), replace(TINY, houses=HouseCounts(1, 1, 0, 1))):
        with pytest.raises(LogError, match="other settings"):
            collect(replace(other, out=str(unbroken)), progress=False, commit="test")
    assert check_log(unbroken) == []


def test_mix_of_a_small_log(tmp_path: Path) -> None:
    config = CollectConfig(houses=HouseCounts(3, 0, 0, 0), episodes_per_house=3, image_size=32, n_jobs=1, practice=4.0)
    root = run(tmp_path / "log", config)
    body = json.loads((root / "meta/rates.json").read_text())
    rates = body["rates"]
    assert rates["unusual"] >= 0.30
    assert rates["manipulations"] >= 0.55
    for fault in ("slip", "drop", "beside", "stuck", "partial", "exogenous", "camera"):
        assert body["counts"].get(f"fault.{fault}", 0) >= 1, fault
    for kind in ("fault", "refused", "nominal"):
        assert rates[f"kind.{kind}"] >= 0.05, kind
    assert rates["claims_wrong"] >= 0.05
    assert check_log(root) == []


def test_collecting_needs_no_torch() -> None:
    rooms = "mimir_learn.collect.shard, mimir_learn.collect.task_policy, mimir_learn.envs.household, mimir_learn.logs"
    code = f"import sys, {rooms}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_code_version_is_a_word() -> None:
    assert code_version() and "\n" not in code_version()
