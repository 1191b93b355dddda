"""``mimir calibrate``: temperatures and thresholds from a log, and what those at hand come to on one."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import beta

from mimir_learn.checks import whole
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.calibrating import METHOD, calibrate_all, judge_log, judgements
from mimir_learn.estimator.calibration import FILE, Calibration, load_calibration
from mimir_learn.estimator.export import FILES, local_folder
from mimir_learn.estimator.metrics import calibration as calibration_error
from mimir_learn.estimator.risk import FAMILIES, METHODS, NEVER, Judged, realised
from mimir_learn.evaluation.records import Record, read_records
from mimir_learn.evaluation.results import judged_transitions
from mimir_learn.logs.splits import split_of


@dataclass(frozen=True)
class CalibrateConfig:
    """Calibrate an exported estimator on a log, or measure what its calibration comes to there.

    Attributes:
        checkpoint: folder of the estimator (model.safetensors, config.json).
        log: transition log: one of ``mimir collect``, or the agent's own episodes from ``mimir onpolicy``.
        split: houses to use; calibrating refuses test and train.
        out: folder for a copy of the estimator with the new calibration; null = write it beside the weights.
        records: records.jsonl of an evaluation or of ``mimir onpolicy``, instead of a log: measure on what the estimator told the agent,
            with the agent's own memory before each action; needs fit false, reads no frames and runs no network.
        fit: false only measures, on any split: predicted against realised risk of the thresholds there are.
        method: what one house's judgements count: houses or one, see docs/estimator.md.
        seed: of the bootstrap.
        workers: processes that read the log.
    """

    checkpoint: str
    log: str | None = None
    records: str | None = None
    split: str = "calibration"
    out: str | None = None
    fit: bool = True
    method: str = METHOD
    seed: int = 0
    workers: int = 1

    def __post_init__(self) -> None:
        whole("workers", self.workers, 1)
        whole("seed", self.seed, 0)
        if self.method not in METHODS:
            raise ConfigError(f"method is {self.method!r}; choose one of {', '.join(METHODS)}")
        if self.out is not None and not self.fit:
            raise ConfigError("out and fit false do not go together: nothing is fitted; leave out away")
        if (self.log is None) == (self.records is None):
            raise ConfigError("give either log or records")
        if self.records is not None and self.fit:
            raise ConfigError("records can only be measured (fit false); to calibrate, give a log, such as `mimir onpolicy` makes")


def run_calibrate(config: CalibrateConfig) -> str:
    """Calibrate or measure; returns what to print. Raises ConfigError, LogError, CheckpointError."""
    source = local_folder(config.checkpoint)
    if not config.fit:
        calibration = load_calibration(source)
        if calibration is None or not calibration.thresholds:
            raise CheckpointError(f"{source} has no thresholds to measure; make some with `mimir calibrate CHECKPOINT --log LOG`")
        if config.records is not None:
            judged = own_judgements(read_records(Path(config.records)), config.split)
        else:
            judged = judge_log(source, str(config.log), config.split, workers=config.workers)
        return risk_table(risk_report(judged, calibration))
    target = source if config.out is None else _copy(source, Path(config.out))
    made = calibrate_all(target, str(config.log), config.split, method=config.method, seed=config.seed, workers=config.workers)
    return f"{fitted_table(made)}\n{target / FILE}"


def _copy(source: Path, out: Path) -> Path:
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out} is not empty; choose a new folder for the calibrated copy")
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if (source / name).is_file():
            shutil.copy2(source / name, out / name)
    return out


def own_judgements(records: Iterable[Record], split: str) -> list[Judged]:
    """What the estimator told the agent at first sight, and whether it was right, over the episodes in houses of ``split``.

    Raises ConfigError when there are none, or when the episodes had another Δ-source.
    """
    out: list[Judged] = []
    rows = [r for r in records if split_of(r["house_seed"]) == split]
    if not rows:
        raise ConfigError(f"no episodes in houses of split {split!r}; give the split they were run in")
    for row in rows:
        if row["world_source"] != "learned":
            raise ConfigError(f"episode {row['task']} had the source {row['world_source']!r}; give records of learned episodes alone")
        first = [{**s, "deferred": False} for s in row["trace"] if not s["look_again"]]
        for item in judged_transitions([{"trace": first}]):
            out += judgements(item, f"{row['task']}:{row['seed']}", str(row["house_seed"]))
    return out


def risk_report(judged: Sequence[Judged], calibration: Calibration) -> dict[str, dict[str, float]]:
    """``LEVEL`` and ``LEVEL.FAMILY`` → coverage, realised risk, its 90 % Clopper–Pearson bounds, counts; ``ece`` of all changes."""
    out: dict[str, dict[str, float]] = {}
    for level, cut in calibration.thresholds.items():
        groups = {level: list(judged)} | {f"{level}.{f}": [j for j in judged if j.family == f] for f in FAMILIES}
        for name, rows in groups.items():
            found = realised(rows, cut)
            n, wrong = int(found["committed"]), int(found["wrong"])
            low = float(beta.ppf(0.05, wrong, n - wrong + 1)) if wrong else 0.0
            high = float(beta.ppf(0.95, wrong + 1, n - wrong)) if wrong < n else 1.0
            out[name] = {**found, "risk_low": low, "risk_high": high}
    return out | {"ece": calibration_error([j.p for j in judged], [j.right for j in judged])}


def risk_table(report: Mapping[str, Mapping[str, float]]) -> str:
    """The report as text."""
    lines = [f"{'level':14s}{'promised risk':>14s}{'realised':>10s}{'90 % interval':>18s}{'coverage':>10s}{'written':>9s}{'wrong':>7s}"]
    for name, r in report.items():
        if name == "ece":
            continue
        level = float(name if name.rpartition(".")[2] not in FAMILIES else name.rpartition(".")[0])
        bounds = f"{100 * r['risk_low']:.2f}–{100 * r['risk_high']:.2f} %"
        lines.append(
            f"{name:14s}{100 * (1 - level):12.1f} %{100 * r['risk']:8.2f} %{bounds:>18s}{100 * r['coverage']:8.1f} %"
            f"{r['committed']:9.0f}{r['wrong']:7.0f}"
        )
    return "\n".join([*lines, f"ECE of all changes {report['ece']['ece']:.4f}, Brier {report['ece']['brier']:.4f}"])


def fitted_table(made: Calibration) -> str:
    """What was fitted, as text."""
    lines = [
        "temperature " + ", ".join(f"{h} {t:.3f}" for h, t in made.temperature.items()) + f" ({made.houses['temperature']} houses)",
        f"thresholds, {made.houses['thresholds']} houses of split {made.split}; * certified by the family's own changes:",
        "level " + "".join(f"{f'{f} ({made.judged.get(f, 0)})':>16s}" for f in FAMILIES),
    ]
    for level, cut in made.thresholds.items():
        own = made.own.get(level, ())
        cells = ["never" if cut[f] == NEVER else f"{cut[f]:.4f}{'*' if f in own else ' '}" for f in FAMILIES]
        lines.append(f"{level:6s}" + "".join(f"{c:>16s}" for c in cells))
    return "\n".join(lines)
