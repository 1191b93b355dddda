"""Where one sits and lies: sofa, armchair, chair, bed."""

from __future__ import annotations

import numpy as np

from ..spec import Part
from .common import DARK, FABRICS, WHITE, WOODS, Catalogue, Design, Paint, box, cushion, cyl, legs, level, loft, pick, plain, slab

LEATHERS = plain((0.42, 0.26, 0.17), (0.22, 0.22, 0.24), (0.6, 0.4, 0.24))


def sofa(rng: np.random.Generator, paint: Paint) -> Design:
    w, d = 1.5, 0.8
    return _upholstered(rng, paint, w, d, seats=2)


def armchair(rng: np.random.Generator, paint: Paint) -> Design:
    w, d = 0.86, 0.8
    return _upholstered(rng, paint, w, d, seats=1)


def _upholstered(rng: np.random.Generator, paint: Paint, w: float, d: float, seats: int) -> Design:
    """Base, seat cushions, back and arms: rolled arms, low blocks, or slender arms on wooden feet."""
    style = pick(rng, ("rolled", "block", "slender"))
    arm = {"rolled": 0.09, "block": 0.1, "slender": 0.05}[style]
    light, seat = paint.shade(1.18), 0.42
    inner = w / 2 - 2 * arm
    low = 0.14 if style == "slender" else 0.04
    back = 0.86 if style != "block" else 0.76
    parts: list[Part] = [
        box((w / 2 - 0.01, d / 2 - 0.02, (0.3 - low) / 2), (0, 0, (0.3 + low) / 2), paint),
        box((inner - 0.01, d / 2 - 0.12, 0.055), (0, -0.08, seat - 0.06), light),
        box((w / 2 - 0.02, 0.06, (back - 0.1) / 2), (0, d / 2 - 0.07, back / 2), paint),
        cushion((w / 2 - 0.02, 0.085, (back - 0.28) / 2), (0, d / 2 - 0.09, 0.28 + (back - 0.28) / 2), paint, 0.25),
        *legs(w / 2 - 0.08, d / 2 - 0.08, low, 0.022, pick(rng, WOODS) if style == "slender" else DARK),
    ]
    step = 2 * inner / seats
    for i in range(seats):
        x = -inner + step * (i + 0.5)
        parts.append(cushion((step / 2 - 0.004, d / 2 - 0.09, 0.066), (x, -0.09, seat - 0.064), light, 0.2))
    for s in (-1, 1):
        x = s * (w / 2 - arm)
        if style == "rolled":
            parts.append(box((arm * 0.75, d / 2 - 0.03, 0.2), (x, -0.01, 0.34), paint))
            parts.append(cyl(arm, d / 2 - 0.01, (x, -0.01, 0.55), paint.shade(0.95), (90, 0, 0)))
        elif style == "block":
            parts.append(box((arm, d / 2, 0.26), (x, 0, 0.3), paint.shade(0.95)))
        else:
            parts.append(box((arm, d / 2 - 0.04, 0.13), (x, 0, 0.45), paint))
            parts.append(slab((arm + 0.01, d / 2 - 0.02, 0.022), (x, -0.01, 0.6), paint.shade(0.9), 0.35))
    if seats > 1 and rng.random() < 0.5:  # a folded throw over one end of the back
        throw = Paint((0.85, 0.82, 0.74), "stripes")
        parts.append(box((0.2, 0.1, 0.012), (inner * 0.55, d / 2 - 0.09, back + 0.004), throw, solid=False))
        parts.append(box((0.2, 0.006, 0.12), (inner * 0.55, d / 2 - 0.182, back - 0.11), throw, solid=False))
    return Design((w, d, back), parts, [], [level(2 * inner - 0.02, d - 0.24, seat + 0.003, 0.4, y=-0.1)], (seat, seat + 0.1))


def chair(rng: np.random.Generator, paint: Paint) -> Design:
    w, d, h, seat = 0.46, 0.48, 0.92, 0.46
    style = pick(rng, ("slats", "shell", "padded"))
    if style == "shell":  # a moulded seat on thin metal legs
        tint = Paint(pick(rng, ((0.85, 0.3, 0.24), (0.9, 0.89, 0.86), (0.22, 0.45, 0.5), (0.92, 0.74, 0.22), (0.2, 0.21, 0.23))))
        parts: list[Part] = [
            box((w / 2 - 0.03, d / 2 - 0.04, 0.012), (0, -0.02, seat - 0.014), tint),
            loft(((-0.03, 0.17, 0.17, 0.6), (0.0, 0.22, 0.21, 0.6), (0.004, 0.22, 0.21, 0.6)), (0, -0.02, seat - 0.003), tint),
            loft(((0.0, 0.2, 0.025, 0.4), (0.2, 0.215, 0.02, 0.4), (0.4, 0.17, 0.018, 0.8), (0.44, 0.1, 0.016, 0.9)),
                 (0, d / 2 - 0.055, seat + 0.01), tint, (-8, 0, 0)),
            box((0.17, 0.02, 0.2), (0, d / 2 - 0.04, seat + 0.2), tint),
            *legs(w / 2 - 0.06, d / 2 - 0.07, seat - 0.03, 0.012, DARK, round_ones=True),
        ]  # fmt: skip
        return Design((w, d, h), parts, [], [level(0.38, 0.36, seat + 0.003, 0.4, y=-0.04)], (seat, seat + 0.2))
    pad = pick(rng, FABRICS) if style == "padded" else paint.shade(1.1)
    parts = [
        box((w / 2 - 0.01, d / 2 - 0.02, 0.02), (0, -0.01, seat - 0.022), paint),
        slab((w / 2 - 0.02, d / 2 - 0.035, 0.012), (0, -0.015, seat - 0.01), pad, 0.25),
        *legs(w / 2 - 0.035, d / 2 - 0.04, seat - 0.03, 0.02, paint.shade(0.85)),
        *(box((0.02, 0.018, (h - seat) / 2), (s * (w / 2 - 0.035), d / 2 - 0.03, (h + seat) / 2), paint.shade(0.85)) for s in (-1, 1)),
        box((w / 2 - 0.05, 0.012, 0.045), (0, d / 2 - 0.03, h - 0.06), paint),
    ]
    if style == "slats":
        parts += [box((0.014, 0.008, (h - seat) / 2 - 0.06), (x, d / 2 - 0.03, (h + seat) / 2 - 0.03), paint) for x in (-0.1, 0.0, 0.1)]
    else:
        parts.append(cushion((w / 2 - 0.05, 0.028, 0.14), (0, d / 2 - 0.045, h - 0.22), pad, 0.3))
    return Design((w, d, h), parts, [], [level(0.38, 0.36, seat + 0.003, 0.4, y=-0.04)], (seat, seat + 0.2))


def bed(rng: np.random.Generator, paint: Paint) -> Design:
    """Its long side along the wall, the head end at −x."""
    w, d, top = 1.68, 0.92, 0.5
    style = pick(rng, ("panel", "bars", "padded"))
    wood = pick(rng, WOODS)
    blanket = Paint(paint.rgb, pick(rng, ("fabric", "stripes", "checks")))
    sheet, head = Paint((0.95, 0.95, 0.93), "fabric"), -w / 2
    parts: list[Part] = [
        box((w / 2 - 0.03, d / 2 - 0.01, 0.07), (0.01, 0, 0.23), wood),
        *legs(w / 2 - 0.07, d / 2 - 0.06, 0.17, 0.03, wood.shade(0.8)),
        box((w / 2 - 0.05, d / 2 - 0.03, 0.08), (0.01, 0, 0.38), WHITE),
        box((w / 2 - 0.27, d / 2 - 0.015, 0.075), (0.23, 0, top - 0.078), blanket),
        slab((w / 2 - 0.275, d / 2 - 0.005, 0.09), (0.235, 0, top - 0.091), blanket, 0.12),
        box((0.08, d / 2 - 0.006, 0.012), (head + 0.58, 0, top - 0.004), sheet, solid=False),
        box((0.14, 0.3, 0.05), (head + 0.24, 0, top), sheet),
        cushion((0.165, 0.33, 0.065), (head + 0.24, 0, top + 0.005), sheet, 0.35),
    ]
    if style == "bars":
        parts += [box((0.02, 0.02, 0.48), (head + 0.03, y, 0.48), wood) for y in (-d / 2 + 0.03, d / 2 - 0.03)]
        parts += [box((0.015, d / 2 - 0.05, 0.02), (head + 0.03, 0, z), wood) for z in (0.55, 0.9)]
        parts += [box((0.01, 0.012, 0.16), (head + 0.03, y, 0.72), wood, solid=False) for y in (-0.26, -0.13, 0.0, 0.13, 0.26)]
    else:
        tall = 0.48 if style == "panel" else 0.54
        parts.append(box((0.03, d / 2, tall), (head + 0.035, 0, tall), wood if style == "panel" else paint.shade(0.8)))
        if style == "padded":
            parts += [cushion((0.03, d / 4 - 0.01, 0.25), (head + 0.075, y, 0.8), paint.shade(0.9), 0.2) for y in (-d / 4, d / 4)]
        else:
            parts.append(box((0.025, d / 2 - 0.02, 0.16), (w / 2 - 0.01, 0, 0.36), wood))
    return Design((w, d, 2 * 0.54), parts, [], [level(w - 0.66, d - 0.06, top + 0.002, 0.4, x=0.26)], (0.3, 0.72))


DESIGNS: Catalogue = {
    "sofa": (sofa, (*FABRICS, *LEATHERS)),
    "armchair": (armchair, (*FABRICS, *LEATHERS)),
    "chair": (chair, WOODS),
    "bed": (bed, FABRICS),
}
