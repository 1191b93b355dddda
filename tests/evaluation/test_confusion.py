"""What an answer is said to have confused is what it confused, and the page shows it from the frames alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.errors import ConfigError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator.export import save_pretrained, with_vocabulary
from mimir_learn.estimator.metrics import Scored
from mimir_learn.evaluation.confusion import ConfusionConfig, confusions
from mimir_learn.evaluation.confusion_classes import Fact, facts, outcome_class
from mimir_learn.logs import LogDirectory
from mimir_learn.symbols import (
    ELSEWHERE,
    IN_HAND,
    Action,
    Belief,
    BelievedEntity,
    Change,
    Delta,
    Parent,
    ParentChange,
    Relation,
    StateChange,
    Verb,
)
from tests.doubles import VOCABULARY, entity

ROOM, TABLE = Parent("kitchen_1", Relation.ROOM), Parent("table_1", Relation.ON)


def _belief(held: str | None = None) -> Belief:
    where = {"kitchen_1": None, "table_1": ROOM, "table_2": ROOM, "fridge_1": ROOM, "mug_1": TABLE, "apple_1": TABLE, "bowl_1": TABLE}
    where |= {"egg_1": Parent("bowl_1", Relation.IN)}
    if held is not None:
        where[held] = IN_HAND
    return Belief(VOCABULARY, {e: BelievedEntity(entity(e), p) for e, p in where.items()})


def _moved(thing: str, to: Parent, old: Parent = TABLE) -> ParentChange:
    return ParentChange(thing, old, to)


FLOOR, TABLE_2 = ROOM, Parent("table_2", Relation.ON)
PICK, PLACE = Action(Verb.PICK, "mug_1", "table_1"), Action(Verb.PLACE, "mug_1", "table_2")
GO, OPEN = Action(Verb.NAVIGATE, None, "fridge_1"), Action(Verb.OPEN, None, "fridge_1")
OPENED = StateChange("fridge_1", "open", False, True)


@pytest.mark.parametrize(
    ("action", "held", "changes", "name"),
    [
        (PICK, None, [_moved("mug_1", IN_HAND)], "nominal"),
        (PICK, None, [], "nothing"),
        (PICK, None, [_moved("apple_1", IN_HAND)], "another thing taken"),
        (PICK, None, [_moved("mug_1", FLOOR)], "on the floor"),
        (PICK, None, [_moved("mug_1", IN_HAND), _moved("apple_1", TABLE_2)], "nominal + something else"),
        (PICK, None, [OPENED], "something else only"),
        (Action(Verb.PICK, "bowl_1"), None, [ParentChange("egg_1", Parent("bowl_1", Relation.IN), IN_HAND)], "another thing taken"),
        (PLACE, "mug_1", [_moved("mug_1", TABLE_2, IN_HAND)], "nominal"),
        (PLACE, "mug_1", [_moved("mug_1", TABLE, IN_HAND)], "another place"),
        (PLACE, "mug_1", [_moved("mug_1", FLOOR, IN_HAND)], "on the floor"),
        (PLACE, "mug_1", [_moved("mug_1", ELSEWHERE, IN_HAND)], "left, whereto unknown"),
        (PLACE, "mug_1", [_moved("mug_1", TABLE_2, IN_HAND), StateChange("mug_1", "broken", False, True)], "broken"),
        (GO, "mug_1", [_moved("mug_1", FLOOR, IN_HAND)], "on the floor"),
        (GO, "mug_1", [], "nothing"),
        (GO, "bowl_1", [ParentChange("egg_1", Parent("bowl_1", Relation.IN), FLOOR)], "another state"),
        (OPEN, None, [OPENED], "nominal"),
        (Action(Verb.POUR, "mug_1", "bowl_1"), "mug_1", [StateChange("mug_1", "filled", True, False)], "part of it"),
    ],
)
def test_outcome_classes(action: Action, held: str | None, changes: list[Change], name: str) -> None:
    assert outcome_class(Delta(changes).atoms, action, _belief(held)) == name


_CHANGES = [_moved("mug_1", FLOOR), _moved("mug_1", TABLE_2), _moved("apple_1", TABLE_2), OPENED, _moved("egg_1", IN_HAND)]
_ANSWERS = st.lists(st.sampled_from(_CHANGES), max_size=4, unique_by=lambda c: c.key).map(Delta)


@given(_ANSWERS, _ANSWERS)
def test_an_answer_has_wrong_facts_exactly_where_it_is_not_the_truth(true: Delta, read: Delta) -> None:
    answer = Scored(true, read)
    wrong = facts(answer)
    assert bool(wrong) == (not answer.exact())
    there = {c.key for c in true if c.key[0] != "hand"} | {c.key for c in read if c.key[0] != "hand"}
    right = {c.key for c in true if c in read}
    assert len(wrong) == len(there - right)


def test_a_fact_names_what_was_read_for_what() -> None:
    answer = Scored(Delta([_moved("mug_1", FLOOR)]), Delta([_moved("mug_1", TABLE_2), OPENED]))
    assert facts(answer) == [Fact("fridge_1", "open", "stays", "set"), Fact("mug_1", "where", "floor", "place", "kitchen_1")]
    assert (
        facts(Scored(Delta([_moved("mug_1", Parent("shelf_1", Relation.ON))]), Delta([_moved("mug_1", TABLE_2)])))[0].read == "other place"
    )


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("log")
    houses = HouseCounts(train=1, validation=1, calibration=1, test=1)
    collect(CollectConfig(str(root), houses=houses, episodes_per_house=1, steps=14, image_size=64, n_jobs=1), progress=False, commit="test")
    return root


@pytest.fixture(scope="module")
def model(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    small = EstimatorConfig(candidates=10, image_px=32, crop_px=8, dim=32, heads=2, layers=1, ffn=32, crop_width=8, image_width=8)
    config = with_vocabulary(small, LogDirectory(log).vocabulary)
    return save_pretrained(DeltaEstimator(config), tmp_path_factory.mktemp("untrained"))


def test_the_tables_count_every_transition_once_and_the_page_needs_no_network(log: Path, model: Path, tmp_path: Path) -> None:
    paths = confusions(ConfusionConfig(str(model), str(log), "test", str(tmp_path), shown=3, examples=2))
    assert {p.name for p in paths} == {"confusions.html", "confusions.png", "confusions.json", "confusions.csv"}
    summary = json.loads((tmp_path / "confusions.json").read_text())
    transitions = sum(e["length"] - 1 for e in LogDirectory(log).episodes if e["split"] == "test")
    assert (
        summary["transitions"] == sum(c["n"] for c in summary["classes"]) == sum(f["n"] for f in summary["faults"].values()) == transitions
    )
    wrong = summary["transitions"] - summary["exact"]
    assert wrong > 0  # it is not trained
    table = pd.read_csv(tmp_path / "confusions.csv")
    assert table.groupby(["episode", "step"]).ngroups == wrong
    assert len(table) == sum(r["n"] for r in summary["facts"])
    assert (table.pixels_after >= 0).all() and table.candidate.dtype == np.bool_
    page = (tmp_path / "confusions.html").read_text()
    assert "data:image/jpeg;base64," in page and "http" not in page.replace("http-equiv", "")
    again = confusions(ConfusionConfig(str(model), str(log), "test", str(tmp_path / "again"), shown=3, examples=2))
    assert all(p.read_bytes() == (tmp_path / p.name).read_bytes() for p in again)


def test_settings_that_say_nothing_are_refused(log: Path, model: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="split is 'tset'"):
        ConfusionConfig(str(model), str(log), "tset")
    with pytest.raises(ConfigError, match=r"confusions\.examples"):
        ConfusionConfig(str(model), str(log), examples=0)
