"""The hash of a log: key of everything derived from it (decoded caches, trained checkpoints)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mimir_learn.errors import LogError

SIDE_FILES = frozenset({"collect_stats.json"})  # timings differ from run to run and are no part of the data


def content_files(root: Path) -> list[Path]:
    """The files that make up a log, sorted by name; timings and hidden (temporary) files left out."""
    inside = (p for p in root.rglob("*") if p.is_file())
    return sorted(p for p in inside if p.name not in SIDE_FILES and not any(part.startswith(".") for part in p.relative_to(root).parts))


def fingerprint(root: str | Path) -> str:
    """SHA-256 over names and contents of a log's files. Raises LogError for a directory without a log."""
    root = Path(root)
    if not (root / "meta" / "info.json").is_file():
        raise LogError(f"{root}: no transition log here (meta/info.json is missing); make one with `mimir collect`")
    total = hashlib.sha256()
    for path in content_files(root):
        with path.open("rb") as file:
            total.update(f"{path.relative_to(root).as_posix()}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()
