"""``mimir bench env``: transitions per second and core of the household, split into physics, render, perception and encoding."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mimir_learn.errors import ConfigError


@dataclass(frozen=True)
class BenchConfig:
    """What to measure.

    Attributes:
        steps: transitions to time.
        houses: houses they are spread over.
        image_size: frames, pixels.
        seed: of houses and actions.
    """

    steps: int = 400
    houses: int = 4
    image_size: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps < 1 or self.houses < 1:
            raise ConfigError("bench needs at least one step and one house")


class _Meter:
    """CPU seconds per named part; nested parts are taken out of the part around them."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._inner = 0.0

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        outer, self._inner = self._inner, 0.0
        start = time.process_time()
        try:
            return work()
        finally:
            whole = time.process_time() - start
            self.spent[name] = self.spent.get(name, 0.0) + whole - self._inner
            self._inner = outer + whole


def bench_env(config: BenchConfig) -> str:
    """Time a random policy on one core and return the finding as text. CPU time, so that other load does not count."""
    from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv
    from mimir_learn.logs.codec import encode_depth, encode_rgb

    env = HouseholdEnv(HouseholdConfig(image_size=config.image_size, max_steps=config.steps + 1, faults=FaultRates.level(0.25)))
    meter, rng = _Meter(), np.random.default_rng(config.seed)
    draw, setattr_ = env._draw, object.__setattr__
    setattr_(env, "_draw", lambda: meter.time("render", draw))
    per_house = -(-config.steps // config.houses)
    steps, reset_s = 0, 0.0
    for house in range(config.houses):
        start = time.process_time()
        observation, info = env.reset(seed=house, options={"house_seed": config.seed + house})
        reset_s += time.process_time() - start
        meter.spent["render"] = meter.spent.get("render", 0.0) if house else 0.0
        places = [p.entity.id for p in info["places"]]
        for _ in range(min(per_house, config.steps - steps)):
            percept = meter.time("perception", env.visible_entities)
            command = _command(places, [s.entity.id for s in percept.sightings], percept.at, rng)
            observation = meter.time("physics", partial(env.step, command))[0]
            meter.time("encode", partial(encode_rgb, observation["rgb"]))
            meter.time("encode", partial(encode_depth, observation["depth"]))
            steps += 1
    raw = _raw_render(env)
    env.close()
    spent, total = meter.spent, sum(meter.spent.values())
    speed, each = steps / total, 1e3 * total / steps
    lines = [f"{speed:.0f} transitions per second and core at {config.image_size}×{config.image_size} ({each:.2f} ms each)"]
    for name, seconds in sorted(spent.items(), key=lambda x: -x[1]):
        lines.append(f"  {name:11s}{1e3 * seconds / steps:7.2f} ms  {seconds / total:5.0%}")
    lines.append(f"  one raw render with readPixels: {1e3 * raw:.2f} ms; a whole transition costs {total / steps / raw:.1f} of them")
    lines.append(f"  building and resetting a house: {1e3 * reset_s / config.houses:.0f} ms")
    return "\n".join(lines)


def _command(places: list[str], seen: list[str], at: str | None, rng: np.random.Generator) -> str:
    """A random command with a fair chance of being legal."""
    place = places[int(rng.integers(len(places)))]
    thing = seen[int(rng.integers(len(seen)))] if seen else place
    here = at or place
    options = (f"go to {place}", f"pick up {thing}", f"put {thing} at {here}", f"open {here}", f"close {here}", f"turn on {here}", "look")
    return options[int(rng.choice(len(options), p=(0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.1)))]


def _raw_render(env: Any, times: int = 200) -> float:
    """CPU seconds of `mjr_render` + `mjr_readPixels` (colour and depth) of the scene drawn last."""
    import mujoco

    camera = env._camera
    start = time.process_time()
    for _ in range(times):
        mujoco.mjr_render(camera._rect, camera._scene, camera._con)
        mujoco.mjr_readPixels(camera._rgb, camera._z, camera._rect, camera._con)
    return (time.process_time() - start) / times
