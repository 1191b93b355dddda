"""What there is to run: settings shared by all episodes of an evaluation, one job per episode, and its seed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from mimir_learn.evaluation.arms import Arm
from mimir_learn.evaluation.records import EpisodeKey
from mimir_learn.evaluation.suite import SuiteTask
from mimir_learn.feedback.gate import GateConfig


@dataclass(frozen=True)
class EpisodeSettings:
    """What all episodes of one evaluation share.

    Attributes:
        image_size: height and width of the frames, pixels.
        feedback_text: ``full`` | ``flag_only`` | ``off``: what of the environment's report reaches the agent.
        checkpoint: folder of the estimator, for ``learned``.
        gate: thresholds of the gate.
        silent: share of faults whose flag and sentence still claim success; None = the fault model's own.
    """

    image_size: int = 128
    feedback_text: str = "full"
    checkpoint: str | None = None
    gate: GateConfig = field(default_factory=GateConfig)
    silent: float | None = None


@dataclass(frozen=True)
class Job:
    """One episode to run."""

    key: EpisodeKey
    arm: Arm
    task: SuiteTask
    settings: EpisodeSettings
    reruns: int = 0


def episode_seed(task_id: str, seed: int) -> int:
    """Seed of an episode's fault draws: depends on task and seed only, so that all arms meet the same faults as far as they act alike."""
    return int.from_bytes(hashlib.sha256(f"{task_id}:{seed}".encode()).digest()[:4], "big")
