"""Goals g ∈ 𝒢 (Eq. 2), the agenda and the success condition of a task, and when a symbolic state satisfies them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from mimir_learn.errors import SymbolError
from mimir_learn.symbols.conditions import AllOf, Condition, Situation, free_variables, from_dict, holds, progress, to_dict, with_queries
from mimir_learn.symbols.course import Course
from mimir_learn.symbols.delta import Snapshot
from mimir_learn.symbols.queries import ObjectQuery
from mimir_learn.symbols.vocabulary import ATTRIBUTES, Entity, Relation, Vocabulary


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
        afresh: it counts only if it comes about after all its prerequisites have been completed; that it holds already, or was brought
            about before, does not do. ("Switch it on, and then off again", "… and only then …".)
    """

    id: str
    query: ObjectQuery
    target: ObjectQuery | None = None
    relation: Relation | None = None
    attribute: str | None = None
    value: bool = True
    source: str | None = None
    after: tuple[str, ...] = ()
    afresh: bool = False

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
        if self.target is not None and self.query.name is not None and self.query.name == self.target.name:
            raise SymbolError(f"goal {self.id}: {self.query.name!r} cannot name both a thing and the place it goes to")

    def resolved(self, vocabulary: Vocabulary) -> Goal:
        """The same goal with the categories that its nouns name; memories and scorers compare categories, never nouns."""

        def category(query: ObjectQuery) -> ObjectQuery:
            return replace(query, category=vocabulary.resolve(query.category))

        return replace(self, query=category(self.query), target=None if self.target is None else category(self.target))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; inverse is `from_dict`. ``afresh`` is left out where it is False."""
        body = {
            "id": self.id,
            "query": self.query.to_dict(),
            "target": None if self.target is None else self.target.to_dict(),
            "relation": self.relation and self.relation.value,
            "attribute": self.attribute,
            "value": self.value,
            "source": self.source,
            "after": list(self.after),
        }
        return {**body, "afresh": True} if self.afresh else body

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Goal:
        """Inverse of `to_dict`. Raises SymbolError on unknown or missing keys."""

        def query(q: Mapping[str, Any] | None) -> ObjectQuery | None:
            return None if q is None else ObjectQuery.from_dict(q)

        try:
            fields = dict(body)
            main = query(fields.pop("query"))
            if main is None:
                raise SymbolError("a goal needs a query")
            return cls(query=main, target=query(fields.pop("target")), **fields)
        except (KeyError, TypeError) as e:
            raise SymbolError(f"not a goal: {json.dumps(body)[:200]} ({e})") from e


def witnesses(goal: Goal, state: Snapshot, entities: Mapping[str, Entity]) -> frozenset[str]:
    """Ids of the entities that satisfy ``goal`` in ``state``, whatever the names of its queries."""
    return frozenset(e for e, _ in _ways(goal, state, entities))


def _ways(goal: Goal, state: Snapshot, entities: Mapping[str, Entity]) -> Iterator[tuple[str, str | None]]:
    """(witness, its place) for every entity that satisfies ``goal``; the place is None for a state goal."""
    for entity_id, entity in entities.items():
        if not goal.query.fits(entity, state):
            continue
        if goal.target is None:
            if state.attributes.get((entity_id, goal.attribute or "")) is goal.value:
                yield entity_id, None
            continue
        parent = state.parents.get(entity_id)
        place = None if parent is None else entities.get(parent.id)
        if parent is not None and place is not None and parent.relation is goal.relation and goal.target.fits(place, state):
            yield entity_id, place.id


def satisfied(goals: Iterable[Goal], state: Snapshot, entities: Mapping[str, Entity]) -> frozenset[str]:
    """Ids of the goals that hold in ``state``, no entity counted for two goals with the same query and the same target.

    "Two mugs on the table" is two goals that need two mugs: a maximum bipartite matching assigns witnesses. Queries with a common name
    take one entity, those with different names different ones; of several choices the first that satisfies most goals is taken.
    """
    goals = tuple(goals)
    ways = {g.id: sorted(_ways(g, state, entities), key=str) for g in goals}
    found: frozenset[str] = frozenset()
    for group in _components(goals):
        best: frozenset[str] = frozenset()
        most = sum(bool(ways[g.id]) for g in group)
        for chosen in _namings(group, ways):
            options = {g.id: [e for e, p in ways[g.id] if _agrees(g.query, e, chosen) and _agrees(g.target, p, chosen)] for g in group}
            best = max(best, _matched(group, options), key=len)
            if len(best) == most:
                break
        found |= best
    return found


def _named(goal: Goal) -> Iterator[tuple[ObjectQuery, int]]:
    """The queries of a goal that have a name, with the side of a way (witness, place) they are about."""
    return ((q, side) for q, side in ((goal.query, 0), (goal.target, 1)) if q is not None and q.name is not None)


def _components(goals: Sequence[Goal]) -> list[list[Goal]]:
    """Goals whose choices bear on each other: by a common name, or by names in one category (which must differ). All others together."""
    groups: list[tuple[set[str], list[Goal]]] = []
    for goal in goals:
        keys = {key for q, _ in _named(goal) for key in (f"name {q.name}", f"category {q.category}")} or {"unnamed"}
        joined = [g for g in groups if g[0] & keys]
        groups = [g for g in groups if not g[0] & keys]
        groups.append((keys.union(*(g[0] for g in joined)), [*(x for g in joined for x in g[1]), goal]))
    return [members for _, members in groups]


def _agrees(query: ObjectQuery | None, entity_id: str | None, chosen: Mapping[str, str]) -> bool:
    return query is None or query.name is None or chosen.get(query.name) == entity_id


def _namings(goals: Sequence[Goal], ways: Mapping[str, Sequence[tuple[str, str | None]]]) -> Iterator[Mapping[str, str]]:
    """Every choice of one entity for each name (or of none), no entity for two names."""
    options: dict[str, set[str]] = {}
    for goal in goals:
        for query, side in _named(goal):
            options.setdefault(query.name or "", set()).update(w[side] or "" for w in ways[goal.id])
    names = sorted(options)
    for values in product(*([*sorted(options[n] - {""}), ""] for n in names)):
        given = [v for v in values if v]
        if len(set(given)) == len(given):
            yield {n: v for n, v in zip(names, values, strict=True) if v}


def _matched(goals: Sequence[Goal], options: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Maximum matching of goals to witnesses, where only rivals (the same goal asked for twice) compete."""
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
    """An instruction x with the agenda it stands for, and the condition under which it is done.

    Attributes:
        goals: what the agent is given (𝒢 and ≼). It says enough for a plan, not everything the scorer checks.
        success: what the scorer checks: a condition on the state, or a `Course` over the episode, which takes a `Watch` to judge; None =
            all goals hold at once, see `satisfied`.
        meta: whatever else is known of the task; never read by the agent.
    """

    id: str
    instruction: str
    goals: tuple[Goal, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)
    success: Condition | Course | None = None

    def __post_init__(self) -> None:
        ids = [g.id for g in self.goals]
        if len(set(ids)) != len(ids):
            raise SymbolError(f"task {self.id}: goal ids are not unique: {ids}")
        for goal in self.goals:
            if missing := set(goal.after) - set(ids):
                raise SymbolError(f"task {self.id}: goal {goal.id} comes after unknown goals {sorted(missing)}")
        categories: dict[str, str] = {}
        for query in (q for g in self.goals for q in (g.query, g.target) if q is not None and q.name is not None):
            if categories.setdefault(query.name or "", query.category) != query.category:
                raise SymbolError(f"task {self.id}: {query.name!r} names a {categories[query.name or '']} and a {query.category}")
        state = None if isinstance(self.success, Course) else self.success
        if state is not None and (free := free_variables(state)):
            raise SymbolError(f"task {self.id}: nothing binds {', '.join(sorted(free))} in its success condition")

    def tally(self, now: Situation) -> tuple[tuple[int, int], ...]:
        """(met, all) of each condition ``now``: of the success condition's parts, see `conditions.progress`, else of the goals.

        Raises SymbolError for a course, which no single state can tell.
        """
        if self.success is None:
            true = satisfied(self.goals, now.state, now.entities)
            return tuple((int(g.id in true), 1) for g in self.goals)
        condition = self._condition()
        parts = condition.parts if isinstance(condition, AllOf) else (condition,)
        return tuple(progress(p, now) for p in parts)

    def progress(self, now: Situation) -> tuple[int, int]:
        """(met, all) conditions ``now``, as EmbodiedBench counts for its GC."""
        tally = self.tally(now)
        return sum(met for met, _ in tally), sum(total for _, total in tally)

    def done(self, now: Situation) -> bool:
        """Whether the task is solved ``now``. Raises SymbolError for a course, which no single state can tell."""
        if self.success is None:
            return len(satisfied(self.goals, now.state, now.entities)) == len(self.goals)
        return holds(self._condition(), now)

    def _condition(self) -> Condition:
        if self.success is None or isinstance(self.success, Course):
            raise SymbolError(f"task {self.id} is judged over an episode, not on one state; follow it with a Watch")
        return self.success

    def resolved(self, vocabulary: Vocabulary) -> Task:
        """The same task with every noun resolved to the category it names. Raises SymbolError for an ambiguous one."""

        def category(query: ObjectQuery) -> ObjectQuery:
            return replace(query, category=vocabulary.resolve(query.category))

        success = self.success
        if isinstance(success, Course):
            success = success.with_queries(category)
        elif success is not None:
            success = with_queries(success, category)
        return replace(self, goals=tuple(g.resolved(vocabulary) for g in self.goals), success=success)

    def to_dict(self) -> dict[str, Any]:
        success = self.success
        return {
            "id": self.id,
            "instruction": self.instruction,
            "goals": [g.to_dict() for g in self.goals],
            "success": None if success is None else success.to_dict() if isinstance(success, Course) else to_dict(success),
            "meta": dict(self.meta),
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Task:
        """Inverse of `to_dict`. Raises SymbolError or KeyError for what is no task."""
        given = body.get("success")
        success: Condition | Course | None = None
        if given is not None:
            success = Course.from_dict(given) if given.get("op") == "course" else from_dict(given)
        goals = tuple(Goal.from_dict(g) for g in body["goals"])
        return cls(body["id"], body["instruction"], goals, body.get("meta", {}), success)


__all__ = ["Goal", "ObjectQuery", "Task", "satisfied", "witnesses"]
