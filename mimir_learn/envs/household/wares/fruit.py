"""Fruit: round things told apart by outline, stalk and leaf; those that a knife cuts fall into slices."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, degrees, hypot, radians, sin

from ..spec import Part, Vec
from .forms import Form, X, ball, box, disc, facing, lathe, loft, lying, ovoid, rod, rounds, standing, whole
from .line import line
from .palette import LEAF, STALK, mix, tone

_APPLE_FLESH: Vec = (0.99, 0.95, 0.74)


def _leaf(at: Vec, turn: float = 30.0, size: float = 0.03) -> Part:
    euler = facing(turn, 68.0)
    return loft(((0, 0.003, 0.003, 0), (0.6 * size, 0.003, 0.42 * size, 0.3), (1.6 * size, 0.002, 0.002, 0)), LEAF, at, euler)


def _stem(z: float, high: float = 0.03) -> Part:
    return rod((0, 0, z), (0.008, 0, z + high), 0.0055, STALK, 0.0075)


def _apple(c: Vec, leafy: bool, tall: bool = False) -> Form:
    if tall:
        skin = ((0, 0.008), (0.02, 0), (0.036, 0.02), (0.054, 0.075), (0.042, 0.112), (0.018, 0.114), (0, 0.1))
    else:
        skin = ((0, 0.006), (0.026, 0), (0.05, 0.026), (0.056, 0.056), (0.044, 0.09), (0.018, 0.1), (0, 0.086))
    top = skin[-1][1]
    parts = [lathe(skin, c), _stem(top, 0.042)] + ([_leaf((0.006, 0, top + 0.03), size=0.034)] if leafy else [])
    cut = rounds(tone(c, 0.95), _APPLE_FLESH, 0.046, 0.05, core=(0.55, 0.38, 0.14))
    return standing([*whole(parts, "sliced"), *cut], 0.056, skin[-2][1], 0.2)


def apple(c: Vec) -> Form:
    return _apple(c, leafy=False)


def apple_leafy(c: Vec) -> Form:
    return _apple(c, leafy=True)


def apple_tall(c: Vec) -> Form:
    return _apple(c, leafy=True, tall=True)


def _orange(c: Vec, r: float, leafy: bool, flat: float = 0.94) -> Form:
    h = 2 * r * flat
    parts = [ball(r, (0, 0, h / 2), c, flat, texture="speckle"), disc(0.012, 0.004, (0, 0, h - 0.003), LEAF)]
    if leafy:
        parts += [_leaf((0.0, 0, h), 20, 0.036), _leaf((0.0, 0, h), 200, 0.03)]
    cut = rounds(c, mix(c, (1.0, 0.85, 0.5), 0.35), 0.047, 0.052)
    for i in range(3):
        a = 2 * 3.14159 * i / 3 + 0.5
        at: Vec = (round(0.052 * cos(a), 4), round(0.052 * sin(a), 4), 0.0255)
        cut += [box((0.04, 0.003, 0.0015), at, (1.0, 0.95, 0.8), (0, 0, t), when="sliced") for t in (0, 60, 120)]
    return standing([*whole(parts, "sliced"), *cut], r, h, 0.22)


def orange(c: Vec) -> Form:
    return _orange(c, 0.056, leafy=False)


def orange_leafy(c: Vec) -> Form:
    return _orange(c, 0.052, leafy=True)


def orange_flat(c: Vec) -> Form:
    """A mandarin: flat and broad."""
    return _orange(c, 0.058, leafy=True, flat=0.72)


def _banana(c: Vec, y: float, z: float) -> list[Part]:
    """Five tapering pieces along an arc, a stalk and a dark tip."""
    radius, span = 0.12, 52.0
    angles = [radians(-span + 2 * span * i / 5) for i in range(6)]
    spots = [(round(radius * sin(a), 5), round(y + radius * (1 - cos(a)) - 0.02, 5), z) for a in angles]
    thick = (0.01, 0.02, 0.0245, 0.0245, 0.02, 0.009)
    out = []
    for i, (here, there) in enumerate(pairwise(spots)):
        length = hypot(there[0] - here[0], there[1] - here[1])
        turn = facing(degrees(atan2(there[1] - here[1], there[0] - here[0])), 90.0, 30.0)
        out.append(lathe(((thick[i], -0.002), (thick[i + 1], length + 0.002)), c, here, turn))
    (x0, y0, z0), (x1, y1, z1) = spots[0], spots[-1]
    out.append(rod((x1, y1, z1), (x1 + 0.016, y1 + 0.022, z1), 0.01, tone(c, 0.75), 0.008))
    out.append(rod((x0 + 0.003, y0 - 0.004, z0), (x0 - 0.007, y0 + 0.01, z0), 0.0115, STALK, 0.006))
    return out


def banana(c: Vec) -> Form:
    return lying(_banana(c, 0.0, 0.025), 0.105, 0.045, 0.05, 0.15)


def banana_pair(c: Vec) -> Form:
    return lying([*_banana(c, -0.028, 0.025), *_banana(c, 0.018, 0.025)], 0.11, 0.07, 0.05, 0.3)


def banana_bunch(c: Vec) -> Form:
    """Three, one on top of two."""
    return lying([*_banana(c, -0.028, 0.025), *_banana(c, 0.018, 0.025), *_banana(c, -0.005, 0.06)], 0.11, 0.07, 0.085, 0.45)


def _pear(c: Vec, neck: float, leafy: bool) -> Form:
    skin = ((0, 0.004), (0.03, 0), (0.052, 0.026), (0.05, 0.056), (0.03, 0.09), (neck, 0.118), (0.012, 0.132), (0, 0.13))
    parts = [lathe(skin, c), _stem(0.128, 0.032)] + ([_leaf((0.004, 0, 0.15))] if leafy else [])
    return standing(parts, 0.052, 0.132, 0.2)


def pear(c: Vec) -> Form:
    return _pear(c, 0.022, leafy=False)


def pear_leafy(c: Vec) -> Form:
    return _pear(c, 0.026, leafy=True)


def pear_long(c: Vec) -> Form:
    skin = ((0, 0.004), (0.026, 0), (0.044, 0.026), (0.042, 0.06), (0.022, 0.105), (0.018, 0.15), (0.008, 0.162), (0, 0.16))
    return standing([lathe(skin, c), _stem(0.158, 0.032)], 0.045, 0.162, 0.22)


def _cleft(c: Vec, half: Vec, apart: float, blush: Vec) -> list[Part]:
    """A stone fruit: two halves with a furrow between them."""
    x, y, z = half
    return [ovoid((x, y, z), (0, apart, z), c), ovoid((x, y, z), (0, -apart, z), blush)]


def peach(c: Vec) -> Form:
    parts = [*_cleft(c, (0.052, 0.042, 0.05), 0.016, mix(c, (0.85, 0.15, 0.12), 0.5)), _stem(0.088, 0.02), _leaf((0, 0, 0.095), 60, 0.036)]
    return standing(parts, 0.054, 0.098, 0.2)


def peach_flat(c: Vec) -> Form:
    parts = [*_cleft(c, (0.058, 0.046, 0.034), 0.016, mix(c, (0.85, 0.15, 0.12), 0.5)), _stem(0.056, 0.02), _leaf((0, 0, 0.064), 60, 0.036)]
    return standing(parts, 0.06, 0.068, 0.2)


def plum(c: Vec) -> Form:
    parts = [*_cleft(c, (0.052, 0.026, 0.031), 0.011, tone(c, 0.75)), rod((-0.046, 0, 0.036), (-0.072, 0, 0.05), 0.005, STALK)]
    return lying(parts, 0.05, 0.035, 0.062, 0.1)


def plum_round(c: Vec) -> Form:
    """Upright, with a leaf."""
    parts = [*_cleft(c, (0.039, 0.031, 0.038), 0.012, tone(c, 0.75)), _stem(0.07, 0.026), _leaf((0.004, 0, 0.086), 70, 0.03)]
    return standing(parts, 0.042, 0.075, 0.1)


def plum_pair(c: Vec) -> Form:
    parts: list[Part] = []
    for x, y in ((-0.018, -0.036), (0.018, 0.036)):
        parts += [ovoid((0.046, 0.024, 0.029), (x, y + 0.01, 0.029), c), ovoid((0.046, 0.024, 0.029), (x, y - 0.01, 0.029), tone(c, 0.75))]
    parts += [rod((-0.056, -0.036, 0.034), (-0.085, 0, 0.06), 0.004, STALK), rod((-0.02, 0.036, 0.034), (-0.085, 0, 0.06), 0.004, STALK)]
    return lying([*parts, _leaf((-0.085, 0, 0.058), 30, 0.034)], 0.07, 0.07, 0.06, 0.2)


def _lemon(c: Vec, half: float, r: float) -> Form:
    skin = (
        (0, -half),
        (0.012, -half + 0.004),
        (0.015, -0.72 * half),
        (0.8 * r, -0.45 * half),
        (r, 0),
        (0.8 * r, 0.45 * half),
        (0.015, 0.76 * half),
        (0.01, half - 0.003),
        (0, half),
    )
    return lying(
        [lathe(skin, c, (0, 0, r), X), rod((-half + 0.003, 0, r), (-half - 0.006, 0, r), 0.007, LEAF)], 0.85 * half, r, 2 * r, 0.12
    )


def lemon(c: Vec) -> Form:
    return _lemon(c, 0.064, 0.04)


def lemon_round(c: Vec) -> Form:
    return _lemon(c, 0.056, 0.044)


def lemon_leafy(c: Vec) -> Form:
    base = _lemon(c, 0.066, 0.037)
    return Form((*base.parts, _leaf((-0.066, 0, 0.04), 150, 0.036), _leaf((-0.066, 0, 0.04), 215, 0.032)), base.solid, base.mass)


def _strawberry(c: Vec, x: float, y: float, turn: float, size: float = 1.0, seeds: int = 5) -> list[Part]:
    r, n = 0.032 * size, 0.04 * size
    way = (cos(radians(turn)), sin(radians(turn)))
    skin = ((0, -0.9 * n), (0.62 * r, -0.86 * n), (r, -0.35 * n), (0.72 * r, 0.5 * n), (0.3 * r, n), (0, 1.06 * n))
    out = [lathe(skin, c, (x, y, r), facing(turn, 90.0))]
    back: Vec = (round(x - 0.88 * n * way[0], 5), round(y - 0.88 * n * way[1], 5), r)
    out += [
        loft(((0, 0.92 * r, 0.3 * r, 0.4), (0.004, 0.7 * r, 0.1 * r, 0.4)), LEAF, back, facing(turn, 90.0, roll)) for roll in (0.0, 90.0)
    ]
    out.append(rod(back, (back[0] - 0.02 * way[0], back[1] - 0.02 * way[1], r + 0.008), 0.005, LEAF))
    for a, b in ((40, 0.2), (90, -0.1), (140, 0.2), (65, 0.55), (115, 0.5))[:seeds]:
        q = r * (0.98 if b < 0 else 0.86 if b < 0.4 else 0.68)
        side, up = q * cos(radians(a)), q * sin(radians(a))
        out.append(
            box(
                (0.004, 0.003, 0.003),
                (round(x + b * n * way[0] - side * way[1], 5), round(y + b * n * way[1] + side * way[0], 5), round(r + up, 5)),
                (1.0, 0.9, 0.45),
            )
        )
    return out


def strawberry(c: Vec) -> Form:
    return lying(_strawberry(c, 0.0, 0.0, 0.0, 1.15), 0.046, 0.037, 0.074, 0.04)


def strawberry_long(c: Vec) -> Form:
    skin = ((0, -0.04), (0.02, -0.038), (0.031, -0.018), (0.022, 0.025), (0.008, 0.05), (0, 0.053))
    base = strawberry(c)
    return Form((lathe(skin, c, (0, 0, 0.035), X), *base.parts[1:]), base.solid, base.mass)


def strawberry_pair(c: Vec) -> Form:
    return lying([*_strawberry(c, 0.0, 0.034, 15.0, seeds=4), *_strawberry(c, 0.0, -0.034, -20.0, seeds=4)], 0.05, 0.066, 0.064, 0.07)


LINES = {
    "apple": line("red green yellow", "maroon lime", {"round": apple, "leafy": apple_leafy}, {"tall": apple_tall}),
    "orange": line("orange yellow", "coral gold", {"plain": orange, "leafy": orange_leafy}, {"flat": orange_flat}),
    "banana": line("yellow green", "gold lime", {"single": banana, "pair": banana_pair}, {"bunch": banana_bunch}),
    "pear": line("green yellow brown", "lime olive", {"plain": pear, "leafy": pear_leafy}, {"long": pear_long}),
    "peach": line("orange pink yellow", "coral", {"round": peach}, {"flat": peach_flat}),
    "plum": line("purple blue red", "maroon navy", {"oval": plum, "round": plum_round}, {"pair": plum_pair}),
    "lemon": line("yellow green", "lime gold", {"long": lemon, "round": lemon_round}, {"leafy": lemon_leafy}),
    "strawberry": line("red pink orange", "maroon coral", {"plump": strawberry, "long": strawberry_long}, {"pair": strawberry_pair}),
}
