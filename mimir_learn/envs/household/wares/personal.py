"""Small personal things, drawn larger than life so that a robot a metre away can tell them apart."""

from __future__ import annotations

from math import cos, radians, sin

from ..spec import Part, Vec
from .forms import Form, bar, box, disc, facing, lathe, loft, lying, moved, ring, shown, whole
from .line import line
from .palette import BRASS, DARK, GOLD, IRON, SCREEN, STEEL, WHITE, brightness, contrast, mix, tone


def _crack(x: float, y: float, z: float) -> list[Part]:
    """A star of white cracks over a screen of half size x × y."""
    lines = [
        ((0.3 * x, 0.3 * y), 35.0, 1.1),
        ((0.3 * x, 0.3 * y), -40.0, 1.0),
        ((-0.1 * x, -0.25 * y), 75.0, 1.2),
        ((-0.3 * x, 0.45 * y), 5.0, 0.7),
        ((0.1 * x, -0.55 * y), -20.0, 0.9),
    ]
    return [box((0.0035, 0.5 * y * long, 0.0008), (px, py, z), WHITE, (0, 0, turn)) for (px, py), turn, long in lines]


def phone(c: Vec) -> Form:
    """A smartphone, its screen lit; broken: dark, cracked, a corner snapped off."""
    x, y = 0.047, 0.092
    body = loft(((0, x, y, 0.25), (0.016, x, y, 0.25)), c)
    lit = [box((0.9 * x, 0.9 * y, 0.001), (0, 0, 0.0165), SCREEN)] + [
        box((0.011, 0.011, 0.0008), (dx, dy, 0.0178), rgb)
        for dx, dy, rgb in ((-0.024, 0.05, WHITE), (0.0, 0.05, (0.98, 0.8, 0.2)), (0.024, 0.05, (0.3, 0.85, 0.4)), (0.0, -0.06, WHITE))
    ]
    dark = [
        box((0.9 * x, 0.9 * y, 0.001), (0, 0, 0.0165), (0.07, 0.07, 0.08)),
        *_crack(x, y, 0.0182),
        loft(((0, 0.016, 0.02, 0), (0.014, 0.016, 0.02, 0)), c, (x + 0.012, y - 0.004, 0.001), (0, 0, 30)),
        *_chips(((0.055, 0.06), (-0.055, -0.03), (0.02, -0.1)), c),
    ]
    return lying([body, *whole(lit, "broken"), *shown(dark, "broken")], x, y, 0.018, 0.2)


def _chips(spots: tuple[tuple[float, float], ...], c: Vec) -> list[Part]:
    return [
        loft(((-0.012, 0.003, 0.009, 0), (0.012, 0.003, 0.001, 0)), mix(c, WHITE, 0.3), (x, y, 0.004), facing(70.0 * i, 84.0))
        for i, (x, y) in enumerate(spots)
    ]


def phone_buttons(c: Vec) -> Form:
    """An old one: a small screen over keys; broken: screen dark, halves apart."""
    x, y = 0.036, 0.085
    body = loft(((0, x, y, 0.4), (0.02, 0.95 * x, 0.97 * y, 0.4)), c)
    key = contrast(c)
    keys = [box((0.0075, 0.0065, 0.0015), (0.021 * i, -0.018 - 0.02 * j, 0.021), key) for i in (-1, 0, 1) for j in range(3)]
    glass = box((0.027, 0.028, 0.001), (0, 0.04, 0.021), (0.62, 0.85, 0.45))
    halves = [
        loft(((0, x, 0.5 * y, 0.3), (0.02, 0.95 * x, 0.5 * y, 0.3)), c, (s * 0.006, s * (0.5 * y + 0.009), 0), (0, 0, -13.0))
        for s in (-1, 1)
    ]
    halves += [
        box((0.027, 0.026, 0.001), (0.006, 0.056, 0.021), (0.07, 0.07, 0.08), (0, 0, -13)),
        *_crack(0.026, 0.026, 0.0226)[:3],
        *_chips(((0.05, 0.01), (-0.05, 0.02), (0.055, -0.05)), c),
    ]
    return lying([*whole([body, glass, *keys], "broken"), *shown(halves, "broken")], x, y, 0.022, 0.2)


def phone_flip(c: Vec) -> Form:
    """A folding phone, open; broken: torn off at the hinge."""
    lower = [
        loft(((0, 0.04, 0.048, 0.2), (0.016, 0.04, 0.048, 0.2)), c, (0, -0.045, 0)),
        box((0.03, 0.034, 0.001), (0, -0.045, 0.0165), tone(c, 0.55)),
    ]
    lower += [
        box((0.006, 0.005, 0.001), (0.019 * i, -0.026 - 0.019 * j, 0.018), contrast(tone(c, 0.55))) for i in (-1, 0, 1) for j in range(3)
    ]

    def upper(at: Vec, euler: Vec, screen: Vec, when: str) -> list[Part]:
        return [
            loft(((-0.048, 0.04, 0.006, 0.1), (0.048, 0.04, 0.006, 0.1)), c, at, euler, when=when),
            loft(((-0.036, 0.031, 0.0072, 0), (0.036, 0.031, 0.0072, 0)), screen, at, euler, when=when),
        ]

    lid = upper((0, 0.046, 0.036), (-55, 0, 0), SCREEN, "!broken")
    off = [
        *upper((0.012, 0.062, 0.009), (-90, 20, 0), (0.07, 0.07, 0.08), "broken"),
        *shown(
            [*(moved(p, 0.004, 0.06, 0.0) for p in _crack(0.03, 0.034, 0.0175)), *_chips(((0.04, 0.01), (-0.045, 0.02), (0.0, 0.008)), c)],
            "broken",
        ),
    ]
    return lying([*lower, *lid, *off], 0.042, 0.092, 0.045, 0.2)


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
    body = bar(
        (
            (-0.1, 0.024, 0.009, 0.6),
            (-0.06, 0.033, 0.012, 0.6),
            (0.0, 0.023, 0.011, 0.6),
            (0.07, 0.031, 0.011, 0.6),
            (0.1, 0.024, 0.008, 0.6),
        ),
        c,
        (0, 0, 0.011),
        90.0,
    )
    return Form((body, *base.parts[1:]), base.solid, base.mass)


def remote_small(c: Vec) -> Form:
    """A stub with one wheel and two keys."""
    key = contrast(c)
    parts = [
        loft(((0, 0.03, 0.07, 0.9), (0.02, 0.027, 0.066, 0.9)), c),
        ring(0.017, 0.005, (0, 0.022, 0.0205), key),
        disc(0.006, 0.002, (0, 0.022, 0.02), (0.95, 0.1, 0.1)),
    ]
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
    return Part(
        flat.shape,
        flat.size,
        (round(at[0] + shift[0], 5), at[1], round(at[2] + sign * shift[1], 5)),
        rgb,
        (euler[0], 0.0, turn),
        False,
    )


def watch(c: Vec) -> Form:
    """Laid out flat: a strap either side of a case with a white dial."""
    z = 0.006
    parts = [
        bar(((-0.115, 0.01, 0.004, 0.3), (-0.1, 0.014, 0.004, 0.3), (-0.02, 0.019, 0.005, 0.1)), c, (0, 0, z)),
        bar(((0.02, 0.019, 0.005, 0.1), (0.105, 0.014, 0.004, 0.3)), c, (0, 0, z)),
    ]
    parts += [
        disc(0.033, 0.014, (0, 0, 0.002), GOLD if brightness(c) < 0.5 else STEEL),
        *_dial(0.0265, (0, 0, 0.016), (0.0, 0.0, 0.0), WHITE, DARK),
        box((0.004, 0.005, 0.004), (0, 0.036, 0.009), BRASS),
    ]
    parts += [
        ring(0.013, 0.003, (0.108, 0, 0.008), GOLD),
        *(box((0.0025, 0.0025, 0.0012), (x, 0, z + 0.0048), contrast(c)) for x in (-0.1, -0.085, -0.07)),
    ]
    return lying(parts, 0.115, 0.034, 0.018, 0.08)


def watch_digital(c: Vec) -> Form:
    """A square case with a lit display on a broad strap."""
    z = 0.006
    parts = [
        bar(((-0.11, 0.016, 0.004, 0.2), (-0.02, 0.022, 0.005, 0.2), (0.02, 0.022, 0.005, 0.2), (0.11, 0.016, 0.004, 0.2)), c, (0, 0, z)),
        loft(((0, 0.034, 0.032, 0.25), (0.016, 0.03, 0.028, 0.25)), DARK),
        box((0.023, 0.02, 0.001), (0, 0, 0.0165), SCREEN),
    ]
    parts += [box((0.003, 0.012, 0.001), (x, 0, 0.018), DARK) for x in (-0.013, -0.004, 0.007, 0.016)]
    return lying(parts, 0.11, 0.034, 0.018, 0.08)


def watch_pocket(c: Vec) -> Form:
    """A pocket watch with its chain."""
    parts = [
        lathe(((0, 0), (0.04, 0), (0.045, 0.008), (0.04, 0.016), (0, 0.016)), c, (0.04, 0, 0)),
        *_dial(0.035, (0.04, 0, 0.0165), (0.0, 0.0, 0.0), WHITE, DARK),
        disc(0.007, 0.012, (-0.008, 0, 0.004), c),
    ]
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
    parts = [
        ring(0.03, 0.0045, (-0.05, 0, 0.007), IRON),
        *_key(-0.022, 0.024, 24.0, GOLD, 0.007, 0.1),
        *_key(-0.022, -0.024, -24.0, STEEL, 0.007, 0.1),
    ]
    tassel = [disc(0.012, 0.012, (-0.088, 0, 0.0), c)] + [
        bar(((0, 0.006, 0.005, 0.4), (0.045, 0.009, 0.004, 0.4)), c, (-0.09, 0, 0.007), 180.0 + t) for t in (-22.0, 0.0, 22.0)
    ]
    return lying([*parts, *tassel], 0.115, 0.06, 0.018, 0.12)


def keys_car(c: Vec) -> Form:
    """A car key with a fob of buttons."""
    parts = [
        ring(0.026, 0.004, (-0.085, 0, 0.008), STEEL),
        bar(((-0.06, 0.016, 0.008, 0.5), (-0.02, 0.025, 0.01, 0.5), (0.03, 0.022, 0.01, 0.5)), c, (0, 0, 0.01)),
        box((0.042, 0.007, 0.003), (0.07, 0, 0.01), STEEL),
        box((0.03, 0.002, 0.0035), (0.075, 0.002, 0.01), IRON),
    ]
    parts += [box((0.006, 0.012, 0.001), (x, 0, 0.0205), contrast(c)) for x in (-0.032, -0.012, 0.008)]
    return lying(parts, 0.11, 0.028, 0.02, 0.1)


LINES = {
    "phone": line("black white red cyan", "gold lavender", {"smart": phone, "keypad": phone_buttons}, {"flip": phone_flip}),
    "remote": line("black grey white", "navy ivory", {"long": remote, "waisted": remote_waisted}, {"stub": remote_small}),
    "watch": line("black brown red blue", "teal gold", {"round": watch, "digital": watch_digital}, {"pocket": watch_pocket}),
    "keys": line("red blue green yellow", "teal magenta", {"three": keys, "tassel": keys_pair}, {"car": keys_car}),
}
