"""Pixels made noisy, quickly: colour, depth and shifts of many small images. One core does it beside training."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import norm

_NORMAL = norm.ppf((np.arange(256) + 0.5) / 256).astype(np.float32)  # a byte as a normal deviate
_BLOCK = 1 << 16  # values worked on at a time, so that intermediate results stay in the processor's cache


def recolour(rgb: NDArray[np.uint8], gain_N3: NDArray[np.float32], offset_N3: NDArray[np.float32]) -> NDArray[np.uint8]:
    """``rgb * gain + offset``, clipped, of N images (N, …, W, 3): the same for every frame and pixel of an image."""
    n, width = len(rgb), rgb.shape[-2]
    out = np.empty(rgb.shape, dtype=np.uint8)
    if not out.size:
        return out
    rows, result = rgb.reshape(n, -1, 3 * width), out.reshape(n, -1, 3 * width)  # long rows: broadcasting along 3 colours would be slow
    gain, offset = np.tile(gain_N3, (1, width))[:, None], np.tile(offset_N3, (1, width))[:, None]
    step = max(1, _BLOCK // rows[0].size)
    for at in range(0, n, step):
        part = slice(at, at + step)
        value = np.multiply(rows[part], gain[part], dtype=np.float32)
        value += offset[part]
        result[part] = np.clip(value, 0, 255, out=value)
    return out


def noisy_depth(
    depth: NDArray[np.float16], noise_m: float, holes: float, lost: float, floor: float, rng: np.random.Generator
) -> NDArray[np.float16]:
    """Depth with normal noise of ``noise_m`` metres, a share of ``holes`` set to ``lost``, and nothing else below ``floor``.

    What is not above ``lost`` has no return and stays so. Halves are converted by torch, which is several times faster than numpy at it.
    """
    noisy = torch.from_numpy(depth).float().numpy()
    valid = noisy > lost
    draw = rng.integers(0, 1 << 16, depth.shape, dtype=np.uint16)  # one cheap draw per pixel serves both
    if noise_m:
        noisy += np.take(noise_m * _NORMAL, draw & 0xFF)
    if holes:
        valid &= draw >= round(256 * holes) << 8
    np.maximum(noisy, np.float32(floor), out=noisy)
    noisy[~valid] = lost
    return torch.from_numpy(noisy).half().numpy()


def shifted(pixels: NDArray[Any], step_N2: NDArray[np.int64], limit: int) -> NDArray[Any]:
    """N pairs of square images (N, 2, S, S, …), each pair moved by its own (rows, columns) of at most ``limit``; borders are repeated."""
    size, pad = pixels.shape[2], limit
    wide = np.empty((len(pixels), 2, size + 2 * pad, size + 2 * pad, *pixels.shape[4:]), dtype=pixels.dtype)
    wide[:, :, pad:-pad, pad:-pad] = pixels
    wide[:, :, :pad, pad:-pad], wide[:, :, -pad:, pad:-pad] = pixels[:, :, :1], pixels[:, :, -1:]
    wide[:, :, :, :pad], wide[:, :, :, -pad:] = wide[:, :, :, pad : pad + 1], wide[:, :, :, -pad - 1 : -pad]
    out = np.empty_like(pixels)
    for i, (row, column) in enumerate((step_N2 + pad).tolist()):
        out[i] = wide[i, :, row : row + size, column : column + size]
    return out
