"""Means to an end: by which tool or causal rule a state of a thing can be brought about, most handy first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mimir_learn.memory.recall import best_hypothesis
from mimir_learn.memory.task import TaskMemory, held_object
from mimir_learn.memory.world import WorldMemory
from mimir_learn.symbols import Action, CategorySpec, CausalRule, Goal, Kind, ObjectQuery, Parent, Relation, Verb


@dataclass(frozen=True, slots=True)
class Way:
    """One way to make ``attribute`` of a thing ``value``.

    Attributes:
        verb: slice, fill or pour; None for a causal rule.
        device: the knife, the faucet, the drain, or the device whose state strikes.
        holder: where a rule wants the thing; None for a verb, and for a device of which it is not known yet what it is mounted on.
        rule: the causal rule; None for a verb.
    """

    attribute: str
    value: bool
    verb: Verb | None
    device: str
    holder: str | None = None
    rule: CausalRule | None = None


_VERBS = {("sliced", True): Verb.SLICE, ("filled", True): Verb.FILL, ("filled", False): Verb.POUR}


def ways(thing: str, attribute: str, value: bool, goal: Goal, task: TaskMemory, world: WorldMemory) -> list[Way]:
    """Every way that memory knows of and that has not been tried too often for ``goal``, best first; empty where there is none.

    Of causal rules, one whose place the thing already is at comes first; a surface (a burner) is used only for what usually stands
    there; then what it usually is at, what has no doors, and what is near is preferred.
    """
    spec = _spec(thing, world)
    if spec is None or attribute not in spec.attributes:
        return []
    verb = _VERBS.get((attribute, value))
    if verb is not None:
        return _by_tool(thing, verb, attribute, value, goal, task, world)
    found = [
        (_handiness(thing, spec, way, world), way)
        for rule in world.vocabulary.rules
        if (rule.effect == attribute and value) or (attribute in rule.clears and not value)
        for way in _by_rule(thing, rule, attribute, value, goal, task, world)
    ]
    return [way for _, way in sorted(found, key=lambda f: (f[0], f[1].device))]


def tools(verb: Verb, world: WorldMemory) -> tuple[str, ...]:
    """Categories that make ``verb`` possible, in the vocabulary's order."""
    return tuple(name for name, spec in world.vocabulary.categories.items() if verb.value in spec.tool_for)


def missing_tool(attribute: str, value: bool, world: WorldMemory) -> ObjectQuery | None:
    """What one would have to find to bring that state about by hand; None where no movable tool is needed."""
    verb = _VERBS.get((attribute, value))
    movable = [] if verb is None else [c for c in tools(verb, world) if world.vocabulary.categories[c].kind is Kind.OBJECT]
    return ObjectQuery(movable[0]) if movable else None


def unmet(query: ObjectQuery, entity_id: str, world: WorldMemory) -> tuple[tuple[str, bool], ...]:
    """The attributes a query asks for that the entity has not, or is not known to have."""
    return tuple((a, v) for a, v in query.attributes if world.value(entity_id, a) is not v)


def usable(entity_id: str, query: ObjectQuery, world: WorldMemory) -> bool:
    """Not broken, or something broken or this very thing is asked for, or it is no dish: a broken egg is still an egg."""
    if world.value(entity_id, "broken") is not True or query.instance == entity_id or ("broken", True) in query.attributes:
        return True
    spec = _spec(entity_id, world)
    return spec is not None and spec.relation is None and "filled" not in spec.attributes


def pick_receptacle(parent: Parent, world: WorldMemory) -> str | None:
    """The place named in a pick or slice; a floor, and what can itself be carried, is not named."""
    entity = world.entity(parent.id)
    return parent.id if entity is not None and entity.kind is Kind.RECEPTACLE else None


def distance(place: str | None, world: WorldMemory) -> tuple[bool, bool]:
    """(not here, not even in this room), for sorting."""
    return (place != world.at, world.room_of(place) != world.room_of(world.at))


def _spec(entity_id: str, world: WorldMemory) -> CategorySpec | None:
    entity = world.entity(entity_id)
    return None if entity is None else world.vocabulary.spec(entity)


def _by_tool(thing: str, verb: Verb, attribute: str, value: bool, goal: Goal, task: TaskMemory, world: WorldMemory) -> list[Way]:
    found = []
    held = held_object(task, world)
    for device in (d for category in tools(verb, world) for d in world.of_category(category) if d != thing):
        if verb is not Verb.SLICE:
            if not task.exhausted(goal, Action(verb, thing, device)):
                found.append(((False, *distance(device, world)), device))
            continue
        place = _where(device, goal, task, world)
        if device == held or place is not None:
            found.append(((device != held, *distance(place, world)), device))
    return [Way(attribute, value, verb, device) for _, device in sorted(found)]


def _where(tool: str, goal: Goal, task: TaskMemory, world: WorldMemory) -> str | None:
    """Place of a movable tool that can be fetched."""
    hypothesis = best_hypothesis(tool, world, task.failed)
    if hypothesis is None or not usable(tool, ObjectQuery("", None), world):
        return None
    if task.exhausted(goal, Action(Verb.PICK, tool, pick_receptacle(hypothesis.parent, world))):
        return None
    place = world.place_of(hypothesis.parent.id)
    return None if place is None or shut_out(place, goal, task, world) else place


def shut_out(place: str, goal: Goal, task: TaskMemory, world: WorldMemory) -> bool:
    """Closed, and opening it has been tried too often for ``goal``."""
    spec = _spec(place, world)
    closed = spec is not None and spec.openable and world.attribute(place, "open") is not True
    return closed and task.exhausted(goal, Action(Verb.OPEN, None, place))


def _by_rule(thing: str, rule: CausalRule, attribute: str, value: bool, goal: Goal, task: TaskMemory, world: WorldMemory) -> Iterator[Way]:
    for device in world.of_category(rule.category):
        if task.exhausted(goal, switch(device, rule.attribute, rule.value)):
            continue
        holder = _holder(device, world)
        if holder is None:
            if not world.stood(device, 0):
                yield Way(attribute, value, None, device, None, rule)
            continue
        if world.inside(thing, holder) or not (
            task.exhausted(goal, Action(Verb.PLACE, thing, holder)) or shut_out(holder, goal, task, world)
        ):
            yield Way(attribute, value, None, device, holder, rule)


def _holder(device: str, world: WorldMemory) -> str | None:
    """Where a device's rule wants things: in or on itself, or, where it holds nothing (a faucet), what it is mounted on; None: unknown."""
    for candidate in (world.entity(device), None if (above := world.parent(device)) is None else world.entity(above.id)):
        if candidate is not None and candidate.kind is Kind.RECEPTACLE and world.vocabulary.spec(candidate).relation is not None:
            return candidate.id
    return None


def switch(device: str, attribute: str, value: bool) -> Action:
    """The abstract action that makes ``open`` or ``on`` of a place or device ``value``."""
    if attribute == "open":
        return Action(Verb.OPEN if value else Verb.CLOSE, None, device)
    return Action(Verb.TOGGLE_ON if value else Verb.TOGGLE_OFF, device)


def _handiness(thing: str, spec: CategorySpec, way: Way, world: WorldMemory) -> tuple[bool, ...]:
    holder = way.holder
    if holder is None:  # most likely mounted on something with a drain in the same room
        drains = tools(Verb.POUR, world)
        room = world.room_of(way.device)
        likely = any(
            p.room == room and p.entity.category in drains and p.entity.category in spec.usual_places for p in world.places.values()
        )
        return (True, False, not likely, False, *distance(way.device, world))
    place = _spec(holder, world)
    assert place is not None
    usual = place.name in spec.usual_places
    odd = place.relation is Relation.ON and not usual
    return (not world.inside(thing, holder), odd, not usual, place.openable, *distance(holder, world))
