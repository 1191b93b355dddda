"""Learning rates as functions of the step."""

from __future__ import annotations

import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.errors import ConfigError
from mimir_learn.estimator import TrainConfig
from mimir_learn.estimator.schedule import SCHEDULES, factor


@pytest.mark.parametrize(("total", "warmup"), [(50, 0.3), (333, 0.1), (10, 0.5)])
def test_one_cycle_is_torchs(total: int, warmup: float) -> None:
    """Their `OneCycleLR` without the cycle of momentum."""
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1.0, total_steps=total, pct_start=warmup, cycle_momentum=False)
    ours = factor("one_cycle", total, warmup)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no step of the optimiser is taken
        for step in range(total):
            assert ours(step) == pytest.approx(optimiser.param_groups[0]["lr"], rel=1e-6, abs=1e-9)
            if step < total - 1:
                theirs.step()


@given(st.sampled_from(SCHEDULES), st.integers(1, 500), st.floats(0, 0.99))
def test_a_schedule_rises_to_the_peak_and_falls(schedule: str, total: int, warmup: float) -> None:
    values = [factor(schedule, total, warmup)(step) for step in range(total + 5)]
    top = max(range(len(values)), key=values.__getitem__)
    assert all(0 < v <= 1 for v in values) and (total < 20 or values[top] > 0.9)
    assert values[: top + 1] == sorted(values[: top + 1]) and values[top:] == sorted(values[top:], reverse=True)


def test_unknown_schedules_and_averages_are_refused() -> None:
    with pytest.raises(ConfigError, match="schedule is 'linear'; choose one of cosine, one_cycle"):
        TrainConfig(schedule="linear")
    with pytest.raises(ConfigError, match=r"ema is 1\.0"):
        TrainConfig(ema=1.0)
