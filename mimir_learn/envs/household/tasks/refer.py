"""Referring expressions: ways to speak of a thing or a place, each with the query it stands for in this house.

A maker returns None where its way of speaking would not tell the entity apart from others. What an expression means is decided here,
when the task is made: the agenda that an agent is given holds the resolved categories and ids, not the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mimir_learn.symbols import Kind, ObjectQuery, Relation

from .lexicon import FOOD, FRUITY, PLACES, SIZES, STATES, THINGS, Sense
from .wording import a_noun, choice, noun, number, plural, say, words
from .world import World

SIDE = 0.10  # metres to one side that make a thing stand left or right of another
BESIDE = 0.45  # metres within which a thing stands next to another on one surface
NEXT_TO = 1.6  # metres between the middles of neighbouring furniture


@dataclass(frozen=True)
class Ref:
    """One way to speak of something.

    Attributes:
        text: first mention: "a mug", "the red mug", "something to drink from", "the fridge".
        query: what it means here.
        ids: the entities it can mean; the sampler has chosen the first.
        again: later mention: "it", "the mug".
        at: where something is put, for places: "on the table". to: where something is brought: "to the table".
        style: plain | any | use | colour | shape | size | state | side | beside | nearest | room.
        name: the noun that the first mention used, where it was one alone; "" for other ways of speaking.
        given: more about the choice that belongs in the task's meta.
    """

    text: str
    query: ObjectQuery
    ids: tuple[str, ...]
    again: str = "it"
    at: str = ""
    to: str = ""
    style: str = "plain"
    given: str = ""
    name: str = ""

    @property
    def id(self) -> str:
        return self.ids[0]

    @property
    def located(self) -> bool:
        """Whether a destination right behind it would be misread: it says where the thing is, or ends with a preposition."""
        return self.style in ("side", "beside", "nearest", "room", "source") or self.text.split()[-1] in _PREPOSITIONS

    def named(self, name: str) -> Ref:
        """The same with a name in its query, so that several goals can be about whatever it turns out to mean."""
        return self if self.query.instance is not None else replace(self, query=replace(self.query, name=name))


_PREPOSITIONS = frozenset({"in", "on", "with", "from", "off", "of", "for", "out"})
Maker = Callable[[World, np.random.Generator, str], Ref | None]


# ---- plain ---------------------------------------------------------------------------------------------------------------


def plain_thing(world: World, rng: np.random.Generator, thing: str) -> Ref:
    """ "the kettle" when there is one, "a mug" when any will do."""
    category = world.entities[thing].category
    name = noun(category, rng)
    text = f"the {name}" if world.alone(thing) else a_noun(name)
    others = [e.id for e in world.alike(category) if e.id != thing]
    return Ref(text, ObjectQuery(category), (thing, *others), choice(rng, ("it", f"the {name}")), name=name)


def some_things(world: World, rng: np.random.Generator, things: Sequence[str]) -> Ref:
    """ "two mugs", where any will do; "both mugs", "all three mugs" where the house has no more."""
    category = world.entities[things[0]].category
    name, n = plural(noun(category, rng)), len(things)
    alike = [e.id for e in world.alike(category)]
    every = len(alike) == n
    text = say(rng, "[both|both of the|the two] {name}" if n == 2 else "[all {n}|all {n} of the|the {n}] {name}", n=number(n), name=name)
    others = [e for e in alike if e not in things]
    return Ref(
        text if every else f"{number(n)} {name}", ObjectQuery(category), (*things, *others), "them", style="all" if every else "some"
    )


def plain_place(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """ "the fridge", or "the table in the bedroom" where the room tells it apart, or "one of the drawers" where any will do."""
    entity = world.entities[place]
    if world.alone(place):
        return _place(world, place, f"the {noun(entity.category, rng)}", ObjectQuery(entity.category))
    in_room = room_place(world, rng, place)
    if in_room is not None and (rng.random() < 0.7 or entity.kind is Kind.FIXTURE):
        return replace(in_room, style="plain")
    return any_place(world, rng, place)


def any_place(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """ "one of the drawers", meaning any; None where there is only one."""
    entity = world.entities[place]
    if world.alone(place):
        return None
    name = noun(entity.category, rng)
    text = a_noun(name) if rng.random() < 0.4 else f"one of the {plural(name)}"
    others = tuple(e.id for e in world.alike(entity.category) if e.id != place)
    return replace(_place(world, place, text, ObjectQuery(entity.category)), ids=(place, *others), style="any")


def room_place(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """ "the table in the bedroom": one of several, alone in a room of its kind."""
    entity, room = world.entities[place], world.room(place)
    if sum(world.room(e.id) == room for e in world.alike(entity.category)) > 1 or not world.alone(room) or world.alone(place):
        return None
    text = f"the {noun(entity.category, rng)} in the {words(world.entities[room].category)}"
    return replace(_place(world, place, text, ObjectQuery(entity.category, place)), style="room")


def _place(world: World, place: str, text: str, query: ObjectQuery) -> Ref:
    spec = world.vocabulary.spec(world.entities[place])
    preposition = {Relation.ON: "on ", Relation.IN: "in "}.get(spec.relation, "at ") if spec.relation else "at "
    return Ref(text, query, (place,), "it", preposition + text, f"to {text}")


# ---- by use or kind (common sense) ---------------------------------------------------------------------------------------


def _sensed(world: World, rng: np.random.Generator, entity_id: str, table: Sequence[Sense]) -> tuple[str, Sense] | None:
    category = world.entities[entity_id].category
    present = {e.category for e in world.entities.values()}
    good = [s for s in table if category in s.means and not (s.means | s.blurs) & present - {category}]
    if not good:
        return None
    sense = choice(rng, good)
    return choice(rng, sense.phrases), sense


def thing_by_use(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "something to cut bread with": of all the house has, only things of one category will do."""
    found = _sensed(world, rng, thing, THINGS)
    if found is None:
        return None
    plain = plain_thing(world, rng, thing)
    return replace(plain, text=found[0], again="it", name="", style="use", given=f"{found[0]} = {plain.query.category}")


def place_by_use(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """ "where the milk is kept cold": only one place of the house is that."""
    found = _sensed(world, rng, place, PLACES) if world.alone(place) else None
    if found is None:
        return None
    entity = world.entities[place]
    text = f"the place {found[0]}" if found[0].startswith("where") else found[0]
    plain = _place(world, place, text, ObjectQuery(entity.category))
    return replace(plain, at=found[0], to=found[0], style="use", given=f"{found[0]} = {entity.category}")


# ---- by appearance -------------------------------------------------------------------------------------------------------


def _one(world: World, thing: str, text: str, style: str) -> Ref:
    entity = world.entities[thing]
    return Ref(text, ObjectQuery(entity.category, thing), (thing,), "it", style=style, given=f"{text} = {thing}")


def _others(world: World, thing: str) -> list[str]:
    return [e.id for e in world.alike(world.entities[thing].category) if e.id != thing]


def thing_by_colour(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the red mug": the only red one of several."""
    look, others = world.looks.get(thing), _others(world, thing)
    if (
        look is None
        or look.colour in ("", world.entities[thing].category)
        or (world.entities[thing].category in FOOD and look.colour in FRUITY)
        or not others
        or any(world.looks[o].colour == look.colour for o in others)
    ):
        return None
    name = noun(world.entities[thing].category, rng)
    text = say(rng, "the {colour} {name}" if rng.random() < 0.8 else "the {name} that is {colour}", colour=look.colour, name=name)
    return _one(world, thing, text, "colour")


def thing_by_size(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the bigger of the two balls"."""
    others = _others(world, thing)
    if len(others) != 1 or thing not in world.looks or world.looks[thing].variant != world.looks[others[0]].variant:
        return None
    ratio = world.looks[thing].scale / world.looks[others[0]].scale
    if 1 / SIZES < ratio < SIZES:
        return None
    name, word = noun(world.entities[thing].category, rng), choice(rng, ("bigger", "larger") if ratio > 1 else ("smaller",))
    return _one(world, thing, say(rng, "the {word} [{name}|of the two {names}]", word=word, name=name, names=plural(name)), "size")


def thing_by_state(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the dirty plate": the only one of several that is."""
    others = _others(world, thing)
    name = noun(world.entities[thing].category, rng)
    options = []
    for (attribute, value), adjectives in STATES.items():
        mine = world.state.attributes.get((thing, attribute))
        if mine is value and others and all(world.state.attributes.get((o, attribute)) is (not value) for o in others):
            options.append(f"the {choice(rng, adjectives)} {name}")
    return _one(world, thing, choice(rng, options), "state") if options else None


def thing_by_looks(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """By state, size or colour, whichever tells it apart; the rarer ones first."""
    makers = (thing_by_state, thing_by_size, thing_by_colour)
    found = [r for m in makers if (r := m(world, rng, thing)) is not None]
    return found[0] if found and rng.random() < 0.8 else (choice(rng, found) if found else None)


# ---- by where it is (spatial) --------------------------------------------------------------------------------------------


def _landmarks(world: World, thing: str) -> list[str]:
    """Things on the same open surface as ``thing`` that are the only ones of their category there."""
    place = world.parent(thing)
    here = [e for e in world.state.contents(place) if world.entities[e].kind is Kind.OBJECT]
    categories = [world.entities[e].category for e in here]
    return [e for e in here if e != thing and categories.count(world.entities[e].category) == 1 and e in world.spots]


def thing_by_side(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the mug to the left of the bowl on the table", seen from in front of the table; another one is elsewhere."""
    place = world.parent(thing)
    if place not in world.yaws or thing not in world.spots or not _others(world, thing):
        return None
    category, options = world.entities[thing].category, []
    for mark in _landmarks(world, thing):
        if world.entities[mark].category == category:
            continue
        right = {
            e.id: world.in_frame(e.id, place)[0] - world.in_frame(mark, place)[0] for e in world.alike(category) if world.holds(place, e.id)
        }
        side = 1 if right[thing] > SIDE else -1 if right[thing] < -SIDE else 0
        if side and sum(r * side > 0 for r in right.values()) == 1:
            options.append((mark, "right" if side > 0 else "left"))
    where = _name_for(world, rng, place)
    if not options or where is None:
        return None
    mark, side_word = choice(rng, options)
    template = "the {thing} [to the {side} of|that stands {side} of] the {mark} {where}"
    text = say(rng, template, thing=noun(category, rng), side=side_word, mark=noun(world.entities[mark].category, rng), where=where.at)
    return _one(world, thing, text, "side")


def thing_beside(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the book next to the vase": the closest one, on the same surface; others are farther off or elsewhere."""
    if thing not in world.spots or not _others(world, thing):
        return None
    category = world.entities[thing].category
    marks = [
        m for m in _landmarks(world, thing) if world.alone(m) and world.apart(thing, m) < BESIDE and world.entities[m].category != category
    ]
    place = world.parent(thing)
    marks = [m for m in marks if all(not world.holds(place, o) or world.apart(o, m) > 2 * BESIDE for o in _others(world, thing))]
    if not marks:
        return None
    mark = noun(world.entities[choice(rng, marks)].category, rng)
    return _one(world, thing, say(rng, "the {thing} [next to|beside|by] the {mark}", thing=noun(category, rng), mark=mark), "beside")


def thing_in_room(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """ "the pillow in the bedroom", or "… in the room with the bathtub": the only one there of several in the house."""
    room, others = world.room(thing), _others(world, thing)
    if not others or any(world.room(o) == room for o in others):
        return None
    where = room_phrase(world, rng, room, avoid=world.place(thing))
    if where is None:
        return None
    text = say(rng, "the {thing} [that is |]in {where}", thing=noun(world.entities[thing].category, rng), where=where)
    return _one(world, thing, text, "room")


def room_phrase(world: World, rng: np.random.Generator, room: str, avoid: str = "") -> str | None:
    """ "the bedroom", or by what only it has: "the room with the bathtub"."""
    marks = [
        f.category
        for kind in (Kind.RECEPTACLE, Kind.FIXTURE)
        for f in world.of(kind)
        if world.room(f.id) == room and world.alone(f.id) and f.id != avoid
    ]
    options = [f"the room with the {noun(c, rng)}" for c in marks]
    if world.alone(room):
        options += [f"the {words(world.entities[room].category)}"] * max(1, len(options))
    return choice(rng, options) if options else None


def place_by_landmark(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """One of several of its kind: "the drawer next to the bed", "the shelf nearest the sofa", "… in the room with the bathtub"."""
    entity, room = world.entities[place], world.room(place)
    rivals = [e.id for e in world.alike(entity.category) if e.id != place]
    if not rivals or place not in world.spots:
        return None
    near = [r for r in rivals if world.room(r) == room]
    name, options = noun(entity.category, rng), []
    for mark in (e.id for kind in (Kind.RECEPTACLE, Kind.FIXTURE) for e in world.of(kind)):
        if (
            not world.alone(mark)
            or world.room(mark) != room
            or mark not in world.spots
            or world.entities[world.parent(mark)].kind is not Kind.ROOM
        ):
            continue
        distance = world.apart(place, mark)
        the_mark = noun(world.entities[mark].category, rng)
        if all(world.apart(r, mark) > distance + 0.5 for r in near):
            word = "next to" if distance < NEXT_TO and all(world.apart(r, mark) > NEXT_TO for r in near) else "nearest"
            options.append((word, f"the {name} {word} the {the_mark}"))
        side = _side_of(world, place, mark)
        if side and not any(_side_of(world, r, mark) == side for r in near):
            options.append(("side", f"the {name} to the {side} of the {the_mark}"))
    if not near and (where := room_phrase(world, rng, room, avoid=place)) is not None:
        options.append(("room", f"the {name} in {where}"))
    if not options:
        return None
    style = choice(rng, sorted({s for s, _ in options}))
    text = choice(rng, [t for s, t in options if s == style])
    base = _place(world, place, text, ObjectQuery(entity.category, place))
    return replace(base, style=style if style != "next to" else "beside", given=f"{text} = {place}")


def _side_of(world: World, place: str, mark: str) -> str:
    """Left or right of ``mark`` for somebody in front of it, both standing in one line facing the same way; else ""."""
    if world.yaws.get(place) != world.yaws.get(mark) or place not in world.yaws:
        return ""
    right, back = world.in_frame(place, mark)
    if abs(back) > 0.4 or abs(right) > 2.5:
        return ""
    return "right" if right > 0 else "left"


def _name_for(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """A name of a place that means this one only."""
    if world.entities[place].kind is Kind.ROOM:
        return Ref(f"the {words(world.entities[place].category)}", ObjectQuery(world.entities[place].category, place), (place,))
    if world.alone(place):
        return plain_place(world, rng, place)
    return room_place(world, rng, place) or place_by_landmark(world, rng, place)


def exact_place(world: World, rng: np.random.Generator, place: str) -> Ref | None:
    """A name of a place that means this one only, however it takes to say so; None where words do not suffice."""
    return _name_for(world, rng, place)


def source_phrase(world: World, rng: np.random.Generator, thing: str) -> str | None:
    """Where a thing is now, as a relative clause fits it: "on the sofa", "in the fridge"; None where words do not suffice."""
    parent = world.parent(thing)
    if world.entities[parent].kind is Kind.OBJECT:
        return f"{world.relation(parent)} the {noun(world.entities[parent].category, rng)}" if world.alone(parent) else None
    where = _name_for(world, rng, parent)
    if where is None:
        return None
    return f"on the floor of {where.text}" if world.entities[parent].kind is Kind.ROOM else where.at
