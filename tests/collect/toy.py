"""The household's rules on symbols alone: a small furnished house in which what is at the robot's place and not shut away is in view."""

from __future__ import annotations

import numpy as np

from mimir_learn.collect.scene import Scene
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import (
    EFFECT,
    HAND,
    IN_HAND,
    LOOKS,
    Action,
    Change,
    Delta,
    Entity,
    Kind,
    Outcome,
    Parent,
    ParentChange,
    Percept,
    Place,
    Relation,
    Sighting,
    Snapshot,
    StateChange,
    Verb,
)

ROOMS = {
    "kitchen": ("counter", "table", "fridge", "cabinet", "microwave", "burner", "sink"),
    "livingroom": ("sofa", "shelf", "lamp", "drawer"),
}
ALWAYS = ("knife", "apple", "mug", "bowl", "box", "cup")
OTHERS = ("bread", "plate", "pot", "book", "vase", "pillow", "tomato", "bottle", "spoon", "pan")
SMALL = frozenset({"cup", "mug"})


class Toy:
    """Does what it is told, without faults; refuses what the household refuses."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.entities = {HAND.id: HAND}
        parents: dict[str, Parent] = {}
        for room, fixtures in ROOMS.items():
            self._add(room)
            for name in fixtures:
                parents[self._add(name)] = Parent(f"{room}_1", Relation.ROOM)
        parents[self._add("faucet")] = Parent("sink_1", Relation.IN)
        self.places = tuple(
            Place(e, next((p.id for p in (parents.get(i),) if p is not None and p.id.endswith("room_1")), "kitchen_1"))
            for i, e in self.entities.items()
            if e.kind is not Kind.HAND
        )
        spots = [e.id for e in self.entities.values() if e.kind is Kind.RECEPTACLE]
        for name in (*ALWAYS, *rng.choice(OTHERS, 6, replace=False), *ALWAYS[:3]):
            at = spots[int(rng.integers(len(spots)))]
            parents[self._add(str(name))] = Parent(at, VOCABULARY.spec(self.entities[at]).relation or Relation.ON)
        facts = {(e.id, a): False for e in self.entities.values() if e.kind is not Kind.HAND for a in VOCABULARY.spec(e).attributes}
        facts |= {(e, "dirty"): bool(rng.random() < 0.3) for e, a in facts if a == "dirty"}
        self.state = Snapshot(parents, facts)
        self.at = "kitchen_1"
        self.head = 0

    def _add(self, category: str) -> str:
        number = sum(e.category == category for e in self.entities.values()) + 1
        entity = Entity(f"{category}_{number}", category, VOCABULARY.spec(category).kind)
        self.entities[entity.id] = entity
        return entity.id

    def scene(self) -> Scene:
        blind = Scene(VOCABULARY, self.places, self.entities, self.state, Percept((), frozenset(), self.at))
        shown = [e for e in blind.of_kind(Kind.OBJECT) if self._reaches(blind, e)]
        sightings = tuple(Sighting(self.entities[e], self.state.parents[e], {}, np.zeros(3), 50) for e in sorted(shown))
        return Scene(VOCABULARY, self.places, self.entities, self.state, Percept(sightings, frozenset({self.at}), self.at))

    def _reaches(self, scene: Scene, thing: str) -> bool:
        place = scene.place_of(thing)
        return place == HAND.id or (scene.is_near(place) and not scene.closed(place))

    def step(self, action: Action) -> LoggedStep:
        """Carry out one action; the logged step says whether it was refused."""
        before, head = self.at, self.head
        changes = self._changes(self.scene(), action)
        done = changes is not None
        if not done:
            self.at, self.head = before, head
        delta = Delta(changes or ())
        self.state = self.state.apply(delta)
        return LoggedStep(action, "c", Outcome(done, ""), delta)

    def _changes(self, scene: Scene, action: Action) -> list[Change] | None:
        """What changes; None for a refusal."""
        verb, thing, place, hand = action.verb, action.object, action.receptacle, scene.hand
        if verb is Verb.NAVIGATE:
            self.at, self.head = scene.place_of(place or str(thing)), 0
            return []
        if verb in LOOKS or verb is Verb.WAIT:
            self.head += {Verb.LOOK_UP: 1, Verb.LOOK_DOWN: -1}.get(verb, 0)
            return [] if abs(self.head) < 2 else None
        if verb is Verb.PICK:
            ok = hand is None and thing in scene.visible
            return [ParentChange(str(thing), self.state.parents[str(thing)], IN_HAND)] if ok else None
        if verb is Verb.PLACE:
            return self._put(scene, str(thing), str(place)) if hand == thing else None
        subject = str(action.subject)
        attribute, value = EFFECT[verb]
        if not scene.applies(subject, attribute) or scene.has(subject, attribute) is value:
            return None
        if verb is Verb.SLICE:
            ok = hand in scene.tools(Verb.SLICE) and subject in scene.here
        elif verb is Verb.FILL:
            ok = hand == subject and place in scene.tools(Verb.FILL) and scene.is_near(str(place)) and not scene.has(subject, "broken")
        elif verb is Verb.POUR:
            into = str(place)
            drain = into in scene.tools(Verb.POUR) and scene.is_near(into)
            vessel = scene.applies(into, "filled") and into in scene.here and not scene.has(into, "filled")
            if hand != subject or not (drain or vessel):
                return None
            more = [StateChange(into, "filled", False, True)] if vessel else []
            return [StateChange(subject, "filled", True, False), *more]
        else:
            ok = scene.is_near(subject)
        return [StateChange(subject, attribute, not value, value)] if ok else None

    def _put(self, scene: Scene, thing: str, target: str) -> list[Change] | None:
        entity = self.entities[target]
        relation = VOCABULARY.spec(entity).relation
        if relation is None or scene.closed(target):
            return None
        if entity.kind is Kind.OBJECT:
            fits = (
                target in scene.here
                and not scene.has(target, "broken")
                and target not in scene.line(thing)
                and thing not in scene.line(target)
            )
            if not fits or (entity.category in SMALL and thing in scene.vessels):
                return None
        elif not scene.is_near(target) and target != scene.room_of(self.at):
            return None
        return [ParentChange(thing, IN_HAND, Parent(target, relation))]
