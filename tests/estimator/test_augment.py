"""Augmentations: one draw for both frames, geometry that stays in agreement with what the arrays would be, and depth never averaged."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.augment import AugmentConfig, augment
from mimir_learn.estimator.batch import to_tensors
from mimir_learn.estimator.geometry import cropped, drifted
from mimir_learn.estimator.inputs import RAGGED, build_input
from mimir_learn.symbols import Observation, Transition

from .conftest import SMALL
from .synthetic import SIZE, transition

RAGGED_KEYS = {key for keys in RAGGED.values() for key in keys}
EVERYTHING = AugmentConfig(
    colour=0.3, depth_noise=0.0, depth_holes=0.0, crop_shift=2, drop_point=0.2, forget_parent=0.2, forget_attribute=0.2, wrong_parent=0.2,
    drop_regions=0.3, hide_flag=0.5, camera_shift=0.05, frame_shift=2,
)  # fmt: skip


def stacked(samples: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    out: dict[str, np.ndarray] = {k: np.stack([s[k] for s in samples]) for k in samples[0] if k not in RAGGED_KEYS}
    for name, keys in RAGGED.items():
        out |= {k: np.concatenate([s[k] for s in samples]) for k in keys}
        out[f"{name}_row"] = np.repeat(np.arange(len(samples)), [len(s[f"{name}_slot"]) for s in samples])
    return out


@pytest.fixture(scope="module")
def unchanged(samples: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Samples whose frame after is their frame before."""
    batch = stacked(samples[:12])
    for key in ("image_rgb", "image_depth", "image_plane", "hand_rgb", "hand_depth", "crop_rgb", "crop_depth", "close_rgb", "close_depth"):
        batch[key] = batch[key].copy()
        batch[key][:, 1] = batch[key][:, 0]
    return batch


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(AugmentConfig)] + ["all"])
def test_pitfall_11_equal_frames_stay_equal_under_every_augmentation(name: str, unchanged: dict[str, np.ndarray]) -> None:
    """Noise and holes of single depth pixels are left out: no sensor repeats them. They leave the colours alone."""
    off = AugmentConfig(*[0 for _ in dataclasses.fields(AugmentConfig)])
    config = EVERYTHING if name == "all" else dataclasses.replace(off, **{name: getattr(EVERYTHING, name) or 0.3})  # type: ignore[arg-type]
    out = augment(unchanged, config, np.random.default_rng(3))
    for key in ("image_rgb", "image_depth", "hand_rgb", "hand_depth", "crop_rgb", "crop_depth", "close_rgb", "close_depth", "image_plane"):
        if name in ("depth_noise", "depth_holes") and key.endswith("depth"):
            continue
        assert np.array_equal(out[key][:, 0], out[key][:, 1]), key
    assert any(not np.array_equal(out[k], unchanged[k]) for k in unchanged if k in out) == (
        name != "hide_flag" or bool(unchanged["action"][:, 0].any())
    )
    for key in ("y_parent", "y_attr", "y_outcome"):
        assert np.array_equal(out[key], unchanged[key])


def test_pitfall_11_an_unchanged_scene_gives_no_difference_feature(unchanged: dict[str, np.ndarray]) -> None:
    torch.manual_seed(0)
    model = DeltaEstimator(SMALL).eval()
    batch = to_tensors(augment(unchanged, EVERYTHING, np.random.default_rng(4)), SMALL.candidates + SMALL.change_regions)
    with torch.no_grad():
        _, look = model.crops(batch["crop_rgb"], batch["crop_depth"])
        tokens, fine = model.trunk(batch)
    assert torch.equal(look[:, 0], look[:, 1]) and torch.equal(fine[:, 0], fine[:, 1])
    before, after = tokens.unflatten(1, (2, -1)).unbind(1)
    assert torch.allclose(after - before, (model.trunk.frame[1] - model.trunk.frame[0]).expand_as(before), atol=1e-6)


def test_noise_is_a_function_of_the_seed_and_leaves_its_input_alone(unchanged: dict[str, np.ndarray]) -> None:
    kept = {k: v.copy() for k, v in unchanged.items()}
    a, b, c = (augment(unchanged, EVERYTHING, np.random.default_rng(s)) for s in (1, 1, 2))
    assert all(np.array_equal(unchanged[k], kept[k]) for k in kept)
    assert all(np.array_equal(a[k], b[k]) for k in a) and not all(np.array_equal(a[k], c[k]) for k in a)
    assert {k: (v.dtype, v.shape[1:]) for k, v in a.items()} == {k: (v.dtype, v.shape[1:]) for k, v in unchanged.items()}


def built(tr: Transition) -> dict[str, np.ndarray]:
    return stacked([build_input(tr, SMALL)])


def posed(frame: Observation, by: np.ndarray) -> Observation:
    pose = frame.pose.copy()
    pose[:3, 3] += by
    return dataclasses.replace(frame, pose=pose)


@pytest.mark.parametrize("error", [(0.03, -0.02, 0.01), (-0.04, 0.05, 0.0), (0.0, 0.0, -0.05)])
def test_a_drifted_camera_gives_what_a_wrong_pose_would_have_given(error: tuple[float, float, float]) -> None:
    """The same pixels with both poses off by the same vector, built from the frames, against the cached arrays put right afterwards."""
    compared = 0
    for seed in range(6):
        tr, _ = transition(np.random.default_rng(seed))
        forward, right, up = error  # the toy camera looks along +y, level
        moved = dataclasses.replace(
            tr, before=posed(tr.before, np.array([right, forward, up])), after=posed(tr.after, np.array([right, forward, up]))
        )
        truth, made = built(moved), drifted(built(tr), np.array([error]))
        for key in ("image_plane", "point", "region"):
            np.testing.assert_allclose(made[key], truth[key], atol=2e-4, err_msg=key)
        both = truth["uv_ok"][0, :, : SMALL.candidates] & made["uv_ok"][0, :, : SMALL.candidates]
        assert (both | ~made["uv_ok"][0, :, : SMALL.candidates]).all()
        np.testing.assert_allclose(made["uv"][0, :, : SMALL.candidates][both], truth["uv"][0, :, : SMALL.candidates][both], atol=1e-4)
        for f in (0, 1):
            columns = [4 * f, 4 * f + 1, 4 * f + 3]  # observed − expected depth is read at another pixel
            np.testing.assert_allclose(made["view"][0][both[f]][:, columns], truth["view"][0][both[f]][:, columns], atol=2e-4)
        np.testing.assert_allclose(made["view"][0, :, 8:], truth["view"][0, :, 8:], atol=2e-4)
        compared += int(both.sum())
    assert compared > 40


def slid(frame: Observation, down: int, over: int) -> Observation:
    """What a sensor a little larger and cut elsewhere would have given: pixels and principal point moved."""
    rgb, depth = np.zeros_like(frame.rgb), np.zeros_like(frame.depth)
    to = np.s_[max(down, 0) : SIZE + min(down, 0), max(over, 0) : SIZE + min(over, 0)]
    of = np.s_[max(-down, 0) : SIZE - max(down, 0), max(-over, 0) : SIZE - max(over, 0)]
    rgb[to], depth[to] = frame.rgb[of], frame.depth[of]
    intrinsics = frame.intrinsics.copy()
    intrinsics[0, 2] += over
    intrinsics[1, 2] += down
    return dataclasses.replace(frame, rgb=rgb, depth=depth, intrinsics=intrinsics)


@pytest.mark.parametrize("cells", [(1, 0), (0, -1), (-2, 1), (1, 1)])
def test_a_crop_gives_what_a_sensor_cut_elsewhere_would_have_given(cells: tuple[int, int]) -> None:
    scale = 4 * SIZE // SMALL.image_px
    for seed in range(6):
        tr, _ = transition(np.random.default_rng(seed))
        down, over = (c * scale for c in cells)
        moved = dataclasses.replace(tr, before=slid(tr.before, down, over), after=slid(tr.after, down, over))
        truth, made = built(moved), cropped(built(tr), np.array([cells]))
        for key in ("image_rgb", "image_depth"):
            assert np.array_equal(made[key], truth[key]), key
        np.testing.assert_allclose(made["image_plane"], truth["image_plane"], atol=1e-5)
        k = SMALL.candidates
        kept = made["uv_ok"][0, :, :k]  # what was out of view before stays out of it
        assert truth["uv_ok"][0, :, :k][kept].all()
        np.testing.assert_allclose(made["uv"][0, :, :k][kept], truth["uv"][0, :, :k][kept], atol=1e-6)
        for f in (0, 1):
            np.testing.assert_allclose(made["view"][0, kept[f], 4 * f : 4 * f + 4], truth["view"][0, kept[f], 4 * f : 4 * f + 4], atol=1e-4)


def test_what_is_sought_moves_with_the_frame(samples: list[dict[str, np.ndarray]]) -> None:
    batch = stacked(samples[:4])
    side = SMALL.image_px // 4
    batch["y_find"] = np.array([[0, side * side - 1], [side * side, -1], [side + 2, 3], [side * side, 5 * side]])
    out = cropped(batch, np.array([[1, 1]] * 4))["y_find"]
    nowhere = side * side
    assert out.tolist() == [[side + 1, nowhere], [nowhere, -1], [2 * side + 3, side + 4], [nowhere, 6 * side + 1]]


def test_pitfall_21_depth_is_moved_but_never_averaged(unchanged: dict[str, np.ndarray]) -> None:
    out = augment(unchanged, dataclasses.replace(EVERYTHING, drop_point=0.0, drop_regions=0.0), np.random.default_rng(5))
    for key in ("image_depth", "crop_depth", "close_depth", "hand_depth"):
        assert np.isin(out[key], np.append(np.unique(unchanged[key]), np.float16(0))).all(), key
    noisy: Any = augment(
        unchanged,
        AugmentConfig(depth_noise=0.05, depth_holes=0.2, crop_shift=0, drop_point=0.0, drop_regions=0.0),
        np.random.default_rng(6),
    )
    lost = unchanged["image_depth"] == 0
    assert (noisy["image_depth"][lost] == 0).all() and (noisy["image_depth"] >= 0).all()  # what has no return gets none
    assert 0.1 < (noisy["image_depth"][~lost] == 0).mean() < 0.3
    assert (noisy["crop_depth"][unchanged["crop_depth"] == -1] == -1).all()
