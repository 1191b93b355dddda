"""The vocabulary's causal rules on the truth: what a microwave heats, a fridge cools and running water cleans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping

from mimir_learn.symbols import CausalRule, Entity, Kind, Parent

from .vocabulary import VOCABULARY

Attributes = MutableMapping[tuple[str, str], bool]
_RULES = {category: tuple(r for r in VOCABULARY.rules if r.category == category) for category in {r.category for r in VOCABULARY.rules}}


def after_state(
    attributes: Attributes, parents: Mapping[str, Parent], entities: Mapping[str, Entity], entity: str, attribute: str
) -> frozenset[str]:
    """``attribute`` of ``entity`` has just changed: apply the rules whose condition has come about to all in or on it, in place.

    Returns the ids whose attributes changed.
    """
    rules = [r for r in _RULES.get(entities[entity].category, ()) if attribute == r.attribute or attribute in dict(r.requires)]
    holding = [r for r in rules if _holds(attributes, entity, r)]
    if not holding:
        return frozenset()
    holder = entity if VOCABULARY.spec(entities[entity]).relation is not None else parents[entity].id
    return frozenset(thing for rule in holding for thing in _below(parents, entities, holder) if _apply(attributes, thing, rule))


def after_arrival(
    attributes: Attributes, parents: Mapping[str, Parent], entities: Mapping[str, Entity], moved: Collection[str]
) -> frozenset[str]:
    """The ``moved`` things have just come to where ``parents`` says: apply to them, and to all inside them, the rules that hold there.

    A chain of holders ends at the first that stays where it is: what is on a burner is not in the oven below. Returns the ids whose
    attributes changed.
    """
    mounted: dict[str, list[str]] = {}
    for entity, parent in parents.items():
        if entities[entity].kind is Kind.FIXTURE:
            mounted.setdefault(parent.id, []).append(entity)
    touched = set()
    for thing in moved:
        for holder in above(parents, entities, thing):
            for container in (holder, *mounted.get(holder, ())):
                for rule in _RULES.get(entities[container].category, ()):
                    if _holds(attributes, container, rule):
                        inside = (thing, *_below(parents, entities, thing))
                        touched |= {t for t in inside if _apply(attributes, t, rule)}
    return frozenset(touched)


def above(parents: Mapping[str, Parent], entities: Mapping[str, Entity], thing: str) -> Iterator[str]:
    """The holders of a thing from the nearest out, ending with the fixture, room or hand that its chain leads to."""
    at = thing
    while at in parents and entities[at].kind is Kind.OBJECT:
        at = parents[at].id
        yield at


def _below(parents: Mapping[str, Parent], entities: Mapping[str, Entity], holder: str) -> list[str]:
    """Things in or on ``holder``, and what is inside them."""
    children: dict[str, list[str]] = {}
    for entity, parent in parents.items():
        if entities[entity].kind is Kind.OBJECT:
            children.setdefault(parent.id, []).append(entity)
    out: list[str] = []
    front = list(children.get(holder, ()))
    while front:
        out += front
        front = [c for thing in front for c in children.get(thing, ())]
    return out


def _holds(attributes: Attributes, container: str, rule: CausalRule) -> bool:
    conditions = ((rule.attribute, rule.value), *rule.requires)
    return all(attributes.get((container, a)) is v for a, v in conditions)


def _apply(attributes: Attributes, thing: str, rule: CausalRule) -> bool:
    effect, clears = rule.effect, rule.clears
    if (thing, effect) not in attributes:
        return False
    wanted = {effect: True, **{c: False for c in clears if (thing, c) in attributes}}
    changed = any(attributes[thing, a] is not v for a, v in wanted.items())
    attributes.update({(thing, a): v for a, v in wanted.items()})
    return changed
