"""Filmed episodes → what the report's episode viewer shows: per step the frames, Δ true and written, memory, agenda and grounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mimir_learn.symbols import Delta


def episodes(strips: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """JSON for the page's script. ``strips`` as of `strips.film`; raises KeyError for those of an older version."""
    return [_episode(s) for s in strips]


def atom_text(atom: Sequence[str]) -> str:
    """A changed fact in a few words: "mug_1 on table_2", "fridge_1 not open"."""
    kind, entity, name, value = atom
    if kind == "hand":
        return f"hand: {value or 'empty'}"
    if kind == "state":
        return f"{entity} {'' if value == 'true' else 'not '}{name}"
    special = {"unknown": f"{entity} left", "held": f"{entity} in the hand", "room": f"{entity} on floor of {value}"}
    return special.get(name, f"{entity} {name} {value}")


def verdict(strip: Mapping[str, Any]) -> str:
    """How an episode ended, in words."""
    if strip["sr"] and not strip["declared"]:
        return "goals held, but it never said so"
    return "declared done, and right" if strip["declared_sr"] else "declared done, but wrong" if strip["declared"] else "not finished"


def outcome(record: Mapping[str, Any]) -> str:
    """How an episode ended, as one of three: ``right``, ``wrong`` (declared done, but was not) or ``unfinished``."""
    return "right" if record["declared_sr"] else "wrong" if record["declared"] else "unfinished"


def _episode(strip: Mapping[str, Any]) -> dict[str, Any]:
    goals = strip["goals"]
    agenda = [[g, "pending"] for g in goals]
    start = {"command": "start", "image": strip["first"], "depth": strip["first_depth"], "tree": [], "agenda": agenda}
    return {
        **{k: strip[k] for k in ("arm", "task", "instruction", "goals", "places", "faults", "declared_sr", "length")},
        "subset": strip.get("subset", "").replace("_", " "),
        "outcome": outcome(strip),
        "verdict": verdict(strip),
        "cause": strip.get("cause", ""),
        "steps": [start, *(_step(s) for s in strip["steps"])],
    }


def _step(s: Mapping[str, Any]) -> dict[str, Any]:
    sure = {c.atom: c.p for c in Delta.from_json(s["estimate"])}
    true, written, held = changed_text(s)
    return {
        **{k: s[k] for k in ("command", "mode", "image", "depth", "tree", "hand", "agenda", "candidates", "grounded", "text")},
        "goal": s["goal"] or "",
        "claimed": s["success"],
        "fault": s["fault"].replace("_", " "),
        "truth": true,
        "estimate": [[atom_text(a), round(sure[a], 3)] for a in _atoms(s["estimate"])],
        "written": written,
        "held": held,
        "wrong": bool(s["wrong"]),
        "missed": any(a[0] != "hand" for a in s["missed"]),
    }


def changed_text(step: Mapping[str, Any]) -> tuple[list[str], list[list[str]], list[str]]:
    """Of a step of a trace: true changes, written ones as [text, mark] (``good``, ``bad``: not so, ``miss``: not written), held ones."""
    wrong, missed = {tuple(a) for a in step["wrong"]}, sorted(tuple(a) for a in step["missed"] if a[0] != "hand")
    written = [[atom_text(a), "bad" if a in wrong else "good"] for a in _atoms(step["committed"])]
    written += [[f"{atom_text(a)} (missed)", "miss"] for a in missed]
    return [atom_text(a) for a in _atoms(step["truth"])], written, [atom_text(a) for a in _atoms(step["held"])]


def _atoms(text: str) -> list[tuple[str, str, str, str]]:
    """Without those of the hand, which the relations imply."""
    return sorted(a for a in Delta.from_json(text).atoms if a[0] != "hand")
