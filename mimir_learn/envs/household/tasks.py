"""Household tasks: instructions in English with the goals they stand for, sampled for one house.

A task is solvable by construction: everything it names exists, things fit where they must go, and no goal asks for what
another goal undoes. Whether an *agent* solves it within its step limit is certified later (`evaluation/suite.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Entity, Goal, Kind, ObjectQuery, Snapshot, Task, Vocabulary, satisfied

from .wording import a_thing, into, plural, the_place, words

if TYPE_CHECKING:
    from mimir_learn.envs.household.spec import HouseSpec

T = TypeVar("T")

KINDS = ("place", "from_closed", "into_closed", "put_and_close", "two_things", "two_alike", "toggle", "errand")
"""Task kinds: one thing to a surface; out of a closed container; into a closed one; the same and its door closed (or left open)
afterwards; two different things; two of a kind to one place; a device, alone or beside an errand; three or four goals."""

_DRAWS_PER_TURN = 8
_MOST_IN_A_PLACE = 5  # things a receptacle may hold at the end, so that a task never asks to overfill one
_FILLED = 0.6  # share of a receptacle's area that things' bounding squares may take


@dataclass(frozen=True)
class World:
    """What the sampler needs of a house: its symbolic initial state, the entities, the words for them, and what fits where.

    ``fits(things, place)`` says whether all these entity ids have room together at the place; None means everywhere.
    """

    state: Snapshot
    entities: Mapping[str, Entity]
    vocabulary: Vocabulary
    fits: Callable[[Sequence[str], str], bool] | None = None

    @classmethod
    def of_house(cls, house: HouseSpec) -> World:
        """The initial state of a generated house."""
        from mimir_learn.envs.household.vocabulary import VOCABULARY

        parents = {f.id: f.parent for f in house.fixtures} | {t.id: t.parent for t in house.things}
        state = Snapshot(parents, {(f.id, a): v for f in house.fixtures for a, v in f.attributes.items()})
        things = {t.id: t for t in house.things}

        def fits(ids: Sequence[str], place: str) -> bool:
            regions = house.fixture(place).regions
            if not regions:
                return False
            room = max(regions, key=lambda r: r.half[0] * r.half[1])
            inside = [things[i] for i in ids if i in things]
            if any(t.radius > min(room.half) or 2 * t.half_height > room.height for t in inside):
                return False
            return sum((2 * t.radius) ** 2 for t in inside) <= _FILLED * 4 * room.half[0] * room.half[1]

        return cls(state, house.entities, VOCABULARY, fits)

    def of(self, kind: Kind) -> list[Entity]:
        return sorted((e for e in self.entities.values() if e.kind is kind), key=lambda e: e.id)

    def holds(self, place: str, child: str) -> bool:
        return self.state.parents[child].id == place

    def closed(self, place: str) -> bool:
        return self.state.attributes.get((place, "open")) is False

    def openable(self, entity: Entity) -> bool:
        return (entity.id, "open") in self.state.attributes

    def room(self, entity_id: str) -> str:
        """Room an entity stands in, following parents up."""
        while self.entities[entity_id].kind is not Kind.ROOM:
            entity_id = self.state.parents[entity_id].id
        return entity_id

    def reachable(self, thing: Entity) -> bool:
        """Whether a thing lies somewhere it can be taken from (a place or a floor, not the hand)."""
        parent = self.entities.get(self.state.parents[thing.id].id)
        return parent is not None and parent.kind in (Kind.RECEPTACLE, Kind.ROOM)


@dataclass(frozen=True)
class _Part:
    """A clause of an instruction and its goals; goal ids are given when the task is put together.

    ``text`` is an imperative that joins with others; ``alone`` may be a freer wording for a sentence of its own.
    """

    text: str
    goals: tuple[Goal, ...]
    things: tuple[str, ...] = ()  # categories moved, so that two parts do not fight over one
    places: tuple[str, ...] = ()  # places filled or whose state matters
    alone: str = ""


def sample_tasks(house: HouseSpec, rng: np.random.Generator, n: int, kinds: Sequence[str] = KINDS, max_goals: int = 4) -> list[Task]:
    """``n`` tasks for ``house``, cycling through ``kinds``; none of them holds in the house's initial state.

    Args:
        house: the house with its things where they are at the start.
        rng: all randomness comes from here.
        n: how many tasks; no two have the same goals.
        kinds: which kinds, see `KINDS`. A kind the house cannot offer is passed over.
        max_goals: upper bound on the number of goals of one task.

    Raises ConfigError for an unknown kind, or when the house cannot offer ``n`` different tasks.
    """
    return sample_tasks_in(World.of_house(house), rng, n, kinds, max_goals, prefix=f"h{house.seed}")


def sample_tasks_in(
    world: World, rng: np.random.Generator, n: int, kinds: Sequence[str] = KINDS, max_goals: int = 4, prefix: str = "task"
) -> list[Task]:
    """`sample_tasks` for any symbolic world; ids start with ``prefix``."""
    if unknown := [k for k in kinds if k not in _MAKERS]:
        raise ConfigError(f"unknown task kinds {unknown}; known: {', '.join(KINDS)}")
    tasks: list[Task] = []
    said: set[frozenset[object]] = set()
    start = int(rng.integers(len(kinds))) if kinds else 0
    for draw in range(_DRAWS_PER_TURN * 20 * max(n, 1)):
        if len(tasks) == n:
            return tasks
        turn = start + len(tasks) + draw // _DRAWS_PER_TURN  # a kind gets several draws before the next one has its turn
        kind = kinds[turn % len(kinds)]
        part = _MAKERS[kind](world, rng)
        if part is None:
            continue
        goals = _numbered(part.goals)
        same = frozenset((g.query, g.target, g.attribute, g.value, g.source) for g in goals)
        if not 1 <= len(goals) <= max_goals or same in said:
            continue
        if len(satisfied(goals, world.state, world.entities)) == len(goals):
            continue
        said.add(same)
        text = part.alone or part.text
        instruction = text[0].upper() + text[1:] + "."
        tasks.append(Task(f"{prefix}-{len(tasks):02d}-{kind}", instruction, goals, {"kind": kind, "goals": len(goals)}))
    if len(tasks) == n:
        return tasks
    raise ConfigError(f"{prefix} offers only {len(tasks)} different tasks of the kinds {', '.join(kinds)}; asked for {n}")


def _numbered(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Give goals the ids g1, g2, … and translate their prerequisites."""
    names = {g.id: f"g{i + 1}" for i, g in enumerate(goals)}
    return tuple(replace(g, id=names[g.id], after=tuple(names[a] for a in g.after)) for g in goals)


def _choice(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


# ---- goals -----------------------------------------------------------------------------------------------------------------


def _place_query(world: World, place: Entity) -> ObjectQuery:
    """By category when the house has one of it, else by instance."""
    alone = sum(e.category == place.category for e in world.entities.values()) == 1
    return ObjectQuery(place.category, None if alone else place.id)


def _bring(world: World, thing: Entity, place: Entity, source: str | None = None, goal_id: str | None = None) -> Goal:
    relation = world.vocabulary.spec(place).relation
    target = _place_query(world, place)
    return Goal(goal_id or f"{thing.id}>{place.id}", ObjectQuery(thing.category), target, relation, source=source)


def _make(world: World, entity: Entity, attribute: str, value: bool, after: tuple[str, ...] = ()) -> Goal:
    return Goal(f"{entity.id}.{attribute}", _place_query(world, entity), attribute=attribute, value=value, after=after)


def _movable(world: World, closed: bool | None = None) -> list[Entity]:
    """Things that can be taken; ``closed`` restricts to those in (or not in) a closed container."""
    things = [t for t in world.of(Kind.OBJECT) if world.reachable(t)]
    return things if closed is None else [t for t in things if world.closed(world.state.parents[t.id].id) is closed]


def _targets(world: World, things: Sequence[Entity], openable: bool | None = None) -> list[Entity]:
    """Places with room for ``things`` that hold none of their categories yet."""
    out = []
    for place in world.of(Kind.RECEPTACLE):
        inside = world.state.contents(place.id)
        if openable is not None and world.openable(place) is not openable:
            continue
        if len(inside) + len(things) > _MOST_IN_A_PLACE:
            continue
        if world.fits is not None and not world.fits([*inside, *(t.id for t in things)], place.id):
            continue
        if any(world.entities[e].category == t.category for e in inside for t in things):
            continue
        out.append(place)
    return out


# ---- kinds -----------------------------------------------------------------------------------------------------------------


def _place(world: World, rng: np.random.Generator) -> _Part | None:
    things, places = _movable(world, closed=False), []
    if things:
        thing = _choice(rng, things)
        places = _targets(world, [thing], openable=False)
    if not places:
        return None
    place = _choice(rng, places)
    what, where = a_thing(world, thing), f"{into(world, place)} {the_place(world, place)}"
    text = _choice(rng, (f"put {what} {where}", f"find {what} and leave it {where}", f"place {what} {where}"))
    alone = _choice(rng, (text, f"I want {what} {where}", f"{what} should be {where}"))
    return _Part(text, (_bring(world, thing, place),), (thing.category,), (place.id,), alone)


def _from_closed(world: World, rng: np.random.Generator) -> _Part | None:
    things, places = _movable(world, closed=True), []
    if things:
        thing = _choice(rng, things)
        places = [p for p in _targets(world, [thing], openable=False) if not world.holds(p.id, thing.id)]
    if not places:
        return None
    place, source = _choice(rng, places), world.entities[world.state.parents[thing.id].id]
    noun, where = words(thing.category), f"{into(world, place)} {the_place(world, place)}"
    if rng.random() < 0.7:
        held_by = the_place(world, source)
        text = _choice(rng, (f"take the {noun} out of {held_by} and put it {where}", f"get the {noun} from {held_by} and leave it {where}"))
        alone = _choice(rng, (text, f"the {noun} in {held_by} belongs {where}"))
        return _Part(text, (_bring(world, thing, place, source=source.id),), (thing.category,), (place.id, source.id), alone)
    what = a_thing(world, thing)
    text = f"find {what}, wherever it is stored, and put it {where}"
    alone = _choice(rng, (text, f"put {what} {where}; it may be put away somewhere"))
    return _Part(text, (_bring(world, thing, place),), (thing.category,), (place.id,), alone)


def _into_closed(world: World, rng: np.random.Generator) -> _Part | None:
    things, places = _movable(world), []
    if things:
        thing = _choice(rng, things)
        places = [p for p in _targets(world, [thing], openable=True) if world.closed(p.id)]
    if not places:
        return None
    place = _choice(rng, places)
    what, where = a_thing(world, thing), the_place(world, place)
    text = _choice(rng, (f"put {what} in {where}", f"store {what} in {where}", f"put {what} away in {where}"))
    alone = _choice(rng, (text, f"{what} goes into {where}"))
    return _Part(text, (_bring(world, thing, place),), (thing.category,), (place.id,), alone)


def _put_and_close(world: World, rng: np.random.Generator) -> _Part | None:
    things, places = _movable(world), []
    if things:
        thing = _choice(rng, things)
        places = _targets(world, [thing], openable=True)
    if not places:
        return None
    place = _choice(rng, places)
    what, where = a_thing(world, thing), the_place(world, place)
    bring = _bring(world, thing, place)
    if rng.random() < 0.7:
        text = _choice(
            rng,
            (
                f"put {what} in {where} and close it",
                f"store {what} in {where}, and leave it closed",
                f"put {what} in {where}, then shut it",
            ),
        )
        goals = (bring, _make(world, place, "open", False, after=(bring.id,)))
    else:
        text = _choice(rng, (f"put {what} in {where} and leave it open", f"store {what} in {where}, but do not close it"))
        goals = (bring, _make(world, place, "open", True))
    return _Part(text, goals, (thing.category,), (place.id,))


def _two_things(world: World, rng: np.random.Generator) -> _Part | None:
    first = _choice(rng, (_place, _into_closed))(world, rng)
    second = _choice(rng, (_place, _into_closed, _from_closed))(world, rng)
    return _joined(world, rng, [first, second])


def _two_alike(world: World, rng: np.random.Generator) -> _Part | None:
    by_category: dict[str, list[Entity]] = {}
    for thing in _movable(world):
        by_category.setdefault(thing.category, []).append(thing)
    pairs = [things for things in by_category.values() if len(things) >= 2]
    if not pairs:
        return None
    things = _choice(rng, pairs)[:2]
    places = _targets(world, things)
    if not places:
        return None
    place = _choice(rng, places)
    nouns, where = plural(words(things[0].category)), f"{into(world, place)} {the_place(world, place)}"
    text = _choice(rng, (f"put two {nouns} {where}", f"find two {nouns} and put both of them {where}"))
    alone = _choice(rng, (text, f"I need two {nouns} {where}"))
    goals = tuple(_bring(world, t, place, goal_id=f"{i}") for i, t in enumerate(things))
    return _Part(text, goals, (things[0].category,), (place.id,), alone)


def _toggle_part(world: World, rng: np.random.Generator) -> _Part | None:
    devices = [world.entities[e] for e, a in sorted(world.state.attributes) if a == "on"]
    if not devices:
        return None
    device = _choice(rng, devices)
    value = not world.state.attributes[device.id, "on"]
    word, name = ("on" if value else "off"), the_place(world, device)
    text = _choice(rng, (f"turn {word} {name}", f"switch {word} {name}", f"make sure {name} is {word}"))
    return _Part(text, (_make(world, device, "on", value),), (), (device.id,))


def _toggle(world: World, rng: np.random.Generator) -> _Part | None:
    part = _toggle_part(world, rng)
    if part is None or rng.random() < 0.4:
        return part
    return _joined(world, rng, [part, _choice(rng, (_place, _into_closed, _from_closed))(world, rng)])


def _errand(world: World, rng: np.random.Generator) -> _Part | None:
    parts = [_choice(rng, (_place, _two_alike, _put_and_close, _into_closed))(world, rng), _choice(rng, (_place, _from_closed))(world, rng)]
    parts.append(_choice(rng, (_toggle_part, _place, _put_and_close))(world, rng))
    part = _joined(world, rng, parts)
    return part if part is not None and 3 <= len(part.goals) <= 4 else None


def _joined(world: World, rng: np.random.Generator, parts: Sequence[_Part | None]) -> _Part | None:
    """Several parts as one sentence; None when one is missing or two of them touch the same things or places."""
    if any(p is None for p in parts):
        return None
    given = [p for p in parts if p is not None]
    things = [c for p in given for c in p.things]
    places = [q for p in given for q in p.places]
    if len(set(things)) < len(things) or len(set(places)) < len(places):
        return None
    goals = tuple(replace(g, id=f"{i}{g.id}", after=tuple(f"{i}{a}" for a in g.after)) for i, p in enumerate(given) for g in p.goals)
    middle = [p.text for p in given[1:-1]]
    link = _choice(rng, ("; then ", ", and then ", "; also, "))
    return _Part(", ".join([given[0].text, *middle]) + link + given[-1].text, goals, tuple(things), tuple(places))


_MAKERS: dict[str, Callable[[World, np.random.Generator], _Part | None]] = {
    "place": _place,
    "from_closed": _from_closed,
    "into_closed": _into_closed,
    "put_and_close": _put_and_close,
    "two_things": _two_things,
    "two_alike": _two_alike,
    "toggle": _toggle,
    "errand": _errand,
}
