"""What rules derive from a Δ: when a state comes about, on arrival, all the way down; and that it agrees with the household's truth."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household.causes import after_arrival, after_state
from mimir_learn.envs.household.vocabulary import VOCABULARY as HOUSEHOLD
from mimir_learn.memory import WorldMemory, ramify
from mimir_learn.symbols import (
    ATTRIBUTES,
    ELSEWHERE,
    EMPTY,
    HAND,
    IN_HAND,
    Action,
    Delta,
    Entity,
    Feedback,
    Kind,
    Parent,
    ParentChange,
    Percept,
    Place,
    Relation,
    Sighting,
    Snapshot,
    StateChange,
    Verb,
)

from ..doubles import VOCABULARY
from .houses import IN_FRIDGE, ON_TABLE, PLACES, feedback, percept, see

MICROWAVE, SINK = Parent("microwave_1", Relation.IN), Parent("sink_1", Relation.IN)
IN_BOWL = Parent("bowl_1", Relation.IN)
LOOK = Action(Verb.LOOK)


def flip(device, attribute, value):
    return StateChange(device, attribute, not value, value, 0.8, "test")


@pytest.fixture
def world():
    """A running, open microwave, a running faucet; a mug in a bowl on the table."""
    world = WorldMemory(VOCABULARY, PLACES)
    shut = Parent("kitchen_1", Relation.ROOM)
    world.observe(
        percept(
            see("bowl_1", ON_TABLE, dirty=True, broken=False), see("mug_1", IN_BOWL, dirty=True), see("apple_1", MICROWAVE),
            see("microwave_1", shut, open=True, on=True), see("faucet_1", Parent("sink_1", Relation.ON), on=True),
        ), 0,
    )  # fmt: skip
    return world


def derived(world, *changes):
    delta = Delta(changes)
    return {(c.entity, c.attribute, c.new) for c in ramify(delta, world) if c not in delta.changes}


def test_closing_a_running_microwave_heats_what_is_in_it(world):
    assert derived(world, flip("microwave_1", "open", False)) == {("apple_1", "heated", True)}


def test_turning_off_and_on_again_with_the_door_open_heats_nothing(world):
    world.act(LOOK, feedback(flip("microwave_1", "on", False)), 1)
    assert derived(world, flip("microwave_1", "on", True)) == set()


def test_what_arrives_under_running_water_is_washed_with_all_that_is_in_it(world):
    moved = ParentChange("bowl_1", ON_TABLE, SINK, 0.7, "test")
    assert derived(world, moved) == {(t, a, v) for t in ("bowl_1", "mug_1") for a, v in (("cleaned", True), ("dirty", False))}
    change = ramify(Delta([moved]), world).states["mug_1", "cleaned"]
    assert (change.p, change.source) == (0.7, "test")


def test_what_moves_within_the_container_does_not_arrive(world):
    world.act(LOOK, feedback(ParentChange("bowl_1", ON_TABLE, SINK)), 1)
    world.observe(percept(see("mug_1", IN_BOWL, dirty=True), at="sink_1"), 2)
    assert derived(world, ParentChange("mug_1", IN_BOWL, SINK)) == set()


def test_leaving_changes_nothing(world):
    assert derived(world, ParentChange("apple_1", MICROWAVE, IN_HAND)) == set()


def test_what_delta_itself_says_is_left_to_it(world):
    said = StateChange("mug_1", "dirty", False, True)
    moved = ParentChange("bowl_1", ON_TABLE, SINK)
    assert ("mug_1", "dirty", False) not in derived(world, moved, said)


def test_a_thing_that_arrives_as_the_state_comes_about_counts_where_it_is_then(world):
    into, out = ParentChange("mug_1", IN_BOWL, MICROWAVE), ParentChange("apple_1", MICROWAVE, ON_TABLE)
    assert derived(world, into, out, flip("microwave_1", "open", False)) == {("mug_1", "heated", True)}


def test_what_the_effect_does_not_apply_to_is_left_alone(world):
    world.observe(percept(see("book_1", MICROWAVE), at="microwave_1"), 1)
    assert not any(t == "book_1" for t, *_ in derived(world, flip("microwave_1", "open", False)))


def test_heat_drives_out_cold():
    world = WorldMemory(VOCABULARY, PLACES)
    world.observe(percept(see("apple_1", IN_FRIDGE), see("fridge_1", Parent("kitchen_1", Relation.ROOM), open=True)), 0)
    world.act(LOOK, feedback(flip("fridge_1", "open", False)), 0)
    assert world.attribute("apple_1", "cooled") is True
    hot = see("burner_1", Parent("kitchen_1", Relation.ROOM), on=True)
    world.observe(percept(hot, at="burner_1"), 1)
    assert derived(world, ParentChange("apple_1", IN_FRIDGE, Parent("burner_1", Relation.ON))) == {
        ("apple_1", "heated", True), ("apple_1", "cooled", False)
    }  # fmt: skip


# ---- against the truth of the household ------------------------------------------------------------------------------------

FIXED = {
    "kitchen_1": None, "sink_1": "kitchen_1", "faucet_1": "sink_1", "fridge_1": "kitchen_1", "microwave_1": "kitchen_1",
    "oven_1": "kitchen_1", "burner_1": "oven_1", "counter_1": "kitchen_1", "dishwasher_1": "kitchen_1",
}  # fmt: skip
THINGS = ("bowl_1", "mug_1", "plate_1", "pan_1", "apple_1", "can_1", "pillow_1", "box_1")


def named(entity_id):
    category = entity_id.rpartition("_")[0]
    return Entity(entity_id, category, HOUSEHOLD.spec(category).kind)


ENTITIES = {i: named(i) for i in (*FIXED, *THINGS)}
EVERYONE = ENTITIES | {HAND.id: HAND}


def at(holder):
    relation = HOUSEHOLD.spec(ENTITIES[holder]).relation
    return None if relation is None else Parent(holder, relation)


@st.composite
def scenes(draw):
    """A true state: fixtures where they are, things in or on one another without cycles, every attribute with a value."""
    parents = {f: Parent(p, Relation.ROOM if ENTITIES[p].kind is Kind.ROOM else Relation.ON) for f, p in FIXED.items() if p is not None}
    holders = [p for p in (at(f) for f in FIXED) if p is not None]
    for thing in draw(st.permutations(THINGS)):
        parents[thing] = draw(st.sampled_from(holders))
        if at(thing) is not None:
            holders.append(at(thing))
    attributes = {(i, a): draw(st.booleans()) for i, e in ENTITIES.items() for a in HOUSEHOLD.spec(e).attributes}
    return Snapshot(parents, attributes)


def remembering(state):
    """A memory that knows all of a state; derived attributes come from a Δ, for they cannot be seen."""
    places = [Place(ENTITIES[f], "kitchen_1") for f in FIXED]
    world = WorldMemory(HOUSEHOLD, places)

    def visible(i):
        return {a: v for (e, a), v in state.attributes.items() if e == i and ATTRIBUTES[a].visible}

    sightings = [Sighting(ENTITIES[i], p, visible(i), [0.0, 0.0, 0.0], 50) for i, p in sorted(state.parents.items())]
    world.observe(Percept(tuple(sightings), frozenset(), "kitchen_1"), 0)
    hidden = [StateChange(e, a, not v, v) for (e, a), v in state.attributes.items() if not ATTRIBUTES[a].visible]
    for change in hidden:  # one at a time, none of which sets off a rule
        world.act(LOOK, Feedback(True, Delta([change])), 0)
    return world


@settings(max_examples=200, deadline=None)
@given(scenes(), st.data())
def test_memory_and_the_true_world_derive_the_same(state, data):
    """From a visible change alone, memory knows what the household's truth knows."""
    parents, attributes = dict(state.parents), dict(state.attributes)
    if data.draw(st.booleans()):
        device, attribute = data.draw(st.sampled_from([k for k in attributes if k[1] in ("open", "on")]))
        change = StateChange(device, attribute, attributes[device, attribute], not attributes[device, attribute])
        attributes[device, attribute] = change.new
        after_state(attributes, parents, EVERYONE, device, attribute)
    else:
        thing = data.draw(st.sampled_from(THINGS))

        def inside(holder):
            while holder in THINGS and holder != thing:
                holder = parents[holder].id
            return holder == thing

        options = [p for p in (at(i) for i in ENTITIES) if p is not None and not inside(p.id) and p != parents[thing]]
        old, new = parents[thing], data.draw(st.sampled_from([*options, IN_HAND]))
        change = ParentChange(thing, old, new)
        within = set(chain(parents, thing))
        parents[thing] = new
        again = set(chain(parents, thing)) & within
        if any(rules_hold(attributes, parents, h) for h in again):
            return  # moved about in a container whose rule holds: the truth strikes again, memory does not; see test_what_moves_within
        after_arrival(attributes, parents, EVERYONE, [thing])
    world = remembering(state)
    full = world.act(LOOK, Feedback(True, Delta([change])), 1)
    assert full.states.keys() | {change.key} >= {(e, a) for e, a in attributes if attributes[e, a] is not state.attributes[e, a]}
    for (e, a), value in attributes.items():
        assert world.value(e, a) is value, (e, a)
    for e, parent in parents.items():
        assert world.parent(e) == parent


def test_what_is_on_a_burner_is_not_in_the_oven_below():
    """As in the truth, both when the oven is turned on and when something gets onto its burner."""
    oven, burner, counter = ("oven_1", "on"), Parent("burner_1", Relation.ON), Parent("counter_1", Relation.ON)
    parents = {f: Parent(p, Relation.ROOM if p == "kitchen_1" else Relation.ON) for f, p in FIXED.items() if p is not None}
    attributes = {(i, a): False for i, e in ENTITIES.items() for a in HOUSEHOLD.spec(e).attributes}
    for start, change in ((burner, StateChange(*oven, False, True)), (counter, ParentChange("apple_1", counter, burner))):
        hot = attributes | {oven: isinstance(change, ParentChange)}
        world = remembering(Snapshot(parents | {"apple_1": start}, hot))
        world.act(LOOK, Feedback(True, Delta([change])), 1)
        assert world.parent("apple_1") == burner and world.value("apple_1", "heated") is False
        assert not world.inside("apple_1", "oven_1") and world.inside("apple_1", "burner_1")


def chain(parents, thing):
    out = []
    while thing in THINGS:
        thing = parents[thing].id
        out.append(thing)
    return out


def rules_hold(attributes, parents, holder):
    devices = [holder, *(f for f, p in FIXED.items() if p == holder and HOUSEHOLD.spec(ENTITIES[f]).relation is None)]
    return any(
        r.category == ENTITIES[d].category and all(attributes[d, a] is v for a, v in ((r.attribute, r.value), *r.requires))
        for d in devices if d in ENTITIES and ENTITIES[d].kind in (Kind.RECEPTACLE, Kind.FIXTURE) for r in HOUSEHOLD.rules
    )  # fmt: skip


def test_nothing_is_derived_from_nothing(world):
    assert ramify(EMPTY, world) == EMPTY
    assert derived(world, ParentChange("mug_1", IN_BOWL, ELSEWHERE)) == set()
