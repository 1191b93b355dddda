"""Samples on disk, ready to train from: flat memory-mapped arrays, built once per log and input config (by `cachefile`)."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import LogError
from mimir_learn.estimator.cachefile import META_FILE, RAGGED_KEYS, build, checksum
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import RAGGED, ROWS
from mimir_learn.logs import LogDirectory, fingerprint

Arrays = dict[str, NDArray[Any]]
_VERSION = 7  # raise when samples.py, inputs.py or labels.py change what they produce
META = "meta_"  # of the names of arrays that say where a sample comes from


class SampleCache:
    """Read side. ``cache[i]`` is one sample as `samples.arrays` makes it; `take` gathers many. Arrays are memory-mapped, so processes
    share them, and nothing is kept as Python objects that a worker process would copy page by page.

    Beside inputs and targets every sample says where it comes from: ``meta_episode`` () number of the episode within the split,
    ``meta_step`` (), ``meta_fault`` () index into ``faults`` (0 = none), ``meta_acted`` (2,) categories of the acted object and receptacle
    as indices into ``categories`` (-1 = none), all int64; ``meta_second`` () bool, a second look. Networks do not read them.

    Opening checks the sizes of all files; ``verify`` also their checksums (a second per several gigabytes, and the files are in memory
    then). `build_cache` always does, so nothing is trained or scored on a byte that was not written.

    Raises LogError for a folder without a finished cache and for a damaged one.
    """

    def __init__(self, directory: Path, verify: bool = False) -> None:
        self.directory = Path(directory)
        body = self._read_meta()
        self.length = int(body["length"])
        self.faults: tuple[str, ...] = tuple(body["faults"])
        self.categories: tuple[str, ...] = tuple(body["categories"])
        self.nbytes = 0
        self._maps: Arrays = {}
        for key, spec in body["arrays"].items():
            shape = (spec["rows"], *spec["shape"])
            path = self.directory / f"{key}.bin"
            wanted = int(np.prod(shape)) * np.dtype(spec["dtype"]).itemsize
            if not path.is_file() or path.stat().st_size != wanted:
                raise self._damaged(path, f"not the {wanted} bytes it should have")
            self.nbytes += wanted
            self._maps[key] = np.memmap(path, dtype=spec["dtype"], mode="r", shape=shape) if wanted else np.zeros(shape, spec["dtype"])
            if verify and checksum(self._maps[key]) != spec["crc32"]:
                raise self._damaged(path, "its checksum is not the one it was written with")
        self.offsets = {n: np.concatenate([[0], np.cumsum(np.asarray(self._maps[f"{n}_count"]))]).astype(np.int64) for n in RAGGED}

    def _read_meta(self) -> dict[str, Any]:
        path = self.directory / META_FILE
        if not path.is_file():
            raise LogError(f"{self.directory}: no finished sample cache; delete the folder and train again to rebuild it")
        try:
            file = json.loads(path.read_bytes())
            body: dict[str, Any] = file["body"]
            if zlib.crc32(json.dumps(body).encode()) != file["crc32"]:
                raise ValueError("its checksum is not the one it was written with")
        except (ValueError, TypeError, KeyError) as e:
            raise self._damaged(path, str(e)) from e
        return body

    def _damaged(self, path: Path, how: str) -> LogError:
        return LogError(f"{path}: damaged ({how}); delete {self.directory} and train again to rebuild it")

    def __reduce__(self) -> tuple[Any, ...]:
        return SampleCache, (self.directory,)  # a process that gets it maps the files itself, and no sample is copied

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Arrays:
        batch = self.take(np.array([index]))
        return {k: v if k in RAGGED_KEYS else v[0] for k, v in batch.items() if k not in ROWS and not k.startswith(META)}

    def column(self, key: str) -> NDArray[Any]:
        """One array of all samples at once (``meta_acted``, say), in memory."""
        return np.array(self._maps[key])

    def mapped(self, key: str) -> NDArray[Any]:
        """The same without reading it: what is indexed is read then."""
        return self._maps[key]

    def take(self, rows: NDArray[np.integer]) -> Arrays:
        """Samples ``rows`` stacked along a new first axis; ragged arrays concatenated, with ``…_row`` naming the row each came from."""
        counts = {f"{name}_count" for name in RAGGED}
        out: Arrays = {k: np.asarray(m[rows]) for k, m in self._maps.items() if k not in RAGGED_KEYS and k not in counts}
        for name, keys in RAGGED.items():
            offsets = self.offsets[name]
            spans = [np.arange(offsets[r], offsets[r + 1]) for r in rows]
            flat = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
            for key in keys:
                out[key] = np.asarray(self._maps[key][flat])
            out[f"{name}_row"] = np.repeat(np.arange(len(rows)), [len(s) for s in spans])
        return out


def cache_path(root: Path, log_dir: Path, split: str, config: EstimatorConfig, second_looks: bool) -> Path:
    """Folder whose name is the hash of everything the samples depend on."""
    text = json.dumps([_VERSION, fingerprint(log_dir), config.input_key(), split, second_looks])
    return root / f"{split}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def build_cache(
    log_dir: str | Path, split: str, config: EstimatorConfig, root: str | Path | None = None, second_looks: bool = False, workers: int = 1,
    progress: bool = False,
) -> SampleCache:  # fmt: skip
    """The cache of one split, checked byte for byte; built first, in ``workers`` processes, if it is not there.

    ``root`` defaults to a hidden folder inside the log. A build that was killed goes on where it stopped; of two processes that want the
    same cache one builds and the other waits for it.

    Raises LogError when the split has no transitions, when a worker process dies, and for a damaged cache.
    """
    log_dir = Path(log_dir)
    target = cache_path(Path(root) if root is not None else log_dir / ".estimator_cache", log_dir, split, config, second_looks)
    if not (target / META_FILE).is_file():
        if not any(e["split"] == split for e in LogDirectory(log_dir).episodes):
            raise LogError(f"{log_dir}: no episodes of split {split!r}; collect some with `mimir collect`")
        build(target, log_dir, split, config, second_looks, workers, progress)
    return SampleCache(target, verify=True)
