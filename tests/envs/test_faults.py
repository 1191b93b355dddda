"""Faults really happen, are told truthfully to the sealed channel, and leave the world in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mimir_learn.envs.household import FaultRates, HouseholdEnv, generate_house
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import HAND, IN_HAND, Delta, Parent, ParentChange, Relation, StateChange

SILENT = {"silent": 1.0}


def start(env: HouseholdEnv, seed: int, **rates: float) -> tuple[str, str]:
    """Reset and stand at the open place of a thing: (thing, place)."""
    house = generate_house(seed)
    thing = next(t for t in house.things if house.fixture(t.parent.id).attributes.get("open", True))
    env.reset(seed=seed, options={"house_seed": seed, "faults": FaultRates(**rates)})
    env.step(f"go to {thing.parent.id}")
    return thing.id, thing.parent.id


def apply(env: HouseholdEnv, command: str) -> tuple[Delta, str, bool, str]:
    """(true change, fault kind, claimed success, sentence) of one command."""
    before = env.privileged_state().snapshot
    info = env.step(command)[4]
    state = env.privileged_state()
    return before.diff(state.snapshot), state.fault, info["success"], info["feedback"]


def test_slip(env: HouseholdEnv) -> None:
    thing, _ = start(env, 0, slip=1.0, **SILENT)
    assert apply(env, f"pick up {thing}") == (Delta(), "slip", True, f"You pick up {thing}.")
    thing, _ = start(env, 0, slip=1.0)
    assert apply(env, f"pick up {thing}") == (Delta(), "slip", False, f"You reach for {thing}, but it slips away.")


def test_wrong_instance_takes_another_thing_or_is_not_recorded(env: HouseholdEnv) -> None:
    struck = 0
    for seed in range(12):
        thing, _ = start(env, seed, wrong_instance=1.0)
        delta, fault, success, text = apply(env, f"pick up {thing}")
        taken = delta.hand.new if delta.hand else None
        if fault:
            assert fault == "wrong_instance" and taken not in (None, thing) and not success and text == f"You pick up {taken}."
            struck += 1
        else:
            assert taken == thing and success
    assert struck >= 5


def test_wrong_instance_prefers_the_same_category(env: HouseholdEnv) -> None:
    for seed in range(300):
        house = generate_house(seed)
        twins = [
            a
            for a in house.things
            for b in house.things
            if a.id < b.id and a.category == b.category and a.parent == b.parent and a.parent.relation is Relation.ON
        ]
        if twins:
            break
    a = twins[0]
    env.reset(seed=0, options={"house_seed": seed, "faults": FaultRates(wrong_instance=1.0, silent=1.0)})
    env.step(f"go to {a.parent.id}")
    delta, fault, success, text = apply(env, f"pick up {a.id}")
    assert fault == "wrong_instance" and success and text == f"You pick up {a.id}."
    assert delta.hand is not None and delta.hand.new is not None
    assert generate_house(seed).entities[delta.hand.new].category == a.category and delta.hand.new != a.id


def test_drop_leaves_the_thing_at_the_start_or_the_end(env: HouseholdEnv) -> None:
    rooms = set()
    for seed in range(16):
        thing, place = start(env, seed, drop=1.0, **SILENT)
        apply(env, f"pick up {thing}")
        house = generate_house(seed)
        goal = next(f for f in house.fixtures if f.room != house.fixture(place).room)
        delta, fault, success, text = apply(env, f"go to {goal.id}")
        assert (fault, success, text) == ("drop", True, f"You are at {goal.id}.")
        new = delta.parents[thing].new
        assert new.relation is Relation.ROOM
        rooms.add("start" if new.id == house.fixture(place).room else "end")
        assert new.id in (house.fixture(place).room, goal.room)
    assert rooms == {"start", "end"}


def test_beside_lands_elsewhere_and_mostly_in_view(env: HouseholdEnv) -> None:
    seen = []
    for seed in range(16):
        thing, place = start(env, seed, beside=1.0)
        apply(env, f"pick up {thing}")
        house = generate_house(seed)
        target = next(f for f in house.fixtures if f.category in ("counter", "table", "shelf", "desk") and f.id != place)
        env.step(f"go to {target.id}")
        delta, fault, success, text = apply(env, f"put {thing} at {target.id}")
        assert (fault, success, text) == ("beside", False, f"{thing} lands beside {target.id}.")
        assert delta.parents[thing].old == IN_HAND and delta.parents[thing].new.id != target.id
        seen.append(thing in {s.entity.id for s in env.visible_entities().sightings})
    assert np.mean(seen) >= 0.75


def test_stuck_doors_and_toggles(env: HouseholdEnv) -> None:
    house = generate_house(0)
    fridge = next(f for f in house.fixtures if f.category == "fridge")
    faucet = next(f for f in house.fixtures if f.category == "faucet")
    env.reset(seed=0, options={"house_seed": 0, "faults": FaultRates(stuck=1.0)})
    env.step(f"go to {fridge.id}")
    verb = "close" if fridge.attributes["open"] else "open"
    assert apply(env, f"{verb} {fridge.id}") == (Delta(), "stuck", False, f"{fridge.id} does not move.")
    env.step(f"go to {faucet.id}")
    word = "off" if faucet.attributes["on"] else "on"
    assert apply(env, f"turn {word} {faucet.id}") == (Delta(), "stuck", False, f"{faucet.id} does not respond.")
    env.reset(seed=0, options={"house_seed": 0, "faults": FaultRates(stuck=1.0, silent=1.0)})
    env.step(f"go to {fridge.id}")
    assert apply(env, f"{verb} {fridge.id}") == (Delta(), "stuck", True, f"You {verb} {fridge.id}.")


def test_exogenous_changes_are_marked_and_touch_what_they_say(env: HouseholdEnv) -> None:
    for seed in range(10):
        start(env, seed, exogenous=1.0)
        for _ in range(6):
            delta, fault, success, text = apply(env, "wait")
            moved = env.privileged_state().moved
            assert fault == "exogenous" and len(moved) == 1 and (success, text) == (True, "You wait.")
            touched = {c.entity for c in delta if isinstance(c, ParentChange) or (isinstance(c, StateChange) and c.attribute == "on")}
            assert touched == set(moved)  # nothing else is knocked over


def shown(env: HouseholdEnv) -> set[str]:
    return {s.entity.id for s in env.visible_entities().sightings}


def test_half_of_the_exogenous_changes_are_in_one_of_the_two_frames(env: HouseholdEnv) -> None:
    """On random commands: things taken, put and switched at open places, before closed ones and in rooms, on arrival and in place."""
    seen: list[bool] = []
    for seed in range(20):
        house = generate_house(seed)
        env.reset(seed=seed, options={"house_seed": seed, "faults": FaultRates(exogenous=1.0)})
        rng = np.random.default_rng(seed)
        for _ in range(18):
            before = shown(env)
            env.step(choose(env.visible_entities(), house, rng))
            moved = env.privileged_state().moved
            seen += [m in before | shown(env) for m in moved]
    assert len(seen) >= 300 and 0.42 <= np.mean(seen) <= 0.58


@pytest.mark.parametrize("where", ["open place", "closed place", "room", "arrival"])
def test_a_change_in_view_is_found_wherever_the_robot_is(env: HouseholdEnv, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every change meant to be in view, as good as all are: there nearly always is one to make."""
    seen = []
    for seed in range(12):
        house = generate_house(seed)
        env.reset(seed=seed, options={"house_seed": seed, "faults": FaultRates()})
        closed = next(f.id for f in house.fixtures if f.attributes.get("open") is False)
        table = next(f.id for f in house.fixtures if f.category in ("counter", "table"))
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
        house = generate_house(seed)
        device = next(f for f in house.fixtures if "on" in f.attributes)
        env.reset(seed=seed, options={"house_seed": seed, "faults": FaultRates(exogenous=1.0)})
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


def test_without_rates_nothing_is_injected(env: HouseholdEnv) -> None:
    thing, place = start(env, 2)
    for command in (f"pick up {thing}", "look", f"put {thing} at {place}", "wait"):
        _, fault, success, _ = apply(env, command)
        assert fault == "" and success


def test_level_is_the_standard_mix() -> None:
    r = FaultRates.level(0.2)
    assert (r.slip + r.wrong_instance, r.beside, r.stuck, r.drop, r.exogenous, r.silent) == pytest.approx((0.2, 0.2, 0.2, 0.1, 0.02, 0.7))
    assert FaultRates.level(0) == FaultRates()
    with pytest.raises(ConfigError, match="slip"):
        FaultRates(slip=1.5)
    with pytest.raises(ConfigError, match="exceeds"):
        FaultRates(slip=0.6, wrong_instance=0.6)


def test_the_world_stays_in_order_under_faults(env: HouseholdEnv) -> None:
    """Hundreds of random legal actions at level 0.25: one parent each, above the floor, finite, inside the house."""
    rng = np.random.default_rng(7)
    kinds = set()
    for seed in range(8):
        _, info = env.reset(seed=seed, options={"house_seed": seed, "faults": FaultRates.level(0.25)})
        house = generate_house(seed)
        things = {t.id for t in house.things}
        for _ in range(50):
            percept = env.visible_entities()
            env.step(choose(percept, house, rng))
            state = env.privileged_state()
            kinds.add(state.fault)
            assert set(state.snapshot.parents) == things | {f.id for f in house.fixtures}
            assert sum(p == IN_HAND for p in state.snapshot.parents.values()) <= 1
            for t in things:
                assert np.isfinite(state.positions[t]).all() and state.positions[t][2] > 0
                parent = state.snapshot.parents[t]
                assert parent.id == HAND.id or parent.id in {p.entity.id for p in info["places"]}
                lying = [r for r in house.rooms if all(abs(state.positions[t][k] - r.centre[k]) <= r.size[k] / 2 for k in (0, 1))]
                assert lying or parent.id == HAND.id
    assert kinds == {"", "slip", "wrong_instance", "drop", "beside", "stuck", "exogenous"}


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
