"""Adapter, robot facade, Replan and stepwise use."""

from dataclasses import replace

import numpy as np
import pytest

from mimir_learn.agent import HouseholdAdapter, MimirAgent, Robot, plan, replan, run_episode
from mimir_learn.errors import ConfigError, ObservationError, SymbolError
from mimir_learn.feedback import GateConfig, make_source
from mimir_learn.memory import Status, ground, make_query, recall
from mimir_learn.symbols import Action, ObjectQuery, Outcome, Percept, Sighting, Task, Verb

from ..doubles import entity
from .symbolic_house import SymbolicHouse, at, bring, make

COMMANDS = [
    (Action(Verb.NAVIGATE, None, "sink_1"), "go to sink_1"),
    (Action(Verb.NAVIGATE, "mug_1"), "go to mug_1"),
    (Action(Verb.PICK, "mug_1"), "pick up mug_1"),
    (Action(Verb.PICK, "mug_1", "sink_1"), "pick up mug_1 from sink_1"),
    (Action(Verb.PLACE, "mug_1", "kitchen_1"), "put mug_1 at kitchen_1"),
    (Action(Verb.OPEN, None, "fridge_1"), "open fridge_1"),
    (Action(Verb.CLOSE, None, "fridge_1"), "close fridge_1"),
    (Action(Verb.TOGGLE_ON, "lamp_1"), "turn on lamp_1"),
    (Action(Verb.TOGGLE_OFF, "lamp_1"), "turn off lamp_1"),
    (Action(Verb.LOOK), "look"),
    (Action(Verb.WAIT), "wait"),
    (Action(Verb.SLICE, "apple_1"), "slice apple_1"),
    (Action(Verb.SLICE, "apple_1", "table_1"), "slice apple_1"),
    (Action(Verb.FILL, "mug_1", "faucet_1"), "fill mug_1 at faucet_1"),
    (Action(Verb.POUR, "mug_1", "sink_1"), "pour mug_1 into sink_1"),
    (Action(Verb.LOOK_UP), "look up"),
    (Action(Verb.LOOK_DOWN), "look down"),
]


@pytest.mark.parametrize(
    ("success", "text", "refused"),
    [(False, "Refused: your hand is full.", True), (False, "mug_1 lands beside sink_1.", False), (False, "", False), (True, "", False)],
)
def test_what_the_household_calls_a_refusal(success, text, refused):
    assert HouseholdAdapter().refused(Outcome(success, text)) is refused


@pytest.mark.parametrize(("action", "command"), COMMANDS)
def test_household_grammar(action, command):
    assert HouseholdAdapter().command(action) == command


def agent_for(env, task, source="privileged", adapter=None, seed=0):
    robot = Robot(env)
    observation = robot.reset(seed=seed)
    src = make_source(source, privileged=env.privileged_state)
    agent = MimirAgent(robot.vocabulary, robot.places, task, adapter or HouseholdAdapter(), src, src, GateConfig())
    return robot, agent, observation


def test_feedback_text_settings():
    seen = {}
    for setting in ("full", "flag_only", "off"):
        robot = Robot(SymbolicHouse({"mug_1": at("table_1")}), setting)
        robot.reset(seed=0)
        seen[setting] = robot.step("go to nowhere").outcome
    assert (seen["full"].success, seen["full"].text) == (False, "Refused: there is no nowhere.")
    assert (seen["flag_only"].success, seen["flag_only"].text) == (False, "")
    assert (seen["off"].success, seen["off"].text) == (True, "")
    with pytest.raises(ConfigError, match="feedback_text"):
        Robot(SymbolicHouse({}), "loud")


def test_a_broken_frame_is_one_clear_error():
    class Blind(SymbolicHouse):
        def _frame(self):
            return super()._frame() | {"depth": np.full((2, 2), np.nan, np.float32)}

    with pytest.raises(ObservationError, match="NaN"):
        Robot(Blind({})).reset(seed=0)


def test_replan_is_used_where_the_embodiment_lacks_a_form():
    class NoFrom(HouseholdAdapter):
        def command(self, action):
            return None if action.verb is Verb.PICK and action.receptacle is not None else super().command(action)

    env = SymbolicHouse({"mug_1": at("table_1")}, occlusion=0.0)
    robot, agent, observation = agent_for(env, Task("t", "x", (bring("a", "mug", "shelf_1"),)), adapter=NoFrom())
    result = run_episode(robot, agent, observation, 30, keep_records=True)
    assert result.declared and "pick up mug_1" in env.commands
    assert [r.thought.mode for r in result.records if r.action.verb is Verb.PICK] == ["replan"]


def test_what_no_skill_can_do_is_blocked_without_touching_the_environment():
    class Armless(HouseholdAdapter):
        def command(self, action):
            return None if action.verb in (Verb.TOGGLE_ON, Verb.NAVIGATE) else super().command(action)

    env = SymbolicHouse({"mug_1": at("table_1")})
    robot, agent, observation = agent_for(env, Task("t", "x", (make("a", "lamp_1", "on"),)), adapter=Armless())
    result = run_episode(robot, agent, observation, 30)
    assert result.statuses == {"a": Status.BLOCKED} and result.steps == 0 and not result.declared and env.commands == []


def test_replan_has_nothing_for_nothing():
    assert replan(None, None, None, None) is None


def test_stepwise_use_equals_the_loop():
    task = Task("t", "x", (bring("a", "mug", "shelf_1"), make("b", "lamp_1", "on")))
    looped = SymbolicHouse({"mug_1": at("fridge_1")}, level=0.2)
    robot, agent, observation = agent_for(looped, task, seed=4)
    run_episode(robot, agent, observation, 60)
    stepped = SymbolicHouse({"mug_1": at("fridge_1")}, level=0.2)
    robot, other, observation = agent_for(stepped, task, seed=4)
    other.reset_sources(0)
    while (action := other.decide(observation, robot.perceive())) is not None:
        result = robot.step(other.thought.command)
        other.learn(observation, action, result.observation, result.outcome)
        observation = result.observation
    assert stepped.commands == looped.commands and other.world.to_dict()["records"] == agent.world.to_dict()["records"]


def test_learning_from_an_action_the_agent_did_not_choose():
    """A behaviour policy may act in the agent's place; memory follows what was really done."""
    env = SymbolicHouse({"mug_1": at("table_1"), "book_1": at("table_1")}, occlusion=0.0)
    robot, agent, observation = agent_for(env, Task("t", "x", (bring("a", "mug", "shelf_1"),)))
    agent.reset_sources(0)
    for action, command in ((Action(Verb.NAVIGATE, None, "table_1"), "go to table_1"), (Action(Verb.PICK, "book_1"), "pick up book_1")):
        agent.decide(observation, robot.perceive())
        result = robot.step(command)
        agent.learn(observation, action, result.observation, result.outcome)
        observation = result.observation
    assert agent.world.hand == agent.task.hand == "book_1"
    agent.decide(observation, robot.perceive())
    assert agent.thought.command == "put book_1 at table_1"


def test_learn_before_decide_is_refused():
    _, agent, observation = agent_for(SymbolicHouse({}), Task("t", "x", (make("a", "lamp_1", "on"),)))
    with pytest.raises(RuntimeError, match="decide"):
        agent.learn(observation, Action(Verb.LOOK), observation, None)


def test_a_synonym_in_the_task_is_understood():
    env = SymbolicHouse({"mug_1": at("table_1")}, occlusion=0.0)
    goal = replace(bring("a", "mug", "shelf_1"), query=ObjectQuery("cup"))
    robot, agent, observation = agent_for(env, Task("t", "x", (goal,)))
    assert run_episode(robot, agent, observation, 30).declared and env.parents["mug_1"] == at("shelf_1")


def test_an_ambiguous_noun_is_one_clear_error():
    env = SymbolicHouse({})
    mug, apple = (replace(env.vocabulary.categories[c], synonyms=("cup",)) for c in ("mug", "apple"))
    env.vocabulary = replace(env.vocabulary, categories={**env.vocabulary.categories, "mug": mug, "apple": apple})
    goal = replace(bring("a", "mug", "shelf_1"), query=ObjectQuery("cup"))
    with pytest.raises(SymbolError, match="mug, apple"):
        agent_for(env, Task("t", "x", (goal,)))


def shut_and_count(limit):
    """Put a mug into a cabinet and leave it closed; the agent must close it after the last goal."""
    env = SymbolicHouse({"mug_1": at("table_1")}, occlusion=0.0)
    robot, agent, observation = agent_for(env, Task("t", "x", (bring("a", "mug", "cabinet_1"),)))
    agent.tidy = agent.explorer.tidy = True
    return run_episode(robot, agent, observation, limit, keep_records=True), agent, env


def test_an_agent_cut_off_before_its_last_duty_has_not_declared():
    whole, _, _ = shut_and_count(60)
    assert whole.declared and not whole.truncated and whole.records[-1].thought.mode == "duty"
    cut, agent, env = shut_and_count(whole.steps - 1)
    assert not agent.task.pending and env.attributes["cabinet_1", "open"]
    assert cut.truncated and not cut.declared
    exact, _, _ = shut_and_count(whole.steps)
    assert exact.declared and not exact.truncated, "nothing was left to do when the limit fell"


def test_no_steps_means_no_steps():
    result, _, env = shut_and_count(0)
    assert env.commands == [] and result.steps == 0 and result.truncated and not result.declared


def test_looks_from_before_the_thing_was_last_seen_do_not_count_as_a_search():
    env = SymbolicHouse({"mug_1": at("kitchen_1")}, occlusion=0.0)
    _, agent, _ = agent_for(env, Task("t", "x", (bring("a", "mug", "shelf_1"),)))
    world = agent.world
    mug = Sighting(entity("mug_1"), at("kitchen_1"), {}, np.zeros(3), 50)
    for step in range(12):
        world.observe(Percept((mug,) if step % 11 == 0 else (), frozenset(), "kitchen_1"), step)
    world.observe(Percept((), frozenset(), "kitchen_1"), 12)
    assert agent.world.hypothesis("mug_1").since == 0
    goal = agent.task.active()
    grounded = ground(goal, recall(world, make_query(goal)), agent.task, world)
    assert plan(grounded, agent.task, world) == Action(Verb.LOOK), "ten looks before step 11 say nothing about now"
    for step in range(13, 16):
        world.observe(Percept((), frozenset(), "kitchen_1"), step)
    assert plan(grounded, agent.task, world) == Action(Verb.PICK, "mug_1"), "four looks since cover the floor"


def test_what_was_tried_too_often_gets_another_round_before_its_goal_is_blocked():
    class Slippery(SymbolicHouse):
        def _pick(self, thing, place=None):
            tries = sum(c.startswith("pick up mug_1") for c in self.commands)
            return (False, f"You reach for {thing}, but it slips away.") if tries <= self.slips else super()._pick(thing, place)

    for slips, tried, done in ((7, 8, True), (12, 12, False)):
        env = Slippery({"mug_1": at("table_1")}, occlusion=0.0)
        env.slips = slips
        robot, agent, observation = agent_for(env, Task("t", "x", (bring("a", "mug", "shelf_1"),)))
        result = run_episode(robot, agent, observation, 199)
        assert result.declared is done and sum(c.startswith("pick up mug_1") for c in env.commands) == tried
        assert result.statuses == {"a": Status.COMPLETED if done else Status.BLOCKED}


def test_refusals_reach_task_memory_as_such():
    env = SymbolicHouse({"mug_1": at("table_1")}, occlusion=0.0)
    robot, agent, observation = agent_for(env, Task("t", "x", (bring("a", "mug", "shelf_1"),)))
    agent.reset_sources(0)
    feedback = []
    for action, command in ((Action(Verb.PICK, "mug_1", "sink_1"), "pick up mug_1 from sink_1"), (Action(Verb.LOOK), "look")):
        agent.decide(observation, robot.perceive())
        result = robot.step(command)
        world, _ = agent.learn(observation, action, result.observation, result.outcome)
        feedback.append(world.feedback)
        observation = result.observation
    assert [f.refused for f in feedback] == [True, False] and feedback[0].text == "Refused: you do not see mug_1."


def test_the_step_limit_truncates():
    env = SymbolicHouse({"mug_1": at("fridge_1")})
    robot, agent, observation = agent_for(env, Task("t", "x", (bring("a", "mug", "shelf_1"),)))
    result = run_episode(robot, agent, observation, 2)
    assert result.truncated and result.steps == 2 and not result.declared
