"""`LINES`: what every movable category of the vocabulary comes in."""

from __future__ import annotations

from . import bottles, cleaning, cookware, cutlery, decor, desk, dishes, food, fruit, linen, paper, personal, sport, tools, toys
from .line import Line

_SHOPS = (fruit, food, dishes, cookware, cutlery, tools, bottles, cleaning, paper, linen, sport, toys, personal, desk, decor)

LINES: dict[str, Line] = {category: line for shop in _SHOPS for category, line in shop.LINES.items()}
"""Category → what it comes in."""
