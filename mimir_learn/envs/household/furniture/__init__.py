"""The fixtures: how each category of place and device is put together from parts, doors and drawers; and what decorates rooms."""

from __future__ import annotations

import numpy as np

from mimir_learn.errors import SymbolError

from . import bathroom, devices, kitchen, seats, storage, tables
from .common import SPOUT_DROP, Catalogue, Design, Paint, pick
from .decor import decor

DESIGNS: Catalogue = {
    **kitchen.DESIGNS, **tables.DESIGNS, **seats.DESIGNS, **storage.DESIGNS, **bathroom.DESIGNS, **devices.DESIGNS,
}  # fmt: skip
"""Category → (builder, paints), for every receptacle and device of the vocabulary."""


def design(category: str, rng: np.random.Generator) -> Design:
    """A fresh fixture of ``category``; paint, style and side of hinges are drawn from ``rng``.

    Raises SymbolError for a category nobody has designed.
    """
    if category not in DESIGNS:
        raise SymbolError(f"there is no design of a {category!r}; known: {', '.join(DESIGNS)}")
    build, paints = DESIGNS[category]
    return build(rng, pick(rng, paints))


__all__ = ["DESIGNS", "SPOUT_DROP", "Design", "Paint", "decor", "design"]
