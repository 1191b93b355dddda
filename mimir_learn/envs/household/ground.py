"""The floor: what stands on it, where there is room left, and the spots before and beside furniture."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Relation

from .spec import FixtureSpec, HouseSpec, Vec
from .viewpoints import Block

_GAP = 0.02  # metres that a thing on the floor keeps from walls, furniture and other things


class Ground:
    """Furniture on the floors of a house, as rectangles."""

    def __init__(self, house: HouseSpec) -> None:
        self._rooms = {r.id: (r.centre, r.size) for r in house.rooms}
        self._blocks = [(f.room, footprint(f)) for f in house.fixtures if f.parent.relation is Relation.ROOM]

    def blocks(self, room: str) -> list[Block]:
        """Footprints and heights of what stands on a room's floor."""
        return [b for r, b in self._blocks if r == room]

    def free(self, room: str, at: tuple[float, ...], radius: float, things: Iterable[tuple[NDArray[np.float64], float]]) -> bool:
        """Whether a disc at ``at`` is clear of walls, furniture and ``things``, each a (3,) middle with a radius."""
        centre, size = self._rooms[room]
        if any(abs(at[k] - centre[k]) > size[k] / 2 - radius - _GAP for k in (0, 1)):
            return False
        room_to = radius + _GAP
        for x0, y0, x1, y1, _ in self.blocks(room):
            if x0 - room_to < at[0] < x1 + room_to and y0 - room_to < at[1] < y1 + room_to:
                return False
        return all(float(np.hypot(p[0] - at[0], p[1] - at[1])) >= room_to + r for p, r in things)


def turn_about_z(yaw: float, local: Vec) -> NDArray[np.float64]:
    """(3,) vector of a fixture's own frame in the world's directions."""
    c, s = cos(radians(yaw)), sin(radians(yaw))
    return np.array([c * local[0] - s * local[1], s * local[0] + c * local[1], local[2]])


def footprint(f: FixtureSpec) -> Block:
    """The rectangle a fixture takes up on the floor, and its height; walls and fixtures are square to each other."""
    half = (f.size[1] / 2, f.size[0] / 2) if f.yaw % 180 != 0 else (f.size[0] / 2, f.size[1] / 2)
    x, y, _ = f.position
    return (x - half[0], y - half[1], x + half[0], y + half[1], f.size[2])


def front_of(fixture: FixtureSpec, gap: float, along: float = 0.0) -> tuple[float, float, float]:
    """The floor point ``gap`` metres before a fixture's front edge, ``along`` to its right."""
    step = turn_about_z(fixture.yaw, (along, -fixture.size[1] / 2 - gap, 0.0))
    return (fixture.position[0] + float(step[0]), fixture.position[1] + float(step[1]), 0.0)


def reach_forward(fixture: FixtureSpec) -> float:
    """How far an open drawer, or a door that comes down, reaches over the floor in front, metres; 0 for doors that swing."""
    reach = 0.0
    for panel in fixture.panels:
        if panel.joint == "slide":
            reach = max(reach, abs(panel.travel))
        elif abs(panel.axis[2]) < 0.5:
            flat = [p for p in panel.parts if p.shape == "box"]
            reach = max([reach, *(2 * p.size[2] for p in flat)])
    return reach
