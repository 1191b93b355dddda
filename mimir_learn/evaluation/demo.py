"""``mimir demo``: the whole path in one go (collect, validate, train, score, evaluate, report), stage by stage, resumable."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from mimir_learn.collect import CollectConfig
from mimir_learn.errors import LogError, MimirError
from mimir_learn.estimator.training import TrainConfig
from mimir_learn.evaluation.provenance import source_sha256
from mimir_learn.evaluation.results import summary_of, write_json
from mimir_learn.evaluation.run import EvalConfig, checkpoint_hashes, evaluate
from mimir_learn.logs import fingerprint

ESTIMATOR_KEYS = (
    "changed_atom_f1",
    "changed_atom_f1_no_hand",
    "exact_delta",
    "false_change_rate",
    "false_change_rate_manipulation",
    "false_change_rate_manipulation_n",
    "changed_atom_precision",
    "changed_atom_recall",
    "n",
)


@dataclass(frozen=True)
class DemoConfig:
    """The demo's folder and the settings of its stages; the stages' own paths are set by the demo.

    Attributes:
        out: folder of everything it makes: ``log/``, ``train/``, ``results.json``, ``summary.json``, ``report.html``.
        collect: see `mimir_learn.collect.CollectConfig`.
        train: see `mimir_learn.estimator.TrainConfig`.
        eval: see `mimir_learn.evaluation.run.EvalConfig`.
    """

    out: str = "runs/demo"
    collect: CollectConfig = field(default_factory=CollectConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    eval: EvalConfig = field(default_factory=EvalConfig)


class Stages:
    """Runs named stages once: a finished stage leaves ``stages/NAME.json`` with its result, its seconds and a key of all it depends on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ""
        self.seconds: dict[str, float] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def run(
        self,
        name: str,
        settings: Any,
        work: Callable[[], dict[str, Any]],
        needs: Path,
        discard: Path | None = None,
        product: Callable[[], str] | None = None,
    ) -> dict[str, Any]:
        """The stage's result, from its marker when the same stage has run before and what it made is still that, else from ``work``.

        Args:
            settings: everything the stage depends on beside the stages before it: settings and a hash of the code.
            discard: a folder of the stage's making; what lies there from another key is removed first, so that nothing is mixed
                (set aside under another name when no stage of this demo made it).
            needs: must exist for the stage to count as done.
            product: hash of what the stage made; the marker records it, and the stage is done again, from nothing, when it has changed.
        """
        self.key = hashlib.sha256(json.dumps([self.key, name, settings], sort_keys=True, default=str).encode()).hexdigest()
        marker = self.folder / f"{name}.json"
        begun = self.folder / f"{name}.begun"
        before = _marker(begun)
        body = _marker(marker)
        if body and body["key"] == self.key and needs.exists():
            if product is None or _hash(product) == body.get("product", ""):
                print(f"[{name}] was done before, in {body['seconds']:.1f} s", flush=True)
                self.seconds[name] = body["seconds"]
                return dict(body["result"])
            print(f"[{name}] what it made is damaged or was changed since; it is done again", flush=True)
            if discard is not None and "product" in body:
                before = {"key": "", "seconds": 0.0}  # going on from damaged files would keep the damage
        print(f"[{name}] …", flush=True)
        marker.unlink(missing_ok=True)
        if before and before["key"] not in ("", self.key):
            print(f"[{name}] was done with other code or settings and is done again", flush=True)
        if discard is not None and discard.exists() and before.get("key") != self.key:
            _clear(discard, mine=bool(before))
        spent = before["seconds"] if before.get("key") == self.key else 0.0
        started = time.monotonic()
        write_json(begun, {"key": self.key, "seconds": spent})
        try:
            result = work()
        finally:
            self.seconds[name] = spent + time.monotonic() - started
            write_json(begun, {"key": self.key, "seconds": self.seconds[name]})
        made = {} if product is None else {"product": product()}
        write_json(marker, {"key": self.key, "seconds": self.seconds[name], "result": result, **made})
        print(f"[{name}] done in {self.seconds[name]:.1f} s", flush=True)
        return result


def _marker(path: Path) -> dict[str, Any]:
    """A stage's marker; empty when it is not there. A damaged one counts as not there, and stdout says so."""
    if not path.is_file():
        return {}
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        kinds = {"key": str, "seconds": int | float} | ({"result": dict} if path.suffix == ".json" else {})
        if all(isinstance(body[name], kind) for name, kind in kinds.items()):
            return dict(body)
    except (ValueError, KeyError, TypeError):
        pass
    print(f"{path} is damaged: its stage counts as not done", flush=True)
    return {}


def _hash(product: Callable[[], str]) -> str | None:
    """None when there is nothing whole to hash."""
    try:
        return product()
    except (MimirError, OSError, ValueError, KeyError):
        return None


def _export_sha256(model: Path) -> str:
    return json.dumps(checkpoint_hashes(str(model)), sort_keys=True)


def _readable(out: Path) -> str:
    """Raise ValueError, KeyError or OSError when the evaluation's results or strips are no longer such."""
    results, strips = (json.loads((out / name).read_text(encoding="utf-8")) for name in ("results.json", "strips.json"))
    if not isinstance(results, dict) or not results["arms"] or not isinstance(strips, list):
        raise ValueError(f"{out}: no results")
    return "readable"


def demo(config: DemoConfig) -> dict[str, float]:
    """Run what is missing and return summary.json's content.

    Raises MimirError (or a subclass) when a stage fails; what was finished is kept and the same command goes on from there.
    """
    out = Path(config.out)
    log, train_dir = out / "log", out / "train"
    model = train_dir / "model"
    stages = Stages(out / "stages")
    cores = os.cpu_count() or 1
    print(f"{cores} cores; worker processes use one thread each, training measures whether a second one helps", flush=True)
    collected = stages.run(
        "collect",
        [source_sha256("collect"), config.collect.content()],
        lambda: _collect(replace(config.collect, out=str(log))),
        log / "meta" / "info.json",
        discard=log,
        product=lambda: fingerprint(log),
    )
    stages.run("validate", {}, lambda: _validate(log), log, product=lambda: fingerprint(log))
    train = replace(config.train, log_dir=str(log), out_dir=str(train_dir))
    recipe = {**asdict(train), "log_dir": "", "out_dir": "", "resume": False}  # wherever the demo lies
    trained = stages.run("train", [source_sha256("train"), recipe], lambda: _train(train), model, train_dir, lambda: _export_sha256(model))
    checkpoint, limit = Path(trained["checkpoint"]), config.eval.score_limit
    score = stages.run(
        "score", [source_sha256("score"), checkpoint_hashes(str(checkpoint)), limit], lambda: _score(checkpoint, log, limit), model
    )
    test = replace(config.eval, out=str(out), checkpoint=str(checkpoint), log=str(log))

    def run_eval() -> dict[str, Any]:
        return {"arms": list(evaluate(test, score=score, renew=True)["arms"])}

    stages.run(
        "evaluate",
        [source_sha256("evaluate"), _suite_sha256(test), asdict(test)],
        run_eval,
        out / "results.json",
        product=lambda: _readable(out),
    )
    return _finish(out, stages, collected, trained, score)


def _clear(folder: Path, mine: bool) -> None:
    """Remove ``folder``, or rename it when the demo did not make it."""
    if mine:
        shutil.rmtree(folder)
        return
    number = 1
    while (other := folder.with_name(f"{folder.name}.old{number}")).exists():
        number += 1
    folder.rename(other)
    print(f"{folder} was there already and not made by this demo; kept as {other}", flush=True)


def _collect(config: CollectConfig) -> dict[str, Any]:
    from mimir_learn.collect import collect

    summary = collect(config)
    return {
        "transitions": summary.transitions,
        "transitions_per_s_per_core": summary.transitions_per_s_per_core,
        "transitions_per_s": summary.transitions_per_s,
        "unusual": summary.rates["unusual"],
    }


def _validate(log: Path) -> dict[str, Any]:
    from mimir_learn.collect import check_log

    problems = check_log(log)
    if problems:
        raise LogError(f"{log} is damaged: {problems[0]} ({len(problems)} problems in all); remove the folder and collect again")
    return {"problems": 0}


def _train(config: TrainConfig) -> dict[str, Any]:
    from mimir_learn.estimator.training import fit

    out = Path(config.out_dir)
    begun = (out / "checkpoints" / "last.ckpt").is_file()
    if not begun and out.exists():
        shutil.rmtree(out)  # begun, but nothing kept yet
    summary = fit(replace(config, resume=begun))
    return {k: v for k, v in vars(summary).items() if isinstance(v, str | int | float | dict)}


def _score(checkpoint: Path, log: Path, limit: int | None) -> dict[str, Any]:
    from mimir_learn.evaluation.score import score_checkpoint

    return score_checkpoint(checkpoint, log, limit=limit)


def _suite_sha256(config: EvalConfig) -> str:
    from mimir_learn.evaluation.suite import Suite

    return Suite.load(Path(config.suite)).sha256


def _finish(out: Path, stages: Stages, collected: dict[str, Any], trained: dict[str, Any], score: dict[str, Any]) -> dict[str, float]:
    from mimir_learn.evaluation.report import report_from_folder

    install = float(os.environ.get("MIMIR_INSTALL_S") or 0.0)
    timings = {"installation": install, **stages.seconds} if install else dict(stages.seconds)
    timings["total"] = sum(timings.values())
    results = json.loads((out / "results.json").read_text())
    results["timings"], results["collect"], results["train"] = timings, collected, trained
    write_json(out / "results.json", results)
    report = report_from_folder(out)
    summary: dict[str, float] = {"wall_s": timings["total"], **{f"wall_s.{k}": v for k, v in timings.items() if k != "total"}}
    summary["transitions"] = collected["transitions"]
    summary["collect.transitions_per_s_per_core"] = collected["transitions_per_s_per_core"]
    summary["collect.unusual"] = collected["unusual"]
    summary["estimator.parameters"] = trained["parameters"]
    for source, numbers in score["sources"].items():
        name = "estimator" if source == "learned" else source
        summary |= {f"{name}.{k}": numbers[k] for k in ESTIMATOR_KEYS if k in numbers}
    summary |= summary_of(results)
    write_json(out / "summary.json", {k: v for k, v in summary.items() if v is not None and isfinite(v)})
    for name, seconds in timings.items():
        print(f"{name:>14s} {seconds:8.1f} s")
    print(f"{out}/summary.json\n{report}")
    return summary
