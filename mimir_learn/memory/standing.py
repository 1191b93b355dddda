"""An index of how firmly memory believes where things are, by category, so that recall need not score every entity."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from mimir_learn.memory.hypotheses import Record


class Standing:
    """Per category: ids by weight of their active hypothesis, and those that have none or are known to be broken.

    Kept lazily: `touch` marks an entity, `settle` brings the index up to date. Both cost little per changed entity, whatever the size.
    """

    def __init__(self) -> None:
        self._stale: set[str] = set()
        self._at: dict[str, tuple[str, float | None, bool]] = {}  # id → (category, weight, broken) as indexed
        self._groups: dict[str, dict[float, list[str]]] = {}
        self._weights: dict[str, list[float]] = {}  # negative, ascending: heaviest first
        self._odd: dict[str, set[str]] = {}

    def touch(self, entity_id: str) -> None:
        """Something about the entity may have changed."""
        self._stale.add(entity_id)

    def settle(self, records: dict[str, Record]) -> None:
        """Index what has been touched."""
        for entity_id in self._stale:
            record = records[entity_id]
            broken = record.facts.get("broken")
            now = (record.entity.category, None if record.active is None else record.active.weight, broken is not None and broken.value)
            before = self._at.get(entity_id)
            if now != before:
                if before is not None:
                    self._remove(entity_id, *before)
                self._add(entity_id, *now)
                self._at[entity_id] = now
        self._stale.clear()

    def odd(self, category: str) -> frozenset[str]:
        """Ids without an active hypothesis or known to be broken."""
        return frozenset(self._odd.get(category, ()))

    def by_weight(self, category: str) -> Iterator[tuple[float, list[str]]]:
        """(weight, ids in order) from the heaviest down."""
        groups = self._groups.get(category, {})
        for negative in self._weights.get(category, ()):
            yield -negative, groups[-negative]

    def _add(self, entity_id: str, category: str, weight: float | None, broken: bool) -> None:
        if weight is None or broken:
            self._odd.setdefault(category, set()).add(entity_id)
        if weight is not None:
            groups = self._groups.setdefault(category, {})
            if weight not in groups:
                groups[weight] = []
                insort(self._weights.setdefault(category, []), -weight)
            insort(groups[weight], entity_id)

    def _remove(self, entity_id: str, category: str, weight: float | None, broken: bool) -> None:
        self._odd.get(category, set()).discard(entity_id)
        if weight is not None:
            groups, weights = self._groups[category], self._weights[category]
            ids = groups[weight]
            del ids[bisect_left(ids, entity_id)]
            if not ids:
                del groups[weight], weights[bisect_left(weights, -weight)]
