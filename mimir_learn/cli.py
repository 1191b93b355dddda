"""The ``mimir`` command: every subcommand is a typed dataclass of settings, from YAML (``--config``) and the command line.

Unknown keys are errors. Errors of this package are printed without a traceback: exit code 1, or 2 when the command line itself is wrong.
Imports happen inside the subcommands, so that ``mimir collect`` does not load torch.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

from mimir_learn.errors import MimirError


@dataclass(frozen=True)
class CheckLogConfig:
    """Look for damage in a transition log.

    Attributes:
        check: the log's directory.
    """

    check: str


@dataclass(frozen=True)
class ReportConfig:
    """Render the report of an evaluation again.

    Attributes:
        folder: holds results.json (and strips.json), as written by ``mimir eval`` and ``mimir demo``.
        out: the page; default ``folder/report.html``.
        image: also write a small picture (PNG) of results and frames there, as in the README.
    """

    folder: str = "runs/demo"
    out: str | None = None
    image: str | None = None


@dataclass(frozen=True)
class Command:
    """A subcommand: one line of help, and functions that import its settings type and run it.

    Attributes:
        nouns: words one of which must follow the command; ``noun_key`` is the setting it is the value of, if any.
        word_key: the setting that a further word without a key is the value of.
    """

    help: str
    config: Callable[[], type]
    run: Callable[[Any], int]
    nouns: tuple[str, ...] = field(default=())
    noun_key: str = ""
    word_key: str = ""


def _collect_config() -> type:
    from mimir_learn.collect import CollectConfig

    return CollectConfig


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


def _preview_config() -> type:
    from mimir_learn.showroom.preview import PreviewConfig

    return PreviewConfig


def _preview(config: Any) -> int:
    from mimir_learn.showroom.preview import preview

    return _paths(preview(config))


def _paths(paths: Sequence[Path]) -> int:
    """Say what has been written."""
    for path in paths:
        print(path)
    return 0


def _train_config() -> type:
    from mimir_learn.estimator import TrainConfig

    return TrainConfig


def _train(config: Any) -> int:
    from mimir_learn.estimator import fit
    from mimir_learn.evaluation.results import write_json

    summary = fit(config)
    flat = {k: v for k, v in vars(summary).items() if isinstance(v, int | float)}
    flat |= {f"validation.{k}": v for k, v in summary.best.items()} | {f"temperature.{k}": v for k, v in summary.temperature.items()}
    write_json(Path(config.out_dir) / "summary.json", flat)
    print(f"{summary.checkpoint}: {summary.parameters} parameters, {summary.epochs} epochs in {summary.wall_s:.0f} s")
    return 0


def _eval_config() -> type:
    from mimir_learn.evaluation.run import EvalConfig

    return EvalConfig


def _eval(config: Any) -> int:
    from mimir_learn.evaluation.run import evaluate

    results = evaluate(config)
    print(_table(results))
    print(f"{config.out}/report.html")
    return 0


def _grid_config() -> type:
    from mimir_learn.evaluation.experiment import GridConfig

    return GridConfig


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


def _suite_config() -> type:
    from mimir_learn.evaluation.build import SuiteConfig

    return SuiteConfig


def _suite(config: Any) -> int:
    from mimir_learn.evaluation.build import run_suite_command

    print(run_suite_command(config))
    return 0


def _report(config: ReportConfig) -> int:
    from mimir_learn.evaluation.report import report_from_folder

    print(report_from_folder(Path(config.folder), None if config.out is None else Path(config.out)))
    if config.image is not None:
        from mimir_learn.evaluation.picture import picture_from_folder

        print(picture_from_folder(Path(config.folder), Path(config.image)))
    return 0


def _demo_config() -> type:
    from mimir_learn.evaluation.demo import DemoConfig

    return DemoConfig


def _demo(config: Any) -> int:
    from mimir_learn.evaluation.demo import demo

    demo(config)
    return 0


def _doctor_config() -> type:
    from mimir_learn.evaluation.doctor import DoctorConfig

    return DoctorConfig


def _doctor(config: Any) -> int:
    from mimir_learn.evaluation.doctor import doctor

    return doctor(config)


def _play_config() -> type:
    from mimir_learn.showroom.play import PlayConfig

    return PlayConfig


def _play(config: Any) -> int:
    from mimir_learn.showroom.play import play

    return play(config)


def _show_config() -> type:
    from mimir_learn.showroom.sheets import ShowConfig

    return ShowConfig


def _show(config: Any) -> int:
    from mimir_learn.showroom.sheets import show

    return _paths(show(config))


def _assets_config() -> type:
    from mimir_learn.showroom.sweethome import AssetsConfig

    return AssetsConfig


def _assets(config: Any) -> int:
    from mimir_learn.showroom.sweethome import convert

    print(convert(config))
    return 0


def _bench_config() -> type:
    from mimir_learn.evaluation.bench import BenchConfig

    return BenchConfig


def _bench(config: Any) -> int:
    from mimir_learn.evaluation.bench import bench_env

    print(bench_env(config))
    return 0


def _bench_memory_config() -> type:
    from mimir_learn.evaluation.bench_memory import MemoryBenchConfig

    return MemoryBenchConfig


def _bench_memory(config: Any) -> int:
    from mimir_learn.evaluation.bench_memory import bench_memory

    print(bench_memory(config))
    return 0


COMMANDS: dict[str, Command] = {
    "collect": Command("collect a transition log (--check DIR, --preview DIR: look into one)", _collect_config, _collect),
    "train": Command("train a Δ-estimator on a log", _train_config, _train),
    "eval": Command("run Δ-sources on a task suite and score them (--grid FILE: an experiment grid)", _eval_config, _eval),
    "suite": Command("build a certified task suite (--check true: certify one again)", _suite_config, _suite),
    "report": Command("render an evaluation's report again", lambda: ReportConfig, _report),
    "demo": Command("everything: collect, train, evaluate, report", _demo_config, _demo),
    "play": Command("step through a house yourself, with the robot's frames, memory and Δ beside you", _play_config, _play),
    "show": Command(
        "draw contact sheets: mimir show things | fixtures | house | faults",
        _show_config,
        _show,
        ("things", "fixtures", "house", "faults"),
        "what",
    ),
    "assets": Command(
        "convert models to draw furniture with: mimir assets sweethome3d DIR", _assets_config, _assets, ("sweethome3d",), "", "source"
    ),
    "doctor": Command("check what this machine can run (--household: and that houses stay in order)", _doctor_config, _doctor),
    "bench": Command("measure speed: mimir bench env | memory", _bench_config, _bench, ("env", "memory")),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``mimir``; returns the exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    if not args or args[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if args[0] in ("-V", "--version"):
        from mimir_learn import __version__

        print(__version__)
        return 0
    name = args.pop(0)
    if name not in COMMANDS:
        return _complain(f"there is no command {name!r}\n{_overview()}", 2)
    command = COMMANDS[name]
    if command.nouns:
        if not args or args[0] not in (*command.nouns, "-h", "--help"):
            return _complain(f"mimir {name} takes one of: {', '.join(command.nouns)}", 2)
        if args[0] in command.nouns:
            noun = args.pop(0)
            if command.word_key and args and not args[0].startswith("-"):
                args[:1] = [f"--{command.word_key}", args[0]]
            if (name, noun) == ("bench", "memory"):
                command = Command("measure what one step of memory costs as it grows", _bench_memory_config, _bench_memory)
            if command.noun_key:
                args = [f"--{command.noun_key}", noun, *args]
    if name == "collect":
        command = _about_a_log(args) or command
    if name == "eval" and any(a.partition("=")[0] == "--grid" for a in args):
        command = Command("run an experiment grid: every cell's episodes once, then tables and tests", _grid_config, _grid)
    os.environ.setdefault("GOMP_SPINCOUNT", "0")  # threads that spin while they wait starve each other on shared cores
    try:
        config = _parse(name, command, args)
        return 0 if config is None else command.run(config)
    except _UsageError as e:
        return _complain(f"mimir {name}: {e}", 2)
    except MimirError as e:
        return _complain(str(e), 1)
    except BrokenPipeError:  # whoever read the output has gone; the interpreter must not complain again when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as e:
        return _complain(_os_error(e), 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)


def _about_a_log(args: Sequence[str]) -> Command | None:
    """The command that ``mimir collect`` becomes when it is asked about a log that is there."""
    keys = {a.partition("=")[0] for a in args}
    if "--check" in keys:
        return Command("look for damage in a transition log", lambda: CheckLogConfig, _check_log)
    if "--preview" in keys:
        return Command("draw random transitions of a log, and what it consists of", _preview_config, _preview)
    return None


_CURES = {
    errno.EACCES: "choose another path, or change its permissions",
    errno.EPERM: "choose another path, or change its permissions",
    errno.EROFS: "choose a path that can be written",
    errno.ENOTDIR: "a part of this path is a file; choose another",
    errno.EEXIST: "a file is in the way; choose another path, or move it",
    errno.EISDIR: "a file is wanted here, this is a directory",
    errno.ENOENT: "check the path",
    errno.ENOSPC: "make room, or choose a path on another disk; the same command goes on where it stopped",
    errno.EDQUOT: "make room, or choose a path on another disk; the same command goes on where it stopped",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENOMEM: "use fewer worker processes (n_jobs)",
}


def _os_error(error: OSError) -> str:
    """Path, what is wrong with it, and what helps."""
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    cure = _CURES.get(error.errno or 0)
    return f"{where}{error.strerror or error}" + (f"; {cure}" if cure else "")


class _UsageError(Exception):
    """The command line or a config file does not fit the settings."""


def _parse(name: str, command: Command, args: list[str]) -> Any:
    """Settings from ``--config FILE`` and options; None when only help was asked for."""
    from jsonargparse import ArgumentError, ArgumentParser

    kind = command.config()
    args = _with_values(["--out" if a == "-o" else a for a in args], kind)
    parser = ArgumentParser(prog=f"mimir {name}", description=command.help, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--config", action="config", help="YAML file of settings; options after it override it")
    parser.add_class_arguments(kind, sub_configs=True)
    if "-h" in args or "--help" in args:
        parser.print_help()
        return None
    try:
        values = vars(parser.instantiate(parser.parse_args(args)))
    except ArgumentError as e:
        raise _UsageError(_with_suggestion(str(e).strip(), parser, args)) from e
    except UnicodeDecodeError as e:
        raise _UsageError(f"{' or '.join(_config_files(args))} is no UTF-8 text ({e}); save it as UTF-8") from e
    return kind(**{k: v for k, v in values.items() if k != "config"})


def _with_values(args: Sequence[str], kind: type) -> list[str]:
    """A switch that stands alone (``--household``) means true."""
    hints = get_type_hints(kind)
    switches = {f"--{name}" for name, hint in hints.items() if hint is bool or hint == (bool | None)}
    out: list[str] = []
    for i, arg in enumerate(args):
        alone = i + 1 == len(args) or args[i + 1].startswith("--")
        out += [arg, "true"] if arg in switches and alone else [arg]
    return out


def _with_suggestion(message: str, parser: Any, args: Sequence[str]) -> str:
    """Name the setting that an unknown one most resembles, or all there are beside it; and the files it may stand in."""
    known = [a.dest for a in parser._actions if a.dest not in ("help", "config", "print_config", "print_shtab")]
    if group := re.search(r"Group '([\w.]+)' does not accept option '([\w.]+)'", message):
        inside = group[1] + "."
        known, wrong = [k.removeprefix(inside) for k in known if k.startswith(inside)], group[2]
        message = f"{message} (of {' or '.join(_config_files(args)) or 'the command line'})"
    elif found := re.search(r"Option '([\w.]+)' is not accepted|unrecognized arguments: --([\w.]+)", message):
        inside, wrong = "", found[1] or found[2]
    else:
        return message
    near = difflib.get_close_matches(wrong, known, 1)
    beside = (inside + k for k in known if "." not in k)
    return f"{message}; did you mean {inside}{near[0]}?" if near else f"{message}; known: {', '.join(beside)}"


def _config_files(args: Sequence[str]) -> list[str]:
    """Files of settings named on the command line."""
    following = [b for a, b in pairwise(args) if a == "--config"]
    return following + [a.partition("=")[2] for a in args if a.startswith("--config=")]


def _overview() -> str:
    lines = [
        "mimir: neuro-symbolic memory for embodied agents, with Δ read off RGB-D frames",
        "",
        "usage: mimir COMMAND [--config FILE] [--KEY VALUE …]",
        "",
    ]
    lines += [f"  {name:9s} {command.help}" for name, command in COMMANDS.items()]
    return "\n".join([*lines, "", "mimir COMMAND --help lists a command's settings."])


def _complain(message: str, code: int) -> int:
    print(f"error: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
