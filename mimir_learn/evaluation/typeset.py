"""A grid's tables on paper: Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from mimir_learn.evaluation.caveats import p_text
from mimir_learn.evaluation.measures import PERCENT, name_of


def scores_frame(table: Mapping[str, Any], rows_name: str = "") -> pd.DataFrame:
    """A table of scores as strings, one line per row."""
    cells = {(v["row"], v["column"]): _score(v, table["metric"]) for v in table["values"]}
    columns = {c or name_of(table["metric"]): [cells.get((r, c), "") for r in table["rows"]] for c in table["columns"]}
    return pd.DataFrame({rows_name: table["rows"], **columns})


def comparisons_frame(table: Mapping[str, Any]) -> pd.DataFrame:
    """A table's tests as strings, one line per test."""
    percent = table["metric"] in PERCENT
    lines = []
    for t in table["tests"]:
        line = {
            "row": t["row"],
            "against": t["reference"],
            "at": t["column"],
            "difference": _score(t["difference"], table["metric"], sign=True),
        }
        if t["by_construction"]:
            lines.append({**line, "p": "", "p (Holm)": "", "effect": "", "detectable": "", "verdict": "by construction"})
            continue
        detectable = "" if t.get("detectable") is None else f"{100 * t['detectable']:.1f}" if percent else f"{t['detectable']:.2f}"
        marks = {"p": p_text(t["p"]), "p (Holm)": p_text(t["p_holm"]), "effect": f"{t.get('effect', 0.0):+.2f}", "detectable": detectable}
        lines.append({**line, **marks, "verdict": t["verdict"]})
    return pd.DataFrame(lines)


def _score(v: Mapping[str, Any], metric: str, *, sign: bool = False) -> str:
    plus = "+" if sign else ""
    factor, digits = (100, 1) if metric in PERCENT else (1, 2)
    return f"{factor * v['value']:{plus}.{digits}f} [{factor * v['low']:{plus}.{digits}f}, {factor * v['high']:{plus}.{digits}f}]"


def markdown(frame: pd.DataFrame) -> str:
    """A GitHub table."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *([str(x) for x in row] for row in frame.itertuples(index=False))]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in lines)


_TEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "$": r"\$"}
_SYMBOLS = {"Δ": r"$\Delta$", "∅": r"$\emptyset$", "−": "$-$"}


def latex(frame: pd.DataFrame, title: str) -> str:
    """A table environment that any LaTeX with booktabs can set."""
    caption = "".join(_TEX.get(c, c) for c in title)
    text: str = frame.to_latex(index=False, escape=True, caption=caption)
    for symbol, command in _SYMBOLS.items():
        text = text.replace(symbol, command)
    return text


def write_tables(results: Mapping[str, Any], folder: Path) -> None:
    """``tables.md``, ``tables.tex``, ``scores.csv``, ``tests.csv`` (and ``attribution.csv``, ``attribution.svg``) into ``folder``."""
    md, tex = [f"# {results['name']}", "", results["about"].strip(), "", *notes(results)], []
    for table in results["tables"]:
        title = caption(table, results["layout"])
        scores, tests = scores_frame(table, results["layout"]["rows"]), comparisons_frame(table)
        md += ["", f"## {title}", "", markdown(scores)]
        tex.append(latex(scores, title))
        if len(tests):
            md += ["", markdown(tests)]
            tex.append(latex(tests, f"{title}: tests against {table['tests'][0]['reference']}"))
    if attribution := results.get("attribution"):
        from mimir_learn.evaluation.attribution import frame_of, write_chart

        frame = frame_of(attribution)
        md += ["", "## First wrong link of failed episodes", "", markdown(frame)]
        tex.append(latex(frame, "First wrong link of failed episodes"))
        frame.to_csv(folder / "attribution.csv", index=False)
        write_chart(attribution, folder / "attribution.svg")
    (folder / "tables.md").write_text("\n".join(md) + "\n", encoding="utf-8")
    (folder / "tables.tex").write_text("\n".join(tex), encoding="utf-8")
    flat = [{"metric": t["metric"], **t["where"], **v} for t in results["tables"] for v in t["values"]]
    pd.DataFrame(flat).to_csv(folder / "scores.csv", index=False)
    tests_flat = [
        {"metric": t["metric"], **t["where"], **{k: v for k, v in x.items() if k != "difference"}, **x["difference"]}
        for t in results["tables"]
        for x in t["tests"]
    ]
    pd.DataFrame(tests_flat).to_csv(folder / "tests.csv", index=False)


def caption(table: Mapping[str, Any], layout: Mapping[str, Any]) -> str:
    where = ", ".join(f"{a} {v}" for a, v in table["where"].items())
    unit = ", %" if table["metric"] in PERCENT else ""
    over = f" by {layout['columns']}" if layout["columns"] else ""
    return f"{name_of(table['metric'])}{unit}{over}" + (f" ({where})" if where else "")


def notes(results: Mapping[str, Any]) -> list[str]:
    """What a grid's results rest on, in sentences: cells, episodes, seeds, and what was run again or left out."""
    cells = results["cells"]
    counts = sorted({c["episodes"] for c in cells})
    per = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    again = sum(c["reruns"] for c in cells)
    lines = [f"{len(cells)} cells of {per} episodes, seeds {', '.join(map(str, results['seeds']))}; 95 % intervals, the task is the unit."]
    if again:
        lines.append(f"{again} episodes lost their worker and were run again; none of them is scored as a failure.")
    spreads = [c["spread"] for c in cells if c["spread"] is not None]
    if spreads:
        tasks, seeds = (sum(s[k] for s in spreads) / len(spreads) for k in ("tasks", "seeds"))
        lines.append(
            f"Declared SR varies between tasks by {100 * tasks:.1f} points (standard deviation), between seeds by {100 * seeds:.1f}."
        )
    if any(t["tests"] for t in results["tables"]):
        lines.append(
            "Tests: row minus reference on the same tasks and seeds, sign-flip by task, Holm over the table. Effect: Cohen's h (means: d). "
            "Detectable: the difference that 80 % of such experiments would find."
        )
    return [*lines, *results["missing"]]
