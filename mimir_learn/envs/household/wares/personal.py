"""Small personal things, drawn larger than life so that a robot a metre away can tell them apart."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import X, Y, Form, bar, box, cap, disc, dome, facing, lathe, loft, lying, ring, rod, shown, standing, whole
from .palette import BRASS, DARK, IRON, PAPER, SCREEN, STEEL, WHITE, brightness, contrast, mix, tone

_GOLD: Vec = (0.9, 0.72, 0.25)


def _crack(x: float, y: float, z: float) -> list[Part]:
    """A star of white cracks over a screen of half size x × y."""
    lines = [((0.3 * x, 0.3 * y), 35.0, 1.1), ((0.3 * x, 0.3 * y), -40.0, 1.0), ((-0.1 * x, -0.25 * y), 75.0, 1.2), ((-0.3 * x, 0.45 * y), 5.0, 0.7), ((0.1 * x, -0.55 * y), -20.0, 0.9)]
    return [box((0.0035, 0.5 * y * long, 0.0008), (px, py, z), WHITE, (0, 0, turn)) for (px, py), turn, long in lines]


def phone(c: Vec) -> Form:
    """A smartphone, its screen lit; broken: dark, cracked, a corner snapped off."""
    x, y = 0.047, 0.092
    body = loft(((0, x, y, 0.25), (0.016, x, y, 0.25)), c)
    lit = [box((0.9 * x, 0.9 * y, 0.001), (0, 0, 0.0165), SCREEN)] + [box((0.011, 0.011, 0.0008), (dx, dy, 0.0178), rgb) for dx, dy, rgb in ((-0.024, 0.05, WHITE), (0.0, 0.05, (0.98, 0.8, 0.2)), (0.024, 0.05, (0.3, 0.85, 0.4)), (0.0, -0.06, WHITE))]
    dark = [box((0.9 * x, 0.9 * y, 0.001), (0, 0, 0.0165), (0.07, 0.07, 0.08)), *_crack(x, y, 0.0182), loft(((0, 0.016, 0.02, 0), (0.014, 0.016, 0.02, 0)), c, (x + 0.012, y - 0.004, 0.001), (0, 0, 30)), *_chips(((0.055, 0.06), (-0.055, -0.03), (0.02, -0.1)), c)]
    return lying([body, *whole(lit, "broken"), *shown(dark, "broken")], x, y, 0.018, 0.2)


def _chips(spots: tuple[tuple[float, float], ...], c: Vec) -> list[Part]:
    return [loft(((-0.012, 0.003, 0.009, 0), (0.012, 0.003, 0.001, 0)), mix(c, WHITE, 0.3), (x, y, 0.004), facing(70.0 * i, 84.0)) for i, (x, y) in enumerate(spots)]


def phone_buttons(c: Vec) -> Form:
    """An old one: a small screen over keys; broken: screen dark, halves apart."""
    x, y = 0.036, 0.085
    body = loft(((0, x, y, 0.4), (0.02, 0.95 * x, 0.97 * y, 0.4)), c)
    key = contrast(c)
    keys = [box((0.0075, 0.0065, 0.0015), (0.021 * i, -0.018 - 0.02 * j, 0.021), key) for i in (-1, 0, 1) for j in range(3)]
    glass = box((0.027, 0.028, 0.001), (0, 0.04, 0.021), (0.62, 0.85, 0.45))
    halves = [loft(((0, x, 0.5 * y, 0.3), (0.02, 0.95 * x, 0.5 * y, 0.3)), c, (s * 0.006, s * (0.5 * y + 0.009), 0), (0, 0, -13.0)) for s in (-1, 1)]
    halves += [box((0.027, 0.026, 0.001), (0.006, 0.056, 0.021), (0.07, 0.07, 0.08), (0, 0, -13)), *_crack(0.026, 0.026, 0.0226)[:3], *_chips(((0.05, 0.01), (-0.05, 0.02), (0.055, -0.05)), c)]
    return lying([*whole([body, glass, *keys], "broken"), *shown(halves, "broken")], x, y, 0.022, 0.2)


def phone_flip(c: Vec) -> Form:
    """A folding phone, open; broken: torn off at the hinge."""
    lower = [loft(((0, 0.04, 0.048, 0.2), (0.016, 0.04, 0.048, 0.2)), c, (0, -0.045, 0)), box((0.03, 0.034, 0.001), (0, -0.045, 0.0165), tone(c, 0.55))]
    lower += [box((0.006, 0.005, 0.001), (0.019 * i, -0.026 - 0.019 * j, 0.018), contrast(tone(c, 0.55))) for i in (-1, 0, 1) for j in range(3)]

    def upper(at: Vec, euler: Vec, screen: Vec, when: str) -> list[Part]:
        return [loft(((-0.048, 0.04, 0.006, 0.1), (0.048, 0.04, 0.006, 0.1)), c, at, euler, when=when), loft(((-0.036, 0.031, 0.0072, 0), (0.036, 0.031, 0.0072, 0)), screen, at, euler, when=when)]

    lid = upper((0, 0.046, 0.036), (-55, 0, 0), SCREEN, "!broken")
    off = [*upper((0.012, 0.062, 0.009), (-90, 20, 0), (0.07, 0.07, 0.08), "broken"), *shown([*(_moved(p, 0.004, 0.06, 0.0) for p in _crack(0.03, 0.034, 0.0175)), *_chips(((0.04, 0.01), (-0.045, 0.02), (0.0, 0.008)), c)], "broken")]
    return lying([*lower, *lid, *off], 0.042, 0.092, 0.045, 0.2)


def _moved(part: Part, x: float, y: float, z: float) -> Part:
    from dataclasses import replace

    return replace(part, pos=(round(part.pos[0] + x, 5), round(part.pos[1] + y, 5), round(part.pos[2] + z, 5)))


def _remote(c: Vec, x: float, y: float, roundness: float, rows: int) -> Form:
    body = loft(((0, 0.92 * x, 0.98 * y, roundness), (0.012, x, y, roundness), (0.022, 0.85 * x, 0.96 * y, roundness)), c)
    key = contrast(c)
    parts = [body, disc(0.008, 0.002, (-0.35 * x, 0.84 * y, 0.0215), (0.95, 0.1, 0.1))]
    top = 0.62 * y
    step = (top + 0.3 * y) / max(rows - 1, 1)
    parts += [box((0.006, 0.006, 0.0015), (dx * x, top - step * j, 0.0225), key) for dx in (-0.48, 0.0, 0.48) for j in range(rows)]
    parts += [ring(0.014, 0.004, (0, -0.62 * y, 0.0222), key), box((0.3 * x, 0.004, 0.004), (0, 0.985 * y, 0.012), DARK)]
    return lying(parts, x, y, 0.023, 0.15)


def remote(c: Vec) -> Form:
    return _remote(c, 0.029, 0.108, 0.2, 5)


def remote_waisted(c: Vec) -> Form:
    """Narrow in the middle, with a big dial."""
    base = _remote(c, 0.03, 0.1, 0.6, 3)
    body = bar(((-0.1, 0.024, 0.009, 0.6), (-0.06, 0.033, 0.012, 0.6), (0.0, 0.023, 0.011, 0.6), (0.07, 0.031, 0.011, 0.6), (0.1, 0.024, 0.008, 0.6)), c, (0, 0, 0.011), 90.0)
    return Form((body, *base.parts[1:]), base.solid, base.mass)


def remote_small(c: Vec) -> Form:
    """A stub with one wheel and two keys."""
    key = contrast(c)
    parts = [loft(((0, 0.03, 0.07, 0.9), (0.02, 0.027, 0.066, 0.9)), c), ring(0.017, 0.005, (0, 0.022, 0.0205), key), disc(0.006, 0.002, (0, 0.022, 0.02), (0.95, 0.1, 0.1))]
    parts += [box((0.01, 0.005, 0.0015), (0, y, 0.0205), key) for y in (-0.018, -0.036)]
    return lying(parts, 0.03, 0.07, 0.022, 0.1)


def _dial(r: float, at: Vec, euler: Vec, face: Vec, hands: Vec) -> list[Part]:
    """A clock face whose axis the euler angles turn; hands at ten past ten."""
    out = [lathe(((0, 0), (r, 0), (r, 0.001), (0, 0.0015)), face, at, euler)]
    return out + [_hand(at, euler, a, n, hands) for a, n in ((-55.0, 0.52 * r), (50.0, 0.75 * r))]


def _hand(at: Vec, euler: Vec, turn: float, length: float, rgb: Vec) -> Part:
    flat = loft(((0.0015, 0.09 * length + 0.0008, length / 2, 0), (0.0028, 0.09 * length + 0.0008, length / 2, 0)), rgb)
    a = radians(turn)
    shift = (-sin(a) * length / 2, cos(a) * length / 2)
    if euler == (0.0, 0.0, 0.0):
        return Part(flat.shape, flat.size, (round(at[0] + shift[0], 5), round(at[1] + shift[1], 5), at[2]), rgb, (0.0, 0.0, turn), False)
    # euler (90, 0, 0): the face looks to −y, up is z
    sign = 1.0 if euler[0] > 0 else -1.0
    return Part(flat.shape, flat.size, (round(at[0] + shift[0], 5), at[1], round(at[2] + sign * shift[1], 5)), rgb, (euler[0], 0.0 if sign > 0 else 0.0, turn), False)


def watch(c: Vec) -> Form:
    """Laid out flat: a strap either side of a case with a white dial."""
    z = 0.006
    parts = [bar(((-0.115, 0.01, 0.004, 0.3), (-0.1, 0.014, 0.004, 0.3), (-0.02, 0.019, 0.005, 0.1)), c, (0, 0, z)), bar(((0.02, 0.019, 0.005, 0.1), (0.105, 0.014, 0.004, 0.3)), c, (0, 0, z))]
    parts += [disc(0.033, 0.014, (0, 0, 0.002), _GOLD if brightness(c) < 0.5 else STEEL), *_dial(0.0265, (0, 0, 0.016), (0.0, 0.0, 0.0), WHITE, DARK), box((0.004, 0.005, 0.004), (0, 0.036, 0.009), BRASS)]
    parts += [ring(0.013, 0.003, (0.108, 0, 0.008), _GOLD), *(box((0.0025, 0.0025, 0.0012), (x, 0, z + 0.0048), contrast(c)) for x in (-0.1, -0.085, -0.07))]
    return lying(parts, 0.115, 0.034, 0.018, 0.08)


def watch_digital(c: Vec) -> Form:
    """A square case with a lit display on a broad strap."""
    z = 0.006
    parts = [bar(((-0.11, 0.016, 0.004, 0.2), (-0.02, 0.022, 0.005, 0.2), (0.02, 0.022, 0.005, 0.2), (0.11, 0.016, 0.004, 0.2)), c, (0, 0, z)), loft(((0, 0.034, 0.032, 0.25), (0.016, 0.03, 0.028, 0.25)), DARK), box((0.023, 0.02, 0.001), (0, 0, 0.0165), SCREEN)]
    parts += [box((0.003, 0.012, 0.001), (x, 0, 0.018), DARK) for x in (-0.013, -0.004, 0.007, 0.016)]
    return lying(parts, 0.11, 0.034, 0.018, 0.08)


def watch_pocket(c: Vec) -> Form:
    """A pocket watch with its chain."""
    parts = [lathe(((0, 0), (0.04, 0), (0.045, 0.008), (0.04, 0.016), (0, 0.016)), c, (0.04, 0, 0)), *_dial(0.035, (0.04, 0, 0.0165), (0.0, 0.0, 0.0), WHITE, DARK), disc(0.007, 0.012, (-0.008, 0, 0.004), c)]
    for i in range(6):
        a = 0.9 * i
        parts.append(ring(0.0075, 0.0028, (round(-0.022 - 0.0125 * i, 4), round(0.014 * sin(a), 4), 0.006), c, (20.0 * (-1) ** i, 0, 0)))
    return lying(parts, 0.09, 0.045, 0.018, 0.1)


def _key(x: float, y: float, turn: float, rgb: Vec, z: float = 0.006, long: float = 0.075) -> list[Part]:
    """A key whose bow is at (x, y): head, shaft and two teeth."""
    w, d = cos(radians(turn)), sin(radians(turn))

    def to(a: float, b: float) -> Vec:
        return (round(x + w * a - d * b, 5), round(y + d * a + w * b, 5), z)

    return [
        ring(0.014, 0.0065, to(0, 0), rgb, high=0.004),
        box((long / 2 - 0.006, 0.0045, 0.0035), to(0.018 + long / 2 - 0.006, 0), rgb, (0, 0, turn)),
        box((0.0045, 0.008, 0.003), to(0.008 + long, -0.008), rgb, (0, 0, turn)),
        box((0.0045, 0.006, 0.003), to(-0.008 + long, -0.007), rgb, (0, 0, turn)),
    ]


def keys(c: Vec) -> Form:
    """Three keys on a ring with a coloured tag."""
    parts = [ring(0.026, 0.004, (-0.03, 0, 0.007), STEEL)]
    for i, (turn, rgb) in enumerate(((38.0, BRASS), (0.0, STEEL), (-38.0, BRASS))):
        a = radians(turn)
        parts += _key(-0.03 + 0.036 * cos(a), 0.036 * sin(a), turn, rgb, 0.006 + 0.002 * i)
    tag = [loft(((0, 0.03, 0.019, 0.6), (0.01, 0.03, 0.019, 0.6)), c, (-0.088, 0, 0.002)), disc(0.005, 0.002, (-0.068, 0, 0.011), DARK)]
    return lying([*parts, *tag], 0.105, 0.062, 0.018, 0.1)


def keys_pair(c: Vec) -> Form:
    """Two big old keys with a tassel."""
    parts = [ring(0.03, 0.0045, (-0.05, 0, 0.007), IRON), *_key(-0.022, 0.024, 24.0, _GOLD, 0.007, 0.1), *_key(-0.022, -0.024, -24.0, STEEL, 0.007, 0.1)]
    tassel = [disc(0.012, 0.012, (-0.088, 0, 0.0), c)] + [bar(((0, 0.006, 0.005, 0.4), (0.045, 0.009, 0.004, 0.4)), c, (-0.09, 0, 0.007), 180.0 + t) for t in (-22.0, 0.0, 22.0)]
    return lying([*parts, *tassel], 0.115, 0.06, 0.018, 0.12)


def keys_car(c: Vec) -> Form:
    """A car key with a fob of buttons."""
    parts = [ring(0.026, 0.004, (-0.085, 0, 0.008), STEEL), bar(((-0.06, 0.016, 0.008, 0.5), (-0.02, 0.025, 0.01, 0.5), (0.03, 0.022, 0.01, 0.5)), c, (0, 0, 0.01)), box((0.042, 0.007, 0.003), (0.07, 0, 0.01), STEEL), box((0.03, 0.002, 0.0035), (0.075, 0.002, 0.01), IRON)]
    parts += [box((0.006, 0.012, 0.001), (x, 0, 0.0205), contrast(c)) for x in (-0.032, -0.012, 0.008)]
    return lying(parts, 0.11, 0.028, 0.02, 0.1)


def _card(c: Vec, x: float, y: float) -> list[Part]:
    return [loft(((0, x, y, 0.2), (0.006, x, y, 0.2)), c)]


def credit_card(c: Vec) -> Form:
    """Chip, number and mark on the front."""
    x, y, z = 0.062, 0.041, 0.0065
    ink = contrast(c)
    parts = [*_card(c, x, y), box((0.012, 0.009, 0.001), (-0.036, 0.01, z), _GOLD), *(box((0.0095, 0.0035, 0.0008), (-0.039 + 0.026 * i, -0.01, z), ink) for i in range(4)), box((0.022, 0.003, 0.0008), (-0.027, -0.026, z), ink)]
    parts += [cap(0.011, (0.038, -0.026, z + 0.0006), (0.95, 0.25, 0.15)), cap(0.011, (0.05, -0.026, z + 0.001), (0.98, 0.7, 0.15))]
    return lying(parts, x, y, 0.016, 0.02)


def credit_card_back(c: Vec) -> Form:
    """Lying on its face: magnetic strip and signature field."""
    x, y, z = 0.062, 0.041, 0.0065
    return lying([*_card(c, x, y), box((x, 0.0095, 0.0008), (0, 0.02, z), DARK if brightness(c) > 0.2 else IRON), box((0.036, 0.007, 0.0008), (-0.018, -0.006, z), WHITE), box((0.014, 0.003, 0.0008), (0.04, -0.027, z), contrast(c))], x, y, 0.016, 0.02)


def credit_card_fan(c: Vec) -> Form:
    """Two, one over the other."""
    first = credit_card(c)
    other = mix(c, WHITE, 0.6) if brightness(c) < 0.6 else tone(c, 0.45)
    second = [loft(((0, 0.062, 0.041, 0.2), (0.004, 0.062, 0.041, 0.2)), other, (0.012, 0.014, 0.0), (0, 0, 28)), box((0.05, 0.009, 0.0006), (0.006, 0.034, 0.0044), DARK, (0, 0, 28))]
    return lying([*(_moved(p, 0, -0.008, 0.005) for p in first.parts), *second], 0.068, 0.058, 0.016, 0.04)


def pen(c: Vec) -> Form:
    """A ball pen: clip, button, metal tip."""
    z = 0.0105
    parts = [rod((-0.075, 0, z), (0.06, 0, z), z, c), rod((0.06, 0, z), (0.09, 0, z), 0.0095, STEEL, 0.002), rod((-0.095, 0, z), (-0.075, 0, z), 0.006, STEEL), box((0.028, 0.003, 0.002), (-0.048, 0, 2 * z + 0.002), STEEL), rod((-0.012, 0, z), (-0.003, 0, z), z + 0.0008, STEEL)]
    return lying(parts, 0.092, 0.011, 0.021, 0.03)


def pen_pencil(c: Vec) -> Form:
    """A pencil: sharpened wood at one end, rubber at the other."""
    z = 0.0095
    parts = [rod((-0.07, 0, z), (0.06, 0, z), z, c), rod((0.06, 0, z), (0.086, 0, z), z, (0.93, 0.76, 0.52), 0.003), rod((0.084, 0, z), (0.096, 0, z), 0.0035, DARK, 0.0005), rod((-0.082, 0, z), (-0.07, 0, z), z + 0.0005, _GOLD), rod((-0.096, 0, z), (-0.082, 0, z), z - 0.0005, (0.98, 0.5, 0.6))]
    return lying(parts, 0.095, 0.0095, 0.019, 0.02)


def pen_marker(c: Vec) -> Form:
    """A fat marker: white body, coloured cap and plug."""
    z = 0.016
    parts = [rod((-0.07, 0, z), (0.025, 0, z), z, WHITE), rod((0.02, 0, z), (0.085, 0, z), z + 0.001, c, z - 0.003), rod((-0.08, 0, z), (-0.068, 0, z), z - 0.002, c), box((0.024, 0.003, 0.003), (0.045, 0, 2 * z + 0.002), tone(c, 0.75)), lathe(((z + 0.0008, -0.008), (z + 0.0008, 0.008)), c, (-0.025, 0, z), X)]
    return lying(parts, 0.083, z, 2 * z, 0.04)


def _compact(c: Vec, r: float, at: Vec = (0.0, 0.0, 0.0)) -> list[Part]:
    """A disc: silver edge, coloured print with a clear middle and a hole."""
    x, y, z = at
    shine: Vec = (0.86, 0.88, 0.94)
    parts = [lathe(((0.011, 0), (r, 0), (r, 0.005), (0.011, 0.005), (0.011, 0)), shine, (x, y, z)), lathe(((0.86 * r, 0.0056), (0.38 * r, 0.0056)), c, (x, y, z)), lathe(((0.7 * r, 0.0062), (0.62 * r, 0.0062)), mix(c, WHITE, 0.6), (x, y, z))]
    return [*parts, box((0.3 * r, 0.05 * r, 0.0005), (x, y + 0.52 * r, z + 0.0066), contrast(c))]


def cd(c: Vec) -> Form:
    """A bare disc, print up."""
    return standing(_compact(c, 0.07), 0.07, 0.016, 0.03)


def cd_case(c: Vec) -> Form:
    """In an open case."""
    parts = [box((0.078, 0.072, 0.004), (0, 0, 0.004), DARK), box((0.006, 0.072, 0.006), (-0.076, 0, 0.008), IRON), *_compact(c, 0.064, (0.004, 0, 0.008))]
    return lying([*parts, box((0.076, 0.07, 0.003), (0, 0, 0.0015), c)], 0.08, 0.072, 0.018, 0.1)


def cd_spindle(c: Vec) -> Form:
    """A pile on a spindle."""
    pile = lathe(((0, 0.008), (0.066, 0.008), (0.064, 0.016), (0.067, 0.024), (0.064, 0.034), (0.067, 0.044), (0, 0.044)), (0.8, 0.83, 0.9))
    return standing([disc(0.07, 0.008, (0, 0, 0), DARK), pile, *_compact(c, 0.067, (0, 0, 0.044))[1:3], rod((0, 0, 0.04), (0, 0, 0.062), 0.009, DARK)], 0.07, 0.06, 0.2)


def _face(r: float, y: float, z: float, face: Vec, hands: Vec) -> list[Part]:
    """The same dial to the front and to the back, so that it is known from every side."""
    out = []
    for s in (-1.0, 1.0):
        out.append(lathe(((r, 0), (0, 0)), face, (0, s * y, z), (90.0 if s < 0 else -90.0, 0, 0)))
        for turn, n in ((-52.0, 0.5 * r), (48.0, 0.74 * r)):
            a = radians(turn)
            out.append(box((0.0038, 0.0012, n / 2), (round(s * sin(a) * n / 2, 5), s * (y + 0.001), round(z + cos(a) * n / 2, 5)), hands, (0, s * turn, 0)))
        out += [box((0.004, 0.001, 0.004), (0.82 * r * dx, s * (y + 0.0008), z + 0.82 * r * dz), hands) for dx, dz in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    return out


def alarm_clock(c: Vec) -> Form:
    """Round, two bells and a hammer on top, on two feet."""
    z, r = 0.07, 0.056
    parts = [lathe(((0, -0.027), (r - 0.004, -0.027), (r, -0.022), (r, 0.022), (r - 0.004, 0.027), (0, 0.027)), c, (0, 0, z), (90, 0, 0)), *_face(0.047, 0.0278, z, WHITE, DARK)]
    for s in (-1, 1):
        parts += [dome(0.026, 0.022, (s * 0.036, 0, z + 0.05), BRASS, facing(0.0, 32.0 * s)), rod((s * 0.028, 0, z - 0.045), (s * 0.045, 0, 0), 0.006, IRON)]
    parts += [rod((0, 0, z + 0.05), (0, 0, z + 0.075), 0.005, IRON), box((0.012, 0.006, 0.006), (0, 0, z + 0.075), IRON)]
    return lying(parts, 0.058, 0.03, 0.145, 0.35)


def alarm_clock_digital(c: Vec) -> Form:
    """A wedge with lit red digits and a bar of a button."""
    body = loft(((0, 0.085, 0.042, 0.1), (0.075, 0.078, 0.024, 0.1)), c)
    lean = 13.5
    parts = [body, box((0.035, 0.012, 0.004), (0, 0, 0.077), contrast(c))]
    for s in (-1, 1):
        euler: Vec = (s * lean, 0, 0)
        parts.append(box((0.069, 0.0012, 0.026), (0, s * 0.0336, 0.038), (0.04, 0.03, 0.03), euler))
        for x, digit in ((-0.048, "1"), (-0.02, "0"), (0.02, "3"), (0.048, "0")):
            parts += [box((hx, 0.001, hz), (s * -x + s * -dx, s * 0.0352 - s * 0.24 * dz, 0.038 + dz), (1.0, 0.15, 0.1), euler, emission=0.9) for dx, dz, hx, hz in _DIGITS[digit]]
        parts += [box((0.0028, 0.001, 0.0028), (0, s * 0.0352 - s * 0.24 * dz, 0.038 + dz), (1.0, 0.15, 0.1), euler, emission=0.9) for dz in (-0.008, 0.008)]
    return lying(parts, 0.084, 0.042, 0.078, 0.3)


_DIGITS: dict[str, tuple[tuple[float, float, float, float], ...]] = {
    "1": ((0.0, 0.0, 0.0035, 0.019),),
    "0": ((-0.0085, 0.0, 0.003, 0.019), (0.0085, 0.0, 0.003, 0.019), (0.0, 0.016, 0.009, 0.003), (0.0, -0.016, 0.009, 0.003)),
    "3": ((0.0085, 0.0, 0.003, 0.019), (0.0, 0.016, 0.009, 0.003), (0.0, 0.0, 0.009, 0.003), (0.0, -0.016, 0.009, 0.003)),
}


def alarm_clock_square(c: Vec) -> Form:
    """A travel clock: a square case on a stand."""
    z = 0.058
    parts = [loft(((-0.02, 0.054, 0.054, 0.25), (0.02, 0.054, 0.054, 0.25)), c, (0, 0, z), (90, 0, 0)), *_face(0.044, 0.0206, z, WHITE if brightness(c) < 0.85 else (0.2, 0.22, 0.3), contrast(WHITE if brightness(c) < 0.85 else DARK)), box((0.016, 0.008, 0.008), (0, 0, 0.118), (0.9, 0.2, 0.1)), box((0.045, 0.03, 0.005), (0, 0, 0.005), tone(c, 0.6))]
    return lying(parts, 0.055, 0.03, 0.122, 0.3)


