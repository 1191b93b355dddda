"""Cooking vessels: pans, pots, kettles and lids."""

from __future__ import annotations

from itertools import pairwise
from math import cos, sin

from ..spec import Part, Vec
from .forms import (
    Form,
    Points,
    bar,
    blot,
    blots_around,
    box,
    disc,
    dome,
    inside,
    lathe,
    lying,
    moved,
    radius_at,
    ring,
    rod,
    standing,
    vessel,
    water,
)
from .line import line
from .palette import DARK, GLASS, IRON, STEEL, WATER, WHITE, WOOD, brightness, dirt, tone


def _soiled_floor(r: float, floor: float, on: Vec, at: tuple[float, float]) -> list[Part]:
    spots = ((0.1, 0.1, 0.42), (-0.55, -0.3, 0.28), (0.5, -0.5, 0.24), (-0.2, 0.62, 0.25))
    return [dome(s * r, 0.004, (at[0] + x * r, at[1] + y * r, floor + 0.001), dirt(on), when="dirty") for x, y, s in spots]


def _pan(c: Vec, r: float, h: float, flare: float, tail: float, deep: bool = False) -> Form:
    """A dark pan with a handle of colour ``c``, along x."""
    x = -tail / 2
    outer = ((0, 0), (r - flare, 0), (r, h))
    inner = (0.5, 0.5, 0.53)
    grip = WOOD if brightness(c) < 0.12 else c
    parts = [moved(p, x) for p in vessel(outer, 0.007, IRON if brightness(c) < 0.2 else tone(c, 0.8), inner, 0.004)]
    parts.append(bar(((0, 0.012, 0.005, 0.3), (0.05, 0.01, 0.005, 0.3)), STEEL, (x + r - 0.006, 0, h - 0.012)))
    parts.append(
        bar(
            ((0, 0.013, 0.009, 0.5), (0.02, 0.017, 0.011, 0.5), (tail - 0.05, 0.019, 0.012, 0.5), (tail - 0.04, 0.012, 0.009, 0.5)),
            DARK if grip == c and deep else grip,
            (x + r + 0.04, 0, h - 0.01),
        )
    )
    if deep:
        parts.append(bar(((0, 0.03, 0.006, 0.4), (0.02, 0.022, 0.006, 0.4)), STEEL, (x - r - 0.016, 0, h - 0.012)))
    parts += [*_soiled_floor(r - flare, 0.008, inner, (x, 0.0))]
    parts += [moved(p, x) for p in blots_around(r - 0.4 * flare, 0.55 * h, 0.022, DARK, 2)]
    return lying(parts, r + tail / 2, r, h, 0.8, inside(r - flare - 0.002, 0.008, h, (x, 0.0)))


def pan(c: Vec) -> Form:
    return _pan(c, 0.112, 0.046, 0.02, 0.17)


def pan_saute(c: Vec) -> Form:
    return _pan(c, 0.112, 0.066, 0.003, 0.15, deep=True)


def pan_wok(c: Vec) -> Form:
    x = -0.07
    outer = ((0, 0), (0.04, 0), (0.1, 0.035), (0.13, 0.08))
    inner = (0.5, 0.5, 0.53)
    parts = [moved(p, x) for p in vessel(outer, 0.008, IRON, inner, 0.004)]
    parts += [rod((x + 0.12, 0, 0.074), (x + 0.28, 0, 0.09), 0.013, c, 0.016), ring(0.02, 0.006, (x - 0.135, 0, 0.078), c)]
    parts += _soiled_floor(0.055, 0.009, inner, (x, 0.0))
    parts += [blot((x + 0.085 * cos(a), 0.085 * sin(a), 0.036), (-cos(a), -sin(a), 1.2), 0.024, inner) for a in (0.5, 2.5, 4.4)]
    return lying(parts, 0.2, 0.13, 0.08, 0.9, inside(0.092, 0.012, 0.08, (x, 0.0)))


def _pot(c: Vec, r: float, h: float, outer: Points | None = None) -> Form:
    outer = outer or ((0, 0), (r - 0.004, 0), (r, h))
    inner = tone(STEEL, 0.85)
    parts = [*vessel(outer, 0.009, c, inner, 0.005), ring(radius_at(outer, h) - 0.003, 0.0055, (0, 0, h), tone(STEEL, 1.1))]
    grip = DARK if brightness(c) > 0.3 else STEEL
    for s in (-1, 1):
        parts += [box((0.022, 0.007, 0.006), (s * (r + 0.012), y, 0.76 * h), grip) for y in (-0.032, 0.032)] + [
            box((0.007, 0.039, 0.007), (s * (r + 0.034), 0, 0.76 * h), grip)
        ]
    return standing(
        [*parts, *_pot_states(outer, h, c, inner)],
        r + 0.006,
        h,
        0.9,
        inside(min(radius_at(outer, h), radius_at(outer, 0.03)) - 0.008, 0.009, h),
    )


def _pot_states(outer: Points, h: float, c: Vec, inner: Vec, x: float = 0.0) -> list[Part]:
    level = 0.84 * h
    r = radius_at(outer, h)
    dirty = [*blots_around(radius_at(outer, 0.4 * h), 0.4 * h, 0.036, c), *blots_around(radius_at(outer, 0.75 * h), 0.72 * h, 0.022, c, 4)]
    dirty += [blot(((r - 0.006) * cos(a), (r - 0.006) * sin(a), h - 0.036), (-cos(a), -sin(a), 0), 0.03, inner) for a in (0.9, 3.0, 5.1)]
    return [moved(p, x) for p in (water(radius_at(outer, level) - 0.004, level), *dirty)]


def pot(c: Vec) -> Form:
    return _pot(c, 0.108, 0.125)


def pot_low(c: Vec) -> Form:
    return _pot(c, 0.125, 0.09)


def pot_cauldron(c: Vec) -> Form:
    return _pot(c, 0.125, 0.145, ((0, 0), (0.06, 0), (0.118, 0.04), (0.125, 0.075), (0.1, 0.145)))


def saucepan(c: Vec) -> Form:
    """A small deep pot with one long handle."""
    r, h, x, inner = 0.085, 0.105, -0.065, tone(STEEL, 0.85)
    outer = ((0, 0), (r - 0.003, 0), (r, h))
    parts = [moved(p, x) for p in (*vessel(outer, 0.009, c, inner, 0.005), ring(r - 0.003, 0.005, (0, 0, h), tone(STEEL, 1.1)))]
    grip = DARK if brightness(c) > 0.3 else STEEL
    parts.append(
        bar(
            ((0, 0.011, 0.007, 0.5), (0.03, 0.014, 0.009, 0.5), (0.13, 0.018, 0.011, 0.5), (0.14, 0.012, 0.008, 0.5)),
            grip,
            (x + r - 0.004, 0, h - 0.02),
        )
    )
    return lying([*parts, *_pot_states(outer, h, c, inner, x)], r + 0.065, r, h, 0.8, inside(r - 0.009, 0.009, h, (x, 0.0)))


def kettle(c: Vec) -> Form:
    """A stove kettle: round, spouted, with an arched handle over an open mouth."""
    outer = ((0, 0), (0.085, 0), (0.098, 0.03), (0.084, 0.082), (0.05, 0.11))
    parts = [*vessel(outer, 0.01, c, DARK), ring(0.05, 0.006, (0, 0, 0.11), STEEL)]
    belt = ((0.0975, 0.042), (0.086, 0.082))
    parts += [lathe(belt, (0.9, 0.95, 0.97), when="!filled"), lathe(belt, WATER, when="filled"), water(0.048, 0.102)]
    parts.append(rod((0.07, 0, 0.055), (0.135, 0, 0.115), 0.017, c, 0.01))
    grip = DARK if brightness(c) > 0.25 else WOOD
    arch = [(-0.075, 0.085), (-0.06, 0.15), (0.0, 0.178), (0.06, 0.15), (0.075, 0.085)]
    parts += [rod((x0, 0, z0), (x1, 0, z1), 0.008, grip) for (x0, z0), (x1, z1) in pairwise(arch)]
    return standing(parts, 0.098, 0.16, 0.9)


def kettle_jug(c: Vec) -> Form:
    """An electric jug: glass between a coloured base and collar, a handle at its side."""
    outer = ((0, 0.02), (0.078, 0.02), (0.066, 0.175))
    glass = [*vessel(outer, 0.03, (0.88, 0.94, 0.96), WHITE, 0.004), disc(0.085, 0.026, (0, 0, 0), DARK)]
    glass += [lathe(((0.079, 0.024), (0.0772, 0.05)), c), ring(0.066, 0.008, (0, 0, 0.17), c, high=0.012)]
    wet = [lathe(((0.0768, 0.048), (0.0704, 0.138)), WATER, when="filled"), water(0.066, 0.138)]
    spout = bar(((0, 0.022, 0.016, 0.5), (0.03, 0.008, 0.008, 0.5)), c, (0.06, 0, 0.16))
    handle = [
        rod((-0.066, 0, 0.165), (-0.115, 0, 0.15), 0.011, c),
        rod((-0.115, 0, 0.155), (-0.112, 0, 0.06), 0.012, c),
        rod((-0.112, 0, 0.062), (-0.07, 0, 0.045), 0.011, c),
    ]
    return standing([*glass, *wet, spout, *handle], 0.085, 0.178, 0.9)


def kettle_teapot(c: Vec) -> Form:
    """A round-bellied pot with a curved spout and a ring of a handle."""
    outer = ((0, 0.006), (0.05, 0.006), (0.088, 0.04), (0.09, 0.075), (0.045, 0.118))
    parts = [lathe(((0, 0), (0.055, 0), (0.05, 0.01), (0, 0.01)), c), *vessel(outer, 0.016, c, DARK)]
    parts += [
        rod((0.07, 0, 0.05), (0.118, 0, 0.075), 0.018, c, 0.013),
        rod((0.116, 0, 0.072), (0.135, 0, 0.12), 0.013, c, 0.009),
        ring(0.036, 0.009, (-0.094, 0, 0.066), c, (90, 0, 0)),
    ]
    belt = ((0.0915, 0.044), (0.0925, 0.075))
    parts += [lathe(belt, (0.9, 0.95, 0.97), when="!filled"), lathe(belt, WATER, when="filled"), water(0.043, 0.108)]
    return standing(parts, 0.094, 0.12, 0.8)


def _lid_dirt(r: float, z: float, c: Vec) -> list[Part]:
    return [blot((0.56 * r * cos(a), 0.56 * r * sin(a), z), (0.25 * cos(a), 0.25 * sin(a), 1.0), 0.3 * r, c) for a in (0.5, 2.2, 3.7, 5.2)]


def lid(c: Vec) -> Form:
    """Enamel with a knob."""
    shell = lathe(((0, 0), (0.108, 0), (0.112, 0.007), (0.1, 0.014), (0.06, 0.028), (0, 0.034)), c)
    knob = lathe(
        ((0, 0.032), (0.01, 0.032), (0.01, 0.044), (0.024, 0.05), (0.022, 0.062), (0, 0.066)), DARK if brightness(c) > 0.25 else STEEL
    )
    return standing([shell, ring(0.107, 0.006, (0, 0, 0.006), STEEL), knob, *_lid_dirt(0.11, 0.023, c)], 0.112, 0.064, 0.4)


def lid_glass(c: Vec) -> Form:
    """Glass in a coloured rim, an arched grip."""
    shell = lathe(((0, 0), (0.1, 0), (0.096, 0.014), (0.055, 0.027), (0, 0.032)), (0.8, 0.9, 0.92))
    grip = [
        rod((-0.03, 0, 0.028), (-0.026, 0, 0.052), 0.008, c),
        rod((0.03, 0, 0.028), (0.026, 0, 0.052), 0.008, c),
        rod((-0.034, 0, 0.055), (0.034, 0, 0.055), 0.01, c),
    ]
    return standing([shell, ring(0.102, 0.009, (0, 0, 0.008), c), *grip, *_lid_dirt(0.1, 0.023, GLASS)], 0.11, 0.062, 0.4)


def lid_flat(c: Vec) -> Form:
    """A painted disc with a wooden knob."""
    knob = lathe(((0, 0.02), (0.012, 0.02), (0.026, 0.036), (0.02, 0.05), (0, 0.054)), WOOD)
    return standing(
        [disc(0.11, 0.02, (0, 0, 0), c, texture="wood"), ring(0.09, 0.004, (0, 0, 0.02), tone(c, 0.6)), knob, *_lid_dirt(0.1, 0.02, c)],
        0.11,
        0.05,
        0.3,
    )


LINES = {
    "pan": line("black red brown blue", "teal olive", {"frying": pan, "saute": pan_saute}, {"wok": pan_wok}),
    "pot": line(
        "silver red blue green yellow", "teal maroon coral", {"tall": pot, "low": pot_low, "sauce": saucepan}, {"cauldron": pot_cauldron}
    ),
    "kettle": line("silver red black yellow green", "teal maroon coral", {"stove": kettle, "jug": kettle_jug}, {"teapot": kettle_teapot}),
    "lid": line("silver red blue black green", "teal coral", {"domed": lid, "glass": lid_glass}, {"flat": lid_flat}),
}
