"""Pitfalls of training and publishing that no other file is about; and that every test which docs/training.md names is there."""

from __future__ import annotations

import ast
import dataclasses
import pickle
import re
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import torch
from safetensors import safe_open

import mimir_learn
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator import data as data_module
from mimir_learn.estimator.cache import SampleCache, build_cache
from mimir_learn.estimator.calibrating import calibrate_all
from mimir_learn.estimator.crops import INVALID, shrink
from mimir_learn.estimator.data import EstimatorDataModule
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.estimator.inputs import build_input
from mimir_learn.logs import LogDirectory
from mimir_learn.symbols import Observation

from .conftest import SMALL
from .synthetic import INTRINSICS, POSE, SIZE, transition

ROOT = Path(__file__).parents[2]


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{a.name}" for a in node.names}
    return names


def test_pitfalls_2_3_nobody_trims_or_averages_batches_for_us() -> None:
    """`gather_for_metrics` trims by a remainder that is wrong with uneven batches, and a metric averaged over batches is another metric."""
    for path in Path(mimir_learn.__file__).parent.rglob("*.py"):
        assert not any(n == "accelerate" or n.startswith("accelerate.") for n in imports(path)), path
        assert "gather_for_metrics" not in path.read_text(), path
    assert not any("torchmetrics" in n for n in imports(Path(mimir_learn.__file__).parent / "estimator" / "module.py"))


def test_pitfall_5_counts_are_gathered_on_their_own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """NCCL knows no CPU tensors: what is handed to it must lie where the network is."""
    from mimir_learn.estimator import distributed

    handed: list[torch.device] = []

    def all_gather(parts: list[torch.Tensor], mine: torch.Tensor) -> None:
        handed.extend([mine.device, *(p.device for p in parts)])

    monkeypatch.setattr(torch.distributed, "all_gather", all_gather)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
    out = distributed._all(torch.zeros(3, device="meta"))
    assert out.device.type == "meta" and {d.type for d in handed} == {"meta"} and len(handed) == 3


def test_pitfall_15_the_config_is_flat_and_an_export_gives_the_same_logits(tmp_path: Path, batch: dict[str, torch.Tensor]) -> None:
    """Nested dataclasses come back from a hub mixin as dictionaries, and lenient loading keeps random weights silently."""

    def plain(kind: object) -> bool:
        return kind in (int, float, str, bool) or (get_origin(kind) is tuple and all(plain(a) for a in get_args(kind) if a is not ...))

    for name, kind in get_type_hints(EstimatorConfig).items():
        assert plain(kind), f"{name}: {kind} does not survive JSON"
    changed = dataclasses.replace(SMALL, hand_box=(0.5, 0.5, 1.0, 1.0), dropout=0.25)
    assert EstimatorConfig.from_dict(changed.to_dict()) == changed
    model = DeltaEstimator(SMALL).eval()
    folder = model.save_pretrained(tmp_path / "model")
    again = DeltaEstimator.from_pretrained(folder).eval()
    with torch.no_grad():
        a, b = model(batch), again(batch)
    assert all(torch.equal(a[k], b[k]) for k in a)
    weights = dict(model.state_dict())
    weights.pop("norm.bias")
    from safetensors.torch import save_file

    save_file(weights, folder / "model.safetensors")
    with pytest.raises(CheckpointError):
        DeltaEstimator.from_pretrained(folder)


def test_pitfall_17_siamese_encoders_are_one_module_called_twice(tmp_path: Path) -> None:
    """Tied weights share storage, which safetensors refuses to write or drops the second name of."""
    model = DeltaEstimator(SMALL)
    assert len({p.data_ptr() for p in model.state_dict().values()}) == len(model.state_dict())
    assert len(list(model.named_modules())) == len(list(model.named_modules(remove_duplicate=False)))
    folder = model.save_pretrained(tmp_path / "model")
    with safe_open(folder / "model.safetensors", "pt") as file:
        assert set(file.keys()) == set(model.state_dict())


def test_pitfall_19_a_worker_gets_a_path_and_no_lists_of_objects(log_dir: Path, tmp_path: Path) -> None:
    """Python objects in a dataset are copied page by page into each worker as their counters are touched."""
    cache = build_cache(log_dir, "train", SMALL, tmp_path)
    assert all(isinstance(a, np.memmap) for a in cache._maps.values() if a.size)
    small = (cache.faults, cache.categories)
    assert all(len(v) < 1000 for v in vars(cache).values() if isinstance(v, list | tuple)) and all(isinstance(s, tuple) for s in small)
    sent = pickle.dumps(cache)
    assert len(sent) < 1000
    again: SampleCache = pickle.loads(sent)
    rows = np.arange(5)
    assert all(np.array_equal(a, again.take(rows)[k]) for k, a in cache.take(rows).items())


def test_pitfall_21_depth_is_metres_zero_is_nothing_and_edges_stay_sharp() -> None:
    depth = np.full((SIZE, SIZE), 1.0, np.float32)
    depth[:, SIZE // 2 + 1 :] = 3.0  # an edge inside a block of pixels that is shrunk to one
    depth[:8, :8] = 0.0
    frame = Observation(np.zeros((SIZE, SIZE, 3), np.uint8), depth, INTRINSICS, POSE)
    _, small = shrink(frame, 16, max_depth_m=8.0)
    assert set(np.unique(small)) == {0.0, 1.0, 3.0}
    assert set(np.unique(shrink(frame, 24, max_depth_m=2.0)[1])) == {0.0, 1.0, 2.0}  # far is clipped, and still is not "nothing"
    arrays = build_input(transition(np.random.default_rng(0))[0], SMALL)
    assert arrays["image_depth"].dtype == np.float16 and 0.3 < np.median(arrays["image_depth"]) < 8.0
    assert ((np.abs(arrays["crop_depth"]) <= 0.75) | (arrays["crop_depth"] == INVALID)).all()
    trunk = DeltaEstimator(SMALL).trunk
    plane = torch.from_numpy(arrays["image_plane"])[None]
    some = torch.tensor([0.0, 0.05, 4.0, 8.0]).view(1, 1, 2, 2).expand(1, 2, 2, 2)
    trunk.pixel = torch.tensor([0.25, 0.75])
    geometry = trunk._geometry(some, plane)[0, 0]
    assert geometry[2].flatten().tolist() == [0, 1, 1, 1]  # nothing is told apart from very near
    assert geometry[0].flatten().tolist() == pytest.approx([-1, -0.9875, 0, 1])  # fixed range: no statistics that zeros could spoil


def test_pitfall_22_the_houses_that_choose_calibrate_and_test_are_different(
    log_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses: dict[str, set[object]] = {}
    for entry in LogDirectory(log_dir).episodes:
        houses.setdefault(entry["split"], set()).add(entry["house_seed"])
    assert set(houses) == {"train", "validation", "calibration", "test"}
    assert sum(map(len, houses.values())) == len(set().union(*houses.values()))
    opened: list[str] = []

    def seen(log: Path, split: str, *rest: Any) -> SampleCache:
        opened.append(split)
        return build_cache(log, split, *rest)

    monkeypatch.setattr(data_module, "build_cache", seen)
    EstimatorDataModule(log_dir, SMALL, cache_dir=tmp_path).setup()
    assert opened == ["train", "validation"]  # the epoch is chosen on these, never on the calibration houses
    folder = DeltaEstimator(with_vocabulary(SMALL, LogDirectory(log_dir).vocabulary)).save_pretrained(tmp_path / "model")
    for split in ("train", "test"):
        with pytest.raises(ConfigError, match=split):
            calibrate_all(folder, log_dir, split)
    assert calibrate_all(folder, log_dir).split == "calibration"


def test_every_test_that_the_table_of_pitfalls_names_exists() -> None:
    text = (ROOT / "docs" / "training.md").read_text()
    table = text[text.index("## Pitfalls") :]
    rows = {int(m[1]): m[0] for m in re.finditer(r"^\| (\d+) \|.*$", table, re.MULTILINE)}
    assert sorted(rows) == list(range(1, 23))
    for number, row in rows.items():
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row)
        assert named, f"pitfall {number} names no test"
        for file, name in named:
            assert f"def {name}(" in (Path(__file__).parent / file).read_text(), f"pitfall {number}: {file} has no {name}"
