"""Recall is bounded, ordered and evidenced; grounding fails closed and keeps explicit constraints."""

import pytest

from mimir_learn.memory import TaskMemory, WorldMemory, ground, make_query, recall
from mimir_learn.symbols import IN_HAND, Action, Goal, ObjectQuery, Parent, ParentChange, Relation, Verb

from .houses import IN_FRIDGE, ON_FLOOR, ON_TABLE, PICK, PLACES, VOCABULARY, feedback, mug_goal, percept, see


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


def test_recall_knows_synonyms_but_grounding_wants_the_category(world):
    goal = Goal("g", ObjectQuery("cup"), ObjectQuery("table"), Relation.ON)
    found = recall(world, make_query(goal))
    assert {c.entity for c in found} == {"mug_1", "mug_2"} and found[0].support.lexical < 1
    assert ground(goal, found, TaskMemory([goal]), world) is None


def test_recall_takes_a_similarity_of_its_own(world):
    found = recall(world, make_query(mug_goal()), similarity=lambda a, b: 0.25)
    assert {c.support.semantic for c in found} == {0.25}


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
        assert G(world, goal, task).object == "mug_1"


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
