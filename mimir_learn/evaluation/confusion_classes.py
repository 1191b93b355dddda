"""What a Δ says in one phrase: its outcome class given the action, and, fact by fact, the kind of change it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mimir_learn.estimator.labels import nominal_atoms
from mimir_learn.estimator.metrics import Atom, Scored
from mimir_learn.symbols import ELSEWHERE, Action, Belief, Kind, Verb

NOMINAL, NOTHING, FLOOR, PLACE, LEFT = "nominal", "nothing", "on the floor", "another place", "left, whereto unknown"
INSTANCE, BROKEN, PART, STATE, MORE = "another thing taken", "broken", "part of it", "another state", "something else only"
CLASSES = (NOMINAL, NOTHING, FLOOR, PLACE, LEFT, INSTANCE, BROKEN, PART, STATE, MORE)
TOO = " + something else"
_UNKNOWN = ELSEWHERE.relation.value


def outcome_class(atoms: Iterable[Atom], action: Action, belief: Belief) -> str:
    """One of `CLASSES`, with `TOO` behind it where things change too that the action neither names nor carries.

    Read off ``atoms`` alone, so the same words describe a true Δ and an estimated one. Of an action without a nominal effect (navigate,
    look, wait) the thing in the hand is what the class is about.
    """
    there = {a for a in atoms if a[0] != "hand"}
    nominal = nominal_atoms(action, belief)
    held = belief.hand
    things = {e for e in (action.object, held) if e is not None}
    mine = {a for a in there if a[1] in things or a[1] in action.arguments or _carried(a[1], things, belief)}
    rest = there - mine
    if action.verb is Verb.PICK and any(a[0] == "relation" and a[2] == "held" and a[1] != action.object for a in there):
        return INSTANCE
    name = _mine(mine, nominal, action.object if action.verb in (Verb.PICK, Verb.PLACE) else held)
    if not rest:
        return name
    return MORE if name == NOTHING else name + TOO


def _mine(mine: set[Atom], nominal: frozenset[Atom], thing: str | None) -> str:
    if not mine:
        return NOTHING
    if any(a[0] == "state" and a[2] == "broken" for a in mine):
        return BROKEN
    if nominal and nominal <= mine:
        return NOMINAL
    where = next((a for a in sorted(mine) if a[0] == "relation" and a[1] == thing), None)
    if where is not None:
        return {"room": FLOOR, _UNKNOWN: LEFT}.get(where[2], PLACE)
    return PART if mine & nominal else STATE


def _carried(entity: str, things: set[str], belief: Belief) -> bool:
    """Whether memory believes ``entity`` in one of ``things``, at whatever depth."""
    for _ in range(8):
        believed = belief.entities.get(entity)
        if believed is None or believed.parent is None:
            return False
        entity = believed.parent.id
        if entity in things:
            return True
    return False


@dataclass(frozen=True, order=True)
class Fact:
    """One fact that truth and answer disagree about.

    Attributes:
        entity: whose. kind: ``where``, or the attribute.
        true, read: what is true of it and what was read: ``stays``, ``in the hand``, ``floor``, ``place``, ``in a thing``, ``elsewhere``;
            ``set``, ``cleared``. ``other …`` where both name one of a kind, but not the same one.
        parent: id of the true new parent, "" where there is none.
    """

    entity: str
    kind: str
    true: str
    read: str
    parent: str = ""


def facts(scored: Scored) -> list[Fact]:
    """The facts that an answer has wrong, sorted; empty when it is exact. Those of the hand are implied by others and left out."""
    true, read = _by_fact(scored.true_atoms()), _by_fact(scored.predicted_atoms())
    out = []
    for key in true.keys() | read.keys():
        t, r = true.get(key), read.get(key)
        if t == r:
            continue
        said, found = _label(t, scored.holders), _label(r, scored.holders)
        parent = t[3] if t is not None and key[1] == "where" and t[2] != _UNKNOWN else ""
        out.append(Fact(*key, said, f"other {found}" if said == found else found, parent))
    return sorted(out)


def true_facts(scored: Scored) -> list[tuple[str, str]]:
    """(kind, value) of everything that truly changed, as `Fact` names them; the hand left out."""
    return sorted((key[1], _label(atom, scored.holders)) for key, atom in _by_fact(scored.true_atoms()).items())


def _by_fact(atoms: Iterable[Atom]) -> dict[tuple[str, str], Atom]:
    return {(a[1], "where" if a[0] == "relation" else a[2]): a for a in atoms if a[0] != "hand"}


def _label(atom: Atom | None, holders: frozenset[str]) -> str:
    if atom is None:
        return "stays"
    if atom[0] == "state":
        return "set" if atom[3] == "true" else "cleared"
    return {"held": "in the hand", "room": "floor", _UNKNOWN: "elsewhere"}.get(atom[2], "in a thing" if atom[3] in holders else "place")


def is_thing(belief: Belief, entity: str) -> bool:
    """Whether memory knows ``entity`` as something that can move."""
    known = belief.entities.get(entity)
    return known is not None and known.entity.kind is Kind.OBJECT
