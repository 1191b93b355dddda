"""Toys: cars and planes, blocks, bricks, puzzle cubes and teddies."""

from __future__ import annotations

from ..spec import Part, Vec
from .forms import Form, X, Y, along, ball, bar, blot, box, cap, disc, dome, facing, lathe, loft, lying, moved, ovoid, rod
from .line import line
from .palette import DARK, IRON, STEEL, WHITE, WOOD, brightness, contrast, mix, tone

_GLAZING: Vec = (0.62, 0.82, 0.95)


def _wheels(xs: tuple[float, ...], y: float, r: float, hub: Vec = STEEL) -> list[Part]:
    out = []
    for x in xs:
        for s in (-1, 1):
            out.append(lathe(((0, -0.011), (r, -0.011), (r, 0.011), (0, 0.011)), DARK, (x, s * y, r), Y))
            out.append(box((0.4 * r, 0.0125, 0.4 * r), (x, s * y, r), hub))
    return out


def toy(c: Vec) -> Form:
    """A car: hood, cabin with glass, four wheels."""
    body = bar(
        ((-0.095, 0.036, 0.016, 0.3), (-0.085, 0.042, 0.021, 0.3), (0.075, 0.042, 0.02, 0.3), (0.097, 0.034, 0.013, 0.3)), c, (0, 0, 0.04)
    )
    cabin = loft(((0, 0.056, 0.038, 0.2), (0.034, 0.034, 0.03, 0.2)), _GLAZING, (-0.012, 0, 0.058))
    roof = box((0.034, 0.031, 0.004), (-0.012, 0, 0.093), c)
    lights = [box((0.003, 0.009, 0.006), (0.093, s * 0.022, 0.044), (1.0, 0.95, 0.6)) for s in (-1, 1)]
    return lying([body, cabin, roof, *lights, *_wheels((-0.055, 0.056), 0.038, 0.023)], 0.095, 0.048, 0.096, 0.25)


def toy_truck(c: Vec) -> Form:
    """A tipper: cab, load bed, six wheels."""
    bed = (
        [box((0.056, 0.042, 0.004), (-0.04, 0, 0.046), IRON)]
        + [box((0.056, 0.003, 0.019), (-0.04, s * 0.041, 0.064), c) for s in (-1, 1)]
        + [box((0.003, 0.042, 0.019), (dx, 0, 0.064), c) for dx in (-0.095, 0.015)]
    )
    cab = [
        box((0.029, 0.038, 0.033), (0.062, 0, 0.07), c),
        box((0.004, 0.031, 0.013), (0.09, 0, 0.082), _GLAZING),
        box((0.018, 0.0385, 0.012), (0.066, 0, 0.083), _GLAZING),
        box((0.095, 0.03, 0.006), (0, 0, 0.036), DARK),
    ]
    return lying([*bed, *cab, *_wheels((-0.07, -0.03, 0.062), 0.036, 0.021)], 0.1, 0.046, 0.104, 0.3)


def toy_train(c: Vec) -> Form:
    """A steam engine: boiler, chimney, cab."""
    parts = [
        box((0.095, 0.03, 0.008), (0, 0, 0.036), DARK),
        lathe(((0, 0), (0.029, 0), (0.029, 0.11), (0.02, 0.118), (0, 0.118)), c, (-0.025, 0, 0.07), X),
        box((0.032, 0.038, 0.04), (-0.062, 0, 0.082), c),
        box((0.038, 0.043, 0.005), (-0.062, 0, 0.126), IRON),
    ]
    parts += [
        lathe(((0, 0), (0.011, 0), (0.011, 0.03), (0.019, 0.05), (0, 0.05)), DARK, (0.068, 0, 0.09)),
        ball(0.014, (0.028, 0, 0.1), (0.9, 0.7, 0.2)),
        box((0.022, 0.0385, 0.014), (-0.06, 0, 0.096), _GLAZING),
    ]
    return lying([*parts, *_wheels((-0.06, 0.0, 0.055), 0.034, 0.022, (0.85, 0.15, 0.12))], 0.098, 0.046, 0.13, 0.35)


def toy_airplane(c: Vec) -> Form:
    """A propeller plane: wings, tail, canopy."""
    other = WHITE if brightness(c) < 0.8 else (0.85, 0.12, 0.1)
    z = 0.045
    parts = [
        bar(
            ((-0.115, 0.006, 0.008, 1), (-0.05, 0.018, 0.02, 1), (0.06, 0.025, 0.026, 1), (0.1, 0.019, 0.02, 1), (0.112, 0.008, 0.009, 1)),
            c,
            (0, 0, z),
        )
    ]
    parts += [
        loft(((-0.13, 0.004, 0.022, 0.3), (0.0, 0.006, 0.034, 0.3), (0.13, 0.004, 0.022, 0.3)), other, (0.03, 0, z - 0.004), (-90, 0, 90)),
        box((0.019, 0.05, 0.004), (-0.1, 0, z + 0.006), other),
        loft(((0, 0.022, 0.004, 0), (0.042, 0.012, 0.003, 0)), other, (-0.098, 0, z + 0.006)),
    ]
    parts += [
        ovoid((0.026, 0.015, 0.016), (0.028, 0, z + 0.024), _GLAZING),
        box((0.003, 0.045, 0.006), (0.117, 0, z), DARK, (35, 0, 0)),
        ball(0.009, (0.117, 0, z), other),
    ]
    parts += [rod((0.045, s * 0.035, 0.016), (0.035, s * 0.02, z - 0.01), 0.005, DARK) for s in (-1, 1)] + [
        lathe(((0, -0.007), (0.016, -0.007), (0.016, 0.007), (0, 0.007)), DARK, (0.045, s * 0.04, 0.016), Y) for s in (-1, 1)
    ]
    return lying(parts, 0.115, 0.12, 0.085, 0.2)


def toy_airplane_jet(c: Vec) -> Form:
    """An airliner: swept wings with engines, windows."""
    z = 0.03
    other = WHITE if brightness(c) < 0.8 else (0.2, 0.3, 0.8)
    parts = [
        bar(
            (
                (-0.135, 0.006, 0.008, 1),
                (-0.09, 0.02, 0.021, 1),
                (0.09, 0.022, 0.023, 1),
                (0.125, 0.013, 0.014, 1),
                (0.138, 0.004, 0.004, 1),
            ),
            other,
            (0, 0, z),
        ),
        box((0.09, 0.0225, 0.005), (0, 0, z + 0.006), c),
    ]
    for s in (-1.0, 1.0):
        parts += [
            bar(((0, 0.032, 0.005, 0), (0.14, 0.014, 0.003, 0)), c, (0.02, s * 0.012, z - 0.008), s * 112.0),
            bar(((0, 0.016, 0.004, 0), (0.058, 0.009, 0.003, 0)), c, (-0.108, s * 0.004, z + 0.008), s * 115.0),
            rod((-0.012, s * 0.062, z - 0.018), (0.028, s * 0.062, z - 0.018), 0.011, IRON),
        ]
    parts += [
        loft(((0, 0.026, 0.004, 0), (0.05, 0.014, 0.003, 0)), c, (-0.112, 0, z + 0.014), (0, -18, 0)),
        box((0.008, 0.012, 0.006), (0.115, 0, z + 0.011), DARK),
    ]
    return lying(parts, 0.135, 0.125, 0.08, 0.2)


def toy_airplane_biplane(c: Vec) -> Form:
    """Two wings over each other."""
    z = 0.04
    other = mix(c, WHITE, 0.6)
    parts = [
        bar(((-0.11, 0.007, 0.009, 0.6), (-0.03, 0.019, 0.02, 0.6), (0.09, 0.021, 0.022, 0.6)), c, (0, 0, z)),
        *(box((0.03, 0.12, 0.004), (0.03, 0, h), other) for h in (z - 0.012, z + 0.05)),
        *(box((0.004, 0.003, 0.03), (0.03 + dx, s * 0.09, z + 0.02), WOOD) for s in (-1, 1) for dx in (-0.018, 0.018)),
    ]
    parts += [
        box((0.018, 0.048, 0.003), (-0.1, 0, z + 0.004), other),
        box((0.02, 0.003, 0.024), (-0.1, 0, z + 0.026), other),
        box((0.003, 0.048, 0.006), (0.097, 0, z), DARK, (50, 0, 0)),
        lathe(((0, 0), (0.02, 0), (0.006, 0.014), (0, 0.014)), IRON, (0.088, 0, z), X),
    ]
    parts += [lathe(((0, -0.007), (0.017, -0.007), (0.017, 0.007), (0, 0.007)), DARK, (0.045, s * 0.04, 0.017), Y) for s in (-1, 1)]
    return lying(parts, 0.11, 0.12, 0.095, 0.2)


def block(c: Vec) -> Form:
    """A wooden cube with framed faces and a sign on each."""
    h = 0.038
    wood = tone(WOOD, 1.35)
    parts = [box((h, h, h), (0, 0, h), wood, texture="wood")]
    for k in range(2):
        half: Vec = (0.78 * h, h + 0.0008, 0.78 * h) if k else (h + 0.0008, 0.78 * h, 0.78 * h)
        parts.append(box(half, (0, 0, h), c))
    parts.append(box((0.78 * h, 0.78 * h, h + 0.0008), (0, 0, h), c))
    # an A on top, bars on the sides
    ink = contrast(c)
    parts += [box((0.005, 0.02, 0.001), (s * 0.009, 0, 2 * h + 0.001), ink, (0, 0, s * 24)) for s in (-1, 1)] + [
        box((0.009, 0.004, 0.001), (0, -0.004, 2 * h + 0.001), ink)
    ]
    parts += [box((0.01, h + 0.0016, 0.015), (0, 0, h), ink), box((h + 0.0016, 0.015, 0.006), (0, 0, h), ink)]
    return lying(parts, h, h, 2 * h, 0.15)


def block_arch(c: Vec) -> Form:
    """A bridge: two legs and a lintel."""
    parts = [box((0.02, 0.03, 0.03), (s * 0.045, 0, 0.03), tone(WOOD, 1.35), texture="wood") for s in (-1, 1)] + [
        box((0.065, 0.03, 0.017), (0, 0, 0.073), c, texture="wood")
    ]
    parts += [loft(((-0.029, 0.012, 0.012, 0), (0.029, 0.012, 0.012, 0)), c, (s * 0.026, 0, 0.056), (90, 0, 45)) for s in (-1, 1)]
    return lying(parts, 0.065, 0.03, 0.09, 0.2)


def block_house(c: Vec) -> Form:
    """A cube with a gable roof."""
    h = 0.034
    parts = [
        box((h, h, h), (0, 0, h), tone(WOOD, 1.35), texture="wood"),
        loft(((0, h, h, 0), (0.04, 0.002, h, 0)), tone(WOOD, 1.35), (0, 0, 2 * h)),
    ]
    parts += [box((0.034, 0.04, 0.004), (s * 0.02, 0, 2 * h + 0.022), c, (0, s * 50, 0)) for s in (-1, 1)]
    parts += [box((0.011, h + 0.001, 0.018), (0, 0, 0.018), c), box((h + 0.001, 0.01, 0.01), (0, 0, 0.04), c)]
    return lying(parts, 0.04, 0.038, 0.112, 0.15)


def _brick(c: Vec, nx: int, ny: int, pitch: float, h: float, z: float = 0.0, at: tuple[float, float] = (0.0, 0.0)) -> list[Part]:
    x, y = nx * pitch / 2, ny * pitch / 2
    parts = [box((x - 0.001, y - 0.001, h / 2), (*at, z + h / 2), c)]
    stud = ((0.29 * pitch, 0), (0.29 * pitch, 0.32 * pitch), (0, 0.32 * pitch))
    parts += [
        lathe(stud, tone(c, 1.12), (round(at[0] + (i + 0.5) * pitch - x, 4), round(at[1] + (j + 0.5) * pitch - y, 4), z + h))
        for i in range(nx)
        for j in range(ny)
    ]
    parts.append(box((x, y, 0.0015), (*at, z + 0.0015), tone(c, 0.55)))
    return parts


def lego(c: Vec) -> Form:
    """Two by four."""
    return lying(_brick(c, 4, 2, 0.032, 0.042), 0.064, 0.032, 0.05, 0.06)


def lego_square(c: Vec) -> Form:
    """Two by two."""
    return lying(_brick(c, 2, 2, 0.04, 0.052), 0.04, 0.04, 0.062, 0.05)


def lego_stack(c: Vec) -> Form:
    """Three bricks put together, in steps."""
    other = contrast(c) if brightness(c) < 0.5 else (0.85, 0.12, 0.1)
    parts = [
        *_brick(c, 4, 2, 0.03, 0.032),
        *_brick(other, 2, 2, 0.03, 0.032, 0.032, (-0.03, 0.0)),
        *_brick(c, 2, 1, 0.03, 0.032, 0.064, (-0.03, 0.0)),
    ]
    return lying(parts, 0.06, 0.03, 0.1, 0.1)


def _cube(colours: tuple[Vec, ...], scrambled: bool) -> Form:
    """Black core, a plate on each face, and black lines that cut each into nine."""
    h = 0.042
    top, front, right, back, left = colours
    parts = [box((h, h, h), (0, 0, h), (0.05, 0.05, 0.06))]
    p = 0.94 * h
    parts += [
        box((p, p, 0.001), (0, 0, 2 * h + 0.0005), top),
        box((p, 0.001, p), (0, -h - 0.0005, h), front),
        box((p, 0.001, p), (0, h + 0.0005, h), back),
        box((0.001, p, p), (h + 0.0005, 0, h), right),
        box((0.001, p, p), (-h - 0.0005, 0, h), left),
    ]
    t, q = 0.0032, h + 0.002
    for s in (-1, 1):
        parts += [
            box((t, q, q), (s * h / 3, 0, h), DARK),
            box((q, t, q), (0, s * h / 3, h), DARK),
            box((q, q, t), (0, 0, h + s * h / 3), DARK),
        ]
    if scrambled:
        tile = 0.24 * h
        mixed = [(0.667, 0.667, right), (-0.667, 0.0, front), (0.0, -0.667, left), (0.667, -0.667, back), (0.0, 0.0, front)]
        parts += [box((tile, tile, 0.001), (x * h, y * h, 2 * h + 0.0022), rgb) for x, y, rgb in mixed]
        sides = [(0.667, 0.667, top), (-0.667, 0.0, right), (0.0, -0.667, top), (0.667, -0.667, left)]
        for a, b, rgb in sides:
            parts += [box((tile, 0.001, tile), (a * h, s * (h + 0.0022), h + b * h), rgb) for s in (-1, 1)]
            parts += [box((0.001, tile, tile), (s * (h + 0.0022), a * h, h + b * h), (front, back)[s > 0]) for s in (-1, 1)]
    return lying(parts, h, h, 2 * h, 0.1)


_FACES: tuple[Vec, ...] = ((0.95, 0.95, 0.95), (0.85, 0.1, 0.1), (0.1, 0.3, 0.9), (1.0, 0.5, 0.05), (0.1, 0.65, 0.2))


def rubiks_cube(c: Vec) -> Form:
    """Solved, the colour on top."""
    return _cube((c, *_FACES[1:]), scrambled=False)


def rubiks_cube_scrambled(c: Vec) -> Form:
    return _cube((c, *_FACES[1:]), scrambled=True)


def rubiks_cube_two(c: Vec) -> Form:
    """The easy one: two by two."""
    h = 0.04
    parts = [box((h, h, h), (0, 0, h), (0.05, 0.05, 0.06))]
    p = 0.93 * h
    parts += [
        box((p, p, 0.001), (0, 0, 2 * h + 0.0005), c),
        box((p, h + 0.001, p), (0, 0, h), _FACES[1]),
        box((h + 0.001, p, p), (0, 0, h), _FACES[2]),
    ]
    t, q = 0.004, h + 0.0025
    parts += [box((t, q, q), (0, 0, h), DARK), box((q, t, q), (0, 0, h), DARK), box((q, q, t), (0, 0, h), DARK)]
    tile = 0.36 * h
    parts += [
        box((tile, tile, 0.001), (0.5 * h, 0.5 * h, 2 * h + 0.003), _FACES[4]),
        box((tile, tile, 0.001), (-0.5 * h, -0.5 * h, 2 * h + 0.003), _FACES[3]),
    ]
    return lying(parts, h, h, 2 * h, 0.1)


def _animal(c: Vec, ears: list[Part], belly: Vec) -> list[Part]:
    """Sitting: body, head, four limbs, a face."""
    parts = [
        ball(0.054, (0, 0, 0.058), c, 1.1),
        dome(0.034, 0.014, (0.043, 0, 0.06), belly, facing(0.0, 84.0)),
        ball(0.046, (0.008, 0, 0.146), c),
    ]
    parts += [dome(0.022, 0.024, (0.044, 0, 0.136), belly, facing(0.0, 90.0)), box((0.005, 0.008, 0.005), (0.066, 0, 0.142), DARK)]
    parts += [box((0.004, 0.006, 0.006), (0.047, s * 0.018, 0.16), DARK) for s in (-1, 1)]
    for s in (-1, 1):
        parts += [
            lathe(((0.022, 0), (0.019, 0.067), (0, 0.067)), c, (0.02, s * 0.036, 0.026), along((0.065, s * 0.016, -0.002))),
            lathe(((0.02, 0), (0.015, 0.059), (0, 0.06)), c, (0.01, s * 0.05, 0.1), along((0.042, s * 0.016, -0.038))),
        ]
        parts.append(cap(0.015, (0.0855, s * 0.052, 0.024), belly, facing(0.0, 90.0)))
    return [*parts, *ears]


def teddy(c: Vec) -> Form:
    ears = [disc(0.022, 0.016, (-0.012, s * 0.036, 0.184), tone(c, 0.85), facing(0.0, 84.0)) for s in (-1, 1)]
    belly = mix(c, (1.0, 0.95, 0.8), 0.55)
    return lying([moved(p, -0.018) for p in [*_animal(c, ears, belly), *_teddy_dirt(c)]], 0.07, 0.07, 0.195, 0.25)


def _teddy_dirt(c: Vec) -> list[Part]:
    spots = [
        ((0.054, 0.008, 0.06), (1, 0, 0.2), 0.03),
        ((-0.048, 0.012, 0.07), (-1, 0.2, 0.3), 0.044),
        ((0.0, 0.054, 0.066), (0, 1, 0.3), 0.038),
        ((0.0, -0.054, 0.066), (0, -1, 0.3), 0.038),
        ((-0.01, 0.016, 0.19), (-0.2, 0.2, 1), 0.028),
        ((0.03, 0.073, 0.086), (0.2, 1, 0.4), 0.021),
        ((0.03, -0.073, 0.086), (0.2, -1, 0.4), 0.021),
    ]
    return [blot(at, normal, size, c) for at, normal, size in spots]


def teddy_bow(c: Vec) -> Form:
    """A bear with a ribbon at its neck."""
    base = teddy(c)
    ribbon: Vec = (0.85, 0.1, 0.15) if c[0] < 0.75 or brightness(c) > 0.6 else (0.15, 0.3, 0.85)
    bow = [lathe(((0.046, -0.011), (0.044, 0.009)), ribbon, (0, 0, 0.106)), box((0.008, 0.026, 0.013), (0.045, 0, 0.112), ribbon)]
    return Form((*base.parts, *(moved(p, -0.018) for p in bow)), base.solid, base.mass)


def teddy_rabbit(c: Vec) -> Form:
    """Long ears, a round tail."""
    inner = (0.98, 0.7, 0.75)
    flap = ((-0.05, 0.008, 0.01, 0), (0.01, 0.011, 0.02, 0), (0.055, 0.004, 0.006, 0))
    ears = [
        p
        for s in (-1, 1)
        for p in (
            loft(flap, c, (-0.006, s * 0.026, 0.22), (-10.0 * s, 0, 0)),
            box((0.003, 0.009, 0.03), (0.004, s * 0.026, 0.22), inner, (-10.0 * s, 0, 0)),
        )
    ]
    tail = rod((-0.05, 0, 0.03), (-0.075, 0, 0.035), 0.022, WHITE, 0.016)
    parts = [*_animal(c, ears, mix(c, WHITE, 0.6)), tail, *_teddy_dirt(c)]
    return lying([moved(p, -0.018) for p in parts], 0.07, 0.07, 0.24, 0.25)


LINES = {
    "toy": line("red blue yellow green orange", "teal magenta lime", {"car": toy, "truck": toy_truck}, {"train": toy_train}),
    "toy_airplane": line(
        "red blue yellow green orange",
        "teal magenta",
        {"propeller": toy_airplane, "jet": toy_airplane_jet},
        {"biplane": toy_airplane_biplane},
    ),
    "block": line("red blue yellow green", "teal magenta", {"cube": block, "arch": block_arch}, {"house": block_house}),
    "lego": line("red blue yellow green white", "lime magenta", {"long": lego, "square": lego_square}, {"stack": lego_stack}),
    "rubiks_cube": line(
        "yellow white cyan", "lime magenta", {"solved": rubiks_cube, "scrambled": rubiks_cube_scrambled}, {"two": rubiks_cube_two}
    ),
    "teddy": line("brown tan pink white", "lavender mint", {"bear": teddy, "bow": teddy_bow}, {"rabbit": teddy_rabbit}),
}
