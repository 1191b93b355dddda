"""What one step and one episode of the agent leave behind, for logs, scores and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mimir_learn.memory import Candidate, GroundedGoal, Status
from mimir_learn.symbols import Action, Belief, Delta, Estimate, Feedback, Goal, Observation, Outcome, Percept


class Verdict(Protocol):
    """What the gate makes of an estimate."""

    @property
    def committed(self) -> Delta: ...
    @property
    def held(self) -> Delta: ...
    @property
    def look_again(self) -> bool: ...
    @property
    def sigma(self) -> bool: ...


class Gate(Protocol):
    """Commit, hold or look again; ``judge_looks`` combines several looks at the same action."""

    def judge(self, estimate: Estimate, claimed: bool = True) -> Verdict: ...
    def judge_looks(self, looks: Sequence[Estimate], claimed: bool = True, final: bool = True) -> Verdict: ...


class GateConfig(Protocol):
    """Builds the gate, and says how to look again (see `second_look`) and how often at most; `feedback.gate.GateConfig` is one. The agent's
    room does not import feedback's."""

    @property
    def view(self) -> str: ...
    @property
    def looks(self) -> int: ...
    def build(self) -> Gate: ...


@dataclass(frozen=True, eq=False)
class Thought:
    """How an action came about: lines 5 to 16 of Algorithm 1.

    ``mode`` is ``plan``, ``explore``, ``replan``, ``look_again`` (asked for by the gate) or ``duty`` (closing up after the last goal).
    """

    mode: str
    goal: Goal | None
    candidates: tuple[Candidate, ...]
    grounded: GroundedGoal | None
    action: Action
    command: str


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a Δ-source said of one step and what memory was given.

    Attributes:
        estimate: the source's answer.
        verdict: the gate's.
        feedback: y_t as written, None while a second look is awaited.
        about: the action the estimate is about (the earlier one, when this step was a second look).
        belief: memory before that action.
    """

    estimate: Estimate
    verdict: Verdict
    feedback: Feedback | None
    about: Action
    belief: Belief


@dataclass(frozen=True, eq=False)
class StepRecord:
    """One pass through the loop. World and task lessons are the same object when one source serves both memories."""

    t: int
    before: Observation
    after: Observation
    percept: Percept
    thought: Thought
    outcome: Outcome
    world: Lesson
    task: Lesson

    @property
    def goal(self) -> Goal | None:
        return self.thought.goal

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.thought.candidates

    @property
    def grounded(self) -> GroundedGoal | None:
        return self.thought.grounded

    @property
    def action(self) -> Action:
        return self.thought.action

    @property
    def command(self) -> str:
        return self.thought.command

    @property
    def world_estimate(self) -> Estimate:
        return self.world.estimate

    @property
    def world_verdict(self) -> Verdict:
        return self.world.verdict

    @property
    def look_again(self) -> bool:
        """Whether this step was itself a second look asked for by the gate."""
        return self.thought.mode == "look_again"


@dataclass(frozen=True, eq=False)
class EpisodeResult:
    """Line 27.

    Attributes:
        declared: the agent stopped by itself, believing every goal done; or had just then nothing left to do when it was stopped.
        statuses: goal id → s_t(g).
        steps: environment steps taken; ``look_again_steps`` of them were second looks, ``failed_steps`` reported no success.
        truncated: the environment or the step limit ended the episode before the agent was through.
    """

    declared: bool
    statuses: Mapping[str, Status]
    steps: int
    look_again_steps: int
    failed_steps: int
    truncated: bool
    records: tuple[StepRecord, ...] = field(default=(), repr=False)
