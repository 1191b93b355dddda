"""The ablation's plot: every arm's numbers as dots on their intervals, each seed a small tick, untrained sources apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from mimir_learn.evaluation.plots import INK, _style, _svg

SHOWN = {"changed_atom_f1": "changed-atom F1, %", "exact_delta": "exact Δ, %", "exact_delta_faulty": "exact Δ under faults, %"}
_TRAINED, _UNTRAINED, _REFERENCE = "#0f9d76", "#e0872c", "#5b6ee1"


def plot(results: Mapping[str, Any]) -> str:
    """An SVG, one panel per number of `SHOWN`, rows in the table's order, a line at the reference."""
    rows = results["rows"]
    with _style():
        figure, axes = plt.subplots(1, len(SHOWN), figsize=(3.3 * len(SHOWN), 0.3 * len(rows) + 1.1), sharey=True)
        for ax, (metric, title) in zip(np.atleast_1d(axes), SHOWN.items(), strict=True):
            for y, row in enumerate(rows):
                number = row["numbers"][metric]
                tint = _REFERENCE if row["name"] == results["reference"] else _TRAINED if row["trained"] else _UNTRAINED
                if row["name"] == results["reference"]:
                    ax.axvline(100 * number["value"], color=tint, lw=0.8, alpha=0.6)
                ax.plot([100 * number["low"], 100 * number["high"]], [-y, -y], color=tint, lw=4, alpha=0.3, solid_capstyle="round")
                ax.plot([100 * v for v in number["values"]], [-y] * len(number["values"]), "|", color=INK, ms=6, mew=0.8, alpha=0.6)
                ax.plot([100 * number["value"]], [-y], "o", color=tint, ms=5)
            ax.set_title(title, fontsize=10, loc="left")
            ax.set_ylim(-len(rows) + 0.4, 0.6)
            ax.tick_params(length=0)
            ax.spines["left"].set_visible(False)
            ax.grid(axis="x")
        np.atleast_1d(axes)[0].set_yticks([-y for y in range(len(rows))], [row["name"] for row in rows])
        return _svg(figure, "ablations: numbers with 95 % intervals")
