"""`World`: what task samplers know of a house — its symbolic initial state, what fits where, what things look like and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import TYPE_CHECKING

from mimir_learn.symbols import CausalRule, Entity, Kind, Relation, Snapshot, Vocabulary

if TYPE_CHECKING:
    from mimir_learn.envs.household.spec import FixtureSpec, HouseSpec, Region, ThingSpec

_FILLED = 0.6  # share of a receptacle's area that things' bounding squares may take
_MOST_IN_A_THING = 2  # things a bowl, pot or box is asked to hold
MOST_IN_A_PLACE = 6  # things a receptacle may hold at the end, so that a task never asks to overfill one


@dataclass(frozen=True)
class Look:
    """What a thing looks like: colour and shape by name, scale, and whether no training house has its like."""

    colour: str = ""
    variant: str = ""
    scale: float = 1.0
    novel: bool = False


@dataclass(frozen=True)
class World:
    """The start of an episode, as far as tasks are concerned.

    Attributes:
        state, entities, vocabulary: the symbolic initial state.
        fits: whether all these entity ids have room together at a place or in a movable receptacle; None means everywhere.
        spots: entity id → (x, y, z) in metres, for spatial expressions; empty = none can be made.
        yaws: fixture id → direction it faces, degrees.
        looks: thing id → its `Look`.
    """

    state: Snapshot
    entities: Mapping[str, Entity]
    vocabulary: Vocabulary
    fits: Callable[[Sequence[str], str], bool] | None = None
    spots: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    yaws: Mapping[str, float] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)

    @classmethod
    def of_house(cls, house: HouseSpec) -> World:
        """The initial state of a house."""
        from mimir_learn.envs.household.vocabulary import VOCABULARY

        owners: list[FixtureSpec | ThingSpec] = [*house.fixtures, *house.things]
        parents = {o.id: o.parent for o in owners}
        applicable = {(o.id, a): o.attributes.get(a, False) for o in owners for a in VOCABULARY.spec(o.category).attributes}
        state = Snapshot(parents, applicable)
        spots = {o.id: o.position for o in owners} | {r.id: (*r.centre, 0.0) for r in house.rooms}
        looks = {t.id: Look(t.colour, t.variant, t.scale, t.novel) for t in house.things}
        return cls(state, house.entities, VOCABULARY, _fitting(house), spots, {f.id: f.yaw for f in house.fixtures}, looks)

    # ---- who is there --------------------------------------------------------------------------------------------------

    def of(self, kind: Kind) -> list[Entity]:
        return sorted((e for e in self.entities.values() if e.kind is kind), key=lambda e: e.id)

    def alike(self, category: str) -> list[Entity]:
        """All of one category, by id."""
        return sorted((e for e in self.entities.values() if e.category == category), key=lambda e: e.id)

    def alone(self, entity_id: str) -> bool:
        return len(self.alike(self.entities[entity_id].category)) == 1

    def attributes(self, entity_id: str) -> tuple[str, ...]:
        return self.vocabulary.spec(self.entities[entity_id]).attributes

    # ---- where it is ---------------------------------------------------------------------------------------------------

    def parent(self, entity_id: str) -> str:
        return self.state.parents[entity_id].id

    def holds(self, place: str, child: str) -> bool:
        return self.parent(child) == place

    def place(self, thing: str) -> str:
        """The fixed place or floor a thing is at, through whatever holds it."""
        at = self.parent(thing)
        while self.entities[at].kind is Kind.OBJECT:
            at = self.parent(at)
        return at

    def room(self, entity_id: str) -> str:
        """Room an entity stands in, following parents up."""
        while self.entities[entity_id].kind is not Kind.ROOM:
            entity_id = self.parent(entity_id)
        return entity_id

    def closed(self, place: str) -> bool:
        return self.state.attributes.get((place, "open")) is False

    def openable(self, place: str) -> bool:
        return (place, "open") in self.state.attributes

    def shut_in(self, thing: str) -> bool:
        """Whether a thing cannot be seen before something is opened."""
        return self.closed(self.place(thing))

    def reachable(self, thing: str) -> bool:
        """Whether a thing lies somewhere it can be taken from (a place, a floor or a thing that holds it; not the hand)."""
        return self.entities[self.place(thing)].kind in (Kind.RECEPTACLE, Kind.ROOM)

    def things(self) -> list[Entity]:
        """Everything that can be taken and used: whole, and not holding anything that would come along."""
        return [t for t in self.of(Kind.OBJECT) if self.reachable(t.id) and not self.is_(t.id, "broken")]

    def is_(self, entity_id: str, attribute: str) -> bool:
        return self.state.attributes.get((entity_id, attribute)) is True

    def room_for(self, things: Sequence[str], place: str) -> bool:
        """Whether ``things`` go where ``place`` holds things, together with what is there."""
        inside = [e for e in self.state.contents(place) if self.entities[e].kind is Kind.OBJECT and e not in things]
        if len(inside) + len(things) > MOST_IN_A_PLACE:
            return False
        return self.fits is None or self.fits([*inside, *things], place)

    def receptacles(self, things: Sequence[str], *, openable: bool | None = None) -> list[Entity]:
        """Places with room for ``things`` that hold none of their categories yet."""
        categories = {self.entities[t].category for t in things}
        out = []
        for place in self.of(Kind.RECEPTACLE):
            if openable is not None and self.openable(place.id) is not openable:
                continue
            if any(self.entities[e].category in categories for e in self.state.contents(place.id)):
                continue
            if self.room_for(things, place.id):
                out.append(place)
        return out

    def relation(self, place: str) -> Relation:
        """How ``place`` holds things; a floor by being their room."""
        relation = self.vocabulary.spec(self.entities[place]).relation
        assert relation is not None, f"{place} holds nothing"
        return relation

    # ---- what can be done ----------------------------------------------------------------------------------------------

    def means(self, effect: str, thing: str) -> list[tuple[CausalRule, str, str]]:
        """(rule, device, place to put the thing) for every device of the house that gives ``thing`` this derived state."""
        if effect not in self.attributes(thing):
            return []
        out = []
        for rule in self.vocabulary.rules:
            for device in self.alike(rule.category) if rule.effect == effect else ():
                holder = device.id if self.vocabulary.spec(device).relation is not None else self.parent(device.id)
                if self.entities[holder].kind is Kind.RECEPTACLE and self.room_for([thing], holder):
                    out.append((rule, device.id, holder))
        return out

    def tools(self, verb: str) -> list[Entity]:
        """Entities that make a verb possible: knives for ``slice``, faucets for ``fill``, drains for ``pour``."""
        return [e for e in self.entities.values() if verb in self._tool_for(e)]

    def _tool_for(self, entity: Entity) -> tuple[str, ...]:
        spec = self.vocabulary.categories.get(entity.category)
        return () if spec is None else spec.tool_for

    # ---- how it lies ---------------------------------------------------------------------------------------------------

    def in_frame(self, entity_id: str, owner: str) -> tuple[float, float]:
        """(to the right, to the back) of ``owner``'s middle in metres, for somebody standing in front of it."""
        (x, y, _), (ox, oy, _) = self.spots[entity_id], self.spots[owner]
        turn = radians(self.yaws[owner])
        dx, dy = x - ox, y - oy
        return dx * cos(turn) + dy * sin(turn), -dx * sin(turn) + dy * cos(turn)

    def apart(self, a: str, b: str) -> float:
        """Metres between two entities along the floor."""
        (x, y, _), (u, v, _) = self.spots[a], self.spots[b]
        return float(((x - u) ** 2 + (y - v) ** 2) ** 0.5)


def _fitting(house: HouseSpec) -> Callable[[Sequence[str], str], bool]:
    from mimir_learn.envs.household.nesting import fitting

    things = {t.id: t for t in house.things}

    def fits(ids: Sequence[str], place: str) -> bool:
        holder, inside = things.get(place), [things[i] for i in ids if i in things]
        if holder is not None:
            return len(inside) <= _MOST_IN_A_THING and all(fitting(t, holder) is not None for t in inside)
        regions = house.fixture(place).regions
        return bool(regions) and _room_in(max(regions, key=lambda r: r.half[0] * r.half[1]), inside)

    return fits


def _room_in(region: Region, things: Sequence[ThingSpec]) -> bool:
    if any(t.radius > min(region.half) or 2 * t.half_height > region.height for t in things):
        return False
    return len(things) == 1 or sum((2 * t.radius) ** 2 for t in things) <= _FILLED * 4 * region.half[0] * region.half[1]
