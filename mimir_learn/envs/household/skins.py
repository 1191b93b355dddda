"""Richer visuals: meshes of real models that are drawn in place of our own parts. What collides, holds and opens stays ours.

The folder comes from ``mimir assets sweethome3d``. Nothing of it is needed: a house built without skins is the same, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ConfigError

from .shapes import bounds
from .spec import FixtureSpec, Region, ThingSpec, Vec

FORMAT = 1
INDEX = "index.json"
_STRETCH = 1.8  # a model is not used where it would be stretched more than this in one direction than in another
_FILLED = 0.4  # share of a thing's own width, depth and height that a model must fill to be seen as well
_COVERED = 0.96  # share of the level that things lie on which a model must have as well
_UNEVEN = 0.05  # metres by which that level may dip


@dataclass(frozen=True, eq=False)
class SkinPiece:
    """Triangles of one colour in the frame of what they dress: vertices (V, 3) metres, faces (F, 3), rgb in [0, 1]."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    rgb: Vec


@dataclass(frozen=True)
class _Model:
    """An entry of the index: its file, the file's hash, and its (width, depth, height) in metres."""

    path: Path
    sha256: str
    size: Vec


class Skins:
    """The models of a folder, by household category. Use `load`."""

    def __init__(self, models: Mapping[str, tuple[_Model, ...]]) -> None:
        self._models = models
        self._pieces: dict[Path, tuple[SkinPiece, ...]] = {}

    @classmethod
    def load(cls, folder: str | Path) -> Skins:
        """Read a folder's index; meshes are read when first needed. Raises ConfigError where it is none or of another format."""
        path = Path(folder) / INDEX
        cure = "make the folder with `mimir assets sweethome3d DIR`"
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
            if body["format"] != FORMAT:
                raise ConfigError(f"{path} has format {body['format']!r}, this code reads {FORMAT}; {cure}")
            models: dict[str, list[_Model]] = {}
            for entry in body["models"]:
                models.setdefault(str(entry["category"]), []).append(_entry(Path(folder), entry))
        except FileNotFoundError:
            raise ConfigError(f"{path} is missing; {cure}") from None
        except ConfigError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise ConfigError(f"{path} is damaged ({type(e).__name__}: {e}); {cure}") from e
        return cls({category: tuple(found) for category, found in models.items()})

    @property
    def categories(self) -> frozenset[str]:
        """Household categories that have a model."""
        return frozenset(self._models)

    def dress(self, spec: FixtureSpec | ThingSpec, house_seed: int) -> tuple[SkinPiece, ...]:
        """What to draw instead of a fixture's or thing's parts; empty where there is no model that fits, or its looks carry a state.

        Which of several models is taken depends on the house's seed and the id alone. Raises ConfigError for a damaged mesh.
        """
        models = self._models.get(spec.category, ())
        if not models or any(p.when for p in spec.parts):
            return ()
        first = zlib.crc32(f"{house_seed}/{spec.id}".encode()) % len(models)
        for model in (*models[first:], *models[:first]):
            pieces = _fixture(spec, model, self._read(model)) if isinstance(spec, FixtureSpec) else _thing(spec, self._read(model))
            if pieces:
                return pieces
        return ()

    def _read(self, model: _Model) -> tuple[SkinPiece, ...]:
        if model.path not in self._pieces:
            try:
                data = model.path.read_bytes()
                if hashlib.sha256(data).hexdigest() != model.sha256:
                    raise ValueError("its hash is not the one in the index")
                with np.load(model.path, allow_pickle=False) as file:
                    colours = file["rgb_P3"]
                    self._pieces[model.path] = tuple(
                        SkinPiece(
                            file[f"vertices_{i}"].astype(np.float64),
                            file[f"faces_{i}"].astype(np.int64),
                            tuple(round(float(c), 4) for c in rgb),  # type: ignore[arg-type]
                        )
                        for i, rgb in enumerate(colours)
                    )
            except (OSError, ValueError, KeyError) as e:
                raise ConfigError(f"{model.path} cannot be used ({e}); make the folder again with `mimir assets sweethome3d DIR`") from e
        return self._pieces[model.path]


def _entry(folder: Path, entry: Mapping[str, Any]) -> _Model:
    w, d, h = (float(v) for v in entry["size"])
    return _Model(folder / str(entry["file"]), str(entry["sha256"]), (w, d, h))


def _fixture(spec: FixtureSpec, model: _Model, pieces: tuple[SkinPiece, ...]) -> tuple[SkinPiece, ...]:
    """Stretched to the fixture's bounding box, and so that the level that things stand on is where ours is.

    Nothing for a model whose own level is uneven (cushions would hide what lies there) or does not reach all over ours (a round table).
    """
    if spec.panels or len(spec.regions) > 1:
        return ()
    factors = np.divide(spec.size, model.size)
    if factors.max() / factors.min() > _STRETCH:
        return ()
    knots_from, knots_to = [0.0, model.size[2]], [0.0, spec.size[2]]
    if spec.regions:
        level = _level(pieces, spec.regions[0], factors)
        if level is None or not 0.05 < level <= model.size[2] + 1e-6:
            return ()
        ours = spec.regions[0].centre[2]
        knots_from, knots_to = [0.0, level], [0.0, ours]
        if level < model.size[2] - 0.01:
            knots_from, knots_to = [*knots_from, model.size[2]], [*knots_to, max(spec.size[2], ours + 0.01)]
    out = []
    for piece in pieces:
        vertices = piece.vertices * (factors[0], factors[1], 1.0)
        vertices[:, 2] = np.interp(vertices[:, 2], knots_from, knots_to)
        out.append(SkinPiece(vertices, piece.faces, piece.rgb))
    return tuple(out)


def _level(pieces: Sequence[SkinPiece], region: Region, factors: NDArray[np.float64]) -> float | None:
    """Height of a model, metres in its own frame, at which things lie on it under a region; None where it has no such level."""
    x = region.centre[0] + np.linspace(-0.92, 0.92, 9) * region.half[0]
    y = region.centre[1] + np.linspace(-0.92, 0.92, 7) * region.half[1]
    points_N2 = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2) / factors[:2]
    heights = np.max([_heights(p, points_N2) for p in pieces], axis=0)
    if np.isfinite(heights).mean() < _COVERED:
        return None
    low, level, high = np.percentile(heights[np.isfinite(heights)], (12, 70, 96))
    return None if level - low > _UNEVEN or high - level > _UNEVEN / 2 else float(level)


def _heights(piece: SkinPiece, points_N2: NDArray[np.float64]) -> NDArray[np.float64]:
    """Height of the topmost triangle over each point (N,), −∞ where there is none."""
    a, b, c = (piece.vertices[piece.faces[:, i]] for i in range(3))
    u, v = b[:, :2] - a[:, :2], c[:, :2] - a[:, :2]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    flat = np.abs(area) > 1e-12  # seen from above; the others are upright
    a, b, c, u, v, area = a[flat], b[flat], c[flat], u[flat], v[flat], area[flat]
    if not len(area):
        return np.full(len(points_N2), -np.inf)
    w_NF2 = points_N2[:, None, :] - a[None, :, :2]
    s_NF = (w_NF2[..., 0] * v[:, 1] - w_NF2[..., 1] * v[:, 0]) / area
    t_NF = (u[:, 0] * w_NF2[..., 1] - u[:, 1] * w_NF2[..., 0]) / area
    inside = (s_NF >= -1e-9) & (t_NF >= -1e-9) & (s_NF + t_NF <= 1 + 1e-9)
    z_NF = a[:, 2] + s_NF * (b[:, 2] - a[:, 2]) + t_NF * (c[:, 2] - a[:, 2])
    return np.where(inside, z_NF, -np.inf).max(1)


def _thing(spec: ThingSpec, pieces: tuple[SkinPiece, ...]) -> tuple[SkinPiece, ...]:
    """As large as fits into what our own parts fill, standing on the same level; the largest piece gets the thing's own colour."""
    if spec.holds is not None:
        return ()
    corners = [bounds(p) for p in spec.parts]
    low, high = np.min([c[0] for c in corners], axis=0), np.max([c[1] for c in corners], axis=0)
    points = np.concatenate([p.vertices for p in pieces])
    mesh_low, mesh_high = points.min(0), points.max(0)
    room = (high - low) / np.maximum(mesh_high - mesh_low, 1e-6)
    factors = np.minimum(room, room.min() * _STRETCH)
    if (factors / room).min() < _FILLED:
        return ()
    shift = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    origin = np.array([(mesh_low[0] + mesh_high[0]) / 2, (mesh_low[1] + mesh_high[1]) / 2, mesh_low[2]])
    own = spec.parts[int(np.argmax([np.prod(c[1] - c[0]) for c in corners]))].rgb
    return tuple(SkinPiece((p.vertices - origin) * factors + shift, p.faces, own if i == 0 else p.rgb) for i, p in enumerate(pieces))
