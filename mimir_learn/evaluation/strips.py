"""Frame strips: a few episodes run once more with their frames kept, for the report and the README picture."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mimir_learn.agent import MimirAgent, StepRecord
from mimir_learn.errors import MimirError
from mimir_learn.evaluation.jobs import Job
from mimir_learn.evaluation.mind import mind, places
from mimir_learn.evaluation.records import EpisodeKey, Record, key_of
from mimir_learn.symbols import Snapshot

OnStep = Callable[[StepRecord, MimirAgent, Snapshot], None]
LONGEST = 60  # steps shown of one episode
DEPTH_END = 5.0


def choose(rows: Mapping[str, Sequence[Record]], most: int) -> list[EpisodeKey]:
    """Episodes worth looking at: a success of the first arm that shows faults overcome, the same task where another arm went wrong
    without noticing, and a failure of the first arm.

    Args:
        rows: records by arm in one common order; the arm of interest is ``learned`` if present, else the first.
        most: how many to choose.
    """
    main = next((a for a in ("learned", "privileged") if a in rows), next(iter(rows)))
    others = [a for a in ("schema", "text", *rows) if a in rows and a != main]
    fooled = {(r["task"], r["seed"]): r for a in reversed(others) for r in rows[a] if r["declared"] and not r["declared_sr"]}
    fine = [r for r in rows[main] if r["declared_sr"]]
    failed = [r for r in rows[main] if not r["declared_sr"]]

    def interest(r: Record) -> tuple[bool, int, int]:
        kinds = {s["fault"] for s in r["trace"]} - {""}
        return ((r["task"], r["seed"]) in fooled, len(kinds), -abs(r["steps"] - 12))

    picked: list[Record] = []
    if fine:
        best = max(fine, key=interest)
        picked.append(best)
        if (best["task"], best["seed"]) in fooled:
            picked.append(fooled[best["task"], best["seed"]])
    else:
        picked += [r for a in others for r in rows[a] if r["declared_sr"] and r["faults"]][:1]
    if failed:
        picked.append(min(failed, key=lambda r: (not r["declared"], r["steps"])))
    elif not any(not r["declared_sr"] for r in picked):
        picked += sorted(fooled.values(), key=lambda r: r["steps"])[:1]
    return [key_of(r) for r in picked[:most]]


def film(job: Job, record: Record, trace: Sequence[Mapping[str, Any]] | None = None, on_step: OnStep | None = None) -> dict[str, Any]:
    """Run a recorded episode again with its frames and the agent's memories kept. Raises MimirError when it does not repeat itself.

    Args:
        trace: the record's steps, where they are kept apart from it. on_step: gets every step too.
    """
    from mimir_learn.evaluation.episode import run_job

    shots: list[dict[str, Any]] = []
    stage: dict[str, Any] = {}

    def shoot(step: StepRecord, agent: MimirAgent, truth: Snapshot) -> None:
        if not shots:
            stage.update(places=places(agent), first=data_uri(step.before.rgb), first_depth=data_uri(grey(step.before.depth)))
        if on_step is not None:
            on_step(step, agent, truth)
        shots.append({**mind(step, agent, truth), "image": data_uri(step.after.rgb), "depth": data_uri(grey(step.after.depth))})

    again = run_job(job, shoot)
    if [s["command"] for s in again["trace"]] != [s["command"] for s in (record["trace"] if trace is None else trace)]:
        raise MimirError(f"episode {job.key} did not repeat itself: the environment or a source is not deterministic")
    steps = [{**s, **shot} for s, shot in zip(again["trace"], shots, strict=True)][:LONGEST]
    head = {k: record[k] for k in ("arm", "task", "seed", "instruction", "goals", "subset", "sr", "declared", "declared_sr", "faults")}
    return {**head, **stage, "length": record["steps"], "steps": steps}


def grey(depth: NDArray[np.float32]) -> NDArray[np.uint8]:
    """(H, W) metres → uint8, near is bright, no return is black; the scale ends at 5 m."""
    near = 1.0 - np.clip(depth, 0.0, DEPTH_END) / DEPTH_END
    return np.where(depth > 0, np.rint(40 + 215 * near), 0).astype(np.uint8)


def data_uri(frame: NDArray[np.uint8]) -> str:
    """(H, W, 3) or (H, W) uint8 → a JPEG data URI."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "JPEG", quality=88)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def frame_of(uri: str) -> NDArray[np.uint8]:
    """Inverse of `data_uri`."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2]))))
