"""From a real (tiny) household log to an export: cache, noise, order, resume, scoring."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import shutil
from pathlib import Path

import jsonargparse
import numpy as np
import pytest
import torch

from mimir_learn.errors import CheckpointError, ConfigError, LogError
from mimir_learn.estimator import EstimatorConfig, TrainConfig, fit, score_log
from mimir_learn.estimator.augment import AugmentConfig, augment
from mimir_learn.estimator.cache import SampleCache, build_cache
from mimir_learn.estimator.criterion import LossWeights
from mimir_learn.estimator.data import EpochBatches
from mimir_learn.estimator.samples import arrays, replay
from mimir_learn.estimator.scoring import answer
from mimir_learn.feedback.learned import LearnedSource
from mimir_learn.feedback.schema import SchemaSource
from mimir_learn.logs import read_episodes
from mimir_learn.logs.fingerprint import content_files
from mimir_learn.logs.locks import only_one

RECIPES = Path(__file__).parents[2] / "configs" / "train"
SMALL = EstimatorConfig(image_px=32, crop_px=8, dim=32, heads=2, layers=1, ffn=64, crop_width=8, image_width=8)


@pytest.fixture(scope="module")
def cache(log_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> SampleCache:
    return build_cache(log_dir, "train", SMALL, tmp_path_factory.mktemp("cache"), second_looks=True)


def config(log_dir: Path, out: Path, **changes: object) -> TrainConfig:
    base = TrainConfig(
        log_dir=str(log_dir), out_dir=str(out), epochs=2, batch_size=8, threads=1, progress=False, estimator=SMALL,
        cache_dir=str(out.parent / "cache"),
    )  # fmt: skip
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def losses(out: Path) -> list[float]:
    """Training losses by step over all CSV logs of a run (a resumed run starts a new file)."""
    found: dict[int, float] = {}
    for path in sorted(out.glob("logs/csv/version_*/metrics.csv")):
        for row in csv.DictReader(path.open()):
            if row.get("val/loss"):
                found[int(row["step"])] = float(row["val/loss"])
    return [found[k] for k in sorted(found)]


def test_cache_holds_what_build_input_gives(log_dir: Path, cache: SampleCache) -> None:
    samples = [s for e in read_episodes(log_dir, "train") for s in replay(e, True)]
    assert len(cache) == len(samples) >= 24
    for i in (0, len(samples) // 2, len(samples) - 1):
        fresh, kept = arrays(samples[i], SMALL), cache[i]
        assert fresh.keys() == kept.keys()
        for key in fresh:
            assert np.array_equal(fresh[key], kept[key]), key


def test_cache_is_reused_and_damage_is_named(log_dir: Path, tmp_path: Path) -> None:
    first = build_cache(log_dir, "test", SMALL, tmp_path)
    stamp = (first.directory / "meta.json").stat().st_mtime_ns
    assert (build_cache(log_dir, "test", SMALL, tmp_path).directory / "meta.json").stat().st_mtime_ns == stamp
    other = build_cache(log_dir, "test", dataclasses.replace(SMALL, thing_window_m=0.3), tmp_path)
    assert other.directory != first.directory
    assert build_cache(log_dir, "test", dataclasses.replace(SMALL, layers=2), tmp_path).directory == first.directory
    (first.directory / "name.bin").write_bytes(b"")
    with pytest.raises(LogError, match=r"name\.bin"):
        build_cache(log_dir, "test", SMALL, tmp_path)


def test_true_delta_enters_memory_only_after_its_own_transition(log_dir: Path) -> None:
    for episode in read_episodes(log_dir, "train"):
        for sample in replay(episode):
            snapshot = sample.transition.belief.snapshot()
            for entity, change in sample.delta.parents.items():
                assert snapshot.parents.get(entity) != change.new


def test_order_is_a_function_of_seed_and_epoch() -> None:
    def rows(seed: int, epoch: int) -> list[list[int]]:
        order = EpochBatches(20, 6, seed)
        order.set_epoch(epoch)
        return [list(k.rows) for k in order]

    assert rows(1, 3) == rows(1, 3) and sorted(itertools.chain(*rows(1, 3))) == list(range(20))
    assert len({str(rows(s, e)) for s in (1, 2) for e in (0, 1)}) == 4


def test_noise_is_the_same_before_and_after(cache: SampleCache) -> None:
    """Where the two frames agree, they still agree after augmentation, hole and pixel noise apart."""
    batch = cache.take(np.arange(12))
    batch["image_rgb"][:, 1], batch["crop_rgb"][:, 1] = batch["image_rgb"][:, 0], batch["crop_rgb"][:, 0]
    noise = AugmentConfig(colour=0.3, depth_noise=0.0, depth_holes=0.0, crop_shift=2)
    batch["crop_depth"][:, 1] = batch["crop_depth"][:, 0]
    out = augment(batch, noise, np.random.default_rng(0))
    assert np.array_equal(out["image_rgb"][:, 0], out["image_rgb"][:, 1]) and not np.array_equal(out["image_rgb"], batch["image_rgb"])
    assert np.array_equal(out["crop_rgb"][:, 0], out["crop_rgb"][:, 1]) and np.array_equal(out["crop_depth"][:, 0], out["crop_depth"][:, 1])
    same = augment(batch, noise, np.random.default_rng(0))
    assert all(np.array_equal(out[k], same[k]) for k in out)
    for key in ("y_parent", "y_attr", "y_outcome"):
        assert np.array_equal(out[key], batch[key])
    off = AugmentConfig(*[0 for _ in dataclasses.fields(AugmentConfig)])  # type: ignore[arg-type]
    assert all(np.array_equal(augment(batch, off, np.random.default_rng(0))[k], batch[k]) for k in batch)


def test_dropped_points_take_their_crops_along(cache: SampleCache) -> None:
    out = augment(cache.take(np.arange(12)), AugmentConfig(drop_point=1.0), np.random.default_rng(0))
    assert not out["point_ok"][:, : SMALL.candidates].any() and (out["crop_slot"] >= SMALL.candidates).all()


def test_fit_exports_and_both_sources_are_scored_alike(log_dir: Path, tmp_path: Path) -> None:
    summary = fit(config(log_dir, tmp_path / "run"))
    assert summary.transitions >= 24 and summary.epochs == 2 and set(summary.temperature) == {"parent", "attr", "outcome"}
    names = {p.name for p in Path(summary.checkpoint).iterdir()}
    assert names == {"model.safetensors", "config.json", "calibration.json"}
    assert {p.name for p in (tmp_path / "run" / "checkpoints").iterdir()} == {"best.ckpt", "last.ckpt"}
    results = score_log(summary.checkpoint, log_dir, "test", {"schema": SchemaSource()})
    assert results["learned"]["n"] == results["schema"]["n"] == 12
    assert results["learned"]["no_ops"] == results["schema"]["no_ops"]
    vocabulary = next(iter(read_episodes(log_dir))).vocabulary
    source = LearnedSource(summary.checkpoint, vocabulary)
    assert source.calibrated
    again = answer({"a": source, "b": LearnedSource(summary.checkpoint)}, log_dir, "test")
    assert again["a"] == again["b"]
    with pytest.raises(ConfigError, match="already holds a run"):
        fit(config(log_dir, tmp_path / "run"))


def test_a_resumed_run_continues_the_same_loss_curve(log_dir: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    torch.use_deterministic_algorithms(True)
    try:
        a = fit(config(log_dir, whole, epochs=4))
        fit(config(log_dir, broken, epochs=4, max_minutes=1e-9))  # stops after its first epoch
        assert len(losses(broken)) == 1
        b = fit(config(log_dir, broken, epochs=4, resume=True))
    finally:
        torch.use_deterministic_algorithms(False)
    assert losses(whole) == losses(broken) and len(losses(whole)) == 4
    assert a.weights_sha256 == b.weights_sha256
    assert fit(config(log_dir, broken, epochs=4, resume=True)).weights_sha256 == b.weights_sha256  # nothing left to do


def test_bad_runs_say_what_is_wrong(log_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(LogError):
        fit(config(tmp_path / "nothing", tmp_path / "run"))
    with pytest.raises(ConfigError, match="resume"):
        fit(config(log_dir, tmp_path / "run", resume=True))
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(ConfigError, match=r"out_dir=.*cannot be made"):
            fit(config(log_dir, out, cache_dir=str(tmp_path / "cache")))


@pytest.mark.parametrize(
    "bad",
    [{"epochs": 0}, {"batch_size": 0}, {"workers": 0}, {"threads": -1}, {"seed": -1}, {"lr": 0.0}, {"lr": float("nan")},
     {"max_minutes": -1.0}, {"clip": -1.0}, {"warmup": 1.0}, {"weight_decay": -0.1}, {"out_dir": ""}],
)  # fmt: skip
def test_settings_out_of_range_are_refused_by_name(bad: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(bad))):
        TrainConfig(**bad)  # type: ignore[arg-type]
    for part, name in ((LossWeights, "parent"), (AugmentConfig, "drop_point")):
        with pytest.raises(ConfigError, match=name):
            part(**{name: -0.5})  # type: ignore[arg-type]


def test_a_resumed_run_keeps_its_settings(log_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = fit(config(log_dir, out))
    changed = config(log_dir, out, resume=True, lr=0.5, seed=7, epochs=3, estimator=dataclasses.replace(SMALL, dim=64))
    with pytest.raises(ConfigError) as info:
        fit(changed)
    for said in ("lr was 0.002, now 0.5", "seed was 0, now 7", "epochs was 2, now 3", "estimator.dim was 32, now 64", "another out_dir"):
        assert said in str(info.value)
    log, moved = tmp_path / "log", tmp_path / "moved"
    shutil.copytree(log_dir, log)
    out.rename(moved)
    best = (moved / "checkpoints" / "best.ckpt").read_bytes()
    free = config(log, moved, resume=True, max_minutes=9.0, threads=2, workers=2, cache_dir=None)
    assert fit(free).weights_sha256 == first.weights_sha256 and (moved / "checkpoints" / "best.ckpt").read_bytes() == best
    table = next(p for p in content_files(log) if p.suffix == ".json")
    table.write_text(table.read_text() + "\n")
    with pytest.raises(ConfigError, match="log"):
        fit(free)
    (moved / "recipe.json").unlink()
    with pytest.raises(ConfigError, match=r"recipe\.json is missing"):
        fit(config(log_dir, moved, resume=True))


def test_a_truncated_checkpoint_is_named_and_the_best_one_takes_over(log_dir: Path, tmp_path: Path) -> None:
    fit(config(log_dir, tmp_path / "run"))
    last, best = (tmp_path / "run" / "checkpoints" / n for n in ("last.ckpt", "best.ckpt"))
    last.write_bytes(last.read_bytes()[:5000])
    again = config(log_dir, tmp_path / "run", resume=True)
    with pytest.raises(CheckpointError, match=r"last\.ckpt: damaged.*best\.ckpt beside it with `mimir train --resume true`"):
        fit(again)
    last.unlink()
    assert fit(again).epochs == 2
    last.unlink(missing_ok=True)
    best.write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"best\.ckpt: damaged.*remove the folder"):
        fit(again)


@pytest.mark.parametrize("clip", [0.0, 1.0])
def test_a_training_that_diverges_stops_there_and_exports_nothing(log_dir: Path, tmp_path: Path, clip: float) -> None:
    """Clipping does not help where the rate itself is absurd: the weights overflow after the first steps."""
    with pytest.raises(ConfigError, match=r"diverged at step \d+: its loss is \S+, its gradient norm \S+, .*smaller lr.*clip was") as info:
        fit(config(log_dir, tmp_path / "run", lr=1e20, clip=clip))
    assert int(str(info.value).split("step ")[1].split(":")[0]) < 6
    assert not (tmp_path / "run" / "model").exists() and not (tmp_path / "run" / "train.json").exists()


def test_one_folder_is_trained_into_by_one_process_at_a_time(log_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    with only_one(out, "training", ConfigError), pytest.raises(ConfigError, match=rf"{out}: another process is training into this"):
        fit(config(log_dir, out))
    assert {p.name for p in out.iterdir()} == {".training.lock"}
    assert fit(config(log_dir, out, epochs=1)).epochs == 1  # the lock was released


@pytest.mark.parametrize("recipe", sorted(p.name for p in RECIPES.glob("*.yaml")))
def test_recipes_parse_and_unknown_keys_do_not(recipe: str, tmp_path: Path) -> None:
    parser = jsonargparse.ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(TrainConfig)
    parsed = parser.parse_path(RECIPES / recipe)
    assert isinstance(parser.instantiate(parsed).estimator, EstimatorConfig)
    (tmp_path / "bad.yaml").write_text((RECIPES / recipe).read_text() + "\nepoch: 3\n")
    with pytest.raises(jsonargparse.ArgumentError, match="epoch"):
        parser.parse_path(tmp_path / "bad.yaml")
