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


def certified(p, *cuts):
    return Estimate(Delta([ParentChange("mug_1", TABLE, IN_HAND, p)]), confidence=1.0, certified=cuts)


@given(st.floats(0.2, 1), st.floats(0, 1))
def test_with_a_risk_level_the_familys_certified_threshold_decides(p, cut):
    verdict = DeltaGate(GateConfig(risk=0.99)).judge(certified(p, (0.98, 0.0), (0.99, cut)))
    assert bool(verdict.committed) == (p >= cut) == (not verdict.look_again)


@pytest.mark.parametrize("second_commit", [0.5, 0.0, None])
@pytest.mark.parametrize("p", [0.55, 0.9, 1.0])
def test_what_nothing_is_certified_for_is_never_written_however_often_it_is_seen(p, second_commit):
    gate = DeltaGate(GateConfig(risk=0.995, second_commit=second_commit, looks=2))
    look = certified(p, (0.995, float("inf")))
    assert gate.judge(look).look_again and gate.judge_looks([look] * 2, final=False).look_again
    for count in (2, 3):
        verdict = gate.judge_looks([look] * count)
        assert not verdict.committed and "mug_1" in verdict.held.parents and not verdict.look_again


def test_a_family_with_a_certified_threshold_keeps_the_configured_rule_for_further_looks():
    look = certified(0.55, (0.995, 0.99))
    assert DeltaGate(GateConfig(risk=0.995)).judge_again(look, look).committed  # together 0.6, above 0.5
    assert not DeltaGate(GateConfig(risk=0.995, second_commit=0.7)).judge_again(look, look).committed


def test_sources_without_calibrated_probabilities_keep_the_fixed_threshold():
    gate = DeltaGate(GateConfig(risk=0.99))
    assert gate.judge(pick(0.95)).committed and not gate.judge(pick(0.85)).committed


@pytest.mark.parametrize("cuts", [(), ((0.98, 0.5),)])
def test_a_level_that_was_never_calibrated_is_an_error_with_its_cure(cuts):
    with pytest.raises(ConfigError, match="mimir calibrate"):
        DeltaGate(GateConfig(risk=0.99)).judge(certified(0.9, *cuts))


def test_another_look_is_asked_for_while_the_looks_so_far_leave_doubt_and_none_after_the_last():
    looks = [pick(0.6), pick(0.7)]  # together 0.78
    assert GATE.judge_looks(looks, final=False).look_again
    assert not GATE.judge_looks(looks, final=True).look_again
    assert GATE.judge_looks([pick(0.8), pick(0.8)], final=False).committed  # together 0.94
    assert GATE.judge_looks([*looks, pick(0.8)]).committed == GATE.judge_looks([pick(0.8), *looks]).committed


def test_words_name_gates():
    base = GateConfig(commit=0.8)
    assert base.named("on") == base
    off = base.named("off").build()
    assert off.judge(Estimate(pick(0.01).delta, confidence=0.0)).committed
    assert base.named("0.99+stay") == GateConfig(commit=0.8, risk=0.99, view="stay")
    assert not base.named("on+once").look_again and base.named("twice").looks == 2
    assert base.named("0.99+sure").second_commit is None and base.named("on+again=0.8").second_commit == 0.8
    with pytest.raises(ConfigError, match="'ajar' is none of on, off"):
        base.named("on+ajar")
    for bad in ("1.5", "0"):
        with pytest.raises(ConfigError, match="risk"):
            base.named(bad)


@pytest.mark.parametrize("kw", [{"risk": 1.0}, {"view": "up"}, {"looks": 0}])
def test_unknown_ways_to_look_again_are_refused(kw):
    with pytest.raises(ConfigError):
        GateConfig(**kw)


def test_sure_asks_of_the_last_look_what_the_first_had_to_be():
    gate = DeltaGate(GateConfig(risk=0.99, second_commit=None))
    doubtful = certified(0.7, (0.99, 0.8))  # two of them together are 0.84
    assert gate.judge_again(doubtful, doubtful).committed
    strict = certified(0.7, (0.99, 0.9))
    verdict = gate.judge_again(strict, strict)
    assert not verdict.committed and verdict.held


def test_a_result_from_before_views_is_read_as_it_was_run():
    assert GateConfig.recorded({"commit": 0.9}).view == "turn"
    assert GateConfig.recorded({"view": "down"}).view == "down"
