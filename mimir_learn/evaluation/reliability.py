"""Reliability of stated probabilities: how often changes that were given probability p were right."""

from __future__ import annotations

from collections.abc import Iterable

from mimir_learn.estimator.metrics import Scored


def reliability_bins(items: Iterable[Scored], bins: int = 15) -> list[dict[str, float]]:
    """Equal-width bins of predicted changes: mean probability ``p``, share ``right`` and count ``n`` of each bin that holds any.

    Right means the same as in `estimator.metrics`: see `Scored.judged_changes`.
    """
    held: dict[int, list[tuple[float, bool]]] = {}
    for item in items:
        for p, right in item.judged_changes():
            held.setdefault(min(int(p * bins), bins - 1), []).append((p, right))
    return [
        {"p": sum(p for p, _ in rows) / len(rows), "right": sum(ok for _, ok in rows) / len(rows), "n": len(rows)}
        for _, rows in sorted(held.items())
    ]
