"""Which entity an action changes, whatever else it names."""

import pytest

from mimir_learn.symbols import EFFECT, Action, Verb


@pytest.mark.parametrize("verb", list(EFFECT))
def test_the_subject_is_what_changes(verb: Verb) -> None:
    if verb in (Verb.OPEN, Verb.CLOSE):
        assert Action(verb, receptacle="fridge_1").subject == "fridge_1"
    else:
        assert Action(verb, "lamp_1").subject == "lamp_1"


def test_slicing_a_thing_on_a_place_changes_the_thing() -> None:
    assert Action(Verb.SLICE, "bread_1", "counter_1").subject == "bread_1"
