"""The gate: commit, hold, look again; two looks multiply their evidence; σ weighs the flag against the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.errors import ConfigError
from mimir_learn.feedback import DeltaGate, GateConfig
from mimir_learn.symbols import EMPTY, IN_HAND, Delta, Estimate, Parent, ParentChange, Relation, StateChange

TABLE, SINK = Parent("table_1", Relation.ON), Parent("sink_1", Relation.IN)


def pick(p, thing="mug_1"):
    return Estimate(Delta([ParentChange(thing, TABLE, IN_HAND, p)]), confidence=p)


GATE = DeltaGate(GateConfig(commit=0.9, ignore=0.1, min_confidence=0.5))


@given(st.floats(0, 1))
def test_one_look_commits_holds_or_drops_by_probability(p):
    verdict = GATE.judge(Estimate(Delta([StateChange("lamp_1", "on", False, True, p)]), confidence=1.0))
    if p >= 0.9:
        assert verdict.committed and not verdict.look_again
    elif p >= 0.1:
        assert verdict.look_again and not verdict.committed and verdict.held
    else:
        assert not verdict.committed and not verdict.held and not verdict.look_again


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_two_looks_commit_iff_their_evidence_together_favours_the_change(p, q):
    verdict = GATE.judge_again(pick(p), pick(q))
    assert not verdict.look_again
    if abs(p + q - 1) > 1e-6:  # logit(p) + logit(q) > 0  ⇔  p + q > 1
        assert bool(verdict.committed) == (p + q > 1)


def test_agreement_is_worth_more_than_either_look():
    change = next(iter(GATE.judge_again(pick(0.7), pick(0.7)).committed.parents.values()))
    assert change.p == pytest.approx(0.49 / (0.49 + 0.09))


def test_a_confident_look_at_nothing_speaks_against_the_change():
    assert not GATE.judge_again(pick(0.8), Estimate(EMPTY, confidence=0.95)).committed
    assert GATE.judge_again(pick(0.8), Estimate(EMPTY, confidence=0.5)).committed


def test_of_two_readings_of_one_fact_the_better_supported_is_written():
    first = Estimate(Delta([ParentChange("mug_1", IN_HAND, TABLE, 0.55)]), 0.55)
    second = Estimate(Delta([ParentChange("mug_1", IN_HAND, SINK, 0.9)]), 0.9)
    assert GATE.judge_again(first, second).committed == Delta([ParentChange("mug_1", IN_HAND, SINK)])


def test_two_things_are_never_committed_to_the_hand():
    verdict = GATE.judge_again(pick(0.8), pick(0.9, "mug_2"))
    assert sum(c.new == IN_HAND for c in verdict.committed.parents.values()) <= 1


def test_doubtful_whole_asks_for_a_second_look_though_nothing_changed():
    assert GATE.judge(Estimate(EMPTY, confidence=0.4)).look_again
    assert not GATE.judge(Estimate(EMPTY, confidence=0.6)).look_again


def test_without_looking_again_the_sure_part_is_committed_and_the_rest_held():
    gate = DeltaGate(GateConfig(look_again=False))
    verdict = gate.judge(Estimate(Delta([ParentChange("mug_1", TABLE, IN_HAND, 0.6), StateChange("lamp_1", "on", False, True, 0.99)])))
    assert set(verdict.committed.states) == {("lamp_1", "on")} and set(verdict.held.parents) == {"mug_1"}
    assert not verdict.look_again


def test_an_unparsed_answer_writes_nothing_and_asks_for_nothing():
    verdict = GATE.judge(Estimate(EMPTY, 0.0, 0.0, parsed=False))
    assert verdict.committed == verdict.held == EMPTY and not verdict.look_again and not verdict.sigma


@pytest.mark.parametrize(
    ("success", "claimed", "sigma"),
    [
        (None, True, True),
        (None, False, False),
        (1.0, False, True),
        (0.0, True, False),
        (0.6, True, True),
        (0.6, False, False),
        (0.4, True, True),
    ],
)
def test_sigma_weighs_the_flag_against_the_source(success, claimed, sigma):
    assert GATE.judge(Estimate(EMPTY, success=success), claimed).sigma is sigma


@pytest.mark.parametrize("kw", [{"commit": 1.2}, {"ignore": -0.1}, {"commit": 0.2, "ignore": 0.5}, {"min_confidence": 7}])
def test_impossible_thresholds_are_refused(kw):
    with pytest.raises(ConfigError):
        GateConfig(**kw)
