"""Agents that any other must beat: doing nothing, random legal actions, and nearest first, which takes the first thing it sees.

None of them has a memory of the world or looks at what its actions came to. The first two do not read the task at all.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Protocol

import numpy as np

from mimir_learn.symbols import HAND, IN_HAND, Goal, Kind, ObjectQuery, Observation, Outcome, Percept, Place, Sighting, Task, Vocabulary


class Policy(Protocol):
    """What a trial runs: a command for what is seen now, None to stop; and what the environment then said."""

    def act(self, observation: Observation, percept: Percept) -> str | None: ...

    def learn(self, before: Observation, after: Observation, outcome: Outcome) -> None: ...


class Nothing:
    """Waits."""

    def act(self, observation: Observation, percept: Percept) -> str | None:
        return "wait"

    def learn(self, before: Observation, after: Observation, outcome: Outcome) -> None:
        return None


class RandomLegal:
    """A random one of the verbs that make sense here, with random arguments: things in view, the place it stands at."""

    def __init__(self, vocabulary: Vocabulary, places: tuple[Place, ...], seed: int) -> None:
        self.vocabulary, self.rng = vocabulary, np.random.default_rng(seed)
        self.places = {p.entity.id: p for p in places}

    def act(self, observation: Observation, percept: Percept) -> str | None:
        options = self._options(percept)
        verb = sorted(options)[int(self.rng.integers(len(options)))]
        return options[verb][int(self.rng.integers(len(options[verb])))]

    def learn(self, before: Observation, after: Observation, outcome: Outcome) -> None:
        return None

    def _options(self, percept: Percept) -> dict[str, list[str]]:
        seen = {s.entity.id: s for s in percept.sightings}
        held = next((s for s in percept.sightings if s.parent == IN_HAND), None)
        options = {"go": [f"go to {p}" for p in self.places]}
        at = self.places.get(percept.at or "")
        near = [seen[e] for e in seen if seen[e].parent.id == percept.at or e == percept.at]
        for s in near:
            for attribute, on, off in (("open", "open {}", "close {}"), ("on", "turn on {}", "turn off {}")):
                if attribute in s.attributes:
                    options.setdefault(attribute, []).append((off if s.attributes[attribute] else on).format(s.entity.id))
            for verb, command in (("fill", "fill {} at {}"), ("pour", "pour {} into {}")):
                if held is not None and verb in self.vocabulary.spec(s.entity).tool_for and "filled" in held.attributes:
                    options.setdefault(verb, []).append(command.format(held.entity.id, s.entity.id))
        things = [s.entity.id for s in percept.sightings if s.entity.kind is Kind.OBJECT and s.parent != IN_HAND]
        if held is None and things:
            options["pick"] = [f"pick up {t}" for t in things]
        elif held is not None:
            if at is not None and (at.entity.kind is Kind.ROOM or self.vocabulary.spec(at.entity).relation is not None):
                options["put"] = [f"put {held.entity.id} at {at.entity.id}"]
            options["put into"] = [f"put {held.entity.id} at {t}" for t in things if self.vocabulary.spec(seen[t].entity).relation]
            if "slice" in self.vocabulary.spec(held.entity).tool_for:
                options["slice"] = [f"slice {t}" for t in things if "sliced" in seen[t].attributes]
        return {verb: commands for verb, commands in options.items() if commands}


class NearestFirst:
    """Goal after goal: the first thing of the category it comes upon, from the nearest place on, to the nearest place that will do.

    It reads the agenda's categories and states, but neither which one is meant (instance, source, attributes, names) nor in which order;
    it believes that every command worked. Nearest is by metres as the crow flies, from where it stands.

    Args:
        positions: place id → (x, y) in metres; a place without one counts as farthest.
    """

    def __init__(self, vocabulary: Vocabulary, places: tuple[Place, ...], task: Task, positions: Mapping[str, tuple[float, float]]) -> None:
        self.vocabulary = vocabulary
        self.positions = positions
        self.stand: tuple[float, float] | None = None
        self.places = {p.entity.id: p for p in places}
        self.percept = Percept()
        self.held: str | None = None
        self._script = self._run(task)

    def act(self, observation: Observation, percept: Percept) -> str | None:
        self.percept = percept
        self.stand = (float(observation.pose[0, 3]), float(observation.pose[1, 3]))
        return next(self._script, None)

    def learn(self, before: Observation, after: Observation, outcome: Outcome) -> None:
        return None

    # ---- the script: each ``yield`` is one command, after which `percept` shows what it came to ------------------------------

    def _run(self, task: Task) -> Iterator[str]:
        done: set[str] = set()
        for goal in task.goals:
            yield from self._bring(goal, done) if goal.target is not None else self._state(goal)

    def _bring(self, goal: Goal, done: set[str]) -> Iterator[str]:
        assert goal.target is not None
        yield from self._take(goal.query.category, done)
        if self.held is None or goal.target.category == HAND.category:
            return
        done.add(self.held)
        place = yield from self._reach(goal.target)
        if place is not None:
            yield f"put {self.held} at {place}"
            self.held = None

    def _state(self, goal: Goal) -> Iterator[str]:
        attribute, category = goal.attribute or "", goal.query.category
        if attribute in ("open", "on"):
            place = self._nearest(category)
            if place is not None:
                yield f"go to {place}"
                verb = {"open": ("open", "close"), "on": ("turn on", "turn off")}[attribute][not goal.value]
                yield f"{verb} {place}"
        elif attribute == "sliced":
            yield from self._take(next(c for c, s in self.vocabulary.categories.items() if "slice" in s.tool_for), set())
            thing = yield from self._find(category, set())
            if thing is not None:
                yield f"slice {thing}"
            yield from self._free_hand()
        elif attribute == "filled":
            yield from self._take(category, set())
            place = self._tool("fill" if goal.value else "pour")
            if self.held is not None and place is not None:
                yield f"go to {place}"
                yield f"fill {self.held} at {place}" if goal.value else f"pour {self.held} into {place}"
        else:
            yield from self._treat(attribute, category)

    def _treat(self, effect: str, category: str) -> Iterator[str]:
        """Into the first device that does it; there the thing stays."""
        rules = [r for r in self.vocabulary.rules if r.effect == effect and self._nearest(r.category) is not None]
        if not rules:
            return
        yield from self._take(category, set())
        if self.held is None:
            return
        rule, thing = rules[0], self.held
        device = self._nearest(rule.category)
        seen = {s.entity.id: s for s in self.percept.sightings}
        holds = self.vocabulary.spec(rule.category).relation is not None
        if device is None:
            return
        yield f"go to {device}"
        seen = {s.entity.id: s for s in self.percept.sightings}
        holder = device if holds else seen[device].parent.id if device in seen else device
        if "open" in self.vocabulary.spec(rule.category).attributes:
            yield f"open {device}"
        yield f"put {thing} at {holder}"
        self.held = None
        for attribute, value in (*rule.requires, (rule.attribute, rule.value)):
            verb = {"open": ("close", "open"), "on": ("turn off", "turn on")}[attribute][value]
            yield f"{verb} {device}"
        if rule.attribute == "on":
            yield f"turn off {device}"
        if "open" in self.vocabulary.spec(rule.category).attributes:
            yield f"open {device}"

    def _take(self, category: str, done: set[str]) -> Iterator[str]:
        if self.held is not None:
            if self._category(self.held) == category and self.held not in done:
                return
            yield from self._free_hand()
        thing = yield from self._find(category, done)
        if thing is not None:
            yield f"pick up {thing}"
            self.held = thing

    def _free_hand(self) -> Iterator[str]:
        if self.held is not None:
            room = self._room()
            yield f"put {self.held} at {room or self.percept.at}"
            self.held = None

    def _find(self, category: str, done: set[str]) -> Generator[str, None, str | None]:
        """Looks around, then goes on to the nearest place it has not looked at, opening what is closed; returns what it found."""
        left = [p for p in self.places if self.places[p].entity.kind is not Kind.FIXTURE]
        while True:
            near = [s for s in self.percept.sightings if s.entity.category == category and s.entity.id not in done and s.parent != IN_HAND]
            if near:
                return min(near, key=self._distance).entity.id
            if not left:
                return None
            place = min(left, key=lambda p: (self._metres(p), p))
            left.remove(place)
            yield f"go to {place}"
            if self.vocabulary.spec(self.places[place].entity).openable and not self._open(place):
                yield f"open {place}"

    def _reach(self, target: ObjectQuery) -> Generator[str, None, str | None]:
        """Goes to the nearest of the target's category and opens it where it is closed; returns its id."""
        if self.vocabulary.spec(target.category).kind is Kind.OBJECT:
            return (yield from self._find(target.category, set()))
        place = self._nearest(target.category)
        if place is not None:
            yield f"go to {place}"
            if self.vocabulary.spec(target.category).openable and not self._open(place):
                yield f"open {place}"
        return place

    # ---- what it can tell ----------------------------------------------------------------------------------------------

    def _nearest(self, category: str) -> str | None:
        fit = [p for p in self.places.values() if p.entity.category == category]
        return min(fit, key=lambda p: (self._metres(p.entity.id), p.entity.id)).entity.id if fit else None

    def _metres(self, place: str) -> float:
        spot = self.positions.get(place)
        return float("inf") if spot is None or self.stand is None else float(np.hypot(spot[0] - self.stand[0], spot[1] - self.stand[1]))

    def _tool(self, verb: str) -> str | None:
        found = (self._nearest(c) for c, s in self.vocabulary.categories.items() if verb in s.tool_for)
        return next((p for p in found if p is not None), None)

    def _room(self) -> str | None:
        at = self.places.get(self.percept.at or "")
        return None if at is None else at.room

    def _open(self, place: str) -> bool:
        return any(s.entity.id == place and s.attributes.get("open") is True for s in self.percept.sightings)

    def _category(self, entity_id: str) -> str:
        return entity_id.rpartition("_")[0]

    def _distance(self, sighting: Sighting) -> float:
        eye = next((s.point for s in self.percept.sightings if s.entity.id == self.percept.at), sighting.point)
        return float(np.linalg.norm(sighting.point - eye))
