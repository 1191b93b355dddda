"""Errors a user can meet. Each names the thing that is wrong and the cure."""


class MimirError(Exception):
    """Base of every error this package raises on purpose; the CLI prints it without a traceback."""


class SymbolError(MimirError, ValueError):
    """A symbol (entity, action, goal, Δ) that would be ill-formed."""


class ObservationError(MimirError, ValueError):
    """A frame no sensor could have taken: wrong shape or dtype, NaN depth, or no depth return at all."""


class LogError(MimirError):
    """A transition log that is missing, truncated or inconsistent; names file and row."""


class CheckpointError(MimirError):
    """A checkpoint that cannot be used here: damaged, newer schema, or another vocabulary."""


class SimulatorError(MimirError):
    """A simulator that cannot start (missing package, no GL driver); names the cure."""


class ConfigError(MimirError, ValueError):
    """A configuration that contradicts itself or names something that does not exist."""
