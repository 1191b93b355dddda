"""Invariants of the network and its loss."""

from __future__ import annotations

import numpy as np
import torch

from mimir_learn.estimator import DeltaEstimator, build_input
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.criterion import criterion
from mimir_learn.estimator.labels import FIRST_CANDIDATE
from mimir_learn.estimator.model import MASKED
from mimir_learn.symbols import Belief

from .conftest import SMALL, make_samples
from .synthetic import VOCABULARY, transition


def shuffled(sample: dict[str, np.ndarray], order: np.ndarray) -> dict[str, np.ndarray]:
    """The same sample with its candidate rows permuted: new row i is old row order[i]."""
    k = len(order)
    place = np.argsort(order)
    out = dict(sample)
    for key in ("name", "feature", "view", "mask", "movable", "holds", "attr_mask", "attr_known", "attr_value", "parent"):
        out[key] = sample[key][order]
    inside = (out["parent"] >= 0) & (out["parent"] < k)
    out["parent"] = np.where(inside, place[np.clip(out["parent"], 0, k - 1)], out["parent"])
    rows = np.concatenate([order, np.arange(k, sample["point"].shape[0])])
    out["point"], out["point_ok"] = sample["point"][rows], sample["point_ok"][rows]
    out["uv"], out["uv_ok"] = sample["uv"][:, rows], sample["uv_ok"][:, rows]
    for key in ("crop_slot", "close_slot"):
        slot = sample[key]
        out[key] = np.where(slot < k, place[np.clip(slot, 0, k - 1)], slot)
    return out


def test_permutation_equivariance(samples: list[dict[str, np.ndarray]]) -> None:
    torch.manual_seed(0)
    model = DeltaEstimator(SMALL).eval()
    order = np.random.default_rng(0).permutation(SMALL.candidates)
    with torch.no_grad():
        a = model(collate(samples[:4], SMALL))
        b = model(collate([shuffled(s, order) for s in samples[:4]], SMALL))
    index = torch.from_numpy(order)
    columns = torch.cat([torch.arange(FIRST_CANDIDATE), FIRST_CANDIDATE + index])
    assert torch.allclose(a["parent"][:, index][:, :, columns], b["parent"], atol=1e-4)
    assert torch.allclose(a["attr"][:, index], b["attr"], atol=1e-4)
    assert torch.allclose(a["outcome"], b["outcome"], atol=1e-4)


def test_a_sample_does_not_depend_on_its_batch(samples: list[dict[str, np.ndarray]]) -> None:
    model = DeltaEstimator(SMALL).eval()
    with torch.no_grad():
        together, alone = model(collate(samples[:6], SMALL)), model(collate(samples[2:3], SMALL))
    for key in together:
        assert torch.allclose(together[key][2:3], alone[key], atol=1e-4), key


def test_padding_is_ignored(samples: list[dict[str, np.ndarray]]) -> None:
    """Whatever stands in masked rows, valid rows and the outcome stay as they are."""
    model = DeltaEstimator(SMALL).eval()
    sample = samples[0]
    garbage = {k: v.copy() for k, v in sample.items()}
    pad = ~sample["mask"]
    assert pad.any()
    garbage["name"][pad], garbage["feature"][pad], garbage["view"][pad] = 9.0, -9.0, 9.0
    with torch.no_grad():
        a, b = model(collate([sample], SMALL)), model(collate([garbage], SMALL))
    valid = torch.from_numpy(sample["mask"])
    assert torch.allclose(a["parent"][0, valid], b["parent"][0, valid], atol=1e-4)
    assert torch.allclose(a["outcome"], b["outcome"], atol=1e-4)


def test_impossible_parents_are_masked(batch: dict[str, torch.Tensor]) -> None:
    logits = DeltaEstimator(SMALL)(batch)["parent"]
    pointer = logits[..., FIRST_CANDIDATE:]
    assert (pointer.diagonal(dim1=1, dim2=2) == MASKED).all()
    closed = ~(batch["holds"] & batch["mask"])
    assert (pointer.transpose(1, 2)[closed] == MASKED).all()


def test_every_trainable_parameter_gets_a_gradient(batch: dict[str, torch.Tensor]) -> None:
    model = DeltaEstimator(SMALL)
    criterion(model(batch), batch)["loss"].backward()
    dead = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert dead == ["landing.room"]  # the toy world has one room


def test_an_all_masked_batch_is_safe() -> None:
    """No candidates at all: finite loss, and every head still in the graph."""
    tr, _ = transition(np.random.default_rng(0))
    empty = build_input(type(tr)(tr.before, tr.action, tr.before, tr.outcome, Belief(VOCABULARY, {})), SMALL)
    k, a = SMALL.candidates, len(SMALL.attributes)
    truth = {"y_parent": np.zeros(k, np.int64), "y_attr": np.zeros((k, a), np.int64), "y_outcome": np.float32(1)}
    truth["y_find"] = np.array([-1, -1])
    batch = collate([{**empty, **truth}] * 2, SMALL)
    model = DeltaEstimator(SMALL)
    losses = criterion(model(batch), batch)
    losses["loss"].backward()
    assert torch.isfinite(losses["loss"]) and losses["parent"] == 0 and losses["attr"] == 0
    assert all(p.grad is None or torch.isfinite(p.grad).all() for p in model.parameters())


def test_loss_is_the_negative_log_probability_of_the_whole_delta(batch: dict[str, torch.Tensor]) -> None:
    with torch.no_grad():
        logits = DeltaEstimator(SMALL)(batch)
    total = 0.0
    for b in range(len(batch["mask"])):
        for i in range(SMALL.candidates):
            if batch["movable"][b, i] and batch["mask"][b, i]:
                total -= float(logits["parent"][b, i].log_softmax(-1)[batch["y_parent"][b, i]])
    assert np.isclose(total / len(batch["mask"]), float(criterion(logits, batch)["parent"]), rtol=1e-4)


def test_it_learns_a_tiny_set_by_heart() -> None:
    torch.manual_seed(0)
    items = make_samples(24, seed=5)
    batch = collate(items, SMALL)
    model = DeltaEstimator(SMALL)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(150):
        optimiser.zero_grad()
        criterion(model(batch), batch)["loss"].backward()
        optimiser.step()
    model.eval()
    with torch.no_grad():
        logits = model(batch)
    movable = batch["movable"] & batch["mask"]
    assert (logits["parent"].argmax(-1)[movable] == batch["y_parent"][movable]).all()
    assert (logits["attr"].argmax(-1)[batch["attr_mask"]] == batch["y_attr"][batch["attr_mask"]]).all()
    assert ((logits["outcome"] > 0) == batch["y_outcome"].bool()).all()
