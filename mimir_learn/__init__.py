"""Mimir, learned: neuro-symbolic memory for embodied agents, with Δ read off RGB-D frames."""

__version__ = "0.1.0"
