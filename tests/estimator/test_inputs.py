"""The input: its law (nothing from the state after), its order, its shapes, and what it refuses."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from mimir_learn.errors import ConfigError, ObservationError
from mimir_learn.estimator import EstimatorConfig, build_input, build_with_ids
from mimir_learn.estimator.candidates import ROLES, select
from mimir_learn.estimator.changes import changed_regions
from mimir_learn.estimator.crops import INVALID, metric_crops
from mimir_learn.estimator.names import name_vector
from mimir_learn.symbols import Action, Belief, Outcome, Transition, Verb

from .conftest import SMALL
from .synthetic import POSE, VOCABULARY, World, transition


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(a[k].dtype == b[k].dtype and a[k].tobytes() == b[k].tobytes() for k in a)


def test_input_is_identical_whether_or_not_the_true_after_state_exists() -> None:
    """Two worlds that look alike but differ in every hidden fact after the action give the same bytes; so does a world without any."""
    w = World({"mug_1": np.array([0.3, 0.6, 0.65]), "mug_2": np.array([-0.3, 0.6, 0.65])})
    before, belief = w.frame(), w.belief()
    w.held = "mug_1"
    after = w.frame()
    action = Action(Verb.PICK, "mug_1")
    with_state = build_input(Transition(before, action, after, Outcome(True, ""), belief), SMALL)
    w.points.clear()  # the true state is gone
    del w
    without = build_input(Transition(before, action, after, Outcome(True, ""), belief), SMALL)
    assert same(with_state, without)
    assert {f.name for f in dataclasses.fields(Transition)} == {"before", "action", "after", "outcome", "belief"}


def test_candidates_do_not_depend_on_the_pixels_after() -> None:
    tr, _ = transition(np.random.default_rng(3))
    blind = dataclasses.replace(tr.after, rgb=np.zeros_like(tr.after.rgb), depth=np.ones_like(tr.after.depth))
    assert select(tr, 10).ids == select(dataclasses.replace(tr, after=blind), 10).ids


def test_order_of_memory_does_not_matter() -> None:
    tr, _ = transition(np.random.default_rng(1))
    turned = Belief(VOCABULARY, dict(reversed(list(tr.belief.entities.items()))), tr.belief.at, tr.belief.step)
    assert same(build_input(tr, SMALL), build_input(dataclasses.replace(tr, belief=turned), SMALL))


def test_truncation_keeps_what_the_action_names() -> None:
    tr, _ = transition(np.random.default_rng(2))
    action = Action(Verb.PLACE, "mug_2", "fridge_1")
    chosen = select(dataclasses.replace(tr, action=action), 3)
    assert set(action.arguments) <= set(chosen.ids)
    assert chosen.roles_NR[chosen.ids.index("mug_2"), ROLES.index("acted_object")] == 1


def test_empty_memory_and_unknown_arguments_are_safe() -> None:
    tr, _ = transition(np.random.default_rng(2))
    ids, arrays = build_with_ids(dataclasses.replace(tr, belief=Belief(VOCABULARY, {})), SMALL)
    assert ids == () and not arrays["mask"].any() and len(arrays["crop_slot"]) == arrays["region_mask"].sum()


@pytest.mark.parametrize("damage", ["nan", "zero"])
def test_broken_depth_is_refused(damage: str) -> None:
    tr, _ = transition(np.random.default_rng(0))
    depth = tr.after.depth.copy()
    depth[:] = 0.0 if damage == "zero" else depth
    if damage == "nan":
        depth[3, 3] = np.nan
    with pytest.raises(ObservationError):
        build_input(dataclasses.replace(tr, after=dataclasses.replace(tr.after, depth=depth)), SMALL)


def test_crops_are_metric_and_centred() -> None:
    w = World({"mug_1": np.array([0.0, 0.0, 1.0])})
    frame = w.frame()
    for distance in (0.0, 1.0):  # twice as far: half the pixels, the same crop
        w.points["mug_1"] = np.array([0.0, distance, 1.0])
        frame = w.frame()
        uv, z = frame.project(w.points["mug_1"][None])
        rgb, depth = metric_crops(frame, uv, z, np.array([0.28]), 8)
        red = rgb[0, :, :, 0] > 180
        assert 0.1 < red.mean() < 0.4 and red[3:5, 3:5].all() and not red[0].any()
        assert abs(float(depth[0, 4, 4])) < 1e-2
    far_out, empty = metric_crops(frame, np.array([[-500.0, -500.0]]), np.array([1.0]), np.array([0.3]), 8)
    assert not far_out.any() and (empty == INVALID).all()


def test_changed_regions_find_what_moved_and_only_with_a_still_camera() -> None:
    w = World({"mug_1": np.array([0.3, 0.6, 0.65]), "apple_1": np.array([-0.3, 0.6, 0.65])})
    before = w.frame()
    old = w.points["mug_1"]
    w.points["mug_1"] = np.array([0.0, 0.3, 0.3])
    found = changed_regions(before, w.frame(), 4)
    assert len(found.z_M) == 2
    assert min(np.linalg.norm(found.points_M3 - w.points["mug_1"], axis=1)) < 0.1
    assert min(np.linalg.norm(found.points_M3 - old, axis=1)) < 0.1
    w.pose = POSE.copy()
    w.pose[0, 3] += 0.2
    assert len(changed_regions(before, w.frame(), 4).z_M) == 0
    assert len(changed_regions(before, before, 4).z_M) == 0


def test_names_share_stems_and_need_no_table() -> None:
    table, other, mug = (name_vector(n, 64) for n in ("coffee_table", "side_table", "mug"))
    assert table @ other > 0.3 > abs(table @ mug)
    assert np.isclose(np.linalg.norm(name_vector("never_seen_before", 64)), 1)


def test_config_refuses_nonsense() -> None:
    for bad in ({"dim": 30, "heads": 4}, {"image_px": 60}, {"candidates": 2}, {"hand_box": (0.9, 0.5, 0.1, 1.0)}):
        with pytest.raises(ConfigError):
            EstimatorConfig(**bad)


def test_input_building_does_not_import_torch() -> None:
    code = "import sys; from mimir_learn.estimator import build_input, samples; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
