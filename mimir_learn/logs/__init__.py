"""Transition logs on disk: write, read, validate."""

from mimir_learn.logs.episode import Episode, LoggedStep
from mimir_learn.logs.fingerprint import fingerprint
from mimir_learn.logs.meta import LogOrigin, write_meta
from mimir_learn.logs.reader import LogDirectory, read_episodes
from mimir_learn.logs.splits import SPLITS, house_seed, split_of
from mimir_learn.logs.validate import Problem, check_log
from mimir_learn.logs.writer import EpisodeHeader, EpisodeRecorder, ShardWriter

__all__ = [
    "SPLITS", "Episode", "EpisodeHeader", "EpisodeRecorder", "LogDirectory", "LogOrigin", "LoggedStep", "Problem", "ShardWriter",
    "check_log", "fingerprint", "house_seed", "read_episodes", "split_of", "write_meta",
]  # fmt: skip
