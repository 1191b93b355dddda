"""Several processes come to what one comes to: the same steps, numbers that count every transition once, one set of files."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lightning.pytorch.strategies import DDPStrategy

from mimir_learn.errors import ConfigError
from mimir_learn.estimator import TrainConfig, distributed, fit, training
from mimir_learn.estimator.cache import build_cache
from mimir_learn.estimator.callbacks import StepLog
from mimir_learn.estimator.data import kept_rows
from mimir_learn.estimator.distributed import devices, once, rank
from mimir_learn.estimator.resume import curve

from .workers import QUIET, SMALL, ended, fail_as_rank, fit_as_rank, free_port, start


def config(log_dir: Path, out: Path, **changes: Any) -> TrainConfig:
    """Without noise, whose draws are another matter for another number of processes."""
    base = TrainConfig(
        log_dir=str(log_dir), out_dir=str(out), epochs=2, batch_size=4, threads=1, progress=False, estimator=SMALL, noise=QUIET,
        accelerator="cpu", cache_dir=str(out.parent / "cache"),
    )  # fmt: skip
    return dataclasses.replace(base, **changes)


@pytest.fixture(scope="module")
def left_out(log_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Categories without which neither split divides by two, nor training by the batches of a step."""
    root = tmp_path_factory.mktemp("cache")
    caches = [build_cache(log_dir, split, SMALL, root, split == "train") for split in ("train", "validation")]
    named = sorted({caches[0].categories[i] for c in caches for i in c.column("meta_acted").ravel() if i >= 0})
    for first in named:
        for second in named:
            names = tuple(sorted({first, second}))
            train, validation = (len(kept_rows(c, names)) for c in caches)
            if train % 8 in (1, 3, 5) and train > 16 and validation % 2:
                return names
    raise AssertionError("the log has no such categories; collect another")


@pytest.fixture(scope="module")
def pair(log_dir: Path, left_out: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What two gloo processes say of one training run, started as torchrun starts them."""
    out = tmp_path_factory.mktemp("pair")
    settings, port = config(log_dir, out / "run", devices=2, leave_out=left_out), free_port()
    processes = [start(fit_as_rank, settings, rank, port, str(out)) for rank in (0, 1)]
    assert [ended(p) for p in processes] == [0, 0]
    return [json.loads((out / f"rank{rank}.json").read_text()) | {"out": out / "run"} for rank in (0, 1)]


def test_pitfalls_1_3_validation_of_two_processes_counts_every_transition_once(
    pair: list[dict[str, Any]], log_dir: Path, left_out: tuple[str, ...]
) -> None:
    """Padded to equal length, gathered by row, each row once; ratios of sums. The same weights in one process give the same numbers."""
    first, second = pair
    cache = build_cache(log_dir, "validation", SMALL, first["out"].parent / "cache")
    assert len(kept_rows(cache, left_out)) % 2 == 1
    assert second["counted"] == [len(kept_rows(cache, left_out))] * 2 and first["counted"] == [*second["counted"], second["counted"][0]]
    best = first["summary"]["best"]  # computed after training, by one process, from the best weights
    logged = {k: list(curve(first["out"], f"val/{k}").values()) for k in best}
    at = int(np.argmin(logged["loss"]))
    assert all(np.isclose(logged[k][at], best[k], rtol=1e-5) for k in best)


def test_two_processes_keep_the_same_weights_and_one_writes(pair: list[dict[str, Any]]) -> None:
    first, second = pair
    assert (first["rank"], second["rank"]) == (0, 1)
    assert first["weights"] == second["weights"] and first["summary"] == second["summary"]
    assert first["wrote"] == ["write_recipe", "save_pretrained", "calibrate_all"] and second["wrote"] == []
    assert Path(first["summary"]["checkpoint"], "model.safetensors").is_file()
    assert len(list((first["out"] / "logs" / "csv").iterdir())) == 1
    assert (first["out"] / "logs" / "csv" / "version_0" / "metrics.csv").is_file()


@pytest.mark.parametrize(
    ("changes", "export", "said"),
    [
        ({"lr": 1e20, "clip": 0.0}, False, ("diverged at step", "diverged at step")),
        ({}, True, ("the disk is full", "process 0 could not export")),
    ],
)
def test_no_process_waits_for_one_that_has_failed(
    changes: dict[str, Any], export: bool, said: tuple[str, str], log_dir: Path, tmp_path: Path
) -> None:
    """Of a diverged training all hear at the same step, of a failed export at its end."""
    settings, port = config(log_dir, tmp_path / "run", devices=2, epochs=1, **changes), free_port()
    processes = [start(fail_as_rank, settings, rank, port, str(tmp_path), export) for rank in (0, 1)]
    assert [ended(p, 120) for p in processes] == [0, 0]
    assert all(said[rank] in (tmp_path / f"said{rank}").read_text() for rank in (0, 1))
    assert not (tmp_path / "run" / "model").exists() and not (tmp_path / "run" / "train.json").exists()


@pytest.mark.parametrize("alone", [{"batch_size": 8}, {"accumulate": 2}])
def test_pitfalls_4_9_every_transition_weighs_the_same_over_processes_and_accumulated_batches(
    pair: list[dict[str, Any]], log_dir: Path, left_out: tuple[str, ...], alone: dict[str, int], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """2 × 4, 1 × 8 and 1 × 4 × 2 accumulated are one and the same training, also where the last batches are unequal."""
    monkeypatch.setattr(training, "StepLog", lambda: StepLog(1))
    summary = fit(config(log_dir, tmp_path / "run", leave_out=left_out, **alone))
    assert summary.transitions % 8 in (1, 3, 5) and summary.steps == pair[0]["summary"]["steps"] == 2 * -(-summary.transitions // 8)
    for key in ("train/loss", "train/parent", "val/loss"):
        here, there = curve(tmp_path / "run", key), curve(pair[0]["out"], key)
        assert list(here) == list(there) and len(here) >= 2
        assert np.allclose(list(here.values()), list(there.values()), rtol=2e-3), key


def test_rows_counted_twice_count_once_whatever_the_order() -> None:
    rows = np.array([5, 2, 9, 2, 5])
    values = np.array([[5.0], [2.0], [9.0], [2.0], [5.0]])
    assert once(rows, values).ravel().tolist() == [2.0, 5.0, 9.0]


def test_pitfall_8_no_search_for_unused_parameters() -> None:
    strategy = devices("cpu", 1, 2).trainer_arguments()["strategy"]
    assert isinstance(strategy, DDPStrategy) and strategy._ddp_kwargs["find_unused_parameters"] is False


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("cpu", 4096, 1), r"devices=4096, but this machine has \d+ CPU cores"),
        (("tpu", 1, 1), "accelerator is 'tpu'; choose one of auto, cpu, cuda, mps"),
        (("cpu", 1, 1, "zero"), "strategy is 'zero'; choose one of auto, ddp"),
        (("cpu", 1, 1, "fsdp"), "strategy=fsdp is not supported: it splits a model over devices, and every Δ-estimator fits on one"),
        (("cpu", 1, 1, "deepspeed_stage_2"), "strategy=deepspeed_stage_2 is not supported"),
    ],
)
def test_devices_that_are_not_there_and_unknown_strategies_are_refused(settings: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        devices(*settings)


def test_missing_accelerators_and_other_process_counts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ConfigError, match="accelerator=cuda: this machine has none"):
        devices("cuda", 1, 1)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert devices("auto", 2, 1) == distributed.Devices("cuda", 2, 1)
    with pytest.raises(ConfigError, match="devices=3, but this machine has 2 cuda devices"):
        devices("auto", 3, 1)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "x")
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(ConfigError, match=r"torchrun started 4 processes, but devices=1 and nodes=2 make 2"):
        devices("cpu", 1, 2)


def test_a_single_process_is_the_first_whatever_job_it_runs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interactive shell of SLURM says SLURM_PROCID; a training on one device there still writes its files."""
    monkeypatch.setenv("SLURM_PROCID", "3")
    assert (rank(1), rank(4)) == (0, 3)
    assert Counter(devices("cpu", 1, 1).trainer_arguments())["plugins"] == []
