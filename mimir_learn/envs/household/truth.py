"""What is true: every thing's one parent, read from geometry."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Parent, Relation, Snapshot

from .nesting import fitting
from .spec import HouseSpec, ThingSpec
from .vocabulary import VOCABULARY

_MARGIN = 0.015  # a thing's middle may lie this far outside the rectangle it rests on
_THRESHOLD = 0.07  # half the wall between two rooms, and a bit
_FLOOR_HEIGHT = 0.3  # a thing's middle below this, in no region, lies on the floor


class Regions:
    """All regions of a house as arrays, so that one query answers for all things at once."""

    def __init__(self, house: HouseSpec) -> None:
        rows = [(f, r) for f in house.fixtures for r in f.regions]
        self.owner = [f.id for f, _ in rows]
        self.relation = {f.id: VOCABULARY.spec(f.category).relation for f in house.fixtures}
        self.nest = Nest(house)
        self.rooms = [(r.id, r.centre, r.size) for r in house.rooms]
        self._origin_R3 = np.array([f.position for f, _ in rows]).reshape(-1, 3)
        yaw_R = np.array([radians(f.yaw) for f, _ in rows])
        self._cos_R, self._sin_R = np.cos(yaw_R), np.sin(yaw_R)
        self._centre_R3 = np.array([r.centre for _, r in rows]).reshape(-1, 3)
        self._half_R2 = np.array([r.half for _, r in rows]).reshape(-1, 2)
        self._height_R = np.array([r.height for _, r in rows])
        slides = [np.multiply(f.panels[0].axis, f.panels[0].travel) if r.rides else np.zeros(3) for f, r in rows]
        self._slide_R3 = np.array(slides).reshape(-1, 3)
        self._tops = [
            (f.id, f.position, cos(radians(f.yaw)), sin(radians(f.yaw)), f.size)
            for f in house.fixtures
            if self.relation[f.id] is Relation.ON
        ]

    def parents(
        self,
        points_N3: NDArray[np.float64],
        opened: Collection[str] | Mapping[str, float],
        rotations_N33: NDArray[np.float64] | None = None,
        useless: Collection[str] = (),
    ) -> list[Parent | None]:
        """Parent of every thing of the house, in its order; None for one on top of something that holds nothing there.

        Args:
            points_N3: middles of the things, world metres.
            opened: ids of what is open; or, of what is at all, how far: 0–1 of its travel.
            rotations_N33: body to world of each thing; as in the house's spec by default.
            useless: ids of things that hold nothing now, though they are made to (broken ones).
        """
        inside = self._inside(points_N3, opened)
        found = [self._parent(point, row) for point, row in zip(points_N3, inside, strict=True)]
        for i, holder in self.nest.holders(points_N3, rotations_N33, useless).items():
            found[i] = holder
        return found

    def _inside(self, points_N3: NDArray[np.float64], opened: Collection[str] | Mapping[str, float]) -> NDArray[np.bool_]:
        """(N, R) whether a point is in a fixture's region."""
        share_R = np.array([float(opened.get(o, 0.0)) if isinstance(opened, Mapping) else float(o in opened) for o in self.owner])
        shift_R3 = self._slide_R3 * share_R[:, None]
        rel = points_N3[:, None, :] - self._origin_R3
        x = rel[..., 0] * self._cos_R + rel[..., 1] * self._sin_R - self._centre_R3[:, 0] - shift_R3[:, 0]
        y = -rel[..., 0] * self._sin_R + rel[..., 1] * self._cos_R - self._centre_R3[:, 1] - shift_R3[:, 1]
        z = rel[..., 2] - self._centre_R3[:, 2] - shift_R3[:, 2]
        return (
            (np.abs(x) <= self._half_R2[:, 0] + _MARGIN)
            & (np.abs(y) <= self._half_R2[:, 1] + _MARGIN)
            & (z >= -0.02)
            & (z <= self._height_R)
        )

    def riding(self, points_N3: NDArray[np.float64], fixture: str, share: float) -> list[bool]:
        """Which of the points are in a part of ``fixture`` that moves with its drawer, which stands open by ``share`` of its travel."""
        rows = [r for r, owner in enumerate(self.owner) if owner == fixture]
        if not self._slide_R3[rows].any():
            return [False] * len(points_N3)
        inside = self._inside(points_N3, {fixture: share})[:, rows]
        return [bool(row.any() and self._slide_R3[rows[int(np.argmax(row))]].any()) for row in inside]

    def _parent(self, point: NDArray[np.float64], row: NDArray[np.bool_]) -> Parent | None:
        if row.any():
            owner = self.owner[int(np.argmax(row))]
            relation = self.relation[owner]
            assert relation is not None
            return Parent(owner, relation)
        if point[2] < _FLOOR_HEIGHT:
            room = self.room_at(point)
            return None if room is None else Parent(room, Relation.ROOM)
        for owner, origin, c, s, size in self._tops:  # the arm of a sofa, the pillow end of a bed
            dx, dy = point[0] - origin[0], point[1] - origin[1]
            if abs(dx * c + dy * s) <= size[0] / 2 + 0.02 and abs(-dx * s + dy * c) <= size[1] / 2 + 0.02:
                return Parent(owner, Relation.ON)
        return None

    def room_at(self, point: NDArray[np.float64]) -> str | None:
        """Id of the room whose floor is under ``point``; on a doorway's threshold, of the nearer one."""
        gaps = [(max(abs(point[k] - centre[k]) - size[k] / 2 for k in (0, 1)), room) for room, centre, size in self.rooms]
        gap, room = min(gaps)
        return room if gap <= _THRESHOLD else None


class Nest:
    """The holders among a house's things (bowls, boxes, plates), and which things are inside them."""

    def __init__(self, house: HouseSpec) -> None:
        self.things = house.things
        self._yaw_N = np.radians([t.yaw for t in house.things])
        self._holders = [j for j, t in enumerate(house.things) if t.holds is not None and VOCABULARY.spec(t.category).relation is not None]
        regions = [r for j in self._holders if (r := house.things[j].holds) is not None]
        self._centre_H3 = np.array([r.centre for r in regions]).reshape(-1, 3)
        self._half_H2 = np.array([r.half for r in regions]).reshape(-1, 2)
        # What is in a bowl may stick out of it as far as the region goes, but it begins below the rim.
        self._rim_H = np.array(
            [min(r.height, house.things[j].half_height - r.centre[2]) for j, r in zip(self._holders, regions, strict=True)]
        )
        self._fits_NH = np.array([[fitting(t, house.things[j]) is not None for j in self._holders] for t in house.things], dtype=bool)
        sizes = [_extent_terms(t) for t in house.things]
        self._box_N3 = np.array([box for box, _ in sizes]).reshape(-1, 3)
        self._radius_N = np.array([radius for _, radius in sizes])
        self._flat_N = np.array([t.solid.shape == "cylinder" for t in house.things], dtype=bool)

    def holders(
        self, points_N3: NDArray[np.float64], rotations_N33: NDArray[np.float64] | None, useless: Collection[str] = ()
    ) -> dict[int, Parent]:
        """Number of a thing → the thing it is in or on, the smallest where one is inside another."""
        usable = [h for h, j in enumerate(self._holders) if self.things[j].id not in useless]
        if not usable:
            return {}
        turns = _about_z(self._yaw_N) if rotations_N33 is None else rotations_N33
        at = [self._holders[h] for h in usable]
        frames_H33 = turns[at]
        local = np.einsum("nhk,hkj->nhj", points_N3[:, None, :] - points_N3[at], frames_H33) - self._centre_H3[usable]
        axes = np.abs(np.einsum("hk,nkj->nhj", frames_H33[:, :, 2], turns))  # the holder's up in each thing's own frame
        reach = np.einsum("nhk,nk->nh", axes, self._box_N3)
        round_part = np.where(self._flat_N[:, None], np.sqrt(np.maximum(0.0, 1 - axes[..., 2] ** 2)), 1.0)
        bottom = local[..., 2] - reach - self._radius_N[:, None] * round_part
        inside = (
            self._fits_NH[:, usable]
            & (np.abs(local[..., :2]) <= self._half_H2[usable] + _MARGIN).all(-1)
            & (bottom >= -0.012)
            & (bottom <= self._rim_H[usable] + 0.005)
        )
        area = self._half_H2.prod(-1)
        out: dict[int, Parent] = {}
        for i in np.flatnonzero(inside.any(-1)):
            number = min((usable[k] for k in np.flatnonzero(inside[i])), key=lambda h: (area[h], self._holders[h]))
            holder = self.things[self._holders[number]]
            relation = VOCABULARY.spec(holder.category).relation
            assert relation is not None
            out[int(i)] = Parent(holder.id, relation)
        return out


def _extent_terms(thing: ThingSpec) -> tuple[tuple[float, float, float], float]:
    """(half sizes that count along each own axis, radius) from which a solid's extent along any direction follows."""
    size = thing.solid.size
    if thing.solid.shape == "box":
        return (size[0], size[1], size[2]), 0.0
    return ((0.0, 0.0, size[1]), size[0]) if thing.solid.shape == "cylinder" else ((0.0, 0.0, 0.0), size[0])


def _about_z(yaw_N: NDArray[np.float64]) -> NDArray[np.float64]:
    c, s = np.cos(yaw_N), np.sin(yaw_N)
    zero, one = np.zeros_like(c), np.ones_like(c)
    return np.stack([np.stack([c, -s, zero], -1), np.stack([s, c, zero], -1), np.stack([zero, zero, one], -1)], -2)


def initial_attributes(house: HouseSpec) -> dict[tuple[str, str], bool]:
    """Every applicable (entity, attribute) with its value at the start; of things, those not given are False."""
    out = {(f.id, a): bool(v) for f in house.fixtures for a, v in f.attributes.items()}
    out.update({(t.id, a): bool(t.attributes.get(a, False)) for t in house.things for a in VOCABULARY.spec(t.category).attributes})
    return out


def snapshot(parents: dict[str, Parent], attributes: dict[tuple[str, str], bool]) -> Snapshot:
    """A frozen copy, so that later changes cannot reach it."""
    return Snapshot(dict(parents), dict(attributes))
