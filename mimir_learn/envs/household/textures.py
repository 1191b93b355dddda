"""Surfaces as small generated pictures: grey or nearly so, so that a part's own colour tints them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SymbolError

SIZE = 64
"""Pixels along each side of a pattern."""
Grid = NDArray[np.float64]


@dataclass(frozen=True)
class Pattern:
    """One surface: the picture repeats every ``period`` metres; ``along`` = its first axis follows the longest side of a part (grain)."""

    paint: Callable[[np.random.Generator], Grid]
    period: float
    along: bool = False
    specular: float = 0.1


def _noise(rng: np.random.Generator, cells: tuple[int, int]) -> Grid:
    """Smooth noise in [−1, 1] that repeats at the borders, (SIZE, SIZE), with ``cells`` lumps down and across."""
    grid = rng.uniform(-1, 1, cells)
    for axis, n in enumerate(cells):
        at = np.arange(SIZE) * n / SIZE
        low = at.astype(int)
        part = at - low
        part = part * part * (3 - 2 * part)
        shape = [1, 1]
        shape[axis] = SIZE
        part = part.reshape(shape)
        grid = np.take(grid, low % n, axis) * (1 - part) + np.take(grid, (low + 1) % n, axis) * part
    return grid


_Y, _X = np.mgrid[0:SIZE, 0:SIZE]


def _wood(rng: np.random.Generator) -> Grid:
    wave = 0.35 * _noise(rng, (8, 2)) + 0.2 * _noise(rng, (16, 4))
    rings = np.sin(2 * np.pi * (7 * _Y / SIZE + wave))
    return 0.86 + 0.08 * rings + 0.04 * _noise(rng, (32, 4))


def _planks(rng: np.random.Generator) -> Grid:
    out = np.empty((SIZE, SIZE))
    for row in range(4):
        joint = (row * 29 + 7) % SIZE
        shade = rng.uniform(-0.09, 0.09, 2)
        band = slice(16 * row, 16 * row + 16)
        out[band] = 0.86 + np.where(_X[band] < joint, shade[0], shade[1])
        out[band] += 0.05 * _noise(rng, (32, 4))[band]
        out[16 * row] = 0.52
        out[band, joint] = 0.55
    return out


def _tiles(rng: np.random.Generator) -> Grid:
    out = 0.93 + 0.03 * _noise(rng, (8, 8))
    for row in range(2):
        for column in range(2):
            out[32 * row : 32 * row + 32, 32 * column : 32 * column + 32] += rng.uniform(-0.05, 0.03)
    out[(_X % 32 < 2) | (_Y % 32 < 2)] = 0.6
    return out


def _marble(rng: np.random.Generator) -> Grid:
    bend = 1.1 * _noise(rng, (4, 4)) + 0.5 * _noise(rng, (8, 8)) + 0.2 * _noise(rng, (16, 16))
    vein = np.abs(np.sin(np.pi * ((_X + _Y) / SIZE + bend)))
    return 0.94 - 0.22 * np.exp(-8 * vein) + 0.05 * _noise(rng, (4, 4))


def _fabric(rng: np.random.Generator) -> Grid:
    weave = ((_X // 2 + _Y // 2) % 2) * 0.1
    return 0.82 + weave + 0.05 * _noise(rng, (16, 16)) + rng.uniform(-0.03, 0.03, (SIZE, SIZE))


def _carpet(rng: np.random.Generator) -> Grid:
    return 0.8 + 0.1 * _noise(rng, (16, 16)) + rng.uniform(-0.14, 0.14, (SIZE, SIZE))


def _stripes(rng: np.random.Generator) -> Grid:
    return np.where((_X // 8) % 2 == 0, 0.97, 0.58) + 0.02 * _noise(rng, (16, 16))


def _checks(rng: np.random.Generator) -> Grid:
    return np.where((_X // 16 + _Y // 16) % 2 == 0, 0.97, 0.55) + 0.02 * _noise(rng, (16, 16))


def _speckle(rng: np.random.Generator) -> Grid:
    out = 0.9 + 0.03 * _noise(rng, (8, 8))
    out[rng.random((SIZE, SIZE)) < 0.07] = 0.5
    out[rng.random((SIZE, SIZE)) < 0.05] = 1.0
    return out


def _plaster(rng: np.random.Generator) -> Grid:
    return 0.95 + 0.025 * _noise(rng, (8, 8)) + 0.025 * _noise(rng, (32, 32))


def _metal(rng: np.random.Generator) -> Grid:
    return 0.88 + 0.07 * _noise(rng, (64, 4)) + 0.05 * _noise(rng, (4, 2))


PATTERNS: dict[str, Pattern] = {
    "wood": Pattern(_wood, 0.5, along=True),
    "planks": Pattern(_planks, 0.6, along=True),
    "tiles": Pattern(_tiles, 0.4, specular=0.3),
    "marble": Pattern(_marble, 1.1, specular=0.3),
    "fabric": Pattern(_fabric, 0.16, specular=0.0),
    "carpet": Pattern(_carpet, 0.35, specular=0.0),
    "stripes": Pattern(_stripes, 0.24, specular=0.0),
    "checks": Pattern(_checks, 0.2, specular=0.0),
    "speckle": Pattern(_speckle, 0.5, specular=0.2),
    "plaster": Pattern(_plaster, 1.2, specular=0.0),
    "metal": Pattern(_metal, 0.3, along=True, specular=0.5),
}


@lru_cache(maxsize=len(PATTERNS))
def image(name: str) -> NDArray[np.uint8]:
    """(SIZE, SIZE, 3) uint8 of a pattern; white where the part's colour comes through whole. Raises SymbolError for an unknown name."""
    if name not in PATTERNS:
        raise SymbolError(f"texture {name!r} is unknown; use '' or one of {', '.join(PATTERNS)}")
    grid = PATTERNS[name].paint(np.random.default_rng([0x7E47, list(PATTERNS).index(name)]))
    out = np.repeat(np.round(np.clip(grid, 0, 1) * 255).astype(np.uint8)[..., None], 3, -1)
    out.flags.writeable = False
    return out
