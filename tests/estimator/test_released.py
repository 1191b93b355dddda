"""The estimator that lies in the repository: whole, of this household's vocabulary, and able to read what it looks at."""

from pathlib import Path

import numpy as np

from mimir_learn.agent import HouseholdAdapter, Robot
from mimir_learn.envs.household import HouseholdEnv
from mimir_learn.feedback.learned import LearnedSource
from mimir_learn.memory import WorldMemory
from mimir_learn.symbols import Action, Kind, Transition, Verb

RELEASED = Path(__file__).parents[2] / "data" / "models" / "household-v1"


def test_the_released_estimator_sees_a_door_open_and_a_walk_change_nothing() -> None:
    robot = Robot(HouseholdEnv())
    before = robot.reset(seed=0, options={"house_seed": 40_000})
    source = LearnedSource(RELEASED, robot.vocabulary)
    assert source.calibrated
    memory = WorldMemory(robot.vocabulary, robot.places)
    doors = [
        p.entity for p in robot.places if p.entity.kind is Kind.RECEPTACLE and "open" in robot.vocabulary.spec(p.entity).attributes
    ]  # fmt: skip
    read = []
    for door in doors[:3]:
        for action in (Action(Verb.NAVIGATE, receptacle=door.id), Action(Verb.OPEN, receptacle=door.id)):
            memory.observe(robot.perceive(), memory.belief().step)
            command = HouseholdAdapter().command(action)
            assert command is not None
            result = robot.step(command)
            delta = source.estimate(Transition(before, action, result.observation, result.outcome, memory.belief())).delta
            before = result.observation
            opened = ("state", door.id, "open", "true") in delta.atoms
            read.append(opened if action.verb is Verb.OPEN else not delta)
    assert len(read) == 6 and np.mean(read) >= 5 / 6
