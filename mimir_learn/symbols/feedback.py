"""What passes between environment, Δ-source, gate and memory: the belief, the transition, the estimate, y_t (Eq. 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols.actions import Action, Outcome
from mimir_learn.symbols.delta import EMPTY, Delta, Snapshot
from mimir_learn.symbols.observation import Observation
from mimir_learn.symbols.vocabulary import IN_HAND, Entity, Parent, Vocabulary


@dataclass(frozen=True, eq=False)
class BelievedEntity:
    """What memory knows of one entity: active parent, attributes, and where it was last seen (world metres) at which step."""

    entity: Entity
    parent: Parent | None
    attributes: Mapping[str, bool] = field(default_factory=dict)
    point: NDArray[np.float64] | None = None
    last_seen: int | None = None


@dataclass(frozen=True, eq=False)
class Belief:
    """A read-only view of world memory W_t⁺ (and of where the robot is) just before an action."""

    vocabulary: Vocabulary
    entities: Mapping[str, BelievedEntity]
    at: str | None = None
    step: int = 0

    def snapshot(self) -> Snapshot:
        """The active hypotheses as a symbolic state; entities without a parent are left out."""
        return Snapshot(
            {e: b.parent for e, b in self.entities.items() if b.parent is not None},
            {(e, a): v for e, b in self.entities.items() for a, v in b.attributes.items()},
        )

    @property
    def hand(self) -> str | None:
        return next((e for e, b in self.entities.items() if b.parent == IN_HAND), None)

    def room_of(self, entity_id: str | None) -> str | None:
        """Follow parents up to a room; None where memory does not know."""
        for _ in range(16):
            believed = self.entities.get(entity_id) if entity_id is not None else None
            if believed is None:
                return None
            if believed.entity.kind == "room":
                return entity_id
            entity_id = None if believed.parent is None else believed.parent.id
        return None


@dataclass(frozen=True, eq=False)
class Transition:
    """One executed action as a Δ-source may see it. True state is not part of it and cannot be reached from it."""

    before: Observation
    action: Action
    after: Observation
    outcome: Outcome
    belief: Belief


@dataclass(frozen=True)
class Estimate:
    """A Δ-source's answer.

    Attributes:
        delta: the changes held most probable, each with its probability and source tag.
        confidence: probability that ``delta`` as a whole, unchanged facts included, is what happened.
        success: probability that the action did what its name says; None when the source has no opinion.
        parsed: False when the source could not read its input (unknown sentence): then ``delta`` is empty and does not mean "no change".
        certified: (level, probability) pairs: a change of this answer at least that probable may be written if at least ``level`` of what
            is written is to be right; empty when nothing is certified for the source, None for one that has no calibrated probabilities.
    """

    delta: Delta = EMPTY
    confidence: float = 1.0
    success: float | None = None
    parsed: bool = True
    certified: tuple[tuple[float, float], ...] | None = None


class DeltaSource(Protocol):
    """Where Δ_t comes from. ``reset`` starts an episode; ``estimate`` reads one transition."""

    name: str

    def reset(self, seed: int) -> None: ...

    def estimate(self, transition: Transition) -> Estimate: ...


@dataclass(frozen=True)
class Feedback:
    """y_t = (σ_t, Δ_t) as the memory receives it, after the gate.

    Attributes:
        sigma: the action-level outcome σ_t.
        delta: the committed, supported Δ_t.
        held: changes not sure enough to commit; world memory keeps them as alternative hypotheses.
        text: the environment's sentence ("" when feedback text is off).
        refused: the embodiment says that it did not try, because a precondition is unmet. Only an adapter that can read the outcome knows.
    """

    sigma: bool
    delta: Delta = EMPTY
    held: Delta = EMPTY
    text: str = ""
    refused: bool = False
