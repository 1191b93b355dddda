"""The movable things: their shapes, colours, states and collision solids, built in code."""

from .catalogue import LINES
from .forms import scaled
from .line import Line
from .palette import ALL_COLOURS, COLOURS, HELD_OUT_COLOURS
from .stock import MAX_DRAWN, MAX_TRIANGLES, Ware, build_ware, footprint, make_ware

__all__ = [
    "ALL_COLOURS", "COLOURS", "HELD_OUT_COLOURS", "LINES", "MAX_DRAWN", "MAX_TRIANGLES", "Line", "Ware", "build_ware", "footprint",
    "make_ware", "scaled",
]  # fmt: skip
