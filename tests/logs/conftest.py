"""A fresh tiny log for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from mimir_learn.symbols import Observation

from .tiny_log import make_log


@pytest.fixture
def log(tmp_path: Path) -> tuple[Path, list[list[Observation]]]:
    """(directory, frames of every episode)."""
    root = tmp_path / "log"
    return root, make_log(root)
