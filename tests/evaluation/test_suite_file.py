"""Suite files: sealed by their hash, spread evenly in parts, clear about what is wrong; those in the repository keep their word."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from mimir_learn.envs.household import VOCABULARY
from mimir_learn.envs.household.tasks import SUBSETS
from mimir_learn.envs.household.tasks.compose import key
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.difficulty import card_path, load_card, table
from mimir_learn.evaluation.jobs import house_of
from mimir_learn.evaluation.suite import HEADROOM, Certificate, Suite, SuiteTask
from mimir_learn.logs import split_of
from mimir_learn.symbols import Course, Goal, ObjectQuery, Task

KINDS = ("place", "toggle", "errand")
FILES = sorted((Path(__file__).parents[2] / "data/suites").glob("household-v1-*[!d].json"))


def toy(houses: int = 8) -> Suite:
    goal = Goal("g1", ObjectQuery("lamp"), attribute="on")
    tasks = []
    for subset in ("base", "spatial"):
        for house in range(houses):
            for kind in KINDS:
                name = f"h{house}-{subset}-{kind}"
                tasks.append(
                    SuiteTask(Task(name, f"{name}.", (goal,), {"kind": kind, "subset": subset}), house, "0" * 64, 40, Certificate(5))
                )
    return Suite("toy", "household", "f" * 64, tuple(tasks), "test", {"made": "by hand"})


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "s" / "toy.json"
    toy().save(path)
    loaded = Suite.load(path)
    assert loaded == toy() and loaded.provenance == {"made": "by hand"}
    assert json.loads(path.read_text())["sha256"] == toy().sha256 == replace(toy(), provenance={}).sha256
    assert len(path.read_text().splitlines()) > len(toy().tasks), "one task a line"


def test_every_way_a_file_can_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    with pytest.raises(ConfigError, match="no suite at"):
        Suite.load(path)
    toy().save(path)
    body = json.loads(path.read_text())
    body["tasks"][0]["limit"] += 1
    path.write_text(json.dumps(body))
    with pytest.raises(ConfigError, match="does not match its sha256"):
        Suite.load(path)
    path.write_text(json.dumps({**body, "schema_version": 99}))
    with pytest.raises(ConfigError, match="suite schema 99"):
        Suite.load(path)
    path.write_text(json.dumps({**body, "tasks": [{"task": {}}]}))
    with pytest.raises(ConfigError, match="is not a suite"):
        Suite.load(path)
    path.write_text(path.read_text()[:50])
    with pytest.raises(ConfigError, match="is not a suite"):
        Suite.load(path)
    twice = (toy().tasks[0], replace(toy().tasks[0], task=replace(toy().tasks[0].task, id="other")))
    with pytest.raises(ConfigError, match="instructions used twice"):
        replace(toy(), tasks=twice)


def test_a_part_is_always_the_same_and_in_every_larger_one() -> None:
    suite = toy()
    assert suite.select() == suite.select(n=999) == suite.tasks
    for subsets in (None, ["spatial"]):
        parts = [suite.select(subsets, n) for n in (1, 4, 9, 20)]
        assert [len(p) for p in parts] == [1, 4, 9, 20] and parts[1] == suite.select(subsets, 4)
        assert all({t.task.id for t in a} <= {t.task.id for t in b} for a, b in pairwise(parts))
    assert {t.subset for t in suite.select(["spatial"])} == {"spatial"}
    with pytest.raises(ConfigError, match="at least 1"):
        suite.select(n=0)
    with pytest.raises(ConfigError, match="no subset hard"):
        suite.select(["hard"])


def test_a_part_is_spread_over_subsets_kinds_and_houses() -> None:
    for n in (2, 6, 8, 16, 30):
        part = toy().select(n=n)
        for count, groups in ((Counter(t.subset for t in part), 2), (Counter((t.subset, t.kind) for t in part), 6)):
            assert max(count.values()) - min(count.values()) <= 1 and len(count) == min(n, groups)
        houses = Counter(t.house_seed for t in part)
        assert len(houses) == min(n, 8) and max(houses.values()) - min(houses.values()) <= 1


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_suites_in_the_repository_are_what_they_claim(path: Path) -> None:
    suite = Suite.load(path)
    assert suite.vocabulary_sha256 == VOCABULARY.sha256 and suite.split in suite.name
    assert suite.subsets() == dict.fromkeys(SUBSETS, 50)
    meanings = Counter((t.house_seed, key(t.task)) for t in suite.tasks)
    assert max(meanings.values()) == 1, "two tasks of a house differ by wording alone"
    assert len({t.task.instruction for t in suite.tasks}) == len(suite.tasks)
    for task in suite.tasks:
        assert split_of(task.house_seed) == suite.split
        assert 0 < task.certificate.steps <= HEADROOM * task.limit and task.task.success is not None
        assert task.certificate.other and task.certificate.random_gc < 1 and task.certificate.other_gc < 1
        assert task.certificate.other != task.task.id, "solved neither by chance nor by an agent with another task's goals"
        if task.subset == "long_horizon":
            assert 20 <= task.certificate.steps <= 60 and len(task.task.goals) >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_long_horizons_are_chains_of_many_kinds(path: Path) -> None:
    long = Suite.load(path).select(["long_horizon"])
    assert sum(t.task.meta["linked"] >= 3 for t in long) >= 35
    kinds = Counter(t.kind for t in long)
    assert len(kinds) >= 6 and max(kinds.values()) <= 12


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_sequences_need_their_order_and_a_memory_of_what_was_done(path: Path) -> None:
    """Goals in one chain, each afresh; before two of them that ask for different things all the goals are about is the same."""
    suite = Suite.load(path)
    found = suite.select(["sequence"])
    for task in found:
        goals, course = task.task.goals, task.task.success
        assert isinstance(course, Course) and 3 <= len(goals) <= 6 and len(course.stages) in (len(goals), len(goals) - 1)
        assert all(g.afresh and g.after == (before.id,) for before, g in pairwise(goals)) and not goals[0].after
        one, other = (goals[i - 1] for i in task.task.meta["again"])
        assert (one.query, one.target, one.attribute, one.value) != (other.query, other.target, other.attribute, other.value)
        assert task.certificate.end_gc is not None and task.certificate.end_gc < 1, "seeing to the end alone does not do it"
    kinds = Counter(t.kind for t in found)
    assert len(kinds) == 8 and max(kinds.values()) <= 12
    for task in (t for t in suite.tasks if t.subset != "sequence"):
        assert not isinstance(task.task.success, Course) and task.certificate.end_gc is None
        assert not any(g.afresh for g in task.task.goals)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_houses_are_still_those_the_suite_was_certified_in(path: Path) -> None:
    for task in Suite.load(path).select(n=6):
        assert house_of(task.task, task.house_seed).key == task.house_sha256


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_page_shows_the_card(path: Path) -> None:
    card = load_card(card_path(path))
    assert card["sha256"] == Suite.load(path).sha256
    assert table(card) in (path.parents[2] / "docs/suites.md").read_text()
    assert card["subsets"]["all"]["agents"]["oracle"]["sr"] == 1.0 and card["subsets"]["all"]["agents"]["nothing"]["gc"] == 0.0


def test_there_is_a_suite_for_each_split_and_no_task_in_both() -> None:
    suites = [Suite.load(p) for p in FILES]
    assert sorted(s.split for s in suites) == ["test", "validation"]
    one, two = suites
    assert not {t.house_seed for t in one.tasks} & {t.house_seed for t in two.tasks}
    assert not {t.task.id for t in one.tasks} & {t.task.id for t in two.tasks}
