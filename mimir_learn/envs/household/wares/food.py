"""Vegetables, bread and eggs; what a knife cuts falls into slices, and an egg breaks."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import Form, X, ball, bar, box, facing, lathe, loft, lying, rod, rounds, standing, whole
from .line import line
from .palette import LEAF, WHITE, mix, tone

_CRUMB: Vec = (1.0, 0.93, 0.7)


def _star(z: float, arm: float, droop: float = 0.0) -> list[Part]:
    """A green calyx: three bars crossed."""
    return [box((arm, 0.008, 0.003), (0, 0, z - droop), LEAF, (0, 0, 60.0 * i + 10)) for i in range(3)]


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
        bar(
            ((-0.112, 0.03, 0.018, 0.7), (-0.09, 0.056, 0.032, 0.7), (0.09, 0.056, 0.032, 0.7), (0.112, 0.03, 0.018, 0.7)),
            top,
            (0, 0, 0.072),
        ),
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
    parts = [
        bar(
            [
                (-x, 0.3 * y, 0.3 * z, 1),
                (-0.7 * x, 0.85 * y, 0.8 * z, 1),
                (0.1 * x, y, z, 1),
                (0.65 * x, 0.9 * y, 0.88 * z, 1),
                (x, 0.4 * y, 0.4 * z, 1),
            ],
            c,
            (0, 0, z),
            texture="speckle",
        )
    ]
    parts += [ball(0.006, (a * x, b * y, z + d * z), tone(c, 0.45)) for a, b, d in eyes]
    cut = rounds(tone(c, 0.8), (1.0, 0.93, 0.55), 0.044, 0.05, count=3)
    return lying([*whole(parts, "sliced"), *cut], x * 0.95, y * 0.95, 2 * z, 0.2)


def potato(c: Vec) -> Form:
    return _potato(c, (0.07, 0.046, 0.04))


def potato_round(c: Vec) -> Form:
    return _potato(c, (0.054, 0.05, 0.045))


def potato_long(c: Vec) -> Form:
    return _potato(c, (0.095, 0.038, 0.034))


def _rosette(c: Vec, lean: float, out: float) -> Form:
    """A pale heart among leaves that lean outwards by ``lean`` degrees."""
    heart = mix(c, (0.93, 1.0, 0.7), 0.6)
    parts = [ball(0.058, (0, 0, 0.06), heart)]
    for i in range(6):
        a = radians(60 * i)
        at: Vec = (round(out * cos(a), 4), round(out * sin(a), 4), 0.05)
        leaf = ((-0.05, 0.012, 0.025, 0.6), (0.02, 0.008, 0.044, 0.6), (0.062, 0.003, 0.03, 0.6))
        parts.append(loft(leaf, tone(c, 0.82 + 0.22 * (i % 2)), at, facing(60.0 * i, lean)))
    return standing([*whole(parts, "sliced"), *_shreds(c, heart)], out + 0.03, 0.12, 0.35)


def lettuce(c: Vec) -> Form:
    """A firm head."""
    return _rosette(c, 24.0, 0.056)


def lettuce_loose(c: Vec) -> Form:
    """A head that has opened."""
    return _rosette(c, 48.0, 0.07)


def lettuce_romaine(c: Vec) -> Form:
    """A long head, lying."""
    heart = mix(c, (0.93, 1.0, 0.7), 0.6)
    parts = [bar(((-0.12, 0.02, 0.018, 1), (-0.09, 0.035, 0.035, 1), (0.04, 0.055, 0.05, 1), (0.1, 0.03, 0.03, 1)), heart, (0, 0, 0.05))]
    for i, (y, z) in enumerate(((0.028, 0.065), (-0.028, 0.065), (0.045, 0.035), (-0.045, 0.035))):
        blade = ((-0.11, 0.012, 0.012, 0.6), (-0.02, 0.035, 0.024, 0.6), (0.09, 0.042, 0.022, 0.6), (0.13, 0.02, 0.008, 0.6))
        parts.append(bar(blade, tone(c, 0.82 + 0.22 * (i % 2)), (0, y, z)))
    return lying([*whole(parts, "sliced"), *_shreds(c, heart)], 0.12, 0.065, 0.1, 0.35)


def _shreds(c: Vec, heart: Vec) -> list[Part]:
    """A head cut into thirds: pale inside up, green at the edge."""
    out = []
    for i in range(3):
        a, turn = radians(120.0 * i + 20), 120.0 * i + 110
        x, y = round(0.058 * cos(a), 4), round(0.058 * sin(a), 4)
        out.append(loft(((0, 0.036, 0.024, 0.6), (0.036, 0.056, 0.042, 0.6)), c, (x, y, 0.0), (0, 0, turn), when="sliced"))
        out.append(loft(((0.034, 0.046, 0.032, 0.6), (0.039, 0.042, 0.028, 0.6)), heart, (x, y, 0.0), (0, 0, turn), when="sliced"))
        out.append(box((0.03, 0.004, 0.002), (x, y, 0.04), WHITE, (0, 0, turn), when="sliced"))
    return out


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


LINES = {
    "bread": line("tan brown", "gold ivory", {"tin": bread, "round": bread_round}, {"baguette": bread_baguette}),
    "tomato": line("red orange", "maroon gold", {"round": tomato, "beef": tomato_beef}, {"vine": tomato_vine}),
    "potato": line("tan brown yellow", "maroon", {"oval": potato, "round": potato_round}, {"long": potato_long}),
    "lettuce": line("green yellow", "lime maroon", {"head": lettuce, "loose": lettuce_loose}, {"romaine": lettuce_romaine}),
    "egg": line("white tan brown", "mint ivory", {"plain": egg}, {"speckled": egg_speckled}),
}
