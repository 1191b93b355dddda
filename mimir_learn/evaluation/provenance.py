"""Where a result came from: versions, commit, machine, hashes of everything it rests on."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from mimir_learn import __version__

# What decides the result of a stage, as paths within the package. Reports and statistics are no part of an episode.
_WORLD = ("errors.py", "symbols", "memory", "agent", "feedback", "feedback/classical.json", "envs")
_TRAINING = ("errors.py", "symbols", "memory", "logs", "estimator")
SOURCES_OF = {
    "collect": (*_WORLD, "logs", "collect"),
    "train": _TRAINING,
    "score": (*_TRAINING, "feedback", "feedback/classical.json", "evaluation/score.py", "evaluation/reliability.py"),
    "episodes": (
        *_WORLD,
        "estimator",
        *(f"evaluation/{n}.py" for n in ("arms", "cells", "compat", "episode", "jobs", "perception", "records", "scoring")),
    ),
    "suite": (
        *_WORLD,
        *(f"evaluation/{n}.py" for n in ("build", "certify", "episode", "jobs", "perception", "scoring", "suite", "trials", "trivial")),
    ),
    "evaluate": ("",),
}
PACKAGES = ("numpy", "mujoco", "gymnasium", "joblib", "torch", "lightning", "torchmetrics", "pyarrow", "pillow", "scipy", "statsmodels")


def source_sha256(stage: str, root: Path | None = None) -> str:
    """SHA-256 over names and contents of the files that decide the result of ``stage``, a key of `SOURCES_OF`."""
    root = root or Path(__file__).resolve().parents[1]
    total = hashlib.sha256()
    files = {f for part in SOURCES_OF[stage] for f in ([root / part] if part.endswith((".py", ".json")) else (root / part).rglob("*.py"))}
    for path in sorted(files):
        total.update(f"{path.relative_to(root).as_posix()}\0{file_sha256(path)}\n".encode())
    return total.hexdigest()


@lru_cache
def loaded_sha256(stage: str) -> str:
    """`source_sha256` as it was when this process first asked: of the code it runs, though files may have been edited since."""
    return source_sha256(stage)


def versions() -> dict[str, str]:
    """Python and package versions; a package that is not installed is left out."""
    out = {"python": platform.python_version(), "mimir_learn": __version__}
    for name in PACKAGES:
        try:
            out[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return out


def git_state(root: Path | None = None) -> dict[str, Any]:
    """Commit and whether tracked files differ from it; ``{"commit": None}`` outside a git checkout."""
    root = root or Path(__file__).resolve().parents[2]

    def git(*args: str) -> str:
        return subprocess.run(["git", "-C", str(root), *args], capture_output=True, text=True, check=True, timeout=20).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != root:
            return {"commit": None}
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain", "--untracked-files=no"))}
    except (OSError, subprocess.SubprocessError):
        return {"commit": None}


def machine() -> dict[str, Any]:
    """What the numbers were measured on, in words that identify no one."""
    return {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count(), "executable": Path(sys.executable).name}


def file_sha256(path: Path) -> str:
    """SHA-256 of one file's bytes."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def provenance(**more: Any) -> dict[str, Any]:
    """Everything above, plus what the caller adds (hashes, seeds, config)."""
    return {"versions": versions(), "git": git_state(), "machine": machine(), **more}
