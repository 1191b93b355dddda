"""Picking things up and putting them down: on and in fixtures, in and on movable things, on the floor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..placing import Spot, beside, beside_thing, in_thing, on_fixture, on_floor, spill
from ..reports import Report
from .robot import Robot

_TRIES = 3


def pick(me: Robot, x: str, p: str) -> Report:
    """Take a thing, with what is in it, into the empty hand."""
    world = me.world
    if world.held is not None:
        return Report(False, "hand_full")
    if p and (refusal := _no_source(me, p)):
        return refusal
    if refusal := me.unreachable(x):
        return refusal
    kind, taken = me.dice.first_of("slip", "wrong_instance"), x
    if kind == "wrong_instance":
        other = _other_than(me, x)
        taken, kind = (other, kind) if other is not None else (x, "slip" if me.dice.rates.slip > 0 else "")
    me.fault = kind
    me.failed_puts.clear()
    if kind != "slip":
        world.hold(taken, me.stance.view)
    me.jolt()
    if kind and not me.dice.silent():
        return Report(False, "slipped", x=x) if kind == "slip" else Report(False, "picked", x=taken)
    return Report(True, "picked", x=x)


def _no_source(me: Robot, p: str) -> Report | None:
    """Why nothing can be taken from ``p``; a movable holder is at hand where it is seen and reached."""
    at_hand = me.near(p) or (me.perceives(p) and me.within_reach(p))
    if not at_hand:
        return Report(False, "far", p=p)
    return None if me.world.is_open(p) else Report(False, "shut", p=p)


def _other_than(me: Robot, thing: str) -> str | None:
    world = me.world
    near = [t for t in world.specs if t != thing and me.unreachable(t) is None]
    same = [t for t in near if world.specs[t].category == world.specs[thing].category]
    pool = same or [t for t in near if world.parents[t] == world.parents[thing]] or near
    return pool[int(me.rng.integers(len(pool)))] if pool else None


def put(me: Robot, x: str, p: str) -> Report:
    """Put the held thing at ``p``: a fixture that holds things, a movable thing that does, or the room one is in (its floor)."""
    world = me.world
    if world.held is None:
        return Report(False, "hand_empty")
    if world.held != x:
        return Report(False, "not_held", x=x)
    if p not in me.failed_puts:
        me.failed_puts.clear()  # tries at another receptacle are no longer in a row
    refusal, lay = _target(me, x, p)
    if refusal is not None:
        return _failed(me, x, p, refusal) if refusal.code in ("shut", "no_room") else refusal
    assert lay is not None
    if p == me.stance.room:
        return _put_on_floor(me, x, p, lay)
    return _aim(me, x, p, lay)


Lay = Callable[[], None]


def _target(me: Robot, x: str, p: str) -> tuple[Report | None, Lay | None]:
    """Why the held ``x`` cannot be put at ``p``, or else what puts it there."""
    world = me.world
    if p not in world.fixtures and p not in world.specs and not me.category(p):
        if p != me.stance.room:
            return Report(False, "far", p=p), None
        spot = on_floor(world, world.specs[x], me.stance.view, me.rng, unseen=True, room=p)
        return (Report(False, "no_room", x=x, p=p, word="on"), None) if spot is None else (None, partial(_lay, me, x, spot))
    if p in world.fixtures:
        relation = world.regions.relation[p]
        if relation is None:
            return Report(False, "holds_nothing", p=p), None
        if not me.near(p):
            return Report(False, "far", p=p), None
        if not world.is_open(p):
            return Report(False, "shut", p=p), None
        spot = on_fixture(world, world.fixtures[p], world.specs[x], me.rng)
        return (_no_room(me, x, p), None) if spot is None else (None, partial(_lay, me, x, spot))
    if me.relation(p) is None:
        return Report(False, "holds_nothing", p=p), None
    if refusal := me.unreachable(p):
        return refusal, None
    if world.holds(p) is None:
        return Report(False, "broken", x=p), None
    nook = in_thing(world, world.specs[p], world.specs[x], me.rng)
    if nook is None:
        return _no_room(me, x, p), None
    return None, partial(world.put_in, x, p, nook.at, nook.yaw, nook.tilt)


def _no_room(me: Robot, x: str, p: str) -> Report:
    return Report(False, "no_room", x=x, p=p, word=str(me.relation(p)))


def _lay(me: Robot, x: str, spot: Spot) -> None:
    me.world.release(x, spot.at, spot.yaw, spot.tilt)


def _put_on_floor(me: Robot, x: str, room: str, lay: Lay) -> Report:
    me.failed_puts.clear()
    lay()
    if room not in me.world.holders(x):  # rolled through a doorway
        me.fault = "beside"
    broken = _breaks(me, x)
    me.jolt()
    if me.fault in ("", "camera") or me.dice.silent():
        return Report(True, "put_floor", x=x, p=room)
    return Report(False, "broke", x=x) if broken and me.fault == "breaks" else Report(False, "third_put", x=x, p=room)  # somewhere else


def _aim(me: Robot, x: str, p: str, lay: Lay) -> Report:
    """Put ``x`` at ``p``, a fixture or a movable thing, as well as it comes off."""
    world, word = me.world, str(me.relation(p))
    kind = me.dice.first_of("unplaced", "misplaced", "beside")
    if kind == "unplaced":
        return _failed(me, x, p, Report(False, "unplaced", x=x, p=p), Report(True, "put", x=x, p=p, word=word))
    me.failed_puts.clear()
    landed = p
    if kind == "misplaced":
        other = _next_nearest(me, x, p)
        if other is None:
            kind = "beside" if me.dice.rates.beside > 0 else ""
        else:
            landed, lay = other
    if kind == "beside":
        missed = _miss(me, x, p)
        if missed is not None:
            lay = missed
    lay()
    holders = world.holders(x)
    if landed not in holders:  # missed, or rolled off by itself
        me.fault = "beside"
    elif p not in holders:  # a vessel that stands in or on the target counts as the target
        me.fault = "misplaced"
    broken = _breaks(me, x)
    me.jolt()
    if me.fault in ("", "camera") or me.dice.silent():
        return Report(True, "put", x=x, p=p, word=word)
    if me.fault == "misplaced":
        return Report(False, "put", x=x, p=landed, word=word)
    return Report(False, "broke", x=x) if broken and me.fault == "breaks" else Report(False, "beside", x=x, p=p)


def _failed(me: Robot, x: str, p: str, honest: Report, silent: Report | None = None) -> Report:
    """A place that does not come off: nothing happens, but the third in a row may lose the thing. ``silent`` is what it may claim."""
    me.failed_puts[p] = me.failed_puts.get(p, 0) + 1
    world = me.world
    if me.failed_puts[p] >= _TRIES and me.dice.hits("third_put"):
        spot = on_floor(world, world.specs[x], me.stance.view, me.rng, unseen=True)
        if spot is not None:
            me.failed_puts.clear()
            me.fault = "third_put"
            let_fall(me, x, spot)
            return Report(False, "third_put", x=x, p=p)
    if silent is not None:
        me.struck("unplaced")
        me.jolt()
        if me.dice.silent():
            return silent
    return honest


def _next_nearest(me: Robot, x: str, p: str) -> tuple[str, Lay] | None:
    """The nearest other receptacle of ``p``'s category in the room that is open and has room for ``x``, and what puts it there."""
    world = me.world
    if p in world.specs:
        here, twins = world.position(p), [t for t in world.specs if t != p and world.specs[t].category == world.specs[p].category]
        for twin in sorted(
            (t for t in twins if me.unreachable(t) is None), key=lambda t: (float(((world.position(t) - here) ** 2).sum()), t)
        ):
            nook = in_thing(world, world.specs[twin], world.specs[x], me.rng) if world.holds(twin) is not None else None
            if nook is not None:
                return twin, partial(world.put_in, x, twin, nook.at, nook.yaw, nook.tilt)
        return None
    target = world.fixtures[p]
    same = [
        f for f in world.house.fixtures if f.id != p and f.category == target.category and f.room == target.room and world.is_open(f.id)
    ]
    for f in sorted(same, key=lambda f: (sum((a - b) ** 2 for a, b in zip(f.position, target.position, strict=True)), f.id)):
        spot = on_fixture(world, f, world.specs[x], me.rng)
        if spot is not None:
            return f.id, partial(_lay, me, x, spot)
    return None


def _miss(me: Robot, x: str, p: str) -> Lay | None:
    world = me.world
    if p in world.fixtures:
        spot = beside(world, world.fixtures[p], world.specs[x], me.stance.view, me.rng)
    else:
        spot = beside_thing(world, p, world.specs[x], me.stance.view, me.rng)
    return None if spot is None else partial(_lay, me, x, spot)


def let_fall(me: Robot, x: str, spot: Spot) -> None:
    """Drop the held thing at a spot; it may break."""
    _lay(me, x, spot)
    _breaks(me, x)


def _breaks(me: Robot, x: str) -> bool:
    """Whether a thing just put down or dropped breaks. What it held then lies around it, its liquid is lost."""
    world = me.world
    if not me.dice.hits("breaks") or world.attributes.get((x, "broken"), True):
        return False
    me.struck("breaks")
    world.set_attribute(x, "broken", True)
    if (x, "filled") in world.attributes:
        world.set_attribute(x, "filled", False)
    spill(world, x, me.rng)
    world.set_upright(x)
    return True
