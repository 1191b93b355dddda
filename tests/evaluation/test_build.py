"""Building suites: the same twice and after an interruption, certified, with trivial agents told apart from the reference."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mimir_learn.envs.household import VOCABULARY, FaultRates, generate_house
from mimir_learn.envs.household.tasks import SUBSETS, World, sample_subset
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import build, certify
from mimir_learn.evaluation.build import SuiteConfig, build_suite, check_suite, pick, run_suite_command
from mimir_learn.evaluation.difficulty import card_of, card_path, load_card, play, table, write_card
from mimir_learn.evaluation.episode import environment
from mimir_learn.evaluation.jobs import house_options
from mimir_learn.evaluation.suite import Suite
from mimir_learn.evaluation.trials import Mimir, Trial, run_trial
from mimir_learn.evaluation.trivial import NearestFirst, Nothing
from mimir_learn.symbols import Entity, Goal, ObjectQuery, Observation, Percept, Place, Relation, Task


def test_every_subset_is_full(suite: Suite) -> None:
    assert suite.subsets() == dict.fromkeys(SUBSETS, 1)
    assert suite.provenance["discarded"].keys() == set(SUBSETS) and suite.provenance["source_sha256"]


def test_an_interrupted_build_goes_on_and_comes_to_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = SuiteConfig(out="unused", subsets=["base"], tasks=2, houses=6, batch=1, draws=2, n_jobs=1)
    whole, work = build_suite(config, tmp_path / "whole.jsonl")
    lines = work.read_text().splitlines()
    assert len(lines) >= 3
    half = tmp_path / "half.jsonl"
    half.write_text("\n".join(lines[:2]) + "\n" + lines[2][:40])  # stopped while writing the second house
    resumed, _ = build_suite(config, half)
    assert resumed == whole and "going on after 1 houses" in capsys.readouterr().err


def test_too_few_tasks_is_an_error_that_says_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "certify", lambda task, seed, *_: certify.Verdict(task, seed, None, "not to my liking"))
    config = SuiteConfig(out="unused", subsets=["base", "spatial"], tasks=1, houses=2, draws=1, n_jobs=1)
    with pytest.raises(ConfigError, match=r"too few certified tasks \(base 0, spatial 0 of 1\)"):
        build_suite(config, tmp_path / "short.jsonl")


def test_the_scarcest_kind_and_what_needs_memory_are_tried_first() -> None:
    world = World.of_house(generate_house(41_000))
    drawn = sample_subset(world, np.random.default_rng(0), "base", 12)
    demands = [(t.meta["shut"] > 0) + (t.meta["across"] > 1) for t in build._in_order(drawn, {})]
    assert demands == sorted(demands, reverse=True) and demands[0] == 2
    common = drawn[0].meta["kind"]
    kinds = [t.meta["kind"] for t in build._in_order(drawn, {common: 1.0})]
    assert common not in kinds[: -kinds.count(common)]


def test_a_subset_added_later_is_the_one_of_a_whole_build_and_changes_nothing_else(tmp_path: Path) -> None:
    both = SuiteConfig(out=str(tmp_path / "both.json"), subsets=["base", "sequence"], tasks=2, houses=8, batch=2, draws=2, n_jobs=1)
    one = replace(both, out=str(tmp_path / "one.json"), subsets=["base"])
    added = replace(both, out=one.out, add="sequence")
    run_suite_command(both)
    run_suite_command(one)
    write_card(Path(one.out), 1)
    before = Path(one.out).read_text().splitlines()
    assert "CHANGED, was" in run_suite_command(added)
    whole, late = Suite.load(Path(both.out)), Suite.load(Path(one.out))
    assert late == whole and late.subsets() == {"base": 2, "sequence": 2}
    lines = [line.rstrip(",") for line in before if line.startswith('{"task"')]
    assert [line.rstrip(",") for line in Path(one.out).read_text().splitlines() if line.startswith('{"task"')][:2] == lines
    assert set(late.provenance["added"]) == {"sequence"} and late.provenance["config"]["subsets"] == ["base"]
    with pytest.raises(ConfigError, match="has a subset sequence already"):
        run_suite_command(added)
    run_suite_command(replace(added, card=True))
    card = load_card(card_path(Path(one.out)))
    assert card == json.loads(json.dumps(card_of(late, 1))), "measured alone and beside the rows there were: the same as all at once"
    with pytest.raises(ConfigError, match="not the card of this suite without sequence"):
        run_suite_command(replace(added, card=True))
    with pytest.raises(ConfigError, match="none of its subsets"):
        replace(one, add="sequence")


def test_a_sequence_that_its_end_alone_would_do_is_discarded(suite: Suite) -> None:
    task = next(t for t in suite.tasks if t.subset == "sequence")
    assert task.certificate.end_gc is not None and task.certificate.end_gc < 1
    start = trial_start(task)
    hasty = certify.only_the_end(task.task, VOCABULARY, start)
    assert 1 <= len(hasty.goals) < len(task.task.goals) and not any(g.after or g.afresh for g in hasty.goals)
    assert not any(t.certificate.end_gc is not None for t in suite.tasks if t.subset != "sequence")
    loose = replace(task.task, success=replace(task.task.success, stages=task.task.success.stages[-1:]))
    assert certify.certify(loose, task.house_seed, None, 150).reason == "seeing to the end alone solves it"


def trial_start(task):  # type: ignore[no-untyped-def]
    env = environment(128)
    env.reset(seed=0, options={**house_options(task.task, task.house_seed), "faults": FaultRates()})
    return env.privileged_state()


def test_no_words_and_no_meaning_twice(suite: Suite) -> None:
    first = suite.tasks[0]
    reworded = replace(first, task=replace(first.task, id="x", instruction="Something else."))
    renamed = replace(suite.tasks[1], task=replace(suite.tasks[1].task, id="y", instruction=first.task.instruction))
    assert pick([first, reworded, renamed], SUBSETS, 5) == [first]


def test_checking_finds_what_no_longer_holds(suite: Suite, suite_config: SuiteConfig, suite_path: Path, tmp_path: Path) -> None:
    few = replace(suite, tasks=suite.tasks[:2])
    assert check_suite(few, n_jobs=1) == []
    first = few.tasks[0]
    wrong = replace(few, tasks=(replace(first, certificate=replace(first.certificate, steps=99)), few.tasks[1]))
    assert check_suite(wrong, n_jobs=1) == [
        f"{first.task.id} ({first.task.instruction!r}): takes {first.certificate.steps} steps, certified with 99"
    ]
    wrong.save(tmp_path / "s.json")
    with pytest.raises(ConfigError, match="1 of 2 certificates"):
        run_suite_command(replace(suite_config, out=str(tmp_path / "s.json"), check=True))
    elsewhere = replace(few, tasks=(replace(first, house_sha256="0" * 64),))
    assert "no longer the one" in check_suite(elsewhere, n_jobs=1)[0]
    assert "another vocabulary" in check_suite(replace(few, vocabulary_sha256="0" * 64), n_jobs=1)[0]
    shutil.rmtree(tmp_path)
    assert suite_path.exists()


def test_a_house_that_only_looks_different_is_another_house(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    task = suite.tasks[0]
    house = generate_house(task.house_seed)
    assert task.house_sha256 == house.key
    painted = replace(house, things=(replace(house.things[0], colour="mauve"), *house.things[1:]))
    assert certify.recertify(task, 150) == ""
    monkeypatch.setattr(certify, "house_of", lambda *_: painted)
    assert "no longer the one" in certify.recertify(task, 150)


def test_nearest_is_by_metres() -> None:
    def place(name: str, room: str) -> Place:
        return Place(Entity(name, name.rpartition("_")[0], VOCABULARY.spec(name.rpartition("_")[0]).kind), room)

    places = (place("table_1", "kitchen_1"), place("table_2", "bedroom_1"), place("table_3", "kitchen_1"), place("shelf_1", "bedroom_1"))
    spots = {"table_1": (5.0, 0.0), "table_2": (1.0, 1.0), "table_3": (2.0, 3.0), "shelf_1": (0.5, 0.0)}
    task = Task("t", "x", (Goal("g", ObjectQuery("mug"), ObjectQuery("table"), Relation.ON),))
    agent = NearestFirst(VOCABULARY, places, task, spots)
    tour, at = [], (0.0, 0.0)
    for _ in range(4):
        pose = np.eye(4)
        pose[:2, 3] = at
        seen = Observation(np.zeros((1, 1, 3), np.uint8), np.ones((1, 1), np.float32), np.eye(3), pose)
        command = agent.act(seen, Percept())
        assert command is not None
        tour.append(command.removeprefix("go to "))
        at = spots[tour[-1]]
    assert tour == ["shelf_1", "table_2", "table_3", "table_1"]  # each time the nearest from where it stands, whatever the room


def test_no_long_horizon_kind_crowds_out_the_others(suite: Suite) -> None:
    one = next(t for t in suite.tasks if t.subset == "long_horizon")
    many = [
        replace(one, house_seed=i, task=replace(one.task, id=f"t{i}", instruction=f"No. {i}.", meta={**one.task.meta, "kind": kind}))
        for i, kind in enumerate(["salad"] * 20 + ["tea"] * 3)
    ]
    picked = pick(many, SUBSETS, 25)
    assert [t.kind for t in picked].count("salad") == 6 and [t.kind for t in picked].count("tea") == 3


def test_a_task_that_needs_no_reading_or_is_done_is_discarded(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    task = suite.tasks[0]
    place = generate_house(task.house_seed).fixtures[0]
    idle = Task(
        "idle", "x", (Goal("g", ObjectQuery(place.category, place.id), ObjectQuery(place.room.rpartition("_")[0]), place.parent.relation),)
    )
    assert certify.certify(idle, task.house_seed, None, 100).reason == "solved at the start"
    same = replace(task.task, id="same")
    assert certify.certify(task.task, task.house_seed, same, 150).reason == "another task's goals solve it"
    monkeypatch.setattr(certify, "RandomLegal", lambda *_: Mimir(_SETTING[0], task.task))
    monkeypatch.setattr(certify, "run_trial", _noting(run_trial))
    assert certify.certify(task.task, task.house_seed, None, 150).reason == "random legal actions solve it"
    impossible = replace(task.task, goals=(Goal("g", ObjectQuery("mug", "mug_99"), attribute="cleaned"),))
    assert "does not solve it" in certify.certify(impossible, task.house_seed, None, 60).reason


_SETTING: list = []


def _noting(run):  # type: ignore[no-untyped-def]
    """`run_trial` that keeps the last setting, from which a cheat can be made."""

    def noted(task, seed, limit, make, **kw):  # type: ignore[no-untyped-def]
        def remember(setting):  # type: ignore[no-untyped-def]
            _SETTING[:] = [setting]
            return make(setting)

        return run(task, seed, limit, remember, **kw)

    return noted


def test_the_four_agents(suite: Suite) -> None:
    tasks = suite.select(n=2)
    made = {agent: [play(t, agent) for t in tasks] for agent in ("nothing", "random", "nearest_first", "oracle")}
    assert all(t.solved is not None and t.solved <= task.certificate.steps for t, task in zip(made["oracle"], tasks, strict=True))
    assert all(t == Trial(None, False, 1, 0.0, 0.0) for t in made["nothing"])
    assert not any(t.solved for t in made["random"]), "certified against it"
    assert any(t.solved for t in made["nearest_first"])
    assert all(0.0 <= t.last <= t.best <= 1.0 for ts in made.values() for t in ts)
    assert play(tasks[0], "random") == made["random"][0]


def test_a_card_says_it_all(suite: Suite, suite_path: Path, tmp_path: Path) -> None:
    few = replace(suite, tasks=suite.select(["base", "spatial"], 2))
    few.save(tmp_path / "few.json")
    said = write_card(tmp_path / "few.json", 1)
    card = load_card(card_path(tmp_path / "few.json"))
    assert card == json.loads(json.dumps(card_of(few, 1))) and table(card) in said
    assert set(card["subsets"]) == {"base", "spatial", "all"} and card["sha256"] == few.sha256
    row = card["subsets"]["all"]
    assert row["tasks"] == 2 and row["agents"]["oracle"] == {"sr": 1.0, "gc": 1.0} and row["agents"]["nothing"] == {"sr": 0.0, "gc": 0.0}
    assert len(table(card).splitlines()) == 2 + 3
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ConfigError, match="not a difficulty card"):
        load_card(tmp_path / "bad.json")


def test_waiting_changes_nothing(suite: Suite) -> None:
    task = suite.tasks[0]
    trial = run_trial(task.task, task.house_seed, 5, lambda _: Nothing())
    assert trial == Trial(None, False, 5, 0.0, 0.0)


@pytest.mark.parametrize("wrong", [{"tasks": 0}, {"subsets": []}, {"subsets": ["hard"]}, {"n_jobs": 0}, {"houses": 1.5}])
def test_settings_out_of_range_are_refused(wrong: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(ConfigError, match="suite"):
        SuiteConfig(**wrong)
