"""Linen: pillows, towels and cloths."""

from __future__ import annotations

from ..spec import Part, Vec
from .forms import Form, X, bar, blot, box, disc, facing, lathe, loft, lying, ring, standing
from .line import line
from .palette import WHITE, brightness, mix, tone


def _pale_twin(c: Vec) -> Vec:
    """A second colour to go with ``c``: lighter, or darker where ``c`` is light itself."""
    return mix(c, WHITE, 0.65) if brightness(c) < 0.7 else tone(c, 0.6)


def _stains(spots: tuple[tuple[float, float, float], ...], size: float, on: Vec) -> list[Part]:
    return [blot(at, (0.4 * at[0], 0.4 * at[1], 0.12), size * (1.0, 0.8, 0.65)[i % 3], on) for i, at in enumerate(spots)]


def _pillow(c: Vec, x: float, y: float, z: float, roundness: float, texture: str) -> Form:
    # the seam stands out, the belly bulges: corners stay flat
    skin = (
        (-z, 0.4 * x, 0.4 * y, 0.9),
        (-0.6 * z, 0.78 * x, 0.78 * y, 0.6),
        (-0.1 * z, x, y, roundness),
        (0.1 * z, x, y, roundness),
        (0.6 * z, 0.78 * x, 0.78 * y, 0.6),
        (z, 0.4 * x, 0.4 * y, 0.9),
    )
    parts = [loft(skin, c, (0, 0, z), texture=texture), box((0.97 * x, 0.97 * y, 0.004), (0, 0, z), _pale_twin(c))]
    dirty = _stains(
        (
            (0.3 * x, 0.1 * y, 2 * z - 0.006),
            (-0.4 * x, -0.35 * y, 2 * z - 0.012),
            (-0.2 * x, 0.5 * y, 2 * z - 0.014),
            (0.55 * x, -0.5 * y, 2 * z - 0.022),
        ),
        0.056,
        c,
    )
    return lying([*parts, *dirty], 0.93 * x, 0.93 * y, 1.9 * z, 0.4)


def pillow(c: Vec) -> Form:
    return _pillow(c, 0.165, 0.12, 0.055, 0.25, "fabric")


def pillow_square(c: Vec) -> Form:
    return _pillow(c, 0.135, 0.135, 0.055, 0.25, "stripes")


def pillow_round(c: Vec) -> Form:
    """A round cushion with a button."""
    skin = ((0, 0), (0.09, 0.004), (0.135, 0.035), (0.13, 0.06), (0.08, 0.088), (0.02, 0.08), (0, 0.074))
    dirty = _stains(((0.06, 0.02, 0.09), (-0.07, -0.04, 0.088), (-0.03, 0.08, 0.086), (0.02, -0.09, 0.082)), 0.04, c)
    return standing(
        [
            lathe(skin, c, texture="fabric"),
            disc(0.014, 0.006, (0, 0, 0.076), _pale_twin(c)),
            ring(0.132, 0.006, (0, 0, 0.045), _pale_twin(c)),
            *dirty,
        ],
        0.132,
        0.088,
        0.4,
    )


def pillow_bolster(c: Vec) -> Form:
    """A roll with tied ends."""
    skin = ((0, -0.17), (0.03, -0.165), (0.06, -0.14), (0.065, 0), (0.06, 0.14), (0.03, 0.165), (0, 0.17))
    dirty = _stains(((0.07, 0.0, 0.128), (-0.03, 0.02, 0.126), (-0.1, -0.015, 0.124)), 0.04, c)
    bands = [lathe(((0.0655, -0.012), (0.0655, 0.012)), _pale_twin(c), (x, 0, 0.065), X) for x in (-0.11, 0.11)]
    return lying([lathe(skin, c, (0, 0, 0.065), X, texture="fabric"), *bands, *dirty], 0.165, 0.06, 0.13, 0.4)


def towel(c: Vec) -> Form:
    """Folded twice: three layers with a round edge, two stripes."""
    other = _pale_twin(c)
    parts: list[Part] = []
    for i in range(3):
        x, y = 0.125 - 0.004 * i, 0.088 - 0.004 * i
        parts.append(
            loft(
                ((-y, 0.012, x, 0.5), (y, 0.012, x, 0.5)),
                c if i != 1 else tone(c, 0.88),
                (0, 0.002 * i, 0.013 + 0.024 * i),
                facing(90.0, 90.0),
                texture="carpet",
            )
        )
    parts += [box((0.009, 0.082, 0.0125), (s * 0.088, 0.004, 0.0625), other) for s in (-1, 1)]
    return lying(
        [*parts, *_stains(((0.02, 0.02, 0.073), (-0.05, -0.03, 0.073), (0.05, -0.05, 0.073), (-0.03, 0.06, 0.073)), 0.034, c)],
        0.125,
        0.09,
        0.074,
        0.4,
    )


def towel_rolled(c: Vec) -> Form:
    """Rolled up: a spiral at each end."""
    other = _pale_twin(c)
    parts = [
        lathe(((0, -0.12), (0.052, -0.12), (0.055, 0), (0.052, 0.12), (0, 0.12)), c, (0, 0, 0.055), X, texture="carpet"),
        box((0.12, 0.01, 0.012), (0, 0.05, 0.022), tone(c, 0.85)),
    ]
    for s in (-1, 1):
        parts += [ring(r, 0.004, (s * 0.1205, 0, 0.055), other, X) for r in (0.04, 0.02)]
        parts.append(lathe(((0.0558, -0.008), (0.0558, 0.008)), other, (s * 0.08, 0, 0.055), X))
    return lying(
        [*parts, *_stains(((0.03, 0.0, 0.109), (-0.04, 0.01, 0.109), (0.0, -0.03, 0.1), (0.0, 0.03, 0.1)), 0.034, c)],
        0.12,
        0.055,
        0.11,
        0.4,
    )


def towel_stack(c: Vec) -> Form:
    """Two towels, one on the other, with a ribbon around."""
    other = _pale_twin(c)
    parts = [
        loft(((-0.085, 0.021, 0.1, 0.5), (0.085, 0.021, 0.1, 0.5)), rgb, (0, 0, z), facing(90.0, 90.0), texture="carpet")
        for rgb, z in ((c, 0.022), (other, 0.064))
    ]
    parts += [box((0.012, 0.088, 0.044), (0, 0, 0.044), tone(c, 0.6)), box((0.03, 0.014, 0.008), (0, 0, 0.092), tone(c, 0.6), (0, 0, 30))]
    return lying(
        [*parts, *_stains(((0.055, 0.02, 0.086), (-0.055, -0.03, 0.086), (-0.06, 0.05, 0.086)), 0.036, other)], 0.1, 0.087, 0.09, 0.5
    )


def cloth(c: Vec) -> Form:
    """A thin checked square with a corner turned back."""
    other = _pale_twin(c)
    parts = [box((0.1, 0.1, 0.004), (0, 0, 0.004), other)]
    parts += [box((0.1, 0.014, 0.0046), (0, y, 0.0042), c) for y in (-0.07, -0.023, 0.023, 0.07)]
    parts += [box((0.014, 0.1, 0.005), (x, 0, 0.0044), tone(c, 0.8)) for x in (-0.07, -0.023, 0.023, 0.07)]
    parts.append(loft(((0, 0.003, 0.05, 0), (0.05, 0.004, 0.004, 0)), other, (0.062, 0.062, 0.012), facing(225.0, 84.0)))
    return lying(
        [*parts, *_stains(((0.03, 0.02, 0.01), (-0.05, -0.02, 0.01), (0.02, -0.06, 0.01), (-0.04, 0.06, 0.01)), 0.034, other)],
        0.1,
        0.1,
        0.018,
        0.1,
    )


def cloth_crumpled(c: Vec) -> Form:
    """A rag in a heap: ridges over a flat foot, two corners sticking out."""
    other = _pale_twin(c)
    ridge = ((-0.075, 0.012, 0.004, 1), (-0.03, 0.022, 0.016, 1), (0.03, 0.02, 0.014, 1), (0.08, 0.008, 0.004, 1))
    parts = [loft(((0, 0.088, 0.072, 0.5), (0.012, 0.082, 0.066, 0.5), (0.028, 0.045, 0.034, 0.8)), c, texture="checks")]
    parts += [
        bar(ridge, (c, other, tone(c, 0.85))[i], (dx, dy, 0.022 + 0.003 * i), a)
        for i, (dx, dy, a) in enumerate(((0.0, 0.02, 15.0), (-0.01, -0.022, -20.0), (0.006, 0.0, 95.0)))
    ]
    parts += [
        loft(((0, 0.004, 0.032, 0), (0.05, 0.003, 0.003, 0)), other, (s * 0.065, s * 0.045, 0.008), facing(35.0 if s > 0 else 215.0, 76.0))
        for s in (-1, 1)
    ]
    return lying(
        [*parts, *_stains(((0.01, 0.02, 0.042), (-0.05, -0.02, 0.034), (0.05, -0.03, 0.03), (0.0, -0.045, 0.034)), 0.03, c)],
        0.088,
        0.072,
        0.044,
        0.1,
    )


def cloth_folded(c: Vec) -> Form:
    """Folded to a triangle, striped along the edge."""
    other = _pale_twin(c)
    blade = ((-0.005, 0.006, 0.14, 0), (0.13, 0.006, 0.004, 0))
    parts = [
        loft(blade, c, (0, -0.05, 0.007), facing(90.0, 90.0)),
        box((0.13, 0.008, 0.0085), (0, -0.045, 0.008), other),
        loft(((0.02, 0.007, 0.095, 0), (0.1, 0.007, 0.004, 0)), other, (0, -0.05, 0.0072), facing(90.0, 90.0)),
        loft(((0.032, 0.0075, 0.07, 0), (0.09, 0.0075, 0.003, 0)), c, (0, -0.05, 0.0074), facing(90.0, 90.0)),
    ]
    return lying(
        [*parts, *_stains(((0.0, 0.0, 0.014), (-0.06, -0.03, 0.014), (0.06, -0.03, 0.014), (0.0, 0.04, 0.014)), 0.03, c)],
        0.13,
        0.06,
        0.018,
        0.1,
    )


LINES = {
    "pillow": line(
        "white red blue yellow purple green",
        "teal coral lavender",
        {"long": pillow, "square": pillow_square, "round": pillow_round},
        {"bolster": pillow_bolster},
    ),
    "towel": line("white blue pink green orange", "teal lavender", {"folded": towel, "rolled": towel_rolled}, {"pair": towel_stack}),
    "cloth": line("red blue green yellow", "teal coral", {"flat": cloth, "crumpled": cloth_crumpled}, {"triangle": cloth_folded}),
}
