"""Perception as a setting: seeded errors at the rate asked for, and the truth without limits for counterfactuals."""

from __future__ import annotations

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.perception import EVERYTHING, VISIBLE, TrueWorld, check_perception, perceiver
from mimir_learn.symbols import HAND, IN_HAND, Kind, Percept, PrivilegedState, Snapshot

from ..agent.symbolic_house import PLACES, SymbolicHouse, at
from ..doubles import VOCABULARY, entity
from ..memory.houses import see

SEEN = Percept(
    (see("fridge_1", at("kitchen_1"), open=True), *(see(f"mug_{i}", at("table_1")) for i in range(1, 9)), see("toy_1", IN_HAND)),
    frozenset({"table_1"}),
    "table_1",
)


def frames(spec: str, n: int, seed: int = 0) -> list[Percept]:
    perceive = perceiver(spec, lambda: SEEN, PLACES, VOCABULARY, seed)
    return [perceive() for _ in range(n)]


def test_names() -> None:
    assert check_perception("noisy(.10)") == "noisy(0.1)" and check_perception(VISIBLE) == VISIBLE
    for wrong in ("noisy", "noisy(1.5)", "perfect"):
        with pytest.raises(ConfigError, match="choose one of privileged_visible, noisy"):
            check_perception(wrong)


def test_without_noise_nothing_changes() -> None:
    assert frames(VISIBLE, 2) == [SEEN, SEEN] and frames(EVERYTHING, 1) == [SEEN]
    assert all(f.sightings == SEEN.sightings for f in frames("noisy(0)", 20))


def test_noise_is_seeded_and_anew_in_every_frame() -> None:
    a, b, other = (frames("noisy(0.3)", 30, seed) for seed in (1, 1, 2))

    def shown(fs: list[Percept]) -> list[list[tuple[str, str]]]:
        return [[(s.entity.id, s.parent.id) for s in f.sightings] for f in fs]

    assert shown(a) == shown(b) != shown(other) and len({str(x) for x in shown(a)}) > 20


def test_errors_come_at_the_rate_asked_for_half_of_them_missing() -> None:
    n, p = 400, 0.2
    all_ = [s for f in frames(f"noisy({p})", n) for s in f.sightings]
    truth = {s.entity.id: s.parent for s in SEEN.sightings}
    things = [s for s in all_ if s.entity.kind is Kind.OBJECT]
    moved = [s for s in things if s.parent != truth[s.entity.id]]
    missing = n * 9 - len(things)
    assert missing / (n * 9) == pytest.approx(p / 2, abs=0.02) and len(moved) / (n * 9) == pytest.approx(p / 2, abs=0.02)
    rooms = {pl.entity.id: pl.room for pl in PLACES}
    assert {rooms[s.parent.id] for s in moved} == {"kitchen_1"}, "mistaken for another receptacle of the room it is in"
    assert {s.parent for s in all_ if s.entity.id == "fridge_1"} == {truth["fridge_1"]}, "a place is never seen elsewhere"
    assert all(f.viewed == SEEN.viewed and f.at == SEEN.at for f in frames("noisy(1)", 3))


def test_total_noise_shows_nothing_right() -> None:
    truth = {s.entity.id: s.parent for s in SEEN.sightings}
    assert all(s.parent != truth[s.entity.id] for f in frames("noisy(1)", 20) for s in f.sightings)


def test_the_true_world_knows_what_nobody_has_seen_and_not_that_it_sees_it() -> None:
    house = SymbolicHouse({"mug_1": at("cabinet_2"), "toy_1": at("table_1"), "book_1": at("mug_1")})
    house.reset(seed=0)
    world = TrueWorld(VOCABULARY, PLACES, house.privileged_state)
    world.observe(house.visible_entities(), 0)
    assert world.parent("mug_1") == at("cabinet_2") and world.parent("book_1") == at("mug_1") and "mug_1" not in world.sightings
    house.parents["mug_1"], house.attributes["fridge_1", "open"] = at("fridge_1"), True
    house.attributes["mug_1", "heated"] = True
    world.observe(Percept(at="table_1"), 1)
    assert world.parent("mug_1") == at("fridge_1") and world.attribute("fridge_1", "open") is True
    assert world.attribute("mug_1", "heated") is None, "what cannot be seen is not told"
    since = world.hypothesis("mug_1").since  # type: ignore[union-attr]
    world.observe(Percept(at="table_1"), 2)
    assert world.hypothesis("mug_1").since == since  # type: ignore[union-attr]


def test_the_true_world_has_one_thing_in_the_hand() -> None:
    held = PrivilegedState(Snapshot({"mug_1": IN_HAND}, {}), {"mug_1": entity("mug_1"), HAND.id: HAND})
    world = TrueWorld(VOCABULARY, PLACES, lambda: held)
    world.observe(Percept((see("toy_1", IN_HAND),), frozenset(), "table_1"), 0)
    assert world.hand == "mug_1" and world.parent("toy_1") is None
