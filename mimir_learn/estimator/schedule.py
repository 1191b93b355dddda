"""Learning-rate schedules as pure functions of the optimizer step, so that a resumed run needs nothing but its step."""

from __future__ import annotations

import math
from collections.abc import Callable

SCHEDULES = ("cosine", "one_cycle")
_FLOOR = 0.02  # of the peak, at the end of `cosine`
_START, _END = 1 / 25, 1 / 25e4  # of the peak, at both ends of `one_cycle`: the usual choice


def factor(schedule: str, total: int, warmup: float) -> Callable[[int], float]:
    """Factor on the peak learning rate at each of ``total`` steps, of which the share ``warmup`` rises to it.

    ``cosine``: linear rise from (almost) 0, cosine fall to 2 % of the peak. ``one_cycle``: cosine rise from 1/25 of the peak, cosine fall
    to 1/250,000 of it (Smith and Topin's, without their cycle of momentum). Steps after the last keep its factor.
    """
    if schedule == "cosine":
        warm = max(1, int(warmup * total))

        def cosine(step: int) -> float:
            if step < warm:
                return (step + 1) / warm
            return _FLOOR + (1 - _FLOOR) * 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warm) / max(1, total - warm))))

        return cosine
    top, last = max(1e-9, warmup * total - 1), max(1, total - 1)

    def one_cycle(step: int) -> float:
        if step <= top:
            return _between(_START, 1.0, step / top)
        return _between(1.0, _END, min(1.0, (step - top) / max(1e-9, last - top)))

    return one_cycle


def _between(start: float, end: float, way: float) -> float:
    return end + (start - end) * 0.5 * (1 + math.cos(math.pi * way))
