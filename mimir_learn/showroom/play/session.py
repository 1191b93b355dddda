"""A person in the robot's place: one environment, one world memory that learns from what the person does, and what came of every step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mimir_learn.agent.adapters import HouseholdAdapter
from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv
from mimir_learn.feedback import GateConfig, make_source
from mimir_learn.memory import WorldMemory
from mimir_learn.symbols import EMPTY, Delta, Feedback, Observation, Outcome, Transition, to_observation

from ..grid import depth_image
from ..houses import house_of
from ..wording import short
from .config import PlayConfig
from .grammar import Grammar
from .tree import tree


@dataclass(frozen=True)
class Turn:
    """What a step left behind.

    Attributes:
        number: 0 for the start of the episode.
        command: as typed; "" for the start.
        success, text: the environment's claim.
        committed, held: what the gate let into memory, and what it kept as a doubt.
        confidence: of the Δ-source in its whole answer; None for the start.
        truth, fault: only when the session reveals them.
        seen: ids in view after the step.
        at: place or room the robot is at.
        done: the episode has no more steps.
    """

    number: int
    command: str
    success: bool
    text: str
    committed: Delta = EMPTY
    held: Delta = EMPTY
    confidence: float | None = None
    truth: Delta | None = None
    fault: str = ""
    seen: tuple[str, ...] = ()
    at: str | None = None
    done: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "number": self.number,
            "command": self.command,
            "success": self.success,
            "text": self.text,
            "committed": short(self.committed),
            "held": short(self.held) if self.held else "",
            "confidence": self.confidence,
            "truth": None if self.truth is None else short(self.truth),
            "fault": self.fault,
            "seen": list(self.seen),
            "at": self.at,
            "done": self.done,
        }


class Session:
    """Plays one episode. Not thread-safe, and its GL context belongs to the thread that made it: keep to one thread.

    Args:
        config: settings; the frames go to ``config.out``, an earlier session's files there are replaced.
        env: the environment; by default a household.

    Raises ConfigError, CheckpointError or SimulatorError before anything is played.
    """

    def __init__(self, config: PlayConfig, env: HouseholdEnv | None = None) -> None:
        self.config = config
        self.folder = Path(config.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in (*self.folder.glob("step-*.png"), *self.folder.glob("session.jsonl")):
            old.unlink()
        house = house_of(config.house, config.spec)
        settings = HouseholdConfig(
            image_size=config.pixels, max_steps=10_000, faults=config.rates, feedback_style=config.style, assets=config.assets
        )
        self.env = env or HouseholdEnv(settings)
        learned = {"vocabulary": self.env.vocabulary} if config.source.strip() == "learned" else {}
        self._source = make_source(config.source, privileged=self.env.privileged_state, checkpoint=config.checkpoint, **learned)
        self._gate = GateConfig(look_again=False).build()  # whether to look again is the person's choice
        raw, info = self.env.reset(seed=config.seed, options={"house": house})
        self._source.reset(config.seed)
        self._adapter = HouseholdAdapter()
        self.places = tuple(info["places"])
        self.grammar = Grammar(self._adapter, self.places)
        self.memory = WorldMemory(self.env.vocabulary, self.places)
        self._observation: Observation = to_observation(raw)
        self._true = self.env.privileged_state().snapshot if config.reveal else None
        self.turns: list[Turn] = []
        self._finish(0, "", True, "")

    def close(self) -> None:
        """Free the environment."""
        self.env.close()

    @property
    def ids(self) -> list[str]:
        """Ids a person may name: places, and what memory knows."""
        return sorted({p.entity.id for p in self.places} | set(self.memory.belief().entities) - {"hand"})

    def why_not(self, line: str) -> str:
        """Why `act` did nothing with a line, and what one could type instead."""
        if self.turns[-1].done:
            return "the episode is over"
        hint = self.grammar.hint(line)
        return f"{line!r} is no command; {hint or 'type help'}"

    def act(self, line: str) -> Turn | None:
        """Do what a line says and learn from it. None for a line that is no command: then nothing happens."""
        action = self.grammar.read(line)
        command = None if action is None else self._adapter.command(action)
        if action is None or command is None or self.turns[-1].done:
            return None
        belief, before = self.memory.belief(), self._observation
        raw, _, terminated, truncated, info = self.env.step(command)
        self._observation = to_observation(raw)
        outcome = Outcome(bool(info["success"]), str(info["feedback"]))
        estimate = self._source.estimate(Transition(before, action, self._observation, outcome, belief))
        verdict = self._gate.judge(estimate, outcome.success)
        refused = self._adapter.refused(outcome) and not verdict.sigma
        number = len(self.turns)
        self.memory.act(action, Feedback(verdict.sigma, verdict.committed, verdict.held, outcome.text, refused), number - 1)
        return self._finish(
            number, command, outcome.success, outcome.text, committed=verdict.committed, held=verdict.held,
            confidence=round(estimate.confidence, 4), done=bool(terminated or truncated),
        )  # fmt: skip

    def _finish(self, number: int, command: str, success: bool, text: str, **more: Any) -> Turn:
        """Look at what is there now, keep the frames, and remember the turn."""
        percept = self.env.visible_entities()
        self.memory.observe(percept, number)
        if self._true is not None:
            state = self.env.privileged_state()
            more |= {"truth": self._true.diff(state.snapshot), "fault": state.fault}
            self._true = state.snapshot
        seen = tuple(s.entity.id for s in percept.sightings)
        turn = Turn(number, command, success, text, seen=seen, at=percept.at, **more)
        self.turns.append(turn)
        _keep(self.folder, number, self._observation)
        with (self.folder / "session.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(turn.to_dict(), ensure_ascii=False) + "\n")
        return turn

    def state(self) -> dict[str, Any]:
        """Everything the web page shows, as plain JSON types."""
        config = self.config
        return {
            "house": config.house if config.spec is None else config.spec,
            "faults": config.faults,
            "source": config.source,
            "turns": [t.to_dict() for t in self.turns],
            "memory": tree(self.memory),
            "hand": self.memory.hand,
            "ids": self.ids,
            "words": self.grammar.words,
            "usage": self.grammar.usage,
        }


def _keep(folder: Path, number: int, observation: Observation) -> None:
    """``step-007.png`` is what the robot sees, ``step-007-depth.png`` how far that is: near is bright."""
    pictures: dict[str, NDArray[np.uint8]] = {"": observation.rgb, "-depth": depth_image(observation.depth)}
    for suffix, pixels in pictures.items():
        Image.fromarray(pixels).save(folder / f"step-{number:03d}{suffix}.png")
