"""What makes a room look lived in and holds nothing: skirting, rugs, pictures, windows with curtains, mirrors, clocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spec import Doorway, Part, Vec
from .common import BRASS, CHROME, DARK, WHITE, WOODS, Paint, box, cyl, pick, slab

Interval = tuple[float, float]
_WALLS = ("north", "east", "south", "west")
_SKIN = 0.004  # how far what is flat on a wall or floor stands off it

_PICTURE: dict[str, tuple[int, int]] = {  # room category → fewest and most pictures
    "kitchen": (0, 1), "livingroom": (1, 3), "bedroom": (1, 2), "bathroom": (0, 1), "office": (1, 2), "hall": (1, 2),
}  # fmt: skip
_RUG = {"kitchen": 0.3, "livingroom": 0.9, "bedroom": 0.8, "bathroom": 0.6, "office": 0.5, "hall": 0.7}
_SKIES: tuple[Vec, ...] = ((0.5, 0.68, 0.9), (0.62, 0.7, 0.78), (0.8, 0.62, 0.45), (0.16, 0.2, 0.34))
_WINDOWS = {"kitchen": 1, "livingroom": 2, "bedroom": 1, "bathroom": 1, "office": 1, "hall": 0}


def decor(
    category: str,
    size: tuple[float, float],
    rng: np.random.Generator,
    doorways: Sequence[Doorway] = (),
    centre: tuple[float, float] = (0.0, 0.0),
    blocks: Sequence[tuple[float, float, float, float, float]] = (),
    outside: Sequence[str] = _WALLS,
) -> tuple[Part, ...]:
    """Parts, none of them solid, for a room of ``size`` (x, y) metres around ``centre``; same arguments and generator state, same parts.

    Args:
        category: of the room; says what hangs there and how likely.
        rng: draws everything.
        doorways: kept free, in the same frame as ``centre`` (world).
        blocks: (x0, y0, x1, y1, height) of furniture; nothing hangs where it would be hidden behind what is taller than 1.1 m.
        outside: walls ("north" +y, "east" +x, "south" −y, "west" −x) that may have windows.
    """
    walls = {name: _Wall(name, size, centre, doorways, blocks) for name in _WALLS}
    parts = _skirting(walls, rng)
    parts += _rug(category, size, rng, centre)
    sky = Paint(pick(rng, _SKIES))  # the same weather in all windows
    for name in rng.permutation(list(outside))[: _WINDOWS.get(category, 1)]:
        parts += _window(walls[str(name)], rng, sky, curtains=category not in ("bathroom", "kitchen"))
    if category == "bathroom":
        parts += _tiles(walls, rng)
    wanted = _PICTURE.get(category, (0, 1))
    for _ in range(int(rng.integers(wanted[0], wanted[1] + 1))):
        parts += _picture(walls[pick(rng, _WALLS)], rng)
    if category in ("bathroom", "hall"):
        parts += _mirror(walls[pick(rng, _WALLS)], rng)
    if category in ("kitchen", "livingroom", "office", "hall") and rng.random() < 0.5:
        parts += _clock(walls[pick(rng, _WALLS)], rng)
    return tuple(parts)


class _Wall:
    """One wall of a room: turns (along, off the wall, height) into world coordinates and knows where it is taken."""

    def __init__(
        self,
        name: str,
        size: tuple[float, float],
        centre: tuple[float, float],
        doorways: Sequence[Doorway],
        blocks: Sequence[tuple[float, float, float, float, float]],
    ) -> None:
        self.flat = name in ("north", "south")  # runs along x
        self.sign = 1.0 if name in ("north", "east") else -1.0
        self.length = size[0] if self.flat else size[1]
        self.level = size[1] / 2 if self.flat else size[0] / 2
        self.centre = centre
        self.doors: list[Interval] = []
        self.taken: list[tuple[float, float, float, float]] = []  # along from, to, height from, to
        for door in doorways:
            along, off = (0, 1) if self.flat else (1, 0)
            if (door.along == "x") == self.flat and abs(door.centre[off] - centre[off] - self.sign * self.level) < 0.45:
                middle = door.centre[along] - centre[along]
                if abs(middle) < self.length / 2:
                    self.doors.append((middle - door.width / 2 - 0.1, middle + door.width / 2 + 0.1))
        self.taken += [(a, b, 0.0, 2.4) for a, b in self.doors]
        for x0, y0, x1, y1, height in blocks:
            low, high, back = (x0 - centre[0], x1 - centre[0], (y1 if self.sign > 0 else y0) - centre[1])
            if not self.flat:
                low, high, back = (y0 - centre[1], y1 - centre[1], (x1 if self.sign > 0 else x0) - centre[0])
            if height > 1.1 and abs(back - self.sign * self.level) < 0.4:
                self.taken.append((low - 0.03, high + 0.03, 0.0, max(height, 2.1)))

    def at(self, along: float, off: float, z: float) -> Vec:
        inward = self.sign * (self.level - off)
        x, y = (along, inward) if self.flat else (inward, along)
        return (round(self.centre[0] + x, 4), round(self.centre[1] + y, 4), round(z, 4))

    def half(self, along: float, off: float, z: float) -> Vec:
        return (round(along, 4), off, round(z, 4)) if self.flat else (off, round(along, 4), round(z, 4))

    def plate(
        self, along: float, z: float, wide: float, tall: float, paint: Paint, off: float = _SKIN, thick: float = 0.004, **more: object
    ) -> Part:
        """A flat box on the wall: ``wide`` and ``tall`` are half sizes, ``off`` where its middle is."""
        return box(self.half(wide, thick, tall), self.at(along, off, z), paint, solid=False, **more)

    def disc(self, along: float, z: float, radius: float, paint: Paint, off: float, thick: float = 0.006) -> Part:
        euler: Vec = (90.0, 0.0, 0.0) if self.flat else (0.0, 90.0, 0.0)
        return cyl(round(radius, 4), thick, self.at(along, off, z), paint, euler, solid=False)

    def free_spot(self, rng: np.random.Generator, wide: float, low: float, high: float) -> float | None:
        """The middle of a free stretch of half width ``wide`` between two heights, now taken; None where there was none."""
        room = self.length / 2 - wide - 0.15
        if room <= 0:
            return None
        for _ in range(12):
            along = round(float(rng.uniform(-room, room)), 3)
            if all(along + wide < a or along - wide > b or high < z0 or low > z1 for a, b, z0, z1 in self.taken):
                self.taken.append((along - wide - 0.08, along + wide + 0.08, low, high))
                return along
        return None

    def gaps(self) -> list[Interval]:
        """Stretches of the wall's foot between the doorways."""
        start, out = -self.length / 2, []
        for a, b in sorted(self.doors):
            if a > start:
                out.append((start, a))
            start = max(start, b)
        if start < self.length / 2:
            out.append((start, self.length / 2))
        return out


def _skirting(walls: dict[str, _Wall], rng: np.random.Generator) -> list[Part]:
    paint = pick(rng, (WHITE, Paint((0.82, 0.79, 0.72)), WOODS[0].plain(), WOODS[3].plain()))
    tall = float(pick(rng, (0.035, 0.05)))
    return [w.plate((a + b) / 2, tall, (b - a) / 2, tall, paint, off=0.008, thick=0.008) for w in walls.values() for a, b in w.gaps()]


def _rug(category: str, size: tuple[float, float], rng: np.random.Generator, centre: tuple[float, float]) -> list[Part]:
    if rng.random() >= _RUG.get(category, 0.5):
        return []
    hue = pick(rng, ((0.55, 0.24, 0.22), (0.25, 0.34, 0.5), (0.36, 0.45, 0.34), (0.7, 0.62, 0.48), (0.42, 0.4, 0.42), (0.66, 0.48, 0.26)))
    paint = Paint(hue, pick(rng, ("carpet", "stripes", "checks", "carpet")))
    share = float(rng.uniform(0.18, 0.26))
    half = (round(size[0] * share, 3), round(size[1] * share * float(rng.uniform(0.8, 1.0)), 3))
    x, y = (round(centre[k] + float(rng.uniform(-0.2, 0.2)), 3) for k in (0, 1))
    border = Paint(tuple(round(c * 0.6, 3) for c in hue), "carpet")  # type: ignore[arg-type]
    if rng.random() < 0.3:
        r = min(half)
        return [slab((r, r, 0.002), (x, y, 0.002), border, 1.0), slab((0.86 * r, 0.86 * r, 0.003), (x, y, 0.003), paint, 1.0)]
    plain = box((half[0], half[1], 0.002), (x, y, 0.002), border, solid=False)
    return [plain, box((half[0] - 0.09, half[1] - 0.09, 0.003), (x, y, 0.003), paint, solid=False)]


def _window(wall: _Wall, rng: np.random.Generator, sky: Paint, curtains: bool) -> list[Part]:
    wide, tall, mid = round(float(rng.uniform(0.4, 0.65)), 3), 0.45, 1.6
    along = wall.free_spot(rng, wide + (0.28 if curtains else 0.06), mid - tall - 0.05, mid + tall + 0.1)
    if along is None:
        return []
    frame = pick(rng, (WHITE, WOODS[1], WOODS[2], DARK))
    parts = [
        wall.plate(along, mid, wide + 0.05, tall + 0.05, frame, off=0.006, thick=0.006),
        wall.plate(along, mid + 0.06, wide, tall - 0.06, sky, off=0.012, thick=0.002, emission=0.6),
        wall.plate(along, mid - tall + 0.1, wide, 0.1, Paint((0.36, 0.5, 0.34)), off=0.012, thick=0.003, emission=0.3),
        wall.plate(along, mid, 0.018, tall, frame, off=0.014, thick=0.006),
        wall.plate(along, mid - tall - 0.06, wide + 0.08, 0.015, frame, off=0.02, thick=0.02),
    ]
    if curtains:
        cloth = Paint(
            pick(rng, ((0.72, 0.62, 0.5), (0.5, 0.58, 0.66), (0.66, 0.42, 0.38), (0.86, 0.84, 0.78), (0.42, 0.5, 0.4))),
            pick(rng, ("stripes", "fabric")),
        )
        parts += [wall.plate(along + s * (wide + 0.09), mid - 0.06, 0.15, tall + 0.2, cloth, off=0.028, thick=0.012) for s in (-1, 1)]
        parts.append(wall.plate(along, mid + tall + 0.15, wide + 0.26, 0.012, pick(rng, (DARK, BRASS, WHITE)), off=0.03, thick=0.01))
    return parts


def _picture(wall: _Wall, rng: np.random.Generator) -> list[Part]:
    wide, tall = (round(float(rng.uniform(0.15, 0.34)), 3) for _ in range(2))
    mid = 1.62
    along = wall.free_spot(rng, wide + 0.04, mid - tall - 0.04, mid + tall + 0.04)
    if along is None:
        return []
    frame = pick(rng, (DARK, WHITE, BRASS, WOODS[1]))
    ground = Paint(tuple(round(float(c), 3) for c in rng.uniform(0.3, 0.9, 3)))  # type: ignore[arg-type]
    parts = [
        wall.plate(along, mid, wide + 0.03, tall + 0.03, frame, off=0.01, thick=0.01),
        wall.plate(along, mid, wide, tall, ground, off=0.021, thick=0.002),
    ]
    subject = pick(rng, ("hills", "sun", "blocks", "stripes"))
    colour = lambda: Paint(tuple(round(float(c), 3) for c in rng.uniform(0.15, 0.95, 3)))  # type: ignore[arg-type]  # noqa: E731
    if subject == "hills":
        parts.append(wall.plate(along, mid - tall * 0.5, wide, tall * 0.5, colour(), off=0.024, thick=0.002))
        parts.append(wall.plate(along, mid - tall * 0.8, wide, tall * 0.2, colour(), off=0.025, thick=0.002))
    elif subject == "sun":
        parts.append(wall.disc(along, mid + tall * 0.1, min(wide, tall) * 0.5, colour(), off=0.024, thick=0.002))
    elif subject == "blocks":
        for k in range(3):
            dx, dz = (float(v) for v in rng.uniform(-0.5, 0.5, 2))
            parts.append(
                wall.plate(along + dx * wide, mid + dz * tall, wide * 0.35, tall * 0.3, colour(), off=0.024 + 0.002 * k, thick=0.002)
            )
    else:
        parts += [wall.plate(along + dx * wide, mid, wide * 0.1, tall, colour(), off=0.024, thick=0.002) for dx in (-0.6, 0.0, 0.6)]
    return parts


def _mirror(wall: _Wall, rng: np.random.Generator) -> list[Part]:
    mid, glass = 1.55, Paint((0.74, 0.82, 0.86))
    frame = pick(rng, (CHROME, WOODS[0], WHITE, BRASS))
    if rng.random() < 0.5:
        along = wall.free_spot(rng, 0.32, mid - 0.32, mid + 0.32)
        return [] if along is None else [wall.disc(along, mid, 0.29, frame, 0.008), wall.disc(along, mid, 0.26, glass, 0.012)]
    along = wall.free_spot(rng, 0.32, mid - 0.44, mid + 0.44)
    if along is None:
        return []
    return [
        wall.plate(along, mid, 0.28, 0.42, frame, off=0.008, thick=0.008),
        wall.plate(along, mid, 0.25, 0.39, glass, off=0.016, thick=0.002),
    ]


def _clock(wall: _Wall, rng: np.random.Generator) -> list[Part]:
    mid = 1.95
    along = wall.free_spot(rng, 0.2, mid - 0.2, mid + 0.2)
    if along is None:
        return []
    rim = pick(rng, (DARK, Paint((0.7, 0.2, 0.2)), WOODS[0].plain(), CHROME))
    return [
        wall.disc(along, mid, 0.17, rim, 0.014, 0.014),
        wall.disc(along, mid, 0.145, WHITE, 0.03, 0.002),
        wall.plate(along, mid + 0.05, 0.008, 0.055, DARK, off=0.034, thick=0.002),
        wall.plate(along + 0.03, mid, 0.04, 0.008, DARK, off=0.034, thick=0.002),
    ]


def _tiles(walls: dict[str, _Wall], rng: np.random.Generator) -> list[Part]:
    """A band of tiles to breast height."""
    paint = Paint(pick(rng, ((0.75, 0.86, 0.9), (0.88, 0.86, 0.8), (0.72, 0.8, 0.72), (0.9, 0.9, 0.92))), "tiles")
    return [w.plate((a + b) / 2, 0.6, (b - a) / 2, 0.6, paint, off=0.003, thick=0.003) for w in walls.values() for a, b in w.gaps()]
