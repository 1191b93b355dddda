"""What a reader of a success table must know, worded from the evaluation's own numbers: no claim here without its interval."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

UNCALIBRATED = (
    "uncalibrated (its export holds no calibration.json): the probabilities of `learned` were never fitted to held-out transitions, and "
    "the gate's thresholds rest on them"
)


def uncalibrated(sources: Collection[str], hashes: Mapping[str, Any]) -> bool:
    """Whether one of the ``sources`` is a checkpoint without calibration; ``hashes``: see `run.checkpoint_hashes`."""
    return "learned" in sources and hashes.get("checkpoint_sha256") is not None and hashes.get("calibration_sha256") is None


def p_text(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def caveats(results: Mapping[str, Any]) -> list[str]:
    """What a reader of the success table should know, said with this evaluation's own numbers."""
    arms, out = results["arms"], []
    if uncalibrated({s for b in arms.values() for s in (b["world"], b["task"])}, results["settings"]):
        out.append(f"The estimator is {UNCALIBRATED}.")
    idle = [n for n, b in arms.items() if b["task"] == "none"]
    if idle:
        out.append(
            f"Declared SR of {', '.join(idle)} is 0 by construction: a goal is completed only through Δ, and task memory is given none "
            "there. It is a definition, not a finding; SR and GC are measured."
        )
    world = _effect(results, "privileged", "none/privileged", "Δ for world memory alone (task memory has the true Δ in both arms)")
    task = _effect(results, "none/privileged", "none", "Δ for task memory alone (world memory has none in both arms)", ("sr",))
    if world:
        seen = results["settings"]["perception"]
        shown = any(_excludes_zero(results, "privileged", "none/privileged", m) for m in ("declared_sr", "sr"))
        verdict = (
            "So Δ in world memory by itself does change success here."
            if shown
            else f"So under {seen} perception, which tells U_W^obs what is in view at every step, no gain in success from Δ in world "
            "memory by itself is shown."
        )
        out.append(" ".join([world, *([task] if task else []), verdict]))
    elif task:
        out.append(task)
    return out


def _test(results: Mapping[str, Any], a: str, b: str, metric: str) -> Mapping[str, Any] | None:
    return next((p for p in results["paired"] if (p["a"], p["b"], p["metric"]) == (a, b, metric)), None)


def _excludes_zero(results: Mapping[str, Any], a: str, b: str, metric: str) -> bool:
    test = _test(results, a, b, metric)
    return test is not None and (test["difference"]["low"] > 0 or test["difference"]["high"] < 0)


def _effect(results: Mapping[str, Any], a: str, b: str, what: str, metrics: Sequence[str] = ("declared_sr", "sr")) -> str:
    """One sentence on ``a`` against ``b``; empty when they were not tested against each other."""
    parts = []
    for metric in metrics:
        test = _test(results, a, b, metric)
        if test is None:
            return ""
        d = test["difference"]
        label = {"sr": "SR", "declared_sr": "declared SR"}[metric]
        parts.append(f"{label} {100 * d['value']:+.1f} points ({100 * d['low']:+.1f} … {100 * d['high']:+.1f}, p {p_text(test['p'])})")
    m, n = (results["arms"][x]["metrics"] for x in (a, b))
    beside = (("memory_f1", "memory F1", 2), ("steps", "steps", 1))
    sides = [f"{text} {n[k]['value']:.{digits}f} → {m[k]['value']:.{digits}f}" for k, text, digits in beside]
    return f"{what}, {a} − {b}: {'; '.join([*parts, *sides])}."
