"""Trials: one agent on one task without faults, judged by nothing but the task's own conditions; for certificates and difficulty cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mimir_learn.agent import HouseholdAdapter, MimirAgent, Robot
from mimir_learn.envs.household import FaultRates
from mimir_learn.evaluation.episode import environment
from mimir_learn.evaluation.jobs import episode_seed, house_options
from mimir_learn.evaluation.scoring import situation
from mimir_learn.evaluation.trivial import Policy
from mimir_learn.feedback import GateConfig, make_source
from mimir_learn.symbols import Action, DeltaSource, Observation, Outcome, Percept, Place, PrivilegedState, Task, Vocabulary, Watch


@dataclass(frozen=True)
class Trial:
    """What a trial came to.

    Attributes:
        solved: step at which all conditions held at once for the first time; None = never.
        stopped: the agent stopped by itself, and then all conditions held.
        steps: steps taken.
        best: largest share of conditions that held at once.
        last: share that held at the end.
    """

    solved: int | None
    stopped: bool
    steps: int
    best: float
    last: float


@dataclass(frozen=True)
class Setting:
    """What a policy may be made from."""

    vocabulary: Vocabulary
    places: tuple[Place, ...]
    privileged: Callable[[], PrivilegedState]
    seed: int

    @property
    def positions(self) -> dict[str, tuple[float, float]]:
        """Place id → (x, y) in metres: where furniture stands, and for a room the middle of its furniture."""
        state = self.privileged()
        spots = {p.entity.id: (float(xyz[0]), float(xyz[1])) for p in self.places if (xyz := state.positions.get(p.entity.id)) is not None}
        for place in self.places:
            inside = [spots[p.entity.id] for p in self.places if p.room == place.entity.id and p.entity.id in spots]
            if place.entity.id not in spots and inside:
                spots[place.entity.id] = (sum(x for x, _ in inside) / len(inside), sum(y for _, y in inside) / len(inside))
        return spots


class Mimir:
    """`MimirAgent` with one Δ-source for both memories, as a `Policy`."""

    def __init__(self, setting: Setting, task: Task, source: str = "privileged") -> None:
        feedback: DeltaSource = make_source(source, privileged=setting.privileged)
        self.agent = MimirAgent(setting.vocabulary, setting.places, task, HouseholdAdapter(), feedback, feedback, GateConfig())
        self.agent.reset_sources(setting.seed)
        self._action: Action | None = None

    def act(self, observation: Observation, percept: Percept) -> str | None:
        self._action = self.agent.decide(observation, percept)
        return None if self._action is None or self.agent.thought is None else self.agent.thought.command

    def learn(self, before: Observation, after: Observation, outcome: Outcome) -> None:
        assert self._action is not None
        self.agent.learn(before, self._action, after, outcome)


def run_trial(task: Task, house_seed: int, limit: int, make: Callable[[Setting], Policy], *, through: bool = False) -> Trial:
    """Run one agent on one task, for ``limit`` steps at most; ends at success (unless ``through``) or when the agent stops."""
    env = environment(128)
    seed = episode_seed(task.id, 0)
    robot = Robot(env)
    observation = robot.reset(seed=seed, options={**house_options(task, house_seed), "faults": FaultRates()})
    policy = make(Setting(robot.vocabulary, robot.places, env.privileged_state, seed))
    watch = Watch(task)
    watch.see(situation(env.privileged_state()))
    met, total = watch.progress()
    best, solved, stopped, steps = met / max(total, 1), 0 if met == total else None, False, 0
    while steps < limit and (through or solved is None):
        command = policy.act(observation, robot.perceive())
        if command is None:
            stopped = True
            break
        result = robot.step(command)
        policy.learn(observation, result.observation, result.outcome)
        observation, steps = result.observation, steps + 1
        watch.see(situation(env.privileged_state()))
        met, total = watch.progress()
        best = max(best, met / max(total, 1))
        if solved is None and watch.done():
            solved = steps
    return Trial(solved, stopped and watch.done(), steps, best, met / max(total, 1))
