"""The landing term: which region is the thing from the hand, and what that says about two rooms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.candidates import ROLES
from mimir_learn.estimator.criterion import criterion
from mimir_learn.estimator.inputs import KINDS
from mimir_learn.estimator.labels import FIRST_CANDIDATE
from mimir_learn.estimator.landing import landing_targets

from .conftest import SMALL, make_samples

SIDE, K, R = SMALL.image_px // 4, SMALL.candidates, SMALL.change_regions


def test_the_target_is_the_region_where_the_thing_is(batch: dict[str, torch.Tensor]) -> None:
    n = len(batch["mask"])
    uv, ok = batch["uv"].clone(), torch.ones_like(batch["uv_ok"])
    uv[:, 1, K:] = torch.tensor([[2.5 / SIDE, 5.5 / SIDE], [6.5 / SIDE, 1.5 / SIDE]])  # in the after-frame
    uv[:, 0, K:] = 0.99
    find = torch.full((n, 2), -1)
    find[0, 0], find[1, 0], find[2, 0], find[3, 0], find[4, 1] = 5 * SIDE + 2, 1 * SIDE + 6, SIDE * SIDE, 0, 5 * SIDE + 2
    made = {**batch, "uv": uv, "uv_ok": ok, "region_mask": torch.ones_like(batch["region_mask"]), "y_find": find}
    y = landing_targets(made, SIDE)
    assert y[:5].tolist() == [[0, -1], [1, -1], [R, -1], [-1, -1], [-1, -1]]  # nowhere; seen but no region; the other frame
    assert landing_targets({**made, "region_mask": torch.zeros_like(made["region_mask"])}, SIDE)[:3, 0].tolist() == [-1, -1, R]


def test_missing_regions_cannot_be_chosen_and_a_batch_without_labels_costs_nothing(samples: list[dict[str, np.ndarray]]) -> None:
    batch = collate(samples[:6], SMALL)
    bare = {**batch, "region_mask": torch.zeros_like(batch["region_mask"]), "y_find": torch.full_like(batch["y_find"], -1)}
    logits = DeltaEstimator(SMALL)(bare)
    assert (logits["land"].softmax(-1)[..., -1] == 1).all()
    assert criterion(logits, bare)["land"] == 0 and criterion(DeltaEstimator(SMALL)(batch), batch)["land"] >= 0


def test_without_regions_there_is_nothing_to_find() -> None:
    config = replace(SMALL, change_regions=0, head="hypotheses")
    batch = collate(make_samples(4, config=config), config)
    model = DeltaEstimator(config)
    losses = criterion(model(batch), batch)
    losses["loss"].backward()
    assert losses["land"] == 0 and torch.isfinite(losses["loss"])
    assert all(p.grad is None or torch.isfinite(p.grad).all() for p in model.parameters())


def test_what_is_in_view_speaks_for_the_room_of_the_after_frame(samples: list[dict[str, np.ndarray]]) -> None:
    """Two rooms, a held thing, a region: the surer the region is what was held, the more the held thing lies in the room arrived at."""
    torch.manual_seed(0)
    batch = collate(samples[:4], SMALL)
    held, before, after = (len(KINDS) + ROLES.index(r) for r in ("held", "room_before", "room_after"))
    feature = batch["feature"].clone()
    feature[..., [held, before, after]] = 0.0
    feature[:, 0, held] = feature[:, 1, before] = feature[:, 2, after] = 1.0
    batch |= {"feature": feature, "holds": torch.ones_like(batch["holds"]), "mask": torch.ones_like(batch["mask"])}
    batch["region_mask"] = torch.ones_like(batch["region_mask"])
    model = DeltaEstimator(SMALL).eval()
    odds = []
    for bias in (-5.0, 5.0):
        with torch.no_grad():
            model.landing.none.bias.fill_(bias)  # type: ignore[union-attr]
            parent = model(batch)["parent"]
        odds.append(parent[:, 0, FIRST_CANDIDATE + 2] - parent[:, 0, FIRST_CANDIDATE + 1])
    assert (odds[0] - odds[1] > 4.0).all()  # 2 · 0.5 · (≥ 5 − −5), but for what the queries themselves say
