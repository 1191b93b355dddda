"""One logged episode as objects: T steps, and T+1 frames, percepts and true snapshots that are decoded when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, overload

from mimir_learn.symbols import (
    ATTRIBUTES,
    MANIPULATIONS,
    Action,
    Delta,
    Entity,
    Observation,
    Outcome,
    Percept,
    Place,
    Snapshot,
    Task,
    Vocabulary,
)

T = TypeVar("T")


class Lazy(Sequence[T], Generic[T]):
    """A read-only sequence whose items are made on access and not kept: frames of a long log need not fit in memory."""

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length, self._make = length, make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        at = index + self._length if index < 0 else index
        if not 0 <= at < self._length:
            raise IndexError(index)
        return self._make(at)


@dataclass(frozen=True)
class LoggedStep:
    """One executed action and what it truly brought about.

    Attributes:
        action, command: abstract action ā and the text the environment got.
        outcome: the environment's claim (flag and sentence); both can be wrong.
        delta: the true Δ.
        fault: fault injected into it, "" for none.
        moved: ids changed by someone else meanwhile.
    """

    action: Action
    command: str
    outcome: Outcome
    delta: Delta
    fault: str = ""
    moved: tuple[str, ...] = ()

    @property
    def manipulation(self) -> bool:
        return self.action.verb in MANIPULATIONS

    @property
    def kind(self) -> str:
        """``fault`` (one was injected), ``refused`` (claimed failure, nothing changed), ``no_op`` (a manipulation without effect),
        ``side_effect`` (something the action does not name visibly changed) or ``nominal``."""
        if self.fault:
            return "fault"
        if not self.outcome.success and not self.delta:
            return "refused"
        if self.manipulation and not self.delta:
            return "no_op"
        touched = {c.entity for c in self.delta.parents.values()} | {e for e, a in self.delta.states if ATTRIBUTES[a].visible}
        if touched - set(self.action.arguments):
            return "side_effect"
        return "nominal"


@dataclass(frozen=True, eq=False)
class Episode:
    """One logged episode of T actions in one house.

    Attributes:
        episode_id: ``episode_000012``, from its index in the log.
        house_seed, split, seed: which house, which split, which fault draws.
        task: what the behaviour policy was up to.
        vocabulary, places: as the robot knows them from the start.
        frames: T+1 decoded frames; ``frames[t]`` is before action t, ``frames[t + 1]`` after it.
        percepts: T+1 percepts of the ideal detector (disclosed: privileged).
        steps: T actions.
        snapshots: T+1 true states (privileged).
        entities: every entity of the house (privileged).
        novel: things of a shape or colour that no training house has (privileged); results are split by it.
    """

    episode_id: str
    house_seed: int
    split: str
    seed: int
    task: Task
    vocabulary: Vocabulary
    places: tuple[Place, ...]
    frames: Sequence[Observation]
    percepts: Sequence[Percept]
    steps: tuple[LoggedStep, ...]
    snapshots: Sequence[Snapshot]
    entities: Mapping[str, Entity] = field(default_factory=dict)
    novel: frozenset[str] = frozenset()

    def __len__(self) -> int:
        """Number of actions T."""
        return len(self.steps)
