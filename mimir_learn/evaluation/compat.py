"""EmbodiedBench's scoring, with its known defects, beside ours: what the same episode would have been recorded as there.

Two defects touch the numbers of an episode (the others concern crashes, file names and averages). An episode ends at the tenth action that
the environment reports as failed. And progress is lost on a bad last output: where the agent stops by itself without success, which is an
empty plan there, goal-condition success is recorded as 0, whatever had been reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MOST_FAILED = 10


def compat_scores(record: Mapping[str, Any], trace: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """``sr_compat``, ``gc_compat``, ``failed_actions`` and ``cut_compat`` (step at which the tenth failure ended it; None = it did not).

    Args:
        record: an episode's scores, see `scoring.EpisodeScorer.finish`.
        trace: its steps; ``success`` is the flag the environment claimed, ``met`` how many conditions held after the step.
    """
    failed = [i + 1 for i, s in enumerate(trace) if not s["success"]]
    cut = failed[MOST_FAILED - 1] if len(failed) >= MOST_FAILED else None
    first = record["steps_to_success"]
    success = first is not None and (cut is None or first <= cut)
    if success:
        gc = 1.0
    elif cut is not None:
        gc = trace[cut - 1]["met"] / record["conditions"]
    elif len(trace) < record["limit"]:
        gc = 0.0  # it stopped by itself
    else:
        gc = record["gc_end"]
    return {"sr_compat": success, "gc_compat": gc, "failed_actions": len(failed), "cut_compat": cut}
