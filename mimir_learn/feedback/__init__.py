"""The Δ-sources and the gate between them and memory."""

from mimir_learn.feedback.base import SOURCES, make_source
from mimir_learn.feedback.gate import DeltaGate, GateConfig, Verdict
from mimir_learn.feedback.schema import nominal_delta

__all__ = ["SOURCES", "DeltaGate", "GateConfig", "Verdict", "make_source", "nominal_delta"]
