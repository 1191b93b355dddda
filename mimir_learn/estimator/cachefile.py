"""Writes a sample cache: worker processes make the samples, one process appends them in the log's order and keeps a journal.

The journal says how far each file is trusted. A killed build goes on from there; a folder gets its final name only when it is whole, so
a cache that opens is complete.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import BrokenProcessPool
from numpy.typing import NDArray
from tqdm import tqdm

from mimir_learn.errors import LogError
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import RAGGED
from mimir_learn.estimator.samples import arrays, metadata, replay
from mimir_learn.logs import LogDirectory
from mimir_learn.logs.locks import hold

Arrays = dict[str, NDArray[Any]]
Chunk = tuple[list[Arrays], list[str]]  # samples of an episode, and the fault in each
META_FILE = "meta.json"
RAGGED_KEYS = frozenset(key for keys in RAGGED.values() for key in keys)
_JOURNAL, _JOURNAL_S = "journal.json", 1.0
_WINDOW = 16  # episodes per worker that may wait to be written: joblib itself would let them pile up in memory
_BLOCK = 1 << 24


def build(target: Path, log_dir: Path, split: str, config: EstimatorConfig, second_looks: bool, workers: int, progress: bool) -> None:
    """Make ``target`` unless another process just has. Raises LogError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with alone(target):
        if (target / META_FILE).is_file():
            return
        log = LogDirectory(log_dir)
        entries = [e for e in log.episodes if e["split"] == split]
        partial = target.with_name(f".{target.name}.partial")
        with (
            _Writer(partial) as writer,
            tqdm(total=len(entries), unit="episode", desc=f"{split} cache", disable=None if progress else True) as bar,
        ):
            bar.update(writer.episodes)
            for chunk in _chunks(log_dir, entries, writer.episodes, config, second_looks, workers):
                writer.add(chunk)
                bar.update()
            writer.finish(sorted(log.vocabulary.categories))
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """Wait until no other process builds ``target``; the system releases the lock of one that is killed."""
    with target.with_name(f".{target.name}.lock").open("ab") as file:
        waits = False
        try:
            while not hold(file):
                if not waits:
                    print(f"another process is building {target}; waiting for it", file=sys.stderr, flush=True)
                waits = True
                time.sleep(0.2)
        except OSError as e:
            raise LogError(f"{target.parent}: this file system has no file locks ({e}); choose a cache_dir on a local disk") from e
        yield


def _chunks(
    log_dir: Path, entries: list[dict[str, Any]], first: int, config: EstimatorConfig, second_looks: bool, workers: int
) -> Iterator[Chunk]:
    window = _WINDOW * max(1, workers)
    try:
        with Parallel(n_jobs=workers, return_as="generator") as pool:
            for start in range(first, len(entries), window):
                numbers = range(start, min(start + window, len(entries)))
                yield from pool(delayed(_episode)(log_dir, entries[i], i, config, second_looks) for i in numbers)
    except BrokenProcessPool as e:
        raise LogError(
            f"{log_dir}: a process that was building the sample cache has died, perhaps for want of memory ({type(e).__name__}); "
            "what is built is kept: run the same command again, with a smaller `workers` if it happens again"
        ) from e


def _episode(log_dir: Path, entry: Mapping[str, Any], number: int, config: EstimatorConfig, second_looks: bool) -> Chunk:
    log = LogDirectory(log_dir)
    episode, categories = log.episode(entry), {name: i for i, name in enumerate(sorted(log.vocabulary.categories))}
    samples = list(replay(episode, second_looks))
    return [_counted(arrays(s, config) | metadata(s, number, episode.entities, categories)) for s in samples], [s.fault for s in samples]


def _counted(sample: Arrays) -> Arrays:
    return {**sample, **{f"{n}_count": np.asarray(len(sample[f"{n}_slot"]), dtype=np.int64) for n in RAGGED}}


class _Writer:
    """Appends samples to ``folder/KEY.bin``; with a journal of how many episodes, rows, bytes and which checksums that came to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.body = self._resume() or {"episodes": 0, "length": 0, "faults": [""], "arrays": {}}
        if not self.episodes:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        self._files: dict[str, Any] = {}
        self._open = ExitStack()
        self._saved = time.monotonic()

    @property
    def episodes(self) -> int:
        """How many episodes are written."""
        return int(self.body["episodes"])

    def _resume(self) -> dict[str, Any] | None:
        """The journal of a killed build, its files cut to what it vouches for; None when there is nothing to go on from."""
        try:
            body: dict[str, Any] = json.loads((self.folder / _JOURNAL).read_text())
            for key, spec in body["arrays"].items():
                path = self.folder / f"{key}.bin"
                if path.stat().st_size < spec["bytes"]:
                    return None
                os.truncate(path, spec["bytes"])
            return body if body["episodes"] else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def add(self, chunk: Chunk) -> None:
        """Append an episode."""
        samples, names = chunk
        faults: list[str] = self.body["faults"]
        faults.extend(dict.fromkeys(n for n in names if n not in faults))
        for key in samples[0] if samples else ():
            self._append(key, [s[key] for s in samples])
        if samples:
            self._append("meta_fault", [np.asarray(faults.index(n), dtype=np.int64) for n in names])
        self.body["length"] += len(samples)
        self.body["episodes"] += 1
        if time.monotonic() - self._saved > _JOURNAL_S:
            self.save()

    def _append(self, key: str, values: list[NDArray[Any]]) -> None:
        ragged = key in RAGGED_KEYS
        data = np.concatenate(values) if ragged else np.stack(values)
        spec = self.body["arrays"].setdefault(
            key, {"dtype": data.dtype.name, "shape": list(data.shape[1:]), "rows": 0, "bytes": 0, "crc32": 0}
        )
        if key not in self._files:
            self._files[key] = self._open.enter_context((self.folder / f"{key}.bin").open("ab"))
        raw = np.ascontiguousarray(data).tobytes()
        self._files[key].write(raw)
        spec["rows"] += len(data)
        spec["bytes"] += len(raw)
        spec["crc32"] = zlib.crc32(raw, spec["crc32"])

    def save(self) -> None:
        """Write the journal: what is in the files so far survives a kill."""
        for file in self._files.values():
            file.flush()
        partial = self.folder / f"{_JOURNAL}.new"
        partial.write_text(json.dumps(self.body))
        partial.replace(self.folder / _JOURNAL)
        self._saved = time.monotonic()

    def finish(self, categories: Iterable[str]) -> None:
        """Close the files and write ``meta.json``. Raises LogError when there are no samples."""
        self._open.close()
        if not self.body["length"]:
            raise LogError(f"{self.folder}: the episodes of this split have no transitions")
        body = {**self.body, "categories": list(categories)}
        text = json.dumps({"body": body, "crc32": zlib.crc32(json.dumps(body).encode())})
        (self.folder / META_FILE).write_text(text)
        (self.folder / _JOURNAL).unlink(missing_ok=True)


def checksum(data: NDArray[Any]) -> int:
    """CRC-32 of an array's bytes, read block by block."""
    flat = data.reshape(-1).view(np.uint8)
    total = 0
    for start in range(0, len(flat), _BLOCK):
        total = zlib.crc32(flat[start : start + _BLOCK].data, total)
    return total
