"""Houses written by hand: the example of the documentation is one, missing viewpoints are computed, every mistake is one plain sentence."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import HouseholdEnv, HouseSpec, generate_house
from mimir_learn.errors import SymbolError

from . import small

PAGE = (Path(__file__).parents[2] / "docs/household.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"<!-- example: house -->\s*```json\n(.*?)```", PAGE, re.DOTALL)


def blind(house: HouseSpec) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(house.to_json())
    for entry in (*body["rooms"], *body["fixtures"]):
        del entry["viewpoints"]
    return body


def test_the_example_of_the_documentation_is_a_house(env: HouseholdEnv) -> None:
    assert EXAMPLE is not None
    house = HouseSpec.from_json(EXAMPLE[1])
    assert HouseSpec.from_json(house.to_json()) == house
    env.reset(seed=0, options={"house": house})
    for command in ("go to table_1", "pick up mug_1", "put mug_1 at table_1"):
        info = env.step(command)[-1]
        assert info["success"], info["feedback"]


def test_every_field_is_in_the_documentation() -> None:
    from dataclasses import fields

    from mimir_learn.envs.household import spec

    section = PAGE.partition("## Write a house by hand")[2].partition("\n## ")[0]
    kinds = (spec.RoomSpec, spec.FixtureSpec, spec.ThingSpec, spec.Doorway, spec.Part, spec.Panel, spec.Region, spec.Viewpoint)
    assert [(k.__name__, f.name) for k in kinds for f in fields(k) if f"`{f.name}`" not in section] == []


@pytest.mark.parametrize("seed", [3, 40_001])
def test_viewpoints_left_out_are_computed_so_that_everything_is_seen(env: HouseholdEnv, seed: int) -> None:
    house = HouseSpec.from_json(json.dumps(blind(generate_house(seed))))
    assert [r.viewpoints for r in house.rooms] == [r.viewpoints for r in generate_house(seed).rooms]
    fixtures = {f.id: f for f in house.fixtures}
    env.reset(seed=0, options={"house": house})
    unseen = []
    for thing in (t for t in house.things if t.parent.id in fixtures):
        at = thing.parent.id
        env.step(f"go to {at}")
        if fixtures[at].attributes.get("open") is False:
            env.step(f"open {at}")
        seen = {s.entity.id for s in env.visible_entities().sightings}
        for _ in range(2):
            env.step("look")
            seen |= {s.entity.id for s in env.visible_entities().sightings}
        unseen += [thing.id] * (thing.id not in seen)
    assert unseen == []


MISTAKES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "misspelt": (lambda b: b["things"][0].update(colur="red"), "things[0] (mug_1): there is no key 'colur'; did you mean 'colour'?"),
    "unknown": (lambda b: b["fixtures"][0].update(xyz=1), "(table_1): there is no key 'xyz'; known: id, category, room"),
    "in a part": (
        lambda b: b["things"][0]["parts"][0].update(rbg=[1, 0, 0]),
        "parts[0]: there is no key 'rbg'; did you mean 'rgb'?",
    ),
    "missing": (lambda b: b["things"][0].pop("mass"), "(mug_1): 'mass' missing; needed are id, category"),
    "no list": (lambda b: b.update(rooms={}), "rooms must be a list, […], not an object"),
    "no object": (lambda b: b["things"].insert(0, 3), "things[0] must be an object, {…}, not a number"),
    "parent of text": (lambda b: b["things"][0].update(parent="table_1"), "(mug_1): parent must be an object, {…}, not a text"),
    "attributes": (lambda b: b["things"][0].update(attributes=["dirty"]), "(mug_1): attributes must be an object, {…}, not a list"),
    "of the house": (lambda b: b.update(thing=[]), "the house: there is no key 'thing'; did you mean 'things'?"),
    "of no sense": (lambda b: b["fixtures"][0].update(position=["x", 0, 0]), "table_1: position must be 3 finite numbers"),
    "room unknown": (lambda b: b["fixtures"][0].update(room="attic_1"), "table_1: there is no room 'attic_1'"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_is_named_by_entity_and_key(what: str) -> None:
    spoil, words = MISTAKES[what]
    body = blind(small.house())
    spoil(body)
    with pytest.raises(SymbolError, match=re.escape(words)) as caught:
        HouseSpec.from_json(json.dumps(body))
    assert "Error" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (small.house().to_json()[:-40], "its end is cut off"),
        ("[1]", "the whole file must be an object, {…}, not a list"),
        ("[" * 100_000, "nested too deeply"),
        ('{"seed": 1}', "rooms, fixtures, things missing"),
    ],
)
def test_what_is_no_house_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(SymbolError, match=re.escape(words)):
        HouseSpec.from_json(text)


def _spots(body: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    return [path, *(p for k, v in inside for p in _spots(v, (*path, k)))]


SPOTS = [p for p in _spots(blind(small.house())) if p]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SPOTS), st.sampled_from([None, "x", -1, 1e300, [], {}, [1, 2], {"id": 3}, True, [[]]]))
def test_whatever_is_put_anywhere_is_a_house_or_named(spot: tuple[Any, ...], value: Any) -> None:
    body: Any = blind(small.house())
    at = body
    for key in spot[:-1]:
        at = at[key]
    at[spot[-1]] = value
    with contextlib.suppress(SymbolError):
        HouseSpec.from_json(json.dumps(body))
