"""Labelled grids: every picture is there, whole and in order; files are written whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mimir_learn.showroom.grid import PAPER, Cell, depth_image, grid, save


def flat(value: int, size: int = 20) -> np.ndarray:
    return np.full((size, size, 3), value, np.uint8)


@pytest.mark.parametrize("columns", [1, 2, 5, 50])
def test_pictures_are_pasted_whole_and_in_order(columns: int) -> None:
    cells = [Cell((flat(10 * i),), (f"cell {i}", "a rather long line of text that has to be wrapped" * (i % 2))) for i in range(1, 8)]
    sheet = np.asarray(grid(cells, columns, "title"))
    at = []
    for i in range(1, 8):
        rows, cols = np.where((sheet == 10 * i).all(-1))
        assert len(rows) >= 400
        at.append((int(np.median(rows)), int(np.median(cols))))
    assert at == sorted(at)


def test_pictures_side_by_side_do_not_cover_each_other() -> None:
    sheet = np.asarray(grid([Cell((flat(40), flat(80)), ("both",))], 3))
    assert (sheet == 40).all(-1).sum() >= 400 and (sheet == 80).all(-1).sum() >= 400


def test_an_empty_grid_is_a_page_of_paper() -> None:
    assert (np.asarray(grid([], 4)) == PAPER).all()


def test_a_palette_is_smaller_and_near(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    image = Image.fromarray(np.repeat(rng.integers(0, 255, (32, 32, 3), dtype=np.uint8), 8, axis=0).repeat(8, axis=1))
    full, few = save(image, tmp_path / "a" / "full.png"), save(image, tmp_path / "a" / "few.png", 64)
    assert few.stat().st_size < full.stat().st_size
    assert np.array_equal(np.asarray(Image.open(full)), np.asarray(image))
    assert Image.open(few).size == image.size and len(Image.open(few).getcolors()) <= 64
    assert not list(tmp_path.rglob("*.tmp"))


def test_depth_pictures_get_darker_with_distance_and_black_where_nothing_returns() -> None:
    picture = depth_image(np.array([[0.0, 0.5, 1.0, 4.9, 60.0]], np.float32))[0, :, 0]
    assert picture[0] == 0 and picture[1] > picture[2] > picture[3] >= picture[4] > 0
