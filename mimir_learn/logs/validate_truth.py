"""Checks one true state of a log: a tree of parents down from rooms and the hand, and the attributes that the vocabulary gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mimir_learn.symbols import HAND, Entity, Kind, Relation, Snapshot, Vocabulary


def check_state(state: Snapshot, entities: Mapping[str, Entity], vocabulary: Vocabulary | None) -> Iterator[str]:
    """What is wrong with a true state of a house of ``entities``; without a vocabulary only what needs none is checked.

    Every entity but rooms and the hand has one parent, and parents lead up to a room or the hand without a circle. A parent may be a
    thing (a bowl): whatever holds, holds as its category says.
    """
    movable = {e.id for e in entities.values() if e.kind not in (Kind.ROOM, Kind.HAND)}
    if other := sorted(movable ^ state.parents.keys()):
        yield f"privileged.state has no parent for, or should not have one for {other}"
    if stray := sorted({p.id for p in state.parents.values()} - entities.keys()):
        yield f"privileged.state names {stray} as parents, which the house does not have"
        return
    yield from _check_relations(state, entities, vocabulary)
    if circle := _circle(state):
        yield f"privileged.state has a circle of parents: {' in '.join([*circle, circle[0]])}"
    if vocabulary is not None:
        yield from _check_attributes(state, entities, vocabulary)


def _check_relations(state: Snapshot, entities: Mapping[str, Entity], vocabulary: Vocabulary | None) -> Iterator[str]:
    held = []
    for child, parent in sorted(state.parents.items()):
        if parent.id == HAND.id:
            held.append(child)
            continue
        holder = entities[parent.id]
        if vocabulary is None or holder.category not in vocabulary.categories:
            continue
        relation = vocabulary.spec(holder).relation
        mounted = child in entities and entities[child].kind is not Kind.OBJECT and parent.relation is Relation.ON  # a faucet on a sink
        if relation is not parent.relation and not mounted:
            holds = "nothing" if relation is None else f"things {relation}"
            yield f"privileged.state has {child} {parent}, but a {holder.category} holds {holds}"
    if len(held) > 1:
        yield f"privileged.state has {held} in one hand"


def _circle(state: Snapshot) -> list[str]:
    """The first circle of parents found, starting at its smallest id; empty where all parents end in a room or the hand."""
    sound: set[str] = set()
    for start in sorted(state.parents):
        path: list[str] = []
        at = start
        while at in state.parents and at not in sound:
            if at in path:
                circle = path[path.index(at) :]
                first = circle.index(min(circle))
                return circle[first:] + circle[:first]
            path.append(at)
            at = state.parents[at].id
        sound.update(path)
    return []


def _check_attributes(state: Snapshot, entities: Mapping[str, Entity], vocabulary: Vocabulary) -> Iterator[str]:
    known = {e.id: e for e in entities.values() if e.category in vocabulary.categories}
    wanted = {(e, a) for e in known for a in vocabulary.spec(known[e]).attributes}
    found = {(e, a) for e, a in state.attributes if e in known or e not in entities}
    if lacking := sorted(f"{e}.{a}" for e, a in wanted - found):
        yield f"privileged.state does not say {lacking}"
    if surplus := sorted(f"{e}.{a}" for e, a in found - wanted):
        yield f"privileged.state says {surplus}, which these have not"
