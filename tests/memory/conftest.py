"""Hypothesis settings of these tests: time limits per example say more about the machine than about the code."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
