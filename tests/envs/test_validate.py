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

from . import small

SEED = 10003

HOUSE = small.house()
THING, FIXTURE, ROOM, LAMP = "mug_1", "table_1", "kitchen_1", 1


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


def lamp(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda body: body["fixtures"][LAMP].update(values)


def door(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda body: body["doorways"][0].update(values)


def part(**values: Any) -> Callable[[dict[str, Any]], None]:
    """A part of the first thing, its mesh."""
    return lambda body: body["things"][0]["parts"][0].update(values)


def stacked(body: dict[str, Any], **holds: Any) -> None:
    """mug_2 in mug_1."""
    body["things"][1].update(parent={"id": "mug_1", "relation": "in"}, position=[-1.5, 0.2, 0.65])
    body["things"][0].update(holds)


def drawer(joint: str, travel: float) -> Callable[[dict[str, Any]], None]:
    """The table as a drawer."""
    panel = {"joint": joint, "axis": [0, -1, 0], "anchor": [0, 0, 0], "travel": travel, "parts": []}
    change = fixture(category="drawer", attributes={"open": False}, panels=[panel])
    return lambda body: (change(body), body.update(things=[]))[0]


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
    "parent with another relation": (thing(parent={"id": FIXTURE, "relation": "in"}), f"{THING}: parent in {FIXTURE}"),
    "parent that is a thing which holds nothing": (
        lambda b: stacked(b, holds=None),
        "mug_2: its parent mug_1 has no `holds`",
    ),
    "thing in itself": (thing(parent={"id": THING, "relation": "in"}), f"{THING}: parent in {THING}"),
    "things in each other": (
        lambda b: (stacked(b), thing(parent={"id": "mug_2", "relation": "in"})(b)),
        "is inside itself: mug_. in mug_. in mug_.",
    ),
    "what no mug can be": (
        thing(attributes={"sliced": True}),
        f"{THING}: a mug has no attribute 'sliced' .* .'dirty', 'filled', 'broken'.",
    ),
    "derived at the start": (thing(attributes={"heated": True}), f"{THING}: a mug has no attribute 'heated'"),
    "thing's attribute of another type": (thing(attributes={"dirty": 1}), f"{THING}: attribute 'dirty' must be true or false"),
    "holds of nothing": (thing(holds={"centre": [0, 0, 0], "half": [0, 1], "height": 1}), f"{THING}: holds: half of a region"),
    "holds of what holds nothing": (
        lambda b: thing(category="apple", attributes={})(b),
        f"{THING}: a apple holds nothing, so it must have no `holds`",
    ),
    "parent that lies": (thing(parent={"id": ROOM, "relation": "room"}), f"{THING}: position .* but its parent is room {ROOM}"),
    "unknown relation": (thing(parent={"id": ROOM, "relation": "under"}), f"things.0. .{THING}.: .*under"),
    "missing attribute": (lamp(attributes={}), "lamp_1: a lamp must give the attributes .'on'."),
    "unknown attribute": (lamp(attributes={"on": True, "sparkle": True}), "lamp_1: .*sparkle"),
    "attribute of another type": (lamp(attributes={"on": "yes"}), "lamp_1: attribute 'on'"),
    "profile": (part(size=[0.1, 0.0, 0.1]), f"{THING}: the profile of a lathe must be 2 finite numbers a point"),
    "profile of text": (part(size=["wide", 0.0]), f"{THING}: size of a lathe must be finite numbers"),
    "pattern": (part(texture="paisley"), f"{THING}: texture of a lathe 'paisley' is unknown"),
    "condition": (part(when="heated"), f"{THING}: when 'heated' must be"),
    "pattern of a wall": (lambda b: b["rooms"][0].update(wall_texture="paisley"), f"{ROOM}: wall_texture 'paisley'"),
    "darkness": (lambda b: b["rooms"][0].update(light=0), f"{ROOM}: light 0 must be above 0"),
    "doorway to nowhere": (door(rooms=[ROOM, "attic_1"]), "doorway 0 .*must name two different rooms"),
    "doorway into the same room": (door(rooms=[ROOM, ROOM]), "doorway 0 .*must name two different rooms"),
    "doorway across": (door(along="z"), "doorway 0 .*along 'z' must be"),
    "doorway in another wall": (door(along="x"), "doorway 0 .*must be 0.12 m apart"),
    "doorway beside the wall": (door(centre=[1.0, 0.0]), "doorway 0 .*must lie in the wall, at x = 2.060"),
    "doorway round the corner": (door(centre=[2.06, 1.8]), "doorway 0 .*wider than the wall that .* has there"),
    "doorway through the ceiling": (door(height=2.6), "doorway 0 .*must be below the wall's 2.6 m"),
    "rooms in each other": (lambda b: b["rooms"][1].update(centre=[1.0, 1.0]), "livingroom_1 and kitchen_1 overlap"),
    "fixture without viewpoints": (fixture(viewpoints=[]), f"{FIXTURE} has no viewpoints"),
    "room without viewpoints": (lambda b: b["rooms"][0].update(viewpoints=[]), f"{ROOM} has no viewpoints"),
    "viewpoint straight down": (
        fixture(viewpoints=[{"eye": [1, 1, 2], "target": [1, 1, 0]}]),
        f"{FIXTURE}: a viewpoint looks straight",
    ),
    "receptacle without region": (fixture(regions=[]), f"{FIXTURE}: a table must have at least one region"),
    "no rooms": (lambda b: b.update(rooms=[], fixtures=[], things=[]), "has no rooms"),
    "NaN": (thing(position=[float("nan"), 0, 0]), f"{THING}: position must be 3 finite numbers"),
    "infinite": (fixture(yaw=float("inf")), f"{FIXTURE}: yaw"),
    "text for a number": (thing(yaw="north"), f"{THING}: yaw"),
    "outside": (thing(position=[100, 100, 1]), f"{THING}: position .* is in no room"),
    "below the floor": (lambda b: b["things"][0]["position"].__setitem__(2, -5), f"{THING}: position .* below the floor"),
    "more rooms than can be drawn": (lambda b: rooms(b, 13), "13 rooms; at most 12"),
    "seed": (lambda b: b.update(seed="abc"), "seed 'abc'"),
    "missing field": (lambda b: b["things"][0].__delitem__("mass"), f"things.0. .{THING}.: .*mass"),
    "two fixtures in one spot": (lamp(position=[-1.2, 0.2, 0]), f"lamp_1 and {FIXTURE} stand in the same spot.*; move one"),
    "fixture outside its room": (lamp(position=[1.2, 1.95, 0]), "lamp_1: at .* it is 0.10 m outside kitchen_1; move it in"),
    "fixture in another room": (
        lamp(room="livingroom_1", parent={"id": "livingroom_1", "relation": "room"}),
        "lamp_1: .*outside livingroom_1",
    ),
    "fixture in a doorway": (lamp(position=[1.8, 0.3, 0]), "lamp_1: it stands in doorway 0, between .*; move it aside"),
    "viewpoint outside the house": (
        fixture(viewpoints=[{"eye": [50, 50, 1], "target": [0, 0, 1]}]),
        f"{FIXTURE}: the eye of a viewpoint, .50, 50, 1., is outside the house",
    ),
    "viewpoint in the attic": (
        lambda b: b["rooms"][0].update(viewpoints=[{"eye": [0, 0, 3], "target": [1, 0, 1]}]),
        f"{ROOM}: the eye of a viewpoint, .* is outside",
    ),
    "fixture larger than its room": (fixture(size=[9, 9, 1]), f"{FIXTURE}: size .* is larger than {ROOM}"),
    "fixture higher than its room": (fixture(size=[1, 0.8, 3]), f"{FIXTURE}: size .* is larger than {ROOM}"),
    "huge thing": (
        lambda b: b["things"][0]["solid"].update(size=[3.0, 0.05]),
        f"{THING}: its solid is 6.00 m long; a thing is at most 1.5 m",
    ),
    "heavy thing": (thing(mass=1e9), f"{THING}: mass .* is too heavy to carry; give at most 100 kg"),
    "radius of another solid": (thing(radius=0.5), f"{THING}: radius 0.5 m does not agree with its solid.*; give 0.0600"),
    "half height of another solid": (thing(half_height=0.2), f"{THING}: half_height 0.2 m does not agree .*; give 0.0500"),
    "door that turns too far": (drawer("hinge", 270.0), f"{FIXTURE}: travel 270 of a hinge is too far; give at most 180 degrees"),
    "drawer that slides too far": (drawer("slide", -2.0), f"{FIXTURE}: travel -2 of a slide is too far; give at most 1.5 m"),
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


def test_twelve_rooms_are_drawn_and_hide_the_collision_solids(env: HouseholdEnv) -> None:
    body = json.loads(HOUSE.to_json())
    rooms(body, 12)
    env.reset(seed=0, options={"house": HouseSpec.from_json(json.dumps(body))})
    empty = env.step("go to kitchen_12")[0]
    assert empty["rgb"].std() > 5 and env.visible_entities().sightings == ()  # walls and a floor, nothing else
    assert (empty["depth"] > 0).all()


def test_a_thing_in_a_thing_is_a_sound_house_and_round_trips() -> None:
    apple = json.loads(generate_house(SEED).to_json())["things"]
    apple = next(t for t in apple if t["holds"] is None)
    body = json.loads(HOUSE.to_json())
    small_one = {**apple, "id": "egg_1", "category": "egg", "attributes": {}, "radius": 0.02, "half_height": 0.02}
    small_one["solid"] = {**apple["solid"], "shape": "sphere", "size": [0.02]}
    body["things"].append({**small_one, "parent": {"id": "mug_1", "relation": "in"}, "position": [-1.5, 0.2, 0.535]})
    house = HouseSpec.from_json(json.dumps(body))
    assert HouseSpec.from_json(house.to_json()) == house and house.things[-1].parent == Parent("mug_1", Relation.IN)


def test_a_house_written_before_there_were_doorways_is_one() -> None:
    body = json.loads(HOUSE.to_json())
    del body["doorways"]
    assert HouseSpec.from_json(json.dumps(body)).doorways == ()


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


def test_a_wall_cabinet_hangs_over_a_base_unit_and_a_chair_stands_under_a_table() -> None:
    body = json.loads(HOUSE.to_json())
    for category in ("wall_cabinet", "chair"):
        size, attributes = [0.4, 0.3, 2.0], {"open": False} if category == "wall_cabinet" else {}
        regions = body["fixtures"][0]["regions"] if category == "chair" else [{"centre": [0, 0, 1.5], "half": [0.2, 0.1], "height": 0.3}]
        over = {**body["fixtures"][0], "id": f"{category}_1", "category": category, "size": size, "position": [-1.5, 0.5, 0]}
        over.update(attributes=attributes, regions=regions)
        HouseSpec.from_json(json.dumps({**body, "things": [], "fixtures": [*body["fixtures"], over]}))
        twin = {**over, "id": f"{category}_2"}
        with pytest.raises(SymbolError, match=f"{category}_2 and {category}_1 stand in the same spot"):
            HouseSpec.from_json(json.dumps({**body, "things": [], "fixtures": [*body["fixtures"], over, twin]}))


@pytest.mark.parametrize("seed", [*range(8), *range(40_000, 40_008)])
def test_what_is_generated_is_sound(seed: int) -> None:
    generate_house(seed).validate()
