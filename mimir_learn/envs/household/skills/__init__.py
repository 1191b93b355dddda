"""The robot's skills: preconditions, nominal effects, the faults that strike them, and a report of each."""

from mimir_learn.envs.household.skills.act import Skills
from mimir_learn.envs.household.skills.robot import REACH

__all__ = ["REACH", "Skills"]
