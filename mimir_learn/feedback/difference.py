"""Δ-source ``difference``: the action's nominal effect if pixels or depths changed where it acts, else nothing. Never trained."""

from __future__ import annotations

from mimir_learn.estimator.classical import hand_change, place_change
from mimir_learn.feedback.classical import GROUPS, Thresholds, thresholds
from mimir_learn.feedback.schema import nominal_delta
from mimir_learn.symbols import EMPTY, Estimate, Transition, Verb

_WINDOW_M = 0.3


def evidence(transition: Transition) -> float:
    """Share of pixels that changed where the action acts: at the remembered point of what is picked, opened, switched or sliced; in the
    hand's corner of the frame for what is put, filled or poured, or where memory has no point or a frame does not show it."""
    action, known = transition.action, transition.belief.entities
    subject = known.get(action.subject or "")
    in_hand = action.verb in (Verb.PLACE, Verb.FILL, Verb.POUR)
    if not in_hand and subject is not None and subject.point is not None:
        share = place_change(transition.before, transition.after, subject.point, _WINDOW_M)
        if share is not None:
            return share
    return hand_change(transition.before, transition.after)


class DifferenceSource:
    """A threshold on the share of changed pixels, one per group of verbs; reads neither flag nor sentence."""

    name = "difference"

    def __init__(self, settings: Thresholds | None = None) -> None:
        self.settings = settings or thresholds()

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        nominal = nominal_delta(transition.action, transition.belief, self.name)
        if not nominal:
            return Estimate(EMPTY)
        changed = evidence(transition) > self.settings.changed[GROUPS[transition.action.verb]]
        return Estimate(nominal if changed else EMPTY, success=float(changed))
