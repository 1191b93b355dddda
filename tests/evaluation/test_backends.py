"""Backends of the runner: unknown and missing ones are named with a cure; Ray and Dask run episodes on this machine where installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import backends
from mimir_learn.evaluation.backends import LOKY, check_backend
from mimir_learn.evaluation.records import RecordFile, read_records
from mimir_learn.evaluation.runner import run_all

from .test_runner import jobs, worker


def test_unknown_and_missing_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_backend(LOKY) == LOKY
    with pytest.raises(ConfigError, match="choose one of loky, ray, dask"):
        check_backend("spark")
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="needs the package ray, which is not installed: pip install ray; or use backend loky"):
        check_backend("ray")


@pytest.mark.parametrize(("backend", "package"), [("ray", "ray"), ("dask", "distributed")])
def test_a_local_cluster_loses_nothing(backend: str, package: str, tmp_path: Path) -> None:
    """A worker that dies and one that hangs are replaced there too, and their episodes are marked."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed (pip install 'mimir-learn[cluster]')")
    for scenario in ("dies once", "hangs once"):
        folder = tmp_path / scenario.replace(" ", "-")
        folder.mkdir()
        records = RecordFile(folder / "records.jsonl", {})
        run_all(jobs(folder, 4), records, n_jobs=2, watchdog_s=3.0, run=worker(scenario), backend=backend)
        assert {r["task"]: r["reruns"] for r in read_records(records.path)} == {"t0": 0, "t1": 1, "t2": 0, "t3": 0}
