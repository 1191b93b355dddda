"""Goal-conditioned recall: the query constructor Q and the retrieval operator R (Eq. 9)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass

from mimir_learn.memory.task import Binding
from mimir_learn.memory.world import WorldMemory
from mimir_learn.symbols import Goal, ObjectQuery, Parent

K_DEFAULT = 8
Similarity = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Query:
    """q_t = Q(g_t): object description, explicit source, target."""

    object: ObjectQuery
    source: str | None = None
    target: ObjectQuery | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """η_{t,k}: why a candidate was recalled, each part in [0, 1].

    lexical: its name is the one asked for. semantic: how alike its category is. relational: it is where it is asked for, or near, and how
    firmly memory believes that. visual: it is in view.
    """

    lexical: float
    semantic: float
    relational: float
    visual: float

    @property
    def total(self) -> float:
        return self.lexical + 0.5 * self.semantic + self.relational + self.visual


@dataclass(frozen=True, slots=True)
class Candidate:
    """(v_k, p_t⁺(v_k), η_{t,k}), with the binding it would be."""

    entity: str
    parent: Parent | None
    support: Support
    binding: Binding | None


def make_query(goal: Goal) -> Query:
    """Q (Eq. 9)."""
    return Query(goal.query, goal.source, goal.target)


def recall(
    world: WorldMemory,
    query: Query,
    k: int = K_DEFAULT,
    exclude: Collection[Binding] = frozenset(),
    similarity: Similarity | None = None,
) -> list[Candidate]:
    """R(W_t⁺, q_t): at most ``k`` candidates, best supported first, ties by id.

    Entities whose category is named by the query, or by a synonym, are searched; bindings in ``exclude`` (F_t) are left out.
    ``similarity(category, category) -> [0, 1]`` may replace the built-in semantic score, e.g. by an embedding.
    """
    found: list[Candidate] = []
    for category, lexical in _named(query.object.category, world):
        semantic = similarity(query.object.category, category) if similarity else _shared_places(query.object.category, category, world)
        ids = world.of_category(category) if query.object.instance is None else (query.object.instance,)
        for entity_id in ids:
            entity = world.entity(entity_id)
            if entity is None or entity.category != category:
                continue
            active = world.hypothesis(entity_id)
            binding = None if active is None else Binding(entity_id, active.parent.id, active.since)
            if binding is not None and binding in exclude:
                continue
            support = Support(lexical, semantic, _relational(entity_id, query, world), float(entity_id in world.sightings))
            found.append(Candidate(entity_id, None if active is None else active.parent, support, binding))
    return heapq.nsmallest(k, found, key=lambda c: (-c.support.total, c.entity))


def _named(name: str, world: WorldMemory) -> list[tuple[str, float]]:
    """Categories an instruction's noun can mean, with a lexical score."""
    out = []
    for category, spec in world.vocabulary.categories.items():
        if category == name:
            out.append((category, 1.0))
        elif name in spec.synonyms or category in getattr(world.vocabulary.categories.get(name), "synonyms", ()):
            out.append((category, 0.8))
    return out


def _shared_places(a: str, b: str, world: WorldMemory) -> float:
    """Jaccard overlap of the places where one would look for either."""
    if a == b:
        return 1.0
    spec = world.vocabulary.categories.get(a)
    one, two = set(spec.usual_places if spec else ()), set(world.vocabulary.spec(b).usual_places)
    return len(one & two) / len(one | two) if one | two else 0.0


def _relational(entity_id: str, query: Query, world: WorldMemory) -> float:
    active = world.hypothesis(entity_id)
    if active is None:
        return 0.0
    place = world.place_of(entity_id)
    if query.source is not None:
        fit = float(query.source in (place, active.parent.id))
    elif place is not None and place == world.at:
        fit = 1.0
    else:
        fit = 0.5 * float(world.room_of(entity_id) == world.room_of(world.at))
    return 0.5 * active.weight + 0.5 * fit
