"""Labelled grids of small pictures, as one PNG."""

from __future__ import annotations

import io
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

PAPER, INK, FAINT, ACCENT = (250, 250, 248), (25, 25, 28), (105, 105, 112), (176, 58, 20)
_GAP, _LINE = 6, 13
_SIZE = 11  # of the letters, pixels


@dataclass(frozen=True, eq=False)
class Cell:
    """One picture (H, W, 3) uint8, or several side by side, with lines of text under it; the first is in ink, an ``accent`` one in red."""

    images: tuple[NDArray[np.uint8], ...]
    lines: tuple[str, ...] = ()
    accent: bool = False


def grid(cells: Sequence[Cell], columns: int, title: str = "") -> Image.Image:
    """Cells left to right, top to bottom, each column as wide as its widest picture; text is wrapped to the picture's width."""
    font, bold = letters(_SIZE), letters(_SIZE + 4)
    columns = max(1, min(columns, len(cells)))
    width = max((sum(i.shape[1] for i in c.images) + 2 * (len(c.images) - 1) for c in cells), default=80)
    height = max((i.shape[0] for c in cells for i in c.images), default=80)
    texts = [[row for line in c.lines for row in _wrap(line, font, width)] for c in cells]
    rows = [range(start, min(start + columns, len(cells))) for start in range(0, len(cells), columns)]
    heights = [height + _LINE * max(len(texts[i]) for i in row) + 2 * _GAP for row in rows]
    top = 30 if title else _GAP
    sheet = Image.new("RGB", (columns * (width + _GAP) + _GAP, top + sum(heights) + _GAP), PAPER)
    draw = ImageDraw.Draw(sheet)
    if title:
        draw.text((_GAP, 7), title, INK, bold)
    y = top
    for row, tall in zip(rows, heights, strict=True):
        for column, i in enumerate(row):
            x = _GAP + column * (width + _GAP)
            _cell(sheet, draw, cells[i], texts[i], (x, y, height), font)
        y += tall
    return sheet


def _cell(
    sheet: Image.Image, draw: ImageDraw.ImageDraw, cell: Cell, text: list[str], at: tuple[int, int, int], font: ImageFont.FreeTypeFont
) -> None:
    x, y, height = at
    left = x
    for image in cell.images:
        sheet.paste(Image.fromarray(image), (left, y))
        left += image.shape[1] + 2
    for i, line in enumerate(text):
        draw.text((x, y + height + 2 + i * _LINE), line, ACCENT if cell.accent else INK if i == 0 else FAINT, font)


@lru_cache(maxsize=4)
def letters(size: int) -> ImageFont.FreeTypeFont:
    """DejaVu Sans, which matplotlib brings: it has Δ, ∅ and arrows, which Pillow's own font has not."""
    import matplotlib

    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), size)


def _wrap(line: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    most = max(8, int(width / max(1.0, font.getlength("abcdefghij") / 10)))
    return textwrap.wrap(line, most) or [""]


def save(image: Image.Image, path: Path, colours: int | None = None) -> Path:
    """Write a PNG, whole or not at all; with ``colours`` as a palette picture, which is a third of the size. Returns the path."""
    if colours is not None:
        image = image.quantize(colours, Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.FLOYDSTEINBERG)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(buffer.getvalue())
    os.replace(temporary, path)
    return path


def depth_image(depth: NDArray[np.float32], far: float = 5.0) -> NDArray[np.uint8]:
    """(H, W) metres → (H, W, 3): near is bright, ``far`` and beyond dark, no return black."""
    grey = np.where(depth > 0, 235 - 205 * np.clip(depth / far, 0, 1), 0).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)
