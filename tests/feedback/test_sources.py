"""Each Δ-source says what it should of the same transitions, and none of them claims what it cannot know."""

import numpy as np
import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.feedback import make_source, nominal_delta
from mimir_learn.symbols import (
    ELSEWHERE,
    EMPTY,
    IN_HAND,
    Action,
    Belief,
    BelievedEntity,
    Delta,
    Observation,
    Outcome,
    Parent,
    ParentChange,
    PrivilegedState,
    Relation,
    Snapshot,
    StateChange,
    Transition,
    Verb,
)

from ..doubles import VOCABULARY, entity

FLOOR, TABLE, FRIDGE = Parent("kitchen_1", Relation.ROOM), Parent("table_1", Relation.ON), Parent("fridge_1", Relation.IN)
PARENTS = {"kitchen_1": None, "table_1": FLOOR, "fridge_1": FLOOR, "lamp_1": FLOOR, "mug_1": TABLE, "mug_2": None, "mug_3": IN_HAND}
FRAME = Observation(np.zeros((2, 2, 3), np.uint8), np.ones((2, 2), np.float32), np.eye(3), np.eye(4))


def believed(parents=PARENTS):
    return Belief(VOCABULARY, {i: BelievedEntity(entity(i), p) for i, p in parents.items()}, "table_1")


def transition(action, success=True, text="", parents=PARENTS):
    return Transition(FRAME, action, FRAME, Outcome(success, text), believed(parents))


PICK, PUT = Action(Verb.PICK, "mug_1", "table_1"), Action(Verb.PLACE, "mug_3", "fridge_1")
OPEN, ON = Action(Verb.OPEN, None, "fridge_1"), Action(Verb.TOGGLE_ON, "lamp_1")
GO, LOOK = Action(Verb.NAVIGATE, None, "fridge_1"), Action(Verb.LOOK)
TAKEN = ParentChange("mug_1", TABLE, IN_HAND)

NOMINAL = [
    (PICK, [TAKEN]),
    (Action(Verb.PICK, "mug_1"), [TAKEN]),
    (Action(Verb.PICK, "mug_2"), [ParentChange("mug_2", ELSEWHERE, IN_HAND)]),
    (Action(Verb.PICK, "mug_2", "fridge_1"), [ParentChange("mug_2", FRIDGE, IN_HAND)]),
    (Action(Verb.PICK, "mug_9", "table_1"), [ParentChange("mug_9", TABLE, IN_HAND)]),
    (PUT, [ParentChange("mug_3", IN_HAND, FRIDGE)]),
    (Action(Verb.PLACE, "mug_3", "kitchen_1"), [ParentChange("mug_3", IN_HAND, FLOOR)]),
    (Action(Verb.PLACE, "mug_3", "lamp_1"), []),
    (OPEN, [StateChange("fridge_1", "open", False, True)]),
    (Action(Verb.CLOSE, None, "fridge_1"), [StateChange("fridge_1", "open", True, False)]),
    (ON, [StateChange("lamp_1", "on", False, True)]),
    (Action(Verb.TOGGLE_OFF, "lamp_1"), [StateChange("lamp_1", "on", True, False)]),
    (Action(Verb.SLICE, "bread_1", "counter_1"), [StateChange("bread_1", "sliced", False, True)]),
    (GO, []),
    (LOOK, []),
    (Action(Verb.WAIT), []),
]


@pytest.mark.parametrize(("action", "changes"), NOMINAL, ids=lambda x: str(x) if isinstance(x, Action) else "")
def test_nominal_effects(action, changes):
    assert nominal_delta(action, believed()) == Delta(changes)


@pytest.mark.parametrize("action", [PICK, PUT, OPEN, ON, GO])
def test_schema_believes_the_flag(action):
    source = make_source("schema")
    claimed = source.estimate(transition(action, True))
    assert claimed.delta == nominal_delta(action, believed()) and claimed.success == 1.0
    failed = source.estimate(transition(action, False))
    assert failed.delta == EMPTY and failed.success == 0.0


def test_none_reports_nothing():
    assert make_source("none").estimate(transition(PICK)).delta == EMPTY


# ---- text ----------------------------------------------------------------------------------------------------------

SENTENCES = [
    (GO, True, "You are at fridge_1.", [], True),
    (PICK, True, "You pick up mug_1.", [TAKEN], True),
    (PUT, True, "You put mug_3 in fridge_1.", [ParentChange("mug_3", IN_HAND, FRIDGE)], True),
    (Action(Verb.PLACE, "mug_3", "table_1"), True, "You put mug_3 on table_1.", [ParentChange("mug_3", IN_HAND, TABLE)], True),
    (
        Action(Verb.PLACE, "mug_3", "kitchen_1"),
        True,
        "You put mug_3 on the floor of kitchen_1.",
        [ParentChange("mug_3", IN_HAND, FLOOR)],
        True,
    ),
    (OPEN, True, "You open fridge_1.", [StateChange("fridge_1", "open", False, True)], True),
    (Action(Verb.CLOSE, None, "fridge_1"), True, "You close fridge_1.", [StateChange("fridge_1", "open", True, False)], True),
    (ON, True, "You turn on lamp_1.", [StateChange("lamp_1", "on", False, True)], True),
    (Action(Verb.TOGGLE_OFF, "lamp_1"), True, "You turn off lamp_1.", [StateChange("lamp_1", "on", True, False)], True),
    (LOOK, True, "You look at table_1 from another side.", [], True),
    (Action(Verb.WAIT), True, "You wait.", [], True),
    (PICK, False, "You reach for mug_1, but it slips away.", [], False),
    (PICK, False, "You pick up mug_2.", [ParentChange("mug_2", ELSEWHERE, IN_HAND)], False),
    (GO, False, "You drop mug_3 on the way to fridge_1.", [ParentChange("mug_3", IN_HAND, ELSEWHERE)], False),
    (PUT, False, "mug_3 lands beside fridge_1.", [ParentChange("mug_3", IN_HAND, FLOOR)], False),
    (OPEN, False, "fridge_1 does not move.", [], False),
    (ON, False, "lamp_1 does not respond.", [], False),
    (PICK, False, "Refused: your hand is full.", [], False),
    (PICK, False, 'Refused: I do not understand "pick up".', [], False),
]


@pytest.mark.parametrize(("action", "flag", "text", "changes", "success"), SENTENCES, ids=[s[2] for s in SENTENCES])
def test_text_reads_every_sentence(action, flag, text, changes, success):
    estimate = make_source("text").estimate(transition(action, flag, text))
    assert estimate.parsed and estimate.delta == Delta(changes) and estimate.success == float(success)


@pytest.mark.parametrize(
    "text", ["", "You pick up mug_1", "Well done!", "you pick up mug_1.", "You pick up mug_1. Bravo.", "You pick up the red mug_1."]
)
def test_an_unknown_sentence_is_unparsed_and_never_a_success(text):
    estimate = make_source("text").estimate(transition(PICK, True, text))
    assert not estimate.parsed and estimate.delta == EMPTY and estimate.success == 0.0


# ---- privileged and noisy ------------------------------------------------------------------------------------------


class World:
    """A true state that a test moves by hand."""

    def __init__(self):
        self.parents = {"mug_1": TABLE, "mug_3": FRIDGE}
        self.attributes = {("lamp_1", "on"): False}

    def state(self):
        return PrivilegedState(Snapshot(dict(self.parents), dict(self.attributes)), {})


def test_privileged_tells_what_really_happened_since_the_last_call():
    world = World()
    source = make_source("privileged", privileged=world.state)
    source.reset(0)
    world.parents["mug_1"] = IN_HAND
    estimate = source.estimate(transition(PICK, False))
    assert estimate.delta == Delta([TAKEN]) and estimate.success == 1.0, "the truth outweighs the flag"
    assert source.estimate(transition(LOOK)).delta == EMPTY


def test_privileged_success_is_the_nominal_effect_not_the_flag():
    world = World()
    source = make_source("privileged", privileged=world.state)
    source.reset(0)
    assert source.estimate(transition(PICK, True)).success == 0.0  # a silent slip
    world.parents["mug_3"] = IN_HAND
    wrong = source.estimate(transition(PICK, True))
    assert wrong.success == 0.0 and wrong.delta.hand.new == "mug_3"
    assert source.estimate(transition(GO, True)).success == 1.0


def play(spec, seed, flips=300):
    world = World()
    source = make_source(spec, privileged=world.state)
    source.reset(seed)
    out = []
    for i in range(flips):
        world.attributes["lamp_1", "on"] = i % 2 == 0
        if i % 3 == 0:
            world.parents["mug_3"] = TABLE if world.parents["mug_3"] == FRIDGE else FRIDGE
        out.append(source.estimate(transition(ON if i % 2 == 0 else PICK)).delta)
    return out


def test_noisy_at_rate_zero_is_the_truth():
    assert play("noisy(0)", 1) == play("privileged", 1)


def test_noisy_corrupts_at_its_rate_reproducibly():
    truth = play("privileged", 1)
    noisy = play("noisy(0.2)", 1)
    assert noisy == play("noisy(0.2)", 1) != play("noisy(0.2)", 2)
    kept = sum(len(a.atoms & b.atoms) for a, b in zip(truth, noisy, strict=True)) / sum(len(a.atoms) for a in truth)
    assert 0.74 < kept < 0.86
    invented = sum(("relation", "mug_1", "held", "hand") in d.atoms for d in noisy[1::2])
    assert 15 <= invented <= 46  # 150 chances at 0.2
    moved = [
        d.parents["mug_3"].new
        for d, t in zip(noisy, truth, strict=True)
        if "mug_3" in d.parents and d.parents["mug_3"] != t.parents["mug_3"]
    ]
    assert moved and all(p not in (IN_HAND, ELSEWHERE) for p in moved)


def test_noisy_never_invents_at_rate_one_what_cannot_be():
    for delta in play("noisy(1)", 3):
        assert sum(c.new == IN_HAND for c in delta.parents.values()) <= 1


# ---- the choice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["oracle", "noisy", "noisy(x)", "noisy(-1)", "noisy(1.5)", "", "privileged", "learned"])
def test_wrong_choices_get_one_clear_error(spec):
    state = World().state if spec != "privileged" else None
    with pytest.raises(ConfigError, match=r".+"):
        make_source(spec, privileged=state)


def test_names():
    assert make_source(" privileged ", privileged=World().state).name == "privileged" and make_source("none\n").name == "none"
    assert make_source(" noisy( 0.10 ) ", privileged=World().state).name == "noisy(0.1)"
    assert make_source("noisy(0.10)", privileged=World().state).name == "noisy(0.1)"
    assert [make_source(s).name for s in ("schema", "text", "none")] == ["schema", "text", "none"]
