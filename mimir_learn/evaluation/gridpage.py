"""What the report of an experiment grid says: headline, curves, gaps, ablation, splits and causes, from results.json and its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mimir_learn.evaluation import blocks, curves
from mimir_learn.evaluation.attribution import CAUSES
from mimir_learn.evaluation.blocks import Block
from mimir_learn.evaluation.measures import PERCENT, name_of, value
from mimir_learn.evaluation.plots import colours, noise_rates
from mimir_learn.evaluation.reading import Run
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.statistics import paired
from mimir_learn.evaluation.typeset import comparisons_frame, notes

PAIRS = (("privileged", "learned"), ("learned", "schema"), ("privileged", "schema"))
CAUSE_TINTS = dict(
    zip(
        CAUSES,
        (
            "#7a9e3f",
            "#3b9ec9",
            "#e0872c",
            "#c2485b",
            "#e3b341",
            "#a87bd0",
            "#5b6ee1",
            "#8a8f98",
            "#7a5c43",
            "#d98fb3",
            "#4c7a78",
            "#9fb4c0",
        ),
        strict=True,
    )
)


AXES = {
    "delta": "Δ-source", "faults": "fault suite", "k": "bound K of recall", "goals": "number of goals", "rooms": "number of rooms",
    "kind": "kind of task", "feedback_text": "feedback text",
}  # fmt: skip


def axis_name(axis: str) -> str:
    """An axis for people."""
    return AXES.get(axis, axis.replace("_", " "))


class Grid:
    """A grid's results, with what several sections need: its axes, the names and tints of its rows, and where it is read first."""

    def __init__(self, run: Run) -> None:
        self.run, self.body = run, run.body
        self.layout: Mapping[str, Any] = run.body["layout"]
        self.rows_of, self.columns_of = self.layout["rows"], self.layout["columns"]
        self.metric = self.layout["metrics"][0]
        self.reference: str | None = self.layout["reference"]
        points = list(run.at.values())
        self.axes = {a: list(dict.fromkeys(p[a] for p in points)) for a in points[0]}
        self.names = self.axes[self.rows_of]
        self.tints = colours(self.names)
        self.others = [a for a in self.axes if a != self.rows_of]

    @property
    def records(self) -> Mapping[str, Sequence[Record]]:
        return self.run.rows

    def groups(self) -> dict[str, dict[str, str]]:
        """Setting of all axes but the rows' → row → label."""
        out: dict[str, dict[str, str]] = {}
        for label, at in self.run.at.items():
            out.setdefault(", ".join(at[a] for a in self.others), {})[at[self.rows_of]] = label
        return out

    @property
    def first(self) -> str:
        """The group shown first: the one of the fault suite "rough" if there is one."""
        return next((g for g in self.groups() if "rough" in g), next(iter(self.groups())))

    def cell(self, label: str) -> Mapping[str, Any]:
        return next(c for c in self.body["cells"] if c["at"] == self.run.at[label])


def sections(grid: Grid) -> list[Block]:
    """All sections that this grid has the data for."""
    found = [headline(grid), faults(grid), noise(grid), trend(grid), ablation(grid), gap(grid), splits(grid), causes(grid)]
    return [s for s in found if s is not None]


def cards(grid: Grid) -> list[Block]:
    """The headline numbers: up to four rows at the first group."""
    group = grid.groups()[grid.first]
    wanted = [n for n in (grid.reference, "learned", "privileged", "schema", "none", *grid.names) if n in group]
    out, factor = [], 100 if grid.metric in PERCENT else 1
    for name in list(dict.fromkeys(wanted))[:4]:
        v = grid.cell(group[name])["scores"].get(grid.metric)
        if v is not None:
            where = f", {grid.first}" if grid.first else ""
            unit = " %" if factor == 100 else ""
            text = (
                f"{name_of(grid.metric)}, {name}{where} ({blocks.number(v['low'], grid.metric)} – {blocks.number(v['high'], grid.metric)})"
            )
            out.append({"value": blocks.number(v["value"], grid.metric) + unit, "label": text, "lead": name == grid.reference})
    return out


def subtitle(grid: Grid) -> list[str]:
    """What was run, and what holds for all tables."""
    return notes(grid.body)


def headline(grid: Grid) -> Block | None:
    """Every table of the grid: a tab per score."""
    by_where: dict[str, list[Mapping[str, Any]]] = {}
    for table in grid.body["tables"]:
        by_where.setdefault(", ".join(f"{a} {v}" for a, v in table["where"].items()), []).append(table)
    parts = []
    for i, (where, tables) in enumerate(by_where.items()):
        if where:
            parts.append({"kind": "heading", "text": where})
        parts.append(blocks.tabs(f"t{i}", "Score", {_titled(t["metric"]): [_scores(grid, t), *_tests(t)] for t in tables}))
    against = f", one column per {axis_name(grid.columns_of)}" if grid.columns_of else ""
    note = f"One row per {axis_name(grid.rows_of)}{against}. Small and as a bar: the 95 % interval; the task is its unit."
    return blocks.section("results", "Results", note, *parts)


def _titled(metric: str) -> str:
    return name_of(metric) + (" %" if metric in PERCENT else "")


def _scores(grid: Grid, table: Mapping[str, Any]) -> Block:
    verdicts = {(t["row"], t["column"]): t["verdict"] for t in table["tests"]}
    at = {(v["row"], v["column"]): v for v in table["values"]}
    rows = [
        blocks.row(
            r,
            [blocks.score(at.get((r, c)), table["metric"], grid.tints[r], verdicts.get((r, c), "")) for c in table["columns"]],
            grid.tints[r],
            lead=r == grid.reference,
        )
        for r in table["rows"]
    ]
    note = blocks.MARKS_NOTE.format(reference=grid.reference) if table["tests"] else ""
    return blocks.table([axis_name(grid.rows_of), *(c.replace("_", " ") or name_of(table["metric"]) for c in table["columns"])], rows, note)


def _tests(table: Mapping[str, Any]) -> list[Block]:
    frame = comparisons_frame(table)
    if not len(frame):
        return []
    lines = [blocks.row(str(x[0]), [blocks.plain(str(c)) for c in x[1:]]) for x in frame.itertuples(index=False)]
    return [blocks.folded(f"Paired tests against {table['tests'][0]['reference']}", blocks.table([*map(str, frame.columns)], lines))]


# ---- curves --------------------------------------------------------------------------------------------------------


def _series(grid: Grid, axis: str, metric: str) -> dict[str, dict[str, dict[str, Mapping[str, float]]]]:
    """Setting of the remaining axes → row → label on ``axis`` → score."""
    rest = [a for a in grid.others if a != axis]
    out: dict[str, dict[str, dict[str, Mapping[str, float]]]] = {}
    for cell in grid.body["cells"]:
        at, v = cell["at"], cell["scores"].get(metric)
        if v is not None:
            out.setdefault(", ".join(at[a] for a in rest), {}).setdefault(at[grid.rows_of], {})[at[axis]] = v
    return out


def faults(grid: Grid) -> Block | None:
    """Success against how often actions go wrong."""
    if "faults" not in grid.others or len(grid.axes["faults"]) < 2:
        return None
    items = []
    for metric in ("declared_sr", "sr"):
        for rest, series in _series(grid, "faults", metric).items():
            title = f"{_titled(metric)}{f', {rest}' if rest else ''}"
            items.append((curves.against_faults(series, grid.tints, title), ""))
    return blocks.section(
        "faults", "Success against faults",
        "Left: the standard mix of faults at rising levels. Right: suites that are another mix. Bands and bars are 95 % intervals.",
        blocks.figures(*items),
    )  # fmt: skip


def noise(grid: Grid) -> Block | None:
    """Success against the rate at which the true Δ is corrupted."""
    rates = noise_rates(grid.names)
    if grid.rows_of != "delta" or len(rates) < 2:
        return None
    items = []
    for group, labels in grid.groups().items():
        scores = {n: grid.cell(label)["scores"]["declared_sr"] for n, label in labels.items()}
        points = [curves.At(rates[n], v["value"], v["low"], v["high"]) for n, v in scores.items() if n in rates]
        if "privileged" in scores:
            v = scores["privileged"]
            points.append(curves.At(0.0, v["value"], v["low"], v["high"]))
        beside: dict[str, Mapping[str, float]] = {n: scores[n] for n in ("learned", "schema") if n in scores}
        title, tints = f"Declared SR{f', {group}' if group else ''}", {**grid.tints, "noisy(p)": "#518aac"}
        series = {"noisy(p)": sorted(points, key=lambda p: p.x)}
        items.append((group, curves.against_number(series, tints, title, "p: share of Δ corrupted", level=beside)))
    shown = {g: [blocks.figures((svg, ""))] for g, svg in items}
    return blocks.section(
        "noise", "How right Δ must be",
        "The true Δ corrupted at rate p; p = 0 is privileged. Dashed: what other sources reach, to read off to which p they are worth.",
        blocks.tabs("noise", "Setting", shown, grid.first),
    )  # fmt: skip


def trend(grid: Grid) -> Block | None:
    """Success against a number: K, goals, rooms."""
    items = []
    for table in grid.body["tables"]:
        at = {(v["row"], v["column"]): v for v in table["values"]}
        wide, deep = _numeric(table["columns"]), _numeric(table["rows"])
        if not (wide or deep) or "faults" in (grid.rows_of, grid.columns_of):
            continue
        lines = table["rows"] if wide else table["columns"]
        tints = grid.tints if wide else colours(lines)
        series = {
            (n or name_of(table["metric"])): [
                curves.At(float(x), v["value"], v["low"], v["high"])
                for x in (table["columns"] if wide else table["rows"])
                if (v := at.get((n, x) if wide else (x, n))) is not None
            ]
            for n in lines
        }
        axis = str(grid.columns_of if wide else grid.rows_of)
        title = _titled(table["metric"]) + (f", {', '.join(table['where'].values())}" if table["where"] else "")
        tints = {n or name_of(table["metric"]): t for n, t in tints.items()}
        svg = curves.against_number(series, tints, title, axis_name(axis), percent=table["metric"] in PERCENT, log=axis == "k")
        items.append((svg, ""))
    axis = grid.columns_of if _numeric(grid.body["tables"][0]["columns"]) else grid.rows_of
    return blocks.section("trend", f"Against the {axis_name(axis)}", "", blocks.figures(*items)) if items else None


def _numeric(names: Sequence[str]) -> bool:
    return len(names) > 1 and all(n.replace(".", "", 1).isdigit() for n in names)


def ablation(grid: Grid) -> Block | None:
    """Every row minus the reference."""
    if grid.rows_of == "delta" or grid.reference is None or _numeric(grid.names):
        return None
    items = []
    for table in grid.body["tables"]:
        if table["metric"] not in ("declared_sr", "sr", "gc") or len(table["columns"]) > 4:
            continue
        panels: dict[str, dict[str, Mapping[str, Any]]] = {c: {} for c in table["columns"]}
        for test in table["tests"]:
            panels[test["column"]][test["row"]] = test
        rows = [r for r in table["rows"] if r != grid.reference]
        where = f", {', '.join(table['where'].values())}" if table["where"] else ""
        svg = curves.differences(
            rows,
            {c.replace("_", " "): tests for c, tests in panels.items()},
            grid.tints,
            f"{name_of(table['metric'])} minus {grid.reference}",
        )
        items.append((svg, f"{name_of(table['metric'])}{where}: difference to {grid.reference}; hollow: nothing may be claimed."))
    intro = f"Each row minus “{grid.reference}”, on the same tasks, seeds and fault draws. Negative: something is lost."
    return blocks.section("parts", "What each part is worth", intro, blocks.figures(*items)) if items else None


# ---- from the records ----------------------------------------------------------------------------------------------


def gap(grid: Grid) -> Block | None:
    return gap_section(grid.groups(), grid.records, grid.tints)


def gap_section(groups: Mapping[str, Mapping[str, str]], records: Mapping[str, Sequence[Record]], tints: Mapping[str, str]) -> Block | None:
    """Privileged against learned, and learned against schema, by subset.

    Args:
        groups: setting → source → label. records: label → its records.
    """
    found: list[Block] = []
    for a, b in PAIRS:
        some = {g: (ls[a], ls[b]) for g, ls in groups.items() if a in ls and b in ls and ls[a] in records}
        if not some or ((a, b) == PAIRS[2] and found):
            continue
        parts = {g: _gaps(records[x], records[y]) for g, (x, y) in some.items()}
        subsets = list(dict.fromkeys(s for p in parts.values() for s in p))
        reach = min(1.0, max(0.1, *(max(abs(d["low"]), abs(d["high"])) for p in parts.values() for d in p.values())))
        rows = []
        for s in subsets:
            cells = [blocks.difference(p[s], "sr", tints[b], reach) if s in p else blocks.plain("") for p in parts.values()]
            rows.append(blocks.row(s.replace("_", " "), cells, lead=s == "all"))
        rows.append(blocks.row(f"{b} keeps", [blocks.plain(_kept(records[x], records[y])) for x, y in some.values()]))
        heads = [g or "difference" for g in some]
        found += [{"kind": "heading", "text": f"{a} − {b}"}, blocks.table(["declared SR, points", *heads], rows)]
    intro = "Paired by task and seed; 95 % intervals. “Keeps”: its declared SR as a share of the other's."
    return blocks.section("gap", "The gap, by subset", intro, *found)


def _gaps(a: Sequence[Record], b: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Subset, and all → difference of declared SR, on episodes both ran."""
    pairs = both(a, b)
    subsets = ["all", *dict.fromkeys(x["subset"] for x, _ in pairs)]
    out = {}
    for s in subsets:
        part = [(x, y) for x, y in pairs if s in ("all", x["subset"])]
        if part:
            test = paired([x["declared_sr"] for x, _ in part], [y["declared_sr"] for _, y in part], [x["task"] for x, _ in part])
            out[s] = test.difference.to_dict()
    return out


def both(a: Sequence[Record], b: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Records of one task and seed side by side, where both have one."""
    of = {(r["task"], r["seed"]): r for r in b}
    return [(r, of[r["task"], r["seed"]]) for r in a if (r["task"], r["seed"]) in of]


def _kept(a: Sequence[Record], b: Sequence[Record]) -> str:
    top, bottom = sum(r["declared_sr"] for r in b), sum(r["declared_sr"] for r in a)
    return f"{100 * top / bottom:.0f} %" if bottom else "–"


def splits(grid: Grid) -> Block | None:
    """Declared SR by appearance of things, subset and kind of task."""
    if not grid.records:
        return None
    parts: dict[str, list[Block]] = {}
    for group, labels in grid.groups().items():
        found = [_split(grid, labels, p) for p in ("appearance", "subset", "kind") if p != grid.columns_of]
        parts[group] = [b for b in found if b is not None]
    intro = "Declared SR. Unseen: one of the things the task was made for has a shape or colour that no training house has."
    return blocks.section("splits", "Seen and unseen, by subset and kind", intro, blocks.tabs("split", "Setting", parts, grid.first))


def _split(grid: Grid, labels: Mapping[str, str], name: str) -> Block | None:
    def part(r: Record) -> str:
        return ("unseen" if r["novel"] else "seen") if name == "appearance" else str(r[name])

    rows = grid.records
    names = sorted({part(r) for label in labels.values() for r in rows[label]})
    if len(names) < 2:
        return None
    counts = {n: sum(part(r) == n for r in rows[next(iter(labels.values()))]) for n in names}
    lines = []
    for r, label in labels.items():
        cells = []
        for n in names:
            some = [x for x in rows[label] if part(x) == n]
            cells.append(blocks.score(value(some, "declared_sr").to_dict() if some else None, "declared_sr", grid.tints[r]))
        lines.append(blocks.row(r, cells, grid.tints[r], lead=r == grid.reference))
    body = blocks.table([f"by {name}", *(f"{n.replace('_', ' ')} ({counts[n]})" for n in names)], lines)
    return body if name != "kind" else blocks.folded("By kind of task", body)


# ---- causes --------------------------------------------------------------------------------------------------------


def causes(grid: Grid) -> Block | None:
    """First wrong link of every failed episode, stacked."""
    found = grid.body.get("attribution")
    if not found:
        return None
    by_label = {c["label"]: c for c in found["cells"]}
    used = [c for c in CAUSES if any(c in x["causes"] for x in found["cells"])]
    parts = {}
    for group, labels in grid.groups().items():
        rows = []
        for name, label in labels.items():
            x = by_label[label]
            shares = [(c, 100 * x["causes"][c] / max(1, x["episodes"]), CAUSE_TINTS[c], x["causes"][c]) for c in used if c in x["causes"]]
            luck = f", {x['other_faults']} by other faults alone" if x["failed"] and x["other_faults"] else ""
            rows.append({"name": name, "tint": grid.tints[name], "text": f"{x['failed']} of {x['episodes']} failed{luck}", "parts": shares})
        parts[group] = [blocks.stacked(rows, [(c, CAUSE_TINTS[c]) for c in used])]
    intro = (
        "For every failed episode (declared SR 0) one link at a time is replaced by the truth and the episode run again; the first that "
        "makes it succeed is named. “By other faults alone”: how many would have succeeded with nothing replaced, under other fault draws."
    )
    return blocks.section("causes", "Why episodes fail", intro, blocks.tabs("cause", "Setting", parts, grid.first))
