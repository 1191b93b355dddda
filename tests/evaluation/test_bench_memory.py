"""The memory bench measures what it says: the right size, real recalls, and rivals that answer the same question."""

from __future__ import annotations

import numpy as np
import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.bench_memory import CATEGORIES, K, MemoryBenchConfig, _filled, _rivals, measure, report, scene
from mimir_learn.memory import make_query, recall
from mimir_learn.symbols import Goal, Kind, ObjectQuery, Relation


@pytest.mark.parametrize("entities", [100, 1000])
def test_the_scene_has_the_size_asked_for(entities: int) -> None:
    house = scene(entities, np.random.default_rng(0))
    assert len(house.places) + len(house.things) == pytest.approx(entities, rel=0.1)
    assert {p for _, p in house.things} <= {p.entity.id for p in house.places if p.entity.kind is Kind.RECEPTACLE}
    assert len({t.category for t, _ in house.things}) <= CATEGORIES


def test_rivals_find_what_memory_finds() -> None:
    house = scene(1000, np.random.default_rng(1))
    memory = _filled(house)
    place = house.things[0][1]
    memory.at = place
    goal = Goal("g", ObjectQuery(house.things[0][0].category), ObjectQuery("table"), Relation.ON)
    ours = {c.entity for c in recall(memory, make_query(goal), 10_000)}
    room = {p.entity.id: p.room for p in house.places}
    near = {t.id for t, p in house.things if t.category == goal.query.category and room[p] == room[place]}
    for name, ask in _rivals(house):
        found = [row[0] if isinstance(row, tuple) else row for row in ask(goal.query.category, place)]
        assert set(found) <= ours and len(found) == min(K, len(ours)), name
        assert name.startswith("FAISS") or near >= set(found[: len(near)]) or set(found) >= near, name


def test_every_part_of_a_step_is_timed_and_reported() -> None:
    cost = measure(200, 5, seed=0)
    assert {"step", "  observe", "  belief", "  recall", "  ground", "  act", "SQLite FTS5"} <= set(cost.seconds)
    assert len(cost.seconds["step"]) == len(cost.seconds["  recall"]) == 5
    inside = [n for n in cost.seconds if n.startswith("  ")]
    assert sum(sum(cost.seconds[n]) for n in inside) <= sum(cost.seconds["step"])
    assert cost.megabytes["memory"] > 0
    assert "recall grows as n^" in report([cost, measure(400, 5, seed=0)])


@pytest.mark.parametrize("entities", [(), (50,), (1000, 100), (100, 100)])
def test_sizes_must_grow(entities: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match=r"bench\.entities"):
        MemoryBenchConfig(entities=entities)
