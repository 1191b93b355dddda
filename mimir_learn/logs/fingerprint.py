"""The hash of a log: key of everything derived from it (decoded caches, trained checkpoints)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from mimir_learn.errors import LogError
from mimir_learn.logs.codec import dumps

SIDE_FILES = frozenset({"collect_stats.json", "preview.png", "preview-counts.png"})  # timings and pictures are no part of the data
_ORIGIN = "meta/mimir.json"


def content_files(root: Path) -> list[Path]:
    """The files that make up a log, sorted by name; timings, previews and hidden (temporary) files left out."""
    inside = (p for p in root.rglob("*") if p.is_file())
    return sorted(p for p in inside if p.name not in SIDE_FILES and not any(part.startswith(".") for part in p.relative_to(root).parts))


def fingerprint(root: str | Path) -> str:
    """SHA-256 over names and contents of a log's files. Raises LogError for a directory without a log.

    The version of the code that ``meta/mimir.json`` names does not count: a commit that changes no data changes no fingerprint.
    """
    root = Path(root)
    if not (root / "meta" / "info.json").is_file():
        raise LogError(f"{root}: no transition log here (meta/info.json is missing); make one with `mimir collect`")
    total = hashlib.sha256()
    for path in content_files(root):
        name = path.relative_to(root).as_posix()
        total.update(f"{name}\0{_origin_digest(path) if name == _ORIGIN else _digest(path)}\n".encode())
    return total.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _origin_digest(path: Path) -> str:
    """Of the settings, without the commit; a file that is no JSON object counts as it is."""
    try:
        body = json.loads(path.read_bytes())
        settings = {k: v for k, v in body.items() if k != "commit"}
    except (ValueError, AttributeError):
        return _digest(path)
    return hashlib.sha256(dumps(settings).encode()).hexdigest()
