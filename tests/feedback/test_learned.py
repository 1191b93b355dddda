"""The learned source end to end: it needs no true state, it is quick, and it refuses what it cannot use."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
import torch

from mimir_learn.envs.household import VOCABULARY, HouseholdConfig, HouseholdEnv
from mimir_learn.errors import CheckpointError, ObservationError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.feedback.base import make_source
from mimir_learn.feedback.learned import LearnedSource
from mimir_learn.memory import WorldMemory
from mimir_learn.symbols import Action, Observation, Outcome, Transition, Verb, Vocabulary, to_observation


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    model = DeltaEstimator(with_vocabulary(EstimatorConfig(), VOCABULARY))
    return model.save_pretrained(tmp_path_factory.mktemp("model"))


class Sealed(HouseholdEnv):
    """A household whose true state cannot be asked for."""

    def privileged_state(self):  # type: ignore[no-untyped-def]
        raise AssertionError("the sealed channel was opened")


@pytest.fixture(scope="module")
def transitions() -> list[Transition]:
    env = Sealed(HouseholdConfig(image_size=128))
    raw, info = env.reset(seed=0, options={"house_seed": 40_000})
    memory = WorldMemory(VOCABULARY, info["places"])
    out = []
    places = [p.entity.id for p in info["places"]]
    for t, place in enumerate([*places[:6], *places[:2]]):
        memory.observe(env.visible_entities(), t)
        before, belief = to_observation(raw), memory.belief()
        raw, _, _, _, info = env.step(f"go to {place}")
        outcome = Outcome(info["success"], info["feedback"])
        out.append(Transition(before, Action(Verb.NAVIGATE, None, place), to_observation(raw), outcome, belief))
    env.close()
    return out


def test_runs_with_the_privileged_channel_closed_and_repeats_itself(checkpoint: Path, transitions: list[Transition]) -> None:
    source = make_source("learned", checkpoint=checkpoint, vocabulary=VOCABULARY)
    source.reset(0)
    first = [source.estimate(t) for t in transitions]
    assert first == [source.estimate(t) for t in transitions]
    for estimate in first:
        assert 0 <= estimate.confidence <= 1 and estimate.success is not None and 0 <= estimate.success <= 1
        assert all(c.source == "learned" for c in estimate.delta)


def test_one_transition_takes_at_most_15_ms_of_one_core(checkpoint: Path, transitions: list[Transition]) -> None:
    source = LearnedSource(checkpoint)
    for t in transitions:
        source.estimate(t)
    costs = []
    for t in transitions * 3:
        start = time.process_time()
        source.estimate(t)
        costs.append(time.process_time() - start)
    assert sorted(costs)[len(costs) // 4] < 0.015  # a quartile: other processes on the machine only ever add


def test_the_flag_and_the_sentence_do_not_sway_it(checkpoint: Path, transitions: list[Transition]) -> None:
    source = LearnedSource(checkpoint)
    t = transitions[2]
    lie = Transition(t.before, t.action, t.after, Outcome(not t.outcome.success, "You drop everything."), t.belief)
    assert source.estimate(t) == source.estimate(lie)


def test_refusals(checkpoint: Path, transitions: list[Transition], tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="vocabulary"):
        LearnedSource(checkpoint, Vocabulary("moon-base", {}))
    with pytest.raises(CheckpointError, match="mimir train"):
        LearnedSource(tmp_path)
    t = transitions[0]
    blind = Observation(t.after.rgb, np.zeros_like(t.after.depth), t.after.intrinsics, t.after.pose)
    with pytest.raises(ObservationError, match="zero everywhere"):
        LearnedSource(checkpoint).estimate(Transition(t.before, t.action, blind, t.outcome, t.belief))
