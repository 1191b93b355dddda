"""Δ-source ``schema``: the action's nominal effect, whenever the outcome flag claims success."""

from __future__ import annotations

from mimir_learn.symbols import (
    EFFECT,
    ELSEWHERE,
    EMPTY,
    IN_HAND,
    Action,
    Belief,
    Delta,
    Estimate,
    Kind,
    Parent,
    ParentChange,
    Relation,
    StateChange,
    Transition,
    Verb,
)


def held_at(place: str, belief: Belief) -> Parent:
    """The relation in which ``place`` holds things (a room: on its floor); ELSEWHERE where memory does not know or it holds nothing."""
    believed = belief.entities.get(place)
    if believed is None:
        return ELSEWHERE
    if believed.entity.kind is Kind.ROOM:
        return Parent(place, Relation.ROOM)
    relation = belief.vocabulary.spec(believed.entity).relation
    return ELSEWHERE if relation is None else Parent(place, relation)


def nominal_delta(action: Action, belief: Belief, source: str = "schema") -> Delta:
    """What the action changes when all goes as its name says; empty for navigate, look and wait.

    Old values come from the belief where it has any, else from what the action presupposes: a thing is picked from the named place or from
    somewhere unknown, a placed thing was in the hand, an opened door was closed. What a holder holds comes along without a change of its
    own. A thing that is to be put at itself stays where it is.
    """
    thing, place = action.object, action.receptacle
    if thing is not None and thing == place and action.verb in (Verb.PICK, Verb.PLACE):
        return EMPTY
    if action.verb is Verb.PICK and thing is not None:
        believed = belief.entities.get(thing)
        old = believed.parent if believed is not None else None
        if old is None or old == IN_HAND:
            old = ELSEWHERE if place is None else held_at(place, belief)
        return Delta([ParentChange(thing, old, IN_HAND, source=source)])
    if action.verb is Verb.PLACE and thing is not None and place is not None:
        new = held_at(place, belief)
        return EMPTY if new == ELSEWHERE else Delta([ParentChange(thing, IN_HAND, new, source=source)])
    if action.verb in EFFECT:
        attribute, value = EFFECT[action.verb]
        changes = [StateChange(action.subject or "", attribute, not value, value, source=source)]
        if action.fills is not None and takes_liquid(action.fills, belief):
            changes.append(StateChange(action.fills, "filled", False, True, source=source))
        return Delta(changes)
    return EMPTY


def takes_liquid(vessel: str, belief: Belief) -> bool:
    """Whether what is poured there stays: a vessel that is not full already, not a drain."""
    believed = belief.entities.get(vessel)
    if believed is None or believed.attributes.get("filled") is True:
        return False
    return "filled" in belief.vocabulary.spec(believed.entity).attributes


class SchemaSource:
    """Trusts its action model and the claimed flag."""

    name = "schema"

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        if not transition.outcome.success:
            return Estimate(EMPTY, success=0.0)
        return Estimate(nominal_delta(transition.action, transition.belief, self.name), success=1.0)
