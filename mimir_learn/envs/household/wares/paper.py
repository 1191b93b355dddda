"""Paper and cardboard: books, newspapers, tissue boxes, and boxes that hold things."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Region, Vec
from .forms import Form, X, bar, box, facing, lathe, loft, lying, ring, rod, standing, vessel
from .line import line
from .palette import DARK, PAPER, WHITE, WOOD, brightness, contrast, mix, tone

_INK: Vec = (0.24, 0.24, 0.26)

_NEWSPRINT: Vec = (0.85, 0.84, 0.8)


def _closed(c: Vec, x: float, y: float, z: float, at: Vec = (0.0, 0.0, 0.0), turn: float = 0.0) -> list[Part]:
    """A book lying on its back cover: two boards, pages between them, a rounded spine at −x."""
    w, d = cos(radians(turn)), sin(radians(turn))

    def to(px: float, py: float, pz: float) -> Vec:
        return (round(at[0] + w * px - d * py, 5), round(at[1] + d * px + w * py, 5), round(at[2] + pz, 5))

    euler: Vec = (0.0, 0.0, turn)
    return [
        box((x, y, 0.0035), to(0, 0, 0.0035), c, euler),
        box((x, y, 0.0035), to(0, 0, 2 * z - 0.0035), c, euler),
        box((0.97 * x, 0.95 * y, z - 0.004), to(0.012 - 0.02 * x, 0, z), PAPER, euler),
        box((0.006, y, z), to(-x, 0, z), tone(c, 0.75), euler),
    ]


def book(c: Vec) -> Form:
    """Closed, a title on its cover."""
    x, y, z = 0.078, 0.11, 0.019
    print_ = contrast(c)
    title = [
        box((0.045, 0.009, 0.001), (0.006, 0.06, 2 * z), print_),
        box((0.033, 0.006, 0.001), (0.006, 0.034, 2 * z), print_),
        box((0.036, 0.034, 0.001), (0.006, -0.045, 2 * z), mix(c, print_, 0.5)),
    ]
    return lying([*_closed(c, x, y, z), *title], x, y, 2 * z, 0.5)


def book_thick(c: Vec) -> Form:
    """A tome with bands on its spine and corners."""
    x, y, z = 0.075, 0.1, 0.032
    gold: Vec = (0.9, 0.72, 0.25)
    trim = [box((0.0085, 0.006, z + 0.001), (-x, s, z), gold) for s in (-0.06, -0.02, 0.02, 0.06)]
    trim += [box((0.017, 0.017, 0.001), (sx * 0.058, sy * 0.083, 2 * z), gold) for sx in (-1, 1) for sy in (-1, 1)] + [
        box((0.03, 0.03, 0.001), (0, 0, 2 * z), gold, (0, 0, 45))
    ]
    return lying([*_closed(c, x, y, z), *trim], x, y, 2 * z, 0.9)


def book_open(c: Vec) -> Form:
    """Open, face up: two leaves of print."""
    parts: list[Part] = []
    for s in (-1.0, 1.0):
        parts.append(box((0.078, 0.1, 0.004), (s * 0.08, 0, 0.005), c))
        parts.append(
            bar(
                ((-0.072, 0.094, 0.012, 0), (-0.02, 0.094, 0.014, 0), (0.074, 0.094, 0.003, 0))
                if s > 0
                else ((-0.074, 0.094, 0.003, 0), (0.02, 0.094, 0.014, 0), (0.072, 0.094, 0.012, 0)),
                PAPER,
                (s * 0.078, 0, 0.013),
            )
        )
        lines = [(0.055, 0.05), (0.02, 0.05), (-0.015, 0.05), (-0.05, 0.035)]
        parts += [box((w, 0.006, 0.0015), (s * 0.085, y, 0.024), _INK, (0, s * 5, 0)) for y, w in lines]
    return lying(parts, 0.156, 0.1, 0.028, 0.6)


def book_pair(c: Vec) -> Form:
    """Two, tied together with a strap."""
    other = mix(c, WHITE, 0.55) if brightness(c) < 0.6 else tone(c, 0.5)
    strap = [box((0.086, 0.009, 0.035), (0, 0, 0.0352), DARK), box((0.009, 0.106, 0.035), (0, 0, 0.0352), DARK)]
    return lying(
        [*_closed(c, 0.08, 0.105, 0.018), *_closed(other, 0.074, 0.098, 0.016, (0, 0, 0.036), 4.0), *strap], 0.082, 0.106, 0.07, 0.9
    )


def newspaper(c: Vec) -> Form:
    """Folded: a headline, columns, one picture."""
    parts = [
        loft(((-0.1, 0.009, 0.135, 0.5), (0.1, 0.009, 0.135, 0.3)), _NEWSPRINT, (0, 0, 0.009), facing(90.0, 90.0)),
        box((0.13, 0.094, 0.001), (0.003, -0.004, 0.0185), WHITE),
    ]
    parts += [box((0.115, 0.013, 0.0005), (0, 0.07, 0.0202), _INK), box((0.045, 0.034, 0.0005), (-0.068, -0.005, 0.0202), c)]
    parts += [box((0.05, 0.0045, 0.0005), (0.058, 0.035 - 0.02 * i, 0.0202), _INK) for i in range(6)]
    parts += [box((0.045, 0.0045, 0.0005), (-0.068, -0.058 - 0.02 * i, 0.0202), _INK) for i in range(2)]
    return lying(parts, 0.135, 0.1, 0.02, 0.2)


def newspaper_rolled(c: Vec) -> Form:
    """Rolled up in a band."""
    z = 0.032
    parts = [rod((-0.15, 0, z), (0.15, 0, z), z, _NEWSPRINT), lathe(((z + 0.001, -0.015), (z + 0.001, 0.015)), c, (0, 0, z), X)]
    for s in (-1, 1):
        parts += [ring(r, 0.002, (s * 0.1505, 0, z), _INK, X) for r in (0.022, 0.011)]
    parts += [
        box((0.03, 0.003, 0.0012), (x, y, z + (z * z - y * y) ** 0.5), _INK, (round(-57.3 * y / z, 1), 0, 0))
        for x in (-0.09, 0.09)
        for y in (-0.022, -0.011, 0.0, 0.011, 0.022)
    ]
    parts.append(box((0.15, 0.012, 0.002), (0, z, 0.016), _NEWSPRINT, (70, 0, 0)))
    return lying(parts, 0.15, z, 2 * z, 0.2)


def newspaper_open(c: Vec) -> Form:
    """Spread out: two pages, a crease."""
    parts = [box((0.085, 0.125, 0.003), (s * 0.084, 0, 0.008), WHITE if s > 0 else _NEWSPRINT, (0, s * 3.0, 0)) for s in (-1, 1)]
    for s in (-1, 1):
        parts += [box((0.066, 0.009, 0.0015), (s * 0.086, 0.1, 0.011), _INK, (0, s * 3.0, 0))]
        parts += [
            box((0.03, 0.004, 0.0015), (s * 0.086 + dx, 0.07 - 0.022 * i, 0.011), _INK, (0, s * 3.0, 0))
            for dx in (-0.036, 0.036)
            for i in range(7)
            if (s, dx > 0) != (1, True) or i > 3
        ]
    parts.append(box((0.032, 0.034, 0.0018), (0.122, 0.042, 0.0095), c, (0, 3.0, 0)))
    return lying(parts, 0.165, 0.125, 0.018, 0.2)


def tissue_box(c: Vec) -> Form:
    """A flat carton with an oval slot and a tissue sticking out."""
    parts = [
        box((0.105, 0.058, 0.036), (0, 0, 0.036), c),
        loft(((0, 0.05, 0.022, 1), (0.001, 0.05, 0.022, 1)), tone(c, 0.35), (0, 0, 0.072)),
        *_tissue(0.07),
    ]
    return lying([*parts, box((0.106, 0.0585, 0.005), (0, 0, 0.016), mix(c, WHITE, 0.6))], 0.105, 0.058, 0.085, 0.2)


def _tissue(z: float) -> list[Part]:
    blade = ((0, 0.008, 0.03, 0.4), (0.02, 0.012, 0.024, 0.4), (0.045, 0.006, 0.04, 0.2), (0.058, 0.002, 0.012, 0.2))
    return [
        loft(blade, WHITE, (-0.005, 0, z), (0, 14, 90)),
        loft(((0, 0.006, 0.02, 0.4), (0.05, 0.003, 0.024, 0.2)), (0.9, 0.92, 0.95), (0.006, 0, z), (0, -22, 70)),
    ]


def tissue_box_cube(c: Vec) -> Form:
    """A cube of a box, a tissue on top."""
    parts = [
        box((0.06, 0.06, 0.06), (0, 0, 0.06), c),
        loft(((0, 0.036, 0.036, 1), (0.001, 0.036, 0.036, 1)), tone(c, 0.35), (0, 0, 0.12)),
        *_tissue(0.118),
    ]
    return lying([*parts, *(box((0.0605, 0.0605, 0.006), (0, 0, z), mix(c, WHITE, 0.6)) for z in (0.03, 0.09))], 0.06, 0.06, 0.13, 0.2)


def tissue_box_drum(c: Vec) -> Form:
    """A round box."""
    body = lathe(((0, 0), (0.06, 0), (0.06, 0.11), (0.034, 0.114), (0.03, 0.1), (0, 0.1)), c)
    return standing([body, lathe(((0.0608, 0.02), (0.0608, 0.04)), mix(c, WHITE, 0.6)), *_tissue(0.1)], 0.06, 0.12, 0.2)


def _walls(x: float, y: float, h: float, c: Vec, texture: str = "", thick: float = 0.005, inner: Vec | None = None) -> list[Part]:
    """A floor and four walls."""
    dark = tone(c, 0.6) if inner is None else inner
    out = [box((x, y, 0.005), (0, 0, 0.005), dark)]
    for s in (-1, 1):
        out.append(box((thick, y, h / 2), (s * (x - thick), 0, h / 2), c, texture=texture))
        out.append(box((x, thick, h / 2), (0, s * (y - thick), h / 2), tone(c, 0.92), texture=texture))
    return out


def carton(c: Vec) -> Form:
    """An open carton, its four flaps out, taped."""
    x, y, h = 0.125, 0.1, 0.115
    flap = tone(c, 1.12)
    parts = _walls(x, y, h, c)
    for s in (-1, 1):
        parts.append(box((0.026, y - 0.006, 0.0025), (s * (x + 0.018), 0, h + 0.012), flap, (0, -s * 32, 0)))
        parts.append(box((x - 0.006, 0.026, 0.0025), (0, s * (y + 0.018), h + 0.012), flap, (s * 32, 0, 0)))
        parts.append(box((0.018, 0.001, 0.035), (0, s * (y + 0.0005), 0.035), mix(c, WHITE, 0.6)))
    return lying(parts, x + 0.008, y + 0.008, h, 0.4, Region((0, 0, 0.01), (x - 0.011, y - 0.011), h - 0.01))


def crate(c: Vec) -> Form:
    """A slatted crate on corner posts; the colour is its stencil and rim."""
    x, y, h = 0.13, 0.095, 0.11
    timber = tone(WOOD, 1.15)
    parts = [box((x, y, 0.005), (0, 0, 0.005), tone(timber, 0.6))]
    for z in (0.022, 0.058, 0.094):
        rgb = c if z > 0.09 else timber
        parts += [box((x, 0.004, 0.013), (0, s * (y - 0.004), z), rgb, texture="wood") for s in (-1, 1)]
        parts += [box((0.004, y, 0.013), (s * (x - 0.004), 0, z), tone(rgb, 0.92), texture="wood") for s in (-1, 1)]
    parts += [
        box((0.008, 0.008, h / 2), (sx * (x - 0.013), sy * (y - 0.013), h / 2), tone(timber, 0.8)) for sx in (-1, 1) for sy in (-1, 1)
    ]
    return lying(parts, x, y, h, 0.8, Region((0, 0, 0.01), (x - 0.022, y - 0.022), h - 0.01))


def basket(c: Vec) -> Form:
    """A plastic basket with a thick rim and grips at its ends."""
    x, y, h = 0.13, 0.095, 0.1
    parts = _walls(x, y, h, c, inner=tone(c, 0.55))
    parts += [box((0.011, y + 0.008, 0.008), (s * x, 0, h - 0.004), tone(c, 1.15)) for s in (-1, 1)] + [
        box((x + 0.008, 0.011, 0.008), (0, s * y, h - 0.004), tone(c, 1.15)) for s in (-1, 1)
    ]
    parts += [box((0.001, 0.028, 0.012), (s * (x + 0.0005), 0, h - 0.035), DARK) for s in (-1, 1)]
    parts += [box((0.008, 0.001, 0.018), (dx, s * (y + 0.0005), 0.045), DARK) for s in (-1, 1) for dx in (-0.08, -0.04, 0.0, 0.04, 0.08)]
    return lying(parts, x + 0.006, y + 0.006, h, 0.4, Region((0, 0, 0.01), (x - 0.012, y - 0.012), h - 0.01))


def hatbox(c: Vec) -> Form:
    """A round box without its lid, a ribbon around it."""
    outer = ((0, 0), (0.12, 0), (0.12, 0.115))
    ribbon = mix(c, WHITE, 0.65) if brightness(c) < 0.7 else tone(c, 0.55)
    parts = [*vessel(outer, 0.008, c, tone(c, 0.6), 0.005, texture="stripes"), lathe(((0.1212, 0.04), (0.1212, 0.066)), ribbon)]
    parts += [box((0.034, 0.009, 0.013), (0.018 * t, s * 0.124, 0.056), ribbon, (0, 30 * t, 0)) for s in (-1, 1) for t in (-1, 1)]
    return standing(parts, 0.122, 0.115, 0.3, Region((0, 0, 0.008), (0.08, 0.08), 0.107))


LINES = {
    "book": line(
        "red green blue purple black orange white",
        "navy teal maroon",
        {"closed": book, "tome": book_thick, "open": book_open},
        {"pair": book_pair},
    ),
    "newspaper": line("grey red blue green", "teal maroon", {"folded": newspaper, "rolled": newspaper_rolled}, {"open": newspaper_open}),
    "tissue_box": line(
        "blue green pink purple orange", "teal coral", {"flat": tissue_box, "cube": tissue_box_cube}, {"drum": tissue_box_drum}
    ),
    "box": line("tan white blue pink red", "teal olive", {"carton": carton, "crate": crate, "basket": basket}, {"hatbox": hatbox}),
}
