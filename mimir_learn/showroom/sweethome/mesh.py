"""OBJ models to coloured triangles of the right size, decimated without losing what makes them recognisable."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ConfigError, MimirError

from .catalogue import Model

EXTRA = "the converter needs trimesh and fast-simplification: pip install 'mimir-learn[assets]'"
MOST_EXTENT, MOST_AREA = 0.02, 0.15  # how much decimation may change an extent, and the surface area
MOST_COLOURS = 8
_AXES = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])  # y up and z to the front → z up and −y to the front
_GROW = (1.0, 1.5, 2.0)  # the budget is stretched this far before a model is given up


class MeshError(MimirError):
    """A model that cannot be converted; says why."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles of one colour: vertices (V, 3) metres, z up, the front at −y; faces (F, 3); rgb in [0, 1]."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    rgb: tuple[float, float, float]

    @property
    def area(self) -> float:
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def load(model: Model, file: zipfile.ZipFile) -> list[Piece]:
    """The pieces of a model at its catalogue size: origin on the floor under its middle, one piece per colour, largest first.

    Raises MeshError for a model that cannot be read, ConfigError where the libraries for it are not installed.
    """
    trimesh = _import("trimesh")
    try:
        data = file.read(model.path)
    except KeyError:
        raise MeshError(f"{model.path} is not in the archive") from None
    resolver = trimesh.resolvers.ZipResolver(_folder(model.path, file))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scene = trimesh.load_scene(io.BytesIO(data), file_type="obj", resolver=resolver, split_object=False, group_material=True)
            meshes = [g for g in scene.geometry.values() if isinstance(g, trimesh.Trimesh) and len(g.faces)]
    except Exception as e:  # a loader of a hundred formats' oddities: whatever it says, the next model is converted
        raise MeshError(f"{type(e).__name__}: {e}") from e
    if not meshes:
        raise MeshError("it holds no triangles")
    pieces = [Piece(np.asarray(m.vertices, float), np.asarray(m.faces, np.int64), colour(m)) for m in meshes]
    return _merged(_scaled(pieces, model))


def _import(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise ConfigError(f"{EXTRA} ({e})") from e


def _folder(path: str, file: zipfile.ZipFile) -> dict[str, io.BytesIO]:
    """Material file and textures beside an OBJ, by the names it calls them."""
    folder = path.rpartition("/")[0] + "/"
    names = [n for n in file.namelist() if n.startswith(folder) and not n.endswith("/")]
    return {n.removeprefix(folder): io.BytesIO(file.read(n)) for n in names if not n.lower().endswith((".obj", ".txt", ".html"))}


def colour(mesh: Any) -> tuple[float, float, float]:
    """The mean colour of a mesh: its texture under its triangles if it has one, else its material's diffuse colour."""
    material = getattr(mesh.visual, "material", None)
    rgb = np.asarray(getattr(material, "main_color", (160, 160, 160, 255)), float)[:3] / 255
    image, uv = getattr(material, "image", None), getattr(mesh.visual, "uv", None)
    if image is not None and uv is not None and len(uv) == len(mesh.vertices):
        pixels = np.asarray(image.convert("RGB"), float) / 255
        at = np.asarray(uv)[mesh.faces].mean(1) % 1.0
        rows = np.clip(((1 - at[:, 1]) * pixels.shape[0]).astype(int), 0, pixels.shape[0] - 1)
        columns = np.clip((at[:, 0] * pixels.shape[1]).astype(int), 0, pixels.shape[1] - 1)
        weight = np.asarray(mesh.area_faces) + 1e-12
        rgb = np.average(pixels[rows, columns], axis=0, weights=weight)
    return tuple(round(float(c), 3) for c in rgb)  # type: ignore[return-value]


def _scaled(pieces: list[Piece], model: Model) -> list[Piece]:
    """Turned upright, stretched to the size in the catalogue, axes as in a `HouseSpec`."""
    turned = [p.vertices @ model.matrix().T @ _AXES.T for p in pieces]
    used = np.concatenate([v[np.unique(p.faces)] for v, p in zip(turned, pieces, strict=True)])
    low, high = used.min(0), used.max(0)
    extent = high - low
    if not np.isfinite(extent).all() or (extent <= 0).sum() > 1:
        raise MeshError("it is flat or not finite")
    factor = np.divide(model.size, extent, out=np.ones(3), where=extent > 0)
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    return [Piece((v - origin) * factor, p.faces, p.rgb) for v, p in zip(turned, pieces, strict=True)]


def _merged(pieces: list[Piece]) -> list[Piece]:
    """At most `MOST_COLOURS` pieces: near colours are put together, small pieces into the nearest colour of a larger one."""
    pieces = sorted(pieces, key=lambda p: -p.area)
    groups: list[list[Piece]] = []
    for piece in pieces:
        distance = [float(np.abs(np.subtract(piece.rgb, g[0].rgb)).sum()) for g in groups]
        nearest = int(np.argmin(distance)) if groups else -1
        if groups and (distance[nearest] < 0.06 or len(groups) >= MOST_COLOURS):
            groups[nearest].append(piece)
        else:
            groups.append([piece])
    return sorted((_joined(g) for g in groups), key=lambda p: -p.area)


def _joined(pieces: list[Piece]) -> Piece:
    """One piece, with its largest member's colour, without doubled vertices or empty triangles."""
    offsets = np.cumsum([0, *(len(p.vertices) for p in pieces[:-1])])
    vertices = np.concatenate([p.vertices for p in pieces])
    faces = np.concatenate([p.faces + o for p, o in zip(pieces, offsets, strict=True)])
    _, first, inverse = np.unique(np.round(vertices, 5), axis=0, return_index=True, return_inverse=True)
    faces = inverse.reshape(-1)[faces]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    _, once = np.unique(np.sort(faces[whole], axis=1), axis=0, return_index=True)
    return Piece(vertices[first], faces[whole][np.sort(once)], pieces[0].rgb)


def decimate(pieces: list[Piece], budget: int) -> list[Piece]:
    """The same model with about ``budget`` triangles, at most twice as many.

    Decimation can eat thin parts (the legs of a chair). So what comes out is compared with what went in: no extent may change by
    more than 2 %, the surface area by no more than 15 %. Edge collapse is tried first, bold and then careful, then the merging of near
    vertices, which keeps many small parts better. Raises MeshError where nothing is good enough.
    """
    total = sum(len(p.faces) for p in pieces)
    complaint = ""
    for grow in _GROW:
        allowed = round(budget * grow)
        if total <= allowed:
            return pieces
        for way in _WAYS:
            fewer = [p for p in way(pieces, total, allowed) if len(p.faces)]
            found = sum(len(p.faces) for p in fewer)
            complaint = damage(pieces, fewer) or ("" if found <= allowed * 1.1 else f"{found} stay")
            if not complaint:
                return fewer
    raise MeshError(f"{total} triangles cannot be brought to {budget}: {complaint}")


def _collapse(boldness: int) -> Callable[[list[Piece], int, int], list[Piece]]:
    """Quadric edge collapse, every piece getting its share of the triangles."""

    def way(pieces: list[Piece], total: int, allowed: int) -> list[Piece]:
        fast = _import("fast_simplification")
        out = []
        for piece in pieces:
            target = max(12, round(allowed * len(piece.faces) / total))
            if len(piece.faces) > target:
                vertices, faces = fast.simplify(
                    piece.vertices.astype(np.float32), piece.faces.astype(np.int32), target_count=target, agg=boldness
                )
                piece = Piece(np.asarray(vertices, float), np.asarray(faces, np.int64), piece.rgb)
            out.append(piece)
        return out

    return way


def _cluster(pieces: list[Piece], total: int, allowed: int) -> list[Piece]:
    """Vertices in one cell of a grid become their mean; the finest of a few grids that leaves few enough triangles."""
    largest = max(float(np.ptp(p.vertices, axis=0).max()) for p in pieces)
    out = pieces
    for cells in (90, 70, 55, 45, 35, 28, 22):
        out = [_clustered(p, largest / cells) for p in pieces]
        if sum(len(p.faces) for p in out) <= allowed * 1.1:
            break
    return out


def _clustered(piece: Piece, cell: float) -> Piece:
    _, inverse, count = np.unique(np.floor(piece.vertices / cell + 0.5), axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    means = np.zeros((len(count), 3))
    np.add.at(means, inverse, piece.vertices)
    return _joined([Piece(means / count[:, None], inverse[piece.faces], piece.rgb)])


_WAYS = (_collapse(5), _collapse(3), _cluster)


def damage(before: list[Piece], after: list[Piece]) -> str:
    """What decimation has lost: "" where extents and area are kept."""
    if not after:
        return "nothing is left"
    old, new = (np.ptp(np.concatenate([p.vertices[np.unique(p.faces)] for p in ps]), axis=0) for ps in (before, after))
    worst = float(np.max(np.abs(new - old) / np.maximum(old, 1e-9)))
    if worst > MOST_EXTENT:
        return f"an extent changes by {worst:.0%}"
    change = abs(sum(p.area for p in after) / max(1e-12, sum(p.area for p in before)) - 1)
    return f"the surface area changes by {change:.0%}" if change > MOST_AREA else ""
