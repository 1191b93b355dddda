"""Suite files: sealed by their hash, balanced over kinds, clear about what is wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.suite import Candidate, Suite, SuiteTask, balanced
from mimir_learn.symbols import Goal, ObjectQuery, Task

KINDS = ("place", "toggle", "errand")


def candidates(houses: int = 6, per_kind: int = 2) -> list[Candidate]:
    goal = Goal("g1", ObjectQuery("lamp"), attribute="on")
    out = []
    for house in range(houses):
        for kind in KINDS:
            for i in range(per_kind):
                task = Task(f"h{house}-{kind}-{i}", "Turn on the lamp.", (goal,), {"kind": kind})
                out.append(Candidate(task, house, "0" * 64, solved=not (kind == "errand" and house == 0), steps=10 + i))
    return out


def suite(count: int = 12) -> Suite:
    return Suite("toy", "household", "f" * 64, tuple(balanced(candidates(), KINDS, count, 3, 100)))


def test_balanced_over_kinds_and_houses() -> None:
    picked = suite().tasks
    assert suite().kinds() == {"errand": 4, "place": 4, "toggle": 4}
    assert max(Counter(t.house_seed for t in picked).values()) <= 3
    assert len({t.house_seed for t in picked}) == 6
    assert all(not (t.kind == "errand" and t.house_seed == 0) for t in picked), "unsolved candidates are no tasks"
    assert all(t.limit >= t.certified_steps for t in picked)


def test_too_few_certified_tasks_is_an_error() -> None:
    with pytest.raises(ConfigError, match="only 18 certified tasks"):
        balanced(candidates(), KINDS, 19, 3, 100)


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "s" / "toy.json"
    suite().save(path)
    assert Suite.load(path) == suite()
    assert json.loads(path.read_text())["sha256"] == suite().sha256


def test_every_way_a_file_can_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    with pytest.raises(ConfigError, match="no suite at"):
        Suite.load(path)
    suite().save(path)
    body = json.loads(path.read_text())
    body["tasks"][0]["limit"] += 1
    path.write_text(json.dumps(body))
    with pytest.raises(ConfigError, match="does not match its sha256"):
        Suite.load(path)
    path.write_text(json.dumps({**body, "schema_version": 99}))
    with pytest.raises(ConfigError, match="suite schema 99"):
        Suite.load(path)
    path.write_text(path.read_text()[:50])
    with pytest.raises(ConfigError, match="is not a suite"):
        Suite.load(path)


def test_a_part_of_the_suite_is_always_the_same_part() -> None:
    assert suite().first(4) == suite().first(4) and len(suite().first(4)) == 4
    assert {t.task.id for t in suite().first(4)} <= {t.task.id for t in suite().first(7)}
    assert suite().first(None) == suite().first(99) == suite().tasks
    with pytest.raises(ConfigError):
        suite().first(0)


def test_a_part_is_spread_over_kinds_and_houses() -> None:
    """Every house has every kind twice: kinds in turn would take all of them from the first house."""
    goal = Goal("g1", ObjectQuery("lamp"), attribute="on")
    tasks = [
        SuiteTask(Task(f"h{house}-{kind}-{i}", "", (goal,), {"kind": kind}), house, "", 40, 5)
        for house in range(8)
        for kind in KINDS
        for i in range(2)
    ]
    for n in (3, 6, 8, 12, 24):
        part = Suite("toy", "household", "", tuple(tasks)).first(n)
        kinds, houses = Counter(t.kind for t in part), Counter(t.house_seed for t in part)
        assert len(part) == n and max(kinds.values()) - min(kinds.values()) <= 1 and len(kinds) == 3
        assert len(houses) == min(n, 8) and max(houses.values()) - min(houses.values()) <= (0 if n < 8 else 1)
