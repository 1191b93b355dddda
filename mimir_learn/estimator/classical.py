"""What can be measured in two RGB-D frames without learning: is something in the hand, has a place changed, is a thing still there.

Used by the untrained Δ-sources; no torch. Windows are metric, as in `crops`, so a share of changed pixels means the same near and far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.crops import INVALID, metric_crops
from mimir_learn.symbols import Observation

HAND_BOX = (0.55, 0.52, 1.0, 1.0)  # left, top, right, bottom, fractions of the frame: where the held thing is drawn
_HAND_REACH_M = 1.0  # what is held is nearer than this
_PIXELS = 16
_COLOUR_STEP, _DEPTH_STEP_M = 24.0, 0.04
_SAME_M = 0.02
_SURFACE_M = 0.06  # a surface this close to the expected depth is the thing's


def hand_share(frame: Observation) -> float:
    """Share of the hand's box in which something is within the hand's reach."""
    depth = _box(frame.depth)
    return float(((depth > 0) & (depth < _HAND_REACH_M)).mean())


def hand_change(before: Observation, after: Observation) -> float:
    """Share of the hand's box that changed where something is, or was, within the hand's reach."""
    near = [(d > 0) & (d < _HAND_REACH_M) for d in (_box(before.depth), _box(after.depth))]
    colour = np.abs(_box(before.rgb).astype(np.int16) - _box(after.rgb).astype(np.int16)).mean(-1) > _COLOUR_STEP
    return float(((near[0] ^ near[1]) | (near[0] & near[1] & colour)).mean())


def hand_kept(before: Observation, after: Observation) -> float:
    """Share of the hand's box that shows the same surface in both frames: what is held moves with the camera, the world does not."""
    near = [(d > 0) & (d < _HAND_REACH_M) for d in (_box(before.depth), _box(after.depth))]
    depth = np.abs(_box(before.depth) - _box(after.depth)) < _SAME_M
    colour = np.abs(_box(before.rgb).astype(np.int16) - _box(after.rgb).astype(np.int16)).mean(-1) <= _COLOUR_STEP
    return float((near[0] & near[1] & depth & colour).mean())


def _box(image: NDArray[Any]) -> NDArray[Any]:
    height, width = image.shape[:2]
    left, top, right, bottom = HAND_BOX
    return image[int(top * height) : int(np.ceil(bottom * height)), int(left * width) : int(np.ceil(right * width))]


def place_change(before: Observation, after: Observation, point: NDArray[np.float64], window_m: float) -> float | None:
    """Share of ``window_m`` metres around a world point that differs in colour or depth; None where a frame does not show it."""
    crops = [_crop(f, point, window_m) for f in (before, after)]
    if crops[0] is None or crops[1] is None:
        return None
    (rgb0, depth0), (rgb1, depth1) = crops[0], crops[1]
    seen = (depth0 > INVALID) & (depth1 > INVALID)
    if seen.mean() < 0.25:
        return None
    colour = np.abs(rgb0.astype(np.int16) - rgb1.astype(np.int16)).mean(-1) > _COLOUR_STEP
    depth = np.abs(depth0.astype(np.float32) - depth1.astype(np.float32)) > _DEPTH_STEP_M
    return float(((colour | depth) & seen).sum() / seen.sum())


@dataclass(frozen=True)
class Presence:
    """Shares of a small window around where a thing was: at its depth, behind it (looked through), in front of it (hidden)."""

    there: float
    behind: float
    front: float


def presence(frame: Observation, point: NDArray[np.float64], window_m: float = 0.06) -> Presence | None:
    """Whether a surface is where a thing was; None where the frame does not show the place."""
    crop = _crop(frame, point, window_m, 6)
    if crop is None:
        return None
    depth = crop[1].astype(np.float32)
    seen = depth > INVALID
    if not seen.any():
        return None
    depth = depth[seen]
    there = np.abs(depth) <= _SURFACE_M
    return Presence(float(there.mean()), float((depth > _SURFACE_M).mean()), float((depth < -_SURFACE_M).mean()))


def _crop(
    frame: Observation, point: NDArray[np.float64], window_m: float, pixels: int = _PIXELS
) -> tuple[NDArray[np.uint8], NDArray[np.float16]] | None:
    uv_N2, z_N = frame.project(point[None])
    height, width = frame.depth.shape
    if not (z_N[0] > 0.2 and 0 <= uv_N2[0, 0] < width and 0 <= uv_N2[0, 1] < height):
        return None
    rgb, depth = metric_crops(frame, uv_N2, z_N, np.array([window_m]), pixels)
    return rgb[0], depth[0]
