"""The fixtures: how each category of place and device is put together from parts, doors and drawers; and what decorates rooms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mimir_learn.errors import SymbolError

from ..spec import Part
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
    plan = build(rng, pick(rng, paints))
    plan.parts = [_rounded(p) for p in plan.parts]
    plan.panels = [replace(panel, parts=tuple(_rounded(p) for p in panel.parts)) for panel in plan.panels]
    return plan


def _rounded(part: Part) -> Part:
    """To 0.01 mm: the last bits of a tangent are not the same on every machine, a house's key must be."""
    return replace(part, size=_round(part.size), pos=_round(part.pos), euler=_round(part.euler))


def _round(values: tuple[float, ...]) -> Any:
    return tuple([round(v, 5) for v in values])


__all__ = ["DESIGNS", "SPOUT_DROP", "Design", "Paint", "decor", "design"]
