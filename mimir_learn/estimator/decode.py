"""Head probabilities → one well-formed `Delta`: the most probable joint assignment in which the hand holds at most one thing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.labels import FIRST_CANDIDATE, KEEP, SET, TO_ELSEWHERE, TO_HAND, UNCHANGED
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Belief, Delta, Kind, Parent, ParentChange, StateChange
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

    Only entities of kind object move; they go to the hand, to candidates that hold things, or elsewhere. When something is taken
    while memory believes another thing is held, that other thing must have left the hand: all such assignments are compared.
    """
    entities = [belief.entities[e] for e in ids]
    movers = [i for i, b in enumerate(entities) if b.entity.kind is Kind.OBJECT]
    legal_j = [_relation_parent(belief, e) for e in ids]
    log_p = np.log(np.maximum(np.asarray(parent_KO, dtype=np.float64)[: len(ids)], _TINY))
    option: dict[int, int] = {}
    stay: dict[int, float] = {}
    leave: dict[int, tuple[float, int]] = {}
    for i in movers:
        choices = [(log_p[i, TO_ELSEWHERE], TO_ELSEWHERE)]
        choices += [(log_p[i, FIRST_CANDIDATE + j], FIRST_CANDIDATE + j) for j in range(len(ids)) if legal_j[j] is not None and j != i]
        leave[i] = max(choices)
        best = max((log_p[i, UNCHANGED], UNCHANGED), leave[i])
        stay[i], option[i] = best
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


def _relation_parent(belief: Belief, entity_id: str) -> Parent | None:
    """What being at this entity means as a `Parent`, None when things cannot be there."""
    entity = belief.entities[entity_id].entity
    relation = belief.vocabulary.spec(entity).relation
    if relation is None or entity.kind is Kind.OBJECT:
        return None
    return Parent(entity_id, relation)
