"""A small suite, built once per session: a task of each subset."""

from __future__ import annotations

from pathlib import Path

import pytest

from mimir_learn.evaluation.build import SuiteConfig, run_suite_command
from mimir_learn.evaluation.suite import Suite


@pytest.fixture(scope="session")
def suite_config(tmp_path_factory: pytest.TempPathFactory) -> SuiteConfig:
    config = SuiteConfig(out=str(tmp_path_factory.mktemp("suite") / "small.json"), name="small", tasks=1, houses=16, batch=1, n_jobs=1)
    assert "(new)" in run_suite_command(config)
    return config


@pytest.fixture(scope="session")
def suite_path(suite_config: SuiteConfig) -> Path:
    return Path(suite_config.out)


@pytest.fixture(scope="session")
def suite(suite_path: Path) -> Suite:
    return Suite.load(suite_path)
