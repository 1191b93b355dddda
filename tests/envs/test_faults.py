"""Faults really happen, are told truthfully to the sealed channel, and leave the world in order."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import FaultRates, HouseholdEnv, generate_house
from mimir_learn.envs.household.checker import check_world, stress
from mimir_learn.envs.household.faults import FAULT_SUITES, KINDS, FaultDice
from mimir_learn.envs.household.world import World
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import IN_HAND, Delta, Parent, ParentChange, Relation, StateChange
from tests.envs.plain_house import plain_house

IN, ON = Relation.IN, Relation.ON
HOUSES = 5  # of the generator, few enough to stay compiled
house_of = cache(generate_house)


def begin(env: HouseholdEnv, *commands: str, seed: int = 0, **rates: float) -> World:
    """The plain house after ``commands``, which all come off, and with fault rates from then on."""
    env.reset(seed=seed, options={"house": plain_house()})
    assert env._skills is not None
    for command in commands:
        assert env.step(command)[4]["success"], command
    env._skills.dice.rates = FaultRates(**rates)
    return env._skills.world


def apply(env: HouseholdEnv, command: str) -> tuple[Delta, str, bool, str]:
    """(true change, fault kind, claimed success, sentence) of one command."""
    before = env.privileged_state().snapshot
    info = env.step(command)[4]
    assert env._skills is not None and check_world(env._skills.world, env._skills.stance.view) == []
    state = env.privileged_state()
    return before.diff(state.snapshot), state.fault, info["success"], info["feedback"]


# --- the draws


def draws(rates: FaultRates, seed: int = 0, n: int = 400) -> dict[str, list[str]]:
    dice = FaultDice(rates, np.random.default_rng(seed))
    out: dict[str, list[str]] = {"pick": [], "put": [], "open": [], "drop": [], "exogenous": []}
    for _ in range(n):
        out["pick"].append(dice.first_of("slip", "wrong_instance"))
        out["put"].append(dice.first_of("unplaced", "misplaced", "beside"))
        out["open"].append(dice.first_of("stuck", "partial"))
        out["drop"].append(str(dice.hits("drop")))
        out["exogenous"].append(str(dice.hits("exogenous")))
    return out


@given(st.floats(0.0, 0.5), st.floats(0.0, 0.5))
@settings(max_examples=10, deadline=None)
def test_several_faults_of_one_action_keep_their_rates(first: float, second: float) -> None:
    dice = FaultDice(FaultRates(slip=first, wrong_instance=second), np.random.default_rng(0))
    share = Counter(dice.first_of("slip", "wrong_instance") for _ in range(4000))
    assert share["slip"] / 4000 == pytest.approx(first, abs=0.04) and share["wrong_instance"] / 4000 == pytest.approx(second, abs=0.04)


def test_a_kind_that_is_off_does_not_move_the_draws_of_the_others() -> None:
    level = FaultRates.level(0.4)
    mixed = draws(level)
    without = draws(FaultRates(slip=level.slip, wrong_instance=level.wrong_instance, drop=level.drop))
    assert without["pick"] == mixed["pick"] and without["drop"] == mixed["drop"] and set(without["put"]) == {""}
    assert draws(level) == mixed != draws(level, seed=1)


def test_level_is_the_standard_mix() -> None:
    r = FaultRates.level(0.2)
    assert (r.slip + r.wrong_instance, r.beside + r.misplaced + r.unplaced, r.stuck + r.partial) == pytest.approx((0.2, 0.2, 0.2))
    assert (r.unfilled, r.drop, r.exogenous, r.silent, r.third_put) == pytest.approx((0.2, 0.1, 0.02, 0.7, 1.0))
    assert FaultRates.level(0) == FaultRates() == FaultRates.suite("none")
    for match, bad in (
        ("slip", {"slip": 1.5}),
        ("exceeds", {"slip": 0.6, "wrong_instance": 0.6}),
        ("exceeds", {"beside": 0.6, "misplaced": 0.6}),
    ):
        with pytest.raises(ConfigError, match=match):
            FaultRates(**bad)
    with pytest.raises(ConfigError, match="mild, rough"):
        FaultRates.suite("awful")
    assert set(FAULT_SUITES) == {"none", "mild", "rough", "silent", "exogenous"} and FAULT_SUITES["silent"].silent == 1.0


# --- picking up


def test_slip(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1", slip=1.0, silent=1.0)
    assert apply(env, "pick up apple_1") == (Delta(), "slip", True, "You pick up apple_1.")
    begin(env, "go to counter_1", slip=1.0)
    assert apply(env, "pick up apple_1") == (Delta(), "slip", False, "You reach for apple_1, but it slips away.")


def test_wrong_instance_prefers_the_same_category(env: HouseholdEnv) -> None:
    begin(env, "go to counter_2", wrong_instance=1.0)
    delta, fault, success, text = apply(env, "pick up mug_1")
    assert (fault, success, text) == ("wrong_instance", False, "You pick up mug_2.")
    assert delta.hand is not None and delta.hand.new == "mug_2"
    begin(env, "go to counter_2", wrong_instance=1.0, silent=1.0)
    assert apply(env, "pick up mug_1")[1:] == ("wrong_instance", True, "You pick up mug_1.")


def test_without_another_thing_a_wrong_instance_is_a_slip_or_nothing(env: HouseholdEnv) -> None:
    begin(env, "go to fridge_1", "open fridge_1", wrong_instance=1.0)
    assert apply(env, "pick up apple_2")[1:] == ("", True, "You pick up apple_2.")
    begin(env, "go to fridge_1", "open fridge_1", wrong_instance=0.99, slip=0.01)
    assert apply(env, "pick up apple_2")[1:3] == ("slip", False)


# --- putting down


def test_drop_leaves_the_thing_at_the_start_or_the_end(env: HouseholdEnv) -> None:
    rooms = Counter()
    for seed in range(10):
        begin(env, "go to counter_1", "pick up bowl_1", seed=seed, drop=1.0, silent=1.0)
        delta, fault, success, text = apply(env, "go to table_1")
        assert (fault, success, text) == ("drop", True, "You are at table_1.")
        new = delta.parents["bowl_1"].new
        assert new.relation is Relation.ROOM
        rooms[new.id] += 1
    assert set(rooms) == {"kitchen_1", "livingroom_1"} and rooms.total() == 10
    begin(env, "go to counter_1", "pick up bowl_1", drop=1.0)
    assert apply(env, "go to table_1")[1:] == ("drop", False, "You drop bowl_1 on the way to table_1.")


def test_beside_lands_on_a_neighbour_or_the_floor_and_in_view(env: HouseholdEnv) -> None:
    where, seen = Counter(), []
    for seed in range(24):
        begin(env, "go to counter_2", "pick up mug_2", "go to counter_1", seed=seed, beside=1.0)
        delta, fault, success, text = apply(env, "put mug_2 at counter_1")
        assert (fault, success, text) == ("beside", False, "mug_2 lands beside counter_1.")
        where[delta.parents["mug_2"].new.id] += 1
        seen.append("mug_2" in {s.entity.id for s in env.visible_entities().sightings})
    assert "counter_1" not in where and where["counter_2"] >= 8 and where["kitchen_1"] >= 3
    assert np.mean(seen) >= 0.9
    begin(env, "go to counter_1", "pick up apple_1", beside=1.0)
    assert apply(env, "put apple_1 at bowl_1")[1:] == ("beside", False, "apple_1 lands beside bowl_1.")
    assert env.privileged_state().snapshot.parents["apple_1"] == Parent("counter_1", ON)


def test_misplaced_goes_to_the_next_nearest_of_the_kind(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1", "pick up apple_1", misplaced=1.0)
    delta, fault, success, text = apply(env, "put apple_1 at counter_1")
    assert (fault, success, text) == ("misplaced", False, "You put apple_1 on counter_2.")
    assert delta.parents["apple_1"].new == Parent("counter_2", ON)
    begin(env, "go to counter_1", "pick up apple_1", misplaced=1.0, silent=1.0)
    assert apply(env, "put apple_1 at counter_1")[1:] == ("misplaced", True, "You put apple_1 on counter_1.")
    begin(env, "go to table_1", "pick up phone_1", misplaced=1.0)  # there is but one table
    assert apply(env, "put phone_1 at table_1")[1:] == ("", True, "You put phone_1 on table_1.")
    begin(env, "go to table_1", "pick up phone_1", misplaced=0.99, beside=0.01)
    assert apply(env, "put phone_1 at table_1")[1:] == ("beside", False, "phone_1 lands beside table_1.")


def test_unplaced_stays_in_the_hand(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1", "pick up apple_1", unplaced=1.0)
    assert apply(env, "put apple_1 at counter_1") == (Delta(), "unplaced", False, "apple_1 stays in your hand.")
    begin(env, "go to counter_1", "pick up apple_1", unplaced=1.0, silent=1.0)
    assert apply(env, "put apple_1 at bowl_1") == (Delta(), "unplaced", True, "You put apple_1 in bowl_1.")


def test_the_third_put_that_does_not_come_off_drops_the_thing(env: HouseholdEnv) -> None:
    put = "put apple_1 at counter_1"
    begin(env, "go to counter_1", "pick up apple_1", unplaced=1.0, third_put=1.0, silent=1.0)
    assert [apply(env, put)[1:3] for _ in range(2)] == [("unplaced", True)] * 2
    delta, *told = apply(env, put)
    assert told == ["third_put", False, "apple_1 slips from your hand."]  # reported as a failure, silent or not
    assert delta.parents["apple_1"].new == Parent("kitchen_1", Relation.ROOM)


def test_tries_count_per_receptacle_and_start_anew(env: HouseholdEnv) -> None:
    shut = "put apple_1 at fridge_1"
    ready = ("go to counter_1", "pick up apple_1", "go to fridge_1")
    begin(env, *ready, third_put=1.0)
    assert [apply(env, shut)[3] for _ in range(3)] == ["Refused: fridge_1 is closed."] * 2 + ["apple_1 slips from your hand."]
    begin(env, *ready, third_put=1.0)
    for between in ("open fridge_1", "put apple_1 at kitchen_1"):  # moved, or put elsewhere
        begin(env, *ready, third_put=1.0)
        first = [apply(env, c)[1] for c in (shut, shut, between)]
        assert first == [""] * 3
        more = ("close fridge_1",) if between.startswith("open") else ("pick up apple_1", "go to fridge_1")
        assert [apply(env, c)[1] for c in (*more, shut, shut)] == [""] * (len(more) + 2)
        assert apply(env, shut)[1] == "third_put"
    begin(env, *ready)
    assert [apply(env, shut)[1] for _ in range(5)] == [""] * 5  # off: nothing happens


def test_what_breaks_lies_there_empty_with_its_contents_around_it(env: HouseholdEnv) -> None:
    full = ("go to counter_1", "pick up apple_1", "put apple_1 at bowl_1", "pick up bowl_1", "go to faucet_1", "fill bowl_1 at faucet_1")
    begin(env, *full, "go to table_1", breaks=1.0)
    delta, fault, success, text = apply(env, "put bowl_1 at table_1")
    assert (fault, success, text) == ("breaks", False, "bowl_1 breaks.")
    assert set(delta) >= {StateChange("bowl_1", "broken", False, True), StateChange("bowl_1", "filled", True, False)}
    parents = env.privileged_state().snapshot.parents
    assert parents["bowl_1"] == Parent("table_1", ON) and parents["apple_1"].id in ("table_1", "plate_1", "box_1")
    begin(env, "go to counter_1", "pick up bowl_1", breaks=1.0, silent=1.0)
    assert apply(env, "put bowl_1 at kitchen_1")[1:] == ("breaks", True, "You put bowl_1 on the floor of kitchen_1.")
    begin(env, "go to counter_1", "pick up knife_1", breaks=1.0)
    assert apply(env, "put knife_1 at counter_1")[1:] == ("", True, "You put knife_1 on counter_1.")  # it cannot break
    begin(env, "go to counter_1", "pick up bowl_1", drop=1.0, breaks=1.0)
    delta, fault, *_ = apply(env, "go to table_1")
    assert fault == "drop" and StateChange("bowl_1", "broken", False, True) in set(delta)


# --- doors, switches, knives, liquids


def test_stuck(env: HouseholdEnv) -> None:
    begin(env, "go to fridge_1", stuck=1.0)
    assert apply(env, "open fridge_1") == (Delta(), "stuck", False, "fridge_1 does not move.")
    begin(env, "go to faucet_1", stuck=1.0)
    assert apply(env, "turn on faucet_1") == (Delta(), "stuck", False, "faucet_1 does not respond.")
    begin(env, "go to counter_1", "pick up knife_1", stuck=1.0)
    assert apply(env, "slice apple_1") == (Delta(), "stuck", False, "apple_1 stays whole.")
    begin(env, "go to fridge_1", "open fridge_1", stuck=1.0, silent=1.0)
    assert apply(env, "close fridge_1") == (Delta(), "stuck", True, "You close fridge_1.")


def test_partial_leaves_the_door_ajar(env: HouseholdEnv) -> None:
    world = begin(env, "go to fridge_1", partial=1.0)
    shut = env.render().astype(int)
    assert apply(env, "open fridge_1") == (Delta(), "partial", False, "fridge_1 opens only a little.")
    assert world.bodies.gaps["fridge_1"] == pytest.approx(0.28) and world.attributes["fridge_1", "open"] is False
    assert (np.abs(env.render().astype(int) - shut).max(-1) > 25).mean() > 0.02  # one sees the gap
    assert env._skills is not None
    env._skills.dice.rates = FaultRates()
    assert apply(env, "open fridge_1")[1:] == ("", True, "You open fridge_1.") and world.bodies.gaps["fridge_1"] == 1.0
    world = begin(env, "go to drawer_1", "close drawer_1", partial=1.0, silent=1.0)
    before = world.position("egg_1")
    assert apply(env, "open drawer_1") == (Delta(), "partial", True, "You open drawer_1.")
    assert np.linalg.norm(world.position("egg_1") - before) == pytest.approx(0.28 * 0.36, abs=1e-6)
    assert apply(env, "close drawer_1")[1:] == ("", True, "You close drawer_1.")
    assert np.allclose(world.position("egg_1"), before)


def test_unfilled(env: HouseholdEnv) -> None:
    ready = ("go to counter_2", "pick up mug_1", "go to faucet_1")
    begin(env, *ready, unfilled=1.0)
    assert apply(env, "fill mug_1 at faucet_1") == (Delta(), "unfilled", False, "mug_1 stays empty.")
    begin(env, *ready, "fill mug_1 at faucet_1", "go to counter_2", unfilled=1.0)
    poured = Delta([StateChange("mug_1", "filled", True, False)])
    assert apply(env, "pour mug_1 into mug_2") == (poured, "unfilled", False, "You spill mug_1 beside mug_2.")
    begin(env, *ready, "fill mug_1 at faucet_1", "go to counter_2", unfilled=1.0, silent=1.0)
    assert apply(env, "pour mug_1 into mug_2") == (poured, "unfilled", True, "You pour mug_1 into mug_2.")


def test_camera_moves_and_nothing_else(env: HouseholdEnv) -> None:
    for command, ready in (
        ("pick up apple_1", ("go to counter_1",)),
        ("put apple_1 at counter_1", ("go to counter_1", "pick up apple_1")),
        ("open fridge_1", ("go to fridge_1",)),
        ("close fridge_1", ("go to fridge_1", "open fridge_1")),
    ):
        begin(env, *ready)
        nominal = apply(env, command)
        begin(env, *ready, camera=1.0)
        assert apply(env, command) == (nominal[0], "camera", True, nominal[3])
        assert env._skills is not None and env._skills.stance.index != 0
    begin(env, "go to counter_1", camera=1.0, slip=1.0)
    assert apply(env, "pick up apple_1")[1] == "slip"
    begin(env, "go to counter_1", camera=1.0)
    assert apply(env, "pick up apple_2")[1] == "" and env._skills.stance.index == 0  # refused: not even tried
    assert apply(env, "look down")[1] == ""


# --- somebody else


def start(env: HouseholdEnv, seed: int, **rates: float) -> None:
    """Stand at the open place of a thing in a generated house."""
    house = house_of(seed)
    fixtures = {f.id: f for f in house.fixtures}
    place = next(t.parent.id for t in house.things if t.parent.id in fixtures and fixtures[t.parent.id].attributes.get("open", True))
    env.reset(seed=seed, options={"house_seed": seed, "faults": FaultRates(**rates)})
    env.step(f"go to {place}")


def test_exogenous_changes_are_marked_and_touch_what_they_say(env: HouseholdEnv) -> None:
    verbs = Counter()
    for seed in range(HOUSES):
        start(env, seed, exogenous=1.0)
        for _ in range(10):
            delta, fault, success, text = apply(env, "wait")
            moved = env.privileged_state().moved
            assert fault == "exogenous" and len(moved) == 1 and (success, text) == (True, "You wait.")
            direct = [c for c in delta if isinstance(c, ParentChange) or (isinstance(c, StateChange) and c.attribute in ("on", "open"))]
            assert {c.entity for c in direct} == set(moved)  # nothing else is knocked over
            verbs.update("moved" if isinstance(c, ParentChange) else c.attribute for c in direct)
    assert set(verbs) == {"moved", "on", "open"}


def shown(env: HouseholdEnv) -> set[str]:
    return {s.entity.id for s in env.visible_entities().sightings}


def test_half_of_the_exogenous_changes_are_in_one_of_the_two_frames(env: HouseholdEnv) -> None:
    """On random commands: things taken, put and switched at open places, before closed ones and in rooms, on arrival and in place."""
    seen: list[bool] = []
    for seed in range(18):
        house = house_of(seed % HOUSES)
        env.reset(seed=seed, options={"house_seed": house.seed, "faults": FaultRates(exogenous=1.0)})
        rng = np.random.default_rng(seed)
        for _ in range(18):
            before = shown(env)
            env.step(choose(env.visible_entities(), house, rng))
            moved = env.privileged_state().moved
            seen += [m in before | shown(env) for m in moved]
    assert len(seen) >= 280 and 0.42 <= np.mean(seen) <= 0.58


@pytest.mark.parametrize("where", ["open place", "closed place", "room", "arrival"])
def test_a_change_in_view_is_found_wherever_the_robot_is(env: HouseholdEnv, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every change meant to be in view, as good as all are: there nearly always is one to make."""
    seen = []
    for seed in range(12):
        house = house_of(seed % HOUSES)
        env.reset(seed=seed, options={"house_seed": house.seed, "faults": FaultRates()})
        closed = next(f.id for f in house.fixtures if f.attributes.get("open") is False)
        table = next(f.id for f in house.fixtures if f.regions and "open" not in f.attributes)
        at = {"open place": table, "closed place": closed, "room": house.rooms[0].id, "arrival": house.rooms[-1].id}[where]
        env.step(f"go to {at}")
        skills = env._skills
        assert skills is not None
        monkeypatch.setattr(skills.dice, "rates", FaultRates(exogenous=1.0))
        monkeypatch.setattr(skills, "rng", InView(skills.rng))
        before = shown(env)
        env.step(f"go to {table}" if where == "arrival" else "wait")
        (moved,) = env.privileged_state().moved
        seen.append(moved in before | shown(env))
    assert np.mean(seen) > 0.9


class InView:
    """A generator whose first coin says "in view"; the rest is the generator's own."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._first = rng, True

    def random(self) -> float:
        value, first, self._first = float(self._rng.random()), self._first, False
        return 0.0 if first else value

    def __getattr__(self, name: str) -> object:
        return getattr(self._rng, name)


def test_what_the_robot_just_switched_or_put_down_is_left_alone(env: HouseholdEnv) -> None:
    for seed in range(12):
        house = house_of(seed % HOUSES)
        device = next(f for f in house.fixtures if "on" in f.attributes)
        env.reset(seed=seed, options={"house_seed": house.seed, "faults": FaultRates(exogenous=1.0)})
        env.step(f"go to {device.id}")
        word = "off" if env.privileged_state().snapshot.attributes[device.id, "on"] else "on"
        delta, *_ = apply(env, f"turn {word} {device.id}")
        assert device.id not in env.privileged_state().moved and StateChange(device.id, "on", word == "off", word == "on") in set(delta)


def test_wedged_things_stop_where_they_were_and_leave_the_others_alone(
    env: HouseholdEnv, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """MuJoCo's own answer to a diverging solver is to put everything back to the start of the episode."""
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes a log of its warnings
    env.reset(seed=0, options={"house_seed": 0})
    assert env._skills is not None
    world = env._skills.world
    first, second, *rest = list(world.specs)
    world.release(first, (*world.house.rooms[0].centre, 0.3), 0.0)  # so that the start of the episode is not where things are
    before = world.positions()
    world.release(second, (*world.house.rooms[-1].centre, 0.3), 0.0, push=(float("nan"), 0.0, 0.0))
    after = world.positions()
    assert all(np.allclose(before[t], after[t], atol=1e-3) for t in (first, *rest))
    assert np.isfinite(after[second]).all() and world.parents[second] == Parent(world.house.rooms[-1].id, Relation.ROOM)
    world.release(second, (*world.house.rooms[0].centre, 0.6), 0.0)  # and physics goes on
    assert world.parents[second] == Parent(world.house.rooms[0].id, Relation.ROOM)


def test_every_kind_is_met_and_named() -> None:
    rates = FaultRates.level(0.6)
    report = stress(range(2), 400, [rates, FaultRates.level(0.6, silent=1.0)], seed=1)
    assert report.sound, str(report)
    assert set(report.faults) <= set(KINDS)
    assert set(report.faults) >= {"slip", "drop", "beside", "stuck", "partial", "unplaced", "camera", "exogenous"}


def choose(percept, house, rng: np.random.Generator) -> str:  # type: ignore[no-untyped-def]
    held = next((s.entity.id for s in percept.sightings if s.parent == IN_HAND), None)
    options = [f"go to {rng.choice([p.entity.id for p in house.places])}"]
    for s in percept.sightings:
        if s.entity.id == percept.at:
            options += [f"{v} {s.entity.id}" for v in ("open", "close", "turn on", "turn off")]
            options += [f"put {held} at {s.entity.id}"] * 4 if held else []
        elif s.entity.id in {t.id for t in house.things} and not held:
            options += [f"pick up {s.entity.id}"] * 2
    return str(rng.choice(options))
