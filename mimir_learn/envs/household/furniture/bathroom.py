"""Bathroom and laundry: toilet, bathtub, washer; and the bin."""

from __future__ import annotations

from math import pi, tan

import numpy as np

from ..spec import Panel, Part, Vec
from .common import (
    CERAMIC,
    CHROME,
    DARK,
    PLASTICS,
    SPOUT_DROP,
    STEEL,
    STONES,
    WHITE,
    WOODS,
    Catalogue,
    Design,
    Paint,
    box,
    cyl,
    disc,
    lathe,
    legs,
    level,
    loft,
    pick,
    pit,
    plain,
    shining,
    side,
    slab,
    textured,
)  # fmt: skip


def toilet(rng: np.random.Generator, paint: Paint) -> Design:
    """Lid up, so that one sees what it is; things stand on its cistern."""
    w, d, h, rim = 0.46, 0.74, 0.82, 0.42
    y = -0.11
    bowl = loft(
        (
            (0.0, 0.14, 0.22, 0.6), (0.06, 0.12, 0.2, 0.7), (0.2, 0.12, 0.19, 0.8), (rim - 0.05, 0.185, 0.245, 0.8), (rim, 0.19, 0.25, 0.8),
            (rim, 0.13, 0.18, 0.85), (rim - 0.12, 0.09, 0.12, 0.9),
        ),
        (0, y, 0), paint,
    )  # fmt: skip
    parts = [
        bowl,
        box((0.1, 0.2, 0.14), (0, y, 0.14), paint),
        slab((0.085, 0.115, 0.004), (0, y, rim - 0.11), Paint((0.55, 0.75, 0.88)), 0.9),
        *(box((0.02, 0.15, 0.05), (s * 0.155, y, rim - 0.055), paint) for s in (-1, 1)),
        box((0.12, 0.025, 0.05), (0, y - 0.2, rim - 0.055), paint),
        box((0.17, 0.12, 0.08), (0, 0.2, rim - 0.09), paint),
        box((0.2, 0.11, 0.18), (0, d / 2 - 0.115, 0.59), paint),
        slab((0.215, 0.12, 0.025), (0, d / 2 - 0.12, h - 0.026), paint.shade(0.97), 0.2),
        box((0.2, 0.11, 0.02), (0, d / 2 - 0.12, h - 0.022), paint),
        loft(((-0.012, 0.18, 0.21, 0.75), (0.012, 0.175, 0.205, 0.75)), (0, 0.105, rim + 0.21), pick(rng, (paint, *WOODS[:2])), (82, 0, 0)),
    ]
    if rng.random() < 0.5:
        parts.append(box((0.035, 0.014, 0.01), (-0.13, d / 2 - 0.235, 0.7), CHROME, solid=False))
    else:
        parts.append(cyl(0.028, 0.006, (0, d / 2 - 0.05, h + 0.002), CHROME, solid=False))
    return Design((w, d, h), parts, [], [level(0.4, 0.23, h + 0.002, 0.4, y=d / 2 - 0.12)], (0.5, h), eye=1.4)


def bathtub(rng: np.random.Generator, paint: Paint) -> Design:
    """Its long side along the wall; a faucet near one end. ``paint`` is the apron's."""
    w, d, h, floor = 1.6, 0.76, 0.54, 0.34
    hx, hy = w / 2 - 0.11, d / 2 - 0.1
    enamel = CERAMIC
    low: tuple[tuple[float, float, float, float], ...]
    if rng.random() < 0.5:  # built in: an apron all around
        parts: list[Part] = [
            *(box((w / 2 - 0.01, 0.02, h / 2 - 0.03), (0, s * (d / 2 - 0.025), h / 2 - 0.03), paint) for s in (-1, 1)),
            *(box((0.02, d / 2 - 0.01, h / 2 - 0.03), (s * (w / 2 - 0.025), 0, h / 2 - 0.03), paint) for s in (-1, 1)),
        ]
        low = ((floor - 0.06, hx, hy, 0.2), (h - 0.05, hx + 0.06, hy + 0.06, 0.12))
        rim = 0.1
    else:  # free-standing, on feet
        low = ((0.1, hx - 0.2, hy - 0.12, 0.5), (0.2, hx - 0.04, hy - 0.02, 0.35), (h - 0.06, hx + 0.05, hy + 0.05, 0.3))
        parts = legs(hx - 0.25, hy - 0.14, 0.14, 0.03, CHROME)
        rim = 0.09
    shell = (
        *low,
        (h - 0.02, hx + rim, hy + rim, 0.25),
        (h, hx + rim - 0.01, hy + rim - 0.01, 0.25),
        (h - 0.005, hx, hy, 0.3),
        (floor + 0.05, hx - 0.05, hy - 0.03, 0.35),
        (floor, hx - 0.1, hy - 0.06, 0.4),
    )
    parts.append(loft(shell, (0, 0, 0), enamel))
    parts += pit(hx - 0.004, hy - 0.004, floor, h - 0.01, enamel)
    s = 1.0 if rng.random() < 0.5 else -1.0
    parts.append(cyl(0.025, 0.002, (s * (hx - 0.2), 0, floor + 0.002), DARK, solid=False))
    tap = ("faucet", (s * (hx - 0.25), hy - 0.02, floor + SPOUT_DROP))
    region = level(2 * hx - 0.2, 2 * hy - 0.16, floor, 0.4, y=0.02)
    return Design((w, d, h), parts, [], [region], (floor, h + 0.05), eye=1.75, mounted=(tap,))


def washer(rng: np.random.Generator, paint: Paint) -> Design:
    """A front loader: a round door before a drum that lights up and swirls while it runs."""
    w, d, h = 0.68, 0.6, 0.98
    r, mid, y = 0.235, 0.52, -0.3
    floor = mid - 0.165  # a flat floor in the round drum, 2 × 0.167 wide
    body, ring, m = paint.plain(), pick(rng, (CHROME, DARK, WHITE, paint.plain().shade(0.7))), side(rng)
    hole = r
    parts = [
        box((w / 2, d / 2, (mid - hole) / 2), (0, 0, (mid - hole) / 2), body),
        box((w / 2, d / 2, (h - mid - hole) / 2), (0, 0, (h + mid + hole) / 2), body),
        *(box(((w - 2 * hole) / 4, d / 2, hole), (s * (w / 2 + hole) / 2, 0, mid), body) for s in (-1, 1)),
        box((hole, 0.01, hole), (0, d / 2 - 0.01, mid), STEEL),
        lathe(((0.338, 0.0), (0.338, 0.012), (r, 0.02), (r, 0.0), (0.338, 0.0)), (0, y, mid), body.shade(0.96), (90, 0, 0)),
        lathe(
            ((r + 0.015, 0.0), (r + 0.015, 0.54), (r, 0.54), (r, 0.0), (r + 0.015, 0.0)),
            (0, d / 2 - 0.04, mid),
            Paint((0.62, 0.65, 0.68)),
            (90, 0, 0),
        ),
        disc(r, 0.004, (0, d / 2 - 0.03, mid), Paint((0.5, 0.53, 0.56))),
        box((0.166, d / 2 - 0.04, 0.01), (0, -0.01, floor - 0.01), Paint((0.55, 0.58, 0.62))),
        box((w / 2 - 0.01, 0.006, 0.07), (0, y - 0.002, h - 0.09), body.shade(0.9), solid=False),
        disc(0.035, 0.014, (0.05 * m, y - 0.012, h - 0.09), CHROME),
        box((0.11, 0.008, 0.05), (m * (-w / 2 + 0.14), y - 0.004, h - 0.09), body, solid=False),
        box((0.075, 0.004, 0.03), (m * (w / 2 - 0.11), y - 0.008, h - 0.09), DARK, solid=False, when="!on"),
        box(
            (0.075, 0.004, 0.03), (m * (w / 2 - 0.11), y - 0.008, h - 0.09), shining((0.25, 0.9, 1.0)), solid=False, when="on", emission=1.0
        ),
        disc(r - 0.01, 0.004, (0, d / 2 - 0.045, mid), shining((0.6, 0.85, 1.0)), when="on", emission=1.0),
    ]
    if rng.random() < 0.4:  # a worktop over it
        parts.append(box((w / 2 + 0.012, d / 2, 0.016), (0, 0, h + 0.016), pick(rng, (*STONES, *WOODS[:2]))))
    if rng.random() < 0.5:  # a flap at the bottom
        parts.append(box((0.08, 0.004, 0.05), (-m * 0.2, y - 0.003, 0.12), body.shade(0.85), solid=False))
    glass, front = r - 0.055, y - 0.05
    swirl = [
        disc(glass, 0.006, (0, front, mid), shining((0.4, 0.7, 1.0)), when="on", emission=0.8),
        *(
            _washing(x, z, turn, colour, front)
            for x, z, turn, colour in (
                (0.06, 0.07, 40.0, (0.95, 0.97, 1.0)), (-0.08, 0.02, 100.0, (0.9, 0.45, 0.4)), (0.03, -0.085, -10.0, (0.95, 0.97, 1.0)),
            )
        ),
    ]  # fmt: skip
    leaf = (
        lathe(((r + 0.025, 0.0), (r + 0.02, 0.035), (glass, 0.045), (glass, 0.0), (r + 0.025, 0.0)), (0, y - 0.02, mid), ring, (90, 0, 0)),
        disc(glass, 0.01, (0, y - 0.036, mid), Paint((0.16, 0.2, 0.28)), when="!on"),
        box((0.012, 0.012, 0.05), (m * (r - 0.012), y - 0.07, mid), STEEL if ring is DARK else DARK, solid=False),
        *swirl,
    )
    panel = Panel("hinge", (0.0, 0.0, -m), (-m * (r + 0.03), y - 0.02, mid), 105.0, leaf)
    region = level(0.31, d - 0.14, floor, 0.37, y=-0.01)
    return Design((w, d, h + 0.03), parts, [panel], [region], (floor, 0.75), swing=2 * r)


def _washing(x: float, z: float, turn: float, rgb: Vec, y: float) -> Part:
    """A lump of washing behind the glass."""
    return Part("box", (0.075, 0.004, 0.03), (x, y - 0.004, 0.52 + z), rgb, (0.0, turn, 0.0), solid=False, when="on", emission=0.6)


def bin_(rng: np.random.Generator, paint: Paint) -> Design:
    """Open at the top and half full, so that what is thrown in is in sight; square, or round with a ring of walls behind its skin."""
    h, z = 0.5, 0.37
    liner = Paint(pick(rng, ((0.1, 0.1, 0.11), (0.85, 0.86, 0.88), (0.3, 0.42, 0.6))))
    rubbish = liner.shade(0.8)
    if rng.random() < 0.5:
        w, d = 0.46, 0.42
        parts: list[Part] = [
            box((w / 2 - 0.05, d / 2 - 0.05, z / 2), (0, 0, z / 2), rubbish),
            *(box((0.012, d / 2 - 0.02, h / 2 - 0.01), (s * (w / 2 - 0.035), 0, h / 2), liner) for s in (-1, 1)),
            *(box((w / 2 - 0.03, 0.012, h / 2 - 0.01), (0, s * (d / 2 - 0.035), h / 2), liner) for s in (-1, 1)),
            loft(
                ((0.0, w / 2 - 0.018, d / 2 - 0.018, 0.15), (h, w / 2, d / 2, 0.15), (h, w / 2 - 0.035, d / 2 - 0.035, 0.1),
                 (z, w / 2 - 0.035, d / 2 - 0.035, 0.1)),
                (0, 0, 0), paint,
            ),
        ]  # fmt: skip
        return Design((w, d, h), parts, [], [level(w - 0.11, d - 0.11, z, 0.35)], (z, h), eye=1.35)
    r = 0.255
    inner = r - 0.03
    facets, width = 8, (r - 0.025) * tan(pi / 8)
    parts = [
        cyl(inner, z / 2, (0, 0, z / 2), rubbish),
        *(
            Part("box", (0.012, width, h / 2 - 0.02), (_cos(i, facets) * (r - 0.026), _sin(i, facets) * (r - 0.026), h / 2), paint.rgb,
                 (0.0, 0.0, 360.0 * i / facets))
            for i in range(facets)
        ),
        lathe(((r - 0.05, 0.0), (r, 0.03), (r + 0.005, h - 0.02), (r + 0.012, h), (inner - 0.015, h), (inner - 0.015, z)),
              (0, 0, 0), paint),
    ]  # fmt: skip
    if rng.random() < 0.6:  # two bands
        parts += [lathe(((r + 0.002, zz), (r + 0.008, zz + 0.015), (r + 0.002, zz + 0.03)), (0, 0, 0), STEEL) for zz in (0.12, 0.36)]
    return Design((2 * r + 0.03, 2 * r + 0.03, h), parts, [], [level(0.3, 0.3, z, 0.35)], (z, h), eye=1.35)


def _cos(i: int, n: int) -> float:
    return round(float(np.cos(2 * pi * i / n)), 6)


def _sin(i: int, n: int) -> float:
    return round(float(np.sin(2 * pi * i / n)), 6)


DESIGNS: Catalogue = {
    "toilet": (toilet, (CERAMIC, Paint((0.93, 0.9, 0.82)), Paint((0.82, 0.88, 0.9)))),
    "bathtub": (bathtub, (CERAMIC, *textured("tiles", (0.7, 0.82, 0.86), (0.86, 0.84, 0.78)), *WOODS[:2])),
    "washer": (washer, (WHITE, *plain((0.78, 0.8, 0.82), (0.34, 0.35, 0.38)))),
    "bin": (bin_, (*PLASTICS, *textured("metal", (0.66, 0.68, 0.7)))),
}
