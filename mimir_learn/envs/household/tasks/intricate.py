"""Complex instructions: every one has a condition, an exception, a clause that constrains, or something that must be left alone.

What the words rule out counts: the scorer checks it, and the house has at least one thing or branch that a hasty reader would take.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mimir_learn.symbols import Condition, Has, Kind, ObjectQuery, Related

from . import choose, clauses, refer
from .clauses import Clause
from .compose import Draft
from .refer import Ref
from .simple import PLAIN, Speech, any_kind, clause, target
from .wording import a_noun, choice, noun, number, plural, say
from .world import World

Twist = Callable[[World, np.random.Generator], Draft | None]


def draft(world: World, rng: np.random.Generator) -> Draft | None:
    """One twist, often with a sentence about something else around it."""
    found = _TWISTS[any_kind(rng, WEIGHTS)](world, rng)
    return None if found is None else _with_chatter(world, rng, found)


# ---- relative clauses ----------------------------------------------------------------------------------------------------


def _from_there(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the mug that is in the fridge": one of several, by what it lies in or on."""
    parent = world.parent(thing)
    category = world.entities[thing].category
    others = [e.id for e in world.alike(category) if e.id != thing]
    if not others or any(world.parent(o) == parent for o in others):
        return None
    where = refer.source_phrase(world, rng, thing)
    if where is None:
        return None
    text = say(rng, "the {thing} [that is|that lies|lying|which is] {where}", thing=noun(category, rng), where=where)
    return Ref(text, ObjectQuery(category, thing), (thing,), "it", style="source", given=f"{text} = {thing}")


def _such(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "a mug that is not dirty": any that has the attribute, where others have not."""
    category, options = world.entities[thing].category, []
    words = {
        ("dirty", False): "[that is not dirty|without a stain]",
        ("dirty", True): "that [is|has become] dirty",
        ("filled", False): "[that is empty|with nothing in it]",
        ("filled", True): "[that is already full|that somebody has filled]",
        ("sliced", False): "that has not been cut",
    }
    alike = [e.id for e in world.alike(category)]
    for (attribute, value), phrase in words.items():
        fit = [e for e in alike if world.state.attributes.get((e, attribute)) is value]
        if thing in fit and 1 <= len(fit) < len(alike):
            options.append((attribute, value, phrase, fit))
    if not options:
        return None
    attribute, value, phrase, fit = choice(rng, options)
    text = say(rng, f"{{thing}} {phrase}", thing=a_noun(noun(category, rng)) if len(fit) > 1 else f"the {noun(category, rng)}")
    query = ObjectQuery(category, None if len(fit) > 1 else thing, ((attribute, value),) if len(fit) > 1 else ())
    return Ref(text, query, (thing, *(e for e in fit if e != thing)), "it", style="such", given=f"{text} = {', '.join(sorted(fit))}")


def _relative(name: str, maker: refer.Maker, kinds: dict[str, float]) -> Twist:
    def twist(world: World, rng: np.random.Generator) -> Draft | None:
        made = clause(any_kind(rng, kinds), world, rng, Speech(maker, refer.plain_place))
        return None if made is None else Draft(name, (made,))

    return twist


# ---- conditions ----------------------------------------------------------------------------------------------------------


def _if(world: World, rng: np.random.Generator) -> Draft | None:
    """ "If the fridge is open, …; otherwise …": which branch holds is decided by the house as it is at the start."""
    fact = _a_fact(world, rng)
    branches = _alternatives(world, rng)
    if fact is None or branches is None:
        return None
    said, true = fact
    then, other = branches
    text = say(rng, "[If {fact}, {yes}; otherwise, {no}|{yes} if {fact}, or else {no}|In case {fact}, {yes}. If not, {no}]",
               fact=said, yes=then.text if true else other.text, no=other.text if true else then.text)  # fmt: skip
    return Draft("if", (then,), text, said=(f"{said} = {'yes' if true else 'no'}",))


def _a_fact(world: World, rng: np.random.Generator) -> tuple[str, bool] | None:
    """Something that is or is not so, to be seen on the way: an open door, a lit lamp, a thing in its place."""
    options: list[tuple[str, bool]] = []
    for device in choose.devices(world, "open"):
        name = refer.exact_place(world, rng, device.id)
        if name is not None:
            options.append((say(rng, "{x} is [open|not closed]", x=name.text), world.is_(device.id, "open")))
    for device in choose.devices(world, "on"):
        name = refer.exact_place(world, rng, device.id)
        if name is not None and device.category in ("lamp", "desk_lamp", "tv"):
            options.append((say(rng, "{x} is [on|switched on]", x=name.text), world.is_(device.id, "on")))
    for thing in choose.things(world, rng):
        category, parent = world.entities[thing].category, world.parent(thing)
        where = refer.source_phrase(world, rng, thing)
        if where is not None and world.entities[parent].kind is Kind.RECEPTACLE and not world.closed(parent):
            options.append((f"there is {a_noun(noun(category, rng))} {where}", True))
    true = rng.random() < 0.5
    fitting = [o for o in options if o[1] is true] or options
    return choice(rng, fitting) if fitting else None


def _alternatives(world: World, rng: np.random.Generator) -> tuple[Clause, Clause] | None:
    """Two clauses about one thing, so that which branch holds makes the difference."""
    for thing_id in choose.things(world, rng):
        thing = refer.plain_thing(world, rng, thing_id)
        places = [r for p in choose.targets(world, rng, [thing_id]) if (r := refer.plain_place(world, rng, p)) is not None][:4]
        if len(places) >= 2 and places[0].query != places[1].query:
            return clauses.place(world, rng, thing, places[0]), clauses.place(world, rng, thing, places[1])
    return None


# ---- exceptions and bystanders -------------------------------------------------------------------------------------------


def _all_but(world: World, rng: np.random.Generator) -> Draft | None:
    """ "Both books except the one on the bed": the others by instance, and the one excepted stays where it is."""
    for ids in choose.groups(world, rng, most=4):
        category = world.entities[ids[0]].category
        alike = [e.id for e in world.alike(category)]
        kept = next((t for t in ids if _from_there(world, rng, t) is not None), None)
        rest = [t for t in alike if t != kept]
        if kept is None or not 1 <= len(rest) <= 3 or len(alike) != len(ids):
            continue
        where_to = target(world, rng, PLAIN, rest)
        where = refer.source_phrase(world, rng, kept)
        if where_to is None or where is None or world.parent(kept) in where_to.ids:
            continue
        name = noun(category, rng)
        all_text = f"{number(len(alike))} {plural(name)}"
        text = say(rng, "[put|place] [every {name}|the {names}] {at}, [except|but not] the one {where}" if len(rest) > 1
                   else "[get|fetch] the {name} that is not {where} and [put|place] it {at}", name=name, names=plural(name),
                   at=where_to.at, where=where)  # fmt: skip
        one_place = where_to.named("p")
        exact = [
            Ref(text, ObjectQuery(category, t), (t,), style="except", given=f"{all_text} but {kept} = {', '.join(rest)}") for t in rest
        ]
        parts = tuple(clauses.place(world, rng, e, one_place) for e in exact)
        stays = _stays(world, kept)
        return Draft("all_but", (_merged(parts, text),), text, also=(stays,))
    return None


def _merged(parts: tuple[Clause, ...], text: str) -> Clause:
    first = parts[0]
    goals = tuple(g for i, p in enumerate(parts) for g in p.prefixed(str(i)).goals)
    conditions = tuple(c for p in parts for c in p.conditions)
    return Clause(
        first.kind,
        text,
        goals,
        conditions,
        tuple(t for p in parts for t in p.things),
        first.places,
        tuple(r for p in parts for r in p.refs),
    )


def _stays(world: World, thing: str) -> Condition:
    parent = world.state.parents[thing]
    return Related(thing, parent.relation, parent.id)


def _leave_it(world: World, rng: np.random.Generator) -> Draft | None:
    """A task about one of several, and another of them is expressly not to be touched."""
    found = _relative("leave_it", _from_there, {"place": 3.0, "clean": 1.0, "heat": 1.0, "cool": 1.0, "stack": 1.0, "put_and_close": 1.0})(
        world, rng
    )
    if found is None:
        return None
    thing = found.clauses[0].things[0]
    category = world.entities[thing].category
    for other in (e.id for e in world.alike(category) if e.id != thing and world.entities[world.parent(e.id)].kind is Kind.RECEPTACLE):
        where = refer.source_phrase(world, rng, other)
        if where is not None and world.parent(other) not in found.clauses[0].places:
            text = say(
                rng, "{s}. [Leave|Do not touch|Stay away from] the one {where}[, it belongs there|]", s=found.clauses[0].text, where=where
            )
            return Draft("leave_it", found.clauses, text, also=(_stays(world, other),), said=(f"the one {where} = {other}",))
    return None


def _shut_again(world: World, rng: np.random.Generator) -> Draft | None:
    """Something out of a closed container, which must be closed in the end."""
    for thing_id in choose.things(world, rng, lambda t: world.shut_in(t) and world.parent(t) == world.place(t)):
        source = world.parent(thing_id)
        held_by = refer.exact_place(world, rng, source)
        where_to = target(world, rng, PLAIN, [thing_id])
        alike = [e.id for e in world.alike(world.entities[thing_id].category)]
        if held_by is None or where_to is None or sum(world.parent(a) == source for a in alike) > 1:
            continue
        name = noun(world.entities[thing_id].category, rng)
        thing = Ref(
            f"the {name}", ObjectQuery(world.entities[thing_id].category, thing_id if len(alike) > 1 else None), (thing_id,), style="source"
        )
        put = clauses.place(world, rng, thing, where_to)
        loose = ObjectQuery(world.entities[thing_id].category)  # the agenda names the source, not the instance: u_x of Eq. 10
        put = replace(put, goals=tuple(replace(g, query=loose, source=source) for g in put.goals))
        door = clauses.make("door", held_by, "open", False, ("put",))
        text = say(rng, "[take|get] the {name} out of {box} and [put|leave] it {at}"
                "[, but {box} must not stay open|; make sure that {box} is closed again when you are done|. Do not leave {box} open]",
                   name=name, box=held_by.text, at=where_to.at)  # fmt: skip
        merged = Clause(
            "shut_again", text, (*put.goals, door), put.conditions, put.things, (*put.places, source), (thing, where_to, held_by)
        )
        return Draft("shut_again", (merged,), text, also=(Has(source, "open", False),))
    return None


def _unless_there(world: World, rng: np.random.Generator) -> Draft | None:
    """ "I need a mug and a plate on the desk": a place must end up with one thing of each of two categories, of which one is there."""
    for thing_id in choose.things(world, rng):
        thing = refer.plain_thing(world, rng, thing_id)
        for place in choose.targets(world, rng, [thing_id]):
            there = [e for e in world.state.contents(place) if world.entities[e].kind is Kind.OBJECT]
            where = refer.exact_place(world, rng, place)
            if not there or where is None or (where.query.instance is None and not world.alone(place)):
                continue
            bystander = choice(rng, there)
            other = world.entities[bystander].category
            put = clauses.place(world, rng, thing, where)
            text = say(rng, "[I need {what} and {other} {at}; bring whatever is missing|"
                "see to it that there are {what} and {other} {at}, and fetch only what is not there yet]",
                       what=thing.text, other=a_noun(noun(other, rng)), at=where.at)  # fmt: skip
            also = clauses.some(ObjectQuery(other), clauses.located("?x", world.relation(place), where.query))
            return Draft("what_is_missing", (put,), text, also=(also,), said=(f"missing = {thing.query.category}",))
    return None


# ---- sentences about something else --------------------------------------------------------------------------------------


def _with_chatter(world: World, rng: np.random.Generator, found: Draft) -> Draft:
    """With a sentence before or after it that mentions other things of the house and asks for nothing."""
    used = {world.entities[t].category for c in found.clauses for t in c.things}
    idle = sorted({t.category for t in world.of(Kind.OBJECT)} - used)
    if not idle or rng.random() < 0.35:
        return found
    one, two = (noun(choice(rng, idle)) for _ in range(2))
    before = (
        "We [have guests tonight|are moving soon|have been tidying all day], and I have not even got round to the {one} yet.",
        "I [spent the morning looking for|have just been using] the {one}, so never mind that.",
        "My [sister|neighbour|brother] [asked about|wants to borrow] the {one}, but that is for later.",
        "The {one} and the {two} are fine where they are.",
        "[Somebody|The cat] has been at the {one} again; that is not what this is about.",
    )
    extra = say(rng, choice(rng, before), one=one, two=two if two != one else "rest")
    text = found.text or found.clauses[0].text
    body = text[0].upper() + text[1:]
    body += "" if body[-1] in ".?!" else "."
    whole = f"{extra} {body}" if rng.random() < 0.6 else f"{body} {extra}"
    return Draft(found.kind, found.clauses, whole, found.also, found.said)


_TWISTS: dict[str, Twist] = {
    "from_there": _relative(
        "from_there", _from_there, {"place": 3.0, "put_and_close": 1.0, "clean": 1.0, "heat": 0.7, "cool": 0.7, "stack": 1.0, "look": 0.7}
    ),
    "such": _relative("such", _such, {"place": 3.0, "put_and_close": 1.0, "stack": 1.0}),
    "if": _if,
    "all_but": _all_but,
    "leave_it": _leave_it,
    "shut_again": _shut_again,
    "what_is_missing": _unless_there,
}
WEIGHTS = {
    "from_there": 2.0, "such": 1.5, "if": 2.0, "all_but": 1.5, "leave_it": 2.0, "shut_again": 2.0,
    "what_is_missing": 1.5,
}  # fmt: skip
