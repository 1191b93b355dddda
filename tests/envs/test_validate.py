"""Hand-written houses and reset options: what is not sound is named, nothing is accepted silently."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv, HouseSpec, generate_house
from mimir_learn.envs.household.build import build
from mimir_learn.errors import ConfigError, SymbolError
from mimir_learn.symbols import Parent, Relation

SEED = 10003
HOUSE = generate_house(SEED)
THING, FIXTURE, ROOM = HOUSE.things[0].id, HOUSE.fixtures[0].id, HOUSE.rooms[0].id


def rooms(body: dict[str, Any], n: int) -> None:
    """As many rooms as asked for, copies of the first one far away."""
    first = body["rooms"][0]
    for k in range(len(body["rooms"]), n):
        shift = np.array([100.0 * k, 0.0, 0.0])
        views = [{key: list(np.array(v[key]) + shift) for key in ("eye", "target")} for v in first["viewpoints"]]
        centre = [first["centre"][0] + shift[0], first["centre"][1]]
        body["rooms"].append({**first, "id": f"kitchen_{k + 1}", "centre": centre, "viewpoints": views, "decor": []})


def thing(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda body: body["things"][0].update(values)


def fixture(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda body: body["fixtures"][0].update(values)


BAD: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "duplicate id": (lambda b: b["things"].append(b["things"][0]), f"'{THING}' is used twice"),
    "duplicate id across kinds": (thing(id=FIXTURE), f"'{FIXTURE}' is used twice"),
    "reserved id": (thing(id="hand"), "'hand' is reserved"),
    "engine's id": (thing(id="world"), "'world' is reserved"),
    "slash in id": (thing(id="a/b"), "'a/b'"),
    "space in id": (thing(id="a b"), "'a b'"),
    "mark-up in id": (thing(id='a"<b'), "id 'a"),
    "zero mass": (thing(mass=0), f"{THING}: mass"),
    "negative radius": (thing(radius=-0.1), f"{THING}: radius"),
    "negative size": (lambda b: b["things"][0]["solid"].update(size=[-1, -1, -1], shape="box"), f"{THING}: solid: size of a box"),
    "too few sizes": (lambda b: b["things"][0]["solid"].update(size=[0.1], shape="box"), f"{THING}: solid: size of a box"),
    "unknown shape": (lambda b: b["things"][0]["solid"].update(shape="torus"), f"{THING}: solid: shape 'torus'"),
    "unknown shape of a part": (lambda b: b["fixtures"][0]["parts"][0].update(shape="cone"), f"{FIXTURE}: shape 'cone'"),
    "colour": (lambda b: b["fixtures"][0]["parts"][0].update(rgb=[255, 0, 0]), f"{FIXTURE}: rgb"),
    "unknown category": (thing(category="dragon"), f"{THING}: category 'dragon'"),
    "category of another kind": (thing(category="fridge"), f"{THING}: category 'fridge'"),
    "unknown room": (fixture(room="attic_1"), f"{FIXTURE}: there is no room 'attic_1'"),
    "fixture in the air": (fixture(parent={"id": FIXTURE, "relation": "on"}), f"{FIXTURE}: parent on {FIXTURE}"),
    "unknown parent": (thing(parent={"id": "nowhere_1", "relation": "on"}), f"{THING}: parent on nowhere_1"),
    "parent with another relation": (
        thing(parent={"id": "counter_1", "relation": "in"}),
        f"{THING}: parent in counter_1",
    ),
    "parent that lies": (thing(parent={"id": ROOM, "relation": "room"}), f"{THING}: position .* but its parent is room {ROOM}"),
    "unknown relation": (thing(parent={"id": ROOM, "relation": "under"}), f"things.0. .{THING}.: .*under"),
    "missing attribute": (fixture(attributes={}), f"{FIXTURE}: a fridge must give the attributes .'open'."),
    "unknown attribute": (fixture(attributes={"open": True, "sparkle": True}), f"{FIXTURE}: .*sparkle"),
    "attribute of another type": (fixture(attributes={"open": "yes"}), f"{FIXTURE}: attribute 'open'"),
    "fixture without viewpoints": (fixture(viewpoints=[]), f"{FIXTURE} has no viewpoints"),
    "room without viewpoints": (lambda b: b["rooms"][0].update(viewpoints=[]), f"{ROOM} has no viewpoints"),
    "viewpoint straight down": (
        fixture(viewpoints=[{"eye": [1, 1, 2], "target": [1, 1, 0]}]),
        f"{FIXTURE}: a viewpoint looks straight",
    ),
    "receptacle without region": (fixture(regions=[]), f"{FIXTURE}: a fridge must have at least one region"),
    "no rooms": (lambda b: b.update(rooms=[], fixtures=[], things=[]), "has no rooms"),
    "NaN": (thing(position=[float("nan"), 0, 0]), f"{THING}: position must be 3 finite numbers"),
    "infinite": (fixture(yaw=float("inf")), f"{FIXTURE}: yaw"),
    "text for a number": (thing(yaw="north"), f"{THING}: yaw"),
    "outside": (thing(position=[100, 100, 1]), f"{THING}: position .* is in no room"),
    "below the floor": (lambda b: b["things"][0]["position"].__setitem__(2, -5), f"{THING}: position .* below the floor"),
    "more rooms than can be drawn": (lambda b: rooms(b, 6), "6 rooms; 5 can be drawn"),
    "seed": (lambda b: b.update(seed="abc"), "seed 'abc'"),
    "missing field": (lambda b: b["things"][0].__delitem__("mass"), f"things.0. .{THING}.: .*mass"),
    "unknown field": (fixture(foo=1), f"fixtures.0. .{FIXTURE}.: .*foo"),
}


@pytest.mark.parametrize("what", BAD)
def test_an_unsound_house_is_named(what: str) -> None:
    spoil, complaint = BAD[what]
    body = json.loads(HOUSE.to_json())
    spoil(body)
    with pytest.raises(SymbolError, match=complaint):
        HouseSpec.from_json(json.dumps(body))


@pytest.mark.parametrize("text", ["", "[1]", "null", '"house"', '{"seed": 1}', '{"seed": 1, "rooms": 3, "fixtures": [], "things": []}'])
def test_what_is_no_house_at_all(text: str) -> None:
    with pytest.raises(SymbolError, match="not a house"):
        HouseSpec.from_json(text)


def test_houses_made_in_python_are_checked_too() -> None:
    lying = replace(HOUSE.things[0], parent=Parent(ROOM, Relation.ROOM))
    with pytest.raises(SymbolError, match=f"{THING}: position"):
        build(replace(HOUSE, things=(lying, *HOUSE.things[1:])))


def test_five_rooms_are_drawn_and_hide_the_collision_solids(env: HouseholdEnv) -> None:
    body = json.loads(HOUSE.to_json())
    rooms(body, 5)
    env.reset(seed=0, options={"house": HouseSpec.from_json(json.dumps(body))})
    empty = env.step("go to kitchen_5")[0]
    assert empty["rgb"].std() > 5 and env.visible_entities().sightings == ()  # walls and a floor, nothing else
    assert (empty["depth"] > 0).all()


def test_a_house_with_nothing_to_carry_or_stand_at_is_one(env: HouseholdEnv) -> None:
    env.reset(seed=0, options={"house": replace(HOUSE, things=(), fixtures=())})
    assert env.step(f"go to {ROOM}")[4]["success"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"house": "x"}, "house must be a HouseSpec"),
        ({"house_seed": "x"}, "house_seed must be a whole number .* 'x'"),
        ({"house_seed": 2.7}, "house_seed must be a whole number .* 2.7"),
        ({"house_seed": True}, "house_seed must be a whole number"),
        ({"house_seed": -1}, "house_seed must be a whole number .* -1"),
        ({"faults": 0.2}, "faults must be FaultRates"),
        ({"houseseed": 1}, "unknown reset options .'houseseed'."),
        ({1: 1}, "unknown reset options"),
    ],
)
def test_bad_reset_options(env: HouseholdEnv, options: dict[Any, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        env.reset(seed=0, options=options)


def test_numpy_house_seeds_are_fine(env: HouseholdEnv) -> None:
    assert env.reset(seed=0, options={"house_seed": np.int64(3)})[1]["house_seed"] == 3


@pytest.mark.parametrize("size", [15, 513, 0, -64, 100.5, 64.0, True, "64", None])
def test_nonsense_image_sizes(size: Any) -> None:
    with pytest.raises(ConfigError, match="image_size"):
        HouseholdConfig(image_size=size)


def test_other_nonsense_settings() -> None:
    with pytest.raises(ConfigError, match="max_steps"):
        HouseholdConfig(max_steps=0)
    with pytest.raises(ConfigError, match="faults"):
        HouseholdConfig(faults=0.2)  # type: ignore[arg-type]
    assert HouseholdConfig(faults=FaultRates.level(0.2)).faults.silent == 0.7


def test_pixels_needed_are_a_share_of_the_picture() -> None:
    needed = {size: HouseholdConfig(image_size=size).pixels_needed for size in (32, 64, 96, 128, 224, 256)}
    assert needed == {32: 3, 64: 3, 96: 6, 128: 10, 224: 31, 256: 40}
    assert HouseholdConfig(min_pixels=1).pixels_needed == 1
