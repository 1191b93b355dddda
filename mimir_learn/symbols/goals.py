"""Goals g ∈ 𝒢 (Eq. 2) and when a symbolic state satisfies them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mimir_learn.errors import SymbolError
from mimir_learn.symbols.delta import Snapshot
from mimir_learn.symbols.vocabulary import ATTRIBUTES, Entity, Relation, Vocabulary


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """Which entity a goal is about: a category, or one instance, with attributes it must have."""

    category: str
    instance: str | None = None
    attributes: tuple[tuple[str, bool], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple((str(a), bool(v)) for a, v in self.attributes))

    def matches(self, entity: Entity) -> bool:
        """Whether category and instance agree; attributes are the memory's business."""
        return entity.category == self.category and self.instance in (None, entity.id)


@dataclass(frozen=True, slots=True)
class Goal:
    """One symbolic goal.

    Either a relation goal (``target`` and ``relation`` set: bring the object there) or a state goal
    (``attribute`` set: make it ``value``); exactly one of the two.

    Attributes:
        id: unique within the agenda.
        query: the object.
        target: query for the place it must end up at.
        relation: relation to the target.
        attribute, value: the state it must have.
        source: id of the place to take the object from, when the instruction names one (u_x, Eq. 10).
        after: ids of prerequisite goals.
    """

    id: str
    query: ObjectQuery
    target: ObjectQuery | None = None
    relation: Relation | None = None
    attribute: str | None = None
    value: bool = True
    source: str | None = None
    after: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "after", tuple(self.after))
        if self.relation is not None:
            object.__setattr__(self, "relation", Relation(self.relation))
        if (self.target is None) == (self.attribute is None):
            raise SymbolError(f"goal {self.id}: give either target and relation, or attribute")
        if (self.target is None) != (self.relation is None):
            raise SymbolError(f"goal {self.id}: target and relation belong together")
        if self.attribute is not None and self.attribute not in ATTRIBUTES:
            raise SymbolError(f"goal {self.id}: {self.attribute!r} is not a declared attribute")
        if self.id in self.after:
            raise SymbolError(f"goal {self.id} is its own prerequisite")

    def resolved(self, vocabulary: Vocabulary) -> Goal:
        """The same goal with the categories that its nouns name; memories and scorers compare categories, never nouns."""

        def category(query: ObjectQuery) -> ObjectQuery:
            return replace(query, category=vocabulary.resolve(query.category))

        return replace(self, query=category(self.query), target=None if self.target is None else category(self.target))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; inverse is `from_dict`."""

        def query(q: ObjectQuery | None) -> dict[str, Any] | None:
            return None if q is None else {"category": q.category, "instance": q.instance, "attributes": [list(a) for a in q.attributes]}

        return {
            "id": self.id,
            "query": query(self.query),
            "target": query(self.target),
            "relation": self.relation and self.relation.value,
            "attribute": self.attribute,
            "value": self.value,
            "source": self.source,
            "after": list(self.after),
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Goal:
        """Inverse of `to_dict`. Raises SymbolError on unknown or missing keys."""

        def query(q: Mapping[str, Any] | None) -> ObjectQuery | None:
            return None if q is None else ObjectQuery(q["category"], q["instance"], tuple((a, v) for a, v in q["attributes"]))

        try:
            fields = dict(body)
            main = query(fields.pop("query"))
            if main is None:
                raise SymbolError("a goal needs a query")
            return cls(query=main, target=query(fields.pop("target")), **fields)
        except (KeyError, TypeError) as e:
            raise SymbolError(f"not a goal: {json.dumps(body)[:200]} ({e})") from e


def witnesses(goal: Goal, state: Snapshot, entities: Mapping[str, Entity]) -> frozenset[str]:
    """Ids of the entities that satisfy ``goal`` in ``state``."""

    def fits(query: ObjectQuery, entity_id: str) -> bool:
        entity = entities.get(entity_id)
        return entity is not None and query.matches(entity) and all(state.attributes.get((entity_id, a)) is v for a, v in query.attributes)

    def done(entity_id: str) -> bool:
        if goal.attribute is not None:
            return state.attributes.get((entity_id, goal.attribute)) is goal.value
        parent = state.parents.get(entity_id)
        assert goal.target is not None
        return parent is not None and parent.relation is goal.relation and fits(goal.target, parent.id)

    return frozenset(e for e in entities if fits(goal.query, e) and done(e))


def satisfied(goals: Iterable[Goal], state: Snapshot, entities: Mapping[str, Entity]) -> frozenset[str]:
    """Ids of the goals that hold in ``state``, no entity counted for two goals with the same query and the same target.

    "Two mugs on the table" is two goals that need two mugs: a maximum bipartite matching assigns witnesses.
    """
    goals = tuple(goals)
    options = {g.id: sorted(witnesses(g, state, entities)) for g in goals}
    rivals = {g.id: (g.query, g.target, g.relation, g.attribute, g.value) for g in goals}
    taken: dict[tuple[Any, str], str] = {}  # (rival class, witness) → goal

    def assign(goal_id: str, seen: set[str]) -> bool:
        for entity in options[goal_id]:
            if entity in seen:
                continue
            seen.add(entity)
            slot = (rivals[goal_id], entity)
            if slot not in taken or assign(taken[slot], seen):
                taken[slot] = goal_id
                return True
        return False

    return frozenset(g.id for g in goals if assign(g.id, set()))


@dataclass(frozen=True)
class Task:
    """An instruction x with the agenda it stands for."""

    id: str
    instruction: str
    goals: tuple[Goal, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = [g.id for g in self.goals]
        if len(set(ids)) != len(ids):
            raise SymbolError(f"task {self.id}: goal ids are not unique: {ids}")
        for goal in self.goals:
            if missing := set(goal.after) - set(ids):
                raise SymbolError(f"task {self.id}: goal {goal.id} comes after unknown goals {sorted(missing)}")

    def resolved(self, vocabulary: Vocabulary) -> Task:
        """The same task with every noun resolved to the category it names. Raises SymbolError for an ambiguous one."""
        return replace(self, goals=tuple(g.resolved(vocabulary) for g in self.goals))

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "instruction": self.instruction, "goals": [g.to_dict() for g in self.goals], "meta": dict(self.meta)}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Task:
        return cls(body["id"], body["instruction"], tuple(Goal.from_dict(g) for g in body["goals"]), body.get("meta", {}))
