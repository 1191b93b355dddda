"""Household tasks: instructions in English with the goals and conditions they stand for, sampled for one house.

A task is meant to be solvable: everything it names exists, things fit where they must go, and no goal asks for what another undoes.
Whether an *agent* solves it within its step limit, and whether one can solve it without reading it, is certified later
(`evaluation/certify.py`). From the words to the goals there is no work left for the agent: instruction understanding is given.
"""

from .sampler import sample_subset, sample_tasks, sample_tasks_in
from .simple import KINDS
from .subsets import COURSES, SUBSETS, WEIGHTS
from .world import Look, World

__all__ = ["COURSES", "KINDS", "SUBSETS", "WEIGHTS", "Look", "World", "sample_subset", "sample_tasks", "sample_tasks_in"]
