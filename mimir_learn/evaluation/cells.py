"""One cell of an experiment: every setting that decides an episode, and the content hash that names the episode.

Two cells that spell the same thing differently (the fault suite ``rough`` and level 0.25) have the same hash, so an episode that two
experiments need is run once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from mimir_learn.agent import Variant
from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import Arm, fault_rates, fault_setting, parse_arm
from mimir_learn.evaluation.jobs import EpisodeSettings
from mimir_learn.evaluation.perception import check_perception
from mimir_learn.evaluation.suite import SuiteTask
from mimir_learn.feedback.gate import GateConfig
from mimir_learn.memory.recall import K_DEFAULT


@dataclass(frozen=True)
class Cell:
    """The settings of an episode; each is a key of a grid file.

    Attributes:
        suite: suite file; ``rooms`` goes before it.
        rooms: certified tasks in generated houses of so many rooms, made when the grid is run; None = those of ``suite``.
        subset: one subset of the suite, several joined by ``+``, or ``all``.
        delta: Δ-source, ``SOURCE`` or ``WORLD/TASK``, see `arms.parse_arm`.
        perception: see `perception.PERCEPTIONS`.
        variant: see `agent.Variant.named`.
        gate: words joined by ``+``, see `GateConfig.named`: ``on``, ``off``, a level such as ``0.99``, ``once``, a view.
        faults: fault level, or the name of a fault suite.
        k: bound of recall.
        feedback_text: ``full`` | ``flag_only`` | ``off``.
        checkpoint: folder of the estimator, for ``learned``.
        budget: the task's step limit is multiplied by this.
    """

    suite: str = "data/suites/household-v1-test.json"
    rooms: int | None = None
    subset: str = "all"
    delta: str = "learned"
    perception: str = "privileged_visible"
    variant: str = "full"
    gate: str = "on"
    faults: float | str = "rough"
    k: int = K_DEFAULT
    feedback_text: str = "full"
    checkpoint: str | None = None
    budget: int = 1

    @property
    def arm(self) -> Arm:
        return parse_arm(self.delta, self.faults)

    @property
    def subsets(self) -> tuple[str, ...] | None:
        return None if self.subset == "all" else tuple(self.subset.split("+"))

    def settings(self, gate: GateConfig, image_size: int) -> EpisodeSettings:
        """What `episode.run_job` needs beside arm and task; ``gate`` holds where it is on."""
        shut = gate.named(self.gate)
        checkpoint = self.checkpoint if self.arm.learned else None
        return EpisodeSettings(image_size, self.feedback_text, checkpoint, shut, None, self.perception, self.variant, self.k, self.budget)


SETTINGS = tuple(f.name for f in fields(Cell))


def cell(given: Mapping[str, Any], base: Cell | None = None) -> Cell:
    """``base`` with some settings replaced, each checked and brought to its one spelling. Raises ConfigError naming the setting."""
    made = {name: _value(name, value) for name, value in given.items()}
    return replace(base or Cell(), **made)


def _value(name: str, value: Any) -> Any:
    match name:
        case "faults":
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                raise ConfigError(f"faults is {value!r}; give a fault level from 0 to 1, or the name of a fault suite")
            return fault_setting(value, "faults")
        case "gate":
            value = {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)  # YAML reads on as true, 0.99 as a number
            GateConfig().named(value)
            return value
        case "k" | "budget":
            whole(name, value, 1)
            return value
        case "rooms":
            if value is not None:
                whole(name, value, 1)
            return value
        case "checkpoint":
            return None if value is None else str(value)
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{name} is {value!r}; give a word")
    if name == "delta":
        if "@" in value:
            raise ConfigError(f"delta is {value!r}; fault levels have a key of their own: faults")
        parse_arm(value, 0.0)
    elif name == "perception":
        value = check_perception(value)
    elif name == "variant":
        Variant.named(value)
    elif name == "feedback_text" and value not in ("full", "flag_only", "off"):
        raise ConfigError(f"feedback_text is {value!r}; choose full, flag_only or off")
    return value


@dataclass(frozen=True)
class Ground:
    """What all episodes of a run rest on beside their settings.

    Attributes:
        vocabulary: SHA-256 of the environment's vocabulary.
        source: SHA-256 of the package's source as far as it decides an episode.
        packages: versions of the packages it rests on; torch counts only where the estimator runs.
        estimators: checkpoint folder → hashes of its weights, calibration and configuration.
    """

    vocabulary: str
    source: str
    packages: Mapping[str, str]
    estimators: Mapping[str, Mapping[str, str | None]]


def content(cell: Cell, task: SuiteTask, seed: int, settings: EpisodeSettings, ground: Ground) -> dict[str, Any]:
    """Everything that determines an episode but the code, in one canonical form. The arm's, suite's and grid's names are no part of it."""
    arm = cell.arm
    return {
        "task": task_sha256(task),
        "seed": seed,
        "world": arm.world,
        "task_source": arm.task,
        "faults": asdict(fault_rates(arm.faults)),
        "gate": asdict(settings.gate),
        "variant": asdict(Variant.named(cell.variant)),
        "perception": cell.perception,
        "k": cell.k,
        "budget": cell.budget,
        "feedback_text": cell.feedback_text,
        "image_size": settings.image_size,
        "vocabulary": ground.vocabulary,
        "estimator": dict(ground.estimators[cell.checkpoint or ""]) if arm.learned else None,
    }


def code_of(cell: Cell, ground: Ground) -> str:
    """Hash of the code and packages an episode of this cell runs on."""
    packages = {k: v for k, v in ground.packages.items() if k != "torch" or cell.arm.learned}
    return digest({"source": ground.source, "packages": packages})


def task_sha256(task: SuiteTask) -> str:
    """Over goals, condition, house, its initial state and the step limit: whatever an episode depends on, the words included."""
    return digest(task.to_dict())


def digest(body: Any) -> str:
    """SHA-256 of canonical JSON."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
