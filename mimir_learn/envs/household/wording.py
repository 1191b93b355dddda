"""How instructions call things: English names of the places and things of a house, unambiguous where they must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mimir_learn.symbols import Entity

if TYPE_CHECKING:
    from .tasks import World

_SPELLING = {"livingroom": "living room", "tv": "TV"}


def words(name: str) -> str:
    """ "desk_lamp" → "desk lamp", "livingroom_2" → "living room 2"."""
    stem, _, number = name.rpartition("_")
    if not number.isdigit():
        stem, number = name, ""
    return f"{_SPELLING.get(stem, stem.replace('_', ' '))} {number}".rstrip()


def a_noun(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun[:-2] + "ves" if noun.endswith("fe") else noun + "s"


def the_place(world: World, place: Entity) -> str:
    """An unambiguous name: "the fridge", "the table in the bedroom" or "table 2"."""
    alike = [e for e in world.entities.values() if e.category == place.category]
    if len(alike) == 1:
        return f"the {words(place.category)}"
    room = world.room(place.id)
    same_room = [e for e in alike if world.room(e.id) == room]
    if len(same_room) == 1:
        unique = sum(e.category == world.entities[room].category for e in world.entities.values()) == 1
        name = world.entities[room].category if unique else room
        return f"the {words(place.category)} in {'the ' if unique else ''}{words(name)}"
    return words(place.id)


def a_thing(world: World, thing: Entity) -> str:
    """ "the kettle" when there is one, "a mug" when any will do."""
    alike = sum(e.category == thing.category for e in world.entities.values())
    noun = words(thing.category)
    return f"the {noun}" if alike == 1 else a_noun(noun)


def into(world: World, place: Entity) -> str:
    return "in" if world.vocabulary.spec(place).relation == "in" else "on"
