"""The colours things come in: names an instruction can use, kept apart into ordinary ones and ones held out for test houses."""

from __future__ import annotations

from ..spec import Vec

COLOURS: dict[str, Vec] = {
    "red": (0.85, 0.12, 0.1),
    "green": (0.1, 0.62, 0.18),
    "blue": (0.12, 0.28, 0.9),
    "yellow": (0.98, 0.85, 0.1),
    "orange": (0.98, 0.5, 0.05),
    "purple": (0.55, 0.15, 0.7),
    "pink": (0.98, 0.5, 0.7),
    "white": (0.92, 0.92, 0.92),
    "black": (0.08, 0.08, 0.09),
    "cyan": (0.1, 0.8, 0.85),
    "brown": (0.5, 0.28, 0.1),
    "tan": (0.82, 0.6, 0.32),
    "silver": (0.68, 0.7, 0.74),
    "grey": (0.5, 0.51, 0.53),
}
"""Ordinary colours: any house may have them."""

HELD_OUT_COLOURS: dict[str, Vec] = {
    "navy": (0.06, 0.1, 0.38),
    "teal": (0.0, 0.45, 0.45),
    "magenta": (0.9, 0.05, 0.55),
    "lime": (0.65, 0.93, 0.12),
    "maroon": (0.45, 0.03, 0.1),
    "gold": (0.85, 0.65, 0.12),
    "lavender": (0.74, 0.66, 0.95),
    "mint": (0.62, 0.93, 0.76),
    "coral": (1.0, 0.5, 0.42),
    "olive": (0.46, 0.46, 0.1),
    "ivory": (0.95, 0.9, 0.74),
}
"""Colours that only novel things have."""

ALL_COLOURS: dict[str, Vec] = {**COLOURS, **HELD_OUT_COLOURS}
BRIGHT = ("red", "green", "blue", "yellow", "orange", "purple", "cyan", "pink")
NEW = ("navy", "teal", "magenta", "lime", "maroon", "coral", "lavender", "mint")

DARK: Vec = (0.1, 0.09, 0.09)
STEEL: Vec = (0.62, 0.64, 0.68)
IRON: Vec = (0.36, 0.37, 0.4)
BRASS: Vec = (0.86, 0.66, 0.2)
GOLD: Vec = (0.9, 0.72, 0.25)
PAPER: Vec = (0.97, 0.95, 0.87)
WHITE: Vec = (0.93, 0.93, 0.92)
WOOD: Vec = (0.68, 0.45, 0.22)
LEAF: Vec = (0.16, 0.5, 0.13)
STALK: Vec = (0.3, 0.18, 0.06)
GLASS: Vec = (0.86, 0.93, 0.95)
WATER: Vec = (0.16, 0.45, 0.95)
SCREEN: Vec = (0.3, 0.62, 0.9)


def mix(a: Vec, b: Vec, share: float) -> Vec:
    """``share`` of b in a."""
    r, g, blue = (round(x + (y - x) * share, 3) for x, y in zip(a, b, strict=True))
    return (r, g, blue)


def tone(rgb: Vec, by: float) -> Vec:
    """The same colour, ``by`` times as bright."""
    r, g, b = (round(min(1.0, c * by), 3) for c in rgb)
    return (r, g, b)


def brightness(rgb: Vec) -> float:
    """Perceived brightness in [0, 1] (Rec. 601)."""
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]


def dirt(rgb: Vec) -> Vec:
    """Mud or dust, whichever shows better on ``rgb``."""
    mud, dust = (0.24, 0.13, 0.05), (0.76, 0.63, 0.38)
    return max(mud, dust, key=lambda d: sum((a - b) ** 2 for a, b in zip(d, rgb, strict=True)))


def contrast(rgb: Vec) -> Vec:
    """White on dark colours, near-black on bright ones: for print, dials and buttons."""
    return DARK if brightness(rgb) > 0.55 else WHITE
