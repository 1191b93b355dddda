"""Between objects and what a log stores: frames as PNG bytes, percepts, places and entities as canonical JSON."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mimir_learn.errors import LogError, ObservationError
from mimir_learn.symbols import Entity, Kind, Observation, Parent, Percept, Place, Relation, Sighting

MAX_DEPTH_MM = 65_535  # what 16 bits hold; anything farther is stored as 0 = no return
POINT_DECIMALS = 4  # 0.1 mm, finer than the depth


def json_object(path: Path) -> dict[str, Any] | None:
    """The JSON object that a file holds; None where the file is missing, was cut short or holds something else."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return body if isinstance(body, dict) else None


def dumps(body: Any) -> str:
    """Canonical JSON: sorted keys, no white space; equal bodies give equal text."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"))


def _png(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(array).save(out, "PNG", compress_level=1)  # level 6 costs five times the CPU for 15 % fewer bytes
    return out.getvalue()


def encode_rgb(rgb: NDArray[np.uint8]) -> bytes:
    """(H, W, 3) uint8 → PNG bytes, lossless. Raises ObservationError on another shape or dtype."""
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise ObservationError(f"rgb must be (H, W, 3) uint8, got {rgb.shape} {rgb.dtype}")
    return _png(np.ascontiguousarray(rgb))


def depth_to_mm(depth: NDArray[np.floating[Any]]) -> NDArray[np.uint16]:
    """(H, W) metres → uint16 millimetres, rounded; beyond 65.535 m → 0 = no return.

    Raises ObservationError for NaN, infinite or negative depth, and for a frame without any return.
    """
    if depth.ndim != 2:
        raise ObservationError(f"depth must be (H, W), got {depth.shape}")
    if not np.isfinite(depth).all():
        bad = int((~np.isfinite(depth)).sum())
        raise ObservationError(f"depth has {bad} NaN or infinite pixels; write 0 where the sensor has no return")
    if (depth < 0).any():
        raise ObservationError("depth has negative values; expected metres along the optical axis, 0 = no return")
    mm = np.rint(depth.astype(np.float64) * 1000.0)
    mm[mm > MAX_DEPTH_MM] = 0
    if not mm.any():
        raise ObservationError("depth is zero everywhere: the sensor returned nothing; check the depth camera or its clipping planes")
    return mm.astype(np.uint16)


def encode_depth(depth: NDArray[np.floating[Any]]) -> bytes:
    """(H, W) metres → 16-bit grey PNG of millimetres. Raises ObservationError as `depth_to_mm`."""
    return _png(depth_to_mm(depth))


def _decode(data: bytes | None, what: str) -> NDArray[Any]:
    if not data:
        raise LogError(f"{what} image is missing")
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
            return np.asarray(image)
    except (OSError, SyntaxError, ValueError) as e:
        raise LogError(f"{what} image does not decode ({e})") from e


def decode_rgb(data: bytes | None) -> NDArray[np.uint8]:
    """PNG bytes → (H, W, 3) uint8. Raises LogError."""
    rgb = _decode(data, "rgb")
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise LogError(f"rgb image is {rgb.shape} {rgb.dtype}, expected (H, W, 3) uint8")
    return rgb


def decode_depth_mm(data: bytes | None) -> NDArray[np.uint16]:
    """PNG bytes → (H, W) uint16 millimetres, 0 = no return. Raises LogError."""
    mm = _decode(data, "depth")
    if mm.ndim != 2 or mm.dtype.kind not in "iu" or mm.itemsize < 2:
        raise LogError(f"depth image is {mm.shape} {mm.dtype}, expected 16-bit grey (H, W)")
    return mm.astype(np.uint16)


def decode_depth(data: bytes | None) -> NDArray[np.float32]:
    """PNG bytes → (H, W) float32 metres, 0 = no return. Raises LogError."""
    return decode_depth_mm(data).astype(np.float32) / np.float32(1000.0)


def camera_state(observation: Observation) -> list[float]:
    """Six numbers [x_m, y_m, z_m, yaw_rad, horizon_rad, fov_rad] of a level camera.

    Yaw is about world z from world x to the viewing direction; horizon is positive looking down; fov is vertical.
    """
    x, y, z = observation.pose[:3, 3]
    forward = observation.pose[:3, 2]
    fov = 2.0 * math.atan2(observation.rgb.shape[0] / 2.0, float(observation.intrinsics[1, 1]))
    return [float(x), float(y), float(z), math.atan2(forward[1], forward[0]), -math.asin(float(np.clip(forward[2], -1, 1))), fov]


def check_camera(intrinsics: NDArray[np.float64], pose: NDArray[np.float64], height: int, width: int) -> None:
    """Raise LogError for a matrix that no pinhole camera of this image size has, or a pose that is no rigid motion."""
    if not (np.isfinite(intrinsics).all() and np.isfinite(pose).all()):
        raise LogError("camera intrinsics or camera pose are not finite")
    (fx, _, cx), (_, fy, cy), last = intrinsics
    if fx <= 0 or fy <= 0 or not (0 <= cx <= width and 0 <= cy <= height) or last.tolist() != [0, 0, 1]:
        raise LogError(f"camera intrinsics {intrinsics.tolist()} are no pinhole camera of a {width}x{height} image")
    rotation = pose[:3, :3]
    if pose[3].tolist() != [0, 0, 0, 1] or not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6) or np.linalg.det(rotation) < 0:
        raise LogError(f"camera pose {pose.round(3).tolist()} is no rotation and translation")


def _parent(body: Any) -> Parent:
    return Parent(body[0], Relation(body[1]))


def encode_percept(percept: Percept) -> str:
    """Percept → canonical JSON; points in metres, rounded to 0.1 mm."""
    return dumps(
        {
            "at": percept.at,
            "viewed": sorted(percept.viewed),
            "sightings": [
                {
                    "entity": [s.entity.id, s.entity.category, s.entity.kind.value],
                    "parent": [s.parent.id, s.parent.relation.value],
                    "attributes": dict(s.attributes),
                    "point": [round(float(v), POINT_DECIMALS) for v in s.point],
                    "pixels": int(s.pixels),
                }
                for s in percept.sightings
            ],
        }
    )


def decode_percept(text: str) -> Percept:
    """Inverse of `encode_percept`. Raises LogError."""
    try:
        body = json.loads(text)
        sightings = tuple(
            Sighting(decode_entity(s["entity"]), _parent(s["parent"]), s["attributes"], np.array(s["point"], np.float64), s["pixels"])
            for s in body["sightings"]
        )
        return Percept(sightings, frozenset(body["viewed"]), body["at"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as e:
        raise LogError(f"not a percept: {text!r:.80} ({e})") from e


def decode_entity(body: Any) -> Entity:
    """[id, category, kind] → Entity."""
    return Entity(body[0], body[1], Kind(body[2]))


def encode_entities(entities: Iterable[Entity]) -> str:
    """Entities → canonical JSON, sorted by id."""
    return dumps(sorted([e.id, e.category, e.kind.value] for e in entities))


def decode_entities(text: str) -> dict[str, Entity]:
    """Inverse of `encode_entities`, by id. Raises ValueError, TypeError, KeyError or IndexError for anything else."""
    return {body[0]: decode_entity(body) for body in json.loads(text)}


def encode_ids(ids: Iterable[str]) -> str:
    """Entity ids → canonical JSON list, sorted."""
    return dumps(sorted(ids))


def decode_ids(text: str) -> frozenset[str]:
    """Inverse of `encode_ids`. Raises ValueError or TypeError for anything else."""
    body = json.loads(text)
    if not isinstance(body, list) or not all(isinstance(e, str) for e in body):
        raise TypeError("expected a list of ids")
    return frozenset(body)


def encode_places(places: Iterable[Place]) -> str:
    """Places → canonical JSON; their order is kept."""
    return dumps([[p.entity.id, p.entity.category, p.entity.kind.value, p.room] for p in places])


def decode_places(text: str) -> tuple[Place, ...]:
    """Inverse of `encode_places`. Raises ValueError, TypeError, KeyError or IndexError for anything else."""
    return tuple(Place(decode_entity(p), p[3]) for p in json.loads(text))


def encode_positions(positions: Mapping[str, NDArray[np.float64]]) -> str:
    """Entity id → world metres, rounded to 1 mm."""
    return dumps({e: [round(float(v), 3) for v in p] for e, p in positions.items()})


def decode_positions(text: str) -> dict[str, NDArray[np.float64]]:
    """Inverse of `encode_positions`: entity id → (3,) metres. Raises LogError."""
    try:
        out = {e: np.array(p, dtype=np.float64) for e, p in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError) as e:
        raise LogError(f"not positions: {text!r:.80} ({e})") from e
    if bad := [e for e, p in out.items() if p.shape != (3,) or not np.isfinite(p).all()]:
        raise LogError(f"no position in metres: {bad}")
    return out
