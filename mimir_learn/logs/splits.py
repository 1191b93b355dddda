"""Which houses belong to which split: disjoint blocks of house seeds, so that no house is ever in two splits."""

from __future__ import annotations

from mimir_learn.errors import LogError

SPLITS: tuple[str, ...] = ("train", "validation", "calibration", "test")
HOUSES_PER_SPLIT = 10_000
# Block 3 belonged to the test split while the estimator and the agent were being designed; errors on some of its houses were read
# then, so it is in no split any more.
_BLOCKS: dict[str, int] = {"train": 0, "validation": 1, "calibration": 2, "test": 4}


def house_seed(split: str, index: int) -> int:
    """Seed of the ``index``-th house of ``split``. Raises LogError for an unknown split or an index outside its block."""
    if split not in SPLITS:
        raise LogError(f"unknown split {split!r}; known: {', '.join(SPLITS)}")
    if not 0 <= index < HOUSES_PER_SPLIT:
        raise LogError(f"split {split!r} has house indices 0 to {HOUSES_PER_SPLIT - 1}, got {index}")
    return _BLOCKS[split] * HOUSES_PER_SPLIT + index


def split_of(seed: int) -> str:
    """The split whose block holds house ``seed``. Raises LogError when none does."""
    split = next((name for name, block in _BLOCKS.items() if seed // HOUSES_PER_SPLIT == block), None)
    if split is None:
        blocks = ", ".join(f"{name} from {block * HOUSES_PER_SPLIT}" for name, block in _BLOCKS.items())
        raise LogError(f"house seed {seed} lies in no split; each has {HOUSES_PER_SPLIT} seeds: {blocks}")
    return split
