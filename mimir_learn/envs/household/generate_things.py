"""The movable things of a house: which, how they look, in what state, and a place for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np

from mimir_learn.symbols import Kind, Parent, Relation

from .generate_rooms import to_world
from .nesting import UPRIGHT, fitting
from .spec import FixtureSpec, RoomSpec, ThingSpec, Vec
from .vocabulary import VOCABULARY
from .wares import Ware, footprint, make_ware

_PER_ROOM = (6, 9)
_PER_HALL = (2, 4)
_USUAL = 0.85  # of things are where such things usually are
_NESTED = 0.18  # of those that could be in a bowl, a box, on a plate … are
_NOVEL = 0.35  # of things in test houses have a held-out shape or colour
_STATES = {"dirty": 0.2, "filled": 0.15, "sliced": 0.04}
_COPIES = (0.4, 0.4, 0.2)  # one, two or three of a category
_GAP = 0.015


@dataclass
class _Shelf:
    """One level of a fixture and the discs (x, y, radius) taken on it."""

    fixture: FixtureSpec
    level: int
    taken: list[tuple[float, float, float]]


def things(
    rooms: list[RoomSpec], fixtures: list[FixtureSpec], rng: np.random.Generator, held_out: bool, chains: bool = True
) -> tuple[ThingSpec, ...]:
    """6–9 things a room, fewer in a hall; several instances of some categories, never two that look the same.

    ``chains``: something may be in a box that stands on a plate. Rarely the geometry then reads the plate as its place; houses of up to
    six rooms keep them because suites hash those houses.
    """
    total = sum(int(rng.integers(low, high + 1)) for low, high in (_PER_HALL if r.category == "hall" else _PER_ROOM for r in rooms))
    shelves = {f.id: [_Shelf(f, i, []) for i in range(len(f.regions))] for f in fixtures if f.regions}
    holders = [f for f in fixtures if f.regions]
    out: list[ThingSpec] = []
    counts: Counter[str] = Counter()
    looks: dict[str, set[tuple[str, str]]] = {}
    for category in _choose(holders, total, rng):
        taken = looks.setdefault(category, set())
        ware = make_ware(category, rng, novel=held_out and rng.random() < _NOVEL, taken=sorted(taken))
        if (ware.variant, ware.colour) in taken:
            continue
        thing = _nested(category, ware, out, counts, rng, chains) or _placed(category, ware, holders, shelves, counts, rng)
        if thing is None:
            continue
        counts[category] += 1
        taken.add((ware.variant, ware.colour))
        out.append(thing)
    return tuple(out)


def _choose(holders: list[FixtureSpec], total: int, rng: np.random.Generator) -> list[str]:
    """Categories, repeated for several instances; those at home in this house come first and something to use them with comes along."""
    there = {f.category for f in holders}
    names = [s.name for s in VOCABULARY.categories.values() if s.kind is Kind.OBJECT]
    weights = np.array([sum(p in there for p in VOCABULARY.spec(n).usual_places) + 0.15 for n in names])
    order = [names[int(i)] for i in rng.choice(len(names), len(names), replace=False, p=weights / weights.sum())]
    out: list[str] = []
    for name in order:
        if len(out) >= total:
            break
        out += [name] * int(rng.choice((1, 2, 3), p=_COPIES))
    out = out[:total]
    if any("sliced" in VOCABULARY.spec(n).attributes for n in out) and "knife" not in out:
        out[-1] = "knife"
    # Dishes that hold other things first, so that something can be in them.
    return sorted(out, key=lambda n: VOCABULARY.spec(n).relation is None)


def _attributes(category: str, rng: np.random.Generator) -> dict[str, bool]:
    given = VOCABULARY.spec(category).attributes
    return {a: True for a, chance in _STATES.items() if a in given and rng.random() < chance}


def _spec(category: str, ware: Ware, counts: Counter[str], parent: Parent, position: Vec, yaw: float, states: dict[str, bool]) -> ThingSpec:
    radius, half = footprint(ware.solid)
    number = counts[category] + 1
    return ThingSpec(
        f"{category}_{number}", category, parent, position, yaw, ware.colour, ware.scale, tuple(ware.parts), ware.solid, ware.mass,
        radius, half, states, ware.holds, ware.variant, ware.novel,
    )  # fmt: skip


def _nested(
    category: str, ware: Ware, out: list[ThingSpec], counts: Counter[str], rng: np.random.Generator, chains: bool
) -> ThingSpec | None:
    """In or on an empty thing that holds things, now and then."""
    if rng.random() >= _NESTED:
        return None
    states = _attributes(category, rng)
    full = {t.parent.id for t in out} | (set() if chains else {t.id for t in out if t.parent.id in {o.id for o in out}})
    trial = _spec(category, ware, counts, Parent("nowhere", Relation.ROOM), (0.0, 0.0, 0.0), 0.0, states)
    for i in rng.permutation(len(out)):
        holder = out[int(i)]
        relation = VOCABULARY.spec(holder.category).relation
        if holder.holds is None or relation is None or holder.id in full or holder.attributes.get("filled") or holder.parent.id in counts:
            continue
        posture = fitting(trial, holder)
        if posture is None or posture.tilt != UPRIGHT:
            continue
        c, s = cos(radians(holder.yaw)), sin(radians(holder.yaw))
        x, y, z = holder.holds.centre
        at: Vec = (
            round(holder.position[0] + c * x - s * y, 5),
            round(holder.position[1] + s * x + c * y, 5),
            round(holder.position[2] + z + trial.half_height + 0.002, 5),
        )
        return _spec(category, ware, counts, Parent(holder.id, relation), at, holder.yaw, states)
    return None


def _placed(
    category: str,
    ware: Ware,
    holders: list[FixtureSpec],
    shelves: dict[str, list[_Shelf]],
    counts: Counter[str],
    rng: np.random.Generator,
) -> ThingSpec | None:
    """In or on a fixture, mostly where such things usually are."""
    usual = VOCABULARY.spec(category).usual_places
    pool = [f for f in holders if f.category in usual] if rng.random() < _USUAL else []
    radius, half = footprint(ware.solid)
    for _ in range(30):
        options = pool or holders
        fixture = options[int(rng.integers(len(options)))]
        at = _spot(shelves[fixture.id], radius, half, rng)
        if at is not None:
            relation = VOCABULARY.spec(fixture.category).relation
            assert relation is not None
            yaw = round(float(rng.uniform(-180, 180)), 1)
            return _spec(category, ware, counts, Parent(fixture.id, relation), at, yaw, _attributes(category, rng))
        pool = []
    return None


def _spot(shelves: list[_Shelf], radius: float, half: float, rng: np.random.Generator) -> Vec | None:
    for _ in range(10):
        shelf = shelves[int(rng.integers(len(shelves)))]
        fixture, region = shelf.fixture, shelf.fixture.regions[shelf.level]
        room = (region.half[0] - radius - 0.005, region.half[1] - radius - 0.005)
        if min(room) < 0 or 2 * half > region.height:
            continue
        x, y = (region.centre[k] + float(rng.uniform(-room[k], room[k])) for k in (0, 1))
        if all((x - ox) ** 2 + (y - oy) ** 2 > (radius + r + _GAP) ** 2 for ox, oy, r in shelf.taken):
            shelf.taken.append((x, y, radius))
            local: Vec = (x, y, region.centre[2] + half + 0.002)
            if region.rides and fixture.attributes.get("open"):
                panel = fixture.panels[0]
                local = tuple(v + a * panel.travel for v, a in zip(local, panel.axis, strict=True))  # type: ignore[assignment]
            return to_world(fixture.position, fixture.yaw, local)
    return None
