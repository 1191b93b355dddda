"""Exponential moving average of the weights; while it is on, the averaged weights are those that are validated, kept and exported."""

from __future__ import annotations

import torch
from lightning.pytorch.callbacks import WeightAveraging
from torch import Tensor


class Ema(WeightAveraging):
    """Lightning's weight averaging with an exponential average after every optimizer step.

    The decay rises with the number n of steps, min(decay, (1 + n) / (10 + n)), so that short runs do not drag their first weights along.
    ``lerp`` leaves a weight that does not move as it is, bit for bit, which decay · a + (1 - decay) · w would not: frozen backbones stay
    what they were. A checkpoint holds the average as ``state_dict`` and the trained weights beside it; both come back on resume.
    """

    def __init__(self, decay: float) -> None:
        super().__init__(multi_avg_fn=_average(decay))


class _average:
    def __init__(self, decay: float) -> None:
        self.decay = decay

    @torch.no_grad()
    def __call__(self, averaged: list[Tensor], current: list[Tensor], count: Tensor | int) -> None:
        n = float(count)
        rate = 1.0 - min(self.decay, (1.0 + n) / (10.0 + n))
        for a, c in zip(averaged, current, strict=True):
            if a.is_floating_point():
                a.lerp_(c.to(a.device), rate)
            else:  # counters
                a.copy_(c)
