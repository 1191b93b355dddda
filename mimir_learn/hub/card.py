"""The model card: metadata the hub indexes, and what a person must know before trusting the numbers."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import yaml
from huggingface_hub import EvalResult, EvalResultEntry, ModelCard, ModelCardData, eval_result_entries_to_yaml

from mimir_learn import __version__
from mimir_learn.estimator.calibration import Calibration
from mimir_learn.hub.public import pretrained

EVAL_RESULTS = ".eval_results/mimir-delta.yaml"
LICENSE = "mit"
SCORED: Mapping[str, str] = {
    "test": "houses that neither training nor calibration has seen",
    "validation": "houses it was not trained on, but the epoch whose weights these are was chosen on houses of this split",
    "calibration": "houses it was not trained on, but its temperatures and thresholds were fitted on houses of this split",
}
"""Splits that a card may have scores of, and what that means."""

# key in the scores → (name, what it says)
HEADLINE: Mapping[str, tuple[str, str]] = {
    "changed_atom_f1": ("changed-atom F1", "facts that became true, found and not invented"),
    "changed_atom_f1_no_hand": ("changed-atom F1, hand left out", "every grasp counted once instead of twice"),
    "exact_delta": ("exact Δ", "share of transitions with nothing missing and nothing added"),
    "false_change_rate": ("false changes on no-ops", "share of transitions without change for which one is claimed"),
    "false_change_rate_manipulation": ("the same, manipulations that changed nothing", "refused ones left out"),
    "ece": ("ECE-15", "expected calibration error of the changes' probabilities"),
    "coverage_at_0.005": ("coverage at 0.5 % write risk", "share of claimed changes one may write if one in 200 may be wrong"),
}


def model_card(
    repo: str,
    config: Mapping[str, Any],
    recipe: Mapping[str, Any],
    scores: Mapping[str, Any],
    calibration: Calibration,
    dataset: str | None,
) -> str:
    """The card's text. ``scores`` as of `evaluation.score.score_checkpoint`: sources → Δ-quality numbers, split, log fingerprint."""
    learned = scores["sources"]["learned"]
    inside = pretrained(config)
    split, log = str(scores["split"]), str(scores["log_fingerprint"])
    results = [
        EvalResult(
            task_type="robotics",
            task_name="Δ estimation from before/after RGB-D",
            dataset_type=dataset or "mimir-household-log",
            dataset_name=dataset or f"household transition log {log[:12]}",
            dataset_split=split,
            metric_type=key,
            metric_name=name,
            metric_value=round(learned[key], 5),
        )
        for key, (name, _) in HEADLINE.items()
        if finite(learned.get(key))
    ]
    data = ModelCardData(
        model_name=repo.partition("/")[2],
        eval_results=results,
        library_name="mimir-learn",
        tags=["robotics", "embodied-ai", "rgb-d", "change-detection", "state-estimation", "mimir"],
        datasets=None if dataset is None else [dataset],
        license=LICENSE if not inside else "other",
        license_name="mit-and-that-of-the-pretrained-weights" if inside else None,
        license_link="README.md#licence" if inside else None,
    )
    body = resources.files("mimir_learn.hub").joinpath("templates/model_card.md.j2").read_text()
    return ModelCard.from_template(
        data,
        template_str=body,
        repo=repo,
        config=config,
        history=recipe.get("config", recipe),
        log_fingerprint=recipe.get("log_fingerprint", ""),
        scored_log=log,
        split=split,
        houses=SCORED[split],
        pretrained=inside,
        calibration=calibration,
        weights=calibration.weights_sha256,
        version=__version__,
        headline=_headline(scores["sources"]),
        sources=list(scores["sources"]),
        faults=_groups(learned, "fault"),
        verbs=_groups(learned, "verb"),
        appearance=_groups(learned, "appearance"),
        kinds={k: learned[f"f1.{k}"] for k in ("relation", "state", "hand") if finite(learned.get(f"f1.{k}"))},
        changes=_changes(learned),
        thresholds=_thresholds(calibration),
        reliability=bool(scores.get("reliability")),
    ).content


def eval_results_yaml(dataset: str, scores: Mapping[str, Any]) -> str:
    """The headline numbers in the hub's ``.eval_results`` format; the entries belong to the published log ``dataset``."""
    learned = scores["sources"]["learned"]
    entries = [
        EvalResultEntry(
            dataset_id=dataset,
            task_id=key,
            value=round(learned[key], 5),
            notes=f"{scores['split']} split, log {scores['log_fingerprint'][:12]}",
        )
        for key in HEADLINE
        if finite(learned.get(key))
    ]
    return yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False)


def reliability_png(bins: Sequence[Mapping[str, float]]) -> bytes:
    """Reliability diagram: stated probability against share right with 95 % Wilson intervals, dot area by count; PNG bytes, the same for
    the same bins."""
    from matplotlib.figure import Figure
    from statsmodels.stats.proportion import proportion_confint

    figure = Figure(figsize=(4.4, 4.4), dpi=110)
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="#9aa0a6", lw=0.8, ls="--")
    most = max((b["n"] for b in bins), default=1)
    for b in bins:
        low, high = proportion_confint(round(b["right"] * b["n"]), b["n"], method="wilson")
        axes.plot([b["p"], b["p"]], [low, high], color="#0f9d76", lw=1.6, alpha=0.45, solid_capstyle="round")
        axes.scatter([b["p"]], [b["right"]], s=14 + 150 * b["n"] / most, color="#0f9d76", alpha=0.8, zorder=3)
        if b["n"] < most:
            axes.annotate(
                f"{b['n']:.0f}", (b["p"], high), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=6.5, color="#667080"
            )
    axes.set(xlim=(0, 1.03), ylim=(0, 1.06), xlabel="stated probability of a change", ylabel="share that was right")
    axes.set_title(f"{sum(b['n'] for b in bins):.0f} claimed changes; small figures: how many in a bin", fontsize=8, loc="left")
    axes.set_aspect("equal")
    figure.tight_layout()
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


def finite(value: object) -> bool:
    """Whether a score is there and a number: a group without members has none."""
    return isinstance(value, int | float) and math.isfinite(value)


def _headline(sources: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, list[str]]]:
    def cell(numbers: Mapping[str, Any], key: str) -> str:
        return f"{numbers[key]:.4f}" if finite(numbers.get(key)) else "–"

    return [(name, meaning, [cell(numbers, key) for numbers in sources.values()]) for key, (name, meaning) in HEADLINE.items()]


def _changes(numbers: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """(kind of change, how many true ones, F1), frequent ones first; see `metrics.change_kinds`."""
    found = {k.removesuffix(".f1").removeprefix("change."): v for k, v in numbers.items() if k.startswith("change.") and k.endswith(".f1")}
    rows = [(name, int(numbers.get(f"change.{name}.n") or 0), f1) for name, f1 in found.items() if finite(f1)]
    rows = [(name, n, f"{f1:.3f}" if n else "–") for name, n, f1 in rows]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _thresholds(calibration: Calibration) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Families, and per level of precision the probability from which on a family's changes may be written ("never" where none is)."""
    levels: Mapping[str, Mapping[str, float]] = getattr(calibration, "thresholds", {})
    families = list(next(iter(levels.values()), {}))
    return families, [(level, [f"{cut[f]:.4f}" if cut[f] <= 1 else "never" for f in families]) for level, cut in sorted(levels.items())]


def _groups(numbers: Mapping[str, Any], prefix: str) -> list[tuple[str, int, str, str]]:
    """(group, transitions, exact Δ, F1) of everything filed under ``prefix.<group>.``, larger groups first.

    A group in which nothing truly changed has no recall, and so no F1 that would say anything.
    """
    names = {key.split(".")[1] for key in numbers if key.startswith(f"{prefix}.") and key.endswith(".exact_delta")}
    rows = []
    for name in names:
        part = {k: numbers[f"{prefix}.{name}.{k}"] for k in ("n", "exact_delta", "changed_atom_f1", "changed_atom_recall")}
        f1 = f"{part['changed_atom_f1']:.3f}" if finite(part["changed_atom_recall"]) else "–"
        rows.append((name, int(part["n"]), f"{part['exact_delta']:.3f}", f1))
    return sorted(rows, key=lambda row: (-row[1], row[0]))
