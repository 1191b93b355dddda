"""The untrained sources that look: what they make of a toy world where all is known, and of real household transitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.errors import ConfigError
from mimir_learn.estimator.metrics import score
from mimir_learn.estimator.samples import Sample, replay
from mimir_learn.estimator.scoring import scored
from mimir_learn.evaluation.classical import best_threshold, choose
from mimir_learn.feedback import make_source, nominal_delta
from mimir_learn.feedback.classical import thresholds
from mimir_learn.logs import read_episodes
from mimir_learn.symbols import EMPTY, IN_HAND, Action, Outcome, Parent, ParentChange, Relation, StateChange, Transition, Verb

from ..estimator.synthetic import World

POINTS = {"mug_1": np.array([-0.45, 0.6, 0.65]), "mug_2": np.array([0.45, 0.6, 0.65]), "apple_1": np.array([-0.15, 0.6, 0.65])}
TABLE_1, TABLE_2 = Parent("table_1", Relation.ON), Parent("table_2", Relation.ON)


def world(held: str | None = None) -> World:
    return World(dict(POINTS), held)


def between(before: World, action: Action, after: World) -> Transition:
    return Transition(before.frame(), action, after.frame(), Outcome(True, ""), before.belief())


def changes(source: str, transition: Transition) -> set:
    return {(c.entity, c.new) for c in make_source(source).estimate(transition).delta if isinstance(c, ParentChange | StateChange)}


@pytest.mark.parametrize("source", ["difference", "geometry"])
def test_a_grasp_that_works_and_one_that_slips(source: str) -> None:
    pick = Action(Verb.PICK, "mug_1")
    assert changes(source, between(world(), pick, world("mug_1"))) == {("mug_1", IN_HAND)}
    estimate = make_source(source).estimate(between(world(), pick, world()))
    assert estimate.delta == EMPTY and estimate.success == 0.0


def test_geometry_sees_which_thing_was_taken_instead() -> None:
    other = between(world(), Action(Verb.PICK, "mug_1"), world("apple_1"))
    assert changes("geometry", other) == {("apple_1", IN_HAND)}


@pytest.mark.parametrize(("x", "place"), [(0.5, TABLE_2), (-0.75, TABLE_1)])
def test_geometry_sees_where_a_thing_has_landed_whatever_was_asked(x: float, place: Parent) -> None:
    after = world()
    after.points["mug_1"] = np.array([x, 0.5, 0.75])
    assert changes("geometry", between(world("mug_1"), Action(Verb.PLACE, "mug_1", "table_2"), after)) == {("mug_1", place)}


def test_geometry_puts_on_the_floor_what_lies_low() -> None:
    after = world()
    after.points["mug_1"] = np.array([0.0, -0.6, 0.05])
    found = changes("geometry", between(world("mug_1"), Action(Verb.PLACE, "mug_1", "table_2"), after))
    assert found == {("mug_1", Parent("kitchen_1", Relation.ROOM))}


@pytest.mark.parametrize("source", ["difference", "geometry"])
def test_a_lamp_that_changes_its_look_was_switched(source: str) -> None:
    lit = world()
    lit.lamp = True
    switch = Action(Verb.TOGGLE_ON, "lamp_1")
    assert changes(source, between(world(), switch, lit)) == {("lamp_1", True)}
    assert changes(source, between(world(), switch, world())) == set()


def test_difference_claims_the_nominal_effect_of_whatever_changed() -> None:
    other = between(world(), Action(Verb.PICK, "mug_1"), world("mug_2"))  # mug_1 stays where it is
    assert changes("difference", other) == set()


# ---- the household -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("log")
    houses = HouseCounts(train=2, validation=0, calibration=0, test=3)
    collect(CollectConfig(str(root), houses=houses, episodes_per_house=1, steps=30, n_jobs=1), progress=False, commit="test")
    return root


@pytest.fixture(scope="module")
def samples(log: Path) -> list[Sample]:
    return [s for e in read_episodes(log, "test") for s in replay(e)]


@pytest.mark.parametrize("source", ["difference", "geometry"])
def test_two_equal_frames_show_no_change(source: str, samples: list[Sample]) -> None:
    asked = make_source(source)
    for s in samples:
        assert not asked.estimate(replace(s.transition, after=s.transition.before)).delta


@pytest.mark.parametrize("source", ["difference", "geometry"])
def test_flag_and_sentence_are_not_read(source: str, samples: list[Sample]) -> None:
    asked = make_source(source)
    for s in samples[::3]:
        told = [
            asked.estimate(replace(s.transition, outcome=Outcome(flag, text))) for flag, text in ((True, "fine"), (False, "Refused: no."))
        ]
        assert told[0] == told[1]


def test_difference_says_the_nominal_effect_or_nothing(samples: list[Sample]) -> None:
    asked = make_source("difference")
    for s in samples:
        said = asked.estimate(s.transition).delta
        assert said in (EMPTY, nominal_delta(s.transition.action, s.transition.belief))


def test_looking_beats_believing_and_guessing(samples: list[Sample]) -> None:
    numbers = {n: score([scored(s, make_source(n).estimate(s.transition)) for s in samples]) for n in ("none", "schema", "geometry")}
    assert numbers["geometry"]["changed_atom_f1"] > numbers["schema"]["changed_atom_f1"]
    assert numbers["geometry"]["exact_delta"] > numbers["none"]["exact_delta"]


# ---- thresholds ----------------------------------------------------------------------------------------------------


def test_the_best_threshold_separates_in_the_widest_gap() -> None:
    assert best_threshold([(0.1, False), (0.2, False), (0.6, True), (0.9, True)]) == pytest.approx(0.4)
    assert best_threshold([(0.5, True), (0.6, True)]) < 0.5
    assert best_threshold([(0.5, False)]) >= 0.5
    assert best_threshold([]) == 0.0


def test_thresholds_are_chosen_on_training_houses_alone(log: Path, tmp_path: Path) -> None:
    chosen = choose(log, episodes=2)
    assert chosen.origin["split"] == "train" and chosen.origin["episodes"] == 2
    chosen.write(tmp_path / "t.json")
    assert thresholds(tmp_path / "t.json") == chosen


def test_a_damaged_table_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"mimir_learn\.evaluation\.classical"):
        thresholds(tmp_path / "t.json")
