"""`mimir bench train` on a tiny log: it measures the loop it says, and its ratios are what they are called."""

from __future__ import annotations

import pytest

from mimir_learn.collect import CollectConfig, HouseCounts, collect
from mimir_learn.errors import ConfigError
from mimir_learn.estimator import EstimatorConfig
from mimir_learn.evaluation.bench_train import Pace, TrainBench, TrainBenchConfig, bench_train, measure, peak_flops

SMALL = EstimatorConfig(image_px=32, crop_px=8, dim=32, heads=2, layers=1, ffn=64, crop_width=8, image_width=8)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> TrainBenchConfig:
    log = tmp_path_factory.mktemp("log")
    houses = HouseCounts(train=2, validation=1, calibration=0, test=0)
    collect(CollectConfig(str(log), houses=houses, episodes_per_house=1, steps=12, image_size=64, n_jobs=1), progress=False, commit="test")
    return TrainBenchConfig(str(log), batch_size=8, batches=3, rounds=2, accelerator="cpu", estimator=SMALL)


def test_loop_and_ceiling_are_measured_in_turns(config: TrainBenchConfig) -> None:
    found = measure(config)
    assert len(found.loop) == len(found.ceiling) == 2 and found.device == "cpu" and found.mfu is None
    for pace in (*found.loop, *found.ceiling, found.feed):
        assert 0 < pace.cpu < 1 and 0 < pace.wall < 10
    assert found.of_ceiling_cpu < 1.3 and found.feeds > 0
    assert 5e3 < found.bytes_per_sample < 2e5 and found.flops_per_sample > 1e6
    assert found.open_s > 0 and 0 < found.first_step_s < 60
    text = bench_train(config)
    assert "samples per second" in text and "model FLOP utilisation: unknown (no GPU)" in text and "kB read per sample" in text


def test_more_in_a_batch_than_there_are_samples_is_refused(config: TrainBenchConfig) -> None:
    with pytest.raises(ConfigError, match="batch_size=10000"):
        measure(TrainBenchConfig(config.log_dir, batch_size=10_000, estimator=SMALL))
    with pytest.raises(ConfigError, match="rounds"):
        TrainBenchConfig(rounds=0)


def test_ratios_are_what_they_are_called() -> None:
    loop, ceiling = (Pace(2.0, 4.0), Pace(4.0, 4.0), Pace(8.0, 4.0)), (Pace(1.0, 3.0),) * 3
    found = TrainBench("NVIDIA H100 80GB HBM3", loop, ceiling, Pace(9.0, 0.5), 1.0, 1.0, 1.0, 989e12, True)
    assert found.of_ceiling == 0.25 and found.of_ceiling_cpu == 0.75
    assert found.feeds == 2.0  # a GPU's step is timed on the wall
    assert found.mfu == pytest.approx(0.25)
    assert peak_flops("NVIDIA A100-SXM4-80GB") == 312e12 and peak_flops("NVIDIA L4") == 121e12 and peak_flops("NVIDIA L40S") == 362e12
    assert peak_flops("Some Future GPU") is None and peak_flops("cpu") is None
