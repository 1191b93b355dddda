"""What all furniture is made of: boards, doors, drawers, cushions, basins, and the paints they come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from ..spec import Panel, Part, Region, Vec

T = TypeVar("T")

B = 0.015  # half thickness of a board
SPOUT_DROP = 0.14  # a faucet's water lands this far below its foot


@dataclass(frozen=True)
class Paint:
    """A colour and the pattern it tints ("" = plain)."""

    rgb: Vec
    texture: str = ""

    def shade(self, by: float) -> Paint:
        """Darker (``by`` < 1) or lighter, same pattern."""
        return replace(self, rgb=shade(self.rgb, by))

    def plain(self) -> Paint:
        return replace(self, texture="")


@dataclass
class Design:
    """A fixture before it has an id and a position.

    ``focus``: lowest and highest level to look at. ``eye``: height of the camera, None = a bit above the focus. ``reach``: how far an open
    drawer comes forward. ``swing``: how far an open door does. ``mounted``: fixtures that belong on it, with their offsets. ``hung``:
    height of its underside where it hangs on a wall, so that lower furniture fits beneath it; 0 = it stands on the floor.
    """

    size: Vec
    parts: list[Part] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    focus: tuple[float, float] = (0.8, 0.8)
    reach: float = 0.0
    swing: float = 0.0
    eye: float | None = None
    mounted: tuple[tuple[str, Vec], ...] = ()
    hung: float = 0.0


Catalogue = Mapping[str, tuple[Callable[[np.random.Generator, Paint], Design], tuple[Paint, ...]]]
"""Category → who builds it, and the paints to draw from."""


def plain(*rgbs: Vec) -> tuple[Paint, ...]:
    return tuple(Paint(rgb) for rgb in rgbs)


def textured(texture: str, *rgbs: Vec) -> tuple[Paint, ...]:
    return tuple(Paint(rgb, texture) for rgb in rgbs)


WHITE = Paint((0.93, 0.93, 0.93))
CERAMIC = Paint((0.95, 0.95, 0.94))
STEEL = Paint((0.66, 0.68, 0.7), "metal")
CHROME = Paint((0.72, 0.75, 0.78))
BRASS = Paint((0.75, 0.6, 0.28))
DARK = Paint((0.13, 0.13, 0.15))
BLACK = Paint((0.03, 0.03, 0.04))
GLASS = Paint((0.72, 0.83, 0.86))
WARM = Paint((0.8, 0.62, 0.24))  # of what shines: ambient light and emission add up, so its colour must leave room
INSIDE = Paint((0.87, 0.89, 0.91))

WOODS = textured(
    "wood", (0.62, 0.45, 0.28), (0.45, 0.3, 0.18), (0.76, 0.62, 0.42), (0.38, 0.29, 0.24), (0.66, 0.63, 0.58), (0.55, 0.32, 0.2)
)
PAINTED = plain((0.9, 0.89, 0.85), (0.42, 0.52, 0.58), (0.5, 0.6, 0.48), (0.3, 0.34, 0.42), (0.78, 0.66, 0.52))
FABRICS = textured(
    "fabric", (0.3, 0.38, 0.52), (0.56, 0.3, 0.28), (0.34, 0.48, 0.38), (0.62, 0.56, 0.46), (0.46, 0.36, 0.54), (0.72, 0.56, 0.24),
    (0.4, 0.42, 0.45),
)  # fmt: skip
PLASTICS = plain((0.3, 0.32, 0.34), (0.24, 0.46, 0.48), (0.6, 0.56, 0.46), (0.55, 0.27, 0.24), (0.36, 0.5, 0.3))
APPLIANCES = (*plain((0.92, 0.92, 0.93), (0.82, 0.85, 0.78), (0.3, 0.31, 0.33)), *textured("metal", (0.7, 0.72, 0.74)))
STONES = (
    *textured("marble", (0.9, 0.89, 0.87), (0.5, 0.52, 0.54)),
    *textured("speckle", (0.7, 0.68, 0.64), (0.38, 0.39, 0.42)),
    *textured("planks", (0.68, 0.5, 0.32)),
)


def pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


def side(rng: np.random.Generator) -> float:
    """−1 or 1."""
    return 1.0 if rng.random() < 0.5 else -1.0


def shade(rgb: Vec, by: float) -> Vec:
    r, g, b = (float(min(1.0, max(0.0, c * by))) for c in rgb)
    return (round(r, 3), round(g, 3), round(b, 3))


def box(half: Vec, pos: Vec, paint: Paint, **more: Any) -> Part:
    return Part("box", half, pos, paint.rgb, texture=paint.texture, **more)


def cyl(radius: float, half: float, pos: Vec, paint: Paint, euler: Vec = (0.0, 0.0, 0.0), **more: Any) -> Part:
    return Part("cylinder", (radius, half), pos, paint.rgb, euler, texture=paint.texture, **more)


def disc(radius: float, half: float, pos: Vec, paint: Paint, **more: Any) -> Part:
    """A round plate facing the front."""
    return cyl(radius, half, pos, paint, (90.0, 0.0, 0.0), solid=False, **more)


def lathe(profile: Sequence[tuple[float, float]], pos: Vec, paint: Paint, euler: Vec = (0.0, 0.0, 0.0), **more: Any) -> Part:
    """``profile``: (radius, z) from bottom to top."""
    flat = tuple(float(v) for point in profile for v in point)
    return Part("lathe", flat, pos, paint.rgb, euler, solid=False, texture=paint.texture, **more)


def loft(sections: Sequence[tuple[float, float, float, float]], pos: Vec, paint: Paint, euler: Vec = (0.0, 0.0, 0.0), **more: Any) -> Part:
    """``sections``: (z, half x, half y, roundness) from bottom to top."""
    flat = tuple(float(v) for section in sections for v in section)
    return Part("loft", flat, pos, paint.rgb, euler, solid=False, texture=paint.texture, **more)


def cushion(half: Vec, pos: Vec, paint: Paint, roundness: float = 0.3, euler: Vec = (0.0, 0.0, 0.0)) -> Part:
    """A soft block: rounded corners, edges drawn in at top and bottom."""
    x, y, z = half
    soft = min(0.03, 0.3 * min(x, y))
    rings = (
        (-z, x - soft, y - soft, roundness),
        (-0.45 * z, x, y, roundness),
        (0.45 * z, x, y, roundness),
        (z, x - soft, y - soft, roundness),
    )
    return loft(rings, pos, paint, euler)


def slab(half: Vec, pos: Vec, paint: Paint, roundness: float = 1.0, euler: Vec = (0.0, 0.0, 0.0), **more: Any) -> Part:
    """A flat plate with rounded corners."""
    x, y, z = half
    return loft(((-z, x, y, roundness), (z, x, y, roundness)), pos, paint, euler, **more)


def level(w: float, d: float, z: float, height: float, y: float = 0.0, x: float = 0.0, rides: bool = False) -> Region:
    return Region((x, y, z), (w / 2, d / 2), height, rides)


def legs(x: float, y: float, h: float, half: float, paint: Paint, *, round_ones: bool = False) -> list[Part]:
    """Four legs at (±x, ±y), from the floor to height h."""
    spots = [(sx * x, sy * y, h / 2) for sx in (-1, 1) for sy in (-1, 1)]
    return [cyl(half, h / 2, at, paint) if round_ones else box((half, half, h / 2), at, paint) for at in spots]


def carcass(w: float, d: float, z0: float, z1: float, outside: Paint, inside: Paint) -> list[Part]:
    """A box open to the front between heights z0 and z1: back, sides, bottom, top."""
    mid, half = (z0 + z1) / 2, (z1 - z0) / 2
    return [
        box((w / 2 - 2 * B, B, half), (0, d / 2 - B, mid), inside),
        box((B, d / 2, half), (-w / 2 + B, 0, mid), outside),
        box((B, d / 2, half), (w / 2 - B, 0, mid), outside),
        box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, z0 + B), inside),
        box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, z1 - B), outside),
    ]


def grip(kind: str, pos: Vec, length: float, *, upright: bool) -> list[Part]:
    """A handle of half length ``length`` on a front at pos: bar, knob, or a dark groove."""
    x, y, z = pos
    if kind == "knob":
        return [disc(0.02, 0.018, (x, y - 0.018, z), BRASS)]
    paint, depth, thick = (DARK, 0.004, 0.012) if kind == "groove" else (CHROME, 0.016, 0.01)
    half: Vec = (thick, depth, length) if upright else (length, depth, thick)
    return [box(half, (x, y - depth, z), paint, solid=False)]


def door(
    z0: float, z1: float, y: float, x_hinge: float, x_free: float, paint: Paint, extra: Sequence[Part] = (), *, handle: str = "bar",
    panelled: bool = False,
) -> Panel:  # fmt: skip
    """A door before the plane y, hinged at x_hinge, swinging towards the viewer. ``panelled``: a sunken field within a frame."""
    mid, half, thick = (z0 + z1) / 2, (z1 - z0) / 2, 0.02
    x_mid, wide = (x_hinge + x_free) / 2, abs(x_hinge - x_free) / 2 - 0.004
    turn = 1.0 if x_hinge > x_free else -1.0
    parts = [box((wide, thick, half), (x_mid, y - thick, mid), paint, solid=False)]
    if panelled:
        parts.append(box((wide - 0.065, 0.003, half - 0.065), (x_mid, y - 2 * thick - 0.001, mid), paint.shade(0.86), solid=False))
    parts += grip(handle, (x_free + turn * 0.045, y - 2 * thick, mid), min(0.11, half * 0.5), upright=True)
    return Panel("hinge", (0.0, 0.0, turn), (x_hinge, y, mid), 100.0, (*parts, *extra))


def drop_door(w: float, z0: float, z1: float, y: float, paint: Paint, inner: Paint, extra: Sequence[Part] = ()) -> Panel:
    """A door before the plane y, hinged along its lower edge, coming down towards the viewer, with a bar along its upper one."""
    mid, half = (z0 + z1) / 2, (z1 - z0) / 2
    parts = (
        box((w / 2 - 0.006, 0.018, half), (0, y - 0.018, mid), paint, solid=False),
        box((w / 2 - 0.05, 0.004, half - 0.04), (0, y + 0.001, mid), inner, solid=False),
        box((w / 2 - 0.08, 0.014, 0.011), (0, y - 0.05, z1 - 0.035), CHROME, solid=False),
        *extra,
    )
    return Panel("hinge", (1.0, 0.0, 0.0), (0, y - 0.01, z0), 84.0, parts)


def drawer(
    w: float,
    depth: float,
    y_front: float,
    z0: float,
    z1: float,
    front: Paint,
    slide: float,
    handle: str,
    floor: float = 0.05,
    wall: float = 0.06,
    inner: Paint = Paint((0.86, 0.81, 0.69)),
) -> Panel:
    """A tray behind a front at y_front that spans heights z0 to z1; its floor is ``floor`` above z0 and its walls twice ``wall`` high."""
    iw, y = w - 0.05, y_front + depth / 2
    tray = (
        box((iw / 2, depth / 2, floor / 2), (0, y, z0 + floor / 2), inner),
        box((0.008, depth / 2, wall), (-iw / 2, y, z0 + wall), inner),
        box((0.008, depth / 2, wall), (iw / 2, y, z0 + wall), inner),
        box((iw / 2, 0.008, wall), (0, y + depth / 2, z0 + wall), inner),
        box((w / 2, 0.012, (z1 - z0) / 2), (0, y_front - 0.012, (z0 + z1) / 2), front),
        *_drawer_grips(w, y_front - 0.024, (z0 + z1) / 2, handle),
    )
    return Panel("slide", (0.0, -1.0, 0.0), (0.0, 0.0, 0.0), slide, tray)


def drawer_front(w: float, x: float, y: float, z0: float, z1: float, front: Paint, handle: str) -> list[Part]:
    """The front of a drawer that stays shut."""
    return [
        box((w / 2, 0.008, (z1 - z0) / 2), (x, y - 0.008, (z0 + z1) / 2), front, solid=False),
        *(replace(p, pos=(p.pos[0] + x, p.pos[1], p.pos[2])) for p in _drawer_grips(w, y - 0.016, (z0 + z1) / 2, handle)),
    ]


def _drawer_grips(w: float, y: float, z: float, handle: str) -> list[Part]:
    if handle == "knob" and w > 0.5:
        return [p for x in (-w / 4, w / 4) for p in grip(handle, (x, y, z), 0.0, upright=False)]
    return grip(handle, (0, y, z), min(0.09, w / 4), upright=False)


def pit(half_x: float, half_y: float, floor: float, rim: float, paint: Paint, thick: float = 0.02) -> list[Part]:
    """What stops things in a basin: a floor plate and four walls, hidden in the thickness of a hull around the inner half sizes given."""
    mid, tall = (floor + rim) / 2 - 0.012, (rim - floor) / 2 + 0.008
    return [
        box((half_x, half_y, 0.01), (0, 0, floor - 0.012), paint),
        *(box((thick / 2, half_y + thick, tall), (s * (half_x + thick / 2), 0, mid), paint) for s in (-1, 1)),
        *(box((half_x, thick / 2, tall), (0, s * (half_y + thick / 2), mid), paint) for s in (-1, 1)),
    ]


def shining(rgb: Vec) -> Paint:
    """The paint of something that gives this light: darker, as ambient light comes on top of what it emits."""
    return Paint(shade(rgb, 0.62))


def moved(parts: Sequence[Part], by: Vec) -> list[Part]:
    """The same parts, shifted."""
    return [replace(p, pos=(p.pos[0] + by[0], p.pos[1] + by[1], p.pos[2] + by[2])) for p in parts]
