"""The movable things: their shapes, colours, states and collision solids, built in code."""

from .catalogue import LINES, Line
from .palette import ALL_COLOURS, COLOURS, HELD_OUT_COLOURS
from .stock import MAX_DRAWN, MAX_TRIANGLES, WARES, Ware, build_ware, footprint, make_ware, scaled

__all__ = [
    "ALL_COLOURS", "COLOURS", "HELD_OUT_COLOURS", "LINES", "MAX_DRAWN", "MAX_TRIANGLES", "WARES", "Line", "Ware", "build_ware", "footprint",
    "make_ware", "scaled",
]  # fmt: skip
