"""The workshop's hand tools: turned, drawn-out and stuck-on `Part`s, and the `Form` that a category's maker puts together of them.

Makers work in the *bench frame*: metres at scale 1, z = 0 where the thing rests, x and y from the middle of its collision solid.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import asin, atan2, cos, degrees, pi, radians, sin, sqrt
from typing import Any

from ..spec import Part, Region, Vec
from .palette import WATER, dirt, mix

Points = Sequence[tuple[float, float]]  # (radius, z)
Sections = Sequence[tuple[float, float, float, float]]
X: Vec = (0.0, 90.0, 0.0)
"""Euler angles that lay a part's own z axis along x, its x axis pointing down."""
Y: Vec = (-90.0, 0.0, 0.0)
"""Euler angles that lay a part's own z axis along y, its y axis pointing down."""


@dataclass(frozen=True)
class Form:
    """What a maker hands over, in the bench frame: looks, collision solid (its middle half its height up), mass in kg, what it holds."""

    parts: tuple[Part, ...]
    solid: Part
    mass: float
    holds: Region | None = None


def standing(parts: Sequence[Part], radius: float, height: float, mass: float, holds: Region | None = None) -> Form:
    """A form that collides as an upright cylinder."""
    return Form(tuple(parts), Part("cylinder", (radius, height / 2)), mass, holds)


def lying(parts: Sequence[Part], half_x: float, half_y: float, height: float, mass: float, holds: Region | None = None) -> Form:
    """A form that collides as a box."""
    return Form(tuple(parts), Part("box", (half_x, half_y, height / 2)), mass, holds)


def rolling(parts: Sequence[Part], radius: float, mass: float) -> Form:
    """A form that collides as a sphere."""
    return Form(tuple(parts), Part("sphere", (radius,)), mass)


def box(half: Vec, at: Vec, rgb: Vec, euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A box around ``at``."""
    return Part("box", half, at, rgb, euler, solid=False, **kw)


def lathe(points: Points, rgb: Vec, at: Vec = (0.0, 0.0, 0.0), euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A profile (radius, z) turned about z; its outside is to the right of the way it goes, so a lining goes down."""
    return Part("lathe", tuple(round(v, 5) for p in points for v in p), at, rgb, euler, solid=False, **kw)


def loft(sections: Sections, rgb: Vec, at: Vec = (0.0, 0.0, 0.0), euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """Cross-sections (z, half x, half y, roundness) along z."""
    return Part("loft", tuple(round(v, 5) for s in sections for v in s), at, rgb, euler, solid=False, **kw)


def bar(sections: Sections, rgb: Vec, at: Vec = (0.0, 0.0, 0.0), turn: float = 0.0, **kw: Any) -> Part:
    """A loft along x, or along x turned by ``turn`` degrees: sections (x, half width, half height, roundness)."""
    return loft([(x, hz, hy, r) for x, hy, hz, r in sections], rgb, at, facing(turn, 90.0), **kw)


def disc(radius: float, height: float, at: Vec, rgb: Vec, euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A short solid cylinder standing on ``at``."""
    return lathe(((0, 0), (radius, 0), (radius, height), (0, height)), rgb, at, euler, **kw)


def cap(radius: float, at: Vec, rgb: Vec, euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A round face that shows upwards only: a liquid's surface, a label, a dial."""
    return lathe(((radius, 0), (0, 0)), rgb, at, euler, **kw)


def water(radius: float, z: float, at: tuple[float, float] = (0.0, 0.0)) -> Part:
    """The surface of what a vessel is filled with."""
    return cap(radius, (*at, z), WATER, when="filled")


def band(radius: float, low: float, high: float, rgb: Vec, at: Vec = (0.0, 0.0, 0.0), euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A label or stripe around something round."""
    return lathe(((radius, low), (radius, high)), rgb, at, euler, **kw)


def ball(radius: float, at: Vec, rgb: Vec, flat: float = 1.0, euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A sphere around ``at``, ``flat`` times as high as wide."""
    rings = [(radius * cos(radians(a)), radius * flat * sin(radians(a))) for a in (-45, -12, 20, 55)]
    return lathe(((0, -radius * flat), *rings, (0, radius * flat)), rgb, at, euler, **kw)


def ovoid(half: Vec, at: Vec, rgb: Vec, euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """An ellipsoid around ``at``."""
    x, y, z = half
    angles = [radians(a) for a in (-78, -42, 0, 42, 78)]
    return loft([(z * sin(a) / sin(radians(78)), x * cos(a), y * cos(a), 1.0) for a in angles], rgb, at, euler, **kw)


def dome(radius: float, height: float, at: Vec, rgb: Vec, euler: Vec = (0.0, 0.0, 0.0), **kw: Any) -> Part:
    """A low cap, open below."""
    return lathe(((radius, 0), (0.8 * radius, 0.65 * height), (0, height)), rgb, at, euler, **kw)


def along(direction: Vec) -> Vec:
    """xyz-euler angles that turn the z axis into ``direction``."""
    x, y, z = direction
    n = sqrt(x * x + y * y + z * z)
    return (round(degrees(atan2(-y, z)), 3), round(degrees(asin(max(-1.0, min(1.0, x / n)))), 3), 0.0)


def facing(yaw: float, lean: float, roll: float = 0.0) -> Vec:
    """xyz-euler angles of a part whose z leans ``lean`` degrees from upright towards compass angle ``yaw``, its x in the same plane.

    ``roll`` turns it about its own z first.
    """
    a, b, c = radians(yaw), radians(lean), radians(roll)
    r00 = cos(a) * cos(b) * cos(c) - sin(a) * sin(c)
    r01 = -cos(a) * cos(b) * sin(c) - sin(a) * cos(c)
    r02, r12, r22 = cos(a) * sin(b), sin(a) * sin(b), cos(b)
    if abs(r02) > 0.999999:  # z along x: only the sum of the other two turns counts
        r10 = sin(a) * cos(b) * cos(c) + cos(a) * sin(c)
        r11 = -sin(a) * cos(b) * sin(c) + cos(a) * cos(c)
        return (0.0, round(degrees(asin(max(-1.0, min(1.0, r02)))), 4), round(degrees(atan2(r10, r11)), 4))
    return (round(degrees(atan2(-r12, r22)), 4), round(degrees(asin(r02)), 4), round(degrees(atan2(-r01, r00)), 4))


def rod(start: Vec, end: Vec, radius: float, rgb: Vec, tip: float | None = None, **kw: Any) -> Part:
    """A round stick from ``start`` to ``end``; ``tip`` = its radius at the end."""
    way = tuple(b - a for a, b in zip(start, end, strict=True))
    length = sqrt(sum(w * w for w in way))
    last = radius if tip is None else tip
    return lathe(((0, 0), (radius, 0), (last, length), (0, length)), rgb, start, along((way[0], way[1], way[2])), **kw)


def tube(start: Vec, end: Vec, radius: float, rgb: Vec, **kw: Any) -> Part:
    """A `rod` without ends, where those are hidden."""
    way = tuple(b - a for a, b in zip(start, end, strict=True))
    return lathe(((radius, 0), (radius, sqrt(sum(w * w for w in way)))), rgb, start, along((way[0], way[1], way[2])), **kw)


def ring(radius: float, thick: float, at: Vec, rgb: Vec, euler: Vec = (0.0, 0.0, 0.0), high: float | None = None, **kw: Any) -> Part:
    """A torus around ``at``; ``high`` = half its height along its axis, where that is not ``thick``."""
    h = thick if high is None else high
    return lathe(((radius + thick, 0), (radius, h), (radius - thick, 0), (radius, -h), (radius + thick, 0)), rgb, at, euler, **kw)


def radius_at(points: Points, z: float) -> float:
    """Radius of a rising profile at height ``z``."""
    for (r0, z0), (r1, z1) in itertools.pairwise(points):
        if z0 <= z <= z1 and z1 > z0:
            return r0 + (r1 - r0) * (z - z0) / (z1 - z0)
    return points[-1][0]


def vessel(outer: Points, floor: float, rgb: Vec, lining: Vec, wall: float = 0.005, at: Vec = (0.0, 0.0, 0.0), **kw: Any) -> list[Part]:
    """A hollow body and its lining. ``outer`` rises from the axis to the outer edge of the rim; inside it is empty down to ``floor``."""
    r_top, z_top = outer[-1]
    inner = [(r - wall, z) for r, z in reversed(outer) if z > floor + 1e-6 and r > wall]
    inner += [(radius_at(outer, floor) - wall, floor), (0.0, floor)]
    return [lathe((*outer, (r_top - wall, z_top)), rgb, at, **kw), lathe(inner, lining, at, when=kw.get("when", ""))]


def stump(outer: Points, cut: float, floor: float, rgb: Vec, lining: Vec) -> list[Part]:
    """What is left standing of a broken vessel up to height ``cut``: a hollow foot with spikes on its edge."""
    r = radius_at(outer, cut)
    out = vessel([*((p, z) for p, z in outer if z < cut), (r, cut)], floor, rgb, lining, when="broken")
    for a in (20.0, 150.0, 265.0):
        at = (round(0.92 * r * cos(radians(a)), 5), round(0.92 * r * sin(radians(a)), 5), cut - 0.004)
        out.append(loft(((0, 0.003, 0.45 * r, 0), (0.6 * r, 0.002, 0.003, 0)), rgb, at, (0.0, 0.0, a), when="broken"))
    return out


def inside(radius: float, floor: float, rim: float, at: tuple[float, float] = (0.0, 0.0)) -> Region:
    """The region of a round vessel from its ``floor`` to its ``rim``: the square that fits its inner ``radius``."""
    half = round(radius / sqrt(2), 4)
    return Region((at[0], at[1], floor), (half, half), round(rim - floor, 4))


def blot(at: Vec, normal: Vec, radius: float, on: Vec, **kw: Any) -> Part:
    """A smear of dirt on a surface of colour ``on``."""
    return lathe(((radius, 0), (0, 0.3 * radius)), dirt(on), at, along(normal), when="dirty", **kw)


def blots_around(radius: float, z: float, size: float, on: Vec, count: int = 3) -> list[Part]:
    """Smears on the outside of something round, one of which is seen from everywhere."""
    out = []
    for i in range(count):
        a = 2 * pi * (i + 0.25) / count
        sag = radius - sqrt(max(radius**2 - (0.55 * size) ** 2, 0.0))
        r = radius - sag
        out.append(blot((round(r * cos(a), 5), round(r * sin(a), 5), z + 0.006 * (-1) ** i), (cos(a), sin(a), 0.0), size, on))
    return out


def shards(count: int, spread: float, size: float, *rgbs: Vec, high: float = 0.0) -> list[Part]:
    """Pointed splinters strewn over a disc of radius ``spread``, seen while ``broken``."""
    out = []
    for i in range(count):
        a = 2.399 * i + 0.4
        r = spread * (0.45 + 0.55 * ((i * 0.618) % 1.0))
        s = size * (0.75 + 0.5 * ((i * 0.382) % 1.0))
        z = 0.006 + high * ((i * 0.47) % 1.0)
        outline = ((-s, 0.005, 0.78 * s, 0.0), (s, 0.004, 0.08 * s, 0.0))
        tilt = (-18.0, 8.0, 24.0)[i % 3]
        euler = facing(67.0 * i, 90.0 - tilt)
        at = (round(r * cos(a), 5), round(r * sin(a), 5), round(z + s * abs(sin(radians(tilt))) * 0.6, 5))
        out.append(loft(outline, rgbs[i % len(rgbs)], at, euler, when="broken"))
    return out


def moved(part: Part, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Part:
    """The same part elsewhere."""
    return replace(part, pos=(round(part.pos[0] + x, 5), round(part.pos[1] + y, 5), round(part.pos[2] + z, 5)))


def whole(parts: Sequence[Part], attribute: str) -> list[Part]:
    """The same parts, seen only while ``attribute`` is false; those with a condition of their own keep it."""
    return [p if p.when else replace(p, when=f"!{attribute}") for p in parts]


def shown(parts: Sequence[Part], attribute: str) -> list[Part]:
    """The same parts, seen only while ``attribute`` is true."""
    return [replace(p, when=attribute) for p in parts]


def rounds(skin: Vec, flesh: Vec, radius: float, spread: float, thick: float = 0.02, count: int = 3, core: Vec | None = None) -> list[Part]:
    """Cut slices lying around the middle, flesh up, seen while ``sliced``; ``core`` = colour of the middle of each."""
    out = []
    for i in range(count):
        a = 2 * pi * i / count + 0.5
        at: Vec = (round(spread * cos(a), 5), round(spread * sin(a), 5), 0.002)
        tilt: Vec = (round(9 * sin(a), 2), round(-9 * cos(a), 2), 0.0)
        out.append(lathe(((0, 0), (0.92 * radius, 0), (radius, 0.5 * thick), (radius, thick)), skin, at, tilt, when="sliced"))
        out.append(lathe(((radius, thick), (0, thick + 0.003)), flesh, at, tilt, when="sliced"))
        if core is not None:
            out.append(cap(0.42 * radius, (at[0], at[1], at[2] + thick + 0.004), core, tilt, when="sliced"))
    return out


def pale(rgb: Vec) -> Vec:
    """Empty glass of that colour."""
    return mix(rgb, (0.93, 0.97, 0.98), 0.72)


def scaled(part: Part, by: float) -> Part:
    """The same part, ``by`` times as large about its owner's origin."""
    keeps = part.shape == "loft"  # every fourth number of a loft is a roundness, no length
    size = tuple(v if keeps and k % 4 == 3 else sized(v, by) for k, v in enumerate(part.size))
    x, y, z = (sized(p, by) for p in part.pos)
    return replace(part, size=size, pos=(x, y, z))


def resized(form: Form, by: float) -> Form:
    """The same form at another size; its solid does not get thinner."""
    solid = scaled(form.solid, by)
    solid = replace(solid, size=(*solid.size[:-1], max(solid.size[-1], min(form.solid.size[-1], 0.009))))
    assert form.holds is None, "a region would have to be resized too"
    return Form(tuple(scaled(p, by) for p in form.parts), solid, round(form.mass * by**2, 4))


def sized(value: float, by: float) -> float:
    """A length, ``by`` times as long, to a hundredth of a millimetre."""
    return round(value * by, 5)
