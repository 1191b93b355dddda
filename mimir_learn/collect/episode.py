"""Runs one episode of the behaviour policy in an environment and records it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mimir_learn.agent.adapters import Adapter
from mimir_learn.collect.policy import Policy
from mimir_learn.collect.scene import Fits, Scene, anything_fits
from mimir_learn.errors import SimulatorError
from mimir_learn.logs.writer import EpisodeHeader, EpisodeRecorder, RecordedEpisode
from mimir_learn.symbols import Environment, Outcome, to_observation


def record_episode(
    env: Environment,
    policy: Policy,
    adapter: Adapter,
    *,
    index: int,
    first_row: int,
    house_seed: int,
    seed: int,
    task_index: int,
    steps: int,
    options: Mapping[str, Any] | None = None,
    fits: Fits = anything_fits,
) -> RecordedEpisode:
    """Reset ``env`` to a house, let ``policy`` act ``steps`` times, and return the episode encoded (steps + 1 rows).

    ``options`` are given to ``env.reset`` in place of the house's seed (the house itself, ready-made); ``fits`` is for the policy, see
    `Scene`.

    Raises SimulatorError when the environment ends the episode early, ObservationError for a frame no sensor could have taken.
    """
    raw, info = env.reset(seed=seed, options={"house_seed": house_seed} if options is None else dict(options))
    places = tuple(info["places"])
    state, percept = env.privileged_state(), env.visible_entities()
    header = EpisodeHeader(index, first_row, house_seed, seed, policy.task, places, task_index)
    observation = to_observation(raw)
    recorder = EpisodeRecorder(header, observation, percept, state)
    for number in range(steps):
        action = policy.act(Scene(env.vocabulary, places, state.entities, state.snapshot, percept, fits), observation)
        command = adapter.command(action)
        if command is None:
            raise SimulatorError(f"the environment has no command for {action}; the behaviour policy must not choose it")
        raw, _, terminated, truncated, info = env.step(command)
        state, percept = env.privileged_state(), env.visible_entities()
        outcome = Outcome(bool(info["success"]), str(info["feedback"]))
        observation = to_observation(raw)
        policy.learn(recorder.add(action, command, outcome, observation, percept, state))
        if (terminated or truncated) and number + 1 < steps:
            raise SimulatorError(f"episode {index} ended after {number + 1} of {steps} steps; raise the environment's max_steps")
    return recorder.finish()
