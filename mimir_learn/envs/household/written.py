"""Houses from JSON, perhaps written by hand: what is wrong is named by entity and key, and viewpoints left out are computed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import Parent, Relation

from .furniture import Design
from .ground import footprint
from .spec import Doorway, FixtureSpec, HouseSpec, Panel, Part, Region, RoomSpec, ThingSpec, Viewpoint
from .viewpoints import fixture_viewpoints, room_viewpoints, unblocked
from .vocabulary import VOCABULARY

T = TypeVar("T")
Reader = Callable[[Any, str], Any]
_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
_TOO_WRONG = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, StopIteration)  # of numbers that are none


def read(text: str) -> HouseSpec:
    """The house that a JSON text describes. Raises SymbolError with one sentence that names what is wrong."""
    try:
        body = json.loads(text)
    except ValueError as e:
        raise SymbolError(f"not a house: this is no JSON, or its end is cut off ({e})") from None
    except RecursionError:
        raise SymbolError("not a house: lists and objects are nested too deeply") from None
    _object(body, "the whole file")
    _known(body, ("seed", "rooms", "fixtures", "things", "doorways"), "the house")
    absent = [k for k in ("rooms", "fixtures", "things") if k not in body]
    if absent:
        raise SymbolError(f"not a house: {', '.join(absent)} missing; a house has lists of rooms, fixtures, things and, if any, doorways")
    house = HouseSpec(
        body.get("seed", -1),
        _named(body, "rooms", _room),
        _named(body, "fixtures", _fixture),
        _named(body, "things", _thing),
        _named(body, "doorways", _doorway) if "doorways" in body else (),
    )
    blind = [e["id"] for key in ("rooms", "fixtures") for e in body[key] if "viewpoints" not in e]
    try:
        if blind:
            house = _aimed(house, blind)
        house.validate()
    except _TOO_WRONG as e:
        raise SymbolError(f"not a house: a value is of a kind that it cannot have ({e})") from e
    return house


def _object(body: Any, where: str) -> None:
    if not isinstance(body, Mapping):
        raise SymbolError(f"not a house: {where} must be an object, {{…}}, not {_KINDS.get(type(body), repr(body))}")


def _known(body: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in body:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            cure = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
            raise SymbolError(f"not a house: {where}: there is no key {key!r}; {cure}")


def _made(kind: type[T], body: Any, where: str, **readers: Reader) -> T:
    """A dataclass from an object: ``readers`` for keys that are more than numbers and texts."""
    _object(body, where)
    slots = fields(kind)  # type: ignore[arg-type]
    _known(body, tuple(f.name for f in slots), where)
    needed = [f.name for f in slots if f.default is MISSING and f.default_factory is MISSING]
    if absent := [n for n in needed if n not in body]:
        raise SymbolError(f"not a house: {where}: {', '.join(map(repr, absent))} missing; needed are {', '.join(needed)}")
    return kind(**{k: readers[k](v, f"{where}: {k}") if k in readers else _tuples(v) for k, v in body.items()})


def _tuples(body: Any) -> Any:
    return tuple(_tuples(x) for x in body) if isinstance(body, list) else body


def _list(body: Any, where: str) -> list[Any]:
    if not isinstance(body, list):
        raise SymbolError(f"not a house: {where} must be a list, […], not {_KINDS.get(type(body), repr(body))}")
    return body


def _each(kind: type[Any], **readers: Reader) -> Reader:
    return lambda body, where: tuple(_made(kind, x, f"{where}[{i}]", **readers) for i, x in enumerate(_list(body, where)))


def _named(body: Mapping[str, Any], key: str, make: Callable[[Any, str], T]) -> tuple[T, ...]:
    out = []
    for i, item in enumerate(_list(body[key], key)):
        name = f" ({item['id']})" if isinstance(item, Mapping) and "id" in item else ""
        out.append(make(item, f"{key}[{i}]{name}"))
    return tuple(out)


def _parent(body: Any, where: str) -> Parent:
    _object(body, where)
    _known(body, ("id", "relation"), where)
    if not isinstance(body.get("id"), str) or body.get("relation") not in [r.value for r in Relation]:
        allowed = ", ".join(repr(r.value) for r in Relation)
        raise SymbolError(f"not a house: {where} must have an id, and a relation of {allowed}; got {json.dumps(body)[:80]}")
    return Parent(body["id"], Relation(body["relation"]))


def _attributes(body: Any, where: str) -> Mapping[str, bool]:
    _object(body, where)
    return dict(body)


def _part(body: Any, where: str) -> Part:
    return _made(Part, body, where)


def _region(body: Any, where: str) -> Region | None:
    return None if body is None else _made(Region, body, where)


_PARTS, _VIEWS = _each(Part), _each(Viewpoint)


def _room(body: Any, where: str) -> RoomSpec:
    return _made(RoomSpec, body, where, viewpoints=_VIEWS, decor=_PARTS)


def _doorway(body: Any, where: str) -> Doorway:
    return _made(Doorway, body, where)


def _fixture(body: Any, where: str) -> FixtureSpec:
    panels = _each(Panel, parts=_PARTS)
    more = {"parts": _PARTS, "panels": panels, "regions": _each(Region), "viewpoints": _VIEWS}
    return _made(FixtureSpec, body, where, parent=_parent, attributes=_attributes, **more)


def _thing(body: Any, where: str) -> ThingSpec:
    return _made(ThingSpec, body, where, parent=_parent, attributes=_attributes, parts=_PARTS, solid=_part, holds=_region)


def _aimed(house: HouseSpec, blind: Sequence[str]) -> HouseSpec:
    """The house with viewpoints for the rooms and fixtures of ``blind``, made as the generator makes them."""
    try:
        rooms = tuple(replace(r, viewpoints=_across(r, house)) if r.id in blind else r for r in house.rooms)
        done: dict[str, FixtureSpec] = {}
        for f in sorted(house.fixtures, key=lambda f: f.parent.relation is not Relation.ROOM):  # carriers first
            done[f.id] = replace(f, viewpoints=_before(f, house, done)) if f.id in blind else f
        return replace(house, rooms=rooms, fixtures=tuple(done[f.id] for f in house.fixtures))
    except _TOO_WRONG as e:  # whatever is no number is named by the checks that every house goes through
        some = (Viewpoint((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)),)
        seeing = [replace(s, viewpoints=s.viewpoints or some) for s in house.fixtures]
        replace(house, rooms=tuple(replace(r, viewpoints=r.viewpoints or some) for r in house.rooms), fixtures=tuple(seeing)).validate()
        raise SymbolError("no viewpoints can be computed for this house; give every room and fixture some") from e


def _standing(house: HouseSpec, room: str) -> list[FixtureSpec]:
    return [f for f in house.fixtures if f.room == room and f.parent.relation is Relation.ROOM]


def _across(room: RoomSpec, house: HouseSpec) -> tuple[Viewpoint, ...]:
    inside = [(f.position[0] - room.centre[0], f.position[1] - room.centre[1], f.size) for f in _standing(house, room.id)]
    return room_viewpoints(room.centre, room.size, inside)


def _before(f: FixtureSpec, house: HouseSpec, done: Mapping[str, FixtureSpec]) -> tuple[Viewpoint, ...]:
    """Before a fixture, or before what carries it: then the carrier's own viewpoints where those show it."""
    room = next(r for r in house.rooms if r.id == f.room)
    carrier = done.get(f.parent.id)
    base = carrier or f
    low, high = _levels(f)
    if carrier is not None:
        least, most = _levels(carrier)
        if least - 0.15 <= low <= most + 0.05 and high <= most + 0.3:
            return carrier.viewpoints
    reach = max((abs(p.travel) for p in f.panels if p.joint == "slide"), default=0.0)
    others = [o for o in _standing(house, f.room) if o.id != base.id]
    under = [o for o in others if low > 1.1 and _over(base, footprint(o))]
    eye = None
    if low > 1.1 and base is f and f.regions:  # hung on a wall
        eye = 1.7
    elif reach or (VOCABULARY.spec(f.category).relation is Relation.IN and "open" not in f.attributes):  # seen from above
        eye = min(1.65, max(1.35, f.position[2] + f.size[2] + 0.75))
    hung = low - 0.02 if eye == 1.7 else 0.0
    plan = Design(base.size, regions=list(f.regions), focus=(low, high), reach=reach, eye=eye, hung=hung)
    beneath = max((o.size[1] - f.size[1] for o in under), default=0.0)
    views = fixture_viewpoints(plan, base.position, base.yaw, room.centre, room.size, beneath=max(0.0, beneath))
    return unblocked(views, [footprint(o) for o in others if o not in under])


def _levels(f: FixtureSpec) -> tuple[float, float]:
    """Lowest and highest level at which it holds things; of a device three quarters of its height."""
    levels = [f.position[2] + r.centre[2] for r in f.regions] or [f.position[2] + 0.75 * f.size[2]]
    return min(levels), max(levels)


def _over(f: FixtureSpec, block: tuple[float, float, float, float, float]) -> bool:
    return block[0] <= f.position[0] <= block[2] and block[1] <= f.position[1] <= block[3]
