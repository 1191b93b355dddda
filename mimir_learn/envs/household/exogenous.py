"""Somebody else in the house: now and then they move a thing or switch a device, half the time where the robot looks."""

from __future__ import annotations

import numpy as np

from .placing import on_fixture
from .world import World


def strike(world: World, at: str, rng: np.random.Generator) -> tuple[str, ...]:
    """Change one thing or device; returns the ids touched, empty when there was nothing to change.

    Args:
        at: place or room the robot is at: half of the changes happen there, where it has something to change.
    """
    here = at in world.fixtures and bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        devices = [f.id for f in world.house.fixtures if (f.id, "on") in world.attributes]
        near = [d for d in devices if d == at or world.fixtures[d].parent.id == at]
        pool = near if here and near else devices
        if pool:
            device = pool[int(rng.integers(len(pool)))]
            world.set_on(device, not world.attributes[device, "on"])
            return (device,)
    return _move(world, at if here else None, rng)


def _move(world: World, at: str | None, rng: np.random.Generator) -> tuple[str, ...]:
    loose = [t for t in world.specs if t != world.held]
    holders = [f for f in world.house.fixtures if f.regions and f.id != at]
    taking = bool(rng.random() < 0.5)
    pool, target = loose, None
    if at is not None and world.is_open(at):
        here = [t for t in loose if world.parents[t].id == at]
        if here and taking:
            pool = here
        elif world.fixtures[at].regions:
            pool, target = [t for t in loose if world.parents[t].id != at], world.fixtures[at]
    if not pool:
        return ()
    thing = pool[int(rng.integers(len(pool)))]
    if target is None:
        options = [f for f in holders if f.id != world.parents[thing].id]
        target = options[int(rng.integers(len(options)))]
    spot = on_fixture(world, target, world.specs[thing], rng)
    world.release(thing, spot.at, spot.yaw, spot.lying)
    return (thing,)
