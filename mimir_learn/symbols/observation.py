"""What a robot gets from the world: posed RGB-D frames, and what perception makes of the current one (o_t)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ObservationError
from mimir_learn.symbols.vocabulary import Entity, Parent


@dataclass(frozen=True, eq=False)
class Observation:
    """One posed RGB-D frame.

    Attributes:
        rgb: (H, W, 3) uint8.
        depth: (H, W) float32, metres along the optical axis; 0 = no return.
        intrinsics: (3, 3) float64 pinhole matrix in pixels; pixel centres at +0.5.
        pose: (4, 4) float64 camera-to-world; camera axes x right, y down, z forward; world metres, z up.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    intrinsics: NDArray[np.float64]
    pose: NDArray[np.float64]

    def validate(self) -> Observation:
        """Return self, or raise ObservationError naming what no working sensor could have produced."""
        if self.rgb.ndim != 3 or self.rgb.shape[2] != 3 or self.rgb.dtype != np.uint8:
            raise ObservationError(f"rgb must be (H, W, 3) uint8, got {self.rgb.shape} {self.rgb.dtype}")
        if self.depth.shape != self.rgb.shape[:2] or self.depth.dtype != np.float32:
            raise ObservationError(f"depth must be {self.rgb.shape[:2]} float32 metres, got {self.depth.shape} {self.depth.dtype}")
        if not np.isfinite(self.depth).all():
            bad = int((~np.isfinite(self.depth)).sum())
            raise ObservationError(f"depth has {bad} NaN or infinite pixels; write 0 where the sensor has no return")
        if (self.depth < 0).any():
            raise ObservationError("depth has negative values; expected metres along the optical axis, 0 = no return")
        if not self.depth.any():
            raise ObservationError("depth is zero everywhere: the sensor returned nothing; check the depth camera or its clipping planes")
        if self.intrinsics.shape != (3, 3) or self.pose.shape != (4, 4):
            raise ObservationError(f"intrinsics must be (3, 3) and pose (4, 4), got {self.intrinsics.shape} and {self.pose.shape}")
        if not (np.isfinite(self.intrinsics).all() and np.isfinite(self.pose).all()):
            raise ObservationError("intrinsics or camera pose is not finite")
        return self

    def project(self, points_N3: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """World points (N, 3) in metres → pixels (N, 2) as (u, v) and depth (N,); depth ≤ 0 is behind the camera."""
        rotation, origin = self.pose[:3, :3], self.pose[:3, 3]
        camera_N3 = (np.asarray(points_N3, dtype=np.float64).reshape(-1, 3) - origin) @ rotation
        z_N = camera_N3[:, 2]
        safe_N = np.where(np.abs(z_N) < 1e-6, 1e-6, z_N)
        uv_N2 = (camera_N3 @ self.intrinsics.T)[:, :2] / safe_N[:, None]
        return uv_N2, z_N

    def unproject(self) -> NDArray[np.float64]:
        """World points (H, W, 3) in metres of every pixel; NaN where depth is 0."""
        height, width = self.depth.shape
        u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        rays = np.stack([u, v, np.ones_like(u)], -1) @ np.linalg.inv(self.intrinsics).T
        z = np.where(self.depth > 0, self.depth, np.nan).astype(np.float64)
        points: NDArray[np.float64] = (rays * z[..., None]) @ self.pose[:3, :3].T + self.pose[:3, 3]
        return points


@dataclass(frozen=True)
class Place:
    """Somewhere the agent can go, known from the start (as in EB-Habitat): the place and the room it is in."""

    entity: Entity
    room: str


@dataclass(frozen=True, eq=False)
class Sighting:
    """One entity recognised in the current frame.

    Attributes:
        entity: which (data association included).
        parent: the relation it is seen in.
        attributes: the visible attributes that apply to it.
        point: (3,) world position in metres of the middle of its visible surface.
        pixels: how many pixels of it are visible.
    """

    entity: Entity
    parent: Parent
    attributes: Mapping[str, bool]
    point: NDArray[np.float64]
    pixels: int


@dataclass(frozen=True)
class Percept:
    """What perception reports of the current frame: the symbolic part of o_t, read by U_W^obs (Eq. 8).

    Attributes:
        sightings: recognised entities, sorted by id.
        viewed: places whose surface or open inside is in view from close by, so that what is not seen there is not there
            (or is hidden by something in front of it).
        at: place or room the robot localises itself at.
    """

    sightings: tuple[Sighting, ...] = ()
    viewed: frozenset[str] = field(default_factory=frozenset)
    at: str | None = None
