"""The other behaviour policy: Mimir itself on a sampled task, with mistakes mixed in, then free play until the episode ends.

It logs what the agent of the evaluation meets: exploring, opening and closing on the way, several goals in a row. Its Δ-source is, by
the toss of a coin, the truth or the trust in its own actions (``schema``); the latter walks on with a wrong memory after a silent fault.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mimir_learn.agent import HouseholdAdapter, MimirAgent
from mimir_learn.collect.config import PolicyConfig
from mimir_learn.collect.policy import PlayPolicy
from mimir_learn.collect.scene import Scene
from mimir_learn.feedback import GateConfig, make_source
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import Action, Observation, PrivilegedState, Task


class TaskPolicy:
    """Runs `MimirAgent` stepwise. ``privileged`` is the environment's sealed channel, which a collector may open."""

    def __init__(self, config: PolicyConfig, rng: np.random.Generator, task: Task, privileged: Callable[[], PrivilegedState]) -> None:
        self.task = task
        self._play = PlayPolicy(config, rng)
        self._source = make_source("privileged" if rng.random() < 0.5 else "schema", privileged=privileged)
        self._agent: MimirAgent | None = None
        self._last: tuple[Observation, LoggedStep | None] | None = None
        self._finished = False

    def act(self, scene: Scene, observation: Observation) -> Action:
        """The agent's next action, or now and then a mistake, which the agent then has to learn from."""
        if self._finished:
            return self._play.act(scene, observation)
        if self._agent is None:
            self._agent = MimirAgent(
                scene.vocabulary, scene.places, self.task, HouseholdAdapter(), self._source, self._source, GateConfig()
            )
            self._agent.reset_sources(0)
        elif self._last is not None and (step := self._last[1]) is not None:
            self._agent.learn(self._last[0], step.action, observation, step.outcome)
        self._last = (observation, None)
        action = self._agent.decide(observation, scene.percept)
        if action is None:
            self._finished = True
            return self._play.act(scene, observation)
        return self._play.mistake(scene) or action

    def learn(self, step: LoggedStep) -> None:
        """Hear what the environment claims; the agent's memory is updated when the frame after it is there."""
        self._play.learn(step)
        if self._last is not None:
            self._last = (self._last[0], step)
