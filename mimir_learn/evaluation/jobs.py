"""What there is to run: settings shared by all episodes of an evaluation, one job per episode, and its seed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mimir_learn.evaluation.arms import Arm
from mimir_learn.evaluation.records import EpisodeKey
from mimir_learn.evaluation.suite import SuiteTask
from mimir_learn.feedback.gate import GateConfig
from mimir_learn.memory.recall import K_DEFAULT
from mimir_learn.symbols import Task

if TYPE_CHECKING:
    from mimir_learn.envs.household import HouseSpec


@dataclass(frozen=True)
class EpisodeSettings:
    """What all episodes of one evaluation share.

    Attributes:
        image_size: height and width of the frames, pixels.
        feedback_text: ``full`` | ``flag_only`` | ``off``: what of the environment's report reaches the agent.
        checkpoint: folder of the estimator, for ``learned``.
        gate: thresholds of the gate.
        silent: share of faults whose flag and sentence still claim success; None = the fault model's own.
        perception: what U_W^obs is fed, see `perception.PERCEPTIONS`.
        variant: what of the agent is left out, see `agent.Variant.named`.
        k: bound of recall.
        budget: the task's step limit is multiplied by this.
    """

    image_size: int = 128
    feedback_text: str = "full"
    checkpoint: str | None = None
    gate: GateConfig = field(default_factory=GateConfig)
    silent: float | None = None
    perception: str = "privileged_visible"
    variant: str = "full"
    k: int = K_DEFAULT
    budget: int = 1


@dataclass(frozen=True)
class Job:
    """One episode to run."""

    key: EpisodeKey
    arm: Arm
    task: SuiteTask
    settings: EpisodeSettings
    reruns: int = 0


def house_options(task: Task, house_seed: int) -> dict[str, Any]:
    """Options of the environment's ``reset`` that choose a task's house."""
    return {"house": house_of(task, house_seed)}


def house_of(task: Task, house_seed: int) -> HouseSpec:
    """A task's house; a task made for houses of a given size says so in its meta. Its ``key`` is what a suite's certificate rests on."""
    return sized_house(house_seed, task.meta.get("rooms"))


@lru_cache(maxsize=8)
def sized_house(house_seed: int, rooms: int | None) -> HouseSpec:
    """`generate_house`, remembered. Raises ConfigError for a number of rooms that it does not make."""
    from mimir_learn.envs.household import generate_house

    return generate_house(house_seed, rooms)


def episode_seed(task_id: str, seed: int) -> int:
    """Seed of an episode's fault draws: depends on task and seed only, so that all arms meet the same faults as far as they act alike."""
    return int.from_bytes(hashlib.sha256(f"{task_id}:{seed}".encode()).digest()[:4], "big")
