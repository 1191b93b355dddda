"""Kitchen: counter, sink, fridge, freezer, oven with its burners, microwave, dishwasher."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..spec import Part, Vec
from .common import (
    APPLIANCES,
    BLACK,
    CERAMIC,
    CHROME,
    DARK,
    GLASS,
    INSIDE,
    PAINTED,
    SPOUT_DROP,
    STEEL,
    STONES,
    WARM,
    WOODS,
    B,
    Catalogue,
    Design,
    Paint,
    box,
    carcass,
    cyl,
    disc,
    door,
    drawer,
    drawer_front,
    drop_door,
    lathe,
    legs,
    level,
    loft,
    pick,
    pit,
    shining,
    side,
)  # fmt: skip

FRONTS = (*PAINTED, *WOODS[:3], *WOODS[4:5])
HOT = shining((1.0, 0.3, 0.06))


def _base(rng: np.random.Generator, w: float, d: float, top: float, paint: Paint) -> list[Part]:
    """A kitchen base unit up to height ``top``: plinth, body, and fronts of doors with a drawer above or without."""
    handle, front = pick(rng, ("bar", "knob", "groove")), paint.shade(1.08)
    parts = [
        box((w / 2 - 0.01, d / 2 - 0.05, 0.05), (0, 0.03, 0.05), DARK),
        box((w / 2, d / 2 - 0.02, top / 2 - 0.05), (0, 0.01, top / 2 + 0.05), paint.shade(0.9)),
    ]
    split = top - 0.2 if rng.random() < 0.5 else top - 0.02
    for s in (-1, 1):
        x = s * w / 4
        parts += drawer_front(w / 2 - 0.015, x, -d / 2 + 0.03, 0.12, split - 0.01, front, handle)
        if split < top - 0.1:
            parts += drawer_front(w / 2 - 0.015, x, -d / 2 + 0.03, split, top - 0.02, front, handle)
    return parts


def counter(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h = 1.2, 0.6, 0.9
    top = pick(rng, STONES)
    parts = _base(rng, w, d, h - 0.04, paint)
    parts.append(box((w / 2 + 0.01, d / 2, 0.02), (0, 0, h - 0.02), top))
    if rng.random() < 0.5:  # an upstand along the wall
        parts.append(box((w / 2 + 0.01, 0.01, 0.05), (0, d / 2 - 0.01, h + 0.05), top))
    return Design((w, d, h), parts, [], [level(w, d - 0.03, h, 0.45, y=-0.015)], (h, h))


def sink(rng: np.random.Generator, paint: Paint) -> Design:
    """A steel basin in a base unit, or a ceramic one on a vanity or a pedestal."""
    h, floor = 0.88, 0.88 - SPOUT_DROP
    style = pick(rng, ("inset", "vanity", "pedestal"))
    if style == "inset":
        w, d, bw, bd = 0.9, 0.6, 0.5, 0.38
        y, top = -0.04, pick(rng, STONES)
        back, front = (d - bd) / 2 - y, (d - bd) / 2 + y
        parts: list[Part] = [
            *_base(rng, w, d, floor - 0.03, paint),
            box((w / 2, 0.01, SPOUT_DROP / 2), (0, -d / 2 + 0.03, h - SPOUT_DROP / 2 - 0.02), paint.shade(1.08)),
            box((bw / 2, bd / 2, 0.01), (0, y, floor - 0.01), STEEL),
            *(box(((w - bw) / 4, d / 2, 0.02), (s * (w + bw) / 4, 0, h - 0.02), top) for s in (-1, 1)),
            box((bw / 2, back / 2, 0.02), (0, d / 2 - back / 2, h - 0.02), top),
            box((bw / 2, front / 2, 0.02), (0, -d / 2 + front / 2, h - 0.02), top),
            *(box(((w - bw) / 4, d / 2 - 0.02, 0.06), (s * (w + bw) / 4, 0.005, h - 0.1), STEEL) for s in (-1, 1)),
            *(box((bw / 2, 0.012, 0.062), (0, y + s * (bd / 2 + 0.012), h - 0.075), STEEL) for s in (-1, 1)),
        ]
        parts.append(cyl(0.03, 0.002, (0, y, floor + 0.001), DARK, solid=False))
        tap = ("faucet", (0.0, d / 2 - 0.06, h))
        return Design((w, d, h), parts, [], [level(bw - 0.02, bd - 0.02, floor, 0.3, y=y)], (floor, 0.9), eye=1.65, mounted=(tap,))
    w, d, hx, hy = 0.78, 0.58, 0.27, 0.185
    y = -0.045
    hull = loft(
        (
            (floor - 0.08, 0.16, 0.12, 0.7), (floor - 0.02, hx + 0.03, hy + 0.03, 0.35), (h - 0.02, hx + 0.07, hy + 0.06, 0.3),
            (h, hx + 0.065, hy + 0.055, 0.3), (h, hx, hy, 0.35),
            (floor + 0.02, hx - 0.005, hy - 0.005, 0.4), (floor, hx - 0.02, hy - 0.02, 0.4),
        ),
        (0, y, 0), CERAMIC,
    )  # fmt: skip
    parts = [hull, *(replace(p, pos=(p.pos[0], p.pos[1] + y, p.pos[2])) for p in pit(hx, hy, floor, h, CERAMIC))]
    parts.append(box((0.2, 0.05, 0.04), (0, d / 2 - 0.055, h - 0.042), CERAMIC))
    parts.append(cyl(0.025, 0.002, (0, y, floor + 0.002), DARK, solid=False))
    if style == "vanity":
        parts += _base(rng, w, d, floor - 0.09, paint)
        parts.append(box((w / 2 + 0.005, d / 2, 0.012), (0, 0, floor - 0.08), pick(rng, STONES)))
        parts.append(box((0.2, 0.02, SPOUT_DROP / 2 + 0.04), (0, d / 2 - 0.03, h - SPOUT_DROP / 2 - 0.04), CERAMIC))
    else:
        parts.append(loft(((0.0, 0.14, 0.12, 0.8), (0.1, 0.1, 0.09, 0.8), (floor - 0.06, 0.14, 0.11, 0.8)), (0, 0.02, 0), CERAMIC))
        parts.append(box((0.08, 0.08, floor / 2 - 0.04), (0, 0.02, floor / 2 - 0.04), CERAMIC))
        parts.append(box((0.2, 0.02, SPOUT_DROP / 2 + 0.02), (0, d / 2 - 0.03, h - SPOUT_DROP / 2 - 0.02), CERAMIC))
    tap = ("faucet", (0.0, d / 2 - 0.05, h))
    region = level(2 * hx - 0.04, 2 * hy - 0.04, floor, 0.3, y=y)
    return Design((w, d, h), parts, [], [region], (floor, 0.9), eye=1.65, mounted=(tap,))


def fridge(rng: np.random.Generator, paint: Paint) -> Design:
    """One tall door over a plinth, over a drawer that stays shut, or under a small upper door that stays shut."""
    w, d = 0.7, 0.64
    style = pick(rng, ("plinth", "drawer", "topbox"))
    z0 = 0.3 if style == "drawer" else 0.16
    z1 = 1.36 if style == "drawer" else 1.24
    h = z1 + (0.42 if style == "topbox" else 0.0)
    body = paint.plain()
    parts = [*carcass(w, d, z0, z1, body, INSIDE), box((w / 2, d / 2, z0 / 2), (0, 0, z0 / 2), body.shade(0.95))]
    middle = (z0 + z1) / 2 - 0.01
    parts.append(box((w / 2 - 2 * B, d / 2 - 0.05, 0.006), (0, 0.0, middle - 0.006), GLASS))
    parts.append(box((w / 2 - 0.1, 0.004, 0.03), (0, d / 2 - 0.036, z1 - 0.1), Paint((1.0, 1.0, 0.92)), solid=False, emission=0.7))
    s = side(rng)
    if style == "drawer":
        parts += drawer_front(w - 0.01, 0.0, -d / 2, 0.06, z0 - 0.012, paint, "bar")
    if style == "topbox":
        parts.append(box((w / 2, d / 2, (h - z1) / 2), (0, 0, (h + z1) / 2), body))
        parts.append(box((w / 2 - 0.004, 0.02, (h - z1) / 2 - 0.006), (0, -d / 2 - 0.02, (h + z1) / 2), paint, solid=False))
        parts.append(box((0.012, 0.016, 0.1), (-s * (w / 2 - 0.05), -d / 2 - 0.055, z1 + 0.14), CHROME, solid=False))
    racks = [
        box((w / 2 - 0.06, 0.03, 0.03), (0, -d / 2 + 0.03, z), Paint((0.8, 0.86, 0.9)), solid=False) for z in (z0 + 0.14, middle + 0.1)
    ]
    for _ in range(int(rng.integers(2, 6))):  # magnets and notes
        x, z = float(rng.uniform(-0.2, 0.2)), float(rng.uniform(z0 + 0.35, z1 - 0.12))
        note = pick(rng, (((0.95, 0.94, 0.88), 0.05), ((0.95, 0.85, 0.3), 0.032), ((0.85, 0.25, 0.2), 0.016), ((0.2, 0.5, 0.8), 0.016)))
        racks.append(box((note[1], 0.002, note[1] * 1.15), (x, -d / 2 - 0.042, z), Paint(note[0]), solid=False))
    leaf = door(z0 + 0.01, z1, -d / 2, s * w / 2, -s * w / 2, paint, racks)
    regions = [level(w - 0.08, d - 0.13, z0 + 2 * B, 0.4, y=0.025), level(w - 0.08, d - 0.13, middle, z1 - middle - 0.06, y=0.025)]
    return Design((w, d, h), parts, [leaf], regions, (z0 + 0.03, 0.95), swing=w)


def freezer(rng: np.random.Generator, paint: Paint) -> Design:
    """A low freezer of two drawers; the upper one, deep, comes out."""
    w, d, h, slide = 0.68, 0.62, 0.94, 0.44
    z0, z1, head, floor = 0.46, 0.74, 0.1, 0.08
    body, ice = paint.plain(), Paint((0.75, 0.88, 0.98))
    handle = pick(rng, ("bar", "groove"))
    parts: list[Part] = [
        box((w / 2 - 2 * B, d / 2 - 0.03, 0.2), (0, 0.025, 0.25), body),
        *(box((B, d / 2 - 0.02, h / 2 - 0.02), (s * (w / 2 - B), 0.02, h / 2), body) for s in (-1, 1)),
        box((w / 2 - 2 * B, B, h / 2 - 0.02), (0, d / 2 - B, h / 2), ice),
        box((w / 2, d / 2, 0.055), (0, 0, h - 0.055), body),
        box((w / 2 - 0.01, 0.008, head), (0, -d / 2 + 0.028, h - head), body, solid=False),
        box((w / 2, d / 2 - 0.05, 0.025), (0, 0.03, 0.025), DARK),
        *(
            p
            for low, high in pick(rng, (((0.06, 0.45),), ((0.06, 0.25), (0.26, 0.45))))
            for p in drawer_front(w - 0.01, 0.0, -d / 2 + 0.02, low, high, paint, handle)
        ),
        box((0.09, 0.004, 0.022), (w / 2 - 0.14, -d / 2 - 0.003, h - 0.055), DARK, solid=False),
        box((0.035, 0.003, 0.009), (w / 2 - 0.14, -d / 2 - 0.006, h - 0.055), Paint((0.3, 0.75, 1.0)), solid=False, emission=0.8),
        *(  # a snowflake
            box((0.04, 0.003, 0.005), (-w / 2 + 0.1, -d / 2 - 0.003, h - 0.055), Paint((0.2, 0.45, 0.8)), euler=(0, turn, 0), solid=False)
            for turn in (0.0, 60.0, 120.0)
        ),
    ]
    tray = drawer(w - 0.02, d - 0.07, -d / 2 + 0.02, z0, z1, paint, slide, handle, floor, 0.1, ice)
    region = level(w - 0.13, 0.36, z0 + floor, 0.27, y=-d / 2 + 0.26, rides=True)
    return Design((w, d, h), parts, [tray], [region], (z0, 0.78), reach=slide, eye=1.75)


def oven(rng: np.random.Generator, paint: Paint) -> Design:
    """A cooker: a drop-down door with a window, knobs above it, two or four burners on top."""
    w, d, h, z0, z1 = 0.68, 0.62, 0.9, 0.28, 0.75
    body, inner = paint.plain(), Paint((0.3, 0.31, 0.34))
    glow, dim = shining((1.0, 0.5, 0.12)), Paint((0.08, 0.07, 0.07))
    y = -d / 2
    parts = [
        *carcass(w, d, z0, z1, body, inner),
        box((w / 2, d / 2 - 0.02, z0 / 2 - 0.02), (0, 0.02, z0 / 2 + 0.02), body),
        *drawer_front(w - 0.01, 0.0, y, 0.06, z0 - 0.012, paint, "groove"),
        box((w / 2, d / 2, (h - z1) / 2 - 0.01), (0, 0, (h + z1) / 2 - 0.01), body),
        box((w / 2 + 0.004, d / 2 + 0.004, 0.011), (0, 0, h - 0.011), pick(rng, (DARK, STEEL))),
        *(disc(0.022, 0.016, (x, y - 0.014, 0.82), DARK if sum(paint.rgb) > 1.5 else CHROME) for x in (-0.27, -0.19, 0.19, 0.27)),
        box((w / 2 - 0.06, 0.004, 0.16), (0, d / 2 - 2 * B - 0.004, 0.52), glow, solid=False, when="on", emission=1.0),
        box((w / 2 - 0.06, d / 2 - 0.06, 0.004), (0, 0, z1 - 2 * B - 0.004), glow, solid=False, when="on", emission=0.9),
        box((w / 2 - 0.07, d / 2 - 0.1, 0.001), (0, 0.02, z0 + 2 * B + 0.001), HOT, solid=False, when="on", emission=0.8),
        *(box((w / 2 - 0.04, 0.006, 0.004), (0, yy, z0 + 2 * B + 0.002), CHROME, solid=False) for yy in (-0.16, -0.04, 0.08, 0.2)),
        box((0.09, 0.004, 0.022), (0, y - 0.003, 0.82), Paint((0.1, 0.14, 0.12)), solid=False, when="!on"),
        box((0.09, 0.004, 0.022), (0, y - 0.003, 0.82), shining((1.0, 0.45, 0.2)), solid=False, when="on", emission=1.0),
    ]
    if rng.random() < 0.5:
        parts.append(box((w / 2, 0.014, 0.06), (0, d / 2 - 0.014, h + 0.06), body))
    window: Vec = (w / 2 - 0.1, 0.003, 0.125)
    at: Vec = (0, y - 0.038, (z0 + z1) / 2 - 0.02)
    panes = (
        box((window[0] + 0.02, 0.002, window[2] + 0.02), (at[0], at[1] + 0.002, at[2]), DARK, solid=False),
        box(window, at, dim, solid=False, when="!on"),
        box(window, at, glow, solid=False, when="on", emission=1.0),
    )
    leaf = drop_door(w, z0 + 0.005, z1 - 0.005, y, paint, Paint((0.2, 0.2, 0.22)), panes)
    xs, ys = (-0.168, 0.168), (0.0,) if rng.random() < 0.4 else (-0.15, 0.151)
    burners = tuple(("burner", (x, yy, h)) for yy in ys for x in xs)
    region = level(w - 0.1, d - 0.1, z0 + 2 * B + 0.004, 0.4)
    return Design((w, d, h), parts, [leaf], [region], (0.36, 0.92), swing=z1 - z0, mounted=burners)


def burner(rng: np.random.Generator, paint: Paint) -> Design:
    """A place to cook on: coil, glass plate or gas; what glows reaches out under a pot."""
    r, top = 0.144, 0.014
    style = pick(rng, ("coil", "glass", "gas"))
    grey = Paint((0.26, 0.26, 0.28))

    def ring(outer: float, inner: float, z: float, tall: float, colour: Paint, when: str, emission: float = 0.0) -> Part:
        outline = ((outer, z), (outer, z + tall), (inner, z + tall), (inner, z), (outer, z))
        return lathe(outline, (0, 0, 0), colour, when=when, emission=emission)

    if style == "gas":
        flame = shining((0.2, 0.45, 1.0))
        parts = [
            box((r, r, 0.003), (0, 0, 0.003), STEEL.plain()),
            box((r - 0.005, 0.008, 0.007), (0, 0, top - 0.007), DARK),
            box((0.008, r - 0.005, 0.007), (0, 0, top - 0.007), DARK),
            cyl(0.05, 0.006, (0, 0, 0.006), grey),
            ring(0.135, 0.122, 0.001, 0.011, DARK, ""),
            ring(0.118, 0.06, 0.002, 0.014, flame, "on", 1.0),
            ring(0.142, 0.118, 0.002, 0.02, shining((0.3, 0.55, 1.0)), "on", 1.0),
        ]
    else:
        plate = DARK if style == "glass" else grey
        parts = [cyl(r - 0.004, top / 2 - 0.002, (0, 0, top / 2 - 0.002), plate)]
        for outer in (0.138, 0.09, 0.045):
            cold = Paint((0.42, 0.42, 0.44)) if style == "glass" else BLACK
            thick = 0.008 if style == "glass" else 0.022
            parts.append(ring(outer, outer - thick, top - 0.006, 0.006, cold, "!on"))
            parts.append(ring(outer + 0.004, outer - 0.03, top - 0.006, 0.007, HOT, "on", 1.0))
    return Design((2 * r, 2 * r, 0.02), parts, [], [level(0.3, 0.3, top, 0.4)], (0.0, 0.1))


def microwave(rng: np.random.Generator, paint: Paint) -> Design:
    """On a stand of its own: a cupboard or an open trolley."""
    w, d, h, z0 = 0.64, 0.46, 1.12, 0.74
    wood, body = pick(rng, (*WOODS, *PAINTED[:2])), paint.plain()
    parts = [*carcass(w, d, z0, h, body, Paint((0.8, 0.8, 0.78)))]
    if rng.random() < 0.5:
        parts.append(box((w / 2 - 0.01, d / 2 - 0.02, z0 / 2), (0, 0, z0 / 2), wood))
        parts += drawer_front(w - 0.06, 0.0, -d / 2 + 0.02, 0.06, z0 - 0.04, wood.shade(1.1), "knob")
    else:
        parts += [box((w / 2 - 0.01, d / 2 - 0.01, 0.015), (0, 0, z), wood) for z in (0.2, z0 - 0.016)]
        parts += legs(w / 2 - 0.03, d / 2 - 0.03, z0 - 0.02, 0.018, STEEL)
    panel_x, mid = w / 2 - 0.085, (z0 + h) / 2
    parts.append(box((0.07, 0.17, (h - z0) / 2 - 0.015), (panel_x, -0.055, mid), DARK))
    parts += [
        box((0.045, 0.003, 0.014), (panel_x, -d / 2 - 0.002, mid + 0.05 - 0.045 * i), Paint((0.5, 0.5, 0.53)), solid=False)
        for i in range(4)
    ]
    shown: Vec = (panel_x, -d / 2 - 0.002, h - 0.08)
    parts.append(box((0.05, 0.004, 0.026), shown, Paint((0.12, 0.16, 0.13)), solid=False, when="!on"))
    parts.append(box((0.05, 0.004, 0.026), shown, shining((0.3, 1.0, 0.4)), solid=False, when="on", emission=1.0))
    inner_w, x = w - 0.2, -0.085
    # The lamp inside: a bright back wall and a turntable, seen when the door is open.
    parts.append(box((inner_w / 2 - 0.01, 0.004, 0.13), (x, d / 2 - 2 * B - 0.004, mid), WARM, solid=False, when="on", emission=1.0))
    parts.append(cyl(0.165, 0.003, (x, 0.01, z0 + 2 * B + 0.002), GLASS, solid=False, when="!on"))
    parts.append(cyl(0.165, 0.003, (x, 0.01, z0 + 2 * B + 0.002), WARM, solid=False, when="on", emission=0.8))
    x0, x1 = -w / 2, w / 2 - 0.14
    window: Vec = ((x1 - x0) / 2 - 0.06, 0.003, (h - z0) / 2 - 0.06)
    pos: Vec = ((x0 + x1) / 2 - 0.01, -d / 2 - 0.042, mid)
    panes = (box(window, pos, BLACK, solid=False, when="!on"), box(window, pos, WARM, solid=False, when="on", emission=1.0))
    leaf = door(z0 + 0.01, h - 0.01, -d / 2, x0, x1, paint, panes)
    return Design((w, d, h), parts, [leaf], [level(inner_w - 0.06, d - 0.08, z0 + 2 * B, 0.3, x=x)], (z0, 0.95), swing=0.5)


def dishwasher(rng: np.random.Generator, paint: Paint) -> Design:
    """A drop-down door, a rack to put things on, and a lamp that shines on the floor while it runs."""
    w, d, h, z0 = 0.62, 0.6, 0.88, 0.14
    body, y, z1 = paint.plain(), -0.3, 0.85
    wire = Paint((0.35, 0.42, 0.5))
    rack = z0 + 0.2
    parts = [
        *carcass(w, d, z0, z1, body, STEEL),
        box((w / 2 - 0.01, d / 2 - 0.05, z0 / 2), (0, 0.04, z0 / 2), DARK),
        box((w / 2 + 0.004, d / 2, (h - z1) / 2), (0, 0, (h + z1) / 2), pick(rng, (body, *STONES))),
        box((w / 2 - 0.04, d / 2 - 0.04, 0.006), (0, 0, rack - 0.006), Paint((0.62, 0.66, 0.7))),
        *(box((w / 2 - 0.04, 0.005, 0.005), (0, yy, rack + 0.06), wire, solid=False) for yy in (-d / 2 + 0.04, d / 2 - 0.05)),
        *(box((0.005, d / 2 - 0.04, 0.005), (s * (w / 2 - 0.045), 0, rack + 0.06), wire, solid=False) for s in (-1, 1)),
        *(box((0.004, d / 2 - 0.05, 0.004), (x, 0, rack + 0.002), wire, solid=False) for x in (-0.2, -0.1, 0.0, 0.1, 0.2)),
        box((0.2, 0.015, 0.01), (0, 0, z0 + 0.06), Paint((0.6, 0.62, 0.64)), solid=False),
        box((w / 2 - 0.06, 0.004, 0.2), (0, d / 2 - 0.036, 0.6), shining((0.45, 0.75, 1.0)), solid=False, when="on", emission=1.0),
        box((0.16, 0.1, 0.002), (0, y - 0.16, 0.003), shining((0.25, 0.55, 1.0)), solid=False, when="on", emission=1.0),
    ]
    lamp = box((w / 2 - 0.06, 0.003, 0.03), (0, y - 0.038, z1 - 0.09), DARK, solid=False, when="!on")
    lit = box((w / 2 - 0.06, 0.003, 0.03), (0, y - 0.038, z1 - 0.09), shining((0.3, 0.75, 1.0)), solid=False, when="on", emission=1.0)
    extra = [lamp, lit]
    style = pick(rng, ("plain", "panelled", "dial"))
    if style == "panelled":
        extra.append(box((w / 2 - 0.08, 0.003, 0.2), (0, y - 0.038, 0.42), paint.shade(0.86), solid=False))
    elif style == "dial":
        extra += [disc(0.024, 0.012, (s * (w / 2 - 0.04), y - 0.045, z1 - 0.09), CHROME) for s in (-1, 1)]
    leaf = drop_door(w, z0 + 0.005, z1 - 0.01, y, paint, Paint((0.74, 0.76, 0.78)), extra)
    region = level(w - 0.11, d - 0.11, rack, z1 - rack - 0.05)
    return Design((w, d, h), parts, [leaf], [region], (rack, 0.75), swing=z1 - z0)


DESIGNS: Catalogue = {
    "counter": (counter, FRONTS),
    "sink": (sink, FRONTS),
    "fridge": (fridge, APPLIANCES),
    "freezer": (freezer, APPLIANCES),
    "oven": (oven, APPLIANCES),
    "burner": (burner, (DARK,)),
    "microwave": (microwave, APPLIANCES),
    "dishwasher": (dishwasher, (*APPLIANCES, *PAINTED[:2], *WOODS[:1])),
}
