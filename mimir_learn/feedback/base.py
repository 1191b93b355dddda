"""Chooses a Δ-source by its configured name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.feedback.noisy import NoisySource
from mimir_learn.feedback.none import NoneSource
from mimir_learn.feedback.privileged import Privileged, PrivilegedSource
from mimir_learn.feedback.schema import SchemaSource
from mimir_learn.feedback.text import TextSource
from mimir_learn.symbols import DeltaSource

SOURCES = ("privileged", "learned", "schema", "text", "difference", "geometry", "vlm(MODEL)", "none", "noisy(p)")
_NOISY = re.compile(r"noisy\(\s*([0-9.eE+-]+)\s*\)")
_VLM = re.compile(r"vlm\((.+)\)")


def make_source(spec: str, *, privileged: Privileged | None = None, checkpoint: str | Path | None = None, **learned: Any) -> DeltaSource:
    """The Δ-source that ``spec`` names: one of `SOURCES`, e.g. ``learned``, ``noisy(0.1)`` or
    ``vlm(owner/name)``.

    Args:
        privileged: the sealed channel; only ``privileged`` and ``noisy`` take it, and need it.
        checkpoint: directory of a trained estimator; only ``learned`` takes it, and needs it. Further keywords go to `LearnedSource`.

    Raises ConfigError naming what is missing or unknown.
    """
    spec = spec.strip()
    noisy = _NOISY.fullmatch(spec)
    if spec == "privileged" or noisy is not None:
        if privileged is None:
            raise ConfigError(f"feedback source {spec!r} reads the simulator's true state; pass privileged=env.privileged_state")
        return PrivilegedSource(privileged) if noisy is None else NoisySource(privileged, _rate(spec, noisy[1]))
    if spec == "learned":
        if checkpoint is None:
            raise ConfigError("feedback source 'learned' needs a checkpoint directory; train one with `mimir train`")
        from mimir_learn.feedback.learned import LearnedSource  # imports torch, so only when asked for

        source: DeltaSource = LearnedSource(checkpoint, **learned)
        return source
    if (vlm := _VLM.fullmatch(spec)) is not None:
        from mimir_learn.feedback.vlm import vlm_source  # transformers, so only when asked for

        return vlm_source(vlm[1].strip())
    if spec in ("difference", "geometry"):  # measured in pixels with the estimator's tools
        from mimir_learn.feedback.difference import DifferenceSource
        from mimir_learn.feedback.geometry import GeometrySource

        return DifferenceSource() if spec == "difference" else GeometrySource()
    plain: dict[str, Callable[[], DeltaSource]] = {"schema": SchemaSource, "text": TextSource, "none": NoneSource}
    if spec not in plain:
        raise ConfigError(f"unknown feedback source {spec!r}; choose one of {', '.join(SOURCES)}")
    return plain[spec]()


def _rate(spec: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"feedback source {spec!r}: {text!r} is not a number") from None
