"""Where the agent looks from when the gate asks to look again at what an action did.

``turn``: the next viewpoint of the same place. ``stay``: the same viewpoint once more, which shows only what changed meanwhile; for
comparison. ``down``: the floor before the place, head lowered. ``doubt``: ``down`` where it is in doubt whether a thing lies on a floor,
``turn`` otherwise. A further look is ``turn``, whatever the first was: it levels the head as well.
"""

from __future__ import annotations

from mimir_learn.symbols import ELSEWHERE, Action, Belief, Delta, Kind, Parent, Verb

_ACTION = {"turn": Verb.LOOK, "stay": Verb.WAIT, "down": Verb.LOOK_DOWN}


def second_look(view: str, doubtful: Delta, belief: Belief, number: int = 1) -> Action:
    """The action that looks again.

    Args:
        view: see the top of this file. doubtful: the changes in doubt.
        belief: memory before the action in doubt.
        number: 1 for the second look at the action, 2 for the third.
    """
    if view == "doubt":
        view = "down" if any(_low(c.new, belief) for c in doubtful.parents.values()) else "turn"
    if number > 1 and view != "stay":
        view = "turn"
    return Action(_ACTION[view])


def _low(parent: Parent, belief: Belief) -> bool:
    """Whether a thing there would lie on a floor, or nobody knows where."""
    known = belief.entities.get(parent.id)
    return parent == ELSEWHERE or (known is not None and known.entity.kind is Kind.ROOM)
