"""The mapping to EmbodiedBench: nothing of theirs is missing, everything of ours exists, the page says what the data say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mimir_learn.envs.household import VOCABULARY
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.mapping import FILE, load_mapping, page, without_counterpart
from mimir_learn.symbols import Kind

ROOT = Path(__file__).parents[2]
MAPPING = load_mapping(ROOT / FILE)


def names(text: str, between: str | None = None) -> list[str]:
    return [" ".join(name.split()) for name in text.strip().split(between)]


# EB-ALFRED's findable types in the order of its action ids
FIND = names(
    """
    Cart Potato Faucet Ottoman CoffeeMachine Candle CD Pan Watch HandTowel SprayBottle BaseballBat CellPhone Kettle Mug
    StoveBurner Bowl Toilet DiningTable Spoon TissueBox Shelf Apple TennisRacket SoapBar Cloth Plunger FloorLamp
    ToiletPaperHanger CoffeeTable Spatula Plate Bed Glassbottle Knife Tomato ButterKnife Dresser Microwave CounterTop
    GarbageCan WateringCan Vase ArmChair Safe KeyChain Pot Pen Cabinet Desk Newspaper Drawer Sofa Bread Book Lettuce
    CreditCard AlarmClock ToiletPaper SideTable Fork Box Egg DeskLamp Ladle WineBottle Pencil Laptop RemoteControl
    BasketBall DishSponge Cup SaltShaker PepperShaker Pillow Bathtub SoapBottle Statue Fridge Sink
    """
)
PICK = names(
    """
    KeyChain Potato Pot Pen Candle CD Pan Watch Newspaper HandTowel SprayBottle BaseballBat Bread CellPhone Book Lettuce
    CreditCard Mug AlarmClock Kettle ToiletPaper Bowl Fork Box Egg Spoon TissueBox Apple TennisRacket Ladle WineBottle Cloth
    Plunger SoapBar Pencil Laptop RemoteControl BasketBall DishSponge Cup Spatula SaltShaker Plate PepperShaker Pillow
    Glassbottle SoapBottle Knife Statue Tomato ButterKnife WateringCan Vase
    """
)
SWITCHED = {"Microwave": "on", "DeskLamp": "on", "FloorLamp": "on", "Faucet": "on"}
OPENED = ("Safe", "Laptop", "Fridge", "Box", "Microwave", "Cabinet", "Drawer")
SLICED = ("Potato", "Lettuce", "Tomato", "Apple", "Bread")
HABITAT = names(
    """
    ball, clamp, hammer, screwdriver, padlock, scissors, block, drill, spatula, knife, spoon, plate, sponge, cleanser, plum,
    pear, peach, apple, lemon, can, box, banana, strawberry, lego, rubriks cube, book, bowl, cup, mug, orange, lid, toy
    airplane, wrench
    """,
    ",",
)
RECEPTACLES = names(
    """
    cabinet 7, cabinet 6, cabinet 5, cabinet 4, refrigerator push point, chair 1, table 1, table 2, TV stand, sink in the
    kitchen, right counter in the kitchen, left counter in the kitchen, sofa, refrigerator, left drawer of the kitchen
    counter, right drawer of the kitchen counter
    """,
    ",",
)


def specs(side: str, section: str, name: str):  # type: ignore[no-untyped-def]
    return [VOCABULARY.spec(c) for c in MAPPING[side][section][name]["to"]]


def test_none_of_theirs_is_missing() -> None:
    assert len(FIND) == 80 and len(PICK) == 53 and len(HABITAT) == 33 and len(RECEPTACLES) == 16
    assert set(FIND) <= set(MAPPING["eb_alfred"]["categories"]) and set(PICK) <= set(FIND)
    assert set(HABITAT) == set(MAPPING["eb_habitat"]["categories"]) and set(RECEPTACLES) == set(MAPPING["eb_habitat"]["receptacles"])
    assert {s.split()[0] for s in MAPPING["eb_alfred"]["skills"]} == {"find", "pick", "put", "drop", "open", "close", "turn", "slice"}
    assert {s.split()[0] for s in MAPPING["eb_habitat"]["skills"]} == {"navigate", "pick", "place", "open", "close"}
    assert {"on_top", "holding", "not_holding", "robot_at", "robot_at_obj", "closed_fridge", "opened_fridge"} <= set(
        MAPPING["eb_habitat"]["predicates"]
    )
    assert len(MAPPING["eb_alfred"]["task types"]) == 7


def test_what_can_be_done_to_theirs_can_be_done_to_ours() -> None:
    """Carried things are things here, too; what opens opens, what is switched is switched, what is sliced is sliced. A laptop stays put."""
    for name in PICK:
        assert all(s.kind is Kind.OBJECT for s in specs("eb_alfred", "categories", name)) or name == "Laptop"
    for name in set(OPENED) - {"Box"}:
        assert all(s.openable for s in specs("eb_alfred", "categories", name)), name
    assert all(s.toggleable for name in SWITCHED for s in specs("eb_alfred", "categories", name))
    assert all("sliced" in s.attributes for name in SLICED for s in specs("eb_alfred", "categories", name))
    assert all(s.kind is Kind.OBJECT for name in HABITAT for s in specs("eb_habitat", "categories", name))
    assert all(
        s.relation is not None and s.kind is Kind.RECEPTACLE for name in RECEPTACLES for s in specs("eb_habitat", "receptacles", name)
    )


def test_what_has_no_counterpart_is_said_and_little() -> None:
    nothing = [n for n, r in MAPPING["eb_alfred"]["categories"].items() if not r["to"]]
    assert set(nothing) == {"Cart", "Ottoman", "CoffeeMachine", "ToiletPaperHanger", "Toaster"}
    assert all(MAPPING["eb_alfred"]["categories"][n]["note"] for n in nothing)
    assert all(r["to"] for s in MAPPING["eb_habitat"].values() for r in s.values())
    own = without_counterpart(MAPPING)
    assert {"fill", "pour", "look", "wait"} <= set(own["skills"]) and "teddy" in own["categories"] and "mug" not in own["categories"]


def test_a_name_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"eb_alfred": {"categories": {"Cart": {"to": ["trolley"]}}}}))
    with pytest.raises(ConfigError, match="'Cart' maps to trolley"):
        load_mapping(path)
    with pytest.raises(ConfigError, match="no mapping"):
        load_mapping(tmp_path)


def test_the_page_is_made_from_the_data() -> None:
    assert (ROOT / "docs/mapping.md").read_text(encoding="utf-8") == page(MAPPING)
