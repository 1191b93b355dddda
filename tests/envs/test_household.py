"""The environment as a robot meets it: frames, commands, refusals, and what the detector may know."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv, HouseSpec, generate_house
from mimir_learn.envs.household import engine as engine_module
from mimir_learn.envs.household.checker import random_command
from mimir_learn.errors import ConfigError, SimulatorError
from mimir_learn.symbols import IN_HAND, Kind, Parent, Relation, to_observation
from tests.envs.plain_house import plain_house


def find(seed_from: int, wanted: str, content: bool = True) -> tuple[int, str, str]:
    """(house seed, fixture, thing in or on it) of the first house that has ``wanted`` with something in it."""
    for seed in range(seed_from, seed_from + 200):
        house = generate_house(seed)
        for f in house.fixtures:
            held = [t.id for t in house.things if t.parent.id == f.id]
            if f.category == wanted and bool(held) == content:
                return seed, f.id, held[0] if held else ""
    raise AssertionError(wanted)


def see(env: HouseholdEnv) -> dict[str, int]:
    return {s.entity.id: s.pixels for s in env.visible_entities().sightings}


def do(env: HouseholdEnv, *commands: str) -> tuple[bool, str]:
    for command in commands:
        info = env.step(command)[4]
    return info["success"], info["feedback"]


@pytest.mark.filterwarnings("ignore:.*WARN.*")
def test_gymnasium_checker() -> None:
    env = HouseholdEnv(HouseholdConfig(image_size=32, max_steps=5), render_mode="rgb_array")
    check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("house", ["generated", "by hand"])
def test_same_seed_same_bytes_also_when_the_house_is_reused(env: HouseholdEnv, house: str) -> None:
    """Every verb and every fault kind, in a new environment and in one that has been in this house and in another one before."""
    options = {"house_seed": 3} if house == "generated" else {"house": plain_house()}
    fresh = HouseholdEnv(HouseholdConfig(max_steps=10_000))
    runs = [played(env, options)]
    env.reset(seed=1, options={"house_seed": 4})
    env.step("look")
    runs += [played(env, options), played(fresh, options)]
    fresh.close()
    assert runs[0] == runs[1] == runs[2]
    assert len(set(runs[0])) > 60


def played(env: HouseholdEnv, options: dict[str, object], n: int = 90) -> list[tuple[object, ...]]:
    """What an episode of random commands shows, says and truly does."""
    frame, _ = env.reset(seed=3, options={**options, "faults": FaultRates.level(0.5)})
    rng = np.random.default_rng(3)
    out = []
    for _ in range(n):
        state = env.privileged_state()
        out.append((*(v.tobytes() for v in frame.values()), state.fault, state.moved, state.snapshot.to_json()))
        percept = env.visible_entities()
        assert env._skills is not None
        frame, _, _, _, info = env.step(random_command(percept, env._skills.world.house, state.snapshot.hand, rng))
        out.append((info["success"], info["feedback"]))
    return out


def test_frames_are_what_a_posed_rgbd_camera_gives(env: HouseholdEnv) -> None:
    checked, floors = 0, []
    for seed in range(3):
        obs, info = env.reset(seed=seed, options={"house_seed": seed})
        specs = {t.id: t for t in generate_house(seed).things}
        for place in info["places"]:
            obs = env.step(f"go to {place.entity.id}")[0]
            frame = to_observation(obs)
            assert np.allclose(frame.pose[:3, :3] @ frame.pose[:3, :3].T, np.eye(3), atol=1e-9)
            height = frame.unproject()[..., 2]
            assert np.nanmin(height) > -0.01
            floors.append((np.abs(height) < 0.01).mean() > 0.02)
            positions = env.privileged_state().positions
            for s in env.visible_entities().sightings:
                if s.entity.kind is Kind.OBJECT and s.parent.id == place.entity.id:
                    size = specs[s.entity.id].radius + specs[s.entity.id].half_height
                    assert np.linalg.norm(s.point - positions[s.entity.id]) < size  # depth, intrinsics and pose agree with the world
                    uv, z = frame.project(positions[s.entity.id])
                    assert z[0] > 0 and (uv > -8).all() and (uv < 136).all()
                    checked += 1
    assert checked > 15 and np.mean(floors) > 0.8  # the floor is where it should be; before a wall cabinet one does not see it


@pytest.mark.parametrize("place", ["fridge", "cabinet", "drawer", "microwave", "wardrobe", "washer", "safe"])
def test_closed_hides_and_open_shows(env: HouseholdEnv, place: str) -> None:
    seed, fixture, thing = find(0, place)
    env.reset(seed=0, options={"house_seed": seed})
    do(env, f"go to {fixture}", f"open {fixture}", f"close {fixture}")
    for _ in range(3):
        do(env, "look")
        assert thing not in see(env)
    shut = env.render()
    assert fixture not in env.visible_entities().viewed
    assert do(env, f"pick up {thing} from {fixture}") == (False, f"Refused: {fixture} is closed.")
    assert do(env, f"open {fixture}") == (True, f"You open {fixture}.")
    assert see(env).get(thing, 0) >= 10
    assert fixture in env.visible_entities().viewed
    assert (np.abs(env.render().astype(int) - shut).max(-1) > 25).mean() > 0.02
    assert do(env, f"pick up {thing} from {fixture}")[0]
    assert env.privileged_state().snapshot.parents[thing] == IN_HAND


@pytest.mark.parametrize("device", ["lamp", "desk_lamp", "tv", "faucet", "microwave"])
def test_on_is_visible_in_pixels(env: HouseholdEnv, device: str) -> None:
    seed, fixture, _ = find(0, device, content=False)
    env.reset(seed=0, options={"house_seed": seed})
    do(env, f"go to {fixture}", f"close {fixture}", f"turn on {fixture}", f"turn off {fixture}")
    off = env.render()
    assert do(env, f"turn on {fixture}") == (True, f"You turn on {fixture}.")
    assert (np.abs(env.render().astype(int) - off).max(-1) > 60).sum() > 60
    sighting = next(s for s in env.visible_entities().sightings if s.entity.id == fixture)
    assert sighting.attributes["on"] is True


def test_contents_ride_with_the_drawer(env: HouseholdEnv) -> None:
    seed, drawer, thing = find(0, "drawer")
    env.reset(seed=0, options={"house_seed": seed})
    do(env, f"go to {drawer}", f"open {drawer}", f"close {drawer}")
    shut = env.privileged_state().positions[thing]
    do(env, f"open {drawer}")
    moved = env.privileged_state().positions[thing] - shut
    assert np.linalg.norm(moved) == pytest.approx(0.36, abs=0.02)
    assert env.privileged_state().snapshot.parents[thing] == Parent(drawer, Relation.IN)


def test_held_thing_is_in_view_and_placed_thing_rests_where_it_was_put(env: HouseholdEnv) -> None:
    for seed in range(6):
        _, info = env.reset(seed=seed, options={"house_seed": seed})
        house = generate_house(seed)
        thing = next(t for t in house.things if house.fixture(t.parent.id).attributes.get("open", True))
        do(env, f"go to {thing.parent.id}", f"pick up {thing.id}")
        for place in info["places"]:
            do(env, f"go to {place.entity.id}")
            assert see(env).get(thing.id, 0) >= 100, place
        target = next(f for f in house.fixtures if f.category in ("counter", "table"))
        do(env, f"go to {target.id}")
        assert do(env, f"put {thing.id} at {target.id}") == (True, f"You put {thing.id} on {target.id}.")
        state = env.privileged_state()
        assert state.snapshot.parents[thing.id] == Parent(target.id, Relation.ON)
        assert state.fault == "" and state.snapshot.hand is None
        assert see(env).get(thing.id, 0) >= 10


def test_refusals_say_why_and_change_nothing(env: HouseholdEnv) -> None:
    seed, fridge, food = find(0, "fridge")
    env.reset(seed=1, options={"house_seed": seed})
    house = generate_house(seed)
    other = next(t.id for t in house.things if t.parent.id != fridge)
    counter = next(f.id for f in house.fixtures if f.category == "counter")
    faucet = next(f.id for f in house.fixtures if f.category == "faucet")
    do(env, f"go to {fridge}", f"open {fridge}", f"close {fridge}")
    before = env.privileged_state().snapshot
    cases = {
        "dance": 'I do not understand "dance"',
        "go to nowhere_1": "there is no nowhere_1",
        "go to hand": "there is no hand",
        f"go to {food}": f"you do not see {food}",
        f"pick up {food}": f"you do not see {food}",
        f"pick up {food} from {counter}": f"you are not near {counter}",
        f"put {food} at {fridge}": "your hand is empty",
        f"open {counter}": f"{counter} cannot be opened",
        f"close {fridge}": f"{fridge} is already closed",
        f"turn on {fridge}": f"{fridge} cannot be turned on or off",
        f"turn on {faucet}": f"you are not near {faucet}",
    }
    for command, reason in cases.items():
        assert do(env, command) == (False, f"Refused: {reason}.")
        state = env.privileged_state()
        assert state.snapshot == before and state.fault == ""
    do(env, f"open {fridge}", f"pick up {food}")
    assert do(env, f"open {fridge}")[1] == f"Refused: {fridge} is already open."
    assert do(env, f"pick up {food}")[1] == "Refused: your hand is full."
    assert do(env, f"put {other} at {fridge}")[1] == f"Refused: you are not holding {other}."
    assert do(env, f"put {food} at {counter}")[1] == f"Refused: you are not near {counter}."
    do(env, f"go to {faucet}")
    assert do(env, f"put {food} at {faucet}")[1] == f"Refused: {faucet} holds nothing."
    for _ in range(2):
        success, text = do(env, f"turn on {faucet}")
    assert (success, text) == (False, f"Refused: {faucet} is already on.")


def test_refusals_do_not_tell_which_things_there_are(env: HouseholdEnv) -> None:
    """Commands about a thing that is somewhere else and about one that is nowhere: the same words."""
    for seed in range(6):
        env.reset(seed=0, options={"house_seed": seed})
        house = generate_house(seed)
        spot = next(f.id for f in house.fixtures if f.category == "counter")
        absent = next(t for t in house.things if house.fixture(t.parent.id).room != house.fixture(spot).room)
        invented = f"{absent.category}_9"
        held = next(t.id for t in house.things if house.fixture(t.parent.id).attributes.get("open", True) and t is not absent)
        source = next(t.parent.id for t in house.things if t.id == held)
        forms = ["go to {}", "pick up {}", "pick up {} from " + spot, f"pick up {held} from {{}}", "open {}", "close {}", "turn on {}"]
        forms += ["turn off {}", "put {} at " + spot, f"put {held} at {{}}"]
        do(env, f"go to {spot}")
        assert do(env, f"go to {invented}") == (False, f"Refused: you do not see {invented}.")
        assert do(env, f"pick up {invented}") == (False, f"Refused: you do not see {invented}.")
        for setup in ((), (f"go to {source}", f"pick up {held}", f"go to {spot}")):  # with an empty and with a full hand
            if setup:
                assert do(env, *setup)[0]
            for form in forms:
                real, made_up = (do(env, form.format(x)) for x in (absent.id, invented))
                assert not real[0] and not made_up[0] and real[1].replace(absent.id, invented) == made_up[1]
    for name in ("nowhere_1", "fridge_77", "hand", "mug", "mug_x"):
        assert do(env, f"go to {name}") == (False, f"Refused: there is no {name}.")


def test_frames_are_the_callers_own(env: HouseholdEnv) -> None:
    seed, shelf, thing = find(0, "counter")
    first, _ = env.reset(seed=0, options={"house_seed": seed})
    kept = {k: v.copy() for k, v in first.items()}
    obs = env.step(f"go to {shelf}")[0]
    assert all(np.array_equal(first[k], kept[k]) for k in kept)  # a frame kept is not drawn over
    before = env.visible_entities()
    picture = env.render()
    for array in obs.values():
        array[:] = 0
    assert thing in see(env)
    assert [(s.entity.id, s.pixels, tuple(s.point)) for s in env.visible_entities().sightings] == [
        (s.entity.id, s.pixels, tuple(s.point)) for s in before.sightings
    ]
    assert np.array_equal(env.render(), picture) and picture.any()
    picture[:] = 0
    assert env.render().any()
    again = env.step("wait")[0]
    assert again["intrinsics"][2, 2] == 1 and np.array_equal(again["intrinsics"], kept["intrinsics"])


def test_the_detector_sees_alike_at_every_size() -> None:
    """What is reported at 128×128 is reported at 64×64 and at 256×256, but for the odd thing at the limit."""
    found: dict[int, set[tuple[str, str]]] = {}
    for size in (64, 128, 256):
        env = HouseholdEnv(HouseholdConfig(image_size=size, max_steps=10_000))
        found[size] = set()
        for seed in range(3):
            _, info = env.reset(seed=0, options={"house_seed": seed})
            for place in info["places"]:
                env.step(f"go to {place.entity.id}")
                found[size] |= {(f"{seed} {place.entity.id}", thing) for thing in see(env)}
        env.close()
    assert len(found[128]) > 100
    assert len(found[64] ^ found[128]) < 0.04 * len(found[128])
    assert len(found[256] ^ found[128]) < 0.04 * len(found[128])


def test_sampled_text_is_refused_not_raised(env: HouseholdEnv) -> None:
    env.reset(seed=0, options={"house_seed": 0})
    env.action_space.seed(0)
    for _ in range(10):
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert not info["success"] and info["feedback"].startswith("Refused: I do not understand")
        assert (reward, terminated, truncated) == (0.0, False, False)


def test_floor_is_a_place_and_things_on_it_can_be_walked_up_to(env: HouseholdEnv) -> None:
    walked = 0
    for seed in range(8):
        env.reset(seed=seed, options={"house_seed": seed})
        house = generate_house(seed)
        thing = next(t for t in house.things if house.fixture(t.parent.id).attributes.get("open", True))
        room = house.fixture(thing.parent.id).room
        do(env, f"go to {thing.parent.id}", f"pick up {thing.id}", f"go to {room}")
        assert do(env, f"put {thing.id} at {room}") == (True, f"You put {thing.id} on the floor of {room}.")
        assert env.privileged_state().snapshot.parents[thing.id] == Parent(room, Relation.ROOM)
        for _ in range(4):
            if thing.id in see(env):
                assert do(env, f"go to {thing.id}") == (True, f"You are at {thing.id}.")
                assert see(env)[thing.id] >= 25
                assert env.visible_entities().at == room
                assert do(env, f"pick up {thing.id}")[0]
                walked += 1
                break
            do(env, "look")
    assert walked >= 6


def test_derived_attributes_follow_the_causal_rules(env: HouseholdEnv) -> None:
    house_seed, sink, _ = find(0, "sink", content=False)
    house = generate_house(house_seed)
    faucet = next(f.id for f in house.fixtures if f.parent.id == sink)
    microwave, fridge = (next(f.id for f in house.fixtures if f.category == c) for c in ("microwave", "fridge"))
    food = next(
        t for t in house.things if t.category in ("mug", "bowl", "plate", "apple") and house.fixture(t.parent.id).category != "microwave"
    )
    env.reset(seed=0, options={"house_seed": house_seed})

    def attribute(name: str) -> bool:
        return env.privileged_state().snapshot.attributes[food.id, name]

    source = food.parent.id
    do(env, f"go to {source}", f"open {source}", f"pick up {food.id}", f"go to {sink}", f"put {food.id} at {sink}")
    do(env, f"turn off {faucet}")
    assert not attribute("cleaned")
    do(env, f"turn on {faucet}")
    assert attribute("cleaned")
    do(env, f"pick up {food.id}", f"go to {fridge}", f"open {fridge}", f"put {food.id} at {fridge}", f"close {fridge}")
    assert attribute("cooled") and not attribute("heated")
    do(env, f"open {fridge}", f"pick up {food.id}", f"go to {microwave}", f"turn off {microwave}", f"open {microwave}")
    do(env, f"put {food.id} at {microwave}", f"turn on {microwave}")
    assert not attribute("heated")  # the door stands open
    do(env, f"turn off {microwave}", f"close {microwave}", f"turn on {microwave}")
    assert attribute("heated") and not attribute("cooled")


def test_episodes_truncate_and_options_are_checked() -> None:
    small = HouseholdEnv(HouseholdConfig(image_size=32, max_steps=2))
    with pytest.raises(ConfigError, match="reset"):
        small.step("look")
    house = generate_house(5)
    obs, info = small.reset(seed=0, options={"house": HouseSpec.from_json(house.to_json())})
    assert obs["rgb"].shape == (32, 32, 3) and info["places"] == house.places
    assert [small.step("wait")[3] for _ in range(2)] == [False, True]
    with pytest.raises(ConfigError, match="houseseed"):
        small.reset(options={"houseseed": 1})
    with pytest.raises(ConfigError, match="not both"):
        small.reset(options={"house_seed": 1, "house": house})
    small.close()
    with pytest.raises(ConfigError, match="image_size"):
        HouseholdConfig(image_size=8)


def test_no_gl_driver_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setitem(sys.modules, "mujoco.egl", None)  # what an absent libEGL amounts to: the import fails
    env = HouseholdEnv(HouseholdConfig(image_size=32))
    with pytest.raises(SimulatorError, match=r"libegl1 libgles2.*MUJOCO_GL=egl.*libosmesa6.*MUJOCO_GL=osmesa"):
        env.reset(seed=0, options={"house_seed": 0})


def test_backend_is_chosen_by_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    for installed, backend in (("EGL", "egl"), ("OSMesa", "osmesa"), ("none", "")):
        monkeypatch.setattr(engine_module, "_loads", lambda *names, lib=installed: any(lib in n for n in names))
        assert engine_module.choose_backend() == backend
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    assert engine_module.choose_backend() == "osmesa"
