"""The tree of active relations W_t keeps (Eq. 7): at most one parent each, no cycle, one thing in the hand; and how it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mimir_learn.memory.hypotheses import Evidence, EvidenceKind, Fact, Hypothesis, Record
from mimir_learn.memory.standing import Standing
from mimir_learn.symbols import ATTRIBUTES, HAND, IN_HAND, Entity, Kind, Parent, Place, Relation, Sighting, Vocabulary

MISSES_TO_DEMOTE = 2
FLOOR_MISSES_TO_DEMOTE = 4  # a room is looked at from its corners, and furniture hides much of its floor
VESSEL_MISSES_TO_DEMOTE = 4  # the rim of a bowl or box hides what lies in it from a side


class Tree:
    """Entities with their hypotheses and facts, and what perception last reported.

    Args:
        vocabulary: declares categories (ℓ_t) and causal rules.
        places: rooms, fixtures and receptacles the agent knows from the start. Doors are presumed closed and devices off until seen.

    Lookups go through indices (children by parent, ids by category), so nothing scans the whole memory.
    """

    def __init__(self, vocabulary: Vocabulary, places: Iterable[Place]) -> None:
        self.vocabulary = vocabulary
        self.places: dict[str, Place] = {p.entity.id: p for p in places}
        self.step = 0
        self.at: str | None = None
        self.sightings: Mapping[str, Sighting] = {}
        self.viewings: dict[str, tuple[int, ...]] = {}
        self.stays: dict[str, tuple[int, ...]] = {}
        self._records: dict[str, Record] = {}
        self._children: dict[str, set[str]] = {}
        self._by_category: dict[str, set[str]] = {}
        self._sorted: dict[str, tuple[str, ...]] = {}
        self._standing = Standing()
        self._hand: str | None = None
        self._dirty: set[str] = set()
        self._add(HAND)
        given = Evidence(EvidenceKind.OBSERVATION, 0, "given")
        for place in self.places.values():
            record = self._add(place.entity)
            for name in vocabulary.spec(place.entity).attributes:
                record.facts[name] = Fact(False, replace(given, source="presumed", p=0.5))
        for place in self.places.values():
            if place.entity.kind is not Kind.ROOM:
                self._activate(place.entity.id, Parent(place.room, Relation.ROOM), given)

    # ---- growing and pruning --------------------------------------------------------------------------------------------------

    def _add(self, entity: Entity) -> Record:
        record = self._records[entity.id] = Record(entity)
        self._by_category.setdefault(entity.category, set()).add(entity.id)
        self._sorted.pop(entity.category, None)
        self._touch(entity.id)
        return record

    def _touch(self, entity_id: str) -> Record:
        self._dirty.add(entity_id)
        self._standing.touch(entity_id)
        return self._records[entity_id]

    def _activate(self, entity_id: str, parent: Parent, evidence: Evidence) -> None:
        """Make ``parent`` the active hypothesis. Whatever cannot be true beside it (a cycle, a second held thing) becomes unknown."""
        record = self._touch(entity_id)
        active = record.active
        if active is not None and active.parent == parent:
            since = evidence.step if record.misses else active.since
            record.active = replace(active.supported(evidence), since=since)
            return
        if parent == IN_HAND and self._hand is not None:
            self._deactivate(self._hand)
        if (link := self._cycle_link(entity_id, parent.id)) is not None:
            self._deactivate(link)
        if active is not None:
            self._deactivate(entity_id)
        known = record.take(parent)
        fresh = Hypothesis(parent, (evidence,), evidence.step, evidence.p)
        record.active = fresh if known is None else replace(known.supported(evidence), since=evidence.step)
        record.lost_at = None
        self._children.setdefault(parent.id, set()).add(entity_id)
        for carried in self.contents(entity_id):
            if carried not in self.sightings:
                self._touch(carried).point = None  # it came along, nobody saw where to
        if parent == IN_HAND:
            self._hand = entity_id

    def _deactivate(self, entity_id: str) -> None:
        record = self._touch(entity_id)
        if record.active is None:
            return
        parent = record.active.parent
        record.retire(record.active)
        record.active = None
        record.misses = 0
        record.lost_at = self.step
        self._children[parent.id].discard(entity_id)
        if not self._children[parent.id]:
            del self._children[parent.id]
        if self._hand == entity_id:
            self._hand = None

    def _cycle_link(self, entity_id: str, parent_id: str) -> str | None:
        """The node above ``parent_id`` whose active parent is ``entity_id``: that link and the new one cannot both hold."""
        at: str | None = parent_id
        while at is not None:
            above = self.parent(at)
            if above is not None and above.id == entity_id:
                return at
            at = None if above is None else above.id
        return None

    # ---- reading ---------------------------------------------------------------------------------------------------

    def misses_to_demote(self, parent: Parent) -> int:
        """How many viewings of ``parent`` that do not show a thing refute that it is there."""
        if parent.relation is Relation.ROOM:
            return FLOOR_MISSES_TO_DEMOTE
        holder = self._records.get(parent.id)
        vessel = parent.relation is Relation.IN and holder is not None and holder.entity.kind is Kind.OBJECT
        return VESSEL_MISSES_TO_DEMOTE if vessel else MISSES_TO_DEMOTE

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._records

    def __len__(self) -> int:
        return len(self._records)

    def entity(self, entity_id: str) -> Entity | None:
        record = self._records.get(entity_id)
        return None if record is None else record.entity

    def hypothesis(self, entity_id: str) -> Hypothesis | None:
        """The active hypothesis, None when the entity or its place is unknown."""
        record = self._records.get(entity_id)
        return None if record is None else record.active

    def alternatives(self, entity_id: str) -> tuple[Hypothesis, ...]:
        record = self._records.get(entity_id)
        return () if record is None else tuple(record.alternatives)

    def unresolved(self, entity_id: str) -> tuple[Hypothesis, ...]:
        """Alternatives that nothing has refuted, best supported first.

        No Δ says that the thing left there for somewhere unknown, it has not been seen elsewhere since, and looking there has not
        failed to show it as often as would demote an active relation.
        """
        record = self._records.get(entity_id)
        if record is None:
            return ()
        seen = -1 if record.last_seen is None else record.last_seen

        def stands(h: Hypothesis) -> bool:
            newest = h.evidence[-1].step
            missed = self.views(h.parent.id, newest + 1) >= self.misses_to_demote(h.parent)
            return h.parent != IN_HAND and h.weight > 0 and newest >= seen and not missed

        return tuple(sorted(filter(stands, record.alternatives), key=lambda h: (-h.weight, h.parent)))

    def was_seen_at(self, entity_id: str, place: str) -> bool:
        """Whether memory has the entity directly at ``place``, or remembers having seen it there."""
        active = self.hypothesis(entity_id)
        if active is not None and active.parent.id == place:
            return True
        return any(
            h.parent.id == place and any(e.kind is EvidenceKind.OBSERVATION for e in h.evidence) for h in self.alternatives(entity_id)
        )

    def last_seen(self, entity_id: str) -> int | None:
        """Step at which a frame last showed the entity."""
        record = self._records.get(entity_id)
        return None if record is None else record.last_seen

    def parent(self, entity_id: str) -> Parent | None:
        """p_t(v): the active parent."""
        active = self.hypothesis(entity_id)
        return None if active is None else active.parent

    def fact(self, entity_id: str, attribute: str) -> Fact | None:
        record = self._records.get(entity_id)
        return None if record is None else record.facts.get(attribute)

    def attribute(self, entity_id: str, name: str) -> bool | None:
        fact = self.fact(entity_id, name)
        return None if fact is None else fact.value

    def value(self, entity_id: str, name: str) -> bool | None:
        """`attribute`, with what cannot be seen presumed False until something has brought it about; a visible one may be unknown."""
        known = self.attribute(entity_id, name)
        return False if known is None and not ATTRIBUTES[name].visible else known

    def lost(self, entity_id: str) -> int | None:
        """Step at which the entity's place became unknown; None while it is known."""
        record = self._records.get(entity_id)
        return None if record is None else record.lost_at

    def near(self, entity_id: str) -> tuple[str, ...]:
        """Where the robot was heading and standing when an action last moved the entity: a fallen thing lies in front of these."""
        record = self._records.get(entity_id)
        return () if record is None else record.near

    def children(self, parent_id: str) -> tuple[str, ...]:
        """Ids whose active parent is ``parent_id``, sorted."""
        return tuple(sorted(self._children.get(parent_id, ())))

    def contents(self, holder: str) -> tuple[str, ...]:
        """Ids of the things in or on ``holder``, and in or on those, each after what it is in."""
        out: list[str] = []
        stack = [holder]
        while stack:
            inside = [c for c in self.children(stack.pop()) if self._records[c].entity.kind is Kind.OBJECT]
            out += inside
            stack += inside
        return tuple(out)

    def inside(self, entity_id: str, holder: str | None) -> bool:
        """Whether a thing is in or on ``holder``, or in or on a thing that is. What is on a burner is not in the oven below."""
        above = self.parent(entity_id)
        while above is not None and above.id != holder:
            record = self._records.get(above.id)
            above = None if record is None or record.entity.kind is not Kind.OBJECT else self.parent(above.id)
        return above is not None

    def of_category(self, category: str) -> tuple[str, ...]:
        """Ids of that category, sorted."""
        if category not in self._sorted:
            self._sorted[category] = tuple(sorted(self._by_category.get(category, ())))
        return self._sorted[category]

    @property
    def standing(self) -> Standing:
        """How firmly memory believes where things are, up to date."""
        self._standing.settle(self._records)
        return self._standing

    def views(self, place: str, since: int = 0) -> int:
        """How often ``place`` was viewed from step ``since`` on (of the last `KEEP_VIEWINGS` times)."""
        return sum(step >= since for step in self.viewings.get(place, ()))

    def stood(self, place: str, since: int) -> int:
        """How many frames were taken at ``place`` from step ``since`` on (of the last `KEEP_VIEWINGS`)."""
        return sum(step >= since for step in self.stays.get(place, ()))

    @property
    def hand(self) -> str | None:
        """Id of the thing whose active parent is the hand."""
        return self._hand

    def room_of(self, entity_id: str | None) -> str | None:
        """Follow active parents up to a room."""
        while entity_id is not None:
            record = self._records.get(entity_id)
            if record is None:
                return None
            if record.entity.kind is Kind.ROOM:
                return entity_id
            entity_id = None if record.active is None else record.active.parent.id
        return None

    def place_of(self, entity_id: str) -> str | None:
        """The nearest place (or room) among the entity and its ancestors."""
        at: str | None = entity_id
        while at is not None and at not in self.places:
            above = self.parent(at)
            at = None if above is None else above.id
        return at
