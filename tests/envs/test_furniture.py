"""Designs of fixtures as geometry: complete, varied, deterministic, within their bounds and budgets, and with room for things."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household.build import build
from mimir_learn.envs.household.furniture import DESIGNS, Design, decor, design
from mimir_learn.envs.household.shapes import bounds, triangles
from mimir_learn.envs.household.spec import Doorway, FixtureSpec, HouseSpec, Part, Region, RoomSpec, ThingSpec, Vec, Viewpoint
from mimir_learn.envs.household.vocabulary import ROOM_CATEGORIES, VOCABULARY
from mimir_learn.envs.household.world import World
from mimir_learn.errors import SymbolError
from mimir_learn.symbols import Kind, Parent, Relation

CATEGORIES = sorted(DESIGNS)
HOLDERS = [c for c in CATEGORIES if VOCABULARY.spec(c).relation is not None]
SHALLOW = {"drawer": (0.15, 0.12), "dresser": (0.15, 0.12), "toilet": (0.11, 0.26)}  # radius and height of what fits, metres
ROOMY = (0.145, 0.26)
SEEDS = st.integers(0, 10_000)


def made(category: str, seed: int) -> Design:
    return design(category, np.random.default_rng(seed))


def all_parts(plan: Design) -> list[Part]:
    return [*plan.parts, *(p for panel in plan.panels for p in panel.parts)]


def test_every_receptacle_and_device_of_the_vocabulary_has_a_design_and_nothing_else() -> None:
    fixed = {c.name for c in VOCABULARY.categories.values() if c.kind in (Kind.RECEPTACLE, Kind.FIXTURE)}
    assert set(DESIGNS) == fixed
    with pytest.raises(SymbolError, match="throne"):
        made("throne", 0)


@given(st.sampled_from(CATEGORIES), SEEDS)
@settings(max_examples=60, deadline=None)
def test_same_seed_same_design(category: str, seed: int) -> None:
    assert made(category, seed) == made(category, seed)


@pytest.mark.parametrize("category", CATEGORIES)
def test_styles_and_colours_vary(category: str) -> None:
    plans = [made(category, seed) for seed in range(40)]
    styles = {tuple((p.shape, p.size, p.pos) for p in all_parts(plan)) for plan in plans}
    looks = {tuple((p.rgb, p.texture) for p in all_parts(plan)) for plan in plans}
    assert len(styles) >= 2
    assert len(looks) >= 3


@given(st.sampled_from(CATEGORIES), SEEDS)
@settings(max_examples=150, deadline=None)
def test_panels_states_regions_and_mounts_are_those_of_the_category(category: str, seed: int) -> None:
    plan, spec = made(category, seed), VOCABULARY.spec(category)
    assert bool(plan.panels) == ("open" in spec.attributes)
    assert bool(plan.regions) == (spec.relation is not None)
    shown = {p.when.removeprefix("!") for p in all_parts(plan) if p.when}
    assert shown == set(spec.attributes) - {"open"}
    assert all(p.joint == "slide" for p in plan.panels[:1] if any(r.rides for r in plan.regions))
    slides = [p for p in plan.panels if p.joint == "slide"]
    assert all(plan.reach == p.travel for p in slides)
    assert not plan.panels or slides or plan.swing > 0 or category == "laptop"
    for kind, offset in plan.mounted:
        assert VOCABULARY.spec(kind).kind in (Kind.FIXTURE, Kind.RECEPTACLE)
        half, sizes = np.array(made(kind, seed).size[:2]) / 2, np.array(plan.size[:2]) / 2
        assert (np.abs(offset[:2]) <= sizes - np.minimum(half, 0.05)).all()
        assert 0 < offset[2] <= plan.size[2]


@given(st.sampled_from(CATEGORIES), SEEDS)
@settings(max_examples=150, deadline=None)
def test_budgets_and_collision_shapes(category: str, seed: int) -> None:
    parts = all_parts(made(category, seed))
    assert sum(len(triangles(p)[1]) for p in parts) <= 1500
    assert len(parts) <= 40
    assert all(p.shape in ("box", "cylinder", "sphere") for p in parts if p.solid and p.shape not in ("lathe", "loft"))
    assert not any(p.solid for p in parts if p.when)


@given(st.sampled_from(CATEGORIES), SEEDS)
@settings(max_examples=150, deadline=None)
def test_what_is_solid_lies_within_its_bounds(category: str, seed: int) -> None:
    plan = made(category, seed)
    solids = [p for p in plan.parts if p.solid]
    for part in solids:
        low, high = bounds(part)
        assert (np.abs((low[:2], high[:2])) <= np.array(plan.size[:2]) / 2 + 0.03).all(), part
        assert high[2] <= plan.size[2] + 0.13 + 0.6 * (category in ("tv",)), part  # upstands of counters and cookers
        assert low[2] >= (plan.hung - 0.001 if category != "faucet" else -0.15), part


def on_floor_of(plan: Design, region: Region) -> Iterator[float]:
    """How far the solid under the middle and four inner points of a region lies below its level, metres."""
    parts = [*plan.parts, *(p for panel in plan.panels for p in panel.parts)] if region.rides else plan.parts
    boxes = [bounds(p) for p in parts if p.solid and p.shape in ("box", "cylinder")]
    for sx, sy in ((0.0, 0.0), (-0.8, -0.8), (0.8, -0.8), (-0.8, 0.8), (0.8, 0.8)):
        x, y = region.centre[0] + sx * region.half[0], region.centre[1] + sy * region.half[1]
        tops = [hi[2] for lo, hi in boxes if lo[0] <= x <= hi[0] and lo[1] <= y <= hi[1] and hi[2] <= region.centre[2] + 0.003]
        yield region.centre[2] - max(tops, default=-9.0)


@given(st.sampled_from(HOLDERS), SEEDS)
@settings(max_examples=150, deadline=None)
def test_regions_lie_on_something_solid_within_the_body_and_have_room(category: str, seed: int) -> None:
    plan = made(category, seed)
    radius, height = SHALLOW.get(category, ROOMY)
    for region in plan.regions:
        for k in (0, 1):
            assert abs(region.centre[k]) + region.half[k] <= plan.size[k] / 2 + 0.01
        assert max(on_floor_of(plan, region)) <= 0.012
        assert min(region.half) >= radius
        assert region.height >= height
        if VOCABULARY.spec(category).openable:
            assert region.centre[2] + region.height <= plan.size[2]
    for i, a in enumerate(plan.regions):  # no place is in two regions
        for b in plan.regions[i + 1 :]:
            low, high = sorted((a, b), key=lambda r: r.centre[2])
            assert low.centre[2] + low.height <= high.centre[2] + 1e-6 or any(
                abs(a.centre[k] - b.centre[k]) >= a.half[k] + b.half[k] for k in (0, 1)
            )


@given(st.sampled_from(("desk", "tv_stand", "oven")), SEEDS)
@settings(max_examples=40, deadline=None)
def test_what_is_mounted_stands_clear_of_where_things_are_put_and_of_each_other(category: str, seed: int) -> None:
    plan = made(category, seed)
    taken = [(np.array(r.centre[:2]), np.array(r.half)) for r in plan.regions if VOCABULARY.spec(category).relation is Relation.ON]
    for kind, offset in plan.mounted:
        boxes = [bounds(p) for p in made(kind, seed).parts if p.solid]
        low, high = (
            np.min([b[0] for b in boxes], 0)[:2] + offset[:2] + 0.01,
            np.max([b[1] for b in boxes], 0)[:2] + offset[:2] - 0.01,
        )
        middle, half = (low + high) / 2, (high - low) / 2
        assert all((np.abs(middle - m) >= half + h).any() for m, h in taken), kind
        taken.append((middle, half))


@pytest.mark.parametrize("category", HOLDERS)
def test_a_large_thing_stays_where_it_is_put(category: str) -> None:
    """In or on every region in turn, for real: nothing pushes it out, and geometry says that it is there."""
    relation = VOCABULARY.spec(category).relation
    assert relation is not None
    radius, height = SHALLOW.get(category, (0.14, 0.25))
    for seed in range(4):
        plan = made(category, seed)
        view = Viewpoint((0.0, -1.9, 1.5), (0.0, 0.0, 0.8))
        room = RoomSpec("kitchen_1", "kitchen", (0.0, 0.0), (4.6, 4.4), (0.8, 0.8, 0.8), (0.5, 0.5, 0.5), (view,))
        attributes = {a: a == "open" for a in VOCABULARY.spec(category).attributes}
        fixture = FixtureSpec(
            f"{category}_1", category, room.id, Parent(room.id, Relation.ROOM), (0.0, 1.5, 0.0), 0.0, plan.size, tuple(plan.parts),
            tuple(plan.panels), tuple(plan.regions), (view,), attributes,
        )  # fmt: skip
        things = []
        for k, region in enumerate(plan.regions):
            r, half = min(radius, *region.half) - 0.01, min(height, region.height - 0.02) / 2
            ride = np.multiply(plan.panels[0].axis, plan.panels[0].travel) if region.rides else np.zeros(3)
            at: Vec = tuple(np.add((0.0, 1.5, half + 0.005), np.add(region.centre, ride)).tolist())
            solid = Part("cylinder", (r, half), rgb=(0.9, 0.2, 0.2))
            things.append(
                ThingSpec(f"can_{k + 1}", "can", Parent(fixture.id, relation), at, 0.0, "red", 1.0, (solid,), solid, 0.5, r, half)
            )
        world = World(build(HouseSpec(-1, (room,), (fixture,), tuple(things))))
        for thing in things:
            assert world.parents[thing.id] == thing.parent, seed
            assert np.abs(world.position(thing.id) - thing.position).max() < 0.03, seed


@given(st.sampled_from(ROOM_CATEGORIES), SEEDS)
@settings(max_examples=60, deadline=None)
def test_decor_stays_in_its_room_and_out_of_doorways(category: str, seed: int) -> None:
    size, centre = (4.4, 3.8), (6.0, -2.0)
    doors = (Doorway(("a", "b"), (6.4, -0.05), "x"), Doorway(("a", "c"), (3.75, -2.5), "y"))
    parts = decor(category, size, np.random.default_rng(seed), doors, centre)
    assert parts == decor(category, size, np.random.default_rng(seed), doors, centre)
    assert parts and not any(p.solid for p in parts)
    assert sum(len(triangles(p)[1]) for p in parts) <= 1500
    for part in parts:
        low, high = bounds(part)
        for k in (0, 1):
            assert low[k] >= centre[k] - size[k] / 2 - 1e-6 and high[k] <= centre[k] + size[k] / 2 + 1e-6
        assert low[2] >= -1e-6 and high[2] <= 2.4
        for door in doors:
            along, off = (0, 1) if door.along == "x" else (1, 0)
            wall = centre[off] + np.sign(door.centre[off] - centre[off]) * size[off] / 2
            before = min(abs(low[off] - wall), abs(high[off] - wall)) < 0.1 and high[2] > 0.02
            assert not (before and low[along] < door.centre[along] + door.width / 2 and high[along] > door.centre[along] - door.width / 2)


def test_decor_varies_and_windows_are_only_in_outer_walls() -> None:
    rooms = {decor("livingroom", (4.4, 3.8), np.random.default_rng(seed)) for seed in range(20)}
    assert len(rooms) == 20
    for seed in range(20):
        lit = [p for p in decor("livingroom", (4.4, 3.8), np.random.default_rng(seed), outside=("north",)) if p.emission]
        assert all(p.pos[1] > 1.8 for p in lit)
        assert not any(p.emission for p in decor("livingroom", (4.4, 3.8), np.random.default_rng(seed), outside=()))
