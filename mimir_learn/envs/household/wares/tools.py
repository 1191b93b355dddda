"""Tools of the workshop and the desk drawer: scissors, hammer, screwdriver, wrench, drill, clamp, padlock."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import Form, X, bar, box, disc, facing, lathe, loft, lying, moved, ring, rod
from .line import line
from .palette import DARK, IRON, STEEL, WOOD, brightness, contrast, mix, tone

_BRIGHT_STEEL = tone(STEEL, 1.2)


def _scissors(c: Vec, length: float, ring_r: float, spread: float) -> Form:
    """Two blades that cross at a screw, a ring on each."""
    parts: list[Part] = []
    for s in (-1.0, 1.0):
        a = s * spread
        way = (cos(radians(a)), sin(radians(a)))
        blade = ((-0.045, 0.008, 0.003, 0), (0.0, 0.012, 0.003, 0), (0.4 * length, 0.009, 0.003, 0), (0.6 * length, 0.001, 0.002, 0))
        parts.append(bar(blade, _BRIGHT_STEEL, (0, 0, 0.008 + 0.003 * s), a))
        back = -0.05 - ring_r
        # behind the screw each half crosses over to the other side and bends outwards to its ring
        at: Vec = (round(back * way[0], 4), round(back * way[1] * 1.9, 4), 0.009)
        parts.append(ring(ring_r, 0.0085, at, c, high=0.009))
        parts.append(rod((-0.03 * way[0], -0.03 * way[1], 0.009), (at[0] + 0.8 * ring_r, at[1] * 0.75, 0.009), 0.009, c))
    parts.append(disc(0.007, 0.003, (0, 0, 0.013), DARK))
    shifted = [moved(p, -(0.6 * length - 0.05 - 2 * ring_r) / 2) for p in parts]
    return lying(
        shifted, (0.6 * length + 0.06 + 2 * ring_r) / 2, 0.9 * (0.09 + ring_r) * sin(radians(spread)) * 1.9 + 0.8 * ring_r, 0.018, 0.1
    )


def scissors(c: Vec) -> Form:
    return _scissors(c, 0.2, 0.026, 17.0)


def scissors_open(c: Vec) -> Form:
    return _scissors(c, 0.2, 0.024, 27.0)


def scissors_shears(c: Vec) -> Form:
    return _scissors(c, 0.27, 0.028, 14.0)


def hammer(c: Vec) -> Form:
    """A claw hammer."""
    parts = [rod((-0.16, 0, 0.016), (0.1, 0, 0.016), 0.015, c, 0.011), box((0.018, 0.04, 0.017), (0.115, -0.012, 0.017), IRON)]
    parts += [rod((0.115, -0.05, 0.017), (0.115, -0.07, 0.017), 0.02, STEEL)]
    parts += [box((0.007, 0.03, 0.006), (0.115 + 0.011 * s, 0.05, 0.017), STEEL, (0, 0, -14.0 * s)) for s in (-1, 1)]
    return lying(parts, 0.148, 0.07, 0.034, 0.6)


def hammer_wooden(c: Vec) -> Form:
    """A mallet: a block on a stick, its faces painted."""
    parts = [
        rod((-0.16, 0, 0.027), (0.1, 0, 0.027), 0.014, tone(WOOD, 1.2)),
        box((0.032, 0.05, 0.027), (0.118, 0, 0.027), WOOD, texture="wood"),
    ]
    parts += [box((0.033, 0.012, 0.028), (0.118, s * 0.05, 0.028), c) for s in (-1, 1)]
    return lying(parts, 0.155, 0.062, 0.056, 0.5)


def hammer_sledge(c: Vec) -> Form:
    """A short sledge: a thick round head."""
    parts = [rod((-0.16, 0, 0.03), (0.1, 0, 0.03), 0.016, c, 0.013), rod((0.12, -0.07, 0.03), (0.12, 0.07, 0.03), 0.03, IRON)]
    parts += [rod((0.12, s * 0.06, 0.03), (0.12, s * 0.075, 0.03), 0.031, STEEL) for s in (-1, 1)]
    return lying(parts, 0.155, 0.075, 0.06, 1.2)


def _screwdriver(c: Vec, shaft: float, fat: float) -> Form:
    half = (0.105 + shaft) / 2
    start = -half
    grip = ((0, 0), (0.7 * fat, 0), (fat, 0.015), (fat, 0.04), (0.78 * fat, 0.055), (0.95 * fat, 0.075), (0.55 * fat, 0.1), (0, 0.105))
    z = fat
    parts = [lathe(grip, c, (start, 0, z), X)]
    parts += [
        box((0.03, 0.003, 0.003), (start + 0.03, fat * cos(radians(a)), z + fat * sin(radians(a))), contrast(c), (a, 0, 0))
        for a in (30, 90, 150)
    ]
    parts += [
        rod((start + 0.1, 0, z), (half - 0.02, 0, z), 0.0065, _BRIGHT_STEEL),
        bar(((half - 0.025, 0.006, 0.005, 0), (half, 0.011, 0.0025, 0)), IRON, (0, 0, z)),
    ]
    return lying(parts, half, fat, 2 * fat, 0.15)


def screwdriver(c: Vec) -> Form:
    return _screwdriver(c, 0.13, 0.02)


def screwdriver_stubby(c: Vec) -> Form:
    return _screwdriver(c, 0.07, 0.026)


def screwdriver_tee(c: Vec) -> Form:
    """A cross handle."""
    parts = [
        rod((-0.1, -0.06, 0.017), (-0.1, 0.06, 0.017), 0.017, c),
        rod((-0.1, 0, 0.017), (0.11, 0, 0.017), 0.007, _BRIGHT_STEEL),
        bar(((0.1, 0.005, 0.004, 0), (0.13, 0.011, 0.0025, 0)), IRON, (0, 0, 0.017)),
    ]
    return lying(parts, 0.125, 0.06, 0.034, 0.2)


def _jaw(x: float, way: float, wide: float, metal: Vec) -> list[Part]:
    """An open jaw at ``x`` that points to ``way`` (±1) along x."""
    out = [disc(0.72 * wide, 0.016, (x, 0, 0.002), metal)]
    out += [
        bar(
            ((0, 0.36 * wide, 0.008, 0), (0.75 * wide, 0.38 * wide, 0.008, 0), (1.25 * wide, 0.2 * wide, 0.008, 0)),
            metal,
            (x, s * 0.72 * wide, 0.01),
            90.0 - 90.0 * way + s * way * 8.0,
        )
        for s in (-1, 1)
    ]
    return out


def wrench(c: Vec) -> Form:
    """An open-ended spanner with a jaw at both ends; colour on its shaft."""
    parts = [
        bar(((-0.1, 0.014, 0.007, 0.2), (0.1, 0.014, 0.007, 0.2)), _BRIGHT_STEEL, (0, 0, 0.01)),
        box((0.06, 0.011, 0.002), (0, 0, 0.017), c),
    ]
    parts += [*_jaw(-0.105, -1.0, 0.03, _BRIGHT_STEEL), *_jaw(0.105, 1.0, 0.036, _BRIGHT_STEEL)]
    return lying(parts, 0.148, 0.04, 0.018, 0.3)


def wrench_ring(c: Vec) -> Form:
    """A jaw at one end, a ring at the other."""
    parts = [
        bar(((-0.09, 0.014, 0.007, 0.2), (0.1, 0.014, 0.007, 0.2)), c, (0, 0, 0.01)),
        ring(0.026, 0.011, (-0.115, 0, 0.01), _BRIGHT_STEEL),
        *_jaw(0.105, 1.0, 0.034, _BRIGHT_STEEL),
    ]
    return lying(parts, 0.15, 0.038, 0.02, 0.3)


def wrench_adjustable(c: Vec) -> Form:
    """A rubber-sleeved handle and a square moving jaw."""
    parts = [
        bar(((-0.15, 0.017, 0.01, 0.5), (-0.03, 0.019, 0.011, 0.5)), c, (0, 0, 0.012)),
        bar(((-0.04, 0.015, 0.007, 0), (0.07, 0.017, 0.007, 0)), STEEL, (0, 0, 0.012)),
    ]
    parts += [
        box((0.03, 0.036, 0.009), (0.088, -0.006, 0.012), STEEL),
        box((0.03, 0.011, 0.009), (0.13, -0.032, 0.012), STEEL),
        box((0.026, 0.012, 0.01), (0.128, 0.02, 0.012), IRON),
        disc(0.011, 0.004, (0.08, 0.012, 0.02), IRON),
    ]
    return lying(parts, 0.155, 0.044, 0.024, 0.35)


def _drill(c: Vec, battery: float, long: float) -> Form:
    """A pistol standing on its battery."""
    accent = DARK if brightness(c) > 0.2 else STEEL
    body = [(0, 0), (0.03, 0), (0.038, 0.02), (0.038, long - 0.04), (0.028, long), (0, long)]
    parts = [
        lathe(body, c, (-0.085, 0, 0.165), X),
        lathe(((0, 0), (0.026, 0), (0.02, 0.035), (0.008, 0.045), (0, 0.045)), IRON, (-0.087 + long, 0, 0.165), X),
    ]
    parts += [
        rod((-0.05 + long, 0, 0.165), (0.005 + long, 0, 0.165), 0.006, _BRIGHT_STEEL, 0.004),
        box((0.012, 0.0395, 0.012), (-0.045, 0, 0.165), accent),
    ]
    parts.append(loft(((0, 0.026, 0.022, 0.5), (0.11, 0.024, 0.02, 0.5)), accent, (-0.034, 0, 0.03), facing(180.0, 8.0)))
    parts += [
        box((0.05, 0.034, 0.02), (-0.03, 0, 0.02), c),
        box((0.051, 0.035, battery), (-0.03, 0, battery), DARK if c != DARK else IRON),
        box((0.008, 0.01, 0.014), (-0.005, 0, 0.115), contrast(accent)),
    ]
    return lying(parts, 0.085, 0.038, 0.205, 1.2)


def drill(c: Vec) -> Form:
    return _drill(c, 0.012, 0.135)


def drill_compact(c: Vec) -> Form:
    return _drill(c, 0.009, 0.105)


def drill_corded(c: Vec) -> Form:
    base = _drill(c, 0.008, 0.15)
    cord = [rod((-0.05, 0, 0.02), (-0.09, 0.02, 0.008), 0.006, DARK), ring(0.03, 0.006, (-0.07, 0.05, 0.007), DARK)]
    return Form((*base.parts, *cord), base.solid, base.mass)


def clamp(c: Vec) -> Form:
    """A C clamp lying: the frame, a screw through one arm, a cross handle."""
    frame = [
        box((0.065, 0.012, 0.011), (0, 0.06, 0.012), c),
        *(box((0.012, 0.05, 0.011), (s * 0.058, 0.02, 0.012), c) for s in (-1, 1)),
        box((0.016, 0.016, 0.012), (0.058, -0.03, 0.012), c),
        box((0.016, 0.016, 0.012), (-0.058, -0.03, 0.012), c),
    ]
    screw = [
        rod((0.12, -0.03, 0.012), (-0.015, -0.03, 0.012), 0.007, _BRIGHT_STEEL),
        rod((-0.015, -0.03, 0.012), (-0.026, -0.03, 0.012), 0.016, IRON),
        rod((0.115, -0.068, 0.012), (0.115, 0.008, 0.012), 0.006, _BRIGHT_STEEL),
    ]
    return lying([*(moved(p, -0.02) for p in (*frame, *screw))], 0.1, 0.07, 0.024, 0.5)


def clamp_spring(c: Vec) -> Form:
    """Two crossing jaws with sleeved grips, like a large clothes peg."""
    parts: list[Part] = []
    for s in (-1.0, 1.0):
        parts.append(
            bar(((-0.03, 0.013, 0.011, 0.2), (0.05, 0.012, 0.01, 0.2), (0.095, 0.014, 0.01, 0.2)), IRON, (0, s * 0.014, 0.012), -4.0 * s)
        )
        parts.append(bar(((-0.12, 0.013, 0.012, 0.6), (-0.02, 0.015, 0.012, 0.6)), c, (0.0, s * 0.008, 0.012), -17.0 * s))
        parts.append(box((0.012, 0.008, 0.012), (0.088, s * 0.012, 0.012), c))
    parts.append(disc(0.016, 0.024, (-0.005, 0, 0.001), _BRIGHT_STEEL))
    return lying([moved(p, 0.01) for p in parts], 0.112, 0.05, 0.024, 0.3)


def clamp_bar(c: Vec) -> Form:
    """A long bar with two arms."""
    parts = [
        box((0.14, 0.009, 0.008), (0, 0.04, 0.012), STEEL),
        box((0.012, 0.05, 0.012), (0.12, 0, 0.012), c),
        box((0.014, 0.05, 0.012), (-0.03, 0, 0.012), c),
    ]
    parts += [
        rod((-0.1, -0.035, 0.012), (0.03, -0.035, 0.012), 0.006, _BRIGHT_STEEL),
        rod((-0.15, -0.035, 0.012), (-0.09, -0.035, 0.012), 0.014, WOOD),
        box((0.008, 0.018, 0.013), (0.104, -0.035, 0.013), DARK),
    ]
    return lying(parts, 0.145, 0.055, 0.024, 0.6)


def _padlock(c: Vec, wide: float, high: float, rounded: float) -> Form:
    body = bar(((-high / 2, wide, 0.016, rounded), (high / 2, wide, 0.016, rounded)), c, (-0.024, 0, 0.017))
    bow = 0.62 * wide
    shackle = [ring(bow, 0.0085, (-0.024 + high / 2 + 0.02, 0, 0.017), _BRIGHT_STEEL, high=0.009)]
    shackle += [
        rod((-0.024 + high / 2 - 0.005, s * bow, 0.017), (-0.024 + high / 2 + 0.02, s * bow, 0.017), 0.0085, _BRIGHT_STEEL) for s in (-1, 1)
    ]
    hole = [disc(0.008, 0.002, (-0.024, 0, 0.033), contrast(c)), box((0.012, 0.003, 0.001), (-0.036, 0, 0.034), contrast(c))]
    trim = [box((0.005, wide + 0.001, 0.0165), (-0.024 + s * 0.8 * high / 2, 0, 0.0175), mix(c, DARK, 0.45)) for s in (-1, 1)]
    return lying([body, *shackle, *hole, *trim], (high / 2 + 0.024 + 0.05) * 0.9, wide, 0.034, 0.3)


def padlock(c: Vec) -> Form:
    return _padlock(c, 0.046, 0.076, 0.15)


def padlock_round(c: Vec) -> Form:
    return _padlock(c, 0.052, 0.068, 0.7)


def padlock_long(c: Vec) -> Form:
    return _padlock(c, 0.038, 0.1, 0.1)


LINES = {
    "scissors": line(
        "red blue black orange green", "magenta teal", {"closed": scissors, "open": scissors_open}, {"shears": scissors_shears}
    ),
    "hammer": line("brown red blue yellow", "teal olive", {"claw": hammer, "mallet": hammer_wooden}, {"sledge": hammer_sledge}),
    "screwdriver": line(
        "red yellow blue green orange", "magenta lime", {"long": screwdriver, "stubby": screwdriver_stubby}, {"tee": screwdriver_tee}
    ),
    "wrench": line("red blue yellow black", "teal magenta", {"open": wrench, "ring": wrench_ring}, {"adjustable": wrench_adjustable}),
    "drill": line("yellow blue red green orange", "teal lime", {"long": drill, "compact": drill_compact}, {"corded": drill_corded}),
    "clamp": line("red blue orange green", "teal magenta", {"screw": clamp, "spring": clamp_spring}, {"bar": clamp_bar}),
    "padlock": line("yellow silver black red blue", "gold teal", {"square": padlock, "round": padlock_round}, {"long": padlock_long}),
}
