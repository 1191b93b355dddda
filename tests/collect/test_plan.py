"""The plan of a log: every episode once, no house and no folder in two splits, nothing that depends on how it is run."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import jsonargparse
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.collect import CollectConfig, HouseCounts, PolicyConfig
from mimir_learn.collect.config import PRACTISED, STYLES
from mimir_learn.collect.plan import plan_shards
from mimir_learn.errors import ConfigError
from mimir_learn.logs import split_of

counts = st.builds(
    HouseCounts, train=st.integers(1, 40), validation=st.integers(0, 9), calibration=st.integers(0, 9), test=st.integers(0, 9)
)


@given(counts, st.integers(1, 3), st.integers(1, 9), st.integers(0, 2**31))
def test_every_episode_once_and_splits_apart(houses: HouseCounts, per_house: int, per_shard: int, seed: int) -> None:
    config = CollectConfig(houses=houses, episodes_per_house=per_house, episodes_per_shard=per_shard, seed=seed)
    shards = plan_shards(config)
    episodes = [e for s in shards for e in s.episodes]
    assert [e.index for e in episodes] == list(range((houses.train + houses.validation + houses.calibration + houses.test) * per_house))
    assert all(split_of(e.house_seed) == e.split for e in episodes)
    assert len({(e.seed, e.policy_seed) for e in episodes}) == len(episodes)
    assert len({(s.chunk, s.file) for s in shards}) == len(shards)
    assert all(len({e.split for s in shards if s.chunk == chunk for e in s.episodes}) == 1 for chunk in {s.chunk for s in shards})
    assert [(s.chunk, s.file) for s in shards] == sorted((s.chunk, s.file) for s in shards)  # file order is episode order


def test_large_splits_spill_into_further_chunks() -> None:
    shards = plan_shards(CollectConfig(houses=HouseCounts(2500, 1, 0, 1), episodes_per_house=1, episodes_per_shard=1))
    assert [s.chunk for s in shards if s.file == 0] == [0, 1, 2, 3, 4]
    assert [s.episodes[0].split for s in shards if s.file == 0] == ["train", "train", "train", "validation", "test"]


def test_how_it_runs_is_no_part_of_what_it_is() -> None:
    config = CollectConfig()
    assert config.sha256 == replace(config, out="elsewhere", n_jobs=7, max_tries=1).sha256
    assert config.sha256 != replace(config, faults=0.2).sha256 != replace(config, policy=PolicyConfig(look=0.0)).sha256
    assert len({replace(config, faults=f, feedback_style=s).sha256 for f in (0.25, "rough") for s in ("plain", "alfred")}) == 4


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"steps": 0}, "steps"),
        ({"faults": 1.5}, r"collect\.faults"),
        ({"faults": "gentle"}, r"collect\.faults is 'gentle'; .* none, mild, rough, silent, exogenous"),
        ({"feedback_style": "loud"}, r"collect\.feedback_style is 'loud'; known: plain, alfred, habitat"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"houses": HouseCounts(0, 0, 0, 0)}, "houses"),
        ({"episodes_per_shard": 0}, "episodes_per_shard"),
        ({"seed": -1}, r"collect\.seed is -1; give a whole number, at least 0"),
        ({"seed": 1.0}, r"collect\.seed"),
        ({"seed": "a"}, r"collect\.seed"),
        ({"steps": 2.5}, r"collect\.steps is 2\.5; give a whole number"),
        ({"steps": True}, r"collect\.steps"),
        ({"max_tries": None}, r"collect\.max_tries"),
        ({"n_jobs": 1.5}, r"collect\.n_jobs .* or -1"),
        ({"n_jobs": -2}, r"collect\.n_jobs .* or -1"),
        ({"faults": float("nan")}, r"collect\.faults"),
        ({"faults": "0.2"}, r"collect\.faults"),
        ({"out": ""}, r"collect\.out"),
        ({"out": "/dev/null/deep/log"}, r"collect\.out .* /dev/null is no directory; choose another"),
        ({"out": __file__}, r"collect\.out .* is no directory"),
    ],
)
def test_nonsense_is_refused(values: dict, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        CollectConfig(**values)


def test_nonsense_parts_are_refused() -> None:
    for look in (-0.1, 1.5, "0.1", float("nan")):
        with pytest.raises(ConfigError, match=r"policy\.look"):
            PolicyConfig(look=look)  # type: ignore[arg-type]
    for train in (-1, 2.5, 10_001, "3"):
        with pytest.raises(ConfigError, match=r"houses\.train"):
            HouseCounts(train=train)  # type: ignore[arg-type]


CONFIGS = sorted((Path(__file__).parents[2] / "configs/collect").glob("*.yaml"))


def parse(path: Path) -> CollectConfig:
    parser = jsonargparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--config", action="config")
    parser.add_class_arguments(CollectConfig)
    values = parser.instantiate(parser.parse_args([f"--config={path}"])).as_dict()
    values.pop("config")
    return CollectConfig(**values)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_recipes_parse(path: Path) -> None:
    config = parse(path)
    assert config.faults == "rough" and isinstance(config.houses, HouseCounts) and isinstance(config.policy, PolicyConfig)
    assert all(config.houses.of(s) > 0 for s in ("train", "validation", "calibration", "test"))


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), ("1", 1.0), ("mild", "mild")])
def test_faults_are_a_level_or_a_name(tmp_path: Path, text: str, value: float | str) -> None:
    (tmp_path / "recipe.yaml").write_text(f"faults: {text}\n")
    assert parse(tmp_path / "recipe.yaml").faults == value


def test_training_houses_practise_rare_faults_and_no_others() -> None:
    from mimir_learn.collect.shard import rates

    config = CollectConfig(faults=0.25, practice=3.0)
    plain, raised = rates(config, "test"), rates(config, "train")
    assert raised.breaks == pytest.approx(3 * plain.breaks) and raised.exogenous == pytest.approx(3 * plain.exogenous)
    assert rates(config, "validation") == rates(config, "calibration") == plain == rates(replace(config, practice=1.0), "train")
    assert {f.name for f in fields(plain) if getattr(plain, f.name) != getattr(raised, f.name)} == set(PRACTISED)
    assert rates(replace(config, faults=1.0, practice=9.0), "train").exogenous == 0.9  # as much as there is room for
    with pytest.raises(ConfigError, match=r"collect\.practice"):
        CollectConfig(practice=0.0)


def test_styles_are_those_of_the_household() -> None:
    from mimir_learn.envs.household.reports import STYLES as HOUSEHOLD_STYLES

    assert tuple(HOUSEHOLD_STYLES) == STYLES


def test_unknown_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("stepz: 3\n")
    with pytest.raises(jsonargparse.ArgumentError, match="stepz"):
        parse(tmp_path / "bad.yaml")
