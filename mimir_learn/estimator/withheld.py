"""What input building may not see where `EstimatorConfig.hidden` names the action or remembered parents; pixels are hidden in `hidden`."""

from __future__ import annotations

from dataclasses import replace

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.symbols import Action, Kind, Transition, Verb

ASKED = ("action", "parent")  # of `HIDEABLE`, what decides which entities become candidates


def unknowing(transition: Transition, config: EstimatorConfig) -> Transition:
    """``transition`` as input building may see it: the action as a wait, movable things (the held one too) without a parent."""
    if "action" in config.hidden:
        transition = replace(transition, action=Action(Verb.WAIT))
    if "parent" in config.hidden:
        known = transition.belief.entities
        forgotten = {e: replace(b, parent=None) if b.entity.kind is Kind.OBJECT else b for e, b in known.items()}
        transition = replace(transition, belief=replace(transition.belief, entities=forgotten))
    return transition
