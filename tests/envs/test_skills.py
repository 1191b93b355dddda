"""Every skill: when it succeeds, what it changes, why it is refused, and how that is said in three styles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv
from mimir_learn.envs.household.checker import check_world
from mimir_learn.envs.household.placing import Spot, on_fixture, on_floor
from mimir_learn.envs.household.reports import _DONE, _FAILED, _REFUSALS, STYLES, Report, render
from mimir_learn.envs.household.skills import Skills, handling
from mimir_learn.envs.household.spec import Viewpoint
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.errors import ConfigError
from mimir_learn.symbols import IN_HAND, Delta, Parent, ParentChange, Relation, StateChange
from tests.envs.plain_house import plain_house

IN, ON = Relation.IN, Relation.ON


def begin(env: HouseholdEnv, *commands: str) -> Skills:
    env.reset(seed=0, options={"house": plain_house()})
    assert env._skills is not None
    for command in commands:
        assert env.step(command)[4]["success"], command
    return env._skills


def apply(env: HouseholdEnv, command: str) -> tuple[Delta, bool, str]:
    before = env.privileged_state().snapshot
    info = env.step(command)[4]
    assert env._skills is not None and check_world(env._skills.world, env._skills.stance.view) == []
    state = env.privileged_state()
    assert state.fault == "" and state.at == env._skills.stance.at
    return before.diff(state.snapshot), info["success"], info["feedback"]


def refused(env: HouseholdEnv, command: str) -> str:
    """The reason; that nothing has changed is checked."""
    delta, success, text = apply(env, command)
    assert not delta and not success and text.startswith("Refused: ") and text.endswith(".")
    return text.removeprefix("Refused: ").removesuffix(".")


def seen(env: HouseholdEnv) -> set[str]:
    return {s.entity.id for s in env.visible_entities().sightings}


def test_slice(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1")
    assert refused(env, "slice knife_1") == "knife_1 cannot be sliced"
    assert refused(env, "slice apple_1") == "you hold nothing to slice with"
    assert apply(env, "pick up bowl_1")[1]
    assert refused(env, "slice apple_1") == "you hold nothing to slice with"
    assert apply(env, "put bowl_1 at counter_1")[1] and apply(env, "pick up knife_1")[1]
    assert refused(env, "slice apple_2") == refused(env, "slice apple_9").replace("_9", "_2") == "you do not see apple_2"
    whole = env.render().astype(int)
    assert apply(env, "slice apple_1") == (Delta([StateChange("apple_1", "sliced", False, True)]), True, "You slice apple_1.")
    assert (np.abs(env.render().astype(int) - whole).max(-1) > 40).sum() > 10  # seen
    assert refused(env, "slice apple_1") == "apple_1 is already sliced"
    assert refused(env, "slice counter_1") == "counter_1 cannot be sliced"


def test_fill_and_pour(env: HouseholdEnv) -> None:
    begin(env, "go to counter_2")
    assert refused(env, "fill mug_1 at faucet_1") == "your hand is empty"
    assert apply(env, "pick up mug_1")[1]
    assert refused(env, "fill mug_2 at faucet_1") == "you are not holding mug_2"
    assert refused(env, "fill mug_1 at faucet_1") == "you are not near faucet_1"
    assert refused(env, "fill mug_1 at sink_1") == "sink_1 gives no water"
    assert refused(env, "pour mug_1 into mug_2") == "mug_1 is empty"
    assert apply(env, "go to sink_1")[1]
    before = env.render().astype(int)
    assert apply(env, "fill mug_1 at faucet_1") == (
        Delta([StateChange("mug_1", "filled", False, True)]),
        True,
        "You fill mug_1 at faucet_1.",
    )
    assert (np.abs(env.render().astype(int) - before).max(-1) > 40).sum() > 10  # seen in the hand
    assert refused(env, "fill mug_1 at faucet_1") == "mug_1 is already filled"
    assert refused(env, "pour mug_1 into faucet_1") == "nothing can be poured into faucet_1"
    assert "mug_2" not in seen(env) and refused(env, "pour mug_1 into mug_2") == "you do not see mug_2"
    assert apply(env, "go to counter_2")[1]
    assert refused(env, "pour mug_1 into sink_1") == "you are not near sink_1"
    poured = Delta([StateChange("mug_1", "filled", True, False), StateChange("mug_2", "filled", False, True)])
    assert apply(env, "pour mug_1 into mug_2") == (poured, True, "You pour mug_1 into mug_2.")
    assert apply(env, "go to faucet_1")[1] and apply(env, "fill mug_1 at faucet_1")[1]
    assert apply(env, "pour mug_1 into sink_1") == (
        Delta([StateChange("mug_1", "filled", True, False)]),
        True,
        "You pour mug_1 into sink_1.",
    )
    assert apply(env, "fill mug_1 at faucet_1")[1] and apply(env, "go to counter_2")[1]
    assert refused(env, "pour mug_1 into mug_2") == "mug_2 is already filled"


def test_what_is_no_vessel(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1", "pick up apple_1", "go to sink_1")
    assert refused(env, "fill apple_1 at faucet_1") == "apple_1 cannot be filled"
    assert refused(env, "pour apple_1 into sink_1") == "apple_1 cannot be filled"
    world = begin(env, "go to counter_2", "pick up mug_1", "go to sink_1", "fill mug_1 at faucet_1").world
    world.set_attribute("mug_2", "broken", True)
    world.set_attribute("bowl_1", "broken", True)
    env.step("go to counter_2")
    assert refused(env, "pour mug_1 into mug_2") == "mug_2 is broken"
    env.step("put mug_1 at counter_2")
    env.step("pick up mug_2")
    env.step("go to sink_1")
    assert refused(env, "fill mug_2 at faucet_1") == "mug_2 is broken"


def test_the_head_tilts_one_notch_and_levels_on_moving(env: HouseholdEnv) -> None:
    skills = begin(env, "go to counter_1")
    level = env.render()
    assert env.visible_entities().viewed == {"counter_1"}
    for up, down, word in (("up", "down", "higher"), ("down", "up", "lower")):
        assert apply(env, f"look {up}") == (Delta(), True, f"You look {up}.")
        assert skills.stance.view.eye == skills.stance.views[0].eye and env.visible_entities().viewed == frozenset()
        assert refused(env, f"look {up}") == f"you cannot look any {word}"
        assert apply(env, f"look {down}")[1] and np.array_equal(env.render(), level)
    pitch = [np.degrees(np.arcsin(env.step(c)[0]["pose"][2, 2])) for c in ("wait", "look up")]
    assert pitch[1] - pitch[0] == pytest.approx(25.0, abs=0.01)
    apply(env, "look")
    assert skills.stance.tilt == 0 and skills.stance.index == 1
    apply(env, "look down")
    apply(env, "go to counter_1")
    assert (skills.stance.tilt, skills.stance.index) == (0, 0) and np.array_equal(env.render(), level)


def test_the_held_thing_stays_in_the_picture_with_the_head_tilted(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1", "pick up bowl_1")
    for command in ("look up", "look down", "look down"):
        env.step(command)
        assert "bowl_1" in seen(env)


def test_a_laptop_is_switched_open_only(env: HouseholdEnv) -> None:
    begin(env, "go to laptop_1")
    assert refused(env, "turn on laptop_1") == "laptop_1 is closed"
    assert apply(env, "open laptop_1")[1]
    assert apply(env, "turn on laptop_1") == (Delta([StateChange("laptop_1", "on", False, True)]), True, "You turn on laptop_1.")
    assert refused(env, "open laptop_1") == "laptop_1 is already open"
    begin(env, "go to desk_1", "open laptop_1")  # it stands on the desk


def test_burners_and_ovens_are_at_hand_together(env: HouseholdEnv) -> None:
    begin(env, "go to burner_1", "open oven_1", "turn on oven_1", "go to oven_1", "turn on burner_1")
    assert {"oven_1", "burner_1"} <= env.visible_entities().viewed


def test_putting_in_movable_things(env: HouseholdEnv) -> None:
    begin(env, "go to counter_1", "pick up apple_1")
    assert apply(env, "put apple_1 at bowl_1") == (
        Delta([ParentChange("apple_1", IN_HAND, Parent("bowl_1", IN))]), True, "You put apple_1 in bowl_1.",
    )  # fmt: skip
    assert "apple_1" in seen(env)
    assert apply(env, "pick up apple_1 from bowl_1")[1] and apply(env, "go to table_1")[1]
    assert refused(env, "put apple_1 at bowl_1") == "you do not see bowl_1"
    assert refused(env, "put apple_1 at bowl_9") == "you do not see bowl_9"
    assert refused(env, "put apple_1 at phone_9") == "phone_9 holds nothing"
    assert apply(env, "put apple_1 at plate_1")[2] == "You put apple_1 on plate_1."
    assert apply(env, "go to apple_1") == (Delta(), True, "You are at apple_1.")
    assert env.privileged_state().at == "table_1"


def test_what_does_not_fit_is_refused(env: HouseholdEnv) -> None:
    begin(env, "go to table_1", "pick up box_1", "go to burner_1")
    assert refused(env, "put box_1 at burner_1") == "box_1 does not fit on burner_1"
    begin(env, "go to table_1", "pick up box_1", "go to sink_1", "put box_1 at sink_1", "go to counter_1", "pick up bowl_1", "go to sink_1")
    assert apply(env, "put bowl_1 at sink_1")[1]  # in a container it may lie on top of another
    begin(env, "go to counter_1", "pick up apple_1", "go to fridge_1")
    assert refused(env, "put apple_1 at fridge_1") == "fridge_1 is closed"


def test_what_stands_ajar_is_no_use_until_open(env: HouseholdEnv) -> None:
    world = begin(env, "go to fridge_1").world
    world.set_ajar("fridge_1")
    assert world.attributes["fridge_1", "open"] is False
    env.step("wait")
    assert refused(env, "pick up apple_2 from fridge_1") == "fridge_1 is closed"
    assert "fridge_1" not in env.visible_entities().viewed
    if "apple_2" in seen(env):
        assert refused(env, "pick up apple_2") == "fridge_1 is closed"
    assert apply(env, "close fridge_1") == (Delta(), True, "You close fridge_1.")
    assert not world.is_ajar("fridge_1") and refused(env, "close fridge_1") == "fridge_1 is already closed"
    world.set_ajar("fridge_1")
    assert apply(env, "open fridge_1") == (Delta([StateChange("fridge_1", "open", False, True)]), True, "You open fridge_1.")


def test_things_in_the_next_room_are_seen_but_not_reached(env: HouseholdEnv) -> None:
    world = begin(env, "go to livingroom_1").world
    world.release("ball_1", (1.0, 0.0, 0.07), 0.0)  # before the doorway, on the kitchen's side
    met = 0
    for _ in range(4):
        if "ball_1" in seen(env):
            assert refused(env, "pick up ball_1") == "you are not near ball_1"
            met += 1
        env.step("look")
    assert met
    for _ in range(4):
        if "ball_1" in seen(env):
            assert apply(env, "go to ball_1")[1] and env.privileged_state().at == "kitchen_1"
            assert apply(env, "pick up ball_1")[1]
            break
        env.step("look")


# --- reports


@pytest.mark.parametrize("style", STYLES)
def test_every_code_has_words_in_every_style(style: str) -> None:
    said = set()
    for ok, table in ((True, _DONE), (False, _FAILED), (False, _REFUSALS)):
        for code in table:
            outcome = render(Report(ok, code, x="mug_1", p="bowl_1", word="in", where="fridge_1"), style)
            assert outcome.success is ok and "{" not in outcome.text and outcome.text.endswith(".")
            said.add(outcome.text)
            if style == "plain":
                assert outcome.text.startswith("Refused: ") is (table is _REFUSALS)
            if style == "habitat":
                assert outcome.text.startswith("Valid: " if ok else "Invalid: ")
    if style == "alfred":
        assert sum(render(Report(True, c, x="a", p="b"), style).text in said for c in _DONE) == len(_DONE)
        assert len({render(Report(True, c, x="a", p="b"), style).text for c in _DONE}) == 1  # one sentence for every success


def test_only_the_alfred_style_tells_where_an_unseen_thing_is() -> None:
    report = Report(False, "unseen", x="mug_1", where="fridge_1")
    assert "fridge_1" in render(report, "alfred").text
    assert "fridge_1" not in render(report, "plain").text and "fridge_1" not in render(report, "habitat").text


def test_the_environment_speaks_the_style_it_is_told() -> None:
    said = {}
    for style in STYLES:
        env = HouseholdEnv(HouseholdConfig(image_size=32, feedback_style=style))
        env.reset(seed=0, options={"house": plain_house()})
        said[style] = [env.step(c)[4]["feedback"] for c in ("go to table_1", "pick up apple_2", "pick up apple_7", "go to desk_1")]
        env.close()
    assert said["plain"] == [
        "You are at table_1.",
        "Refused: you do not see apple_2.",
        "Refused: you do not see apple_7.",
        "You are at desk_1.",
    ]
    assert said["alfred"][0] == said["alfred"][3] and "fridge_1" in said["alfred"][1] and "fridge_1" not in said["alfred"][2]
    assert said["habitat"][0] == "Valid: at(table_1)." and said["habitat"][1] == "Invalid: visible(apple_2) does not hold."
    with pytest.raises(ConfigError, match="feedback_style"):
        HouseholdConfig(feedback_style="loud")


def test_refusals_do_not_depend_on_things_out_of_sight(env: HouseholdEnv) -> None:
    """For every verb and category of thing: one that is shut away and one that does not exist get the same words."""
    begin(env, "go to counter_2", "pick up mug_1", "go to sink_1", "fill mug_1 at faucet_1", "go to table_1")
    hidden = "apple_2"
    forms = [
        "go to {}",
        "pick up {}",
        "slice {}",
        "pour mug_1 into {}",
        "put mug_1 at {}",
        "fill {} at faucet_1",
        "pour {} into sink_1",
        "open {}",
    ]
    forms += ["close {}", "turn on {}", "put {} at table_1", "pick up phone_1 from {}"]
    for form in forms:
        real, made_up = (refused(env, form.format(x)) for x in (hidden, "apple_9"))
        assert real.replace(hidden, "apple_9") == made_up


def test_tools_and_relations_come_from_the_vocabulary() -> None:
    serving = {v: sorted(s.name for s in VOCABULARY.categories.values() if v in s.tool_for) for v in ("slice", "fill", "pour")}
    assert serving == {"slice": ["knife"], "fill": ["faucet"], "pour": ["bathtub", "sink", "toilet"]}


def test_faults_off_means_none(env: HouseholdEnv) -> None:
    env.reset(seed=1, options={"house": plain_house(), "faults": FaultRates()})
    for command in (
        "go to counter_1",
        "pick up apple_1",
        "put apple_1 at bowl_1",
        "pick up knife_1",
        "slice apple_1",
        "go to table_1",
        "wait",
    ):
        assert apply(env, command)[1]


def test_the_floor_of_a_room_is_not_that_of_the_next_one(env: HouseholdEnv) -> None:
    """Seen through the doorway, the next room has free floor in view as well."""
    view = Viewpoint((1.0, 0.0, 1.4), (2.2, 0.0, 0.0))  # straight through it
    skills = begin(env)
    world = skills.world
    egg, rng = replace(world.specs["egg_1"], id="egg"), np.random.default_rng(0)
    spots = [on_floor(world, egg, view, rng) for _ in range(60)]
    assert {world.regions.room_at(np.array(s.at)) for s in spots if s is not None} == {"kitchen_1", "livingroom_1"}
    for room in ("kitchen_1", "livingroom_1"):
        named = [on_floor(world, egg, view, rng, unseen=True, room=room) for _ in range(60)]
        assert {world.regions.room_at(np.array(s.at)) for s in named if s is not None} == {room}
    for k in range(12):
        env.reset(seed=k, options={"house": plain_house(), "faults": FaultRates()})
        robot, world = skills_of(env).robot, skills_of(env).world
        robot.stance = replace(robot.stance, at="kitchen_1", room="kitchen_1", views=(view,), index=0)
        world.hold("mug_2", view)
        assert apply(env, "put mug_2 at kitchen_1")[1:] == (True, "You put mug_2 on the floor of kitchen_1.")
        assert world.parents["mug_2"] == Parent("kitchen_1", Relation.ROOM)


def test_what_rolls_out_of_the_room_is_not_on_its_floor(env: HouseholdEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    skills = begin(env, "go to counter_2", "pick up mug_2")
    monkeypatch.setattr(handling, "on_floor", lambda *a, **k: Spot((3.2, 0.0, 0.06), 0.0))
    info = env.step("put mug_2 at kitchen_1")[4]
    assert (info["success"], info["feedback"]) == (False, "mug_2 slips from your hand.")
    assert env.privileged_state().fault == "beside" and skills.world.room_of("mug_2") == "livingroom_1"


def test_what_lands_in_a_vessel_that_stands_in_the_target_is_in_the_target(env: HouseholdEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    skills = begin(env, "go to counter_1", "pick up bowl_1", "go to sink_1", "put bowl_1 at sink_1", "go to counter_1", "pick up apple_1")
    world, rng = skills.world, np.random.default_rng(0)
    bowl = world.position("bowl_1")
    for _ in range(30):  # there is room beside the bowl
        spot = on_fixture(world, world.fixtures["sink_1"], world.specs["apple_1"], rng)
        assert spot is not None and np.hypot(*(np.array(spot.at) - bowl)[:2]) > 0.09 + 0.04
    monkeypatch.setattr(handling, "on_fixture", lambda *a, **k: Spot((bowl[0], bowl[1], bowl[2] + 0.1), 0.0))
    env.step("go to sink_1")
    delta, success, text = apply(env, "put apple_1 at sink_1")
    assert (success, text) == (True, "You put apple_1 in sink_1.")
    assert delta == Delta([ParentChange("apple_1", IN_HAND, Parent("bowl_1", IN))]) and world.holders("apple_1") == ["bowl_1", "sink_1"]


def skills_of(env: HouseholdEnv) -> Skills:
    assert env._skills is not None
    return env._skills
