"""`HouseholdEnv`: the household behind the Gymnasium API, and the only door to its sealed truth."""

from __future__ import annotations

import string
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Percept, PrivilegedState, Vocabulary

from .build import build
from .detector import detect
from .faults import FaultDice, FaultRates
from .generate import generate_house
from .render import Camera, pose_of
from .reports import STYLES
from .skills import Skills
from .skins import Skins
from .spec import HouseSpec
from .viewpoints import rooms_in_view
from .vocabulary import VOCABULARY
from .world import World


@dataclass(frozen=True)
class HouseholdConfig:
    """Settings of a `HouseholdEnv`.

    Attributes:
        image_size: width and height of the square frames, pixels (an int, 16–512).
        max_steps: steps after which an episode is truncated.
        faults: fault rates unless `reset` is given others.
        min_pixels: visible pixels an entity needs at 128×128 for `visible_entities` to report it, and for `pick up` to see it; other
            sizes need `pixels_needed`.
        keep_houses: compiled houses kept, so that a reset to one of them costs no build.
        feedback_style: wording of the sentence (see `reports`): ``plain``; ``alfred``, shaped as EB-ALFRED's, which may tell where an
            unseen thing is; ``habitat``, shaped as EB-Habitat's. The ``text`` source reads ``plain`` only.
        assets: folder made by ``mimir assets``, whose models are drawn where they fit (see `skins`); None draws our own parts only.
    """

    image_size: int = 128
    max_steps: int = 200
    faults: FaultRates = field(default_factory=FaultRates)
    min_pixels: int = 10
    keep_houses: int = 8
    feedback_style: str = "plain"
    assets: str | None = None

    def __post_init__(self) -> None:
        for name in ("image_size", "max_steps", "min_pixels", "keep_houses"):
            value = getattr(self, name)
            if not _is_int(value) or value < 1:
                raise ConfigError(f"{name} must be a whole number ≥ 1, got {value!r}")
        if not 16 <= self.image_size <= 512:
            raise ConfigError(f"image_size must be 16–512 pixels, got {self.image_size}")
        if self.feedback_style not in STYLES:
            raise ConfigError(f"feedback_style must be one of {', '.join(STYLES)}, got {self.feedback_style!r}")
        if not isinstance(self.faults, FaultRates):
            raise ConfigError(f"faults must be FaultRates, got {self.faults!r}; for a level p give FaultRates.level(p)")

    @property
    def pixels_needed(self) -> int:
        """``min_pixels`` scaled to the same share of the picture at ``image_size``, at least 3 (or ``min_pixels``, if that is less)."""
        return max(min(3, self.min_pixels), round(self.min_pixels * (self.image_size / 128) ** 2))


def _is_int(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


class HouseholdEnv(gymnasium.Env[dict[str, Any], str]):
    """A house to tidy, heat, cool, clean and switch in.

    Observation (dict): ``rgb`` (H, W, 3) uint8; ``depth`` (H, W) float32 metres along the optical axis, 0 = no return;
    ``intrinsics`` (3, 3) pixels; ``pose`` (4, 4) camera-to-world, x right, y down, z forward.
    Its arrays are copies: the caller's to keep or change.
    Action: one line of text, see docs/household.md. Reward is always 0 and no episode terminates: goals are the evaluation's business.

    Raises SimulatorError when MuJoCo finds no way to draw; the message names the packages to install.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own convention
    vocabulary: Vocabulary = VOCABULARY

    def __init__(self, config: HouseholdConfig | None = None, render_mode: str | None = None) -> None:
        self.config = config or HouseholdConfig()
        self.render_mode = render_mode
        size = self.config.image_size
        self.observation_space = spaces.Dict(
            {
                "rgb": spaces.Box(0, 255, (size, size, 3), np.uint8),
                "depth": spaces.Box(0.0, np.inf, (size, size), np.float32),
                "intrinsics": spaces.Box(-np.inf, np.inf, (3, 3), np.float64),
                "pose": spaces.Box(-np.inf, np.inf, (4, 4), np.float64),
            }
        )
        self.action_space = spaces.Text(64, min_length=1, charset=string.ascii_lowercase + string.digits + "_ ")
        self._skins = None if self.config.assets is None else Skins.load(self.config.assets)
        self._worlds: OrderedDict[str, World] = OrderedDict()
        self._seeds: OrderedDict[int, HouseSpec] = OrderedDict()
        self._camera: Camera | None = None
        self._skills: Skills | None = None
        self._steps = 0
        self._frame: dict[str, Any] = {}
        self._geoms: np.ndarray | None = None
        self._ids: frozenset[str] | None = None

    # --- Gymnasium

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: fixes the robot's first position, fault draws and landing spots.
            options: ``house_seed`` (int) or ``house`` (`HouseSpec`); ``faults`` (`FaultRates`). Without a house one is drawn.

        Raises ConfigError for an option this environment does not know or of the wrong type, SymbolError for a house that is not sound.
        """
        super().reset(seed=seed)
        options = dict(options or {})
        house_seed, house, faults = options.pop("house_seed", None), options.pop("house", None), options.pop("faults", self.config.faults)
        if options:
            raise ConfigError(f"unknown reset options {sorted(map(str, options))}; known: house_seed, house, faults")
        if house is not None and house_seed is not None:
            raise ConfigError("give either house or house_seed, not both")
        if not isinstance(faults, FaultRates):
            raise ConfigError(f"option faults must be FaultRates, got {type(faults).__name__}")
        if house is not None and not isinstance(house, HouseSpec):
            raise ConfigError(f"option house must be a HouseSpec, got {type(house).__name__}; for JSON use HouseSpec.from_json")
        if house_seed is not None and (not _is_int(house_seed) or house_seed < 0):
            raise ConfigError(f"option house_seed must be a whole number ≥ 0, got {house_seed!r}")
        if house is None:
            number = int(self.np_random.integers(10_000)) if house_seed is None else int(house_seed)
            house = self._house(number)
        world = self._world(house)
        self._skills = Skills(world, FaultDice(faults, self.np_random), _Eyes(self), self.config.feedback_style)
        self._steps = 0
        self._draw()
        return self._observation(), {"places": house.places, "house_seed": house.seed, "success": True, "feedback": ""}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """One command. ``info`` has ``success`` (the claimed flag) and ``feedback`` (the sentence); both may be wrong."""
        if self._skills is None:
            raise ConfigError("call reset before step")
        outcome = self._skills.act(str(action))
        self._steps += 1
        self._draw()
        info = {"success": outcome.success, "feedback": outcome.text}
        return self._observation(), 0.0, False, self._steps >= self.config.max_steps, info

    def render(self) -> Any:
        """The current colour frame."""
        return self._frame["rgb"].copy() if self._frame else None

    def close(self) -> None:
        """Free the GL context and all compiled houses."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None
        self._worlds.clear()
        self._skills = None

    # --- past the robot's senses, disclosed

    def visible_entities(self) -> Percept:
        """An ideal detector on the current frame: what has enough visible pixels, with its true parent and visible attributes."""
        skills = self._running()
        return detect(skills.world, self._pixels(), self._frame, skills.stance, self.config.pixels_needed)

    def privileged_state(self) -> PrivilegedState:
        """The truth, and the fault injected into the last action. Sealed: for the log writer, the privileged source and the scorer."""
        skills = self._running()
        world = skills.world
        novel = frozenset(t.id for t in world.house.things if t.novel)
        at = skills.stance.at
        return PrivilegedState(world.snapshot(), dict(world.house.entities), skills.fault, world.positions(), skills.moved, novel, at)

    # --- inside

    def _running(self) -> Skills:
        if self._skills is None:
            raise ConfigError("call reset first")
        return self._skills

    def _house(self, seed: int) -> HouseSpec:
        house = self._seeds.pop(seed, None) or generate_house(seed)
        while len(self._seeds) >= self.config.keep_houses:
            self._seeds.popitem(last=False)
        self._seeds[seed] = house
        return house

    def _world(self, house: HouseSpec) -> World:
        key = house.key
        world = self._worlds.pop(key, None)
        if world is None:
            world = World(build(house, self._skins))
            while len(self._worlds) >= self.config.keep_houses:
                self._worlds.popitem(last=False)
        else:
            world.reset()
        self._worlds[key] = world
        return world

    def _draw(self) -> None:
        skills = self._running()
        world, view = skills.world, skills.stance.view
        if self._camera is None:
            self._camera = Camera(self.config.image_size, self.config.keep_houses)
        world.show_held_in(skills.stance.room)
        world.scenery.draw_only(rooms_in_view(world.house, skills.stance.room, view))
        rgb, depth = self._camera.draw(world.model, world.data, view)
        self._frame = {"rgb": rgb, "depth": depth, "intrinsics": self._camera.intrinsics, "pose": pose_of(view)}
        self._geoms, self._ids = None, None

    def _pixels(self) -> np.ndarray:
        """(H, W) entity index under each pixel of the current frame, −1 for walls and floors."""
        if self._geoms is None:
            assert self._camera is not None
            lookup = np.append(self._running().world.built.geom_entity, -1)  # index −1 → −1
            self._geoms = lookup[self._camera.geoms()]
        return self._geoms

    def _seen(self) -> frozenset[str]:
        """Ids with enough pixels in the frame drawn last."""
        if self._ids is None:
            ids, pixels = self._running().world.built.ids, self._pixels()
            count = np.bincount(pixels[pixels >= 0], minlength=len(ids))
            self._ids = frozenset(ids[i] for i in np.flatnonzero(count >= self.config.pixels_needed))
        return self._ids

    def _observation(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in self._frame.items()}


class _Eyes:
    """The environment's camera as the skills see through it."""

    def __init__(self, env: HouseholdEnv) -> None:
        self._env = env

    def seen(self) -> frozenset[str]:
        return self._env._seen()

    def look(self) -> frozenset[str]:
        self._env._draw()
        return self._env._seen()
