"""An ablation's results: numbers with intervals, differences to the reference, one table and one plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mimir_learn.evaluation.ablate_statistics import difference_over_houses, over_houses, over_seeds
from mimir_learn.evaluation.caveats import p_text
from mimir_learn.evaluation.statistics import holm
from mimir_learn.evaluation.typeset import latex, markdown

Record = Mapping[str, Any]

NUMBERS = {
    "changed_atom_f1": "F1", "exact_delta": "exact Δ", "exact_delta_faulty": "exact Δ, faults", "exact_delta_novel": "exact Δ, novel",
    "false_change_rate": "false changes, no-ops", "false_change_rate_manipulation": "false changes, manipulations", "ece": "ECE",
    "outcome_balanced_accuracy": "outcome",
}  # fmt: skip
"""Columns of the table; those that are no ratio of sums by house have an interval over seeds only."""
TESTED = ("changed_atom_f1", "exact_delta", "exact_delta_faulty")
LESS_IS_BETTER = ("false_change_rate", "false_change_rate_manipulation", "ece")
_RARE = 20  # fault kinds with fewer cases are no column of their own


def compare(by_name: Mapping[str, Sequence[Record]], reference: str | None) -> dict[str, Any]:
    """``rows``: every arm and source with its numbers; ``tests``: differences of `TESTED` to the reference; ``faults``: exact Δ by kind."""
    rows = [_row(name, records) for name, records in by_name.items()]
    tests = []
    if reference is not None:
        others = [n for n in by_name if n != reference]
        for metric in TESTED:
            tests += [_test(metric, name, by_name[name], by_name[reference], reference) for name in others]
        for test, p in zip(tests, holm([t["p"] for t in tests]), strict=True):
            test["p_holm"] = p
            test["verdict"] = _verdict(test)
    some = next(iter(by_name.values()), [])
    first = some[0] if some else None
    return {
        "rows": rows,
        "tests": tests,
        "transitions": None if first is None else first["transitions"],
        "houses": None if first is None else len(first["houses"]["exact_delta"]),
    }


def _value(record: Record, metric: str) -> float:
    """A number of a run; NaN where it has none."""
    if metric in record["houses"]:
        sums = np.array(list(record["houses"][metric].values()), dtype=np.float64).reshape(-1, 2).sum(0)
        return float(sums[0] / sums[1]) if sums[1] else float("nan")
    value = record["score"].get(metric)
    return float("nan") if value is None else float(value)


def _row(name: str, records: Sequence[Record]) -> dict[str, Any]:
    numbers = {}
    for metric in NUMBERS:
        values = [_value(r, metric) for r in records]
        if len(records) > 1 or metric not in records[0]["houses"]:
            interval, over = over_seeds(values), "seeds"
        else:
            interval, over = over_houses([records[0]["houses"][metric]]), "houses"
        inside = {"low": max(0.0, interval.low), "high": min(1.0, interval.high)}  # all of them are shares; Student's t does not know
        numbers[metric] = {**interval.to_dict(), **inside, "over": over, "values": values}
    faults = {
        key.removeprefix("fault.").removesuffix(".exact_delta"): [
            float(np.mean([r["score"][key] for r in records if r["score"].get(key) is not None])),
            records[0]["score"][key.replace("exact_delta", "n")],
        ]
        for key in records[0]["score"]
        if key.startswith("fault.") and key.endswith(".exact_delta")
    }
    trained = records[0]["seed"] is not None
    cpu = float(np.mean([r["cpu_s"] for r in records]))
    return {"name": name, "trained": trained, "runs": len(records), "numbers": numbers, "faults": faults, "cpu_s": cpu}


def _test(metric: str, name: str, a: Sequence[Record], b: Sequence[Record], reference: str) -> dict[str, Any]:
    houses, p = difference_over_houses([r["houses"][metric] for r in a], [r["houses"][metric] for r in b])
    pairs = {r["seed"]: _value(r, metric) for r in b}
    same = [_value(r, metric) - pairs[r["seed"]] for r in a if r["seed"] in pairs]
    seeds = over_seeds(same) if len(same) > 1 else None
    return {
        "metric": metric, "name": name, "reference": reference, "difference": houses.to_dict(),
        "seeds": None if seeds is None else seeds.to_dict(), "p": p,
    }  # fmt: skip


def _verdict(test: Mapping[str, Any]) -> str:
    intervals = [x for x in (test["difference"], test["seeds"]) if x is not None]
    for word, holds in (("better", lambda x: x["low"] > 0), ("worse", lambda x: x["high"] < 0)):
        if test["p_holm"] <= 0.05 and all(holds(x) for x in intervals):
            return word if test["metric"] not in LESS_IS_BETTER else {"better": "worse", "worse": "better"}[word]
    return ""


# ---- on paper ------------------------------------------------------------------------------------------------------


def write_results(results: Mapping[str, Any], folder: Path) -> Path:
    """``tables.md``, ``tables.tex``, ``scores.csv``, ``tests.csv`` and ``ablations.svg`` into ``folder``; the path of the first."""
    from mimir_learn.evaluation.ablate_plot import plot

    scores, tests, faults = scores_frame(results), tests_frame(results), faults_frame(results)
    title = "Ablations of the Δ-estimator and untrained sources, %"
    md = ["# Ablations", "", results["about"], "", *notes(results), "", "![numbers with intervals](ablations.svg)", "", markdown(scores)]
    tex = [latex(scores, title)]
    if len(tests):
        md += ["", f"## Differences to `{results['reference']}`, points", "", markdown(tests)]
        tex.append(latex(tests, f"Differences to {results['reference']}, points"))
    if len(faults.columns) > 1:
        md += ["", "## Exact Δ by fault, % (cases; mean over seeds)", "", markdown(faults)]
        tex.append(latex(faults, "Exact Δ by fault, %"))
    (folder / "tables.md").write_text("\n".join(md) + "\n", encoding="utf-8")
    (folder / "tables.tex").write_text("\n".join(tex), encoding="utf-8")
    flat = [
        {"name": row["name"], "metric": metric, **{k: v for k, v in number.items() if k != "values"}, "runs": row["runs"]}
        for row in results["rows"]
        for metric, number in row["numbers"].items()
    ]
    pd.DataFrame(flat).to_csv(folder / "scores.csv", index=False)
    lines = []
    for t in results["tests"]:
        seeds = t["seeds"] or {"low": None, "high": None}
        lines.append({**{k: t[k] for k in ("metric", "name", "reference", "p", "p_holm", "verdict")}, **t["difference"],
                      "seeds_low": seeds["low"], "seeds_high": seeds["high"]})  # fmt: skip
    pd.DataFrame(lines).to_csv(folder / "tests.csv", index=False)
    (folder / "ablations.svg").write_text(plot(results), encoding="utf-8")
    return folder / "tables.md"


def scores_frame(results: Mapping[str, Any]) -> pd.DataFrame:
    """One line per arm and source, every number with its interval, in percent."""
    lines = []
    for row in results["rows"]:
        line = {"": row["name"], "runs": str(row["runs"])}
        line |= {head: _text(row["numbers"][metric]) for metric, head in NUMBERS.items()}
        lines.append(line)
    return pd.DataFrame(lines)


def _text(number: Mapping[str, Any]) -> str:
    if not np.isfinite(number["value"]):
        return "–"
    if number["high"] == number["low"]:
        return f"{100 * number['value']:.1f}"
    return f"{100 * number['value']:.1f} [{100 * number['low']:.1f}, {100 * number['high']:.1f}]"


def tests_frame(results: Mapping[str, Any]) -> pd.DataFrame:
    """One line per arm and number tested."""
    lines = []
    for t in results["tests"]:
        d, s = t["difference"], t["seeds"]
        lines.append({
            "": t["name"], "number": NUMBERS[t["metric"]], "difference": f"{100 * d['value']:+.1f}",
            "over houses": f"[{100 * d['low']:+.1f}, {100 * d['high']:+.1f}]",
            "over seeds": "" if s is None else f"[{100 * s['low']:+.1f}, {100 * s['high']:+.1f}]",
            "p": p_text(t["p"]), "p (Holm)": p_text(t["p_holm"]), "verdict": t["verdict"],
        })  # fmt: skip
    return pd.DataFrame(lines)


def faults_frame(results: Mapping[str, Any]) -> pd.DataFrame:
    """Exact Δ of every arm by kind of fault, the frequent ones first."""
    counted: dict[str, float] = {}
    for row in results["rows"]:
        counted |= {kind: n for kind, (_, n) in row["faults"].items() if n >= _RARE}
    kinds = sorted(counted, key=lambda k: (-counted[k], k))
    body: dict[str, list[str]] = {"": [row["name"] for row in results["rows"]]}
    for kind in kinds:
        body[f"{kind.replace('_', ' ')} ({counted[kind]:.0f})"] = [f"{100 * row['faults'][kind][0]:.0f}" for row in results["rows"]]
    return pd.DataFrame(body)


def notes(results: Mapping[str, Any]) -> list[str]:
    """What the table rests on, in sentences."""
    seeds = ", ".join(map(str, results["seeds"]))
    lines = [
        f"{results['transitions']} transitions of {results['houses']} houses, the same for all; seeds {seeds}.",
        "In brackets 95 % intervals: Student's t over training seeds where there are several runs, else bootstrap by house; numbers "
        "without brackets have neither. *Better* and *worse* are said only where the test over houses (sign-flip, Holm over the "
        "table) and the intervals over houses and over seeds agree.",
    ]
    lines += [f"`{name}` is left out: {why}." for name, why in results["left_out"].items()]
    lines += [f"`{name}` failed and is not in the table: {why}" for name, why in results["failed"].items()]
    if len(results.get("provenance", {}).get("code", [])) > 1:
        lines.append("The runs were made by different versions of the package's source (their records name it).")
    return ["\n\n".join(lines)]
