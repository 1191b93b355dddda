"""A small vocabulary, places and hypothesis strategies for tests of the memories."""

import numpy as np
from hypothesis import strategies as st

from mimir_learn.symbols import (
    ELSEWHERE,
    IN_HAND,
    Action,
    Delta,
    Feedback,
    Goal,
    ObjectQuery,
    Parent,
    ParentChange,
    Percept,
    Place,
    Relation,
    Sighting,
    StateChange,
    Verb,
)

from ..doubles import entity

PLACES = tuple(Place(entity(p), "kitchen_1") for p in ("kitchen_1", "table_1", "table_2", "fridge_1", "microwave_1", "sink_1", "faucet_1"))
THINGS = ("mug_1", "mug_2", "apple_1", "plate_1", "plate_2", "bowl_1")
ON_TABLE, IN_FRIDGE, ON_FLOOR = Parent("table_1", Relation.ON), Parent("fridge_1", Relation.IN), Parent("kitchen_1", Relation.ROOM)


def see(entity_id, parent, **attributes):
    return Sighting(entity(entity_id), parent, attributes, np.array([1.0, 2.0, 3.0]), 40)


def percept(*sightings, viewed=(), at="table_1"):
    return Percept(tuple(sorted(sightings, key=lambda s: s.entity.id)), frozenset(viewed), at)


PICK = Action(Verb.PICK, "mug_1", "table_1")


def feedback(*changes, sigma=True, held=()):
    return Feedback(sigma, Delta(changes), Delta(held))


def mug_goal(goal_id="g1", target="table_2", **kw):
    return Goal(goal_id, ObjectQuery("mug", kw.pop("instance", None)), ObjectQuery("table", target), Relation.ON, **kw)


# ---- strategies: nested things included, so that sightings and changes can contradict each other and close cycles

parents = st.sampled_from(
    (
        ON_TABLE,
        IN_FRIDGE,
        ON_FLOOR,
        IN_HAND,
        Parent("plate_1", Relation.ON),
        Parent("plate_2", Relation.ON),
        Parent("bowl_1", Relation.IN),
        Parent("microwave_1", Relation.IN),
    )
)


@st.composite
def percepts(draw):
    seen = draw(st.sets(st.sampled_from(THINGS)))
    held, sightings = False, []
    for thing in sorted(seen):
        parent = draw(parents.filter(lambda p, t=thing: p.id != t))
        if parent == IN_HAND:
            if held:
                continue
            held = True
        sightings.append(see(thing, parent))
    if draw(st.booleans()):
        sightings.append(see("fridge_1", ON_FLOOR, open=draw(st.booleans())))
    viewed = draw(st.sets(st.sampled_from(("table_1", "fridge_1", "kitchen_1"))))
    return percept(*sightings, viewed=viewed, at=draw(st.sampled_from(("table_1", "fridge_1", None))))


@st.composite
def deltas(draw):
    changes, held, targets = [], 0, set()
    for thing in draw(st.lists(st.sampled_from(THINGS), max_size=2, unique=True)):
        old, new = draw(st.tuples(parents, st.one_of(parents, st.just(ELSEWHERE))).filter(lambda x: x[0] != x[1]))
        if thing in (old.id, new.id) or new.id in targets or (IN_HAND in (old, new) and held):
            continue
        held += IN_HAND in (old, new)
        targets.add(thing)
        changes.append(ParentChange(thing, old, new, draw(st.floats(0.1, 1)), "test"))
    if draw(st.booleans()):
        value = draw(st.booleans())
        changes.append(StateChange("fridge_1", "open", not value, value, source="test"))
    if draw(st.booleans()):
        changes.append(StateChange("bowl_1", "broken", False, True, source="test"))
    return Delta(changes)


actions = st.sampled_from((PICK, Action(Verb.PLACE, "mug_1", "table_2"), Action(Verb.NAVIGATE, None, "fridge_1"), Action(Verb.LOOK)))


@st.composite
def histories(draw):
    """A list of ("observe", percept) and ("act", action, feedback)."""
    steps = []
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.booleans()):
            steps.append(("observe", draw(percepts())))
        else:
            steps.append(("act", draw(actions), Feedback(draw(st.booleans()), draw(deltas()), draw(deltas()))))
    return steps
