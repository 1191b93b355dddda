"""Goals: what satisfies them, and that two alike need two things. Actions: well-formed."""

import pytest

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import (
    Action,
    Entity,
    Goal,
    Kind,
    ObjectQuery,
    Parent,
    Relation,
    Snapshot,
    Task,
    Verb,
    satisfied,
)

TABLE = Parent("table_1", Relation.ON)
ENTITIES = {
    e: Entity(e, e.rpartition("_")[0], k) for e, k in (("table_1", Kind.RECEPTACLE), ("mug_1", Kind.OBJECT), ("mug_2", Kind.OBJECT))
}


def mug_on_table(goal_id, **kw):
    return Goal(goal_id, ObjectQuery("mug", **kw), ObjectQuery("table"), Relation.ON)


def test_one_mug_does_not_satisfy_two_goals():
    one = Snapshot({"mug_1": TABLE, "mug_2": Parent("hand", Relation.HELD)})
    both = Snapshot({"mug_1": TABLE, "mug_2": TABLE})
    goals = [mug_on_table("a"), mug_on_table("b")]
    assert len(satisfied(goals, one, ENTITIES)) == 1
    assert satisfied(goals, both, ENTITIES) == {"a", "b"}


def test_instance_goal_takes_the_witness_it_names():
    state = Snapshot({"mug_1": TABLE, "mug_2": TABLE})
    assert satisfied([mug_on_table("a"), mug_on_table("b", instance="mug_1")], state, ENTITIES) == {"a", "b"}


def test_task_json_round_trip():
    task = Task(
        "t", "x", (mug_on_table("a"), Goal("b", ObjectQuery("table", "table_1"), attribute="open", value=False, after=("a",))), {"n": 1}
    )
    assert Task.from_dict(task.to_dict()) == task


@pytest.mark.parametrize(
    "make",
    [
        lambda: Goal("a", ObjectQuery("mug")),
        lambda: Goal("a", ObjectQuery("mug"), ObjectQuery("table")),
        lambda: Goal("a", ObjectQuery("mug"), attribute="wet"),
        lambda: Goal("a", ObjectQuery("lamp"), attribute="on", after=("a",)),
        lambda: Task("t", "x", (mug_on_table("a"), mug_on_table("a"))),
        lambda: Action(Verb.PICK),
        lambda: Action(Verb.NAVIGATE, "mug_1", "table_1"),
        lambda: Action(Verb.OPEN, "mug_1", "fridge_1"),
        lambda: Action(Verb.PICK, ""),
        lambda: Action(Verb.PICK, 7),
        lambda: Action("fly"),
    ],
)
def test_ill_formed_is_refused(make):
    with pytest.raises(SymbolError):
        make()


@pytest.mark.parametrize("action", [Action(Verb.PICK, "mug_1", "table_1"), Action(Verb.LOOK), Action(Verb.NAVIGATE, None, "table_1")])
def test_action_json_round_trip(action):
    assert Action.from_json(action.to_json()) == action


@pytest.mark.parametrize(
    "text",
    ["", "x", "null", "[]", "{}", '{"verb":"fly","object":null,"receptacle":null}', '{"verb":"look","object":"mug_1","receptacle":null}',
     '{"verb":"look"}', '{"verb":"pick","object":["mug_1"],"receptacle":null}'],
)  # fmt: skip
def test_json_that_is_no_action_is_refused(text):
    with pytest.raises(SymbolError, match="not an action"):
        Action.from_json(text)
