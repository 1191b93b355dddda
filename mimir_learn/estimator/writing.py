"""Writes a small file or a file of weights at once or not at all, with the permissions that any other file would get."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import save
from torch import Tensor

from mimir_learn.logs.writer import write_atomic


def write_whole(path: Path, body: bytes | str) -> Path:
    """`write_atomic` of bytes, or of text as UTF-8; returns ``path``."""
    write_atomic(path, body.encode() if isinstance(body, str) else body)
    return path


def write_json(path: Path, body: Any) -> Path:
    """``body`` as indented JSON with a newline at its end. Raises ValueError for NaN and infinity, which are not JSON."""
    return write_whole(path, json.dumps(body, indent=2, sort_keys=True, allow_nan=False) + "\n")


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> Path:
    """``tensors`` as safetensors: the same tensors and metadata give the same bytes (the library orders metadata at random)."""
    raw = save(dict(tensors), dict(metadata))
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    header["__metadata__"] = dict(sorted(metadata.items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the data stay aligned
    return write_whole(path, struct.pack("<Q", len(text)) + text + raw[8 + length :])
