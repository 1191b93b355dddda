"""What is looked at before the first episode runs, so that a mistake costs seconds: records, GL driver, log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mimir_learn.errors import ConfigError, SimulatorError
from mimir_learn.evaluation.records import key_of, read_records


def refuse_duplicates(path: Path) -> None:
    """Raise ConfigError when an episode is recorded twice: it would be counted twice."""
    counts = Counter(map(key_of, read_records(path)))
    if twice := sorted(k for k, n in counts.items() if n > 1):
        raise ConfigError(
            f"{path}: {len(twice)} episodes are recorded more than once, the first is {twice[0]}; "
            "delete the surplus lines, or start over with --resume false"
        )


def probe_drawing(image_size: int) -> None:
    """Draw one frame of the household. Raises SimulatorError with the cure when this machine cannot."""
    from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv

    env = HouseholdEnv(HouseholdConfig(image_size=image_size))
    try:
        observation, _ = env.reset(seed=0, options={"house_seed": 0})
    finally:
        env.close()
    if not observation["depth"].any():
        raise SimulatorError("the depth image is empty; try MUJOCO_GL=osmesa")


def open_log(log: str) -> None:
    """Raise LogError when there is no readable log with test houses at ``log``."""
    from mimir_learn.logs import LogDirectory

    directory = LogDirectory(Path(log))
    directory.vocabulary  # noqa: B018  read and checked
    if not any(e["split"] == "test" for e in directory.episodes):
        raise ConfigError(f"eval.log {log} has no test houses to score the estimator on; collect some, or leave --log out")
