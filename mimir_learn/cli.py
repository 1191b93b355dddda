"""The ``mimir`` command: every subcommand is a typed dataclass of settings, from YAML (``--config``) and the command line.

Unknown keys are errors. Errors of this package are printed without a traceback: exit code 1, or 2 when the command line itself is wrong.
What the subcommands are stands in `commands`.
"""

from __future__ import annotations

import difflib
import errno
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any, get_args, get_origin, get_type_hints

from mimir_learn.commands import COMMANDS, Command
from mimir_learn.errors import MimirError


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
    os.environ.setdefault("GOMP_SPINCOUNT", "0")  # threads that spin while they wait starve each other on shared cores
    try:
        command, args = chosen(name, args)
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


def chosen(name: str, args: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that ``mimir name args…`` means, and its arguments as keys and values: nouns and words without a key get theirs."""
    command, args, noun = COMMANDS[name], list(args), ""
    if command.nouns:
        if not args or args[0] not in (*command.nouns, "-h", "--help"):
            raise _UsageError(f"takes one of: {', '.join(command.nouns)}")
        if args[0] in command.nouns:
            noun = args.pop(0)
    if command.word_key and args and not args[0].startswith("-"):
        args[:1] = [f"--{command.word_key}", args[0]]
    if command.noun_key and noun:
        args = [f"--{command.noun_key}", noun, *args]
    given = {noun, *(a.partition("=")[0] for a in args)}
    return next((other for word, other in command.instead.items() if word in given), command), args


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
        message = str(e).strip()
        raise _UsageError(_plainly(message, kind, args) or _with_suggestion(message, parser, args)) from e
    except UnicodeDecodeError as e:
        raise _UsageError(f"{' or '.join(_config_files(args))} is no UTF-8 text ({e}); save it as UTF-8") from e
    return kind(**{k: v for k, v in values.items() if k != "config"})


def _with_values(args: Sequence[str], kind: type) -> list[str]:
    """A switch that stands alone (``--household``) means true; a setting of two words (``--compare A B``) takes both."""
    hints = get_type_hints(kind)
    for name in (n for n, hint in hints.items() if hint == tuple[str, str] and f"--{n}" in args):
        at = list(args).index(f"--{name}")
        if len(args) > at + 2 and not any(a.startswith("--") for a in args[at + 1 : at + 3]):
            args = [*args[: at + 1], json.dumps(args[at + 1 : at + 3]), *args[at + 3 :]]
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
    elif found := re.search(r"unrecognized arguments: ([^-].*)", message):
        listed = ", ".join(k for k in known if "." not in k)
        return f"{found[1]!r} is not expected here; settings are given as --KEY VALUE; known: {listed}"
    else:
        return message
    near = difflib.get_close_matches(wrong, known, 1)
    beside = (inside + k for k in known if "." not in k)
    return f"{message}; did you mean {inside}{near[0]}?" if near else f"{message}; known: {', '.join(beside)}"


def _plainly(message: str, kind: type, args: Sequence[str]) -> str | None:
    """One sentence for a value of the wrong kind: setting, value, what is wanted. None where the parser complains of something else."""
    keys = sorted(re.findall(r'[Pp]arser key "([\w.]+)"', message), key=len)
    hint = _hint(kind, keys[-1]) if keys else None
    if hint is None:
        return None
    values = re.findall(r"(?:Got value|Given value): (.*)", message) or re.findall(r"Unable to load config ['\"](.*?)['\"]", message)
    given = next((b for a, b in pairwise(args) if a == f"--{keys[-1]}"), values[-1] if values else "not of the right kind")
    files = "" if any(a.partition("=")[0] == f"--{keys[-1]}" for a in args) else " or ".join(_config_files(args))
    return f"{keys[-1]} is {given!r}{f' in {files}' if files else ''}; {_wanted(hint)} is wanted"


def _hint(kind: Any, key: str) -> Any:
    """The type of a setting, ``houses.train`` of a group's; None where there is no such setting."""
    for name in key.split("."):
        kind = get_type_hints(kind).get(name) if is_dataclass(kind) else None
    return kind


_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "null"}


def _wanted(hint: Any) -> str:
    """What a person should give for a setting of this type."""
    if hint in _WORDS:
        return _WORDS[hint]
    if is_dataclass(hint):
        return "{" + ", ".join(f"{f.name}: …" for f in fields(hint)) + "}"
    if get_origin(hint) in (list, tuple):
        inside = [a for a in get_args(hint) if a is not Ellipsis]
        return f"a list, [a, b], each {_wanted(inside[0])}" if inside else "a list, [a, b]"
    if get_args(hint):
        return " or ".join(_wanted(a) for a in get_args(hint))
    return f"a {getattr(hint, '__name__', hint)}"


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
