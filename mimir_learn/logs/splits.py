"""Which houses belong to which split: disjoint blocks of house seeds, so that no house is ever in two splits."""

from __future__ import annotations

from mimir_learn.errors import LogError

SPLITS: tuple[str, ...] = ("train", "validation", "calibration", "test")
HOUSES_PER_SPLIT = 10_000


def house_seed(split: str, index: int) -> int:
    """Seed of the ``index``-th house of ``split``. Raises LogError for an unknown split or an index outside its block."""
    if split not in SPLITS:
        raise LogError(f"unknown split {split!r}; known: {', '.join(SPLITS)}")
    if not 0 <= index < HOUSES_PER_SPLIT:
        raise LogError(f"split {split!r} has house indices 0 to {HOUSES_PER_SPLIT - 1}, got {index}")
    return SPLITS.index(split) * HOUSES_PER_SPLIT + index


def split_of(seed: int) -> str:
    """The split whose block holds house ``seed``. Raises LogError when none does."""
    block = seed // HOUSES_PER_SPLIT
    if not 0 <= block < len(SPLITS):
        raise LogError(f"house seed {seed} lies in no split; seeds are 0 to {len(SPLITS) * HOUSES_PER_SPLIT - 1}")
    return SPLITS[block]
