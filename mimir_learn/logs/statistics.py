"""What a log consists of: counts of verbs, faults and changes per transition, and moments of the numeric columns.

Both are sums, kept per shard and added up in shard order, so that the totals do not depend on how many workers made them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.logs.episode import LoggedStep

_TRUE_CLAIMS = ("", "exogenous", "camera")  # faults in spite of which a claimed success is one


def count(steps: Iterable[LoggedStep], things: Collection[str] = (), novel: Collection[str] = ()) -> Counter[str]:
    """Flat counts over transitions: ``transitions``, ``verb.pick``, ``kind.fault``, ``fault.slip``, ``change.state.open``, …

    ``change.nested`` counts those in which something gets into or onto one of ``things`` (ids of what can be carried), ``novel`` those
    whose action names a thing of an appearance that no training house has.
    """
    out: Counter[str] = Counter()
    for step in steps:
        out["transitions"] += 1
        out["manipulations"] += step.manipulation
        out["changed"] += bool(step.delta)
        out["claims_wrong"] += step.outcome.success and step.fault not in _TRUE_CLAIMS
        out["novel"] += any(a in novel for a in step.action.arguments)
        out[f"verb.{step.action.verb.value}"] += 1
        out[f"kind.{step.kind}"] += 1
        if step.fault:
            out[f"fault.{step.fault}"] += 1
        out["change.relation"] += bool(step.delta.parents)
        out["change.nested"] += any(c.new.id in things for c in step.delta.parents.values())
        out["change.hand"] += step.delta.hand is not None
        for attribute in {a for _, a in step.delta.states}:
            out[f"change.state.{attribute}"] += 1
    return out


def unusual_share(counts: Mapping[str, int]) -> float:
    """Share of transitions that are failures, no-ops or side effects."""
    return 1.0 - counts.get("kind.nominal", 0) / max(1, counts.get("transitions", 0))


def rates(counts: Mapping[str, int]) -> dict[str, float]:
    """Every count as a share of the transitions, plus ``unusual`` (see `unusual_share`)."""
    total = max(1, counts.get("transitions", 0))
    out = {k: v / total for k, v in sorted(counts.items()) if k != "transitions"}
    return {**out, "unusual": unusual_share(counts)}


class Moments:
    """Count, sum, sum of squares, minimum and maximum of vectors (C,); adds up exactly in a fixed order."""

    def __init__(self, channels: int) -> None:
        self.count = 0
        self.sum, self.squares = np.zeros(channels), np.zeros(channels)
        self.min, self.max = np.full(channels, np.inf), np.full(channels, -np.inf)

    def add(self, values_NC: NDArray[Any]) -> None:
        """Add N vectors."""
        values = np.asarray(values_NC, dtype=np.float64).reshape(-1, len(self.sum))
        if not len(values):
            return
        self.count += len(values)
        self.sum += values.sum(0)
        self.squares += (values * values).sum(0)
        self.min, self.max = np.minimum(self.min, values.min(0)), np.maximum(self.max, values.max(0))

    def merge(self, other: Moments) -> None:
        """Add what ``other`` has seen."""
        self.count += other.count
        self.sum += other.sum
        self.squares += other.squares
        self.min, self.max = np.minimum(self.min, other.min), np.maximum(self.max, other.max)

    def to_list(self) -> list[Any]:
        return [self.count, self.sum.tolist(), self.squares.tolist(), self.min.tolist(), self.max.tolist()]

    @classmethod
    def from_list(cls, body: list[Any]) -> Moments:
        out = cls(len(body[1]))
        out.count = int(body[0])
        out.sum, out.squares, out.min, out.max = (np.asarray(v, dtype=np.float64) for v in body[1:])
        return out

    def lerobot(self, image: bool) -> dict[str, Any]:
        """LeRobot's statistics of one feature; images have shape (C, 1, 1)."""
        mean = self.sum / max(1, self.count)
        std = np.sqrt(np.maximum(self.squares / max(1, self.count) - mean * mean, 0.0))
        values = {"min": self.min, "max": self.max, "mean": mean, "std": std}
        return {**{k: (v.reshape(-1, 1, 1) if image else v).tolist() for k, v in values.items()}, "count": [self.count]}
