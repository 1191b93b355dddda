"""True Δ → the targets of the three heads, restricted to the candidates; and what an action does when nothing goes wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.symbols import EFFECT, HAND, Action, Belief, Delta, Outcome, Relation, Verb

UNCHANGED, TO_HAND, TO_ELSEWHERE, FIRST_CANDIDATE = 0, 1, 2, 3  # columns of the parent pointer
KEEP, SET, CLEAR = 0, 1, 2  # columns of an attribute head


def nominal_atoms(action: Action, belief: Belief) -> frozenset[tuple[str, str, str, str]]:
    """The relation or state atoms that ``action`` makes true when it does what its name says; none for navigate, looks, wait. A pour may
    make two: its vessel is empty, another one full."""
    if action.verb is Verb.PICK:
        return frozenset({("relation", str(action.object), Relation.HELD.value, HAND.id)})
    if action.verb is Verb.PLACE:
        place = belief.entities.get(str(action.receptacle))
        relation = None if place is None else belief.vocabulary.spec(place.entity).relation
        return frozenset({("relation", str(action.object), (relation or Relation.UNKNOWN).value, str(action.receptacle))})
    if action.verb in EFFECT:
        attribute, value = EFFECT[action.verb]
        atoms = {("state", str(action.subject), attribute, str(value).lower())}
        vessel = belief.entities.get(action.fills) if action.fills is not None else None
        if vessel is not None and "filled" in belief.vocabulary.spec(vessel.entity).attributes and not vessel.attributes.get("filled"):
            atoms.add(("state", vessel.entity.id, "filled", "true"))  # a drain keeps nothing, a full vessel stays full
        return frozenset(atoms)
    return frozenset()


def refused(outcome: Outcome) -> bool:
    """Whether the environment would not even try (``Refused: …``). Unlike other claims this one is always honest."""
    return not outcome.success and outcome.text.startswith("Refused")


def did_what_it_says(action: Action, belief: Belief, delta: Delta, outcome: Outcome | None = None) -> bool:
    """The outcome label: the action was not refused and its nominal effect is part of ``delta``.

    Navigate, look and wait have no effect on a Δ: they did what they say when they were not refused and nothing fell from the hand.
    Without ``outcome`` no action counts as refused.
    """
    if outcome is not None and refused(outcome):
        return False
    nominal = nominal_atoms(action, belief)
    return nominal <= delta.atoms if nominal else delta.hand is None


def targets(
    delta: Delta, ids: tuple[str, ...], action: Action, belief: Belief, config: EstimatorConfig, outcome: Outcome | None = None
) -> dict[str, NDArray[Any]]:
    """Targets for the rows ``ids``: ``y_parent`` (K,), ``y_attr`` (K, A), ``y_outcome`` ().

    A true new parent that is not among the candidates becomes `TO_ELSEWHERE`; changes of entities that were not offered cannot
    be learned from and are left out (they still count as misses when the estimator is scored).
    """
    index = {e: i for i, e in enumerate(ids)}
    y_parent = np.zeros(config.candidates, dtype=np.int64)
    y_attr = np.zeros((config.candidates, len(config.attributes)), dtype=np.int64)
    for entity, change in delta.parents.items():
        if entity in index:
            if change.new.relation is Relation.HELD:
                y_parent[index[entity]] = TO_HAND
            else:
                place = index.get(change.new.id)
                y_parent[index[entity]] = TO_ELSEWHERE if place is None else FIRST_CANDIDATE + place
    for (entity, attribute), flip in delta.states.items():
        if entity in index and attribute in config.attributes:
            y_attr[index[entity], config.attributes.index(attribute)] = SET if flip.new else CLEAR
    did = np.asarray(did_what_it_says(action, belief, delta, outcome), dtype=np.float32)
    return {"y_parent": y_parent, "y_attr": y_attr, "y_outcome": did}
