"""One training step and one export under every setting of the loop: what moves, what must not, and under which names it is kept."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from mimir_learn.estimator import DeltaEstimator, TrainConfig, callbacks, fit, training
from mimir_learn.estimator.criterion import LossWeights, criterion
from mimir_learn.estimator.ema import Ema
from mimir_learn.estimator.module import EstimatorModule, step_seed
from mimir_learn.estimator.resume import curve

from .conftest import SMALL
from .workers import SMALL as LOGGED

FROZEN = {"backbone": "torchvision:mobilenet_v3_small", "image_px": 32}


def config(log_dir: Path, out: Path, **changes: Any) -> TrainConfig:
    base = TrainConfig(
        log_dir=str(log_dir), out_dir=str(out), epochs=1, batch_size=8, threads=1, progress=False, estimator=LOGGED, accelerator="cpu",
        cache_dir=str(out.parent / "cache"),
    )  # fmt: skip
    return dataclasses.replace(base, **changes)


def digests(module: nn.Module) -> dict[str, str]:
    return {k: hashlib.sha256(v.detach().numpy().tobytes()).hexdigest() for k, v in module.state_dict().items()}


@pytest.mark.parametrize("head", ["factored", "hypotheses"])
@pytest.mark.parametrize("prior", ["none", "focal"])
def test_pitfalls_8_9_a_batch_without_labels_reaches_every_parameter(head: str, prior: str, batch: dict[str, Tensor]) -> None:
    """DDP without a search for unused parameters needs a gradient for each, also where all facts are masked; and no 0/0."""
    torch.manual_seed(0)
    model = DeltaEstimator(dataclasses.replace(SMALL, head=head))
    nothing = {k: torch.zeros_like(v) if k in ("movable", "attr_mask") else v for k, v in batch.items()}
    nothing["y_find"] = torch.full_like(batch["y_find"], -1)
    losses = criterion(model(nothing), nothing, LossWeights(prior=prior))
    assert all(torch.isfinite(v) for v in losses.values()) and losses["parent"] == losses["attr"] == losses["find"] == 0
    losses["loss"].backward()
    untouched = [n for n, p in model.named_parameters() if p.requires_grad and p.grad is None]
    assert not untouched and all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


@pytest.mark.parametrize(("tuned", "head"), [("none", "factored"), ("last", "hypotheses"), ("all", "factored")])
def test_pitfall_7_every_trained_parameter_has_a_gradient_after_one_step(tuned: str, head: str, batch: dict[str, Tensor]) -> None:
    """`no_grad` around more than what is frozen would cut them off. Two steps: the depth branch starts as identity, behind a zero."""
    torch.manual_seed(0)
    module = EstimatorModule(dataclasses.replace(SMALL, **FROZEN, backbone_tuned=tuned, backbone_last=2, head=head), total_steps=10)
    module.train()
    optimiser = module.configure_optimizers()["optimizer"]
    held = {id(p) for group in optimiser.param_groups for p in group["params"]}
    assert held == {id(p) for p in module.parameters() if p.requires_grad}
    for _ in range(2):
        optimiser.zero_grad()
        criterion(module.model(batch), batch)["loss"].backward()
        optimiser.step()
    missing = [n for n, p in module.named_parameters() if p.requires_grad and p.grad is None]
    assert not missing
    still = [n for n, p in module.named_parameters() if p.requires_grad and ".stem." in n and not p.grad.any()]  # type: ignore[union-attr]
    assert not still
    assert all(p.grad is None for p in module.parameters() if not p.requires_grad)


@pytest.mark.parametrize("tuned", ["none", "last"])
def test_pitfall_6_a_frozen_backbone_is_the_same_after_training(
    tuned: str, log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights and BatchNorm statistics, through Lightning's calls of `train()`, the moving average and the export."""
    born: dict[str, str] = {}

    class Watched(EstimatorModule):
        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            frozen = {n for n, p in self.model.named_parameters() if not p.requires_grad}
            kept = frozen | {n for n, _ in self.model.named_buffers() if f"{n.rpartition('.')[0]}.weight" in frozen}
            born.update({k: v for k, v in digests(self.model).items() if k in kept})

    monkeypatch.setattr(training, "EstimatorModule", Watched)
    estimator = dataclasses.replace(LOGGED, **FROZEN, backbone_tuned=tuned, backbone_last=1)
    summary = fit(config(log_dir, tmp_path / "run", estimator=estimator, ema=0.9))
    exported = DeltaEstimator.from_pretrained(summary.checkpoint)
    after = digests(exported)
    assert len(born) > 20 and any("running_mean" in k for k in born)
    assert {k: after[k] for k in born} == born


def test_pitfall_14_a_compiled_network_leaves_no_trace_in_the_export(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrapped by `torch.compile` (whose compiler stands aside here), in place: checkpoint and export have exactly the names of a network
    built from the config."""
    compiled: list[nn.Module] = []
    compile_ = nn.Module.compile
    monkeypatch.setattr(nn.Module, "compile", lambda self, **options: (compiled.append(self), compile_(self, **options))[1])
    with torch.compiler.set_stance("force_eager"):
        summary = fit(config(log_dir, tmp_path / "run", compile=True, ema=0.9))
    assert len(compiled) == 1 and isinstance(compiled[0], DeltaEstimator) and compiled[0]._compiled_call_impl is not None
    names = set(DeltaEstimator(compiled[0].config).state_dict())
    assert set(load_file(Path(summary.checkpoint) / "model.safetensors")) == names
    state = torch.load(tmp_path / "run" / "checkpoints" / "best.ckpt", weights_only=True)["state_dict"]
    assert set(state) == {f"model.{n}" for n in names}


def test_pitfall_16_a_checkpoint_holds_nothing_but_tensors_and_plain_values(log_dir: Path, tmp_path: Path) -> None:
    """`torch.load` with ``weights_only`` reads it, with every part of the loop switched on; so does a resumed run."""
    loss = LossWeights(prior="effective")
    settings = config(log_dir, tmp_path / "run", ema=0.9, schedule="one_cycle", checkpoint_every=1, loss=loss, bf16=True, clip=0.5)
    fit(settings)
    for name in ("last.ckpt", "best.ckpt"):
        body = torch.load(tmp_path / "run" / "checkpoints" / name, weights_only=True)
        assert body["hyper_parameters"]["estimator"]["dim"] == 32 and body["run"]["threads"] == 1
    assert fit(dataclasses.replace(settings, resume=True)).epochs == 1


def test_the_average_is_what_is_validated_kept_and_exported(log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "StepLog", lambda: callbacks.StepLog(1))
    plain = fit(config(log_dir, tmp_path / "plain", epochs=2, cache_dir=str(tmp_path / "cache")))
    summary = fit(config(log_dir, tmp_path / "run", epochs=2, ema=0.9))
    body = torch.load(tmp_path / "run" / "checkpoints" / "best.ckpt", weights_only=True)
    exported = load_file(Path(summary.checkpoint) / "model.safetensors")
    assert all(torch.equal(body["state_dict"][f"model.{k}"], v) for k, v in exported.items())
    assert any(not torch.equal(body["current_model_state"][f"model.{k}"], v) for k, v in exported.items())
    assert min(curve(tmp_path / "run", "val/loss").values()) == pytest.approx(summary.best["loss"], rel=1e-5)
    assert curve(tmp_path / "run") == curve(tmp_path / "plain")  # the training itself is not touched
    assert summary.best["loss"] != plain.best["loss"]


def test_the_average_warms_up_and_leaves_alone_what_does_not_move() -> None:
    average = Ema(0.99)._kwargs["multi_avg_fn"]
    a, still = torch.zeros(1000), torch.randn(1000, generator=torch.Generator().manual_seed(0)) * 1e-3
    kept = still.clone()
    for n in range(1, 400):
        average([a, kept], [torch.ones(1000), still], torch.tensor(n))
    assert torch.equal(kept, still)
    assert a[0] > 0.98  # a plain average of 0.99 from zero would too; after three steps it would not
    b = torch.zeros(1)
    for n in (1, 2, 3):
        average([b], [torch.ones(1)], n)
    assert b[0] == pytest.approx(1 - (2 / 11) * (3 / 12) * (4 / 13), rel=1e-6)
    counter = torch.tensor([3])
    average([counter], [torch.tensor([8])], 5)
    assert counter.item() == 8


def test_random_draws_of_a_step_depend_on_seed_epoch_and_batch_alone() -> None:
    seeds = {step_seed(s, e, b) for s in (0, 1) for e in range(5) for b in range(50)}
    assert len(seeds) == 500 and step_seed(0, 1, 2) == step_seed(0, 1, 2) and all(0 <= s < 1 << 63 for s in seeds)
