"""Dishes: vessels that are really hollow, what they hold, and how they look dirty, filled and broken."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

from ..spec import Part, Region, Vec
from .forms import (
    Form, Points, band, bar, blot, blots_around, box, cap, disc, dome, inside, lathe, lying, pale, radius_at, ring, rod, shards, standing,
    vessel, whole,
)  # fmt: skip
from .palette import DARK, GLASS, IRON, STEEL, WATER, WHITE, WOOD, brightness, contrast, dirt, mix, tone

def _lining(c: Vec) -> Vec:
    """Glaze inside a vessel: white, or a clear tint where the outside is white itself."""
    return mix(c, WHITE, 0.85) if min(c) < 0.8 else (0.86, 0.88, 0.9)


def _water(radius: float, z: float, at: tuple[float, float] = (0.0, 0.0)) -> Part:
    return cap(radius, (*at, z), WATER, when="filled")


def _shattered(outer: Points, floor: float, c: Vec, lining: Vec, spread: float, size: float) -> list[Part]:
    """The foot that is left of a vessel, among its splinters."""
    cut = floor + 0.022
    stump = [(r, z) for r, z in outer if z < cut] + [(radius_at(outer, cut), cut)]
    return [*vessel(stump, floor, c, lining, when="broken"), *shards(7, spread, size, c, lining, c)]


def _cup(outer: Points, floor: float, c: Vec, extra: list[Part], wall: float = 0.005, texture: str = "") -> tuple[list[Part], float, float]:
    """A drinking vessel with its states; also its greatest radius and its height."""
    lining = _lining(c)
    r, h = max(p[0] for p in outer), outer[-1][1]
    level = h - 0.016
    whole_one = whole([*vessel(outer, floor, c, lining, wall, texture=texture), *extra], "broken")
    low = 0.3 * h
    dirty = [
        *blots_around(radius_at(outer, low), low, 0.024, c),
        blot((radius_at(outer, h) - wall - 0.002, 0, h - 0.012), (-1, 0, 0.3), 0.022, lining),
        blot((-radius_at(outer, h) + wall + 0.002, 0, h - 0.012), (1, 0, 0.3), 0.022, lining),
    ]
    parts = [*whole_one, _water(radius_at(outer, level) - wall + 0.001, level), *dirty]
    return [*parts, *_shattered(outer, floor, c, lining, r + 0.03, 0.032)], r, h


def _mug(c: Vec, r: float, h: float, texture: str = "", square: bool = False, belly: float = 0.0) -> Form:
    outer = ((0, 0), (r - 0.004, 0), (r + belly, 0.45 * h), (r, h)) if belly else ((0, 0), (r - 0.002, 0), (r, h))
    x = r + 0.018
    if square:
        handle = [box((0.022, 0.008, 0.007), (x - 0.004, 0, z), c) for z in (0.26 * h, 0.76 * h)] + [box((0.007, 0.008, 0.3 * h), (x + 0.016, 0, 0.51 * h), c)]
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
    dirty = [*blots_around(0.049, 0.07, 0.022, tint), *blots_around(0.04, 0.026, 0.018, tint)]
    parts = [*glass, *rim, drink, *dirty, *_shattered(outer, 0.012, tint, c, 0.075, 0.032)]
    return standing(parts, 0.054, 0.125, 0.25, inside(0.042, 0.012, 0.125))


def cup_goblet(c: Vec) -> Form:
    """A stemmed cup."""
    outer = ((0, 0.055), (0.02, 0.056), (0.046, 0.08), (0.05, 0.11), (0.044, 0.145))
    foot = whole([lathe(((0, 0), (0.044, 0), (0.04, 0.006), (0.01, 0.012), (0.008, 0.05), (0.016, 0.06), (0, 0.06)), c)], "broken")
    lining = _lining(c)
    dirty = [*blots_around(0.046, 0.085, 0.022, c), blot((0.036, 0, 0.132), (-1, 0, 0.3), 0.02, lining), blot((-0.036, 0, 0.132), (1, 0, 0.3), 0.02, lining)]
    rest = [lathe(((0, 0), (0.044, 0), (0.04, 0.006), (0.01, 0.012), (0.008, 0.04), (0, 0.05)), c, when="broken"), *shards(7, 0.075, 0.032, c, lining)]
    parts = [*whole(vessel(outer, 0.064, c, lining), "broken"), *foot, _water(0.043, 0.132), *dirty, *rest]
    return standing(parts, 0.05, 0.145, 0.25, inside(0.037, 0.064, 0.145))


def _bowl(outer: Points, floor: float, c: Vec, texture: str = "", lining: Vec | None = None, extra: tuple[Part, ...] = ()) -> Form:
    lining = _lining(c) if lining is None else lining
    r, h = outer[-1]
    level = floor + 0.62 * (h - floor)
    base, deep = radius_at(outer, floor), radius_at(outer, 0.55 * h)
    dirty = [blot((0.3 * base, 0.1 * base, floor), (0, 0, 1), 0.6 * base, lining)]
    dirty += [blot((0.8 * (deep - 0.005) * cos(a), 0.8 * (deep - 0.005) * sin(a), 0.45 * h), (-cos(a), -sin(a), 0.9), 0.026, lining) for a in (0.6, 2.7, 4.6)]
    parts = [*whole([*vessel(outer, floor, c, lining, texture=texture), *extra], "broken"), _water(radius_at(outer, level) - 0.004, level), *dirty]
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
    return standing([*whole([body, middle], "broken"), *_soiled_plate(flat, lighter), *_plate_pieces(r, c, lighter)], r, h, 0.45, inside(0.85 * r, 0.01, h))


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
    rim = [box((half if k % 2 else 0.012, 0.012 if k % 2 else half, 0.009), (0 if k % 2 else s * (half - 0.012), s * (half - 0.012) if k % 2 else 0, 0.012), c) for k in (0, 1) for s in (-1, 1)]
    parts = [*whole([box((half, half, 0.006), (0, 0, 0.006), lighter), *rim], "broken"), *_soiled_plate(0.09, lighter), *_plate_pieces(0.125, c, lighter)]
    return lying(parts, half, half, 0.021, 0.5, Region((0, 0, 0.012), (0.088, 0.088), 0.009))


def _soiled_floor(r: float, floor: float, on: Vec, at: tuple[float, float]) -> list[Part]:
    spots = ((0.1, 0.1, 0.42), (-0.55, -0.3, 0.28), (0.5, -0.5, 0.24), (-0.2, 0.62, 0.25))
    return [dome(s * r, 0.004, (at[0] + x * r, at[1] + y * r, floor + 0.001), dirt(on), when="dirty") for x, y, s in spots]


def _pan(c: Vec, r: float, h: float, flare: float, tail: float, deep: bool = False) -> Form:
    """A dark pan with a handle of colour ``c``, along x."""
    x = -tail / 2
    outer = ((0, 0), (r - flare, 0), (r, h))
    inner = (0.5, 0.5, 0.53)
    grip = contrast(c) if brightness(c) < 0.12 else c
    parts = [_at(p, x) for p in vessel(outer, 0.007, IRON if brightness(c) < 0.2 else tone(c, 0.8), inner, 0.004)]
    parts.append(bar(((0, 0.012, 0.005, 0.3), (0.05, 0.01, 0.005, 0.3)), STEEL, (x + r - 0.006, 0, h - 0.012)))
    parts.append(bar(((0, 0.013, 0.009, 0.5), (0.02, 0.017, 0.011, 0.5), (tail - 0.05, 0.019, 0.012, 0.5), (tail - 0.04, 0.012, 0.009, 0.5)), DARK if grip == c and deep else grip, (x + r + 0.04, 0, h - 0.01)))
    if deep:
        parts.append(bar(((0, 0.03, 0.006, 0.4), (0.02, 0.022, 0.006, 0.4)), STEEL, (x - r - 0.016, 0, h - 0.012)))
    parts += [*_soiled_floor(r - flare, 0.008, inner, (x, 0.0))]
    parts += [_at(p, x) for p in blots_around(r - 0.4 * flare, 0.55 * h, 0.022, DARK, 2)]
    return lying(parts, r + tail / 2, r, h, 0.8, inside(r - flare - 0.002, 0.008, h, (x, 0.0)))


def _at(part: Part, x: float) -> Part:
    return replace(part, pos=(round(part.pos[0] + x, 5), part.pos[1], part.pos[2]))


def pan(c: Vec) -> Form:
    return _pan(c, 0.112, 0.046, 0.02, 0.17)


def pan_saute(c: Vec) -> Form:
    return _pan(c, 0.112, 0.066, 0.003, 0.15, deep=True)


def pan_wok(c: Vec) -> Form:
    x = -0.07
    outer = ((0, 0), (0.04, 0), (0.1, 0.035), (0.13, 0.08))
    inner = (0.5, 0.5, 0.53)
    parts = [_at(p, x) for p in vessel(outer, 0.008, IRON, inner, 0.004)]
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
        parts += [box((0.022, 0.007, 0.006), (s * (r + 0.012), y, 0.76 * h), grip) for y in (-0.032, 0.032)] + [box((0.007, 0.039, 0.007), (s * (r + 0.034), 0, 0.76 * h), grip)]
    return standing([*parts, *_pot_states(outer, h, c, inner)], r + 0.006, h, 0.9, inside(min(radius_at(outer, h), radius_at(outer, 0.03)) - 0.008, 0.009, h))


def _pot_states(outer: Points, h: float, c: Vec, inner: Vec, x: float = 0.0) -> list[Part]:
    level = 0.84 * h
    r = radius_at(outer, h)
    dirty = [*blots_around(radius_at(outer, 0.4 * h), 0.4 * h, 0.036, c), *blots_around(radius_at(outer, 0.75 * h), 0.72 * h, 0.022, c, 4)]
    dirty += [blot(((r - 0.008) * cos(a), (r - 0.008) * sin(a), h - 0.02), (-cos(a), -sin(a), 0.25), 0.03, inner) for a in (0.9, 3.0, 5.1)]
    return [_at(p, x) for p in (_water(radius_at(outer, level) - 0.004, level), *dirty)]


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
    parts = [_at(p, x) for p in (*vessel(outer, 0.009, c, inner, 0.005), ring(r - 0.003, 0.005, (0, 0, h), tone(STEEL, 1.1)))]
    grip = DARK if brightness(c) > 0.3 else STEEL
    parts.append(bar(((0, 0.011, 0.007, 0.5), (0.03, 0.014, 0.009, 0.5), (0.13, 0.018, 0.011, 0.5), (0.14, 0.012, 0.008, 0.5)), grip, (x + r - 0.004, 0, h - 0.02)))
    return lying([*parts, *_pot_states(outer, h, c, inner, x)], r + 0.065, r, h, 0.8, inside(r - 0.009, 0.009, h, (x, 0.0)))


def kettle(c: Vec) -> Form:
    """A stove kettle: round, spouted, with an arched handle over an open mouth."""
    outer = ((0, 0), (0.085, 0), (0.098, 0.03), (0.084, 0.082), (0.05, 0.11))
    parts = [*vessel(outer, 0.01, c, DARK), ring(0.05, 0.006, (0, 0, 0.11), STEEL)]
    belt = ((0.0975, 0.042), (0.086, 0.082))
    parts += [lathe(belt, (0.9, 0.95, 0.97), when="!filled"), lathe(belt, WATER, when="filled"), _water(0.048, 0.102)]
    parts.append(rod((0.07, 0, 0.055), (0.135, 0, 0.115), 0.017, c, 0.01))
    grip = DARK if brightness(c) > 0.25 else WOOD
    arch = [(-0.075, 0.085), (-0.06, 0.15), (0.0, 0.178), (0.06, 0.15), (0.075, 0.085)]
    parts += [rod((x0, 0, z0), (x1, 0, z1), 0.008, grip) for (x0, z0), (x1, z1) in zip(arch, arch[1:], strict=False)]
    return standing(parts, 0.098, 0.16, 0.9)


def kettle_jug(c: Vec) -> Form:
    """An electric jug: glass between a coloured base and collar, a handle at its side."""
    outer = ((0, 0.02), (0.078, 0.02), (0.066, 0.175))
    glass = [*vessel(outer, 0.03, (0.88, 0.94, 0.96), WHITE, 0.004), disc(0.085, 0.026, (0, 0, 0), DARK)]
    glass += [lathe(((0.079, 0.024), (0.0772, 0.05)), c), ring(0.066, 0.008, (0, 0, 0.17), c, high=0.012)]
    wet = [lathe(((0.0768, 0.048), (0.0704, 0.138)), WATER, when="filled"), _water(0.066, 0.138)]
    spout = bar(((0, 0.022, 0.016, 0.5), (0.03, 0.008, 0.008, 0.5)), c, (0.06, 0, 0.16))
    handle = [rod((-0.066, 0, 0.165), (-0.115, 0, 0.15), 0.011, c), rod((-0.115, 0, 0.155), (-0.112, 0, 0.06), 0.012, c), rod((-0.112, 0, 0.062), (-0.07, 0, 0.045), 0.011, c)]
    return standing([*glass, *wet, spout, *handle], 0.085, 0.178, 0.9)


def kettle_teapot(c: Vec) -> Form:
    """A round-bellied pot with a curved spout and a ring of a handle."""
    outer = ((0, 0.006), (0.05, 0.006), (0.088, 0.04), (0.09, 0.075), (0.045, 0.118))
    parts = [lathe(((0, 0), (0.055, 0), (0.05, 0.01), (0, 0.01)), c), *vessel(outer, 0.016, c, DARK), ring(0.045, 0.006, (0, 0, 0.118), mix(c, WHITE, 0.5))]
    parts += [rod((0.07, 0, 0.05), (0.118, 0, 0.075), 0.018, c, 0.013), rod((0.116, 0, 0.072), (0.135, 0, 0.12), 0.013, c, 0.009), ring(0.036, 0.009, (-0.094, 0, 0.066), c, (90, 0, 0))]
    belt = ((0.0915, 0.044), (0.0925, 0.075))
    parts += [lathe(belt, (0.9, 0.95, 0.97), when="!filled"), lathe(belt, WATER, when="filled"), _water(0.043, 0.108)]
    return standing(parts, 0.094, 0.12, 0.8)


def _lid_dirt(r: float, z: float, c: Vec) -> list[Part]:
    return [blot((0.56 * r * cos(a), 0.56 * r * sin(a), z), (0.25 * cos(a), 0.25 * sin(a), 1.0), 0.3 * r, c) for a in (0.5, 2.2, 3.7, 5.2)]


def lid(c: Vec) -> Form:
    """Enamel with a knob."""
    shell = lathe(((0, 0), (0.108, 0), (0.112, 0.007), (0.1, 0.014), (0.06, 0.028), (0, 0.034)), c)
    knob = lathe(((0, 0.032), (0.01, 0.032), (0.01, 0.044), (0.024, 0.05), (0.022, 0.062), (0, 0.066)), DARK if brightness(c) > 0.25 else STEEL)
    return standing([shell, ring(0.107, 0.006, (0, 0, 0.006), STEEL), knob, *_lid_dirt(0.11, 0.023, c)], 0.112, 0.064, 0.4)


def lid_glass(c: Vec) -> Form:
    """Glass in a coloured rim, an arched grip."""
    shell = lathe(((0, 0), (0.1, 0), (0.096, 0.014), (0.055, 0.027), (0, 0.032)), (0.8, 0.9, 0.92))
    grip = [rod((-0.03, 0, 0.028), (-0.026, 0, 0.052), 0.008, c), rod((0.03, 0, 0.028), (0.026, 0, 0.052), 0.008, c), rod((-0.034, 0, 0.055), (0.034, 0, 0.055), 0.01, c)]
    return standing([shell, ring(0.102, 0.009, (0, 0, 0.008), c), *grip, *_lid_dirt(0.1, 0.023, GLASS)], 0.11, 0.062, 0.4)


def lid_flat(c: Vec) -> Form:
    """A wooden disc with a coloured knob."""
    knob = lathe(((0, 0.02), (0.012, 0.02), (0.026, 0.036), (0.02, 0.05), (0, 0.054)), c)
    return standing([disc(0.11, 0.02, (0, 0, 0), WOOD, texture="wood"), ring(0.09, 0.004, (0, 0, 0.02), c), knob, *_lid_dirt(0.1, 0.02, WOOD)], 0.11, 0.05, 0.3)

