"""Which entity an action changes, whatever else it names."""

import pytest

from mimir_learn.errors import SymbolError
from mimir_learn.symbols import EFFECT, LOOKS, MANIPULATIONS, Action, Verb


def action(verb: Verb) -> Action:
    """One well-formed action of a verb that changes a state."""
    if verb in (Verb.OPEN, Verb.CLOSE):
        return Action(verb, receptacle="fridge_1")
    return Action(verb, "mug_1", "sink_1" if verb in (Verb.FILL, Verb.POUR) else None)


@pytest.mark.parametrize("verb", list(EFFECT))
def test_the_subject_is_what_changes(verb: Verb) -> None:
    assert action(verb).subject == ("fridge_1" if verb in (Verb.OPEN, Verb.CLOSE) else "mug_1")


def test_slicing_a_thing_on_a_place_changes_the_thing() -> None:
    assert Action(Verb.SLICE, "bread_1", "counter_1").subject == "bread_1"


@pytest.mark.parametrize("verb", list(EFFECT))
def test_only_pouring_fills_something_else(verb: Verb) -> None:
    assert action(verb).fills == ("sink_1" if verb is Verb.POUR else None)


def test_what_verbs_are_for() -> None:
    assert EFFECT[Verb.CLOSE] == ("open", False) and EFFECT[Verb.TOGGLE_ON] == ("on", True)
    assert EFFECT[Verb.SLICE] == ("sliced", True) and EFFECT[Verb.FILL] == ("filled", True) and EFFECT[Verb.POUR] == ("filled", False)
    assert set(Verb) - MANIPULATIONS == {Verb.NAVIGATE, Verb.WAIT} | LOOKS
    assert {Verb.LOOK, Verb.LOOK_UP, Verb.LOOK_DOWN} == LOOKS


@pytest.mark.parametrize(
    "make",
    [
        lambda: Action(Verb.FILL, "mug_1"),
        lambda: Action(Verb.FILL, None, "faucet_1"),
        lambda: Action(Verb.POUR, "mug_1"),
        lambda: Action(Verb.SLICE, None, "table_1"),
        lambda: Action(Verb.LOOK_UP, "mug_1"),
    ],
)
def test_missing_or_needless_arguments_are_refused(make) -> None:
    with pytest.raises(SymbolError):
        make()


@pytest.mark.parametrize("verb", list(EFFECT))
def test_json_round_trip(verb: Verb) -> None:
    assert Action.from_json(action(verb).to_json()) == action(verb)


def test_a_vessel_poured_into_itself_fills_nothing() -> None:
    assert Action(Verb.POUR, "mug_1", "mug_1").fills is None
