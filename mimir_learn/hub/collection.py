"""``mimir publish --all``: every finished run of an ablation folder as a repository ready to upload, and an index that compares them."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.calibration import load_calibration
from mimir_learn.estimator.export import CONFIG, WEIGHTS, weights_sha256
from mimir_learn.hub.card import finite
from mimir_learn.hub.check import check_repo_id, fresh_folder
from mimir_learn.hub.checkpoint import Checkpoint, bundle_checkpoint
from mimir_learn.logs import LogDirectory
from mimir_learn.logs.codec import json_object

BESIDE = ("schema", "text", "no_change", "none", "geometry", "difference")  # untrained sources that a card has columns of
SHARED = ("tables.md", "scores.csv", "tests.csv", "ablations.svg")
NUMBERS = ("changed_atom_f1", "exact_delta", "false_change_rate", "ece", "coverage_at_0.005")


@dataclass(frozen=True)
class PublishAllConfig:
    """Make every finished run of an ablation folder ready for a model hub, with an index beside them; nothing is uploaded.

    Attributes:
        all: the folder of ``mimir ablate``, and the folder to write.
        repo: OWNER/PREFIX: the repositories are called OWNER/PREFIX-ARM-seedN.
        log: the log the runs were trained on, for its vocabulary; null = where the runs say it was.
        dataset: hub id of that log, where it is published too; the results are then filed under it.
        arms, seeds: only runs of these; null = all.
    """

    all: tuple[str, str]
    repo: str = "mimir-learn/delta"
    log: str | None = None
    dataset: str | None = None
    arms: list[str] | None = None
    seeds: list[int] | None = None


@dataclass(frozen=True)
class FinishedRun:
    """A run folder with an exported model and a record of its scores."""

    folder: Path
    record: Mapping[str, Any]

    @property
    def arm(self) -> str:
        return str(self.record["name"])

    @property
    def seed(self) -> int | None:
        seed: int | None = self.record["seed"]
        return seed


@dataclass(frozen=True)
class Published:
    """A run made ready: its folder's name, and what the index says of it."""

    name: str
    arm: str
    seed: int | None
    numbers: Mapping[str, float]
    weights: str
    bytes: int
    scored_on: str


def publish_all(config: PublishAllConfig) -> str:
    """Write the folders and the index; says in a few lines what came of it.

    A run that cannot be published (not calibrated, scored with other weights) is left out, by name and reason, in the index too.
    Raises ConfigError or CheckpointError when nothing can be, or when the folder to write holds something.
    """
    source, out = Path(config.all[0]), Path(config.all[1])
    check_repo_id(config.repo)
    runs, unfinished = finished_runs(source)
    chosen = [r for r in runs if (config.arms is None or r.arm in config.arms) and (config.seeds is None or r.seed in config.seeds)]
    if not chosen:
        had = ", ".join(sorted({r.arm for r in runs})) or "none"
        raise ConfigError(f"{source}: no finished run to publish; arms with finished runs: {had}. Run `mimir ablate` to the end first")
    untrained = list(_untrained(source))
    left_out = dict.fromkeys(unfinished, "not finished")
    published: list[Published] = []
    with fresh_folder(out) as folder:
        for run, name in zip(chosen, _names(chosen), strict=True):
            try:
                published.append(_publish(run, name, folder, config, untrained))
            except CheckpointError as e:
                left_out[name] = str(e)
        if not published:
            raise CheckpointError(f"{source}: no run can be published; the first: {next(iter(left_out.values()))}")
        shared = [n for n in SHARED if (source / n).is_file()]
        for name in shared:
            shutil.copyfile(source / name, folder / name)
        (folder / "README.md").write_text(_index(published, left_out, shared, config, _about(source)), encoding="utf-8")
    megabytes = sum(p.bytes for p in published) / 1e6
    lines = [f"{out}: {len(published)} model repositories, {megabytes:.1f} MB, each checked and loaded; nothing is uploaded"]
    lines += [f"left out: {name}: {why}" for name, why in left_out.items()]
    return "\n".join(lines)


def finished_runs(source: Path) -> tuple[list[FinishedRun], list[str]]:
    """Runs with a record and an exported model in the order of the folder's table, and the names of begun ones without."""
    found, unfinished = [], []
    for folder in sorted(p for p in source.glob("runs/*") if p.is_dir()):
        record = json_object(folder / "record.json")
        if record is not None and record.get("seed") is None and not (folder / "model").exists():
            continue  # an untrained source
        if record is None or not (folder / "model" / CONFIG).is_file():
            unfinished.append(folder.name)
        else:
            found.append(FinishedRun(folder, record))
    rows = [r["name"] for r in (json_object(source / "results.json") or {}).get("rows", [])]
    found.sort(key=lambda r: (rows.index(r.arm) if r.arm in rows else len(rows), r.arm, r.seed or 0, r.folder.name))
    return found, unfinished


def _untrained(source: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(source.glob("runs/*/record.json")):
        record = json_object(path)
        if record is not None and record.get("seed") is None and record.get("name") in BESIDE:
            yield record


def _names(runs: Sequence[FinishedRun]) -> list[str]:
    """What each is called; a part of the run's key behind those of one name."""
    plain = [re.sub(r"[^\w.]+", "-", r.arm).strip("-.") + ("" if r.seed is None else f"-seed{r.seed}") for r in runs]
    often = Counter(plain)
    return [n if often[n] == 1 else f"{n}-{r.folder.name[-6:]}" for n, r in zip(plain, runs, strict=True)]


def _publish(run: FinishedRun, name: str, out: Path, config: PublishAllConfig, untrained: Sequence[Mapping[str, Any]]) -> Published:
    model = run.folder / "model"
    digest = weights_sha256(model)
    scored = run.record.get("checkpoint_sha256", digest)
    calibration = load_calibration(model)  # refuses one of other weights
    if calibration is None:
        raise CheckpointError(f"{model}: it is not calibrated; make that up with `mimir calibrate {model} --log LOG`")
    what, recipe = run.record["what"], json_object(run.folder / "train.json") or {}
    sources = {"learned": run.record["score"]}
    alike = {r["name"]: r["score"] for r in untrained if _same_transitions(r["what"], what)}
    sources |= {beside: alike[beside] for beside in BESIDE if beside in alike}
    scores = {
        "sources": sources,
        "reliability": run.record.get("reliability", []),
        "split": what["split"],
        "log_fingerprint": what["log"],
        "checkpoint_sha256": scored,
    }
    log = Path(config.log or str(recipe.get("config", {}).get("log_dir", "")))
    if not (log / "meta" / "info.json").is_file():
        raise ConfigError(f"{run.folder}: the log it was trained on is not at {str(log)!r}; give --log DIR")
    vocabulary = LogDirectory(log).vocabulary
    checkpoint = Checkpoint(model, vocabulary, scores, recipe, what["log"])
    folder = bundle_checkpoint(checkpoint, out / name, f"{config.repo}-{name}", dataset=config.dataset)
    numbers = {k: float(run.record["score"][k]) for k in NUMBERS if finite(run.record["score"].get(k))}
    size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
    return Published(name, run.arm, run.seed, numbers, digest, size, f"{what['split']} split of log {what['log'][:12]}")


def _same_transitions(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return bool(a["log"] == b["log"] and a["split"] == b["split"])


def _about(source: Path) -> str:
    return str((json_object(source / "results.json") or {}).get("about", "")).strip()


def _index(published: Sequence[Published], left_out: Mapping[str, str], shared: Sequence[str], config: PublishAllConfig, about: str) -> str:
    env = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    body = resources.files("mimir_learn.hub").joinpath("templates/index.md.j2").read_text(encoding="utf-8")
    return env.from_string(body).render(
        published=published, left_out=left_out, shared=shared, repo=config.repo, about=about, weights_file=WEIGHTS,
        total=sum(p.bytes for p in published), numbers=NUMBERS, scored_on=sorted({p.scored_on for p in published}),
    )  # fmt: skip
