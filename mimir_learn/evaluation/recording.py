"""Recordings for Rerun (`.rrd`): an episode's frames, depth and camera in the house, its memory tree, and what Δ said and was, per step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mimir_learn.agent import MimirAgent, StepRecord
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.mind import mind
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.strips import DEPTH_END, OnStep
from mimir_learn.evaluation.viewer import atom_text
from mimir_learn.symbols import Delta, Observation, Snapshot

FOLDER = "rerun"
CAMERA = "house/camera"


def need_rerun() -> None:
    """Raises ConfigError where rerun-sdk is not installed."""
    if find_spec("rerun") is None:
        raise ConfigError("recordings need rerun-sdk: pip install 'mimir-learn[rerun]', or leave --rerun out")


def recorder_into(folder: Path) -> Callable[[str, Record], OnStep]:
    """Makes for an episode what writes ``folder/rerun/ARM-TASK-SEED.rrd`` from its steps. Raises ConfigError without rerun-sdk."""
    need_rerun()

    def make(label: str, record: Record) -> OnStep:
        name = re.sub(r"[^\w.()-]+", "-", f"{label}-{record['task']}-{record['seed']}")
        return Recorder(folder / FOLDER / f"{name}.rrd", label, record)

    return make


class Recorder:
    """Writes one episode, step by step; the timeline is ``step``, 0 before the first action.

    Entities: ``house/camera`` (pose in world metres; ``rgb`` and ``depth`` below it), ``memory/tree``, ``memory/agenda`` and
    ``task`` (documents), ``log`` (commands, reports, and Δ: true, written, in red what was wrong), ``scores/*``.
    """

    def __init__(self, path: Path, label: str, record: Record) -> None:
        import rerun as rr

        self.rr, self.step = rr, 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self.stream = rr.RecordingStream("mimir", recording_id=f"{label}|{record['task']}|{record['seed']}")
        self.stream.save(path)
        self.stream.send_recording_name(f"{label}: {record['instruction']}")
        self.stream.send_blueprint(_layout(), make_default=True)
        goals = "\n".join(f"- {k}: {v}" for k, v in record["goals"].items())
        self._static("task", rr.TextDocument(f"# {record['instruction']}\n\n{label}\n\n{goals}\n", media_type="text/markdown"))
        self._static("house", rr.ViewCoordinates.RIGHT_HAND_Z_UP)

    def __call__(self, step: StepRecord, agent: MimirAgent, truth: Snapshot) -> None:
        if self.step == 0:
            self._at(0)
            self._frame(step.before)
        self.step += 1
        self._at(self.step)
        self._frame(step.after)
        held = mind(step, agent, truth)
        self._log("memory/tree", self.rr.TextDocument(tree_text(held), media_type="text/markdown"))
        agenda = "\n".join(f"- {g}: {status}" for g, status in held["agenda"])
        self._log("memory/agenda", self.rr.TextDocument(agenda, media_type="text/markdown"))
        self._say(f"{self.step}. {step.command} ({step.thought.mode.replace('_', ' ')})", "INFO")
        if step.outcome.text:
            self._say(step.outcome.text, "INFO" if step.outcome.success else "WARN")
        estimate = step.world.estimate
        self._say(f"Δ estimated: {_delta(estimate.delta)}", "DEBUG")
        if step.world.feedback is None:
            self._say("Δ not written: a second look is asked for", "WARN")
        else:
            self._say(f"Δ written: {_delta(step.world.feedback.delta)}", "INFO")
            if step.world.feedback.held:
                self._say(f"Δ held: {_delta(step.world.feedback.held)}", "WARN")
        wrong = [f"{x[0]} {x[1]} {x[2]}" for x in held["tree"] if x[6] is False]
        if wrong:
            self._say(f"memory is wrong about: {', '.join(wrong)}", "ERROR")
        self._log("scores/confidence", self.rr.Scalars(float(estimate.confidence)))
        self._log("scores/wrong_beliefs", self.rr.Scalars(float(len(wrong))))

    def _at(self, step: int) -> None:
        self.stream.set_time("step", sequence=step)

    def _frame(self, seen: Observation) -> None:
        rr = self.rr
        height, width = seen.depth.shape
        self._log(CAMERA, rr.Transform3D(translation=seen.pose[:3, 3], mat3x3=seen.pose[:3, :3]))
        pinhole = rr.Pinhole(image_from_camera=seen.intrinsics, resolution=[width, height], camera_xyz=rr.ViewCoordinates.RDF)
        self._log(CAMERA, pinhole)
        self._log(f"{CAMERA}/rgb", rr.Image(seen.rgb).compress(jpeg_quality=90))
        self._log(f"{CAMERA}/depth", rr.DepthImage(seen.depth, meter=1.0, depth_range=[0.0, DEPTH_END]))

    def _say(self, text: str, level: str) -> None:
        self._log("log", self.rr.TextLog(text, level=level))

    def _log(self, entity: str, what: Any) -> None:
        self.stream.log(entity, what)

    def _static(self, entity: str, what: Any) -> None:
        self.stream.log(entity, what, static=True)


def _layout() -> Any:
    """The house beside what the robot sees and what its memories hold, the log below."""
    import rerun.blueprint as rrb

    seen = rrb.Horizontal(rrb.Spatial3DView(origin="house", name="house"), rrb.Spatial2DView(origin=CAMERA, name="camera"))
    texts = [
        rrb.TextDocumentView(origin=o, name=n) for o, n in (("memory/tree", "world memory"), ("memory/agenda", "agenda"), ("task", "task"))
    ]
    below = rrb.Horizontal(rrb.TextLogView(origin="log", name="log"), rrb.TimeSeriesView(origin="scores", name="scores"))
    return rrb.Blueprint(rrb.Horizontal(rrb.Vertical(seen, below), rrb.Vertical(*texts), column_shares=[3, 1]), collapse_panels=True)


def tree_text(held: Mapping[str, Any]) -> str:
    """Markdown of `mind.mind`'s tree: things under their parents; what memory is wrong about is marked."""
    under: dict[str, list[Any]] = {}
    for line in held["tree"]:
        under.setdefault(line[2], []).append(line)
    things = {line[0] for line in held["tree"]}
    out: list[str] = []

    def add(line: Any, depth: int) -> None:
        thing, relation, _, attributes, source, others, there = line
        more = [*attributes, *(f"or {o}" for o in others), *([f"by {source}"] if source else [])]
        text = f"{relation} {thing}" + (f" ({', '.join(more)})" if more else "")
        out.append(f"{'  ' * depth}- {f'**{text}: not there**' if there is False else text}")
        for inner in under.get(thing, []):
            add(inner, depth + 1)

    for parent in sorted(set(under) - things):
        out.append(f"- {'whereabouts unknown' if parent == '?' else parent}")
        for line in under[parent]:
            add(line, 1)
    return "\n".join(out)


def _delta(delta: Delta) -> str:
    sure = {c.atom: c.p for c in delta}
    return ", ".join(f"{atom_text(a)} ({100 * sure[a]:.0f} %)" for a in sorted(sure) if a[0] != "hand") or "∅"
