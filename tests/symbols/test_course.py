"""Courses: what comes about in turn is told from what merely holds; without a course a watch agrees with the task's own conditions."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import (
    AllOf,
    Course,
    Entity,
    Exists,
    Goal,
    Has,
    Kind,
    ObjectQuery,
    Parent,
    Related,
    Relation,
    Situation,
    Snapshot,
    Task,
    Watch,
)

KITCHEN = Parent("kitchen_1", Relation.ROOM)
ENTITIES = {
    "kitchen_1": Entity("kitchen_1", "kitchen", Kind.ROOM),
    **{p: Entity(p, p[:-2], Kind.RECEPTACLE) for p in ("table_1", "shelf_1", "desk_1")},
    "lamp_1": Entity("lamp_1", "lamp", Kind.FIXTURE),
    "mug_1": Entity("mug_1", "mug", Kind.OBJECT),
    "mug_2": Entity("mug_2", "mug", Kind.OBJECT),
}
MUG, LAMP = ObjectQuery("mug"), ObjectQuery("lamp")
TABLE, SHELF, DESK = (Related("?x", Relation.ON, p) for p in ("table_1", "shelf_1", "desk_1"))
ON, OFF = Has("lamp_1", "on"), Has("lamp_1", "on", False)


def now(mug: str = "shelf_1", on: bool = False, other: str = "desk_1") -> Situation:
    parents = {"mug_1": Parent(mug, Relation.ON), "mug_2": Parent(other, Relation.ON), "lamp_1": KITCHEN}
    return Situation(Snapshot(parents, {("lamp_1", "on"): on}), ENTITIES)


def task(*stages: object, end: object = AllOf(())) -> Task:
    return Task("t", "Do it.", (Goal("g1", LAMP, attribute="on"),), {}, Course((("?x", MUG),), stages, end))  # type: ignore[arg-type]


def watch(task: Task, *situations: Situation) -> Watch:
    watch = Watch(task)
    for situation in situations:
        watch.see(situation)
    return watch


def test_there_and_back_is_told_from_having_stayed() -> None:
    trip = task(TABLE, SHELF, end=SHELF)
    assert watch(trip, now(), now()).progress() == (0, 3)
    assert watch(trip, now(), now("table_1")).tally() == ((1, 1), (0, 1), (0, 1))
    assert watch(trip, now(), now("table_1"), now()).done()
    assert not watch(trip, now("table_1"), now()).done(), "it was on the table at the start; nobody brought it there"
    assert watch(trip, now("table_1"), now(), now("table_1"), now()).done()


def test_what_holds_already_does_not_count_and_must_come_about_after() -> None:
    then = task(TABLE, ON, end=AllOf((TABLE, ON)))
    assert watch(then, now(), now("table_1"), now("table_1", on=True)).done()
    early = (now(), now(on=True), now("table_1", on=True))
    assert watch(then, *early).progress() == (1, 3)
    assert watch(then, *early, now("table_1"), now("table_1", on=True)).done(), "undone and done again after"
    assert not watch(then, now(), now("table_1", on=True)).done(), "both at once: the second did not come after the first"


def test_the_end_must_hold_now_and_stages_stay_reached() -> None:
    trip = task(TABLE, ON, end=AllOf((TABLE, ON)))
    went_off = watch(trip, now(), now("table_1"), now("table_1", True), now("table_1"))
    assert went_off.progress() == (2, 3) and not went_off.done()
    went_off.see(now("table_1", True))
    assert went_off.done()


def test_one_and_the_same_thing_all_the_way() -> None:
    trip = task(TABLE, SHELF, end=SHELF)
    start = now("shelf_1", other="desk_1")
    assert not watch(trip, start, now("shelf_1", other="table_1"), now("shelf_1", other="desk_1")).done(), "one went, the other stayed"
    assert watch(trip, start, now("shelf_1", other="table_1"), now("desk_1", other="shelf_1")).done()
    both = Task("t", "x", (Goal("g1", LAMP, attribute="on"),), {}, Course((("?x", MUG), ("?y", MUG)), (TABLE,), AllOf(())))
    assert len(list(both.success.choices(start))) == 2, "two variables are two things"  # type: ignore[union-attr]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_only_one_order_is_right(order: tuple[int, ...]) -> None:
    """Four stages that do not exclude each other: the lamp, three mugs' worth of places."""
    goals = [("on", True), ("mug", "table_1"), ("other", "shelf_1"), ("mug", "desk_1")]
    stages = (
        ON,
        Related("mug_1", Relation.ON, "table_1"),
        Related("mug_2", Relation.ON, "shelf_1"),
        Related("mug_1", Relation.ON, "desk_1"),
    )
    course = Task("t", "x", (Goal("g1", LAMP, attribute="on"),), {}, Course((), stages, ON))
    state = {"mug": "shelf_1", "on": False, "other": "desk_1"}
    seen = [now(**state)]  # type: ignore[arg-type]
    for i in order:
        state[goals[i][0]] = goals[i][1]  # type: ignore[index]
        seen.append(now(**state))  # type: ignore[arg-type]
    assert watch(course, *seen).done() is (order == (0, 1, 2, 3))


@given(st.lists(st.tuples(st.sampled_from(("table_1", "shelf_1", "desk_1")), st.booleans()), min_size=1, max_size=9))
def test_progress_of_a_course_never_falls_by_more_than_its_end(history: list[tuple[str, bool]]) -> None:
    followed = Watch(task(TABLE, ON, SHELF, end=SHELF))
    reached = 0
    for mug, on in history:
        followed.see(now(mug, on))
        met = sum(m for m, _ in followed.tally()[:-1])
        assert reached <= met <= reached + 1, "one stage a step, and none is lost"
        reached = met
        assert followed.done() is (met == 3 and mug == "shelf_1")


@given(st.lists(st.tuples(st.sampled_from(("table_1", "shelf_1")), st.booleans()), min_size=1, max_size=5))
def test_without_a_course_a_watch_says_what_the_task_says_of_the_last_state(history: list[tuple[str, bool]]) -> None:
    condition = AllOf((Exists("?x", MUG, TABLE), ON))
    for success in (condition, None):
        plain = Task("t", "x", (Goal("g1", LAMP, attribute="on"),), {}, success)
        followed = watch(plain, *(now(m, o) for m, o in history))
        last = now(*history[-1])
        assert (followed.tally(), followed.progress(), followed.done()) == (plain.tally(last), plain.progress(last), plain.done(last))


def test_json_keeps_it_and_plain_goals_look_as_they_did() -> None:
    trip = task(TABLE, SHELF, end=SHELF)
    body = json.loads(json.dumps(trip.to_dict()))
    assert Task.from_dict(body) == trip and body["success"]["op"] == "course"
    plain, afresh = Goal("a", MUG, attribute="filled"), Goal("b", MUG, attribute="filled", value=False, after=("a",), afresh=True)
    assert "afresh" not in plain.to_dict() and afresh.to_dict()["afresh"] is True
    assert Goal.from_dict(plain.to_dict()) == plain and Goal.from_dict(afresh.to_dict()) == afresh


def test_what_is_no_course_says_why() -> None:
    with pytest.raises(SymbolError, match="no stages"):
        Course((), (), ON)
    with pytest.raises(SymbolError, match=r"nothing gives \?y"):
        Course((("?x", MUG),), (Related("?y", Relation.ON, "table_1"),), ON)
    with pytest.raises(SymbolError, match="is no variable"):
        Course((("x", MUG),), (ON,), ON)
    with pytest.raises(SymbolError, match="given twice"):
        Course((("?x", MUG), ("?x", LAMP)), (ON,), ON)
    with pytest.raises(SymbolError, match="attributes or a name"):
        Course((("?x", ObjectQuery("mug", None, (("filled", True),))),), (ON,), ON)
    with pytest.raises(SymbolError, match="not a course"):
        Course.from_dict({"op": "course", "stages": []})
    trip = task(TABLE)
    with pytest.raises(SymbolError, match="follow it with a Watch"):
        trip.done(now())
    with pytest.raises(SymbolError, match="follow it with a Watch"):
        trip.tally(now())
    with pytest.raises(SymbolError, match="nothing has been seen"):
        Watch(trip).tally()
