"""A belief read as a tree, so that an answer can be completed by what the declared causal rules derive from it, as memory completes it."""

from __future__ import annotations

from mimir_learn.memory.ramifications import ramify
from mimir_learn.symbols import ATTRIBUTES, Belief, Delta, Entity, Parent, Vocabulary


class BelievedTree:
    """The part of a memory tree that `ramify` reads, over a `Belief`."""

    def __init__(self, belief: Belief) -> None:
        self.vocabulary: Vocabulary = belief.vocabulary
        self._entities = belief.entities
        self._children: dict[str, list[str]] = {}
        for entity_id, believed in belief.entities.items():
            if believed.parent is not None:
                self._children.setdefault(believed.parent.id, []).append(entity_id)

    def entity(self, entity_id: str) -> Entity | None:
        believed = self._entities.get(entity_id)
        return None if believed is None else believed.entity

    def parent(self, entity_id: str) -> Parent | None:
        believed = self._entities.get(entity_id)
        return None if believed is None else believed.parent

    def attribute(self, entity_id: str, name: str) -> bool | None:
        believed = self._entities.get(entity_id)
        return None if believed is None else believed.attributes.get(name)

    def value(self, entity_id: str, name: str) -> bool | None:
        known = self.attribute(entity_id, name)
        return False if known is None and not ATTRIBUTES[name].visible else known

    def children(self, parent_id: str) -> tuple[str, ...]:
        return tuple(sorted(self._children.get(parent_id, ())))


def completed(delta: Delta, belief: Belief) -> Delta:
    """``delta`` with what the vocabulary's rules derive from it under ``belief``: dirt that a running faucet washes off, say."""
    return ramify(delta, BelievedTree(belief)) if delta and belief.vocabulary.rules else delta
