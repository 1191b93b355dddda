"""Somebody else in the house: now and then they move a thing, switch a device or move a door, half the time where the robot can see it.

A change is *in view* when one of the two frames around the step shows the thing, device or door touched. As it happens after the robot's
action, its scene is the one the action ends in: after a `go to` the view on arrival, where a thing taken away would leave
no trace in either frame unless the frame before the step showed it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from mimir_learn.symbols import HAND

from .placing import in_view, on_fixture, on_floor
from .spec import FixtureSpec
from .stance import Eyes, Stance
from .viewpoints import rooms_in_view
from .world import World

_SWITCHED = 0.3  # share of changes that switch a device or move a door, where there is one
T = TypeVar("T")


def strike(world: World, stance: Stance, eyes: Eyes, spare: Collection[str], rng: np.random.Generator) -> tuple[str, ...]:
    """Change one thing, device or door; returns the ids touched, empty when there was nothing to change.

    With probability 1/2 the change is in view (see above), else out of view; where there is none of the one sort, it is of the other.

    Args:
        stance: where the robot stands after its action.
        eyes: still at the frame before the action.
        spare: what the robot just put down, switched or moved; undoing that would leave nothing to see or to learn.
    """
    before, now = eyes.seen(), eyes.look()
    shut = stance.at if not world.is_open(stance.at) else ""  # nobody reaches through the door that the robot stands before
    out_of_reach = {shut, HAND.id}
    things = tuple(t for t in world.specs if t not in spare and out_of_reach.isdisjoint(world.holders(t)))
    devices = tuple((f.id, a) for f in world.house.fixtures for a in ("on", "open") if (f.id, a) in world.attributes and f.id not in spare)
    rooms = rooms_in_view(world.house, stance.room, stance.view)
    scene = _Scene(world, stance, eyes, rng, rooms, before, now, things, devices)
    visibly = rng.random() < 0.5
    switch_first, take_first = rng.random() < _SWITCHED, rng.random() < 0.5
    moves = [scene.take, scene.put] if take_first else [scene.put, scene.take]
    seen: list[Callable[[], tuple[str, ...]]] = [scene.switch, *moves] if switch_first else [*moves, scene.switch]
    unseen = [scene.switch_unseen, scene.move_unseen] if switch_first else [scene.move_unseen, scene.switch_unseen]
    for change in (*seen, *unseen) if visibly else (*unseen, *seen):
        if touched := change():
            return touched
    return ()


@dataclass(frozen=True)
class _Scene:
    """What could be changed, and what the frames before (``before``) and after (``now``) the robot's action show."""

    world: World
    stance: Stance
    eyes: Eyes
    rng: np.random.Generator
    rooms: frozenset[str]
    before: frozenset[str]
    now: frozenset[str]
    things: tuple[str, ...]
    devices: tuple[tuple[str, str], ...]

    def switch(self) -> tuple[str, ...]:
        """A device or door in view."""
        return self._switch([d for d in self.devices if d[0] in self.now])

    def switch_unseen(self) -> tuple[str, ...]:
        return self._switch([d for d in self.devices if d[0] not in self.now | self.before])

    def take(self) -> tuple[str, ...]:
        """A thing that was in view before and would still be is taken to another place."""
        things = [t for t in self.things if t in self.before & self.now]
        if not things:
            return ()
        return self._carry_off(self._any(things))

    def put(self) -> tuple[str, ...]:
        """A thing that is not in view is put where it is: at the place before the robot, else elsewhere in the room, else on its floor."""
        things = [t for t in self.things if t not in self.now]
        if not things:
            return ()
        thing = self._any(things)
        world, home, touched = self.world, self.world.parents[thing].id, False
        room = [f for f in world.house.fixtures if f.regions and f.room == self.stance.room and f.id != home and world.is_open(f.id)]
        near = [f for f in room if f.id in self.stance.viewed(world)]
        for pool in (*[near] * 4, *[room] * 4, *[None] * 5):
            if pool is None:
                placed = home != self.stance.room and self._drop(thing)  # from floor to floor nothing would have changed
            else:
                placed = bool(pool) and self._release(thing, self._any(pool), visibly=True)
            touched |= placed
            if placed and thing in self.eyes.look():  # else something hides it: they think better of it
                break
        return (thing,) if touched else ()

    def move_unseen(self) -> tuple[str, ...]:
        """A thing that is not in view, to where it is not in view either."""
        things = [t for t in self.things if t not in self.now | self.before]
        if not things:
            return ()
        return self._carry_off(self._any(things), visibly=False)

    # --- inside

    def _any(self, options: Sequence[T]) -> T:
        return options[int(self.rng.integers(len(options)))]

    def _carry_off(self, thing: str, visibly: bool | None = None) -> tuple[str, ...]:
        not_there = {self.stance.at, self.world.parents[thing].id}
        targets = [f for f in self.world.house.fixtures if f.regions and f.id not in not_there]
        for _ in range(12):
            if targets and self._release(thing, self._any(targets), visibly):
                return (thing,)
        return ()

    def _switch(self, devices: list[tuple[str, str]]) -> tuple[str, ...]:
        if not devices:
            return ()
        device, attribute = self._any(devices)
        value = not self.world.attributes[device, attribute]
        if attribute == "open":
            self.world.set_open(device, value)
        else:
            self.world.set_attribute(device, attribute, value)
        return (device,)

    def _release(self, thing: str, target: FixtureSpec, visibly: bool | None = None) -> bool:
        """Put ``thing`` on ``target`` if there is room; ``visibly``: only where that is (not) in the picture, occlusion aside."""
        world = self.world
        spot = on_fixture(world, target, world.specs[thing], self.rng)
        if spot is None:
            return False
        if visibly is not None:
            shown = target.room in self.rooms and world.is_open(target.id)
            if visibly != (shown and in_view(self.stance.view, spot.at, 0.03 if visibly else -0.06)):
                return False
        world.release(thing, spot.at, spot.yaw, spot.tilt)
        return True

    def _drop(self, thing: str) -> bool:
        spot = on_floor(self.world, self.world.specs[thing], self.stance.view, self.rng)
        if spot is None:
            return False
        self.world.release(thing, spot.at, spot.yaw)
        return True
