"""Where the robot's camera stands: before every fixture, in every room, and at a thing it walks up to."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, degrees, hypot, radians, sin, sqrt, tan
from typing import TYPE_CHECKING

import numpy as np

from .spec import Doorway, HouseSpec, Vec, Viewpoint

if TYPE_CHECKING:
    from .furniture import Design

FOV = 65.0  # vertical and horizontal (square frames), degrees
Block = tuple[float, float, float, float, float]  # x0, y0, x1, y1 and height of a piece of furniture
_STAND = 0.72  # from the front edge of a fixture to the eye


def fixture_viewpoints(
    plan: Design, position: Vec, yaw: float, centre: tuple[float, float], size: tuple[float, float], beneath: float = 0.0
) -> tuple[Viewpoint, ...]:
    """Straight ahead, then from the left, then from the right; the floor before the fixture stays in the picture.

    ``beneath``: how much deeper than a hung fixture the one below it is, metres.
    """
    _, d, _ = plan.size
    low, high = plan.focus
    eye_z = plan.eye or min(1.5, max(1.05, (low + high) / 2 + 0.62))
    if plan.hung:  # onto the upper shelf as well
        eye_z = max(eye_z, max((r.centre[2] for r in plan.regions), default=0.0) + 0.14)
    distance = _STAND + plan.reach * 0.55 + 0.18 * (high - low > 0.4) + beneath
    if plan.reach:  # over the front of a drawer, behind which a fork may lie
        eye_z += 0.2
    elif plan.eye and not plan.hung:  # over the rim of a basin
        eye_z, distance = eye_z + 0.12, distance - 0.15
    out = []
    for side in (0.0, -0.5, 0.5):
        x, y, _ = _world(position, yaw, (side, -d / 2 - distance + 0.12 * abs(side), 0.0))
        eye = _inside((x, y), centre, size)
        middle = _world(position, yaw, (0.0, -plan.reach / 2, 0.0))
        out.append(_aim(eye, eye_z, middle, low, high, d))
    return tuple(out)


def _aim(eye: tuple[float, float], eye_z: float, middle: Vec, low: float, high: float, d: float) -> Viewpoint:
    """Pitch the camera so that things on the highest level are just in the picture; what is left goes to the floor in front."""
    dx, dy = middle[0] - eye[0], middle[1] - eye[1]
    run = (dx * dx + dy * dy) ** 0.5
    top = degrees(atan2(high + 0.2 - eye_z, run + d / 2))
    pitch = max(top + 4.0 - FOV / 2, -58.0)
    drop = run * tan(radians(pitch))
    return Viewpoint(
        (round(eye[0], 4), round(eye[1], 4), round(eye_z, 4)), (round(middle[0], 4), round(middle[1], 4), round(eye_z + drop, 4))
    )


def _along(centre: tuple[float, float], size: tuple[float, float]) -> tuple[Viewpoint, ...]:
    axis = 0 if size[0] > size[1] else 1
    out = []
    for start, way in ((-1, 1), (1, -1), (0, 1), (0, -1)):
        eye, target = list(centre), list(centre)
        eye[axis] += start * (size[axis] / 2 - 0.2)
        target[axis] = eye[axis] + 2.6 * way
        out.append(Viewpoint((round(eye[0], 4), round(eye[1], 4), 2.2), (round(target[0], 4), round(target[1], 4), 0.1)))
    return tuple(out)


def unblocked(views: tuple[Viewpoint, ...], blocks: Sequence[Block]) -> tuple[Viewpoint, ...]:
    """The first of the views and those others at which one does not stand in tall furniture or look right through it."""
    return tuple(
        v for i, v in enumerate(views) if i == 0 or not any(_blocked(v.eye, v.target, b) for b in blocks if b[4] > v.eye[2] - 0.25)
    )


def room_viewpoints(
    centre: tuple[float, float], size: tuple[float, float], furniture: list[tuple[float, float, Vec]]
) -> tuple[Viewpoint, ...]:
    """Across the floor from the corners that tall furniture leaves free, the freest first, with the middle of a wall for each that it does
    not; at least one. In a long hall: along it, from both ends and from the middle."""
    if max(size) > 1.8 * min(size):
        return _along(centre, size)
    spots: list[tuple[float, int, float, float, int, int]] = []
    for sx, sy in ((-1, -1), (1, 1), (1, -1), (-1, 1), (0, -1), (0, 1), (-1, 0), (1, 0)):
        x, y = sx * (size[0] / 2 - 0.2), sy * (size[1] / 2 - 0.2)
        clear = min((max(abs(x - fx), abs(y - fy)) - max(s[:2]) / 2 for fx, fy, s in furniture if s[2] > 1.0), default=9.0)
        spots.append((-min(clear, 0.6), len(spots), x, y, sx, sy))
    corners, sides = sorted(spots[:4]), sorted(spots[4:])
    free = [c for c in corners if -c[0] > 0.15]
    chosen = [*free, *[s for s in sides if -s[0] > 0.15][: 4 - len(free)]] or corners[:1]
    out = []
    for _, _, x, y, sx, sy in chosen:
        out.append(
            Viewpoint(
                (round(centre[0] + x, 4), round(centre[1] + y, 4), 2.2),
                (round(centre[0] - 0.1 * sx, 4), round(centre[1] - 0.1 * sy, 4), 0.1),
            )
        )
    return tuple(out)


def approach(
    point: Vec, eye_from: Vec, centre: tuple[float, float], size: tuple[float, float], blocks: Sequence[Block]
) -> tuple[Viewpoint, ...]:
    """Three viewpoints on a thing on the floor at ``point``, unblocked ones first, those on the side of ``eye_from`` before others."""
    base = atan2(eye_from[1] - point[1], eye_from[0] - point[0])
    ranked: list[tuple[int, float, Viewpoint]] = []
    for turn in (0.0, 40.0, -40.0, 80.0, -80.0, 120.0, -120.0, 160.0, -160.0):
        angle = base + radians(turn)
        x, y = _inside((point[0] + 0.75 * cos(angle), point[1] + 0.75 * sin(angle)), centre, size)
        eye = (round(x, 4), round(y, 4), 1.15)
        ranked.append((sum(_blocked(eye, point, b) for b in blocks), abs(turn), Viewpoint(eye, point)))
    return tuple(view for _, _, view in sorted(ranked, key=lambda r: r[:2])[:3])


def tilted(view: Viewpoint, degrees_up: float) -> Viewpoint:
    """The same place with the head turned up (or down, below 0) by so many degrees, at most 75 either way from level."""
    dx, dy, dz = (t - e for t, e in zip(view.target, view.eye, strict=True))
    run = hypot(dx, dy)
    pitch = min(75.0, max(-75.0, degrees(atan2(dz, run)) + degrees_up))
    return Viewpoint(view.eye, (view.target[0], view.target[1], round(view.eye[2] + run * tan(radians(pitch)), 5)))


def rooms_in_view(house: HouseSpec, room: str, view: Viewpoint) -> frozenset[str]:
    """The room one is in and those seen through doorways in the picture, also through several in a row.

    Furniture in the way is not taken into account, so a room may be named of which nothing shows.
    """
    eye = np.asarray(view.eye)
    right, down, forward = axes(view)
    up, edge = -down, tan(radians(FOV / 2))
    # Inward normals of the picture's four edge planes through the eye.
    planes = [edge * forward + right, edge * forward - right, edge * forward + up, edge * forward - up]
    seen: set[str] = set()
    _through(house, room, eye, planes, frozenset(), seen)
    return frozenset(seen)


def axes(view: Viewpoint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors (3,) to the right, down and forward of a camera that looks along a viewpoint, the horizon being level."""
    forward = np.asarray(view.target, dtype=np.float64) - np.asarray(view.eye, dtype=np.float64)
    forward /= sqrt(forward @ forward)
    right = np.array((forward[1], -forward[0], 0.0))
    right /= hypot(right[0], right[1])
    return right, _cross(forward, right), forward


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of two vectors (3,); `numpy.cross` takes twenty times as long for them."""
    (x, y, z), (u, v, w) = a, b
    return np.array((y * w - z * v, z * u - x * w, x * v - y * u))


def _through(house: HouseSpec, room: str, eye: np.ndarray, planes: list[np.ndarray], passed: frozenset[int], seen: set[str]) -> None:
    """Portal by portal: what is left of the picture beyond a doorway is bounded by the doorway's own edges."""
    seen.add(room)
    for k, door in enumerate(house.doorways):
        if room not in door.rooms or k in passed:
            continue
        outline = _clip(_outline(door) - eye, planes)
        if len(outline) < 3:
            continue
        beyond = door.rooms[1] if room == door.rooms[0] else door.rooms[0]
        middle = np.mean(outline, axis=0)
        edges = [_cross(a, b) for a, b in zip(outline, outline[1:] + outline[:1], strict=True)]
        edges = [n if n @ middle >= 0 else -n for n in edges if np.linalg.norm(n) > 1e-9]
        _through(house, beyond, eye, edges, passed | {k}, seen)


def _outline(door: Doorway) -> np.ndarray:
    (x, y), half = door.centre, door.width / 2
    dx, dy = (half, 0.0) if door.along == "x" else (0.0, half)
    return np.array([(x - dx, y - dy, 0.0), (x + dx, y + dy, 0.0), (x + dx, y + dy, door.height), (x - dx, y - dy, door.height)])


def _clip(polygon: np.ndarray, planes: list[np.ndarray]) -> list[np.ndarray]:
    """The part of a polygon on the inner side of every plane through the origin (Sutherland–Hodgman)."""
    points = list(polygon)
    for normal in planes:
        kept: list[np.ndarray] = []
        for a, b in zip(points, points[1:] + points[:1], strict=True):
            da, db = float(a @ normal), float(b @ normal)
            if da >= 0:
                kept.append(a)
            if (da >= 0) != (db >= 0):
                kept.append(a + (b - a) * (da / (da - db)))
        points = kept
        if not points:
            break
    return points


def _blocked(eye: Vec, point: Vec, block: Block) -> bool:
    x0, y0, x1, y1, height = block
    for share in (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9):
        x, y, z = (e + share * (p - e) for e, p in zip(eye, point, strict=True))
        if x0 - 0.05 < x < x1 + 0.05 and y0 - 0.05 < y < y1 + 0.05 and z < height + 0.05:
            return True
    return False


def _inside(at: tuple[float, float], centre: tuple[float, float], size: tuple[float, float]) -> tuple[float, float]:
    x, y = (min(max(v, c - s / 2 + 0.15), c + s / 2 - 0.15) for v, c, s in zip(at, centre, size, strict=True))
    return (x, y)


def _world(position: Vec, yaw: float, local: Vec) -> Vec:
    c, s = cos(radians(yaw)), sin(radians(yaw))
    return (position[0] + c * local[0] - s * local[1], position[1] + s * local[0] + c * local[1], position[2] + local[2])
