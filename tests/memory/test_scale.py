"""What keeps memory fast at any size gives the same answers as doing it the plain way."""

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.memory import Binding, WorldMemory, recall
from mimir_learn.memory.layers import Layers
from mimir_learn.memory.recall import Query, Support, contenders, rank
from mimir_learn.memory.world import KEEP_CHANGED
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Action, ObjectQuery, Parent, ParentChange, Place, Relation, StateChange, Verb

from ..doubles import VOCABULARY, entity
from .houses import feedback, percept, see

ROOMS = ("kitchen_1", "bedroom_1")
TABLES = tuple(f"table_{i}" for i in range(4))
PLACES = [Place(entity(r), r) for r in ROOMS] + [Place(entity(t), ROOMS[i % 2]) for i, t in enumerate(TABLES)]
MUGS = [f"mug_{i}" for i in range(12)]
HOLDERS = [*(Parent(t, Relation.ON) for t in TABLES), *(Parent(r, Relation.ROOM) for r in ROOMS), Parent("mug_0", Relation.IN), IN_HAND]
LOOK = Action(Verb.LOOK)


@st.composite
def memories(draw):
    """A memory of a dozen mugs after some looking, doing, missing and breaking, and what of it has been contradicted."""
    world = WorldMemory(VOCABULARY, PLACES)
    failed = set()
    for step in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            seen = []
            for mug in draw(st.sets(st.sampled_from(MUGS), max_size=8)):
                holder = draw(st.sampled_from([h for h in HOLDERS if h.id != mug and h != IN_HAND]))
                seen.append(see(mug, holder, broken=draw(st.integers(0, 5)) == 0))
            here = draw(st.sampled_from((*TABLES, *ROOMS, None)))
            for demotion in world.observe(percept(*seen, viewed=draw(st.sets(st.sampled_from(TABLES))), at=here), step):
                failed.add(Binding(demotion.entity, demotion.parent.id, demotion.since))
            continue
        known = [m for m in MUGS if m in world]
        if known:
            mug = draw(st.sampled_from(known))
            old, new = world.parent(mug) or ELSEWHERE, draw(st.sampled_from([*HOLDERS, ELSEWHERE]))
            if old != new and new.id != mug:
                world.act(LOOK, feedback(ParentChange(mug, old, new, draw(st.floats(0.01, 1)))), step)
            elif draw(st.booleans()):
                world.act(LOOK, feedback(StateChange(mug, "broken", False, True)), step)
            if draw(st.booleans()) and (active := world.hypothesis(mug)) is not None:
                failed.add(Binding(mug, active.parent.id, active.since))
        if draw(st.booleans()):
            world.standing  # noqa: B018 - settling in between must not matter
    return world, failed


@settings(max_examples=300)
@given(memories(), st.integers(1, 6), st.floats(0, 1))
def test_recall_finds_what_scoring_everything_finds(memory, k, semantic):
    world, failed = memory
    query = Query(ObjectQuery("mug"))
    fixed = Support(1.0, semantic, 0.0, 0.0)
    everything = rank(world.of_category("mug"), world, query, k, failed, fixed)
    with patch("mimir_learn.memory.recall.SCORE_ALL", 0):
        few = contenders(world, query, "mug", k, failed, fixed)
        assert recall(world, query, k, failed, lambda a, b: semantic) == everything
    assert len(set(few)) == len(few)


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers()), max_size=12),
    st.lists(st.tuples(st.sampled_from("abcdefghij"), st.integers())),
)
def test_layers_are_the_dict_they_stand_for(base, top):
    layers, plain = Layers(dict(base), dict(top)), {**dict(base), **dict(top)}
    assert dict(layers) == plain and list(layers) == list(plain) and len(layers) == len(plain)
    assert list(layers.items()) == list(plain.items()) and all(k in layers for k in plain)
    assert "z" not in layers and layers.get("z") is None
    with pytest.raises(KeyError):
        layers["z"]


def big(n):
    """``n`` books on 100 tables in 10 rooms, all seen."""
    rooms = [entity(f"kitchen_{i}") for i in range(10)]
    places = [Place(r, r.id) for r in rooms] + [Place(entity(f"table_{i}"), rooms[i % 10].id) for i in range(100)]
    world = WorldMemory(VOCABULARY, places)
    for t in range(100):
        on = Parent(f"table_{t}", Relation.ON)
        world.observe(percept(*(see(f"book_{i}", on) for i in range(t, n, 100)), at=f"table_{t}"), 0)
    return world


def test_a_belief_shares_what_has_not_changed_and_stays_as_it_was():
    world = big(2000)
    first = world.belief()
    for step in range(1, 3 * KEEP_CHANGED):
        thing = f"book_{step}"
        old = world.parent(thing)
        world.act(LOOK, feedback(ParentChange(thing, old, IN_HAND)), step)
        world.act(LOOK, feedback(ParentChange(thing, IN_HAND, Parent("table_0", Relation.ON))), step)
        if step % 50 == 0:
            now = world.belief()
            assert {i: b.parent for i, b in now.entities.items()} == {i: world.parent(i) for i in now.entities}
    assert first.entities["book_150"].parent == Parent("table_50", Relation.ON), "later writes do not reach it"
    assert world.belief().entities["book_150"].parent == Parent("table_0", Relation.ON)
    assert first.entities["book_1999"] is world.belief().entities["book_1999"]


def test_recall_scores_few_of_many():
    world = big(4000)
    query = Query(ObjectQuery("book"))
    fixed = Support(1.0, 1.0, 0.0, 0.0)
    few = contenders(world, query, "book", 8, (), fixed)
    assert len(few) <= 4000 / 10 + 8, "this room's, and eight more"
    assert recall(world, query) == rank(world.of_category("book"), world, query, 8, (), fixed)
