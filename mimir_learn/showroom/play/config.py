"""Settings of ``mimir play``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mimir_learn.checks import whole
from mimir_learn.envs.household import FaultRates
from mimir_learn.envs.household.faults import FAULT_SUITES
from mimir_learn.errors import ConfigError

_NUMBER = re.compile(r"[0-9.]+([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class PlayConfig:
    """Step through a house in the terminal and on a local web page.

    Attributes:
        house: seed of the house.
        spec: JSON file of a house to play in instead (``mimir show house --json`` writes one).
        seed: of the robot's first position, of the faults and of where things land.
        faults: a fault suite (none, mild, rough, silent, exogenous) or a fault level from 0 to 1.
        source: the Δ-source that memory learns from: privileged, schema, text, learned, none or noisy(p).
        checkpoint: folder of the estimator, for learned.
        size: width and height of the frames, pixels; default: 256, or for learned the 128 of its training logs.
        style: the words of the feedback: plain, alfred or habitat.
        assets: folder made by ``mimir assets``, to draw furniture with.
        reveal: also tell the true Δ and the fault that struck.
        out: folder for the frames and the trace of the session.
        script: file with one command a line, "-" for standard input; without it commands are typed.
        page: serve the web page (on this machine only); default: when commands are typed.
        port: of the page; 0 takes a free one.
    """

    house: int = 3
    spec: str | None = None
    seed: int = 0
    faults: str = "none"
    source: str = "privileged"
    checkpoint: str | None = None
    size: int | None = None
    style: str = "plain"
    assets: str | None = None
    reveal: bool = False
    out: str = "runs/play"
    script: str | None = None
    page: bool | None = None
    port: int = 8765

    def __post_init__(self) -> None:
        whole("play.house", self.house, 0)
        whole("play.seed", self.seed, 0)
        whole("play.port", self.port, 0)
        if self.port > 65535:
            raise ConfigError(f"play.port is {self.port}; ports end at 65535, 0 takes a free one")
        if not 16 <= self.pixels <= 512:
            raise ConfigError(f"play.size is {self.size}; give 16 to 512 pixels")
        self.rates  # noqa: B018  checked here

    @property
    def pixels(self) -> int:
        """Width and height of the frames."""
        if self.size is not None:
            return self.size
        return 128 if self.source.strip() == "learned" else 256

    @property
    def rates(self) -> FaultRates:
        """The fault rates meant. Raises ConfigError for neither a suite nor a level."""
        text = str(self.faults).strip()
        if text in FAULT_SUITES:
            return FAULT_SUITES[text]
        if _NUMBER.fullmatch(text):
            return FaultRates.level(float(text))
        raise ConfigError(f"play.faults is {text!r}; give one of {', '.join(FAULT_SUITES)}, or a level from 0 to 1")
