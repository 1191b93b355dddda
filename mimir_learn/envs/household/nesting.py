"""What fits into what: the ways a thing can stand or lie, the outlines they have, and which holders take it."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Relation

from .spec import Part, ThingSpec
from .vocabulary import VOCABULARY

UPRIGHT, LYING, ENDWISE = 0, 1, 2
_HALF = 0.7071067811865476
TILTS: tuple[tuple[float, float, float, float], ...] = ((1.0, 0.0, 0.0, 0.0), (_HALF, _HALF, 0.0, 0.0), (_HALF, 0.0, _HALF, 0.0))
"""Quaternions (w, x, y, z) of `UPRIGHT` (as designed), `LYING` (rolled about its x axis) and `ENDWISE` (its x axis up)."""

_SNUG, _ROUND = 1.1, 1.3  # a thing may be this much wider than the level rectangle inside; a round one in a round vessel more so
_OVERHANG = 1.5  # a fork may lie across a plate
STICKS_OUT = 0.2  # metres above a rim: a knife in a mug


@dataclass(frozen=True)
class Posture:
    """One way to stand: half extents (x, y, z) in metres before yaw, ``round`` when the outline is a disc."""

    tilt: int
    half: tuple[float, float, float]
    round: bool = False


def postures(solid: Part) -> tuple[Posture, ...]:
    """Every posture of a collision solid (box, cylinder or sphere), the designed one first."""
    if solid.shape == "sphere":
        r = solid.size[0]
        return (Posture(UPRIGHT, (r, r, r), True),)
    if solid.shape == "cylinder":
        r, h = solid.size
        return (Posture(UPRIGHT, (r, r, h), True), Posture(LYING, (r, h, r)))
    a, b, c = solid.size
    return (Posture(UPRIGHT, (a, b, c)), Posture(LYING, (a, c, b)), Posture(ENDWISE, (c, b, a)))


def fitting(thing: ThingSpec, holder: ThingSpec) -> Posture | None:
    """How ``thing`` fits into or onto the empty ``holder``, the first posture that does; None when it is too large or that holds nothing.

    A holder only goes into one with a larger outline, so that no chain of holders can close.
    """
    region, relation = holder.holds, VOCABULARY.spec(holder.category).relation
    if region is None or relation is None or thing.id == holder.id or (thing.holds is not None and _area(thing) >= _area(holder)):
        return None
    for posture in postures(thing.solid):
        x, y, z = posture.half
        for across, along in ((x, y), (y, x)):
            if relation is Relation.ON:
                fits = across <= region.half[0] * _OVERHANG and along <= region.half[1] * _SNUG
            else:
                slack = _ROUND if posture.round and holder.solid.shape == "cylinder" else _SNUG
                inside = across <= region.half[0] * slack and along <= region.half[1] * slack
                fits = inside and 2 * z <= region.height + STICKS_OUT
            if fits and not (posture.tilt and thing.holds is not None):
                return posture
    return None


def _area(thing: ThingSpec) -> float:
    x, y, _ = postures(thing.solid)[0].half
    return x * y


@dataclass(frozen=True)
class Outline:
    """The outline of something from above: middle (x, y), half extents before yaw (radians), and the heights it spans, metres."""

    middle: tuple[float, float]
    half: tuple[float, float]
    yaw: float
    low: float
    high: float
    round: bool = False

    def reach(self, direction: tuple[float, float]) -> float:
        """How far it extends from its middle along a unit vector."""
        if self.round:
            return self.half[0]
        c, s = cos(self.yaw), sin(self.yaw)
        along = direction[0] * c + direction[1] * s
        across = -direction[0] * s + direction[1] * c
        return abs(along) * self.half[0] + abs(across) * self.half[1]

    def gap(self, other: Outline) -> float:
        """Clear metres between two outlines, negative where they overlap, 1 where one is above the other."""
        if self.low >= other.high or other.low >= self.high:
            return 1.0
        dx, dy = other.middle[0] - self.middle[0], other.middle[1] - self.middle[1]
        distance = (dx * dx + dy * dy) ** 0.5
        axes = [(dx / distance, dy / distance)] if distance > 1e-9 else []
        for outline in (self, other):
            if not outline.round:
                c, s = cos(outline.yaw), sin(outline.yaw)
                axes += [(c, s), (-s, c)]
        return max((abs(dx * a[0] + dy * a[1]) - self.reach(a) - other.reach(a) for a in axes), default=-1.0)


def outline_of(solid: Part, position: NDArray[np.float64], rotation: NDArray[np.float64]) -> Outline:
    """Outline of a solid (box, cylinder, sphere) in any pose: (3,) middle and (3, 3) rotation in the world."""
    ways = postures(solid)
    up = int(np.argmax(np.abs(rotation[2])))
    if solid.shape == "box":
        posture = ways[2 - up]
        across = rotation[:, 1] if posture.tilt == ENDWISE else None  # its x axis points up
    else:  # an upright cylinder is a disc; a lying one, which may have rolled, shows where its axis points
        posture = ways[0] if up == 2 else ways[-1]
        across = rotation[:, 2] if posture.tilt == LYING else None
    along = rotation[:, 0]
    yaw = atan2(along[1], along[0]) if across is None else atan2(across[1], across[0]) - radians(90)
    x, y, z = posture.half
    at = (float(position[0]), float(position[1]))
    return Outline(at, (x, y), yaw, float(position[2]) - z, float(position[2]) + z, posture.round)
