"""Class priors: weights that leave probabilities where the data has them, and losses that are safe when nothing is labelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from mimir_learn.errors import ConfigError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.criterion import LossWeights, adjusted_nll, criterion, effective_weights

from .conftest import SMALL

COUNTS = torch.tensor([900, 80, 20])


def fitted(weight_of, groups: torch.Tensor) -> torch.Tensor:  # type: ignore[no-untyped-def]
    """Softmax of free logits per group (G, C) after minimising the adjusted loss on data with the counts ``groups``."""
    z = torch.zeros(groups.shape, dtype=torch.float64, requires_grad=True)
    y = torch.arange(groups.shape[-1]).expand_as(groups)
    optimiser = torch.optim.Adam([z], lr=0.05)
    for step in range(3000):
        optimiser.param_groups[0]["lr"] = 0.05 * (1 - step / 3000)
        optimiser.zero_grad()
        rows = z[:, None].expand(-1, groups.shape[-1], -1)  # one row per (group, class), counted as often as it occurs
        (adjusted_nll(rows, y, weight_of(rows)) * groups).sum().backward()
        assert z.grad is not None
        z.grad /= groups.sum()
        optimiser.step()
    return z.detach().softmax(-1)


@pytest.mark.parametrize("prior", ["none", "effective", "focal"])
def test_weighted_probabilities_still_match_frequencies(prior: str) -> None:
    groups = torch.stack([COUNTS, torch.tensor([500, 10, 490])]).double()
    total = groups.sum(0)
    weights = {
        "none": lambda z: torch.ones_like(z),
        "effective": lambda z: effective_weights(total, 0.999).double().expand_as(z),
        "focal": lambda z: (1 - z.detach().softmax(-1)).clamp(min=1e-3) ** 2,
    }
    assert torch.allclose(fitted(weights[prior], groups), groups / groups.sum(-1, keepdim=True), atol=2e-3)


def test_weights_without_the_adjustment_would_not() -> None:
    """The control: the same weights in plain cross-entropy end far from the frequencies."""
    w = effective_weights(COUNTS, 0.999).double()
    p = w * COUNTS / (w * COUNTS).sum()
    assert (p - COUNTS / COUNTS.sum()).abs().max() > 0.2


def test_effective_weights_grow_with_rarity_and_end_at_plain_inverse_frequency() -> None:
    w = effective_weights(COUNTS, 0.999)
    assert w[0] == 1 and w[2] > w[1] > 1
    assert torch.allclose(effective_weights(COUNTS, 0.0), torch.ones(3))
    assert torch.allclose(effective_weights(COUNTS, 1 - 1e-9), COUNTS[0] / COUNTS, rtol=1e-3)
    assert torch.isfinite(effective_weights(torch.tensor([10, 0]), 0.999)).all()


def test_every_prior_trains_every_head(samples: list[dict[str, np.ndarray]]) -> None:
    config = replace(SMALL, head="hypotheses")
    batch = collate(samples[:8], config)
    arrays = {k: np.stack([s[k] for s in samples]) for k in ("y_parent", "y_attr", "mask", "movable", "attr_mask")}
    model = DeltaEstimator(config)
    for prior in ("effective", "focal"):
        weights = LossWeights(prior=prior).counted(arrays)
        model.zero_grad()
        losses = criterion(model(batch), batch, weights)
        losses["loss"].backward()
        assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in model.parameters())
    assert sum(weights.parent_counts) == (arrays["movable"] & arrays["mask"]).sum()
    with pytest.raises(ConfigError, match="counted"):
        criterion(model(batch), batch, LossWeights(prior="effective"))
    with pytest.raises(ConfigError, match="prior"):
        LossWeights(prior="balanced")


def test_nothing_labelled_is_zero_and_touches_every_head(samples: list[dict[str, np.ndarray]]) -> None:
    config = replace(SMALL, head="hypotheses")
    batch = collate(samples[:4], config)
    batch |= {"mask": torch.zeros_like(batch["mask"]), "y_find": torch.full_like(batch["y_find"], -1)}
    model = DeltaEstimator(config)
    for prior in ("none", "focal"):
        model.zero_grad()
        losses = criterion(model(batch), batch, LossWeights(prior=prior))
        losses["loss"].backward()
        assert losses["parent"] == losses["attr"] == losses["find"] == 0 and torch.isfinite(losses["loss"])
        assert model.hypotheses is not None
        heads = (model.parent_head, model.attr_head, model.outcome_head, model.hypotheses, model.finder)
        assert all(p.grad is not None and torch.isfinite(p.grad).all() for head in heads for p in head.parameters())


def test_losses_per_transition_average_to_the_batch_loss(batch: dict[str, torch.Tensor]) -> None:
    with torch.no_grad():
        logits = DeltaEstimator(SMALL)(batch)
    rows, mean = criterion(logits, batch, reduction="none"), criterion(logits, batch)
    assert rows.keys() == mean.keys() and all(torch.isclose(rows[k].mean(), mean[k]) for k in mean)
