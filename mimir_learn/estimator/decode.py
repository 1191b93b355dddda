"""Head probabilities → one well-formed `Delta`: the most probable joint assignment in which the hand holds at most one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.hypotheses import OTHER, Primary, impose, primary_keys
from mimir_learn.estimator.labels import FIRST_CANDIDATE, KEEP, SET, TO_ELSEWHERE, TO_HAND, UNCHANGED
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Belief, BelievedEntity, Delta, HandChange, Kind, Parent, ParentChange, StateChange
from mimir_learn.symbols.delta import Change

_TINY = 1e-12


def decode(
    parent_KO: NDArray[np.floating], attr_KA3: NDArray[np.floating], ids: tuple[str, ...], belief: Belief, attributes: tuple[str, ...],
    source: str = "learned",
) -> tuple[Delta, float]:  # fmt: skip
    """Δ and the probability of the whole answer, unchanged facts included (heads taken as independent).

    Args:
        parent_KO: (≥n, 3 + K) probabilities over {unchanged, hand, elsewhere, candidate…} for the rows ``ids``.
        attr_KA3: (≥n, A, 3) probabilities over {keep, set, cleared}.
        ids: the n candidate ids, in row order.
        belief: memory before the action; gives the old values, kinds and which attributes apply.
        attributes: names of the A columns.

    Only entities of kind object move; they go to the hand, to candidates that hold things (a bowl is one), or elsewhere. When something is
    taken while memory believes another thing is held, that other thing must have left the hand: all such assignments are compared. Where
    two things would end up in each other, the one whose next best goal costs least takes that.
    """
    entities = [belief.entities[e] for e in ids]
    movers = [i for i, b in enumerate(entities) if b.entity.kind is Kind.OBJECT]
    legal_j = [_relation_parent(belief, e) for e in ids]
    log_p = np.log(np.maximum(np.asarray(parent_KO, dtype=np.float64)[: len(ids)], _TINY))
    option = _parents(log_p, movers, legal_j, entities)
    _open_circles(option, log_p, legal_j, ids, belief)

    changes: list[Change] = []
    log_joint = 0.0
    for i in movers:
        log_joint += log_p[i, option[i]]
        if option[i] == UNCHANGED:
            continue
        fixed = {TO_HAND: IN_HAND, TO_ELSEWHERE: ELSEWHERE}
        new = fixed.get(option[i]) or legal_j[option[i] - FIRST_CANDIDATE] or ELSEWHERE
        old = entities[i].parent or ELSEWHERE
        if old == new:  # memory was wrong before: the thing came from somewhere it does not know
            old = ELSEWHERE
        if old != new:
            changes.append(ParentChange(ids[i], old, new, float(np.exp(log_p[i, option[i]])), source))
    log_attr = np.log(np.maximum(np.asarray(attr_KA3, dtype=np.float64)[: len(ids)], _TINY))
    for i, believed in enumerate(entities):
        applicable = belief.vocabulary.spec(believed.entity).attributes
        for a, attribute in enumerate(attributes):
            if attribute not in applicable:
                continue
            pick = int(log_attr[i, a].argmax())
            log_joint += log_attr[i, a, pick]
            if pick != KEEP:
                p = float(np.exp(log_attr[i, a, pick]))
                changes.append(StateChange(ids[i], attribute, pick != SET, pick == SET, p, source))
    return Delta(changes), float(np.exp(min(log_joint, 0.0)))


def decode_hypotheses(
    hypothesis_H: NDArray[np.floating], parent_KO: NDArray[np.floating], attr_KA3: NDArray[np.floating], facts: Primary, row: int,
    ids: tuple[str, ...], belief: Belief, attributes: tuple[str, ...], source: str = "learned",
) -> tuple[Delta, float]:  # fmt: skip
    """Δ and the probability of the whole answer where outcomes are scored (`mimir_learn.estimator.hypotheses`).

    The most probable outcome fixes the primary facts of batch row ``row`` of ``facts``, with its probability; the factored head says the
    rest, and everything where "anything else" is the most probable outcome.
    """
    best = int(hypothesis_H.argmax())
    if best == OTHER:
        return decode(parent_KO, attr_KA3, ids, belief, attributes, source)
    parent, attr = impose(best, parent_KO, attr_KA3, facts, row)
    delta, rest = decode(parent, attr, ids, belief, attributes, source)
    p = float(hypothesis_H[best])
    own = primary_keys(best, facts, row, ids, attributes)
    told = [replace(c, p=p) if c.key in own else c for c in delta if not isinstance(c, HandChange)]  # the hand follows from the relations
    return Delta(told), p * rest


def _parents(
    log_p: NDArray[np.float64], movers: Sequence[int], legal_j: Sequence[Parent | None], entities: Sequence[BelievedEntity]
) -> dict[int, int]:
    """The best option of every mover such that the hand ends with at most one thing."""
    option: dict[int, int] = {}
    stay: dict[int, float] = {}
    leave: dict[int, tuple[float, int]] = {}
    for i in movers:
        choices = [(log_p[i, TO_ELSEWHERE], TO_ELSEWHERE)]
        choices += [(log_p[i, FIRST_CANDIDATE + j], FIRST_CANDIDATE + j) for j, p in enumerate(legal_j) if p is not None and j != i]
        leave[i] = max(choices)
        stay[i], option[i] = max((log_p[i, UNCHANGED], UNCHANGED), leave[i])
    held = next((i for i in movers if entities[i].parent == IN_HAND), None)

    best_gain, taken, forced = 0.0, None, False
    for i in movers:
        gain = log_p[i, TO_HAND] - stay[i]
        force = held is not None and held != i and option[held] == UNCHANGED
        if force and held is not None:
            gain += leave[held][0] - stay[held]
        if gain > best_gain:
            best_gain, taken, forced = gain, i, force
    if taken is not None:
        option[taken] = TO_HAND
        if forced and held is not None:
            option[held] = leave[held][1]
    return option


def _open_circles(
    option: dict[int, int], log_p: NDArray[np.float64], legal_j: Sequence[Parent | None], ids: Sequence[str], belief: Belief
) -> None:
    """Change ``option`` in place until no thing is in itself, counting what memory believes of things that stay."""
    row = {e: i for i, e in enumerate(ids)}

    def above(entity: str) -> str | None:
        chosen = option.get(row[entity], UNCHANGED) if entity in row else UNCHANGED
        if chosen >= FIRST_CANDIDATE:
            return ids[chosen - FIRST_CANDIDATE]
        b = belief.entities.get(entity)
        return None if chosen != UNCHANGED or b is None or b.parent is None else b.parent.id

    def circle(start: str) -> list[str]:
        path, at = [start], above(start)
        while at is not None and at not in path:
            path.append(at)
            at = above(at)
        return path if at == start else []

    for start in ids:
        while loop := circle(start):
            free = [row[e] for e in loop if option.get(row.get(e, -1), UNCHANGED) >= FIRST_CANDIDATE]
            if not free:  # memory itself believes in a circle
                break
            ways: list[tuple[float, int, int]] = []
            for i in free:
                taken, choices = option[i], [UNCHANGED, TO_ELSEWHERE]
                choices += [FIRST_CANDIDATE + j for j, p in enumerate(legal_j) if p is not None and j != i]
                for choice in choices:
                    option[i] = choice
                    if not circle(ids[i]):
                        ways.append((log_p[i, choice] - log_p[i, taken], i, choice))
                option[i] = taken
            _, i, choice = max(ways)
            option[i] = choice


def _relation_parent(belief: Belief, entity_id: str) -> Parent | None:
    """What being at this entity means as a `Parent`, None when things cannot be there."""
    relation = belief.vocabulary.spec(belief.entities[entity_id].entity).relation
    return None if relation is None else Parent(entity_id, relation)
