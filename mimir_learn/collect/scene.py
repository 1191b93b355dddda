"""What the behaviour policy knows before an action: the true state and the current percept.

The policy may look at the truth: it only has to choose actions worth logging, and what it knows is no part of an input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mimir_learn.symbols import Entity, Kind, Parent, Percept, Place, Relation, Snapshot, Verb, Vocabulary

Fits = Callable[[str, str], bool]


def anything_fits(thing: str, vessel: str) -> bool:
    """Where sizes are not known."""
    return True


@dataclass(frozen=True, eq=False)
class Scene:
    """The house at one moment. Lists are sorted, so that a seeded choice among them is reproducible.

    ``fits`` tells whether a thing (first id) fits into or onto an empty vessel (second id).
    """

    vocabulary: Vocabulary
    places: tuple[Place, ...]
    entities: Mapping[str, Entity]
    state: Snapshot
    percept: Percept
    fits: Fits = anything_fits

    @property
    def at(self) -> str | None:
        return self.percept.at

    @property
    def hand(self) -> str | None:
        return self.state.hand

    def of_kind(self, kind: Kind) -> list[str]:
        return sorted(e.id for e in self.entities.values() if e.kind is kind)

    def applies(self, entity: str, attribute: str) -> bool:
        """Whether an attribute applies to an entity."""
        return attribute in self.vocabulary.spec(self.entities[entity]).attributes

    def having(self, attribute: str, *kinds: Kind) -> list[str]:
        """Entities of these kinds (all but the hand without any) to which an attribute applies."""
        wanted = kinds or tuple(k for k in Kind if k is not Kind.HAND)
        return sorted(e.id for e in self.entities.values() if e.kind in wanted and self.applies(e.id, attribute))

    @property
    def openables(self) -> list[str]:
        return self.having("open")

    @property
    def devices(self) -> list[str]:
        return self.having("on")

    @property
    def visible(self) -> list[str]:
        """Movable things in view, the held one and what is in it left out."""
        seen = (s.entity.id for s in self.percept.sightings if s.entity.kind is Kind.OBJECT)
        return sorted(e for e in seen if self.hand is None or self.hand not in self.line(e))

    @property
    def here(self) -> list[str]:
        """Things in view at the place the robot stands at (also in a bowl there), and on the floor in view."""
        return [e for e in self.visible if self.place_of(e) == self.at or self.state.parents[e].relation is Relation.ROOM]

    @property
    def vessels(self) -> list[str]:
        """Movable receptacles that still hold things."""
        things = self.of_kind(Kind.OBJECT)
        return [e for e in things if self.vocabulary.spec(self.entities[e]).relation is not None and not self.has(e, "broken")]

    @property
    def twins(self) -> list[str]:
        """Open receptacles that have another open one of their category in their room: a put can end up on the wrong one."""
        usable = [e for e in self.of_kind(Kind.RECEPTACLE) if not self.closed(e)]
        kinds = Counter((self.room_of(e), self.entities[e].category) for e in usable)
        return [e for e in usable if kinds[self.room_of(e), self.entities[e].category] > 1]

    def tools(self, verb: Verb) -> list[str]:
        """Entities that make a verb possible: knives for slice, faucets for fill, drains for pour."""
        return sorted(e.id for e in self.entities.values() if e.kind is not Kind.HAND and verb.value in self.vocabulary.spec(e).tool_for)

    def line(self, entity: str) -> list[str]:
        """The entity and everything above it, up to a room or the hand."""
        out = [entity]
        while out[-1] in self.state.parents:
            out.append(self.state.parents[out[-1]].id)
        return out

    def place_of(self, entity: str) -> str:
        """The first of `line` that cannot be carried: a place, a room or the hand."""
        return next(e for e in self.line(entity) if self.entities[e].kind is not Kind.OBJECT)

    def room_of(self, entity: str) -> str:
        """The room or hand an entity is in."""
        return self.line(entity)[-1]

    def holder(self, entity: str) -> str:
        return self.state.parents[entity].id

    def parent(self, entity: str) -> Parent | None:
        return self.state.parents.get(entity)

    def is_room(self, entity: str | None) -> bool:
        return entity in self.entities and self.entities[str(entity)].kind is Kind.ROOM

    def is_near(self, place: str) -> bool:
        """Whether the robot stands at a place, or at what it is mounted on or carries (a sink and its faucet)."""
        above = self.parent(place)
        below = self.parent(self.at) if self.at is not None else None
        return place == self.at or (above is not None and above.id == self.at) or (below is not None and below.id == place)

    def has(self, entity: str, attribute: str) -> bool:
        return self.state.attributes.get((entity, attribute)) is True

    def closed(self, place: str) -> bool:
        return self.state.attributes.get((place, "open")) is False

    def on(self, device: str) -> bool:
        return self.has(device, "on")
