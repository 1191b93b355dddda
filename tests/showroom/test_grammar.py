"""What a person types becomes exactly the action whose command it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.agent.adapters import HouseholdAdapter
from mimir_learn.errors import SymbolError
from mimir_learn.showroom.play.grammar import Grammar
from mimir_learn.symbols import Action, Entity, Kind, Place, Verb

PLACES = (
    Place(Entity("kitchen_1", "kitchen", Kind.ROOM), "kitchen_1"),
    Place(Entity("fridge_1", "fridge", Kind.RECEPTACLE), "kitchen_1"),
    Place(Entity("lamp_1", "lamp", Kind.FIXTURE), "kitchen_1"),
)
GRAMMAR = Grammar(HouseholdAdapter(), PLACES)
IDS = st.from_regex(r"[a-z_]{2,10}_[0-9]{1,2}", fullmatch=True)


@given(verb=st.sampled_from(list(Verb)), thing=IDS | st.none(), place=st.sampled_from(["fridge_1", "kitchen_1"]) | st.none())
def test_every_command_is_read_back(verb: Verb, thing: str | None, place: str | None) -> None:
    try:
        action = Action(verb, thing, place)
    except SymbolError:
        return
    command = HouseholdAdapter().command(action)
    if command is None:
        return
    read = GRAMMAR.read(f"  {command.replace(' ', '   ')} ")
    assert read is not None
    assert HouseholdAdapter().command(read) == command
    # "slice X at P" is said as "slice X": what the command does not say cannot be read back
    assert read.verb is verb and read.object in (thing, None if verb is Verb.NAVIGATE else thing)


def test_going_to_a_place_is_not_going_to_a_thing() -> None:
    assert GRAMMAR.read("go to fridge_1") == Action(Verb.NAVIGATE, None, "fridge_1")
    assert GRAMMAR.read("go to lamp_1") == Action(Verb.NAVIGATE, None, "lamp_1")
    assert GRAMMAR.read("go to mug_2") == Action(Verb.NAVIGATE, "mug_2")


@pytest.mark.parametrize("line", ["", "fly", "go to", "open the big fridge", "put mug_1", "GO TO fridge_1", "look around"])
def test_other_lines_are_no_commands(line: str) -> None:
    assert GRAMMAR.read(line) is None


def test_usage_names_every_verb_once() -> None:
    assert {"pick up THING", "pick up THING from PLACE", "put THING at PLACE", "look", "look up", "wait"} <= set(GRAMMAR.usage)
    assert len(GRAMMAR.usage) == len(set(GRAMMAR.usage))
    assert "pick up" in GRAMMAR.words and all("THING" not in w and "PLACE" not in w for w in GRAMMAR.words)
