"""Post(g, Δ): whether a supported effect establishes a goal's postcondition (Eq. 6), as one table of small pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from mimir_learn.symbols import Change, Delta, Entity, Goal, ObjectQuery, ParentChange, StateChange


class Labels(Protocol):
    """What Post needs of world memory: who is who, and what is remembered or presumed of its attributes (`Tree.value`)."""

    def entity(self, entity_id: str) -> Entity | None: ...
    def value(self, entity_id: str, name: str) -> bool | None: ...


def fits(query: ObjectQuery, entity_id: str, world: Labels, states: Mapping[tuple[str, str], bool] | None = None) -> bool:
    """Whether memory's label (and known attributes, ``states`` first) of an entity agree with a query. Unknown entities never fit."""
    entity = world.entity(entity_id)
    if entity is None or not query.matches(entity):
        return False
    known = states or {}
    return all(known.get((entity_id, a), world.value(entity_id, a)) is v for a, v in query.attributes)


def _relation(goal: Goal, change: Change, world: Labels, states: Mapping[tuple[str, str], bool]) -> str | None:
    if not isinstance(change, ParentChange) or change.new.relation is not goal.relation or goal.target is None:
        return None
    good = fits(goal.target, change.new.id, world, states) and fits(goal.query, change.entity, world, states)
    return change.entity if good else None


def _state(goal: Goal, change: Change, world: Labels, states: Mapping[tuple[str, str], bool]) -> str | None:
    if not isinstance(change, StateChange) or (change.attribute, change.new) != (goal.attribute, goal.value):
        return None
    return change.entity if fits(goal.query, change.entity, world, states) else None


# kind of goal → which entity a single change makes a witness of it, if any
POST: dict[str, Callable[[Goal, Change, Labels, Mapping[tuple[str, str], bool]], str | None]] = {"relation": _relation, "state": _state}


def established(goal: Goal, changes: Iterable[Change], world: Labels) -> tuple[str, ...]:
    """Ids of the entities for which ``changes`` establish the goal's postcondition, sorted."""
    changes = tuple(changes)
    states = {(c.entity, c.attribute): c.new for c in changes if isinstance(c, StateChange)}
    rule = POST["relation" if goal.attribute is None else "state"]
    return tuple(sorted({w for c in changes if (w := rule(goal, c, world, states)) is not None}))


def post(goal: Goal, delta: Delta, world: Labels) -> bool:
    """Post(g, Δ) = 1."""
    return bool(established(goal, delta, world))
