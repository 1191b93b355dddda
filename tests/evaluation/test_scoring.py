"""Hand-worked episodes: what counts as a wrong write, a false completion, success and declared success."""

from __future__ import annotations

from dataclasses import replace

from mimir_learn.evaluation.scoring import EpisodeScorer, agreement, missed_atoms, wrong_atoms
from mimir_learn.symbols import (
    ELSEWHERE,
    EMPTY,
    IN_HAND,
    AllOf,
    AnyOf,
    Course,
    Delta,
    Entity,
    Exists,
    Goal,
    Has,
    Here,
    Kind,
    ObjectQuery,
    Parent,
    ParentChange,
    PrivilegedState,
    Related,
    Relation,
    Snapshot,
    StateChange,
    Task,
)

TABLE, SHELF, FLOOR = Parent("table_1", Relation.ON), Parent("shelf_1", Relation.ON), Parent("kitchen_1", Relation.ROOM)
ENTITIES = {
    "kitchen_1": Entity("kitchen_1", "kitchen", Kind.ROOM),
    "table_1": Entity("table_1", "table", Kind.RECEPTACLE),
    "shelf_1": Entity("shelf_1", "shelf", Kind.RECEPTACLE),
    "lamp_1": Entity("lamp_1", "lamp", Kind.FIXTURE),
    "mug_1": Entity("mug_1", "mug", Kind.OBJECT),
    "mug_2": Entity("mug_2", "mug", Kind.OBJECT),
}
START = PrivilegedState(
    Snapshot({"table_1": FLOOR, "shelf_1": FLOOR, "lamp_1": FLOOR, "mug_1": TABLE, "mug_2": FLOOR}, {("lamp_1", "on"): False}), ENTITIES
)
MUG = Goal("g1", ObjectQuery("mug"), ObjectQuery("shelf"), Relation.ON)
LAMP = Goal("g2", ObjectQuery("lamp"), attribute="on")


def after(state: PrivilegedState, delta: Delta, fault: str = "") -> PrivilegedState:
    return replace(state, snapshot=state.snapshot.apply(delta), fault=fault)


def step(
    scorer: EpisodeScorer,
    true: Delta,
    written: Delta,
    completed: tuple[str, ...] = (),
    fault: str = "",
    deferred: bool = False,
    held: Delta = EMPTY,
    moved: tuple[str, ...] = (),
    sighted: tuple[str, ...] = ("mug_1",),
    known_before: tuple[str, ...] = (),
    refused: bool = False,
) -> dict[str, object]:
    return scorer.step(
        replace(after(scorer.state, true, fault), moved=moved),
        written,
        held=held,
        deferred=deferred,
        success_flag=True,
        refused=refused,
        look_again=False,
        memory=frozenset(),
        known=ENTITIES,
        sighted=sighted,
        completed=completed,
        known_before=known_before,
    )


PICK = Delta([ParentChange("mug_1", TABLE, IN_HAND)])
PUT = Delta([ParentChange("mug_1", IN_HAND, SHELF)])
BESIDE = Delta([ParentChange("mug_1", IN_HAND, FLOOR)])


def test_a_right_run_is_a_declared_success_with_no_wrong_write() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG,)), START)
    step(scorer, PICK, PICK)
    step(scorer, PUT, PUT, ("g1",))
    scores = scorer.finish(declared=True)
    assert scores["sr"] and scores["declared_sr"] and scores["gc"] == 1.0 and scores["steps_to_success"] == 2
    assert scores["wrong_writes"] == scores["missed_writes"] == scores["false_completions"] == 0
    assert scores["completions"] == 1


def test_believing_a_silent_fault_is_a_wrong_write_and_a_false_completion() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG,)), START)
    step(scorer, PICK, PICK)
    trace = step(scorer, BESIDE, PUT, ("g1",), fault="beside")
    scores = scorer.finish(declared=True)
    assert not scores["sr"] and scores["declared"] and not scores["declared_sr"] and scores["gc"] == 0.0
    assert trace["wrong"] == [["relation", "mug_1", "on", "shelf_1"]], "the hand did become empty: only the relation is wrong"
    assert trace["missed"] == [["relation", "mug_1", "room", "kitchen_1"]]
    assert trace["false_completions"] == ["g1"] and scores["false_completions"] == 1 and scores["faults"] == 1


def test_success_once_counts_for_sr_but_a_wrong_end_is_no_declared_success() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG, LAMP)), START)
    step(scorer, PICK, PICK)
    step(scorer, PUT, PUT, ("g1",))
    step(scorer, Delta([StateChange("lamp_1", "on", False, True)]), EMPTY)
    step(scorer, Delta([ParentChange("mug_1", SHELF, TABLE)]), EMPTY)
    scores = scorer.finish(declared=False)
    assert scores["sr"] and scores["gc"] == 1.0 and scores["gc_end"] == 0.5 and scores["gc_ever"] == 1.0
    assert not scores["declared_sr"] and scores["steps"] == 4 and scores["steps_to_success"] == 3


def test_two_goals_need_two_witnesses_to_be_truly_complete() -> None:
    goals = (replace(MUG, id="a"), replace(MUG, id="b"))
    scorer = EpisodeScorer(Task("t", "", goals), START)
    step(scorer, PICK, PICK)
    first = step(scorer, PUT, PUT, ("a",))
    second = step(scorer, EMPTY, EMPTY, ("a", "b"))
    assert first["false_completions"] == [] and second["false_completions"] == ["b"]


def test_order_is_scored_over_the_episode_and_the_end_at_the_end() -> None:
    """There and back and then the lamp: done in that order it is a success; the way there alone is half of it, and stays so."""
    back = replace(MUG, id="b", target=ObjectQuery("table"), after=("g1",), afresh=True)
    on = replace(LAMP, after=("b",), afresh=True)
    at_table = Related("?x", Relation.ON, "table_1")
    stages = (Related("?x", Relation.ON, "shelf_1"), at_table, Has("lamp_1", "on"))
    task = Task("t", "", (MUG, back, on), {}, Course((("?x", ObjectQuery("mug")),), stages, AllOf((at_table, Has("lamp_1", "on")))))
    again, home, lit = Delta([ParentChange("mug_1", SHELF, IN_HAND)]), Delta([ParentChange("mug_1", IN_HAND, TABLE)]), [("lamp_1", "on")]
    switch = Delta([StateChange(*lit[0], False, True)])
    scorer = EpisodeScorer(task, START)
    traces = [
        step(scorer, d, d, done)
        for d, done in ((PICK, ()), (PUT, ("g1",)), (again, ("g1",)), (home, ("g1", "b")), (switch, ("g1", "b", "g2")))
    ]
    assert [t["met"] for t in traces] == [0, 1, 1, 2, 4] and not any(t["false_completions"] for t in traces)
    scores = scorer.finish(declared=True, completed=("g1", "b", "g2"))
    assert scores["sr"] and scores["declared_sr"] and scores["gc"] == 1.0 and scores["conditions"] == 4 and scores["completions"] == 3
    hasty = EpisodeScorer(task, START)
    step(hasty, switch, switch, ("g2",))
    step(hasty, PICK, PICK)
    step(hasty, PUT, PUT, ("g1",))
    scores = hasty.finish(declared=True)
    assert not scores["sr"] and scores["gc"] == scores["gc_end"] == scores["gc_ever"] == 0.25


def test_one_mug_filled_twice_is_no_false_completion() -> None:
    mug = ObjectQuery("mug", name="a")
    fill = Goal("g1", mug, attribute="filled")
    empty = replace(fill, id="g2", value=False, after=("g1",), afresh=True)
    again = replace(fill, id="g3", after=("g2",), afresh=True)
    start = replace(START, snapshot=Snapshot(START.snapshot.parents, {("mug_1", "filled"): False, ("mug_2", "filled"): False}))
    scorer, done = EpisodeScorer(Task("t", "", (fill, empty, again)), start), []
    for value, goal in ((True, "g1"), (False, "g2"), (True, "g3")):
        done.append(goal)
        flip = Delta([StateChange("mug_1", "filled", not value, value)])
        assert step(scorer, flip, flip, tuple(done))["false_completions"] == []
    twins = EpisodeScorer(Task("t", "", (fill, replace(again, after=(), afresh=False))), start)
    flip = Delta([StateChange("mug_1", "filled", False, True)])
    assert step(twins, flip, flip, ("g1", "g3"))["false_completions"] == ["g3"], "two that are to be filled are two mugs"


def test_not_knowing_where_is_wrong_only_when_it_did_not_move() -> None:
    gone = Delta([ParentChange("mug_1", TABLE, ELSEWHERE)])
    assert wrong_atoms(gone, PICK) == frozenset()
    assert wrong_atoms(gone, EMPTY) == gone.atoms


def test_changes_of_unknown_things_are_not_missed() -> None:
    assert missed_atoms(EMPTY, Delta([ParentChange("mug_2", FLOOR, TABLE)]), ["mug_1"]) == frozenset()
    assert len(missed_atoms(EMPTY, PICK, ["mug_1"])) == 2


def test_agreement_counts_stale_and_absent_claims() -> None:
    truth = frozenset({("a", "on", "t"), ("b", "in", "f"), ("c", "on", "t")})
    result = agreement(frozenset({("a", "on", "t"), ("b", "on", "t")}), ["a", "b"], ["a", "b", "c"], truth)
    assert result is not None
    assert (result.precision, result.recall, result.f1) == (0.5, 0.5, 0.5) and result.recall_seen == 1 / 3
    unknown = agreement(frozenset({("a", "unknown", "?")}), ["a"], ["a"], truth)
    assert unknown is not None and unknown.precision == 1.0 and unknown.recall == 0.0
    assert agreement(frozenset(), [], [], truth) is None


def test_a_second_look_is_judged_against_both_steps() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG,)), START)
    first = step(scorer, PICK, EMPTY, deferred=True)
    second = step(scorer, EMPTY, PICK)
    assert first["missed"] == [] and second["wrong"] == [] and second["judged"] == PICK.to_json()
    third = step(scorer, EMPTY, PICK)
    assert len(third["wrong"]) == 2, "once judged, the action is over"


def test_a_second_look_carries_the_fault_and_the_view_of_its_action() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG,)), START)
    quiet = step(scorer, EMPTY, EMPTY, fault="stuck")
    assert quiet["fault"] == quiet["judged_fault"] == "stuck"
    step(scorer, EMPTY, EMPTY, fault="slip", deferred=True, sighted=("mug_1",), known_before=("table_1",), held=PICK)
    look = step(scorer, EMPTY, EMPTY, fault="exogenous", moved=("mug_2",), sighted=("lamp_1",), known_before=("lamp_1",), held=PICK)
    assert (look["fault"], look["judged_fault"]) == ("exogenous", "slip")
    assert (look["judged_moved"], look["judged_sighted"], look["judged_known"]) == (["mug_2"], ["mug_1"], ["table_1"])
    assert step(scorer, EMPTY, EMPTY, fault="exogenous")["judged_fault"] == "exogenous", "the slip is over"
    assert scorer.finish(declared=False)["held"] == len(PICK), "what awaits a second look is not held for good"


def test_a_refused_action_stays_refused_when_looked_at_again() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG,)), START)
    step(scorer, EMPTY, EMPTY, deferred=True, refused=True)
    assert step(scorer, EMPTY, EMPTY)["judged_refused"] is True and step(scorer, EMPTY, EMPTY)["judged_refused"] is False


def test_a_goal_settled_at_the_end_is_checked_too() -> None:
    scorer = EpisodeScorer(Task("t", "", (MUG, LAMP)), START)
    step(scorer, Delta([StateChange("lamp_1", "on", False, True)]), EMPTY)
    scores = scorer.finish(declared=True, completed=("g1", "g2"))
    assert scores["completions"] == 2 and scores["false_completions"] == 1


def test_the_success_condition_decides_not_the_agenda() -> None:
    """Agenda: any mug to the shelf. Asked for: mug_1 there (one condition), and then, all else done, mug_2 left on the floor (one more)."""
    there = Related("mug_1", Relation.ON, "shelf_1")
    left_alone = AnyOf((AllOf((there, Related("mug_2", Relation.ROOM, "kitchen_1"))),))
    task = Task("t", "", (MUG,), success=AllOf((there, left_alone)))
    other = Delta([ParentChange("mug_2", FLOOR, Parent("shelf_1", Relation.ON))])
    wrong = EpisodeScorer(task, START)
    step(wrong, other, other, ("g1",))
    scores = wrong.finish(declared=True, completed=("g1",))
    assert not scores["sr"] and not scores["declared_sr"] and scores["gc"] == 0.0 and scores["false_completions"] == 0
    step(wrong, Delta([ParentChange("mug_1", TABLE, Parent("shelf_1", Relation.ON))]), EMPTY)
    assert wrong.finish(declared=True)["gc"] == 0.5, "in place, but the other one was touched"
    right = EpisodeScorer(task, START)
    step(right, Delta([ParentChange("mug_1", TABLE, Parent("shelf_1", Relation.ON))]), EMPTY)
    step(right, other, EMPTY)
    scores = right.finish(declared=True)
    assert scores["sr"] and scores["gc"] == 1.0 and scores["gc_end"] == 0.5 and not scores["declared_sr"], "undone again before it stopped"


def test_gc_at_the_end_falls_and_the_best_of_each_condition_stays() -> None:
    on_shelf = Exists("?x", ObjectQuery("mug"), Related("?x", Relation.ON, "shelf_1"))
    lit = Exists("?l", ObjectQuery("lamp"), AllOf((Has("?l", "on"), Here("?l"))))
    scorer = EpisodeScorer(Task("t", "", (MUG, LAMP), success=AllOf((on_shelf, lit))), replace(START, at="table_1"))
    put = Delta([ParentChange("mug_1", TABLE, Parent("shelf_1", Relation.ON))])
    step(scorer, put, EMPTY)
    step(scorer, ~put, EMPTY)
    step(scorer, Delta([StateChange("lamp_1", "on", False, True)]), EMPTY)
    scores = scorer.finish(declared=False)
    assert not scores["sr"] and scores["gc"] == 0.5 and scores["gc_ever"] == 1.0
