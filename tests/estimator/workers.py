"""What the tests of resumed and distributed training run in processes of their own, and how these are started.

A fork server imports the training code once; its children are forked before any of it has run.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from mimir_learn.errors import CheckpointError, MimirError
from mimir_learn.estimator import EstimatorConfig, TrainConfig, callbacks, distributed, fit, module, training
from mimir_learn.estimator.augment import AugmentConfig

SMALL = EstimatorConfig(image_px=32, crop_px=8, dim=32, heads=2, layers=1, ffn=64, crop_width=8, image_width=8)
QUIET = AugmentConfig(*[0 for _ in dataclasses.fields(AugmentConfig)])


def start(work: Callable[..., None], *args: Any) -> Any:
    """A process that runs ``work(*args)``."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=work, args=args)
    process.start()
    return process


def ended(process: Any, seconds: float = 240) -> int:
    """The exit code of a started process, which is ended if it takes too long."""
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        raise AssertionError(f"no end after {seconds} s")
    return int(process.exitcode)


def log_every_step() -> None:
    """Make `fit` log the losses of every optimizer step."""
    training.StepLog = lambda: callbacks.StepLog(1)  # type: ignore[assignment, misc]


def fit_until_killed(config: TrainConfig, batch: int) -> None:
    """`fit`, killed by SIGKILL in its ``batch``-th training step (counted from its own start), between forward and backward."""
    torch.set_num_threads(1)
    log_every_step()
    step, count = module.EstimatorModule.training_step, [0]

    def counted(self: Any, *args: Any) -> Any:
        out = step(self, *args)
        count[0] += 1
        if count[0] == batch:
            os.kill(os.getpid(), signal.SIGKILL)
        return out

    module.EstimatorModule.training_step = counted  # type: ignore[method-assign, assignment]
    fit(config)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def fit_as_rank(config: TrainConfig, rank: int, port: int, out: str) -> None:
    """`fit` as torchrun starts it; leaves ``OUT/rank<r>.json``: hash of the trained weights, transitions counted in each validation, what
    was written, summary."""
    torch.set_num_threads(1)
    world = config.devices * config.nodes
    os.environ |= {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(world), "GROUP_RANK": "0",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "TORCHELASTIC_RUN_ID": "test",
    }  # fmt: skip
    log_every_step()
    said: dict[str, Any] = {"counted": [], "wrote": []}
    ratios = module.ratios

    def noted(table: Any) -> dict[str, float]:
        said["counted"].append(len(table))
        return ratios(table)

    def ending(self: Any) -> None:
        digest = hashlib.sha256()
        for name, tensor in sorted(self.model.state_dict().items()):
            digest.update(name.encode() + tensor.numpy().tobytes())
        said["weights"] = digest.hexdigest()

    module.ratios = noted
    module.EstimatorModule.on_train_end = ending  # type: ignore[method-assign]
    for owner, name in ((training, "save_pretrained"), (training, "calibrate_all"), (training, "write_recipe")):
        original = getattr(owner, name)
        setattr(owner, name, lambda *a, _f=original, _n=name, **k: (said["wrote"].append(_n), _f(*a, **k))[1])
    said["summary"] = dataclasses.asdict(fit(config))
    said["rank"] = distributed.rank(world)
    Path(out, f"rank{rank}.json").write_text(json.dumps(said))


def fail_as_rank(config: TrainConfig, rank: int, port: int, out: str, export: bool) -> None:
    """`fit_as_rank` of a run that is to fail, with ``export`` because process 0 cannot write; leaves what was raised in ``OUT/said<r>``."""

    def refused(*args: Any) -> None:
        raise CheckpointError("the disk is full")

    if export:
        training.save_pretrained = refused  # type: ignore[assignment]
    try:
        fit_as_rank(config, rank, port, out)
    except MimirError as e:
        Path(out, f"said{rank}").write_text(str(e))
