"""Figures of the report as inline SVG whose ink follows the page (light or dark)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#010203"  # replaced by currentColor, so that text and axes turn light on a dark page
COLOURS = {
    "privileged_no_fault": "#8a8f98",
    "privileged": "#5b6ee1",
    "learned": "#0f9d76",
    "schema": "#e0872c",
    "text": "#b35bd6",
    "none": "#c2485b",
}
_MORE = ("#3b9ec9", "#a3872f", "#7a5c43", "#64748b")
_NOISE = ("#9fc2d8", "#84b0ca", "#6a9dbb", "#518aac", "#39779d")
_MANY = ("#0f9d76", "#5b6ee1", "#e0872c", "#b35bd6", "#c2485b", "#3b9ec9", "#a3872f", "#7a5c43", "#64748b", "#d0679d", "#5f9e3f", "#8a8f98")


def colour(arm: str, index: int = 0) -> str:
    """One colour per arm throughout the report."""
    return COLOURS.get(arm, _MORE[index % len(_MORE)])


def noise_rates(names: Sequence[str]) -> dict[str, float]:
    """p of each name that is ``noisy(p)``."""
    found = {n: re.fullmatch(r"noisy\(([\d.]+)\)", n) for n in names}
    return {n: float(m[1]) for n, m in found.items() if m is not None}


def colours(names: Sequence[str]) -> dict[str, str]:
    """One colour per row of a table: sources keep theirs, noisy(p) darkens with p, anything else takes the next of a list."""
    noisy = sorted(noise := noise_rates(names), key=noise.__getitem__)
    out = {n: _NOISE[round(i * (len(_NOISE) - 1) / max(1, len(noisy) - 1))] for i, n in enumerate(noisy)}
    out |= {n: COLOURS[n] for n in names if n in COLOURS}
    free = [c for c in _MANY if c not in out.values()] or list(_MANY)
    others = [n for n in names if n not in out]
    return out | {n: free[i % len(free)] for i, n in enumerate(others)}


@contextmanager
def _style() -> Iterator[None]:
    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "mimir",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "grid.color": INK,
        "grid.alpha": 0.12,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
    }
    with plt.rc_context(settings):
        yield


def _svg(figure: Figure, label: str) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", pad_inches=0.05, metadata={"Date": None})
    plt.close(figure)
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"font: [^;\"]*'sans-serif'[^;\"]*", lambda m: m[0].replace("'sans-serif'", "inherit"), text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\s(width|height)="[\d.]+pt"', "", text, count=2)
    return text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _interval(ax: Axes, y: float, metric: Mapping[str, float], tint: str, percent: bool, bold: bool) -> None:
    ax.plot([metric["low"], metric["high"]], [y, y], color=tint, lw=6 if bold else 4.5, alpha=0.35, solid_capstyle="round")
    ax.plot([metric["value"]], [y], "o", color=tint, ms=8 if bold else 6.5)
    label = f"{100 * metric['value']:.0f} %" if percent else f"{metric['value']:.2f}"
    ax.annotate(
        label, (metric["value"], y), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9, weight="bold" if bold else "normal"
    )


def forest(arms: Mapping[str, Any], metric: str, title: str, percent: bool = True) -> str:
    """One row per arm: the value as a dot on its interval."""
    with _style():
        figure, ax = plt.subplots(figsize=(5.2, 0.5 * len(arms) + 0.9))
        for i, (name, body) in enumerate(arms.items()):
            _interval(ax, -i, body["metrics"][metric], colour(name, i), percent, name == "learned")
        ax.set_yticks([-i for i in range(len(arms))], list(arms))
        for label in ax.get_yticklabels():
            label.set_fontweight("bold" if label.get_text() == "learned" else "normal")
        ax.tick_params(length=0)
        ax.spines["left"].set_visible(False)
        ax.set_ylim(-len(arms) + 0.4, 0.7)
        if percent:
            ax.set_xlim(-0.03, 1.05)
            ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
        else:
            ax.set_xlim(left=min(0.0, -0.02 * max(b["metrics"][metric]["high"] for b in arms.values())))
        ax.grid(axis="x")
        ax.set_title(title, fontsize=11, loc="left")
        return _svg(figure, title)


def grouped_bars(
    groups: Sequence[str], series: Mapping[str, Sequence[float | None]], title: str, counts: Sequence[int] | None = None
) -> str:
    """Horizontal bars in groups; a missing value leaves a gap. ``counts``: the largest number of cases of any series in each group."""
    with _style():
        height = 0.8 / max(1, len(series))
        figure, ax = plt.subplots(figsize=(5.2, 0.6 * len(groups) + 0.9))
        for s, (name, values) in enumerate(series.items()):
            for g, value in enumerate(values):
                y = -g + 0.4 - height * (s + 0.5)
                if value is not None and value == value:
                    ax.barh(y, value, height * 0.86, color=colour(name, s), label=name if g == 0 else None)
                    ax.annotate(f"{value:.2f}", (value, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8)
        names = list(groups) if counts is None else [f"{g}\n(largest n = {n})" for g, n in zip(groups, counts, strict=True)]
        ax.set_yticks([-g for g in range(len(groups))], names)
        ax.tick_params(length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlim(0, 1.08)
        ax.grid(axis="x")
        ax.set_axisbelow(True)
        handles = [plt.Rectangle((0, 0), 1, 1, color=colour(n, i)) for i, n in enumerate(series)]
        ax.legend(handles, list(series), loc="upper center", bbox_to_anchor=(0.45, -0.06), ncols=len(series), fontsize=9)
        ax.set_title(title, fontsize=11, loc="left")
        return _svg(figure, title)


def reliability(bins: Sequence[Mapping[str, float]], title: str) -> str:
    """Stated probability against the share that was right, dot area by count; the diagonal is perfect calibration."""
    with _style():
        figure, ax = plt.subplots(figsize=(4.0, 3.8))
        ax.plot([0, 1], [0, 1], "--", color=INK, lw=0.8, alpha=0.5)
        most = max((b["n"] for b in bins), default=1)
        ax.scatter(
            [b["p"] for b in bins],
            [b["right"] for b in bins],
            s=[18 + 160 * b["n"] / most for b in bins],
            color=colour("learned"),
            alpha=0.75,
        )
        ax.set(xlim=(-0.02, 1.04), ylim=(-0.02, 1.04), xlabel="stated probability of a change", ylabel="share that was right")
        ax.grid()
        ax.set_title(title, fontsize=11, loc="left")
        return _svg(figure, title)
