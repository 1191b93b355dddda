"""Training-time noise on a batch of sample arrays: one draw per pair of frames, so that noise never looks like a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.checks import chance, not_negative, whole
from mimir_learn.estimator.crops import DEPTH_CLIP_M, INVALID
from mimir_learn.estimator.geometry import cropped, drifted
from mimir_learn.estimator.inputs import PARENT_NONE, RAGGED, VIEW_FEATURES
from mimir_learn.estimator.noise import noisy_depth, recolour, shifted

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class AugmentConfig:
    """Strengths; 0 turns a kind of noise off. What is drawn at random is drawn once for both frames of a sample, except for the noise
    and holes of single depth pixels, which a sensor does not repeat either.

    No mirror flips: the held thing is always drawn on the right, in a corner that the hand's crops are cut from, so a mirrored frame is
    one no robot of this make can take, and the hand's crops (which show the room behind the thing) cannot be mirrored back apart from it.
    No zoom: it would move what `y_find` points at by less than a cell. Actions and relations know no left or right.

    Attributes:
        colour: spread of per-channel gain and offset, the same for both frames and all crops of a sample.
        depth_noise: standard deviation relative to 1 m; drawn per pixel.
        depth_holes: share of depth pixels lost, in steps of 1/256.
        crop_shift: largest shift of a crop in pixels, the same before and after: memory's points are never exact.
        drop_point: chance that memory has no point for a candidate (its crop goes too).
        forget_parent, forget_attribute: chance that a remembered parent / attribute is unknown.
        wrong_parent: chance that a remembered parent is another candidate.
        drop_regions: chance that the regions that differ are not pointed out, as after a moved camera: then the trunk must find them.
        hide_flag: chance that the outcome flag is not told (only matters with ``outcome_flag``).
        camera_shift: standard deviation in metres, per axis, of the error of where the robot thinks its camera is; see `geometry.drifted`.
        frame_shift: largest shift of both whole frames in cells of 4 pixels, a random crop with black borders; see `geometry.cropped`.
    """

    colour: float = 0.1
    depth_noise: float = 0.005
    depth_holes: float = 0.01
    crop_shift: int = 1
    drop_point: float = 0.02
    forget_parent: float = 0.02
    forget_attribute: float = 0.05
    wrong_parent: float = 0.01
    drop_regions: float = 0.15
    hide_flag: float = 0.1
    camera_shift: float = 0.0
    frame_shift: int = 0

    def __post_init__(self) -> None:
        not_negative("noise.colour", self.colour)
        not_negative("noise.depth_noise", self.depth_noise)
        not_negative("noise.camera_shift", self.camera_shift)
        whole("noise.crop_shift", self.crop_shift, 0)
        whole("noise.frame_shift", self.frame_shift, 0)
        for name in ("depth_holes", "drop_point", "forget_parent", "forget_attribute", "wrong_parent", "drop_regions", "hide_flag"):
            chance(f"noise.{name}", getattr(self, name))


def augment(batch: Arrays, config: AugmentConfig, rng: np.random.Generator) -> Arrays:
    """A noisy copy of a stacked batch (`SampleCache.take`). Targets are untouched, but ``y_find`` moves along with the frame."""
    out = dict(batch)
    b, k = batch["mask"].shape
    row = batch["crop_row"]
    if config.colour:
        gain = np.exp(rng.normal(0, config.colour, (b, 3))).astype(np.float32)
        offset = rng.normal(0, 255 * config.colour / 2, (b, 3)).astype(np.float32)
        out["image_rgb"] = recolour(batch["image_rgb"], gain, offset)
        out["hand_rgb"] = recolour(batch["hand_rgb"], gain, offset)
        out["crop_rgb"] = recolour(batch["crop_rgb"], gain[row], offset[row])
        close = batch["close_row"]
        out["close_rgb"] = recolour(batch["close_rgb"], gain[close], offset[close])
    for key, lost, floor in (
        ("image_depth", 0.0, 1e-3),
        ("hand_depth", 0.0, 1e-3),
        ("crop_depth", INVALID, -DEPTH_CLIP_M),
        ("close_depth", INVALID, -DEPTH_CLIP_M),
    ):
        out[key] = noisy_depth(batch[key], config.depth_noise, config.depth_holes, lost, floor, rng)
    if config.crop_shift:
        _shift_crops(out, "crop", config.crop_shift, rng)
        _shift_crops(out, "close", 2 * config.crop_shift, rng)
    gone = np.zeros(batch["point_ok"].shape, dtype=np.bool_)
    gone[:, :k] = rng.random((b, k)) < config.drop_point
    gone[:, k:] = rng.random((b, 1)) < config.drop_regions
    if gone.any():
        _drop_points(out, gone, k)
    parent = batch["parent"].copy()
    count = batch["mask"].sum(1, keepdims=True)
    wrong = (rng.random((b, k)) < config.wrong_parent) & batch["movable"]
    parent = np.where(wrong, (rng.random((b, k)) * count).astype(np.int64), parent)
    parent = np.where(parent == np.arange(k), PARENT_NONE, parent)
    out["parent"] = np.where((rng.random((b, k)) < config.forget_parent) & batch["movable"], PARENT_NONE, parent)
    out["attr_known"] = batch["attr_known"] & (rng.random(batch["attr_known"].shape) >= config.forget_attribute)
    action = batch["action"].copy()
    action[rng.random(b) < config.hide_flag, 0] = 0.0
    out["action"] = action
    if config.camera_shift:
        out = drifted(out, rng.normal(0, config.camera_shift, (b, 3)))
    if config.frame_shift:
        out = cropped(out, rng.integers(-config.frame_shift, config.frame_shift + 1, (b, 2)))
    return out


def _shift_crops(out: Arrays, name: str, limit: int, rng: np.random.Generator) -> None:
    step = rng.integers(-limit, limit + 1, (len(out[f"{name}_slot"]), 2))
    for key in (f"{name}_rgb", f"{name}_depth"):
        out[key] = shifted(out[key], step, limit)


def _drop_points(out: Arrays, gone: NDArray[np.bool_], k: int) -> None:
    """Forget where the slots ``gone`` (B, K + R) are, in place: no point, no crop; a region without a point is no region."""
    out["view"] = np.where(gone[:, :k, None], np.zeros(VIEW_FEATURES, dtype=out["view"].dtype), out["view"])
    out["region"] = np.where(gone[:, k:, None], np.zeros((), dtype=out["region"].dtype), out["region"])
    out["region_mask"] = out["region_mask"] & ~gone[:, k:]
    out["point_ok"] = out["point_ok"] & ~gone
    out["uv_ok"] = out["uv_ok"] & ~gone[:, None]
    gone = np.concatenate([gone, np.zeros((len(gone), 1), dtype=np.bool_)], axis=1)  # the hand is always where it is
    for name, keys in RAGGED.items():
        keep = ~gone[out[f"{name}_row"], out[f"{name}_slot"]]
        for key in (*keys, f"{name}_row"):
            out[key] = out[key][keep]
