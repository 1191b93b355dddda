"""The movable things: how each category is put together from primitive solids, in which colours it comes and how it collides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .spec import Part, Vec

COLOURS: dict[str, Vec] = {
    "red": (0.85, 0.12, 0.1),
    "green": (0.1, 0.62, 0.18),
    "blue": (0.12, 0.28, 0.9),
    "yellow": (0.98, 0.85, 0.1),
    "orange": (0.98, 0.5, 0.05),
    "purple": (0.55, 0.15, 0.7),
    "pink": (0.98, 0.5, 0.7),
    "white": (0.97, 0.97, 0.97),
    "black": (0.08, 0.08, 0.09),
    "cyan": (0.1, 0.8, 0.85),
    "brown": (0.5, 0.28, 0.1),
    "tan": (0.82, 0.6, 0.32),
}
_DARK: Vec = (0.1, 0.09, 0.09)
_SILVER: Vec = (0.8, 0.82, 0.85)
_PAPER: Vec = (0.97, 0.95, 0.85)


@dataclass
class Ware:
    """A thing of unit scale: what is drawn (``parts``, never solid themselves) and its one collision ``solid``."""

    solid: Part
    parts: list[Part] = field(default_factory=list)
    mass: float = 0.3


def _tone(rgb: Vec, by: float) -> Vec:
    r, g, b = (round(min(1.0, c * by), 3) for c in rgb)
    return (r, g, b)


def _can_solid(radius: float, half: float) -> Part:
    return Part("cylinder", (radius, half))


def _mug(c: Vec) -> Ware:
    parts = [
        Part("cylinder", (0.048, 0.055), (0, 0, 0), c),
        Part("cylinder", (0.04, 0.002), (0, 0, 0.0555), _DARK),
        Part("box", (0.02, 0.01, 0.01), (0.062, 0, 0.03), c),
        Part("box", (0.02, 0.01, 0.01), (0.062, 0, -0.025), c),
        Part("box", (0.01, 0.01, 0.036), (0.078, 0, 0.003), c),
    ]
    return Ware(_can_solid(0.05, 0.055), parts)


def _bowl(c: Vec) -> Ware:
    parts = [
        Part("cylinder", (0.055, 0.02), (0, 0, -0.018), c),
        Part("cylinder", (0.09, 0.02), (0, 0, 0.018), c),
        Part("cylinder", (0.076, 0.002), (0, 0, 0.0375), _tone(c, 0.55)),
    ]
    return Ware(_can_solid(0.085, 0.038), parts)


def _plate(c: Vec) -> Ware:
    parts = [Part("cylinder", (0.12, 0.011), (0, 0, 0), c), Part("cylinder", (0.075, 0.002), (0, 0, 0.0112), _tone(c, 0.75))]
    return Ware(_can_solid(0.12, 0.011), parts, 0.4)


def _pan(c: Vec) -> Ware:
    parts = [
        Part("cylinder", (0.095, 0.024), (-0.045, 0, 0), _DARK),
        Part("cylinder", (0.082, 0.002), (-0.045, 0, 0.0235), (0.35, 0.35, 0.37)),
        Part("box", (0.048, 0.016, 0.011), (0.092, 0, 0.008), c),
    ]
    return Ware(Part("box", (0.14, 0.095, 0.024)), parts, 0.7)


def _apple(c: Vec) -> Ware:
    parts = [Part("sphere", (0.05,), (0, 0, 0), c), Part("capsule", (0.006, 0.016), (0, 0, 0.055), (0.3, 0.18, 0.05))]
    return Ware(Part("sphere", (0.05,)), parts, 0.2)


def _bread(c: Vec) -> Ware:
    parts = [Part("box", (0.1, 0.05, 0.03), (0, 0, -0.02), c), Part("ellipsoid", (0.108, 0.058, 0.045), (0, 0, 0.01), _tone(c, 0.8))]
    return Ware(Part("box", (0.1, 0.052, 0.05)), parts)


def _bottle(c: Vec) -> Ware:
    parts = [
        Part("cylinder", (0.042, 0.075), (0, 0, -0.035), c),
        Part("cylinder", (0.017, 0.035), (0, 0, 0.075), c),
        Part("cylinder", (0.02, 0.01), (0, 0, 0.105), _DARK),
        Part("cylinder", (0.0435, 0.025), (0, 0, -0.035), _PAPER),
    ]
    return Ware(_can_solid(0.042, 0.11), parts, 0.5)


def _can(c: Vec) -> Ware:
    parts = [
        Part("cylinder", (0.042, 0.062), (0, 0, 0), _SILVER),
        Part("cylinder", (0.044, 0.046), (0, 0, 0), c),
    ]
    return Ware(_can_solid(0.043, 0.062), parts, 0.4)


def _book(c: Vec) -> Ware:
    parts = [
        Part("box", (0.085, 0.11, 0.021), (0, 0, 0), c),
        Part("box", (0.084, 0.108, 0.015), (0.003, -0.004, 0), _PAPER),
        Part("box", (0.05, 0.02, 0.001), (0, 0.04, 0.0215), _PAPER),
    ]
    return Ware(Part("box", (0.085, 0.11, 0.021)), parts, 0.5)


def _ball(c: Vec) -> Ware:
    parts = [Part("sphere", (0.075,), (0, 0, 0), c), Part("cylinder", (0.0765, 0.014), (0, 0, 0), (0.98, 0.98, 0.98), (25, 10, 0))]
    return Ware(Part("sphere", (0.075,)), parts, 0.2)


def _box(c: Vec) -> Ware:
    parts = [Part("box", (0.075, 0.065, 0.065), (0, 0, 0), c), Part("box", (0.076, 0.016, 0.066), (0, 0, 0), _tone(c, 0.55))]
    return Ware(Part("box", (0.075, 0.065, 0.065)), parts)


def _sponge(c: Vec) -> Ware:
    parts = [Part("box", (0.065, 0.045, 0.02), (0, 0, -0.008), c), Part("box", (0.065, 0.045, 0.008), (0, 0, 0.02), (0.15, 0.35, 0.2))]
    return Ware(Part("box", (0.065, 0.045, 0.028)), parts, 0.1)


def _toy(c: Vec) -> Ware:
    parts = [
        Part("box", (0.085, 0.042, 0.022), (0, 0, -0.008), c),
        Part("box", (0.04, 0.036, 0.018), (-0.01, 0, 0.032), (0.7, 0.85, 0.95)),
        Part("cylinder", (0.024, 0.048), (0.05, 0, -0.026), _DARK, (90, 0, 0)),
        Part("cylinder", (0.024, 0.048), (-0.05, 0, -0.026), _DARK, (90, 0, 0)),
    ]
    return Ware(Part("box", (0.085, 0.048, 0.05)), parts)


def _vase(c: Vec) -> Ware:
    parts = [
        Part("ellipsoid", (0.06, 0.06, 0.075), (0, 0, -0.025), c),
        Part("cylinder", (0.026, 0.035), (0, 0, 0.05), c),
        Part("cylinder", (0.036, 0.006), (0, 0, 0.085), _tone(c, 0.7)),
        Part("sphere", (0.03,), (0.005, 0, 0.115), (0.98, 0.55, 0.75)),
    ]
    return Ware(_can_solid(0.055, 0.095), parts, 0.6)


def _phone(c: Vec) -> Ware:
    parts = [Part("box", (0.048, 0.09, 0.011), (0, 0, 0), c), Part("box", (0.038, 0.07, 0.001), (0, 0, 0.0112), (0.2, 0.3, 0.45))]
    return Ware(Part("box", (0.048, 0.09, 0.011)), parts, 0.2)


def _pillow(c: Vec) -> Ware:
    return Ware(Part("box", (0.13, 0.095, 0.043)), [Part("ellipsoid", (0.14, 0.105, 0.05), (0, 0, 0), c)], 0.4)


def _candle(c: Vec) -> Ware:
    parts = [
        Part("cylinder", (0.034, 0.055), (0, 0, 0), c),
        Part("cylinder", (0.06, 0.008), (0, 0, -0.047), _SILVER),
        Part("ellipsoid", (0.012, 0.012, 0.022), (0, 0, 0.07), (1.0, 0.75, 0.1)),
    ]
    return Ware(_can_solid(0.055, 0.055), parts)


def _teddy(c: Vec) -> Ware:
    parts = [
        Part("sphere", (0.062,), (0, 0, -0.035), c),
        Part("sphere", (0.046,), (0, 0, 0.05), c),
        Part("sphere", (0.02,), (-0.036, 0, 0.09), _tone(c, 0.7)),
        Part("sphere", (0.02,), (0.036, 0, 0.09), _tone(c, 0.7)),
        Part("sphere", (0.018,), (0, -0.042, 0.045), _PAPER),
    ]
    return Ware(Part("box", (0.058, 0.052, 0.097)), parts, 0.2)


_BRIGHT = ("red", "green", "blue", "yellow", "orange", "purple", "cyan", "pink")
WARES: dict[str, tuple[Callable[[Vec], Ware], tuple[str, ...]]] = {
    "mug": (_mug, (*_BRIGHT, "white", "black")),
    "bowl": (_bowl, ("red", "blue", "green", "orange", "purple", "white")),
    "plate": (_plate, ("white", "blue", "pink", "yellow", "cyan")),
    "pan": (_pan, ("black", "red", "brown", "blue")),
    "apple": (_apple, ("red", "green", "yellow")),
    "bread": (_bread, ("tan", "brown")),
    "bottle": (_bottle, ("green", "blue", "brown", "red")),
    "can": (_can, ("red", "green", "blue", "orange", "black")),
    "book": (_book, ("red", "green", "blue", "purple", "black", "orange")),
    "ball": (_ball, ("red", "blue", "green", "orange", "purple")),
    "box": (_box, ("tan", "white", "blue", "pink")),
    "sponge": (_sponge, ("yellow", "pink", "cyan", "orange")),
    "toy": (_toy, ("red", "blue", "yellow", "green", "orange")),
    "vase": (_vase, ("white", "blue", "purple", "cyan", "orange")),
    "phone": (_phone, ("black", "white", "red", "cyan")),
    "pillow": (_pillow, ("white", "red", "blue", "yellow", "purple")),
    "candle": (_candle, ("white", "red", "purple", "green")),
    "teddy": (_teddy, ("brown", "tan", "pink", "white")),
}


def scaled(part: Part, by: float) -> Part:
    """The same primitive, ``by`` times as large about its owner's origin."""
    size = tuple(round(s * by, 5) for s in part.size)
    x, y, z = (round(p * by, 5) for p in part.pos)
    return Part(part.shape, size, (x, y, z), part.rgb, part.euler, part.solid, part.when, part.emission)


def footprint(solid: Part) -> tuple[float, float]:
    """(radius of the footprint, half height) of a collision solid that stands upright."""
    if solid.shape == "box":
        return float((solid.size[0] ** 2 + solid.size[1] ** 2) ** 0.5), solid.size[2]
    if solid.shape == "sphere":
        return solid.size[0], solid.size[0]
    return solid.size[0], solid.size[1]
