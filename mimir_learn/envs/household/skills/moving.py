"""Going somewhere, looking from another side, raising and lowering the head."""

from __future__ import annotations

from dataclasses import replace

from ..placing import on_floor
from ..reports import Report
from ..stance import Stance
from ..viewpoints import approach
from .handling import let_fall
from .robot import Robot


def look(me: Robot) -> Report:
    """The next viewpoint of the same place."""
    me.stance = me.stance.turned()
    me.world.carry(me.stance.view)
    return Report(True, "looked", x=me.stance.at)


def tilt(me: Robot, up: bool) -> Report:
    """Raise or lower the head, one notch either way from level."""
    to = me.stance.tilt + (1 if up else -1)
    if abs(to) > 1:
        return Report(False, "highest" if up else "lowest")
    me.stance = replace(me.stance, tilt=to)
    me.world.carry(me.stance.view)
    return Report(True, "looked_up" if up else "looked_down")


def go(me: Robot, x: str) -> Report:
    """To a place, a room, or a thing in view; what is held may be lost, half the time where one leaves."""
    goal = stance_at(me, x)
    if goal is None:
        return me.unseen(x)
    held = me.world.held
    dropped = held is not None and me.dice.hits("drop")
    early = dropped and me.dice.coin() and _lose(me, me.stance)
    me.stance = goal
    me.world.carry(goal.view)
    if held is not None and dropped and (early or _lose(me, goal)):
        me.struck("drop")
        if not me.dice.silent():
            return Report(False, "dropped", x=held, p=x)
    return Report(True, "went", x=x)


def _lose(me: Robot, stance: Stance) -> bool:
    world, held = me.world, me.world.held
    assert held is not None
    spot = on_floor(world, world.specs[held], stance.view, me.rng, unseen=True)
    if spot is None:
        return False
    me.fault = "drop"
    let_fall(me, held, spot)
    return True


def stance_at(me: Robot, x: str) -> Stance | None:
    """Where one stands at ``x``; None for a thing one does not see or carries."""
    world = me.world
    if x in world.fixtures:
        f = world.fixtures[x]
        return Stance(x, f.room, f.viewpoints)
    rooms = {r.id: r for r in world.house.rooms}
    if x in rooms:
        return Stance(x, x, rooms[x].viewpoints, overview=True)
    if x not in world.specs or not me.sees(x) or world.room_of(x) not in rooms:
        return None
    root = world.root(x)
    if root in world.fixtures:
        f = world.fixtures[root]
        return Stance(f.id, f.room, f.viewpoints)
    room = rooms[root]
    point = world.position(x)
    views = approach((float(point[0]), float(point[1]), float(point[2])), me.stance.view.eye, room.centre, room.size, world.blocks(room.id))
    return Stance(room.id, room.id, views)
