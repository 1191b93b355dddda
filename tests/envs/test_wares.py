"""The movable things: every category, in ordinary and held-out looks, within budget and of sane sizes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import VOCABULARY
from mimir_learn.envs.household.nesting import fitting
from mimir_learn.envs.household.shapes import bounds, triangles
from mimir_learn.envs.household.spec import Part, ThingSpec
from mimir_learn.envs.household.textures import PATTERNS
from mimir_learn.envs.household.wares import (
    ALL_COLOURS,
    COLOURS,
    HELD_OUT_COLOURS,
    LINES,
    MAX_DRAWN,
    MAX_TRIANGLES,
    Ware,
    build_ware,
    footprint,
    make_ware,
)
from mimir_learn.envs.household.wares.stock import SCALES
from mimir_learn.errors import SymbolError
from mimir_learn.symbols import ATTRIBUTES, Kind, Parent, Relation

CATEGORIES = sorted(LINES)
SHAPES = [(category, variant) for category, line in LINES.items() for variant in (*line.shapes, *line.held_out_shapes)]
SEEDS = st.integers(0, 2**32 - 1)


def drawn(ware: Ware, *states: str) -> list[Part]:
    """The parts one sees while exactly ``states`` are true."""
    return [p for p in ware.parts if not p.when or (p.when.removeprefix("!") in states) != p.when.startswith("!")]


def shown_states(ware: Ware) -> set[str]:
    return {p.when.removeprefix("!") for p in ware.parts if p.when}


def extent(solid: Part) -> tuple[float, float, float]:
    """Half extents (x, y, z) of a collision solid."""
    if solid.shape == "box":
        return (solid.size[0], solid.size[1], solid.size[2])
    r = solid.size[0]
    return (r, r, r) if solid.shape == "sphere" else (r, r, solid.size[1])


def test_every_movable_category_has_a_line_and_no_other() -> None:
    assert set(LINES) == {s.name for s in VOCABULARY.categories.values() if s.kind is Kind.OBJECT}


def test_ordinary_and_held_out_looks_are_disjoint() -> None:
    assert not set(COLOURS) & set(HELD_OUT_COLOURS)
    assert len(set(ALL_COLOURS.values())) == len(ALL_COLOURS)
    for category, line in LINES.items():
        assert not set(line.shapes) & set(line.held_out_shapes), category
        assert not set(line.looks(False)) & set(line.looks(True)), category
        assert set(line.colours) <= set(COLOURS), category
        assert set(line.held_out_colours) <= set(HELD_OUT_COLOURS), category


def test_lines_have_variety() -> None:
    assert sum(len(line.shapes) >= 2 for line in LINES.values()) >= 60
    assert all(len(line.looks(False)) >= 3 for line in LINES.values())
    assert all(line.held_out_shapes and line.held_out_colours for line in LINES.values())
    drawings = {c: {build_ware(c, v, line.colours[0]).parts for v in (*line.shapes, *line.held_out_shapes)} for c, line in LINES.items()}
    assert all(len(drawings[c]) == len(line.shapes) + len(line.held_out_shapes) for c, line in LINES.items())


@pytest.mark.parametrize(("category", "variant"), SHAPES)
def test_looks_and_solid(category: str, variant: str) -> None:
    ware = build_ware(category, variant, LINES[category].colours[0], SCALES[1])
    spec = VOCABULARY.spec(category)
    states = sorted(shown_states(ware))
    assert set(states) == {a for a in spec.attributes if ATTRIBUTES[a].visible}, "what can be seen of its state"
    count = {p: len(triangles(p)[1]) for p in ware.parts}
    assert sum(count[p] for p in ware.parts) <= MAX_TRIANGLES
    for values in itertools.product((False, True), repeat=len(states)):
        true = [s for s, v in zip(states, values, strict=True) if v]
        if "broken" in true and "filled" in true:
            continue  # what breaks is empty
        assert 0 < sum(count[p] for p in drawn(ware, *true)) <= MAX_DRAWN, true
    assert all(not p.solid and p.texture in ("", *PATTERNS) and all(0 <= v <= 1 for v in p.rgb) for p in ware.parts)

    half = np.array(extent(ware.solid))
    assert ware.solid.shape in ("box", "cylinder", "sphere")
    small = extent(build_ware(category, variant, LINES[category].colours[0], SCALES[0]).solid)
    assert 2 * min(small) >= 0.016, "thinner solids sink into each other"
    assert 0.07 <= 2 * half.max() <= 0.63
    assert 0.01 <= ware.mass <= 2.5
    density = ware.mass / float(np.prod(2 * half))
    assert 20 <= density <= 3000, density
    boxes = [bounds(p) for p in drawn(ware)]
    low, high = np.min([b[0] for b in boxes], 0), np.max([b[1] for b in boxes], 0)
    assert abs(low[2] + half[2]) <= 0.006, "it stands on the ground, neither floats nor sinks"
    assert (high[:2] - half[:2] <= 0.13).all() and (-half[:2] - low[:2] <= 0.13).all(), "spouts and handles may stick out, not more"
    assert ((high - low)[:2] >= 1.3 * half[:2]).all(), "the solid is not much larger than what one sees"
    assert -0.03 <= high[2] - half[2] <= 0.06
    radius, half_height = footprint(ware.solid)
    assert half_height == pytest.approx(half[2])
    assert radius == pytest.approx(half[0] if ware.solid.shape != "box" else np.hypot(*half[:2]), abs=1e-5)
    for state in states:  # slices and shards lie near where it stood
        for p in drawn(ware, state):
            if p.when == state:
                b = bounds(p)
                assert b[0][2] >= -half[2] - 0.012 and max(abs(b[0][:2]).max(), abs(b[1][:2]).max()) <= max(half[:2]) + 0.075, state


@pytest.mark.parametrize("category", CATEGORIES)
def test_what_holds_things_has_a_region_inside_it(category: str) -> None:
    line = LINES[category]
    for variant in (*line.shapes, *line.held_out_shapes):
        ware = build_ware(category, variant, line.colours[0])
        assert (ware.holds is not None) == (VOCABULARY.spec(category).relation is not None)
        if ware.holds is None:
            continue
        x, y, z = extent(ware.solid)
        (cx, cy, cz), (hx, hy) = ware.holds.centre, ware.holds.half
        assert abs(cx) + hx <= x and abs(cy) + hy <= y
        if ware.solid.shape == "cylinder":
            assert np.hypot(hx, hy) <= x + 1e-4
        assert -z < cz < z and cz + ware.holds.height <= z + 0.002
        # Inside it is empty: nothing that is drawn of a clean, empty one is above the middle of its floor.
        for part in drawn(ware):
            vertices = triangles(part)[0]
            if part.euler == (0.0, 0.0, 0.0) and part.shape == "lathe":
                near = vertices[np.hypot(vertices[:, 0], vertices[:, 1]) < 1e-9]
                at = np.hypot(part.pos[0] - cx, part.pos[1] - cy)
                assert at > 0.01 or not len(near) or (near[:, 2] + part.pos[2] <= cz + 0.006).all()


@given(st.sampled_from(CATEGORIES), SEEDS, st.booleans())
@settings(max_examples=60, deadline=None)
def test_same_generator_state_same_ware(category: str, seed: int, novel: bool) -> None:
    ware = make_ware(category, np.random.default_rng(seed), novel=novel)
    assert ware == make_ware(category, np.random.default_rng(seed), novel=novel)
    assert (ware.variant, ware.colour) in LINES[category].looks(novel)
    assert ware.novel == novel
    assert SCALES[0] <= ware.scale <= SCALES[1]
    assert ware == build_ware(category, ware.variant, ware.colour, ware.scale)


@given(st.sampled_from(CATEGORIES), SEEDS, st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_two_look_the_same_until_all_looks_are_taken(category: str, seed: int, novel: bool) -> None:
    rng = np.random.default_rng(seed)
    line = LINES[category]
    there = len(line.looks(False)) + (len(line.looks(True)) if novel else 0)
    taken: list[tuple[str, str]] = []
    for _ in range(there):
        ware = make_ware(category, rng, novel=novel, taken=taken)
        assert (ware.variant, ware.colour) not in taken
        taken.append((ware.variant, ware.colour))
    again = make_ware(category, rng, novel=novel, taken=taken)
    assert (again.variant, again.colour) in taken
    if novel:
        assert all(t in line.looks(True) for t in taken[: len(line.looks(True))])


def test_draws_differ_in_shape_colour_and_size() -> None:
    rng = np.random.default_rng(0)
    mugs = [make_ware("mug", rng) for _ in range(40)]
    assert {m.variant for m in mugs} == set(LINES["mug"].shapes)
    assert len({m.colour for m in mugs}) >= 8
    assert len({m.scale for m in mugs}) >= 30


def test_unknown_names_are_named() -> None:
    with pytest.raises(SymbolError, match="fridge"):
        make_ware("fridge", np.random.default_rng(0))
    with pytest.raises(SymbolError, match="chequered"):
        build_ware("mug", "tall", "chequered")
    with pytest.raises(SymbolError, match="hexagonal"):
        build_ware("mug", "hexagonal", "red")


@pytest.mark.parametrize(
    ("inner", "outer", "share"),
    [
        ("spoon", "mug", 0.9), ("fork", "mug", 0.8), ("knife", "mug", 0.6), ("pen", "cup", 0.9), ("egg", "bowl", 1.0),
        ("apple", "plate", 1.0), ("tomato", "pan", 1.0), ("potato", "pot", 1.0), ("mug", "bowl", 0.9), ("cup", "plate", 0.7),
        ("fork", "plate", 1.0), ("book", "box", 0.6), ("phone", "box", 1.0),
    ],
)  # fmt: skip
def test_what_is_put_into_what_in_life_fits(inner: str, outer: str, share: float) -> None:
    pairs = [(as_thing(inner, v), as_thing(outer, h)) for v in LINES[inner].shapes for h in LINES[outer].shapes]
    assert np.mean([fitting(a, b) is not None for a, b in pairs]) >= share


def as_thing(category: str, variant: str) -> ThingSpec:
    ware = build_ware(category, variant, LINES[category].colours[0])
    radius, half = footprint(ware.solid)
    return ThingSpec(
        category, category, Parent("kitchen_1", Relation.ROOM), (0.0, 0.0, half), 0.0, ware.colour, 1.0, ware.parts, ware.solid, ware.mass,
        radius, half, {}, ware.holds, variant,
    )  # fmt: skip
