"""A doubtful estimate: the agent looks again, and the source is asked about the same action with the newer frame."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from mimir_learn.agent import HouseholdAdapter, MimirAgent, Robot, run_episode
from mimir_learn.agent.second_look import Arrival, Doubt, second_look
from mimir_learn.feedback import GateConfig, make_source
from mimir_learn.memory import Status
from mimir_learn.symbols import (
    EMPTY,
    IN_HAND,
    Action,
    Belief,
    BelievedEntity,
    Delta,
    Entity,
    Estimate,
    HandChange,
    Kind,
    Parent,
    ParentChange,
    Relation,
    Task,
    Verb,
    satisfied,
)

from .symbolic_house import SymbolicHouse, at, bring


@dataclass
class Doubtful:
    """Knows the truth but is only ``first`` sure of it at first sight and ``second`` sure at second sight."""

    truth: object
    first: float
    second: float
    name: str = "doubtful"
    asked: list = field(default_factory=list)

    def reset(self, seed):
        self.truth.reset(seed)
        self.kept = EMPTY

    def estimate(self, transition):
        again = bool(self.asked) and self.asked[-1].before is transition.before
        self.asked.append(transition)
        delta = self.truth.estimate(transition).delta
        self.kept = delta = self.kept | delta if again else delta
        p = self.second if again else self.first
        changes = [replace(c, p=p) for c in delta if not isinstance(c, HandChange)]
        return Estimate(Delta(changes), confidence=p if changes else 1.0)


def play(first, second, share=True, max_steps=60, gate=None):
    env = SymbolicHouse({"mug_1": at("cabinet_1")}, occlusion=0.0)
    task = Task("t", "x", (bring("a", "mug", "table_1"),))
    robot = Robot(env)
    observation = robot.reset(seed=0)
    source = Doubtful(make_source("privileged", privileged=env.privileged_state), first, second)
    other = source if share else make_source("schema")
    agent = MimirAgent(robot.vocabulary, robot.places, task, HouseholdAdapter(), source, other, gate or GateConfig())
    result = run_episode(robot, agent, observation, max_steps, keep_records=True)
    done = satisfied(task.goals, env.snapshot(), env.entities)
    return env, source, agent, result, len(done) == 1


def test_two_agreeing_looks_commit_and_are_counted():
    env, source, _, result, ok = play(0.7, 0.7, gate=GateConfig(view="turn"))
    assert ok and result.declared
    changing = [c for c in env.commands if c.split()[0] in ("pick", "put", "open")]
    assert result.look_again_steps == env.commands.count("look") == len(changing) > 0
    for first, second in zip(source.asked, source.asked[1:], strict=False):
        if second.before is first.before:
            assert second.action == first.action and second.belief is first.belief and second.outcome == first.outcome
            assert second.after is not first.after


def test_the_second_look_is_about_the_first_action():
    *_, result, _ = play(0.7, 0.7)
    for record in result.records:
        if record.look_again:
            assert record.action.verb in (Verb.LOOK, Verb.LOOK_DOWN) and record.world.about.verb in (Verb.OPEN, Verb.PICK, Verb.PLACE)
            assert record.world_verdict.committed
        elif record.world_verdict.look_again:
            assert record.world.feedback is None and not record.world_verdict.committed


def test_sure_estimates_need_no_second_look():
    *_, result, ok = play(0.95, 0.5)
    assert ok and result.look_again_steps == 0


def test_disagreement_is_held_not_written():
    _, _, agent, result, _ = play(0.6, 0.2, max_steps=20)
    assert result.look_again_steps > 0 and agent.task.status("a") is Status.PENDING
    assert agent.task.hand is None
    assert not any(e.kind == "interaction" for h in [agent.world.hypothesis("mug_1")] if h for e in h.evidence)


@pytest.mark.parametrize("sure", [0.7, 0.95])
def test_a_second_source_for_task_memory_is_asked_every_step_on_its_own(sure):
    *_, result, ok = play(sure, 0.9, share=False)
    assert ok and result.declared
    for record in result.records:
        assert record.task is not record.world and record.task.feedback is not None
        assert record.task.about == record.action


@pytest.mark.parametrize(("view", "verb"), [("turn", Verb.LOOK), ("stay", Verb.WAIT), ("down", Verb.LOOK_DOWN)])
def test_the_view_says_how_the_agent_looks_again(view, verb):
    *_, result, _ = play(0.7, 0.7, gate=GateConfig(view=view), max_steps=20)
    seen = [r.action.verb for r in result.records if r.look_again]
    assert seen and set(seen) == {verb}


def test_two_more_looks_only_where_one_leaves_doubt():
    *_, result, ok = play(0.6, 0.6, gate=GateConfig(looks=2))
    assert ok and result.declared
    runs = "".join("l" if r.look_again else "." for r in result.records).split(".")
    assert {len(run) for run in runs if run} == {2}  # 0.6 and 0.6 are 0.69, still in doubt
    *_, result, ok = play(0.8, 0.8, gate=GateConfig(looks=2))
    assert ok and {len(run) for run in "".join("l" if r.look_again else "." for r in result.records).split(".") if run} == {1}


MUG, HERE, BESIDE = Entity("mug_1", "mug", Kind.OBJECT), np.eye(4), np.eye(4) + 0.1


def look(verb, *, p=0.6, held=True, pose=HERE, arrival=None, number=1):
    """The look that settles a doubt about an action with the mug, said to be on a table with probability ``p``."""
    belief = Belief(None, {"mug_1": BelievedEntity(MUG, IN_HAND if held else None)})  # the vocabulary is not asked
    about = Action(verb, *{Verb.NAVIGATE: (None, "table_1"), Verb.PLACE: ("mug_1", "table_1"), Verb.PICK: ("mug_1",)}.get(verb, ()))
    changes = Delta([ParentChange("mug_1", IN_HAND, Parent("table_1", Relation.ON), p)]) if held else EMPTY
    return second_look("doubt", Doubt(about, changes, belief, pose, arrival, number))


def test_the_view_fits_what_is_in_doubt():
    assert look(Verb.PICK, held=False).verb is Verb.LOOK
    assert look(Verb.PLACE).verb is look(Verb.NAVIGATE).verb is Verb.LOOK_DOWN
    assert look(Verb.PLACE, number=2).verb is Verb.LOOK


def test_after_a_place_seen_from_aside_the_agent_goes_back_to_where_it_arrived():
    came = Arrival(Action(Verb.NAVIGATE, None, "table_1"), HERE)
    assert look(Verb.PLACE, pose=BESIDE, arrival=came) == came.walk
    assert look(Verb.PLACE, pose=HERE, arrival=came).verb is Verb.LOOK_DOWN
    assert look(Verb.PLACE, pose=BESIDE, arrival=came, p=0.3).verb is Verb.LOOK_DOWN, "what may still be in the hand may fall"
    thing = Arrival(Action(Verb.NAVIGATE, "mug_2"), HERE)
    assert look(Verb.PLACE, pose=BESIDE, arrival=thing).verb is Verb.LOOK_DOWN, "a thing may no longer be in view"
