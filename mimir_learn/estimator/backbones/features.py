"""Maps of a frozen backbone, computed once per frame and kept beside the sample cache, so that training costs what `conv` costs.

They are of the frames as logged: colour noise does not reach them (it still reaches crops and hand), depth noise does, since depth joins
later. Stored as float16; a frame that is one sample's after and the next one's before is stored once. One process builds them while others
wait; sizes and checksums are checked whenever they are opened.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from tqdm import tqdm

from mimir_learn.errors import LogError
from mimir_learn.estimator.backbones.base import Pretrained
from mimir_learn.estimator.cache import SampleCache
from mimir_learn.estimator.cachefile import META_FILE, alone, checksum
from mimir_learn.estimator.model import DeltaEstimator

_VERSION = 2  # 2: checksums
_PIXELS = frozenset({"before", "after", "rgb"})
_BATCH = 64


class StoredMaps:
    """Read side: `take` gives what `Trunk` reads in place of ``image_rgb``. Raises LogError where a byte is not as it was written."""

    def __init__(self, directory: Path) -> None:
        self.directory = Path(directory)
        self._maps: dict[str, NDArray[Any]] = {}
        try:
            meta = json.loads((self.directory / META_FILE).read_text())
            if zlib.crc32(json.dumps(meta["body"]).encode()) != meta["crc32"]:
                raise ValueError(f"{META_FILE} does not have the checksum it was written with")
            for name, spec in meta["body"].items():
                dtype, shape = np.dtype(np.int64 if name == "index" else np.float16), tuple(spec["shape"])
                path, wanted = self.directory / f"{name}.bin", int(np.prod(shape)) * dtype.itemsize
                if path.stat().st_size != wanted:
                    raise ValueError(f"{path.name} has not the {wanted} bytes it should have")
                self._maps[name] = np.memmap(path, dtype=dtype, mode="r", shape=shape)
                if checksum(self._maps[name]) != spec["crc32"]:
                    raise ValueError(f"{path.name} does not have the checksum it was written with")
            self.index = np.array(self._maps.pop("index"))
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise LogError(f"{self.directory}: damaged ({e}); delete it and train again to rebuild it") from e

    def take(self, rows: NDArray[np.integer]) -> dict[str, NDArray[np.float16]]:
        """``frame_coarse`` (B, 2, C, S, S) and ``frame_fine`` (B, 2, C', P, P) of the samples ``rows``."""
        frames = self.index[rows]
        coarse = np.asarray(self._maps["coarse"][frames])
        return {"frame_coarse": coarse, "frame_fine": np.asarray(self._maps["fine"][frames]) if "fine" in self._maps else coarse}


def stored_maps(cache: SampleCache, model: DeltaEstimator, progress: bool = False) -> StoredMaps | None:
    """The maps of every frame of ``cache`` under the model's backbone, computed if they are not there.

    None where they would not stand for what the network computes itself: a backbone that is trained, or hidden pixels.
    """
    stem = model.trunk.stem
    if not isinstance(stem, Pretrained) or not stem.frozen or _PIXELS & set(model.config.hidden):
        return None
    target = cache.directory.with_name(f"maps-{cache.directory.name}-{_key(stem.net, model)}")
    if not (target / META_FILE).is_file():
        with alone(target):
            if not (target / META_FILE).is_file():  # else another process has just built it
                partial = target.with_name(f".{target.name}.partial")
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir(parents=True)
                _write(partial, cache, stem, progress)
                shutil.rmtree(target, ignore_errors=True)
                partial.rename(target)
    return StoredMaps(target)


def _key(net: nn.Module, model: DeltaEstimator) -> str:
    """Hash of what the maps depend on beside the frames: architecture and weights."""
    config = model.config
    digest = hashlib.sha256(json.dumps([_VERSION, config.backbone, config.backbone_config, config.image_px]).encode())
    for name, tensor in sorted(net.state_dict().items()):
        digest.update(name.encode() + tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:16]


def _write(directory: Path, cache: SampleCache, stem: Pretrained, progress: bool) -> None:
    frames = cache.mapped("image_rgb")
    index, first = _distinct(frames)
    where = next(stem.parameters()).device
    arrays: dict[str, dict[str, Any]] = {"index": {"shape": list(index.shape), "crc32": zlib.crc32(index.tobytes())}}
    files: dict[str, Any] = {}
    try:
        with torch.inference_mode():
            bar = tqdm(total=len(first), desc="frozen backbone", unit="frame", disable=not progress)
            for begin in range(0, len(first), _BATCH):
                part = first[begin : begin + _BATCH]
                rgb = torch.from_numpy(np.stack([frames[row, f] for row, f in part])).to(where)
                coarse, fine = stem.look(rgb.permute(0, 3, 1, 2).to(torch.float32).contiguous(memory_format=torch.channels_last))
                maps = {"coarse": coarse} if fine is coarse else {"coarse": coarse, "fine": fine}
                for name, tensor in maps.items():
                    if name not in files:
                        files[name] = (directory / f"{name}.bin").open("wb")
                        arrays[name] = {"shape": [len(first), *tensor.shape[1:]], "crc32": 0}
                    raw = tensor.to(torch.float16).cpu().contiguous().numpy().tobytes()
                    files[name].write(raw)
                    arrays[name]["crc32"] = zlib.crc32(raw, arrays[name]["crc32"])
                bar.update(len(part))
            bar.close()
    finally:
        for file in files.values():
            file.close()
    (directory / "index.bin").write_bytes(index.tobytes())
    (directory / META_FILE).write_text(json.dumps({"body": arrays, "crc32": zlib.crc32(json.dumps(arrays).encode())}))


def _distinct(frames: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N, 2) number of each sample's frames among the distinct ones, and (row, frame) where each distinct one is first seen."""
    seen: dict[bytes, int] = {}
    first: list[tuple[int, int]] = []
    index = np.zeros((len(frames), 2), dtype=np.int64)
    for row in range(len(frames)):
        for f in range(2):
            digest = hashlib.blake2b(np.ascontiguousarray(frames[row, f]).tobytes(), digest_size=16).digest()
            if digest not in seen:
                seen[digest] = len(first)
                first.append((row, f))
            index[row, f] = seen[digest]
    return index, np.asarray(first, dtype=np.int64).reshape(-1, 2)
