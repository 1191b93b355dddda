"""What lies on a desk: cards, pens, discs and alarm clocks."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import Form, X, box, cap, disc, dome, facing, lathe, loft, lying, moved, rod, standing
from .line import line
from .palette import BRASS, DARK, GOLD, IRON, STEEL, WHITE, brightness, contrast, mix, tone


def _card(c: Vec, x: float, y: float) -> list[Part]:
    return [loft(((0, x, y, 0.2), (0.006, x, y, 0.2)), c)]


def credit_card(c: Vec) -> Form:
    """Chip, number and mark on the front."""
    x, y, z = 0.062, 0.041, 0.0065
    ink = contrast(c)
    parts = [
        *_card(c, x, y),
        box((0.012, 0.009, 0.001), (-0.036, 0.01, z), GOLD),
        *(box((0.0095, 0.0035, 0.0008), (-0.039 + 0.026 * i, -0.01, z), ink) for i in range(4)),
        box((0.022, 0.003, 0.0008), (-0.027, -0.026, z), ink),
    ]
    parts += [cap(0.011, (0.038, -0.026, z + 0.0006), (0.95, 0.25, 0.15)), cap(0.011, (0.05, -0.026, z + 0.001), (0.98, 0.7, 0.15))]
    return lying(parts, x, y, 0.0176, 0.02)


def credit_card_back(c: Vec) -> Form:
    """Lying on its face: magnetic strip and signature field."""
    x, y, z = 0.062, 0.041, 0.0065
    return lying(
        [
            *_card(c, x, y),
            box((x, 0.0095, 0.0008), (0, 0.02, z), DARK if brightness(c) > 0.2 else IRON),
            box((0.036, 0.007, 0.0008), (-0.018, -0.006, z), WHITE),
            box((0.014, 0.003, 0.0008), (0.04, -0.027, z), contrast(c)),
        ],
        x,
        y,
        0.0176,
        0.02,
    )


def credit_card_fan(c: Vec) -> Form:
    """Two, one over the other."""
    first = credit_card(c)
    other = mix(c, WHITE, 0.6) if brightness(c) < 0.6 else tone(c, 0.45)
    second = [
        loft(((0, 0.062, 0.041, 0.2), (0.004, 0.062, 0.041, 0.2)), other, (0.012, 0.014, 0.0), (0, 0, 28)),
        box((0.05, 0.009, 0.0006), (0.006, 0.034, 0.0044), DARK, (0, 0, 28)),
    ]
    return lying([*(moved(p, 0, -0.008, 0.005) for p in first.parts), *second], 0.068, 0.058, 0.0176, 0.04)


def pen(c: Vec) -> Form:
    """A ball pen: clip, button, metal tip."""
    z = 0.0145
    parts = [
        rod((-0.085, 0, z), (0.068, 0, z), z, c),
        rod((0.068, 0, z), (0.102, 0, z), 0.013, STEEL, 0.002),
        rod((-0.106, 0, z), (-0.085, 0, z), 0.008, STEEL),
        box((0.032, 0.004, 0.002), (-0.054, 0, 2 * z + 0.002), STEEL),
        rod((-0.014, 0, z), (-0.003, 0, z), z + 0.0008, STEEL),
    ]
    return lying(parts, 0.103, z, 2 * z, 0.03)


def pen_pencil(c: Vec) -> Form:
    """A pencil: sharpened wood at one end, rubber at the other."""
    z = 0.0135
    parts = [
        rod((-0.078, 0, z), (0.068, 0, z), z, c),
        rod((0.068, 0, z), (0.098, 0, z), z, (0.93, 0.76, 0.52), 0.004),
        rod((0.095, 0, z), (0.108, 0, z), 0.0045, DARK, 0.0005),
        rod((-0.09, 0, z), (-0.078, 0, z), z + 0.0005, GOLD),
        rod((-0.106, 0, z), (-0.09, 0, z), z - 0.0005, (0.98, 0.5, 0.6)),
    ]
    return lying(parts, 0.106, z, 2 * z, 0.02)


def pen_marker(c: Vec) -> Form:
    """A fat marker: white body, coloured cap and plug."""
    z = 0.016
    parts = [
        rod((-0.07, 0, z), (0.025, 0, z), z, WHITE),
        rod((0.02, 0, z), (0.085, 0, z), z + 0.001, c, z - 0.003),
        rod((-0.08, 0, z), (-0.068, 0, z), z - 0.002, c),
        box((0.024, 0.003, 0.003), (0.045, 0, 2 * z + 0.002), tone(c, 0.75)),
        lathe(((z + 0.0008, -0.008), (z + 0.0008, 0.008)), c, (-0.025, 0, z), X),
    ]
    return lying(parts, 0.083, z, 2 * z, 0.04)


def _compact(c: Vec, r: float, at: Vec = (0.0, 0.0, 0.0)) -> list[Part]:
    """A disc: silver edge, coloured print with a clear middle and a hole."""
    x, y, z = at
    shine: Vec = (0.86, 0.88, 0.94)
    parts = [
        lathe(((0.011, 0), (r, 0), (r, 0.005), (0.011, 0.005), (0.011, 0)), shine, (x, y, z)),
        lathe(((0.86 * r, 0.0056), (0.38 * r, 0.0056)), c, (x, y, z)),
        lathe(((0.7 * r, 0.0062), (0.62 * r, 0.0062)), mix(c, WHITE, 0.6), (x, y, z)),
    ]
    return [*parts, box((0.3 * r, 0.05 * r, 0.0005), (x, y + 0.52 * r, z + 0.0066), contrast(c))]


def cd(c: Vec) -> Form:
    """A bare disc, print up."""
    return standing(_compact(c, 0.07), 0.07, 0.0176, 0.03)


def cd_case(c: Vec) -> Form:
    """In an open case."""
    parts = [
        box((0.078, 0.072, 0.004), (0, 0, 0.004), DARK),
        box((0.006, 0.072, 0.006), (-0.076, 0, 0.008), IRON),
        *_compact(c, 0.064, (0.004, 0, 0.008)),
    ]
    return lying([*parts, box((0.076, 0.07, 0.003), (0, 0, 0.0015), c)], 0.08, 0.072, 0.018, 0.1)


def cd_spindle(c: Vec) -> Form:
    """A pile on a spindle."""
    pile = lathe(((0, 0.008), (0.066, 0.008), (0.064, 0.016), (0.067, 0.024), (0.064, 0.034), (0.067, 0.044), (0, 0.044)), (0.8, 0.83, 0.9))
    return standing(
        [disc(0.07, 0.008, (0, 0, 0), DARK), pile, *_compact(c, 0.067, (0, 0, 0.044))[1:3], rod((0, 0, 0.04), (0, 0, 0.062), 0.009, DARK)],
        0.07,
        0.06,
        0.2,
    )


def _face(r: float, y: float, z: float, face: Vec, hands: Vec) -> list[Part]:
    """The same dial to the front and to the back, so that it is known from every side."""
    out = []
    for s in (-1.0, 1.0):
        out.append(lathe(((r, 0), (0, 0)), face, (0, s * y, z), (90.0 if s < 0 else -90.0, 0, 0)))
        for turn, n in ((-52.0, 0.5 * r), (48.0, 0.74 * r)):
            a = radians(turn)
            out.append(
                box(
                    (0.0038, 0.0012, n / 2),
                    (round(s * sin(a) * n / 2, 5), s * (y + 0.001), round(z + cos(a) * n / 2, 5)),
                    hands,
                    (0, s * turn, 0),
                )
            )
        out += [
            box((0.004, 0.001, 0.004), (0.82 * r * dx, s * (y + 0.0008), z + 0.82 * r * dz), hands)
            for dx, dz in ((0, 1), (1, 0), (0, -1), (-1, 0))
        ]
    return out


def alarm_clock(c: Vec) -> Form:
    """Round, two bells and a hammer on top, on two feet."""
    z, r = 0.07, 0.056
    parts = [
        lathe(((0, -0.027), (r - 0.004, -0.027), (r, -0.022), (r, 0.022), (r - 0.004, 0.027), (0, 0.027)), c, (0, 0, z), (90, 0, 0)),
        *_face(0.047, 0.0278, z, WHITE, DARK),
    ]
    for s in (-1, 1):
        parts += [
            dome(0.026, 0.022, (s * 0.036, 0, z + 0.05), BRASS, facing(0.0, 32.0 * s)),
            rod((s * 0.028, 0, z - 0.045), (s * 0.045, 0, 0), 0.006, IRON),
        ]
    parts += [rod((0, 0, z + 0.05), (0, 0, z + 0.075), 0.005, IRON), box((0.012, 0.006, 0.006), (0, 0, z + 0.075), IRON)]
    return lying(parts, 0.058, 0.03, 0.145, 0.35)


def alarm_clock_digital(c: Vec) -> Form:
    """A wedge with lit digits and a bar of a button."""
    lean, lit = 13.0, (1.0, 0.22, 0.12)
    parts = [loft(((0, 0.1, 0.046, 0.1), (0.088, 0.092, 0.026, 0.1)), c), box((0.04, 0.013, 0.005), (0, 0, 0.091), contrast(c))]
    for s in (-1, 1):
        euler: Vec = (s * lean, 0, 0)
        parts.append(box((0.085, 0.0012, 0.033), (0, s * 0.0372, 0.044), (0.04, 0.03, 0.03), euler))
        for x, digit in ((-0.056, "1"), (-0.024, "0"), (0.026, "0"), (0.058, "7")):
            parts += [
                box((hx, 0.001, hz), (-s * (x + dx), round(s * (0.0388 - 0.23 * dz), 5), 0.044 + dz), lit, euler, emission=0.9)
                for dx, dz, hx, hz in _DIGITS[digit]
            ]
        parts += [
            box((0.0035, 0.001, 0.0035), (0, round(s * (0.0388 - 0.23 * dz), 5), 0.044 + dz), lit, euler, emission=0.9)
            for dz in (-0.01, 0.01)
        ]
    return lying(parts, 0.1, 0.046, 0.092, 0.3)


_DIGITS: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "1": ((0.0, 0.0, 0.0045, 0.023),),
    "0": ((-0.0105, 0.0, 0.004, 0.023), (0.0105, 0.0, 0.004, 0.023), (0.0, 0.019, 0.01, 0.004), (0.0, -0.019, 0.01, 0.004)),
    "7": ((0.0105, 0.0, 0.004, 0.023), (-0.001, 0.019, 0.011, 0.004)),
}
"""Bars (x, z, half x, half z) of each digit."""


def alarm_clock_square(c: Vec) -> Form:
    """A travel clock: a square case on a stand."""
    z = 0.058
    parts = [
        loft(((-0.02, 0.054, 0.054, 0.25), (0.02, 0.054, 0.054, 0.25)), c, (0, 0, z), (90, 0, 0)),
        *_face(0.044, 0.0206, z, WHITE if brightness(c) < 0.85 else (0.2, 0.22, 0.3), contrast(WHITE if brightness(c) < 0.85 else DARK)),
        box((0.016, 0.008, 0.008), (0, 0, 0.118), (0.9, 0.2, 0.1)),
        box((0.045, 0.03, 0.005), (0, 0, 0.005), tone(c, 0.6)),
    ]
    return lying(parts, 0.055, 0.03, 0.122, 0.3)


LINES = {
    "credit_card": line(
        "blue red green black yellow", "gold teal", {"front": credit_card, "back": credit_card_back}, {"two": credit_card_fan}
    ),
    "pen": line("red blue black green yellow", "magenta teal", {"ball": pen, "pencil": pen_pencil}, {"marker": pen_marker}),
    "cd": line("blue red green orange purple", "teal magenta", {"disc": cd, "case": cd_case}, {"spindle": cd_spindle}),
    "alarm_clock": line(
        "red blue green black yellow", "teal coral", {"bells": alarm_clock, "digital": alarm_clock_digital}, {"travel": alarm_clock_square}
    ),
}
