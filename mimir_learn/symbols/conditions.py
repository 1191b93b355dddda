"""Conditions: expressions over a symbolic state that say when a task is done, as data (JSON), and their progress.

Terms are entity ids or variables; a variable begins with "?" and is bound by a quantifier around it. "A heated apple in the fridge" is
``Exists("?x", ObjectQuery("apple"), AllOf((Has("?x", "heated"), Exists("?p", ObjectQuery("fridge"), Related("?x", "in", "?p")))))``: both
of the same apple. Quantifiers range over the entities that fit their query in the state at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mimir_learn.errors import SymbolError
from mimir_learn.symbols.delta import Snapshot
from mimir_learn.symbols.queries import ObjectQuery
from mimir_learn.symbols.vocabulary import ATTRIBUTES, HAND, Entity, Kind, Relation


@dataclass(frozen=True, slots=True)
class Related:
    """``thing``'s parent is ``place``, in this relation. ``Related(x, "held", "hand")``: it is in the hand."""

    thing: str
    relation: Relation
    place: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", Relation(self.relation))


@dataclass(frozen=True, slots=True)
class Has:
    """``attribute`` of ``thing`` is ``value``. False where the state knows of no such attribute."""

    thing: str
    attribute: str
    value: bool = True

    def __post_init__(self) -> None:
        if self.attribute not in ATTRIBUTES:
            raise SymbolError(f"{self.attribute!r} is not a declared attribute; known: {', '.join(ATTRIBUTES)}")


@dataclass(frozen=True, slots=True)
class Here:
    """The robot is in the room that ``place`` is in. False where it is not known where the robot is."""

    place: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Exists:
    """Some entity that fits ``over`` makes ``body`` true, taken for ``var``."""

    var: str
    over: ObjectQuery
    body: Condition

    def __post_init__(self) -> None:
        _check_quantifier(self)


@dataclass(frozen=True, slots=True)
class ForAll:
    """Every entity that fits ``over`` makes ``body`` true; true where there is none."""

    var: str
    over: ObjectQuery
    body: Condition

    def __post_init__(self) -> None:
        _check_quantifier(self)


@dataclass(frozen=True, slots=True)
class Count:
    """At least ``least``, and at most ``most`` (None = any number), of the entities that fit ``over`` make ``body`` true."""

    var: str
    over: ObjectQuery
    body: Condition
    least: int = 1
    most: int | None = None

    def __post_init__(self) -> None:
        _check_quantifier(self)
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise SymbolError(f"count of {self.var}: at least {self.least} and at most {self.most} cannot both be")


Quantifier = Exists | ForAll | Count
Condition = Related | Has | Here | AllOf | AnyOf | Not | Exists | ForAll | Count
_OPS: dict[str, type[Any]] = {
    "related": Related, "has": Has, "here": Here, "all": AllOf, "any": AnyOf, "not": Not,
    "exists": Exists, "forall": ForAll, "count": Count,
}  # fmt: skip
_NAMES = {v: k for k, v in _OPS.items()}


def held(thing: str) -> Related:
    """``thing`` is in the hand."""
    return Related(thing, Relation.HELD, HAND.id)


def is_variable(term: str) -> bool:
    return term.startswith("?")


def _check_quantifier(q: Quantifier) -> None:
    if not isinstance(q.var, str) or len(q.var) < 2 or not is_variable(q.var):
        raise SymbolError(f"{q.var!r} is no variable; use names like '?x'")
    if q.over.name is not None:
        raise SymbolError(f"{q.var} ranges over a query named {q.over.name!r}; names belong to goals, conditions have variables")


@dataclass(frozen=True)
class Situation:
    """What conditions are judged on: a symbolic state, who is in it, and the place or room the robot is at (None = not known)."""

    state: Snapshot
    entities: Mapping[str, Entity]
    at: str | None = None

    def room_of(self, entity_id: str | None) -> str | None:
        """Follow parents up to a room; None where they do not lead to one."""
        for _ in range(16):
            entity = None if entity_id is None else self.entities.get(entity_id)
            if entity is None:
                return None
            if entity.kind is Kind.ROOM:
                return entity_id
            if entity.kind is Kind.HAND:
                entity_id = self.at
                continue
            parent = self.state.parents.get(entity.id)
            entity_id = None if parent is None else parent.id
        return None


def holds(condition: Condition, now: Situation, given: Mapping[str, str] | None = None) -> bool:
    """Whether ``condition`` is true ``now``; ``given`` are the values of its free variables.

    Raises SymbolError for a variable that nothing binds.
    """
    given = given or {}

    def term(t: str) -> str:
        if not is_variable(t):
            return t
        try:
            return given[t]
        except KeyError:
            raise SymbolError(f"variable {t} is not bound by any quantifier around it") from None

    match condition:
        case Related():
            parent = now.state.parents.get(term(condition.thing))
            return parent is not None and parent.relation is condition.relation and parent.id == term(condition.place)
        case Has():
            return now.state.attributes.get((term(condition.thing), condition.attribute)) is condition.value
        case Here():
            room = now.room_of(term(condition.place))
            return room is not None and room == now.room_of(now.at)
        case AllOf():
            return all(holds(p, now, given) for p in condition.parts)
        case AnyOf():
            return any(holds(p, now, given) for p in condition.parts)
        case Not():
            return not holds(condition.part, now, given)
    verdicts = (holds(condition.body, now, {**given, condition.var: e}) for e in _domain(condition.over, now))
    if isinstance(condition, Exists):
        return any(verdicts)
    if isinstance(condition, ForAll):
        return all(verdicts)
    number = sum(verdicts)
    return number >= condition.least and (condition.most is None or number <= condition.most)


def progress(condition: Condition, now: Situation, given: Mapping[str, str] | None = None) -> tuple[int, int]:
    """(met, all): of how many conditions a task consists and how many of them hold, as EmbodiedBench counts for its GC.

    A conjunction counts its parts; "at least n of …" counts n, of which as many are met as there are such things; "all …" counts one for
    each; an existence around one of those two takes the binding that gets furthest (two mugs on one and the same table). Anything else
    counts once. All are met exactly when the condition holds, a count's upper limit apart, which then costs one.
    """
    given = given or {}
    match condition:
        case AllOf():
            pairs = [progress(p, now, given) for p in condition.parts]
            return sum(m for m, _ in pairs), sum(n for _, n in pairs)
        case Count(least=least) if least >= 1:
            number = sum(holds(condition.body, now, {**given, condition.var: e}) for e in _domain(condition.over, now))
            excess = condition.most is not None and number > condition.most
            return min(number, least) - excess, least
        case ForAll():
            verdicts = [holds(condition.body, now, {**given, condition.var: e}) for e in _domain(condition.over, now)]
            return sum(verdicts), len(verdicts)
        case Exists(body=Count() | ForAll()):
            options = [progress(condition.body, now, {**given, condition.var: e}) for e in _domain(condition.over, now)]
            return max(options, key=lambda o: (o[0] / o[1] if o[1] else 1.0, o), default=(0, 1))
    return int(holds(condition, now, given)), 1


def _domain(over: ObjectQuery, now: Situation) -> Iterator[str]:
    return (e for e, entity in sorted(now.entities.items()) if over.fits(entity, now.state))


def free_variables(condition: Condition) -> frozenset[str]:
    """Variables that no quantifier binds. Raises SymbolError where a quantifier takes a variable that is bound around it already."""

    def walk(c: Condition, bound: frozenset[str]) -> frozenset[str]:
        match c:
            case Related():
                return frozenset(t for t in (c.thing, c.place) if is_variable(t)) - bound
            case Has():
                return frozenset(t for t in (c.thing,) if is_variable(t)) - bound
            case Here():
                return frozenset(t for t in (c.place,) if is_variable(t)) - bound
            case AllOf() | AnyOf():
                return frozenset().union(*(walk(p, bound) for p in c.parts))
            case Not():
                return walk(c.part, bound)
        if c.var in bound:
            raise SymbolError(f"variable {c.var} is bound twice, one quantifier inside the other; rename one")
        return walk(c.body, bound | {c.var})

    return walk(condition, frozenset())


def with_queries(condition: Condition, change: Callable[[ObjectQuery], ObjectQuery]) -> Condition:
    """The same condition with every quantifier's query changed."""
    match condition:
        case AllOf() | AnyOf():
            return replace(condition, parts=tuple(with_queries(p, change) for p in condition.parts))
        case Not():
            return Not(with_queries(condition.part, change))
        case Exists() | ForAll() | Count():
            return replace(condition, over=change(condition.over), body=with_queries(condition.body, change))
    return condition


def to_dict(condition: Condition) -> dict[str, Any]:
    """Plain JSON types; inverse is `from_dict`."""
    body: dict[str, Any] = {"op": _NAMES[type(condition)]}
    for name in condition.__dataclass_fields__:
        value = getattr(condition, name)
        if isinstance(value, Relation):
            value = value.value
        elif isinstance(value, ObjectQuery):
            value = value.to_dict()
        elif isinstance(value, tuple):
            value = [to_dict(p) for p in value]
        elif type(value) in _NAMES:
            value = to_dict(value)
        body[name] = value
    return body


def from_dict(body: Mapping[str, Any]) -> Condition:
    """Inverse of `to_dict`. Raises SymbolError naming what is wrong."""
    try:
        fields = dict(body)
        kind = _OPS[fields.pop("op")]
        for key, make in (("part", from_dict), ("body", from_dict), ("over", ObjectQuery.from_dict)):
            if key in fields:
                fields[key] = make(fields[key])
        if "parts" in fields:
            fields["parts"] = tuple(from_dict(p) for p in fields["parts"])
        condition: Condition = kind(**fields)
    except SymbolError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise SymbolError(f"not a condition: {str(body)[:200]} ({type(e).__name__}: {e})") from e
    return condition
