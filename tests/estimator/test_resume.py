"""A run that is killed and resumed ends where an unbroken one ends, bit for bit; nothing written is ever half written."""

from __future__ import annotations

import dataclasses
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import TrainConfig, fit, training
from mimir_learn.estimator.callbacks import AtomicCheckpoints, StepLog, clear_partial
from mimir_learn.estimator.resume import check_recipe, curve, position, read_checkpoint, recipe, write_recipe

from .workers import SMALL, ended, fit_until_killed, start


def config(log_dir: Path, out: Path, **changes: Any) -> TrainConfig:
    """Everything that could come out otherwise is on: dropout, noise, average, accumulation over unequal batches, a moving rate."""
    base = TrainConfig(
        log_dir=str(log_dir), out_dir=str(out), epochs=3, batch_size=3, accumulate=2, ema=0.9, schedule="one_cycle", warmup=0.3,
        checkpoint_every=2, threads=1, progress=False, estimator=dataclasses.replace(SMALL, dropout=0.2),
        cache_dir=str(out.parent / "cache"),
    )  # fmt: skip
    return dataclasses.replace(base, **changes)


def same(a: Any, b: Any, where: str = "") -> None:
    """Equal to the bit, tensors in it too."""
    if isinstance(a, torch.Tensor):
        assert torch.equal(a, b), where
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            same(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{i}]")
    elif not isinstance(a, str):  # paths differ
        assert a == b, where


def test_pitfalls_12_13_20_a_run_killed_at_random_steps_ends_bit_for_bit_like_an_unbroken_one(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mid-epoch resume: order, position in the epoch, optimiser, schedule, average, random draws, best checkpoint, logged steps."""
    monkeypatch.setattr(training, "StepLog", lambda: StepLog(1))
    torch.use_deterministic_algorithms(True)
    try:
        whole = fit(config(log_dir, tmp_path / "whole"))
        rng, broken = np.random.default_rng(4), tmp_path / "broken"
        batches = -(-whole.transitions // 3)
        assert whole.steps == 3 * -(-batches // 2)
        first = int(rng.integers(batches + 5, 2 * batches))  # in the second epoch, past a checkpoint in its middle
        assert ended(start(fit_until_killed, config(log_dir, broken), first)) == -signal.SIGKILL
        assert not (broken / "train.json").exists()
        epoch, batch = position(read_checkpoint(broken / "checkpoints" / "last.ckpt"))
        assert epoch == 1 and 0 < batch < batches and batch % 2 == 0  # the middle of an epoch, never of an accumulation
        again = config(log_dir, broken, resume=True)
        assert ended(start(fit_until_killed, again, int(rng.integers(3, batches)))) == -signal.SIGKILL
        resumed = fit(again)
    finally:
        torch.use_deterministic_algorithms(False)
    assert resumed.weights_sha256 == whole.weights_sha256 and resumed.steps == whole.steps and resumed.best == whole.best
    for key in ("train/loss", "train/parent", "lr", "val/loss", "val/f1"):
        found = curve(tmp_path / "whole", key)
        assert found and curve(broken, key) == found, key
    assert list(curve(broken)) == list(range(whole.steps))
    for name in ("last.ckpt", "best.ckpt"):
        a, b = (read_checkpoint(tmp_path / run / "checkpoints" / name) for run in ("whole", "broken"))
        states = ("state_dict", "current_model_state", "averaging_state", "optimizer_states", "lr_schedulers")
        for part in (*states, "epoch", "global_step", "run"):
            same(a[part], b[part], part)
        scores = [[s["best_model_score"] for s in x["callbacks"].values() if "best_model_score" in s] for x in (a, b)]
        assert len(scores[0]) == 1
        same(*scores)
    assert {p.name for p in (broken / "checkpoints").iterdir()} == {"best.ckpt", "last.ckpt"}


def test_a_checkpoint_half_written_is_not_there_and_the_last_good_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    io, path = AtomicCheckpoints(), tmp_path / "checkpoints" / "last.ckpt"
    io.save_checkpoint({"state_dict": {"w": torch.ones(3)}}, path)
    save = torch.save

    def torn(body: Any, file: Any) -> None:
        save({"state_dict": {}}, file)
        raise OSError("no space left on device")

    monkeypatch.setattr(torch, "save", torn)
    with pytest.raises(OSError, match="no space"):
        io.save_checkpoint({"state_dict": {"w": torch.zeros(3)}}, path)
    assert torch.equal(read_checkpoint(path)["state_dict"]["w"], torch.ones(3))
    assert len(list(path.parent.iterdir())) == 2
    clear_partial(path.parent)
    assert [p.name for p in path.parent.iterdir()] == ["last.ckpt"]


def test_what_is_said_of_a_damaged_checkpoint_is_no_advice_to_unpickle_it(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints" / "last.ckpt"
    path.parent.mkdir()
    torch.save({"state_dict": {}, "made": Path}, path)
    with pytest.raises(CheckpointError, match=r"damaged \(it does not hold tensors and plain values alone\)") as info:
        read_checkpoint(path)
    assert "weights_only" not in str(info.value)


@pytest.mark.parametrize(
    "change", [{"devices": 2}, {"nodes": 2}, {"batch_size": 7}, {"accumulate": 3}, {"ema": 0.5}, {"leave_out": ["mug"]}]
)
def test_another_number_of_processes_or_other_batches_are_refused_on_resume(change: dict[str, Any], tmp_path: Path) -> None:
    """The batches of a resumed epoch would be others; `fit` compares these recipes before it does anything."""
    settings = dataclasses.asdict(TrainConfig())
    write_recipe(tmp_path, recipe(settings, "log"))
    check_recipe(tmp_path, recipe({**settings, "checkpoint_every": 5, "compile": True}, "log"))
    with pytest.raises(ConfigError, match=f"{next(iter(change))} was"):
        check_recipe(tmp_path, recipe({**settings, **change}, "log"))


def test_pitfall_18_a_recipe_that_is_there_is_no_obstacle_and_one_that_lacks_a_setting_is(tmp_path: Path) -> None:
    """It may be written again and resumed from. A run of an older version, which knew no ``ema``, is refused: what it did is not known."""
    now = recipe(dataclasses.asdict(TrainConfig()), "log")
    for _ in range(2):
        write_recipe(tmp_path, now)
        check_recipe(tmp_path, now)
    write_recipe(tmp_path, {k: v for k, v in now.items() if k != "ema"})
    with pytest.raises(ConfigError, match=r"ema was 'not recorded', now 0\.0"):
        check_recipe(tmp_path, now)
