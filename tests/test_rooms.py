"""The architecture's lines: who may import whom, and which rooms must come up without torch."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINT = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--config"]
TORCH_FREE = ("symbols", "memory", "agent", "feedback", "logs", "collect", "envs.household")


def test_imports_point_down():
    done = subprocess.run([*LINT, ".importlinter"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_linter_would_notice_a_forbidden_import(tmp_path):
    config = tmp_path / "broken"
    config.write_text(
        "[importlinter]\nroot_package = mimir_learn\n[importlinter:contract:x]\nname = x\ntype = forbidden\n"
        "source_modules = mimir_learn.agent\nforbidden_modules = mimir_learn.memory\n"
    )
    assert subprocess.run([*LINT, str(config)], cwd=ROOT, capture_output=True).returncode != 0


@pytest.mark.parametrize("room", TORCH_FREE)
def test_room_imports_without_torch(room):
    code = f"""
import importlib, pkgutil, sys
sys.modules["torch"] = None  # any import of it now fails
room = importlib.import_module("mimir_learn.{room}")
for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
    if not module.name.endswith("feedback.learned"):
        importlib.import_module(module.name)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
