"""What is true: every thing's one parent read from geometry, and the attributes, derived ones by the vocabulary's causal rules."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Parent, Relation, Snapshot

from .spec import HouseSpec
from .vocabulary import VOCABULARY

_MARGIN = 0.015  # a thing's middle may lie this far outside the rectangle it rests on
_FLOOR_HEIGHT = 0.3  # a thing's middle below this, in no region, lies on the floor


class Regions:
    """All regions of a house as arrays, so that one query answers for all things at once."""

    def __init__(self, house: HouseSpec) -> None:
        rows = [(f, r) for f in house.fixtures for r in f.regions]
        self.owner = [f.id for f, _ in rows]
        self.relation = {f.id: VOCABULARY.spec(f.category).relation for f in house.fixtures}
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

    def parents(self, points_N3: NDArray[np.float64], opened: frozenset[str]) -> list[Parent | None]:
        """Parent of each point; None for a point on top of something that holds nothing there."""
        shift_R3 = self._slide_R3 * np.array([o in opened for o in self.owner], dtype=float)[:, None]
        rel = points_N3[:, None, :] - self._origin_R3
        x = rel[..., 0] * self._cos_R + rel[..., 1] * self._sin_R - self._centre_R3[:, 0] - shift_R3[:, 0]
        y = -rel[..., 0] * self._sin_R + rel[..., 1] * self._cos_R - self._centre_R3[:, 1] - shift_R3[:, 1]
        z = rel[..., 2] - self._centre_R3[:, 2] - shift_R3[:, 2]
        inside = (
            (np.abs(x) <= self._half_R2[:, 0] + _MARGIN)
            & (np.abs(y) <= self._half_R2[:, 1] + _MARGIN)
            & (z >= -0.02)
            & (z <= self._height_R)
        )
        return [self._parent(point, row) for point, row in zip(points_N3, inside, strict=True)]

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
        """Id of the room whose floor is under ``point``."""
        for room, centre, size in self.rooms:
            if abs(point[0] - centre[0]) <= size[0] / 2 and abs(point[1] - centre[1]) <= size[1] / 2:
                return room
        return None


def derive(
    attributes: dict[tuple[str, str], bool],
    parents: dict[str, Parent],
    fixture: str,
    category: str,
    attribute: str,
    value: bool,
) -> None:
    """Apply the causal rules to ``attributes`` in place: ``attribute`` of ``fixture`` just became ``value``."""
    holders = {fixture}
    if parents[fixture].relation is Relation.ON:  # a faucet acts on what is in its sink
        holders.add(parents[fixture].id)
    for rule in VOCABULARY.rules:
        if (rule.category, rule.attribute, rule.value) != (category, attribute, value):
            continue
        if any(attributes.get((fixture, a)) is not v for a, v in rule.requires):
            continue
        for entity, parent in parents.items():
            if parent.id in holders and (entity, rule.effect) in attributes:
                attributes[entity, rule.effect] = True
                for cleared in rule.clears:
                    if (entity, cleared) in attributes:
                        attributes[entity, cleared] = False


def initial_attributes(house: HouseSpec) -> dict[tuple[str, str], bool]:
    """Every applicable (entity, attribute) with its value at the start; of things, those not given are False."""
    out = {(f.id, a): bool(v) for f in house.fixtures for a, v in f.attributes.items()}
    out.update({(t.id, a): bool(t.attributes.get(a, False)) for t in house.things for a in VOCABULARY.spec(t.category).attributes})
    return out


def snapshot(parents: dict[str, Parent], attributes: dict[tuple[str, str], bool]) -> Snapshot:
    """A frozen copy, so that later changes cannot reach it."""
    return Snapshot(dict(parents), dict(attributes))
