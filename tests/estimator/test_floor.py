"""Where dropped things lie: heaps on the floor of a frame without an earlier picture, and the hand box, which hides only what is held."""

from __future__ import annotations

import numpy as np

from mimir_learn.estimator.changes import changed_regions
from mimir_learn.estimator.floor import things_on_floor
from mimir_learn.symbols import Observation

SIZE = 96
INTRINSICS = np.array([[75.0, 0, SIZE / 2], [0, 75.0, SIZE / 2], [0, 0, 1.0]])
DOWN = np.radians(35)
POSE = np.eye(4)
POSE[:3, :3] = np.array([[1, 0, 0], [0, -np.sin(DOWN), np.cos(DOWN)], [0, -np.cos(DOWN), -np.sin(DOWN)]])  # along +y, 35° down
POSE[:3, 3] = (0, 0, 1.5)
BOX = (0.55, 0.52, 1.0, 1.0)
Block = tuple[tuple[float, float, float], tuple[float, float, float]]  # middle of the foot, size


def frame(*blocks: Block, held: bool = False, shift: float = 0.0) -> Observation:
    """A floor with blocks standing on it, ray-cast; what is held is drawn at the lower right, 0.5 m away."""
    pose = POSE.copy()
    pose[0, 3] += shift
    v, u = np.mgrid[0:SIZE, 0:SIZE]
    rays = np.stack([u + 0.5, v + 0.5, np.ones_like(u)], -1) @ np.linalg.inv(INTRINSICS).T @ pose[:3, :3].T
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(rays[..., 2] < 0, -pose[2, 3] / rays[..., 2], 6.0)
        rgb = np.full((SIZE, SIZE, 3), 130, np.uint8)
        for (x, y, z), size in blocks:
            low = np.array([x, y, z]) - np.array(size) * (0.5, 0.5, 0)
            a, b = (low - pose[:3, 3]) / rays, (low + np.array(size) - pose[:3, 3]) / rays
            enter, leave = np.minimum(a, b).max(-1), np.maximum(a, b).min(-1)
            hit = (enter < leave) & (enter > 0) & (enter < depth)
            depth[hit], rgb[hit] = enter[hit], (200, 40, 40)
    if held:
        depth[70:90, 66:90], rgb[70:90, 66:90] = 0.5, (40, 40, 200)
    return Observation(rgb, np.minimum(depth, 6.0).astype(np.float32), INTRINSICS, pose)


MUG: Block = ((0.0, 1.4, 0.0), (0.09, 0.09, 0.1))
CUPBOARD: Block = ((-0.7, 1.6, 0.0), (0.6, 0.5, 1.0))
BED: Block = ((0.9, 2.0, 0.0), (1.0, 1.6, 0.3))
TABLE_LEG: Block = ((0.3, 1.8, 0.0), (0.06, 0.06, 0.7))
NOTHING_HIDDEN = np.zeros((SIZE, SIZE), dtype=np.bool_)


def test_only_small_low_things_on_the_floor_are_found() -> None:
    (found,) = things_on_floor(frame(MUG, CUPBOARD, BED, TABLE_LEG), NOTHING_HIDDEN)
    assert np.linalg.norm(found[0] - (0.0, 1.37, 0.05)) < 0.07 and 0.002 < found[1] < 0.05
    assert things_on_floor(frame(CUPBOARD, BED, TABLE_LEG), NOTHING_HIDDEN) == []
    assert things_on_floor(frame(((0.0, 1.4, 0.5), (0.09, 0.09, 0.1))), NOTHING_HIDDEN) == []  # nothing floats


def test_a_thing_before_a_cupboard_is_told_from_it_and_near_ones_come_first() -> None:
    touching: Block = ((-0.7, 1.30, 0.0), (0.09, 0.09, 0.1))
    assert len(things_on_floor(frame(CUPBOARD, touching), NOTHING_HIDDEN)) == 1
    far: Block = ((0.2, 2.4, 0.0), (0.3, 0.3, 0.3))
    points = [p for p, _ in things_on_floor(frame(MUG, far), NOTHING_HIDDEN)]
    assert len(points) == 2 and points[0][1] < points[1][1]


def test_only_what_could_not_be_compared_is_reported() -> None:
    left = np.zeros((SIZE, SIZE), dtype=np.bool_)
    left[:, : SIZE // 3] = True
    assert things_on_floor(frame(MUG), NOTHING_HIDDEN, left) == []
    assert len(things_on_floor(frame(MUG), NOTHING_HIDDEN, ~left)) == 1
    assert things_on_floor(frame(MUG), ~left) == []


def test_a_landing_in_the_hand_box_is_a_change() -> None:
    """The held thing is put down and lands in the part of the frame in which it was drawn."""
    landed: Block = ((0.42, 1.35, 0.0), (0.12, 0.12, 0.12))
    before, after = frame(held=True), frame(landed)
    uv, _ = after.project(np.array([[0.42, 1.3, 0.06]]))
    assert (uv[0] / SIZE > BOX[:2]).all()
    assert len(changed_regions(before, after, 4, BOX)) == 0  # the whole box left out
    found = changed_regions(before, after, 4, BOX, 0.8)
    assert len(found) and np.linalg.norm(found.points_M3 - (0.42, 1.3, 0.06), axis=1).min() < 0.1


def test_what_the_held_thing_hid_or_a_new_view_shows_is_pointed_out() -> None:
    behind: Block = ((0.36, 1.05, 0.0), (0.08, 0.08, 0.08))
    before, after = frame(held=True), frame(behind)
    point = np.array([0.36, 1.02, 0.05])
    gap = np.linalg.norm(changed_regions(before, after, 4, BOX, 0.8, floor=True).points_M3 - point, axis=1)
    assert gap.size and gap.min() < 0.1
    elsewhere = frame(MUG, shift=5.0)  # the mug is not in view
    seen = frame(MUG)
    for old in (elsewhere, frame(shift=5.0)):
        found = changed_regions(old, seen, 4, BOX, 0.8, floor=True)
        assert len(found) and np.linalg.norm(found.points_M3[0] - (0.0, 1.37, 0.05)) < 0.1 and found.nearer_M[0] == 0
    assert len(changed_regions(elsewhere, seen, 4, BOX)) == 0


def test_without_the_new_arguments_the_old_regions() -> None:
    before, after = frame(held=True), frame(MUG, ((0.42, 1.35, 0.0), (0.12, 0.12, 0.12)))
    (point,) = changed_regions(before, after, 4, BOX).points_M3
    assert np.linalg.norm(point - (0.0, 1.37, 0.05)) < 0.1
