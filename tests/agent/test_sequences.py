"""Goals that must come about afresh: the same thing there and back, the same switch twice; without task memory they have no end."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from mimir_learn.agent import Variant
from mimir_learn.agent.planner import put_down
from mimir_learn.memory import Status, TaskMemory, WorldMemory
from mimir_learn.symbols import (
    IN_HAND,
    Action,
    AllOf,
    Course,
    Goal,
    Has,
    ObjectQuery,
    Parent,
    ParentChange,
    Related,
    Relation,
    StateChange,
    Task,
    Verb,
    Watch,
)

from ..doubles import VOCABULARY
from ..memory.houses import PLACES, feedback, percept, see
from .symbolic_house import SymbolicHouse, at, bring, make
from .test_episodes import play

TABLE_1, TABLE_2 = Parent("table_1", Relation.ON), Parent("table_2", Relation.ON)


def chain(*goals: Goal) -> tuple[Goal, ...]:
    """In turn, about the same mug where a mug is meant."""
    named = [replace(g, query=replace(g.query, name="x")) if g.query.category == "mug" else g for g in goals]
    return (named[0], *(replace(g, after=(b.id,), afresh=True) for b, g in pairwise(named)))


def on(place: str) -> Related:
    return Related("?x", VOCABULARY.spec(place[:-2]).relation or Relation.ON, place)


THERE_AND_BACK = Task(
    "t", "t", chain(bring("g1", "mug", "sink_1"), bring("g2", "mug", "table_1"), make("g3", "lamp_1", "on")), {},
    Course((("?x", ObjectQuery("mug")),), (on("sink_1"), on("table_1"), Has("lamp_1", "on")), AllOf((on("table_1"), Has("lamp_1", "on")))),
)  # fmt: skip
FLASHED = Task(
    "t", "t", chain(*(make(f"g{i}", "lamp_1", "on", i % 2 == 1) for i in (1, 2, 3, 4)), bring("g5", "mug", "sink_1")), {},
    Course(
        (("?x", ObjectQuery("mug")),),
        (*(Has("lamp_1", "on", v) for v in (True, False, True, False)), on("sink_1")), AllOf((Has("lamp_1", "on", False), on("sink_1"))),
    ),
)  # fmt: skip


class _Followed(SymbolicHouse):
    """The house with somebody who watches every state it goes through."""

    def follow(self, task: Task) -> _Followed:
        self.watch, self.best = Watch(task), 0
        return self

    def step(self, command):  # type: ignore[no-untyped-def]
        if not hasattr(self.watch, "begun"):
            self.watch.begun = True  # type: ignore[attr-defined]
            self._see()
        out = super().step(command)
        self._see()
        return out

    def _see(self) -> None:
        from mimir_learn.evaluation.scoring import situation

        self.watch.see(situation(self.privileged_state()))
        self.best = max(self.best, self.watch.progress()[0])


def run(task: Task, variant: str, **kw):  # type: ignore[no-untyped-def]
    env = _Followed({"mug_1": at("table_1"), "mug_2": at("table_1")}, occlusion=0.0, **kw).follow(task)
    _, result, mind = play(env, task, variant=Variant.named(variant))
    return env, result, mind


@pytest.mark.parametrize("task", [THERE_AND_BACK, FLASHED], ids=["there and back", "flashed"])
def test_with_task_memory_a_sequence_is_done_once_and_declared(task: Task) -> None:
    env, result, mind = run(task, "full")
    assert result.declared and env.watch.done() and set(mind.task.statuses.values()) == {Status.COMPLETED}
    assert len({mind.task.evidence[g.id].witness for g in task.goals if g.query.category == "mug"}) == 1, "one and the same mug"


@pytest.mark.parametrize("task", [THERE_AND_BACK, FLASHED], ids=["there and back", "flashed"])
@pytest.mark.parametrize("variant", ["no_task_memory", "no_task_memory+no_world_memory"])
def test_without_it_one_goes_round_in_circles(task: Task, variant: str) -> None:
    env, result, _ = run(task, variant)
    assert not result.declared and not env.watch.done() and env.best < len(task.goals)


def test_an_effect_from_before_does_not_settle_a_goal_that_is_to_come_about_afresh() -> None:
    fridge = ObjectQuery("fridge")
    for afresh, status in ((False, Status.COMPLETED), (True, Status.PENDING)):
        goals = (Goal("a", ObjectQuery("mug", "mug_1"), ObjectQuery("table", "table_2"), Relation.ON),)
        goals += (Goal("b", fridge, attribute="open", after=("a",), afresh=afresh),)
        world, task = WorldMemory(VOCABULARY, PLACES), TaskMemory(goals)
        world.observe(percept(see("mug_1", TABLE_1)), 0)
        opened, moved = feedback(StateChange("fridge_1", "open", False, True)), feedback(ParentChange("mug_1", IN_HAND, TABLE_2))
        for step, (action, said) in enumerate(
            ((Action(Verb.OPEN, None, "fridge_1"), opened), (Action(Verb.PLACE, "mug_1", "table_2"), moved))
        ):
            world.observe(percept(), step)
            world.act(action, said, step)
            task.update(task.active(), action, said, world)
        goal = task.active()
        if goal is not None:
            task.settle(goal, world)
        assert task.statuses == {"a": Status.COMPLETED, "b": status}


def test_a_thing_that_has_to_be_put_down_goes_where_it_was_brought_last() -> None:
    goals = chain(bring("g1", "mug", "table_2"), bring("g2", "mug", "table_1"), make("g3", "fridge_1", "open"))
    world, task = WorldMemory(VOCABULARY, PLACES), TaskMemory(goals)
    world.observe(percept(see("mug_1", IN_HAND)), 0)
    for step, where in enumerate((TABLE_2, TABLE_1)):
        world.observe(percept(), step)
        put = feedback(ParentChange("mug_1", IN_HAND, where))
        world.act(Action(Verb.PLACE, "mug_1", where.id), put, step)
        task.update(task.active(), Action(Verb.PLACE, "mug_1", where.id), put, world)
    assert [task.evidence[g].place for g in ("g1", "g2")] == ["table_2", "table_1"]
    world.observe(percept(see("mug_1", IN_HAND), at="table_1"), 2)
    assert put_down("mug_1", task, world) == Action(Verb.PLACE, "mug_1", "table_1")


def test_a_flat_history_knows_what_came_after_what_as_far_as_it_goes() -> None:
    env, result, _ = run(FLASHED, "flat_history(40)")
    assert result.declared and env.watch.done()
    env, result, _ = run(THERE_AND_BACK, "flat_history(4)")
    assert not result.declared
