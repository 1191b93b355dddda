"""Tasks say what they mean: satisfiable goals, not yet true, named by places and things the house has."""

from __future__ import annotations

import numpy as np
import pytest

from mimir_learn.envs.household.tasks import KINDS, World, sample_tasks_in
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import CategorySpec, Entity, Kind, Parent, Relation, Snapshot, Task, Vocabulary, satisfied


def toy_world() -> World:
    specs = [
        CategorySpec("kitchen", Kind.ROOM, Relation.ROOM),
        CategorySpec("bedroom", Kind.ROOM, Relation.ROOM),
        CategorySpec("table", Kind.RECEPTACLE, Relation.ON),
        CategorySpec("shelf", Kind.RECEPTACLE, Relation.ON),
        CategorySpec("fridge", Kind.RECEPTACLE, Relation.IN, ("open",)),
        CategorySpec("drawer", Kind.RECEPTACLE, Relation.IN, ("open",)),
        CategorySpec("lamp", Kind.FIXTURE, None, ("on",)),
        *(CategorySpec(c, Kind.OBJECT) for c in ("mug", "apple", "book", "knife")),
    ]
    vocabulary = Vocabulary("toy", {s.name: s for s in specs})
    where = {
        "table_1": ("kitchen_1", "room"),
        "table_2": ("bedroom_1", "room"),
        "shelf_1": ("bedroom_1", "room"),
        "fridge_1": ("kitchen_1", "room"),
        "drawer_1": ("kitchen_1", "room"),
        "lamp_1": ("bedroom_1", "room"),
        "mug_1": ("table_1", "on"),
        "mug_2": ("drawer_1", "in"),
        "apple_1": ("fridge_1", "in"),
        "book_1": ("bedroom_1", "room"),
        "knife_1": ("table_1", "on"),
    }
    ids = ["kitchen_1", "bedroom_1", *where]
    entities = {i: Entity(i, i[:-2], vocabulary.spec(i[:-2]).kind) for i in ids}
    parents = {e: Parent(p, Relation(r)) for e, (p, r) in where.items()}
    state = Snapshot(parents, {("fridge_1", "open"): False, ("drawer_1", "open"): False, ("lamp_1", "on"): False})
    return World(state, entities, vocabulary)


def solved(world: World, task: Task) -> Snapshot:
    """The state after moving one fitting thing per relation goal and setting every state goal: the brute way to do the task."""
    parents, attributes = dict(world.state.parents), dict(world.state.attributes)
    used: set[str] = set()
    for goal in task.goals:
        fit = [e for e in world.entities.values() if goal.query.matches(e)]
        if goal.attribute is not None:
            attributes[fit[0].id, goal.attribute] = goal.value
            continue
        assert goal.target is not None and goal.relation is not None
        target = next(e for e in world.entities.values() if goal.target.matches(e))
        thing = next(e for e in fit if e.id not in used and goal.source in (None, parents[e.id].id))
        used.add(thing.id)
        parents[thing.id] = Parent(target.id, goal.relation)
    return Snapshot(parents, attributes)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_open_at_the_start_and_can_be_brought_about(kind: str) -> None:
    world = toy_world()
    for seed in range(5):
        for task in sample_tasks_in(world, np.random.default_rng(seed), 2, [kind]):
            assert task.meta["kind"] == kind
            assert len(satisfied(task.goals, world.state, world.entities)) < len(task.goals)
            done = satisfied(task.goals, solved(world, task), world.entities)
            assert done == {g.id for g in task.goals}, task


def test_one_seed_one_list_and_nothing_asked_twice() -> None:
    world = toy_world()
    first = sample_tasks_in(world, np.random.default_rng(7), 12)
    again = sample_tasks_in(world, np.random.default_rng(7), 12)
    assert [t.to_dict() for t in first] == [t.to_dict() for t in again]
    assert len({tuple((g.query, g.target, g.attribute, g.value, g.source) for g in t.goals) for t in first}) == 12
    assert len({t.meta["kind"] for t in first}) >= 7
    assert all(Task.from_dict(t.to_dict()) == t for t in first)


def test_names_tell_like_places_apart() -> None:
    world = toy_world()
    tasks = sample_tasks_in(world, np.random.default_rng(0), 6, ["place"])
    for task in tasks:
        target = task.goals[0].target
        assert target is not None
        if target.category == "table":
            assert target.instance is not None
            assert f"table in the {world.room(target.instance)[:-2]}" in task.instruction
        else:
            assert target.instance is None and f"the {target.category}" in task.instruction


def test_closing_comes_after_putting() -> None:
    for task in sample_tasks_in(toy_world(), np.random.default_rng(3), 6, ["put_and_close"]):
        bring, state = task.goals
        assert state.attribute == "open"
        assert state.after == (() if state.value else (bring.id,))


def test_goal_counts_are_bounded() -> None:
    tasks = sample_tasks_in(toy_world(), np.random.default_rng(1), 15)
    assert {len(t.goals) for t in tasks} <= {1, 2, 3, 4}
    assert all(len(t.goals) == 1 for t in sample_tasks_in(toy_world(), np.random.default_rng(1), 5, max_goals=1))


def test_bad_requests_say_why() -> None:
    with pytest.raises(ConfigError, match="unknown task kinds"):
        sample_tasks_in(toy_world(), np.random.default_rng(0), 1, ["dance"])
    with pytest.raises(ConfigError, match="offers only 1 different"):
        sample_tasks_in(toy_world(), np.random.default_rng(0), 2, ["toggle"], max_goals=1)
