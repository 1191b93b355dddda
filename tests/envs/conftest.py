"""One environment for the whole room: compiled houses and the GL context are shared, every test resets it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv


@pytest.fixture(scope="session")
def env() -> Iterator[HouseholdEnv]:
    env = HouseholdEnv(HouseholdConfig(max_steps=10_000))
    yield env
    env.close()
