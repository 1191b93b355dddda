"""What the behaviour policy knows before an action: the true state and the current percept.

The policy may look at the truth: it only has to choose actions worth logging, and what it knows is no part of an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mimir_learn.symbols import Entity, Kind, Percept, Place, Relation, Snapshot, Vocabulary


@dataclass(frozen=True, eq=False)
class Scene:
    """The house at one moment. Lists are sorted, so that a seeded choice among them is reproducible."""

    vocabulary: Vocabulary
    places: tuple[Place, ...]
    entities: Mapping[str, Entity]
    state: Snapshot
    percept: Percept

    @property
    def at(self) -> str | None:
        return self.percept.at

    @property
    def hand(self) -> str | None:
        return self.state.hand

    def of_kind(self, kind: Kind) -> list[str]:
        return sorted(e.id for e in self.entities.values() if e.kind is kind)

    @property
    def openables(self) -> list[str]:
        return sorted(e.id for e in self.entities.values() if e.kind is not Kind.HAND and self.vocabulary.spec(e).openable)

    @property
    def devices(self) -> list[str]:
        return sorted(e.id for e in self.entities.values() if e.kind is not Kind.HAND and self.vocabulary.spec(e).toggleable)

    @property
    def visible(self) -> list[str]:
        """Movable things in view, the held one left out."""
        return sorted(s.entity.id for s in self.percept.sightings if s.entity.kind is Kind.OBJECT and s.entity.id != self.hand)

    @property
    def here(self) -> list[str]:
        """Things in view at the place the robot stands at, and on the floor in view."""
        parents = self.state.parents
        return [e for e in self.visible if parents[e].id == self.at or parents[e].relation is Relation.ROOM]

    def holder(self, entity: str) -> str:
        return self.state.parents[entity].id

    def is_room(self, entity: str | None) -> bool:
        return entity in self.entities and self.entities[str(entity)].kind is Kind.ROOM

    def closed(self, place: str) -> bool:
        return self.state.attributes.get((place, "open")) is False

    def on(self, device: str) -> bool:
        return self.state.attributes.get((device, "on")) is True
