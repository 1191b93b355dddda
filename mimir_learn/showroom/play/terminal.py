"""The terminal's side of ``mimir play``: a prompt with history and completion, or a script; and the thread that owns the house."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TextIO, TypeVar

from mimir_learn.errors import ConfigError
from mimir_learn.logs.locks import only_one

from ..wording import claim, short
from . import tree
from .config import PlayConfig
from .session import Session, Turn

T = TypeVar("T")
META = {
    "help": "what one can type",
    "memory": "what the robot remembers (memory all: every place)",
    "seen": "what is in view now",
    "places": "where one can go",
    "quit": "leave (also: exit, Ctrl-D)",
}


class House:
    """A `Session` in a thread of its own, for a GL context stays with the thread that made it. Calls from any thread take turns."""

    def __init__(self, config: PlayConfig) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="house")
        self.listeners: list[Callable[[Turn, str], None]] = []
        try:
            self._session = self._thread.submit(Session, config).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def ask(self, question: Callable[[Session], T]) -> T:
        """Answer of a function of the session."""
        return self._thread.submit(question, self._session).result()

    def act(self, line: str, origin: str) -> Turn | None:
        """`Session.act`; listeners hear of the turn and of where the line came from."""
        turn = self.ask(lambda s: s.act(line))
        if turn is not None:
            for listener in self.listeners:
                listener(turn, origin)
        return turn

    def close(self) -> None:
        """Free the house and end its thread."""
        self._thread.submit(self._session.close).result()
        self._thread.shutdown()


def play(config: PlayConfig, stdin: TextIO | None = None, stdout: TextIO | None = None) -> int:
    """Play until ``quit`` or the end of the input. Returns 0, or 1 when a line of a script was no command.

    Raises ConfigError for a script that cannot be read, a port that is taken, or a folder that another session writes into.
    """
    source, out = stdin or sys.stdin, stdout or sys.stdout
    scripted = config.script is not None or not source.isatty()
    script = _script(config, source) if scripted else None
    folder = Path(config.out)
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder, "playing", ConfigError):
        return _play(config, script, out)


def _play(config: PlayConfig, script: Iterable[str] | None, out: TextIO) -> int:
    house = House(config)
    try:
        with contextlib.ExitStack() as stack:
            if config.page if config.page is not None else script is None:
                from .page import serve

                address = stack.enter_context(serve(house, config.port))
                print(f"page: {address}  (this machine only)", file=out, flush=True)
            print(f"frames: {config.out}/step-NNN.png and step-NNN-depth.png", file=out)
            house.listeners.append(lambda turn, origin: _tell(turn, origin, out))
            _tell(house.ask(lambda s: s.turns[-1]), "start", out)
            if script is not None:
                return _run_script(house, script, out)
            return _converse(house, out)
    finally:
        house.close()


def _script(config: PlayConfig, source: TextIO) -> Iterable[str]:
    """The lines to play: of a file, or of standard input as they come."""
    if config.script in (None, "-"):
        return source
    try:
        return Path(str(config.script)).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as e:
        raise ConfigError(f"play.script {config.script} is no UTF-8 text ({e})") from e
    except OSError as e:
        raise ConfigError(f"play.script {config.script} cannot be read: {e.strerror}") from e


def _run_script(house: House, script: Iterable[str], out: TextIO) -> int:
    """Every line in order; empty ones and those after ``#`` are skipped."""
    wrong = 0
    for line in script:
        line = line.partition("#")[0].strip()
        if not line:
            continue
        print(f"> {line}", file=out)
        if line in ("quit", "exit"):
            break
        wrong += not _one(house, line, "script", out)
    return 1 if wrong else 0


def _converse(house: House, out: TextIO) -> int:
    _complete(house)
    print("type help for what one can type", file=out)
    while True:
        try:
            line = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            print(file=out)
            return 0
        if line in ("quit", "exit"):
            return 0
        if line:
            _one(house, line, "terminal", out)


def _one(house: House, line: str, origin: str, out: TextIO) -> bool:
    """Answer one line. False for one that is neither a command nor a question."""
    answer = _answer(house, line)
    if answer is not None:
        print("\n".join(answer), file=out, flush=True)
        return True
    if house.act(line, origin) is not None:
        return True
    question = next((k for k in META if line.lower() == k or line.lower().startswith(f"{k} ")), None)
    forms = {"memory": "'memory' and 'memory all'"}.get(str(question), f"{question!r} alone")
    asked = f"{line!r} is no question; there is {forms}" if question else None
    print(asked or house.ask(lambda s: s.why_not(line)), file=out, flush=True)
    return False


def _answer(house: House, line: str) -> list[str] | None:
    """What the words of `META` tell; None for other lines."""
    match line:
        case "help":
            commands = house.ask(lambda s: s.grammar.usage)
            return ["commands:", *(f"  {c}" for c in commands), "questions:", *(f"  {k:8s}{v}" for k, v in META.items())]
        case "memory" | "memory all":
            return house.ask(lambda s: tree.lines(s.memory, everything=line.endswith("all")))
        case "seen":
            return [", ".join(house.ask(lambda s: s.turns[-1].seen)) or "nothing"]
        case "places":
            places = house.ask(lambda s: s.places)
            rooms = dict.fromkeys(p.room for p in places)
            return [f"{room}: {', '.join(p.entity.id for p in places if p.room == room and p.entity.id != room)}" for room in rooms]
        case _:
            return None


def _tell(turn: Turn, origin: str, out: TextIO) -> None:
    if origin == "page":
        print(f"\n(from the page) {turn.command}", file=out)
    print("\n".join(_words(turn)), file=out, flush=True)


def _words(turn: Turn) -> Iterator[str]:
    yield f"[{turn.number}] {claim(turn.success, turn.text)}" if turn.number else f"[0] at {turn.at}"
    if turn.number:
        sure = "" if turn.confidence is None or turn.confidence >= 1 else f"  (confidence {turn.confidence:.2f})"
        yield f"    Δ {short(turn.committed)}{sure}"
    if turn.held:
        yield f"    in doubt: {short(turn.held)}"
    if turn.truth is not None and turn.number:
        yield f"    true Δ {short(turn.truth)}" + (f"; fault: {turn.fault}" if turn.fault else "")
    yield f"    in view: {', '.join(turn.seen) or 'nothing'}"


def _complete(house: House) -> None:
    """Tab completes command words and ids, where readline is there."""
    try:
        import readline
    except ImportError:
        return

    def options(text: str, state: int) -> str | None:
        if state == 0:
            start = readline.get_begidx()
            pool = house.ask(lambda s: s.ids) if start else [*house.ask(lambda s: s.grammar.words), *META]
            options.found = [w + " " for w in pool if w.startswith(text)]  # type: ignore[attr-defined]
        found: list[str] = options.found  # type: ignore[attr-defined]
        return found[state] if state < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(options)
    libedit = "libedit" in (getattr(readline, "__doc__", "") or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
