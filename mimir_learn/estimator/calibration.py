"""One temperature per head, fitted on the calibration split and tied to the very weights it was fitted for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from mimir_learn.errors import CheckpointError
from mimir_learn.estimator.export import weights_sha256
from mimir_learn.estimator.model import DeltaEstimator

FILE = "calibration.json"
_AGAIN = "run `mimir train --resume true` with the settings of its run to calibrate again, or delete the file"
HEADS = ("parent", "attr", "outcome")


@dataclass(frozen=True)
class Calibration:
    """Temperatures per head, what they did to the negative log-likelihood, and whose they are."""

    temperature: Mapping[str, float]
    weights_sha256: str
    nll_before: Mapping[str, float] = field(default_factory=dict)
    nll_after: Mapping[str, float] = field(default_factory=dict)
    transitions: int = 0
    split: str = "calibration"


def nll(logits: Tensor, target: Tensor, log_t: Tensor) -> Tensor:
    """Mean negative log-likelihood of ``logits / exp(log_t)``; 1-D logits are binary, 2-D rows are classes."""
    scaled = logits * torch.exp(-log_t)
    if logits.dim() == 1:
        return F.binary_cross_entropy_with_logits(scaled, target.to(scaled.dtype))
    return F.cross_entropy(scaled, target)


def fit_temperature(logits: Tensor, target: Tensor) -> tuple[float, float, float]:
    """(temperature, NLL before, NLL after) by LBFGS in float64. Without rows, temperature 1. Never worse than 1."""
    if not len(target):
        return 1.0, 0.0, 0.0
    logits = logits.double()
    log_t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([log_t], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss = nll(logits, target, log_t)
        loss.backward()
        return loss

    before = float(nll(logits, target, torch.zeros((), dtype=torch.float64)))
    optimiser.step(closure)
    after = float(nll(logits, target, log_t.detach()))
    if not after < before:
        return 1.0, before, before
    return float(log_t.detach().exp()), before, after


@torch.no_grad()
def head_rows(model: DeltaEstimator, batches: Iterable[Mapping[str, Tensor]]) -> dict[str, tuple[Tensor, Tensor]]:
    """(logits, targets) of every fact that counts, per head, over ``batches``."""
    model.eval()
    rows: dict[str, list[tuple[Tensor, Tensor]]] = {h: [] for h in HEADS}
    for batch in batches:
        logits = model(batch)
        movable = batch["movable"] & batch["mask"]
        applies = batch["attr_mask"] & batch["mask"][..., None]
        rows["parent"].append((logits["parent"][movable], batch["y_parent"][movable]))
        rows["attr"].append((logits["attr"][applies], batch["y_attr"][applies]))
        rows["outcome"].append((logits["outcome"], batch["y_outcome"]))
    return {h: (torch.cat([x for x, _ in r]), torch.cat([y for _, y in r])) for h, r in rows.items()}


def calibrate(model: DeltaEstimator, batches: Iterable[Mapping[str, Tensor]], directory: Path, split: str = "calibration") -> Calibration:
    """Fit the temperatures of the exported ``model`` and write ``calibration.json`` beside its weights."""
    rows = head_rows(model, batches)
    fitted = {h: fit_temperature(*rows[h]) for h in HEADS}
    out = Calibration(
        {h: t for h, (t, _, _) in fitted.items()},
        weights_sha256(directory),
        {h: b for h, (_, b, _) in fitted.items()},
        {h: a for h, (_, _, a) in fitted.items()},
        len(rows["outcome"][1]),
        split,
    )
    (directory / FILE).write_text(json.dumps(asdict(out), indent=2, sort_keys=True) + "\n")
    return out


def load_calibration(directory: Path) -> Calibration | None:
    """The calibration beside an export, None when there is none. Raises CheckpointError when it is of other weights or damaged."""
    path = Path(directory) / FILE
    if not path.is_file():
        return None
    try:
        out = Calibration(**json.loads(path.read_text()))
        temperature = {h: float(out.temperature[h]) for h in HEADS}
    except (ValueError, TypeError, KeyError) as e:
        raise CheckpointError(f"{path}: damaged ({e}); {_AGAIN}") from e
    if out.weights_sha256 != weights_sha256(Path(directory)):
        raise CheckpointError(f"{path}: made for weights {out.weights_sha256[:12]}, not for those beside it; {_AGAIN}")
    if not all(0 < t < math.inf for t in temperature.values()):
        raise CheckpointError(f"{path}: temperatures must be positive and finite, got {temperature}; {_AGAIN}")
    return out
