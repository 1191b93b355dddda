"""Clauses: what a task asks for, with its goals (for the agent) and its conditions (for the scorer); ALFRED's seven types and more.

A maker gets `Ref`s, ways to speak of the things and places meant, so the same clause serves every subset. The conditions are those of
EB-ALFRED: a heated thing in place counts three (in place; heated; both of one thing), a sliced one one more, two things two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mimir_learn.symbols import (
    HAND,
    AllOf,
    Condition,
    Count,
    Exists,
    ForAll,
    Goal,
    Has,
    Here,
    ObjectQuery,
    Related,
    Relation,
    held,
)

from .refer import Ref
from .wording import choice, say
from .world import World

_DONE_WITH = {"heated": "heat warm+up heat+up", "cooled": "cool chill cool+down", "cleaned": "wash rinse clean"}
_PARTICIPLE = {"heated": "[heated|warmed-up|hot]", "cooled": "[chilled|cooled|cold]", "cleaned": "[washed|freshly washed|rinsed]"}


@dataclass(frozen=True)
class Clause:
    """A part of an instruction.

    Attributes:
        kind: what it asks for.
        text: an imperative without capital or full stop, that joins with others.
        goals: agenda; ids and names are the clause's own until clauses are joined.
        conditions: what the scorer counts, each a closed `Condition`.
        things, places: ids the clause was made for; other clauses of a task must leave them alone.
        refs: the expressions used.
    """

    kind: str
    text: str
    goals: tuple[Goal, ...]
    conditions: tuple[Condition, ...]
    things: tuple[str, ...]
    places: tuple[str, ...]
    refs: tuple[Ref, ...] = ()

    def prefixed(self, by: str) -> Clause:
        """With ids and names that no other clause has."""

        def own(query: ObjectQuery) -> ObjectQuery:
            return query if query.name is None else replace(query, name=f"{by}{query.name}")

        goals = tuple(
            replace(g, id=f"{by}{g.id}", after=tuple(f"{by}{a}" for a in g.after), query=own(g.query), target=g.target and own(g.target))
            for g in self.goals
        )
        return replace(self, goals=goals)


# ---- conditions ----------------------------------------------------------------------------------------------------------


def plain_query(query: ObjectQuery, *attributes: tuple[str, bool]) -> ObjectQuery:
    """Without its name, and with more attributes."""
    return replace(query, name=None, attributes=(*query.attributes, *attributes))


def some(query: ObjectQuery, *bodies: Condition, var: str = "?x") -> Condition:
    """There is one that all of this is true of."""
    return Exists(var, plain_query(query), bodies[0] if len(bodies) == 1 else AllOf(bodies))


def located(thing: str, relation: Relation, place: ObjectQuery, var: str = "?p") -> Condition:
    """``thing`` is directly in or on such a place."""
    return Exists(var, plain_query(place), Related(thing, relation, var))


def _at(world: World, thing: str, where: Ref) -> Condition:
    return located(thing, world.relation(where.id), where.query)


# ---- goals ---------------------------------------------------------------------------------------------------------------


def bring(world: World, goal_id: str, thing: Ref, where: Ref, after: Sequence[str] = (), source: str | None = None) -> Goal:
    return Goal(goal_id, thing.query, where.query, world.relation(where.id), source=source, after=tuple(after))


def make(goal_id: str, thing: Ref, attribute: str, value: bool = True, after: Sequence[str] = ()) -> Goal:
    return Goal(goal_id, thing.query, attribute=attribute, value=value, after=tuple(after))


# ---- words ---------------------------------------------------------------------------------------------------------------


def doing(rng: np.random.Generator, verbs: str, what: str) -> str:
    """ "warm up a mug", but "warm it up": ``verbs`` are words in a row, "+" before a particle."""
    verb, _, particle = choice(rng, verbs.split()).partition("+")
    return f"{verb} {what} {particle}".rstrip() if what in ("it", "them") else f"{verb} {particle} {what}".replace("  ", " ")


def treating(rng: np.random.Generator, effect: str, what: str) -> str:
    """ "heat the apple", "cool it down"."""
    return doing(rng, _DONE_WITH[effect], what)


def cutting(rng: np.random.Generator, what: str) -> str:
    return doing(rng, "cut slice cut+up", what)


def _pieces(rng: np.random.Generator, thing: Ref) -> tuple[str, str]:
    """How to speak of a cut thing the next time and the time after that."""
    return choice(rng, (("it", "it"), ("the pieces", "them"), ("the slices", "them"), (f"the {thing.name}" if thing.name else "it", "it")))


def _the(ref: Ref, otherwise: str) -> str:
    """ "the mug", where it was called a mug before; else ``otherwise``."""
    return f"the {ref.name}" if ref.name else otherwise


# ---- the seven types of ALFRED -------------------------------------------------------------------------------------------


def place(world: World, rng: np.random.Generator, thing: Ref, where: Ref, *, cut: bool = False, source: str | None = None) -> Clause:
    """One thing somewhere; ``cut``: sliced before."""
    if cut:
        return _cut_and_place(world, rng, thing, where)
    templates = (
        "[put|place|set|leave] {what} {at}",
        "[bring|take|carry|move] {what} {to}",
        "[find|get|fetch] {what} and [put|leave|set] {it} {at}",
    )
    template = templates[2] if thing.located else choice(rng, templates)
    text = say(rng, template, what=thing.text, at=where.at, to=where.to, it=thing.again)
    condition = some(thing.query, _at(world, "?x", where))
    return Clause(
        "place", text, (bring(world, "put", thing, where, source=source),), (condition,), (thing.id,), (where.id,), (thing, where)
    )


def _cut_and_place(world: World, rng: np.random.Generator, thing: Ref, where: Ref) -> Clause:
    x = thing.named("x")
    goals = (make("cut", x, "sliced"), bring(world, "put", x, where, ("cut",)))
    pieces_of, _ = _pieces(rng, thing)
    text = say(rng, "{cut} and [put|lay|leave] {it} {where}", cut=cutting(rng, thing.text), it=pieces_of, where=where.at)
    pieces = plain_query(thing.query, ("sliced", True))
    conditions = (some(pieces, _at(world, "?x", where)), some(thing.query, Has("?x", "sliced")))
    return Clause("place_sliced", text, goals, conditions, (thing.id,), (where.id,), (thing, where))


def two(world: World, rng: np.random.Generator, things: Ref, where: Ref, ids: Sequence[str]) -> Clause:
    """Several of one category to one and the same place; all of the house's where the expression says so (FORALL)."""
    one_place = where.named("p")
    goals = tuple(bring(world, f"put{i}", things, one_place) for i in range(len(ids)))
    template = choice(
        rng,
        (
            "[put|place|leave|gather] {what} {at}",
            "[bring|take|move] {what} {to}",
            "[find|collect|fetch] {what} and [put|leave] them {at}",
        ),
    )
    text = say(rng, template, what=things.text, at=where.at, to=where.to)
    every = things.style == "all"
    related = Related("?x", world.relation(where.id), "?p")
    query = plain_query(things.query)
    body: Condition = Count("?x", query, related, len(ids)) if not every else _all(query, related)
    condition = Exists("?p", plain_query(where.query), body)
    return Clause("all" if every else "two", text, goals, (condition,), tuple(ids), (where.id,), (things, where))


def _all(query: ObjectQuery, body: Condition) -> Condition:
    return ForAll("?x", query, body)


def look(world: World, rng: np.random.Generator, thing: Ref, lamp: Ref) -> Clause:
    """A thing in the hand, under a lamp that is on."""
    hand = ObjectQuery(HAND.category)
    goals = (Goal("take", thing.query, hand, Relation.HELD), make("light", lamp, "on", after=("take",)))
    template = (
        "[look at|examine|inspect] {what} [in the light of|under|by the light of] {lamp}"
        if rng.random() < 0.6 and not thing.located
        else "[pick up|take] {what} and [turn on|switch on] {lamp} to [look at it|see it better|inspect it]"
    )
    text = say(rng, template, what=thing.text, lamp=lamp.text)
    shining = some(lamp.query, Has("?l", "on"), Here("?l"), var="?l")
    return Clause("look", text, goals, (some(thing.query, held("?x")), shining), (thing.id,), (lamp.id,), (thing, lamp))


def treat(world: World, rng: np.random.Generator, effect: str, thing: Ref, where: Ref, *, cut: bool = False) -> Clause:
    """A thing heated, cooled or cleaned, then somewhere; ``cut``: sliced before."""
    x = thing.named("x")
    goals = [make(effect, x, effect, after=("cut",) if cut else ())]
    goals.append(bring(world, "put", x, where, (effect,)))
    if cut:
        goals.insert(0, make("cut", x, "sliced"))
        once, again = _pieces(rng, thing)
        first = f"{cutting(rng, thing.text)}, {treating(rng, effect, once)}"
        text = say(rng, "{first} and [put|leave] {it} {where}", first=first, it=again, where=where.at)
    elif rng.random() < 0.7 or thing.style not in ("plain", "colour", "size"):
        do = treating(rng, effect, thing.text)
        text = say(rng, "{do} [and|, then] [put|place|leave|set] {it} {where}", do=do, it=thing.again, where=where.at)
    else:
        article, _, rest = thing.text.partition(" ")
        adjective = say(rng, _PARTICIPLE[effect])
        article = ("an" if adjective[0] in "aeiou" else "a") if article in ("a", "an") else article
        text = say(rng, "[put|place|set] {what} {where}", what=f"{article} {adjective} {rest}", where=where.at)
    query = plain_query(thing.query, ("sliced", True)) if cut else plain_query(thing.query)
    conditions = [
        some(query, _at(world, "?x", where)),
        some(query, Has("?x", effect)),
        some(query, Has("?x", effect), _at(world, "?x", where)),
    ]
    if cut:
        conditions.append(some(thing.query, Has("?x", "sliced")))
    kind = {"heated": "heat", "cooled": "cool", "cleaned": "clean"}[effect] + ("_sliced" if cut else "")
    return Clause(kind, text, tuple(goals), tuple(conditions), (thing.id,), (where.id,), (thing, where))


def stack(world: World, rng: np.random.Generator, thing: Ref, holder: Ref, where: Ref, *, cut: bool = False) -> Clause:
    """A thing in or on a movable receptacle, and that somewhere."""
    x, y = thing.named("x"), holder.named("y")
    relation = world.relation(holder.id)
    goals = [Goal("in", x.query, y.query, relation, after=("cut",) if cut else ()), bring(world, "put", y, where, ("in",))]
    if cut:
        goals.insert(0, make("cut", x, "sliced"))
    first, it = say(rng, "[put|place] {what}", what=thing.text), "it"
    if cut:
        it, _ = _pieces(rng, thing)
        first = say(rng, "{cut}, [put|lay] {it}", cut=cutting(rng, thing.text), it=it)
    elif thing.located:
        first = say(rng, "[get|fetch|find] {what}, [put|place] it", what=thing.text)
    first += f" {relation.value} {holder.text}"
    template = choice(rng, ("{first} and [put|set] {again} {at}", "{first} and [bring|take|carry] {again} {to}"))
    text = say(rng, template, first=first, again=_the(holder, "both"), at=where.at, to=where.to)
    if not cut and rng.random() < 0.3 and thing.style == holder.style == "plain":
        template = "[bring|take|carry] {holder} with {what} " + relation.value + " it {to}"
        text = say(rng, template, what=thing.text, holder=holder.text, to=where.to)
    query = plain_query(thing.query, ("sliced", True)) if cut else plain_query(thing.query)
    inside = Exists("?y", plain_query(holder.query), Related("?x", relation, "?y"))
    moved = some(holder.query, _at(world, "?y", where), var="?y")
    both = Exists("?y", plain_query(holder.query), AllOf((some(query, Related("?x", relation, "?y")), _at(world, "?y", where))))
    conditions = [some(query, inside), moved, both]
    if cut:
        conditions.append(some(thing.query, Has("?x", "sliced")))
    kind = "stack_sliced" if cut else "stack"
    return Clause(kind, text, tuple(goals), tuple(conditions), (thing.id, holder.id), (where.id,), (thing, holder, where))


# ---- places, devices and liquids -----------------------------------------------------------------------------------------


def state(world: World, rng: np.random.Generator, thing: Ref, attribute: str, value: bool) -> Clause:
    """Open, close or switch a place or device."""
    verbs = {
        ("open", True): "[open {x}|open {x} and leave {it} open|see to it that {x} is open]",
        ("open", False): "[close {x}|shut {x}|see to it that {x} is closed]",
        ("on", True): "[turn on {x}|switch on {x}|make sure {x} is on]",
        ("on", False): "[turn off {x}|switch off {x}|make sure {x} is off]",
    }
    text = say(rng, verbs[attribute, value], x=thing.text, it=thing.again)
    kind = "toggle" if attribute == "on" else "open" if value else "close"
    return Clause(
        kind, text, (make("set", thing, attribute, value),), (some(thing.query, Has("?x", attribute, value)),), (), (thing.id,), (thing,)
    )


def put_and_close(world: World, rng: np.random.Generator, thing: Ref, where: Ref, *, close: bool = True) -> Clause:
    """Into something that opens, and that left closed (or open) afterwards."""
    p = where.named("p")
    value = not close
    put = bring(world, "put", thing, p)
    first = "[get|fetch|find] {what}, [put|store|stow] it {where}" if thing.located else "[put|store|stow] {what} {where}"
    rest = "[and close it|, then shut it|and leave it closed]" if close else "[and leave it open|, but do not close it]"
    text = say(rng, f"{first} {rest}", what=thing.text, where=where.at)
    inside = Exists("?p", plain_query(where.query), some(thing.query, Related("?x", world.relation(where.id), "?p")))
    both = Exists(
        "?p", plain_query(where.query), AllOf((some(thing.query, Related("?x", world.relation(where.id), "?p")), Has("?p", "open", value)))
    )
    goals = (put, make("door", p, "open", value, ("put",)))
    return Clause("put_and_close", text, goals, (inside, both), (thing.id,), (where.id,), (thing, where))


def filling(rng: np.random.Generator, vessel: Ref) -> str:
    """ "fill up a mug", "fill the kettle with water"."""
    return say(rng, "fill {what} with water" if vessel.name and rng.random() < 0.6 else "[fill|fill up] {what}", what=vessel.text)


def fill(world: World, rng: np.random.Generator, vessel: Ref, where: Ref | None) -> Clause:
    """A vessel filled with water, then somewhere (or left where one likes)."""
    x = vessel.named("x")
    filled = make("fill", x, "filled")
    if where is None:
        text = say(rng, "[fill {what}|fill {what} with water|fill up {what} at a tap]", what=vessel.text)
        return Clause("fill", text, (filled,), (some(vessel.query, Has("?x", "filled")),), (vessel.id,), (), (vessel,))
    it = _the(vessel, "it")  # not the water
    text = say(rng, "{fill} and [put|set|leave] {it} {where}", fill=filling(rng, vessel), it=it, where=where.at)
    conditions = (
        some(vessel.query, _at(world, "?x", where)),
        some(vessel.query, Has("?x", "filled")),
        some(vessel.query, Has("?x", "filled"), _at(world, "?x", where)),
    )
    goals = (filled, bring(world, "put", x, where, ("fill",)))
    return Clause("fill", text, goals, conditions, (vessel.id,), (where.id,), (vessel, where))


def empty(world: World, rng: np.random.Generator, vessel: Ref) -> Clause:
    """What a vessel is filled with poured away."""
    text = say(rng, "[empty {what}|pour away what is in {what}|pour out {what}]", what=vessel.text)
    condition = some(vessel.query, Has("?x", "filled", False))
    return Clause("empty", text, (make("empty", vessel, "filled", False),), (condition,), (vessel.id,), (), (vessel,))


def slice_(world: World, rng: np.random.Generator, thing: Ref) -> Clause:
    """Cut something up where it is."""
    text = cutting(rng, thing.text)
    return Clause("slice", text, (make("cut", thing, "sliced"),), (some(thing.query, Has("?x", "sliced")),), (thing.id,), (), (thing,))
