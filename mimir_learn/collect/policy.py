"""The behaviour policy: errands a household robot would run, mixed with mistakes, so that a log shows what can go wrong.

Errands (carry a thing somewhere, put it back, open, close and toggle) are planned ahead from the true state and run open-loop: after a
silent fault the rest of the errand meets a world it does not fit, which is where an agent's memory goes wrong too. An agent that
solves tasks logs mostly navigation and successes; this mix logs manipulation, and every fault kind, from many more states.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

from mimir_learn.collect.config import PolicyConfig
from mimir_learn.collect.scene import Scene
from mimir_learn.collect.violations import violate
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import Action, Kind, Observation, Task, Verb

PLAY = Task("play", "Carry things about, open, close and switch things.", ())

T = TypeVar("T")


class Policy(Protocol):
    """Chooses what to do; hears what came of it. One object serves one episode."""

    task: Task

    def act(self, scene: Scene, observation: Observation) -> Action: ...

    def learn(self, step: LoggedStep) -> None: ...


class PlayPolicy:
    """Errands and mistakes, one action at a time; every choice comes from ``rng``."""

    def __init__(self, config: PolicyConfig, rng: np.random.Generator) -> None:
        self.task = PLAY
        self._config, self._rng = config, rng
        self._errand: deque[Action] = deque()
        self._may_look = False

    def act(self, scene: Scene, observation: Observation) -> Action:
        """The next action."""
        if (action := self.mistake(scene)) is not None:
            return action
        if not self._errand:
            self._errand.extend(self._fiddle(scene) if self._chance(self._config.fiddle) else self._carry(scene))
        return self._errand.popleft()

    def mistake(self, scene: Scene) -> Action | None:
        """What to do instead of anything useful, mostly None: another look, a precondition violation, something random."""
        config = self._config
        if self._may_look and self._chance(config.look):
            return Action(Verb.LOOK)
        if self._chance(config.violation) and (action := violate(scene, self._rng)) is not None:
            return action
        return self._random(scene) if self._chance(config.random) else None

    def learn(self, step: LoggedStep) -> None:
        """Hear what the environment claims about the last action."""
        self._may_look = step.manipulation
        if not step.outcome.success and not self._chance(self._config.stubborn):
            self._errand.clear()

    def _carry(self, scene: Scene) -> list[Action]:
        """Take a thing (or the one in the hand) to a place: its own, the floor, or another."""
        plan: list[Action] = []
        at, thing = scene.at, scene.hand
        if thing is None:
            near = scene.here
            thing = self._pick(near if near and self._chance(0.7) else scene.of_kind(Kind.OBJECT))
            source = scene.holder(thing)
            plan += self._approach(scene, at, source)
            if scene.is_room(source) and thing not in near:
                plan.append(Action(Verb.NAVIGATE, thing))
            plan.append(Action(Verb.PICK, thing, source if self._chance(0.5) else None))
            if source in scene.openables and self._chance(0.25):
                plan.append(Action(Verb.CLOSE, None, source))
            at = source
            if self._chance(0.15):  # with something in the hand, switch or open something on the way
                detour = self._fiddle(scene, detour=True)
                plan += detour
                at = next((a.receptacle for a in detour if a.verb is Verb.NAVIGATE), at)
        places = scene.of_kind(Kind.RECEPTACLE)
        target = self._pick(places)
        if at in places and self._chance(0.35):
            target = str(at)
        elif self._chance(0.08):
            target = self._pick(scene.of_kind(Kind.ROOM))
        plan += self._approach(scene, at, target)
        plan.append(Action(Verb.PLACE, thing, target))
        if target in scene.openables and self._chance(0.4):
            plan.append(Action(Verb.CLOSE, None, target))
        return plan

    def _fiddle(self, scene: Scene, detour: bool = False) -> list[Action]:
        """Open and close, or switch, one thing a few times."""
        doors = self._chance(0.5)
        options = scene.openables if doors else scene.devices
        if not options:
            return [Action(Verb.LOOK)]
        target = str(scene.at) if scene.at in options and self._chance(0.5) else self._pick(options)
        plan = [Action(Verb.NAVIGATE, None, target)] if detour or target != scene.at else []
        for flip in range(int(self._rng.integers(1, 4))):
            if doors:
                plan.append(Action(Verb.OPEN if scene.closed(target) == (flip % 2 == 0) else Verb.CLOSE, None, target))
            else:
                plan.append(Action(Verb.TOGGLE_OFF if scene.on(target) == (flip % 2 == 0) else Verb.TOGGLE_ON, target))
        return plan

    def _approach(self, scene: Scene, at: str | None, place: str) -> list[Action]:
        plan = [] if at == place else [Action(Verb.NAVIGATE, None, place)]
        if scene.closed(place) and self._chance(0.93):
            plan.append(Action(Verb.OPEN, None, place))
        return plan

    def _random(self, scene: Scene) -> Action:
        """Any verb with arguments of the right kinds."""
        verb = self._pick([v for v in Verb if v not in (Verb.SLICE, Verb.FILL, Verb.POUR, Verb.LOOK_UP, Verb.LOOK_DOWN)])
        thing = scene.hand or self._pick(scene.visible or scene.of_kind(Kind.OBJECT))
        place = scene.at if scene.at and self._chance(0.6) else self._pick([p.entity.id for p in scene.places])
        match verb:
            case Verb.NAVIGATE:
                return Action(verb, None, self._pick([p.entity.id for p in scene.places]))
            case Verb.PICK:
                return Action(verb, self._pick(scene.visible or [thing]))
            case Verb.PLACE:
                return Action(verb, thing, place)
            case Verb.OPEN | Verb.CLOSE:
                return Action(verb, None, place)
            case Verb.TOGGLE_ON | Verb.TOGGLE_OFF:
                return Action(verb, place if place in scene.devices else self._pick(scene.devices or [place]))
            case _:
                return Action(verb)

    def _chance(self, p: float) -> bool:
        return bool(self._rng.random() < p)

    def _pick(self, options: Sequence[T]) -> T:
        return options[int(self._rng.integers(len(options)))]
