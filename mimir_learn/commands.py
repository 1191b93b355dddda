"""The subcommands of ``mimir``: what each is for, the typed settings it takes, and the function of a room that it calls.

Imports happen inside, so that ``mimir collect`` does not load torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from mimir_learn.errors import ConfigError


@dataclass(frozen=True)
class CheckLogConfig:
    """Look for damage in a transition log.

    Attributes:
        check: the log's directory.
    """

    check: str


@dataclass(frozen=True)
class ReportConfig:
    """Make the report of an evaluation or of an experiment grid.

    Attributes:
        folder: holds results.json, as written by ``mimir eval`` (with or without ``--grid``) and ``mimir demo``.
        out: a folder for report.html and the tables, or the page (.html); null = ``folder``.
        films: episodes of a grid to show frame by frame; each is run again once and kept. An evaluation has its own.
        rerun: also write a recording (.rrd) for Rerun of every episode shown; needs rerun-sdk.
        image: also write a small picture (PNG) of results and frames there, as in the README.
    """

    folder: str = "runs/demo"
    out: str | None = None
    films: int = 12
    rerun: bool = False
    image: str | None = None

    def __post_init__(self) -> None:
        if self.films < 0:
            raise ConfigError(f"films is {self.films}; give a number of episodes, 0 for none")


@dataclass(frozen=True)
class Command:
    """A subcommand: one line of help, where its settings type stands, and what runs it.

    Attributes:
        settings: ``module:name`` of the type, imported when asked for.
        nouns: words one of which must follow the command; ``noun_key`` is the setting it is the value of, if any.
        word_key: the setting that a further word without a key is the value of.
        instead: what the command becomes when this noun or key is given.
    """

    help: str
    settings: str
    run: Callable[[Any], int]
    nouns: tuple[str, ...] = field(default=())
    noun_key: str = ""
    word_key: str = ""
    instead: Mapping[str, Command] = field(default_factory=dict)

    def config(self) -> type:
        """The settings type."""
        found: type = resolve_name(self.settings)
        return found


def _collect(config: Any) -> int:
    from mimir_learn.collect import collect

    summary = collect(config)
    speed = summary.transitions_per_s_per_core
    made = "nothing was missing" if speed is None else f"{summary.made} made now, {speed:.0f} per second and core"
    print(
        f"{summary.directory}: {summary.transitions} transitions ({made}); {summary.rates['unusual']:.0%} failures, no-ops or side effects"
    )
    return 0


def _check_log(config: CheckLogConfig) -> int:
    from mimir_learn.collect import check_log

    problems = check_log(config.check)
    for problem in problems[:50]:
        print(problem)
    print(f"{config.check}: {'sound' if not problems else f'{len(problems)} problems'}")
    return 1 if problems else 0


def _preview(config: Any) -> int:
    from mimir_learn.showroom.preview import preview

    return _paths(preview(config))


def _paths(paths: Sequence[Path]) -> int:
    """Say what has been written."""
    for path in paths:
        print(path)
    return 0


def _train(config: Any) -> int:
    from mimir_learn.estimator import fit
    from mimir_learn.estimator.distributed import rank
    from mimir_learn.evaluation.results import write_json

    summary = fit(config)
    if rank(config.devices * config.nodes):
        return 0
    flat = {k: v for k, v in vars(summary).items() if isinstance(v, int | float)}
    flat |= {f"validation.{k}": v for k, v in summary.best.items()} | {f"temperature.{k}": v for k, v in summary.temperature.items()}
    write_json(Path(config.out_dir) / "summary.json", flat)
    print(f"{summary.checkpoint}: {summary.parameters} parameters, {summary.epochs} epochs in {summary.wall_s:.0f} s")
    return 0


def _eval(config: Any) -> int:
    from mimir_learn.evaluation.run import evaluate

    results = evaluate(config)
    print(_table(results))
    print(f"{config.out}/report.html")
    return 0


def _grid(config: Any) -> int:
    from mimir_learn.evaluation.experiment import run_grid

    results = run_grid(config)
    if config.plan:
        print(f"{results['name']}: {results['cells']} cells, {results['episodes']} episodes")
        return 0
    print(f"{config.out}/{results['name']}/tables.md")
    return 0


def _table(results: dict[str, Any]) -> str:
    metrics = ("sr", "declared_sr", "gc", "steps", "wrong_writes", "false_completion_rate", "memory_f1")
    lines = [f"{'':22s}" + "".join(f"{m:>23s}" for m in metrics)]
    for name, body in results["arms"].items():
        lines.append(f"{name:22s}" + "".join(f"{body['metrics'][m]['value']:23.3f}" for m in metrics))
    return "\n".join(lines)


def _ablate(config: Any) -> int:
    from mimir_learn.evaluation.ablate import ablate

    if (table := ablate(config)) is not None:
        print(table)
    return 0


def _suite(config: Any) -> int:
    from mimir_learn.evaluation.build import run_suite_command

    print(run_suite_command(config))
    return 0


def _report(config: ReportConfig) -> int:
    from mimir_learn.evaluation.report import report_from_folder

    out = None if config.out is None else Path(config.out)
    print(report_from_folder(Path(config.folder), out, films=config.films, rerun=config.rerun))
    if config.image is not None:
        from mimir_learn.evaluation.picture import picture_from_folder

        print(picture_from_folder(Path(config.folder), Path(config.image)))
    return 0


def _compare(config: Any) -> int:
    from mimir_learn.evaluation.compare import compare

    return _paths(compare(config))


def _demo(config: Any) -> int:
    from mimir_learn.evaluation.demo import demo

    demo(config)
    return 0


def _doctor(config: Any) -> int:
    from mimir_learn.evaluation.doctor import doctor

    return doctor(config)


def _play(config: Any) -> int:
    from mimir_learn.showroom.play import play

    return play(config)


def _show(config: Any) -> int:
    from mimir_learn.showroom.sheets import show

    return _paths(show(config))


def _assets(config: Any) -> int:
    from mimir_learn.showroom.sweethome import convert

    print(convert(config))
    return 0


def _bench(config: Any) -> int:
    from mimir_learn.evaluation.bench import bench_env

    print(bench_env(config))
    return 0


def _bench_memory(config: Any) -> int:
    from mimir_learn.evaluation.bench_memory import bench_memory

    print(bench_memory(config))
    return 0


def _confusions(config: Any) -> int:
    from mimir_learn.evaluation.confusion import confusions

    return _paths(confusions(config))


def _left_out(config: Any) -> int:
    from mimir_learn.evaluation.left_out import left_out

    print(left_out(config))
    return 0


def _calibrate(config: Any) -> int:
    from mimir_learn.evaluation.recalibrate import run_calibrate

    print(run_calibrate(config))
    return 0


def _onpolicy(config: Any) -> int:
    from mimir_learn.evaluation.onpolicy import collect_onpolicy

    print(collect_onpolicy(config))
    return 0


def _bench_train(config: Any) -> int:
    from mimir_learn.evaluation.bench_train import bench_train

    print(bench_train(config))
    return 0


def _publish(config: Any) -> int:
    from mimir_learn.evaluation.score import score_checkpoint
    from mimir_learn.hub import publish

    print(publish(config, score_checkpoint))
    return 0


def _publish_all(config: Any) -> int:
    from mimir_learn.hub import publish_all

    print(publish_all(config))
    return 0


_CHECK = Command("look for damage in a transition log", "mimir_learn.commands:CheckLogConfig", _check_log)
_PREVIEW = Command("draw random transitions of a log, and what it consists of", "mimir_learn.showroom.preview:PreviewConfig", _preview)
_COMPARE = Command(
    "two runs side by side, episode by episode, those that came out differently first",
    "mimir_learn.evaluation.compare:CompareConfig",
    _compare,
)
_GRID = Command(
    "run an experiment grid: every cell's episodes once, then tables and tests", "mimir_learn.evaluation.experiment:GridConfig", _grid
)
_MEMORY = Command(
    "measure what one step of memory costs as it grows", "mimir_learn.evaluation.bench_memory:MemoryBenchConfig", _bench_memory
)

_PUBLISH_ALL = Command(
    "make every finished run of an ablation folder ready for a hub, with an index", "mimir_learn.hub:PublishAllConfig", _publish_all
)
_BENCH_TRAIN = Command(
    "measure training against its own step on batches in memory", "mimir_learn.evaluation.bench_train:TrainBenchConfig", _bench_train
)

COMMANDS: dict[str, Command] = {
    "collect": Command(
        "collect a transition log (--check DIR, --preview DIR: look into one)",
        "mimir_learn.collect:CollectConfig",
        _collect,
        instead={"--check": _CHECK, "--preview": _PREVIEW},
    ),
    "train": Command("train a Δ-estimator on a log", "mimir_learn.estimator:TrainConfig", _train),
    "calibrate": Command(
        "temperatures and certified thresholds of an estimator from a log: mimir calibrate CHECKPOINT --log LOG",
        "mimir_learn.evaluation.recalibrate:CalibrateConfig",
        _calibrate,
        word_key="checkpoint",
    ),
    "onpolicy": Command(
        "log the agent's own episodes, to calibrate on: mimir onpolicy CHECKPOINT --out LOG",
        "mimir_learn.evaluation.onpolicy:OnPolicyConfig",
        _onpolicy,
        word_key="checkpoint",
    ),
    "eval": Command(
        "run Δ-sources on a task suite and score them (--grid FILE: an experiment grid)",
        "mimir_learn.evaluation.run:EvalConfig",
        _eval,
        instead={"--grid": _GRID},
    ),
    "ablate": Command(
        "train and score an ablation grid: mimir ablate configs/ablations.yaml",
        "mimir_learn.evaluation.ablations:AblateConfig",
        _ablate,
        word_key="grid",
    ),
    "suite": Command("build a certified task suite (--check true: certify one again)", "mimir_learn.evaluation.build:SuiteConfig", _suite),
    "report": Command(
        "make the report of an evaluation or a grid: mimir report RESULTS -o DIR (--compare A B: two runs side by side)",
        "mimir_learn.commands:ReportConfig",
        _report,
        word_key="folder",
        instead={"--compare": _COMPARE},
    ),
    "demo": Command("everything: collect, train, evaluate, report", "mimir_learn.evaluation.demo:DemoConfig", _demo),
    "play": Command(
        "step through a house yourself, with the robot's frames, memory and Δ beside you", "mimir_learn.showroom.play:PlayConfig", _play
    ),
    "show": Command(
        "draw contact sheets: mimir show things | fixtures | house | faults",
        "mimir_learn.showroom.sheets:ShowConfig",
        _show,
        ("things", "fixtures", "house", "faults"),
        "what",
    ),
    "assets": Command(
        "convert models to draw furniture with: mimir assets sweethome3d DIR",
        "mimir_learn.showroom.sweethome:AssetsConfig",
        _assets,
        ("sweethome3d",),
        "",
        "source",
    ),
    "doctor": Command(
        "check what this machine can run (--household: and that houses stay in order)",
        "mimir_learn.evaluation.doctor:DoctorConfig",
        _doctor,
    ),
    "bench": Command(
        "measure speed: mimir bench env | memory | train",
        "mimir_learn.evaluation.bench:BenchConfig",
        _bench,
        ("env", "memory", "train"),
        instead={"memory": _MEMORY, "train": _BENCH_TRAIN},
    ),
    "confusions": Command(
        "say and show what an estimator confuses: mimir confusions CHECKPOINT --log DIR",
        "mimir_learn.evaluation.confusion:ConfusionConfig",
        _confusions,
        word_key="checkpoint",
    ),
    "left-out": Command(
        "score estimators on categories they never acted on in training: mimir left-out --runs '[RUN, …]' --log DIR (or --choose N)",
        "mimir_learn.evaluation.left_out:LeftOutConfig",
        _left_out,
    ),
    "publish": Command(
        "make an estimator or a log ready for a hub: mimir publish RUN --repo OWNER/NAME (--all ABLATIONS OUT: every run of a grid)",
        "mimir_learn.hub:PublishConfig",
        _publish,
        word_key="run",
        instead={"--all": _PUBLISH_ALL},
    ),
}
