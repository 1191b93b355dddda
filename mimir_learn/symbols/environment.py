"""The contract of an environment: what a robot gets, and the two separate, disclosed ways past it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols.delta import Snapshot
from mimir_learn.symbols.observation import Observation, Percept
from mimir_learn.symbols.vocabulary import Entity, Vocabulary


@dataclass(frozen=True)
class PrivilegedState:
    """The simulator's own state. Only the log writer, the ``privileged``/``noisy`` sources and the scorer may ask for it.

    Attributes:
        snapshot: true parents and attributes of every entity.
        entities: every entity of the episode.
        fault: kind of fault injected into the last action, "" for none.
        positions: entity id → (3,) world position in metres.
        moved: ids touched by an exogenous change during the last action.
        novel: things of a shape or colour that no training house has (fixed for an episode), so that results can be split by it.
        at: place or room the robot truly is at, which a task may ask for ("look at it under the lamp").
    """

    snapshot: Snapshot
    entities: Mapping[str, Entity]
    fault: str = ""
    positions: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    moved: tuple[str, ...] = ()
    novel: frozenset[str] = frozenset()
    at: str | None = None


class Environment(Protocol):
    """A simulator behind the Gymnasium API, speaking text commands.

    ``step(command)`` returns (observation, reward, terminated, truncated, info); info has ``success`` (claimed flag) and
    ``feedback`` (sentence). ``reset`` info has ``places`` (tuple of `Place`). Observations are dicts with ``rgb``, ``depth``,
    ``intrinsics`` and ``pose`` (see `Observation`).

    ``visible_entities`` is an ideal detector on the *current frame* (setting ``perception: privileged_visible``, disclosed in every
    result). ``privileged_state`` is sealed: nothing an agent, estimator or unprivileged source holds can reach it.
    """

    vocabulary: Vocabulary

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]: ...

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]: ...

    def visible_entities(self) -> Percept: ...

    def privileged_state(self) -> PrivilegedState: ...

    def close(self) -> None: ...


def to_observation(raw: Mapping[str, Any]) -> Observation:
    """Gymnasium observation dict → validated `Observation`. Raises ObservationError."""
    return Observation(raw["rgb"], raw["depth"], raw["intrinsics"], raw["pose"]).validate()
