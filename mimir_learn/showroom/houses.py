"""Houses from a seed, or from a JSON file that somebody wrote or edited by hand."""

from __future__ import annotations

from pathlib import Path

from mimir_learn.envs.household import HouseSpec, generate_house
from mimir_learn.errors import ConfigError, SymbolError


def house_of(seed: int, file: str | None, rooms: int | None = None) -> HouseSpec:
    """The house in ``file``, or without one the generated house of ``seed``, of so many ``rooms`` (None: as drawn).

    Raises ConfigError where the file cannot be read or there is no house of so many rooms, SymbolError naming it and what is wrong where it
    holds no sound house.
    """
    if file is None:
        return generate_house(seed, rooms)
    try:
        text = Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError as e:
        raise ConfigError(f"{file} is no UTF-8 text ({e}); a house is JSON, see `mimir show house --json`") from e
    except OSError as e:
        raise ConfigError(f"{file} cannot be read: {e.strerror}; write a house to start from with `mimir show house --json`") from e
    try:
        return HouseSpec.from_json(text)
    except SymbolError as e:
        raise SymbolError(f"{file}: {e}") from e
