"""Range checks for settings: a value that cannot be meant is refused by name before anything is computed."""

from __future__ import annotations

import math

from mimir_learn.errors import ConfigError


def whole(key: str, value: object, least: int) -> None:
    """Raises ConfigError unless ``value`` is an integer of at least ``least``."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{key} is {value!r}; give a whole number, at least {least}")


def positive(key: str, value: object) -> None:
    """Raises ConfigError unless ``value`` is a finite number above 0."""
    if not _number(value) or not value > 0:  # type: ignore[operator]
        raise ConfigError(f"{key} is {value!r}; give a number above 0")


def not_negative(key: str, value: object) -> None:
    """Raises ConfigError unless ``value`` is a finite number of at least 0."""
    if not _number(value) or not value >= 0:  # type: ignore[operator]
        raise ConfigError(f"{key} is {value!r}; give a number, at least 0")


def chance(key: str, value: object, *, below_one: bool = False) -> None:
    """Raises ConfigError unless ``value`` is in [0, 1], or in [0, 1) with ``below_one``."""
    if not _number(value) or not 0 <= value <= 1 or (below_one and value == 1):  # type: ignore[operator]
        raise ConfigError(f"{key} is {value!r}; it is a chance, give a number from 0 to {'below 1' if below_one else '1'}")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
