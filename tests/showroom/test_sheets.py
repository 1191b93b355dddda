"""Contact sheets: everything is on them, what is looked at is in the middle, and every visible state looks different."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv, generate_house
from mimir_learn.envs.household.faults import KINDS
from mimir_learn.envs.household.furniture import design
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.envs.household.wares import LINES
from mimir_learn.errors import ConfigError, SymbolError
from mimir_learn.showroom.houses import house_of
from mimir_learn.showroom.mishaps import find, only
from mimir_learn.showroom.sheets import ShowConfig, categories, fixtures, rooms, show, things
from mimir_learn.showroom.stage import Stage, say, states, wares
from mimir_learn.symbols import Kind


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage(64) as stage:
        yield stage


def test_all_categories_are_on_the_sheets() -> None:
    both = {*categories("things"), *categories("fixtures")}
    assert both == {c.name for c in VOCABULARY.categories.values() if c.kind not in (Kind.ROOM, Kind.HAND)}


@pytest.mark.parametrize("name", ["mug", "bread", "bowl", "egg", "book", "vase"])
def test_a_thing_is_in_the_middle_and_every_state_looks_different(stage: Stage, name: str) -> None:
    ware = next(wares(name))
    pictures = [stage.thing(name, ware, state).astype(int) for state in states(name)]
    floor = pictures[0][-1, 0]
    assert np.abs(pictures[0][24:40, 24:40] - floor).sum(-1).max() > 40  # something else than floor is in the middle
    edge = np.concatenate([pictures[0][-1], pictures[0][:, 0], pictures[0][:, -1]])
    assert np.abs(edge - floor).sum(-1).mean() < 60  # and it is all in the picture
    for i, one in enumerate(pictures):
        for other in pictures[:i]:
            assert (np.abs(one - other).sum(-1) > 30).sum() > 8, (name, states(name)[i])


@pytest.mark.parametrize("name", ["fridge", "drawer", "microwave", "faucet", "lamp", "laptop", "burner", "oven"])
def test_every_state_of_a_fixture_looks_different(stage: Stage, name: str) -> None:
    cells = list(fixtures(stage, [name]))
    assert len(cells) == len(states(name)) >= 2
    for i, one in enumerate(cells):
        for other in cells[:i]:
            assert (np.abs(one.images[0].astype(int) - other.images[0]).sum(-1) > 30).sum() > 5, (one.lines, other.lines)


def test_variants_are_all_there_and_held_out_ones_are_marked(stage: Stage) -> None:
    cells = list(things(stage, ["mug"]))
    found = list(wares("mug"))
    assert len({(w.variant, w.colour) for w in found}) == len(found)
    assert {w.variant for w in found} == {*LINES["mug"].shapes, *LINES["mug"].held_out_shapes}
    assert len(cells) == len(found) + len(states("mug")) - 1
    assert sum(c.accent for c in cells) == sum(w.novel for w in found) and any(w.novel for w in found)
    assert [c.accent for c in cells] == sorted(c.accent for c in cells)  # ordinary ones first


def test_states_in_words() -> None:
    assert say("microwave", {}) == "closed, off" and say("microwave", {"on": True}) == "closed, on"
    assert say("mug", {}) == "" and say("mug", {"dirty": True, "heated": True}) == "dirty"
    assert {} in states("apple") and {"sliced": True} in states("apple") and {"heated": True} not in states("apple")


def test_a_house_is_shown_room_by_room_and_place_by_place() -> None:
    house = generate_house(4)
    first, *cells = rooms(house, 32)
    assert first.lines[0] == "from above" and first.images[0].std() > 5
    names = [c.lines[0] for c in cells]
    assert set(names) == {*(r.id for r in house.rooms), *(f.id for f in house.fixtures)}
    assert all(names.count(r.id) == len(r.viewpoints) for r in house.rooms)
    assert all(names.count(f.id) == 1 for f in house.fixtures)


@pytest.mark.parametrize("kind", KINDS)
def test_rates_for_one_kind_of_fault_allow_no_other_but_what_it_needs(kind: str) -> None:
    rates = {k: v for k, v in vars(only(kind)).items() if v}
    assert kind in rates and set(rates) <= {kind, "unplaced"} and "silent" not in rates


@pytest.mark.parametrize("kind", ["slip", "third_put"])
def test_a_fault_is_found_and_shown_as_it_was(kind: str) -> None:
    env = HouseholdEnv(HouseholdConfig(image_size=32, max_steps=200))
    try:
        found = find(env, kind, 3)
    finally:
        env.close()
    assert found is not None and found.kind == kind and not found.success and found.before.shape == (32, 32, 3)
    if kind == "slip":
        assert found.command.startswith("pick up") and not found.delta
    else:
        assert found.command.startswith("put") and found.delta.hand is not None and found.delta.hand.new is None


def test_files(tmp_path: Path) -> None:
    made = show(ShowConfig("things", str(tmp_path), size=48, only=("fork", "spoon", "ball"), per_page=2, columns=4))
    assert [p.name for p in made] == ["things-1.png", "things-2.png"]
    full = show(ShowConfig("fixtures", str(tmp_path / "a"), size=48, only=("lamp",)))[0]
    few = show(ShowConfig("fixtures", str(tmp_path / "b"), size=48, only=("lamp",), colours=32))[0]
    assert few.stat().st_size < full.stat().st_size and Image.open(few).size == Image.open(full).size
    again = show(ShowConfig("fixtures", str(tmp_path / "c"), size=48, only=("lamp",)))[0]
    assert again.read_bytes() == full.read_bytes()


def test_a_house_can_be_written_edited_and_shown_again(tmp_path: Path) -> None:
    png, text = show(ShowConfig("house", str(tmp_path), house=4, size=32, json=True))
    body = json.loads(text.read_text())
    assert house_of(0, str(text)) == generate_house(4)
    body["rooms"][0]["wall_rgb"] = [1.0, 0.0, 0.0]
    text.write_text(json.dumps(body))
    red = show(ShowConfig("house", str(tmp_path / "red"), spec=str(text), size=32))[0]
    assert red.name == png.name and red.read_bytes() != png.read_bytes()
    body["rooms"][0]["wall_rgb"] = [9.0, 0.0, 0.0]
    text.write_text(json.dumps(body))
    with pytest.raises(SymbolError, match=rf"{text.name}: .*wall_rgb"):
        house_of(0, str(text))
    with pytest.raises(ConfigError, match="cannot be read"):
        house_of(0, str(tmp_path / "nowhere.json"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"what": "dreams"}, "things, fixtures, house, faults"),
        ({"only": ("unicorn",)}, "unicorn; things are apple"),
        ({"what": "fixtures", "only": ("mug",)}, "mug; fixtures are counter"),
        ({"size": 1000}, "at most 512"),
        ({"colours": 1}, "2 to 256"),
        ({"house": -3}, "show.house"),
    ],
)
def test_settings_that_cannot_be_meant(settings: dict, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        ShowConfig(**settings)


def test_designs_are_the_same_again() -> None:
    assert design("fridge", np.random.default_rng(1)) == design("fridge", np.random.default_rng(1))
