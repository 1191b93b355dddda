"""One real example of every kind of fault: the frames before and after, what was commanded, claimed and true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from mimir_learn.agent.adapters import HouseholdAdapter
from mimir_learn.collect.config import PolicyConfig
from mimir_learn.collect.policy import PlayPolicy
from mimir_learn.collect.scene import Scene
from mimir_learn.envs.household import FaultRates, HouseholdConfig, HouseholdEnv
from mimir_learn.envs.household.faults import KINDS
from mimir_learn.logs import LoggedStep
from mimir_learn.symbols import Delta, Outcome, PrivilegedState, to_observation

from .grid import Cell
from .wording import claim, short

_TRIES, _STEPS = 8, 150


@dataclass(frozen=True, eq=False)
class Mishap:
    """A fault that struck: frames (H, W, 3) before and after, command, claim and the true Δ."""

    kind: str
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    command: str
    success: bool
    text: str
    delta: Delta


def mishaps(house_seed: int, size: int) -> Iterator[Cell]:
    """A cell for every kind of fault that could be brought about in a house or in the next few; a kind that could not is named."""
    env = HouseholdEnv(HouseholdConfig(image_size=size, max_steps=_STEPS + 1))
    try:
        for kind in KINDS:
            found = find(env, kind, house_seed)
            if found is None:
                blank = np.full((size, size, 3), 128, np.uint8)
                yield Cell((blank, blank), (kind, f"did not come about in {_TRIES} houses of {_STEPS} actions"), accent=True)
                continue
            lines = (kind, found.command, claim(found.success, found.text), f"true Δ: {short(found.delta)}")
            yield Cell((found.before, found.after), lines)
    finally:
        env.close()


def find(env: HouseholdEnv, kind: str, house_seed: int) -> Mishap | None:
    """Play in one house after another, with only faults of this ``kind``, until one strikes whose trace is in view; else any; else None."""
    fallback: Mishap | None = None
    for number in range(_TRIES):
        for mishap, seen in _strikes(env, kind, house_seed + number):
            if seen:
                return mishap
            fallback = fallback or mishap
    return fallback


def only(kind: str) -> FaultRates:
    """Faults of one kind only, admitted, on half of the actions that could go wrong so; the third put needs puts that do not come off."""
    names = {f.name for f in fields(FaultRates)}
    rates = {kind: 0.5} if kind in names else {}
    if kind == "third_put":
        rates = {"third_put": 1.0, "unplaced": 0.9}
    if kind == "exogenous":
        rates = {"exogenous": 0.3}
    return FaultRates(**rates)


def _strikes(env: HouseholdEnv, kind: str, house_seed: int) -> Iterator[tuple[Mishap, bool]]:
    rng = np.random.default_rng([9, house_seed])
    raw, info = env.reset(seed=house_seed, options={"house_seed": house_seed, "faults": only(kind)})
    policy = PlayPolicy(PolicyConfig(violation=0.0, random=0.0, stubborn=1.0, persist=1.0), rng)
    adapter = HouseholdAdapter()
    state, percept = env.privileged_state(), env.visible_entities()
    for _ in range(_STEPS):
        action = policy.act(Scene(env.vocabulary, info["places"], state.entities, state.snapshot, percept), to_observation(raw))
        command = adapter.command(action)
        if command is None:
            continue
        before, frame = state, raw["rgb"]
        raw, _, _, truncated, told = env.step(command)
        state, percept = env.privileged_state(), env.visible_entities()
        delta = before.snapshot.diff(state.snapshot)
        outcome = Outcome(bool(told["success"]), str(told["feedback"]))
        policy.learn(LoggedStep(action, command, outcome, delta, state.fault, state.moved))
        if state.fault == kind:
            mishap = Mishap(kind, frame, raw["rgb"], command, outcome.success, outcome.text, delta)
            yield mishap, _in_view(delta, state, {s.entity.id for s in percept.sightings}) or not np.array_equal(frame, raw["rgb"])
        if truncated:
            return


def _in_view(delta: Delta, state: PrivilegedState, seen: set[str]) -> bool:
    return any(e in seen for e in {*delta.parents, *(e for e, _ in delta.states), *state.moved})
