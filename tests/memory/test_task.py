"""Task memory: completion iff Post, statuses that never go back, failed bindings, and what other goals may not take."""

from dataclasses import replace

import pytest
from hypothesis import given

from mimir_learn.errors import SymbolError
from mimir_learn.memory import Binding, Demotion, Status, TaskMemory, WorldMemory, ground, held_object, make_query, post, recall
from mimir_learn.symbols import (
    ELSEWHERE,
    EMPTY,
    HAND,
    IN_HAND,
    Action,
    Delta,
    Goal,
    ObjectQuery,
    Parent,
    ParentChange,
    Relation,
    StateChange,
    Verb,
)

from ..doubles import VOCABULARY
from .houses import IN_FRIDGE, ON_FLOOR, ON_TABLE, PICK, PLACES, deltas, feedback, histories, mug_goal, percept, see

ON_TABLE_2 = Parent("table_2", Relation.ON)
PUT = Action(Verb.PLACE, "mug_1", "table_2")
DELIVERED = ParentChange("mug_1", IN_HAND, ON_TABLE_2)


@pytest.fixture
def world():
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(percept(see("mug_1", ON_TABLE), see("mug_2", IN_FRIDGE)), 0)
    return world


def learn(task, world, goal, action, fb, step):
    world.act(action, fb, step)
    task.update(goal, action, fb, world)


# ---- invariants ----------------------------------------------------------------------------------------------------


@given(histories())
def test_completed_never_returns_and_failed_bindings_are_never_selected(history):
    world, goals = (
        WorldMemory(VOCABULARY, PLACES),
        [mug_goal("a"), mug_goal("b", after=("a",)), Goal("c", ObjectQuery("fridge"), attribute="open")],
    )
    task, was = TaskMemory(goals), {}
    for step, entry in enumerate(history):
        if entry[0] == "observe":
            task.contradict(world.observe(entry[1], step))
        else:
            goal = task.active()
            learn(task, world, goal, entry[1], entry[2], step)
            if goal is not None and step % 5 == 4:
                task.block(goal)
        now = task.statuses
        assert all(now[g] is Status.COMPLETED for g, s in was.items() if s is Status.COMPLETED)
        assert {g for g, s in now.items() if s is Status.COMPLETED} == set(task.evidence)
        was = now
        assert task.active() == next(iter(task.pending), None)
        for goal in goals:
            grounded = ground(goal, recall(world, make_query(goal), 8, task.failed), task, world)
            if grounded is not None:
                assert grounded.binding not in task.failed
                assert grounded.object not in task.reserved(goal)
        if now["b"] is not Status.PENDING:
            assert now["a"] is not Status.PENDING, "a prerequisite comes first"


@given(deltas())
def test_the_active_goal_completes_iff_post(delta):
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(percept(see("mug_1", ON_TABLE), see("mug_2", ON_TABLE)), 0)
    goal = Goal("g", ObjectQuery("mug"), ObjectQuery("fridge"), Relation.IN)
    task = TaskMemory([goal])
    learn(task, world, goal, PICK, feedback(*delta), 0)
    assert (task.status("g") is Status.COMPLETED) == post(goal, delta, world)


@given(histories())
def test_without_supported_change_nothing_completes_and_the_hand_stays(history):
    world, task = WorldMemory(VOCABULARY, PLACES), TaskMemory([mug_goal()])
    for step, entry in enumerate(history):
        if entry[0] == "observe":
            world.observe(entry[1], step)
        else:
            task.update(task.active(), entry[1], feedback(sigma=entry[2].sigma), world)
            task.settle(task.goals[0], world)
    assert task.status("g1") is Status.PENDING and task.hand is None


# ---- agenda --------------------------------------------------------------------------------------------------------


def test_prerequisites_come_first_and_task_order_breaks_ties():
    task = TaskMemory([mug_goal("a", after=("c",)), mug_goal("b"), mug_goal("c")])
    assert [g.id for g in task.goals] == ["b", "c", "a"]
    assert task.active().id == "b"


@pytest.mark.parametrize(
    "goals", [[mug_goal("a", after=("b",)), mug_goal("b", after=("a",))], [mug_goal("a", after=("z",))], [mug_goal("a")] * 2]
)
def test_impossible_agendas_are_refused(goals):
    with pytest.raises(SymbolError):
        TaskMemory(goals)


def test_blocking_takes_dependents_along_but_not_completed_goals(world):
    a, b, c = mug_goal("a"), mug_goal("b", after=("a",)), mug_goal("c")
    task = TaskMemory([a, b, c])
    learn(task, world, a, PUT, feedback(DELIVERED), 1)
    task.block(a)
    assert task.statuses == {"a": Status.COMPLETED, "b": Status.PENDING, "c": Status.PENDING}
    fresh = TaskMemory([a, b, c])
    fresh.block(a)
    assert fresh.statuses == {"a": Status.BLOCKED, "b": Status.BLOCKED, "c": Status.PENDING}


# ---- Post ----------------------------------------------------------------------------------------------------------


def test_success_without_effect_completes_nothing(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    learn(task, world, goal, PUT, feedback(sigma=True), 1)
    assert task.status("g1") is Status.PENDING


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (DELIVERED, True),
        (ParentChange("mug_1", IN_HAND, ON_TABLE), False),  # another table than the one named
        (ParentChange("mug_1", IN_HAND, ON_FLOOR), False),
        (ParentChange("mug_1", IN_HAND, ELSEWHERE), False),
        (ParentChange("apple_1", IN_HAND, ON_TABLE_2), False),  # not known, and not a mug
        (StateChange("fridge_1", "open", False, True), False),
    ],
)
def test_post_of_a_relation_goal(world, change, expected):
    assert post(mug_goal(), Delta([change]), world) is expected


def test_post_of_state_hand_and_attribute_goals(world):
    opened = Delta([StateChange("fridge_1", "open", False, True)])
    assert post(Goal("g", ObjectQuery("fridge"), attribute="open"), opened, world)
    assert not post(Goal("g", ObjectQuery("fridge"), attribute="open", value=False), opened, world)
    hand = Goal("g", ObjectQuery("mug"), ObjectQuery(HAND.category), Relation.HELD)
    assert post(hand, Delta([ParentChange("mug_1", ON_TABLE, IN_HAND)]), world)
    hot = Goal("g", ObjectQuery("mug", None, (("heated", True),)), ObjectQuery("table"), Relation.ON)
    assert not post(hot, Delta([DELIVERED]), world)
    assert post(hot, Delta([DELIVERED, StateChange("mug_1", "heated", False, True)]), world)
    assert not post(hot, EMPTY, world)


def test_two_alike_need_two_instances(world):
    a, b = mug_goal("a"), mug_goal("b")
    task = TaskMemory([a, b])
    learn(task, world, a, PUT, feedback(DELIVERED), 1)
    assert task.evidence["a"].witness == "mug_1" and task.evidence["a"].place == "table_2"
    assert not task.settle(b, world), "the first one's effect does not count twice"
    learn(task, world, b, PUT, feedback(ParentChange("mug_1", ON_TABLE, ON_TABLE_2)), 2)
    assert task.status("b") is Status.PENDING
    assert ground(b, recall(world, make_query(b)), task, world).object == "mug_2"


def test_a_delivered_thing_is_not_taken_for_another_goal_unless_it_is_named(world):
    a, other, named = mug_goal("a"), mug_goal("b", "table_1"), mug_goal("c", "table_1", instance="mug_1")
    task = TaskMemory([a, other, named])
    learn(task, world, a, PUT, feedback(DELIVERED), 1)
    assert task.reserved(other) == {"mug_1"} and task.reserved(named) == frozenset()


def test_effects_of_an_earlier_step_settle_a_goal_when_its_turn_comes(world):
    first, second = mug_goal("a"), Goal("b", ObjectQuery("fridge", "fridge_1"), attribute="open")
    task = TaskMemory([first, second])
    learn(task, world, first, Action(Verb.OPEN, None, "fridge_1"), feedback(StateChange("fridge_1", "open", False, True)), 1)
    assert task.status("b") is Status.PENDING
    assert task.settle(second, world) and task.status("b") is Status.COMPLETED


def test_an_undone_effect_does_not_settle(world):
    goal = Goal("b", ObjectQuery("fridge", "fridge_1"), attribute="open")
    task = TaskMemory([mug_goal("a"), goal])
    learn(task, world, task.goals[0], Action(Verb.OPEN, None, "fridge_1"), feedback(StateChange("fridge_1", "open", False, True)), 1)
    learn(task, world, task.goals[0], Action(Verb.CLOSE, None, "fridge_1"), feedback(StateChange("fridge_1", "open", True, False)), 2)
    assert not task.settle(goal, world)


def test_an_effect_that_has_ended_up_elsewhere_does_not_settle(world):
    """Delivered while another goal was active, then seen on another table: the relation is the same, the place is not."""
    goal = mug_goal("b")
    task = TaskMemory([mug_goal("a", "table_1", instance="mug_2"), goal])
    learn(task, world, task.goals[0], PUT, feedback(DELIVERED), 1)
    world.observe(percept(see("mug_1", ON_TABLE)), 2)
    assert not task.settle(goal, world) and task.status("b") is Status.PENDING
    world.observe(percept(see("mug_1", ON_TABLE_2)), 3)
    assert task.settle(goal, world)


# ---- hand and failures ---------------------------------------------------------------------------------------------


def test_hand_follows_supported_grasps_and_releases(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    learn(task, world, goal, PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), 1)
    assert task.hand == "mug_1" == held_object(task, world) and task.taken_from("mug_1") == {"table_1"}
    learn(task, world, goal, PUT, feedback(ParentChange("mug_1", IN_HAND, ON_FLOOR)), 2)
    assert task.hand is None and held_object(task, world) is None


def test_newer_sight_of_a_thing_elsewhere_overrules_the_hand(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    task.update(goal, PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), world)  # W is told nothing
    world.observe(percept(), 1)
    assert task.hand == "mug_1"
    world.observe(percept(see("mug_1", ON_TABLE)), 2)
    assert held_object(task, world) is None


def test_failed_pick_out_of_sight_contradicts_the_binding(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    world.observe(percept(viewed=["table_1"]), 1)  # it is not to be seen any more
    learn(task, world, goal, PICK, feedback(sigma=False), 1)
    assert task.failed == {Binding("mug_1", "table_1", 0)}
    assert world.parent("mug_1") == ON_TABLE, "failed actions leave physical relations alone"
    assert [c.entity for c in recall(world, make_query(goal), 8, task.failed)] == ["mug_2"]


def test_failed_pick_in_plain_sight_does_not(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    for step in range(3):
        learn(task, world, goal, PICK, feedback(sigma=False), step)
    assert task.failed == frozenset() and task.tries(goal, PICK) == 3
    assert ground(goal, recall(world, make_query(goal)), task, world).object == "mug_1"


def test_a_binding_is_given_up_after_the_declared_number_of_tries(world):
    goal = mug_goal()
    task = TaskMemory([goal], max_tries=3)
    for step in range(3):
        learn(task, world, goal, PICK, feedback(sigma=False), step)
    assert ground(goal, recall(world, make_query(goal)), task, world).object == "mug_2"


def refused(**kw):
    return replace(feedback(sigma=False, **kw), refused=True)


def test_refusals_do_not_use_up_the_tries(world):
    goal = mug_goal()
    task = TaskMemory([goal], max_tries=3)
    for fb in (refused(), refused(), feedback(sigma=False), feedback(sigma=False)):
        learn(task, world, goal, PICK, fb, 1)
    assert task.tries(goal, PICK) == 4 and not task.exhausted(goal, PICK)
    learn(task, world, goal, PICK, refused(), 1)
    assert task.exhausted(goal, PICK), "but an agent that is always refused does not ask for ever"


def test_one_more_round_of_tries_before_a_goal_is_blocked(world):
    goal, other = mug_goal("a"), mug_goal("b")
    task = TaskMemory([goal, other], max_tries=3)
    assert not task.try_again(goal), "nothing was tried"
    for g in (goal, other):
        for _ in range(3):
            learn(task, world, g, PICK, feedback(sigma=False), 1)
    assert task.try_again(goal)
    assert not task.exhausted(goal, PICK) and task.exhausted(other, PICK)
    for _ in range(3):
        learn(task, world, goal, PICK, feedback(sigma=False), 1)
    assert not task.try_again(goal), "once"


def test_an_effect_resets_the_tries(world):
    goal = mug_goal()
    task = TaskMemory([goal], max_tries=3)
    learn(task, world, goal, PICK, feedback(sigma=False), 1)
    learn(task, world, goal, PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), 2)
    assert task.tries(goal, PICK) == 0


def test_inspection_contradicts_and_a_new_sighting_is_a_new_binding(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    for step in (1, 2):
        task.contradict(world.observe(percept(viewed=["table_1"]), step))
    assert task.failed == {Binding("mug_1", "table_1", 0)}
    world.observe(percept(see("mug_1", ON_TABLE)), 3)
    candidates = recall(world, make_query(goal), 8, task.failed)
    assert Binding("mug_1", "table_1", 3) in [c.binding for c in candidates]


@pytest.mark.parametrize("was_refused", [False, True])
def test_repeated_failure_to_put_what_cannot_be_seen_in_the_hand_contradicts_the_grasp(world, was_refused):
    """The declared reconciliation of h_t (docs/memory.md): the only write to task memory's hand that no Δ supports."""
    goal = mug_goal()
    task = TaskMemory([goal])
    learn(task, world, goal, PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), 1)
    world.observe(percept(at="table_2"), 2)
    failure = replace(feedback(sigma=False), refused=was_refused)
    learn(task, world, goal, PUT, failure, 2)
    assert task.hand == "mug_1" == held_object(task, world), "once may be bad luck"
    learn(task, world, goal, PUT, failure, 3)
    assert task.hand is None and held_object(task, world) is None
    assert Binding("mug_1", HAND.id, 1) in task.failed and world.parent("mug_1") == IN_HAND, "world memory is left alone"


def test_failing_to_put_what_is_seen_in_the_hand_does_not(world):
    goal = mug_goal()
    task = TaskMemory([goal])
    learn(task, world, goal, PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), 1)
    world.observe(percept(see("mug_1", IN_HAND), at="table_2"), 2)
    for step in (2, 3, 4):
        learn(task, world, goal, PUT, feedback(sigma=False), step)
    assert task.hand == "mug_1" == held_object(task, world) and not task.failed


def test_only_a_failure_without_effect_contradicts(world):
    goal = mug_goal()
    for fb in (feedback(sigma=True), feedback(StateChange("fridge_1", "open", False, True), sigma=False)):
        task = TaskMemory([goal])
        world.observe(percept(), 1)  # the mug is not in sight
        learn(task, world, goal, PICK, fb, 1)
        assert task.failed == frozenset()


def test_grounding_itself_refuses_a_failed_binding(world):
    goal = mug_goal(instance="mug_1")
    task = TaskMemory([goal])
    candidates = recall(world, make_query(goal))
    assert ground(goal, candidates, task, world) is not None
    task.contradict([Demotion("mug_1", ON_TABLE, 0)])
    assert ground(goal, candidates, task, world) is None


# ---- names -----------------------------------------------------------------------------------------------------------


def named_goals():
    """Put an apple into a bowl, that bowl on table 2, another bowl into the fridge."""
    bowl, other = ObjectQuery("bowl", name="b"), ObjectQuery("bowl", name="c")
    return [
        Goal("a", ObjectQuery("apple"), bowl, Relation.IN),
        Goal("b", bowl, ObjectQuery("table", "table_2"), Relation.ON, after=("a",)),
        Goal("c", other, ObjectQuery("fridge"), Relation.IN),
    ]


@pytest.fixture
def bowls():
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(percept(see("apple_1", ON_TABLE), see("bowl_1", ON_TABLE), see("bowl_2", ON_TABLE)), 0)
    return world


def test_what_completes_the_first_goal_is_meant_by_the_name_from_then_on(bowls):
    goals = named_goals()
    task = TaskMemory(goals)
    assert task.active().target.instance is None
    learn(task, bowls, goals[0], PICK, feedback(ParentChange("apple_1", IN_HAND, Parent("bowl_2", Relation.IN))), 1)
    active = task.active()
    assert active.id == "b" and active.query == ObjectQuery("bowl", "bowl_2", name="b")
    wrong = feedback(ParentChange("bowl_1", IN_HAND, ON_TABLE_2))
    learn(task, bowls, active, PICK, wrong, 2)
    assert task.status("b") is Status.PENDING, "the other bowl does not count"
    assert ground(active, recall(bowls, make_query(active)), task, bowls).object == "bowl_2"


def test_two_names_never_mean_one_thing(bowls):
    goals = named_goals()
    task = TaskMemory(goals)
    learn(task, bowls, goals[0], PICK, feedback(ParentChange("apple_1", IN_HAND, Parent("bowl_2", Relation.IN))), 1)
    assert task.reserved(goals[2]) == {"bowl_2", "apple_1"}
    learn(task, bowls, goals[2], PICK, feedback(ParentChange("bowl_2", IN_HAND, IN_FRIDGE)), 2)
    assert task.status("c") is Status.PENDING
    assert ground(goals[2], recall(bowls, make_query(goals[2])), task, bowls).object == "bowl_1"
    target = Goal("d", ObjectQuery("apple"), ObjectQuery("bowl", name="c"), Relation.IN)
    assert TaskMemory([*goals, target]).meant_by_others(target.target) == frozenset()
    assert task.meant_by_others(target.target) == {"bowl_2"}


@pytest.mark.parametrize(("action", "enough"), [(PUT, 2), (Action(Verb.SLICE, "apple_1"), 2), (PICK, 6)])
def test_refusals_that_do_not_depend_on_the_view_are_soon_enough(world, action, enough):
    goal = mug_goal()
    task = TaskMemory([goal])
    world.observe(percept(see("mug_1", IN_HAND), at="table_2"), 1)
    for n in range(1, enough + 1):
        assert not task.exhausted(goal, action)
        learn(task, world, goal, action, refused(), n)
    assert task.exhausted(goal, action)
