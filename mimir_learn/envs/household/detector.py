"""The ideal detector behind `visible_entities`: it sees exactly what has enough pixels in the current frame, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import ATTRIBUTES, Percept, Sighting

from .stance import Stance
from .vocabulary import VOCABULARY
from .world import World


def detect(world: World, pixels_HW: NDArray[np.int64], frame: Mapping[str, Any], stance: Stance, min_pixels: int) -> Percept:
    """Sightings of every entity with at least ``min_pixels`` visible pixels.

    Args:
        pixels_HW: entity index under each pixel, −1 for none.
        frame: the observation dict the pixels belong to; gives the point, the mean of the visible surface in world metres.
    """
    ids = world.built.ids
    flat = pixels_HW.ravel()
    keep = np.flatnonzero((flat >= 0) & (frame["depth"].ravel() > 0))
    owner = flat[keep]
    count = np.bincount(owner, minlength=len(ids))
    focal, centre = frame["intrinsics"][0, 0], frame["intrinsics"][0, 2]
    z = frame["depth"].ravel()[keep].astype(np.float64)
    row, column = np.divmod(keep, pixels_HW.shape[1])
    camera_3 = (z * (column + 0.5 - centre) / focal, z * (row + 0.5 - centre) / focal, z)
    sums = np.stack([np.bincount(owner, weights=axis, minlength=len(ids)) for axis in camera_3], -1)
    parents = {f.id: f.parent for f in world.house.fixtures} | world.parents
    sightings = []
    for i in np.flatnonzero(count >= min_pixels):
        entity = world.house.entities[ids[i]]
        visible = {a: world.attributes[entity.id, a] for a in VOCABULARY.spec(entity).attributes if ATTRIBUTES[a].visible}
        point = frame["pose"][:3, :3] @ (sums[i] / count[i]) + frame["pose"][:3, 3]
        sightings.append(Sighting(entity, parents[entity.id], visible, point, int(count[i])))
    return Percept(tuple(sorted(sightings, key=lambda s: s.entity.id)), stance.viewed(world), stance.at)
