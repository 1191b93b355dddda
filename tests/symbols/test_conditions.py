"""Conditions agree with a brute-force reading of first-order logic; progress is full exactly where they hold; JSON keeps them."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import (
    HAND,
    AllOf,
    AnyOf,
    Count,
    Entity,
    Exists,
    ForAll,
    Goal,
    Has,
    Here,
    Kind,
    Not,
    ObjectQuery,
    Parent,
    Related,
    Relation,
    Situation,
    Snapshot,
    Task,
    held,
    holds,
    satisfied,
)
from mimir_learn.symbols import conditions as c

ROOMS, PLACES, LAMPS = ("kitchen_1", "bedroom_1"), ("table_1", "table_2", "fridge_1"), ("lamp_1",)
THINGS = ("mug_1", "mug_2", "apple_1", "apple_2", "bowl_1")
KINDS = {
    **dict.fromkeys(ROOMS, Kind.ROOM),
    **dict.fromkeys(PLACES, Kind.RECEPTACLE),
    "lamp_1": Kind.FIXTURE,
    **dict.fromkeys(THINGS, Kind.OBJECT),
}
ENTITIES = {"hand": HAND, **{e: Entity(e, e.rpartition("_")[0], k) for e, k in KINDS.items()}}
CATEGORIES = sorted({e.category for e in ENTITIES.values() if e.kind is not Kind.HAND})
ATTRIBUTES = ("heated", "dirty")


@st.composite
def situations(draw):
    parents = {p: Parent(draw(st.sampled_from(ROOMS)), Relation.ROOM) for p in (*PLACES, *LAMPS)}
    in_hand = draw(st.sampled_from((None, *THINGS)))
    for thing in THINGS:
        options = [*(Parent(p, Relation.IN if p == "fridge_1" else Relation.ON) for p in PLACES), Parent("kitchen_1", Relation.ROOM)]
        options += [Parent("bowl_1", Relation.IN)] * (thing != "bowl_1")
        parents[thing] = Parent("hand", Relation.HELD) if thing == in_hand else draw(st.sampled_from(options))
    values = {(t, a): draw(st.booleans()) for t in THINGS for a in ATTRIBUTES} | {("lamp_1", "on"): draw(st.booleans())}
    return Situation(Snapshot(parents, values), ENTITIES, draw(st.sampled_from((None, *ROOMS, *PLACES))))


def queries():
    filters = st.lists(st.tuples(st.sampled_from(ATTRIBUTES), st.booleans()), max_size=1).map(tuple)
    return st.one_of(
        st.builds(ObjectQuery, st.sampled_from(CATEGORIES), attributes=filters),
        st.sampled_from((*THINGS, *PLACES)).map(lambda e: ObjectQuery(ENTITIES[e].category, e)),
    )


def expressions(variables=(), depth=3):
    terms = st.sampled_from((*variables, *variables, *THINGS[:2], "table_1", "fridge_1"))
    relations = st.sampled_from((Relation.IN, Relation.ON))
    leaves = [st.builds(Related, terms, relations, terms), st.builds(Has, terms, st.sampled_from(ATTRIBUTES), st.booleans())]
    leaves += [st.builds(held, terms), st.builds(Here, terms)]
    if depth == 0:
        return st.one_of(leaves)
    inner = st.deferred(lambda: expressions(variables, depth - 1))
    var = f"?{'xyz'[3 - depth]}"
    below = st.deferred(lambda: expressions((*variables, var), depth - 1))
    parts = st.lists(inner, max_size=3).map(tuple)
    counts = st.tuples(st.integers(0, 2), st.one_of(st.none(), st.integers(2, 3)))
    return st.one_of(
        *leaves,
        st.builds(AllOf, parts),
        st.builds(AnyOf, parts),
        st.builds(Not, inner),
        st.builds(Exists, st.just(var), queries(), below),
        st.builds(ForAll, st.just(var), queries(), below),
        st.builds(lambda q, b, n: Count(var, q, b, *n), queries(), below, counts),
    )


def brute(e, s, env):
    """The same meaning read off the JSON form, with nothing but sets of facts."""
    facts = {(t, p.relation.value, p.id) for t, p in s.state.parents.items()}
    state = s.state.attributes

    def rooms(x):
        reach, new = set(), {x} if x else set()
        while new:
            reach |= new
            new = ({o for t, _, o in facts if t in new} | ({s.at} if "hand" in new and s.at else set())) - reach
        return reach & set(ROOMS)

    val = lambda t: env[t] if t[0] == "?" else t  # noqa: E731
    match e["op"]:
        case "related":
            return (val(e["thing"]), e["relation"], val(e["place"])) in facts
        case "has":
            return (val(e["thing"]), e["attribute"]) in state and state[val(e["thing"]), e["attribute"]] == e["value"]
        case "here":
            return bool(rooms(val(e["place"])) & rooms(s.at))
        case "all":
            return False not in [brute(p, s, env) for p in e["parts"]]
        case "any":
            return True in [brute(p, s, env) for p in e["parts"]]
        case "not":
            return not brute(e["part"], s, env)
    over = e["over"]
    domain = [x for x in ENTITIES.values() if x.category == over["category"] and over["instance"] in (None, x.id)]
    domain = [x.id for x in domain if all(state.get((x.id, a)) == v for a, v in over["attributes"])]
    good = [x for x in domain if brute(e["body"], s, {**env, e["var"]: x})]
    if e["op"] == "exists":
        return good != []
    if e["op"] == "forall":
        return good == domain
    return len(good) >= e["least"] and (e["most"] is None or len(good) <= e["most"])


@settings(max_examples=300, deadline=None)
@given(expressions(), situations())
def test_holds_as_logic_says_and_progress_is_full_exactly_then(expression, now):
    expected = brute(json.loads(json.dumps(c.to_dict(expression))), now, {})
    assert holds(expression, now) is expected
    met, total = c.progress(expression, now)
    assert 0 <= met <= total and (met == total) is expected


@settings(max_examples=150, deadline=None)
@given(expressions())
def test_json_keeps_a_condition(expression):
    assert c.from_dict(json.loads(json.dumps(c.to_dict(expression)))) == expression
    assert c.free_variables(expression) == frozenset()


def heated_apple_in_fridge():
    inside = Exists("?p", ObjectQuery("fridge"), Related("?x", Relation.IN, "?p"))
    return Exists("?x", ObjectQuery("apple"), AllOf((Has("?x", "heated"), inside)))


def world(parents, **heated):
    rest = {t: Parent("kitchen_1", Relation.ROOM) for t in KINDS if t not in parents and KINDS[t] is not Kind.ROOM}
    return Situation(Snapshot(rest | parents, {(t, "heated"): v for t, v in heated.items()}), ENTITIES, "kitchen_1")


def test_both_on_one_apple():
    fridge = Parent("fridge_1", Relation.IN)
    assert not holds(heated_apple_in_fridge(), world({"apple_1": fridge}, apple_1=False, apple_2=True))
    assert holds(heated_apple_in_fridge(), world({"apple_1": fridge}, apple_1=True, apple_2=False))


def test_two_on_one_and_the_same_table_count_singly():
    task = Exists("?p", ObjectQuery("table"), Count("?x", ObjectQuery("mug"), Related("?x", Relation.ON, "?p"), 2))
    one, two = Parent("table_1", Relation.ON), Parent("table_2", Relation.ON)
    assert c.progress(task, world({"mug_1": one, "mug_2": two})) == (1, 2)
    assert c.progress(task, world({"mug_1": two, "mug_2": two})) == (2, 2)


def test_a_limit_costs_one_and_what_is_nowhere_counts_as_open():
    at_most_one = Count("?x", ObjectQuery("mug"), Related("?x", Relation.ROOM, "kitchen_1"), 1, 1)
    assert c.progress(at_most_one, world({})) == (0, 1)
    nowhere = Exists("?p", ObjectQuery("safe"), Count("?x", ObjectQuery("mug"), Related("?x", Relation.IN, "?p"), 2))
    assert c.progress(nowhere, world({})) == (0, 1)


def test_under_the_lamp_with_a_thing_in_hand():
    task = AllOf((Exists("?x", ObjectQuery("mug"), held("?x")), Exists("?l", ObjectQuery("lamp"), AllOf((Has("?l", "on"), Here("?l"))))))
    state = Snapshot({"mug_1": Parent("hand", Relation.HELD), "lamp_1": Parent("bedroom_1", Relation.ROOM)}, {("lamp_1", "on"): True})
    assert not holds(task, Situation(state, ENTITIES, "kitchen_1"))
    assert not holds(task, Situation(state, ENTITIES))
    assert holds(task, Situation(state, ENTITIES, "lamp_1"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Has("?x", "wet"),
        lambda: Exists("x", ObjectQuery("mug"), held("x")),
        lambda: Exists("?", ObjectQuery("mug"), held("?")),
        lambda: Exists("?x", ObjectQuery("mug", name="m"), held("?x")),
        lambda: Count("?x", ObjectQuery("mug"), held("?x"), 2, 1),
        lambda: c.free_variables(Exists("?x", ObjectQuery("mug"), Exists("?x", ObjectQuery("bowl"), held("?x")))),
        lambda: Task("t", "x", (), success=held("?x")),
        lambda: holds(held("?x"), world({})),
        lambda: c.from_dict({"op": "held"}),
        lambda: c.from_dict({"op": "has", "thing": "?x"}),
        lambda: c.from_dict([]),
        lambda: ObjectQuery("mug", attributes=(("wet", True),)),
        lambda: Goal("g", ObjectQuery("bowl", name="a"), ObjectQuery("bowl", name="a"), Relation.IN),
        lambda: Task(
            "t", "x", tuple(Goal(q, ObjectQuery(q, name="n"), attribute="dirty") for q in ("mug", "bowl"))
        ),
    ],
)  # fmt: skip
def test_ill_formed_is_refused(make):
    with pytest.raises(SymbolError):
        make()


# ---- goals with names ------------------------------------------------------------------------------------------------


@st.composite
def agendas(draw):
    names = {"mug": ("m", "n"), "apple": ("a", "b"), "bowl": ("o",)}
    out = []
    for i in range(draw(st.integers(1, 5))):
        thing = draw(st.sampled_from(("mug", "apple")))
        query = ObjectQuery(thing, name=draw(st.sampled_from((None, *names[thing]))))
        if draw(st.booleans()):
            out.append(Goal(f"g{i}", query, attribute=draw(st.sampled_from(ATTRIBUTES)), value=draw(st.booleans())))
            continue
        place = draw(st.sampled_from(("table", "fridge", "bowl")))
        target = ObjectQuery(place, name=draw(st.sampled_from((None, *names.get(place, ())))))
        out.append(Goal(f"g{i}", query, target, Relation.ON if place == "table" else Relation.IN))
    return out


def brute_satisfied(goals, now):
    """Try every (witness, place) or nothing for every goal."""
    best = 0
    choices = []
    for g in goals:
        mine = [None]
        for e, entity in ENTITIES.items():
            if not g.query.matches(entity):
                continue
            if g.target is None:
                mine += [(e, None)] * (now.state.attributes.get((e, g.attribute)) is g.value)
            else:
                p = now.state.parents.get(e)
                mine += [(e, p.id)] * (p is not None and p.relation is g.relation and g.target.matches(ENTITIES[p.id]))
        choices.append(mine)
    for pick in product(*choices):
        if (size := sum(p is not None for p in pick)) <= best:
            continue
        meant, rivals, ok = {}, set(), True
        for g, p in zip(goals, pick, strict=True):
            if p is None:
                continue
            slot = (g.query, g.target, g.relation, g.attribute, g.value, p[0])
            ok &= slot not in rivals
            rivals.add(slot)
            for q, e in ((g.query, p[0]), (g.target, p[1])):
                if q is not None and q.name is not None:
                    ok &= meant.setdefault(q.name, e) == e
        if ok and len(set(meant.values())) == len(meant):
            best = size
    return best


@settings(max_examples=200, deadline=None)
@given(agendas(), situations())
def test_as_many_goals_as_possible_hold_under_one_meaning_of_the_names(goals, now):
    found = satisfied(goals, now.state, ENTITIES)
    assert len(found) == brute_satisfied(goals, now)
    assert Task("t", "x", tuple(goals)).done(now) is (len(found) == len(goals))


def test_task_json_keeps_names_and_success():
    goal = Goal("a", ObjectQuery("apple", name="x"), attribute="heated")
    task = Task("t", "x", (goal,), success=heated_apple_in_fridge())
    assert Task.from_dict(json.loads(json.dumps(task.to_dict()))) == task
