"""Changing the state of what stays where it is, and cutting: open, close, turn on, turn off, slice."""

from __future__ import annotations

from ..reports import Report
from ..vocabulary import VOCABULARY
from .robot import Robot


def move_panel(me: Robot, p: str, to: bool) -> Report:
    """Open or close. What stands ajar counts as closed, but can be closed too."""
    world = me.world
    if (p, "open") not in world.attributes:
        return Report(False, "no_panel", p=p)
    if not me.near(p):
        return Report(False, "far", p=p)
    if world.attributes[p, "open"] is to and not (world.is_ajar(p) and not to):
        return Report(False, "open_already" if to else "closed_already", p=p)
    me.failed_puts.pop(p, None)
    me.fault = me.dice.first_of("stuck", "partial") if to else me.dice.first_of("stuck")
    if me.fault == "partial":
        world.set_ajar(p)
    elif not me.fault:
        world.set_open(p, to)
    kind = me.fault
    me.jolt()
    if kind and not me.dice.silent():
        return Report(False, "ajar" if kind == "partial" else "stuck_panel", p=p)
    return Report(True, "opened" if to else "closed", p=p)


def toggle(me: Robot, d: str, to: bool) -> Report:
    """Turn a device on or off; a laptop must be open."""
    world = me.world
    if (d, "on") not in world.attributes:
        return Report(False, "no_switch", x=d)
    if not me.near(d):
        return Report(False, "far", p=d)
    if world.house.entities[d].category == "laptop" and not world.is_open(d):
        return Report(False, "shut", p=d)
    if world.attributes[d, "on"] is to:
        return Report(False, "on_already" if to else "off_already", x=d)
    me.fault = me.dice.first_of("stuck")
    if not me.fault:
        world.set_attribute(d, "on", to)
    elif not me.dice.silent():
        return Report(False, "stuck_switch", x=d)
    return Report(True, "turned_on" if to else "turned_off", x=d)


def cut(me: Robot, x: str) -> Report:
    """Slice a thing one sees and reaches with the knife in one's hand."""
    world = me.world
    if not me.has(x, "sliced"):
        return Report(False, "not_sliceable", x=x)
    if world.held is None or "slice" not in VOCABULARY.spec(world.specs[world.held].category).tool_for:
        return Report(False, "no_tool")
    if refusal := me.unreachable(x):
        return refusal
    if world.attributes[x, "sliced"]:
        return Report(False, "sliced_already", x=x)
    me.fault = me.dice.first_of("stuck")
    if not me.fault:
        world.set_attribute(x, "sliced", True)
        world.set_upright(x)
    elif not me.dice.silent():
        return Report(False, "uncut", x=x)
    return Report(True, "sliced", x=x)
