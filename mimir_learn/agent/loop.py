"""Algorithm 1, Mimir's closed loop, line against line. ``# Ln`` is line n of the paper's listing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mimir_learn.agent.adapters import Adapter
from mimir_learn.agent.explore import Explorer
from mimir_learn.agent.planner import duty, plan, replan
from mimir_learn.agent.records import EpisodeResult, Gate, GateConfig, Lesson, StepRecord, Thought, Verdict
from mimir_learn.agent.robot import Robot
from mimir_learn.agent.second_look import Arrival, Doubt, second_look
from mimir_learn.agent.variants import FULL, UNBOUNDED, Variant
from mimir_learn.memory import GroundedGoal, Status, make_query, recall
from mimir_learn.memory.grounding import Chooser
from mimir_learn.memory.recall import K_DEFAULT, Similarity
from mimir_learn.memory.task import MAX_TRIES
from mimir_learn.symbols import (
    Action,
    Belief,
    Delta,
    DeltaSource,
    Estimate,
    Feedback,
    Goal,
    Observation,
    Outcome,
    Percept,
    Place,
    Task,
    Transition,
    Verb,
    Vocabulary,
)


@dataclass(frozen=True, eq=False)
class _Open:
    """An action whose effect awaits another look: what has been made of it so far, and the changes in doubt."""

    transition: Transition
    looks: tuple[Estimate, ...]
    frames: tuple[Observation, ...]
    doubtful: Delta
    goal: Goal | None


@dataclass(eq=False)
class _Channel:
    """One Δ-source with its gate, serving one memory or both."""

    source: DeltaSource
    gate: Gate
    open: _Open | None = None


class MimirAgent:
    """M_t = (T_t, W_t) and the operators that run on it (Eq. 1).

    Args:
        vocabulary, places: what is known at the start: categories, causal rules, and where one can go.
        task: the instruction with its goals.
        adapter: ρ_e.
        world_source, task_source: where Δ comes from for W and for T; one object may serve both, and is then asked once a step.
        gate_config: anything with ``build() -> Gate``, e.g. `mimir_learn.feedback.gate.GateConfig`.
        k: bound of recall. tidy: close everything the agent opened. max_tries: see `TaskMemory`.
        choose: picks between several admissible candidates (a VLM, Eq. 10). similarity: semantic score of recall.
        variant: what is left out, for ablations.

    Use `run_episode`, or call `decide` and `learn` in turn.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        places: Iterable[Place],
        task: Task,
        adapter: Adapter,
        world_source: DeltaSource,
        task_source: DeltaSource,
        gate_config: GateConfig,
        *,
        k: int = K_DEFAULT,
        tidy: bool = False,
        max_tries: int = MAX_TRIES,
        choose: Chooser | None = None,
        similarity: Similarity | None = None,
        variant: Variant = FULL,
    ) -> None:
        self.variant = variant
        self.world = variant.world_memory(vocabulary, places)
        self.task = variant.task_memory(task.resolved(vocabulary).goals, max_tries)
        self.adapter = adapter
        self.explorer = Explorer(tidy=tidy)
        k = k if variant.bounded else UNBOUNDED
        self.k, self.tidy, self.choose, self.similarity = k, tidy, choose, similarity
        self.t = 0
        self.thought: Thought | None = None
        self.view, self.looks = gate_config.view, gate_config.looks
        self._world_channel = _Channel(world_source, gate_config.build())
        same = task_source is world_source
        self._task_channel = self._world_channel if same else _Channel(task_source, gate_config.build())
        self._belief: Belief | None = None
        self._arrival: Arrival | None = None

    def reset_sources(self, seed: int) -> None:
        """Start the Δ-sources' episode; the environment has been reset before."""
        self._world_channel.source.reset(seed)
        if self._task_channel is not self._world_channel:
            self._task_channel.source.reset(seed + 1)

    # ---- lines 4 to 21 ---------------------------------------------------------------------------------------------

    def decide(self, observation: Observation, percept: Percept) -> Action | None:
        """From o_t to ā_t; the legal command a_t is in ``self.thought.command``. None when no goal is pending any more."""
        demoted = self.world.observe(percept, self.t)  # L4  W_t⁺ ← U_W^obs(W_t, o_t)
        self.task.contradict(demoted)
        self.variant.recollect(self.task, self.world)
        self._belief = self.world.belief()
        if (doubt := self._world_channel.open or self._task_channel.open) is not None:
            seen, now = doubt.transition, observation.pose
            look = second_look(self.view, Doubt(seen.action, doubt.doubtful, seen.belief, now, self._arrival, len(doubt.looks)))
            if self._rho(look) is None:  # an embodiment that cannot look like this
                look = Action(Verb.LOOK)
            return self._think("look_again", None, (), None, look)
        while (g := self.task.active()) is not None:  # L3, L5  g_t ← min≼ P_t
            if self.task.settle(g, self.world):
                continue
            candidates = tuple(recall(self.world, make_query(g), self.k, self.task.failed, self.similarity))  # L6
            grounded = self.variant.ground(g, candidates, self.task, self.world, self.choose)  # L7
            if grounded is None:  # L8  ĝ_t = ⊥_grd
                mode, action = "explore", self.explorer.next(g, self.task, self.world)  # L9
                command = self._rho(action)
            else:  # L10
                mode, action = "plan", plan(grounded, self.task, self.world, tidy=self.tidy)  # L11  ā_t ← Π(ĝ_t, T_t, W_t⁺)
                command = self._rho(action)  # L12  a_t ← ρ_e(ā_t)
                if command is None:  # L13
                    mode, action = "replan", replan(grounded, self.task, self.world, action)  # L14
                    command = self._rho(action)  # L15
            if action is None or command is None:  # L18  a_t = ⊥_act
                if not self.task.try_again(g):  # before giving up for good, what had been tried too often gets another chance
                    self.task.block(g)  # L19
                continue  # L20
            if mode != "explore" and self.variant.forgets_what_it_saw:
                self.explorer.start_over(self.t)
            return self._think(mode, g, candidates, grounded, action)
        last = duty(self.task, self.world, tidy=self.tidy)
        return None if self._rho(last) is None or last is None else self._think("duty", None, (), None, last)

    @property
    def finished(self) -> bool:
        """Nothing is pending, no second look awaited and no door left to close: `decide` would return None."""
        awaited = self._world_channel.open is not None or self._task_channel.open is not None
        return not awaited and not self.task.pending and duty(self.task, self.world, tidy=self.tidy) is None

    def _rho(self, action: Action | None) -> str | None:
        return None if action is None else self.adapter.command(action)

    def _think(
        self, mode: str, goal: Goal | None, candidates: tuple[Any, ...], grounded: GroundedGoal | None, action: Action
    ) -> Action | None:
        command = self._rho(action)
        if command is None:
            return None
        self.thought = Thought(mode, goal, candidates, grounded, action, command)
        return action

    # ---- lines 23 to 25 --------------------------------------------------------------------------------------------

    def learn(self, before: Observation, action: Action, after: Observation, outcome: Outcome) -> tuple[Lesson, Lesson]:
        """Δ-source → gate → U_W^act and U_T for the executed action; returns the world's and the task's lesson.

        ``action`` is normally what `decide` returned; a behaviour policy may have executed another one.
        """
        if self._belief is None:
            raise RuntimeError("learn() before decide(): there is no belief W_t⁺ to judge the action against")
        goal = self.thought.goal if self.thought is not None else None
        if action.verb is Verb.NAVIGATE and outcome.success:
            self._arrival = Arrival(action, after.pose)
        transition = Transition(before, action, after, outcome, self._belief)
        world = self._consult(self._world_channel, transition, goal)
        task = world if self._task_channel is self._world_channel else self._consult(self._task_channel, transition, goal)
        supported = None if task[0].feedback is None else replace(task[0].feedback, delta=self.world.implied(task[0].feedback.delta))
        if world[0].feedback is not None:
            self.world.act(world[0].about, world[0].feedback, self.t)  # L23  W_{t+1} ← U_W^act(W_t⁺, a_t, y_t)
        if supported is not None:
            self.task.update(task[1], task[0].about, supported, self.world)  # L24  T_{t+1} ← U_T(T_t, g_t, a_t, y_t)
        self.t += 1  # L25
        return world[0], task[0]

    def _consult(self, channel: _Channel, transition: Transition, goal: Goal | None) -> tuple[Lesson, Goal | None]:
        """Ask one source; looks at an action in doubt are judged together, as one transition of that action."""
        seen = channel.open
        about = transition if seen is None else replace(seen.transition, after=transition.after)
        estimate = channel.source.estimate(about)
        claimed, looks = about.outcome.success, (*(() if seen is None else seen.looks), estimate)
        frames = (*(() if seen is None else seen.frames), about.after)
        if seen is None:
            verdict = channel.gate.judge(estimate, claimed)
        else:
            goal = seen.goal
            verdict = channel.gate.judge_looks(_distinct(looks, frames), claimed, final=len(looks) > self.looks)
        channel.open = _Open(about, looks, frames, verdict.held, goal) if verdict.look_again else None
        feedback = None if verdict.look_again else self._feedback(verdict, about.outcome)
        return Lesson(estimate, verdict, feedback, about.action, about.belief), goal

    def _feedback(self, verdict: Verdict, outcome: Outcome) -> Feedback:
        refused = self.adapter.refused(outcome) and not verdict.sigma
        return Feedback(verdict.sigma, verdict.committed, verdict.held, outcome.text, refused)


def _distinct(looks: tuple[Estimate, ...], frames: tuple[Observation, ...]) -> tuple[Estimate, ...]:
    """The first look at each picture: the very same picture seen again is no further evidence."""

    def same(a: Observation, b: Observation) -> bool:
        return np.array_equal(a.pose, b.pose) and np.array_equal(a.rgb, b.rgb) and np.array_equal(a.depth, b.depth)

    return tuple(look for i, look in enumerate(looks) if not any(same(frames[i], f) for f in frames[:i]))


def run_episode(
    robot: Robot,
    agent: MimirAgent,
    observation: Observation,
    max_steps: int,
    on_step: Callable[[StepRecord], None] | None = None,
    *,
    seed: int = 0,
    keep_records: bool = False,
) -> EpisodeResult:
    """Algorithm 1. ``observation`` is o_0 of a robot that has just been reset (L1).

    Ends when no goal is pending and no door is left to close, when the environment says so, or after ``max_steps``.
    """
    agent.reset_sources(seed)
    z, looks, failed = agent.t >= max_steps, 0, 0  # L2
    records: list[StepRecord] = []
    while not z:  # L3  (P_t ≠ ∅ is decide's None)
        percept = robot.perceive()
        t, action = agent.t, agent.decide(observation, percept)  # L4 to L21
        if action is None or agent.thought is None:
            break
        thought = agent.thought
        result = robot.step(thought.command)  # L22  (o_{t+1}, y_t, z_{t+1}) ← Step_e(a_t)
        world, task = agent.learn(observation, action, result.observation, result.outcome)  # L23, L24, L25
        z = result.truncated or result.terminated or agent.t >= max_steps
        looks += thought.mode == "look_again"
        failed += not result.outcome.success
        if on_step is not None or keep_records:
            record = StepRecord(t, observation, result.observation, percept, thought, result.outcome, world, task)
            if on_step is not None:
                on_step(record)
            if keep_records:
                records.append(record)
        observation = result.observation
    statuses = agent.task.statuses
    cut = z and not agent.finished
    done = not cut and all(s is Status.COMPLETED for s in statuses.values())
    return EpisodeResult(done, statuses, agent.t, looks, failed, cut, tuple(records))  # L27
