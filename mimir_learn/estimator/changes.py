"""Regions that differ between two frames: where an untold thing appeared or vanished, seen by one camera pose or by two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from mimir_learn.estimator.floor import things_on_floor
from mimir_learn.symbols import Observation

_RGB_STEP = 24.0  # mean absolute difference, 0–255
_DEPTH_STEP = 0.03  # metres per metre of distance
_MIN_PIXELS = 4
_STRIDE = 2  # two poses are compared on every second pixel each way
_THROUGH_M, _THROUGH = 0.05, 0.04  # metres, and share of the distance, by which the other frame must have looked past a surface

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Regions:
    """At most M regions, largest first.

    Attributes:
        points_M3: world metres of the middle: of the nearer of the two surfaces there (one pose), of the surface that is only in one of the
            frames (two poses).
        uv_FM2, z_FM: pixel and depth in metres of that point in the frame before and after.
        inside_FM: whether it falls into that frame.
        size_M: share of the frame's pixels.
        nearer_M: mean of depth before − depth after, metres, clipped to ±1: positive where something came in front.
    """

    points_M3: NDArray[np.float64]
    uv_FM2: NDArray[np.float64]
    z_FM: NDArray[np.float64]
    inside_FM: NDArray[np.bool_]
    size_M: NDArray[np.float64]
    nearer_M: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.size_M)


def same_camera(before: Observation, after: Observation) -> bool:
    """Whether the two frames can be compared pixel by pixel (moved by under 2 mm and 0.1°)."""
    return before.rgb.shape == after.rgb.shape and bool(np.abs(before.pose - after.pose).max() < 2e-3)


def changed_regions(
    before: Observation, after: Observation, m: int, ignore: Box | None = None, held_m: float = np.inf, floor: bool = False
) -> Regions:
    """The ``m`` largest connected regions that changed.

    With one camera pose: where colour or depth differ. With two: surfaces of one frame that stand where the other frame looked straight
    through; colours seen from two sides are not compared.

    Args:
        ignore: a box (fractions of the frame) in which the held thing is drawn, which is looked at separately.
        held_m: in the box only what is nearer than this (and its rim) is left out, in either frame; by default everything.
        floor: also report small things on the floor of the after-frame where there is nothing to compare them with: all of them when the
            camera moved (before the others), else those that the held thing hid before (after the others). They have ``nearer_M`` 0.
    """
    rows: list[_Row] = []
    if m:
        hidden = [_hidden(f, ignore, held_m) for f in (before, after)]
        same = same_camera(before, after)
        rows = _still(before, after, hidden[0] | hidden[1]) if same else _moved(before, after, hidden[0], hidden[1])
        rows = sorted(rows, key=lambda r: -r.size)
        if floor:
            lying = [_Row(point, size, 0.0) for point, size in things_on_floor(after, hidden[1], hidden[0] if same else None)]
            rows = rows[: m - min(len(lying), 1)] + lying if same else lying[: max(m - 1, 1)] + rows
    rows = rows[:m]
    points = np.array([r.point for r in rows]).reshape(-1, 3)
    seen = [f.project(points) for f in (before, after)]
    inside = [
        (z > 0.05) & (uv >= 0).all(1) & (uv < np.array(f.depth.shape[::-1])).all(1)
        for (uv, z), f in zip(seen, (before, after), strict=True)
    ]
    return Regions(
        points,
        np.stack([uv for uv, _ in seen]),
        np.stack([z for _, z in seen]),
        np.stack(inside),
        np.array([r.size for r in rows]),
        np.array([r.nearer for r in rows]),
    )


@dataclass(frozen=True)
class _Row:
    point: NDArray[np.float64]
    size: float
    nearer: float


def _still(before: Observation, after: Observation, hidden_HW: NDArray[np.bool_]) -> list[_Row]:
    apart = np.abs(before.rgb.astype(np.int16) - after.rgb.astype(np.int16))
    colour = apart[..., 0] + apart[..., 1] + apart[..., 2] > 3 * _RGB_STEP  # a mean over so short an axis would be ten times slower
    both = (before.depth > 0) & (after.depth > 0)
    nearest = np.minimum(np.where(before.depth > 0, before.depth, np.inf), np.where(after.depth > 0, after.depth, np.inf))
    with np.errstate(invalid="ignore"):
        moved = both & (np.abs(before.depth - after.depth) > _DEPTH_STEP * nearest)
    mask = (colour | moved) & ~hidden_HW
    inverse = np.linalg.inv(after.intrinsics)
    out = []
    for part in _connected(mask, _MIN_PIXELS):
        v, u = part
        z = nearest[part]
        z = z[np.isfinite(z)]
        if not z.size:
            continue
        ray = inverse @ np.array([u.mean() + 0.5, v.mean() + 0.5, 1.0])
        point = (ray * float(np.median(z))) @ after.pose[:3, :3].T + after.pose[:3, 3]
        gap = np.clip(before.depth[part] - after.depth[part], -1.0, 1.0) * both[part]
        out.append(_Row(point, len(u) / mask.size, float(gap.mean())))
    return out


def _moved(before: Observation, after: Observation, hidden_before: NDArray[np.bool_], hidden_after: NDArray[np.bool_]) -> list[_Row]:
    out = []
    ways = ((after, before, 1.0, hidden_after, hidden_before), (before, after, -1.0, hidden_before, hidden_after))
    for seen, through, sign, *hidden in ways:
        points, gap = _looked_through(seen, through, *hidden)
        for part in _connected(gap > 0, max(2, _MIN_PIXELS // _STRIDE**2)):
            out.append(_Row(np.median(points[part], axis=0), len(part[0]) / gap.size, sign * float(np.minimum(gap[part], 1.0).mean())))
    return out


def _looked_through(
    seen: Observation, through: Observation, hidden_seen: NDArray[np.bool_], hidden_through: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """World points (h, w, 3) of ``seen``, and by how many metres ``through`` looked past each (h, w): 0 where it did not or is blind."""
    height, width = seen.depth.shape
    v, u = np.mgrid[0:height:_STRIDE, 0:width:_STRIDE]
    z = seen.depth[::_STRIDE, ::_STRIDE].astype(np.float64)
    rays = np.stack([u + 0.5, v + 0.5, np.ones_like(u)], -1) @ np.linalg.inv(seen.intrinsics).T
    points = (rays * z[..., None]) @ seen.pose[:3, :3].T + seen.pose[:3, 3]
    uv, expected = through.project(points)
    rows, columns = through.depth.shape
    known = np.where(hidden_through, 0.0, through.depth)
    nearest = ndimage.minimum_filter(known, size=3, mode="nearest")  # at an edge the surface in front counts
    with np.errstate(invalid="ignore"):
        inside = (expected > 0.2) & (uv[:, 0] >= 0) & (uv[:, 0] < columns) & (uv[:, 1] >= 0) & (uv[:, 1] < rows)
    column, row = (np.where(inside, np.floor(x), 0).astype(np.int64) for x in uv.T)
    gap = np.where(inside, nearest[row, column] - expected, 0.0).reshape(z.shape)
    expected = expected.reshape(z.shape)
    gap[(z <= 0) | (gap < _THROUGH_M + _THROUGH * expected) | hidden_seen[::_STRIDE, ::_STRIDE]] = 0.0
    return points, gap


def _hidden(frame: Observation, ignore: Box | None, held_m: float) -> NDArray[np.bool_]:
    height, width = frame.depth.shape
    mask = np.zeros((height, width), dtype=np.bool_)
    if ignore is None:
        return mask
    box = np.s_[int(ignore[1] * height) : int(np.ceil(ignore[3] * height)), int(ignore[0] * width) : int(np.ceil(ignore[2] * width))]
    mask[box] = frame.depth[box] < held_m
    return mask if held_m == np.inf else ndimage.binary_dilation(mask)


def _connected(mask: NDArray[np.bool_], least: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(rows, columns) of every connected part of at least ``least`` pixels, in a fixed order."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not len(rows):
        return []
    top, left = int(rows[0]), int(columns[0])
    labels, count = ndimage.label(mask[top : rows[-1] + 1, left : columns[-1] + 1], structure=np.ones((3, 3)))
    out = []
    for number, window in enumerate(ndimage.find_objects(labels), start=1):
        row, column = np.nonzero(labels[window] == number)
        if len(row) >= least:
            out.append((row + window[0].start + top, column + window[1].start + left))
    assert count >= len(out)
    return out
