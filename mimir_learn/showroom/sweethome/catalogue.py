"""Reads the catalogues inside ``.sh3f`` archives: which models there are, how big they are, and whose they are."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ConfigError

CATALOGUE = "PluginFurnitureCatalog.properties"
CURE = "on Debian or Ubuntu: apt-get install sweethome3d-furniture, then give /usr/share/sweethome3d/furniture"
_NUMBERED = re.compile(r"(\w+)#(\d+)")


@dataclass(frozen=True)
class Model:
    """One model of a catalogue.

    Attributes:
        id: unique over all archives, ``Blend Swap CC-0#armchair``.
        name: what it is, in English.
        archive, path: the ``.sh3f`` file and the OBJ file in it.
        size: (width, depth, height) in metres.
        rotation: (3, 3) matrix that turns the model upright before it is scaled, row-major as in the catalogue; None for none.
        creator, licence: whom to credit, and under which terms.
    """

    id: str
    name: str
    archive: Path
    path: str
    size: tuple[float, float, float]
    rotation: tuple[float, ...] | None
    creator: str
    licence: str

    @property
    def free(self) -> bool:
        """Whether it is in the public domain (CC0), so that nobody need be credited."""
        return "public domain" in self.licence.lower() or "cc0" in self.licence.lower()

    def matrix(self) -> NDArray[np.float64]:
        """(3, 3) rotation, the identity for none."""
        return np.eye(3) if self.rotation is None else np.array(self.rotation, dtype=np.float64).reshape(3, 3)


def archives(directory: Path) -> list[Path]:
    """The ``.sh3f`` archives under a directory, or the file itself, sorted. Raises ConfigError where there is none."""
    if not directory.exists():
        raise ConfigError(f"{directory} does not exist; {CURE}")
    found = sorted(directory.rglob("*.sh3f")) if directory.is_dir() else [directory]
    if not found:
        raise ConfigError(f"{directory} holds no .sh3f archive, so no furniture of Sweet Home 3D; {CURE}")
    return found


def read_catalogue(archive: Path) -> list[Model]:
    """All models of one archive, in its order. Raises ConfigError naming the archive where it is damaged or no catalogue is in it."""
    try:
        with zipfile.ZipFile(archive) as file:
            text = file.read(CATALOGUE).decode("latin-1")
    except KeyError:
        raise ConfigError(f"{archive} has no {CATALOGUE}; it is no furniture library of Sweet Home 3D") from None
    except (zipfile.BadZipFile, OSError, EOFError) as e:
        raise ConfigError(f"{archive} cannot be read ({e}); install the package again: {CURE}") from e
    head: dict[str, str] = {}
    bodies: dict[int, dict[str, str]] = {}
    for key, value in properties(text):
        match = _NUMBERED.fullmatch(key)
        if match is None:
            head[key] = value
        else:
            bodies.setdefault(int(match[2]), {})[match[1]] = value
    return [_model(archive, number, body, head) for number, body in sorted(bodies.items())]


def _model(archive: Path, number: int, body: dict[str, str], head: dict[str, str]) -> Model:
    try:
        width, depth, height = (float(body[k]) / 100 for k in ("width", "depth", "height"))
        rotation = tuple(float(v) for v in body["modelRotation"].split()) if "modelRotation" in body else None
        if min(width, depth, height) <= 0 or (rotation is not None and len(rotation) != 9):
            raise ValueError("a size is not above 0, or a rotation has not 9 numbers")
        name, path = body["name"], body["model"].lstrip("/")
    except (KeyError, ValueError) as e:
        raise ConfigError(f"{archive}: model {number} of its catalogue is damaged ({type(e).__name__}: {e}); {CURE}") from e
    licence = body.get("license", head.get("license", "see LICENSE.TXT in the archive"))
    return Model(
        body.get("id", f"{archive.stem}#{number}"), name, archive, path, (width, depth, height), rotation,
        body.get("creator", "unknown"), " ".join(licence.split()),
    )  # fmt: skip


def properties(text: str) -> Iterator[tuple[str, str]]:
    """Keys and values of a Java properties file: comments, continued lines and ``\\uXXXX`` escapes are understood."""
    lines = iter(text.splitlines())
    for line in lines:
        line = line.lstrip()
        if not line or line[0] in "#!":
            continue
        while len(line) - len(line.rstrip("\\")) & 1:  # an odd number of backslashes at the end: it goes on
            line = line[:-1] + next(lines, "").lstrip()
        key, value = re.split(r"\s*[=:]\s*", line, maxsplit=1) if re.search(r"[=:]", line) else (line, "")
        yield key.strip(), _unescape(value.strip())


def _unescape(value: str) -> str:
    value = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), value)
    return re.sub(r"\\(.)", r"\1", value)


def sha256(path: Path) -> str:
    """Hash of an archive, so that an index says exactly what it was made from."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
