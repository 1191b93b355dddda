"""Which things and places a task is about: what is possible in this house, with a liking for what needs memory.

Things in closed containers and in other rooms than their target come up more often than what lies beside it, and things go rather to
where such things usually are than anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np

from mimir_learn.symbols import Entity, Kind

from .world import World

SPECIAL = frozenset({"toilet", "burner", "bin", "bathtub", "washer", "dishwasher", "oven", "microwave", "freezer", "sink", "chair"})
"""Places where one puts only what usually goes there."""

PRIVATE = frozenset({"bed", "sofa", "armchair", "wardrobe", "dresser", "safe", "bookcase", "tv_stand"})
"""Places where one seldom puts anything else than what usually goes there."""


def shuffled(rng: np.random.Generator, items: Sequence[str], weight: Callable[[str], float]) -> Iterator[str]:
    """``items`` in random order, heavier ones tending to the front; those of weight 0 left out."""
    weights = np.array([weight(i) for i in items], dtype=float)
    keys = np.where(weights > 0, rng.random(len(items)) ** (1 / np.maximum(weights, 1e-9)), -1.0)
    return (items[int(i)] for i in np.argsort(-keys, kind="stable") if keys[int(i)] > 0)


def things(world: World, rng: np.random.Generator, fit: Callable[[str], bool] = lambda _: True, avoid: Iterable[str] = ()) -> Iterator[str]:
    """Things that can be taken, hold nothing, and ``fit``; those shut away tend to come first. ``avoid``: categories that will not do."""
    unwanted = set(avoid)
    ids = [t.id for t in world.things() if t.category not in unwanted and not world.state.contents(t.id) and fit(t.id)]
    return shuffled(rng, ids, lambda t: 5.0 if world.shut_in(t) else 1.0)


def groups(world: World, rng: np.random.Generator, most: int = 3, avoid: Iterable[str] = ()) -> Iterator[list[str]]:
    """Two or three things of one category, as many as can be taken; often all that the house has."""
    by_category: dict[str, list[str]] = {}
    for thing in things(world, rng, avoid=avoid):
        by_category.setdefault(world.entities[thing].category, []).append(thing)
    names = [c for c, ids in by_category.items() if len(ids) >= 2]
    for category in (names[int(i)] for i in rng.permutation(len(names))):
        ids = by_category[category]
        yield ids[:2] if len(ids) > most or (len(ids) > 2 and rng.random() < 0.4) else ids


def targets(
    world: World,
    rng: np.random.Generator,
    moved: Sequence[str],
    *,
    openable: bool | None = None,
    avoid: Iterable[str] = (),
    rooms: bool = True,
) -> Iterator[str]:
    """Places for ``moved`` to go to, likely ones first. ``avoid``: place ids that will not do."""
    unwanted = {*avoid, *(world.place(t) for t in moved)}
    usual = set(world.vocabulary.spec(world.entities[moved[0]].category).usual_places)
    room = world.room(moved[0])

    def weight(place: str) -> float:
        if not all(suits(world, t, place) for t in moved):
            return 0.0
        category = world.entities[place].category
        return (6.0 if category in usual else 0.3 if category in PRIVATE else 1.0) * (3.0 if rooms and world.room(place) != room else 1.0)

    return shuffled(rng, [p.id for p in world.receptacles(moved, openable=openable) if p.id not in unwanted], weight)


NOT_FOR_FILLED = frozenset({"dishwasher", "washer", "bin", "sink", "bathtub", "toilet", "bed", "sofa", "armchair", "wardrobe", "dresser"})
"""Places where nobody puts something full of water."""


def spoilers(world: World, effect: str) -> frozenset[str]:
    """Categories of devices whose rule clears ``effect``: what was heated does not stay so in the fridge."""
    return frozenset(rule.category for rule in world.vocabulary.rules if effect in rule.clears)


def unfit(world: World, effect: str, thing: str) -> frozenset[str]:
    """Places that ``thing`` cannot go to once it is heated, cooled or cleaned: where that is done, where it is undone, the bin if clean."""
    means = {holder for _, _, holder in world.means(effect, thing)}
    bad = {*spoilers(world, effect), *(("bin", "toilet") if effect == "cleaned" else ())}
    return frozenset(means | {e.id for e in world.of(Kind.RECEPTACLE) if e.category in bad})


def of_categories(world: World, categories: Collection[str]) -> frozenset[str]:
    """Ids of all places of these categories."""
    return frozenset(e.id for e in world.of(Kind.RECEPTACLE) if e.category in categories)


def suits(world: World, thing: str, place: str) -> bool:
    """Whether somebody might want ``thing`` there: no statue in the fridge, no book in the bathtub."""
    category = world.entities[place].category
    usual = world.vocabulary.spec(world.entities[thing].category).usual_places
    if category in SPECIAL and category not in usual:
        return False
    return category != "fridge" or "cooled" in world.attributes(thing)


def devices(world: World, attribute: str, value: bool | None = None) -> list[Entity]:
    """Places and devices that have a switchable state (``open``, ``on``), where it is ``value`` now."""
    fixed = [e for kind in (Kind.RECEPTACLE, Kind.FIXTURE) for e in world.of(kind)]
    return [e for e in fixed if (now := world.state.attributes.get((e.id, attribute))) is not None and value in (None, now)]


def carries(world: World, holder: str, thing: str) -> bool:
    """Whether ``thing`` goes into or onto the movable receptacle ``holder`` as it is now: whole, empty and big enough."""
    spec = world.vocabulary.spec(world.entities[holder])
    alike = world.alike(world.entities[thing].category)
    if any(world.entities[world.parent(t.id)].category == spec.name for t in alike):
        return False  # one is in one already
    return (
        spec.relation is not None
        and world.entities[thing].category != spec.name
        and not world.state.contents(holder)
        and not world.is_(holder, "filled")
        and world.room_for([thing], holder)
    )


def can(world: World, thing: str, effect: str) -> bool:
    """Whether this house can heat, cool or clean ``thing``, and has not yet. Nobody washes bread."""
    if effect == "cleaned" and world.entities[thing].category in ("bread", "egg"):
        return False
    return not world.is_(thing, effect) and bool(world.means(effect, thing))


def cuttable(world: World, thing: str) -> bool:
    """Whether ``thing`` can be sliced here and is whole: there is a knife to be had."""
    knives = [k for k in world.tools("slice") if k.kind is Kind.OBJECT and world.reachable(k.id)]
    return world.state.attributes.get((thing, "sliced")) is False and bool(knives)


def fillable(world: World, thing: str) -> bool:
    return world.state.attributes.get((thing, "filled")) is False and bool(world.tools("fill")) and not world.state.contents(thing)
