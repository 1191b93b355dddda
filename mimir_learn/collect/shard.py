"""The work of one collector process: make one shard of household episodes and report what it cost."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mimir_learn.collect.config import CollectConfig
from mimir_learn.collect.episode import record_episode
from mimir_learn.collect.plan import ShardPlan
from mimir_learn.collect.policy import PLAY, PlayPolicy
from mimir_learn.logs.writer import ShardWriter


@dataclass(frozen=True)
class ShardCost:
    """What a shard took: transitions made, seconds of CPU over all threads of the process, seconds on the clock."""

    chunk: int
    file: int
    transitions: int
    cpu_s: float
    wall_s: float


def make_shard(config: CollectConfig, plan: ShardPlan, commit: str) -> ShardCost:
    """Simulate and write the episodes of ``plan``. The file appears only when all of them are in it."""
    # Mesa's software rasteriser starts a thread per core, which fights with the other workers; read when the driver loads
    os.environ.setdefault("LP_NUM_THREADS", "1")
    from mimir_learn.agent.adapters import HouseholdAdapter
    from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv

    wall, cpu = time.perf_counter(), time.process_time()
    faults = FaultRates.level(config.fault_level)
    env = HouseholdEnv(HouseholdConfig(image_size=config.image_size, max_steps=config.steps, faults=faults))
    try:
        with ShardWriter(plan.path(Path(config.out)), {"config_sha256": config.sha256, "commit": commit}) as shard:
            for episode in plan.episodes:
                policy = PlayPolicy(config.policy, np.random.default_rng(episode.policy_seed))
                shard.write(
                    record_episode(
                        env,
                        policy,
                        HouseholdAdapter(),
                        index=episode.index,
                        first_row=episode.index * (config.steps + 1),
                        house_seed=episode.house_seed,
                        seed=episode.seed,
                        task=PLAY,
                        steps=config.steps,
                    )
                )
    finally:
        env.close()
    made = len(plan.episodes) * config.steps
    return ShardCost(plan.chunk, plan.file, made, time.process_time() - cpu, time.perf_counter() - wall)
