"""What one cleans with: sprays, soap, sponges, paper rolls and plungers."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import Form, ball, band, bar, blot, box, cap, disc, dome, lathe, loft, lying, moved, ovoid, ring, rod, standing
from .line import line
from .palette import BRASS, DARK, STEEL, WHITE, WOOD, brightness, mix, tone


def _sprayer(z: float, head: Vec, x: float = 0.0) -> list[Part]:
    """Trigger, barrel and nozzle."""
    return [
        disc(0.018, 0.03, (x, 0, z), head),
        bar(((-0.035, 0.014, 0.014, 0), (0.03, 0.014, 0.016, 0), (0.06, 0.01, 0.01, 0)), head, (x, 0, z + 0.042)),
        rod((x + 0.06, 0, z + 0.042), (x + 0.075, 0, z + 0.042), 0.009, DARK),
        bar(((0, 0.008, 0.006, 0), (0.055, 0.009, 0.005, 0)), head, (x + 0.038, 0, z + 0.03), 0.0),
        box((0.006, 0.009, 0.028), (x + 0.043, 0, z + 0.008), DARK, (0, -24, 0)),
    ]


def spray_bottle(c: Vec) -> Form:
    """A round shoulder under a trigger head."""
    outer = ((0, 0), (0.043, 0), (0.045, 0.09), (0.036, 0.12), (0.017, 0.14), (0, 0.14))
    parts = [
        lathe(outer, c),
        band(0.0462, 0.03, 0.08, WHITE if brightness(c) < 0.8 else (0.3, 0.6, 0.9)),
        *_sprayer(0.138, WHITE if brightness(c) < 0.8 else (0.85, 0.12, 0.1)),
    ]
    return standing(parts, 0.046, 0.2, 0.5)


def spray_bottle_flat(c: Vec) -> Form:
    """A flat-sided bottle with a slanting shoulder."""
    body = loft(((0, 0.05, 0.03, 0.4), (0.1, 0.05, 0.03, 0.4), (0.145, 0.018, 0.018, 0.6)), WHITE if brightness(c) < 0.8 else DARK)
    label = box((0.032, 0.0305, 0.03), (0, 0, 0.055), c)
    return lying([body, label, *_sprayer(0.142, c)], 0.05, 0.032, 0.205, 0.5)


def spray_bottle_cone(c: Vec) -> Form:
    """A cone with a ball of a head."""
    outer = ((0, 0), (0.052, 0), (0.05, 0.02), (0.018, 0.15), (0, 0.15))
    return standing(
        [lathe(outer, c), band(0.052, 0.012, 0.022, DARK), *_sprayer(0.146, DARK if brightness(c) > 0.2 else WHITE)], 0.052, 0.205, 0.5
    )


def _pump(z: float, head: Vec) -> list[Part]:
    """A dispenser: collar, stem and a beak that bends over."""
    return [
        disc(0.022, 0.014, (0, 0, z), head),
        rod((0, 0, z + 0.01), (0, 0, z + 0.042), 0.007, STEEL),
        disc(0.017, 0.012, (0, 0, z + 0.04), head),
        bar(((0, 0.01, 0.006, 0.3), (0.056, 0.007, 0.005, 0.3)), head, (0, 0, z + 0.047)),
        rod((0.053, 0, z + 0.047), (0.056, 0, z + 0.03), 0.006, head),
    ]


def soap_bottle(c: Vec) -> Form:
    """A cylinder of soap under a pump."""
    outer = ((0, 0), (0.04, 0), (0.042, 0.01), (0.042, 0.1), (0.022, 0.115), (0, 0.115))
    return standing(
        [
            lathe(outer, c),
            band(0.0432, 0.03, 0.075, WHITE if brightness(c) < 0.8 else (0.35, 0.7, 0.5)),
            *_pump(0.113, WHITE if brightness(c) < 0.8 else DARK),
        ],
        0.043,
        0.165,
        0.4,
    )


def soap_bottle_square(c: Vec) -> Form:
    """A block of a dispenser, as of stone."""
    body = loft(((0, 0.04, 0.032, 0.1), (0.1, 0.036, 0.028, 0.1)), c, texture="speckle")
    return lying([body, *_pump(0.1, STEEL)], 0.04, 0.032, 0.15, 0.45)


def soap_bottle_round(c: Vec) -> Form:
    """A globe with a pump."""
    return standing([ball(0.054, (0, 0, 0.05), c, 0.92), disc(0.03, 0.006, (0, 0, 0), c), *_pump(0.096, BRASS)], 0.052, 0.148, 0.4)


def _pores(x: float, y: float, z: float, c: Vec) -> list[Part]:
    return [
        cap(0.0055 + 0.003 * (i % 2), (round(a * x, 4), round(b * y, 4), z + 0.0006), tone(c, 0.55))
        for i, (a, b) in enumerate(((-0.6, 0.4), (0.1, -0.5), (0.55, 0.45), (-0.15, 0.1), (0.7, -0.35), (-0.7, -0.5)))
    ]


def sponge(c: Vec) -> Form:
    """A block with pores on a dark scouring pad."""
    parts = [
        box((0.068, 0.046, 0.02), (0, 0, 0.033), c, texture="speckle"),
        box((0.068, 0.046, 0.007), (0, 0, 0.007), (0.1, 0.32, 0.16)),
        *_pores(0.068, 0.046, 0.053, c),
    ]
    return lying([*parts, *_sponge_dirt(c, 0.052)], 0.068, 0.046, 0.053, 0.05)


def _sponge_dirt(c: Vec, z: float) -> list[Part]:
    top = [blot((x, y, z), (0, 0, 1), s, c) for x, y, s in ((0.03, 0.012, 0.024), (-0.034, -0.012, 0.026), (-0.01, 0.028, 0.015))]
    return [*top, *(blot((s * 0.03, s * 0.043, 0.6 * z), (0, s, 0.1), 0.022, c) for s in (-1, 1))]


def sponge_waisted(c: Vec) -> Form:
    """Narrow in the middle, to be held."""
    body = (
        (-0.07, 0.046, 0.021, 0.3),
        (-0.035, 0.046, 0.021, 0.3),
        (0, 0.032, 0.021, 0.3),
        (0.035, 0.046, 0.021, 0.3),
        (0.07, 0.046, 0.021, 0.3),
    )
    pad = [(x, y, 0.006, r) for x, y, _, r in body]
    parts = [bar(body, c, (0, 0, 0.033), texture="speckle"), bar(pad, (0.1, 0.32, 0.16), (0, 0, 0.006)), *_pores(0.068, 0.03, 0.054, c)]
    return lying([*parts, *_sponge_dirt(c, 0.053)], 0.07, 0.045, 0.054, 0.05)


def sponge_round(c: Vec) -> Form:
    """A round bath sponge with big pores."""
    body = ovoid((0.066, 0.058, 0.034), (0, 0, 0.033), c, texture="speckle")
    holes = [
        disc(0.011 - 0.002 * (i % 2), 0.003, (round(0.034 * cos(radians(a)), 4), round(0.03 * sin(radians(a)), 4), 0.0565), tone(c, 0.5))
        for i, a in enumerate((10, 80, 150, 225, 300))
    ]
    return lying([body, *holes, disc(0.009, 0.003, (0, 0, 0.0645), tone(c, 0.5)), *_sponge_dirt(c, 0.058)], 0.06, 0.053, 0.066, 0.05)


def soap(c: Vec) -> Form:
    """A bar with a stamped oval, some foam on it."""
    light = mix(c, WHITE, 0.5) if brightness(c) < 0.85 else (0.75, 0.82, 0.9)
    parts = [
        loft(((0, 0.044, 0.028, 0.5), (0.008, 0.055, 0.036, 0.5), (0.024, 0.055, 0.036, 0.5), (0.034, 0.042, 0.025, 0.5)), c),
        ovoid((0.026, 0.014, 0.003), (0, 0, 0.034), light),
    ]
    return lying([*parts, *_foam(((0.05, 0.02), (0.04, 0.03), (-0.05, -0.02)), 0.012)], 0.055, 0.036, 0.035, 0.1)


def _foam(spots: tuple[tuple[float, float], ...], z: float) -> list[Part]:
    return [dome(0.014 - 0.002 * i, 0.012, (x, y, z), (0.98, 0.99, 1.0)) for i, (x, y) in enumerate(spots)]


def soap_dish(c: Vec) -> Form:
    """An oval bar on a little tray."""
    tray = loft(
        ((0, 0.055, 0.038, 0.6), (0.014, 0.072, 0.05, 0.6), (0.015, 0.06, 0.04, 0.6)),
        (0.9, 0.93, 0.95) if brightness(c) < 0.85 else (0.4, 0.6, 0.7),
    )
    return lying(
        [tray, ovoid((0.05, 0.032, 0.016), (0, 0, 0.026), c), *_foam(((0.052, 0.02), (-0.055, -0.014)), 0.014)], 0.07, 0.048, 0.042, 0.15
    )


def soap_wrapped(c: Vec) -> Form:
    """A block half out of its paper."""
    paper = mix(c, WHITE, 0.8) if brightness(c) < 0.85 else (0.55, 0.7, 0.85)
    parts = [
        loft(((0, 0.054, 0.034, 0.15), (0.034, 0.054, 0.034, 0.15)), c),
        box((0.036, 0.0365, 0.0185), (-0.022, 0, 0.0185), paper),
        box((0.02, 0.037, 0.0192), (-0.026, 0, 0.0192), tone(c, 0.65)),
    ]
    return lying([*parts, ovoid((0.016, 0.01, 0.002), (0.034, 0, 0.034), tone(c, 0.8))], 0.057, 0.037, 0.038, 0.12)


def _roll(r: float, h: float, c: Vec) -> list[Part]:
    core = 0.3 * r
    paper = mix(WHITE, c, 0.3)
    body = lathe(((core, 0), (r, 0), (r, h), (core, h)), paper)
    tube = lathe(((core, h), (core, 0)), (0.42, 0.28, 0.16))
    rim = ring(core, 0.003, (0, 0, h), (0.66, 0.48, 0.3))
    return [
        body,
        tube,
        rim,
        lathe(((0.62 * r, h + 0.0006), (0.56 * r, h + 0.0006)), tone(paper, 0.78)),
        lathe(((0.86 * r, h + 0.0006), (0.8 * r, h + 0.0006)), tone(paper, 0.78)),
    ]


def toilet_paper(c: Vec) -> Form:
    """A roll standing up, its last sheet hanging down; the colour is a tint."""
    parts = [
        *_roll(0.058, 0.1, c),
        box((0.022, 0.0015, 0.044), (0.04, 0.0575, 0.054), mix(WHITE, c, 0.22)),
        box((0.026, 0.0015, 0.012), (0.075, 0.0575, 0.012), mix(WHITE, c, 0.22)),
    ]
    return standing(parts, 0.058, 0.1, 0.1)


def toilet_paper_small(c: Vec) -> Form:
    """Half used up: a thin roll with a wide tube."""
    paper, r, h = mix(WHITE, c, 0.3), 0.042, 0.1
    parts = [
        lathe(((0.024, 0), (r, 0), (r, h), (0.024, h)), paper),
        lathe(((0.024, h + 0.001), (0.024, 0)), (0.42, 0.28, 0.16)),
        ring(0.024, 0.003, (0, 0, h), (0.66, 0.48, 0.3)),
    ]
    parts += [
        box((0.035, 0.0015, 0.047), (0.025, r - 0.001, 0.05), mix(WHITE, c, 0.22)),
        box((0.012, 0.0015, 0.04), (0.068, r - 0.001, 0.044), mix(WHITE, c, 0.22)),
    ]
    return standing(parts, 0.046, 0.1, 0.06)


def toilet_paper_double(c: Vec) -> Form:
    """Two rolls, one on the other."""
    return standing([*_roll(0.055, 0.085, c), *(moved(p, z=0.087) for p in _roll(0.052, 0.085, mix(c, WHITE, 0.4)))], 0.055, 0.172, 0.2)


def plunger(c: Vec) -> Form:
    """A rubber cup on a stick."""
    cup = lathe(((0.078, 0), (0.08, 0.012), (0.07, 0.045), (0.03, 0.068), (0.024, 0.085), (0, 0.088)), c)
    return standing([cup, rod((0, 0, 0.08), (0, 0, 0.32), 0.0115, WOOD), disc(0.014, 0.016, (0, 0, 0.305), c)], 0.078, 0.32, 0.4)


def plunger_bellows(c: Vec) -> Form:
    """A cup in three folds."""
    cup = lathe(((0.06, 0), (0.072, 0.014), (0.05, 0.028), (0.066, 0.044), (0.046, 0.058), (0.056, 0.074), (0.02, 0.094), (0, 0.096)), c)
    return standing(
        [cup, rod((0, 0, 0.09), (0, 0, 0.3), 0.012, WHITE if brightness(c) < 0.8 else DARK), disc(0.02, 0.02, (0, 0, 0.285), c)],
        0.072,
        0.305,
        0.4,
    )


def plunger_tee(c: Vec) -> Form:
    """A wide cup with a cross handle."""
    cup = lathe(((0.086, 0), (0.086, 0.02), (0.06, 0.045), (0.022, 0.055), (0, 0.056)), c)
    return standing(
        [cup, rod((0, 0, 0.05), (0, 0, 0.27), 0.011, WOOD), rod((-0.055, 0, 0.275), (0.055, 0, 0.275), 0.014, c)], 0.085, 0.285, 0.4
    )


LINES = {
    "spray_bottle": line(
        "blue green orange pink white", "teal lime", {"round": spray_bottle, "flat": spray_bottle_flat}, {"cone": spray_bottle_cone}
    ),
    "soap_bottle": line(
        "green pink cyan white purple", "lavender mint", {"pump": soap_bottle, "block": soap_bottle_square}, {"globe": soap_bottle_round}
    ),
    "soap": line("pink green yellow white cyan", "lavender mint", {"bar": soap, "dish": soap_dish}, {"wrapped": soap_wrapped}),
    "sponge": line("yellow pink cyan orange", "coral mint", {"block": sponge, "waisted": sponge_waisted}, {"bath": sponge_round}),
    "toilet_paper": line(
        "white pink blue", "mint ivory", {"full": toilet_paper, "used": toilet_paper_small}, {"double": toilet_paper_double}
    ),
    "plunger": line("red black orange brown", "maroon teal", {"cup": plunger, "bellows": plunger_bellows}, {"tee": plunger_tee}),
}
