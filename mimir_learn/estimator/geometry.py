"""Two geometric augmentations of cached samples: a camera whose pose is a little wrong, and frames cropped at random.

Both keep all arrays of a sample in agreement with each other; the parameters are the same for the frame before and the frame after.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ConfigError

Arrays = dict[str, NDArray[Any]]
CELL = 4  # pixels of the whole frame per cell of ``y_find``
_FAR = 2.0  # offsets in ``view`` are clipped there, in units of 3 m
_REACH = 2.0  # and those in ``region``, metres


def drifted(batch: Arrays, error_B3: NDArray[np.float64]) -> Arrays:
    """The batch as it would be if the camera were believed to be ``error`` metres from where it is: forward, right, up of the camera after.

    Pixels stay. What the frames show moves with the camera in the world (``image_plane``, heights and offsets in ``region``), what memory
    remembers moves against it (``point``, ``uv``, ``view``). Crops stay where they were cut: `AugmentConfig.crop_shift` is their error.
    ``view``'s observed depth stays that of the pixel it was read at. Assumes square frames and a camera that does not roll; where no
    remembered point tells the heading, only the height is wrong.
    """
    out = dict(batch)
    view, point, uv, region = (batch[k].astype(np.float64) for k in ("view", "point", "uv", "region"))
    plane = batch["image_plane"].astype(np.float64)
    uv_ok = batch["uv_ok"].copy()
    k = view.shape[1]
    heading_B2, told_B = _heading(point[:, :k], view)
    error = np.where(told_B[:, None] | np.array([False, False, True]), error_B3, 0.0)
    forward, right, up = error.T
    world = np.stack([*(forward[:, None] * heading_B2 + right[:, None] * heading_B2[:, ::-1] * [1, -1]).T, up], -1)
    known = view[..., 8] > 0
    point[:, :k] -= np.where(batch["point_ok"][:, :k, None], world[:, None], 0.0)
    for column, by in ((9, forward), (10, right)):
        view[..., column] = np.where(known, np.clip(view[..., column] - by[:, None] / 3.0, -_FAR, _FAR), view[..., column])
    cos, sin = batch["action"][:, 4].astype(np.float64), batch["action"][:, 5].astype(np.float64)
    ways = ((forward * cos - right * sin, forward * sin + right * cos), (forward, right))
    for f, (ahead, aside) in enumerate(ways):
        rise = plane[:, f, 0] / 2 + plane[:, f, 1] / 2 + plane[:, f, 2]  # of the optical axis
        level = np.sqrt(np.clip(1 - rise**2, 1e-6, 1))
        focal = (level / np.abs(plane[:, f, 1]).clip(1e-6))[:, None]  # in heights of the frame
        deeper, lower = (level * ahead + rise * up)[:, None], (rise * ahead - level * up)[:, None]
        seen = view[..., 4 * f] > 0
        z = np.where(seen, view[..., 4 * f + 1] * 3.0, 1.0)
        nearer = z - deeper
        with np.errstate(divide="ignore", invalid="ignore"):
            new = np.stack([(uv[:, f, :k, 0] - 0.5) * z / focal - aside[:, None], (uv[:, f, :k, 1] - 0.5) * z / focal - lower], -1)
            new = 0.5 + new * focal[..., None] / nearer[..., None]
        still = seen & (nearer > 0.05) & (new >= 0).all(-1) & (new < 1).all(-1)
        gap = view[..., 4 * f + 2]
        gap = np.where(gap == 0, 0.0, np.clip(gap + 4 * deeper, -4.0, 4.0))
        fresh = np.stack([np.ones_like(z), nearer / 3.0, gap, new[..., 1]], -1)
        view[..., 4 * f : 4 * f + 4] = np.where(still[..., None], fresh, 0.0)
        uv[:, f, :k] = np.where(still[..., None], new, 0.0)
        uv_ok[:, f, :k] &= still
    plane[..., 3] += up[:, None]
    there = batch["region_mask"]
    region[..., 1] += np.where(there, up[:, None], 0.0)
    from_target = there & (region[..., 6] > 0)
    moved = np.stack([region[..., 7] + right[:, None], region[..., 8] + forward[:, None], region[..., 9] + up[:, None]], -1)
    moved = np.concatenate([moved, np.hypot(moved[..., :1], moved[..., 1:2])], -1).clip(-_REACH, _REACH)
    region[..., 7:11] = np.where(from_target[..., None], moved, region[..., 7:11])
    for key, value in (("view", view), ("point", point), ("uv", uv), ("region", region), ("image_plane", plane)):
        out[key] = value.astype(batch[key].dtype)
    out["uv_ok"] = uv_ok
    return out


def _heading(point_BK3: NDArray[np.float64], view: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Unit vector of the camera's heading in world axes (B, 2), from the remembered point whose offset is known in both; and whether there
    is one."""
    ahead, right = 3 * view[..., 9], 3 * view[..., 10]
    far = np.hypot(ahead, right)
    usable = (view[..., 8] > 0) & (np.maximum(np.abs(ahead), np.abs(right)) < 3 * _FAR - 1e-3) & (far > 0.1)
    best = np.where(usable, far, -1.0).argmax(1)
    rows = np.arange(len(best))
    x, y = point_BK3[rows, best, 0], point_BK3[rows, best, 1]
    a, r = ahead[rows, best], right[rows, best]
    square = np.maximum(x**2 + y**2, 1e-9)
    heading = np.stack([(x * a - y * r) / square, (y * a + x * r) / square], -1)
    told: NDArray[np.bool_] = np.asarray(usable.any(1))
    return heading / np.maximum(np.linalg.norm(heading, axis=-1, keepdims=True), 1e-9), told


def cropped(batch: Arrays, cells_B2: NDArray[np.int64]) -> Arrays:
    """Both whole frames and their depth moved by whole cells (rows down, columns right); what comes in from outside is black and has no
    depth. ``uv``, ``view``, ``image_plane`` and ``y_find`` move along. Crops and the hand are cut elsewhere and stay.

    Raises ConfigError for a batch without the frames' colours.
    """
    out = dict(batch)
    size = batch["image_depth"].shape[2]
    if batch["image_rgb"].shape[2] != size:
        raise ConfigError("noise.frame_shift moves frames, but a frozen backbone's stored maps are of the frames as they are; set it to 0")
    side, step = size // CELL, cells_B2 * CELL
    for key in ("image_rgb", "image_depth"):
        moved = np.zeros_like(batch[key])
        for i, (down, over) in enumerate(step.tolist()):
            to_y, to_x = slice(max(down, 0), size + min(down, 0)), slice(max(over, 0), size + min(over, 0))
            from_y, from_x = slice(max(-down, 0), size - max(down, 0)), slice(max(-over, 0), size - max(over, 0))
            moved[i, :, to_y, to_x] = batch[key][i, :, from_y, from_x]
        out[key] = moved
    by = (step / size)[:, ::-1]  # x, y
    uv = batch["uv"] + by[:, None, None]
    inside = (uv >= 0).all(-1) & (uv < 1).all(-1)
    out["uv_ok"] = batch["uv_ok"] & inside
    out["uv"] = np.where(out["uv_ok"][..., None], uv, 0.0).astype(batch["uv"].dtype)
    plane, view = batch["image_plane"].copy(), batch["view"].copy()
    plane[..., 2] -= (plane[..., 0] * by[:, :1] + plane[..., 1] * by[:, 1:]).astype(plane.dtype)
    out["image_plane"] = plane
    k = view.shape[1]
    for f in (0, 1):
        seen = (view[..., 4 * f] > 0) & inside[:, f, :k]
        view[..., 4 * f + 3] += by[:, 1:].astype(view.dtype)
        view[..., 4 * f : 4 * f + 4] *= seen[..., None]
    out["view"] = view
    if "y_find" in batch:
        find = batch["y_find"]
        row, column = find // side + cells_B2[:, :1], find % side + cells_B2[:, 1:]
        inside = (row >= 0) & (row < side) & (column >= 0) & (column < side)
        out["y_find"] = np.where((find >= 0) & (find < side * side), np.where(inside, row * side + column, side * side), find)
    return out
