"""World memory W_t and its two write operators: U_W^obs for what is seen, U_W^act for what an action did (Eq. 7-8)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.memory.hypotheses import Evidence, EvidenceKind, Fact, Hypothesis, Record
from mimir_learn.memory.layers import Layers
from mimir_learn.memory.ramifications import ramify
from mimir_learn.memory.tree import Tree
from mimir_learn.symbols import (
    ELSEWHERE,
    IN_HAND,
    Action,
    Belief,
    BelievedEntity,
    Delta,
    Feedback,
    Kind,
    Parent,
    ParentChange,
    Percept,
    Place,
    Sighting,
    StateChange,
    Vocabulary,
)

KEEP_VIEWINGS = 8
KEEP_CHANGED = 256  # entries that a belief may carry beside the base it shares with others


@dataclass(frozen=True, eq=False)
class Observed:
    """Journal entry of U_W^obs."""

    step: int
    percept: Percept


@dataclass(frozen=True, eq=False)
class Acted:
    """Journal entry of U_W^act."""

    step: int
    action: Action
    feedback: Feedback


@dataclass(frozen=True, slots=True)
class Demotion:
    """A remembered relation that looking at its place has refuted: ``entity`` is not at ``parent`` after all."""

    entity: str
    parent: Parent
    since: int


class WorldMemory(Tree):
    """W_t = (V_t, E_t, r, ℓ_t, φ_t): entities, one active parent each (a tree), labels, attributes with evidence.

    The tree and how it is read are `Tree`'s; here are the operators that write it, their journal, and what is handed on.
    ``ramifications`` = False (an ablation) leaves the causal rules unapplied.
    """

    ramifications = True

    def __init__(self, vocabulary: Vocabulary, places: Iterable[Place]) -> None:
        super().__init__(vocabulary, places)
        self.journal: list[Observed | Acted] = []
        self._base: dict[str, BelievedEntity] = {}  # the view as of some step; never changed once it has been handed out
        self._changed: dict[str, BelievedEntity] = {}  # what differs from it now

    @classmethod
    def replay(cls, vocabulary: Vocabulary, places: Iterable[Place], journal: Sequence[Observed | Acted]) -> WorldMemory:
        """The memory that these operations lead to, rebuilt from nothing."""
        memory = cls(vocabulary, places)
        for entry in journal:
            if isinstance(entry, Observed):
                memory.observe(entry.percept, entry.step)
            else:
                memory.act(entry.action, entry.feedback, entry.step)
        return memory

    # ---- U_W^obs ---------------------------------------------------------------------------------------------------

    def observe(self, percept: Percept, step: int) -> tuple[Demotion, ...]:
        """U_W^obs (Eq. 8): add what is seen, refine what agrees, demote what should be in view and is not.

        A sighting that disagrees with the active parent becomes the active one; the old one stays as an alternative.
        A remembered thing at a place in ``percept.viewed``, or in or on something seen there, that is not seen is weakened, and after
        `misses_to_demote` such viewings its place is unknown. What is in the hand is never demoted that way.
        Returns the demotions, for F_t.
        """
        self.journal.append(Observed(step, percept))
        self.step = step
        self.at = percept.at if percept.at is not None else self.at
        if self.at is not None:
            self.stays[self.at] = (*self.stays.get(self.at, ()), step)[-KEEP_VIEWINGS:]
        self.sightings = MappingProxyType({s.entity.id: s for s in percept.sightings})
        for sighting in percept.sightings:
            self._see(sighting, step)
        for carried in () if self._hand is None else (self._hand, *self.contents(self._hand)):
            if carried not in self.sightings:
                self._touch(carried).point = None  # it travels with the robot, so the point is stale
        demoted: list[Demotion] = []
        for place in sorted(percept.viewed):
            demoted += self._inspect(place, step)
        return tuple(demoted)

    def _inspect(self, place: str, step: int) -> list[Demotion]:
        """Count a viewing of ``place`` and of every holder seen there, and miss what is not seen. What is in or on something that is
        not seen itself is not missed: it is wherever that is.
        """
        if self.viewings.get(place, ())[-1:] == (step,):
            return []
        self.viewings[place] = (*self.viewings.get(place, ()), step)[-KEEP_VIEWINGS:]
        demoted: list[Demotion] = []
        for child in self.children(place):
            record = self._records[child]
            if record.entity.kind is not Kind.OBJECT:
                continue
            if child not in self.sightings:
                demoted += self._miss(child)
            elif self.vocabulary.spec(record.entity).relation is not None:
                demoted += self._inspect(child, step)
        return demoted

    def _see(self, sighting: Sighting, step: int) -> None:
        record = self._records.get(sighting.entity.id) or self._add(sighting.entity)
        self._touch(record.entity.id)
        evidence = Evidence(EvidenceKind.OBSERVATION, step, "percept")
        if sighting.parent != ELSEWHERE and record.entity.kind is not Kind.ROOM:
            self._activate(record.entity.id, sighting.parent, evidence)
        for name, value in sighting.attributes.items():
            record.facts[name] = Fact(bool(value), evidence)
        record.point = np.array(sighting.point, dtype=np.float64)
        record.last_seen = step
        record.misses = 0

    def _miss(self, child: str) -> list[Demotion]:
        record = self._touch(child)
        active = record.active
        assert active is not None
        record.misses += 1
        record.active = active.weakened()
        if record.misses < self.misses_to_demote(active.parent):
            return []
        self._deactivate(child)
        return [Demotion(child, active.parent, active.since)]

    # ---- U_W^act ---------------------------------------------------------------------------------------------------

    def act(self, action: Action, feedback: Feedback, step: int) -> Delta:
        """U_W^act (Eq. 8): write the supported Δ and what the causal rules derive from it; nothing else.

        Held changes become alternative hypotheses. Changes about entities memory has never perceived are left out: it has no label
        for them. Returns the Δ with its ramifications.
        """
        self.journal.append(Acted(step, action, feedback))
        self.step = step
        full = self.implied(feedback.delta)
        for change in full:
            if isinstance(change, ParentChange) and change.entity in self._records:
                self._move(change, action, step)
            elif isinstance(change, StateChange) and change.entity in self._records:
                evidence = Evidence(EvidenceKind.INTERACTION, step, change.source, change.p)
                self._touch(change.entity).facts[change.attribute] = Fact(change.new, evidence)
        for change in full:
            if isinstance(change, StateChange) and (change.attribute, change.new) == ("broken", True):
                self._spill(change, step)
        for change in feedback.held:
            self._hold(change, step)
        return full

    def implied(self, delta: Delta) -> Delta:
        """Δ with what the causal rules derive from it."""
        return ramify(delta, self) if self.ramifications else delta

    def _move(self, change: ParentChange, action: Action, step: int) -> None:
        record = self._touch(change.entity)
        if change.new == ELSEWHERE:
            if record.active is not None:
                record.active = replace(record.active, weight=0.0)  # it left: as an alternative this one has no support
            self._deactivate(change.entity)
        else:
            self._activate(change.entity, change.new, Evidence(EvidenceKind.INTERACTION, step, change.source, change.p))
        record.misses = 0
        near = tuple(dict.fromkeys(p for p in (action.receptacle, self.at) if p in self.places and p is not None))
        for moved in (change.entity, *self.contents(change.entity)):
            carried = self._touch(moved)
            carried.point, carried.near = None, near

    def _spill(self, change: StateChange, step: int) -> None:
        """What broke holds nothing any more: what was in it, as far as Δ does not say otherwise, now lies where it lies."""
        for child in self.children(change.entity):
            above = self.parent(change.entity)
            if above is None or above == IN_HAND:
                self._deactivate(child)
            else:
                self._activate(child, above, Evidence(EvidenceKind.INTERACTION, step, change.source, change.p))
            self._touch(child).point = None

    def _hold(self, change: object, step: int) -> None:
        if isinstance(change, ParentChange) and change.entity in self._records and change.new != ELSEWHERE:
            record = self._touch(change.entity)
            if record.active is None or record.active.parent != change.new:
                evidence = Evidence(EvidenceKind.INTERACTION, step, change.source, change.p)
                record.retire(Hypothesis(change.new, (evidence,), step, change.p))
        elif isinstance(change, StateChange) and change.entity in self._records:
            record = self._touch(change.entity)
            fact = record.facts.get(change.attribute)
            if fact is not None and fact.value != change.new:
                doubt = Evidence(EvidenceKind.INTERACTION, step, change.source, change.p)
                record.facts[change.attribute] = replace(fact, doubt=doubt)

    def belief(self) -> Belief:
        """The read-only view W_t⁺ handed to Δ-sources; later writes do not change it."""
        for entity_id in sorted(self._dirty):
            record = self._records[entity_id]
            self._changed[entity_id] = BelievedEntity(
                record.entity,
                None if record.active is None else record.active.parent,
                MappingProxyType({a: f.value for a, f in record.facts.items()}),
                _frozen(record.point),
                record.last_seen,
            )
        self._dirty.clear()
        if len(self._changed) > KEEP_CHANGED:
            self._base, self._changed = {**self._base, **self._changed}, {}
        return Belief(self.vocabulary, Layers(self._base, dict(self._changed)), self.at, self.step)

    def triples(self) -> frozenset[tuple[str, str, str]]:
        """Active (entity, relation, parent) triples of all movable objects."""
        return frozenset(
            (i, r.active.parent.relation.value, r.active.parent.id)
            for i, r in self._records.items()
            if r.active is not None and r.entity.kind is Kind.OBJECT
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything stored, journal apart, as plain JSON types in canonical order."""
        return {
            "at": self.at,
            "step": self.step,
            "viewings": {p: list(v) for p, v in sorted(self.viewings.items())},
            "stays": {p: list(v) for p, v in sorted(self.stays.items())},
            "records": {i: _record_to_dict(self._records[i]) for i in sorted(self._records)},
        }

    def fingerprint(self, *, clock: bool = True) -> str:
        """SHA-256 of `to_dict`; with ``clock=False`` the step counter does not count."""
        body = self.to_dict()
        if not clock:
            del body["step"]
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _frozen(point: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    if point is not None:
        point.setflags(write=False)
    return point


def _record_to_dict(record: Record) -> dict[str, Any]:
    def evidence(e: Evidence | None) -> list[Any] | None:
        return None if e is None else [e.kind.value, e.step, e.source, e.p]

    def hypothesis(h: Hypothesis) -> dict[str, Any]:
        parent = [h.parent.id, h.parent.relation.value]
        return {"parent": parent, "since": h.since, "weight": h.weight, "evidence": [evidence(e) for e in h.evidence]}

    return {
        "entity": [record.entity.id, record.entity.category, record.entity.kind.value],
        "active": None if record.active is None else hypothesis(record.active),
        "alternatives": [hypothesis(h) for h in record.alternatives],
        "facts": {a: [f.value, evidence(f.evidence), evidence(f.doubt)] for a, f in sorted(record.facts.items())},
        "point": None if record.point is None else record.point.tolist(),
        "last_seen": record.last_seen,
        "misses": record.misses,
        "lost_at": record.lost_at,
        "near": list(record.near),
    }
