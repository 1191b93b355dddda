"""Building blocks of a report page, as plain dicts for its templates: tables with interval bars, figures, tabs, stacked bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from mimir_learn.evaluation.measures import PERCENT

Block = dict[str, Any]
MARKS = {"better": "▲", "worse": "▼", "alike": "≈", "by construction": "†"}
MARKS_NOTE = (
    "▲ better and ▼ worse than {reference}: p ≤ 0.05 after Holm's correction and an interval without 0; ≈ alike: the whole interval within "
    "5 points; † so by construction; no mark: nothing may be claimed."
)


def number(value: float, metric: str, *, sign: bool = False) -> str:
    """A score as it is shown: percent without decimals, other numbers with two digits that matter."""
    plus = "+" if sign else ""
    if metric in PERCENT:
        text = f"{100 * value:{plus}.0f}"
    else:
        text = f"{value:{plus}.2f}" if abs(value) < 9.95 else f"{value:{plus}.1f}"
    return (text[1:] if text in ("+0", "-0") else text).replace("-", "−")


def score(v: Mapping[str, float] | None, metric: str, tint: str = "", mark: str = "") -> Block:
    """A cell: value, interval, a bar for the interval where the score is a share, and a verdict's mark."""
    if v is None:
        return {"value": "", "small": "", "bar": None, "mark": "", "meaning": ""}
    if not v["n"]:
        return {"value": "–", "small": "no cases", "bar": None, "mark": "", "meaning": ""}
    small = f"{number(v['low'], metric)}–{number(v['high'], metric)}"
    bar = None if metric not in PERCENT else _bar(v["low"], v["value"], v["high"], 0.0, 1.0, tint)
    return {"value": number(v["value"], metric), "small": small, "bar": bar, "mark": MARKS.get(mark, ""), "meaning": mark}


def difference(v: Mapping[str, float], metric: str = "sr", tint: str = "", reach: float = 1.0, mark: str = "") -> Block:
    """A cell for a difference; the bar's middle is 0, its ends ± ``reach``."""
    small = f"{number(v['low'], metric, sign=True)} … {number(v['high'], metric, sign=True)}"
    bar = {**_bar(v["low"], v["value"], v["high"], -reach, reach, tint), "zero": True}
    return {"value": number(v["value"], metric, sign=True), "small": small, "bar": bar, "mark": MARKS.get(mark, ""), "meaning": mark}


def plain(text: str) -> Block:
    return {"value": text, "small": "", "bar": None, "mark": "", "meaning": ""}


def _bar(low: float, value: float, high: float, left: float, right: float, tint: str) -> Block:
    def place(x: float) -> float:
        return round(100 * (min(max(x, left), right) - left) / (right - left), 1)

    return {"low": place(low), "value": place(value), "high": place(high), "tint": tint, "zero": False}


def table(head: Sequence[str], rows: Sequence[Block], note: str = "", *, cards: bool = False) -> Block:
    """``rows``: see `row`. ``cards``: long texts in it, which a phone shows one below the other."""
    return {"kind": "table", "head": list(head), "rows": list(rows), "note": note, "cards": cards}


def row(name: str, cells: Sequence[Block], tint: str = "", *, lead: bool = False) -> Block:
    return {"name": name, "cells": list(cells), "tint": tint, "lead": lead}


def figures(*items: tuple[str, str]) -> Block:
    """(SVG, caption) each."""
    return {"kind": "figures", "items": [{"svg": Markup(svg), "caption": caption} for svg, caption in items]}


def tabs(name: str, label: str, parts: Mapping[str, Sequence[Block]], chosen: str | None = None) -> Block:
    """Blocks of which one is shown at a time; a single one needs no tab. ``label``: what is chosen, for a screen reader."""
    known = list(parts)
    return {
        "kind": "tabs",
        "name": name,
        "label": label,
        "parts": [{"title": t.replace("_", " "), "blocks": list(b)} for t, b in parts.items()],
        "chosen": known.index(chosen) if chosen in known else 0,
    }


def folded(title: str, *blocks: Block) -> Block:
    return {"kind": "folded", "title": title, "blocks": list(blocks)}


def stacked(rows: Sequence[Block], legend: Sequence[tuple[str, str]], note: str = "") -> Block:
    """Bars of parts, in percent of all. Each row: name, text, parts [(name, percent, tint)]."""
    return {"kind": "stacked", "rows": list(rows), "legend": [{"name": n, "tint": t} for n, t in legend], "note": note}


def section(id_: str, title: str, intro: str, *blocks: Block | None) -> Block | None:
    """A section with an anchor; None when it has nothing to show."""
    there = [b for b in blocks if b is not None]
    return {"id": id_, "title": title, "intro": intro, "blocks": there} if there else None
