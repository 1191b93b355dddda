"""Sequences: things to be done in turn, some undoing what was done before, so that the state of the house does not tell how far one is.

Every task passes twice through the same state (of all that its goals are about) with something else to do next: the lamp is off before
it has been flashed and after. No policy that only looks at how things are can do it, however well it knows the world; one has to remember
what has been done. `again` finds the two moments; a draft without them is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mimir_learn.symbols import (
    HAND,
    AllOf,
    Condition,
    Course,
    Goal,
    Has,
    Here,
    Kind,
    ObjectQuery,
    Relation,
    Situation,
    held,
    holds,
)

from . import choose, clauses, refer
from .clauses import Clause, bring, located, make, plain_query, some
from .compose import Draft, compatible
from .refer import Ref
from .simple import PLAIN, any_kind, clause, target
from .wording import choice, say
from .world import World


@dataclass(frozen=True)
class Part:
    """What is to be done in turn with one thing or device, before or without an errand.

    Attributes:
        clause: words and goals, in order; its ``conditions`` are the stages, about the variable ``?x``.
        given: whom ``?x`` may stand for.
        left: what must be so in the end.
        complete: it needs no errand behind it.
    """

    clause: Clause
    given: ObjectQuery
    left: Condition
    complete: bool = False


Maker = Callable[[World, np.random.Generator], Part | None]
_JOINTS = (", and only then {e}", ", and then {e}", "; after that, {e}", "; when that is done, {e}")
_ERRANDS = {"place": 3.0, "turn_on": 1.0, "turn_off": 1.0, "close": 0.7, "open": 0.4}


def draft(world: World, rng: np.random.Generator) -> Draft | None:
    """A part, and where the end would not tell that it was done, an errand that must come after it."""
    kind = any_kind(rng, WEIGHTS)
    part = _MAKERS[kind](world, rng)
    if part is None:
        return None
    if part.complete:
        made = Draft(kind, (part.clause,), course=Course((("?x", part.given),), part.clause.conditions, part.left))
    else:
        errand = _errand(world, rng, part.clause)
        if errand is None:
            return None
        course = Course((("?x", part.given),), (*part.clause.conditions, *errand.conditions), AllOf((part.left, *errand.conditions)))
        text = part.clause.text + choice(rng, _JOINTS).format(e=errand.text)
        made = Draft(kind, (part.clause, errand), text, course=course)
    if not _ahead(world, made):
        return None
    goals = [g for c in made.clauses for g in c.goals]
    twice = again(world, goals, [e for c in made.clauses for e in (*c.things, *c.places)])
    return None if twice is None else replace(made, more={"again": list(twice)})


def _errand(world: World, rng: np.random.Generator, before: Clause) -> Clause | None:
    for _ in range(6):
        made = clause(any_kind(rng, _ERRANDS), world, rng)
        if made is not None and compatible(world, (before, made)):
            return made
    return None


def _ahead(world: World, made: Draft) -> bool:
    """Whether neither the first stage nor the last one holds at the start, whoever is meant."""
    assert made.course is not None
    now = Situation(world.state, world.entities)
    ends = (made.course.stages[0], made.course.stages[-1])
    return not any(holds(stage, now, given) for given in made.course.choices(now) for stage in ends)


# ---- the same state twice ------------------------------------------------------------------------------------------------


def again(world: World, goals: Sequence[Goal], meant: Sequence[str]) -> tuple[int, int] | None:
    """The first two goals (counted from 1, not both the same) before which everything that the goals are about is as it was; None: never.

    Args:
        goals: in the order in which they are to be reached. meant: the things and places the task was made for.
    """

    def subject(query: ObjectQuery) -> str:
        fit = (e for e in meant if world.entities[e].category == query.category and query.instance in (None, e))
        return next(fit, query.category)

    def place(goal: Goal) -> frozenset[str]:
        assert goal.target is not None
        return frozenset({HAND.id}) if goal.target.category == HAND.category else frozenset(_fitting(world, goal.target))

    now: dict[tuple[str, str], object] = {}
    for goal in goals:
        thing = subject(goal.query)
        if goal.attribute is None:
            now[thing, "place"] = frozenset({world.parent(thing)})
        else:
            now[thing, goal.attribute] = world.is_(thing, goal.attribute)
    before = []
    for goal in goals:
        before.append(dict(now))
        thing = subject(goal.query)
        if goal.attribute is None:
            now[thing, "place"] = place(goal)
            continue
        now[thing, goal.attribute] = goal.value
        undone = {a for r in world.vocabulary.rules if r.effect == goal.attribute and goal.value for a in r.clears}
        now.update({(thing, a): False for a in undone if (thing, a) in now})
    for j in range(len(goals)):
        for i in range(j):
            if before[i] == before[j] and _asks(goals[i]) != _asks(goals[j]):
                return i + 1, j + 1
    return None


def _fitting(world: World, query: ObjectQuery) -> list[str]:
    return [e.id for e in world.alike(query.category) if query.instance in (None, e.id)]


def _asks(goal: Goal) -> tuple[object, ...]:
    return goal.query, goal.target, goal.attribute, goal.value


# ---- there and back --------------------------------------------------------------------------------------------------------


def _movable(world: World, rng: np.random.Generator) -> tuple[Ref, Ref] | None:
    """The only thing of its category, lying at a fixed place that can be named, and that place."""

    def fit(t: str) -> bool:
        return world.alone(t) and world.parent(t) == world.place(t) and world.entities[world.parent(t)].kind is Kind.RECEPTACLE

    for thing in choose.things(world, rng, fit):
        home = refer.exact_place(world, rng, world.parent(thing))
        if home is not None:
            return refer.plain_thing(world, rng, thing), home
    return None


def _elsewhere(world: World, rng: np.random.Generator, thing: Ref, avoid: Sequence[str] = ()) -> Ref | None:
    """One exact place for ``thing`` to go to, other than where it is."""
    for place in choose.targets(world, rng, [thing.id], avoid=avoid):
        found = refer.exact_place(world, rng, place)
        if found is not None:
            return found
    return None


def _back(rng: np.random.Generator, home: Ref) -> str:
    return choice(rng, ("where it was", home.at))


def _at(world: World, place: Ref) -> Condition:
    return located("?x", world.relation(place.id), place.query)


def _moves(world: World, kind: str, text: str, thing: Ref, places: Sequence[Ref]) -> Part:
    """``thing`` to each of ``places`` in turn."""
    x = thing.named("x")
    goals = tuple(bring(world, f"s{i}", x, place) for i, place in enumerate(places))
    stages = tuple(_at(world, place) for place in places)
    ids = tuple(dict.fromkeys(p.id for p in places))
    return Part(Clause(kind, text, goals, stages, (thing.id,), ids, (thing, *places)), plain_query(thing.query), stages[-1])


def _and_back(world: World, rng: np.random.Generator) -> Part | None:
    """Somewhere and back to where it was."""
    found = _movable(world, rng)
    there = None if found is None else _elsewhere(world, rng, found[0])
    if found is None or there is None:
        return None
    thing, home = found
    text = say(
        rng,
        "[take|carry|bring] {what} {to} and put it back {back}",
        what=thing.text, to=there.to, back=_back(rng, home),
    )  # fmt: skip
    return _moves(world, "and_back", text, thing, (there, home))


def _by_way(world: World, rng: np.random.Generator) -> Part | None:
    """Somewhere, back to where it was, and from there to another place."""
    found = _movable(world, rng)
    there = None if found is None else _elsewhere(world, rng, found[0])
    last = None if found is None or there is None else _elsewhere(world, rng, found[0], (there.id,))
    if found is None or there is None or last is None:
        return None
    thing, home = found
    text = say(
        rng,
        "[take|carry|bring] {what} {to}, put it back {back}, and then [put|leave|set] it {last}",
        what=thing.text, to=there.to, back=_back(rng, home), last=last.at,
    )  # fmt: skip
    return replace(_moves(world, "by_way", text, thing, (there, home, last)), complete=True)


def _rounds(world: World, rng: np.random.Generator) -> Part | None:
    """To a first place, a second, the first again, and then to a third."""
    found = _movable(world, rng)
    if found is None:
        return None
    thing, _ = found
    places: list[Ref] = []
    for _ in range(3):
        place = _elsewhere(world, rng, thing, [p.id for p in places])
        if place is None:
            return None
        places.append(place)
    first, second, third = places
    text = say(
        rng,
        "[take|carry|bring] {what} {first}, from there {second}, back {first} again, and then [put|leave|set] it {third}",
        what=thing.text, first=first.to, second=second.to, third=third.at,
    )  # fmt: skip
    return replace(_moves(world, "rounds", text, thing, (first, second, first, third)), complete=True)


def _look_and_back(world: World, rng: np.random.Generator) -> Part | None:
    """Looked at under a lamp, the lamp switched off again, the thing put back."""
    found = _movable(world, rng)
    off = [e.id for e in choose.devices(world, "on", False) if e.category in ("lamp", "desk_lamp")]
    named = (refer.exact_place(world, rng, d) for d in choose.shuffled(rng, off, lambda _: 1.0))
    lamp = next((r for r in named if r is not None), None)
    if found is None or lamp is None:
        return None
    thing, home = found
    x = thing.named("x")
    goals = (
        Goal("take", x.query, ObjectQuery(HAND.category), Relation.HELD),
        make("light", lamp, "on"),
        make("dark", lamp, "on", False),
        bring(world, "back", x, home),
    )
    shining = some(lamp.query, Has("?l", "on"), Here("?l"), var="?l")
    dark = some(lamp.query, Has("?l", "on", False), var="?l")
    stages = (AllOf((held("?x"), shining)), dark, _at(world, home))
    text = say(
        rng,
        "[look at|examine|inspect] {what} under {lamp}, [switch|turn] the light off again and put {what2} back {back}",
        what=thing.text, what2=f"the {thing.name}", lamp=lamp.text, back=_back(rng, home),
    )  # fmt: skip
    made = Clause("look_and_back", text, goals, stages, (thing.id,), (home.id, lamp.id), (thing, lamp, home))
    return Part(made, plain_query(thing.query), AllOf((dark, _at(world, home))))


# ---- on and off, open and closed ---------------------------------------------------------------------------------------------


def _to_and_fro(world: World, rng: np.random.Generator, kind: str, device: Ref, attribute: str, value: bool, words: str) -> Part:
    """``attribute`` made ``value`` and back, once or twice over."""
    times = 2 if rng.random() < 0.5 else 1
    flips = [v for _ in range(times) for v in (value, not value)]
    goals = tuple(make(f"s{i}", device, attribute, v) for i, v in enumerate(flips))
    stages = tuple(Has("?x", attribute, v) for v in flips)
    text = say(rng, words + ("[ twice|, twice over]" if times == 2 else ""), x=device.text)
    return Part(Clause(kind, text, goals, stages, (), (device.id,), (device,)), plain_query(device.query), stages[-1])


def _flash(world: World, rng: np.random.Generator) -> Part | None:
    """A lamp or television switched on and off again, or off and on."""
    ids = [e.id for e in choose.devices(world, "on") if e.category in ("lamp", "desk_lamp", "tv")]
    for device in choose.shuffled(rng, ids, lambda _: 1.0):
        ref = refer.exact_place(world, rng, device)
        if ref is not None:
            lit = world.is_(device, "on")
            words = "[switch|turn] {x} off and on again" if lit else "[switch|turn] {x} on and off again"
            return _to_and_fro(world, rng, "flash", ref, "on", not lit, words)
    return None


def _air(world: World, rng: np.random.Generator) -> Part | None:
    """Something with a door opened and closed again."""
    ids = [e.id for e in choose.devices(world, "open", False) if e.kind is Kind.RECEPTACLE]
    for device in choose.shuffled(rng, ids, lambda _: 1.0):
        ref = refer.exact_place(world, rng, device)
        if ref is not None:
            return _to_and_fro(world, rng, "air", ref, "open", True, "open and [close|shut] {x}")
    return None


# ---- states that come and go -------------------------------------------------------------------------------------------------


def _in_turn(world: World, kind: str, text: str, thing: Ref, steps: Sequence[tuple[str, bool]], where: Ref) -> Part:
    """States of one thing brought about in turn, and then it is put somewhere."""
    x = thing.named("x")
    goals = (*(make(f"s{i}", x, a, v) for i, (a, v) in enumerate(steps)), bring(world, "put", x, where))
    stages: tuple[Condition, ...] = (*(Has("?x", a, v) for a, v in steps), _at(world, where))
    left = AllOf((Has("?x", *steps[-1]), _at(world, where)))
    made = Clause(kind, text, goals, stages, (thing.id,), (where.id,), (thing, where))
    return Part(made, plain_query(thing.query), left, complete=True)


def _rinse(world: World, rng: np.random.Generator) -> Part | None:
    """A vessel filled and emptied, once or twice, then filled for good and set where it is wanted."""
    if not world.tools("pour"):
        return None

    def fit(t: str) -> bool:
        return choose.fillable(world, t) and not any(world.is_(o.id, "filled") for o in world.alike(world.entities[t].category))

    vessel_id = next(choose.things(world, rng, fit), None)
    if vessel_id is None:
        return None
    vessel = refer.plain_thing(world, rng, vessel_id)
    where = target(world, rng, PLAIN, [vessel_id], avoid=choose.of_categories(world, choose.NOT_FOR_FILLED))
    if where is None:
        return None
    times = 2 if rng.random() < 0.4 else 1
    steps = [("filled", True), ("filled", False)] * times + [("filled", True)]
    text = say(
        rng,
        "fill {what} with water and pour [it|the water] away{twice}, then fill [it|the {name}] [again|once more] and [put|set] it {at}",
        what=vessel.text, name=vessel.name, at=where.at, twice=", twice over" if times == 2 else "",
    )  # fmt: skip
    return _in_turn(world, "rinse", text, vessel, steps, where)


def _reheat(world: World, rng: np.random.Generator) -> Part | None:
    """Something heated, cooled and heated again (or the other way round), then put somewhere."""
    first, second = ("heated", "cooled") if rng.random() < 0.6 else ("cooled", "heated")
    for thing_id in choose.things(world, rng, lambda t: choose.can(world, t, "heated") and choose.can(world, t, "cooled")):
        if any(world.is_(o.id, a) for o in world.alike(world.entities[thing_id].category) for a in ("heated", "cooled")):
            continue
        avoid = choose.unfit(world, "heated", thing_id) | choose.unfit(world, "cooled", thing_id)
        where = target(world, rng, PLAIN, [thing_id], avoid=avoid)
        if where is None:
            continue
        thing = refer.plain_thing(world, rng, thing_id)
        text = ", ".join((clauses.treating(rng, first, thing.text), clauses.treating(rng, second, "it")))
        last = say(rng, "and [put|leave|set] it {at}", at=where.at)
        text = f"{text}, {clauses.treating(rng, first, 'it')} again {last}"
        return _in_turn(world, "reheat", text, thing, [(first, True), (second, True), (first, True)], where)
    return None


_MAKERS: dict[str, Maker] = {
    "and_back": _and_back,
    "by_way": _by_way,
    "rounds": _rounds,
    "look_and_back": _look_and_back,
    "flash": _flash,
    "air": _air,
    "rinse": _rinse,
    "reheat": _reheat,
}
WEIGHTS = {
    "and_back": 2.0, "by_way": 1.5, "rounds": 1.0, "look_and_back": 1.5, "flash": 1.0, "air": 1.0, "rinse": 2.0, "reheat": 1.5,
}  # fmt: skip
