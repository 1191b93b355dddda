"""Arms of an evaluation: which Δ-source feeds world memory, which feeds task memory, and how often actions go wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mimir_learn.errors import ConfigError

SOURCES = ("privileged", "learned", "schema", "text", "none", "noisy")
_SPEC = re.compile(r"(?P<world>[^/@]+)(/(?P<task>[^/@]+))?(@(?P<faults>[^/@]+))?")


@dataclass(frozen=True)
class Arm:
    """One condition.

    Attributes:
        name: key in results; ``privileged_no_fault`` for ``privileged@0``, else the spec itself.
        world, task: Δ-source specs for U_W^act and for U_T.
        faults: fault level, see `FaultRates.level`.
    """

    name: str
    world: str
    task: str
    faults: float

    @property
    def learned(self) -> bool:
        return "learned" in (self.world, self.task)


def parse_arm(spec: str, faults: float) -> Arm:
    """``SOURCE`` | ``WORLD/TASK``, optionally ``@LEVEL`` (default ``faults``).

    ``learned``: both memories fed by the estimator. ``none/privileged``: Δ = ∅ for world memory, task memory as before.
    ``privileged@0``: no faults. Raises ConfigError for anything else.
    """
    match = _SPEC.fullmatch(spec.strip())
    if match is None:
        raise ConfigError(f"arm {spec!r} is not SOURCE, WORLD/TASK or either with @LEVEL")
    world, task = match["world"], match["task"] or match["world"]
    for source in (world, task):
        name = source.partition("(")[0]
        if name not in SOURCES:
            raise ConfigError(f"unknown Δ-source {source!r} in arm {spec!r}; known: {', '.join(SOURCES)}, noisy as noisy(p)")
        if (name == "noisy") != bool(re.fullmatch(r"noisy\((0(\.\d+)?|1(\.0+)?|\.\d+)\)", source)) or (name != "noisy" and source != name):
            raise ConfigError(f"Δ-source {source!r} in arm {spec!r}: only noisy takes an argument, a probability: noisy(0.1)")
    try:
        level = faults if match["faults"] is None else float(match["faults"])
    except ValueError:
        raise ConfigError(f"fault level {match['faults']!r} in arm {spec!r} is not a number") from None
    if not 0.0 <= level <= 1.0:
        raise ConfigError(f"fault level {level} in arm {spec!r} is outside [0, 1]")
    name = f"{spec.partition('@')[0]}_no_fault" if match["faults"] is not None and level == 0 else spec.strip()
    return Arm(name, world, task, level)


def parse_arms(specs: list[str], faults: float) -> list[Arm]:
    """Parse a list; names must be unique. Raises ConfigError."""
    arms = [parse_arm(s, faults) for s in specs]
    if not arms:
        raise ConfigError("no sources to evaluate; give for example --sources '[learned, privileged]'")
    names = [a.name for a in arms]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ConfigError(f"arms named twice: {', '.join(twice)}")
    return arms
