"""Sampling tasks for one house: of a kind (for collecting logs) or of a subset (for suites)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Task

from .compose import Draft, finish, key
from .simple import KINDS, clause
from .subsets import MAKERS, SUBSETS
from .world import World

if TYPE_CHECKING:
    from mimir_learn.envs.household.spec import HouseSpec

_DRAWS_PER_TURN = 8


def sample_subset(world: World, rng: np.random.Generator, subset: str, n: int, prefix: str = "task") -> list[Task]:
    """Up to ``n`` different tasks of a subset; fewer where the house does not offer more. No two have the same words or goals.

    Raises ConfigError for an unknown subset.
    """
    if subset not in MAKERS:
        raise ConfigError(f"unknown subset {subset!r}; known: {', '.join(SUBSETS)}")
    tasks: list[Task] = []
    said: set[str] = set()
    for _ in range(40 * n):
        if len(tasks) == n:
            break
        made = MAKERS[subset](world, rng)
        task = None if made is None else finish(world, rng, f"{prefix}-{subset}-{len(tasks):02d}", subset, made)
        if task is not None and not {key(task), task.instruction} & said:
            said |= {key(task), task.instruction}
            tasks.append(task)
    return tasks


def sample_tasks(house: HouseSpec, rng: np.random.Generator, n: int, kinds: Sequence[str] = KINDS, max_goals: int = 4) -> list[Task]:
    """``n`` tasks of one clause each for ``house``, cycling through ``kinds``; none of them holds in the house's initial state.

    Args:
        house: the house with its things where they are at the start.
        rng: all randomness comes from here.
        n: how many tasks; no two ask for the same.
        kinds: which kinds, see `KINDS`. A kind the house cannot offer is passed over.
        max_goals: upper bound on the number of goals of one task.

    Raises ConfigError for an unknown kind, or when the house cannot offer ``n`` different tasks.
    """
    return sample_tasks_in(World.of_house(house), rng, n, kinds, max_goals, prefix=f"h{house.seed}")


def sample_tasks_in(
    world: World, rng: np.random.Generator, n: int, kinds: Sequence[str] = KINDS, max_goals: int = 4, prefix: str = "task"
) -> list[Task]:
    """`sample_tasks` for any symbolic world; ids start with ``prefix``."""
    if unknown := [k for k in kinds if k not in KINDS]:
        raise ConfigError(f"unknown task kinds {unknown}; known: {', '.join(KINDS)}")
    makers: dict[str, Callable[[], Draft | None]] = {k: lambda k=k: _draft(world, rng, k) for k in kinds}  # type: ignore[misc]
    tasks: list[Task] = []
    said: set[str] = set()
    start = int(rng.integers(len(kinds))) if kinds else 0
    for draw in range(_DRAWS_PER_TURN * 20 * max(n, 1)):
        if len(tasks) == n:
            return tasks
        turn = start + len(tasks) + draw // _DRAWS_PER_TURN  # a kind gets several draws before the next one has its turn
        kind = kinds[turn % len(kinds)]
        made = makers[kind]()
        task = None if made is None else finish(world, rng, f"{prefix}-{len(tasks):02d}-{kind}", "base", made)
        if task is None or len(task.goals) > max_goals or key(task) in said:
            continue
        said.add(key(task))
        tasks.append(task)
    if len(tasks) == n:
        return tasks
    raise ConfigError(f"{prefix} offers only {len(tasks)} different tasks of the kinds {', '.join(kinds)}; asked for {n}")


def _draft(world: World, rng: np.random.Generator, kind: str) -> Draft | None:
    made = clause(kind, world, rng)
    return None if made is None else Draft(kind, (made,))
