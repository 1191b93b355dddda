"""Dishes: vessels that are really hollow, what they hold, and how they look dirty, filled and broken."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Region, Vec
from .forms import (
    Form,
    Points,
    band,
    bar,
    blot,
    blots_around,
    box,
    cap,
    dome,
    inside,
    lathe,
    lying,
    pale,
    radius_at,
    ring,
    shards,
    standing,
    stump,
    vessel,
    water,
    whole,
)
from .line import line
from .palette import WATER, WHITE, WOOD, brightness, dirt, mix, tone


def _lining(c: Vec) -> Vec:
    """Glaze inside a vessel: white, or a clear tint where the outside is white itself."""
    return mix(c, WHITE, 0.85) if min(c) < 0.8 else (0.86, 0.88, 0.9)


def _shattered(outer: Points, floor: float, c: Vec, lining: Vec, spread: float, size: float) -> list[Part]:
    """The lower half of a vessel, where its dirt is, among its splinters."""
    return [*stump(outer, 0.5 * outer[-1][1], floor, c, lining), *shards(7, spread, size, c, lining, c)]


def _cup(outer: Points, floor: float, c: Vec, extra: list[Part], wall: float = 0.005, texture: str = "") -> tuple[list[Part], float, float]:
    """A drinking vessel with its states; also its greatest radius and its height."""
    lining = _lining(c)
    r, h = max(p[0] for p in outer), outer[-1][1]
    level = h - 0.016
    whole_one = whole([*vessel(outer, floor, c, lining, wall, texture=texture), *extra], "broken")
    low = max(0.3 * h, 0.034)
    dirty = [
        *blots_around(radius_at(outer, low), low, 0.03, c),
        blot((radius_at(outer, 0.5 * h) - wall - 0.001, 0, 0.5 * h), (-1, 0, 0), 0.024, lining),
        blot((-radius_at(outer, 0.5 * h) + wall + 0.001, 0, 0.5 * h), (1, 0, 0), 0.024, lining),
    ]
    parts = [*whole_one, water(radius_at(outer, level) - wall + 0.001, level), *dirty]
    return [*parts, *_shattered(outer, floor, c, lining, r + 0.03, 0.032)], r, h


def _mug(c: Vec, r: float, h: float, texture: str = "", square: bool = False, belly: float = 0.0) -> Form:
    outer = ((0, 0), (r - 0.004, 0), (r + belly, 0.45 * h), (r, h)) if belly else ((0, 0), (r - 0.002, 0), (r, h))
    x = r + 0.018
    if square:
        handle = [box((0.022, 0.008, 0.007), (x - 0.004, 0, z), c) for z in (0.26 * h, 0.76 * h)] + [
            box((0.007, 0.008, 0.3 * h), (x + 0.016, 0, 0.51 * h), c)
        ]
    else:
        handle = [ring(0.3 * h, 0.0085, (x - 0.012 + belly / 2, 0, 0.52 * h), c, (90, 0, 0))]
    parts, _, _ = _cup(outer, 0.012, c, handle, texture=texture)
    return standing(parts, r + 0.004 + belly, h, 0.3, inside(r - 0.008, 0.012, h))


def mug(c: Vec) -> Form:
    return _mug(c, 0.052, 0.122)


def mug_squat(c: Vec) -> Form:
    return _mug(c, 0.066, 0.088)


def mug_square(c: Vec) -> Form:
    return _mug(c, 0.056, 0.108, square=True)


def mug_barrel(c: Vec) -> Form:
    return _mug(c, 0.05, 0.12, belly=0.014)


def cup(c: Vec) -> Form:
    """A tea cup on its saucer."""
    lining = _lining(c)
    outer = ((0, 0.012), (0.026, 0.012), (0.03, 0.02), (0.05, 0.05), (0.058, 0.078))
    saucer = lathe(((0, 0), (0.045, 0), (0.088, 0.014), (0.086, 0.018), (0.045, 0.008), (0, 0.008)), c)
    gilt = lathe(((0.086, 0.0186), (0.07, 0.015)), lining)
    parts, _, h = _cup(outer, 0.02, c, [ring(0.02, 0.006, (0.064, 0, 0.052), c, (90, 0, 0))])
    dirty = [blot((0.068 * cos(a), 0.068 * sin(a), 0.013), (0, 0, 1), 0.018, c) for a in (0.8, 3.2, 5.0)]
    return standing([saucer, gilt, *parts, *dirty], 0.086, h, 0.3, inside(0.048, 0.02, h))


def cup_tumbler(c: Vec) -> Form:
    """A glass of tinted facets, wider at the top."""
    tint = pale(c)
    outer = ((0, 0), (0.038, 0), (0.054, 0.125))
    drink = lathe(((0.041, 0.016), (0.0535, 0.096), (0, 0.1)), WATER, when="filled")
    rim = whole([ring(0.0515, 0.0035, (0, 0, 0.123), c), band(0.0405, 0.0, 0.016, c)], "broken")
    glass = whole(vessel(outer, 0.012, tint, mix(tint, WHITE, 0.5), 0.004), "broken")
    dirty = [*blots_around(0.046, 0.058, 0.024, tint), *blots_around(0.04, 0.026, 0.018, tint)]
    parts = [*glass, *rim, drink, *dirty, *_shattered(outer, 0.012, tint, c, 0.075, 0.032)]
    return standing(parts, 0.054, 0.125, 0.25, inside(0.042, 0.012, 0.125))


def cup_goblet(c: Vec) -> Form:
    """A stemmed cup."""
    outer = ((0, 0.055), (0.02, 0.056), (0.046, 0.08), (0.05, 0.11), (0.044, 0.145))
    foot = lathe(((0, 0), (0.044, 0), (0.04, 0.006), (0.01, 0.012), (0.008, 0.05), (0.016, 0.06), (0, 0.06)), c)
    lining = _lining(c)
    dirty = [
        *blots_around(0.046, 0.085, 0.029, c),
        blot((0.042, 0, 0.096), (-1, 0, 0), 0.022, lining),
        blot((-0.042, 0, 0.096), (1, 0, 0), 0.022, lining),
    ]
    rest = [*stump(outer, 0.1, 0.064, c, lining), *shards(6, 0.075, 0.032, c, lining)]
    parts = [*whole(vessel(outer, 0.064, c, lining), "broken"), foot, water(0.043, 0.132), *dirty, *rest]
    return standing(parts, 0.05, 0.145, 0.25, inside(0.037, 0.064, 0.145))


def _bowl(outer: Points, floor: float, c: Vec, texture: str = "", lining: Vec | None = None, extra: tuple[Part, ...] = ()) -> Form:
    lining = _lining(c) if lining is None else lining
    r, h = outer[-1]
    level = floor + 0.62 * (h - floor)
    base, deep = radius_at(outer, floor), radius_at(outer, 0.55 * h)
    dirty = [blot((0.3 * base, 0.1 * base, floor), (0, 0, 1), 0.6 * base, lining)]
    dirty += [
        blot((0.8 * (deep - 0.005) * cos(a), 0.8 * (deep - 0.005) * sin(a), 0.45 * h), (-cos(a), -sin(a), 0.9), 0.026, lining)
        for a in (0.6, 2.7, 4.6)
    ]
    parts = [
        *whole([*vessel(outer, floor, c, lining, texture=texture), *extra], "broken"),
        water(radius_at(outer, level) - 0.004, level),
        *dirty,
    ]
    parts += [*blots_around(radius_at(outer, 0.45 * h), 0.45 * h, 0.024, c), *_shattered(outer, floor, c, lining, r, 0.042)]
    return standing(parts, r, h, 0.45, inside(r - 0.018, floor, h))


def bowl(c: Vec) -> Form:
    return _bowl(((0, 0), (0.05, 0), (0.095, 0.032), (0.112, 0.076)), 0.012, c)


def bowl_flared(c: Vec) -> Form:
    return _bowl(((0, 0), (0.045, 0), (0.075, 0.024), (0.125, 0.066)), 0.012, c)


def bowl_wooden(c: Vec) -> Form:
    timber = mix(WOOD, c, 0.35)
    return _bowl(((0, 0), (0.06, 0), (0.102, 0.03), (0.108, 0.084)), 0.014, timber, "wood", tone(timber, 1.25))


def bowl_footed(c: Vec) -> Form:
    foot = lathe(((0, 0), (0.06, 0), (0.05, 0.008), (0.022, 0.016), (0.022, 0.04), (0, 0.04)), c)
    return _bowl(((0, 0.032), (0.04, 0.034), (0.1, 0.058), (0.116, 0.092)), 0.044, c, extra=(foot,))


def _plate(c: Vec, r: float, h: float, flat: float) -> Form:
    """``flat`` = radius of the level middle."""
    body = lathe(((0, 0), (flat, 0), (r, h - 0.005), (r - 0.002, h), (flat - 0.004, 0.009), (0, 0.009)), c)
    lighter = mix(c, WHITE, 0.6) if brightness(c) < 0.8 else mix(c, (0.35, 0.5, 0.8), 0.35)
    middle = cap(flat - 0.006, (0, 0, 0.0105), lighter)
    return standing(
        [*whole([body, middle], "broken"), *_soiled_plate(flat, lighter), *_plate_pieces(r, c, lighter)],
        r,
        h,
        0.45,
        inside(0.85 * r, 0.01, h),
    )


def _soiled_plate(flat: float, on: Vec) -> list[Part]:
    spots = ((0.0, 0.1, 0.5), (0.6, -0.45, 0.34), (-0.55, 0.5, 0.36), (-0.5, -0.6, 0.26))
    return [dome(s * flat, 0.004, (x * flat, y * flat, 0.0105), dirt(on), when="dirty") for x, y, s in spots]


def _plate_pieces(r: float, c: Vec, middle: Vec) -> list[Part]:
    """Five wedges pushed apart, with the rim's colour outside."""
    out = []
    for i in range(5):
        a = radians(72 * i + 10)
        d, turn = 0.68 * r, 72.0 * i + 10 + (14.0, -18.0, 8.0, 24.0, -10.0)[i]
        at: Vec = (round(d * cos(a), 4), round(d * sin(a), 4), 0.008 + 0.004 * (i % 2))
        out.append(bar(((-0.42 * r, 0.02 * r, 0.004, 0), (0.16 * r, 0.3 * r, 0.004, 0)), middle, at, turn, when="broken"))
        out.append(bar(((0.16 * r, 0.3 * r, 0.0045, 0), (0.42 * r, 0.36 * r, 0.006, 0)), c, at, turn, when="broken"))
    return out


def plate(c: Vec) -> Form:
    return _plate(c, 0.135, 0.024, 0.09)


def plate_deep(c: Vec) -> Form:
    return _plate(c, 0.12, 0.036, 0.07)


def plate_square(c: Vec) -> Form:
    half, lighter = 0.112, mix(c, WHITE, 0.6) if brightness(c) < 0.8 else mix(c, (0.35, 0.5, 0.8), 0.35)
    rim = [
        box(
            (half if k % 2 else 0.012, 0.012 if k % 2 else half, 0.009),
            (0 if k % 2 else s * (half - 0.012), s * (half - 0.012) if k % 2 else 0, 0.012),
            c,
        )
        for k in (0, 1)
        for s in (-1, 1)
    ]
    parts = [
        *whole([box((half, half, 0.006), (0, 0, 0.006), lighter), *rim], "broken"),
        *_soiled_plate(0.09, lighter),
        *_plate_pieces(0.125, c, lighter),
    ]
    return lying(parts, half, half, 0.021, 0.5, Region((0, 0, 0.012), (0.088, 0.088), 0.009))


LINES = {
    "mug": line("bright white black", "new", {"tall": mug, "squat": mug_squat, "square": mug_square}, {"barrel": mug_barrel}),
    "cup": line("white blue pink green red yellow", "teal lavender gold", {"tea": cup, "tumbler": cup_tumbler}, {"goblet": cup_goblet}),
    "bowl": line(
        "red blue green orange purple white",
        "teal coral mint",
        {"deep": bowl, "flared": bowl_flared, "wooden": bowl_wooden},
        {"footed": bowl_footed},
    ),
    "plate": line(
        "white blue pink yellow cyan green", "teal lavender maroon", {"flat": plate, "deep": plate_deep}, {"square": plate_square}
    ),
}
