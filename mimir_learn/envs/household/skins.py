"""Richer visuals: meshes of real models that are drawn in place of our own parts. What collides, holds and opens stays ours.

The folder comes from ``mimir assets sweethome3d``. Nothing of it is needed: a house built without skins is the same, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ConfigError

from .shapes import bounds
from .spec import FixtureSpec, ThingSpec, Vec

FORMAT = 1
INDEX = "index.json"
_STRETCH = 1.8  # a model is not used where it would be stretched more than this in one direction than in another
_FILLED = 0.4  # share of a thing's own width, depth and height that a model must fill to be seen as well
_LEVEL = 0.03  # metres: a level this far below the top of a fixture is a seat, not its top


@dataclass(frozen=True, eq=False)
class SkinPiece:
    """Triangles of one colour in the frame of what they dress: vertices (V, 3) metres, faces (F, 3), rgb in [0, 1]."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    rgb: Vec


@dataclass(frozen=True)
class _Model:
    """An entry of the index: its file, what it stands for, its size and the height of its seat (None: its top)."""

    path: Path
    sha256: str
    size: Vec
    top: float | None


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
    top = None if entry["top"] is None else float(entry["top"])
    return _Model(folder / str(entry["file"]), str(entry["sha256"]), (w, d, h), top)


def _fixture(spec: FixtureSpec, model: _Model, pieces: tuple[SkinPiece, ...]) -> tuple[SkinPiece, ...]:
    """Stretched to the fixture's bounding box, and so that the level that things stand on is where ours is."""
    if spec.panels or len(spec.regions) > 1:
        return ()
    factors = np.divide(spec.size, model.size)
    if factors.max() / factors.min() > _STRETCH:
        return ()
    level = spec.regions[0].centre[2] if spec.regions else spec.size[2]
    knots_from, knots_to = [0.0, model.size[2]], [0.0, spec.size[2]]
    if level < spec.size[2] - _LEVEL:
        if model.top is None or not 0.05 < model.top < model.size[2] - 0.02:
            return ()
        knots_from, knots_to = [0.0, model.top, model.size[2]], [0.0, level, spec.size[2]]
    out = []
    for piece in pieces:
        vertices = piece.vertices * (factors[0], factors[1], 1.0)
        vertices[:, 2] = np.interp(vertices[:, 2], knots_from, knots_to)
        out.append(SkinPiece(vertices, piece.faces, piece.rgb))
    return tuple(out)


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
