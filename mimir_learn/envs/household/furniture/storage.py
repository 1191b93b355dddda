"""Where things are kept: shelf, bookcase, cabinets, wardrobe, drawers, safe."""

from __future__ import annotations

import numpy as np

from ..spec import Panel, Part
from .common import (
    BRASS,
    CHROME,
    DARK,
    PAINTED,
    STEEL,
    WHITE,
    WOODS,
    B,
    Catalogue,
    Design,
    Paint,
    box,
    carcass,
    cyl,
    disc,
    door,
    drawer,
    drawer_front,
    legs,
    level,
    loft,
    pick,
    plain,
    textured,
)  # fmt: skip

FRONTS = (*PAINTED, *WOODS[:3])


def shelf(rng: np.random.Generator, paint: Paint) -> Design:
    """An open rack without a back: three boards between posts, baskets at the bottom."""
    w, d, h = 0.95, 0.38, 1.22
    levels = (0.42, 0.82, h)
    metal = rng.random() < 0.5
    post = pick(rng, (DARK, WHITE, STEEL)) if metal else paint.shade(0.85)
    parts: list[Part] = [box((w / 2, d / 2, B), (0, 0, z - B), paint) for z in (0.1, *levels)]
    parts += legs(w / 2 - 0.02, d / 2 - 0.02, h + 0.03, 0.014 if metal else 0.02, post, round_ones=metal)
    if metal:
        cross = box((w / 2 + 0.02, 0.004, 0.008), (0, d / 2 - 0.005, 0.62), post, solid=False)
        tilt = float(np.degrees(np.arctan2(0.38, w)))
        parts += [Part("box", cross.size, cross.pos, cross.rgb, (0.0, s * tilt, 0.0), solid=False) for s in (-1, 1)]
    else:
        parts += [box((0.008, d / 2 - 0.03, 0.012), (s * (w / 2 - 0.02), 0, z + 0.1), post) for s in (-1, 1) for z in levels[:2]]
    weave = Paint(pick(rng, ((0.76, 0.62, 0.42), (0.55, 0.6, 0.62), (0.6, 0.45, 0.38))), pick(rng, ("checks", "stripes")))
    parts += [loft(((0.0, 0.17, 0.14, 0.2), (0.2, 0.2, 0.16, 0.2)), (x, 0, 0.1), weave) for x in (-0.23, 0.23)]
    return Design((w, d, h + 0.03), parts, [], [level(w - 0.1, d - 0.05, z, 0.36) for z in levels], (0.42, 1.2))


def bookcase(rng: np.random.Generator, paint: Paint) -> Design:
    """Tall, closed at back and sides; two rows to put things in, books that belong to it above and below."""
    w, d, h = 0.9, 0.36, 1.78
    back = paint.shade(0.95 if rng.random() < 0.5 else 0.7)
    levels = (0.48, 0.86)
    parts = carcass(w, d, 0.05, h, paint, back)
    parts.append(box((w / 2 - 0.02, d / 2 - 0.02, 0.025), (0, 0.01, 0.025), paint.shade(0.6)))
    parts += [box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, z - B), paint) for z in (*levels, 1.24, 1.54)]
    spines = (
        (0.55, 0.2, 0.18),
        (0.2, 0.34, 0.5),
        (0.75, 0.66, 0.42),
        (0.24, 0.42, 0.3),
        (0.36, 0.26, 0.4),
        (0.84, 0.8, 0.72),
        (0.15, 0.16, 0.2),
    )
    for z, tall in ((1.24, 0.25), (0.08, 0.3)):
        x = -w / 2 + 2 * B + 0.01
        while x < w / 2 - 0.12:
            thick, short = float(rng.uniform(0.03, 0.06)), float(rng.uniform(0.0, 0.07))
            spine = box((thick, 0.1, (tall - short) / 2), (x + thick, 0.02, z + (tall - short) / 2), Paint(pick(rng, spines)), solid=False)
            parts.append(spine)
            x += 2 * thick + 0.003 + (0.1 if rng.random() < 0.15 else 0.0)
    if rng.random() < 0.5:
        parts.append(box((w / 2 + 0.02, d / 2 + 0.01, 0.02), (0, 0, h + 0.02), paint))
    return Design((w, d, h + 0.04), parts, [], [level(w - 0.08, d - 0.05, z, 0.34, y=-0.01) for z in levels], (0.48, 1.1))


def _doors(rng: np.random.Generator, w: float, z0: float, z1: float, d: float, paint: Paint) -> list[Panel]:
    handle, panelled = pick(rng, ("bar", "knob", "groove")), bool(rng.random() < 0.5)
    rebate = box(
        (0.014, 0.003, (z1 - z0) / 2), (0, -d / 2 - 0.004, (z0 + z1) / 2), paint.shade(0.5), solid=False
    )  # no peeping between them
    return [door(z0, z1, -d / 2, s * w / 2, 0.0, paint, (rebate,) * (s > 0), handle=handle, panelled=panelled) for s in (1, -1)]


def cabinet(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h = 0.84, 0.48, 0.94
    front = paint if rng.random() < 0.5 else paint.shade(0.88)
    inside = Paint((0.88, 0.83, 0.72))
    parts = [*carcass(w, d, 0.1, h - 0.02, paint, inside), box((w / 2 - 0.02, d / 2 - 0.02, 0.05), (0, 0.01, 0.05), DARK)]
    parts.append(box((w / 2 + 0.012, d / 2 + 0.012, 0.014), (0, -0.012, h - 0.012), pick(rng, (*WOODS[:3], paint.shade(0.7)))))
    parts.append(box((w / 2 - 2 * B, d / 2 - B, 0.01), (0, -B, 0.53), inside.shade(0.95)))
    regions = [level(w - 0.08, d - 0.06, 0.13, 0.38), level(w - 0.08, d - 0.06, 0.54, 0.36)]
    return Design((w, d, h), parts, _doors(rng, w, 0.11, h - 0.03, d, front), regions, (0.2, 0.7), swing=w / 2)


def wall_cabinet(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, z0, z1 = 0.84, 0.38, 1.38, 2.06
    inside = Paint((0.9, 0.86, 0.76))
    parts = carcass(w, d, z0, z1, paint, inside)
    parts.append(box((w / 2 - 2 * B, d / 2 - B, 0.01), (0, -B, 1.725), inside.shade(0.95)))
    style = pick(rng, ("plain", "cornice", "lamp"))
    if style == "cornice":
        parts.append(box((w / 2 + 0.02, d / 2 + 0.01, 0.02), (0, -0.01, z1 + 0.02), paint.shade(0.9)))
    elif style == "lamp":
        parts.append(box((w / 2 - 0.1, 0.02, 0.008), (0, -d / 2 + 0.08, z0 - 0.008), WHITE, solid=False))
    regions = [level(w - 0.08, d - 0.06, z0 + 2 * B, 0.3), level(w - 0.08, d - 0.06, 1.736, 0.28)]
    doors = _doors(rng, w, z0 + 0.005, z1 - 0.005, d, paint.shade(0.94))
    return Design((w, d, z1 + 0.04), parts, doors, regions, (z0, 1.95), swing=w / 2, eye=1.7, hung=z0 - 0.02)


def wardrobe(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h = 1.0, 0.55, 1.85
    inside = paint.shade(1.3 if sum(paint.rgb) < 1.8 else 0.9)
    parts = [*carcass(w, d, 0.1, h, paint, inside), box((w / 2, d / 2, 0.05), (0, 0, 0.05), paint.shade(0.6))]
    parts.append(box((w / 2 - 2 * B, d / 2 - B, B), (0, -B, 0.65), paint.shade(1.15)))
    parts.append(cyl(0.012, w / 2 - 0.03, (0, 0.02, 1.56), CHROME, (0, 90, 0), solid=False))
    shirts = ((0.25, 0.35, 0.6), (0.7, 0.3, 0.3), (0.8, 0.78, 0.72), (0.3, 0.42, 0.34), (0.72, 0.6, 0.3))
    for x in (-0.3, -0.16, 0.08, 0.27):
        cloth = Paint(pick(rng, shirts), pick(rng, ("fabric", "stripes", "checks")))
        parts.append(loft(((0.0, 0.035, 0.17, 0.3), (0.36, 0.03, 0.16, 0.3), (0.44, 0.012, 0.05, 0.3)), (x, 0.03, 1.1), cloth))
    doors = _doors(rng, w, 0.11, h - 0.01, d, paint.shade(0.92))
    style = pick(rng, ("plain", "cornice", "mirror"))
    if style == "cornice":
        parts.append(box((w / 2 + 0.025, d / 2 + 0.01, 0.03), (0, -0.01, h + 0.03), paint.shade(0.85)))
    elif style == "mirror":
        mirror = box((w / 4 - 0.07, 0.003, 0.62), (w / 4 + 0.01, -d / 2 - 0.043, 1.05), Paint((0.72, 0.8, 0.84)), solid=False)
        doors[0] = Panel(doors[0].joint, doors[0].axis, doors[0].anchor, doors[0].travel, (*doors[0].parts, mirror))
    regions = [level(w - 0.08, d - 0.07, 0.13, 0.48), level(w - 0.08, d - 0.07, 0.665, 0.42)]
    return Design((w, d, h + 0.06), parts, doors, regions, (0.25, 1.1), swing=w / 2)


def chest(rng: np.random.Generator, paint: Paint) -> Design:
    """The narrow chest of drawers ("drawer"): three drawers, the top one opens."""
    w, d, h, slide = 0.66, 0.52, 0.8, 0.37
    z0, z1, front, handle = 0.52, 0.72, paint.shade(1.18), pick(rng, ("bar", "knob", "groove"))
    top = pick(rng, (paint.shade(0.85), WHITE, *WOODS[1:2]))
    parts: list[Part] = [
        box((w / 2 - 2 * B, d / 2 - 0.03, 0.22), (0, 0.02, 0.28), paint),
        box((B, d / 2 - 0.015, h / 2 - 0.01), (-w / 2 + B, 0.015, h / 2), paint),
        box((B, d / 2 - 0.015, h / 2 - 0.01), (w / 2 - B, 0.015, h / 2), paint),
        box((w / 2 + 0.005, d / 2, 0.025), (0, 0, h - 0.025), top),
        box((w / 2 - 2 * B, B, h / 2 - 0.03), (0, d / 2 - B, h / 2), paint),
        box((w / 2, d / 2 - 0.04, 0.03), (0, 0.02, 0.03), paint.shade(0.6)),
        *drawer_front(w - 0.03, 0.0, -d / 2 + 0.04, 0.29, 0.51, front, handle),
        *drawer_front(w - 0.03, 0.0, -d / 2 + 0.04, 0.07, 0.28, front, handle),
    ]
    tray = drawer(w - 0.03, d - 0.08, -d / 2 + 0.036, z0, z1, front, slide, handle)
    # Only the front part of the tray comes out from under the top, so that is what holds things.
    region = level(w - 0.13, 0.33, z0 + 0.05, 0.17, y=-d / 2 + 0.036 + 0.185, rides=True)
    return Design((w, d, h), parts, [tray], [region], (z0, 0.7), reach=slide, eye=1.55)


def dresser(rng: np.random.Generator, paint: Paint) -> Design:
    """Wide and on legs: one drawer over the whole width, which opens, above two by two; a mirror or a runner on top."""
    w, d, h, slide = 1.15, 0.5, 0.88, 0.36
    z0, z1, front = 0.62, 0.82, paint.shade(1.15)
    handle = pick(rng, ("knob", "bar"))
    parts: list[Part] = [
        box((w / 2 - 2 * B, d / 2 - 0.03, 0.215), (0, 0.02, 0.385), paint),
        *(box((B, d / 2 - 0.015, (h - 0.15) / 2), (s * (w / 2 - B), 0.015, (h + 0.15) / 2), paint) for s in (-1, 1)),
        box((w / 2 + 0.012, d / 2, 0.018), (0, 0, h - 0.018), paint.shade(0.85)),
        box((w / 2 - 2 * B, B, (h - 0.16) / 2), (0, d / 2 - B, (h + 0.12) / 2), paint),
        *legs(w / 2 - 0.06, d / 2 - 0.07, 0.17, 0.022, paint.shade(0.7)),
    ]
    for s in (-1, 1):
        for low, high in ((0.17, 0.385), (0.395, 0.61)):
            parts += drawer_front(w / 2 - 0.03, s * (w / 4 - 0.008), -d / 2 + 0.04, low, high, front, handle)
    if rng.random() < 0.5:
        frame = pick(rng, (paint.shade(0.8), BRASS))
        parts.append(cyl(0.29, 0.012, (0, d / 2 - 0.03, h + 0.31), frame, (90, 0, 0), solid=False))
        parts.append(cyl(0.26, 0.014, (0, d / 2 - 0.032, h + 0.31), Paint((0.74, 0.82, 0.86)), (90, 0, 0), solid=False))
        parts.append(box((0.1, 0.02, 0.02), (0, d / 2 - 0.03, h + 0.02), frame, solid=False))
    else:
        parts.append(box((w / 2 - 0.2, d / 2 - 0.1, 0.002), (0, 0.02, h + 0.001), Paint((0.9, 0.87, 0.8), "stripes"), solid=False))
    tray = drawer(w - 0.03, d - 0.08, -d / 2 + 0.036, z0, z1, front, slide, handle)
    region = level(w - 0.14, 0.32, z0 + 0.05, 0.17, y=-d / 2 + 0.036 + 0.18, rides=True)
    return Design((w, d, h), parts, [tray], [region], (z0, 0.8), reach=slide, eye=1.6)


def safe(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, z0, h = 0.6, 0.48, 0.45, 0.97
    base = pick(rng, WOODS)
    parts = [*carcass(w, d, z0, h, paint, Paint((0.5, 0.44, 0.4))), box((w / 2 - 0.03, d / 2 - 0.03, z0 / 2), (0, 0, z0 / 2), base)]
    y, mid = -d / 2 - 0.045, (z0 + h) / 2
    if rng.random() < 0.5:  # a dial and a three-spoked wheel
        extra: tuple[Part, ...] = (
            disc(0.05, 0.012, (-0.12, y, mid + 0.09), Paint((0.85, 0.75, 0.3))),
            disc(0.02, 0.024, (-0.12, y, mid + 0.09), DARK),
            *(
                box((0.1, 0.012, 0.012), (0.06, y - 0.02, mid - 0.04), CHROME, euler=(0, turn, 0), solid=False)
                for turn in (0.0, 60.0, 120.0)
            ),
            disc(0.035, 0.03, (0.06, y - 0.01, mid - 0.04), CHROME),
        )
    else:
        keys = [
            box((0.015, 0.004, 0.013), (-0.1 + 0.042 * i, y - 0.012, mid + 0.06 - 0.038 * j), WHITE, solid=False)
            for i in range(3)
            for j in range(3)
        ]
        extra = (
            box((0.075, 0.01, 0.1), (-0.058, y, mid + 0.035), DARK, solid=False),
            box((0.06, 0.003, 0.016), (-0.058, y - 0.011, mid + 0.105), Paint((0.3, 0.7, 0.55)), solid=False),
            *keys,
            box((0.014, 0.02, 0.08), (0.14, y - 0.01, mid), CHROME, solid=False),
        )
    leaf = door(z0, h, -d / 2, -w / 2, w / 2, paint.shade(1.25), extra, handle="groove")
    bolts = tuple(
        Part("box", (0.03, 0.012, 0.016), (w / 2 - 0.03, -d / 2 - 0.02, mid + dz), CHROME.rgb, solid=False) for dz in (-0.15, 0.0, 0.15)
    )
    leaf = Panel(leaf.joint, leaf.axis, leaf.anchor, leaf.travel, (*leaf.parts, *bolts))
    return Design((w, d, h), parts, [leaf], [level(w - 0.09, d - 0.08, z0 + 2 * B, 0.4)], (z0, 0.75), swing=w)


_SAFES = (*textured("metal", (0.32, 0.38, 0.34), (0.36, 0.36, 0.4)), *plain((0.2, 0.26, 0.38), (0.42, 0.2, 0.2)))

DESIGNS: Catalogue = {
    "shelf": (shelf, WOODS),
    "bookcase": (bookcase, (*WOODS, *PAINTED[:2])),
    "cabinet": (cabinet, FRONTS),
    "wall_cabinet": (wall_cabinet, FRONTS),
    "drawer": (chest, WOODS),
    "dresser": (dresser, (*WOODS, *PAINTED)),
    "wardrobe": (wardrobe, (*WOODS, *PAINTED[:3])),
    "safe": (safe, _SAFES),
}
