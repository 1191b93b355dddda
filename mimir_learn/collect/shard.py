"""The work of one collector process: make one shard of household episodes and report what it cost."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mimir_learn.agent.adapters import Adapter
from mimir_learn.collect.config import PRACTISED, CollectConfig
from mimir_learn.collect.episode import record_episode
from mimir_learn.collect.plan import EpisodePlan, ShardPlan
from mimir_learn.collect.policy import PLAY, PlayPolicy, Policy
from mimir_learn.collect.scene import Fits
from mimir_learn.errors import SimulatorError
from mimir_learn.logs.writer import RecordedEpisode, ShardWriter
from mimir_learn.symbols import Environment

if TYPE_CHECKING:
    from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseSpec

INSTRUCTIONS = (PLAY.instruction, "Do one household task, then play.")  # the task itself is in the episode table


@dataclass(frozen=True)
class ShardCost:
    """What a shard took: transitions made, seconds of CPU over all threads of the process, seconds on the clock."""

    chunk: int
    file: int
    transitions: int
    cpu_s: float
    wall_s: float


class _Orphan(Exception):
    """The collector that wanted this shard is gone."""


def make_shard(config: CollectConfig, plan: ShardPlan, collector: int) -> ShardCost:
    """Simulate and write the episodes of ``plan``. The file appears only when all of them are in it.

    ``collector`` is the number of the process that wants the shard: this one, or its parent. When that has died, this process removes
    what it was writing and ends too, so that it does not get in the way of whoever resumes.
    """
    try:
        return _make_shard(config, plan, collector)
    except _Orphan:
        os._exit(1)  # an ordinary exit would wait for the dead collector's queue


def _check_collector(collector: int) -> None:
    if collector not in (os.getpid(), os.getppid()):
        raise _Orphan


def _make_shard(config: CollectConfig, plan: ShardPlan, collector: int) -> ShardCost:
    # Mesa's software rasteriser starts a thread per core, which fights with the other workers; read when the driver loads
    os.environ.setdefault("LP_NUM_THREADS", "1")
    from mimir_learn.agent.adapters import HouseholdAdapter
    from mimir_learn.envs.household import HouseholdEnv

    _check_collector(collector)
    wall, cpu = time.perf_counter(), time.process_time()
    env = HouseholdEnv(household(config))
    try:
        with ShardWriter(plan.path(Path(config.out)), {"config_sha256": config.sha256}) as shard:
            for episode in plan.episodes:
                shard.write(_episode(config, env, HouseholdAdapter(), episode))
                _check_collector(collector)
    finally:
        env.close()
    made = len(plan.episodes) * config.steps
    return ShardCost(plan.chunk, plan.file, made, time.process_time() - cpu, time.perf_counter() - wall)


def household(config: CollectConfig) -> HouseholdConfig:
    """The environment's settings that a collection asks for."""
    from mimir_learn.envs.household import HouseholdConfig

    return HouseholdConfig(
        image_size=config.image_size, max_steps=config.steps, faults=rates(config, "test"), feedback_style=config.feedback_style
    )


def rates(config: CollectConfig, split: str) -> FaultRates:
    """How often which fault strikes in the houses of a split; faults of one action never add up to more than all of them."""
    from mimir_learn.envs.household import FaultRates

    out = FaultRates.suite(config.faults) if isinstance(config.faults, str) else FaultRates.level(config.faults)
    if split != "train" or config.practice == 1.0:
        return out
    raised = {name: min(1.0, config.practice * getattr(out, name)) for name in PRACTISED}
    raised["misplaced"] = min(raised["misplaced"], 1.0 - out.beside - out.unplaced)
    raised["partial"] = min(raised["partial"], 1.0 - out.stuck)
    return replace(out, **raised)


@lru_cache(maxsize=2)  # the episodes of a house follow one another
def _house(seed: int) -> HouseSpec:
    from mimir_learn.envs.household import generate_house

    return generate_house(seed)


def _fits(house: HouseSpec) -> Fits:
    from mimir_learn.envs.household.nesting import fitting

    things = {t.id: t for t in house.things}
    return lambda thing, vessel: fitting(things[thing], things[vessel]) is not None


def _policy(config: CollectConfig, env: Environment, plan: EpisodePlan, house: HouseSpec) -> tuple[Policy, int]:
    """Who acts in this episode, and the index of what it is up to in `INSTRUCTIONS`."""
    from mimir_learn.collect.task_policy import TaskPolicy
    from mimir_learn.envs.household.tasks import sample_tasks

    rng = np.random.default_rng(plan.policy_seed)
    if rng.random() >= config.policy.task:
        return PlayPolicy(config.policy, rng), 0
    task = sample_tasks(house, rng, 1)[0]
    return TaskPolicy(config.policy, rng, task, env.privileged_state), 1


def _episode(config: CollectConfig, env: Environment, adapter: Adapter, plan: EpisodePlan) -> RecordedEpisode:
    import mujoco

    house = _house(plan.house_seed)
    policy, task_index = _policy(config, env, plan, house)
    try:
        return record_episode(
            env,
            policy,
            adapter,
            index=plan.index,
            first_row=plan.index * (config.steps + 1),
            house_seed=plan.house_seed,
            seed=plan.seed,
            task_index=task_index,
            steps=config.steps,
            options={"house": house, "faults": rates(config, plan.split)},
            fits=_fits(house),
        )
    except mujoco.FatalError as e:
        where = f"episode {plan.index} (house seed {plan.house_seed}, seed {plan.seed}, policy seed {plan.policy_seed})"
        raise SimulatorError(
            f"MuJoCo gave up in {where}: {e}; this is a fault of the simulated house, please report it with these seeds"
        ) from e
