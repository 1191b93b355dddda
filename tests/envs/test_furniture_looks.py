"""What the robot sees of furniture from its own viewpoints: every state, doors ajar, and what lies in and on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from mimir_learn.envs.household.bodies import Bodies
from mimir_learn.envs.household.build import build
from mimir_learn.envs.household.furniture import DESIGNS, design
from mimir_learn.envs.household.render import Camera
from mimir_learn.envs.household.scenery import Scenery
from mimir_learn.envs.household.spec import FixtureSpec, HouseSpec, Part, RoomSpec, ThingSpec, Vec
from mimir_learn.envs.household.viewpoints import fixture_viewpoints
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.envs.household.world import AJAR
from mimir_learn.symbols import Parent, Relation

PIXELS = 128 * 128
ROOM = "kitchen_1"
SIZE = (4.6, 4.4)
CARRIER = {"burner": "oven", "desk_lamp": "desk", "laptop": "desk", "tv": "tv_stand", "faucet": "sink"}
SEEDS = range(3)


class Stage:
    """One fixture, with what is mounted on it and things on its regions, alone in a room and seen from its own viewpoints."""

    def __init__(self, camera: Camera, category: str, seed: int, things: bool = False) -> None:
        self.camera, carrier = camera, CARRIER.get(category, category)
        plan = design(carrier, np.random.default_rng(seed))
        while category != carrier and category not in [kind for kind, _ in plan.mounted]:
            seed += 100
            plan = design(carrier, np.random.default_rng(seed))
        at: Vec = (0.0, SIZE[1] / 2 - plan.size[1] / 2 - 0.02, 0.0)
        self.views = fixture_viewpoints(plan, at, 0.0, (0.0, 0.0), SIZE)
        fixtures = [self._spec(f"{carrier}_1", carrier, plan, at, Parent(ROOM, Relation.ROOM))]
        for i, (kind, offset) in enumerate(plan.mounted):
            where: Vec = (at[0] + offset[0], at[1] + offset[1], at[2] + offset[2])
            mounted = design(kind, np.random.default_rng(seed))
            fixtures.append(self._spec(f"{kind}_{i + 1}", kind, mounted, where, Parent(f"{carrier}_1", Relation.ON)))
        self.fixture = next(f for f in fixtures if f.category == category)
        placed = tuple(_things(self.fixture)) if things else ()
        room = RoomSpec(ROOM, "kitchen", (0.0, 0.0), SIZE, (0.85, 0.84, 0.8), (0.55, 0.45, 0.36), self.views)
        self.built = build(HouseSpec(-1, (room,), tuple(fixtures), placed))
        self.bodies, self.scenery = Bodies(self.built), Scenery(self.built)
        for thing in placed:
            self.scenery.place_in(thing.id, ROOM)

    def _spec(self, fixture_id: str, kind: str, plan, at: Vec, parent: Parent) -> FixtureSpec:  # type: ignore[no-untyped-def]
        attributes = dict.fromkeys(VOCABULARY.spec(kind).attributes, False)
        return FixtureSpec(
            fixture_id, kind, ROOM, parent, at, 0.0, plan.size, tuple(plan.parts), tuple(plan.panels), tuple(plan.regions), self.views,
            attributes,
        )  # fmt: skip

    def show(self, state: Mapping[str, bool], gap: float | None = None, view: int = 0) -> NDArray[np.uint8]:
        """(128, 128, 3) picture in a state, the door ``gap`` of the way open, things in drawers moved along."""
        self.scenery.show(self.fixture.id, state)
        share = float(state.get("open", False)) if gap is None else gap
        self.bodies.set_gap(self.fixture.id, share)
        panels = self.fixture.panels
        for thing in self.built.house.things:
            ride = np.zeros(3)
            if panels and panels[0].joint == "slide":
                ride = np.multiply(panels[0].axis, panels[0].travel * share)
            self.bodies.put(thing.id, np.asarray(thing.position) + ride, np.array([1.0, 0.0, 0.0, 0.0]))
        self.bodies.sync()
        return self.camera.draw(self.built.model, self.bodies.data, self.views[view])[0]

    def pixels(self, thing: str) -> int:
        """How many pixels of a thing the picture drawn last shows."""
        return int(np.isin(self.camera.geoms(), self.built.things[thing].geoms).sum())


def _things(fixture: FixtureSpec) -> Iterator[ThingSpec]:
    """A mug-sized thing in the middle of each region and at four spots towards its corners."""
    relation = VOCABULARY.spec(fixture.category).relation
    assert relation is not None
    solid = Part("cylinder", (0.04, 0.045), rgb=(0.9, 0.1, 0.1))
    for k, region in enumerate(fixture.regions):
        for i, (sx, sy) in enumerate(((0.0, 0.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0))):
            x, y = (region.centre[j] + s * max(0.0, region.half[j] - 0.06) for j, s in ((0, sx), (1, sy)))
            at: Vec = tuple(p + v for p, v in zip(fixture.position, (x, y, region.centre[2] + 0.047), strict=True))  # type: ignore[assignment]
            yield ThingSpec(
                f"mug_{5 * k + i + 1}", "mug", Parent(fixture.id, relation), at, 0.0, "red", 1.0, (solid,), solid, 0.2, 0.04, 0.045,
                holds=fixture.regions[0],
            )  # fmt: skip


def _changed(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> float:
    """Share of pixels that differ by more than any texture filter or rounding could."""
    return float((np.abs(a.astype(int) - b.astype(int)).max(-1) > 24).sum()) / PIXELS


@pytest.fixture(scope="module")
def camera() -> Iterator[Camera]:
    camera = Camera(128)
    yield camera
    camera.close()


_OPENABLE = sorted(c for c in DESIGNS if "open" in VOCABULARY.spec(c).attributes)
_SWITCHED = sorted(c for c in DESIGNS if "on" in VOCABULARY.spec(c).attributes)
_HOLDERS = sorted(c for c in DESIGNS if VOCABULARY.spec(c).relation is not None)


@pytest.mark.parametrize("category", _OPENABLE)
def test_closed_ajar_and_open_look_different(camera: Camera, category: str) -> None:
    for seed in SEEDS:
        stage = Stage(camera, category, seed)
        closed, ajar, opened = (stage.show({"open": gap == 1.0}, gap) for gap in (0.0, AJAR, 1.0))
        least = 0.005 if category == "laptop" else 0.015
        assert min(_changed(closed, ajar), _changed(ajar, opened), _changed(closed, opened)) > least, seed


@pytest.mark.parametrize("category", _SWITCHED)
def test_on_and_off_look_different_with_the_door_shut_and_open(camera: Camera, category: str) -> None:
    for seed in SEEDS:
        stage = Stage(camera, category, seed)
        for is_open in (False, True) if category in _OPENABLE else (False,):
            off, on = (stage.show({"open": is_open, "on": value}) for value in (False, True))
            assert _changed(off, on) > 0.003, (seed, is_open)


@pytest.mark.parametrize("category", _HOLDERS)
def test_what_lies_in_or_on_it_is_seen_when_it_is_open_and_not_when_it_is_shut(camera: Camera, category: str) -> None:
    for seed in SEEDS:
        stage = Stage(camera, category, seed, things=True)
        names = [t.id for t in stage.built.house.things]
        best = dict.fromkeys(names, 0)
        for view in range(3):
            stage.show({"open": True}, view=view)
            best = {n: max(best[n], stage.pixels(n)) for n in names}
        assert np.mean([p >= 10 for p in best.values()]) >= 0.9, (seed, best)
        if category in _OPENABLE:
            stage.show({"open": False})
            assert max(stage.pixels(n) for n in names) <= 1, seed


@pytest.mark.parametrize("category", sorted(set(_OPENABLE) & set(_HOLDERS)))
def test_the_inside_is_not_dark(camera: Camera, category: str) -> None:
    for seed in SEEDS:
        stage = Stage(camera, category, seed)
        closed, opened = stage.show({"open": False}), stage.show({"open": True})
        new = np.abs(closed.astype(int) - opened.astype(int)).max(-1) > 24
        assert opened[new].mean() > 60, seed
