"""The causal rules on the truth: when they strike, on what, and what they undo."""

from __future__ import annotations

import pytest

from mimir_learn.envs.household import HouseholdEnv
from mimir_learn.envs.household.causes import after_arrival, after_state
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.envs.household.world import World
from mimir_learn.symbols import Entity, Parent, Relation
from tests.envs.plain_house import plain_house

IN, ON = Relation.IN, Relation.ON


def begin(env: HouseholdEnv, *commands: str) -> World:
    env.reset(seed=0, options={"house": plain_house()})
    assert env._skills is not None
    for command in commands:
        assert env.step(command)[4]["success"], command
    return env._skills.world


def do(env: HouseholdEnv, *commands: str) -> None:
    for command in commands:
        assert env.step(command)[4]["success"], command


def test_closing_the_fridge_cools_all_in_it_and_undoes_heat(env: HouseholdEnv) -> None:
    world = begin(env, "go to counter_1", "pick up apple_1", "put apple_1 at bowl_1", "pick up bowl_1", "go to fridge_1", "open fridge_1")
    for thing in ("apple_1", "bowl_1"):
        world.attributes[thing, "heated"] = True
    do(env, "put bowl_1 at fridge_1")
    assert not world.attributes["apple_1", "cooled"]  # it stands open
    do(env, "close fridge_1")
    for thing in ("bowl_1", "apple_1", "apple_2"):
        assert world.attributes[thing, "cooled"] and not world.attributes[thing, "heated"]
    do(env, "open fridge_1")
    assert world.attributes["apple_1", "cooled"]  # and stays so


def test_a_running_microwave_heats_once_it_is_closed(env: HouseholdEnv) -> None:
    world = begin(env, "go to microwave_1", "open microwave_1", "turn on microwave_1", "go to counter_1", "pick up apple_1")
    do(env, "go to microwave_1", "put apple_1 at microwave_1")
    assert not world.attributes["apple_1", "heated"]
    do(env, "close microwave_1")
    assert world.attributes["apple_1", "heated"]


def test_arrival_counts_where_the_state_already_holds(env: HouseholdEnv) -> None:
    world = begin(
        env, "go to burner_1", "turn on burner_1", "go to counter_1", "pick up apple_1", "put apple_1 at bowl_1", "pick up bowl_1"
    )
    do(env, "go to burner_1", "put bowl_1 at burner_1")
    assert world.attributes["bowl_1", "heated"] and world.attributes["apple_1", "heated"]
    world = begin(env, "go to faucet_1", "turn on faucet_1", "go to counter_2", "pick up mug_1", "go to sink_1")
    assert world.attributes["mug_1", "dirty"]
    dirty = env.render()
    do(env, "put mug_1 at sink_1")
    assert world.attributes["mug_1", "cleaned"] and not world.attributes["mug_1", "dirty"]
    assert (env.render() != dirty).any()


def test_what_gets_into_a_bowl_on_a_burner_gets_hot(env: HouseholdEnv) -> None:
    world = begin(
        env, "go to counter_1", "pick up bowl_1", "go to burner_1", "turn on burner_1", "put bowl_1 at burner_1", "go to counter_1"
    )
    do(env, "pick up apple_1", "go to burner_1", "put apple_1 at bowl_1")
    assert world.attributes["apple_1", "heated"]


def test_a_pot_on_a_burner_is_not_in_the_oven_below(env: HouseholdEnv) -> None:
    world = begin(env, "go to counter_1", "pick up bowl_1", "go to burner_1", "put bowl_1 at burner_1", "turn on oven_1")
    assert not world.attributes["bowl_1", "heated"]
    do(env, "turn on burner_1")
    assert world.attributes["bowl_1", "heated"]


def test_the_start_of_an_episode_is_no_arrival(env: HouseholdEnv) -> None:
    world = begin(env)
    assert not any(v for (_, a), v in world.attributes.items() if a in ("heated", "cooled", "cleaned"))


def test_opening_partly_is_no_opening(env: HouseholdEnv) -> None:
    world = begin(env)
    world.set_ajar("fridge_1")
    assert not world.attributes["apple_2", "cooled"]
    world.set_open("fridge_1", False)
    assert not world.attributes["apple_2", "cooled"]  # as far as the symbol goes it has never been open


@pytest.mark.parametrize("rule", VOCABULARY.rules, ids=lambda r: f"{r.category}.{r.effect}")
def test_every_rule_of_the_vocabulary_strikes_by_state_and_by_arrival(rule) -> None:  # type: ignore[no-untyped-def]
    holds = VOCABULARY.spec(rule.category).relation is not None
    container = Entity(f"{rule.category}_1", rule.category, VOCABULARY.spec(rule.category).kind)
    base = Entity("sink_1", "sink", VOCABULARY.spec("sink").kind)
    bowl, apple, far = (Entity(i, i[:-2], VOCABULARY.spec(i[:-2]).kind) for i in ("bowl_1", "apple_1", "apple_2"))
    entities = {e.id: e for e in (container, base, bowl, apple, far)}
    place = container.id if holds else base.id
    parents = {
        container.id: Parent("kitchen_1", Relation.ROOM) if holds else Parent(base.id, ON),
        base.id: Parent("kitchen_1", Relation.ROOM),
        "bowl_1": Parent(place, IN), "apple_1": Parent("bowl_1", IN), "apple_2": Parent("table_1", ON),
    }  # fmt: skip

    def state() -> dict[tuple[str, str], bool]:
        out = {(e.id, a): False for e in (bowl, apple, far) for a in VOCABULARY.spec(e).attributes}
        out |= {(e, c): True for e in ("bowl_1", "apple_1") for c in rule.clears if (e, c) in out}
        return out | {(container.id, rule.attribute): rule.value} | {(container.id, a): v for a, v in rule.requires}

    for touched_by in (
        lambda a: after_state(a, parents, entities, container.id, rule.attribute),
        lambda a: after_arrival(a, parents, entities, ["bowl_1"]),
    ):
        attributes = state()
        assert touched_by(attributes) == {"bowl_1", "apple_1"}
        for thing in ("bowl_1", "apple_1"):
            assert attributes[thing, rule.effect] and not any(attributes.get((thing, c), False) for c in rule.clears)
        assert not attributes["apple_2", rule.effect]
        for name, value in rule.requires:
            unmet = state() | {(container.id, name): not value}
            assert touched_by(unmet) == frozenset()
