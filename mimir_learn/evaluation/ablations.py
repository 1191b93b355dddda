"""Ablations as data: a YAML file names training runs that differ in a few settings, untrained sources beside them, and seeds."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from mimir_learn.checks import whole
from mimir_learn.errors import CheckpointError, ConfigError, MimirError
from mimir_learn.feedback.base import SOURCES
from mimir_learn.logs.splits import SPLITS

if TYPE_CHECKING:
    from mimir_learn.estimator import TrainConfig

_KEYS = ("about", "log", "base", "arms", "sources", "seeds", "reference", "split")
SCORED = tuple(s for s in SPLITS if s != "train")
_OWN = (
    "seed",
    "out_dir",
    "log_dir",
    "cache_dir",
    "resume",
    "progress",
    "threads",
    "workers",
    "max_minutes",
)  # settings that the run decides


@dataclass(frozen=True)
class AblateConfig:
    """Train and score an ablation grid.

    Attributes:
        grid: the file, see docs/ablations.md.
        out: folder that gets the runs, the tables and the plot; runs of several grids can share it.
        log: instead of the file's transition log.
        cache_dir: where training samples are cached; null = hidden folder inside the log.
        arms, sources, seeds: only these, instead of all of the file's.
        n_jobs: worker processes, one thread each; -1 = one per core.
        plan: only say what would be run.
    """

    grid: str = "configs/ablations.yaml"
    out: str = "runs/ablations"
    log: str | None = None
    cache_dir: str | None = None
    arms: list[str] | None = None
    sources: list[str] | None = None
    seeds: list[int] | None = None
    n_jobs: int = -1
    plan: bool = False

    def __post_init__(self) -> None:
        if self.n_jobs == 0 or self.n_jobs < -1:
            raise ConfigError(f"n_jobs is {self.n_jobs}; give a number of processes, or -1 for one per core")
        if not self.out:
            raise ConfigError("out is empty; give the name of a folder")


@dataclass(frozen=True)
class Arm:
    """One way to train: a recipe (its seed and folders are set per run), and why it cannot be run here ("" = it can)."""

    name: str
    recipe: TrainConfig
    missing: str = ""


@dataclass(frozen=True)
class Ablation:
    """A grid: every arm under every seed, every source once, all scored on the same transitions.

    Attributes:
        log: transition log; arms train on its training houses, all are scored on ``split``.
        reference: the arm that the others are compared to; None = no comparisons.
    """

    about: str
    log: str
    arms: tuple[Arm, ...]
    sources: tuple[str, ...]
    seeds: tuple[int, ...]
    reference: str | None
    split: str = "test"


def load_ablation(config: AblateConfig) -> Ablation:
    """Read a grid file, with what the command line says instead. Raises ConfigError naming file and key."""
    path = Path(config.grid)
    try:
        body = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as e:
        raise ConfigError(f"{path} cannot be read as an ablation grid: {e}") from e
    if not isinstance(body, dict):
        raise ConfigError(f"{path} is no ablation grid: it must be a mapping with arms")
    try:
        return _only(make_ablation(body), config)
    except ConfigError as e:
        raise ConfigError(f"{path}: {e}") from e


def _only(ablation: Ablation, config: AblateConfig) -> Ablation:
    arms, sources = ablation.arms, ablation.sources
    if config.arms is not None:
        if odd := sorted(set(config.arms) - {a.name for a in arms}):
            raise ConfigError(f"there is no arm {odd[0]!r}; arms: {', '.join(a.name for a in arms)}")
        arms = tuple(a for a in arms if a.name in config.arms)
    if config.sources is not None:
        sources = tuple(_source(s) for s in config.sources)
    reference = ablation.reference if ablation.reference in {a.name for a in arms} else None
    seeds = ablation.seeds if config.seeds is None else _seeds(config.seeds)
    return replace(ablation, arms=arms, sources=sources, seeds=seeds, reference=reference, log=config.log or ablation.log)


def make_ablation(body: Mapping[str, Any]) -> Ablation:
    """A grid from a file's content. Raises ConfigError naming the key."""
    if unknown := [k for k in body if k not in _KEYS]:
        raise ConfigError(f"unknown key {unknown[0]!r}; known: {', '.join(_KEYS)}")
    base = _mapping(body, "base")
    given = _mapping(body, "arms")
    if not given:
        raise ConfigError("arms is empty: nothing is trained; give at least one, `full: {}`")
    arms = tuple(_arm(str(name), base, overrides) for name, overrides in given.items())
    reference = body.get("reference", arms[0].name)
    if reference is not None and reference not in {a.name for a in arms}:
        raise ConfigError(f"reference is {reference!r}, which is no arm; arms: {', '.join(a.name for a in arms)}")
    sources = tuple(_source(s) for s in body.get("sources", []))
    if twice := sorted({s for s in sources if sources.count(s) > 1} | ({a.name for a in arms} & set(sources))):
        raise ConfigError(f"{twice[0]!r} is there twice, among arms and sources")
    split = str(body.get("split", "test"))
    if split not in SCORED:
        raise ConfigError(f"split is {split!r}; arms are scored on houses they were not trained on: {', '.join(SCORED)}")
    about, log = (str(body.get(k, default)) for k, default in (("about", ""), ("log", "data/logs/demo")))
    return Ablation(about.strip(), log, arms, sources, _seeds(body.get("seeds", [0, 1, 2])), reference, split)


def _mapping(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = body.get(key) or {}
    if not isinstance(value, dict):
        raise ConfigError(f"{key} is {value!r}; give a mapping")
    return value


def _seeds(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value or len(set(value)) < len(value):
        raise ConfigError(f"seeds is {value!r}; give a list of whole numbers, each once")
    for seed in value:
        whole("seeds", seed, 0)
    return tuple(value)


def _source(spec: Any) -> str:
    known = [s.partition("(")[0] for s in SOURCES if s.partition("(")[0] not in ("privileged", "learned", "noisy")]
    if not isinstance(spec, str) or spec.partition("(")[0] not in known:
        raise ConfigError(f"sources has {spec!r}; those that answer a logged transition without training: {', '.join(known)}")
    return spec


def _arm(name: str, base: Mapping[str, Any], overrides: Any) -> Arm:
    if not isinstance(overrides or {}, dict):
        raise ConfigError(f"arm {name!r} is {overrides!r}; give a mapping of settings that differ from base")
    body = _merged(base, overrides or {})
    if own := [k for k in _OWN if k in body]:
        raise ConfigError(f"arm {name!r} (or base) sets {own[0]}, which is decided for each run; leave it out")
    recipe = train_config(body, f"arm {name!r}")
    return Arm(name, recipe, missing_package(recipe))


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    out = copy.deepcopy(dict(base))
    for key, value in over.items():
        nested = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = _merged(out[key], value) if nested else copy.deepcopy(value)
    return out


def train_config(body: Mapping[str, Any], where: str) -> TrainConfig:
    """Settings of a training run from plain data, keys and kinds checked. Raises ConfigError naming ``where`` and the key."""
    from jsonargparse import ArgumentError, ArgumentParser

    from mimir_learn.estimator import TrainConfig

    parser = ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(TrainConfig, sub_configs=True)
    try:
        values = vars(parser.instantiate(parser.parse_object(dict(body))))
    except (ArgumentError, TypeError, ValueError, KeyError) as e:
        raise ConfigError(f"{where}: {' '.join(str(e).split())}") from e
    return TrainConfig(**values)


def missing_package(recipe: TrainConfig) -> str:
    """Why an arm cannot be run here: a package that carries its weights is not installed; "" where nothing is missing."""
    from mimir_learn.estimator.backbones.sources import package_file, package_of

    for spec in (recipe.estimator.names, recipe.estimator.backbone_weights):
        if package_of(spec) is not None:
            try:
                package_file(spec)
            except CheckpointError as e:
                return str(e)
    return ""


def settings_of(recipe: TrainConfig) -> dict[str, Any]:
    """What of a recipe decides the weights, its seed included, as plain data; where files lie and how fast it runs is left out."""
    body = {k: v for k, v in asdict(recipe).items() if k == "seed" or k not in _OWN}
    plain: dict[str, Any] = json.loads(json.dumps(body, default=list))
    return plain


def completed_settings(body: Mapping[str, Any]) -> dict[str, Any]:
    """Recorded settings as of today: a field that did not exist then stands for its default; of the estimator's fields, for what
    `EstimatorConfig.from_dict` says they were before they were written down, which is not always today's default."""
    from mimir_learn.estimator import EstimatorConfig, TrainConfig

    with contextlib.suppress(MimirError, TypeError, ValueError):  # of no version that is known here: equal to nothing of today
        then = json.loads(json.dumps(EstimatorConfig.from_dict(dict(body["estimator"])).to_dict()))
        body = {**body, "estimator": then}
    return _merged(settings_of(TrainConfig()), body)
