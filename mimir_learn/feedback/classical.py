"""Thresholds and extents of the untrained sources `difference` and `geometry`, chosen on training houses; no torch.

``python -m mimir_learn.evaluation.classical LOG`` chooses them and writes the file this module reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Verb

FILE = Path(__file__).with_name("classical.json")
GROUPS: Mapping[Verb, str] = {
    Verb.PICK: "pick", Verb.PLACE: "place", Verb.OPEN: "door", Verb.CLOSE: "door", Verb.TOGGLE_ON: "switch", Verb.TOGGLE_OFF: "switch",
    Verb.SLICE: "slice", Verb.FILL: "liquid", Verb.POUR: "liquid",
}  # fmt: skip
"""Verbs that share a threshold."""


@dataclass(frozen=True)
class Extent:
    """How far from a place's remembered point lies what it holds: horizontally at most ``radius`` m, ``low`` to ``high`` m above it."""

    radius: float
    low: float
    high: float


UNKNOWN = Extent(0.4, -0.3, 0.4)  # of a category that the training log says too little about


@dataclass(frozen=True)
class Thresholds:
    """Numbers of the untrained sources.

    Attributes:
        changed: group of verbs → share of changed pixels above which the action is taken to have had its effect.
        grasp, release: share of the hand's box that must have been filled, emptied.
        kept: share of the hand's box that shows the same surface in both frames; below it what was held is gone (moving camera).
        vanished: share of a thing's window in which one must look through it to call it gone; above 1 = never.
        places: category → `Extent`.
        origin: what they were chosen on.
    """

    changed: Mapping[str, float]
    grasp: float
    release: float
    kept: float
    vanished: float
    places: Mapping[str, Extent]
    origin: Mapping[str, Any]

    def extent(self, category: str) -> Extent:
        return self.places.get(category, UNKNOWN)

    def write(self, path: Path = FILE) -> None:
        """As canonical JSON."""
        path.write_text(json.dumps(asdict(self), indent=1, sort_keys=True) + "\n", encoding="utf-8")


@lru_cache
def thresholds(path: Path = FILE) -> Thresholds:
    """Read the file. Raises ConfigError when it is missing or damaged."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        return Thresholds(**{**body, "places": {k: Extent(**v) for k, v in body["places"].items()}})
    except (OSError, ValueError, TypeError, KeyError) as e:
        raise ConfigError(f"{path}: no thresholds ({e}); choose them with `python -m mimir_learn.evaluation.classical LOG`") from e
