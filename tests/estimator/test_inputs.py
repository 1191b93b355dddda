"""The input: its law (nothing from the state after), its order, its shapes, and what it refuses."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv
from mimir_learn.errors import ConfigError, ObservationError
from mimir_learn.estimator import EstimatorConfig, build_input, build_with_ids
from mimir_learn.estimator.candidates import ROLES, select
from mimir_learn.estimator.changes import changed_regions
from mimir_learn.estimator.crops import INVALID, metric_crops
from mimir_learn.estimator.names import name_vector
from mimir_learn.estimator.samples import replay
from mimir_learn.logs import Episode, read_episodes
from mimir_learn.logs.episode import LoggedStep
from mimir_learn.memory import WorldMemory
from mimir_learn.symbols import (
    ELSEWHERE,
    Action,
    Belief,
    Delta,
    Kind,
    Outcome,
    Parent,
    ParentChange,
    Percept,
    PrivilegedState,
    Relation,
    Snapshot,
    Transition,
    Verb,
    to_observation,
)

from .conftest import SMALL
from .synthetic import POSE, VOCABULARY, World, transition, with_bowls


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(a[k].dtype == b[k].dtype and a[k].tobytes() == b[k].tobytes() for k in a)


def scrambled(episode: Episode, t: int, *, before: bool) -> Episode:
    """``episode`` with everything privileged turned upside down on one side of step ``t``; frames, actions and outcomes are as they were.
    What is novel is turned round in either case: it is for results alone.

    After: true Δ, fault and exogenous ids of steps ≥ t, percepts and snapshots > t. Before: the same of steps < t and percepts ≤ t,
    except that things keep being sighted (their points and attributes change).
    """
    rng = np.random.default_rng(t)
    rooms = [p.entity.id for p in episode.places if p.entity.kind is Kind.ROOM]
    things = sorted(e for e, x in episode.entities.items() if x.kind is Kind.OBJECT)

    def nonsense(step: LoggedStep) -> LoggedStep:
        moves = [ParentChange(e, ELSEWHERE, Parent(str(rng.choice(rooms)), Relation.ROOM)) for e in things]
        return dataclasses.replace(step, delta=Delta(moves), fault="gremlin", moved=tuple(things))

    def displaced(percept: Percept) -> Percept:
        moved = (
            dataclasses.replace(s, point=s.point + 0.5, attributes={k: not v for k, v in s.attributes.items()}) for s in percept.sightings
        )
        return dataclasses.replace(percept, sightings=tuple(moved))

    side = range(t) if before else range(t, len(episode.steps))
    frames = range(t + 1) if before else range(t + 1, len(episode.percepts))
    empty = Snapshot({})
    return dataclasses.replace(
        episode,
        steps=tuple(nonsense(s) if i in side else s for i, s in enumerate(episode.steps)),
        percepts=[displaced(p) if i in frames else p for i, p in enumerate(episode.percepts)],
        snapshots=[empty if i in frames else s for i, s in enumerate(episode.snapshots)],
        novel=frozenset(things) - episode.novel,
    )


def inputs_of(episode: Episode, t: int) -> dict[str, np.ndarray]:
    """What the estimator reads about step ``t``; later steps are not replayed."""
    sample = next(itertools.islice(replay(episode), t, None))
    assert sample.step == t
    return build_input(sample.transition, EstimatorConfig())


def test_nothing_privileged_from_the_step_on_reaches_its_input(log_dir: Path) -> None:
    """A real log: with all truth from step t on replaced by nonsense, sample t's arrays keep their bytes; its labels do not."""
    episode = next(iter(read_episodes(log_dir, "train")))
    lied = 0
    for t in range(len(episode.steps)):
        assert same(inputs_of(episode, t), inputs_of(scrambled(episode, t, before=False), t)), t
        true, false = (next(itertools.islice(replay(e), t, None)) for e in (episode, scrambled(episode, t, before=False)))
        lied += true.delta != false.delta and true.fault != false.fault
    assert lied == len(episode.steps)


def test_what_came_before_the_step_does_reach_its_input(log_dir: Path) -> None:
    """The counterpart that lets the test above fail: memory holds the past, so a scrambled past gives other bytes."""
    episode = next(iter(read_episodes(log_dir, "train")))
    for t in range(1, len(episode.steps)):
        assert not same(inputs_of(episode, t), inputs_of(scrambled(episode, t, before=True), t)), t


class Sealing(HouseholdEnv):
    """A household that refuses every question about its true state, and tells nothing of a frame while ``after`` is set."""

    after = False

    def privileged_state(self) -> PrivilegedState:
        raise AssertionError("the true state was asked for")

    def visible_entities(self) -> Percept:
        assert not self.after, "the percept after the action was asked for"
        return super().visible_entities()


def test_input_needs_neither_true_state_nor_the_percept_after() -> None:
    """Built between the step and the next percept from a sealed household; an open one, asked about everything, gives the same bytes."""
    built: dict[bool, list[dict[str, np.ndarray]]] = {}
    for sealed in (True, False):
        env = Sealing(HouseholdConfig(image_size=64)) if sealed else HouseholdEnv(HouseholdConfig(image_size=64))
        raw, info = env.reset(seed=0, options={"house_seed": 3, "faults": FaultRates.level(0.5)})
        memory = WorldMemory(env.vocabulary, info["places"])
        built[sealed] = []
        for t, place in enumerate([p.entity.id for p in info["places"]][:10]):
            percept = env.visible_entities()
            memory.observe(percept, t)
            thing = next((s.entity.id for s in percept.sightings if s.entity.kind is Kind.OBJECT), None)
            action, command = Action(Verb.NAVIGATE, None, place), f"go to {place}"
            if t % 2 and thing is not None:
                action, command = Action(Verb.PICK, thing), f"pick up {thing}"
            before, belief = to_observation(raw), memory.belief()
            raw, _, _, _, info_t = env.step(command)
            if sealed:
                env.after = True
            else:
                env.privileged_state(), env.visible_entities()
            outcome = Outcome(info_t["success"], info_t["feedback"])
            built[sealed].append(build_input(Transition(before, action, to_observation(raw), outcome, belief), SMALL))
            if sealed:
                env.after = False
        env.close()
    assert len(built[True]) == len(built[False]) == 10
    assert all(same(a, b) for a, b in zip(built[True], built[False], strict=True))
    assert any(a["mask"].sum() > 8 and len(a["crop_slot"]) for a in built[True])


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


def test_things_in_things_are_offered_with_their_parents() -> None:
    """Putting the full bowl down: its apple and the room beside the target are candidates, and a bowl is a parent one can point at."""
    tr, _ = transition(np.random.default_rng(2))
    belief = with_bowls(tr.belief)
    place = dataclasses.replace(tr, belief=belief, action=Action(Verb.PLACE, "bowl_1", "table_1"))
    chosen = select(place, 10)
    roles = {r: {chosen.ids[i] for i in chosen.with_role(r)} for r in ROLES}
    assert roles["acted_object"] == roles["held"] == {"bowl_1"} and roles["inside_object"] == roles["inside_held"] == {"apple_1"}
    assert roles["other"] == {"table_2"} and {"table_2", "fridge_1"} <= roles["beside"] and "table_1" not in roles["beside"]
    assert chosen.ids.index("apple_1") < 9  # before everything that is only in view
    ids, arrays = build_with_ids(place, SMALL)
    row = {e: i for i, e in enumerate(ids)}
    assert arrays["parent"][row["apple_1"]] == row["bowl_1"] and arrays["parent"][row["bowl_1"]] == SMALL.candidates
    assert arrays["holds"][row["bowl_1"]] and arrays["movable"][row["bowl_1"]] and not arrays["holds"][row["mug_1"]]


def test_a_pour_offers_both_vessels_and_where_they_stand() -> None:
    tr, _ = transition(np.random.default_rng(2))
    pour = dataclasses.replace(tr, belief=with_bowls(tr.belief), action=Action(Verb.POUR, "bowl_1", "bowl_2"))
    chosen = select(pour, 10)
    roles = {r: {chosen.ids[i] for i in chosen.with_role(r)} for r in ROLES}
    assert roles["acted_object"] == {"bowl_1"} and roles["acted_receptacle"] == {"bowl_2"} and roles["other"] == {"table_1"}
    go = dataclasses.replace(pour, action=Action(Verb.NAVIGATE, "apple_1"))  # in the bowl in the hand: nowhere to go
    assert not select(go, 10).with_role("destination").size
    fetch = dataclasses.replace(pour, action=Action(Verb.PICK, "bowl_2", "table_2"))
    chosen = select(fetch, 10)
    assert {chosen.ids[i] for i in chosen.with_role("source")} == {chosen.ids[i] for i in chosen.with_role("source_place")} == {"table_2"}


def test_close_ups_show_what_is_handled_and_the_hand() -> None:
    tr = next(t for t, _ in (transition(np.random.default_rng(n)) for n in range(9)) if t.belief.hand is None)
    ids, arrays = build_with_ids(dataclasses.replace(tr, action=Action(Verb.PLACE, "mug_1", "table_1")), SMALL)
    hand = SMALL.candidates + SMALL.change_regions
    slots = arrays["close_slot"].tolist()
    assert slots[:2] == [ids.index("mug_1"), ids.index("table_1")] and slots[-1] == hand and set(slots[2:-1]) <= {SMALL.candidates}
    assert arrays["close_rgb"].shape == (len(slots), 2, SMALL.close_px, SMALL.close_px, 3) and arrays["close_rgb"][0].any()
    quiet = dataclasses.replace(tr, action=Action(Verb.WAIT), after=tr.before)
    assert build_with_ids(quiet, SMALL)[1]["close_slot"].tolist() == [hand]
    w = World({"mug_1": np.array([0.3, 0.6, 0.65])})
    before = w.frame()
    w.points["mug_1"] = np.array([0.0, 0.3, 0.3])
    _, arrays = build_with_ids(dataclasses.replace(quiet, before=before, after=w.frame()), SMALL)
    assert arrays["close_slot"].tolist() == [SMALL.candidates, hand]  # the largest of the regions that changed
    assert (arrays["close_rgb"][0, 0] != arrays["close_rgb"][0, 1]).any()


def test_changed_regions_of_two_poses_are_what_one_of_them_looked_through() -> None:
    w = World({"mug_1": np.array([0.3, 0.6, 0.9]), "apple_1": np.array([-0.3, 0.6, 0.9])})
    before = w.frame()
    w.pose = POSE.copy()
    w.pose[0, 3] += 0.2
    assert len(changed_regions(before, w.frame(), 4)) == 0  # nothing moved but the camera
    gone, come = w.points["mug_1"], np.array([0.0, 0.3, 0.6])
    w.points["mug_1"] = come
    found = changed_regions(before, w.frame(), 4)
    assert len(found) == 2
    for point, sign in ((gone, -1), (come, 1)):
        gap = np.linalg.norm(found.points_M3 - point, axis=1)
        assert gap.min() < 0.1 and np.sign(found.nearer_M[gap.argmin()]) == sign
    inside = found.inside_FM
    assert inside.all() and np.allclose(before.project(found.points_M3)[0], found.uv_FM2[0])
    everywhere = (0.0, 0.0, 1.0, 1.0)
    assert len(changed_regions(before, w.frame(), 4, everywhere)) == 0


def test_changed_regions_find_what_moved() -> None:
    w = World({"mug_1": np.array([0.3, 0.6, 0.65]), "apple_1": np.array([-0.3, 0.6, 0.65])})
    before = w.frame()
    old = w.points["mug_1"]
    w.points["mug_1"] = np.array([0.0, 0.3, 0.3])
    found = changed_regions(before, w.frame(), 4)
    assert len(found) == 2
    assert min(np.linalg.norm(found.points_M3 - w.points["mug_1"], axis=1)) < 0.1
    assert min(np.linalg.norm(found.points_M3 - old, axis=1)) < 0.1
    assert len(changed_regions(before, before, 4)) == len(changed_regions(before, w.frame(), 0)) == 0


def test_names_share_stems_and_need_no_table() -> None:
    table, other, mug = (name_vector(n, 64) for n in ("coffee_table", "side_table", "mug"))
    assert table @ other > 0.3 > abs(table @ mug)
    assert np.isclose(np.linalg.norm(name_vector("never_seen_before", 64)), 1)


def test_config_refuses_nonsense() -> None:
    for bad in ({"dim": 30, "heads": 4}, {"image_px": 60}, {"candidates": 2}, {"hand_box": (0.9, 0.5, 0.1, 1.0)}, {"dropout": 2},
                {"dropout": 1.0}, {"dropout": float("nan")}, {"layers": 0}, {"ffn": 0}, {"heads": 0}, {"max_depth_m": 0}):  # fmt: skip
        with pytest.raises(ConfigError):
            EstimatorConfig(**bad)


def test_input_building_does_not_import_torch() -> None:
    code = "import sys; from mimir_learn.estimator import build_input, samples; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
