"""`Line`: the shapes and colours one category comes in, and which of them only novel things have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..spec import Vec
from .forms import Form
from .palette import BRIGHT, COLOURS, HELD_OUT_COLOURS, NEW

Maker = Callable[[Vec], Form]


@dataclass(frozen=True)
class Line:
    """The range of one category.

    Attributes:
        shapes: variant name → maker, for any house.
        held_out_shapes: variant name → maker, for novel things only.
        colours: names in `palette.COLOURS`.
        held_out_colours: names in `palette.HELD_OUT_COLOURS`, for novel things only.
    """

    shapes: Mapping[str, Maker]
    held_out_shapes: Mapping[str, Maker]
    colours: tuple[str, ...]
    held_out_colours: tuple[str, ...]

    def looks(self, novel: bool) -> tuple[tuple[str, str], ...]:
        """Every (variant, colour) of ordinary things, or of novel ones: held-out shapes in any colour, known shapes in held-out ones."""
        if not novel:
            return tuple((v, c) for v in self.shapes for c in self.colours)
        fresh = tuple((v, c) for v in self.held_out_shapes for c in (*self.colours, *self.held_out_colours))
        return fresh + tuple((v, c) for v in self.shapes for c in self.held_out_colours)

    def maker(self, variant: str) -> Maker:
        """Raises KeyError for a variant that the line has not."""
        return self.shapes[variant] if variant in self.shapes else self.held_out_shapes[variant]


def line(colours: str, new_colours: str, shapes: Mapping[str, Maker], held_out: Mapping[str, Maker]) -> Line:
    """A `Line` from colour names in one string each; ``bright`` and ``new`` stand for the sets of `palette`."""
    sets = {"bright": BRIGHT, "new": NEW}
    known, new = (tuple(c for name in text.split() for c in sets.get(name, (name,))) for text in (colours, new_colours))
    assert set(known) <= set(COLOURS) and set(new) <= set(HELD_OUT_COLOURS)
    return Line(shapes, held_out, known, new)
