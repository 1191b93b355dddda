"""What a room is made of without its furniture: floor, walls with openings for the doorways, ceiling, door frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .shapes import CEILING
from .spec import Doorway, HouseSpec, Part, RoomSpec, Vec

WALL = 0.12
"""Metres between the floors of two rooms that share a wall; each room draws its half of it."""
HEIGHT = 2.6
_T = WALL / 4  # half of the half wall
_FRAME: Vec = (0.93, 0.92, 0.9)
_CEILING: Vec = (0.95, 0.95, 0.94)


def room_parts(room: RoomSpec, doorways: Iterable[Doorway]) -> list[Part]:
    """Floor, walls and ceiling of a room in world coordinates; the walls leave out its doorways."""
    (cx, cy), (w, d) = room.centre, room.size
    floor = Part("box", (w / 2, d / 2, 0.05), (cx, cy, -0.05), room.floor_rgb, texture=room.floor_texture)
    ceiling = Part(CEILING, (w / 2 + 2 * _T, d / 2 + 2 * _T), (cx, cy, HEIGHT), _CEILING, solid=False, emission=0.3)
    mine = [door for door in doorways if room.id in door.rooms]
    return [floor, ceiling, *(part for side in range(4) for part in _wall(room, side, mine))]


def _wall(room: RoomSpec, side: int, doorways: list[Doorway]) -> list[Part]:
    """Pieces of one wall: north, east, south, west."""
    along, across = (0, 1) if side % 2 == 0 else (1, 0)
    sign = 1 if side < 2 else -1
    middle, half = room.centre[along], room.size[along] / 2 + 2 * _T * (along == 0)
    line = room.centre[across] + sign * room.size[across] / 2
    shade = 0.86 if side % 2 else 1.0  # two of the walls a bit darker, as corners are hard to see without shadows
    r, g, b = (round(c * shade, 4) for c in room.wall_rgb)
    holes = []
    for door in doorways:
        if ("x", "y")[along] == door.along and abs(door.centre[across] - line - sign * WALL / 2) < WALL:
            holes.append((door.centre[along] - door.width / 2, door.centre[along] + door.width / 2, door.height))
    spans, start = [], middle - half
    for low, high, top in sorted(holes):
        spans += [(start, low, 0.0, HEIGHT), (low, high, top, HEIGHT)]
        start = high
    spans.append((start, middle + half, 0.0, HEIGHT))
    out = []
    for a, b_, low, top in spans:
        if b_ - a < 1e-6 or top - low < 1e-6:
            continue
        halves, at = [0.0, 0.0, (top - low) / 2], [0.0, 0.0, (top + low) / 2]
        halves[along], halves[across] = (b_ - a) / 2, _T
        at[along], at[across] = (a + b_) / 2, line + sign * _T
        out.append(Part("box", _vec(halves), _vec(at), (r, g, b), texture=room.wall_texture))
    return out


def doorway_parts(door: Doorway, house: HouseSpec) -> list[Part]:
    """Threshold and frame of a doorway in world coordinates."""
    floor = next(r for r in house.rooms if r.id == door.rooms[0])
    deep, post = WALL / 2, 0.035
    half = door.width / 2
    rows: list[tuple[Vec, Vec, Vec, bool]] = [
        ((half, deep, 0.05), (0, 0, -0.05), floor.floor_rgb, True),
        ((post / 2, deep + 0.015, door.height / 2), (-half + post / 2, 0, door.height / 2), _FRAME, True),
        ((post / 2, deep + 0.015, door.height / 2), (half - post / 2, 0, door.height / 2), _FRAME, True),
        ((half, deep + 0.015, post / 2), (0, 0, door.height + post / 2 - 0.001), _FRAME, True),
    ]
    out = []
    for halves, at, rgb, solid in rows:
        part = Part("box", halves, at, rgb, solid=solid)
        if door.along == "y":
            part = replace(part, size=(halves[1], halves[0], halves[2]), pos=(-at[1], at[0], at[2]))
        x, y, z = part.pos
        out.append(replace(part, pos=(round(x + door.centre[0], 5), round(y + door.centre[1], 5), z)))
    return out


def _vec(values: list[float]) -> Vec:
    x, y, z = (round(v, 5) for v in values)
    return (x, y, z)
