"""The behaviour policy: reproducible, well-formed, and full of manipulation and mistakes (in a symbolic world without faults)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mimir_learn.collect import PolicyConfig
from mimir_learn.collect.policy import PlayPolicy
from mimir_learn.collect.scene import Scene
from mimir_learn.collect.violations import VIOLATIONS, violate
from mimir_learn.envs.household import VOCABULARY, generate_house
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import (
    HAND,
    IN_HAND,
    Action,
    Delta,
    Kind,
    Observation,
    Outcome,
    Parent,
    ParentChange,
    Percept,
    Sighting,
    Snapshot,
    StateChange,
    Verb,
)

FRAME = Observation(np.zeros((4, 4, 3), np.uint8), np.ones((4, 4), np.float32), np.eye(3), np.eye(4))


class Toy:
    """The household's rules on symbols alone: what is at the robot's place and not shut away is in view."""

    def __init__(self, seed: int) -> None:
        house = generate_house(seed)
        self.entities, self.places = house.entities, house.places
        parents = {f.id: f.parent for f in house.fixtures} | {t.id: t.parent for t in house.things}
        self.state = Snapshot(parents, {(f.id, a): v for f in house.fixtures for a, v in f.attributes.items()})
        self.at = house.rooms[0].id

    def scene(self) -> Scene:
        shut = self.state.attributes.get((self.at, "open")) is False
        seen = [] if shut else [e for e in self.state.contents(self.at) if self.entities[e].kind is Kind.OBJECT]
        if self.state.hand:
            seen.append(self.state.hand)
        sightings = tuple(Sighting(self.entities[e], self.state.parents[e], {}, np.zeros(3), 50) for e in sorted(seen))
        return Scene(VOCABULARY, self.places, self.entities, self.state, Percept(sightings, frozenset({self.at}), self.at))

    def step(self, action: Action) -> LoggedStep:
        scene, thing, place = self.scene(), action.object, action.receptacle
        change = None
        match action.verb:
            case Verb.NAVIGATE:
                self.at = place or scene.holder(str(thing))
                return LoggedStep(action, "c", Outcome(True, ""), Delta())
            case Verb.PICK if scene.hand is None and thing in scene.here:
                change = ParentChange(thing, self.state.parents[thing], IN_HAND)
            case Verb.PLACE if scene.hand == thing and place == self.at and not scene.closed(place):
                relation = VOCABULARY.spec(self.entities[place]).relation
                change = ParentChange(thing, IN_HAND, Parent(place, relation)) if relation else None
            case Verb.OPEN | Verb.CLOSE if (
                place == self.at and place in scene.openables and scene.closed(place) == (action.verb is Verb.OPEN)
            ):
                change = StateChange(place, "open", scene.closed(place) is False, scene.closed(place))
            case Verb.TOGGLE_ON | Verb.TOGGLE_OFF if (
                thing == self.at and thing in scene.devices and scene.on(thing) == (action.verb is Verb.TOGGLE_OFF)
            ):
                change = StateChange(thing, "on", scene.on(thing), not scene.on(thing))
            case Verb.LOOK | Verb.WAIT:
                return LoggedStep(action, "c", Outcome(True, ""), Delta())
        delta = Delta([change] if change else [])
        self.state = self.state.apply(delta)
        return LoggedStep(action, "c", Outcome(change is not None, ""), delta)


def play(house: int, seed: int, steps: int, config: PolicyConfig | None = None) -> list[LoggedStep]:
    toy, policy = Toy(house), PlayPolicy(config or PolicyConfig(), np.random.default_rng(seed))
    out = []
    for _ in range(steps):
        out.append(toy.step(policy.act(toy.scene(), FRAME)))
        policy.learn(out[-1])
    return out


def test_same_seed_same_actions() -> None:
    actions = [s.action for s in play(3, 5, 60)]
    assert actions == [s.action for s in play(3, 5, 60)]
    assert actions != [s.action for s in play(3, 6, 60)]


def test_mix() -> None:
    steps = [s for house in range(12) for s in play(house, house, 64)]
    kinds, verbs = Counter(s.kind for s in steps), Counter(s.action.verb for s in steps)
    total = len(steps)
    assert sum(s.manipulation for s in steps) / total >= 0.55
    assert 0.08 <= kinds["refused"] / total <= 0.35  # without any fault; faults come on top
    assert all(verbs[v] / total >= 0.02 for v in Verb if v not in (Verb.SLICE, Verb.WAIT))
    assert verbs[Verb.SLICE] == 0


def test_without_mistakes_errands_succeed() -> None:
    quiet = PolicyConfig(violation=0.0, random=0.0)
    steps = [s for house in range(6) for s in play(house, house, 64, quiet)]
    assert sum(s.outcome.success for s in steps) / len(steps) >= 0.9
    carried = {c.new.id for s in steps for c in s.delta.parents.values() if c.new.id != HAND.id}
    assert len(carried) >= 10  # things go to many places


def test_violations_are_refused_and_of_many_kinds() -> None:
    rng, tried = np.random.default_rng(0), Counter()
    for house in range(20):
        toy = Toy(house)
        policy = PlayPolicy(PolicyConfig(violation=0.0, random=0.0), rng)
        for _ in range(25):
            toy.step(policy.act(toy.scene(), FRAME))
            for kind in VIOLATIONS:
                for action in kind(toy.scene()):
                    tried[kind.__name__] += 1
                    before, at = toy.state, toy.at
                    step = toy.step(action)
                    assert not step.outcome.success and toy.state == before and toy.at == at, (kind.__name__, action)
    assert set(tried) == {k.__name__ for k in VIOLATIONS}


def test_nothing_to_violate() -> None:
    empty = Scene(VOCABULARY, (), {HAND.id: HAND}, Snapshot({}), Percept())
    assert violate(empty, np.random.default_rng(0)) is None


@pytest.mark.parametrize("success", [True, False])
def test_errand_ends_with_a_visible_failure(success: bool) -> None:
    toy = Toy(0)
    policy = PlayPolicy(PolicyConfig(violation=0.0, random=0.0, stubborn=0.0, fiddle=0.0), np.random.default_rng(1))
    action = policy.act(toy.scene(), FRAME)
    left = len(policy._errand)
    policy.learn(LoggedStep(action, "c", Outcome(success, ""), Delta()))
    assert left and len(policy._errand) == (left if success else 0)
