"""Devices that hold nothing: floor lamp, desk lamp, TV, laptop, faucet."""

from __future__ import annotations

import numpy as np

from ..spec import Panel, Part
from .common import (
    BLACK,
    BRASS,
    CHROME,
    DARK,
    FABRICS,
    SPOUT_DROP,
    WARM,
    WHITE,
    WOODS,
    Catalogue,
    Design,
    Paint,
    box,
    cyl,
    disc,
    lathe,
    pick,
    plain,
    shining,
    slab,
)  # fmt: skip


def lamp(rng: np.random.Generator, paint: Paint) -> Design:
    h = 1.32
    style = pick(rng, ("cone", "drum", "globe", "tripod"))
    metal = pick(rng, (DARK, BRASS, CHROME, WHITE))
    shades = {
        "cone": ((0.0, -0.3), (0.2, -0.3), (0.11, 0.0), (0.0, 0.0)),
        "drum": ((0.0, -0.27), (0.17, -0.27), (0.17, 0.0), (0.0, 0.0)),
        "globe": ((0.0, -0.34), (0.1, -0.31), (0.17, -0.23), (0.17, -0.12), (0.1, -0.03), (0.0, 0.0)),
        "tripod": ((0.0, -0.26), (0.2, -0.26), (0.16, 0.0), (0.0, 0.0)),
    }
    parts: list[Part] = []
    if style == "tripod":
        wood = pick(rng, WOODS)
        parts += [Part("cylinder", (0.014, 0.54), (x * 0.1, y * 0.1, 0.52), wood.rgb, (y * 10.0, -x * 10.0, 0.0), solid=False)
                  for x, y in ((1.0, 0.0), (-0.5, 0.87), (-0.5, -0.87))]  # fmt: skip
        parts.append(cyl(0.03, 0.5, (0, 0, 0.52), wood.shade(0.7)))
    else:
        parts += [cyl(0.15, 0.012, (0, 0, 0.012), metal), cyl(0.014, h / 2 - 0.1, (0, 0, h / 2 - 0.1), metal)]
    parts.append(cyl(0.09, 0.08, (0, 0, h - 0.17), paint.shade(0.5)))
    cloth = paint.shade(0.8)
    parts += [
        lathe(shades[style], (0, 0, h), cloth, when="!on"),
        lathe(shades[style], (0, 0, h), WARM, when="on", emission=1.0),
        # The pool of light on the wall behind.
        Part("cylinder", (0.29, 0.002), (0, 0.216, h - 0.12), (0.68, 0.63, 0.45), (90.0, 0.0, 0.0), solid=False, when="on", emission=0.15),
    ]
    return Design((0.44, 0.44, h), parts, [], [], (0.9, 1.25))


def desk_lamp(rng: np.random.Generator, paint: Paint) -> Design:
    style = pick(rng, ("arm", "banker", "shade"))
    parts: list[Part] = [cyl(0.075, 0.012, (0, 0, 0.012), paint)]
    pool = cyl(0.15, 0.001, (-0.02, -0.07, 0.003), Paint((0.8, 0.7, 0.4)), solid=False, when="on", emission=0.6)
    if style == "arm":  # a jointed arm and a bell
        bell = ((0.0, 0.0), (0.095, 0.0), (0.085, 0.04), (0.035, 0.09), (0.025, 0.12), (0.0, 0.12))
        parts += [
            cyl(0.01, 0.11, (0, 0.03, 0.12), CHROME, (16, 0, 0), solid=False),
            cyl(0.01, 0.1, (0, 0.015, 0.28), CHROME, (-35, 0, 0), solid=False),
            lathe(bell, (0, -0.075, 0.27), paint, (-20, 0, 0), when="!on"),
            lathe(bell, (0, -0.075, 0.27), WARM, (-20, 0, 0), when="on", emission=1.0),
            cyl(0.085, 0.006, (0, -0.075, 0.266), DARK, (-20, 0, 0), solid=False, when="!on"),
            cyl(0.088, 0.008, (0, -0.076, 0.264), WARM, (-20, 0, 0), solid=False, when="on", emission=1.0),
        ]
    elif style == "banker":  # a glass trough across a brass stem
        parts += [cyl(0.011, 0.13, (0, 0.02, 0.15), BRASS, solid=False)]
        for when, glass, glow in (("!on", paint, 0.0), ("on", shining((0.7, 1.0, 0.35)), 1.0)):
            parts.append(cyl(0.055, 0.13, (0, -0.02, 0.29), glass, (0, 90, 0), solid=False, when=when, emission=glow))
    else:  # a small table lamp with a cloth shade
        profile = ((0.0, 0.2), (0.1, 0.2), (0.065, 0.35), (0.0, 0.35))
        parts += [
            lathe(((0.06, 0.02), (0.075, 0.08), (0.05, 0.15), (0.015, 0.18), (0.015, 0.24)), (0, 0, 0), paint),
            lathe(profile, (0, 0, 0), Paint((0.86, 0.82, 0.72), "fabric"), when="!on"),
            lathe(profile, (0, 0, 0), WARM, when="on", emission=1.0),
        ]
    return Design((0.22, 0.24, 0.38), [*parts, pool], [], [], (0.0, 0.35))


def tv(rng: np.random.Generator, paint: Paint) -> Design:
    """A flat screen on a foot; it shows one of several programmes while on."""
    mid, y = 0.4, 0.0
    hx, hz = 0.48, 0.29
    parts: list[Part] = [
        box((0.5, 0.025, 0.31), (0, y + 0.02, mid), paint),
        box((hx, 0.004, hz), (0, y - 0.006, mid), BLACK, solid=False, when="!on"),
    ]
    if rng.random() < 0.5:
        parts += [box((0.16, 0.09, 0.01), (0, 0.01, 0.01), paint), box((0.04, 0.02, 0.05), (0, 0.03, 0.06), paint)]
    else:
        parts += [box((0.014, 0.09, 0.05), (s * 0.36, 0.01, 0.05), paint) for s in (-1, 1)]
    show = lambda x, z, ax, az, rgb, up=0: box(  # noqa: E731
        (ax, 0.003, az), (x, y - 0.007 - 0.001 * up, mid + z), shining(rgb), solid=False, when="on", emission=1.0
    )
    programme = pick(rng, ("landscape", "news", "football", "cartoon"))
    if programme == "landscape":
        parts += [
            show(0, 0.09, hx, 0.2, (0.35, 0.65, 1.0)),
            show(0, -0.2, hx, 0.09, (0.3, 0.8, 0.3)),
            show(-0.15, -0.06, 0.1, 0.07, (0.95, 0.35, 0.25), 1),
        ]
        parts.append(disc(0.07, 0.002, (0.25, y - 0.009, mid + 0.15), shining((1.0, 0.95, 0.3)), when="on", emission=1.0))
    elif programme == "news":
        parts += [
            show(0, 0.0, hx, hz, (0.2, 0.3, 0.7)),
            show(0, -0.22, hx - 0.05, 0.05, (0.95, 0.95, 0.95), 1),
            show(-0.1, -0.07, 0.12, 0.1, (0.75, 0.2, 0.25), 1),
        ]
        parts.append(disc(0.065, 0.002, (-0.1, y - 0.009, mid + 0.1), shining((0.95, 0.75, 0.6)), when="on", emission=1.0))
    elif programme == "football":
        parts += [
            show(0, 0.0, hx, hz, (0.2, 0.7, 0.25)),
            show(0, 0.0, 0.006, hz, (1.0, 1.0, 1.0), 1),
            show(-0.25, 0.06, 0.02, 0.05, (0.95, 0.2, 0.2), 1),
        ]
        parts += [show(0.2, -0.1, 0.02, 0.05, (0.2, 0.3, 1.0), 1), show(0.3, 0.12, 0.02, 0.05, (0.2, 0.3, 1.0), 1)]
    else:
        parts += [show(0, 0.0, hx, hz, (1.0, 0.75, 0.25)), show(0.12, -0.15, 0.2, 0.08, (0.9, 0.3, 0.6), 1)]
        parts.append(disc(0.13, 0.002, (-0.12, y - 0.009, mid), shining((0.3, 0.75, 0.95)), when="on", emission=1.0))
        parts += [disc(0.025, 0.002, (x, y - 0.012, mid + 0.03), Paint((0.05, 0.05, 0.1)), when="on") for x in (-0.17, -0.07)]
    return Design((1.0, 0.2, 0.71), parts, [], [], (0.1, 0.7))


def laptop(rng: np.random.Generator, paint: Paint) -> Design:
    """Shut, a flat slab with a badge that glows while it is on; open, the screen stands up and is lit or dark."""
    hx, hy, base = 0.17, 0.12, 0.01
    parts: list[Part] = [
        box((hx, hy, base), (0, 0, base), paint),
        box((hx - 0.025, hy * 0.42, 0.001), (0, 0.025, 2 * base + 0.0005), DARK, solid=False),
        box((0.045, 0.028, 0.001), (0, -0.07, 2 * base + 0.0005), paint.shade(0.8), solid=False),
        box((hx - 0.025, hy * 0.42, 0.001), (0, 0.025, 2 * base + 0.001), Paint((0.45, 0.5, 0.6)), solid=False, when="on", emission=0.6),
    ]
    z = 2 * base + 0.004
    top = z + 0.012
    lid: list[Part] = [
        box((hx, hy, 0.006), (0, 0, z + 0.006), paint, solid=False),
        box((hx - 0.012, hy - 0.012, 0.001), (0, 0, z - 0.001), BLACK, solid=False, when="!on"),
        box((hx - 0.012, hy - 0.012, 0.001), (0, 0, z - 0.001), shining((0.3, 0.6, 1.0)), solid=False, when="on", emission=1.0),
        box((hx * 0.5, hy * 0.5, 0.001), (-0.03, -0.02, z - 0.002), Paint((1.0, 1.0, 1.0)), solid=False, when="on", emission=1.0),
        box((hx * 0.4, 0.008, 0.001), (-0.03, -0.05, z - 0.003), shining((0.3, 0.75, 0.35)), solid=False, when="on", emission=1.0),
    ]
    badge = pick(rng, ("disc", "bar", "square"))
    for when, size, mark, glow in (("!on", 0.6, paint.shade(0.75), 0.0), ("on", 1.0, Paint((0.85, 1.0, 1.0)), 1.0)):
        if badge == "disc":
            lid.append(cyl(0.075 * size, 0.001 + 0.0005 * glow, (0, 0, top + 0.001), mark, solid=False, when=when, emission=glow))
        else:
            half = (0.13 * size, 0.034) if badge == "bar" else (0.075 * size, 0.06 * size)
            lid.append(box((*half, 0.001 + 0.0005 * glow), (0, 0, top + 0.001), mark, solid=False, when=when, emission=glow))
    if rng.random() < 0.5:
        lid += [box((hx - 0.02, 0.003, 0.0005), (0, s * (hy - 0.015), top), paint.shade(0.7), solid=False) for s in (-1, 1)]
    panel = Panel("hinge", (-1.0, 0.0, 0.0), (0, hy - 0.004, z - 0.002), 108.0, tuple(lid))
    return Design((0.36, 0.26, 0.26), parts, [panel], [], (0.0, 0.22))


def faucet(rng: np.random.Generator, paint: Paint) -> Design:
    """Stands on its foot and pours 0.16 m before it, `SPOUT_DROP` lower; the foot goes on down, for basins whose wall it stands in."""
    style = pick(rng, ("swan", "block", "classic"))
    water, foam = shining((0.25, 0.6, 1.0)), shining((0.5, 0.8, 1.0))
    handle = Paint(pick(rng, ((0.8, 0.2, 0.2), (0.2, 0.35, 0.8), (0.75, 0.77, 0.8))))
    low = -SPOUT_DROP
    if style == "swan":
        top = 0.26
        parts: list[Part] = [
            cyl(0.03, 0.012, (0, 0, 0.012), paint),
            cyl(0.018, (top - 0.03 - low) / 2, (0, 0, (top - 0.03 + low) / 2), paint),
            cyl(0.017, 0.06, (0, -0.035, top - 0.005), paint, (55, 0, 0), solid=False),
            cyl(0.017, 0.06, (0, -0.12, top - 0.005), paint, (-55, 0, 0), solid=False),
            cyl(0.017, 0.035, (0, -0.16, top - 0.06), paint, solid=False),
            box((0.04, 0.014, 0.01), (0.05, 0, 0.06), handle, solid=False),
        ]
        spout = top - 0.09
    elif style == "block":
        spout = 0.16
        parts = [
            box((0.024, 0.024, (0.2 - low) / 2), (0, 0, (0.2 + low) / 2), paint),
            box((0.034, 0.09, 0.016), (0, -0.09, 0.18), paint),
            box((0.05, 0.016, 0.009), (0.05, 0, 0.212), handle, solid=False),
        ]
    else:
        spout = 0.14
        parts = [
            cyl(0.026, (0.14 - low) / 2, (0, 0, (0.14 + low) / 2), paint),
            cyl(0.018, 0.09, (0, -0.08, 0.16), paint, (80, 0, 0), solid=False),
            *(cyl(0.022, 0.03, (s * 0.09, 0, 0.03), handle, solid=False) for s in (-1, 1)),
            box((0.09, 0.012, 0.012), (0, 0, 0.03), paint),
        ]
    parts += [
        cyl(0.022, (spout - low) / 2, (0, -0.16, (spout + low) / 2), water, solid=False, when="on", emission=0.7),
        slab((0.12, 0.11, 0.003), (0, -0.16, low + 0.006), foam, 1.0, when="on", emission=0.7),
    ]
    return Design((0.2, 0.36, 0.28), parts, [], [], (-0.1, 0.25))


_STEELS = plain((0.7, 0.73, 0.76), (0.6, 0.62, 0.66))

DESIGNS: Catalogue = {
    "lamp": (lamp, FABRICS),
    "desk_lamp": (desk_lamp, plain((0.2, 0.4, 0.3), (0.25, 0.3, 0.45), (0.7, 0.3, 0.25), (0.85, 0.84, 0.8), (0.15, 0.15, 0.17))),
    "tv": (tv, plain((0.1, 0.1, 0.11), (0.22, 0.22, 0.24), (0.55, 0.56, 0.58))),
    "laptop": (laptop, plain((0.72, 0.74, 0.76), (0.24, 0.25, 0.28), (0.45, 0.5, 0.6), (0.85, 0.72, 0.62))),
    "faucet": (faucet, (*_STEELS, BRASS)),
}
