"""The same seeds on another GL stack: identical symbols, frames within the stated tolerance."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

RGB_MEAN, RGB_OFF, DEPTH_OFF = 6.0, 0.15, 0.1
"""Mean difference of colours (of 255), share of pixels off by more than 16, share of depths off by more than 5 cm: at most, any frame."""

CODE = """
import pickle, sys
from OpenGL import GL
from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv
env = HouseholdEnv(HouseholdConfig(image_size=96))
frames, symbols = [], []
for seed in (3, 40012):
    observation, info = env.reset(seed=1, options={"house_seed": seed})
    for place in info["places"][2:12:3]:
        observation, *_, said = env.step(f"go to {place.entity.id}")
        seen = env.visible_entities()
        symbols.append((said, [(s.entity.id, str(s.parent), dict(s.attributes)) for s in seen.sightings], env.privileged_state().snapshot))
        frames.append((observation["rgb"], observation["depth"]))
name = GL.glGetString(GL.GL_RENDERER).decode()
pickle.dump((name, frames, symbols), open(sys.argv[1], "wb"))
"""


def run(out: Path, **env: str) -> tuple[str, list, list]:
    subprocess.run([sys.executable, "-c", CODE, str(out)], check=True, env={**os.environ, **env}, timeout=300)
    return pickle.loads(out.read_bytes())


def test_another_rasteriser_gives_the_same_symbols_and_nearly_the_same_frames(tmp_path: Path) -> None:
    name, frames, symbols = run(tmp_path / "this")
    other, other_frames, other_symbols = run(tmp_path / "other", GALLIUM_DRIVER="softpipe", LIBGL_ALWAYS_SOFTWARE="1")
    if other == name:
        pytest.skip(f"there is only one GL stack here: {name}")
    assert symbols == other_symbols
    for (rgb, depth), (other_rgb, other_depth) in zip(frames, other_frames, strict=True):
        off = np.abs(rgb.astype(int) - other_rgb)
        assert off.mean() < RGB_MEAN and (off.max(-1) > 16).mean() < RGB_OFF
        assert (np.abs(depth - other_depth) > 0.05).mean() < DEPTH_OFF
