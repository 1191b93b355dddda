"""Text embedding of category names without a language model: hashed character n-grams (feature hashing, signed)."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def _grams(name: str) -> list[str]:
    words = name.lower().replace("-", "_").split("_")
    padded = [f"<{w}>" for w in words if w]
    return padded + [w[i : i + n] for w in padded for n in (2, 3, 4) for i in range(len(w) - n + 1)]


@lru_cache(maxsize=4096)
def _vector(name: str, dim: int) -> tuple[float, ...]:
    out = np.zeros(dim)
    for gram in _grams(name):
        digest = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "little")
        out[(digest >> 1) % dim] += 1.0 if digest & 1 else -1.0
    norm = float(np.linalg.norm(out))
    return tuple(float(x) for x in (out / norm if norm else out))


def name_vector(name: str, dim: int) -> NDArray[np.float32]:
    """Category name → (dim,) float32 of unit length; the same on every machine.

    Names that share stems (``coffee_table``, ``side_table``) share n-grams and so lie near each other; a name never seen in
    training still has a vector, so the vocabulary is not wired into the weights.
    """
    return np.asarray(_vector(name, dim), dtype=np.float32)
