"""World memory: one active parent, a tree, replay, and what each of the two operators may and may not write."""

import numpy as np
import pytest
from hypothesis import given, settings

from mimir_learn.memory import EvidenceKind, WorldMemory
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Action, Parent, ParentChange, Relation, StateChange, Verb

from ..doubles import VOCABULARY
from .houses import IN_FRIDGE, ON_FLOOR, ON_TABLE, PICK, PLACES, THINGS, actions, feedback, histories, percept, percepts, see


@pytest.fixture
def world():
    return WorldMemory(VOCABULARY, PLACES)


def play(history):
    world = WorldMemory(VOCABULARY, PLACES)
    for step, entry in enumerate(history):
        if entry[0] == "observe":
            world.observe(entry[1], step)
        else:
            world.act(entry[1], entry[2], step)
    return world


@given(histories())
def test_active_parents_form_a_tree_and_the_indices_agree(history):
    world = play(history)
    held = [t for t in THINGS if world.parent(t) == IN_HAND]
    assert len(held) <= 1 and world.hand == (held[0] if held else None)
    for thing in (t for t in THINGS if t in world):
        parent, at, seen = world.parent(thing), thing, set()
        while at is not None:
            assert at not in seen, "cycle"
            seen.add(at)
            at = None if world.parent(at) is None else world.parent(at).id
        homes = [p for p in (*(x.entity.id for x in PLACES), *THINGS, "hand") if thing in world.children(p)]
        assert homes == ([] if parent is None else [parent.id])
        assert (world.lost(thing) is None) or parent is None
        assert all(h.parent != parent for h in world.alternatives(thing))


@given(histories())
def test_replaying_the_journal_rebuilds_the_memory(history):
    world = play(history)
    again = WorldMemory.replay(VOCABULARY, PLACES, world.journal)
    assert again.to_dict() == world.to_dict()
    assert again.belief().snapshot() == world.belief().snapshot()


@given(histories(), actions)
def test_an_empty_delta_changes_nothing(history, action):
    world = play(history)
    before = world.fingerprint(clock=False)
    for sigma in (True, False):
        world.act(action, feedback(sigma=sigma), world.step + 1)
    assert world.fingerprint(clock=False) == before


@given(histories())
def test_belief_is_a_frozen_copy_of_the_active_hypotheses(history):
    world = play(history)
    belief = world.belief()
    parents = {i: b.parent for i, b in belief.entities.items()}
    assert parents == {i: world.parent(i) for i in parents}
    world.observe(percept(see("mug_1", ON_FLOOR), see("mug_2", ON_FLOOR)), 99)
    world.act(PICK, feedback(ParentChange("mug_1", ON_FLOOR, IN_HAND)), 99)
    assert {i: b.parent for i, b in belief.entities.items()} == parents
    assert {i: b.parent for i, b in world.belief().entities.items()} == {i: world.parent(i) for i in world.belief().entities}


@given(percepts())
def test_what_is_seen_is_believed(seen):
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(seen, 3)
    for s in seen.sightings:
        cyclic = any(o.parent.id == s.entity.id for o in seen.sightings)
        if not cyclic:
            assert world.parent(s.entity.id) == s.parent
        assert world.entity(s.entity.id) == s.entity
        assert np.array_equal(world.belief().entities[s.entity.id].point, s.point)


@settings(max_examples=30)
@given(histories())
def test_same_history_same_bytes(history):
    assert play(history).fingerprint() == play(history).fingerprint()


def test_starts_with_the_places_alone(world):
    assert world.children("kitchen_1") == ("faucet_1", "fridge_1", "microwave_1", "sink_1", "table_1", "table_2")
    assert world.attribute("fridge_1", "open") is False and world.fact("fridge_1", "open").evidence.source == "presumed"
    assert world.triples() == frozenset()


def test_incompatible_sighting_keeps_the_old_relation_as_alternative(world):
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    world.observe(percept(see("mug_1", IN_FRIDGE)), 1)
    assert world.parent("mug_1") == IN_FRIDGE and world.hypothesis("mug_1").since == 1
    assert [h.parent for h in world.alternatives("mug_1")] == [ON_TABLE]


def test_same_name_instances_stay_apart(world):
    world.observe(percept(see("mug_1", ON_TABLE), see("mug_2", IN_FRIDGE)), 0)
    assert world.of_category("mug") == ("mug_1", "mug_2")
    assert world.triples() == {("mug_1", "on", "table_1"), ("mug_2", "in", "fridge_1")}


def test_agreeing_looks_strengthen_and_keep_the_start(world):
    weights = []
    for step in range(10):
        world.observe(percept(see("mug_1", ON_TABLE)), step)
        weights.append(world.hypothesis("mug_1").weight)
    assert weights == sorted(weights) and world.hypothesis("mug_1").since == 0
    assert world.hypothesis("mug_1").evidence[0].step == 0 and len(world.hypothesis("mug_1").evidence) <= 6


def test_first_miss_weakens_second_demotes(world):
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    weight = world.hypothesis("mug_1").weight
    assert world.observe(percept(viewed=["table_1"]), 1) == ()
    assert world.hypothesis("mug_1").weight < weight
    demoted = world.observe(percept(viewed=["table_1"]), 2)
    assert [(d.entity, d.parent, d.since) for d in demoted] == [("mug_1", ON_TABLE, 0)]
    assert world.parent("mug_1") is None and world.lost("mug_1") == 2
    assert [h.parent for h in world.alternatives("mug_1")] == [ON_TABLE]


def test_not_viewed_is_not_missed(world):
    world.observe(percept(see("apple_1", IN_FRIDGE)), 0)
    for step in range(1, 6):
        world.observe(percept(viewed=["table_1"]), step)
    assert world.parent("apple_1") == IN_FRIDGE


def test_seen_again_after_a_miss_is_a_newly_established_relation(world):
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    world.observe(percept(viewed=["table_1"]), 1)
    world.observe(percept(see("mug_1", ON_TABLE), viewed=["table_1"]), 2)
    assert world.hypothesis("mug_1").since == 2
    world.observe(percept(viewed=["table_1"]), 3)
    assert world.parent("mug_1") == ON_TABLE, "misses in a row count, not misses ever"


def test_a_floor_takes_more_looks(world):
    world.observe(percept(see("mug_1", ON_FLOOR)), 0)
    for step in (1, 2, 3):
        world.observe(percept(viewed=["kitchen_1"]), step)
    assert world.parent("mug_1") == ON_FLOOR
    world.observe(percept(viewed=["kitchen_1"]), 4)
    assert world.parent("mug_1") is None


def test_held_things_and_fixtures_are_never_demoted_by_looking(world):
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    world.act(PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), 0)
    for step in range(1, 9):
        world.observe(percept(viewed=["table_1", "kitchen_1", "fridge_1"]), step)
    assert world.hand == "mug_1"
    assert world.parent("fridge_1") == ON_FLOOR


def test_action_writes_only_delta_and_says_so(world):
    world.observe(percept(see("mug_1", ON_TABLE), see("mug_2", ON_TABLE)), 0)
    world.act(PICK, feedback(ParentChange("mug_2", ON_TABLE, IN_HAND, 0.8, "learned")), 0)
    assert world.parent("mug_1") == ON_TABLE and world.hand == "mug_2"
    last = world.hypothesis("mug_2").evidence[-1]
    assert (last.kind, last.step, last.source, last.p) == (EvidenceKind.INTERACTION, 0, "learned", 0.8)


def test_point_is_forgotten_when_a_thing_moves_and_while_it_travels_unseen(world):
    def point():
        return world.belief().entities["mug_1"].point

    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    assert point() is not None
    world.act(PICK, feedback(ParentChange("mug_1", ON_TABLE, IN_HAND)), 0)
    assert point() is None
    world.observe(percept(see("mug_1", IN_HAND)), 1)
    assert point() is not None
    world.observe(percept(), 2)
    assert point() is None
    world.act(Action(Verb.PLACE, "mug_1", "fridge_1"), feedback(ParentChange("mug_1", IN_HAND, IN_FRIDGE)), 2)
    assert point() is None and world.parent("mug_1") == IN_FRIDGE


def test_elsewhere_makes_the_place_unknown(world):
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    world.act(Action(Verb.NAVIGATE, None, "fridge_1"), feedback(ParentChange("mug_1", ON_TABLE, ELSEWHERE)), 0)
    assert world.parent("mug_1") is None and world.near("mug_1") == ("fridge_1", "table_1")
    assert "mug_1" not in world.belief().snapshot().parents


def test_held_changes_become_alternatives_and_doubts(world):
    world.observe(percept(see("mug_1", ON_TABLE), see("fridge_1", ON_FLOOR, open=False)), 0)
    held = [ParentChange("mug_1", ON_TABLE, IN_HAND, 0.6), StateChange("fridge_1", "open", False, True, 0.4)]
    world.act(PICK, feedback(held=held), 0)
    assert world.parent("mug_1") == ON_TABLE and world.hand is None
    assert [(h.parent, h.weight) for h in world.alternatives("mug_1")] == [(IN_HAND, 0.6)]
    fact = world.fact("fridge_1", "open")
    assert fact.value is False and fact.doubt.p == 0.4


def test_a_second_thing_in_the_hand_displaces_the_first(world):
    world.observe(percept(see("mug_1", IN_HAND), see("mug_2", ON_TABLE)), 0)
    world.act(PICK, feedback(ParentChange("mug_2", ON_TABLE, IN_HAND)), 0)
    assert world.hand == "mug_2" and world.parent("mug_1") is None


def test_things_in_a_moved_container_come_along(world):
    on_plate = Parent("plate_1", Relation.ON)
    world.observe(percept(see("plate_1", ON_TABLE), see("apple_1", on_plate)), 0)
    world.act(Action(Verb.PICK, "plate_1"), feedback(ParentChange("plate_1", ON_TABLE, IN_HAND)), 0)
    assert world.parent("apple_1") == on_plate and world.hand == "plate_1"


def test_changes_about_things_never_perceived_are_not_written(world):
    world.act(PICK, feedback(ParentChange("mug_2", ON_TABLE, IN_HAND)), 0)
    assert "mug_2" not in world and world.hand is None


def test_views_and_stays_are_counted_from_a_step(world):
    for step in range(3):
        world.observe(percept(viewed=["table_1"]), step)
    assert (world.views("table_1"), world.views("table_1", 2), world.views("fridge_1")) == (3, 1, 0)
    assert world.stood("table_1", 1) == 2


# ---- things in things ------------------------------------------------------------------------------------------------

IN_BOWL, ON_PLATE = Parent("bowl_1", Relation.IN), Parent("plate_1", Relation.ON)


@pytest.fixture
def nested(world):
    """An apple in a bowl, the bowl on a plate, the plate on table 1; a second apple on the plate."""
    world.observe(
        percept(see("plate_1", ON_TABLE), see("bowl_1", ON_PLATE), see("apple_1", IN_BOWL), see("apple_2", ON_PLATE)), 0,
    )  # fmt: skip
    return world


def test_place_and_room_follow_the_parents_up(nested):
    assert nested.place_of("apple_1") == "table_1" and nested.room_of("apple_1") == "kitchen_1"
    assert nested.contents("table_1")[0] == "plate_1" and set(nested.contents("plate_1")) == {
        "apple_1", "apple_2", "bowl_1"
    }  # fmt: skip
    assert nested.inside("apple_1", "table_1") and not nested.inside("table_1", "apple_1") and not nested.inside("apple_2", "bowl_1")


def test_a_moved_holder_takes_its_contents_along(nested):
    nested.act(Action(Verb.PICK, "plate_1", "table_1"), feedback(ParentChange("plate_1", ON_TABLE, IN_HAND)), 0)
    belief = nested.belief().entities
    for thing in ("plate_1", "bowl_1", "apple_1", "apple_2"):
        assert belief[thing].point is None and belief[thing].last_seen == 0 and nested.near(thing) == ("table_1",)
    assert nested.parent("apple_1") == IN_BOWL and nested.hand == "plate_1" and nested.place_of("apple_1") is None
    nested.observe(percept(see("plate_1", IN_HAND), at="table_2"), 1)
    nested.act(Action(Verb.PLACE, "plate_1", "table_2"), feedback(ParentChange("plate_1", IN_HAND, Parent("table_2", Relation.ON))), 1)
    assert nested.place_of("apple_1") == "table_2" and nested.near("apple_1") == ("table_2",)


def test_contents_that_came_along_unseen_have_no_point(nested):
    nested.observe(percept(see("plate_1", IN_FRIDGE), see("apple_2", ON_PLATE), at="fridge_1"), 1)
    belief = nested.belief().entities
    assert belief["apple_2"].point is not None and belief["apple_1"].point is None and belief["bowl_1"].point is None


def test_what_is_in_a_carried_bowl_has_no_lasting_point(nested):
    nested.observe(percept(see("plate_1", IN_HAND), see("apple_2", ON_PLATE), at="table_1"), 1)
    assert nested.belief().entities["apple_2"].point is not None
    nested.observe(percept(see("plate_1", IN_HAND), at="fridge_1"), 2)
    assert nested.belief().entities["apple_2"].point is None


def test_what_is_in_something_unseen_is_not_missed(nested):
    for step in range(1, 9):
        nested.observe(percept(see("plate_1", ON_TABLE), viewed=["table_1"]), step)
    assert nested.parent("bowl_1") is None, "the plate is in view and the bowl is not on it"
    assert nested.parent("apple_1") == IN_BOWL, "wherever the bowl is"


def test_the_rim_of_a_bowl_hides_more_than_a_plate_does(nested):
    seen = see("plate_1", ON_TABLE), see("bowl_1", ON_PLATE)
    lost = []
    for step in range(1, 5):
        lost += [(d.entity, step) for d in nested.observe(percept(*seen, viewed=["table_1"]), step)]
    assert lost == [("apple_2", 2), ("apple_1", 4)]
    assert nested.views("bowl_1") == nested.views("plate_1") == 4, "holders in view were viewed, too"


def test_a_place_that_is_reported_as_viewed_twice_over_counts_once(nested):
    nested.observe(percept(see("plate_1", ON_TABLE), viewed=["plate_1", "table_1"]), 1)
    assert nested.views("plate_1") == 1 and nested.parent("apple_2") == ON_PLATE


def test_what_breaks_holds_nothing_any_more(nested):
    nested.act(PICK, feedback(StateChange("bowl_1", "broken", False, True, source="test")), 0)
    assert nested.parent("apple_1") == ON_PLATE and nested.children("bowl_1") == ()
    nested.act(PICK, feedback(ParentChange("plate_1", ON_TABLE, IN_HAND)), 1)
    assert nested.parent("apple_1") == ON_PLATE


def test_where_what_broke_spilled_its_contents_is_what_delta_says(nested):
    spilled = ParentChange("apple_1", IN_BOWL, ON_FLOOR), StateChange("bowl_1", "broken", False, True)
    nested.act(PICK, feedback(*spilled), 0)
    assert nested.parent("apple_1") == ON_FLOOR


def test_a_holder_put_into_its_own_contents_gives_up_the_older_relation(nested):
    nested.act(PICK, feedback(ParentChange("plate_1", ON_TABLE, IN_BOWL)), 0)
    assert nested.parent("plate_1") == IN_BOWL and nested.parent("bowl_1") is None and not nested.inside("plate_1", "plate_1")


def test_only_what_cannot_be_seen_is_presumed(world):
    world.observe(percept(see("mug_1", ON_TABLE)), 0)
    assert world.value("mug_1", "heated") is False and world.attribute("mug_1", "heated") is None
    assert world.value("mug_1", "dirty") is None
