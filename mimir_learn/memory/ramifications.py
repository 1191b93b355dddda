"""Declared causal rules: what a visible change implies for hidden state (heated, cooled, cleaned)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from mimir_learn.symbols import CausalRule, Change, Delta, Entity, Kind, Parent, StateChange, Vocabulary


class _Tree(Protocol):
    vocabulary: Vocabulary

    def entity(self, entity_id: str) -> Entity | None: ...
    def parent(self, entity_id: str) -> Parent | None: ...
    def attribute(self, entity_id: str, name: str) -> bool | None: ...
    def children(self, parent_id: str) -> tuple[str, ...]: ...


def ramify(delta: Delta, world: _Tree) -> Delta:
    """Δ with everything the vocabulary's rules derive from it; ``world`` is the memory *before* Δ is written.

    Things that enter or leave the container in the same Δ are counted where Δ puts them. A derived change that Δ itself already
    speaks about is left to Δ.
    """
    if not delta or not world.vocabulary.rules:
        return delta
    said = {c.key for c in delta}
    derived: dict[tuple[str, str], StateChange] = {}
    for trigger in delta.states.values():
        entity = world.entity(trigger.entity)
        if entity is None:
            continue
        for rule in world.vocabulary.rules:
            if (rule.category, rule.attribute, rule.value) != (entity.category, trigger.attribute, trigger.new):
                continue
            if all(_after(delta, world, entity.id, a) is v for a, v in rule.requires):
                for change in _effects(rule, _contents(delta, world, _holder(entity, world)), trigger, world):
                    if change.key not in said:
                        derived[change.key] = change
    if not derived:
        return delta
    everything: list[Change] = [*delta, *derived.values()]
    return Delta(everything)


def _after(delta: Delta, world: _Tree, entity_id: str, attribute: str) -> bool | None:
    change = delta.states.get((entity_id, attribute))
    return world.attribute(entity_id, attribute) if change is None else change.new


def _holder(entity: Entity, world: _Tree) -> str:
    """What a rule's "everything in or on it" refers to: a faucet acts on the sink it stands on."""
    if world.vocabulary.spec(entity).relation is None:
        parent = world.parent(entity.id)
        above = None if parent is None else world.entity(parent.id)
        if above is not None and above.kind is Kind.RECEPTACLE:
            return above.id
    return entity.id


def _contents(delta: Delta, world: _Tree, holder: str) -> Iterator[str]:
    moves = delta.parents
    stack, seen = [holder], {holder}
    while stack:
        at = stack.pop()
        inside = {c for c in world.children(at) if c not in moves} | {e for e, m in moves.items() if m.new.id == at}
        for child in sorted(inside - seen):
            entity = world.entity(child)
            if entity is not None and entity.kind is Kind.OBJECT:
                yield child
            seen.add(child)
            stack.append(child)


def _effects(rule: CausalRule, contents: Iterator[str], trigger: StateChange, world: _Tree) -> Iterator[StateChange]:
    for child in contents:
        entity = world.entity(child)
        assert entity is not None
        applicable = world.vocabulary.spec(entity).attributes
        for attribute, new in ((rule.effect, True), *((a, False) for a in rule.clears)):
            old = bool(world.attribute(child, attribute))
            if attribute in applicable and old is not new:
                yield StateChange(child, attribute, old, new, trigger.p, trigger.source)
