"""Food: fruit, vegetables, bread and eggs; what a knife cuts falls into slices, and an egg breaks."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import (
    X, Form, ball, bar, box, disc, facing, lathe, loft, lying, ovoid, rod, rounds, standing, whole,
)  # fmt: skip
from .palette import LEAF, STALK, WHITE, mix, tone

_APPLE_FLESH: Vec = (0.99, 0.95, 0.74)
_CRUMB: Vec = (1.0, 0.93, 0.7)


def _leaf(at: Vec, turn: float = 30.0, size: float = 0.03) -> Part:
    euler = facing(turn, 68.0)
    return loft(((0, 0.003, 0.003, 0), (0.6 * size, 0.003, 0.42 * size, 0.3), (1.6 * size, 0.002, 0.002, 0)), LEAF, at, euler)


def _stem(z: float, high: float = 0.03) -> Part:
    return rod((0, 0, z), (0.008, 0, z + high), 0.0055, STALK, 0.0075)


def _star(z: float, arm: float, droop: float = 0.0) -> list[Part]:
    """A green calyx: three bars crossed."""
    return [box((arm, 0.008, 0.003), (0, 0, z - droop), LEAF, (0, 0, 60.0 * i + 10)) for i in range(3)]


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


def _loaf_slices(c: Vec, half_y: float, half_z: float, start: float, step: float, count: int, roundness: float) -> list[Part]:
    out = []
    for i in range(count):
        x = start + step * i
        lean = facing(0.0, 53.0)
        at: Vec = (round(x, 4), 0.0, round(half_z * 0.86, 4))
        out.append(loft(((-0.009, half_z, half_y, roundness), (0.009, half_z, half_y, roundness)), c, at, lean, when="sliced"))
        face = (0.86 * half_z, 0.86 * half_y, roundness)
        out.append(loft(((-0.0105, *face), (0.0105, *face)), _CRUMB, at, lean, when="sliced"))
    return out


def bread(c: Vec) -> Form:
    """A tin loaf: square below, a swollen top."""
    top = tone(c, 0.82)
    parts = [
        bar(((-0.105, 0.044, 0.03, 0.15), (0.105, 0.044, 0.03, 0.15)), c, (0, 0, 0.03)),
        bar(((-0.112, 0.03, 0.018, 0.7), (-0.09, 0.056, 0.032, 0.7), (0.09, 0.056, 0.032, 0.7), (0.112, 0.03, 0.018, 0.7)), top, (0, 0, 0.072)),
        *(box((0.006, 0.034, 0.004), (x, 0, 0.102), _CRUMB, (0, 0, 25)) for x in (-0.055, 0.0, 0.055)),
    ]
    rest = [
        bar(((-0.115, 0.05, 0.048, 0.35), (-0.035, 0.054, 0.05, 0.35)), top, (0, 0, 0.05), when="sliced"),
        bar(((-0.036, 0.045, 0.042, 0.35), (-0.034, 0.045, 0.042, 0.35)), _CRUMB, (0, 0, 0.05), when="sliced"),
    ]
    return lying([*whole(parts, "sliced"), *rest, *_loaf_slices(top, 0.054, 0.048, 0.02, 0.045, 3, 0.35)], 0.112, 0.055, 0.1, 0.5)


def bread_round(c: Vec) -> Form:
    """A round cob with a cross cut into it."""
    skin = ((0, 0), (0.07, 0), (0.088, 0.028), (0.07, 0.066), (0.03, 0.084), (0, 0.086))
    cuts = [box((0.055, 0.007, 0.004), (0, 0, 0.083), _CRUMB, (0, 0, a)) for a in (45, 135)]
    half = [
        bar(((-0.08, 0.04, 0.02, 0.8), (-0.06, 0.07, 0.034, 0.8), (-0.015, 0.085, 0.042, 0.8)), c, (0, 0, 0.042), when="sliced"),
        bar(((-0.02, 0.076, 0.035, 0.8), (-0.013, 0.076, 0.035, 0.8)), _CRUMB, (0, 0, 0.042), when="sliced"),
    ]
    parts = [*whole([lathe(skin, c), *cuts], "sliced"), *half, *_loaf_slices(c, 0.078, 0.042, 0.03, 0.045, 2, 0.8)]
    return standing(parts, 0.088, 0.085, 0.5)


def bread_baguette(c: Vec) -> Form:
    """A long stick with slanting cuts."""
    skin = ((-0.19, 0.008, 0.008, 1), (-0.16, 0.032, 0.027, 1), (0.16, 0.032, 0.027, 1), (0.19, 0.008, 0.008, 1))
    cuts = [box((0.02, 0.006, 0.004), (x, 0, 0.054), _CRUMB, (0, 0, 40)) for x in (-0.12, -0.06, 0.0, 0.06, 0.12)]
    rest = [
        bar(((-0.19, 0.01, 0.008, 1), (-0.16, 0.032, 0.028, 1), (-0.06, 0.033, 0.028, 1)), c, (0, 0, 0.029), when="sliced"),
        bar(((-0.061, 0.027, 0.023, 1), (-0.058, 0.027, 0.023, 1)), _CRUMB, (0, 0, 0.029), when="sliced"),
    ]
    whole_one = whole([bar(skin, c, (0, 0, 0.028)), *cuts], "sliced")
    return lying([*whole_one, *rest, *_loaf_slices(c, 0.034, 0.03, -0.01, 0.045, 5, 1.0)], 0.185, 0.033, 0.056, 0.4)


def _tomato(c: Vec, r: float, h: float) -> Form:
    skin = ((0, 0.004), (0.6 * r, 0), (0.95 * r, 0.3 * h), (r, 0.52 * h), (0.82 * r, 0.85 * h), (0.4 * r, h), (0, 0.93 * h))
    parts = [lathe(skin, c), *_star(h + 0.001, 0.62 * r), rod((0, 0, h), (0.004, 0, h + 0.018), 0.005, LEAF)]
    cut = rounds(c, mix(c, (1.0, 0.62, 0.45), 0.55), 0.046, 0.05, core=(0.98, 0.85, 0.35))
    return standing([*whole(parts, "sliced"), *cut], r, h, 0.18)


def tomato(c: Vec) -> Form:
    return _tomato(c, 0.055, 0.084)


def tomato_beef(c: Vec) -> Form:
    return _tomato(c, 0.068, 0.074)


def tomato_vine(c: Vec) -> Form:
    """Three small ones on a stalk."""
    parts: list[Part] = [rod((-0.07, 0, 0.055), (0.07, 0, 0.06), 0.005, LEAF)]
    for x, y in ((-0.05, 0.02), (0.0, -0.022), (0.05, 0.02)):
        parts += [ball(0.03, (x, y, 0.03), c, 0.95), box((0.018, 0.006, 0.003), (x, y, 0.058), LEAF, (0, 0, 40))]
    cut = rounds(c, mix(c, (1.0, 0.62, 0.45), 0.55), 0.036, 0.046, count=4, core=(0.98, 0.85, 0.35))
    return lying([*whole(parts, "sliced"), *cut], 0.08, 0.05, 0.062, 0.2)


def _potato(c: Vec, half: Vec) -> Form:
    x, y, z = half
    eyes = [(0.4, 0.3, 0.85), (-0.45, -0.2, 0.86), (0.05, -0.72, 0.62), (-0.1, 0.76, 0.55), (0.75, -0.2, 0.6)]
    parts = [bar([(-x, 0.3 * y, 0.3 * z, 1), (-0.7 * x, 0.85 * y, 0.8 * z, 1), (0.1 * x, y, z, 1), (0.65 * x, 0.9 * y, 0.88 * z, 1), (x, 0.4 * y, 0.4 * z, 1)], c, (0, 0, z), texture="speckle")]
    parts += [ball(0.006, (a * x, b * y, z + d * z), tone(c, 0.45)) for a, b, d in eyes]
    cut = rounds(tone(c, 0.8), (1.0, 0.93, 0.55), 0.044, 0.05, count=3)
    return lying([*whole(parts, "sliced"), *cut], x * 0.95, y * 0.95, 2 * z, 0.2)


def potato(c: Vec) -> Form:
    return _potato(c, (0.07, 0.046, 0.04))


def potato_round(c: Vec) -> Form:
    return _potato(c, (0.054, 0.05, 0.045))


def potato_long(c: Vec) -> Form:
    return _potato(c, (0.095, 0.038, 0.034))


def lettuce(c: Vec) -> Form:
    """A head: a pale heart in a rosette of leaves."""
    heart = mix(c, (0.93, 1.0, 0.7), 0.6)
    parts = [ball(0.06, (0, 0, 0.072), heart)]
    for i in range(6):
        a = radians(60 * i)
        at: Vec = (round(0.058 * cos(a), 4), round(0.058 * sin(a), 4), 0.058)
        leaf = ((-0.05, 0.012, 0.025, 0.6), (0.0, 0.01, 0.05, 0.6), (0.045, 0.007, 0.05, 0.6), (0.062, 0.003, 0.028, 0.6))
        parts.append(loft(leaf, tone(c, 0.82 + 0.22 * (i % 2)), at, facing(60.0 * i, 24.0)))
    return standing([*whole(parts, "sliced"), *_shreds(c, heart)], 0.085, 0.13, 0.35)


def lettuce_romaine(c: Vec) -> Form:
    """A long head, lying."""
    heart = mix(c, (0.93, 1.0, 0.7), 0.6)
    parts = [bar(((-0.12, 0.02, 0.018, 1), (-0.09, 0.035, 0.035, 1), (0.04, 0.055, 0.05, 1), (0.1, 0.03, 0.03, 1)), heart, (0, 0, 0.05))]
    for i, (y, z) in enumerate(((0.028, 0.065), (-0.028, 0.065), (0.045, 0.035), (-0.045, 0.035))):
        blade = ((-0.11, 0.012, 0.012, 0.6), (-0.02, 0.035, 0.024, 0.6), (0.09, 0.042, 0.022, 0.6), (0.13, 0.02, 0.008, 0.6))
        parts.append(bar(blade, tone(c, 0.82 + 0.22 * (i % 2)), (0, y, z)))
    return lying([*whole(parts, "sliced"), *_shreds(c, heart)], 0.12, 0.065, 0.1, 0.35)


def _shreds(c: Vec, heart: Vec) -> list[Part]:
    """A head cut into quarters: pale inside up, green at the edge."""
    out = []
    for i in range(3):
        a = radians(120.0 * i + 20)
        at: Vec = (round(0.058 * cos(a), 4), round(0.058 * sin(a), 4), 0.0)
        out.append(loft(((0, 0.03, 0.02, 0.9), (0.025, 0.055, 0.04, 0.9), (0.036, 0.056, 0.042, 0.9)), c, at, (0, 0, 120.0 * i + 110), when="sliced"))
        out.append(loft(((0.034, 0.046, 0.032, 0.9), (0.039, 0.042, 0.028, 0.9)), heart, at, (0, 0, 120.0 * i + 110), when="sliced"))
        out.append(box((0.03, 0.004, 0.002), (at[0], at[1], 0.04), WHITE, (0, 0, 120.0 * i + 110), when="sliced"))
    return out


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


def _egg(c: Vec, texture: str = "") -> Form:
    skin = ((0, -0.048), (0.022, -0.04), (0.034, -0.014), (0.031, 0.014), (0.018, 0.038), (0, 0.046))
    shell = lathe(skin, c, (0, 0, 0.034), X, texture=texture)
    half = ((0, -0.03), (0.022, -0.022), (0.033, 0.0), (0.029, 0.0), (0.018, -0.018), (0, -0.024))
    mess = [
        lathe(((0, 0), (0.074, 0), (0.07, 0.004), (0, 0.005)), (0.93, 0.93, 0.9), when="broken"),
        ball(0.024, (0.008, -0.01, 0.012), (1.0, 0.68, 0.05), 0.6, when="broken"),
        lathe(half, c, (-0.05, 0.036, 0.028), facing(140.0, 60.0), when="broken"),
        lathe(half, c, (0.05, 0.04, 0.028), facing(20.0, 70.0), when="broken"),
    ]
    return lying([*whole([shell], "broken"), *mess], 0.047, 0.034, 0.068, 0.06)


def egg(c: Vec) -> Form:
    return _egg(c)


def egg_speckled(c: Vec) -> Form:
    return _egg(c, "speckle")


def _banana(c: Vec, y: float, z: float, lift: float = 0.0) -> list[Part]:
    """Four joined pieces along an arc."""
    radius, span = 0.12, 52.0
    angles = [-span + 2 * span * i / 4 for i in range(5)]
    spots = [(radius * sin(radians(a)), y + radius * (1 - cos(radians(a))) - 0.02, z + lift * abs(a) / span) for a in angles]
    thick = (0.01, 0.021, 0.024, 0.021, 0.009)
    out = [rod(spots[i], spots[i + 1], thick[i], c, thick[i + 1]) for i in range(4)]
    out += [ball(0.0225, spots[1], c), ball(0.0255, spots[2], c), ball(0.0225, spots[3], c)]
    (x0, y0, z0), (x1, y1, z1) = spots[0], spots[4]
    out.append(rod((x1, y1, z1), (x1 + 0.016, y1 + 0.022, z1), 0.009, tone(c, 0.75), 0.008))
    out.append(rod((x0, y0, z0), (x0 - 0.007, y0 + 0.01, z0), 0.01, STALK, 0.006))
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


def plum_pair(c: Vec) -> Form:
    parts: list[Part] = []
    for x, y in ((-0.018, -0.036), (0.018, 0.036)):
        parts += [ovoid((0.046, 0.024, 0.029), (x, y + 0.01, 0.029), c), ovoid((0.046, 0.024, 0.029), (x, y - 0.01, 0.029), tone(c, 0.75))]
    parts += [rod((-0.056, -0.036, 0.034), (-0.085, 0, 0.06), 0.004, STALK), rod((-0.02, 0.036, 0.034), (-0.085, 0, 0.06), 0.004, STALK)]
    return lying([*parts, _leaf((-0.085, 0, 0.058), 30, 0.034)], 0.07, 0.07, 0.06, 0.2)


def _lemon(c: Vec, half: float, r: float) -> Form:
    skin = ((0, -half), (0.012, -half + 0.004), (0.015, -0.72 * half), (0.8 * r, -0.45 * half), (r, 0), (0.8 * r, 0.45 * half), (0.015, 0.76 * half), (0.01, half - 0.003), (0, half))
    return lying([lathe(skin, c, (0, 0, r), X), rod((-half + 0.003, 0, r), (-half - 0.006, 0, r), 0.007, LEAF)], 0.85 * half, r, 2 * r, 0.12)


def lemon(c: Vec) -> Form:
    return _lemon(c, 0.064, 0.04)


def lemon_round(c: Vec) -> Form:
    return _lemon(c, 0.056, 0.044)


def lemon_leafy(c: Vec) -> Form:
    base = _lemon(c, 0.066, 0.037)
    return Form((*base.parts, _leaf((-0.066, 0, 0.04), 150, 0.036), _leaf((-0.066, 0, 0.04), 215, 0.032)), base.solid, base.mass)


def _strawberry(c: Vec, x: float, y: float, turn: float, size: float = 1.0) -> list[Part]:
    r, n = 0.032 * size, 0.04 * size
    way = (cos(radians(turn)), sin(radians(turn)))
    skin = ((0, -0.9 * n), (0.62 * r, -0.86 * n), (r, -0.35 * n), (0.72 * r, 0.5 * n), (0.3 * r, n), (0, 1.06 * n))
    out = [lathe(skin, c, (x, y, r), facing(turn, 90.0))]
    back: Vec = (round(x - 0.88 * n * way[0], 5), round(y - 0.88 * n * way[1], 5), r)
    out += [loft(((0, 0.92 * r, 0.3 * r, 0.4), (0.004, 0.7 * r, 0.1 * r, 0.4)), LEAF, back, facing(turn, 90.0, roll)) for roll in (0.0, 60.0, 120.0)]
    out.append(rod(back, (back[0] - 0.02 * way[0], back[1] - 0.02 * way[1], r + 0.008), 0.005, LEAF))
    for a, b in ((40, 0.2), (90, -0.1), (140, 0.2), (65, 0.55), (115, 0.5)):
        q = r * (0.98 if b < 0 else 0.86 if b < 0.4 else 0.68)
        side, up = q * cos(radians(a)), q * sin(radians(a))
        out.append(box((0.004, 0.003, 0.003), (round(x + b * n * way[0] - side * way[1], 5), round(y + b * n * way[1] + side * way[0], 5), round(r + up, 5)), (1.0, 0.9, 0.45)))
    return out


def strawberry(c: Vec) -> Form:
    return lying(_strawberry(c, 0.0, 0.0, 0.0, 1.15), 0.046, 0.037, 0.074, 0.04)


def strawberry_pair(c: Vec) -> Form:
    return lying([*_strawberry(c, 0.0, 0.034, 15.0), *_strawberry(c, 0.0, -0.034, -20.0)], 0.05, 0.066, 0.064, 0.07)

