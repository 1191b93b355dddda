"""Regions that differ between two frames of one camera pose: where an untold thing appeared or vanished."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from mimir_learn.symbols import Observation

_RGB_STEP = 24.0  # mean absolute difference, 0–255
_DEPTH_STEP = 0.03  # metres per metre of distance
_MIN_PIXELS = 4


@dataclass(frozen=True)
class Regions:
    """At most M regions, largest first.

    Attributes:
        uv_M2, z_M: pixel centre, and depth in metres of the nearer of the two surfaces there.
        points_M3: the same in world metres.
        size_M: share of the frame's pixels.
        nearer_M: mean of depth before − depth after, metres, clipped to ±1: positive where something came in front.
    """

    uv_M2: NDArray[np.float64]
    z_M: NDArray[np.float64]
    points_M3: NDArray[np.float64]
    size_M: NDArray[np.float64]
    nearer_M: NDArray[np.float64]


def same_camera(before: Observation, after: Observation) -> bool:
    """Whether the two frames can be compared pixel by pixel (moved by under 2 mm and 0.1°)."""
    return before.rgb.shape == after.rgb.shape and bool(np.abs(before.pose - after.pose).max() < 2e-3)


def changed_regions(before: Observation, after: Observation, m: int, ignore: tuple[float, float, float, float] | None = None) -> Regions:
    """The ``m`` largest connected regions where colour or depth changed; none when the camera moved.

    ``ignore`` is a box (fractions of the frame) left out: the held thing is drawn there and is looked at separately.
    """
    empty = Regions(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
    if m == 0 or not same_camera(before, after):
        return empty
    height, width = before.depth.shape
    colour = np.abs(before.rgb.astype(np.int16) - after.rgb.astype(np.int16)).mean(-1) > _RGB_STEP
    both = (before.depth > 0) & (after.depth > 0)
    nearest = np.minimum(np.where(before.depth > 0, before.depth, np.inf), np.where(after.depth > 0, after.depth, np.inf))
    with np.errstate(invalid="ignore"):
        moved = both & (np.abs(before.depth - after.depth) > _DEPTH_STEP * nearest)
    mask = colour | moved
    if ignore is not None:
        mask[int(ignore[1] * height) : int(np.ceil(ignore[3] * height)), int(ignore[0] * width) : int(np.ceil(ignore[2] * width))] = False
    labels, count = ndimage.label(mask, structure=np.ones((3, 3)))
    if not count:
        return empty
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    order = [i for i in np.argsort(-sizes, kind="stable")[:m] if sizes[i] >= _MIN_PIXELS]
    rows: list[tuple[float, float, float, float, float]] = []
    for i in order:
        part = labels == i + 1
        v, u = np.nonzero(part)
        z = nearest[part]
        z = z[np.isfinite(z)]
        if not z.size:
            continue
        gap = np.clip(before.depth[part] - after.depth[part], -1.0, 1.0) * both[part]
        rows.append((float(u.mean()) + 0.5, float(v.mean()) + 0.5, float(np.median(z)), len(u) / mask.size, float(gap.mean())))
    if not rows:
        return empty
    table = np.asarray(rows)
    uv_M2, z_M = table[:, :2], table[:, 2]
    rays_M3 = np.concatenate([uv_M2, np.ones((len(rows), 1))], axis=1) @ np.linalg.inv(after.intrinsics).T
    points_M3 = (rays_M3 * z_M[:, None]) @ after.pose[:3, :3].T + after.pose[:3, 3]
    return Regions(uv_M2, z_M, points_M3, table[:, 3], table[:, 4])
