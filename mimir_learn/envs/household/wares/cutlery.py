"""Cutlery and cooking tools: flat things with a handle at −x and a working end at +x."""

from __future__ import annotations

from ..spec import Part, Vec
from .forms import Form, bar, blot, box, lathe, loft, lying, ovoid, resized, rod
from .line import line
from .palette import DARK, STEEL, WOOD, brightness, contrast, tone

_EDGE = tone(STEEL, 1.25)


def _grip(start: float, end: float, c: Vec, wide: float = 0.014, high: float = 0.01, z: float = 0.011, texture: str = "") -> Part:
    return bar(
        (
            (start, 0.8 * wide, 0.8 * high, 0.5),
            (start + 0.02, wide, high, 0.5),
            (end - 0.01, wide, high, 0.5),
            (end, 0.7 * wide, 0.7 * high, 0.5),
        ),
        c,
        (0, 0, z),
        texture=texture,
    )


def _rivets(xs: tuple[float, ...], c: Vec, z: float = 0.0215) -> list[Part]:
    return [box((0.004, 0.004, 0.001), (x, 0, z), contrast(c)) for x in xs]


def knife(c: Vec) -> Form:
    """A chef's knife: a broad blade that comes to a point."""
    blade = bar(
        ((-0.03, 0.03, 0.003, 0), (0.06, 0.028, 0.003, 0), (0.125, 0.016, 0.0025, 0), (0.165, 0.002, 0.002, 0)), _EDGE, (0, -0.006, 0.009)
    )
    parts = [blade, _grip(-0.165, -0.028, c), *_rivets((-0.14, -0.095, -0.05), c)]
    return resized(lying([*parts, *_smears(((-0.005, 0.0), (0.055, -0.01), (0.1, -0.008)), 0.011, 0.02)], 0.165, 0.034, 0.022, 0.2), 0.82)


def knife_bread(c: Vec) -> Form:
    """A long blade with a wavy edge and a blunt tip."""
    blade = bar(((-0.04, 0.018, 0.003, 0), (0.15, 0.02, 0.003, 0), (0.175, 0.013, 0.003, 0)), _EDGE, (0, 0, 0.01))
    teeth = [box((0.008, 0.008, 0.0025), (-0.025 + 0.024 * i, -0.018, 0.01), _EDGE, (0, 0, 45)) for i in range(8)]
    parts = [blade, *teeth, _grip(-0.175, -0.036, c), *_rivets((-0.15, -0.065), c)]
    return resized(lying([*parts, *_smears(((0.0, 0.0), (0.06, 0.0), (0.12, 0.0)), 0.012, 0.019)], 0.175, 0.03, 0.022, 0.2), 0.82)


def knife_cleaver(c: Vec) -> Form:
    """A slab of a blade with a hole in its corner."""
    parts = [box((0.08, 0.042, 0.003), (0.075, -0.012, 0.009), _EDGE), box((0.007, 0.007, 0.001), (0.135, 0.014, 0.0125), DARK)]
    parts += [_grip(-0.155, 0.0, c), *_rivets((-0.125, -0.08, -0.035), c)]
    return resized(lying([*parts, *_smears(((0.03, -0.02), (0.08, 0.005), (0.12, -0.03)), 0.011, 0.026)], 0.155, 0.05, 0.022, 0.4), 0.82)


def _smears(spots: tuple[tuple[float, float], ...], z: float, size: float, on: Vec = STEEL) -> list[Part]:
    return [blot((x, y, z), (0, 0, 1), size, on) for x, y in spots]


def _fork(c: Vec, tines: int, metal: Vec, texture: str = "") -> Form:
    gap = 0.021 if tines == 3 else 0.034
    parts = [
        bar(
            ((0.045, 0.012, 0.004, 0), (0.072, 0.014 + gap * (tines - 1) / 2, 0.004, 0), (0.088, 0.008 + gap * (tines - 1) / 2, 0.004, 0)),
            metal,
            (0, 0, 0.012),
        )
    ]
    parts += [
        bar(((0.08, 0.0065, 0.004, 0), (0.145, 0.005, 0.003, 0), (0.158, 0.002, 0.002, 0)), metal, (0, gap * (i - (tines - 1) / 2), 0.012))
        for i in range(tines)
    ]
    parts += [
        bar(((-0.03, 0.008, 0.004, 0.4), (0.05, 0.011, 0.004, 0.4)), metal, (0, 0, 0.011)),
        _grip(-0.158, -0.02, c, 0.013, 0.007, 0.01, texture),
    ]
    return lying([*parts, *_smears(((0.072, 0.012), (0.11, -0.02), (0.02, 0.0)), 0.014, 0.02)], 0.158, 0.032, 0.02, 0.08)


def fork(c: Vec) -> Form:
    return resized(_fork(c, 3, _EDGE), 0.8)


def fork_carving(c: Vec) -> Form:
    return resized(_fork(c, 2, _EDGE), 0.8)


def fork_wooden(c: Vec) -> Form:
    return resized(_fork(c, 3, WOOD, "wood"), 0.8)


def _spoon(c: Vec, metal: Vec, half: tuple[float, float], texture: str = "") -> Form:
    x, y = half
    at = 0.155 - x
    parts = [ovoid((x, y, 0.012), (at, 0, 0.012), metal), ovoid((0.78 * x, 0.74 * y, 0.006), (at, 0, 0.0205), tone(metal, 0.62))]
    parts += [
        bar(((-0.04, 0.007, 0.004, 0.4), (at - 0.8 * x, 0.009, 0.004, 0.4)), metal, (0, 0, 0.014)),
        _grip(-0.155, -0.03, c, 0.013, 0.007, 0.01, texture),
    ]
    return lying(
        [*parts, *_smears(((at + 0.2 * x, 0.25 * y), (at - 0.5 * x, -0.35 * y), (0.02, 0.0), (-0.09, 0.0)), 0.022, 0.024)],
        0.155,
        y,
        0.022,
        0.07,
    )


def spoon(c: Vec) -> Form:
    return resized(_spoon(c, _EDGE, (0.045, 0.03)), 0.8)


def spoon_round(c: Vec) -> Form:
    return resized(_spoon(c, _EDGE, (0.038, 0.036)), 0.8)


def spoon_wooden(c: Vec) -> Form:
    return resized(_spoon(c, WOOD, (0.05, 0.034), "wood"), 0.8)


def _ladle(c: Vec, r: float, metal: Vec) -> Form:
    """A deep bowl and a handle that rises from its rim."""
    x = 0.155 - r
    outer = ((0, 0), (0.55 * r, 0.006), (0.92 * r, 0.5 * r), (r, 0.85 * r))
    rim = 0.85 * r
    parts = [
        lathe((*outer, (r - 0.004, rim)), metal, (x, 0, 0)),
        lathe(((r - 0.004, rim), (0.8 * r, 0.4 * r), (0.4 * r, 0.1 * r), (0, 0.06 * r)), tone(metal, 0.55), (x, 0, 0)),
    ]
    parts += [
        rod((x - 0.9 * r, 0, rim - 0.002), (-0.05, 0, 0.054), 0.007, metal),
        rod((-0.05, 0, 0.053), (-0.155, 0, 0.062), 0.012, c, 0.014),
    ]
    hook = [rod((-0.155, 0, 0.062), (-0.17, 0, 0.052), 0.006, metal)]
    dirty = [
        blot((x + 0.3 * r, 0.1 * r, 0.2 * r), (0, 0, 1), 0.5 * r, tone(metal, 0.55)),
        blot((x + 0.8 * r, 0, 0.35 * r), (1, 0, -0.2), 0.024, metal),
        blot((x, -0.8 * r, 0.35 * r), (0, -1, -0.2), 0.024, metal),
        blot((x, 0.8 * r, 0.35 * r), (0, 1, -0.2), 0.024, metal),
        blot((-0.02, 0, 0.058), (0, 0, 1), 0.016, metal),
    ]
    return lying([*parts, *hook, *dirty], 0.16, r, 0.07, 0.2)


def ladle(c: Vec) -> Form:
    return resized(_ladle(c, 0.048, _EDGE), 0.92)


def ladle_small(c: Vec) -> Form:
    return resized(_ladle(c, 0.04, _EDGE), 0.92)


def ladle_wide(c: Vec) -> Form:
    return resized(_ladle(c, 0.056, tone(c, 0.75)), 0.92)


def spatula(c: Vec) -> Form:
    """A turner: a slotted blade bent off a long handle."""
    blade = [box((0.042, 0.006, 0.0025), (0.11, y, 0.009), _EDGE) for y in (-0.036, -0.012, 0.012, 0.036)]
    blade += [box((0.01, 0.042, 0.0025), (x, 0, 0.009), _EDGE) for x in (0.068, 0.148)]
    neck = loft(((0, 0.003, 0.014, 0), (0.02, 0.003, 0.03, 0)), _EDGE, (0.046, 0, 0.011), (0, 90, 0))
    parts = [
        *blade,
        neck,
        bar(((-0.05, 0.007, 0.004, 0.4), (0.05, 0.008, 0.004, 0.4)), _EDGE, (0, 0, 0.014)),
        _grip(-0.158, -0.04, c, 0.015, 0.01, 0.012),
    ]
    return resized(lying([*parts, *_smears(((0.09, 0.022), (0.13, -0.02), (0.065, -0.02)), 0.011, 0.021)], 0.158, 0.042, 0.022, 0.15), 0.92)


def spatula_solid(c: Vec) -> Form:
    """A rubber scraper: a blade of the handle's colour, rounded on one side."""
    blade = bar(
        ((0.05, 0.02, 0.006, 0.3), (0.07, 0.038, 0.008, 0.3), (0.125, 0.04, 0.007, 0.3), (0.155, 0.03, 0.004, 0.3)), c, (0, 0, 0.011)
    )
    parts = [blade, rod((-0.15, 0, 0.011), (0.06, 0, 0.011), 0.01, WOOD if brightness(c) < 0.7 else DARK, 0.009)]
    return resized(
        lying([*parts, *_smears(((0.085, 0.015), (0.125, -0.014), (0.06, -0.01)), 0.018, 0.021, c)], 0.155, 0.04, 0.022, 0.12), 0.92
    )


def spatula_fish(c: Vec) -> Form:
    """A broad fan with three long slots."""
    ribs = [bar(((0.03, 0.008, 0.0025, 0), (0.155, 0.009, 0.0025, 0)), _EDGE, (0, 0, 0.009), turn) for turn in (-17.0, -6.0, 6.0, 17.0)]
    ribs += [box((0.008, 0.05, 0.0025), (0.148, 0, 0.009), _EDGE), box((0.01, 0.02, 0.0025), (0.045, 0, 0.009), _EDGE)]
    return resized(
        lying(
            [*ribs, _grip(-0.155, 0.04, c, 0.014, 0.01, 0.012), *_smears(((0.085, 0.02), (0.13, -0.03), (0.13, 0.025)), 0.011, 0.02)],
            0.157,
            0.05,
            0.022,
            0.15,
        ),
        0.92,
    )


LINES = {
    "knife": line("black red brown blue green", "teal magenta", {"chef": knife, "bread": knife_bread}, {"cleaver": knife_cleaver}),
    "fork": line("black red brown blue white", "teal magenta", {"table": fork, "carving": fork_carving}, {"wooden": fork_wooden}),
    "spoon": line("black red brown blue white", "teal magenta", {"table": spoon, "round": spoon_round}, {"wooden": spoon_wooden}),
    "ladle": line("black red brown blue green", "teal magenta", {"deep": ladle, "small": ladle_small}, {"wide": ladle_wide}),
    "spatula": line("black red brown blue green", "teal magenta", {"slotted": spatula, "scraper": spatula_solid}, {"fish": spatula_fish}),
}
