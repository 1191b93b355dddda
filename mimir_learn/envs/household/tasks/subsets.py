"""The subsets: what kinds of tasks each is made of, and how it speaks of things and places.

- ``base``: things and places by category.
- ``common_sense``: at least one of them by use or kind ("something to cut bread with", "where milk is kept cold").
- ``complex_instruction``: conditions, exceptions, relative clauses that constrain, bystanders to leave alone; see `intricate`.
- ``long_horizon``: three to six goals that mostly need one another; see `recipes`.
- ``spatial``: at least one thing or place told apart from its like by where it is.
- ``appearance``: at least one thing told apart from its like by colour, size or visible state.
- ``sequence``: done in turn, some of it undoing what was done before; see `sequences`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from . import intricate, recipes, refer, sequences
from .clauses import Clause
from .compose import Draft
from .refer import Maker, Ref
from .simple import Speech, any_kind, clause, pair
from .world import World

Maker_ = Callable[[World, np.random.Generator], Draft | None]


def _draft(world: World, rng: np.random.Generator, weights: dict[str, float], speech: Speech, styles: frozenset[str]) -> Draft | None:
    """One clause, or two, of which at least one speaks in one of ``styles`` (any, where there are none)."""
    kind = any_kind(rng, weights)
    made = (
        pair(world, rng, _COUPLES[int(rng.integers(len(_COUPLES)))], speech)
        if kind == "several"
        else _single(clause(kind, world, rng, speech))
    )
    if made is None or (styles and not any(r.style in styles for c in made for r in c.refs)):
        return None
    return Draft(kind, tuple(made))


def _single(made: Clause | None) -> list[Clause] | None:
    return None if made is None else [made]


_COUPLES = (
    ("place", "place"),
    ("place", "turn_on"),
    ("place", "close"),
    ("put_and_close", "place"),
    ("place", "turn_off"),
    ("open", "place"),
)

_BASE = {
    "place": 3.0, "place_sliced": 1.0, "two": 3.0, "all": 2.0, "look": 2.5, "heat": 2.0, "cool": 2.0, "clean": 3.0, "heat_sliced": 0.5,
    "cool_sliced": 0.5, "stack": 3.0, "stack_sliced": 0.7, "several": 3.0, "put_and_close": 2.0, "fill": 1.5, "turn_on": 0.4, "open": 0.4,
}  # fmt: skip


def base(world: World, rng: np.random.Generator) -> Draft | None:
    return _draft(world, rng, _BASE, Speech(), frozenset())


# ---- common sense --------------------------------------------------------------------------------------------------------

_COMMON = {
    "place": 4.0, "place_sliced": 0.7, "all": 1.5, "two": 1.0, "look": 1.5, "heat": 2.0, "cool": 2.0, "clean": 3.0, "stack": 2.0,
    "put_and_close": 2.0, "fill": 1.0, "several": 1.5,
}  # fmt: skip


def _or(special: Maker, plain: Maker, p: float) -> Maker:
    """``special`` with chance p where it has an answer, else ``plain``."""

    def maker(world: World, rng: np.random.Generator, entity_id: str) -> Ref | None:
        found = special(world, rng, entity_id) if rng.random() < p else None
        return found or plain(world, rng, entity_id)

    return maker


_BY_USE = Speech(_or(refer.thing_by_use, refer.plain_thing, 0.85), _or(refer.place_by_use, refer.plain_place, 0.6))


def common_sense(world: World, rng: np.random.Generator) -> Draft | None:
    return _draft(world, rng, _COMMON, _BY_USE, frozenset({"use"}))


# ---- spatial -------------------------------------------------------------------------------------------------------------

_SPATIAL = {
    "place": 4.0, "place_sliced": 0.5, "two": 1.5, "all": 1.0, "look": 1.0, "heat": 1.0, "cool": 1.0, "clean": 2.0, "stack": 1.5,
    "put_and_close": 2.0, "open": 0.5, "close": 0.5, "turn_on": 0.5, "several": 1.5,
}  # fmt: skip


def _thing_by_place(world: World, rng: np.random.Generator, thing: str) -> Ref | None:
    """To the side of something, next to something, or alone in a room; the finer ones first."""
    fine = [r for m in (refer.thing_by_side, refer.thing_beside) if (r := m(world, rng, thing)) is not None]
    return fine[int(rng.integers(len(fine)))] if fine else refer.thing_in_room(world, rng, thing)


_BY_PLACE = Speech(_or(_thing_by_place, refer.plain_thing, 0.8), _or(refer.place_by_landmark, refer.plain_place, 0.85))
_FINE = frozenset({"side", "beside", "nearest"})


def spatial(world: World, rng: np.random.Generator) -> Draft | None:
    """Mostly by neighbours, sides and distances; by room alone in a quarter of the draws at most."""
    return _draft(world, rng, _SPATIAL, _BY_PLACE, _FINE if rng.random() < 0.75 else _FINE | {"room"})


# ---- appearance ----------------------------------------------------------------------------------------------------------

_LOOKS = {
    "place": 4.0, "place_sliced": 0.5, "look": 1.5, "heat": 1.5, "cool": 1.5, "clean": 3.0, "stack": 2.5, "put_and_close": 2.0, "fill": 1.0,
    "several": 2.0,
}  # fmt: skip
_BY_LOOKS = Speech(_or(refer.thing_by_looks, refer.plain_thing, 0.9), refer.plain_place)


def appearance(world: World, rng: np.random.Generator) -> Draft | None:
    return _draft(world, rng, _LOOKS, _BY_LOOKS, frozenset({"colour", "size", "state"}))


MAKERS: Mapping[str, Maker_] = MappingProxyType(
    {
        "base": base,
        "common_sense": common_sense,
        "complex_instruction": intricate.draft,
        "long_horizon": recipes.draft,
        "spatial": spatial,
        "appearance": appearance,
        "sequence": sequences.draft,
    }
)
SUBSETS = tuple(MAKERS)
"""In the order in which they came to be: samplers and builders draw by it, so new ones go behind."""
COURSES = ("sequence",)
"""Subsets whose tasks are judged over the episode: order counts there."""
WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "base": _BASE,
        "common_sense": _COMMON,
        "complex_instruction": intricate.WEIGHTS,
        "long_horizon": recipes.WEIGHTS,
        "spatial": _SPATIAL,
        "appearance": _LOOKS,
        "sequence": sequences.WEIGHTS,
    }
)
"""How often each kind should come up; what a house offers decides how often it does."""
