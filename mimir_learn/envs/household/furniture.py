"""The fixtures: how each category of place and device is put together from primitive solids, doors and drawers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .spec import Panel, Part, Region, Vec

B = 0.015  # half thickness of a board
WHITE: Vec = (0.92, 0.92, 0.93)
STEEL: Vec = (0.62, 0.65, 0.68)
DARK: Vec = (0.12, 0.12, 0.14)
BLACK: Vec = (0.03, 0.03, 0.04)
WARM: Vec = (1.0, 0.92, 0.45)
INSIDE: Vec = (0.86, 0.88, 0.9)


@dataclass
class Design:
    """A fixture before it has an id and a position.

    ``focus``: lowest and highest level to look at. ``eye``: height of the camera, None = a bit above the focus. ``reach``: how far an open
    drawer comes forward. ``swing``: how far an open door does. ``mounted``: devices that belong on it, with their offsets.
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


def box(half: Vec, pos: Vec, rgb: Vec, **more: object) -> Part:
    return Part("box", half, pos, rgb, **more)  # type: ignore[arg-type]


def _shade(rgb: Vec, by: float) -> Vec:
    r, g, b = (float(min(1.0, max(0.0, c * by))) for c in rgb)
    return (round(r, 3), round(g, 3), round(b, 3))


def _carcass(w: float, d: float, z0: float, z1: float, outside: Vec, inside: Vec) -> list[Part]:
    """A box open to the front between heights z0 and z1: back, sides, bottom, top."""
    mid, half = (z0 + z1) / 2, (z1 - z0) / 2
    return [
        box((w / 2 - 2 * B, B, half), (0, d / 2 - B, mid), inside),
        box((B, d / 2, half), (-w / 2 + B, 0, mid), outside),
        box((B, d / 2, half), (w / 2 - B, 0, mid), outside),
        box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, z0 + B), inside),
        box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, z1 - B), outside),
    ]


def _door(w: float, z0: float, z1: float, y: float, x_hinge: float, x_free: float, rgb: Vec, extra: tuple[Part, ...] = ()) -> Panel:
    """A door in the plane y, hinged at x_hinge, swinging towards the viewer."""
    mid, half, thick = (z0 + z1) / 2, (z1 - z0) / 2, 0.02
    x_mid = (x_hinge + x_free) / 2
    side = 1.0 if x_hinge > x_free else -1.0
    handle = box(
        (0.012, 0.018, min(0.11, half * 0.5)), (x_free + side * 0.05, y - 2 * thick, mid), STEEL if sum(rgb) > 1.5 else WHITE, solid=False
    )
    leaf = box((abs(x_hinge - x_free) / 2 - 0.004, thick, half), (x_mid, y - thick, mid), rgb, solid=False)
    return Panel("hinge", (0.0, 0.0, side), (x_hinge, y, mid), 100.0, (leaf, handle, *extra))


def _level(w: float, d: float, z: float, height: float, y: float = 0.0, x: float = 0.0, rides: bool = False) -> Region:
    return Region((x, y, z), (w / 2, d / 2), height, rides)


def _counter(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 1.1, 0.55, 0.88
    top = _pick(rng, ((0.75, 0.74, 0.7), (0.35, 0.36, 0.38), (0.85, 0.8, 0.7)))
    parts = [
        box((w / 2, d / 2 - 0.02, h / 2 - 0.02), (0, 0.01, h / 2 - 0.02), rgb),
        box((w / 2 + 0.01, d / 2, 0.02), (0, 0, h - 0.02), top),
        box((0.006, 0.004, h / 2 - 0.08), (0, -d / 2 + 0.027, h / 2 - 0.02), _shade(rgb, 0.6), solid=False),
        box((0.06, 0.01, 0.008), (-0.27, -d / 2 + 0.02, h - 0.14), STEEL, solid=False),
        box((0.06, 0.01, 0.008), (0.27, -d / 2 + 0.02, h - 0.14), STEEL, solid=False),
    ]
    return Design((w, d, h), parts, [], [_level(w, d, h, 0.45)], (h, h))


def _table(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 1.0, 0.62, 0.72
    legs = [
        box((0.03, 0.03, h / 2 - 0.02), (sx * (w / 2 - 0.05), sy * (d / 2 - 0.05), h / 2 - 0.02), _shade(rgb, 0.7))
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
    return Design((w, d, h), [box((w / 2, d / 2, 0.02), (0, 0, h - 0.02), rgb), *legs], [], [_level(w, d, h, 0.45)], (h, h))


def _desk(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 1.2, 0.58, 0.74
    dark = _shade(rgb, 0.75)
    parts = [
        box((w / 2, d / 2, 0.018), (0, 0, h - 0.018), rgb),
        box((0.018, d / 2 - 0.03, h / 2 - 0.018), (-w / 2 + 0.03, 0, h / 2 - 0.018), dark),
        box((0.18, d / 2 - 0.03, h / 2 - 0.018), (w / 2 - 0.19, 0, h / 2 - 0.018), dark),
        box((0.15, 0.006, 0.07), (w / 2 - 0.19, -d / 2 + 0.025, h - 0.14), _shade(rgb, 1.15), solid=False),
        box((0.15, 0.006, 0.07), (w / 2 - 0.19, -d / 2 + 0.025, h - 0.32), _shade(rgb, 1.15), solid=False),
    ]
    lamp = ("desk_lamp", (w / 2 - 0.13, d / 2 - 0.13, h))
    return Design((w, d, h), parts, [], [_level(w - 0.26, d, h, 0.45, x=-0.13)], (h, h + 0.15), mounted=(lamp,))


def _shelf(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 0.95, 0.34, 1.2
    parts = _carcass(w, d, 0.0, h, rgb, _shade(rgb, 1.2))
    levels = (0.4, 0.8)
    parts += [box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, z - B), _shade(rgb, 1.05)) for z in levels]
    return Design((w, d, h), parts, [], [_level(w - 0.08, d - 0.05, z, 0.34, y=-0.01) for z in levels], (0.4, 0.95))


def _sofa(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 1.4, 0.75, 0.8
    light = _shade(rgb, 1.2)
    parts = [
        box((w / 2, d / 2, 0.15), (0, 0, 0.15), rgb),
        box((w / 2 - 0.14, d / 2 - 0.1, 0.06), (0, -0.1, 0.36), light),
        box((w / 2, 0.09, 0.25), (0, d / 2 - 0.09, 0.55), rgb),
        box((0.07, d / 2, 0.14), (-w / 2 + 0.07, 0, 0.44), rgb),
        box((0.07, d / 2, 0.14), (w / 2 - 0.07, 0, 0.44), rgb),
        box((0.005, d / 2 - 0.1, 0.003), (0, -0.1, 0.421), _shade(rgb, 0.6), solid=False),
    ]
    return Design((w, d, h), parts, [], [_level(w - 0.3, d - 0.2, 0.42, 0.4, y=-0.1)], (0.42, 0.42))


def _bed(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 1.6, 0.85, 0.48
    wood: Vec = (0.45, 0.3, 0.18)
    parts = [
        box((w / 2, d / 2, 0.14), (0, 0, 0.14), wood),
        box((w / 2 - 0.03, d / 2 - 0.03, 0.1), (0, 0, 0.38), WHITE),
        box((w / 2 - 0.22, d / 2 - 0.01, 0.09), (0.2, 0, 0.4), rgb),
        box((0.03, d / 2, 0.42), (-w / 2 + 0.03, 0, 0.42), wood),
        box((0.15, 0.28, 0.045), (-w / 2 + 0.23, 0, 0.52), (0.98, 0.98, 0.95)),
    ]
    return Design((w, d, h), parts, [], [_level(w - 0.55, d - 0.06, 0.49, 0.4, x=0.22)], (0.49, 0.49))


def _sink(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 0.8, 0.56, 0.86
    bw, bd, floor_z = 0.54, 0.4, 0.76
    side, rim = (w - bw) / 4, (d - bd) / 4
    parts = [
        box((w / 2, d / 2, (floor_z - 0.02) / 2), (0, 0, (floor_z - 0.02) / 2), rgb),
        box((bw / 2, bd / 2, 0.01), (0, 0, floor_z - 0.01), STEEL),
        *(box((side, d / 2, (h - floor_z + 0.02) / 2), (s * (w / 2 - side), 0, (h + floor_z - 0.02) / 2), WHITE) for s in (-1, 1)),
        *(box((bw / 2, rim, (h - floor_z + 0.02) / 2), (0, s * (d / 2 - rim), (h + floor_z - 0.02) / 2), WHITE) for s in (-1, 1)),
        Part("cylinder", (0.03, 0.002), (0, 0, floor_z + 0.001), DARK, solid=False),
    ]
    tap = ("faucet", (0.0, d / 2 - 0.04, h))
    return Design((w, d, h), parts, [], [_level(bw - 0.03, bd - 0.03, floor_z, 0.3)], (0.76, 0.9), eye=1.65, mounted=(tap,))


def _bin(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h, z = 0.46, 0.42, 0.48, 0.36
    parts = [
        box((w / 2 - 2 * B, d / 2 - 2 * B, z / 2), (0, 0, z / 2), _shade(rgb, 0.55)),
        *(box((B, d / 2, h / 2), (s * (w / 2 - B), 0, h / 2), rgb) for s in (-1, 1)),
        *(box((w / 2 - 2 * B, B, h / 2), (0, s * (d / 2 - B), h / 2), rgb) for s in (-1, 1)),
    ]
    return Design((w, d, h), parts, [], [_level(w - 0.07, d - 0.07, z, 0.35)], (z, h), eye=1.35)


def _fridge(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 0.7, 0.6, 1.35
    parts = _carcass(w, d, 0.3, h, rgb, INSIDE)
    parts += [box((w / 2, d / 2, 0.15), (0, 0, 0.15), rgb), box((w / 2 - 2 * B, d / 2 - 0.03, 0.008), (0, -0.02, 0.8), (0.75, 0.85, 0.9))]
    s = _side(rng)
    door = _door(w, 0.31, h, -d / 2, s * w / 2, -s * w / 2, rgb)
    regions = [_level(w - 0.08, d - 0.08, 0.33, 0.42), _level(w - 0.08, d - 0.08, 0.808, 0.48)]
    return Design((w, d, h), parts, [door], regions, (0.33, 0.95), swing=w)


def _cabinet(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 0.8, 0.45, 0.95
    parts = [*_carcass(w, d, 0.1, h, rgb, _shade(rgb, 1.25)), box((w / 2 - 0.02, d / 2 - 0.02, 0.05), (0, 0.01, 0.05), DARK)]
    parts.append(box((w / 2 - 2 * B, d / 2 - B, 0.01), (0, -B, 0.53), _shade(rgb, 1.1)))
    doors = [_door(w, 0.11, h, -d / 2, s * w / 2, 0.0, _shade(rgb, 0.9)) for s in (1, -1)]
    regions = [_level(w - 0.08, d - 0.06, 0.13, 0.38), _level(w - 0.08, d - 0.06, 0.54, 0.36)]
    return Design((w, d, h), parts, doors, regions, (0.2, 0.7), swing=w / 2)


def _wardrobe(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h = 0.95, 0.52, 1.75
    parts = [*_carcass(w, d, 0.1, h, rgb, _shade(rgb, 1.3)), box((w / 2, d / 2, 0.05), (0, 0, 0.05), _shade(rgb, 0.6))]
    parts.append(box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, 0.65), _shade(rgb, 1.15)))
    parts.append(Part("capsule", (0.012, w / 2 - 0.05), (0, 0, 1.55), STEEL, (0, 90, 0), solid=False))
    shirts = ((0.25, 0.35, 0.6), (0.65, 0.3, 0.3), (0.75, 0.75, 0.7))
    parts += [box((0.03, 0.18, 0.2), (x, 0.03, 1.33), c, solid=False) for x, c in zip((-0.25, -0.1, 0.2), shirts, strict=True)]
    doors = [_door(w, 0.11, h, -d / 2, s * w / 2, 0.0, _shade(rgb, 0.92)) for s in (1, -1)]
    regions = [_level(w - 0.08, d - 0.07, 0.13, 0.48), _level(w - 0.08, d - 0.07, 0.665, 0.42)]
    return Design((w, d, h), parts, doors, regions, (0.25, 0.85), swing=w / 2)


def _drawer(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h, slide = 0.7, 0.5, 0.78, 0.36
    z0, z1, front = 0.5, 0.7, _shade(rgb, 1.2)
    parts = [
        box((w / 2 - 2 * B, d / 2 - 0.02, 0.235), (0, 0.02, 0.235), rgb),
        box((B, d / 2, h / 2), (-w / 2 + B, 0, h / 2), rgb),
        box((B, d / 2, h / 2), (w / 2 - B, 0, h / 2), rgb),
        box((w / 2, d / 2, 0.03), (0, 0, h - 0.03), _shade(rgb, 0.85)),
        box((w / 2 - 2 * B, B, h / 2), (0, d / 2 - B, h / 2), rgb),
        box((w / 2 - 0.04, 0.008, 0.09), (0, -d / 2 + 0.035, 0.36), front, solid=False),
        box((w / 2 - 0.04, 0.008, 0.09), (0, -d / 2 + 0.035, 0.14), front, solid=False),
        box((0.07, 0.012, 0.01), (0, -d / 2 + 0.02, 0.36), STEEL, solid=False),
        box((0.07, 0.012, 0.01), (0, -d / 2 + 0.02, 0.14), STEEL, solid=False),
    ]
    iw, depth = w - 0.08, d - 0.06
    y = -0.02
    tray = (
        box((iw / 2, depth / 2, 0.025), (0, y, z0 + 0.025), (0.85, 0.8, 0.68)),
        box((0.008, depth / 2, 0.06), (-iw / 2, y, z0 + 0.06), rgb),
        box((0.008, depth / 2, 0.06), (iw / 2, y, z0 + 0.06), rgb),
        box((iw / 2, 0.008, 0.06), (0, y + depth / 2, z0 + 0.06), rgb),
        box((w / 2 - 0.04, 0.012, (z1 - z0) / 2), (0, -d / 2 + 0.012, (z0 + z1) / 2), front),
        box((0.07, 0.015, 0.01), (0, -d / 2 - 0.015, (z0 + z1) / 2), STEEL, solid=False),
    )
    panel = Panel("slide", (0.0, -1.0, 0.0), (0.0, 0.0, 0.0), slide, tray)
    # Only the front part of the tray comes out from under the top, so that is what holds things.
    region = Region((0, y - depth / 2 + 0.195, z0 + 0.05), (iw / 2 - 0.02, 0.165), 0.165, True)
    return Design((w, d, h), parts, [panel], [region], (z0, 0.7), reach=slide, eye=1.55)


def _microwave(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h, z0 = 0.64, 0.45, 1.12, 0.74
    wood: Vec = (0.5, 0.38, 0.26)
    parts = [*_carcass(w, d, z0, h, rgb, (0.8, 0.8, 0.78)), box((w / 2 - 0.02, d / 2 - 0.02, z0 / 2), (0, 0, z0 / 2), wood)]
    parts.append(box((0.07, 0.17, (h - z0) / 2 - 0.015), (w / 2 - 0.085, -0.055, (z0 + h) / 2), DARK))
    parts.append(box((0.06, 0.006, 0.1), (w / 2 - 0.085, -d / 2 + 0.006, (z0 + h) / 2), DARK, solid=False))
    display = {"pos": (w / 2 - 0.085, -d / 2 - 0.002, h - 0.1), "solid": False}
    parts.append(Part("box", (0.045, 0.004, 0.022), rgb=(0.2, 0.25, 0.2), when="!on", **display))  # type: ignore[arg-type]
    parts.append(Part("box", (0.045, 0.004, 0.022), rgb=(0.3, 1.0, 0.4), when="on", emission=1.0, **display))  # type: ignore[arg-type]
    inner_w, x = w - 0.2, -0.085
    # The lamp inside: a bright back wall, seen when the door is open.
    parts.append(
        box((inner_w / 2 - 0.01, 0.004, 0.1), (x, d / 2 - 2 * B - 0.004, (z0 + h) / 2), WARM, solid=False, when="on", emission=1.0)
    )
    x0, x1 = -w / 2, w / 2 - 0.14
    window = ((x1 - x0) / 2 - 0.06, 0.004, (h - z0) / 2 - 0.06)
    pos: Vec = ((x0 + x1) / 2 - 0.01, -d / 2 - 0.043, (z0 + h) / 2)
    panes = (box(window, pos, BLACK, solid=False, when="!on"), box(window, pos, WARM, solid=False, when="on", emission=1.0))
    door = _door(x1 - x0, z0 + 0.01, h - 0.01, -d / 2, x0, x1, rgb, panes)
    return Design((w, d, h), parts, [door], [_level(inner_w - 0.06, d - 0.08, z0 + 2 * B, 0.3, x=x)], (z0, 0.95), swing=0.5)


def _washer(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, h, z = 0.66, 0.58, 0.98, 0.42
    r = 0.22
    low, high = z - 0.01, z + 2 * r
    parts = [
        *_carcass(w, d, low - 2 * B, h, WHITE, (0.55, 0.57, 0.6)),
        box((w / 2, d / 2, (low - 2 * B) / 2), (0, 0, (low - 2 * B) / 2), WHITE),
        box((w / 2, B, (h - high) / 2), (0, -d / 2 + B, (h + high) / 2), WHITE),
        *(box((w / 4 - r / 2, B, r), (s * (w / 4 + r / 2), -d / 2 + B, z + r), WHITE) for s in (-1, 1)),
        Part("cylinder", (0.03, 0.012), (0.2, -d / 2, h - 0.06), STEEL, (90, 0, 0), solid=False),
        box((0.1, 0.006, 0.025), (-0.15, -d / 2 - 0.002, h - 0.06), rgb, solid=False),
    ]
    hinge = (-r - 0.03, -d / 2, z + r)
    leaf = (
        box((r + 0.02, 0.012, r + 0.02), (0, -d / 2 - 0.012, z + r), _shade(WHITE, 0.9), solid=False),
        Part("cylinder", (r - 0.01, 0.02), (0, -d / 2 - 0.025, z + r), STEEL, (90, 0, 0), solid=False),
        Part("cylinder", (r - 0.06, 0.012), (0, -d / 2 - 0.04, z + r), (0.15, 0.2, 0.3), (90, 0, 0), solid=False),
        box((0.012, 0.012, 0.05), (r - 0.005, -d / 2 - 0.05, z + r), DARK, solid=False),
    )
    door = Panel("hinge", (0.0, 0.0, -1.0), hinge, 100.0, leaf)
    return Design((w, d, h), parts, [door], [_level(2 * r, d - 0.1, z, 0.4)], (z, 0.75), swing=2 * r)


def _safe(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, z0, h = 0.6, 0.46, 0.45, 0.95
    metal: Vec = _pick(rng, ((0.25, 0.3, 0.27), (0.3, 0.3, 0.34), (0.2, 0.25, 0.35)))
    parts = [*_carcass(w, d, z0, h, metal, (0.55, 0.5, 0.45)), box((w / 2 - 0.03, d / 2 - 0.03, z0 / 2), (0, 0, z0 / 2), (0.4, 0.36, 0.33))]
    y = -d / 2 - 0.045
    dial = (
        Part("cylinder", (0.07, 0.012), (0.02, y, (z0 + h) / 2), (0.85, 0.75, 0.3), (90, 0, 0), solid=False),
        Part("cylinder", (0.025, 0.025), (0.02, y, (z0 + h) / 2), DARK, (90, 0, 0), solid=False),
    )
    door = _door(w, z0, h, -d / 2, -w / 2, w / 2, _shade(metal, 1.3), dial)
    return Design((w, d, h), parts, [door], [_level(w - 0.09, d - 0.08, z0 + 2 * B, 0.4)], (z0, 0.75), swing=w)


def _lamp(rng: np.random.Generator, rgb: Vec) -> Design:
    h = 1.25
    parts = [
        Part("cylinder", (0.15, 0.015), (0, 0, 0.015), DARK),
        Part("cylinder", (0.015, h / 2 - 0.1), (0, 0, h / 2 - 0.1), DARK),
        Part("cylinder", (0.17, 0.13), (0, 0, h - 0.13), _shade(rgb, 0.55), when="!on"),
        Part("cylinder", (0.17, 0.13), (0, 0, h - 0.13), WARM, when="on", emission=1.0),
        # The pool of light on the wall behind.
        Part("ellipsoid", (0.38, 0.004, 0.3), (0, 0.215, h - 0.1), (1.0, 0.97, 0.75), solid=False, when="on", emission=0.9),
    ]
    return Design((0.44, 0.44, h), parts, [], [], (0.9, 1.2))


def _desk_lamp(rng: np.random.Generator, rgb: Vec) -> Design:
    parts = [
        Part("cylinder", (0.07, 0.012), (0, 0, 0.012), rgb),
        Part("capsule", (0.012, 0.13), (0, 0.01, 0.15), STEEL),
        Part("cylinder", (0.085, 0.05), (-0.03, -0.04, 0.3), rgb, (20, 0, 0)),
        Part("cylinder", (0.075, 0.012), (-0.03, -0.062, 0.243), DARK, (20, 0, 0), solid=False, when="!on"),
        Part("cylinder", (0.09, 0.052), (-0.03, -0.042, 0.295), WARM, (20, 0, 0), solid=False, when="on", emission=1.0),
        Part("cylinder", (0.14, 0.001), (-0.03, -0.08, 0.003), (1.0, 0.95, 0.6), solid=False, when="on", emission=0.9),
    ]
    return Design((0.2, 0.2, 0.38), parts, [], [], (0.0, 0.35))


def _tv(rng: np.random.Generator, rgb: Vec) -> Design:
    w, d, z = 1.1, 0.36, 0.45
    y, mid = -0.02, z + 0.36
    parts = [
        box((w / 2, d / 2, z / 2), (0, 0, z / 2), rgb),
        box((0.12, 0.08, 0.03), (0, 0.02, z + 0.03), DARK),
        box((0.48, 0.025, 0.3), (0, 0.02, mid), DARK),
        box((0.45, 0.004, 0.27), (0, y + 0.012, mid), BLACK, solid=False, when="!on"),
        box((0.45, 0.004, 0.16), (0, y + 0.011, mid + 0.11), (0.35, 0.65, 1.0), solid=False, when="on", emission=1.0),
        box((0.45, 0.004, 0.11), (0, y + 0.011, mid - 0.16), (0.3, 0.85, 0.3), solid=False, when="on", emission=1.0),
        Part("cylinder", (0.08, 0.002), (0.22, y + 0.004, mid + 0.13), (1.0, 0.95, 0.3), (90, 0, 0), solid=False, when="on", emission=1.0),
        box((0.09, 0.002, 0.07), (-0.15, y + 0.004, mid - 0.04), (0.95, 0.35, 0.25), solid=False, when="on", emission=1.0),
    ]
    return Design((w, d, 1.12), parts, [], [], (0.5, 1.05))


def _faucet(rng: np.random.Generator, rgb: Vec) -> Design:
    metal: Vec = (0.55, 0.58, 0.62)
    water: Vec = (0.25, 0.6, 1.0)
    parts = [
        Part("cylinder", (0.03, 0.1), (0, 0, 0.1), metal),
        box((0.022, 0.1, 0.018), (0, -0.08, 0.2), metal),
        box((0.05, 0.02, 0.012), (0, 0, 0.23), (0.8, 0.2, 0.2), solid=False),
        Part("cylinder", (0.024, 0.145), (0, -0.16, 0.045), water, solid=False, when="on", emission=0.7),
        Part("cylinder", (0.11, 0.003), (0, -0.16, -0.095), (0.45, 0.75, 1.0), solid=False, when="on", emission=0.7),
    ]
    return Design((0.1, 0.1, 0.25), parts, [], [], (-0.1, 0.25))


def _side(rng: np.random.Generator) -> float:
    return 1.0 if rng.random() < 0.5 else -1.0


def _pick(rng: np.random.Generator, options: tuple[Vec, ...]) -> Vec:
    return options[int(rng.integers(len(options)))]


_WOODS: tuple[Vec, ...] = ((0.55, 0.4, 0.26), (0.42, 0.29, 0.18), (0.68, 0.54, 0.36), (0.36, 0.3, 0.27), (0.6, 0.58, 0.54))
_FABRICS: tuple[Vec, ...] = ((0.3, 0.36, 0.46), (0.45, 0.32, 0.3), (0.32, 0.42, 0.34), (0.46, 0.42, 0.36), (0.38, 0.33, 0.45))
_PLASTICS: tuple[Vec, ...] = ((0.3, 0.32, 0.34), (0.25, 0.4, 0.42), (0.5, 0.47, 0.4), (0.42, 0.28, 0.26))
_FRONTS: tuple[Vec, ...] = ((0.8, 0.78, 0.74), (0.5, 0.56, 0.6), (0.6, 0.52, 0.42), (0.45, 0.5, 0.44))
_APPLIANCES: tuple[Vec, ...] = ((0.9, 0.9, 0.92), (0.68, 0.7, 0.73), (0.82, 0.85, 0.78))

DESIGNS: dict[str, tuple[Callable[[np.random.Generator, Vec], Design], tuple[Vec, ...]]] = {
    "counter": (_counter, _FRONTS),
    "table": (_table, _WOODS),
    "desk": (_desk, _WOODS),
    "shelf": (_shelf, _WOODS),
    "sofa": (_sofa, _FABRICS),
    "bed": (_bed, _FABRICS),
    "sink": (_sink, _FRONTS),
    "bin": (_bin, _PLASTICS),
    "fridge": (_fridge, _APPLIANCES),
    "cabinet": (_cabinet, _FRONTS),
    "drawer": (_drawer, _WOODS),
    "microwave": (_microwave, _APPLIANCES),
    "wardrobe": (_wardrobe, _WOODS),
    "washer": (_washer, _FABRICS),
    "safe": (_safe, _PLASTICS),
    "lamp": (_lamp, _FABRICS),
    "desk_lamp": (_desk_lamp, _FABRICS),
    "tv": (_tv, _WOODS),
    "faucet": (_faucet, _APPLIANCES),
}


def design(category: str, rng: np.random.Generator) -> Design:
    """A fresh fixture of ``category``; its colour and side of hinges are drawn from ``rng``."""
    build, colours = DESIGNS[category]
    return build(rng, _pick(rng, colours))
