"""Where the agent looks from when the gate asks to look again at what an action did.

``turn``: the next viewpoint of the same place. ``stay``: the same viewpoint once more, which shows only what changed meanwhile; for
comparison. ``down``: the floor before the place, head lowered. ``doubt``: what shows most of what is usually in doubt (docs/memory.md has
the measurement): after a pick ``turn``; after a place the viewpoint the agent arrived at, where it stands at another one and its hand is
surely empty, else ``down``, for the question is whether the thing lies on the floor; after walking ``down``; else ``turn``.

A further look is ``turn``, whatever the one before was: it levels the head as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import LOOKS, Action, Belief, Delta, Verb

_ACTION = {"turn": Verb.LOOK, "stay": Verb.WAIT, "down": Verb.LOOK_DOWN}
_WALKS = frozenset({Verb.NAVIGATE, Verb.WAIT, *LOOKS})


@dataclass(frozen=True, eq=False)
class Arrival:
    """The walk that brought the agent where it is, and the camera pose (4, 4) at its end."""

    walk: Action
    pose: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Doubt:
    """What there is to look at again.

    Attributes:
        about: the action in doubt.
        changes: those in doubt, the probable among them included.
        belief: memory before the action.
        pose: of the camera now, (4, 4).
        arrival: how the agent came here, None when it has not walked yet.
        number: 1 for the second look at the action, 2 for the third.
    """

    about: Action
    changes: Delta
    belief: Belief
    pose: NDArray[np.float64]
    arrival: Arrival | None = None
    number: int = 1


def second_look(view: str, doubt: Doubt) -> Action:
    """The action that looks again; ``view``: see the top of this file."""
    if view == "stay":
        return Action(Verb.WAIT)
    if doubt.number > 1:
        return Action(Verb.LOOK)
    return _fitting(doubt) if view == "doubt" else Action(_ACTION[view])


def _fitting(doubt: Doubt) -> Action:
    verb, came = doubt.about.verb, doubt.arrival
    if verb is Verb.PLACE and came is not None and _turned_away(doubt) and _empty_handed(doubt):
        return came.walk
    return Action(Verb.LOOK_DOWN if verb is Verb.PLACE or verb in _WALKS else Verb.LOOK)


def _turned_away(doubt: Doubt) -> bool:
    """Whether the agent stands at a place, and at another viewpoint than the one it arrived at."""
    came = doubt.arrival
    return came is not None and came.walk.receptacle is not None and not np.allclose(came.pose, doubt.pose, atol=1e-3)


def _empty_handed(doubt: Doubt) -> bool:
    """Whether nothing can fall on the way: nothing was held, or what was held is more likely than not somewhere else now."""
    held = doubt.belief.hand
    return held is None or any(c.entity == held and c.p > 0.5 for c in doubt.changes.parents.values())
