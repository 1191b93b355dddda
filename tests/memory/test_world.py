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


# ---- ramifications ------------------------------------------------------------------------------------------------


def toggle(device, attribute, value):
    return feedback(StateChange(device, attribute, not value, value, source="test"))


def test_closed_running_microwave_heats_what_is_in_it(world):
    world.observe(percept(see("apple_1", Parent("microwave_1", Relation.IN)), see("mug_1", ON_TABLE)), 0)
    world.act(Action(Verb.TOGGLE_ON, "microwave_1"), toggle("microwave_1", "on", True), 0)
    assert world.attribute("apple_1", "heated") is True and world.attribute("mug_1", "heated") is None


def test_open_microwave_does_not_heat(world):
    inside = see("apple_1", Parent("microwave_1", Relation.IN))
    world.observe(percept(inside, see("microwave_1", ON_FLOOR, open=True, on=False)), 0)
    world.act(Action(Verb.TOGGLE_ON, "microwave_1"), toggle("microwave_1", "on", True), 0)
    assert not world.attribute("apple_1", "heated")


def test_cooling_undoes_heating(world):
    world.observe(percept(see("apple_1", Parent("microwave_1", Relation.IN))), 0)
    world.act(Action(Verb.TOGGLE_ON, "microwave_1"), toggle("microwave_1", "on", True), 0)
    world.observe(percept(see("apple_1", IN_FRIDGE), see("fridge_1", ON_FLOOR, open=True)), 1)
    world.act(Action(Verb.CLOSE, None, "fridge_1"), toggle("fridge_1", "open", False), 1)
    assert world.attribute("apple_1", "cooled") is True and world.attribute("apple_1", "heated") is False


def test_faucet_cleans_what_is_in_its_sink(world):
    world.observe(percept(see("mug_1", Parent("sink_1", Relation.IN)), see("faucet_1", Parent("sink_1", Relation.ON), on=False)), 0)
    world.act(Action(Verb.TOGGLE_ON, "faucet_1"), toggle("faucet_1", "on", True), 0)
    assert world.attribute("mug_1", "cleaned") is True
