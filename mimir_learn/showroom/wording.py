"""Changes and states in a few words, as they stand under pictures."""

from __future__ import annotations

from mimir_learn.symbols import ELSEWHERE, Delta, HandChange, ParentChange

NOTHING = "∅"


def short(delta: Delta) -> str:
    """``mug_1 → on table_2, fridge_1 open``; the change of the hand goes without saying. `NOTHING` for no change."""
    out = []
    for change in delta:
        if isinstance(change, HandChange):
            continue
        if isinstance(change, ParentChange):
            out.append(f"{change.entity} → {'?' if change.new == ELSEWHERE else change.new}")
        else:
            out.append(f"{change.entity} {'' if change.new else 'not '}{change.attribute}")
    return ", ".join(out) or NOTHING


def claim(success: bool, text: str) -> str:
    """The outcome as the environment states it."""
    return f"{'✓' if success else '✗'} {text}".rstrip()
