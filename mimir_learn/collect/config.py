"""Settings of a collection: how many houses per split, how long, how faulty, how the behaviour policy mixes."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mimir_learn.checks import chance, positive, whole
from mimir_learn.errors import ConfigError
from mimir_learn.logs.codec import dumps
from mimir_learn.logs.splits import HOUSES_PER_SPLIT, SPLITS

PRACTISED = ("exogenous", "partial", "unfilled", "breaks", "misplaced")
STYLES = ("plain", "alfred", "habitat")  # of the household's sentences


@dataclass(frozen=True)
class HouseCounts:
    """Number of houses per split; the splits' houses are disjoint (see `mimir_learn.logs.splits`)."""

    train: int = 160
    validation: int = 16
    calibration: int = 24
    test: int = 32

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            whole(f"houses.{name}", value, 0)
            if value > HOUSES_PER_SPLIT:
                raise ConfigError(f"houses.{name} is {value}; a split has {HOUSES_PER_SPLIT} houses, give no more")

    def of(self, split: str) -> int:
        return int(getattr(self, split))


@dataclass(frozen=True)
class PolicyConfig:
    """How the behaviour policy mixes useful errands with mistakes.

    Attributes:
        violation: chance per step of a deliberate precondition violation (full hand, closed container, wrong place, …).
        random: chance per step of a random action with random arguments.
        look: chance to look again after a manipulation.
        stubborn: chance to carry on with an errand after a step of it visibly failed, as an agent without feedback would.
        persist: chance to try a visibly failed put, open or pick again (half of it, where the failure was not admitted).
        fiddle: share of errands that only open, close or toggle.
        stack: share of errands that put things into or onto things, and carry or empty them.
        cut: share of errands that slice.
        pour: share of errands that fill and pour.
        cause: share of errands that heat, cool or clean; what is left of the errands carries things about.
        gaze: share of errands that only look up and down.
        task: share of episodes in which Mimir solves a sampled task first.
    """

    violation: float = 0.1
    random: float = 0.04
    look: float = 0.08
    stubborn: float = 0.4
    persist: float = 0.6
    fiddle: float = 0.12
    stack: float = 0.2
    cut: float = 0.12
    pour: float = 0.14
    cause: float = 0.16
    gaze: float = 0.03
    task: float = 0.25

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            chance(f"policy.{name}", value)
        if (total := self.fiddle + self.stack + self.cut + self.pour + self.cause + self.gaze) > 1.0:
            raise ConfigError(f"policy.fiddle + stack + cut + pour + cause + gaze = {total:g} exceeds 1: they are shares of one whole")


@dataclass(frozen=True)
class CollectConfig:
    """One collection run. Equal settings give equal bytes, whatever ``out``, ``n_jobs`` and ``max_tries`` are.

    Attributes:
        out: directory of the log.
        seed: seed of the whole collection.
        houses: houses per split.
        episodes_per_house: episodes in each house, each with other actions and faults.
        steps: actions per episode; an episode has steps + 1 frames.
        faults: level p of the standard mix, or the name of a fault suite (see `mimir_learn.envs.household.FaultRates`).
        practice: how many times as often the faults of `PRACTISED`, which are rare, strike in training houses: a model learns little
            from the thirty breakages of a small log. The other splits keep the rates of ``faults``.
        feedback_style: whose shape the environment's sentences have: plain, alfred or habitat.
        image_size: height and width of the frames in pixels.
        episodes_per_shard: episodes in one file; also the unit of work, and what a kill can lose.
        policy: the behaviour policy's mix.
        n_jobs: worker processes; -1 = one per core.
        max_tries: how often one shard may lose its worker process before the run gives up.
    """

    out: str = "data/logs/household"
    seed: int = 0
    houses: HouseCounts = field(default_factory=HouseCounts)
    episodes_per_house: int = 2
    steps: int = 32
    faults: float | str = 0.25
    practice: float = 1.0
    feedback_style: str = "plain"
    image_size: int = 128
    episodes_per_shard: int = 8
    policy: PolicyConfig = field(default_factory=PolicyConfig)
    n_jobs: int = -1
    max_tries: int = 3

    def __post_init__(self) -> None:
        for name in ("episodes_per_house", "steps", "image_size", "episodes_per_shard", "max_tries"):
            whole(f"collect.{name}", getattr(self, name), 1)
        if not 16 <= self.image_size <= 512:
            raise ConfigError(f"collect.image_size is {self.image_size}; give 16 to 512 pixels")
        whole("collect.seed", self.seed, 0)
        if not isinstance(self.faults, str):
            chance("collect.faults", self.faults)
        else:
            _check_suite(self.faults)
        positive("collect.practice", self.practice)
        if self.feedback_style not in STYLES:
            raise ConfigError(f"collect.feedback_style is {self.feedback_style!r}; known: {', '.join(STYLES)}")
        if self.n_jobs != -1:
            try:
                whole("collect.n_jobs", self.n_jobs, 1)
            except ConfigError as e:
                raise ConfigError(f"{e}, or -1 for one process per core") from None
        if not any(self.houses.of(s) for s in SPLITS):
            raise ConfigError("collect.houses are 0 in every split; give one of them some")
        if not isinstance(self.out, str) or not self.out:
            raise ConfigError(f"collect.out is {self.out!r}; give the name of a directory")
        if (file := _in_the_way(Path(self.out))) is not None:
            raise ConfigError(f"collect.out is {self.out}, but {file} is no directory; choose another, or move it away")

    def content(self) -> dict[str, Any]:
        """The settings that decide the data, as plain JSON types."""
        body = asdict(self)
        for name in ("out", "n_jobs", "max_tries"):
            del body[name]
        return body

    @property
    def sha256(self) -> str:
        """Hash of `content`."""
        return hashlib.sha256(dumps(self.content()).encode()).hexdigest()


def _check_suite(name: str) -> None:
    from mimir_learn.envs.household.faults import FAULT_SUITES  # a room with a simulator in it: not for whoever only reads settings

    if name not in FAULT_SUITES:
        raise ConfigError(f"collect.faults is {name!r}; give a level from 0 to 1 or one of the fault suites {', '.join(FAULT_SUITES)}")


def _in_the_way(path: Path) -> Path | None:
    """The nearest part of ``path`` that exists and is no directory; None where a directory can be made or is there."""
    nearest = next((p for p in (path, *path.parents) if os.path.exists(p)), None)
    return nearest if nearest is not None and not nearest.is_dir() else None
