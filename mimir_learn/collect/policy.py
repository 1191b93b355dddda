"""The behaviour policy: errands a household robot would run, mixed with mistakes, so that a log shows what can go wrong.

Errands (`mimir_learn.collect.errands`) are planned ahead from the true state and run open-loop: after a silent fault the rest of the
errand meets a world it does not fit, which is where an agent's memory goes wrong too. An agent that solves tasks logs mostly
navigation and successes; this mix logs manipulation, and every fault kind, from many more states.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np

from mimir_learn.collect.config import PolicyConfig
from mimir_learn.collect.errands import Errands
from mimir_learn.collect.scene import Scene
from mimir_learn.collect.violations import violate
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import LOOKS, Action, Kind, Observation, Task, Verb

PLAY = Task("play", "Carry things about, open, close, fill, slice and switch things.", ())
MOST_TRIES = 4  # of one put: some simulators drop the thing at the third that does not come off

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
        self._errands = Errands(config, rng)
        self._errand: deque[Action] = deque()
        self._last: LoggedStep | None = None
        self._tries = 0

    def act(self, scene: Scene, observation: Observation) -> Action:
        """The next action."""
        if (action := self._again(scene)) is not None or (action := self.mistake(scene)) is not None:
            return action
        if not self._errand:
            self._errand.extend(self._errands.draw(scene))
        return self._errand.popleft()

    def mistake(self, scene: Scene) -> Action | None:
        """What to do instead of anything useful, mostly None: another look, a precondition violation, something random."""
        config = self._config
        if self._last is not None and self._last.manipulation and self._chance(config.look):
            return Action(self._pick([Verb.LOOK, Verb.LOOK, Verb.LOOK, *sorted(LOOKS - {Verb.LOOK})]))
        if self._chance(config.violation) and (action := violate(scene, self._rng)) is not None:
            return action
        return self._random(scene) if self._chance(config.random) else None

    def learn(self, step: LoggedStep) -> None:
        """Hear what the environment claims about the last action."""
        same = self._last is not None and self._last.action == step.action
        self._tries = self._tries + 1 if same else 1
        self._last = step
        if not step.outcome.success and not self._chance(self._config.stubborn):
            self._errand.clear()

    def _again(self, scene: Scene) -> Action | None:
        """The last action once more, or what it lacked first: a put that did not come off, a door that is still shut, an empty grasp.

        Looks at the truth, not at the claim: also a failure nobody admitted is noticed now and then, as by a robot that looks twice.
        """
        last = self._last
        if last is None or not last.manipulation or self._tries >= MOST_TRIES:
            return None
        action = last.action
        chance = self._config.persist if not last.outcome.success else self._config.persist / 2
        if not self._chance(chance):
            return None
        thing, place = action.object, action.receptacle
        if action.verb is Verb.PLACE and thing is not None and scene.hand == thing and place is not None:
            if scene.closed(place) and scene.is_near(place) and self._chance(0.7):
                self._errand.appendleft(action)
                return Action(Verb.OPEN, None, place)
            return action
        if action.verb is Verb.OPEN and scene.closed(str(place)) and scene.is_near(str(place)):
            return action
        if action.verb is Verb.PICK and scene.hand is None and thing in scene.here:
            return action
        return None

    def _random(self, scene: Scene) -> Action:
        """Any verb with arguments of the right kinds."""
        verb = self._pick(list(Verb))
        thing = scene.hand or self._pick(scene.visible or scene.of_kind(Kind.OBJECT))
        place = scene.at if scene.at and self._chance(0.6) else self._pick([p.entity.id for p in scene.places])
        match verb:
            case Verb.NAVIGATE:
                return Action(verb, None, self._pick([p.entity.id for p in scene.places]))
            case Verb.PICK | Verb.SLICE:
                return Action(verb, self._pick(scene.visible or [thing]))
            case Verb.PLACE | Verb.POUR:
                return Action(verb, thing, self._pick(scene.visible) if scene.visible and self._chance(0.3) else place)
            case Verb.FILL:
                return Action(verb, thing, self._pick(scene.tools(Verb.FILL) or [place]))
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
