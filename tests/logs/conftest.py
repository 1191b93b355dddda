"""A fresh tiny log for every test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mimir_learn.symbols import Observation

from .tiny_log import make_log


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[Observation]]]:
    root = tmp_path_factory.mktemp("made") / "log"
    return root, make_log(root)


@pytest.fixture
def log(made: tuple[Path, list[list[Observation]]], tmp_path: Path) -> tuple[Path, list[list[Observation]]]:
    """(directory, frames of every episode); the test may do to the directory what it likes."""
    root = tmp_path / "log"
    shutil.copytree(made[0], root)
    return root, made[1]
