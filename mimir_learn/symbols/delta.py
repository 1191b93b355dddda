"""Δ_t: the typed, well-formed change that updates both memories (Eq. 4), and the symbolic `Snapshot` it acts on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

from mimir_learn.errors import SymbolError
from mimir_learn.symbols.vocabulary import ATTRIBUTES, ELSEWHERE, IN_HAND, Parent, Relation


def _check(change: Change, *, ids: tuple[object, ...] = (), parents: tuple[object, ...] = (), values: tuple[object, ...] = ()) -> None:
    """Raise SymbolError for a field of another type than declared: a log or a caller could otherwise smuggle in what equals nothing."""
    if isinstance(change.p, bool) or not isinstance(change.p, Real) or not 0.0 <= change.p <= 1.0:
        raise SymbolError(f"probability {change.p!r} is not a number in [0, 1]")
    if not isinstance(change.source, str):
        raise SymbolError(f"source tag {change.source!r} is not a string")
    for value in ids:
        if not isinstance(value, str) or not value:
            raise SymbolError(f"{value!r} is not an entity id; use ids like 'mug_2'")
    for value in parents:
        if not isinstance(value, Parent):
            raise SymbolError(f"{value!r} is not a Parent")
    for value in values:
        if not isinstance(value, bool):
            raise SymbolError(f"{value!r} is not a Boolean attribute value")


@dataclass(frozen=True, slots=True)
class ParentChange:
    """``entity`` moved from ``old`` to ``new``. ``ELSEWHERE`` as ``new`` means it left and where to is not known."""

    entity: str
    old: Parent
    new: Parent
    p: float = field(default=1.0, compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _check(self, ids=(self.entity,), parents=(self.old, self.new))
        if self.old == self.new:
            raise SymbolError(f"{self.entity}: old and new parent are both {self.old}")
        if self.entity in (self.old.id, self.new.id):
            raise SymbolError(f"{self.entity} cannot be its own parent")

    @property
    def key(self) -> tuple[str, str]:
        return ("parent", self.entity)

    @property
    def atom(self) -> tuple[str, str, str, str]:
        """Identity for scoring: what is true afterwards."""
        return ("relation", self.entity, self.new.relation.value, self.new.id)

    def inverted(self) -> ParentChange:
        return replace(self, old=self.new, new=self.old)


@dataclass(frozen=True, slots=True)
class StateChange:
    """Boolean ``attribute`` of ``entity`` went from ``old`` to ``new``."""

    entity: str
    attribute: str
    old: bool
    new: bool
    p: float = field(default=1.0, compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _check(self, ids=(self.entity,), values=(self.old, self.new))
        if self.attribute not in ATTRIBUTES:
            raise SymbolError(f"{self.attribute!r} is not a declared attribute; known: {', '.join(ATTRIBUTES)}")
        if self.old == self.new:
            raise SymbolError(f"{self.entity}.{self.attribute}: old and new value are both {self.old}")

    @property
    def key(self) -> tuple[str, str]:
        return (f"state:{self.attribute}", self.entity)

    @property
    def atom(self) -> tuple[str, str, str, str]:
        return ("state", self.entity, self.attribute, str(self.new).lower())

    def inverted(self) -> StateChange:
        return replace(self, old=self.new, new=self.old)


@dataclass(frozen=True, slots=True)
class HandChange:
    """The hand held ``old`` and now holds ``new`` (None = nothing)."""

    old: str | None
    new: str | None
    p: float = field(default=1.0, compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _check(self, ids=tuple(side for side in (self.old, self.new) if side is not None))
        if self.old == self.new:
            raise SymbolError(f"hand: old and new are both {self.old!r}")

    @property
    def key(self) -> tuple[str, str]:
        return ("hand", "hand")

    @property
    def atom(self) -> tuple[str, str, str, str]:
        return ("hand", "hand", "holds", self.new or "")

    def inverted(self) -> HandChange:
        return replace(self, old=self.new, new=self.old)


Change = ParentChange | StateChange | HandChange
_TYPES: dict[str, type] = {"parent": ParentChange, "state": StateChange, "hand": HandChange}
_NAMES = {v: k for k, v in _TYPES.items()}


@dataclass(frozen=True)
class Delta:
    """A frozen set of changes that cannot be ill-formed.

    The hand is implied by the relations: a change into or out of the hand always comes with its `HandChange`, which is
    added when absent and checked when present. Raises SymbolError for two changes of one fact, two things in the hand,
    a hand change that contradicts the relations, or a cycle among the new parents.
    """

    changes: frozenset[Change] = frozenset()

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        by_key: dict[tuple[str, str], Change] = {}
        for change in changes:
            if change.key in by_key and by_key[change.key] != change:
                raise SymbolError(f"two changes of one fact: {by_key[change.key]} and {change}")
            by_key[change.key] = change
        _settle_hand(by_key)
        _refuse_cycles(by_key.values())
        object.__setattr__(self, "changes", frozenset(by_key.values()))

    @classmethod
    def fitting(cls, changes: Iterable[Change]) -> Delta:
        """Those of ``changes`` that fit together as one Δ, more probable ones first; of equally probable ones the earlier."""
        kept: list[Change] = []
        for change in sorted(changes, key=lambda c: -c.p):
            try:
                cls([*kept, change])
            except SymbolError:
                continue
            kept.append(change)
        return cls(kept)

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __iter__(self) -> Iterator[Change]:
        """Canonical order, independent of hashing."""
        return iter(sorted(self.changes, key=lambda c: c.key))

    @property
    def parents(self) -> dict[str, ParentChange]:
        return {c.entity: c for c in self if isinstance(c, ParentChange)}

    @property
    def states(self) -> dict[tuple[str, str], StateChange]:
        return {(c.entity, c.attribute): c for c in self if isinstance(c, StateChange)}

    @property
    def hand(self) -> HandChange | None:
        return next((c for c in self.changes if isinstance(c, HandChange)), None)

    @property
    def atoms(self) -> frozenset[tuple[str, str, str, str]]:
        """Facts made true, for precision and recall: old values, probabilities and sources do not count."""
        return frozenset(c.atom for c in self.changes)

    def tagged(self, source: str) -> Delta:
        """The same changes with ``source`` as their tag."""
        return Delta(replace(c, source=source) for c in self.changes)

    def __or__(self, later: Delta) -> Delta:
        """Composition: this Δ, then ``later``. Raises SymbolError where ``later`` starts from another value than this ends in."""
        out: dict[tuple[str, str], Change] = {c.key: c for c in self.changes}
        for change in later.changes:
            first = out.pop(change.key, None)
            if first is None:
                out[change.key] = change
                continue
            if first.new != change.old:
                raise SymbolError(f"cannot compose: first ends in {first.new!r}, second starts from {change.old!r} ({change})")
            if first.old != change.new:
                out[change.key] = replace(change, old=first.old, p=first.p * change.p)  # type: ignore[arg-type]
        return Delta(out.values())

    def __invert__(self) -> Delta:
        """The Δ that undoes this one."""
        return Delta(c.inverted() for c in self.changes)

    def to_json(self) -> str:
        """Canonical JSON: equal Δs with equal probabilities and tags give equal text."""
        return json.dumps([_to_dict(c) for c in self], sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Delta:
        """Inverse of `to_json`. Raises SymbolError naming what is wrong."""
        try:
            return cls(_from_dict(d) for d in json.loads(text))
        except (json.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as e:
            raise SymbolError(f"not a Δ: {text[:200]!r} ({e})") from e


def _settle_hand(by_key: dict[tuple[str, str], Change]) -> None:
    moves = [c for c in by_key.values() if isinstance(c, ParentChange)]
    taken, left = [c for c in moves if c.new == IN_HAND], [c for c in moves if c.old == IN_HAND]
    if len(taken) > 1 or len(left) > 1:
        raise SymbolError(f"the hand holds one thing: {[c.entity for c in taken]} taken, {[c.entity for c in left]} left")
    said = by_key.get(("hand", "hand"))
    if not moves or (not taken and not left):
        if said is not None:
            raise SymbolError(f"{said} without a relation that says so")
        return
    via = taken[0] if taken else left[0]
    implied = HandChange(left[0].entity if left else None, taken[0].entity if taken else None, via.p, via.source)
    if said is not None and said != implied:
        raise SymbolError(f"{said} contradicts the relations, which imply {implied}")
    by_key.setdefault(("hand", "hand"), implied)


def _refuse_cycles(changes: Iterable[Change]) -> None:
    new = {c.entity: c.new.id for c in changes if isinstance(c, ParentChange)}
    for start in new:
        at, seen = start, set()
        while at in new:
            if at in seen:
                raise SymbolError(f"cycle among new parents at {at}")
            seen.add(at)
            at = new[at]


def _to_dict(change: Change) -> dict[str, Any]:
    out: dict[str, Any] = {"type": _NAMES[type(change)]}
    for name in change.__dataclass_fields__:
        value = getattr(change, name)
        out[name] = [value.id, value.relation.value] if isinstance(value, Parent) else value
    return out


def _from_dict(body: dict[str, Any]) -> Change:
    body = dict(body)
    kind = _TYPES[body.pop("type")]
    if kind is ParentChange:
        for side in ("old", "new"):
            if not isinstance(body[side], list):
                raise TypeError(f"{side} is {body[side]!r}, expected [id, relation]")
            place, relation = body[side]
            body[side] = Parent(place, relation)
    return kind(**body)


@dataclass(frozen=True)
class Snapshot:
    """A symbolic state: every entity's parent and every applicable attribute. True (from a simulator) or believed.

    Attributes:
        parents: entity id → Parent. Rooms have none.
        attributes: (entity id, attribute name) → value.
    """

    parents: Mapping[str, Parent]
    attributes: Mapping[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def hand(self) -> str | None:
        """Id of the held entity, if any."""
        return next((e for e, p in self.parents.items() if p == IN_HAND), None)

    def contents(self, parent: str) -> tuple[str, ...]:
        """Ids of the direct children of ``parent``, sorted."""
        return tuple(sorted(e for e, p in self.parents.items() if p.id == parent))

    def diff(self, later: Snapshot, source: str = "") -> Delta:
        """The Δ that leads from here to ``later``. A fact missing on one side is not a change but unknown: it is skipped."""
        moves: list[Change] = [
            ParentChange(e, p, later.parents[e], source=source)
            for e, p in self.parents.items()
            if e in later.parents and later.parents[e] != p
        ]
        flips: list[Change] = [
            StateChange(e, a, v, later.attributes[e, a], source=source)
            for (e, a), v in self.attributes.items()
            if (e, a) in later.attributes and later.attributes[e, a] != v
        ]
        return Delta(moves + flips)

    def apply(self, delta: Delta) -> Snapshot:
        """The state after ``delta``; its new values are written whatever the old ones were."""
        parents, attributes = dict(self.parents), dict(self.attributes)
        for c in delta:
            if isinstance(c, ParentChange):
                parents[c.entity] = c.new
            elif isinstance(c, StateChange):
                attributes[c.entity, c.attribute] = c.new
        return Snapshot(parents, attributes)

    def to_json(self) -> str:
        """Canonical JSON."""
        body = {
            "parents": {e: [p.id, p.relation.value] for e, p in self.parents.items()},
            "attributes": {f"{e}.{a}": v for (e, a), v in self.attributes.items()},
        }
        return json.dumps(body, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Snapshot:
        """Inverse of `to_json`."""
        body = json.loads(text)
        parents = {e: Parent(p[0], Relation(p[1])) for e, p in body["parents"].items()}
        attributes = {(k.rpartition(".")[0], k.rpartition(".")[2]): bool(v) for k, v in body["attributes"].items()}
        return cls(parents, attributes)


EMPTY = Delta()

__all__ = ["EMPTY", "ELSEWHERE", "Change", "Delta", "HandChange", "ParentChange", "Snapshot", "StateChange"]
