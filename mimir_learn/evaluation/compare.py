"""``mimir report --compare A B``: two runs side by side, episode by episode, those that came out differently first."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import blocks
from mimir_learn.evaluation.blocks import Block
from mimir_learn.evaluation.caveats import p_text
from mimir_learn.evaluation.page import inline, part, script, write_page
from mimir_learn.evaluation.reading import Run, open_run
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.statistics import minimum_detectable, paired
from mimir_learn.evaluation.viewer import changed_text, outcome

METRICS = {"declared_sr": "declared SR", "sr": "SR"}
FLIPS = ("won", "lost", "both", "neither")
MEANING = {"won": "B succeeds, A fails", "lost": "A succeeds, B fails", "both": "both succeed", "neither": "neither succeeds"}
TRACED = 600
"""Episodes whose steps are in the page, flips first; the CSV has all."""


@dataclass(frozen=True)
class CompareConfig:
    """Two runs side by side.

    Attributes:
        compare: two results folders, of ``mimir eval`` with or without ``--grid``; the same one twice with ``arms``.
        out: a folder for compare.html and compare.csv, or the page (.html).
        arms: which arm of A against which of B, by name (a grid's: as in its tables, "learned, rough"); null = every arm that both have.
        metric: what counts as success: declared_sr or sr.
    """

    compare: tuple[str, str]
    out: str = "runs/compare"
    arms: list[str] | None = None
    metric: str = "declared_sr"

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise ConfigError(f"metric is {self.metric!r}; choose {' or '.join(METRICS)}")
        if self.arms is not None and len(self.arms) not in (1, 2):
            raise ConfigError(f"arms is {self.arms}; name one arm that both have, or one of A and one of B")


@dataclass(frozen=True)
class Pair:
    """One episode in both runs: what it is called, and its two records."""

    arm: str
    a: Record
    b: Record

    def flip(self, metric: str) -> str:
        return {(False, True): "won", (True, False): "lost", (True, True): "both", (False, False): "neither"}[
            bool(self.a[metric]), bool(self.b[metric])
        ]


def compare(config: CompareConfig) -> list[Path]:
    """Write page and CSV; returns their paths.

    Raises ConfigError when a folder holds no results or no records, an arm is not there, or the runs have no episode in common.
    """
    first, second = (_with_records(Path(f)) for f in config.compare)
    pairs = match(first, second, config.arms)
    pairs.sort(key=lambda p: (FLIPS.index(p.flip(config.metric)), p.arm, p.a["subset"], p.a["task"], p.a["seed"]))
    out = Path(config.out)
    page = out if out.suffix == ".html" else out / "compare.html"
    table = page.with_suffix(".csv")
    page.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame([_line(p, config.metric) for p in pairs]).to_csv(table, index=False)
    write_page("compare.html.j2", _context(first, second, pairs, config, table.name), page)
    return [page, table]


def _with_records(folder: Path) -> Run:
    run = open_run(folder)
    if not run.rows:
        raise ConfigError(f"{folder} cannot be compared episode by episode: {run.why}")
    return run


def match(first: Run, second: Run, arms: Sequence[str] | None) -> list[Pair]:
    """Episodes of one task and seed in both runs, arm by arm. Other tasks under the same id are passed over, and stderr says so.

    Raises ConfigError where there are none.
    """
    if arms is None:
        both = [(a, a) for a in first.rows if a in second.rows]
        if not both:
            raise ConfigError(
                f"the two runs have no arm of one name; give --arms '[A, B]': A one of {_list(first.rows)}, B one of {_list(second.rows)}"
            )
    else:
        both = [(arms[0], arms[-1])]
        for arm, run in zip(both[0], (first, second), strict=True):
            if arm not in run.rows:
                raise ConfigError(f"{run.folder} has no arm {arm!r}; its arms: {_list(run.rows)}")
    pairs, changed = [], set()
    for a, b in both:
        of = {(r["task"], r["seed"]): r for r in second.rows[b]}
        name = a if a == b else f"{a} → {b}"
        for record in first.rows[a]:
            other = of.get((record["task"], record["seed"]))
            if other is not None and _same_task(record, other):
                pairs.append(Pair(name, record, other))
            elif other is not None:
                changed.add(record["task"])
    if changed:
        said = f"{len(changed)} tasks have one id but are not the same in both ({sorted(changed)[0]} first): another suite"
        if not pairs:
            raise ConfigError(f"the two runs cannot be compared: {said}")
        print(f"report: {said}; they are left out", file=sys.stderr)
    if not pairs:
        raise ConfigError("the two runs have no task and seed in common")
    return pairs


def _same_task(a: Record, b: Record) -> bool:
    """By the hash of the whole task where both have one, else by its words, goals and house."""
    keys = ("task_sha256",) if "task_sha256" in a and "task_sha256" in b else ("instruction", "goals", "house_seed")
    return all(a.get(k) == b.get(k) for k in keys)


def _list(names: Mapping[str, Any]) -> str:
    shown = list(names)[:12]
    return "; ".join(shown) + (f" and {len(names) - 12} more" if len(names) > 12 else "")


def _line(pair: Pair, metric: str) -> dict[str, Any]:
    head = {k: pair.a[k] for k in ("task", "seed", "subset", "kind", "instruction")}
    numbers = ("sr", "declared", "declared_sr", "gc", "steps", "faults", "wrong_writes", "memory_f1")
    sides = {f"{side}_{k}": r[k] for k in numbers for side, r in (("a", pair.a), ("b", pair.b))}
    return {"arm": pair.arm, "flip": pair.flip(metric), **head, **sides}


# ---- the page ------------------------------------------------------------------------------------------------------


def _context(first: Run, second: Run, pairs: Sequence[Pair], config: CompareConfig, csv: str) -> dict[str, Any]:
    metric = config.metric
    counts = Counter(p.flip(metric) for p in pairs)
    arms = list(dict.fromkeys(p.arm for p in pairs))
    parts = {"all": list(pairs)}
    parts |= {s.replace("_", " "): [p for p in pairs if p.a["subset"] == s] for s in sorted({p.a["subset"] for p in pairs})}
    tables = [_tests("by subset", parts, metric)]
    if len(arms) > 1:
        tables.insert(0, _tests("by arm", {"all": list(pairs), **{a: [p for p in pairs if p.arm == a] for a in arms}}, metric))
    left_out = max(0, len(pairs) - TRACED)
    return {
        "title": f"{first.name} and {second.name}" if first.name != second.name else first.name,
        "first": str(first.folder),
        "second": str(second.folder),
        "metric": METRICS[metric],
        "cards": [{"value": str(counts[f]), "label": f"{f}: {MEANING[f]}", "lead": f == "won"} for f in FLIPS],
        "tables": tables,
        "differs": differs(first, second),
        "csv": csv,
        "left_out": left_out,
        "data": inline(list(_episodes(first, second, pairs[:TRACED], metric))),
        "script": script("compare.js"),
        "viewer_style": part("compare.css"),
    }  # fmt: skip


def _tests(head: str, parts: Mapping[str, Sequence[Pair]], metric: str) -> Block:
    rows = []
    for name, some in parts.items():
        a, b, tasks = [bool(p.a[metric]) for p in some], [bool(p.b[metric]) for p in some], [p.a["task"] for p in some]
        test, counts = paired(b, a, tasks), Counter(p.flip(metric) for p in some)
        rates = [blocks.plain(f"{100 * sum(x) / len(x):.0f}") for x in (a, b)]
        numbers = [blocks.plain(str(counts[f])) for f in FLIPS]
        detectable = blocks.plain(f"{100 * minimum_detectable(b, a, tasks):.0f}")
        row = [*rates, blocks.difference(test.difference.to_dict(), metric, "#0f9d76"), *numbers, blocks.plain(p_text(test.p)), detectable]
        rows.append(blocks.row(name, row, lead=name == "all"))
    return blocks.table([head, "A %", "B %", "B − A, points", *FLIPS, "p", "detectable, points"], rows)


def _episodes(first: Run, second: Run, pairs: Sequence[Pair], metric: str) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        keys = ("task", "seed", "instruction", "goals")
        head = {**{k: pair.a[k] for k in keys}, "subset": pair.a["subset"].replace("_", " "), "arm": pair.arm, "flip": pair.flip(metric)}
        sides = [_side(run, record) for run, record in ((first, pair.a), (second, pair.b))]
        yield {**head, "sides": sides, "same": _alike(*(s["steps"] for s in sides))}


def _side(run: Run, record: Record) -> dict[str, Any]:
    return {
        "outcome": outcome(record),
        "length": record["steps"],
        "faults": record["faults"],
        "steps": [_step(s) for s in run.steps(record)],
    }


def _step(s: Mapping[str, Any]) -> list[Any]:
    """[command, fault, claimed, true Δ, written Δ as [text, mark], held Δ, false completions]"""
    true, written, held = changed_text(s)
    return [s["command"], s["fault"].replace("_", " "), s["success"], true, written, held, len(s["false_completions"])]


def _alike(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> int:
    """Steps from the start that are the same in both."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def differs(first: Run, second: Run) -> list[tuple[str, str, str]]:
    """What the two runs rest on that is not the same: (key, A's, B's), the machine's and times' left out."""
    sides = [dict(_flat(r.body.get("provenance") or {})) for r in (first, second)]
    skip = ("machine.", "config.out", "scored_by.", "grid.points")
    keys = [k for k in dict.fromkeys([*sides[0], *sides[1]]) if not k.startswith(skip)]
    return [(k, _text(sides[0].get(k)), _text(sides[1].get(k))) for k in keys if sides[0].get(k) != sides[1].get(k)]


def _flat(body: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in body.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _text(value: Any) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…" if text.isalnum() else f"{text[:60]}…"
