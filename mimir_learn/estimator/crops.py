"""Pixels around a remembered point at metric scale: small things are ten pixels wide, so the network is handed them centred."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import Observation

DEPTH_CLIP_M = 0.75
HAND_DEPTH_M = 0.6  # about how far before the camera things are held
INVALID = -1.0  # outside ±DEPTH_CLIP_M on purpose: no return, or outside the frame
_MIN_Z_M = 0.15


def metric_crops(
    frame: Observation, uv_N2: NDArray[np.float64], z_N: NDArray[np.float64], window_N: NDArray[np.float64], size: int
) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Square crops of ``window_N`` metres centred on pixels ``uv_N2`` at depth ``z_N``.

    Returns rgb (N, size, size, 3) uint8 and depth (N, size, size) float16 in metres *relative to* ``z_N``, clipped to
    ±`DEPTH_CLIP_M`; `INVALID` marks no return and pixels outside the frame. Colour is averaged over 2 × 2 sub-samples,
    depth is taken from the nearest pixel (averaging across an edge would invent surfaces).
    """
    height, width = frame.depth.shape
    half_px_N2 = 0.5 * window_N[:, None] * np.array([frame.intrinsics[0, 0], frame.intrinsics[1, 1]]) / np.maximum(z_N, _MIN_Z_M)[:, None]
    grid = (np.arange(2 * size) + 0.5) / size - 1.0  # (-1, 1), 2 sub-samples a side
    u_NS = uv_N2[:, :1] + half_px_N2[:, :1] * grid
    v_NS = uv_N2[:, 1:] + half_px_N2[:, 1:] * grid
    column_NS, row_NS = np.floor(u_NS).astype(np.int64), np.floor(v_NS).astype(np.int64)
    column_ok, row_ok = (column_NS >= 0) & (column_NS < width), (row_NS >= 0) & (row_NS < height)
    flat_NSS = np.clip(row_NS, 0, height - 1)[:, :, None] * width + np.clip(column_NS, 0, width - 1)[:, None, :]

    rgb = np.take(frame.rgb.reshape(-1, 3), flat_NSS, axis=0)
    if not (row_ok.all() and column_ok.all()):
        rgb *= (row_ok[:, :, None] & column_ok[:, None, :])[..., None]
    rgb = quarter(rgb)

    centre = flat_NSS[:, 1::2, 1::2]
    depth = frame.depth.reshape(-1)[centre]
    relative = np.clip(depth - z_N[:, None, None], -DEPTH_CLIP_M, DEPTH_CLIP_M)
    relative[(depth <= 0) | ~(row_ok[:, 1::2, None] & column_ok[:, None, 1::2])] = INVALID
    return rgb, relative.astype(np.float16)


def quarter(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(…, 2 H, 2 W, 3) → (…, H, W, 3): means of 2 × 2 pixels, rounded down. A reduction over short inner axes would be ten times slower."""
    total = rgb[..., ::2, ::2, :].astype(np.uint16)
    for row, column in ((0, 1), (1, 0), (1, 1)):
        total += rgb[..., row::2, column::2, :]
    total >>= 2
    return total.astype(np.uint8)


def box_crop(frame: Observation, box: tuple[float, float, float, float], size: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Fixed part of the frame (fractions left, top, right, bottom) → rgb (size, size, 3) uint8, depth (size, size) float16 metres."""
    height, width = frame.depth.shape
    grid = (np.arange(2 * size) + 0.5) / (2 * size)
    column = np.minimum((width * (box[0] + (box[2] - box[0]) * grid)).astype(int), width - 1)
    row = np.minimum((height * (box[1] + (box[3] - box[1]) * grid)).astype(int), height - 1)
    rgb = quarter(frame.rgb[row[:, None], column])
    depth = frame.depth[row[1::2, None], column[1::2]]
    return rgb, np.minimum(depth, DEPTH_CLIP_M * 4).astype(np.float16)


def hand_depth(depth: NDArray[Any]) -> NDArray[np.float16]:
    """Absolute metres of a `box_crop` → relative to where things are held, as in `metric_crops`; 0 = no return becomes `INVALID`."""
    relative = np.clip(depth.astype(np.float32) - HAND_DEPTH_M, -DEPTH_CLIP_M, DEPTH_CLIP_M)
    return np.where(depth > 0, relative, INVALID).astype(np.float16)


def shrink(frame: Observation, size: int, max_depth_m: float) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Whole frame → rgb (size, size, 3) uint8 by area mean, depth (size, size) float16 metres by nearest pixel, 0 = no return."""
    height, width = frame.depth.shape
    if height % size == 0 and width % size == 0:
        fy, fx = height // size, width // size
        total = np.zeros((size, size, 3), dtype=np.uint32)
        for i in range(fy):
            for j in range(fx):  # slices, because a reduction over short inner axes is ten times slower
                total += frame.rgb[i::fy, j::fx]
        rgb = (total // (fy * fx)).astype(np.uint8)
        depth = frame.depth[fy // 2 :: fy, fx // 2 :: fx]
    else:
        rgb, _ = box_crop(frame, (0.0, 0.0, 1.0, 1.0), size)
        rows = ((np.arange(size) + 0.5) * height / size).astype(int)
        depth = frame.depth[rows[:, None], ((np.arange(size) + 0.5) * width / size).astype(int)]
    return rgb, np.minimum(depth, max_depth_m).astype(np.float16)
