"""Goal-conditioned recall: the query constructor Q and the retrieval operator R (Eq. 9)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import islice

from mimir_learn.memory.hypotheses import Hypothesis
from mimir_learn.memory.task import Binding, binding_of
from mimir_learn.memory.world import WorldMemory
from mimir_learn.symbols import Goal, ObjectQuery, Parent

K_DEFAULT = 8
SCORE_ALL = 64  # so many of a category are scored sooner than sorted out
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
    firmly memory believes that. visual: it is in view. descriptive: the share of the attributes asked for that it is known to have; one
    that is broken though nobody asked for that counts as having none.
    """

    lexical: float
    semantic: float
    relational: float
    visual: float
    descriptive: float = 1.0

    @property
    def total(self) -> float:
        """One number to rank by. What it is like outweighs where it is and whether it is in view."""
        return self.lexical + 0.5 * self.semantic + self.relational + self.visual + 2.5 * self.descriptive


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

    Searched are the entities of the category that the query's noun names, itself or as a synonym (`Vocabulary.resolve`). Each offers its
    active hypothesis; where that is in ``exclude`` (F_t), or refuted, the best unresolved alternative that is not. An entity about whose
    place nothing is left is recalled without a parent. ``similarity(noun, category) -> [0, 1]`` may score a noun that only is a synonym,
    e.g. by an embedding; the category's own name scores 1.

    Only what can be among the first ``k`` is scored (`contenders`): the result is the same as if all were.
    """
    noun = query.object.category
    category = world.vocabulary.resolve(noun)
    fixed = Support(float(noun == category), similarity(noun, category) if similarity else 1.0, 0.0, 0.0)
    return rank(contenders(world, query, category, k, exclude, fixed), world, query, k, exclude, fixed)


def contenders(world: WorldMemory, query: Query, category: str, k: int, exclude: Collection[Binding], fixed: Support) -> Collection[str]:
    """Ids of ``category`` among which the ``k`` best are; ``fixed`` is the support all of them have.

    Out of view and out of the room, with an active hypothesis and nothing special about it, only the weight of that hypothesis tells one
    from another, and those are taken from the heaviest down. For a query that asks for more than a category, and where memory does not
    know what room the robot is in, it is all of them.
    """
    if query.object.instance is not None:
        return (query.object.instance,) if _is(query.object.instance, category, world) else ()
    ids, here = world.of_category(category), world.room_of(world.at)
    if len(ids) <= SCORE_ALL or query.source is not None or query.object.attributes or here is None:
        return ids
    standing = world.standing
    special = {i for i in (*world.sightings, *(b.object for b in exclude)) if _is(i, category, world)} | standing.odd(category)
    stack = [here]
    while stack:
        for child in world.children(stack.pop()):
            stack.append(child)
            if _is(child, category, world):
                special.add(child)
    out: list[str] = []
    last = None
    for weight, group in standing.by_weight(category):
        total = replace(fixed, relational=0.5 * weight).total  # two weights can be one total, and then ids decide
        if len(out) >= k and total != last:
            break
        out += islice((i for i in group if i not in special), k)
        last = total
    return [*special, *out]


def _is(entity_id: str, category: str, world: WorldMemory) -> bool:
    entity = world.entity(entity_id)
    return entity is not None and entity.category == category


def rank(ids: Collection[str], world: WorldMemory, query: Query, k: int, exclude: Collection[Binding], fixed: Support) -> list[Candidate]:
    """The ``k`` best of ``ids``, best first, ties by id."""
    found: list[Candidate] = []
    for entity_id in ids:
        hypothesis = best_hypothesis(entity_id, world, exclude)
        if hypothesis is None and world.hypothesis(entity_id) is not None:
            continue  # all that memory believes of it is contradicted
        relational, visual = _relational(entity_id, hypothesis, query, world), float(entity_id in world.sightings)
        support = Support(fixed.lexical, fixed.semantic, relational, visual, _descriptive(entity_id, query.object, world))
        parent = None if hypothesis is None else hypothesis.parent
        found.append(Candidate(entity_id, parent, support, binding_of(entity_id, hypothesis)))
    return heapq.nsmallest(k, found, key=lambda c: (-c.support.total, c.entity))


def best_hypothesis(entity_id: str, world: WorldMemory, exclude: Collection[Binding] = frozenset()) -> Hypothesis | None:
    """The active hypothesis, or where there is none or F_t has it, the best unresolved alternative that F_t has not."""
    active = world.hypothesis(entity_id)
    options = (*(() if active is None else (active,)), *world.unresolved(entity_id))
    return next((h for h in options if binding_of(entity_id, h) not in exclude), None)


def _descriptive(entity_id: str, query: ObjectQuery, world: WorldMemory) -> float:
    if world.attribute(entity_id, "broken") is True and ("broken", True) not in query.attributes and query.instance is None:
        return 0.0
    asked = query.attributes
    return sum(world.value(entity_id, a) is v for a, v in asked) / len(asked) if asked else 1.0


def _relational(entity_id: str, hypothesis: Hypothesis | None, query: Query, world: WorldMemory) -> float:
    if hypothesis is None:
        return 0.0
    place = world.place_of(hypothesis.parent.id)
    if query.source is not None:
        fit = float(query.source in (place, hypothesis.parent.id) or world.was_seen_at(entity_id, query.source))
    elif place is not None and place == world.at:
        fit = 1.0
    else:
        fit = 0.5 * float(world.room_of(hypothesis.parent.id) == world.room_of(world.at))
    score = 0.5 * hypothesis.weight + 0.5 * fit
    return score if hypothesis is world.hypothesis(entity_id) else 0.5 * score
