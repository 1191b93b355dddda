"""Linen and what cleans: pillows, towels, cloths, sponges, soap, paper rolls and plungers."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import X, Form, bar, blot, box, cap, disc, dome, facing, lathe, loft, lying, ovoid, ring, rod, standing
from .palette import DARK, WHITE, WOOD, brightness, mix, tone


def _pale_twin(c: Vec) -> Vec:
    """A second colour to go with ``c``: lighter, or darker where ``c`` is light itself."""
    return mix(c, WHITE, 0.65) if brightness(c) < 0.7 else tone(c, 0.6)


def _stains(spots: tuple[tuple[float, float, float], ...], size: float, on: Vec) -> list[Part]:
    return [blot(at, (0.4 * at[0], 0.4 * at[1], 0.12), size * (1.0, 0.8, 0.65)[i % 3], on) for i, at in enumerate(spots)]


def _pillow(c: Vec, x: float, y: float, z: float, roundness: float, texture: str) -> Form:
    # the seam stands out, the belly bulges: corners stay flat
    skin = ((-z, 0.4 * x, 0.4 * y, 0.9), (-0.6 * z, 0.78 * x, 0.78 * y, 0.6), (-0.1 * z, x, y, roundness), (0.1 * z, x, y, roundness), (0.6 * z, 0.78 * x, 0.78 * y, 0.6), (z, 0.4 * x, 0.4 * y, 0.9))
    parts = [loft(skin, c, (0, 0, z), texture=texture), box((0.97 * x, 0.97 * y, 0.004), (0, 0, z), _pale_twin(c))]
    dirty = _stains(((0.3 * x, 0.1 * y, 2 * z - 0.006), (-0.4 * x, -0.35 * y, 2 * z - 0.012), (-0.2 * x, 0.5 * y, 2 * z - 0.014), (0.55 * x, -0.5 * y, 2 * z - 0.022)), 0.045, c)
    return lying([*parts, *dirty], 0.93 * x, 0.93 * y, 1.9 * z, 0.4)


def pillow(c: Vec) -> Form:
    return _pillow(c, 0.165, 0.12, 0.055, 0.25, "fabric")


def pillow_square(c: Vec) -> Form:
    return _pillow(c, 0.135, 0.135, 0.055, 0.25, "stripes")


def pillow_round(c: Vec) -> Form:
    """A round cushion with a button."""
    skin = ((0, 0), (0.09, 0.004), (0.135, 0.035), (0.13, 0.06), (0.08, 0.088), (0.02, 0.08), (0, 0.074))
    dirty = _stains(((0.06, 0.02, 0.09), (-0.07, -0.04, 0.088), (-0.03, 0.08, 0.086), (0.02, -0.09, 0.082)), 0.04, c)
    return standing([lathe(skin, c, texture="fabric"), disc(0.014, 0.006, (0, 0, 0.076), _pale_twin(c)), ring(0.132, 0.006, (0, 0, 0.045), _pale_twin(c)), *dirty], 0.132, 0.088, 0.4)


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
        parts.append(loft(((-y, 0.012, x, 0.5), (y, 0.012, x, 0.5)), c if i != 1 else tone(c, 0.88), (0, 0.002 * i, 0.013 + 0.024 * i), facing(90.0, 90.0), texture="carpet"))
    parts += [box((0.009, 0.082, 0.0125), (s * 0.088, 0.004, 0.0625), other) for s in (-1, 1)]
    return lying([*parts, *_stains(((0.02, 0.02, 0.073), (-0.05, -0.03, 0.073), (0.05, -0.05, 0.073), (-0.03, 0.06, 0.073)), 0.034, c)], 0.125, 0.09, 0.074, 0.4)


def towel_rolled(c: Vec) -> Form:
    """Rolled up: a spiral at each end."""
    other = _pale_twin(c)
    parts = [lathe(((0, -0.12), (0.052, -0.12), (0.055, 0), (0.052, 0.12), (0, 0.12)), c, (0, 0, 0.055), X, texture="carpet"), box((0.12, 0.01, 0.012), (0, 0.05, 0.022), tone(c, 0.85))]
    for s in (-1, 1):
        parts += [ring(r, 0.004, (s * 0.1205, 0, 0.055), other, X) for r in (0.04, 0.02)]
        parts.append(lathe(((0.0558, -0.008), (0.0558, 0.008)), other, (s * 0.08, 0, 0.055), X))
    return lying([*parts, *_stains(((0.03, 0.0, 0.109), (-0.04, 0.01, 0.109), (0.0, -0.03, 0.1), (0.0, 0.03, 0.1)), 0.034, c)], 0.12, 0.055, 0.11, 0.4)


def towel_stack(c: Vec) -> Form:
    """Two towels, one on the other, with a ribbon around."""
    other = _pale_twin(c)
    parts = [loft(((-0.085, 0.021, 0.1, 0.5), (0.085, 0.021, 0.1, 0.5)), rgb, (0, 0, z), facing(90.0, 90.0), texture="carpet") for rgb, z in ((c, 0.022), (other, 0.064))]
    parts += [box((0.012, 0.088, 0.044), (0, 0, 0.044), tone(c, 0.6)), box((0.03, 0.014, 0.008), (0, 0, 0.092), tone(c, 0.6), (0, 0, 30))]
    return lying([*parts, *_stains(((0.055, 0.02, 0.086), (-0.055, -0.03, 0.086), (-0.06, 0.05, 0.086)), 0.036, other)], 0.1, 0.087, 0.09, 0.5)


def cloth(c: Vec) -> Form:
    """A thin checked square with a corner turned back."""
    other = _pale_twin(c)
    parts = [box((0.1, 0.1, 0.004), (0, 0, 0.004), other)]
    parts += [box((0.1, 0.014, 0.0046), (0, y, 0.0042), c) for y in (-0.07, -0.023, 0.023, 0.07)]
    parts += [box((0.014, 0.1, 0.005), (x, 0, 0.0044), tone(c, 0.8)) for x in (-0.07, -0.023, 0.023, 0.07)]
    parts.append(loft(((0, 0.003, 0.05, 0), (0.05, 0.004, 0.004, 0)), other, (0.062, 0.062, 0.012), facing(225.0, 84.0)))
    return lying([*parts, *_stains(((0.03, 0.02, 0.01), (-0.05, -0.02, 0.01), (0.02, -0.06, 0.01), (-0.04, 0.06, 0.01)), 0.034, other)], 0.1, 0.1, 0.018, 0.1)


def cloth_crumpled(c: Vec) -> Form:
    """A rag in a heap: folds running to a peak."""
    parts = [loft(((0, 0.09, 0.075, 0.7), (0.012, 0.085, 0.07, 0.7), (0.03, 0.04, 0.03, 0.8)), c, texture="checks")]
    for i, a in enumerate((10.0, 75.0, 150.0, 215.0, 290.0)):
        parts.append(bar(((0.0, 0.016, 0.022, 0.8), (0.05, 0.02, 0.016, 0.8), (0.098, 0.026, 0.004, 0.6)), (c, _pale_twin(c))[i % 2], (0, 0, 0.02), a))
    return lying([*parts, *_stains(((0.01, 0.02, 0.04), (-0.05, -0.02, 0.034), (0.05, -0.03, 0.032), (0.0, -0.055, 0.026)), 0.03, c)], 0.085, 0.075, 0.042, 0.1)


def cloth_folded(c: Vec) -> Form:
    """Folded to a triangle, striped along the edge."""
    other = _pale_twin(c)
    blade = ((-0.005, 0.006, 0.14, 0), (0.13, 0.006, 0.004, 0))
    parts = [loft(blade, c, (0, -0.05, 0.007), facing(90.0, 90.0)), box((0.13, 0.008, 0.0085), (0, -0.045, 0.008), other), loft(((0.02, 0.007, 0.095, 0), (0.1, 0.007, 0.004, 0)), other, (0, -0.05, 0.0072), facing(90.0, 90.0)), loft(((0.032, 0.0075, 0.07, 0), (0.09, 0.0075, 0.003, 0)), c, (0, -0.05, 0.0074), facing(90.0, 90.0))]
    return lying([*parts, *_stains(((0.0, 0.0, 0.014), (-0.06, -0.03, 0.014), (0.06, -0.03, 0.014), (0.0, 0.04, 0.014)), 0.03, c)], 0.13, 0.06, 0.018, 0.1)


def _pores(x: float, y: float, z: float, c: Vec) -> list[Part]:
    return [cap(0.0055 + 0.003 * (i % 2), (round(a * x, 4), round(b * y, 4), z + 0.0006), tone(c, 0.55)) for i, (a, b) in enumerate(((-0.6, 0.4), (0.1, -0.5), (0.55, 0.45), (-0.15, 0.1), (0.7, -0.35), (-0.7, -0.5)))]


def sponge(c: Vec) -> Form:
    """A block with pores on a dark scouring pad."""
    parts = [box((0.068, 0.046, 0.02), (0, 0, 0.033), c, texture="speckle"), box((0.068, 0.046, 0.007), (0, 0, 0.007), (0.1, 0.32, 0.16)), *_pores(0.068, 0.046, 0.053, c)]
    return lying([*parts, *_sponge_dirt(c, 0.052)], 0.068, 0.046, 0.053, 0.05)


def _sponge_dirt(c: Vec, z: float) -> list[Part]:
    top = [blot((x, y, z), (0, 0, 1), s, c) for x, y, s in ((0.03, 0.012, 0.024), (-0.034, -0.012, 0.026), (-0.01, 0.028, 0.015))]
    return [*top, *(blot((s * 0.03, s * 0.043, 0.6 * z), (0, s, 0.1), 0.022, c) for s in (-1, 1))]


def sponge_waisted(c: Vec) -> Form:
    """Narrow in the middle, to be held."""
    body = ((-0.07, 0.046, 0.021, 0.3), (-0.035, 0.046, 0.021, 0.3), (0, 0.032, 0.021, 0.3), (0.035, 0.046, 0.021, 0.3), (0.07, 0.046, 0.021, 0.3))
    pad = [(x, y, 0.006, r) for x, y, _, r in body]
    parts = [bar(body, c, (0, 0, 0.033), texture="speckle"), bar(pad, (0.1, 0.32, 0.16), (0, 0, 0.006)), *_pores(0.068, 0.03, 0.054, c)]
    return lying([*parts, *_sponge_dirt(c, 0.053)], 0.07, 0.045, 0.054, 0.05)


def sponge_round(c: Vec) -> Form:
    """A round bath sponge with big pores."""
    body = ovoid((0.066, 0.058, 0.034), (0, 0, 0.033), c, texture="speckle")
    holes = [disc(0.011 - 0.002 * (i % 2), 0.003, (round(0.034 * cos(radians(a)), 4), round(0.03 * sin(radians(a)), 4), 0.0565), tone(c, 0.5)) for i, a in enumerate((10, 80, 150, 225, 300))]
    return lying([body, *holes, disc(0.009, 0.003, (0, 0, 0.0645), tone(c, 0.5)), *_sponge_dirt(c, 0.058)], 0.06, 0.053, 0.066, 0.05)


def soap(c: Vec) -> Form:
    """A bar with a stamped oval, some foam on it."""
    light = mix(c, WHITE, 0.5) if brightness(c) < 0.85 else (0.75, 0.82, 0.9)
    parts = [loft(((0, 0.044, 0.028, 0.5), (0.008, 0.055, 0.036, 0.5), (0.024, 0.055, 0.036, 0.5), (0.034, 0.042, 0.025, 0.5)), c), ovoid((0.026, 0.014, 0.003), (0, 0, 0.034), light)]
    return lying([*parts, *_foam(((0.05, 0.02), (0.04, 0.03), (-0.05, -0.02)), 0.012)], 0.055, 0.036, 0.035, 0.1)


def _foam(spots: tuple[tuple[float, float], ...], z: float) -> list[Part]:
    return [dome(0.014 - 0.002 * i, 0.012, (x, y, z), (0.98, 0.99, 1.0)) for i, (x, y) in enumerate(spots)]


def soap_dish(c: Vec) -> Form:
    """An oval bar on a little tray."""
    tray = loft(((0, 0.055, 0.038, 0.6), (0.014, 0.072, 0.05, 0.6), (0.015, 0.06, 0.04, 0.6)), (0.9, 0.93, 0.95) if brightness(c) < 0.85 else (0.4, 0.6, 0.7))
    return lying([tray, ovoid((0.05, 0.032, 0.016), (0, 0, 0.026), c), *_foam(((0.052, 0.02), (-0.055, -0.014)), 0.014)], 0.07, 0.048, 0.042, 0.15)


def soap_rope(c: Vec) -> Form:
    """A round bar on a loop of cord."""
    parts = [lathe(((0, 0), (0.036, 0), (0.046, 0.012), (0.046, 0.024), (0.034, 0.034), (0, 0.034)), c, (-0.02, 0, 0)), cap(0.012, (-0.02, 0, 0.0345), tone(c, 0.6)), ring(0.03, 0.005, (0.05, 0, 0.007), (0.85, 0.78, 0.6))]
    return lying(parts, 0.07, 0.046, 0.034, 0.12)


def _roll(r: float, h: float, c: Vec) -> list[Part]:
    core = 0.3 * r
    paper = mix(WHITE, c, 0.3)
    body = lathe(((core, 0), (r, 0), (r, h), (core, h)), paper)
    tube = lathe(((core, h), (core, 0)), (0.42, 0.28, 0.16))
    rim = ring(core, 0.003, (0, 0, h), (0.66, 0.48, 0.3))
    return [body, tube, rim, lathe(((0.62 * r, h + 0.0006), (0.56 * r, h + 0.0006)), tone(paper, 0.78)), lathe(((0.86 * r, h + 0.0006), (0.8 * r, h + 0.0006)), tone(paper, 0.78))]


def toilet_paper(c: Vec) -> Form:
    """A roll standing up, its last sheet hanging down; the colour is a tint."""
    parts = [*_roll(0.058, 0.1, c), box((0.022, 0.0015, 0.044), (0.04, 0.0575, 0.054), mix(WHITE, c, 0.22)), box((0.026, 0.0015, 0.012), (0.075, 0.0575, 0.012), mix(WHITE, c, 0.22))]
    return standing(parts, 0.058, 0.1, 0.1)


def toilet_paper_small(c: Vec) -> Form:
    """Half used up: a thin roll with a wide tube."""
    paper, r, h = mix(WHITE, c, 0.3), 0.042, 0.1
    parts = [lathe(((0.024, 0), (r, 0), (r, h), (0.024, h)), paper), lathe(((0.024, h + 0.001), (0.024, 0)), (0.42, 0.28, 0.16)), ring(0.024, 0.003, (0, 0, h), (0.66, 0.48, 0.3))]
    parts += [box((0.035, 0.0015, 0.047), (0.025, r - 0.001, 0.05), mix(WHITE, c, 0.22)), box((0.012, 0.0015, 0.04), (0.068, r - 0.001, 0.044), mix(WHITE, c, 0.22))]
    return standing(parts, 0.046, 0.1, 0.06)


def toilet_paper_double(c: Vec) -> Form:
    """Two rolls, one on the other."""
    return standing([*_roll(0.055, 0.085, c), *(_lifted(p, 0.087) for p in _roll(0.052, 0.085, mix(c, WHITE, 0.4)))], 0.055, 0.172, 0.2)


def _lifted(part: Part, by: float) -> Part:
    return replace(part, pos=(part.pos[0], part.pos[1], round(part.pos[2] + by, 5)))


def plunger(c: Vec) -> Form:
    """A rubber cup on a stick."""
    cup = lathe(((0.078, 0), (0.08, 0.012), (0.07, 0.045), (0.03, 0.068), (0.024, 0.085), (0, 0.088)), c)
    return standing([cup, rod((0, 0, 0.08), (0, 0, 0.32), 0.0115, WOOD), disc(0.014, 0.016, (0, 0, 0.305), c)], 0.078, 0.32, 0.4)


def plunger_bellows(c: Vec) -> Form:
    """A cup in three folds."""
    cup = lathe(((0.06, 0), (0.072, 0.014), (0.05, 0.028), (0.066, 0.044), (0.046, 0.058), (0.056, 0.074), (0.02, 0.094), (0, 0.096)), c)
    return standing([cup, rod((0, 0, 0.09), (0, 0, 0.3), 0.012, WHITE if brightness(c) < 0.8 else DARK), disc(0.02, 0.02, (0, 0, 0.285), c)], 0.072, 0.305, 0.4)


def plunger_tee(c: Vec) -> Form:
    """A wide cup with a cross handle."""
    cup = lathe(((0.086, 0), (0.086, 0.02), (0.06, 0.045), (0.022, 0.055), (0, 0.056)), c)
    return standing([cup, rod((0, 0, 0.05), (0, 0, 0.27), 0.011, WOOD), rod((-0.055, 0, 0.275), (0.055, 0, 0.275), 0.014, c)], 0.085, 0.285, 0.4)
