"""The README's picture: declared success per Δ-source beside a strip of frames with true and written Δ."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import shorten
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.plots import colour
from mimir_learn.evaluation.strips import frame_of
from mimir_learn.evaluation.viewer import atom_text
from mimir_learn.symbols import Delta

FRAMES = 5


def picture_from_folder(folder: Path, out: Path) -> Path:
    """Draw ``folder``'s results.json and strips.json to the PNG ``out``. Raises ConfigError when they are missing."""
    try:
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        strips = json.loads((folder / "strips.json").read_text(encoding="utf-8"))
    except FileNotFoundError as e:
        raise ConfigError(f"no {Path(e.filename).name} in {folder}; run `mimir demo` or `mimir eval` first") from None
    if not strips:
        raise ConfigError(f"{folder}/strips.json holds no episode; evaluate with strips ≥ 1")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    steps = _telling(strips[0]["steps"])
    figure = plt.figure(figsize=(11, 5.4), dpi=110, facecolor="white")
    grid = figure.add_gridspec(2, FRAMES, height_ratios=(1.35, 1), hspace=0.55, wspace=0.12, left=0.15, right=0.98, top=0.9, bottom=0.08)
    for i, (t, step) in enumerate(steps):
        ax = figure.add_subplot(grid[0, i])
        ax.imshow(frame_of(step["image"]))
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_title(f"{t}. {step['command']}", fontsize=8)
        fault = f"fault: {step['fault'].replace('_', ' ')}" if step["fault"] else ""
        ax.set_xlabel(f"Δ true: {_text(step['judged'])}\nΔ written: {_text(step['committed'])}\n{fault}", fontsize=7)
    asked = shorten(strips[0]["instruction"], 88, placeholder=" …")
    figure.text(0.15, 0.955, f"“{asked}”, Δ from the {strips[0]['arm']} source", fontsize=10, weight="bold")
    _bars(figure.add_subplot(grid[1, :]), results)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, metadata={"Software": None})
    plt.close(figure)
    return out


def _telling(steps: list[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """Up to `FRAMES` steps in order: those with a fault or a change first, no action shown twice with the same outcome."""
    seen: set[tuple[str, str, str]] = set()
    ranked: list[tuple[int, int, dict[str, Any]]] = []
    for t, step in enumerate(steps, 1):
        key = (step["command"], step["fault"], step["judged"])
        changed = len(Delta.from_json(step["judged"])) > 0
        repeated = key in seen
        seen.add(key)
        ranked.append((3 if repeated else 0 if step["fault"] not in ("", "exogenous") else 1 if changed else 2, t, step))
    return sorted(((t, s) for _, t, s in sorted(ranked, key=lambda x: x[:2])[:FRAMES]), key=lambda x: x[0])


def _text(delta: str) -> str:
    atoms = [atom_text(a) for a in sorted(Delta.from_json(delta).atoms) if a[0] != "hand"]
    return ", ".join(atoms) or "∅"


def _bars(ax: Any, results: dict[str, Any]) -> None:
    for i, (name, body) in enumerate(results["arms"].items()):
        m = body["metrics"]["declared_sr"]
        ax.plot([100 * m["low"], 100 * m["high"]], [-i, -i], lw=6, alpha=0.35, color=colour(name, i), solid_capstyle="round")
        ax.plot([100 * m["value"]], [-i], "o", ms=7, color=colour(name, i))
    ax.set_yticks([-i for i in range(len(results["arms"]))], list(results["arms"]), fontsize=8)
    ax.set_xlim(-2, 103)
    ax.tick_params(axis="x", labelsize=8)
    ax.set_title("declared success, % of tasks in unseen houses (95 % intervals)", fontsize=9, loc="left")
    ax.grid(axis="x", alpha=0.2)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
