"""``mimir confusions``: which true Δ an estimator reads as which, whether it could have seen it, and example frames of each confusion."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.estimator.metrics import Atom, Scored
from mimir_learn.estimator.predict import Predictor
from mimir_learn.estimator.samples import Sample, replay
from mimir_learn.estimator.scoring import scored
from mimir_learn.evaluation.confusion_classes import Fact, facts, is_thing, outcome_class, true_facts
from mimir_learn.logs import Episode, LogDirectory, read_episodes
from mimir_learn.logs.splits import SPLITS
from mimir_learn.symbols import Estimate, Observation

CROP_M, CROP_PX = 0.6, 128
_MOST_OF_FRAME = 0.3  # half the side of a close-up at most, so that one of a thing in the hand is one


@dataclass(frozen=True)
class ConfusionConfig:
    """Say and show what an estimator confuses.

    Attributes:
        checkpoint: exported folder, or owner/name on a hub.
        log: transition log.
        split: its part that is read.
        out: folder for confusions.html, .png, .json and .csv.
        limit: at most so many transitions; null = all of the split.
        shown: how many of the biggest confusions get frames. examples: transitions shown of each.
    """

    checkpoint: str
    log: str
    split: str = "test"
    out: str = "runs/confusions"
    limit: int | None = None
    shown: int = 14
    examples: int = 4

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f"split is {self.split!r}; choose one of {', '.join(SPLITS)}")
        whole("confusions.shown", self.shown, 0)
        whole("confusions.examples", self.examples, 1)
        if self.limit is not None:
            whole("confusions.limit", self.limit, 1)


@dataclass(frozen=True)
class Reading:
    """How one transition was read: fault, verb, true and estimated outcome class, whether the answer is exact, and what truly changed."""

    fault: str
    verb: str
    true: str
    read: str
    exact: bool
    changed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Look:
    """One fact that was read wrongly, and what there was to see of it.

    Attributes:
        fact: see `Fact`.
        before, after: pixels of its entity in the two frames.
        offered: whether the entity was among the estimator's candidates.
        parent_offered: whether its true new parent was; None where it has none.
        unseen: someone else changed it out of view.
        p: probability of the claimed change, None where none was claimed.
    """

    fact: Fact
    before: int
    after: int
    offered: bool
    parent_offered: bool | None
    unseen: bool
    p: float | None


@dataclass(frozen=True, eq=False)
class Wrong:
    """A transition whose answer is not exact, with what it takes to show it: the frames (H, W, 3), and a close-up of what it is about."""

    reading: Reading
    episode: str
    step: int
    command: str
    novel: bool | None
    moving: bool
    true: tuple[Atom, ...]
    read: tuple[tuple[Atom, float], ...]
    confidence: float
    looks: tuple[Look, ...]
    about: str
    frames: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    crops: tuple[NDArray[np.uint8] | None, NDArray[np.uint8] | None]
    boxes: tuple[tuple[float, float, float, float] | None, tuple[float, float, float, float] | None]


@dataclass(frozen=True)
class Confusions:
    """All readings of a split, and its wrong ones."""

    readings: tuple[Reading, ...]
    wrong: tuple[Wrong, ...]

    def pairs(self) -> list[tuple[tuple[str, str], list[Wrong]]]:
        """(true class, class read) → the wrong answers of that kind, most frequent first."""
        groups: dict[tuple[str, str], list[Wrong]] = {}
        for w in self.wrong:
            groups.setdefault((w.reading.true, w.reading.read), []).append(w)
        return sorted(groups.items(), key=lambda kv: (-len(kv[1]), kv[0]))


def confusions(config: ConfusionConfig) -> list[Path]:
    """Read the split, write page, picture and tables; returns their paths. Raises CheckpointError, LogError or ConfigError."""
    from mimir_learn.evaluation.confusion_page import write_picture, write_report

    predictor = Predictor.load(config.checkpoint, LogDirectory(Path(config.log)).vocabulary)
    found = collect(predictor, read_episodes(config.log, config.split), config.limit)
    if not found.readings:
        raise ConfigError(f"{config.log} has no transitions of split {config.split}")
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    table, summary = out / "confusions.csv", out / "confusions.json"
    pd.DataFrame(list(_lines(found.wrong)), columns=COLUMNS).to_csv(table, index=False)
    head = {"checkpoint": config.checkpoint, "log": config.log, "split": config.split}
    summary.write_text(json.dumps(head | summarise(found), indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    pages = [write_report(found, config, out / "confusions.html")]
    return [*pages, *write_picture(found, config, out / "confusions.png"), summary, table]


def collect(predictor: Predictor, episodes: Iterator[Episode] | Sequence[Episode], limit: int | None = None) -> Confusions:
    """Ask ``predictor`` about every transition of ``episodes``, memory being replayed with the true Δ."""
    readings: list[Reading] = []
    wrong: list[Wrong] = []
    for episode in episodes:
        for sample in replay(episode):
            if limit is not None and len(readings) >= limit:
                return Confusions(tuple(readings), tuple(wrong))
            estimate = predictor.estimate(sample.transition)
            answer = scored(sample, estimate)
            reading = _reading(sample, answer)
            readings.append(reading)
            if not reading.exact:
                wrong.append(_wrong(episode, sample, estimate, answer, reading, predictor))
    return Confusions(tuple(readings), tuple(wrong))


def _reading(sample: Sample, answer: Scored) -> Reading:
    action, belief = sample.transition.action, sample.transition.belief
    true, read = (outcome_class(atoms, action, belief) for atoms in (answer.true_atoms(), answer.predicted_atoms()))
    return Reading(sample.fault or "none", action.verb.value, true, read, answer.exact(), tuple(true_facts(answer)))


def _wrong(episode: Episode, sample: Sample, estimate: Estimate, answer: Scored, reading: Reading, predictor: Predictor) -> Wrong:
    from mimir_learn.estimator.candidates import select

    seen, t = sample.transition, sample.step
    ids = select(seen, predictor.model.config.candidates).ids
    sighted = [{s.entity.id: s for s in episode.percepts[k].sightings} for k in (t, t + 1)]
    p_of = {c.atom: c.p for c in answer.predicted}
    read = {(a[1], "where" if a[0] == "relation" else a[2]): p for a, p in p_of.items() if a[0] != "hand"}
    looks = []
    for fact in facts(answer):
        pixels = [s[fact.entity].pixels if fact.entity in s else 0 for s in sighted]
        parent = fact.parent in ids if fact.parent else None
        unseen = fact.entity in sample.unseen
        looks.append(Look(fact, pixels[0], pixels[1], fact.entity in ids, parent, unseen, read.get((fact.entity, fact.kind))))
    about = _about(looks, sample)
    points = [s[about].point if about in s else _remembered(sample, about) for s in sighted]
    frames = (seen.before, seen.after)
    views = [_close_up(f, p) for f, p in zip(frames, points, strict=True)]
    return Wrong(
        reading, sample.episode, t, episode.steps[t].command, sample.novel, not np.allclose(seen.before.pose, seen.after.pose, atol=1e-4),
        tuple(sorted(a for a in answer.true_atoms() if a[0] != "hand")),
        tuple(sorted((a, p_of.get(a, float("nan"))) for a in answer.predicted_atoms() if a[0] != "hand")),
        estimate.confidence, tuple(looks), about, (frames[0].rgb, frames[1].rgb),
        (views[0][0], views[1][0]), (views[0][1], views[1][1]),
    )  # fmt: skip


def _about(looks: Sequence[Look], sample: Sample) -> str:
    """The entity a wrong answer is shown by: what the action names if that is among the wrong facts, else the first thing that is."""
    names = [look.fact.entity for look in looks]
    for entity in (*sample.transition.action.arguments, sample.transition.belief.hand):
        if entity in names:
            return str(entity)
    return next((n for n in names if is_thing(sample.transition.belief, n)), names[0])


def _remembered(sample: Sample, entity: str) -> NDArray[np.float64] | None:
    known = sample.transition.belief.entities.get(entity)
    return None if known is None else known.point


def _close_up(frame: Observation, point: NDArray[np.float64] | None) -> tuple[Any, Any]:
    """(CROP_PX, CROP_PX, 3) around a world point, and its box in the frame as fractions; (None, None) when it is not in front of it."""
    from PIL import Image

    if point is None:
        return None, None
    uv, z = frame.project(point[None])
    height, width = frame.depth.shape
    if z[0] < 0.1 or not (0 <= uv[0, 0] < width and 0 <= uv[0, 1] < height):
        return None, None
    half = float(np.clip(0.5 * CROP_M * frame.intrinsics[0, 0] / z[0], 6, _MOST_OF_FRAME * width))
    u, v = float(np.clip(uv[0, 0], half, width - half)), float(np.clip(uv[0, 1], half, height - half))
    box = (u - half, v - half, u + half, v + half)
    crop = Image.fromarray(frame.rgb).resize((CROP_PX, CROP_PX), Image.Resampling.BICUBIC, box=box)
    return np.asarray(crop), (box[0] / width, box[1] / height, box[2] / width, box[3] / height)


def summarise(found: Confusions) -> dict[str, Any]:
    """Counts for ``confusions.json``: transitions by (true, read) class, by fault and by wrong fact, with what there was to see."""
    readings = found.readings
    classes = Counter((r.true, r.read, r.exact) for r in readings)
    by_fault = {
        fault: {
            "n": len(of),
            "exact": sum(r.exact for r in of),
            "wrong": [{"true": t, "read": r, "n": n} for (t, r), n in Counter((r.true, r.read) for r in of if not r.exact).most_common()],
        }
        for fault in sorted({r.fault for r in readings})
        if (of := [r for r in readings if r.fault == fault])
    }
    return {
        "transitions": len(readings),
        "exact": sum(r.exact for r in readings),
        "classes": [{"true": t, "read": r, "exact": e, "n": n} for (t, r, e), n in sorted(classes.items(), key=lambda kv: (-kv[1], kv[0]))],
        "faults": by_fault,
        "facts": fact_rows(found),
    }


def fact_rows(found: Confusions) -> list[dict[str, Any]]:
    """Wrong facts by kind of change, true and read value: how many, of how many true ones, how many to be seen, and candidates."""
    totals = Counter(c for r in found.readings for c in r.changed)
    groups: dict[tuple[str, str, str], list[Look]] = {}
    for w in found.wrong:
        for look in w.looks:
            groups.setdefault((look.fact.kind, look.fact.true, look.fact.read), []).append(look)
    rows = []
    for (kind, true, read), of in groups.items():
        parents = [x.parent_offered for x in of if x.parent_offered is not None]
        rows.append({"kind": kind, "true": true, "read": read, "n": len(of), "of": totals.get((kind, true), 0)} | sightings(of) | {
            "parents": len(parents), "parent_offered": sum(parents), "unseen": sum(x.unseen for x in of),
        })  # fmt: skip
    return sorted(rows, key=lambda r: (-r["n"], r["kind"], r["true"], r["read"]))


def sightings(looks: Sequence[Look]) -> dict[str, int]:
    """How many of some wrong facts' entities were to be seen in a frame, and were candidates."""
    return {
        "in_before": sum(x.before > 0 for x in looks),
        "in_after": sum(x.after > 0 for x in looks),
        "in_neither": sum(x.before == x.after == 0 for x in looks),
        "offered": sum(x.offered for x in looks),
    }


COLUMNS = (
    "episode", "step", "command", "fault", "verb", "true_class", "read_class", "entity", "fact", "true", "read", "p", "true_parent",
    "pixels_before", "pixels_after", "candidate", "parent_candidate", "unseen", "camera_moved", "novel", "confidence",
)  # fmt: skip


def _lines(wrong: Sequence[Wrong]) -> Iterator[Mapping[str, Any]]:
    """One row per wrong fact."""
    for w in wrong:
        for look in w.looks:
            fact = asdict(look.fact)
            values = (
                w.episode, w.step, w.command, w.reading.fault, w.reading.verb, w.reading.true, w.reading.read, fact["entity"], fact["kind"],
                fact["true"], fact["read"], look.p, fact["parent"], look.before, look.after, look.offered, look.parent_offered,
                look.unseen, w.moving, w.novel, w.confidence,
            )  # fmt: skip
            yield dict(zip(COLUMNS, values, strict=True))
