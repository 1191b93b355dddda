"""Experiment grids: a YAML file says which settings are varied and how the results are laid out; here it becomes a list of cells."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.cells import SETTINGS, Cell, cell
from mimir_learn.evaluation.measures import KNOWN
from mimir_learn.feedback.gate import GateConfig

ARM = "arm"
PROPERTIES = ("subset", "kind", "goals", "rooms", "appearance")
"""What of a task a table's columns may be, beside the axes."""
METRICS = ("declared_sr", "sr", "gc")
_OWN = ("name", "about", "axes", "arms", "include", "exclude", "seeds", "tasks", "image_size", "gate_thresholds", "table", "attribute")


@dataclass(frozen=True)
class Layout:
    """How results become tables.

    Attributes:
        rows: ``arm`` or an axis.
        columns: an axis, or one of `PROPERTIES`; None = one column. Every further axis gives a table per value.
        reference: the row that all others are tested against; None = no tests.
        metrics: one table each.
    """

    rows: str
    columns: str | None
    reference: str | None
    metrics: tuple[str, ...] = METRICS


@dataclass(frozen=True)
class Point:
    """One cell and where it lies: axis (or ``arm``) → label."""

    at: Mapping[str, str]
    cell: Cell

    @property
    def label(self) -> str:
        return ", ".join(self.at.values())


@dataclass(frozen=True)
class Grid:
    """An experiment.

    Attributes:
        tasks: tasks of each cell, spread as in `Suite.select`; None = all.
        seeds: every task is run once per seed.
        gate: thresholds where the gate is on.
        attribute: find the first wrong link of every failed episode.
    """

    name: str
    about: str
    points: tuple[Point, ...]
    seeds: tuple[int, ...]
    tasks: int | None
    image_size: int
    gate: GateConfig
    layout: Layout
    attribute: bool

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(self.points[0].at)

    def labels(self, axis: str) -> tuple[str, ...]:
        """Values of an axis in the order of the file."""
        return tuple(dict.fromkeys(p.at[axis] for p in self.points))


def load_grid(path: Path, **instead: Any) -> Grid:
    """Read a grid file; ``instead`` replaces top-level keys (``checkpoint``, ``tasks``, …). Raises ConfigError naming file and key."""
    try:
        body = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        near = ", ".join(sorted(p.stem for p in path.parent.glob("*.yaml"))) if path.parent.is_dir() else ""
        raise ConfigError(f"there is no grid at {path}" + (f"; grids there: {near}" if near else "")) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as e:
        raise ConfigError(f"{path} cannot be read as a grid: {e}") from e
    if not isinstance(body, dict):
        raise ConfigError(f"{path} is no grid: it must be a mapping with axes or arms")
    try:
        return make_grid({"name": path.stem, **body, **{k: v for k, v in instead.items() if v is not None}})
    except ConfigError as e:
        raise ConfigError(f"{path}: {e}") from e


def make_grid(body: Mapping[str, Any]) -> Grid:
    """A grid from a file's content. Raises ConfigError naming the key."""
    for key in body:
        if key not in (*_OWN, *SETTINGS):
            raise ConfigError(f"unknown key {key!r}{_meant(str(key), (*_OWN, *SETTINGS))}")
    name = str(body.get("name", ""))
    if not re.fullmatch(r"[\w.-]+", name):
        raise ConfigError(f"name is {name!r}; it becomes a folder: give letters, digits, - and _")
    base = cell({k: v for k, v in body.items() if k in SETTINGS})
    points = _points(body, base)
    layout = _layout(body.get("table") or {}, points)
    seeds = body.get("seeds", [0])
    if not isinstance(seeds, list) or not seeds or len(set(seeds)) < len(seeds):
        raise ConfigError(f"seeds is {seeds!r}; give a list of whole numbers, each once")
    for seed in seeds:
        whole("seeds", seed, 0)
    if body.get("tasks") is not None:
        whole("tasks", body["tasks"], 1)
    size = body.get("image_size", 128)
    whole("image_size", size, 16)
    return Grid(
        name, str(body.get("about", "")), points, tuple(seeds), body.get("tasks"), size, _gate(body.get("gate_thresholds") or {}), layout,
        bool(body.get("attribute", False)),
    )  # fmt: skip


def _gate(given: Mapping[str, Any]) -> GateConfig:
    known = [f.name for f in fields(GateConfig)]
    if unknown := [k for k in given if k not in known]:
        raise ConfigError(f"gate_thresholds has {unknown[0]!r}{_meant(unknown[0], known)}")
    return GateConfig(**given)


# ---- cells ---------------------------------------------------------------------------------------------------------


def _points(body: Mapping[str, Any], base: Cell) -> tuple[Point, ...]:
    axes, arms = _axes(body.get("axes") or {}), _arms(body.get("arms") or {})
    if not axes and not arms:
        raise ConfigError("there are neither axes nor arms: nothing is varied")
    for name, settings in arms.items():
        if both := sorted(set(settings) & set(axes)):
            raise ConfigError(f"arm {name!r} sets {both[0]}, which is an axis too; leave one of them out")
    points = list(_product(base, axes, arms))
    for rule in _rules(body, "exclude", arms):
        left = [p for p in points if not _matches(p, rule)]
        if len(left) == len(points):
            raise ConfigError(f"exclude {dict(rule)} leaves nothing out; is it spelt as in axes and arms?")
        points = left
    for rule in _rules(body, "include", arms):
        arm = rule.get(ARM)
        if arms and arm not in arms:
            raise ConfigError(f"include {dict(rule)} names no arm; known: {', '.join(arms)}")
        settings = {**arms.get(str(arm), {}), **{k: v for k, v in rule.items() if k != ARM}}
        made = cell(settings, base)
        points.append(Point({**({ARM: str(arm)} if arms else {}), **{a: _label(getattr(made, a)) for a in axes}}, made))
    where = [tuple(p.at.items()) for p in points]
    if twice := [w for i, w in enumerate(where) if w in where[:i]]:
        raise ConfigError(f"a cell is there twice: {', '.join(v for _, v in twice[0])}")
    if not points:
        raise ConfigError("exclude leaves no cell")
    return tuple(points)


def _product(base: Cell, axes: Mapping[str, Sequence[Any]], arms: Mapping[str, Mapping[str, Any]]) -> Iterator[Point]:
    for arm, settings in arms.items() if arms else [("", {})]:
        for values in product(*axes.values()):
            made = cell({**settings, **dict(zip(axes, values, strict=True))}, base)
            yield Point({**({ARM: arm} if arms else {}), **{a: _label(getattr(made, a)) for a in axes}}, made)


def _axes(given: Any) -> dict[str, list[Any]]:
    if not isinstance(given, dict):
        raise ConfigError(f"axes is {given!r}; give a mapping of settings to lists of values")
    for name, values in given.items():
        if name not in SETTINGS:
            raise ConfigError(f"axis {name!r} is no setting{_meant(str(name), SETTINGS)}")
        if not isinstance(values, list) or not values:
            raise ConfigError(f"axis {name} is {values!r}; give a list of values")
    return dict(given)


def _arms(given: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(given, dict):
        raise ConfigError(f"arms is {given!r}; give a mapping of names to settings")
    out = {}
    for name, settings in given.items():
        settings = settings or {}
        if not isinstance(settings, dict):
            raise ConfigError(f"arm {name!r} is {settings!r}; give its settings, as in {{variant: no_world_memory}}")
        for key in settings:
            if key not in SETTINGS:
                raise ConfigError(f"arm {name!r} has an unknown setting {key!r}{_meant(str(key), SETTINGS)}")
        out[str(name)] = settings
    return out


def _rules(body: Mapping[str, Any], key: str, arms: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rules = body.get(key) or []
    if not isinstance(rules, list) or not all(isinstance(r, dict) and r for r in rules):
        raise ConfigError(f"{key} is {rules!r}; give a list of mappings of settings")
    for rule in rules:
        for name in rule:
            if name not in (ARM, *SETTINGS):
                raise ConfigError(f"{key} has an unknown setting {name!r}{_meant(str(name), (ARM, *SETTINGS))}")
    return rules


def _matches(point: Point, rule: Mapping[str, Any]) -> bool:
    """Whether every setting of ``rule`` is as given; a list stands for any of its values."""
    for name, wanted in rule.items():
        values = wanted if isinstance(wanted, list) else [wanted]
        if name == ARM:
            hit = point.at.get(ARM) in [str(v) for v in values]
        else:
            hit = any(getattr(cell({name: v}), name) == getattr(point.cell, name) for v in values)
        if not hit:
            return False
    return True


def _label(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# ---- layout --------------------------------------------------------------------------------------------------------


def _layout(given: Any, points: Sequence[Point]) -> Layout:
    if not isinstance(given, dict):
        raise ConfigError(f"table is {given!r}; give rows, columns, reference or metrics")
    known = [f.name for f in fields(Layout)]
    if unknown := [k for k in given if k not in known]:
        raise ConfigError(f"table has {unknown[0]!r}{_meant(str(unknown[0]), known)}")
    axes = list(points[0].at)
    rows = given.get("rows", axes[0])
    if rows not in axes:
        raise ConfigError(f"table.rows is {rows!r}; choose one of {', '.join(axes)}")
    others = [a for a in axes if a != rows]
    columns = given.get("columns", others[0] if others else None)
    if columns is not None and columns not in (*others, *PROPERTIES):
        raise ConfigError(f"table.columns is {columns!r}; choose one of {', '.join(dict.fromkeys([*others, *PROPERTIES]))}")
    reference = given.get("reference")
    reference = None if reference is None else _label(reference)
    names = list(dict.fromkeys(p.at[rows] for p in points))
    if reference is not None and reference not in names:
        raise ConfigError(f"table.reference is {reference!r}, which is no row; rows: {', '.join(names)}")
    metrics = given.get("metrics", list(METRICS))
    if not isinstance(metrics, list) or not metrics:
        raise ConfigError(f"table.metrics is {metrics!r}; give a list such as [declared_sr, sr]")
    if wrong := [m for m in metrics if m not in KNOWN]:
        raise ConfigError(f"table.metrics has {wrong[0]!r}; known: {', '.join(KNOWN)}")
    return Layout(rows, columns, reference, tuple(metrics))


def _meant(wrong: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(wrong, known, 1)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
