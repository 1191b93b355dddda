"""The sealed facade between agent and environment: what a robot would get, and no reference to anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Environment, Observation, Outcome, Percept, Place, Vocabulary, to_observation

FeedbackText = Literal["full", "flag_only", "off"]


@dataclass(frozen=True, eq=False)
class StepResult:
    """(o_{t+1}, the outcome half of y_t, z_{t+1}); ``truncated`` and ``terminated`` together are z."""

    observation: Observation
    outcome: Outcome
    truncated: bool = False
    terminated: bool = False


class Robot:
    """Wraps an `Environment` so that an agent can act and look, nothing more.

    Args:
        env: any environment of the contract.
        feedback_text: ``full``: flag and sentence. ``flag_only``: the sentence is withheld. ``off``: the flag too; every outcome then reads
            as a claimed success without words, which carries no information.

    The environment itself is no attribute: three functions of it are kept. In Python that keeps honest code honest; it is no defence
    against code that digs through closures. Raises ConfigError for an unknown setting, ObservationError for a broken frame.
    """

    def __init__(self, env: Environment, feedback_text: FeedbackText = "full") -> None:
        if feedback_text not in ("full", "flag_only", "off"):
            raise ConfigError(f"feedback_text is {feedback_text!r}; choose full, flag_only or off")
        self.vocabulary: Vocabulary = env.vocabulary
        self.feedback_text = feedback_text
        self.places: tuple[Place, ...] = ()
        self._reset, self._step, self._perceive = env.reset, env.step, env.visible_entities

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Observation:
        """Start an episode; returns o_0. `places` is known from here on."""
        raw, info = self._reset(seed=seed, options=options)
        self.places = tuple(info["places"])
        return to_observation(raw)

    def step(self, command: str) -> StepResult:
        """Step_e(a_t)."""
        raw, _, terminated, truncated, info = self._step(command)
        success = bool(info["success"]) if self.feedback_text != "off" else True
        text = str(info["feedback"]) if self.feedback_text == "full" else ""
        return StepResult(to_observation(raw), Outcome(success, text), bool(truncated), bool(terminated))

    def perceive(self) -> Percept:
        """The symbolic part of the current observation."""
        return self._perceive()
