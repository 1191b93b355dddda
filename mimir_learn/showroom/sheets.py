"""``mimir show``: contact sheets of everything in the household, so that a person can see whether it can be recognised."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mimir_learn.checks import whole
from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv, HouseSpec
from mimir_learn.envs.household.furniture import Design, design
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import Kind

from .grid import Cell, grid, save
from .houses import house_of
from .stage import Look, Stage, above, as_fixtures, extent, say, states, wares

SHEETS = ("things", "fixtures", "house", "faults")


@dataclass(frozen=True)
class ShowConfig:
    """Draw contact sheets: ``mimir show things | fixtures | house | faults``.

    Attributes:
        what: the sheet; normally given as the word after ``show``.
        out: folder the PNG files are written into.
        house: seed of the house, for ``house`` and ``faults``.
        rooms: of that house, 1–12; null: as its seed says. For ``house``.
        spec: JSON file of a house to show instead, for ``house``.
        json: also write the house as JSON, to be edited and shown or played again.
        size: width and height of each picture, pixels.
        only: categories to draw, for ``things`` and ``fixtures``; empty for all.
        columns: pictures in a row.
        colours: colours of the PNG's palette (2–256); 0 for full colour, three times as big.
        per_page: categories on one sheet of things or fixtures; 0 for all on one.
    """

    what: str = "things"
    out: str = "runs/show"
    house: int = 3
    rooms: int | None = None
    spec: str | None = None
    json: bool = False
    size: int = 128
    only: tuple[str, ...] = ()
    columns: int = 8
    colours: int = 0
    per_page: int = 0

    def __post_init__(self) -> None:
        if self.what not in SHEETS:
            raise ConfigError(f"show.what is {self.what!r}; choose one of {', '.join(SHEETS)}")
        whole("show.house", self.house, 0)
        if self.rooms is not None:
            whole("show.rooms", self.rooms, 1)
        whole("show.size", self.size, 32)
        whole("show.columns", self.columns, 1)
        whole("show.colours", self.colours, 0)
        whole("show.per_page", self.per_page, 0)
        if self.colours == 1 or self.colours > 256:
            raise ConfigError(f"show.colours is {self.colours}; a palette has 2 to 256, 0 means full colour")
        if self.size > 512:
            raise ConfigError(f"show.size is {self.size}; the household draws at most 512 pixels")
        if unknown := sorted(set(self.only) - set(categories(self.what))):
            raise ConfigError(f"show.only names {', '.join(unknown)}; {self.what} are {', '.join(categories(self.what))}")


def show(config: ShowConfig) -> list[Path]:
    """Draw the sheets asked for. Returns the files written."""
    folder = Path(config.out)
    if config.what in ("things", "fixtures"):
        names = [c for c in categories(config.what) if not config.only or c in config.only]
        per = config.per_page or len(names)
        pages = [names[i : i + per] for i in range(0, len(names), per)]
        out = []
        with Stage(config.size) as stage:
            draw = things if config.what == "things" else fixtures
            for number, page in enumerate(pages, 1):
                cells = list(draw(stage, page))
                suffix = f"-{number}" if len(pages) > 1 else ""
                out.append(_write(cells, config, folder / f"{config.what}{suffix}.png", f"{config.what} of {VOCABULARY.name}{suffix}"))
        return out
    if config.what == "house":
        house = house_of(config.house, config.spec, config.rooms)
        size = "" if config.rooms is None else f"-{config.rooms}-rooms"
        name = f"house-{config.house}{size}" if config.spec is None else Path(config.spec).stem
        out = [_write(list(rooms(house, config.size)), config, folder / f"{name}.png", name.replace("-", " "))]
        if config.json:
            path = folder / f"{name}.json"
            path.write_text(json.dumps(json.loads(house.to_json()), indent=1, sort_keys=True) + "\n", encoding="utf-8")
            out.append(path)
        return out
    from .mishaps import mishaps

    cells = list(mishaps(config.house, config.size))
    return [_write(cells, config, folder / "faults.png", "faults, before and after")]


def _write(cells: list[Cell], config: ShowConfig, path: Path, title: str) -> Path:
    return save(grid(cells, config.columns, title), path, config.colours or None)


def categories(what: str) -> tuple[str, ...]:
    """Categories that a sheet of this name shows, in the vocabulary's order."""
    kinds = {"things": (Kind.OBJECT,), "fixtures": (Kind.RECEPTACLE, Kind.FIXTURE)}.get(what, ())
    return tuple(c.name for c in VOCABULARY.categories.values() if c.kind in kinds)


def things(stage: Stage, names: list[str]) -> Iterator[Cell]:
    """Every variant of every category, the first of them in every visible state; held-out variants are marked."""
    for name in names:
        for number, ware in enumerate(wares(name)):
            for state in states(name) if number == 0 else [{}]:
                size = " × ".join(f"{100 * v:.0f}" for v in _extent(ware.solid.shape, ware.solid.size))
                words = (name, say(name, state) or f"{ware.colour} {ware.variant}".strip(), f"{size} cm")
                yield Cell((stage.thing(name, ware, state),), (*words, *(("held out",) if ware.novel else ())), accent=ware.novel)


def _extent(shape: str, size: tuple[float, ...]) -> tuple[float, ...]:
    """Full (width, depth, height) of a collision solid, metres."""
    if shape == "box":
        return tuple(2 * v for v in size)
    return (2 * size[0], 2 * size[0], 2 * size[-1])


def fixtures(stage: Stage, names: list[str]) -> Iterator[Cell]:
    """Every category of place and device in every visible state; what is mounted on another is shown there."""
    for name in names:
        carrier, plan = _carrier(name)
        for state in states(name):
            look = Look(30.0, 22.0) if state.get("open") else Look()
            low, high = extent(as_fixtures(name, design(name, np.random.default_rng(1)), name, {})[0])
            size = " × ".join(f"{100 * v:.0f}" for v in high - low)
            words = (name, say(name, state), f"{size} cm", *((f"on a {carrier}",) if carrier != name else ()))
            yield Cell((stage.fixture(carrier, plan, state, look, focus=name),), words)


def _carrier(name: str) -> tuple[str, Design]:
    """What a fixture is mounted on, with a design that has it; itself where it stands alone."""
    for category in categories("fixtures"):
        for seed in range(1, 13):
            plan = design(category, np.random.default_rng(seed))
            if any(device == name for device, _ in plan.mounted):
                return category, plan
    return name, design(name, np.random.default_rng(1))


def rooms(house: HouseSpec, size: int) -> Iterator[Cell]:
    """A house from above, then what a robot sees that goes round: every room's viewpoints, then every place's first one."""
    yield Cell(
        (above(house, size),), ("from above", f"{len(house.rooms)} rooms, {len(house.fixtures)} fixtures, {len(house.things)} things")
    )
    env = HouseholdEnv(HouseholdConfig(image_size=size, max_steps=10_000))
    try:
        env.reset(seed=0, options={"house": house})
        for room in house.rooms:
            for number in range(len(room.viewpoints)):
                raw, *_ = env.step(f"go to {room.id}" if number == 0 else "look")
                yield Cell((raw["rgb"],), (room.id, f"view {number + 1}"))
            for fixture in (f for f in house.fixtures if f.room == room.id):
                raw, *_ = env.step(f"go to {fixture.id}")
                yield Cell((raw["rgb"],), (fixture.id, say(fixture.category, fixture.attributes) or fixture.room))
    finally:
        env.close()
