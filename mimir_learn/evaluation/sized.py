"""Certified tasks in generated houses of a given number of rooms, made when an experiment needs them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mimir_learn.envs.household import VOCABULARY, generate_house
from mimir_learn.envs.household.generate import MOST_ROOMS
from mimir_learn.envs.household.tasks import SUBSETS, World, sample_subset
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.cells import digest
from mimir_learn.evaluation.certify import certify
from mimir_learn.evaluation.provenance import loaded_sha256
from mimir_learn.evaluation.suite import Suite, SuiteTask
from mimir_learn.logs import house_seed

TASKS = 12
HOUSES = 40
DRAWS = 4
MOST_STEPS = 150
STEPS_PER_ROOM = 25


def buildable(rooms: int) -> bool:
    """Whether the generator makes houses of so many rooms."""
    return 1 <= rooms <= MOST_ROOMS


def most_steps(rooms: int) -> int:
    """Upper bound of a task's step limit: that of the suites, and more in houses of more than six rooms, which take longer to search."""
    return max(MOST_STEPS, STEPS_PER_ROOM * rooms)


def sized_suite(rooms: int, subsets: Sequence[str] | None, tasks: int | None, folder: Path) -> Suite:
    """``tasks`` of each subset (None: `TASKS`) in test houses of ``rooms`` rooms, at most one of a subset per house; kept in ``folder``.

    Deterministic. Raises ConfigError for a number of rooms that is not generated, an unknown subset, or when the houses yield too few.
    """
    if not buildable(rooms):
        raise ConfigError(f"rooms is {rooms}; the generator makes houses of 1 to {MOST_ROOMS} rooms")
    names, count = tuple(subsets or ("base",)), tasks or TASKS
    if unknown := [s for s in names if s not in SUBSETS]:
        raise ConfigError(f"subset is {unknown[0]!r}; known: {', '.join(SUBSETS)}")
    made_of = digest({"rooms": rooms, "subsets": names, "tasks": count, "source": loaded_sha256("suite")})
    path = folder / f"rooms-{rooms}-{made_of[:12]}.json"
    if path.is_file():
        return Suite.load(path)
    found: list[SuiteTask] = []
    for index in range(HOUSES):
        missing = [s for s in names if sum(t.subset == s for t in found) < count]
        if not missing:
            break
        found += _house(house_seed("test", index), rooms, missing, {t.task.instruction for t in found})
    if short := [s for s in names if sum(t.subset == s for t in found) < count]:
        raise ConfigError(f"{HOUSES} houses of {rooms} rooms yield fewer than {count} certified tasks of {', '.join(short)}; ask for fewer")
    order = sorted(found, key=lambda t: (names.index(t.subset), t.house_seed))
    suite = Suite(f"rooms-{rooms}", "household", VOCABULARY.sha256, tuple(order), "test", {"source_sha256": loaded_sha256("suite")})
    suite.save(path)
    print(f"eval: made {len(order)} certified tasks in houses of {rooms} rooms: {path}", file=sys.stderr)
    return suite


def _house(seed: int, rooms: int, subsets: Sequence[str], said: set[str]) -> list[SuiteTask]:
    """The first certified task of each subset in one house, none with words that have been used."""
    world = World.of_house(generate_house(seed, rooms))
    out = []
    for subset in subsets:
        rng = np.random.default_rng([seed, rooms, SUBSETS.index(subset)])
        for task in sample_subset(world, rng, subset, DRAWS, f"h{seed}r{rooms}"):
            if task.instruction in said:
                continue
            verdict = certify(replace(task, meta={**task.meta, "rooms": rooms}), seed, None, most_steps(rooms))
            if verdict.certified is not None:
                out.append(verdict.certified)
                said.add(task.instruction)
                break
    return out
