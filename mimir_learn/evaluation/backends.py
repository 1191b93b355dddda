"""joblib backends episodes can run on: loky (this machine, always there), Ray and Dask (a cluster, or this machine) where installed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from mimir_learn.errors import ConfigError

LOKY = "loky"
BACKENDS = (LOKY, "ray", "dask")
_NEEDS = {"ray": ("ray", "pip install ray"), "dask": ("distributed", "pip install 'dask[distributed]'")}


@dataclass(frozen=True)
class Pool:
    """A backend that is ready to take work.

    Attributes:
        broken: what joblib raises when a worker has died.
        streams: whether results come one by one; else a list of ``chunk`` at a time.
    """

    backend: str
    broken: tuple[type[BaseException], ...]
    streams: bool = True
    chunk: int = 0

    def renew(self) -> None:
        """Get rid of workers that may be stuck. Ray and Dask replace dead workers themselves."""
        if self.backend == LOKY:
            get_reusable_executor().shutdown(wait=True, kill_workers=True)


def check_backend(backend: str) -> str:
    """Raises ConfigError for an unknown backend, or one that is not installed, with the cure."""
    if backend not in BACKENDS:
        raise ConfigError(f"backend is {backend!r}; choose one of {', '.join(BACKENDS)}")
    module, cure = _NEEDS.get(backend, ("joblib", ""))
    if find_spec(module) is None:
        raise ConfigError(f"backend {backend} needs the package {module}, which is not installed: {cure}; or use backend loky")
    return backend


def opened(backend: str, n_jobs: int) -> Pool:
    """Connect: for Ray to the cluster of ``RAY_ADDRESS`` or a local one, for Dask to ``DASK_SCHEDULER_ADDRESS`` or a local one."""
    check_backend(backend)
    if backend == LOKY:
        return Pool(backend, (TerminatedWorkerError, BrokenProcessPool))
    workers = (os.cpu_count() or 1) if n_jobs < 0 else n_jobs
    return _ray(workers) if backend == "ray" else _dask(workers)


def _ray(workers: int) -> Pool:
    import ray
    from ray.util.joblib import register_ray

    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS")
        local: dict[str, Any] = {} if address else {"num_cpus": workers, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, **local)
    register_ray()
    return Pool("ray", (ray.exceptions.RayError,), streams=False, chunk=8 * workers)


def _dask(workers: int) -> Pool:
    from distributed import Client, KilledWorker, LocalCluster, default_client

    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    try:
        client = default_client()
    except ValueError:
        client = Client(address or LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None))
    client.wait_for_workers(1 if address else workers, timeout=60)
    if sum(client.ncores().values()) < 2:  # joblib would then run everything in this process, without a watchdog
        raise ConfigError("the Dask cluster has fewer than two cores; start more workers, or use backend loky")
    return Pool("dask", (KilledWorker,))
