"""The agent: Algorithm 1 with its planner Π, Explore_e, adapters ρ_e and the sealed robot facade."""

from mimir_learn.agent.adapters import Adapter, HouseholdAdapter
from mimir_learn.agent.explore import Explorer
from mimir_learn.agent.loop import MimirAgent, run_episode
from mimir_learn.agent.planner import plan, put_down, replan
from mimir_learn.agent.records import EpisodeResult, Lesson, StepRecord, Thought
from mimir_learn.agent.robot import FeedbackText, Robot, StepResult
from mimir_learn.agent.variants import Variant

__all__ = [
    "Adapter", "EpisodeResult", "Explorer", "FeedbackText", "HouseholdAdapter", "Lesson", "MimirAgent", "Robot", "StepRecord",
    "StepResult", "Thought", "Variant", "plan", "put_down", "replan", "run_episode",
]  # fmt: skip
