"""Things hold things: what fits into what, that contents go where their holder goes, and that geometry says the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household import HouseholdEnv
from mimir_learn.envs.household.bodies import times, turned
from mimir_learn.envs.household.checker import check_world
from mimir_learn.envs.household.engine import mujoco
from mimir_learn.envs.household.nesting import ENDWISE, LYING, UPRIGHT, Outline, fitting, outline_of, postures
from mimir_learn.envs.household.placing import spill
from mimir_learn.envs.household.spec import Part
from mimir_learn.envs.household.truth import Regions
from mimir_learn.envs.household.world import World
from mimir_learn.symbols import IN_HAND, Parent, Relation
from tests.envs.plain_house import BOWL, BOX, KNIFE, MUG, PLATE, plain_house, thing

IN, ON = Relation.IN, Relation.ON
SPOT = Parent("counter_1", ON)


def make(name: str, solid: Part, *holds):  # type: ignore[no-untyped-def]
    return thing(name, SPOT, (0, 0, 1), solid, *holds)


def begin(env: HouseholdEnv) -> World:
    env.reset(seed=0, options={"house": plain_house()})
    assert env._skills is not None
    return env._skills.world


def do(env: HouseholdEnv, *commands: str) -> tuple[bool, str]:
    for command in commands:
        info = env.step(command)[4]
    assert env._skills is not None
    assert check_world(env._skills.world, env._skills.stance.view) == []
    return info["success"], info["feedback"]


def test_what_fits_into_what() -> None:
    bowl, mug, plate, box = make("bowl_1", *BOWL), make("mug_1", *MUG), make("plate_1", *PLATE), make("box_1", *BOX)
    knife, apple, pillow = (
        make("knife_1", KNIFE),
        make("apple_1", Part("sphere", (0.05,))),
        make("pillow_1", Part("box", (0.2, 0.15, 0.05))),
    )
    ways = {
        (t.id, h.id): p.tilt for t in (bowl, mug, plate, box, knife, apple, pillow) for h in (bowl, mug, plate, box) if (p := fitting(t, h))
    }
    assert ways == {
        ("bowl_1", "box_1"): UPRIGHT, ("mug_1", "bowl_1"): UPRIGHT, ("mug_1", "plate_1"): UPRIGHT, ("mug_1", "box_1"): UPRIGHT,
        ("knife_1", "bowl_1"): ENDWISE, ("knife_1", "mug_1"): ENDWISE, ("knife_1", "plate_1"): UPRIGHT, ("knife_1", "box_1"): UPRIGHT,
        ("apple_1", "bowl_1"): UPRIGHT, ("apple_1", "plate_1"): UPRIGHT, ("apple_1", "box_1"): UPRIGHT,
        ("plate_1", "box_1"): UPRIGHT,
    }  # fmt: skip


@given(st.lists(st.tuples(st.floats(0.02, 0.2), st.floats(0.02, 0.2), st.floats(0.01, 0.1)), min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_no_chain_of_holders_can_close(sizes: list[tuple[float, float, float]]) -> None:
    boxes = [
        make(f"box_{i}", Part("box", s), replace(BOX[1], half=(s[0] * 0.95, s[1] * 0.95), height=2 * s[2])) for i, s in enumerate(sizes)
    ]
    into = {b.id: {h.id for h in boxes if fitting(b, h)} for b in boxes}

    def reaches(start: str, goal: str, seen: frozenset[str] = frozenset()) -> bool:
        return any(n == goal or (n not in seen and reaches(n, goal, seen | {n})) for n in into[start])

    assert not any(reaches(b.id, b.id) for b in boxes)


@pytest.mark.parametrize("solid", [Part("box", (0.1, 0.05, 0.02)), Part("cylinder", (0.03, 0.1)), Part("sphere", (0.04,))])
@pytest.mark.parametrize("yaw", [0.0, 30.0, -75.0, 170.0])
def test_an_outline_is_that_of_the_solid_seen_from_above(solid: Part, yaw: float) -> None:
    for posture in postures(solid):
        quat = turned(yaw, posture.tilt)
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, quat)
        rotation = rotation.reshape(3, 3)
        found = outline_of(solid, np.array((1.0, 2.0, 3.0)), rotation)
        corners = _surface(solid) @ rotation.T
        for angle in np.linspace(0, math.pi, 13):
            d = (math.cos(angle), math.sin(angle))
            assert found.reach(d) == pytest.approx((corners[:, :2] @ d).max(), abs=2e-3)
        assert (found.low, found.high) == pytest.approx((3 + corners[:, 2].min(), 3 + corners[:, 2].max()), abs=2e-3)


def _surface(solid: Part) -> np.ndarray:
    if solid.shape == "box":
        return np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * solid.size
    angles = np.linspace(0, 2 * math.pi, 400)
    if solid.shape == "cylinder":
        return np.array([(solid.size[0] * math.cos(a), solid.size[0] * math.sin(a), s * solid.size[1]) for a in angles for s in (-1, 1)])
    rng = np.random.default_rng(0).normal(size=(20_000, 3))
    return solid.size[0] * rng / np.linalg.norm(rng, axis=1, keepdims=True)


outlines = st.builds(
    Outline,
    st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3)),
    st.tuples(st.floats(0.02, 0.15), st.floats(0.02, 0.15)),
    st.floats(-3.2, 3.2),
    st.just(0.0),
    st.just(1.0),
)


@given(outlines, outlines)
@settings(max_examples=100, deadline=None)
def test_outlines_overlap_where_they_share_a_point(a: Outline, b: Outline) -> None:
    grid = np.linspace(-1, 1, 25)

    def contains(o: Outline, x: float, y: float) -> bool:
        dx, dy = x - o.middle[0], y - o.middle[1]
        c, s = math.cos(o.yaw), math.sin(o.yaw)
        return abs(dx * c + dy * s) <= o.half[0] + 1e-9 and abs(-dx * s + dy * c) <= o.half[1] + 1e-9

    c, s = math.cos(a.yaw), math.sin(a.yaw)
    points = [
        (a.middle[0] + c * u * a.half[0] - s * v * a.half[1], a.middle[1] + s * u * a.half[0] + c * v * a.half[1])
        for u in grid
        for v in grid
    ]
    if any(contains(b, x, y) for x, y in points):
        assert a.gap(b) <= 1e-9 and b.gap(a) <= 1e-9
    if a.gap(b) > 0:
        nearest = min(math.dist(p, b.middle) for p in points)
        assert nearest >= min(b.half)
    assert a.gap(replace(b, low=1.0, high=2.0)) == 1.0


def test_contents_ride_in_the_hand_in_a_drawer_and_across_rooms(env: HouseholdEnv) -> None:
    world = begin(env)
    assert check_world(world) == []
    assert world.parents["egg_1"] == Parent("bowl_2", IN) and world.holders("egg_1") == ["bowl_2", "drawer_1"]
    offset = world.position("egg_1") - world.position("bowl_2")
    shut = world.position("egg_1")
    do(env, "go to drawer_1", "close drawer_1")
    assert np.linalg.norm(world.position("egg_1") - shut) == pytest.approx(0.36, abs=1e-6)
    do(env, "open drawer_1", "pick up bowl_2")
    assert world.parents["bowl_2"] == IN_HAND and world.parents["egg_1"] == Parent("bowl_2", IN) and world.room_of("egg_1") == "hand"
    assert np.linalg.norm(world.position("egg_1") - world.position("bowl_2")) == pytest.approx(np.linalg.norm(offset), abs=1e-6)
    seen = {s.entity.id for s in env.visible_entities().sightings}
    assert {"bowl_2", "egg_1"} <= seen  # the held bowl is drawn with what is in it
    do(env, "go to counter_2", "put bowl_2 at counter_2")
    assert world.holders("egg_1") == ["bowl_2", "counter_2"] and world.room_of("egg_1") == "kitchen_1"
    assert np.linalg.norm(world.position("egg_1") - world.position("bowl_2")) == pytest.approx(np.linalg.norm(offset), abs=1e-4)
    assert do(env, "pick up egg_1 from bowl_2") == (True, "You pick up egg_1.")
    assert world.contents("bowl_2") == []
    assert do(env, "go to apple_1", "go to egg_1")[0] is False  # what one holds is no place to go to


def test_boxes_in_boxes_and_no_circles(env: HouseholdEnv) -> None:
    world = begin(env)
    do(env, "go to counter_1", "pick up apple_1", "put apple_1 at bowl_1", "pick up bowl_1", "go to table_1")
    assert do(env, "put bowl_1 at box_1") == (True, "You put bowl_1 in box_1.")
    assert world.holders("apple_1") == ["bowl_1", "box_1", "table_1"]
    assert sorted(world.loaded("box_1")) == ["apple_1", "bowl_1", "phone_1"]
    assert do(env, "pick up box_1")[0]
    assert world.room_of("apple_1") == "hand"
    for holder in ("bowl_1", "box_1"):  # inside itself: out of sight, as all that is in the hand
        assert not do(env, f"put box_1 at {holder}")[0]
    with pytest.raises(ValueError, match="box_1 cannot go into bowl_1"):
        world.put_in("box_1", "bowl_1", (0, 0, 0), 0.0)
    assert do(env, "go to desk_1", "put box_1 at desk_1") == (True, "You put box_1 on desk_1.")
    assert world.holders("apple_1") == ["bowl_1", "box_1", "desk_1"]
    assert do(env, "pick up apple_1")[0]  # seen in the bowl in the box


def test_capacity(env: HouseholdEnv) -> None:
    begin(env)
    do(
        env,
        "go to counter_1",
        "pick up apple_1",
        "put apple_1 at bowl_1",
        "go to fridge_1",
        "open fridge_1",
        "pick up apple_2",
        "go to counter_1",
    )
    assert do(env, "put apple_2 at bowl_1") == (False, "Refused: apple_2 does not fit in bowl_1.")
    do(env, "go to desk_1", "put apple_2 at desk_1", "pick up ball_1", "go to table_1")
    assert do(env, "put ball_1 at plate_1")[0]
    do(env, "go to counter_2", "pick up mug_1", "go to table_1")
    assert do(env, "put mug_1 at plate_1") == (False, "Refused: mug_1 does not fit on plate_1.")
    assert do(env, "put mug_1 at phone_1") == (False, "Refused: phone_1 holds nothing.")
    assert do(env, "put mug_1 at bowl_1") == (False, "Refused: you do not see bowl_1.")


def test_a_broken_holder_holds_nothing(env: HouseholdEnv) -> None:
    world = begin(env)
    do(env, "go to counter_1", "pick up apple_1", "put apple_1 at bowl_1")
    world.set_attribute("bowl_1", "broken", True)
    spill(world, "bowl_1", np.random.default_rng(0))
    assert world.parents["apple_1"] == SPOT and check_world(world) == []
    assert do(env, "pick up apple_1", "put apple_1 at bowl_1") == (False, "Refused: bowl_1 is broken.")


def test_a_thing_that_comes_to_rest_in_a_holder_is_in_it(env: HouseholdEnv) -> None:
    world = begin(env)
    above = world.position("plate_1") + np.array((0.0, 0.0, 0.1))
    world.release("apple_1", above, 0.0)
    assert world.parents["apple_1"] == Parent("plate_1", ON) and check_world(world) == []
    do(env, "go to table_1", "pick up plate_1")
    assert world.room_of("apple_1") == "hand"


def test_reset_restores_what_was_inside_what(env: HouseholdEnv) -> None:
    world = begin(env)
    before, at, groups = world.snapshot(), world.positions(), world.model.geom_group.copy()
    do(
        env,
        "go to table_1",
        "pick up phone_1",
        "put phone_1 at plate_1",
        "pick up plate_1",
        "go to drawer_1",
        "pick up egg_1",
        "close drawer_1",
    )
    world.set_attribute("bowl_1", "broken", True)
    again = begin(env)
    assert again is world and world.snapshot() == before and check_world(world) == []
    assert all(np.array_equal(at[e], p) for e, p in world.positions().items())
    world.scenery.draw_only({r.id for r in world.house.rooms})
    assert (world.model.geom_group == groups).mean() > 0.5


def test_geometry_alone_finds_who_holds_whom() -> None:
    house = plain_house()
    points = np.array([t.position for t in house.things])
    found = Regions(house).parents(points, {"drawer_1"})
    assert found == [t.parent for t in house.things]
    shut = Regions(house).parents(points, ())
    assert shut[9] != house.things[9].parent  # the drawer is closed, the bowl hangs in the air before it
    broken = Regions(house).parents(points, {"drawer_1"}, useless={"box_1", "bowl_2"})
    assert broken[8] == Parent("table_1", ON) and broken[10] == Parent("drawer_1", IN)


def test_lying_and_endwise() -> None:
    assert [p.tilt for p in postures(Part("box", (0.1, 0.05, 0.02)))] == [UPRIGHT, LYING, ENDWISE]


@pytest.mark.parametrize("where", ["counter_1", "bowl_1"])
def test_what_is_sliced_stands_on_its_base(env: HouseholdEnv, where: str) -> None:
    world = begin(env)
    do(env, "go to counter_1", "pick up apple_1", f"put apple_1 at {where}")
    at, roll = world.position("apple_1"), times(turned(40.0), turned(0.0, LYING))
    if where == "bowl_1":
        world._rides["apple_1"] = (where, world._rides["apple_1"][1], roll)
        world._sync()
    else:
        world.bodies.put("apple_1", at, roll)
        world.bodies.sync()
    assert abs(world.bodies.rotation("apple_1")[2, 2]) < 0.1
    do(env, "pick up knife_1", "slice apple_1")
    assert world.bodies.rotation("apple_1")[2, 2] > 0.99 and np.linalg.norm(world.position("apple_1") - at) < 0.02
    assert world.parents["apple_1"].id == where


def test_a_bottle_on_its_side_breaks_upright(env: HouseholdEnv) -> None:
    world = begin(env)
    world.release("mug_1", (-0.3, 1.5, 0.96), 0.0, LYING)
    assert abs(world.bodies.rotation("mug_1")[2, 2]) < 0.1
    world.set_upright("mug_1")
    assert world.bodies.rotation("mug_1")[2, 2] > 0.99 and world.parents["mug_1"] == Parent("counter_2", ON) and check_world(world) == []


def test_what_is_set_upright_stays_where_it_is(env: HouseholdEnv) -> None:
    """A mug that leans against the open front of the microwave would tip out of it if it fell from upright."""
    world = begin(env)
    world.set_open("microwave_1", True)
    for y in (-1.5, -1.42, -1.39):
        for yaw in (0.0, 90.0, 180.0):
            world.bodies.put("mug_1", (-1.4, y, 0.87), times(turned(yaw), turned(0.0, LYING)))
            world.bodies.sync()
            world._read_parents()
            before = world.snapshot()
            assert before.parents["mug_1"] == Parent("microwave_1", IN)
            at = world.position("mug_1")
            world.set_upright("mug_1")
            assert world.snapshot() == before and np.linalg.norm(world.position("mug_1") - at) < 0.1


def test_where_upright_would_end_elsewhere_the_pose_is_left(env: HouseholdEnv) -> None:
    world = begin(env)
    edge = (-1.4, 1.282, 0.946)  # its middle is just before the edge of counter_1: upright, it falls to the floor
    world.bodies.put("mug_1", edge, turned(0.0, LYING))
    world.bodies.sync()
    world._read_parents()
    before, turn = world.snapshot(), world.bodies.rotation("mug_1")
    assert before.parents["mug_1"] == SPOT
    world.set_upright("mug_1")
    assert world.snapshot() == before and np.allclose(world.bodies.rotation("mug_1"), turn) and world.position("mug_1")[2] > 0.9
    assert np.allclose(world.position("mug_1"), edge)


@pytest.mark.parametrize(("yaw", "at_y"), [(0.0, -1.0), (0.0, 0.0), (90.0, 0.0)])
def test_a_door_pushes_a_long_thing_in_only_as_far_as_it_must(env: HouseholdEnv, yaw: float, at_y: float) -> None:
    """fridge_1 is 0.6 m deep with a back wall of 2 cm; box_1 is 0.32 m by 0.26 m."""
    world = begin(env)
    world.set_open("fridge_1", True)
    world.release("box_1", (0.7, 1.6 + at_y * 0.13, 0.145), yaw)
    assert world.parents["box_1"] == Parent("fridge_1", IN)
    was = world.position("box_1")
    world.set_open("fridge_1", False)
    if yaw == 0.0:  # inside, though not if it lay along the depth
        assert np.array_equal(world.position("box_1"), was)
    box = outline_of(world.specs["box_1"].solid, world.position("box_1"), world.bodies.rotation("box_1"))
    reach = box.reach((0.0, 1.0))
    assert box.middle[1] - reach >= 1.6 - 0.27 - 1e-6 and box.middle[1] + reach <= 1.6 + 0.28 + 1e-3
