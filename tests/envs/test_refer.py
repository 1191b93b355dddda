"""What an expression means is what it says: every reference fits exactly the entities it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from mimir_learn.envs.household.tasks import refer
from mimir_learn.envs.household.tasks.wording import nouns
from mimir_learn.symbols import Kind
from tests.envs.toy_tasks import toy_world

WORLD = toy_world()


def said(maker, entity_id, n=12):
    return {r.text for seed in range(n) if (r := maker(WORLD, np.random.default_rng(seed), entity_id)) is not None}


def test_colour_tells_apart_only_what_has_its_like_and_no_twin() -> None:
    assert said(refer.thing_by_colour, "mug_1") == {"the red mug", "the mug that is red"}
    assert said(refer.thing_by_colour, "plate_1") == set()  # the other plate is white too
    assert said(refer.thing_by_colour, "tomato_1") == set()  # the only tomato


def test_state_tells_apart() -> None:
    assert all(" plate" in t and t.split()[1] in ("dirty", "soiled", "stained") for t in said(refer.thing_by_state, "plate_2"))
    assert all(t.split()[1] in ("clean", "spotless") for t in said(refer.thing_by_state, "plate_1"))
    assert said(refer.thing_by_state, "vase_1") == set()


def test_left_and_right_are_seen_from_in_front() -> None:
    # the counter's front is towards −y: the mug at smaller x is on the left
    assert said(refer.thing_by_side, "mug_1") and all(
        ("left of the" in t and "plate" in t) or "knife" in t for t in said(refer.thing_by_side, "mug_1")
    )
    assert not any("right of the" in t for t in said(refer.thing_by_side, "mug_1"))


def test_by_use_is_given_up_where_two_categories_would_do() -> None:
    assert said(refer.thing_by_use, "knife_1") and said(refer.thing_by_use, "pen_1")
    assert not any("read" in t for t in said(refer.thing_by_use, "pillow_1"))
    assert "some fruit" not in said(refer.thing_by_use, "apple_1")  # there is a tomato, and is that a fruit?


@pytest.mark.parametrize("place", ["shelf_1", "shelf_2", "drawer_1", "drawer_2"])
def test_one_of_several_places_is_told_by_room_or_landmark(place: str) -> None:
    for text in said(refer.place_by_landmark, place, 20):
        room = WORLD.room(place)
        marks = [e for e in WORLD.entities.values() if e.kind is not Kind.OBJECT and e.kind is not Kind.HAND and WORLD.room(e.id) == room]
        assert any(n in text for m in marks for n in nouns(m.category)), text
    assert said(refer.place_by_landmark, place) and not said(refer.place_by_landmark, "bed_1")


def test_a_plain_place_means_one_or_says_that_any_will_do() -> None:
    for seed in range(20):
        for place in ("shelf_1", "fridge_1", "drawer_2"):
            ref = refer.plain_place(WORLD, np.random.default_rng(seed), place)
            assert ref is not None
            alike = len(WORLD.alike(WORLD.entities[place].category))
            if ref.style == "any":
                assert len(ref.ids) == alike > 1 and ref.query.instance is None and not ref.text.startswith("the ")
            else:
                assert ref.ids == (place,) and ref.text.startswith("the ") and (alike == 1) is (ref.query.instance is None)
