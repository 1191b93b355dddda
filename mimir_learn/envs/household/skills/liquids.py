"""Filling the vessel in the hand, and pouring what is in it into another or down a drain."""

from __future__ import annotations

from ..reports import Report
from ..vocabulary import VOCABULARY
from .robot import Robot


def fill(me: Robot, x: str, p: str) -> Report:
    """Fill the held ``x`` at ``p``, which gives water."""
    world = me.world
    if refusal := _not_in_hand(me, x):
        return refusal
    if not me.has(x, "filled"):
        return Report(False, "not_fillable", x=x)
    if not _serves(me, p, "fill"):
        return Report(False, "no_water", p=p)
    if not me.near(p):
        return Report(False, "far", p=p)
    if world.attributes.get((x, "broken"), False):
        return Report(False, "broken", x=x)
    if world.attributes[x, "filled"]:
        return Report(False, "filled_already", x=x)
    if me.dice.hits("unfilled"):
        me.fault = "unfilled"
        if not me.dice.silent():
            return Report(False, "empty", x=x)
    else:
        world.set_attribute(x, "filled", True)
    return Report(True, "filled", x=x, p=p)


def pour(me: Robot, x: str, p: str) -> Report:
    """Empty the held ``x`` into a vessel one sees and reaches, or into a place with a drain."""
    world = me.world
    if refusal := _not_in_hand(me, x):
        return refusal
    drain = _serves(me, p, "pour")
    if not drain and not me.has(p, "filled"):
        return Report(False, "no_vessel", p=p)
    if drain and not me.near(p):
        return Report(False, "far", p=p)
    if not drain and (refusal := me.unreachable(p)):
        return refusal
    if not me.has(x, "filled"):
        return Report(False, "not_fillable", x=x)
    if not world.attributes[x, "filled"]:
        return Report(False, "empty_already", x=x)
    if not drain and world.attributes.get((p, "broken"), False):
        return Report(False, "broken", x=p)
    if not drain and world.attributes[p, "filled"]:
        return Report(False, "filled_already", x=p)
    world.set_attribute(x, "filled", False)
    if drain:  # nothing to miss: what goes beside runs into it as well
        return Report(True, "poured", x=x, p=p)
    if me.dice.hits("unfilled"):
        me.fault = "unfilled"
        if not me.dice.silent():
            return Report(False, "spilled", x=x, p=p)
    else:
        world.set_attribute(p, "filled", True)
    return Report(True, "poured", x=x, p=p)


def _not_in_hand(me: Robot, x: str) -> Report | None:
    if me.world.held is None:
        return Report(False, "hand_empty")
    return None if me.world.held == x else Report(False, "not_held", x=x)


def _serves(me: Robot, p: str, verb: str) -> bool:
    fixture = me.world.fixtures.get(p)
    return fixture is not None and verb in VOCABULARY.spec(fixture.category).tool_for
