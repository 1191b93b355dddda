"""Line figures of the report: success against faults or a number, differences to a reference, reliability and risk against coverage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from mimir_learn.errors import ConfigError
from mimir_learn.estimator.metrics import Scored
from mimir_learn.evaluation.arms import fault_rates, fault_setting
from mimir_learn.evaluation.plots import INK, _style, _svg

WIDE = (5.0, 3.5)  # small enough that its text stays legible on a phone without scrolling


@dataclass(frozen=True)
class At:
    """A value with its interval at ``x``."""

    x: float
    value: float
    low: float
    high: float


def fault_level(label: str) -> float | None:
    """The fault level of an axis label such as "rough" or "0.1"; None for a suite that is no level of the standard mix."""
    from mimir_learn.envs.household.faults import FaultRates

    try:
        setting = fault_setting(label, "faults")
    except ConfigError:
        return None
    if isinstance(setting, float):
        return setting
    rates = fault_rates(setting)
    return rates.unfilled if rates == FaultRates.level(rates.unfilled) else None


def against_faults(
    series: Mapping[str, Mapping[str, Mapping[str, float]]], tints: Mapping[str, str], title: str, *, percent: bool = True
) -> str:
    """Left: lines over the fault levels, bands are intervals. Right: fault suites that are no level, a dot each.

    Args:
        series: row → fault label → {value, low, high}.
    """
    labels = list(dict.fromkeys(f for by in series.values() for f in by))
    level = {f: p for f in labels if (p := fault_level(f)) is not None}
    apart = [f for f in labels if f not in level]
    with _style():
        ratios = [max(1.6, len(level)), 0.9 * len(apart) + 0.35] if apart else [1.0]
        figure, axes = plt.subplots(1, len(ratios), figsize=WIDE, sharey=True, width_ratios=ratios, squeeze=False)
        ax = axes[0, 0]
        names = sorted(level, key=lambda f: level[f])
        points = {n: [_at(level[f], by[f]) for f in names if f in by] for n, by in series.items()}
        _lines(ax, points, tints, _apart(list(level.values()), len(series)))
        ax.set_xticks([level[f] for f in names], [f if f == f"{level[f]:g}" else f"{f}\n{level[f]:g}" for f in names])
        ax.set_xlabel("fault level")
        if apart:
            other = axes[0, 1]
            width = 0.6 / max(1, len(series))
            for s, (name, by) in enumerate(series.items()):
                for i, f in enumerate(apart):
                    if f in by:
                        x, v = i - 0.3 + width * (s + 0.5), by[f]
                        other.plot([x, x], [v["low"], v["high"]], color=tints[name], lw=3, alpha=0.3, solid_capstyle="round")
                        other.plot([x], [v["value"]], "o", ms=4.5, color=tints[name])
            other.set_xticks(range(len(apart)), apart)
            other.set_xlim(-0.6, len(apart) - 0.4)
            other.grid(axis="y")
            other.spines["left"].set_visible(False)
            other.tick_params(length=0)
        _finish(ax, title, percent)
        _legend(figure, series, tints)
        return _svg(figure, title)


def against_number(
    series: Mapping[str, Sequence[At]], tints: Mapping[str, str], title: str, xlabel: str, *, percent: bool = True, log: bool = False,
    level: Mapping[str, Mapping[str, float]] | None = None,
) -> str:  # fmt: skip
    """Lines over a number; bands are intervals. ``level``: more rows, drawn as level lines, for comparison."""
    with _style():
        figure, ax = plt.subplots(figsize=WIDE)
        xs = sorted({p.x for points in series.values() for p in points})
        _lines(ax, series, tints, 0.0 if log else _apart(xs, len(series)))
        for name, v in (level or {}).items():
            ax.axhline(v["value"], color=tints[name], lw=1.4, ls=(0, (4, 2)))
        if log:
            ax.set_xscale("log")
            ax.minorticks_off()
        ax.set_xticks(xs, [f"{x:g}" for x in xs])
        ax.set_xlabel(xlabel)
        _finish(ax, title, percent)
        _legend(figure, {**series, **(level or {})}, tints)
        return _svg(figure, title)


def differences(
    rows: Sequence[str],
    panels: Mapping[str, Mapping[str, Mapping[str, Any]]],
    tints: Mapping[str, str],
    title: str,
    *,
    percent: bool = True,
) -> str:
    """Every row minus the reference with its interval, a panel per column; a hollow dot where nothing may be claimed.

    Args:
        panels: column → row → a test of tables.py.
    """
    factor = 100 if percent else 1
    with _style():
        size = (max(5.0, 1.4 + 2.3 * len(panels)), 0.42 * len(rows) + 1.15)
        figure, axes = plt.subplots(1, len(panels), figsize=size, sharey=True, squeeze=False)
        for ax, (column, tests) in zip(axes[0], panels.items(), strict=True):
            ax.axvline(0, color=INK, lw=0.8, alpha=0.5)
            for i, row in enumerate(rows):
                if row not in tests:
                    continue
                d, sure = tests[row]["difference"], tests[row]["verdict"] in ("better", "worse")
                ax.plot([factor * d["low"], factor * d["high"]], [-i, -i], color=tints[row], lw=5, alpha=0.3, solid_capstyle="round")
                ax.plot([factor * d["value"]], [-i], "o", ms=7, color=tints[row], mfc=tints[row] if sure else "none", mew=1.6)
            ax.set_yticks([-i for i in range(len(rows))], rows)
            ax.set_ylim(-len(rows) + 0.4, 0.6)
            ax.tick_params(length=0)
            ax.spines["left"].set_visible(False)
            ax.grid(axis="x")
            ax.set_title(column, fontsize=10, loc="left", alpha=0.8)
            ax.set_xlabel("points" if percent else "")
        if not any(panels):
            axes[0, 0].set_title(title, fontsize=11, loc="left")
        figure.tight_layout(w_pad=1.2)
        return _svg(figure, title)


def reliability_lines(bins: Mapping[str, Sequence[Mapping[str, float]]], tints: Mapping[str, str], title: str) -> str:
    """Stated probability against the share that was right: dot area by count, a line through dots of 10 and more."""
    with _style():
        figure, ax = plt.subplots(figsize=(4.4, 3.9))
        ax.plot([0, 1], [0, 1], ls=(0, (4, 3)), color=INK, lw=0.8, alpha=0.5)
        for name, rows in bins.items():
            most = max((b["n"] for b in rows), default=1)
            xs, ys = [b["p"] for b in rows], [b["right"] for b in rows]
            sure = [b for b in rows if b["n"] >= 10]
            ax.plot([b["p"] for b in sure], [b["right"] for b in sure], color=tints[name], lw=1.2, alpha=0.6)
            ax.scatter(xs, ys, s=[10 + 90 * b["n"] / most for b in rows], color=tints[name], alpha=0.75, lw=0)
        ax.set(xlim=(-0.02, 1.03), ylim=(-0.02, 1.03), xlabel="stated probability of a change", ylabel="share that was right")
        ax.grid()
        ax.set_title(title, fontsize=11, loc="left")
        if len(bins) > 1:
            _legend(figure, bins, tints)
        return _svg(figure, title)


def risk_lines(curves: Mapping[str, Sequence[tuple[float, float]]], tints: Mapping[str, str], title: str) -> str:
    """Share of wrong changes among the surest, against how many of them are taken."""
    with _style():
        figure, ax = plt.subplots(figsize=(4.4, 3.9))
        for name, points in curves.items():
            ax.plot([100 * c for c, _ in points], [100 * r for _, r in points], color=tints[name], lw=1.8)
        ax.axhline(1.0, color=INK, lw=0.8, ls=(0, (4, 3)), alpha=0.5)
        ax.annotate("1 %", (0, 1.0), xytext=(2, 3), textcoords="offset points", fontsize=8, alpha=0.7)
        ax.set(xlim=(0, 101), xlabel="coverage: share of claimed changes taken, %", ylabel="risk: wrong among them, %")
        ax.set_ylim(bottom=0)
        ax.grid()
        ax.set_title(title, fontsize=11, loc="left")
        if len(curves) > 1:
            _legend(figure, curves, tints)
        return _svg(figure, title)


def risk_curve(items: Iterable[Scored], most: int = 160) -> list[tuple[float, float]]:
    """(coverage, risk) of predicted changes ranked by probability, as in `metrics.risk_coverage`; changes of one probability go together.

    At most about ``most`` points, the first and the last among them.
    """
    ranked = sorted((c for i in items for c in i.judged_changes()), key=lambda x: -x[0])
    if not ranked:
        return []
    p = np.array([x for x, _ in ranked])
    wrong = np.cumsum([not ok for _, ok in ranked])
    ends = np.flatnonzero(np.append(p[1:] != p[:-1], True))
    keep = ends[np.unique(np.linspace(0, len(ends) - 1, min(most, len(ends))).astype(int))]
    return [(float((k + 1) / len(p)), float(wrong[k] / (k + 1))) for k in keep]


def _at(x: float, v: Mapping[str, float]) -> At:
    return At(x, v["value"], v["low"], v["high"])


def _apart(xs: Sequence[float], rows: int) -> float:
    """How far the points of two rows stand apart: all of them within a third of the smallest step."""
    step = min(np.diff(sorted(xs)), default=0.0)
    return float(step / 3 / max(1, rows - 1))


def _lines(ax: Axes, series: Mapping[str, Sequence[At]], tints: Mapping[str, str], dodge: float = 0.0) -> None:
    """A line per row. Few rows have bands for intervals; many have bars, ``dodge`` apart, because bands would blend."""
    for s, (name, points) in enumerate(series.items()):
        shift = dodge * (s - (len(series) - 1) / 2)
        xs = [p.x + shift for p in points]
        if len(series) <= 2:
            ax.fill_between(xs, [p.low for p in points], [p.high for p in points], color=tints[name], alpha=0.12, lw=0)
        else:
            ax.vlines(xs, [p.low for p in points], [p.high for p in points], color=tints[name], alpha=0.35, lw=2.2, capstyle="round")
        ax.plot(xs, [p.value for p in points], "-o", color=tints[name], lw=2.2 if name == "learned" else 1.4, ms=4.5)
    ax.grid(axis="y")
    ax.tick_params(length=0)


def _finish(ax: Axes, title: str, percent: bool) -> None:
    if percent:
        ax.set_ylim(-0.02, 1.03)
        ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    else:
        ax.set_ylim(bottom=0)
    ax.spines["left"].set_visible(False)
    ax.set_title(title, fontsize=11, loc="left")


def _legend(figure: Any, names: Iterable[str], tints: Mapping[str, str]) -> None:
    marks = [plt.Line2D([], [], color=tints[n], lw=2.4, label=n) for n in names]
    figure.legend(
        handles=marks,
        loc="upper left",
        bbox_to_anchor=(0.06, -0.05),
        ncols=min(4, len(marks)),
        fontsize=9,
        handlelength=1.1,
        columnspacing=1.2,
    )
