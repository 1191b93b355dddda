"""Houses from a seed, or from a JSON file that somebody wrote or edited by hand."""

from __future__ import annotations

from pathlib import Path

from mimir_learn.envs.household import HouseSpec, generate_house
from mimir_learn.errors import ConfigError, SymbolError


def house_of(seed: int, file: str | None) -> HouseSpec:
    """The house in ``file``, or without one the generated house of ``seed``.

    Raises ConfigError where the file cannot be read, SymbolError naming it and what is wrong where it holds no sound house.
    """
    if file is None:
        return generate_house(seed)
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
