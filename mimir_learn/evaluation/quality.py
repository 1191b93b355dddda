"""The report's section on Δ itself: reliability and risk against coverage of the agent's own transitions, by source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mimir_learn.estimator.metrics import Scored, risk_coverage
from mimir_learn.evaluation import blocks, curves
from mimir_learn.evaluation.blocks import Block
from mimir_learn.evaluation.plots import _MANY, colours
from mimir_learn.evaluation.reading import Run
from mimir_learn.evaluation.reliability import reliability_bins
from mimir_learn.evaluation.results import judged_transitions

SHOWN = ("learned", "schema", "text")


def delta_section(run: Run, groups: Mapping[str, Sequence[str]], first: str) -> Block | None:
    """None where no record has steps of a source in `SHOWN`.

    Args:
        groups: setting → labels of its arms. first: the setting shown first.
    """
    if not run.rows:
        return None
    curves_of: dict[str, list[Scored]] = {}
    parts: dict[str, list[Block]] = {}
    for group, labels in groups.items():
        shown = [x for x in labels if _world(run, x) in SHOWN]
        items = {x: judged_transitions([{"trace": run.steps(r)} for r in run.rows[x]]) for x in shown}
        curves_of |= {group or x: i for x, i in items.items() if _world(run, x) == "learned" and x == _first_learned(run, shown)}
        if items:
            parts[group] = [_table(run, items)]
    if not parts:
        return None
    found: list[Block] = []
    if drawn := {g: i for g, i in curves_of.items() if any(x.predicted for x in i)}:
        tints = dict(zip(drawn, _MANY, strict=False)) if len(drawn) > 1 else dict.fromkeys(drawn, "#0f9d76")
        bins = {g: reliability_bins(i) for g, i in drawn.items()}
        risks = {g: curves.risk_curve(i) for g, i in drawn.items()}
        found.append(
            blocks.figures(
                (curves.reliability_lines(bins, tints, "Reliability, learned"), "On the diagonal a stated 80 % is right in 80 % of cases."),
                (
                    curves.risk_lines(risks, tints, "Risk and coverage, learned"),
                    "The surest changes first; dashed: one wrong in a hundred.",
                ),
            )
        )
    found.append(blocks.tabs("quality", "Setting", parts, first))
    intro = "The transitions the agents made themselves, one per judged action; what counts as right is said in docs/evaluation.md."
    return blocks.section("delta", "Quality of Δ", intro, *found)


def _world(run: Run, label: str) -> str:
    return run.source(label).partition("/")[0]


def _first_learned(run: Run, labels: Sequence[str]) -> str | None:
    return next((x for x in labels if _world(run, x) == "learned"), None)


def _table(run: Run, items: Mapping[str, Sequence[Scored]]) -> Block:
    names = {x: run.at[x].get("delta") or run.at[x].get("arm") or x for x in items}
    tints, rows = colours(list(names.values())), []
    for label, some in items.items():
        changes = [c for i in some for c in i.judged_changes()]
        right = sum(ok for _, ok in changes)
        exact = sum(i.exact() for i in some) / max(1, len(some))
        texts = [str(len(some)), f"{100 * exact:.1f}", str(len(changes)), f"{100 * (1 - right / len(changes)):.2f}" if changes else "–"]
        graded = len({p for p, _ in changes}) > 1
        if graded:
            spread = risk_coverage(some)
            ece = sum(b["n"] * abs(b["p"] - b["right"]) for b in reliability_bins(some)) / len(changes)
            texts += [f"{100 * spread['coverage_at_0.01']:.1f}", f"{spread['aurc']:.4f}", f"{ece:.4f}"]
        else:
            texts += ["–"] * 3
        rows.append(blocks.row(names[label], [blocks.plain(t) for t in texts], tints[names[label]], lead=_world(run, label) == "learned"))
    head = ["Δ for world memory", "actions", "exact Δ %", "claimed changes", "wrong %", "coverage at 1 % risk, %", "AURC", "ECE"]
    return blocks.table(head, rows, "–: every change is stated with the same probability, so nothing can be ranked.")
