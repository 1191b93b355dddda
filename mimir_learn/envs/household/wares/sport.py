"""Sport: balls, bats and rackets."""

from __future__ import annotations

from itertools import pairwise
from math import acos, atan2, cos, degrees, radians, sin

from ..spec import Part, Vec
from .forms import Form, X, Y, box, facing, lathe, lying, rod, rolling, tube
from .line import line
from .palette import DARK, PAPER, WHITE, WOOD, brightness, mix, tone


def _sphere(r: float, c: Vec, texture: str = "") -> Part:
    return Part("sphere", (r,), (0, 0, r), c, texture=texture, solid=False)


def _patches(r: float, size: float, rgb: Vec) -> list[Part]:
    """Caps all over a sphere of radius ``r`` that rests on z = 0."""
    spots = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    spots += [
        (cos(radians(90.0 * i + 45 * (z < 0))) * 0.91, sin(radians(90.0 * i + 45 * (z < 0))) * 0.91, z)
        for z in (0.4, -0.4)
        for i in range(4)
    ]
    out = []
    for x, y, z in spots:
        yaw_lean = facing(*_compass(x, y, z))
        bulge = r - (r * r - size * size) ** 0.5
        at: Vec = (round(x * (r - bulge + 0.0005), 5), round(y * (r - bulge + 0.0005), 5), round(r + z * (r - bulge + 0.0005), 5))
        out.append(lathe(((size, 0), (0.55 * size, 0.75 * bulge), (0, bulge + 0.0015)), rgb, at, yaw_lean))
    return out


def _compass(x: float, y: float, z: float) -> tuple[float, float]:
    n = (x * x + y * y + z * z) ** 0.5
    return (degrees(atan2(y, x)), degrees(acos(max(-1.0, min(1.0, z / n)))))


def _belt(r: float, half: float, rgb: Vec, euler: Vec) -> Part:
    """A stripe around a ball, ``half`` degrees to both sides of a great circle."""
    q = 1.02 * r
    return lathe([(q * cos(radians(a)), q * sin(radians(a))) for a in (-half, 0.0, half)], rgb, (0, 0, r), euler)


def ball_football(c: Vec) -> Form:
    """A football: white with patches of a colour."""
    r = 0.085
    return rolling([_sphere(r, WHITE if brightness(c) < 0.85 else (0.85, 0.1, 0.1)), *_patches(r, 0.031, c)], r, 0.3)


def ball_striped(c: Vec) -> Form:
    """A rubber ball with a broad belt."""
    r = 0.08
    other = WHITE if brightness(c) < 0.85 else (0.2, 0.35, 0.85)
    return rolling([_sphere(r, c), _belt(r, 15.0, other, (22, 8, 0))], r, 0.2)


def ball_beach(c: Vec) -> Form:
    """A beach ball: broad stripes that meet at white poles."""
    r = 0.1
    other = mix(c, WHITE, 0.75) if brightness(c) < 0.8 else (0.2, 0.35, 0.85)
    parts = [_sphere(r, other)]
    parts += [_belt(r, 16.0, c, facing(60.0 * i, 90.0)) for i in range(3)]
    parts += [
        lathe(((0.4 * r, 0.93 * r), (0, 1.05 * r)), WHITE, (0, 0, r)),
        lathe(((0, -1.05 * r), (0.4 * r, -0.93 * r)), WHITE, (0, 0, r)),
    ]
    return rolling(parts, r, 0.25)


def _seams(r: float, rgb: Vec, wide: float = 0.005) -> list[Part]:
    """The lines of a basketball: an equator, two meridians and two side curves."""

    def hoop(at: Vec, radius: float, euler: Vec) -> Part:
        return lathe(((radius - 0.0005, -wide), (radius + 0.0016, 0.0), (radius - 0.0005, wide)), rgb, at, euler)

    out = [hoop((0, 0, r), r, (0, 0, 0)), hoop((0, 0, r), r, X), hoop((0, 0, r), r, Y)]
    for s in (-1, 1):
        q = 0.62 * r
        radius = (r * r - q * q) ** 0.5
        out.append(
            lathe(
                ((radius + wide, s * q - s * 0.8 * wide), (radius - wide, s * q + s * 0.8 * wide))
                if s > 0
                else ((radius - wide, s * q - 0.8 * wide), (radius + wide, s * q + 0.8 * wide)),
                rgb,
                (0, 0, r),
                X,
            )
        )
    return out


def _basketball(c: Vec, r: float, texture: str, two: bool = False) -> Form:
    parts = [_sphere(r, c, texture), *_seams(1.004 * r, DARK if brightness(c) > 0.2 else (0.95, 0.75, 0.2))]
    parts = [Part(p.shape, p.size, (p.pos[0], p.pos[1], r), p.rgb, p.euler, False, p.when, p.emission, p.texture) for p in parts]
    if two:
        parts = [_sphere(r, c), *(_belt(r, 13.0, PAPER, e) for e in ((0, 0, 0), X)), *parts[2:]]
    return rolling(parts, r, 0.6)


def basketball(c: Vec) -> Form:
    return _basketball(c, 0.118, "")


def basketball_grained(c: Vec) -> Form:
    return _basketball(c, 0.11, "speckle")


def basketball_two_tone(c: Vec) -> Form:
    return _basketball(c, 0.118, "", two=True)


def _bat(c: Vec, wood: Vec, half: float, fat: float, texture: str) -> Form:
    n = 2 * half
    skin = (
        (0, 0),
        (0.021, 0),
        (0.021, 0.012),
        (0.0125, 0.02),
        (0.013, 0.3 * n),
        (0.7 * fat, 0.55 * n),
        (fat, 0.72 * n),
        (fat, 0.95 * n),
        (0.7 * fat, 0.99 * n),
        (0, n),
    )
    parts = [
        lathe(skin, wood, (-half, 0, fat), X, texture=texture),
        lathe(((0.0142, 0.022), (0.0147, 0.28 * n)), c, (-half, 0, fat), X),
        lathe(((fat + 0.001, 0.76 * n), (fat + 0.001, 0.8 * n)), c, (-half, 0, fat), X),
    ]
    return lying(parts, half, fat * 0.95, 2 * fat, 0.9)


def baseball_bat(c: Vec) -> Form:
    """Turned wood, a taped grip."""
    return _bat(c, tone(WOOD, 1.25), 0.27, 0.034, "wood")


def baseball_bat_metal(c: Vec) -> Form:
    return _bat(DARK if brightness(c) > 0.2 else WHITE, c, 0.27, 0.032, "metal")


def baseball_bat_short(c: Vec) -> Form:
    return _bat(c, (0.3, 0.16, 0.07), 0.2, 0.036, "wood")


def _racket(c: Vec, oval: float) -> Form:
    """Frame, strings, throat and grip; the head at +x."""
    r, z = 0.105, 0.015
    x = 0.125
    frame = []
    spots = [(x + oval * r * cos(radians(a)), r * sin(radians(a))) for a in range(0, 361, 30)]
    frame += [tube((*p, z), (*q, z), 0.0095, c) for p, q in pairwise(spots)]
    string: Vec = (0.93, 0.93, 0.88)
    for i in range(-2, 3):
        t = i / 3
        reach = (1 - t * t) ** 0.5
        frame.append(box((oval * r * reach, 0.0022, 0.0015), (x, t * r, z), string))
        frame.append(box((0.0022, r * reach, 0.0015), (x + oval * r * t, 0, z), string))
    throat = [rod((x - oval * r * 0.8, s * 0.062, z), (-0.045, s * 0.006, z), 0.008, c) for s in (-1, 1)]
    grip = [
        rod((-0.24, 0, z), (-0.04, 0, z), 0.0145, DARK if brightness(c) > 0.2 else PAPER),
        rod((-0.06, 0, z), (-0.035, 0, z), 0.0155, c),
        rod((-0.248, 0, z), (-0.235, 0, z), 0.0165, c),
    ]
    return lying([*frame, *throat, *grip], 0.25, r, 0.03, 0.35)


def tennis_racket(c: Vec) -> Form:
    return _racket(c, 1.18)


def tennis_racket_round(c: Vec) -> Form:
    return _racket(c, 0.98)


LINES = {
    "ball": line(
        "red blue green orange purple", "teal magenta", {"football": ball_football, "striped": ball_striped}, {"beach": ball_beach}
    ),
    "basketball": line(
        "orange brown", "maroon navy", {"smooth": basketball, "grained": basketball_grained}, {"two_tone": basketball_two_tone}
    ),
    "baseball_bat": line(
        "red blue black brown", "teal gold", {"wooden": baseball_bat, "metal": baseball_bat_metal}, {"short": baseball_bat_short}
    ),
    "tennis_racket": line("red blue black green yellow", "magenta lime", {"oval": tennis_racket}, {"round": tennis_racket_round}),
}
