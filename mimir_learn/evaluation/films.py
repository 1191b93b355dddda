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


SIDES = 3
"""Arms one task is shown with."""


def choose_films(rows: Mapping[str, Sequence[Record]], order: Sequence[str], most: int) -> list[tuple[str, Record]]:
    """Up to ``most`` episodes, (label, record): tasks of as many subsets as possible on which the arms fared differently and much went
    wrong, each as the first of ``order`` did it and beside it arms that ended otherwise. Deterministic.
    """
    there = [label for label in order if rows.get(label)]
    if not there:
        return []
    of = {(label, r["task"], r["seed"]): r for label in there for r in rows[label]}

    def ends(r: Record) -> int:
        return len({outcome(x) for label in there if (x := of.get((label, r["task"], r["seed"]))) is not None})

    used = dict[str, int]()
    left, out = sorted(rows[there[0]], key=lambda r: (-ends(r), -min(r["faults"], 4), r["task"], r["seed"])), list[tuple[str, Record]]()
    while left and len(out) < most:
        record = min(left, key=lambda r: (used.get(r["subset"], 0), left.index(r)))
        left.remove(record)
        used[record["subset"]] = used.get(record["subset"], 0) + 1
        beside = [(label, x) for label in there[1:] if (x := of.get((label, record["task"], record["seed"]))) is not None]
        seen, some = {outcome(record)}, [(there[0], record)]
        for label, other in sorted(beside, key=lambda x: outcome(x[1]) == outcome(record)):
            if len(some) < SIDES and (outcome(other) not in seen or len(beside) < SIDES):
                seen.add(outcome(other))
                some.append((label, other))
        out += some
    return out[:most]


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
