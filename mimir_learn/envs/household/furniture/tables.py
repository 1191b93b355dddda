"""What things stand on: tables of all heights, desk, TV stand."""

from __future__ import annotations

import numpy as np

from ..spec import Part, Vec
from .common import DARK, GLASS, PAINTED, WHITE, WOODS, Catalogue, Design, Paint, box, cyl, drawer_front, lathe, legs, level, pick, slab


def table(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h = 1.1, 0.66, 0.74
    style = pick(rng, ("legs", "trestle", "oval"))
    dark = paint.shade(0.78)
    if style == "oval":
        parts: list[Part] = [
            box((w / 2 - 0.12, d / 2 - 0.1, 0.015), (0, 0, h - 0.017), paint),
            box((w / 2 - 0.03, 0.14, 0.015), (0, 0, h - 0.017), paint),
            slab((w / 2, d / 2, 0.02), (0, 0, h - 0.021), paint, 0.9),
            lathe(((0.06, 0.08), (0.045, 0.2), (0.07, 0.34), (0.045, 0.5), (0.1, h - 0.04)), (0, 0, 0), dark),
            cyl(0.05, (h - 0.1) / 2, (0, 0, h / 2), dark),
            *(box((0.26, 0.03, 0.035), (0, 0, 0.05), dark, euler=(0, 0, turn)) for turn in (35.0, -35.0)),
        ]
        return Design((w, d, h), parts, [], [level(w - 0.24, d - 0.2, h, 0.45)], (h, h))
    parts = [box((w / 2, d / 2, 0.02), (0, 0, h - 0.02), paint)]
    if style == "legs":
        frame = Paint((0.9, 0.89, 0.86)) if rng.random() < 0.4 else dark
        parts += legs(w / 2 - 0.06, d / 2 - 0.06, h - 0.04, 0.032, frame)
        parts += [box((w / 2 - 0.08, 0.012, 0.045), (0, s * (d / 2 - 0.06), h - 0.085), frame) for s in (-1, 1)]
        parts += [box((0.012, d / 2 - 0.08, 0.045), (s * (w / 2 - 0.06), 0, h - 0.085), frame) for s in (-1, 1)]
    else:
        for s in (-1, 1):
            x = s * (w / 2 - 0.16)
            parts += [
                box((0.03, d / 2 - 0.06, 0.025), (x, 0, 0.025), dark),
                box((0.035, 0.07, h / 2 - 0.03), (x, 0, h / 2), dark),
                box((0.03, d / 2 - 0.1, 0.025), (x, 0, h - 0.065), dark),
            ]
        parts.append(box((w / 2 - 0.16, 0.018, 0.04), (0, 0, 0.25), dark))
    return Design((w, d, h), parts, [], [level(w, d, h, 0.45)], (h, h))


def coffee_table(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h = 0.95, 0.54, 0.42
    style = pick(rng, ("shelf", "glass", "oval"))
    dark = paint.shade(0.8)
    if style == "oval":
        parts: list[Part] = [
            box((w / 2 - 0.1, d / 2 - 0.08, 0.015), (0, 0, h - 0.017), paint),
            slab((w / 2, d / 2, 0.02), (0, 0, h - 0.021), paint, 0.8),
            *legs(w / 2 - 0.17, d / 2 - 0.13, h - 0.03, 0.022, dark, round_ones=True),
        ]
        return Design((w, d, h), parts, [], [level(w - 0.2, d - 0.16, h, 0.45)], (h, h))
    if style == "glass":
        parts = [
            box((w / 2, d / 2, 0.01), (0, 0, h - 0.01), GLASS),
            *legs(w / 2 - 0.03, d / 2 - 0.03, h - 0.02, 0.016, DARK),
            *(box((w / 2 - 0.03, 0.012, 0.012), (0, s * (d / 2 - 0.03), h - 0.032), DARK) for s in (-1, 1)),
            *(box((0.012, d / 2 - 0.03, 0.012), (s * (w / 2 - 0.03), 0, h - 0.032), DARK) for s in (-1, 1)),
            box((w / 2 - 0.05, d / 2 - 0.05, 0.008), (0, 0, 0.14), paint),
        ]
    else:
        parts = [
            box((w / 2, d / 2, 0.022), (0, 0, h - 0.022), paint),
            *legs(w / 2 - 0.05, d / 2 - 0.05, h - 0.04, 0.035, dark),
            box((w / 2 - 0.07, d / 2 - 0.07, 0.012), (0, 0, 0.13), dark),
        ]
    return Design((w, d, h), parts, [], [level(w, d, h, 0.45)], (h, h))


def side_table(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h = 0.48, 0.44, 0.58
    style = pick(rng, ("nightstand", "pedestal", "legs"))
    dark = paint.shade(0.8)
    if style == "pedestal":
        parts: list[Part] = [
            box((0.18, 0.18, 0.012), (0, 0, h - 0.014), paint),
            lathe(((0.0, h - 0.03), (0.22, h - 0.03), (0.235, h - 0.02), (0.235, h - 0.004), (0.225, h), (0.0, h)), (0, 0, 0), paint),
            lathe(
                ((0.16, 0.0), (0.16, 0.015), (0.05, 0.04), (0.028, 0.12), (0.045, 0.28), (0.025, 0.42), (0.06, h - 0.03)), (0, 0, 0), dark
            ),
            cyl(0.03, h / 2 - 0.02, (0, 0, h / 2 - 0.01), dark),
        ]
        return Design((w, w, h), parts, [], [level(0.36, 0.36, h, 0.45)], (h, h))
    if style == "nightstand":
        parts = [
            box((w / 2 - 0.01, d / 2 - 0.015, h / 2 - 0.07), (0, 0.01, h / 2 + 0.05), paint),
            box((w / 2, d / 2, 0.015), (0, 0, h - 0.015), dark),
            *legs(w / 2 - 0.05, d / 2 - 0.06, 0.13, 0.018, dark),
            *drawer_front(w - 0.06, 0.0, -d / 2 + 0.026, h - 0.2, h - 0.045, paint.shade(1.15), "knob"),
            *drawer_front(w - 0.06, 0.0, -d / 2 + 0.026, 0.15, h - 0.215, paint.shade(1.15), "knob"),
        ]
    else:
        parts = [
            box((w / 2, d / 2, 0.018), (0, 0, h - 0.018), paint),
            *legs(w / 2 - 0.03, d / 2 - 0.03, h - 0.03, 0.018, dark),
            box((w / 2 - 0.04, d / 2 - 0.04, 0.01), (0, 0, 0.2), paint.shade(0.9)),
        ]
    return Design((w, d, h), parts, [], [level(w, d, h, 0.45)], (h, h))


def desk(rng: np.random.Generator, paint: Paint) -> Design:
    """A lamp at its right end, a laptop at its left, or both."""
    h, d = 0.74, 0.62
    gear = pick(rng, ("lamp", "laptop", "both"))
    left, right = 0.44 * (gear != "lamp"), 0.26 * (gear != "laptop")
    w = 1.2 + 0.22 * (gear == "both")
    dark = paint.shade(0.8)
    parts: list[Part] = [box((w / 2, d / 2, 0.018), (0, 0, h - 0.018), paint)]
    pedestal = [
        box((0.19, d / 2 - 0.03, h / 2 - 0.05), (w / 2 - 0.21, 0, h / 2 - 0.018), dark),
        *(
            p
            for z in (0.12, 0.32, 0.52)
            for p in drawer_front(0.34, w / 2 - 0.21, -d / 2 + 0.03, z, z + 0.18, paint.shade(1.12), pick(rng, ("bar", "knob")))
        ),
    ]
    if rng.random() < 0.6:
        parts += [*pedestal, box((0.018, d / 2 - 0.03, h / 2 - 0.018), (-w / 2 + 0.04, 0, h / 2 - 0.018), dark)]
        parts.append(box((w / 2 - 0.06, 0.01, 0.15), (0, d / 2 - 0.04, h - 0.2), dark))
    else:  # a thin metal frame, one flat drawer under the top
        frame = pick(rng, (DARK, WHITE))
        parts += legs(w / 2 - 0.04, d / 2 - 0.04, h - 0.03, 0.018, frame)
        parts += [box((0.014, d / 2 - 0.05, 0.014), (s * (w / 2 - 0.04), 0, 0.05), frame) for s in (-1, 1)]
        parts.append(box((0.3, d / 2 - 0.05, 0.04), (0, 0, h - 0.076), dark))
        parts += drawer_front(0.56, 0.0, -d / 2 + 0.045, h - 0.112, h - 0.042, paint.shade(1.12), "bar")
    mounted: tuple[tuple[str, Vec], ...] = ()
    if right:
        mounted += (("desk_lamp", (w / 2 - 0.14, d / 2 - 0.16, h)),)
    if left:
        mounted += (("laptop", (-w / 2 + 0.23, 0.02, h)),)
    free = w - left - right
    return Design((w, d, h), parts, [], [level(free, d, h, 0.45, x=(left - right) / 2)], (h, h + 0.15), mounted=mounted)


def tv_stand(rng: np.random.Generator, paint: Paint) -> Design:
    """A low board with a TV at its back; things stand before and beside it."""
    w, d, h = 1.4, 0.52, 0.46
    dark = paint.shade(0.75)
    parts: list[Part] = [box((w / 2, d / 2, 0.016), (0, 0, h - 0.016), paint)]
    if rng.random() < 0.5:  # open middle with a player on a shelf, doors at the sides
        parts += [
            box((w / 2 - 0.01, d / 2 - 0.01, 0.015), (0, 0, 0.075), paint),
            box((w / 2 - 0.02, 0.01, h / 2 - 0.05), (0, d / 2 - 0.02, h / 2 + 0.01), dark),
            *(box((0.2, d / 2 - 0.02, h / 2 - 0.05), (s * (w / 2 - 0.21), 0.01, h / 2 + 0.01), paint) for s in (-1, 1)),
            *(p for s in (-1, 1) for p in drawer_front(0.37, s * (w / 2 - 0.21), -d / 2 + 0.03, 0.1, h - 0.045, dark, "knob")),
            box((0.26, 0.16, 0.03), (0, -0.02, 0.122), DARK, solid=False),
            box((0.03, 0.004, 0.008), (0.16, -0.181, 0.122), Paint((0.3, 0.8, 0.4)), solid=False),
            *legs(w / 2 - 0.08, d / 2 - 0.08, 0.07, 0.025, DARK),
        ]
    else:
        parts += [
            box((w / 2 - 0.01, d / 2 - 0.02, h / 2 - 0.06), (0, 0.01, h / 2 + 0.02), paint),
            *(
                p
                for i in (-1, 0, 1)
                for p in drawer_front(w / 3 - 0.03, i * w / 3, -d / 2 + 0.03, 0.12, h - 0.05, paint.shade(1.15), "groove")
            ),
            *legs(w / 2 - 0.12, d / 2 - 0.1, 0.09, 0.022, dark, round_ones=True),
        ]
    tv = ("tv", (0.0, d / 2 - 0.11, h))
    return Design((w, d, h), parts, [], [level(w, 0.32, h, 0.4, y=-d / 2 + 0.16)], (h, h + 0.55), mounted=(tv,))


DESIGNS: Catalogue = {
    "table": (table, WOODS),
    "coffee_table": (coffee_table, WOODS),
    "side_table": (side_table, (*WOODS, *PAINTED[:3])),
    "desk": (desk, WOODS),
    "tv_stand": (tv_stand, (*WOODS, *PAINTED[:2])),
}
