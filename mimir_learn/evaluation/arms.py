"""Arms of an evaluation: which Δ-source feeds world memory, which feeds task memory, and how often actions go wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mimir_learn.errors import ConfigError

if TYPE_CHECKING:
    from mimir_learn.envs.household.faults import FaultRates

SOURCES = ("privileged", "learned", "schema", "text", "difference", "geometry", "vlm", "none", "noisy")
_SOURCE = r"[^/@()]+(?:\([^()]*\))?"  # a model in parentheses may be named owner/name
_SPEC = re.compile(rf"(?P<world>{_SOURCE})(/(?P<task>{_SOURCE}))?(@(?P<faults>[^/@]+))?")


@dataclass(frozen=True)
class Arm:
    """One condition.

    Attributes:
        name: key in results; ``privileged_no_fault`` for ``privileged@0``, else the spec itself.
        world, task: Δ-source specs for U_W^act and for U_T.
        faults: fault level, see `FaultRates.level`, or the name of a fault suite, see `FAULT_SUITES`.
    """

    name: str
    world: str
    task: str
    faults: float | str

    @property
    def learned(self) -> bool:
        return "learned" in (self.world, self.task)


def fault_rates(faults: float | str) -> FaultRates:
    """Rates of a fault level or of a named fault suite. Raises ConfigError for neither."""
    from mimir_learn.envs.household.faults import FaultRates

    return FaultRates.suite(faults) if isinstance(faults, str) else FaultRates.level(faults)


def fault_setting(value: float | str, where: str) -> float | str:
    """A fault level, or the name of a fault suite, from what a config or an arm says ("0.2", 0.2, "rough"). Raises ConfigError."""
    try:
        level = float(value)
    except ValueError:
        try:
            fault_rates(value)
        except ConfigError as e:
            raise ConfigError(f"{where} is {value!r}, neither a fault level from 0 to 1 nor a fault suite ({e})") from None
        return value
    if not 0.0 <= level <= 1.0:
        raise ConfigError(f"{where} is {level}; a fault level is outside [0, 1]")
    return level


def fault_words(faults: float | str) -> str:
    """ "fault level 0.2" or "fault suite rough"."""
    return f"fault suite {faults}" if isinstance(faults, str) else f"fault level {faults:g}"


def parse_arm(spec: str, faults: float | str) -> Arm:
    """``SOURCE`` | ``WORLD/TASK``, optionally ``@LEVEL`` or ``@FAULT_SUITE`` (default ``faults``).

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
            known = f"{', '.join(SOURCES)}, noisy as noisy(p), vlm as vlm(MODEL)"
            raise ConfigError(f"unknown Δ-source {source!r} in arm {spec!r}; known: {known}")
        wanted = {"noisy": r"noisy\((0(\.\d+)?|1(\.0+)?|\.\d+)\)", "vlm": r"vlm\(\S+\)"}.get(name, name)
        if not re.fullmatch(wanted, source):
            takes = "only noisy takes an argument, a probability: noisy(0.1); and vlm a model: vlm(MODEL)"
            raise ConfigError(f"Δ-source {source!r} in arm {spec!r}: {takes}")
    level = faults if match["faults"] is None else fault_setting(match["faults"], f"the fault level in arm {spec!r}")
    name = f"{spec.partition('@')[0]}_no_fault" if match["faults"] is not None and level in (0, "none") else spec.strip()
    return Arm(name, world, task, level)


def parse_arms(specs: list[str], faults: float | str) -> list[Arm]:
    """Parse a list; names must be unique. Raises ConfigError."""
    arms = [parse_arm(s, faults) for s in specs]
    if not arms:
        raise ConfigError("no sources to evaluate; give for example --sources '[learned, privileged]'")
    names = [a.name for a in arms]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ConfigError(f"arms named twice: {', '.join(twice)}")
    return arms
