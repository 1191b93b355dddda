"""The behaviour policy: reproducible, well-formed, and full of manipulation and mistakes (in a symbolic world without faults)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mimir_learn.collect import PolicyConfig
from mimir_learn.collect.errands import Errands
from mimir_learn.collect.policy import MOST_TRIES, PlayPolicy
from mimir_learn.collect.scene import Scene
from mimir_learn.collect.violations import VIOLATIONS, violate
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.errors import ConfigError
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import HAND, Action, Delta, Kind, Observation, Outcome, Percept, Snapshot, Verb

from .toy import Toy

FRAME = Observation(np.zeros((4, 4, 3), np.uint8), np.ones((4, 4), np.float32), np.eye(3), np.eye(4))
QUIET = PolicyConfig(violation=0.0, random=0.0, look=0.0, gaze=0.0)


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
    steps = [s for house in range(16) for s in play(house, house, 64)]
    kinds, verbs = Counter(s.kind for s in steps), Counter(s.action.verb for s in steps)
    total = len(steps)
    assert sum(s.manipulation for s in steps) / total >= 0.55
    assert 0.08 <= kinds["refused"] / total <= 0.35  # without any fault; faults come on top
    rare = {Verb.WAIT: 0.002}
    assert all(verbs[v] / total >= rare.get(v, 0.01) for v in Verb), {v: verbs[v] / total for v in Verb}


def test_every_attribute_and_movable_receptacles_change() -> None:
    steps = [s for house in range(16) for s in play(house, house, 64)]
    changed = Counter(a for s in steps for _, a in s.delta.states)
    assert {"open", "on", "filled", "sliced"} <= set(changed) and min(changed.values()) >= 15, changed
    into_things = [
        c for s in steps for c in s.delta.parents.values() if c.new.id.split("_")[0] in ("bowl", "box", "plate", "pot", "pan", "mug", "cup")
    ]
    assert len(into_things) >= 20
    full = [s for s in steps if s.action.verb is Verb.PICK and s.delta and s.action.object == "bowl_1"]
    assert full  # bowls are carried about


def test_without_mistakes_errands_succeed() -> None:
    steps = [s for house in range(12) for s in play(house, house, 64, QUIET)]
    assert sum(s.outcome.success for s in steps) / len(steps) >= 0.85
    carried = {c.new.id for s in steps for c in s.delta.parents.values() if c.new.id != HAND.id}
    assert len(carried) >= 10  # things go to many places


@pytest.mark.parametrize(
    ("kind", "needs"),
    [
        ("stack", lambda plan, scene: any(a.verb is Verb.PLACE and scene.entities[str(a.receptacle)].kind is Kind.OBJECT for a in plan)),
        ("cut", lambda plan, scene: any(a.verb is Verb.SLICE for a in plan)),
        ("pour", lambda plan, scene: any(a.verb is Verb.FILL for a in plan)),
        ("cause", lambda plan, scene: any(a.verb in (Verb.TOGGLE_ON, Verb.CLOSE) for a in plan)),
        ("gaze", lambda plan, scene: all(a.verb in (Verb.LOOK, Verb.LOOK_UP, Verb.LOOK_DOWN) for a in plan)),
    ],
)
def test_errands_are_what_they_are_called(kind: str, needs) -> None:  # type: ignore[no-untyped-def]
    plans = []
    for seed in range(12):
        scene = Toy(seed).scene()
        plan = getattr(Errands(QUIET, np.random.default_rng(seed)), kind)(scene)
        plans += [(plan, scene)] if plan else []
    assert len(plans) >= 8
    assert sum(bool(needs(plan, scene)) for plan, scene in plans) >= 0.7 * len(plans)


def test_violations_are_refused_and_of_many_kinds() -> None:
    rng, tried = np.random.default_rng(0), Counter()
    for house in range(24):
        toy = Toy(house)
        if house % 4 == 0:  # the toy breaks nothing by itself
            toy.state = Snapshot(toy.state.parents, toy.state.attributes | {k: True for k in toy.state.attributes if k[1] == "broken"})
        policy = PlayPolicy(QUIET, rng)
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
    config = PolicyConfig(
        violation=0.0, random=0.0, stubborn=0.0, persist=0.0, fiddle=0.0, stack=0.0, cut=0.0, pour=0.0, cause=0.0, gaze=0.0
    )
    policy = PlayPolicy(config, np.random.default_rng(1))
    action = policy.act(toy.scene(), FRAME)
    left = len(policy._errand)
    policy.learn(LoggedStep(action, "c", Outcome(success, ""), Delta()))
    assert left and len(policy._errand) == (left if success else 0)


@pytest.mark.parametrize("claim", [True, False])
def test_a_put_that_does_not_come_off_is_tried_again_but_not_for_ever(claim: bool) -> None:
    """Also where nobody admits it: the policy sees the thing in the hand."""
    toy = Toy(0)
    toy.at = "counter_1"
    thing = next(e for e in toy.scene().of_kind(Kind.OBJECT))
    toy.step(Action(Verb.NAVIGATE, thing))
    if toy.scene().closed(toy.at):
        toy.step(Action(Verb.OPEN, None, toy.at))
    assert toy.step(Action(Verb.PICK, thing)).outcome.success
    toy.step(Action(Verb.NAVIGATE, None, "counter_1"))
    policy = PlayPolicy(PolicyConfig(violation=0.0, random=0.0, look=0.0, persist=1.0), np.random.default_rng(0))
    put, tries = Action(Verb.PLACE, thing, "counter_1"), 0
    again: Action | None = put
    while again == put:
        tries += 1
        policy.learn(LoggedStep(put, "c", Outcome(claim, ""), Delta()))
        again = policy._again(toy.scene())
    assert again is None and (1 if claim else MOST_TRIES) <= tries <= MOST_TRIES


def test_shares_of_errands_are_shares_of_one_whole() -> None:
    with pytest.raises(ConfigError, match="exceeds 1"):
        PolicyConfig(fiddle=0.6, stack=0.5)
