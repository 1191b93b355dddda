"""`HouseSpec`: a whole house as plain data, engine-free, so that the same home can be built in any simulator.

Lengths are metres, angles degrees, colours RGB in [0, 1], world z up. A fixture's parts, panels and regions are given in its own frame:
origin on the floor under its middle, x to the right and −y towards somebody standing in front of it. A thing's parts are given
around the centre of its collision solid.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import HAND, Entity, Parent, Place

from .vocabulary import VOCABULARY

Vec = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """One solid: a primitive, or a surface swept from a few numbers (`shapes.triangles` makes its mesh).

    Attributes:
        shape: box | cylinder | sphere | ellipsoid | capsule | lathe | loft.
        size: half sizes as MuJoCo takes them: box and ellipsoid (x, y, z), cylinder and capsule (radius, half length), sphere (radius,).
            lathe: a profile turned about z, (radius, z, radius, z, …), from bottom to top, at least two points; a profile that comes back
            down inside makes a hollow vessel. loft: cross-sections along z, (z, half x, half y, roundness, …), roundness 0 = rectangle,
            1 = ellipse.
        pos, euler: centre (lathe and loft: origin) and xyz-euler angles in the owner's frame.
        rgb: colour.
        solid: takes part in collisions; a lathe or loft never does.
        when: "" always drawn; the name of an attribute of its owner ("on", "sliced") drawn only while that is true; with "!" before
            it only while it is false.
        emission: light it gives by itself, 0–1.
        texture: "" plain, or the name of a generated pattern (see `textures.PATTERNS`) that ``rgb`` tints.
    """

    shape: str
    size: tuple[float, ...]
    pos: Vec = (0.0, 0.0, 0.0)
    rgb: Vec = (0.5, 0.5, 0.5)
    euler: Vec = (0.0, 0.0, 0.0)
    solid: bool = True
    when: str = ""
    emission: float = 0.0
    texture: str = ""


@dataclass(frozen=True)
class Panel:
    """A door or drawer: parts on one joint. ``travel`` is the joint value when open: degrees (hinge) or metres (slide)."""

    joint: str
    axis: Vec
    anchor: Vec
    travel: float
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Region:
    """Where a receptacle holds things: the column of ``height`` above a level rectangle. ``rides`` = moves with panel 0 (a drawer)."""

    centre: Vec
    half: tuple[float, float]
    height: float
    rides: bool = False


@dataclass(frozen=True)
class Viewpoint:
    """A camera position and the point it looks at, world metres."""

    eye: Vec
    target: Vec


@dataclass(frozen=True)
class Doorway:
    """An opening between two rooms: the middle of its threshold (x, y), its clear ``width`` and ``height``.

    ``along`` is the wall's direction, "x" or "y".
    """

    rooms: tuple[str, str]
    centre: tuple[float, float]
    along: str
    width: float = 0.9
    height: float = 2.05


@dataclass(frozen=True)
class RoomSpec:
    """A rectangular room; ``centre`` and ``size`` span its floor. ``decor`` are parts in world coordinates. ``light`` is the share of full
    light it gets, ``wall_texture`` and ``floor_texture`` as in `Part.texture`."""

    id: str
    category: str
    centre: tuple[float, float]
    size: tuple[float, float]
    wall_rgb: Vec
    floor_rgb: Vec
    viewpoints: tuple[Viewpoint, ...] = ()
    decor: tuple[Part, ...] = ()
    wall_texture: str = ""
    floor_texture: str = ""
    light: float = 1.0


@dataclass(frozen=True)
class FixtureSpec:
    """Something that stays where it is: a receptacle or a device. ``size`` is its bounding (width, depth, height)."""

    id: str
    category: str
    room: str
    parent: Parent
    position: Vec
    yaw: float
    size: Vec
    parts: tuple[Part, ...]
    panels: tuple[Panel, ...] = ()
    regions: tuple[Region, ...] = ()
    viewpoints: tuple[Viewpoint, ...] = ()
    attributes: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class ThingSpec:
    """Something that can be carried, with where it is at the start, doors and drawers being as the attributes say. ``solid`` is the
    collision shape, ``radius`` its footprint's, ``half_height`` its rest height."""

    id: str
    category: str
    parent: Parent
    position: Vec
    yaw: float
    colour: str
    scale: float
    parts: tuple[Part, ...]
    solid: Part
    mass: float
    radius: float
    half_height: float
    attributes: Mapping[str, bool] = field(default_factory=dict)
    holds: Region | None = None
    variant: str = ""
    novel: bool = False


@dataclass(frozen=True)
class HouseSpec:
    """One house with its things and their places. ``seed`` is where it came from (−1 = not generated)."""

    seed: int
    rooms: tuple[RoomSpec, ...]
    fixtures: tuple[FixtureSpec, ...]
    things: tuple[ThingSpec, ...]
    doorways: tuple[Doorway, ...] = ()

    @cached_property
    def entities(self) -> dict[str, Entity]:
        """Every entity of the house, the hand included, by id."""
        specs: tuple[RoomSpec | FixtureSpec | ThingSpec, ...] = (*self.rooms, *self.fixtures, *self.things)
        out = {s.id: Entity(s.id, s.category, VOCABULARY.spec(s.category).kind) for s in specs}
        if len(out) != len(specs):
            raise SymbolError(f"house {self.seed}: ids are not unique")
        return {HAND.id: HAND, **out}

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """What the agent knows at the start: rooms, then fixtures and receptacles, each with its room."""
        return tuple(Place(self.entities[s.id], s.id) for s in self.rooms) + tuple(
            Place(self.entities[s.id], s.room) for s in self.fixtures
        )

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical JSON: two houses are the same iff their keys are."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def fixture(self, fixture_id: str) -> FixtureSpec:
        return self._by_id[fixture_id]

    @cached_property
    def _by_id(self) -> dict[str, FixtureSpec]:
        return {f.id: f for f in self.fixtures}

    def to_json(self) -> str:
        """Canonical JSON, engine-free."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    def validate(self) -> None:
        """Raises SymbolError naming the first thing in which this house is not sound: ids, kinds, parents, attributes, numbers, shapes."""
        from .validate import check  # which knows the classes of this module

        check(self)

    @classmethod
    def from_json(cls, text: str) -> HouseSpec:
        """Inverse of `to_json`; also of a file written by hand, where rooms and fixtures without ``viewpoints`` get some.

        Raises SymbolError naming what is wrong, also where the house is not sound.
        """
        from .written import read  # which knows the classes of this module

        return read(text)
