"""Recall is bounded, ordered and evidenced; grounding fails closed and keeps explicit constraints."""

import pytest

from mimir_learn.agent import plan
from mimir_learn.memory import Binding, TaskMemory, WorldMemory, ground, make_query, recall
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Action, Goal, ObjectQuery, Parent, ParentChange, Relation, Verb

from ..doubles import VOCABULARY
from .houses import IN_FRIDGE, ON_FLOOR, ON_TABLE, PICK, PLACES, feedback, mug_goal, percept, see


@pytest.fixture
def world():
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(percept(see("mug_1", IN_FRIDGE), see("mug_2", ON_TABLE), see("apple_1", ON_TABLE), at="fridge_1"), 0)
    world.observe(percept(at="table_1"), 1)
    return world


def G(world, goal, task=None, **kw):
    task = task or TaskMemory([goal])
    return ground(goal, recall(world, make_query(goal), 8, task.failed), task, world, **kw)


def test_recall_is_bounded_and_deterministic():
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(percept(*(see(f"mug_{i}", ON_TABLE) for i in range(40))), 0)
    query = make_query(mug_goal())
    first = recall(world, query)
    assert len(first) == 8 and [c.entity for c in first] == sorted(c.entity for c in first), "equal support: by id"
    assert recall(world, query) == first
    assert [c.entity for c in recall(world, query, 3)] == [c.entity for c in first[:3]]


def test_recall_prefers_what_is_near_and_what_is_in_view(world):
    query = make_query(mug_goal())
    assert [c.entity for c in recall(world, query)] == ["mug_2", "mug_1"], "the one at this place first"
    world.observe(percept(see("mug_1", IN_FRIDGE), at="table_1"), 2)
    best = recall(world, query)[0]
    assert best.entity == "mug_1" and best.support.visual == 1.0 and best.support.lexical == 1.0


def test_recall_follows_an_explicit_source(world):
    best = recall(world, make_query(mug_goal(source="fridge_1")))[0]
    assert best.entity == "mug_1" and best.parent == IN_FRIDGE


def test_a_synonym_means_its_category(world):
    said = Goal("g", ObjectQuery("cup"), ObjectQuery("table", "table_2"), Relation.ON)
    goal = said.resolved(VOCABULARY)
    assert goal == Goal("g", ObjectQuery("mug"), ObjectQuery("table", "table_2"), Relation.ON)
    assert G(world, goal).object == "mug_2"
    found = recall(world, make_query(said))
    assert [c.entity for c in found] == [c.entity for c in recall(world, make_query(goal))], "recall reads the noun alike"
    assert found[0].support.lexical == 0 and recall(world, make_query(goal))[0].support.lexical == 1


def test_recall_takes_a_similarity_of_its_own(world):
    found = recall(world, make_query(mug_goal()), similarity=lambda a, b: 0.25)
    assert {c.support.semantic for c in found} == {0.25}


# ---- alternatives --------------------------------------------------------------------------------------------------

ON_TABLE_2 = Parent("table_2", Relation.ON)
LOOK = Action(Verb.LOOK)


def inspect(world, task, place, step, times=2):
    for i in range(times):
        task.contradict(world.observe(percept(viewed=[place], at=place), step + i))


@pytest.fixture
def misled():
    """A mug seen on table 1, which a wrong Δ moved to table 2."""
    world = WorldMemory(VOCABULARY, PLACES)
    goal = Goal("g", ObjectQuery("mug"), ObjectQuery("fridge"), Relation.IN)
    task = TaskMemory([goal])
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    world.act(LOOK, feedback(ParentChange("mug_1", ON_TABLE, ON_TABLE_2)), 0)
    return world, goal, task


def test_a_refuted_relation_falls_back_to_the_alternative_nothing_has_refuted(misled):
    world, goal, task = misled
    assert G(world, goal, task).parent == ON_TABLE_2
    inspect(world, task, "table_2", 1)
    grounded = G(world, goal, task)
    assert grounded.parent == ON_TABLE and grounded.binding == Binding("mug_1", "table_1", 0)
    assert plan(grounded, task, world) == Action(Verb.NAVIGATE, None, "table_1")
    assert world.parent("mug_1") is None, "grounding on an alternative writes nothing"
    world.observe(percept(see("mug_1", ON_TABLE), at="table_1"), 3)
    assert plan(G(world, goal, task), task, world) == Action(Verb.PICK, "mug_1", "table_1")


def test_an_alternative_refuted_by_looking_is_no_candidate(misled):
    world, goal, task = misled
    inspect(world, task, "table_2", 1)
    inspect(world, task, "table_1", 3)
    assert G(world, goal, task) is None


def test_an_alternative_whose_pick_fails_enters_the_failed_bindings(misled):
    world, goal, task = misled
    inspect(world, task, "table_2", 1)
    world.observe(percept(at="table_1"), 3)
    task.update(goal, Action(Verb.PICK, "mug_1", "table_1"), feedback(sigma=False), world)
    assert Binding("mug_1", "table_1", 0) in task.failed and G(world, goal, task) is None


def test_a_relation_in_the_failed_bindings_falls_back_though_memory_keeps_it(misled):
    world, goal, task = misled
    world.observe(percept(at="table_2"), 1)
    task.update(goal, Action(Verb.PICK, "mug_1", "table_2"), feedback(sigma=False), world)
    assert world.parent("mug_1") == ON_TABLE_2 and G(world, goal, task).parent == ON_TABLE


def test_what_has_been_seen_elsewhere_since_is_no_alternative_to_go_by(misled):
    world, goal, task = misled
    world.observe(percept(see("mug_1", ON_TABLE_2), at="table_2"), 1)
    inspect(world, task, "table_2", 2)
    assert world.alternatives("mug_1") and world.unresolved("mug_1") == () and G(world, goal, task) is None


def test_what_a_change_says_left_for_somewhere_unknown_is_not_sought_where_it_left(misled):
    world, goal, task = misled
    inspect(world, task, "table_2", 1)
    world.observe(percept(see("mug_1", ON_TABLE), at="table_1"), 3)
    world.act(LOOK, feedback(ParentChange("mug_1", ON_TABLE, ELSEWHERE)), 3)
    assert G(world, goal, task) is None


def test_a_held_change_is_gone_after_once_the_old_place_is_empty():
    world = WorldMemory(VOCABULARY, PLACES)
    goal = Goal("g", ObjectQuery("mug"), ObjectQuery("fridge"), Relation.IN)
    task = TaskMemory([goal])
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    world.act(LOOK, feedback(held=[ParentChange("mug_1", ON_TABLE, ON_TABLE_2, p=0.4)]), 0)
    assert G(world, goal, task).parent == ON_TABLE
    inspect(world, task, "table_1", 1)
    assert G(world, goal, task).parent == ON_TABLE_2


def test_a_sure_relation_outranks_an_alternative(misled):
    world, goal, task = misled
    world.observe(percept(see("mug_2", IN_FRIDGE), at="fridge_1"), 1)
    inspect(world, task, "table_2", 2)
    found = recall(world, make_query(goal), 8, task.failed)
    assert [c.entity for c in found] == ["mug_2", "mug_1"] and found[1].parent == ON_TABLE


# ---- explicit constraints ------------------------------------------------------------------------------------------


def test_omitted_source_is_the_remembered_parent(world):
    grounded = G(world, mug_goal())
    assert (grounded.object, grounded.source, grounded.target) == ("mug_2", ON_TABLE, "table_2")
    assert grounded.support is not None and grounded.binding.source == "table_1"


def test_explicit_source_is_kept(world):
    assert G(world, mug_goal(source="fridge_1")).object == "mug_1"
    assert G(world, mug_goal(source="microwave_1")) is None, "fail closed rather than take another one"


def test_a_thing_taken_from_the_explicit_source_stays_admissible_wherever_it_fell(world):
    goal = mug_goal(source="fridge_1")
    task = TaskMemory([goal])
    for action, change in (
        (Action(Verb.PICK, "mug_1", "fridge_1"), ParentChange("mug_1", IN_FRIDGE, IN_HAND)),
        (Action(Verb.PLACE, "mug_1", "table_2"), ParentChange("mug_1", IN_HAND, ON_FLOOR)),
        (Action(Verb.PICK, "mug_1"), ParentChange("mug_1", ON_FLOOR, IN_HAND)),
    ):
        world.act(action, feedback(change), 2)
        task.update(goal, action, feedback(change), world)
        grounded = G(world, goal, task)
        assert grounded.object == "mug_1" and grounded.source == IN_FRIDGE, "the explicit source is kept wherever the thing is"
        assert grounded.parent == world.parent("mug_1")


def test_the_thing_seen_at_the_explicit_source_is_still_meant_after_someone_moved_it(world):
    goal = mug_goal(source="fridge_1")
    task = TaskMemory([goal])
    world.act(PICK, feedback(ParentChange("mug_1", IN_FRIDGE, ON_FLOOR, p=0.6)), 2)
    grounded = G(world, goal, task)
    assert (grounded.object, grounded.source, grounded.parent) == ("mug_1", IN_FRIDGE, ON_FLOOR)
    for step in (3, 4, 5):
        world.observe(percept(see("mug_2", ON_TABLE)), step)
    world.observe(percept(), 6)
    assert recall(world, make_query(goal))[0].entity == "mug_1", "and outranks the surer one that never was there"
    assert G(world, mug_goal(source="microwave_1")) is None


def test_a_doubtful_change_does_not_make_something_the_thing_from_there(world):
    goal = mug_goal(source="microwave_1")
    world.act(PICK, feedback(held=[ParentChange("mug_1", IN_FRIDGE, Parent("microwave_1", Relation.IN), p=0.3)]), 2)
    assert world.alternatives("mug_1") and G(world, goal) is None


def test_named_instance_is_kept(world):
    assert G(world, mug_goal(instance="mug_1")).object == "mug_1"
    assert G(world, mug_goal(instance="mug_7")) is None


def test_nothing_known_is_no_binding():
    assert G(WorldMemory(VOCABULARY, PLACES), mug_goal()) is None


def test_unknown_place_is_no_binding(world):
    goal = mug_goal(instance="mug_2")
    for step in (2, 3):
        world.observe(percept(viewed=["table_1"]), step)
    assert G(world, goal) is None


def test_target_that_does_not_exist_is_no_binding(world):
    assert G(world, mug_goal(target="table_9")) is None


def test_what_contradicts_a_required_attribute_is_dropped(world):
    world.observe(percept(see("mug_2", ON_TABLE, dirty=False), at="table_1"), 2)
    goal = Goal("g", ObjectQuery("mug", None, (("dirty", True),)), ObjectQuery("table", "table_2"), Relation.ON)
    assert G(world, goal) is None, "what is not known of mug_1 is neither true nor false"
    world.observe(percept(see("mug_1", IN_FRIDGE, dirty=True), at="fridge_1"), 3)
    assert G(world, goal).object == "mug_1"


def test_what_is_in_the_hand_is_preferred(world):
    world.act(PICK, feedback(ParentChange("mug_1", IN_FRIDGE, IN_HAND)), 1)
    assert G(world, mug_goal()).object == "mug_1"


def test_state_goals_ground_on_places_known_from_the_start():
    world = WorldMemory(VOCABULARY, PLACES)
    goal = Goal("g", ObjectQuery("fridge"), attribute="open")
    grounded = G(world, goal)
    assert (grounded.object, grounded.source, grounded.target) == ("fridge_1", None, None)
    assert G(world, Goal("g", ObjectQuery("table", "table_1"), attribute="open")) is None, "a table has no door"


def test_target_instance_is_the_one_at_hand(world):
    goal = Goal("g", ObjectQuery("apple"), ObjectQuery("table"), Relation.ON)
    assert G(world, goal).target == "table_1"
    world.observe(percept(at="table_2"), 2)
    assert G(world, goal).target == "table_2"


def test_a_chooser_decides_among_candidates_only(world):
    goal = mug_goal()
    assert G(world, goal, choose=lambda g, c: "mug_1").object == "mug_1"
    assert G(world, goal, choose=lambda g, c: "apple_1").object == "mug_2", "an answer outside the list is refused"


def test_floor_things_are_taken_without_naming_the_floor(world):
    world.observe(percept(see("apple_1", ON_FLOOR), at="table_1"), 2)
    goal = Goal("g", ObjectQuery("apple"), ObjectQuery("table", "table_2"), Relation.ON)
    assert G(world, goal).source == Parent("kitchen_1", Relation.ROOM)
