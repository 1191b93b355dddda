"""``mimir bench env``: how fast the household is on one core, against its bars, and where the time of a transition goes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mimir_learn.errors import ConfigError

if TYPE_CHECKING:
    from mimir_learn.envs.household import HouseholdEnv, HouseSpec

ROOMS = 3
FURNISHED_BAR, BARE_BAR = 200.0, 400.0  # RGB + depth steps per second and core at 128×128
RAW_BAR = 1.3  # a step over mjr_render + mjr_readPixels of the same scenes
BUILD_BAR = 0.3  # seconds to generate and compile a house and draw its first frame
_SETTLES = ("pick", "put", "slice", "pour")  # first words of commands after which physics runs

PEERS = (
    (
        "Habitat-Sim",
        "several thousand frames per second in one thread, rendering only, on a GPU",
        "Savva et al. 2019, arXiv:1904.01201, abstract",
    ),
    (
        "Habitat 2.0",
        "over 25,000 steps per second on a node of 8 GPUs, about 3,100 per GPU, with physics",
        "Szot et al. 2021, arXiv:2106.14405, abstract",
    ),
    (
        "OmniGibson",
        "47 frames per second in an empty scene, on a GPU",
        "OmniGibson, profiling/data.js, commit 2365206 (Feb 2024)",
    ),
)
"""What others report for themselves, on GPUs: simulator, figure, source. Ours is one CPU core without a GPU."""


@dataclass(frozen=True)
class BenchConfig:
    """What to measure.

    Attributes:
        steps: transitions to time, of each kind.
        houses: houses they are spread over.
        image_size: frames, pixels.
        seed: of houses and actions.
        resets: resets over which memory is watched, every fourth one to a house not seen before; 0 = not at all.
    """

    steps: int = 400
    houses: int = 4
    image_size: int = 128
    seed: int = 0
    resets: int = 100

    def __post_init__(self) -> None:
        if self.steps < 1 or self.houses < 1:
            raise ConfigError("bench needs at least one step and one house")
        if self.resets < 0:
            raise ConfigError(f"resets is {self.resets}; give 0 or more")


@dataclass(frozen=True)
class Pace:
    """CPU milliseconds of one RGB + depth step in which nothing settles, and of the bare rendering of the same scenes."""

    step_ms: float
    raw_ms: float

    @property
    def per_second(self) -> float:
        return 1e3 / self.step_ms

    @property
    def over_raw(self) -> float:
        return self.step_ms / self.raw_ms


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
    """Measure on one core and return the findings as text. CPU time, so that other load does not count."""
    from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv, generate_house

    env = HouseholdEnv(HouseholdConfig(image_size=config.image_size, max_steps=10**6))
    houses = [generate_house(config.seed + i, rooms=ROOMS) for i in range(config.houses)]
    builds = [build_seconds(env, config.seed + 1000 + i) for i in range(config.houses + 1)][1:]  # the first one warms up caches
    furnished = pace(env, houses, config.steps)
    bare = pace(env, [bare_house(h) for h in houses], config.steps)
    size = f"{config.image_size}×{config.image_size}"
    lines = [f"The household on one core, {size}, {ROOMS} rooms, CPU time:"]
    lines += [
        _against(f"RGB + depth steps per second, furnished ({furnished.step_ms:.2f} ms)", furnished.per_second, FURNISHED_BAR),
        _against(f"RGB + depth steps per second, bare rooms ({bare.step_ms:.2f} ms)", bare.per_second, BARE_BAR),
        _against("a furnished step over raw mjr_render + mjr_readPixels", furnished.over_raw, RAW_BAR, most=True),
        _against(f"s to generate, compile and first draw a house (worst {max(builds):.2f})", float(np.mean(builds)), BUILD_BAR, most=True),
    ]
    if config.resets:
        start, end = memory_over_resets(env, config.seed + 2000, config.resets)
        lines.append(f"  memory {start:.0f} MB → {end:.0f} MB over {config.resets} resets, {-(-config.resets // 4)} of them to new houses")
    lines += _breakdown(env, config)
    env.close()
    lines.append("Others, as they report it themselves, on GPUs:")
    lines += [f"  {name:12s} {figure} ({source})" for name, figure, source in PEERS]
    return "\n".join(lines)


def _against(what: str, value: float, bar: float, most: bool = False) -> str:
    met = value <= bar if most else value >= bar
    number = f"{value:.0f}" if value >= 20 else f"{value:.2f}"
    return f"  {'✓' if met else '✗'} {number:>6s} {what}; {'at most' if most else 'at least'} {bar:g}"


def bare_house(house: HouseSpec) -> HouseSpec:
    """The same rooms with nothing in them."""
    return replace(house, fixtures=(), things=())


def pace(env: HouseholdEnv, houses: list[HouseSpec], steps: int) -> Pace:
    """Walk from place to place and look about: steps in which nothing falls. A place's own frame is also drawn raw, for comparison."""
    spent = raw = 0.0
    taken = 0
    for house in houses:
        _, info = env.reset(seed=0, options={"house": house})
        commands = [c for p in info["places"] for c in (f"go to {p.entity.id}", "look")]
        for i in range(-(-steps // len(houses))):
            start = time.process_time()
            env.step(commands[i % len(commands)])
            middle = time.process_time()
            env._camera.raw()  # type: ignore[union-attr]
            spent, raw, taken = spent + middle - start, raw + time.process_time() - middle, taken + 1
    return Pace(1e3 * spent / taken, 1e3 * raw / taken)


def build_seconds(env: HouseholdEnv, seed: int) -> float:
    """CPU seconds from a seed to the first frame of a house of three rooms, settling included."""
    from mimir_learn.envs.household import generate_house

    start = time.process_time()
    env.reset(seed=0, options={"house": generate_house(seed, rooms=ROOMS)})
    return time.process_time() - start


def memory_over_resets(env: HouseholdEnv, seed: int, resets: int) -> tuple[float, float]:
    """Resident megabytes after the caches are full, and after ``resets`` more resets, every fourth to a new house."""
    filling = env.config.keep_houses + 4
    for i in range(filling):
        env.reset(seed=i, options={"house_seed": seed + i})
    start = resident_mb()
    for i in range(resets):
        env.reset(seed=i, options={"house_seed": seed + filling + i // 4})
    return start, resident_mb()


def resident_mb() -> float:
    """Memory this process holds now, megabytes (its peak, where the system does not say)."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _breakdown(env: HouseholdEnv, config: BenchConfig) -> list[str]:
    """A random policy under faults, with everything a collector does: where the time goes, steps that settle physics apart."""
    from mimir_learn.envs.household import FaultRates
    from mimir_learn.logs.codec import encode_depth, encode_rgb

    meter, rng = _Meter(), np.random.default_rng(config.seed)
    draw, setattr_ = env._draw, object.__setattr__
    setattr_(env, "_draw", lambda: meter.time("render", draw))
    kinds: dict[bool, list[float]] = {True: [], False: []}
    for house in range(config.houses):
        observation, info = env.reset(seed=house, options={"house_seed": config.seed + house, "faults": FaultRates.level(0.25)})
        if not house:
            meter.spent.clear()
        places = [p.entity.id for p in info["places"]]
        for _ in range(-(-config.steps // config.houses)):
            percept = meter.time("perception", env.visible_entities)
            command = _command(places, [s.entity.id for s in percept.sightings], percept.at, rng)
            start = time.process_time()
            observation = meter.time("physics", partial(env.step, command))[0]
            kinds[command.startswith(_SETTLES)].append(time.process_time() - start)
            meter.time("encode", partial(encode_rgb, observation["rgb"]))
            meter.time("encode", partial(encode_depth, observation["depth"]))
    setattr_(env, "_draw", draw)
    steps, total = sum(map(len, kinds.values())), sum(meter.spent.values())
    lines = [f"A collector's random policy: {steps / total:.0f} transitions per second and core ({1e3 * total / steps:.2f} ms each)"]
    for name, seconds in sorted(meter.spent.items(), key=lambda x: -x[1]):
        lines.append(f"  {name:11s}{1e3 * seconds / steps:7.2f} ms  {seconds / total:5.0%}")
    for settles, name in ((True, "steps that let things settle"), (False, "other steps")):
        if kinds[settles]:
            lines.append(f"  {name}: {1e3 * float(np.mean(kinds[settles])):.2f} ms ({len(kinds[settles])} taken)")
    return lines


def _command(places: list[str], seen: list[str], at: str | None, rng: np.random.Generator) -> str:
    """A random command with a fair chance of being legal."""
    place = places[int(rng.integers(len(places)))]
    thing = seen[int(rng.integers(len(seen)))] if seen else place
    here = at or place
    options = (f"go to {place}", f"pick up {thing}", f"put {thing} at {here}", f"open {here}", f"close {here}", f"turn on {here}", "look")
    return options[int(rng.choice(len(options), p=(0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.1)))]
