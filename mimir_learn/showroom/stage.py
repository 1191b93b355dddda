"""A bare room in which one thing or fixture is looked at from close by, through the same camera the robot has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.envs.household import FixtureSpec, HouseSpec, RoomSpec, ThingSpec
from mimir_learn.envs.household.build import build
from mimir_learn.envs.household.furniture import Design, design
from mimir_learn.envs.household.render import Camera
from mimir_learn.envs.household.shapes import bounds
from mimir_learn.envs.household.spec import Vec, Viewpoint
from mimir_learn.envs.household.viewpoints import FOV
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.envs.household.wares import LINES, Ware, build_ware, footprint
from mimir_learn.envs.household.world import World
from mimir_learn.symbols import ATTRIBUTES, Parent, Relation

from .grid import PAPER

SIDE = 8.0  # of the room, metres
_ZOOM = 0.42  # share of the frame that is kept: a narrower view than the robot's own 65°, so that what is near is not bent
_WITHIN = Viewpoint((0.0, 0.0, 1.5), (0.0, 1.0, 1.0))  # every room and fixture has one
_FULL = 512  # pixels drawn, the most the household draws


@dataclass(frozen=True)
class Look:
    """How a person looks at what is on the stage: from ``azimuth`` degrees to the right of straight ahead, ``elevation`` degrees up."""

    azimuth: float = 25.0
    elevation: float = 28.0


class Stage:
    """Draws things and fixtures, each alone. Use as a context manager: it holds a GL context.

    Args:
        size: width and height of the pictures, pixels.
    """

    def __init__(self, size: int = 160) -> None:
        self.size = size
        self._camera = Camera(_FULL)

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self._camera.close()

    def draw(self, fixtures: tuple[FixtureSpec, ...], things: tuple[ThingSpec, ...], view: Viewpoint) -> NDArray[np.uint8]:
        """(size, size, 3) picture of a room with just these in it. Raises SymbolError where they are not sound."""
        room = RoomSpec("kitchen_1", "kitchen", (0.0, 0.0), (SIDE, SIDE), (0.9, 0.89, 0.86), (0.62, 0.6, 0.57), (_WITHIN,))
        world = World(build(HouseSpec(-1, (room,), fixtures, things)))
        world.scenery.draw_only([room.id])
        rgb, _ = self._camera.draw(world.model, world.data, view)  # a robot could not stand everywhere one looks from
        return shrink(crop(rgb, _ZOOM), self.size)

    def thing(self, category: str, ware: Ware, attributes: Mapping[str, bool], look: Look = Look()) -> NDArray[np.uint8]:
        """(size, size, 3) picture of one thing on the floor."""
        thing = as_thing(f"{category}_1", category, ware, Parent("kitchen_1", Relation.ROOM), (0.0, 0.0), attributes)
        corners = np.array([bounds(p) for p in thing.parts])
        low, high = corners[:, 0].min(0), corners[:, 1].max(0)  # in all states, so that they are drawn to one scale
        x, y, z = (float(v) for v in (low + high) / 2 + thing.position)
        return self.draw((), (thing,), _around((x, y, z), 0.5 * float(np.linalg.norm(high - low)), look))

    def fixture(
        self,
        category: str,
        plan: Design,
        attributes: Mapping[str, bool],
        look: Look = Look(),
        focus: str | None = None,
    ) -> NDArray[np.uint8]:
        """(size, size, 3) picture of one fixture against a wall, with what is mounted on it.

        ``focus`` is the category that is looked at and has the ``attributes``: the fixture itself, or a device on it.
        """
        focus = focus or category
        specs = as_fixtures(category, plan, focus, attributes)
        shown = next(s for s in specs if s.category == focus)
        low, high = extent(shown)
        reach = plan.reach + 0.7 * plan.swing if attributes.get("open") and focus == category else 0.0
        wide = 0.5 * plan.swing if reach else 0.0
        x, y, z = (float(v) for v in (low + high) / 2 + shown.position)
        radius = 0.5 * float(np.linalg.norm(high - low + (wide, reach, 0.0)))
        least = 0.0 if focus == category else 0.32  # a device is shown with some of what it is mounted on
        return self.draw(specs, (), _around((x, y - reach / 2, z), max(radius, least), look))


def extent(spec: FixtureSpec) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest corner (3,) of what is drawn of a closed fixture that is off, in its own frame."""
    parts = [p for p in (*spec.parts, *(q for panel in spec.panels for q in panel.parts)) if p.when in ("", "!on", "!open")]
    corners = np.array([bounds(p) for p in parts])
    return corners[:, 0].min(0), corners[:, 1].max(0)


def above(house: HouseSpec, size: int) -> NDArray[np.uint8]:
    """(size, size, 3) picture of a whole house from above, all doors and lights as they are at the start."""
    low = np.min([np.subtract(r.centre, np.divide(r.size, 2)) for r in house.rooms], axis=0)
    high = np.max([np.add(r.centre, np.divide(r.size, 2)) for r in house.rooms], axis=0)
    x, y = (float(v) for v in (low + high) / 2)
    height = 2.6 + 0.55 * float(max(high - low)) / np.tan(radians(FOV / 2))
    world, camera = World(build(house)), Camera(_FULL)
    furthest = 1.6 * height
    if furthest > world.model.vis.map.zfar:  # a large house, farther away than a robot sees
        world.model.vis.map.zfar = furthest
    try:
        world.scenery.draw_only([r.id for r in house.rooms])
        rgb, depth = camera.draw(world.model, world.data, Viewpoint((x, y - 0.35 * height, height), (x, y, 0.0)))
    finally:
        camera.close()
    drawn = depth > 0
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    side = max(rows[-1] - rows[0], columns[-1] - columns[0]) + 5
    paper = np.full((side, side, 3), PAPER, np.uint8)
    top, left = (side - (rows[-1] - rows[0] + 1)) // 2, (side - (columns[-1] - columns[0] + 1)) // 2
    window = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    part = np.where(drawn[window][..., None], rgb[window], PAPER)
    paper[top : top + part.shape[0], left : left + part.shape[1]] = part
    return shrink(paper, size)


def as_thing(
    thing_id: str, category: str, ware: Ware, parent: Parent, at: tuple[float, float], attributes: Mapping[str, bool], z: float = 0.0
) -> ThingSpec:
    """A ready-made thing standing at ``at`` on a level of height ``z``, metres; attributes not given are False."""
    radius, half = footprint(ware.solid)
    known = dict.fromkeys((a for a in VOCABULARY.spec(category).attributes if ATTRIBUTES[a].visible), False)
    return ThingSpec(
        thing_id, category, parent, (*at, z + half + 0.001), 0.0, ware.colour, ware.scale, tuple(ware.parts), ware.solid, ware.mass, radius,
        half, {**known, **attributes}, ware.holds, ware.variant, ware.novel,
    )  # fmt: skip


def as_fixtures(category: str, plan: Design, focus: str, attributes: Mapping[str, bool]) -> tuple[FixtureSpec, ...]:
    """A fixture with its back to the stage's wall, and the devices mounted on it; those of category ``focus`` have ``attributes``."""
    at: Vec = (0.0, round(SIDE / 2 - plan.size[1] / 2 - 0.01, 4), 0.0)
    own = attributes if focus == category else {}
    out = [_as_fixture(f"{category}_1", category, plan, Parent("kitchen_1", Relation.ROOM), at, own)]
    count: dict[str, int] = {}
    for device, offset in plan.mounted:
        count[device] = count.get(device, 0) + 1
        position: Vec = (at[0] + offset[0], at[1] + offset[1], at[2] + offset[2])
        mounted = design(device, np.random.default_rng(0))
        parent = Parent(out[0].id, Relation.ON)
        out.append(_as_fixture(f"{device}_{count[device]}", device, mounted, parent, position, attributes if device == focus else {}))
    return tuple(out)


def _as_fixture(fixture_id: str, category: str, plan: Design, parent: Parent, at: Vec, attributes: Mapping[str, bool]) -> FixtureSpec:
    own = {a: bool(attributes.get(a, False)) for a in VOCABULARY.spec(category).attributes}
    return FixtureSpec(
        fixture_id, category, "kitchen_1", parent, at, 0.0, plan.size, tuple(plan.parts), tuple(plan.panels), tuple(plan.regions),
        (_WITHIN,), own,
    )  # fmt: skip


def _around(middle: Vec, radius: float, look: Look) -> Viewpoint:
    """A viewpoint from which a ball of ``radius`` metres fills the kept part of the frame."""
    distance = 1.05 * radius / float(np.sin(np.arctan(_ZOOM * np.tan(radians(FOV / 2)))))
    a, e = radians(look.azimuth), radians(look.elevation)
    x, y, z = (float(v) for v in (middle[0] + distance * sin(a) * cos(e), middle[1] - distance * cos(a) * cos(e), middle[2]))
    return Viewpoint((round(x, 4), round(y, 4), round(z + distance * sin(e), 4)), middle)


def crop(frame: NDArray[np.uint8], share: float) -> NDArray[np.uint8]:
    """The middle ``share`` of a square picture."""
    size = frame.shape[0]
    keep = round(size * share)
    start = (size - keep) // 2
    return frame[start : start + keep, start : start + keep]


def shrink(frame: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """A square picture brought to ``size`` pixels."""
    from PIL import Image

    return np.asarray(Image.fromarray(frame).resize((size, size), Image.Resampling.LANCZOS))


def wares(category: str) -> Iterator[Ware]:
    """A ware of every shape of a category, each in a colour of its own as far as there are; then the held-out shapes, and a known shape
    in a held-out colour."""
    line = LINES[category]
    for i, variant in enumerate(line.shapes):
        yield build_ware(category, variant, line.colours[i % len(line.colours)])
    for variant in line.held_out_shapes:
        yield build_ware(category, variant, line.colours[0])
    for colour in line.held_out_colours[:1]:
        yield build_ware(category, next(iter(line.shapes)), colour)


def states(category: str) -> list[dict[str, bool]]:
    """The visible states of a category worth a picture: nothing, each attribute alone, and open and on together."""
    visible = [a for a in VOCABULARY.spec(category).attributes if ATTRIBUTES[a].visible]
    out: list[dict[str, bool]] = [{}, *({a: True} for a in visible)]
    if "open" in visible and "on" in visible:
        out.append({"open": True, "on": True})
    return out


_OTHERWISE = {"open": "closed", "on": "off"}


def say(category: str, attributes: Mapping[str, bool]) -> str:
    """The state of something of this category in words: ``open, off``; of other visible attributes only those that are true."""
    names = [a for a in VOCABULARY.spec(category).attributes if ATTRIBUTES[a].visible]
    return ", ".join(a if attributes.get(a) else _OTHERWISE[a] for a in names if attributes.get(a) or a in _OTHERWISE)
