"""What "it did what it says" means, and how the log's samples carry it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mimir_learn.estimator.labels import CLEAR, FIRST_CANDIDATE, SET, TO_ELSEWHERE, did_what_it_says, refused, targets
from mimir_learn.estimator.samples import arrays, replay
from mimir_learn.logs import read_episodes
from mimir_learn.symbols import IN_HAND, Action, Delta, Outcome, Parent, ParentChange, Relation, StateChange, Verb

from .conftest import SMALL
from .synthetic import World, with_bowls

BELIEF = World({"mug_1": np.array([0.3, 0.6, 0.65])}).belief()
GO = Action(Verb.NAVIGATE, None, "table_1")
NONE = Delta()
FELL = Delta([ParentChange("mug_1", IN_HAND, Parent("kitchen_1", Relation.ROOM))])
TAKEN = Delta([ParentChange("mug_1", Parent("table_2", Relation.ON), IN_HAND)])
ELSEONE = Delta([StateChange("lamp_1", "on", False, True)])  # by someone else
NO = Outcome(False, "Refused: you do not see mug_1.")


@pytest.mark.parametrize(
    ("action", "delta", "outcome", "did"),
    [
        (GO, NONE, Outcome(True, "You are at table_1."), True),
        (GO, ELSEONE, Outcome(True, "You are at table_1."), True),
        (GO, NONE, NO, False),
        (GO, ELSEONE, NO, False),
        (GO, FELL, Outcome(True, "You are at table_1."), False),
        (GO, FELL, Outcome(False, "You drop mug_1 on the way to table_1."), False),
        (GO, NONE, None, True),
        (Action(Verb.LOOK), NONE, Outcome(True, "You look at table_1 from another side."), True),
        (Action(Verb.PICK, "mug_1"), TAKEN, Outcome(True, "You pick up mug_1."), True),
        (Action(Verb.PICK, "mug_1"), TAKEN, Outcome(False, "You reach for mug_1, but it slips away."), True),  # claims are not believed
        (Action(Verb.PICK, "mug_1"), NONE, Outcome(True, "You pick up mug_1."), False),
        (Action(Verb.TOGGLE_ON, "lamp_1"), ELSEONE, Outcome(False, "Refused: you are not near lamp_1."), False),
    ],
)
def test_did_what_it_says(action: Action, delta: Delta, outcome: Outcome | None, did: bool) -> None:
    assert did_what_it_says(action, BELIEF, delta, outcome) is did
    assert targets(delta, (), action, BELIEF, SMALL, outcome)["y_outcome"] == did


def test_a_pour_empties_one_vessel_and_fills_another() -> None:
    belief = with_bowls(BELIEF)
    pour, away = Action(Verb.POUR, "bowl_1", "bowl_2"), Action(Verb.POUR, "bowl_1", "table_1")
    empty, full = StateChange("bowl_1", "filled", True, False), StateChange("bowl_2", "filled", False, True)
    assert did_what_it_says(pour, belief, Delta([empty, full])) and did_what_it_says(away, belief, Delta([empty]))
    assert not did_what_it_says(pour, belief, Delta([empty]))  # spilt beside
    assert not did_what_it_says(pour, belief, NONE)
    ids = ("bowl_2", "bowl_1")
    assert targets(Delta([empty, full]), ids, pour, belief, SMALL)["y_attr"][:2, SMALL.attributes.index("filled")].tolist() == [SET, CLEAR]


def test_a_thing_in_a_bowl_points_at_the_bowl() -> None:
    belief = with_bowls(BELIEF)
    put, ids = Action(Verb.PLACE, "mug_1", "bowl_2"), ("mug_1", "bowl_2", "apple_1")
    inside = Delta([ParentChange("mug_1", IN_HAND, Parent("bowl_2", Relation.IN))])
    assert did_what_it_says(put, belief, inside) and targets(inside, ids, put, belief, SMALL)["y_parent"][0] == FIRST_CANDIDATE + 1
    spilt = Delta([ParentChange("apple_1", Parent("bowl_1", Relation.IN), Parent("kitchen_1", Relation.ROOM))])  # the bowl broke
    assert targets(spilt, ids, put, belief, SMALL)["y_parent"][2] == TO_ELSEWHERE  # the room was not offered


def test_only_an_honest_refusal_is_one() -> None:
    assert refused(NO)
    assert not refused(Outcome(True, "Refused: never said with success.")) and not refused(Outcome(False, "fridge_1 does not move."))


def test_refused_navigation_in_a_log_is_labelled_as_not_done(log_dir: Path) -> None:
    """The behaviour policy seldom asks for the impossible, so one logged arrival is turned into a refusal."""
    episode = next(iter(read_episodes(log_dir, "train")))
    t = next(i for i, s in enumerate(episode.steps) if s.action.verb is Verb.NAVIGATE and s.delta.hand is None)
    steps = list(episode.steps)
    steps[t] = replace(steps[t], outcome=NO)
    for source, did in ((episode, True), (replace(episode, steps=tuple(steps)), False)):
        sample = list(replay(source))[t]
        assert sample.did is did and arrays(sample, SMALL)["y_outcome"] == did
