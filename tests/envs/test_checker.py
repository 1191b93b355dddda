"""The checker sees what is out of order, and thousands of random actions leave nothing so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mimir_learn.envs.household import FaultRates, HouseholdEnv
from mimir_learn.envs.household.bodies import turned
from mimir_learn.envs.household.checker import StressReport, check_world, stress
from mimir_learn.envs.household.world import World
from mimir_learn.symbols import IN_HAND, Parent, Relation
from tests.envs.plain_house import plain_house


def moved(thing: str, at: tuple[float, float, float]) -> Callable[[World], None]:
    def do(world: World) -> None:
        world.bodies.put(thing, at, turned(0.0))
        world.bodies.sync()

    return do


def drawn_wrongly(world: World) -> None:
    geom = next(g for g, attribute, _ in world.built.when["apple_1"] if attribute == "sliced")
    world.model.geom_group[geom] = 0


def panel_off(world: World) -> None:
    world.data.qpos[world.built.panels["fridge_1"][0][0]] = 0.3


BROKEN: dict[str, tuple[Callable[[World], object], str]] = {
    "not a number": (lambda w: w.data.qpos.__setitem__(0, np.nan), "qpos has NaN"),
    "still moving": (lambda w: w.data.qvel.__setitem__(0, 0.1), "still moving"),
    "below the floor": (moved("apple_1", (0.0, 0.0, -0.5)), "apple_1 is below the floor"),
    "outside": (moved("apple_1", (30.0, 0.0, 0.05)), "apple_1 is outside every room"),
    "elsewhere": (moved("apple_1", (4.0, 0.0, 0.05)), "apple_1 is said to be on counter_1, but lies room livingroom_1"),
    "out of its holder": (moved("egg_1", (4.0, 0.0, 0.05)), "egg_1 is said to be in bowl_2"),
    "another parent": (lambda w: w.parents.__setitem__("apple_1", Parent("table_1", Relation.ON)), "apple_1 is said to be on table_1"),
    "circle": (lambda w: w.parents.__setitem__("bowl_2", Parent("egg_1", Relation.IN)), "bowl_2 is, in the end, inside itself"),
    "two hands": (lambda w: w.parents.__setitem__("apple_1", IN_HAND), "in hand are"),
    "no parent": (lambda w: w.parents.pop("apple_1"), "not every thing has a parent"),
    "falls": (lambda w: w.bodies.loose("egg_1", True), "egg_1, in bowl_2, falls or touches"),
    "floats": (lambda w: w.bodies.loose("apple_1", False), "apple_1, on counter_1, does not fall or touch"),
    "attribute missing": (lambda w: w.attributes.pop(("apple_1", "sliced")), "attributes missing"),
    "attribute of another type": (lambda w: w.attributes.__setitem__(("apple_1", "sliced"), 1), "apple_1.sliced is 1"),
    "broken and full": (lambda w: w.attributes.update({("mug_1", "broken"): True, ("mug_1", "filled"): True}), "mug_1 is broken and still"),
    "open said": (lambda w: w.attributes.__setitem__(("fridge_1", "open"), True), "fridge_1: open is True"),
    "door elsewhere": (panel_off, "fridge_1: a door or drawer is at"),
    "drawn wrongly": (drawn_wrongly, "apple_1: a part for sliced = True is drawn"),
    "not drawn": (lambda w: w.attributes.__setitem__(("apple_1", "sliced"), True), "apple_1: a part for sliced = True is not drawn"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_out_of_order_is_named(env: HouseholdEnv, name: str) -> None:
    env.reset(seed=0, options={"house": plain_house()})
    assert env._skills is not None
    world = env._skills.world
    assert check_world(world) == []
    damage, complaint = BROKEN[name]
    damage(world)
    assert any(complaint in p for p in check_world(world)), check_world(world)
    env._worlds.clear()  # the next test builds it anew


def test_the_held_thing_is_at_the_hand(env: HouseholdEnv) -> None:
    env.reset(seed=0, options={"house": plain_house()})
    for command in ("go to counter_1", "pick up bowl_1", "go to table_1"):
        env.step(command)
    assert env._skills is not None
    world, stance = env._skills.world, env._skills.stance
    assert check_world(world, stance.view) == []
    moved("bowl_1", (0.0, 0.0, 1.0))(world)
    assert any("bowl_1 is carried, but far from the hand" in p for p in check_world(world, stance.view))
    env._worlds.clear()


def test_random_actions_leave_every_house_in_order() -> None:
    report = stress(range(2), 500, seed=3)
    assert report.sound, str(report)
    assert report.actions == 500 and report.accepted > 200 and report.refused > 60 and len(report.faults) >= 6
    assert stress(range(2), 500, seed=3) == report


def test_one_can_give_rates_of_ones_own_and_read_the_report() -> None:
    report = stress([1], 40, [FaultRates(exogenous=1.0)])
    assert report.sound and report.faults["exogenous"] >= 30
    bad = StressReport(1, 0, 0, {}, tuple(f"problem {i}" for i in range(25)))
    assert not bad.sound and str(bad).endswith("and 5 more") and "problem 19" in str(bad)
