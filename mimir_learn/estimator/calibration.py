"""``calibration.json``: a temperature per head and commit thresholds per family of actions, tied to the very weights they were fitted for.

`calibrating` makes it; this file says what is in it, fits temperatures, and reads and writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from mimir_learn.checks import not_negative, whole
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.export import CONFIG, read_config, weights_sha256
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.estimator.risk import CONFIDENCE, FAMILIES, METHODS, NEVER, POOLED
from mimir_learn.estimator.writing import write_json

FILE = "calibration.json"
_AGAIN = "make it again with `mimir calibrate CHECKPOINT --log LOG`, or delete the file"
HEADS = ("parent", "attr", "outcome")
_SPREAD = 0.25  # of log T, a priori


@dataclass(frozen=True)
class Calibration:
    """What is known of the probabilities of some weights.

    Attributes:
        temperature: per head; its logits are divided by it.
        weights_sha256: of the weights file it belongs to.
        nll_before, nll_after: negative log-likelihood per head without and with the temperature.
        transitions: how many the temperatures rest on.
        split: of the log whose houses it was fitted on. log: fingerprint of that log.
        thresholds: level ("0.99") → family → lowest probability at which a change may be written so that at least that share of what is
            written is right, with `confidence`; `NEVER` where the data certify none (null in the file). Empty: none were fitted.
        own: level → the families whose own judgements certify it; the others rest on all families together, see `risk.thresholds`.
        method: how judgements of one house were treated, see `risk`.
        judged: predicted changes per family that the thresholds rest on.
        houses: how many houses the temperatures and the thresholds were fitted on; they are different ones.
    """

    temperature: Mapping[str, float]
    weights_sha256: str
    nll_before: Mapping[str, float] = field(default_factory=dict)
    nll_after: Mapping[str, float] = field(default_factory=dict)
    transitions: int = 0
    split: str = "calibration"
    log: str = ""
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    own: Mapping[str, Sequence[str]] = field(default_factory=dict)
    confidence: float = CONFIDENCE
    method: str = ""
    judged: Mapping[str, int] = field(default_factory=dict)
    houses: Mapping[str, int] = field(default_factory=dict)

    def certified(self, family: str) -> tuple[tuple[float, float], ...]:
        """(level, threshold) of a family of actions, the pool's where it has none of its own."""
        return tuple((float(level), cut.get(family, cut.get(POOLED, NEVER))) for level, cut in sorted(self.thresholds.items()))

    def save(self, directory: Path) -> Path:
        """Write ``calibration.json`` into the folder of the weights, at once or not at all."""
        body = asdict(self)
        body["thresholds"] = {k: {f: None if p == NEVER else p for f, p in cut.items()} for k, cut in self.thresholds.items()}
        return write_json(Path(directory) / FILE, body)


def nll(logits: Tensor, target: Tensor, log_t: Tensor) -> Tensor:
    """Mean negative log-likelihood of ``logits / exp(log_t)``; 1-D logits are binary, 2-D rows are classes."""
    scaled = logits * torch.exp(-log_t)
    if logits.dim() == 1:
        return F.binary_cross_entropy_with_logits(scaled, target.to(scaled.dtype))
    return F.cross_entropy(scaled, target)


def fit_temperature(logits: Tensor, target: Tensor) -> tuple[float, float, float]:
    """(temperature, NLL before, NLL after) by LBFGS in float64. Without rows, temperature 1. Never worse than 1.

    Log T has the prior N(0, 0.25²): next to nothing among thousands of rows, and where a few hundred happen to be all right it keeps the
    temperature from going to 0, that is, from calling them certain.
    """
    if not len(target):
        return 1.0, 0.0, 0.0
    logits = logits.double()
    log_t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([log_t], max_iter=60, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss = nll(logits, target, log_t) + 0.5 * (log_t / _SPREAD) ** 2 / len(target)
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
        if "hypothesis" in logits:
            from mimir_learn.estimator import hypotheses

            rows.setdefault("hypothesis", []).append((logits["hypothesis"], hypotheses.targets(batch)))
    return {h: (torch.cat([x for x, _ in r]), torch.cat([y for _, y in r])) for h, r in rows.items()}


def temperatures(model: DeltaEstimator, batches: Iterable[Mapping[str, Tensor]], weights: str, split: str = "calibration") -> Calibration:
    """The temperatures of ``model``, whose weights file has SHA-256 ``weights``; no thresholds yet."""
    rows = head_rows(model, batches)
    fitted = {h: fit_temperature(*rows[h]) for h in rows}
    return Calibration(
        {h: t for h, (t, _, _) in fitted.items()},
        weights,
        {h: b for h, (_, b, _) in fitted.items()},
        {h: a for h, (_, _, a) in fitted.items()},
        len(rows["outcome"][1]),
        split,
    )


def calibrate(model: DeltaEstimator, batches: Iterable[Mapping[str, Tensor]], directory: Path, split: str = "calibration") -> Calibration:
    """Temperatures alone, of the exported ``model``, written beside its weights; `calibrating.calibrate_all` also certifies thresholds."""
    out = temperatures(model, batches, weights_sha256(directory), split)
    out.save(directory)
    return out


def load_calibration(directory: Path) -> Calibration | None:
    """The calibration beside an export, None when there is none.

    Raises CheckpointError when it is of other weights, damaged, out of range, or lacks the temperature of a head that the export has.
    """
    path = Path(directory) / FILE
    if not path.is_file():
        return None
    try:
        body = json.loads(path.read_text())
        cuts = {level: {f: _threshold(p) for f, p in cut.items()} for level, cut in body.pop("thresholds", {}).items()}
        own = {level: tuple(families) for level, families in body.pop("own", {}).items()}
        out = Calibration(**body, thresholds=cuts, own=own)
        _check(out)
        levels = [float(level) for level in cuts]
        heads = (*HEADS, "hypothesis") if (path.parent / CONFIG).is_file() and read_config(path.parent).head == "hypotheses" else HEADS
        temperature, missing = out.temperature, [h for h in heads if h not in out.temperature]
    except (ValueError, TypeError, KeyError, AttributeError) as e:
        raise CheckpointError(f"{path}: damaged ({e}); {_AGAIN}") from e
    if missing:
        raise CheckpointError(f"{path}: damaged (no temperature for {', '.join(missing)}); {_AGAIN}")
    if out.weights_sha256 != weights_sha256(Path(directory)):
        raise CheckpointError(f"{path}: made for weights {out.weights_sha256[:12]}, not for those beside it; {_AGAIN}")
    if not all(0 < t < math.inf for t in temperature.values()):
        raise CheckpointError(f"{path}: temperatures must be positive and finite, got {temperature}; {_AGAIN}")
    if not all(0 < level < 1 for level in levels) or not all(0 <= p <= 1 or p == NEVER for cut in cuts.values() for p in cut.values()):
        raise CheckpointError(f"{path}: levels and thresholds must be probabilities, got {cuts}; {_AGAIN}")
    return out


def _threshold(value: object) -> float:
    if value is None:
        return NEVER
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"a threshold is {value!r}; it must be a probability or null")
    return float(value)


def _check(read: Calibration) -> None:
    """Raises ConfigError, naming the key, for a value that no calibration has."""
    for name in ("weights_sha256", "split", "log", "method"):
        if not isinstance(getattr(read, name), str):
            raise ConfigError(f"{name} is {getattr(read, name)!r}; it must be text")
    if read.method not in ("", *METHODS):
        raise ConfigError(f"method is {read.method!r}; it must be one of {', '.join(METHODS)}")
    if isinstance(read.confidence, bool) or not isinstance(read.confidence, float) or not 0.5 <= read.confidence < 1:
        raise ConfigError(f"confidence is {read.confidence!r}; it must be a number from 0.5 to below 1")
    whole("transitions", read.transitions, 0)
    for name in ("temperature", "nll_before", "nll_after", "judged", "houses"):
        body = getattr(read, name)
        if not isinstance(body, Mapping):
            raise ConfigError(f"{name} is {body!r}; it must be a table")
        for key, value in body.items():
            if name in ("judged", "houses"):
                whole(f"{name}.{key}", value, 0)
            else:
                not_negative(f"{name}.{key}", value)
    known = {*FAMILIES, POOLED}
    if odd := sorted({f for cut in read.thresholds.values() for f in cut} - known | {f for own in read.own.values() for f in own} - known):
        raise ConfigError(f"thresholds name {odd}; families are {', '.join(sorted(known))}")
    if odd := sorted(set(read.own) - set(read.thresholds)):
        raise ConfigError(f"own has the levels {odd}, for which there are no thresholds")
