"""What world memory stores of one entity: hypotheses about its parent, facts about its state, and their evidence (φ_t, Eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Entity, Parent

KEEP_EVIDENCE = 6
KEEP_ALTERNATIVES = 4


class EvidenceKind(StrEnum):
    """Where a fact comes from: a look at the world, or the effect of an action."""

    OBSERVATION = "observation"
    INTERACTION = "interaction"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which observation or interaction wrote a fact, at which step, by which source, how sure (probability)."""

    kind: EvidenceKind
    step: int
    source: str
    p: float = 1.0


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One possible parent of an entity.

    Attributes:
        parent: the relation.
        evidence: newest last, the first one always kept, at most `KEEP_EVIDENCE`.
        since: step at which this relation was established (re-established when it had been in doubt).
        weight: support in [0, 1]; agreeing looks raise it, missed ones halve it; 0 once a Δ says that the entity left.
    """

    parent: Parent
    evidence: tuple[Evidence, ...]
    since: int
    weight: float

    def supported(self, evidence: Evidence) -> Hypothesis:
        """The same hypothesis with one more piece of agreeing evidence."""
        kept = (*self.evidence, evidence)
        if len(kept) > KEEP_EVIDENCE:
            kept = (kept[0], *kept[-(KEEP_EVIDENCE - 1) :])
        return replace(self, evidence=kept, weight=1.0 - (1.0 - self.weight) * (1.0 - 0.5 * evidence.p))

    def weakened(self) -> Hypothesis:
        return replace(self, weight=self.weight / 2)


@dataclass(frozen=True, slots=True)
class Fact:
    """Value of one Boolean attribute; ``doubt`` is the evidence of a held change to the opposite value, if there is one."""

    value: bool
    evidence: Evidence
    doubt: Evidence | None = None


@dataclass(slots=True)
class Record:
    """Everything known of one entity. Mutable, private to `WorldMemory`.

    Attributes:
        active: the one active parent hypothesis, None while its place is unknown.
        alternatives: inactive hypotheses, most recent first, at most `KEEP_ALTERNATIVES`.
        facts: attribute name → Fact.
        point: (3,) world metres where it was last seen, None when it has moved since.
        misses: viewings of its place in a row that did not show it.
        lost_at: step at which its place became unknown.
        near: where the robot stood and went when an action last moved it: where a dropped thing may lie.
    """

    entity: Entity
    active: Hypothesis | None = None
    alternatives: list[Hypothesis] = field(default_factory=list)
    facts: dict[str, Fact] = field(default_factory=dict)
    point: NDArray[np.float64] | None = None
    last_seen: int | None = None
    misses: int = 0
    lost_at: int | None = None
    near: tuple[str, ...] = ()

    def retire(self, hypothesis: Hypothesis) -> None:
        """Keep ``hypothesis`` as an alternative, in place of an older one with the same parent."""
        self.alternatives = [hypothesis, *(h for h in self.alternatives if h.parent != hypothesis.parent)][:KEEP_ALTERNATIVES]

    def take(self, parent: Parent) -> Hypothesis | None:
        """Remove and return the alternative with this parent, if there is one."""
        found = next((h for h in self.alternatives if h.parent == parent), None)
        if found is not None:
            self.alternatives.remove(found)
        return found
