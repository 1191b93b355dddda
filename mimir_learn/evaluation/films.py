"""Films of a run's episodes for the viewer: which ones are worth looking at, and where films that were made are kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from mimir_learn.errors import MimirError
from mimir_learn.evaluation.reading import Run
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.strips import OnStep, film
from mimir_learn.evaluation.viewer import outcome

FOLDER = "films"
Recorder = Callable[[str, Record], OnStep]


def choose_films(rows: Mapping[str, Sequence[Record]], order: Sequence[str], most: int) -> list[tuple[str, Record]]:
    """Up to ``most`` episodes, (label, record), in turn from the labels in ``order``: successes in spite of faults, ends that were declared
    but wrong, unfinished ones. Tasks that another label has shown are preferred, so that arms can be compared. Deterministic.
    """
    shown: dict[tuple[str, int], int] = {}
    queues: dict[str, list[list[Record]]] = {}
    for label in order:
        ends: dict[str, list[Record]] = {"right": [], "wrong": [], "unfinished": []}
        for record in rows.get(label, ()):
            ends[outcome(record)].append(record)
        first = ("right", "wrong", "unfinished") if label == order[0] else ("wrong", "right", "unfinished")
        queues[label] = [ends[k] for k in first if ends[k]]
    out: list[tuple[str, Record]] = []
    turn = 0
    while len(out) < most and any(queues.values()):
        for label in order:
            if not queues.get(label) or len(out) == most:
                continue
            kinds = queues[label]
            kind = kinds[turn % len(kinds)]
            best = max(kind, key=lambda r: (shown.get((r["task"], r["seed"]), 0), min(r["faults"], 3), -abs(r["steps"] - 14), r["task"]))
            kind.remove(best)
            queues[label] = [k for k in kinds if k]
            shown[best["task"], best["seed"]] = shown.get((best["task"], best["seed"]), 0) + 1
            out.append((label, best))
        turn += 1
    return sorted(out, key=lambda x: list(order).index(x[0]))


def films(run: Run, chosen: Iterable[tuple[str, Record]], recorder: Recorder | None = None) -> tuple[list[dict[str, Any]], list[str]]:
    """The films of the chosen episodes, and one line per kind of trouble: an episode that cannot be run again is left out.

    A film is kept in ``FOLDER`` of the run under the hash of what it shows, and made once. ``recorder``: makes for an episode what gets
    its steps; then it is run in any case.
    """
    made, troubles = [], dict[str, int]()
    causes = (run.body.get("attribution") or {}).get("episodes", {})
    for label, record in tqdm(list(chosen), unit="film", desc="report", disable=None, file=sys.stderr):
        path = run.folder / FOLDER / f"{record['key']}.json" if "key" in record else None
        strip = _kept(path)
        try:
            if strip is None or recorder is not None:
                strip = film(run.job(label, record), record, run.steps(record), None if recorder is None else recorder(label, record))
                _keep(path, strip)
        except MimirError as e:
            troubles[str(e)] = troubles.get(str(e), 0) + 1
            continue
        made.append({**strip, "arm": label, "cause": causes.get(record.get("key"), {}).get("cause", "")})
    return made, [f"{n} episode{'s' if n > 1 else ''} could not be filmed: {why}" for why, n in troubles.items()]


def _kept(path: Path | None) -> dict[str, Any] | None:
    if path is None or not path.is_file():
        return None
    try:
        strip: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None  # half written: made again
    return strip


def _keep(path: Path | None, strip: Mapping[str, Any]) -> None:
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(strip), encoding="utf-8")
    except OSError as e:  # results may lie where nothing can be written; the report still can be made
        print(f"report: the film is not kept: {path}: {e.strerror}", file=sys.stderr)
