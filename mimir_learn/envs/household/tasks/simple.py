"""Single clauses of every kind for one house: things and places chosen, and spoken of as a subset wants it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from mimir_learn.symbols import Kind

from . import choose, clauses
from .clauses import Clause
from .refer import Maker, Ref, plain_place, plain_thing, some_things
from .wording import choice
from .world import World

EFFECTS = {"heat": "heated", "cool": "cooled", "clean": "cleaned"}
Relevant = Callable[[str], bool]


@dataclass(frozen=True)
class Speech:
    """How a subset speaks: makers for things and for places, each of which may decline."""

    thing: Maker = plain_thing
    place: Maker = plain_place


PLAIN = Speech()


def clause(kind: str, world: World, rng: np.random.Generator, speech: Speech = PLAIN) -> Clause | None:
    """A clause of this kind, None where the house offers none or words fail."""
    return _MAKERS[kind](world, rng, speech)


def _thing(world: World, rng: np.random.Generator, speech: Speech, fit: Relevant = lambda _: True) -> Ref | None:
    """The first thing in order of liking that can be spoken of."""
    return next((r for t in choose.things(world, rng, fit) if (r := speech.thing(world, rng, t)) is not None), None)


def target(
    world: World,
    rng: np.random.Generator,
    speech: Speech,
    moved: Sequence[str],
    *,
    openable: bool | None = None,
    avoid: Collection[str] = (),
) -> Ref | None:
    """A place for ``moved``, and how to speak of it; no place it can mean holds one of their categories yet."""
    categories = {world.entities[t].category for t in moved}
    for place in choose.targets(world, rng, moved, openable=openable, avoid=avoid):
        ref = speech.place(world, rng, place)
        if ref is not None and not any(world.entities[e].category in categories for p in ref.ids for e in world.state.contents(p)):
            return ref
    return None


def _place(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    thing = _thing(world, rng, speech)
    where = None if thing is None else target(world, rng, speech, [thing.id])
    return None if thing is None or where is None else clauses.place(world, rng, thing, where)


def _place_sliced(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    thing = _thing(world, rng, speech, lambda t: choose.cuttable(world, t))
    where = None if thing is None else target(world, rng, speech, [thing.id])
    return None if thing is None or where is None else clauses.place(world, rng, thing, where, cut=True)


def _several(every: bool) -> Callable[[World, np.random.Generator, Speech], Clause | None]:
    def make(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
        for ids in choose.groups(world, rng):
            whole = len(ids) == len(world.alike(world.entities[ids[0]].category))
            if whole is not every:
                if every or len(ids) < 3:
                    continue
                ids = ids[:2]
            where = target(world, rng, speech, ids)
            if where is not None:
                return clauses.two(world, rng, some_things(world, rng, ids), where, ids)
        return None

    return make


def _look(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    """Under a lamp that is off; so are all that the expression can mean."""
    off = [e.id for e in choose.devices(world, "on", False) if e.category in ("lamp", "desk_lamp")]
    lamps = (speech.place(world, rng, lamp) for lamp in choose.shuffled(rng, off, lambda _: 1.0))
    lamp = next((r for r in lamps if r is not None and not any(world.is_(e, "on") for e in r.ids)), None)
    thing = None if lamp is None else _thing(world, rng, speech)
    return None if lamp is None or thing is None else clauses.look(world, rng, thing, lamp)


def _treat(kind: str, cut: bool = False) -> Callable[[World, np.random.Generator, Speech], Clause | None]:
    effect = EFFECTS[kind]

    def make(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
        def fit(t: str) -> bool:
            return choose.can(world, t, effect) and (not cut or choose.cuttable(world, t))

        thing = _thing(world, rng, speech, fit)
        if thing is None:
            return None
        if effect == "cleaned" and thing.style in ("state", "such") and not world.is_(thing.id, "dirty"):
            return None  # nobody asks to wash "the spotless plate"
        avoid = choose.unfit(world, effect, thing.id)
        where = target(world, rng, speech, [thing.id], avoid=avoid)
        return None if where is None else clauses.treat(world, rng, effect, thing, where, cut=cut)

    return make


def _stack(cut: bool) -> Callable[[World, np.random.Generator, Speech], Clause | None]:
    def make(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
        for holder_id in choose.things(world, rng, lambda t: world.vocabulary.spec(world.entities[t]).relation is not None):
            holder = speech.thing(world, rng, holder_id) or plain_thing(world, rng, holder_id)
            inside = [
                t for t in choose.things(world, rng) if choose.carries(world, holder_id, t) and (not cut or choose.cuttable(world, t))
            ]
            thing = next((r for t in inside if (r := speech.thing(world, rng, t)) is not None), None)
            where = None if thing is None else target(world, rng, speech, [holder_id])
            if thing is not None and where is not None:
                return clauses.stack(world, rng, thing, holder, where, cut=cut)
        return None

    return make


def _put_and_close(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    thing = _thing(world, rng, speech)
    where = None if thing is None else target(world, rng, speech, [thing.id], openable=True)
    return None if thing is None or where is None else clauses.put_and_close(world, rng, thing, where, close=rng.random() < 0.7)


def _fill(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    vessel = _thing(world, rng, speech, lambda t: choose.fillable(world, t))
    if vessel is None:
        return None
    return clauses.fill(
        world, rng, vessel, target(world, rng, speech, [vessel.id], avoid=choose.of_categories(world, choose.NOT_FOR_FILLED))
    )


def _empty(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    def fit(t: str) -> bool:
        return world.is_(t, "filled") and all(world.is_(o.id, "filled") for o in world.alike(world.entities[t].category))

    vessel = _thing(world, rng, speech, fit) if world.tools("pour") else None
    return None if vessel is None else clauses.empty(world, rng, vessel)


def _slice(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
    def fit(t: str) -> bool:
        return choose.cuttable(world, t) and not any(world.is_(o.id, "sliced") for o in world.alike(world.entities[t].category))

    thing = _thing(world, rng, speech, fit)
    return None if thing is None else clauses.slice_(world, rng, thing)


def _state(attribute: str, value: bool) -> Callable[[World, np.random.Generator, Speech], Clause | None]:
    def make(world: World, rng: np.random.Generator, speech: Speech) -> Clause | None:
        now = choose.devices(world, attribute, not value)
        ids = [e.id for e in now if attribute == "open" or (e.kind is Kind.FIXTURE and (e.category != "faucet" or not value))]
        for device in choose.shuffled(rng, ids, lambda _: 1.0):
            ref = speech.place(world, rng, device)
            alike = (device,) if ref is None or ref.query.instance else tuple(e.id for e in world.alike(world.entities[device].category))
            if ref is not None and all(world.state.attributes[e, attribute] is not value for e in alike):
                return clauses.state(world, rng, ref, attribute, value)
        return None

    return make


_MAKERS: dict[str, Callable[[World, np.random.Generator, Speech], Clause | None]] = {
    "place": _place,
    "place_sliced": _place_sliced,
    "two": _several(every=False),
    "all": _several(every=True),
    "look": _look,
    **{kind: _treat(kind) for kind in EFFECTS},
    **{f"{kind}_sliced": _treat(kind, cut=True) for kind in ("heat", "cool")},
    "stack": _stack(cut=False),
    "stack_sliced": _stack(cut=True),
    "put_and_close": _put_and_close,
    "fill": _fill,
    "empty": _empty,
    "slice": _slice,
    "open": _state("open", True),
    "close": _state("open", False),
    "turn_on": _state("on", True),
    "turn_off": _state("on", False),
}
KINDS = tuple(_MAKERS)
"""Kinds of single clauses: ALFRED's seven (place, two, look, clean, heat, cool, stack) with sliced variants, all of a category, into
something and closed again, fill, empty, slice, and the switching of doors and devices."""


def pair(world: World, rng: np.random.Generator, kinds: tuple[str, str], speech: Speech = PLAIN) -> list[Clause] | None:
    """Two clauses that are not in each other's way."""
    from .compose import compatible

    for _ in range(4):
        found = [clause(k, world, rng, speech) for k in kinds]
        made = [c for c in found if c is not None]
        if len(made) == len(found) and compatible(world, made):
            return made
    return None


def any_kind(rng: np.random.Generator, weights: dict[str, float]) -> str:
    names = list(weights)
    p = np.array([weights[n] for n in names])
    return choice(rng, names) if p.sum() == 0 else names[int(rng.choice(len(names), p=p / p.sum()))]
