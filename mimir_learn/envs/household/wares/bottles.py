"""Bottles, cans, shakers and watering cans; empty glass is pale, what is in it has the full colour."""

from __future__ import annotations

from itertools import pairwise
from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import (
    Form,
    Points,
    ball,
    band,
    box,
    cap,
    disc,
    dome,
    lathe,
    loft,
    lying,
    pale,
    radius_at,
    ring,
    rod,
    shards,
    standing,
    stump,
    vessel,
    whole,
)
from .line import line
from .palette import BRASS, DARK, STEEL, WATER, WHITE, brightness, contrast, mix, tone


def _wet(c: Vec) -> Vec:
    """What the bottle's water looks like through its glass: the full colour, or water's own where the glass is clear."""
    return c if min(c) < 0.6 else WATER


def _filled(outer: Points, low: float, level: float, c: Vec) -> Part:
    """Liquid seen through the wall of a bottle."""
    points = [(r + 0.0012, z) for r, z in outer if low < z < level]
    return lathe([(radius_at(outer, low) + 0.0012, low), *points, (radius_at(outer, level) + 0.0012, level)], _wet(c), when="filled")


def _broken_bottle(outer: Points, c: Vec, glass: Vec, spread: float) -> list[Part]:
    """The jagged foot of a bottle, its neck lying beside it, splinters."""
    neck = rod((0.02, -spread, 0.017), (0.09, -0.7 * spread, 0.017), 0.016, c, 0.014, when="broken")
    return [*stump(outer, 0.05, 0.008, glass, mix(glass, WHITE, 0.3)), neck, *shards(6, spread, 0.034, glass, c)]


def _bottle(outer: Points, c: Vec, level: float, lid: list[Part], label: tuple[float, float] | None = None) -> Form:
    glass = pale(c)
    r, h = max(p[0] for p in outer), outer[-1][1]
    parts = [lathe((*outer, (0, h)), glass), *lid]
    if label is not None:
        parts.append(band(radius_at(outer, label[0]) + 0.002, *label, WHITE if brightness(c) < 0.8 else DARK))
    fluid = _filled(outer, 0.004, level, c)
    return standing([*whole(parts, "broken"), fluid, *_broken_bottle(outer, c, glass, r + 0.035)], r, h + 0.02, 0.5)


def bottle(c: Vec) -> Form:
    """A water bottle with a screw cap."""
    outer = ((0, 0), (0.042, 0), (0.045, 0.01), (0.045, 0.135), (0.017, 0.185), (0.017, 0.205))
    return _bottle(outer, c, 0.14, [disc(0.021, 0.024, (0, 0, 0.2), c), band(0.0462, 0.085, 0.095, c)])


def bottle_wide(c: Vec) -> Form:
    """A squat carafe with a ball stopper."""
    outer = ((0, 0), (0.062, 0), (0.068, 0.05), (0.06, 0.09), (0.022, 0.13), (0.026, 0.165))
    return _bottle(outer, c, 0.1, [ball(0.026, (0, 0, 0.178), c)])


def bottle_sport(c: Vec) -> Form:
    """A flask with a waist and a drinking nozzle."""
    outer = ((0, 0), (0.042, 0), (0.044, 0.06), (0.034, 0.085), (0.044, 0.11), (0.044, 0.16), (0.036, 0.172))
    return _bottle(outer, c, 0.15, [disc(0.04, 0.02, (0, 0, 0.168), c), rod((0, 0, 0.186), (0, 0, 0.218), 0.014, DARK, 0.01)])


def _wine(outer: Points, c: Vec, glass: Vec, label: tuple[float, float], foil: float, extra: tuple[Part, ...] = ()) -> Form:
    r, h = max(p[0] for p in outer), outer[-1][1]
    parts = [lathe((*outer, (0, h)), glass), band(radius_at(outer, label[0]) + 0.0015, *label, (0.95, 0.92, 0.8)), *extra]
    middle, mid_r = sum(label) / 2, radius_at(outer, label[0]) + 0.0025
    parts.append(band(mid_r, middle - 0.008, middle + 0.008, c))
    top = [(p + 0.002, z) for p, z in outer if z > foil]
    parts.append(lathe([(radius_at(outer, foil) + 0.002, foil), *top, (0, h + 0.003)], c))
    return standing([*whole(parts, "broken"), *_broken_bottle(outer, c, glass, r + 0.04)], r, h, 1.2)


_GREEN_GLASS: Vec = (0.07, 0.2, 0.09)

_BROWN_GLASS: Vec = (0.2, 0.09, 0.04)


def wine_bottle(c: Vec) -> Form:
    """High shoulders, a long neck."""
    outer = ((0, 0), (0.041, 0), (0.041, 0.18), (0.034, 0.205), (0.015, 0.225), (0.014, 0.305))
    return _wine(outer, c, _GREEN_GLASS, (0.06, 0.15), 0.245)


def wine_bottle_sloping(c: Vec) -> Form:
    """Sloping shoulders."""
    outer = ((0, 0), (0.046, 0), (0.046, 0.14), (0.03, 0.2), (0.016, 0.25), (0.015, 0.305))
    return _wine(outer, c, _BROWN_GLASS, (0.045, 0.115), 0.25)


def wine_bottle_flask(c: Vec) -> Form:
    """A round flask in a straw basket."""
    outer = ((0, 0), (0.04, 0), (0.068, 0.06), (0.06, 0.12), (0.02, 0.185), (0.016, 0.285))
    straw = lathe(((0.05, 0), (0.058, 0.02), (0.071, 0.06), (0.068, 0.09)), (0.82, 0.64, 0.32), texture="stripes")
    return _wine(outer, c, _GREEN_GLASS, (0.1, 0.118), 0.235, (straw,))


def can(c: Vec) -> Form:
    """A food tin: ribbed ends, a paper label."""
    parts = [
        lathe(((0, 0), (0.044, 0), (0.044, 0.115), (0.04, 0.115), (0.039, 0.111), (0, 0.111)), STEEL),
        band(0.0455, 0.014, 0.1, c),
        band(0.0462, 0.04, 0.072, WHITE if brightness(c) < 0.75 else DARK),
    ]
    parts.append(ring(0.03, 0.003, (0, 0, 0.112), tone(STEEL, 0.7)))
    return standing(parts, 0.045, 0.115, 0.4)


def can_soda(c: Vec) -> Form:
    """A drinks can: drawn-in top and foot, a tab."""
    body = ((0, 0), (0.03, 0), (0.04, 0.014), (0.04, 0.118), (0.032, 0.136))
    parts = [
        lathe(body, c),
        lathe(((0.032, 0.136), (0.029, 0.136), (0.027, 0.131), (0, 0.131)), STEEL),
        box((0.011, 0.006, 0.0015), (0.01, 0, 0.134), tone(STEEL, 0.75)),
    ]
    parts += [
        lathe(((0, -0.0005), (0.03, -0.0005), (0.0385, 0.012)), STEEL),
        *(box((0.0075, 0.041, 0.03), (s * 0.006, 0, 0.068), contrast(c), (0, 30 * s, 0)) for s in (-1, 1)),
    ]
    return standing(parts, 0.04, 0.136, 0.35)


def can_flat(c: Vec) -> Form:
    """A fish tin: flat, rounded, with a ring to pull."""
    parts = [
        loft(((0, 0.068, 0.048, 0.6), (0.032, 0.068, 0.048, 0.6)), c),
        loft(((0.031, 0.062, 0.042, 0.6), (0.034, 0.062, 0.042, 0.6)), STEEL),
        ring(0.013, 0.004, (0.04, 0, 0.037), tone(STEEL, 0.7)),
    ]
    parts.append(box((0.025, 0.018, 0.001), (-0.015, 0, 0.0345), c))
    return lying(parts, 0.068, 0.048, 0.036, 0.2)


def _holes(z: float, spread: float) -> list[Part]:
    return [
        box((0.004, 0.004, 0.001), (round(spread * cos(radians(a)), 4), round(spread * sin(radians(a)), 4), z), DARK)
        for a in (0, 72, 144, 216, 288)
    ]


def salt_shaker(c: Vec) -> Form:
    """A squat jar of salt under a domed metal cap with holes; the colour is a collar."""
    body = lathe(((0, 0), (0.036, 0), (0.038, 0.05), (0.03, 0.07)), WHITE)
    top = lathe(((0.032, 0.066), (0.033, 0.08), (0.024, 0.095), (0, 0.1)), STEEL)
    return standing([body, band(0.0395, 0.004, 0.03, c), top, *_holes(0.0985, 0.013)], 0.039, 0.098, 0.2)


def salt_shaker_square(c: Vec) -> Form:
    """A tapered square one with a flat cap."""
    parts = [
        loft(((0, 0.036, 0.036, 0), (0.07, 0.026, 0.026, 0)), WHITE),
        loft(((0.0, 0.0368, 0.0368, 0), (0.026, 0.0331, 0.0331, 0)), c),
        loft(((0.07, 0.029, 0.029, 0.4), (0.09, 0.026, 0.026, 0.4)), STEEL),
        *_holes(0.091, 0.014),
    ]
    return lying(parts, 0.036, 0.036, 0.09, 0.2)


def salt_shaker_egg(c: Vec) -> Form:
    """One piece, egg-shaped, holes in the top."""
    body = lathe(((0, 0), (0.026, 0), (0.041, 0.032), (0.034, 0.066), (0.018, 0.088), (0, 0.094)), WHITE)
    return standing([body, band(0.0412, 0.022, 0.04, c), *_holes(0.0915, 0.01)], 0.041, 0.092, 0.2)


def pepper_shaker(c: Vec) -> Form:
    """A turned mill: foot, waist, head and knob."""
    body = ((0, 0), (0.036, 0), (0.036, 0.02), (0.02, 0.06), (0.03, 0.085), (0.02, 0.098))
    head = ((0.02, 0.1), (0.033, 0.112), (0.03, 0.135), (0.012, 0.145), (0, 0.146))
    timber = mix((0.42, 0.22, 0.09), c, 0.45)
    return standing(
        [lathe(body, timber), lathe(head, timber), ring(0.021, 0.004, (0, 0, 0.099), STEEL), ball(0.01, (0, 0, 0.152), BRASS)],
        0.036,
        0.155,
        0.25,
    )


def pepper_shaker_crank(c: Vec) -> Form:
    """A drum with a crank on top."""
    timber = mix((0.42, 0.22, 0.09), c, 0.45)
    parts = [
        lathe(((0, 0), (0.04, 0), (0.034, 0.01), (0.034, 0.075), (0.028, 0.085), (0, 0.085)), timber),
        dome(0.03, 0.02, (0, 0, 0.085), BRASS),
        rod((0, 0, 0.1), (0, 0, 0.12), 0.005, STEEL),
    ]
    parts += [rod((0, 0, 0.118), (0.045, 0, 0.118), 0.005, STEEL), rod((0.045, 0, 0.114), (0.045, 0, 0.142), 0.009, DARK)]
    return standing(parts, 0.04, 0.13, 0.3)


def pepper_shaker_tall(c: Vec) -> Form:
    """A long baluster mill."""
    timber = mix((0.42, 0.22, 0.09), c, 0.45)
    body = (
        (0, 0),
        (0.036, 0),
        (0.034, 0.02),
        (0.018, 0.045),
        (0.026, 0.085),
        (0.018, 0.125),
        (0.024, 0.135),
        (0.034, 0.155),
        (0.024, 0.18),
        (0, 0.186),
    )
    return standing([lathe(body, timber), ring(0.0185, 0.004, (0, 0, 0.127), STEEL), ball(0.011, (0, 0, 0.192), BRASS)], 0.036, 0.195, 0.35)


def _spout(start: Vec, end: Vec, c: Vec) -> list[Part]:
    """A long spout that ends in a rose."""
    way = tuple(b - a for a, b in zip(start, end, strict=True))
    tip: Vec = (round(end[0] + 0.12 * way[0], 4), end[1], round(end[2] + 0.12 * way[2], 4))
    return [rod(start, end, 0.013, c, 0.009), rod(end, tip, 0.01, c, 0.026)]


def watering_can(c: Vec) -> Form:
    """A tin can with a long spout and two handles; one looks into it from above."""
    outer = ((0, 0), (0.078, 0), (0.07, 0.125))
    parts = [*vessel(outer, 0.008, c, DARK, 0.004), *_spout((0.06, 0, 0.035), (0.165, 0, 0.145), c)]
    arch = [(-0.068, 0.11), (-0.05, 0.165), (0.02, 0.175), (0.068, 0.12)]
    parts += [rod((x0, 0, z0), (x1, 0, z1), 0.007, tone(c, 0.7)) for (x0, z0), (x1, z1) in pairwise(arch)]
    parts += [
        cap(0.067, (0, 0, 0.108), WATER, when="filled"),
        rod((-0.072, 0, 0.1), (-0.11, 0, 0.07), 0.007, tone(c, 0.7)),
        rod((-0.11, 0, 0.072), (-0.076, 0, 0.03), 0.007, tone(c, 0.7)),
    ]
    return standing(parts, 0.082, 0.13, 0.6)


def watering_can_oval(c: Vec) -> Form:
    """Round-bellied, with a swan-necked spout and a ring of a handle."""
    outer = ((0, 0), (0.06, 0), (0.088, 0.04), (0.078, 0.085), (0.056, 0.1))
    parts = [
        *vessel(outer, 0.008, c, DARK, 0.004),
        rod((0.075, 0, 0.04), (0.135, 0, 0.07), 0.014, c, 0.01),
        rod((0.133, 0, 0.066), (0.165, 0, 0.145), 0.01, c, 0.007),
    ]
    parts += [
        ring(0.042, 0.008, (-0.085, 0, 0.085), tone(c, 0.7), (90, 0, 0)),
        cap(0.057, (0, 0, 0.09), WATER, when="filled"),
        ring(0.055, 0.005, (0, 0, 0.1), tone(c, 0.7)),
    ]
    return standing(parts, 0.09, 0.12, 0.6)


def watering_can_box(c: Vec) -> Form:
    """Tall and narrow, with a bail handle and a short rose."""
    outer = ((0, 0), (0.056, 0), (0.06, 0.16))
    parts = [
        *vessel(outer, 0.008, c, DARK, 0.004),
        *_spout((0.05, 0, 0.06), (0.125, 0, 0.15), c),
        cap(0.056, (0, 0, 0.142), WATER, when="filled"),
    ]
    bail = [(-0.058, 0.15), (-0.045, 0.205), (0.045, 0.205), (0.058, 0.15)]
    parts += [rod((0, y0, z0), (0, y1, z1), 0.007, tone(c, 0.7)) for (y0, z0), (y1, z1) in pairwise(bail)]
    return standing(parts, 0.064, 0.165, 0.6)


LINES = {
    "bottle": line("green blue brown red purple", "teal magenta", {"water": bottle, "carafe": bottle_wide}, {"sport": bottle_sport}),
    "wine_bottle": line(
        "red black yellow blue white", "gold maroon", {"high": wine_bottle, "sloping": wine_bottle_sloping}, {"flask": wine_bottle_flask}
    ),
    "can": line("red green blue orange black yellow", "teal magenta", {"tin": can, "soda": can_soda}, {"flat": can_flat}),
    "salt_shaker": line(
        "blue red green black", "teal magenta", {"round": salt_shaker, "square": salt_shaker_square}, {"egg": salt_shaker_egg}
    ),
    "pepper_shaker": line(
        "brown black red tan", "olive maroon", {"mill": pepper_shaker, "crank": pepper_shaker_crank}, {"tall": pepper_shaker_tall}
    ),
    "watering_can": line(
        "green blue red yellow", "teal coral", {"tin": watering_can, "round": watering_can_oval}, {"narrow": watering_can_box}
    ),
}
