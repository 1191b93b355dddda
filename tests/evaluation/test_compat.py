"""EmbodiedBench's scoring beside ours, on episodes made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from mimir_learn.evaluation.compat import compat_scores


def scores(flags: str, met: list[int], *, first: int | None = None, limit: int = 40) -> dict[str, Any]:
    """``flags``: + for an action that is said to have worked, - for one that failed."""
    trace = [{"success": f == "+", "met": m} for f, m in zip(flags, met, strict=True)]
    return compat_scores({"steps_to_success": first, "limit": limit, "conditions": 4, "gc_end": (met or [0])[-1] / 4}, trace)


def test_a_success_is_a_success() -> None:
    assert scores("+-+", [1, 2, 4], first=3) == {"sr_compat": True, "gc_compat": 1.0, "failed_actions": 1, "cut_compat": None}


def test_progress_is_lost_when_the_agent_stops_by_itself_and_kept_at_the_step_limit() -> None:
    assert scores("+++", [1, 2, 3])["gc_compat"] == 0.0
    assert scores("+++", [1, 2, 3], limit=3)["gc_compat"] == 0.75
    assert scores("", [])["gc_compat"] == 0.0


@pytest.mark.parametrize(("first", "success"), [(10, True), (13, False)])
def test_the_tenth_failed_action_ends_the_episode(first: int, success: bool) -> None:
    flags, met = "-" * 9 + "+" + "-" + "++", [0] * 9 + [2, 2, 3, 4]
    got = scores(flags, met, first=first)
    assert got["cut_compat"] == 11 and got["failed_actions"] == 10
    assert (got["sr_compat"], got["gc_compat"]) == ((True, 1.0) if success else (False, 0.5))
