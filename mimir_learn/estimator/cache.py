"""Samples on disk, ready to train from: flat memory-mapped arrays, built once per log and input config."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from mimir_learn.errors import LogError
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import RAGGED, ROWS
from mimir_learn.estimator.samples import arrays, metadata, replay
from mimir_learn.logs import LogDirectory, fingerprint

Arrays = dict[str, NDArray[Any]]
_VERSION = 7  # raise when samples.py, inputs.py or labels.py change what they produce

META = "meta_"
_RAGGED_KEYS = frozenset(key for keys in RAGGED.values() for key in keys)


class SampleCache:
    """Read side. ``cache[i]`` is one sample as `samples.arrays` makes it; `take` gathers many. Arrays are memory-mapped and shared between
    processes.

    Beside inputs and targets every sample says where it comes from: ``meta_episode`` () number of the episode within the split,
    ``meta_step`` (), ``meta_fault`` () index into ``faults`` (0 = none), ``meta_acted`` (2,) categories of the acted object and receptacle
    as indices into ``categories`` (-1 = none), all int64; ``meta_second`` () bool, a second look. Networks do not read them.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = Path(directory)
        meta = self.directory / "meta.json"
        if not meta.is_file():
            raise LogError(f"{self.directory}: no finished sample cache; delete the folder and train again to rebuild it")
        body: dict[str, Any] = json.loads(meta.read_text())
        self.length = int(body["length"])
        self.faults = tuple(body["faults"])
        self.categories = tuple(body["categories"])
        self._maps: Arrays = {}
        for key, spec in body["arrays"].items():
            shape = (spec["rows"], *spec["shape"])
            path = self.directory / f"{key}.bin"
            wanted = int(np.prod(shape)) * np.dtype(spec["dtype"]).itemsize
            if not path.is_file() or path.stat().st_size != wanted:
                raise LogError(f"{path}: not the {wanted} bytes it should have; delete {self.directory} and train again to rebuild it")
            self._maps[key] = np.memmap(path, dtype=spec["dtype"], mode="r", shape=shape) if wanted else np.zeros(shape, spec["dtype"])
        self.offsets = {n: np.concatenate([[0], np.cumsum(np.asarray(self._maps[f"{n}_count"]))]).astype(np.int64) for n in RAGGED}

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Arrays:
        batch = self.take(np.array([index]))
        return {k: v if k in _RAGGED_KEYS else v[0] for k, v in batch.items() if k not in ROWS and not k.startswith(META)}

    def column(self, key: str) -> NDArray[Any]:
        """One array of all samples at once (``meta_acted``, say), in memory."""
        return np.array(self._maps[key])

    def take(self, rows: NDArray[np.integer]) -> Arrays:
        """Samples ``rows`` stacked along a new first axis; ragged arrays concatenated, with ``…_row`` naming the row each came from."""
        counts = {f"{name}_count" for name in RAGGED}
        out: Arrays = {k: np.asarray(m[rows]) for k, m in self._maps.items() if k not in _RAGGED_KEYS and k not in counts}
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
    log_dir: str | Path, split: str, config: EstimatorConfig, root: str | Path | None = None, second_looks: bool = False, workers: int = 1
) -> SampleCache:
    """The cache of one split, built if it is not there. ``root`` defaults to a hidden folder inside the log.

    Raises LogError when the split has no transitions.
    """
    log_dir = Path(log_dir)
    target = cache_path(Path(root) if root is not None else log_dir / ".estimator_cache", log_dir, split, config, second_looks)
    if (target / "meta.json").is_file():
        return SampleCache(target)
    entries = [e for e in LogDirectory(log_dir).episodes if e["split"] == split]
    if not entries:
        raise LogError(f"{log_dir}: no episodes of split {split!r}; collect some with `mimir collect`")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    jobs = (delayed(_episode_arrays)(str(log_dir), i, split, config, second_looks) for i in range(len(entries)))
    chunks = Parallel(n_jobs=workers, return_as="generator")(jobs)
    _write(partial, (sample for chunk in chunks for sample in chunk), sorted(LogDirectory(log_dir).vocabulary.categories))
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
    return SampleCache(target)


def _episode_arrays(log_dir: str, index: int, split: str, config: EstimatorConfig, second_looks: bool) -> list[tuple[Arrays, str]]:
    """Samples of an episode and the name of the fault in each."""
    log = LogDirectory(Path(log_dir))
    episode = log.episode([e for e in log.episodes if e["split"] == split][index])
    categories = sorted(log.vocabulary.categories)
    return [(arrays(s, config) | metadata(s, index, episode.entities, categories), s.fault) for s in replay(episode, second_looks)]


def _write(directory: Path, samples: Iterable[tuple[Arrays, str]], categories: Sequence[str]) -> None:
    files: dict[str, Any] = {}
    specs: dict[str, dict[str, Any]] = {}
    faults = [""]
    length = 0
    try:
        for sample, fault in samples:
            length += 1
            if fault not in faults:
                faults.append(fault)
            sample = _counted(sample) | {"meta_fault": np.asarray(faults.index(fault), dtype=np.int64)}
            for key, value in sample.items():
                ragged = key in _RAGGED_KEYS
                if key not in files:
                    files[key] = (directory / f"{key}.bin").open("wb")
                    specs[key] = {"dtype": value.dtype.name, "shape": list(value.shape[1:] if ragged else value.shape), "rows": 0}
                specs[key]["rows"] += value.shape[0] if ragged else 1
                files[key].write(np.ascontiguousarray(value).tobytes())
    finally:
        for file in files.values():
            file.close()
    if not length:
        raise LogError(f"{directory}: the episodes of this split have no transitions")
    (directory / "meta.json").write_text(json.dumps({"length": length, "arrays": specs, "faults": faults, "categories": list(categories)}))


def _counted(sample: Arrays) -> Arrays:
    return {**sample, **{f"{n}_count": np.asarray(len(sample[f"{n}_slot"]), dtype=np.int64) for n in RAGGED}}
