"""Which episodes make up a log and in which shard each lies: a pure function of the settings, known before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mimir_learn.collect.config import CollectConfig
from mimir_learn.logs.meta import shard_path
from mimir_learn.logs.schema import CHUNK_SIZE
from mimir_learn.logs.splits import SPLITS, house_seed


@dataclass(frozen=True)
class EpisodePlan:
    """One episode: its number, house, and the seeds of its fault draws and of its policy."""

    index: int
    split: str
    house_seed: int
    seed: int
    policy_seed: int


@dataclass(frozen=True)
class ShardPlan:
    """One file: a block of episodes of one split. No chunk folder holds two splits, so that splits are folder globs."""

    chunk: int
    file: int
    episodes: tuple[EpisodePlan, ...]

    def path(self, root: Path) -> Path:
        return shard_path(root, self.chunk, self.file)


def plan_shards(config: CollectConfig) -> tuple[ShardPlan, ...]:
    """All shards in episode order; the episodes of one house follow one another."""
    shards: list[ShardPlan] = []
    number, chunk = 0, 0
    for split in SPLITS:
        houses = [h for h in range(config.houses.of(split)) for _ in range(config.episodes_per_house)]
        episodes = [_episode(config, number + i, split, house) for i, house in enumerate(houses)]
        number += len(episodes)
        blocks = [episodes[i : i + config.episodes_per_shard] for i in range(0, len(episodes), config.episodes_per_shard)]
        shards += [ShardPlan(chunk + i // CHUNK_SIZE, i % CHUNK_SIZE, tuple(block)) for i, block in enumerate(blocks)]
        chunk += -(-len(blocks) // CHUNK_SIZE)
    return tuple(shards)


def _episode(config: CollectConfig, index: int, split: str, house: int) -> EpisodePlan:
    seed, policy_seed = (int(s) for s in np.random.SeedSequence([config.seed, index]).generate_state(2))
    return EpisodePlan(index, split, house_seed(split, house), seed, policy_seed)
