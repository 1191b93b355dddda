"""``mimir assets sweethome3d DIR``: from the archives to a folder of small meshes with an index and the credits."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from mimir_learn.checks import whole
from mimir_learn.envs.household.skins import FORMAT, INDEX
from mimir_learn.errors import ConfigError

from .catalogue import CURE, Model, archives, read_catalogue, sha256
from .mapping import FURNITURE, THINGS, Use
from .mesh import MeshError, Piece, decimate, load

CREDITS = "CREDITS.md"


@dataclass(frozen=True)
class AssetsConfig:
    """Convert models of Sweet Home 3D: ``mimir assets sweethome3d DIR``. Give the folder made to the household as ``assets``.

    Attributes:
        source: the package's folder of .sh3f archives, e.g. /usr/share/sweethome3d/furniture; normally given as the last word.
        out: folder that is made.
        furniture: triangles a piece of furniture should have; where that would spoil it, up to twice as many.
        thing: the same for a small thing.
        free_only: only models in the public domain (CC0), which need no credits.
    """

    source: str
    out: str = "data/assets/sweethome3d"
    furniture: int = 1500
    thing: int = 500
    free_only: bool = False

    def __post_init__(self) -> None:
        whole("assets.furniture", self.furniture, 50)
        whole("assets.thing", self.thing, 50)


@dataclass(frozen=True)
class Summary:
    """What a conversion made: the folder, how many models of how many wanted, their triangles, and why others were left out."""

    folder: Path
    models: int
    wanted: int
    triangles: int
    left_out: Mapping[str, str]

    def __str__(self) -> str:
        lines = [f"{self.folder}: {self.models} of {self.wanted} models, {self.triangles} triangles; see {CREDITS}"]
        return "\n".join([*lines, *(f"  left out {name}: {why}" for name, why in self.left_out.items())])


def convert(config: AssetsConfig, *, progress: bool = True) -> Summary:
    """Convert every mapped model that is there. The same archives give the same files, byte for byte.

    Raises ConfigError where there are no archives, one is damaged, none of the mapped models is in them, or the libraries for it are not
    installed.
    """
    files = archives(Path(config.source))
    catalogue = {m.id: m for archive in files for m in read_catalogue(archive)}
    jobs = [(category, use, config.furniture) for category, uses in FURNITURE.items() for use in uses]
    jobs += [(category, use, config.thing) for category, uses in THINGS.items() for use in uses]
    left_out = {use.model: "not in these archives" for _, use, _ in jobs if use.model not in catalogue}
    if config.free_only:
        left_out |= {u.model: f"not free: {catalogue[u.model].licence}" for _, u, _ in jobs if _is_owned(catalogue.get(u.model))}
    jobs = [job for job in jobs if job[1].model not in left_out]
    if not jobs:
        raise ConfigError(f"{config.source}: none of the models the household knows is in its archives; {CURE}")
    folder = Path(config.out)
    (folder / "meshes").mkdir(parents=True, exist_ok=True)
    entries: list[dict[str, Any]] = []
    opened: dict[Path, zipfile.ZipFile] = {}
    try:
        for category, use, budget in tqdm(jobs, unit="model", disable=None if progress else True):
            model = catalogue[use.model]
            file = opened.setdefault(model.archive, zipfile.ZipFile(model.archive))
            try:
                pieces = [_turned(p, use) for p in decimate(load(model, file), budget)]
            except MeshError as e:
                left_out[model.id] = str(e)
                continue
            entries.append(_write(folder, category, model, use, pieces))
    finally:
        for file in opened.values():
            file.close()
    made_from = [{"archive": f.name, "sha256": sha256(f)} for f in files]
    index = {"format": FORMAT, "made_from": made_from, "models": entries, "left_out": left_out}
    _put(folder / INDEX, (json.dumps(index, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode())
    _put(folder / CREDITS, credits_of(entries).encode())
    return Summary(folder, len(entries), len(entries) + len(left_out), sum(e["triangles"] for e in entries), left_out)


def _is_owned(model: Model | None) -> bool:
    return model is not None and not model.free


def _turned(piece: Piece, use: Use) -> Piece:
    a = np.radians(use.turn)
    turn = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
    return Piece(piece.vertices @ turn.T, piece.faces, piece.rgb)


def _write(folder: Path, category: str, model: Model, use: Use, pieces: list[Piece]) -> dict[str, Any]:
    arrays: dict[str, Any] = {"rgb_P3": np.array([p.rgb for p in pieces], np.float32)}
    for i, piece in enumerate(pieces):
        used, faces = np.unique(piece.faces, return_inverse=True)
        arrays[f"vertices_{i}"] = piece.vertices[used].astype(np.float32)
        arrays[f"faces_{i}"] = faces.reshape(-1, 3).astype(np.int32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    name = f"meshes/{category}-{hashlib.sha256(model.id.encode()).hexdigest()[:10]}.npz"
    _put(folder / name, buffer.getvalue())
    w, d, h = model.size
    return {
        "id": model.id,
        "name": model.name,
        "category": category,
        "file": name,
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        "size": [round(v, 4) for v in ((d, w, h) if use.turn % 180 else (w, d, h))],
        "triangles": sum(len(p.faces) for p in pieces),
        "creator": model.creator,
        "licence": model.licence,
        "archive": model.archive.name,
    }


def credits_of(entries: Iterable[Mapping[str, Any]]) -> str:
    """Who made what, under which terms: to be kept with the meshes and with pictures made of them."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        groups.setdefault(entry["licence"], []).append(entry)
    lines = [
        "# Credits",
        "",
        "These meshes were made from furniture models distributed with Sweet Home 3D (Debian package sweethome3d-furniture): scaled, "
        "reduced to fewer triangles, textures replaced by their mean colours. Keep this file with them; a model that is not in the public "
        "domain also wants its creator named wherever it is shown.",
    ]
    for licence in sorted(groups):
        lines += ["", f"## {licence}", ""]
        lines += [f"- {e['name']} ({e['id']}), by {e['creator']}" for e in sorted(groups[licence], key=lambda e: e["id"])]
    return "\n".join(lines) + "\n"


def _put(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, path)
