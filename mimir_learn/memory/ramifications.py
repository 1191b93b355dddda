"""Declared causal rules: what a visible change implies for hidden state (heated, cooled, cleaned) and for dirt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from mimir_learn.symbols import CausalRule, Change, Delta, Entity, Kind, Parent, ParentChange, StateChange, Vocabulary


class _Tree(Protocol):
    vocabulary: Vocabulary

    def entity(self, entity_id: str) -> Entity | None: ...
    def parent(self, entity_id: str) -> Parent | None: ...
    def attribute(self, entity_id: str, name: str) -> bool | None: ...
    def value(self, entity_id: str, name: str) -> bool | None: ...
    def children(self, parent_id: str) -> tuple[str, ...]: ...


def ramify(delta: Delta, world: _Tree) -> Delta:
    """Δ with everything the vocabulary's rules derive from it (see `CausalRule`); ``world`` is the memory *before* Δ is written.

    A rule strikes what is inside when its state comes about, and what gets inside while the state holds; "inside" is read after Δ. A
    derived change that Δ itself already speaks about is left to Δ.
    """
    if not delta or not world.vocabulary.rules:
        return delta
    scene = _Scene(delta, world)
    said = {c.key for c in delta}
    derived: dict[tuple[str, str], StateChange] = {}
    for rule, thing, cause in scene.strikes():
        for change in _effects(rule, thing, cause, world):
            if change.key not in said:
                derived[change.key] = change
    if not derived:
        return delta
    everything: list[Change] = [*delta, *derived.values()]
    return Delta(everything)


class _Scene:
    """Who is inside what before and after Δ, and which rules' states hold."""

    def __init__(self, delta: Delta, world: _Tree) -> None:
        self.world = world
        self.moves, self.flips = delta.parents, delta.states
        self.arrivals: dict[str, list[str]] = {}
        for move in self.moves.values():
            self.arrivals.setdefault(move.new.id, []).append(move.entity)
        self.rules: dict[str, list[CausalRule]] = {}
        for rule in world.vocabulary.rules:
            self.rules.setdefault(rule.category, []).append(rule)

    def strikes(self) -> Iterator[tuple[CausalRule, str, ParentChange | StateChange]]:
        """(rule, thing it acts on, the change that brought the two together)."""
        for flip in self.flips.values():
            for rule in self._rules_of(flip.entity):
                if self._holds(rule, flip.entity, after=True) and not self._holds(rule, flip.entity, after=False):
                    for thing in self._contents(self._holder(flip.entity)):
                        yield rule, thing, flip
        for move in self.moves.values():
            before = set(self._above(move.entity, after=False))
            for holder in self._above(move.entity, after=True):
                if holder in before:
                    break  # it was in there already, and so was all above
                for rule, device in self._acting_on(holder):
                    if self._holds(rule, device, after=True):
                        for thing in (move.entity, *self._contents(move.entity)):
                            yield rule, thing, move

    def _rules_of(self, entity_id: str) -> list[CausalRule]:
        entity = self.world.entity(entity_id)
        return [] if entity is None else self.rules.get(entity.category, [])

    def _holds(self, rule: CausalRule, device: str, *, after: bool) -> bool:
        """Whether a rule's whole state holds; unknown is not."""

        def value(attribute: str) -> bool | None:
            flip = self.flips.get((device, attribute))
            return self.world.attribute(device, attribute) if flip is None else flip.new if after else flip.old

        return all(value(a) is v for a, v in ((rule.attribute, rule.value), *rule.requires))

    def _holder(self, device: str) -> str:
        """What a rule's "everything in or on it" refers to: a faucet acts on the sink it stands on."""
        entity = self.world.entity(device)
        if entity is not None and self.world.vocabulary.spec(entity).relation is None:
            parent = self.world.parent(device)
            above = None if parent is None else self.world.entity(parent.id)
            if above is not None and above.kind is Kind.RECEPTACLE:
                return above.id
        return device

    def _acting_on(self, holder: str) -> Iterator[tuple[CausalRule, str]]:
        """Rules, with their device, that act on what gets into ``holder``: its own, and those of what is mounted on it."""
        for device in (holder, *(c for c in self.world.children(holder) if not self._is_thing(c))):
            rules = self._rules_of(device)
            if rules and self._holder(device) == holder:
                yield from ((rule, device) for rule in rules)

    def _above(self, thing: str, *, after: bool) -> Iterator[str]:
        """Holders from the nearest out, up to the first that stays where it is: what is on a burner is not in the oven below."""
        seen = {thing}
        while self._is_thing(thing):
            move = self.moves.get(thing)
            parent = self.world.parent(thing) if move is None else move.new if after else move.old
            if parent is None or parent.id in seen:
                return
            thing = parent.id
            seen.add(thing)
            yield thing

    def _is_thing(self, entity_id: str) -> bool:
        entity = self.world.entity(entity_id)
        return entity is not None and entity.kind is Kind.OBJECT

    def _contents(self, holder: str) -> list[str]:
        """Things in or on ``holder`` after Δ, and in or on those. What is mounted on it (a burner on an oven) is a place of its own."""
        stack, out, seen = [holder], [], {holder}
        while stack:
            at = stack.pop()
            inside = {c for c in self.world.children(at) if c not in self.moves} | set(self.arrivals.get(at, ()))
            for child in sorted(inside - seen):
                seen.add(child)
                if self._is_thing(child):
                    out.append(child)
                    stack.append(child)
        return out


def _effects(rule: CausalRule, thing: str, cause: ParentChange | StateChange, world: _Tree) -> Iterator[StateChange]:
    entity = world.entity(thing)
    if entity is None or entity.kind is not Kind.OBJECT:
        return
    applicable = world.vocabulary.spec(entity).attributes
    if rule.effect not in applicable:
        return  # what cannot be heated does not stop being cooled either
    for attribute, new in ((rule.effect, True), *((a, False) for a in rule.clears)):
        if attribute in applicable and world.value(thing, attribute) is not new:
            yield StateChange(thing, attribute, not new, new, cause.p, cause.source)
