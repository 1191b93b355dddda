"""Behaviour policy and parallel collection of transition logs."""

from mimir_learn.collect.config import CollectConfig, HouseCounts, PolicyConfig
from mimir_learn.collect.run import CollectSummary, collect
from mimir_learn.logs import check_log

__all__ = ["CollectConfig", "CollectSummary", "HouseCounts", "PolicyConfig", "check_log", "collect"]
