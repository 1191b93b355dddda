"""What stands about for its looks: candles, vases and statues."""

from __future__ import annotations

from itertools import pairwise
from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import (
    Form,
    Points,
    ball,
    band,
    bar,
    box,
    cap,
    disc,
    facing,
    lathe,
    loft,
    lying,
    ovoid,
    pale,
    radius_at,
    ring,
    rod,
    shards,
    shown,
    standing,
    stump,
    tube,
    vessel,
    whole,
)
from .line import line
from .palette import BRASS, DARK, IRON, STEEL, WATER, WHITE, brightness, mix, tone


def _flame(z: float, x: float = 0.0, y: float = 0.0) -> list[Part]:
    return [
        rod((x, y, z - 0.004), (x, y, z + 0.008), 0.003, DARK),
        lathe(((0, 0), (0.0115, 0.012), (0.008, 0.026), (0, 0.046)), (1.0, 0.72, 0.12), (x, y, z + 0.004), emission=1.0),
    ]


def candle(c: Vec) -> Form:
    """A pillar on a dish."""
    dish = lathe(((0, 0), (0.045, 0), (0.066, 0.014), (0.062, 0.016), (0.043, 0.006), (0, 0.006)), STEEL)
    wax = lathe(((0, 0.005), (0.036, 0.005), (0.036, 0.105), (0.03, 0.11), (0.02, 0.104), (0, 0.103)), c)
    drip = [
        rod(
            (0.033 * cos(radians(a)), 0.033 * sin(radians(a)), 0.106),
            (0.037 * cos(radians(a)), 0.037 * sin(radians(a)), 0.106 - n),
            0.006,
            tone(c, 1.1),
        )
        for a, n in ((20.0, 0.04), (150.0, 0.06), (260.0, 0.03))
    ]
    return standing([dish, wax, *drip, *_flame(0.106)], 0.064, 0.135, 0.35)


def candle_stick(c: Vec) -> Form:
    """A taper in a brass holder with a finger ring."""
    holder = lathe(((0, 0), (0.055, 0), (0.056, 0.01), (0.02, 0.018), (0.014, 0.03), (0.022, 0.045), (0, 0.045)), BRASS)
    return standing(
        [
            holder,
            ring(0.016, 0.005, (0.068, 0, 0.022), BRASS, (90, 0, 0)),
            rod((0, 0, 0.04), (0, 0, 0.175), 0.0155, c, 0.012),
            *_flame(0.176),
        ],
        0.056,
        0.205,
        0.3,
    )


def candle_jar(c: Vec) -> Form:
    """In a glass jar with a label."""
    glass = [
        lathe(((0, 0), (0.046, 0), (0.048, 0.085), (0.044, 0.085), (0.043, 0.06)), (0.82, 0.9, 0.92)),
        cap(0.0435, (0, 0, 0.062), c),
        lathe(((0.044, 0.085), (0.043, 0.062)), (0.9, 0.95, 0.96)),
    ]
    return standing(
        [*glass, band(0.049, 0.006, 0.058, c), band(0.0496, 0.018, 0.046, WHITE if brightness(c) < 0.8 else DARK), *_flame(0.066)],
        0.048,
        0.1,
        0.35,
    )


def candle_tealights(c: Vec) -> Form:
    """Three in a row on a tray."""
    parts = [loft(((0, 0.095, 0.036, 0.4), (0.01, 0.1, 0.04, 0.4)), IRON)]
    for x in (-0.062, 0.0, 0.062):
        parts += [disc(0.025, 0.022, (x, 0, 0.01), c), lathe(((0.026, 0.01), (0.026, 0.022)), STEEL, (x, 0, 0)), *_flame(0.034, x)]
    return lying(parts, 0.1, 0.04, 0.065, 0.3)


def _vase(outer: Points, c: Vec, extra: tuple[Part, ...] = (), glass: bool = False, texture: str = "") -> Form:
    r, h = max(p[0] for p in outer), outer[-1][1]
    lining = tone(c, 0.45) if brightness(c) > 0.12 else (0.4, 0.4, 0.42)
    level = h - 0.014
    mouth = radius_at(outer, level) - 0.0045
    body = pale(c) if glass else c
    parts = whole([*vessel(outer, 0.01, body, mix(body, WHITE, 0.4) if glass else lining, texture=texture), *extra], "broken")
    parts.append(cap(mouth, (0, 0, level), WATER, when="filled"))
    if glass:
        wet = c if min(c) < 0.6 else WATER
        top = 0.78 * h
        points = [(p + 0.0012, z) for p, z in outer if 0.004 < z < top]
        parts.append(lathe([(radius_at(outer, 0.004) + 0.0012, 0.004), *points, (radius_at(outer, top) + 0.0012, top)], wet, when="filled"))
    parts += _bunch(mouth, h)  # flowers stand in water only
    return standing([*parts, *stump(outer, 0.05, 0.01, body, lining), *shards(6, r + 0.035, 0.038, body, lining, body)], r, h, 0.6)


def _bunch(mouth: float, h: float) -> list[Part]:
    """Three stalks with leaves and blossoms, seen while there is water."""
    out = []
    lean = min(0.7 * mouth, 0.03)
    for a, n, rgb in ((20.0, 0.07, (0.98, 0.4, 0.65)), (140.0, 0.055, (1.0, 0.85, 0.2)), (260.0, 0.08, (0.95, 0.95, 1.0))):
        x, y = lean * cos(radians(a)), lean * sin(radians(a))
        out.append(tube((0.4 * x, 0.4 * y, h - 0.03), (1.7 * x, 1.7 * y, h + n), 0.004, (0.2, 0.5, 0.15), when="filled"))
        out.append(
            lathe(((0, -0.012), (0.015, -0.006), (0.022, 0.006), (0, 0.014)), rgb, (1.75 * x, 1.75 * y, h + n + 0.008), when="filled")
        )
    return out


def vase(c: Vec) -> Form:
    """A belly, a neck, a flared rim."""
    return _vase(((0, 0), (0.036, 0), (0.064, 0.055), (0.058, 0.1), (0.032, 0.145), (0.046, 0.18)), c)


def vase_glass(c: Vec) -> Form:
    """A trumpet of glass on a broad foot."""
    return _vase(((0, 0), (0.046, 0), (0.028, 0.03), (0.03, 0.1), (0.064, 0.19)), c, glass=True)


def vase_tall(c: Vec) -> Form:
    """A slender column with painted rings."""
    rings = tuple(
        lathe(((0.0405 + z * 0.1, z), (0.0418 + z * 0.1, z + 0.012)), mix(c, WHITE, 0.65) if brightness(c) < 0.7 else tone(c, 0.5))
        for z in (0.03, 0.09)
    )
    return _vase(((0, 0), (0.038, 0), (0.05, 0.12), (0.044, 0.165), (0.022, 0.19), (0.03, 0.225)), c, rings)


def vase_amphora(c: Vec) -> Form:
    """Two handles at the neck, a narrow foot."""
    outer = ((0, 0), (0.036, 0), (0.032, 0.02), (0.07, 0.105), (0.032, 0.155), (0.042, 0.2))
    bow = ((0.038, 0.185), (0.076, 0.16), (0.062, 0.125))
    handles = tuple(tube((s * x0, 0, z0), (s * x1, 0, z1), 0.007, tone(c, 0.85)) for s in (-1, 1) for (x0, z0), (x1, z1) in pairwise(bow))
    return _vase(outer, c, handles)


def _plinth(c: Vec, x: float, h: float) -> list[Part]:
    return [box((x, x, 0.008), (0, 0, 0.008), tone(c, 0.75)), box((0.85 * x, 0.85 * x, h / 2), (0, 0, h / 2), c, texture="marble")]


def _rubble(c: Vec, spread: float) -> list[Part]:
    return shards(7, spread, 0.032, c, tone(c, 0.75))


def statue(c: Vec) -> Form:
    """A bust on a plinth; broken: its head on the ground."""
    shoulders = [
        loft(
            ((0, 0.03, 0.035, 0.5), (0.03, 0.036, 0.066, 0.6), (0.05, 0.03, 0.056, 0.8), (0.062, 0.018, 0.02, 1)),
            c,
            (0, 0, 0.05),
            texture="marble",
        ),
        rod((0, 0, 0.1), (0.002, 0, 0.13), 0.016, c),
    ]
    head = [
        ovoid((0.032, 0.027, 0.04), (0.004, 0, 0.158), c),
        box((0.007, 0.005, 0.009), (0.036, 0, 0.155), c),
        ball(0.027, (-0.012, 0, 0.178), tone(c, 0.72), 0.8),
    ]
    head += [box((0.003, 0.005, 0.004), (0.033, s * 0.012, 0.164), tone(c, 0.5)) for s in (-1, 1)]
    fallen = [ovoid((0.03, 0.036, 0.026), (0.075, 0.02, 0.026), c), ball(0.025, (0.088, 0.046, 0.026), tone(c, 0.72)), *_rubble(c, 0.085)]
    return standing([*_plinth(c, 0.044, 0.052), *shoulders, *whole(head, "broken"), *shown(fallen, "broken")], 0.058, 0.2, 0.9)


def statue_cat(c: Vec) -> Form:
    """A sitting cat."""
    sitting = [
        loft(((0, 0.044, 0.038, 0.8), (0.05, 0.04, 0.034, 1), (0.1, 0.022, 0.022, 1)), c, (-0.008, 0, 0.012)),
        ball(0.03, (0.014, 0, 0.13), c, 0.9),
        box((0.012, 0.01, 0.006), (0.042, 0, 0.122), tone(c, 0.8)),
    ]
    sitting += [
        loft(((0, 0.007, 0.012, 0), (0.03, 0.002, 0.002, 0)), tone(c, 0.8), (0.008, s * 0.019, 0.15), (-10.0 * s, 0, 0)) for s in (-1, 1)
    ]
    sitting += [rod((0.03, s * 0.014, 0.075), (0.042, s * 0.016, 0.012), 0.011, c) for s in (-1, 1)] + [
        box((0.003, 0.004, 0.004), (0.042, s * 0.012, 0.137), DARK if brightness(c) > 0.3 else BRASS) for s in (-1, 1)
    ]
    sitting += [bar(((-0.03, 0.01, 0.01, 1), (0.05, 0.009, 0.009, 1), (0.07, 0.005, 0.005, 1)), c, (-0.02, 0.042, 0.022), 12.0)]
    low = [
        loft(((0, 0.044, 0.038, 0.8), (0.05, 0.04, 0.034, 1)), c, (-0.008, 0, 0.012)),
        ball(0.03, (0.08, -0.04, 0.028), c),
        *_rubble(c, 0.085),
    ]
    return standing(
        [box((0.05, 0.045, 0.006), (0, 0, 0.006), tone(c, 0.6)), *whole(sitting, "broken"), *shown(low, "broken")], 0.056, 0.17, 0.8
    )


def statue_obelisk(c: Vec) -> Form:
    """A needle of stone on steps."""
    base = [box((0.05, 0.05, 0.01), (0, 0, 0.01), tone(c, 0.8)), box((0.037, 0.037, 0.02), (0, 0, 0.03), c, texture="marble")]
    needle = [
        loft(((0.05, 0.026, 0.026, 0), (0.185, 0.015, 0.015, 0), (0.21, 0.001, 0.001, 0)), c, texture="marble"),
        box((0.0268, 0.0268, 0.006), (0, 0, 0.075), BRASS),
    ]
    stub = [
        loft(((0.05, 0.026, 0.026, 0), (0.08, 0.023, 0.022, 0)), c),
        loft(((0, 0.022, 0.022, 0), (0.08, 0.015, 0.015, 0), (0.105, 0.001, 0.001, 0)), c, (0.02, -0.065, 0.022), facing(25.0, 90.0)),
        *_rubble(c, 0.085),
    ]
    return standing([*base, *whole(needle, "broken"), *shown(stub, "broken")], 0.055, 0.205, 0.9)


def statue_ring(c: Vec) -> Form:
    """Abstract: an upright ring around a ball."""
    base = [box((0.045, 0.03, 0.012), (0, 0, 0.012), DARK if brightness(c) > 0.2 else STEEL)]
    upright = [ring(0.052, 0.015, (0, 0, 0.086), c, (90, 0, 0)), ball(0.022, (0, 0, 0.086), BRASS)]
    flat = [
        lathe(((0.067, 0.0), (0.052, 0.015), (0.037, 0.0)), c, (0.03, -0.03, 0.004)),
        ball(0.022, (-0.07, 0.045, 0.022), BRASS),
        *_rubble(c, 0.08),
    ]
    return lying([*base, *whole(upright, "broken"), *shown(flat, "broken")], 0.062, 0.03, 0.155, 0.7)


LINES = {
    "candle": line(
        "white red purple green orange",
        "teal ivory",
        {"pillar": candle, "taper": candle_stick, "jar": candle_jar},
        {"tealights": candle_tealights},
    ),
    "vase": line(
        "white blue purple cyan orange green",
        "teal maroon",
        {"belly": vase, "glass": vase_glass, "tall": vase_tall},
        {"amphora": vase_amphora},
    ),
    "statue": line(
        "white grey brown yellow", "teal gold", {"bust": statue, "cat": statue_cat, "obelisk": statue_obelisk}, {"ring": statue_ring}
    ),
}
