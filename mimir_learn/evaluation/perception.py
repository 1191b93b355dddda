"""What U_W^obs is fed: an ideal detector on the current frame, the same with errors, or (counterfactually) the true state of everything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.memory import Demotion, Evidence, EvidenceKind, Fact, WorldMemory
from mimir_learn.symbols import ATTRIBUTES, Kind, Parent, Percept, Place, PrivilegedState, Sighting, Vocabulary

VISIBLE = "privileged_visible"
EVERYTHING = "everything"
PERCEPTIONS = (VISIBLE, "noisy(p)", EVERYTHING)
_NOISY = re.compile(r"noisy\((0(?:\.\d+)?|1(?:\.0+)?|\.\d+)\)")

Perceive = Callable[[], Percept]


def check_perception(spec: str, where: str = "perception") -> str:
    """``spec`` in its one spelling. Raises ConfigError naming ``where`` for an unknown perception."""
    if spec in (VISIBLE, EVERYTHING):
        return spec
    if (rate := _rate(spec)) is not None:
        return f"noisy({rate:g})"
    raise ConfigError(f"{where} is {spec!r}; choose one of {', '.join(PERCEPTIONS)}, p a rate from 0 to 1")


def perceiver(spec: str, perceive: Perceive, places: Iterable[Place], vocabulary: Vocabulary, seed: int) -> Perceive:
    """The function a robot perceives with in one episode. ``everything`` perceives like an ideal detector; see `TrueWorld` for the rest."""
    rate = _rate(check_perception(spec))
    return perceive if rate is None else NoisyPerception(perceive, rate, places, vocabulary, seed)


def _rate(spec: str) -> float | None:
    found = _NOISY.fullmatch(spec)
    return None if found is None else float(found[1])


class NoisyPerception:
    """An ideal detector that errs: with probability ``p``, anew in every frame, a sighting is wrong.

    Half of the wrong ones are missing. Of the others the thing is reported in or on another receptacle of the room, drawn evenly; a place
    has no such error and is missing too. Where the robot is and which places it has viewed stay right, so a missing thing counts against
    what memory holds. The same seed and frames give the same errors.
    """

    def __init__(self, perceive: Perceive, p: float, places: Iterable[Place], vocabulary: Vocabulary, seed: int) -> None:
        self.perceive, self.p, self.seed, self.frame = perceive, p, seed, 0
        self.room = {place.entity.id: place.room for place in places}
        holding = [p for p in places if p.entity.kind is Kind.RECEPTACLE and vocabulary.spec(p.entity).relation is not None]
        self.holders: dict[str, list[Parent]] = {}
        for place in sorted(holding, key=lambda h: h.entity.id):
            relation = vocabulary.spec(place.entity).relation
            assert relation is not None
            self.holders.setdefault(place.room, []).append(Parent(place.entity.id, relation))

    def __call__(self) -> Percept:
        percept = self.perceive()
        rng = np.random.default_rng([self.seed, 0x7065, self.frame])
        self.frame += 1
        room = self.room.get(percept.at or "", percept.at or "")
        draws = rng.random((len(percept.sightings), 3))
        kept = [self._err(s, d, room) for s, d in zip(percept.sightings, draws.tolist(), strict=True)]
        return replace(percept, sightings=tuple(s for s in kept if s is not None))

    def _err(self, sighting: Sighting, draw: list[float], room: str) -> Sighting | None:
        wrong, how, which = draw
        if wrong >= self.p:
            return sighting
        others = [h for h in self.holders.get(room, ()) if h != sighting.parent and h.id != sighting.entity.id]
        if how < 0.5 or sighting.entity.kind is not Kind.OBJECT or not others:
            return None
        return replace(sighting, parent=others[int(which * len(others))])


class TrueWorld(WorldMemory):
    """World memory that is told the true parent and visible states of everything before each step: perception without limits.

    What is in view is still only what is in view: skills need that, and the agent must know it. Only for counterfactuals and upper bounds,
    because it holds the privileged channel.
    """

    def __init__(self, vocabulary: Vocabulary, places: Iterable[Place], state: Callable[[], PrivilegedState]) -> None:
        super().__init__(vocabulary, places)
        self._state = state

    def observe(self, percept: Percept, step: int) -> tuple[Demotion, ...]:
        demoted = super().observe(percept, step)
        truth = self._state()
        evidence = Evidence(EvidenceKind.OBSERVATION, step, EVERYTHING)
        for entity_id, parent in truth.snapshot.parents.items():
            entity = truth.entities[entity_id]
            if entity.kind is Kind.ROOM:
                continue
            if entity_id not in self:
                self._add(entity)
            if self.parent(entity_id) != parent:
                self._activate(entity_id, parent, evidence)
        for (entity_id, name), value in truth.snapshot.attributes.items():
            if ATTRIBUTES[name].visible and entity_id in self and self.attribute(entity_id, name) is not value:
                self._touch(entity_id).facts[name] = Fact(value, evidence)
        return demoted
