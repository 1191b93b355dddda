"""A results folder → its report: one self-contained HTML page, for phone and desk, light and dark, and tables for papers beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import plots
from mimir_learn.evaluation.arms import fault_words
from mimir_learn.evaluation.blocks import Block
from mimir_learn.evaluation.caveats import caveats, p_text
from mimir_learn.evaluation.page import viewer, write_page
from mimir_learn.evaluation.reading import Run, open_run

HEADLINE = ("sr", "declared_sr", "gc", "steps", "invalid", "look_agains", "held", "memory_f1", "wrong_writes", "false_completion_rate")
_PERCENT = {"sr", "declared_sr", "gc", "false_completion_rate"}
LOG_CARDS = {
    "changed_atom_f1": "changed-atom F1 on test logs",
    "changed_atom_f1_no_hand": "the same without the hand's atoms, which the relations imply",
    "exact_delta": "of logged transitions with the whole Δ right",
    "false_change_rate_manipulation": "of executed manipulations without effect get a change claimed",
}
QUALITY = {
    "changed_atom_precision": "atom precision",
    "changed_atom_recall": "atom recall",
    "changed_atom_f1": "atom F1",
    "changed_atom_f1_no_hand": "atom F1,\nno hand",
    "exact_delta": "exact Δ",
    "false_change_rate": "false changes\non no-ops",
    "false_change_rate_manipulation": "… on failed\nmanipulations",
    "outcome_balanced_accuracy": "outcome\nbalanced acc.",
    "ece": "ECE",
    "coverage_at_0.01": "coverage at\n1 % risk",
}
"""Δ-quality numbers shown for every source, by name in results → column head."""


PAGE = "report.html"
FILMS = 12


def write_report(
    results: Mapping[str, Any], path: Path, strips: Sequence[Mapping[str, Any]] = (), sections: Sequence[Block] = (), files: str = ""
) -> None:
    """Render an evaluation's ``results`` (see `results.evaluate` and docs/evaluation.md) to ``path``.

    Args:
        strips: its films. sections: more to show, see `evalpage.sections`. files: what lies beside the page.

    Raises ConfigError when the results miss what a report needs.
    """
    try:
        context = {**_context(results, strips), "sections": sections, "files": files}
    except (KeyError, TypeError) as e:
        raise ConfigError(
            f"these results cannot be reported ({type(e).__name__}: {e}); they are from another version: run `mimir eval` again"
        ) from e
    write_page("report.html.j2", context, path)


def report_from_folder(folder: Path, out: Path | None = None, *, films: int = FILMS, rerun: bool = False) -> Path:
    """Render the results in ``folder``, an evaluation's or a grid's, and write its tables beside the page; returns the page's path.

    Args:
        out: a folder, or the page itself (a name that ends in .html); None = ``folder``.
        films: episodes of a grid shown frame by frame; they are run again once, an evaluation has its own.
        rerun: also write a recording for Rerun of every episode shown.

    Raises ConfigError for a folder without results, or damaged ones, and where Rerun is asked for and not installed.
    """
    from mimir_learn.evaluation.evalpage import write_evaluation
    from mimir_learn.evaluation.gridreport import write_grid
    from mimir_learn.evaluation.recording import need_rerun

    if rerun:
        need_rerun()
    run = open_run(folder)
    page = folder / PAGE if out is None else out if out.suffix == ".html" else out / PAGE
    page.parent.mkdir(parents=True, exist_ok=True)
    if run.grid:
        write_grid(run, page, films, rerun)
    else:
        write_evaluation(run, page, strips_of(run), rerun)
    return page


def strips_of(run: Run) -> list[dict[str, Any]]:
    """Films an evaluation has kept. Raises ConfigError when their file is damaged."""
    path = run.folder / "strips.json"
    try:
        strips: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    except ValueError as e:  # no JSON, or not even UTF-8
        raise ConfigError(f"{path} is damaged: {e}; run `mimir eval` again") from e
    return strips


def _context(results: Mapping[str, Any], strips: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    arms = results["arms"]
    log, own = results.get("estimator") or {}, results["delta"]
    setting = results["settings"]
    figures = {
        "declared": plots.forest(arms, "declared_sr", "Declared success"),
        "wrong_writes": plots.forest(arms, "wrong_writes", "Wrong writes per episode", percent=False),
    }
    qualities = []
    if log:
        n = next(iter(b["n"] for b in log.values()))
        note = f"{n:.0f} transitions of a behaviour policy in test houses; every source answers the same ones, with memory replayed true."
        qualities.append(_quality("On the test log", note, log, results["reliability"]))
    note = (
        "The transitions each arm's agent made itself, with what its own memory held: every arm has its own, one row per judged action "
        "(a second look and its action are one). Source: the one that feeds world memory."
    )
    qualities.append(_quality("On the agent's own transitions", note, own, results["reliability_episodes"]))
    return {
        "title": results["title"],
        "subtitle": results["subtitle"],
        "cards": _cards(results),
        "headline": [_row(name, i, body) for i, (name, body) in enumerate(arms.items())],
        "episodes_note": _episodes_note(arms),
        "figures": {k: Markup(v) for k, v in figures.items()},
        "pairs": [_pair(p) for p in results["paired"]],
        "caveats": caveats(results),
        "arm_names": list(arms),
        "splits": [_split(title, results[key], arms) for title, key in SPLITS if len(results[key]) > 1],
        "qualities": qualities,
        **viewer(strips),
        "disclosure": (
            f"Perception: {setting['perception']} (an ideal detector on the current frame tells U_W^obs what is visible). "
            f"Feedback text: {setting['feedback_text']}. "
            f"{fault_words(setting['faults']).capitalize()}, {setting['silent']:.0%} of faults silent; "
            f"{_fault_share(arms, setting['faults'])}. "
            f"Suite {setting['suite']} ({setting['suite_sha256'][:12]}…), seeds {setting['seeds']}."
        ),
        "timings": sorted(results.get("timings", {}).items(), key=lambda x: x[0] == "total"),
        "provenance": json.dumps(results["provenance"], indent=1, ensure_ascii=False, default=str),
    }


def _number(metric: str, value: float) -> str:
    return f"{100 * value:.0f} %" if metric in _PERCENT else f"{value:.2f}" if abs(value) < 9.95 else f"{value:.1f}"


def _row(name: str, index: int, body: Mapping[str, Any]) -> dict[str, Any]:
    metrics, cells = body["metrics"], []
    for metric in HEADLINE:
        m = metrics[metric]
        value, interval = _number(metric, m["value"]), f"{_number(metric, m['low'])} … {_number(metric, m['high'])}"
        if not m["n"]:
            value, interval = "–", "no cases"
        elif metric == "declared_sr" and body["task"] == "none":
            interval = "by construction"
        cells.append({"value": value, "interval": interval})
    return {"name": name, "colour": plots.colour(name, index), "cells": cells}


def _cards(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    arms, out = results["arms"], []

    def value(arm: str, metric: str) -> float | None:
        return arms[arm]["metrics"][metric]["value"] if arm in arms else None

    for arm, text in (("learned", "declared success with Δ from the trained estimator"), ("privileged", "with the simulator's own Δ"),
                      ("schema", "trusting the action schema"), ("none", "with no Δ at all (0 by construction)")):  # fmt: skip
        v = value(arm, "declared_sr")
        if v is not None:
            out.append({"value": f"{100 * v:.0f} %", "label": text, "lead": arm == "learned"})
    log = results.get("estimator") or {}
    if "learned" in log:
        learned, schema = log["learned"], log.get("schema")
        for key, text in LOG_CARDS.items():
            if learned.get(key) is not None:
                beside = "" if schema is None or schema.get(key) is None else f" (schema {schema[key]:.3f})"
                out.append({"value": f"{learned[key]:.3f}", "label": f"{text}{beside}", "lead": False})
    return out


SPLITS = (("By subset", "by_subset"), ("By appearance of the task's things", "by_appearance"), ("By kind of task", "by_kind"))


def _split(title: str, rows: Mapping[str, Any], arms: Mapping[str, Any]) -> dict[str, Any]:
    """A table of declared success by part; a part nobody ran is left out by the caller."""
    return {
        "title": title,
        "rows": [
            {
                "name": name.replace("_", " "),
                "n": next(iter(row.values()))["sr"]["n"],
                "values": [row[a]["declared_sr"]["value"] for a in arms],
            }
            for name, row in rows.items()
        ],
    }


def _fault_share(arms: Mapping[str, Any], level: float | str) -> str:
    """Measured share of steps on which a fault struck, over the arms at this level."""
    shares = [b["metrics"]["fault_rate"] for b in arms.values() if b["faults"] == level]
    steps = sum(s["n"] for s in shares)
    hit = sum(s["value"] * s["n"] for s in shares)
    return f"a fault struck {hit / steps:.1%} of {steps} steps" if steps else "no steps at that level"


def _episodes_note(arms: Mapping[str, Any]) -> str:
    episodes = sum(b["episodes"] for b in arms.values())
    reruns = sum(b["reruns"] for b in arms.values())
    again = f"; {reruns} were run again because their worker died, none of them scored as a failure" if reruns else ""
    return f"{episodes} episodes{again}. “False completions”: share of goals task memory marked done that did not hold at that moment."


def _pair(p: Mapping[str, Any]) -> dict[str, Any]:
    d = p["difference"]
    return {
        **{k: p[k] for k in ("a", "b", "both", "only_a", "only_b", "neither")},
        "metric": {"sr": "SR", "declared_sr": "declared SR"}.get(p["metric"], p["metric"]),
        "difference": f"{100 * d['value']:+.0f} points",
        "interval": "by construction" if p["by_construction"] else f"{100 * d['low']:+.0f} … {100 * d['high']:+.0f}",
        "p": "by construction" if p["by_construction"] else p_text(p["p"]),
    }


def _quality(title: str, note: str, delta: Mapping[str, Mapping[str, Any]], reliability: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """One section of Δ quality: all numbers per source, figures and details of ``learned`` beside ``schema``."""
    compared = [n for n in ("learned", "schema") if n in delta] or list(delta)[:2]
    where = title[0].lower() + title[1:]
    figures = [
        (_bars(delta, compared, "fault", "Exact Δ by fault"), "Share of judged actions whose whole Δ is right, by what went wrong.", False),
        (_bars(delta, compared, "verb", "Exact Δ by action"), "The same by action.", False),
    ]
    if reliability:
        said = f"Calibration of the learned source's changes {where}; dot area is the count."
        figures.append((plots.reliability(reliability, f"Reliability {where}"), said, True))
    return {
        "title": title,
        "note": f"{note} All changes count, also those out of sight.",
        "columns": list(QUALITY.values()),
        "rows": [
            {"name": name, "colour": plots.colour(name, i), "n": f"{body['n']:.0f}", "cells": [_cell(body.get(c)) for c in QUALITY]}
            for i, (name, body) in enumerate(delta.items())
        ],
        "figures": [{"svg": Markup(svg), "caption": caption, "narrow": narrow} for svg, caption, narrow in figures],
        "names": compared,
        "groups": _delta_rows(delta, compared),
    }


def _cell(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"


def _groups(delta: Mapping[str, Mapping[str, Any]], prefix: str) -> list[str]:
    found = {k.split(".")[1] for body in delta.values() for k in body if k.startswith(f"{prefix}.")}
    size = {g: max(body.get(f"{prefix}.{g}.n") or 0 for body in delta.values()) for g in found}
    return sorted(found, key=lambda g: (-size[g], g))


def _bars(delta: Mapping[str, Mapping[str, Any]], names: Sequence[str], prefix: str, title: str) -> str:
    groups = _groups({n: delta[n] for n in names}, prefix)
    series = {n: [delta[n].get(f"{prefix}.{g}.exact_delta") for g in groups] for n in names}
    counts = [int(max(delta[n].get(f"{prefix}.{g}.n") or 0 for n in names)) for g in groups]
    return plots.grouped_bars([g.replace("_", " ") for g in groups], series, title, counts)


def _delta_rows(delta: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for prefix in ("fault", "verb"):
        for g in _groups({n: delta[n] for n in names}, prefix):
            key = f"{prefix}.{g}"
            cells = [_cell(delta[n].get(f"{key}.{m}")) for n in names for m in ("changed_atom_f1", "exact_delta")]
            rows.append({"group": f"{prefix}: {g}", "n": int(delta[names[0]].get(f"{key}.n") or 0), "cells": cells})
    return rows
