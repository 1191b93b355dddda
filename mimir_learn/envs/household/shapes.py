"""Meshes of parts, from a few numbers each: what a renderer draws for a lathe, a loft or a textured primitive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, isfinite, pi, radians, sin

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import SymbolError

from .spec import Part

MAX_TRIANGLES = 1200
"""Most triangles of one part; longer profiles are turned with fewer segments, and refused when even that is too many."""
SWEPT = ("lathe", "loft")
CEILING = "ceiling"
"""A rectangle (half x, half y) that faces down and cannot be seen from above; only `shell` makes it."""
_FEWEST_SEGMENTS = 8
_CREASE = cos(radians(40.0))  # faces that meet at more than this angle keep an edge between them


@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh with what shading needs: ``vertices`` and unit ``normals`` (V, 3), ``texcoord`` (V, 2) metres, ``faces`` (F, 3).

    A vertex on an edge is there once for each smooth side of it.
    """

    vertices: NDArray[np.float64]
    normals: NDArray[np.float64]
    texcoord: NDArray[np.float64]
    faces: NDArray[np.int64]


def triangles(part: Part) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The surface of a part in its own frame: vertices (V, 3) in metres and faces (F, 3), counter-clockwise seen from outside.

    Outside is to the right of the way a lathe's profile runs: rising it is the outer wall, descending a lining seen from above. A lathe
    that does not start or end on the axis stays open there; a loft has lids, unless it ends where it began. The same part gives the same
    mesh, with few segments for small things. Raises SymbolError for a profile that makes no surface.
    """
    vertices, faces = _mesh(part.shape, part.size)
    return vertices.copy(), faces.copy()


def surface(part: Part, along: bool = False) -> Surface:
    """`triangles` with normals and texture coordinates (box projection); ``along``: the texture's first axis follows the longest side."""
    return _surface(part.shape, part.size, along)


def check_profile(part: Part, owner: str) -> None:
    """Raises SymbolError naming ``owner`` and what is wrong with the profile of a lathe or loft."""
    try:
        _mesh(part.shape, part.size)
    except SymbolError as e:
        raise SymbolError(f"{owner}: {e}") from e


def bounds(part: Part) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest corner (3,) of a part in its owner's frame, its turn included."""
    vertices = _mesh(part.shape, part.size)[0] @ rotation(part.euler).T + np.asarray(part.pos)
    return vertices.min(0), vertices.max(0)


def rotation(euler: tuple[float, float, float]) -> NDArray[np.float64]:
    """(3, 3) of intrinsic x-y-z angles in degrees, as `Part.euler` means them."""
    out = np.eye(3)
    for axis, angle in enumerate(euler):
        c, s = cos(radians(angle)), sin(radians(angle))
        turn = np.eye(3)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = c, -s, s, c
        out = out @ turn
    return out


def _demand(sound: bool, complaint: str) -> None:
    if not sound:
        raise SymbolError(complaint)


@lru_cache(maxsize=1024)
def _mesh(shape: str, size: tuple[float, ...]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    if shape == CEILING:
        x, y = size
        return np.array([(-x, -y, 0.0), (-x, y, 0.0), (x, y, 0.0), (x, -y, 0.0)]), np.array([[0, 1, 2], [0, 2, 3]])
    if shape == "lathe":
        rings, n = _lathe(size)
    elif shape == "loft":
        rings, n = _loft(size)
    elif shape == "box":
        rings, n = _loft((-size[2], size[0], size[1], 0.0, size[2], size[0], size[1], 0.0))
    elif shape == "cylinder":
        rings, n = _lathe((0.0, -size[1], size[0], -size[1], size[0], size[1], 0.0, size[1]))
    elif shape in ("sphere", "ellipsoid", "capsule"):
        rings, n = _round(shape, size)
    else:
        raise SymbolError(f"shape {shape!r} has no mesh")
    vertices, faces = _weld(rings, _skin(len(rings) // n, n))
    _demand(len(faces) > 0, f"the profile of a {shape} makes no surface; give points that differ and radii above 0")
    _demand(len(faces) <= MAX_TRIANGLES, f"the profile of a {shape} needs {len(faces)} triangles; at most {MAX_TRIANGLES} are drawn")
    vertices.flags.writeable = faces.flags.writeable = False
    return vertices, faces


def _finite(shape: str, size: tuple[float, ...], width: int) -> NDArray[np.float64]:
    _demand(
        len(size) >= 2 * width and len(size) % width == 0 and all(isfinite(v) for v in size),
        f"the profile of a {shape} must be {width} finite numbers a point, at least two points, got {len(size)} numbers",
    )
    return np.asarray(size, dtype=float).reshape(-1, width)


def _lathe(size: tuple[float, ...]) -> tuple[NDArray[np.float64], int]:
    profile = _finite("lathe", size, 2)
    _demand(bool((profile[:, 0] >= 0).all()), "the radii of a lathe must be at least 0")
    n = _segments(float(profile[:, 0].max()), len(profile))
    angle = 2 * pi * np.arange(n) / n
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(n)], -1)
    rings = profile[:, None, :1] * ring[None] + np.array((0.0, 0.0, 1.0)) * profile[:, None, 1:]
    return rings.reshape(-1, 3), n


def _segments(radius: float, points: int) -> int:
    wanted = next((n for limit, n in ((0.025, 8), (0.07, 12), (0.15, 16)) if radius <= limit), 20)
    n = min(wanted, MAX_TRIANGLES // (2 * points))
    _demand(n >= _FEWEST_SEGMENTS, f"a profile of {points} points is too long; give at most {MAX_TRIANGLES // (2 * _FEWEST_SEGMENTS)}")
    return n


def _loft(size: tuple[float, ...]) -> tuple[NDArray[np.float64], int]:
    sections = _finite("loft", size, 4)
    _demand(bool((sections[:, 1:3] >= 0).all()), "the half sizes of a loft's cross-sections must be at least 0")
    _demand(bool(((sections[:, 3] >= 0) & (sections[:, 3] <= 1)).all()), "the roundness of a loft's cross-sections must be in [0, 1]")
    _demand(len(sections) <= 60, f"a loft of {len(sections)} cross-sections is too long; give at most 60")
    roundest, widest = float(sections[:, 3].max()), float(sections[:, 1:3].max())
    corner = 1 if roundest == 0 else (2 if widest < 0.05 else 3) + (roundest > 0.6)
    corner = max(1, min(corner, MAX_TRIANGLES // (8 * (len(sections) + 1))))
    out = []
    for sx, sy, start in ((1, 1, 0.0), (-1, 1, 0.5), (-1, -1, 1.0), (1, -1, 1.5)):
        for k in range(corner):
            angle = pi * (start + 0.5 * k / max(1, corner - 1)) if corner > 1 else pi * (start + 0.25)
            z, hx, hy, r = sections.T
            out.append(np.stack([hx * ((1 - r) * sx + r * cos(angle)), hy * ((1 - r) * sy + r * sin(angle)), z], -1))
    rings = np.stack(out, 1)
    n = rings.shape[1]
    if not np.array_equal(sections[0], sections[-1]):  # lids: a ring shrunk onto its first corner spans a fan
        rings = np.concatenate([rings[:1, :1].repeat(n, 1), rings, rings[-1:, :1].repeat(n, 1)])
    return rings.reshape(-1, 3), n


def _round(shape: str, size: tuple[float, ...]) -> tuple[NDArray[np.float64], int]:
    half = size if shape == "ellipsoid" else (size[0],) * 3
    steps = 6 if max(half) <= 0.07 else 8
    n = _segments(max(half[:2]), steps)
    straight = size[1] if shape == "capsule" else 0.0
    lift = np.array([-pi / 2 + pi * k / steps for k in range(steps + 1)])
    if straight:
        lift = np.insert(lift, steps // 2, 0.0)  # the equator twice, one for each end of the straight piece
    shift = np.where(np.arange(len(lift)) < len(lift) / 2, -straight, straight)
    angle = 2 * pi * np.arange(n) / n
    x = half[0] * np.cos(lift)[:, None] * np.cos(angle)
    y = half[1] * np.cos(lift)[:, None] * np.sin(angle)
    z = np.repeat((half[2] * np.sin(lift) + shift)[:, None], n, 1)
    return np.stack([x, y, z], -1).reshape(-1, 3), n


def _skin(rings: int, n: int) -> NDArray[np.int64]:
    """Two triangles for every step around and along."""
    low = (np.arange(rings - 1)[:, None] * n + np.arange(n)).ravel()
    right = (np.arange(rings - 1)[:, None] * n + (np.arange(n) + 1) % n).ravel()
    return np.stack([np.stack([low, right, right + n], -1), np.stack([low, right + n, low + n], -1)], 1).reshape(-1, 3)


def _weld(points: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points that coincide become one, and triangles without area go."""
    rounded = np.round(points, 6) + 0.0
    _, first, index = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # keep the order in which the points came
    vertices = rounded[np.sort(first)]
    faces = order[index.ravel()][faces]
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    keep = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-9
    return vertices, faces[keep]


@lru_cache(maxsize=1024)
def _surface(shape: str, size: tuple[float, ...], along: bool) -> Surface:
    vertices, faces = _mesh(shape, size)
    corners = vertices[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = area / np.linalg.norm(area, axis=1, keepdims=True)
    # Corner by corner: the faces at the same vertex that bend less than a crease count towards its normal, weighted by area.
    vertex = faces.ravel()
    order = np.argsort(vertex, kind="stable")
    count = np.bincount(vertex, minlength=len(vertices))
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    reps = count[vertex]
    mine = np.repeat(np.arange(len(vertex)), reps)
    step = np.arange(len(mine)) - np.repeat(np.cumsum(reps) - reps, reps)
    other = order[start[vertex[mine]] + step] // 3
    smooth = np.einsum("ij,ij->i", unit[mine // 3], unit[other]) >= _CREASE
    normal = np.zeros((len(vertex), 3))
    np.add.at(normal, mine[smooth], area[other[smooth]])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    texcoord = _texcoord(corners.reshape(-1, 3), np.repeat(unit, 3, 0), along)
    rows = np.round(np.concatenate([vertices[vertex], normal, texcoord], 1), 6) + 0.0
    _, first, index = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    rows = rows[np.sort(first)]
    out = Surface(rows[:, :3], rows[:, 3:6], rows[:, 6:], rank[index.ravel()].reshape(-1, 3))
    for array in (out.vertices, out.normals, out.texcoord, out.faces):
        array.flags.writeable = False
    return out


def _texcoord(points: NDArray[np.float64], normals: NDArray[np.float64], along: bool) -> NDArray[np.float64]:
    extent = points.max(0) - points.min(0)
    facing = np.argmax(np.abs(normals), 1)
    u, v = np.array([1, 0, 0])[facing], np.array([2, 2, 1])[facing]
    if along:
        swap = extent[v] > extent[u]
        u, v = np.where(swap, v, u), np.where(swap, u, v)
    rows = np.arange(len(points))
    return np.stack([points[rows, u], points[rows, v]], -1)


def moved(part: Part, by: tuple[float, float, float]) -> Part:
    """The same part, ``by`` metres away."""
    x, y, z = (round(a + b, 5) for a, b in zip(part.pos, by, strict=True))
    return replace(part, pos=(x, y, z))
