"""`make_ware`: one thing of a category, drawn from its line, ready-made at its size."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from mimir_learn.errors import SymbolError

from ..spec import Part, Region
from .catalogue import LINES
from .forms import scaled, sized
from .palette import ALL_COLOURS

SCALES = (0.93, 1.12)
"""How much things of one shape differ in size."""
MAX_TRIANGLES = 800
"""Most triangles of one thing, the parts of all its states together."""
MAX_DRAWN = 600
"""Most triangles of one thing that are drawn at once."""


@dataclass(frozen=True)
class Ware:
    """A thing at its size, around the middle of its collision solid.

    Attributes:
        parts: what is drawn; never solid.
        solid: the one box, cylinder or sphere it collides as.
        mass: kilograms.
        colour, variant: what it looks like, unique per category in a house as long as there are enough looks.
        novel: its shape or its colour is held out.
        holds: where it holds things, for categories that do.
        scale: its size relative to the line's drawing.
    """

    parts: tuple[Part, ...]
    solid: Part
    mass: float
    colour: str
    variant: str
    novel: bool
    holds: Region | None
    scale: float


def make_ware(category: str, rng: np.random.Generator, *, novel: bool = False, taken: Collection[tuple[str, str]] = ()) -> Ware:
    """A thing of ``category`` in a look that is not among the ``taken`` (variant, colour) pairs, as long as there is one.

    With ``novel`` a held-out shape or colour; where all of those are taken, an ordinary look. The same generator state and arguments
    give the same ware. Raises SymbolError for a category that is no movable thing.
    """
    line = LINES.get(category)
    if line is None:
        raise SymbolError(f"{category!r} is no movable thing; known: {', '.join(LINES)}")
    gone = set(taken)
    ranges = [line.looks(True), line.looks(False)] if novel else [line.looks(False)]
    pool = next((free for looks in ranges if (free := [look for look in looks if look not in gone])), list(ranges[0]))
    variant, colour = pool[int(rng.integers(len(pool)))]
    return build_ware(category, variant, colour, round(float(rng.uniform(*SCALES)), 3))


def build_ware(category: str, variant: str, colour: str, scale: float = 1.0) -> Ware:
    """The ware of that look and size. Raises SymbolError for a category, variant or colour that there is not."""
    line = LINES.get(category)
    if line is None or variant not in {**line.shapes, **line.held_out_shapes} or colour not in ALL_COLOURS:
        raise SymbolError(f"there is no {category!r} of variant {variant!r} in colour {colour!r}; see catalogue.LINES")
    form = line.maker(variant)(ALL_COLOURS[colour])
    half = form.solid.size[0] if form.solid.shape == "sphere" else form.solid.size[-1]
    parts = tuple(scaled(replace(p, pos=(p.pos[0], p.pos[1], p.pos[2] - half)), scale) for p in form.parts)
    holds = None
    if form.holds is not None:
        (x, y, z), (hx, hy), height = form.holds.centre, form.holds.half, form.holds.height
        holds = Region(
            (sized(x, scale), sized(y, scale), sized(z - half, scale)), (sized(hx, scale), sized(hy, scale)), sized(height, scale)
        )
    novel = variant in line.held_out_shapes or colour in line.held_out_colours
    return Ware(parts, scaled(form.solid, scale), round(form.mass * scale**3, 4), colour, variant, novel, holds, scale)


def footprint(solid: Part) -> tuple[float, float]:
    """(radius of the footprint, half height) of a collision solid that stands upright."""
    if solid.shape == "box":
        return round(float((solid.size[0] ** 2 + solid.size[1] ** 2) ** 0.5), 5), solid.size[2]
    if solid.shape == "sphere":
        return solid.size[0], solid.size[0]
    return solid.size[0], solid.size[1]
