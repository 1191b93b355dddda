"""Small things that stand on the floor in one frame, found by their shape alone: where what was dropped may lie.

A camera that has just walked into a room has no earlier picture of it to compare with. What was dropped there is a small heap of surface
above the floor (z = 0) that belongs to nothing tall or wide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from mimir_learn.symbols import Observation

_FAR_M, _CELL_M = 3.0, 0.04  # how far around the camera, and the cell of the ground plan
_LOW_M, _FOOT_M = 0.01, 0.15  # what counts as above the floor, and as standing on it
_TALL_M, _TOP_M, _WIDE_M = 0.40, 0.34, 0.6  # cells with anything taller are furniture; no thing is taller or wider than this
_MIN_PIXELS = 4
_DROP_M = 1.7  # as far before the camera as things fall


def things_on_floor(
    frame: Observation, hidden_HW: NDArray[np.bool_], only_HW: NDArray[np.bool_] | None = None
) -> list[tuple[NDArray[np.float64], float]]:
    """(world point, share of the frame's pixels) of every small thing on the floor: those where dropped things fall first, then by size.

    Args:
        hidden_HW: pixels to leave out (the held thing).
        only_HW: report only things of which at least half lies in these pixels.
    """
    points_HW3 = frame.unproject()
    flat_HW2 = points_HW3[..., :2] - frame.pose[:2, 3]
    with np.errstate(invalid="ignore"):
        use = ~hidden_HW & (points_HW3[..., 2] > _LOW_M) & (np.abs(flat_HW2) < _FAR_M).all(-1)
    points, flat = points_HW3[use], flat_HW2[use]
    side = int(2 * _FAR_M / _CELL_M) + 1
    row, column = np.floor((flat + _FAR_M) / _CELL_M).astype(np.int64).T
    index = row * side + column
    taken = np.zeros(side * side, dtype=np.bool_)
    taken[index] = True
    taken[index[points[:, 2] > _TALL_M]] = False
    labels, _ = ndimage.label(taken.reshape(side, side), structure=np.ones((3, 3)))
    which = labels.ravel()[index]
    wanted = None if only_HW is None else only_HW[use]
    found = []
    for number in np.flatnonzero(np.bincount(which) >= _MIN_PIXELS):
        if number == 0:
            continue
        own = which == number
        heap = points[own]
        if heap[:, 2].min() > _FOOT_M or heap[:, 2].max() > _TOP_M or (np.ptp(heap[:, :2], axis=0) > _WIDE_M).any():
            continue
        if wanted is None or wanted[own].mean() >= 0.5:
            away = float(np.hypot(*np.median(flat[own], axis=0))) > _DROP_M
            found.append((away, -int(own.sum()), np.median(heap, axis=0)))
    return [(point, -pixels / use.size) for _, pixels, point in sorted(found, key=lambda f: f[:2])]
