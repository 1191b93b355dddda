"""Logged episodes → the transitions a Δ-source would have been asked about: world memory is replayed with the true Δ.

The belief is what the very memory used at test time holds *before* the action, so training and use see the same kind of input. What
someone else changed out of sight stays unknown to it, as it would to any source; the true Δ of an action enters memory only after its
own transition has been handed out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.inputs import build_with_ids
from mimir_learn.estimator.labels import did_what_it_says, targets
from mimir_learn.logs import Episode
from mimir_learn.memory import WorldMemory
from mimir_learn.symbols import ATTRIBUTES, LOOKS, Action, Delta, Entity, Feedback, Kind, Observation, ParentChange, StateChange, Transition

Sought = NDArray[np.float64] | str | None


@dataclass(frozen=True, eq=False)
class Sample:
    """One transition with its truth.

    Attributes:
        transition: what a source may see.
        delta: the true Δ, derived attributes (written by causal rules, not read off pixels) left out.
        fault: injected fault, "" for none.
        moved: ids changed by someone else; unseen: those of them that are in neither frame and that the action does not name.
        did: whether the action did what it says.
        sought: where the thing that left the hand is in the after-frame, and where the thing that entered it was in the before-frame:
            a world point, "nowhere" (not to be seen), or None when there is no such thing. Targets only.
        second_look: the after-frame was taken one uneventful look later.
        novel: whether a thing that the action names looks as none in a training house does; None when it names no thing. For results only.
        episode, step: where it comes from.
    """

    transition: Transition
    delta: Delta
    fault: str
    moved: frozenset[str]
    unseen: frozenset[str]
    did: bool
    sought: tuple[Sought, Sought]
    second_look: bool
    episode: str
    step: int
    novel: bool | None = None


def visible(delta: Delta) -> Delta:
    """``delta`` without changes of derived attributes."""
    return Delta(c for c in delta if not (isinstance(c, StateChange) and not ATTRIBUTES[c.attribute].visible))


def replay(episode: Episode, second_looks: bool = False) -> Iterator[Sample]:
    """The samples of one episode in order; with ``second_looks`` also (before_t, a_t, frame after a following quiet look)."""
    memory = WorldMemory(episode.vocabulary, episode.places)
    after = episode.frames[0]
    for t, step in enumerate(episode.steps):
        before, after = after, episode.frames[t + 1]
        memory.observe(episode.percepts[t], t)
        belief = memory.belief()
        delta = visible(step.delta)
        seen = {s.entity.id for p in (t, t + 1) for s in episode.percepts[p].sightings} | set(step.action.arguments)
        moved, did = frozenset(step.moved), did_what_it_says(step.action, belief, delta, step.outcome)
        first = Sample(
            Transition(before, step.action, after, step.outcome, belief), delta, step.fault, moved, moved - seen, did,
            _sought(episode, t, t + 1, delta), False, episode.episode_id, t, _novel(episode, step.action),
        )  # fmt: skip
        yield first
        if second_looks and step.action.verb not in LOOKS and _quiet_look(episode, t + 1):
            again = replace(first.transition, after=episode.frames[t + 2])
            yield replace(first, transition=again, second_look=True, sought=_sought(episode, t, t + 2, delta))
        noticed = Delta(c for c in delta if not (isinstance(c, ParentChange | StateChange) and c.entity in first.unseen))
        memory.act(step.action, Feedback(first.did, noticed), t)


def _sought(episode: Episode, before: int, after: int, delta: Delta) -> tuple[Sought, Sought]:
    def seen(entity: str | None, frame: int) -> Sought:
        if entity is None:
            return None
        return next((s.point for s in episode.percepts[frame].sightings if s.entity.id == entity), "nowhere")

    hand = delta.hand
    return (None, None) if hand is None else (seen(hand.old, after), seen(hand.new, before))


def find_cell(sought: Sought, frame: Observation, config: EstimatorConfig) -> int:
    """Cell of the trunk's fine grid that a point projects into; the number of cells for "nowhere" or out of frame, −1 for None."""
    side = config.image_px // 4
    if sought is None or isinstance(sought, str):
        return -1 if sought is None else side * side
    uv, z = frame.project(sought[None])
    column, row = (int(np.floor(x * side / n)) for x, n in zip(uv[0], frame.depth.shape[::-1], strict=True))
    inside = z[0] > 0.05 and 0 <= column < side and 0 <= row < side
    return row * side + column if inside else side * side


def _quiet_look(episode: Episode, t: int) -> bool:
    """Whether step ``t`` is a look, in whatever direction, during which nothing changed."""
    if t >= len(episode.steps):
        return False
    step = episode.steps[t]
    return step.action.verb in LOOKS and step.outcome.success and not step.delta


def _novel(episode: Episode, action: Action) -> bool | None:
    things = [a for a in action.arguments if a in episode.entities and episode.entities[a].kind is Kind.OBJECT]
    return any(a in episode.novel for a in things) if things else None


def arrays(sample: Sample, config: EstimatorConfig) -> dict[str, NDArray[Any]]:
    """`build_input` of the transition plus its targets (`labels.targets`, and ``y_find`` (2,): see `Sample.sought`)."""
    ids, out = build_with_ids(sample.transition, config)
    frames = (sample.transition.after, sample.transition.before)
    out["y_find"] = np.array([find_cell(p, f, config) for p, f in zip(sample.sought, frames, strict=True)], dtype=np.int64)
    seen = sample.transition
    out.update(targets(sample.delta, ids, seen.action, seen.belief, config, seen.outcome))
    return out


def metadata(sample: Sample, number: int, entities: Mapping[str, Entity], categories: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """Where a sample comes from, but for its fault: ``meta_episode`` () = ``number``, and ``meta_step``, ``meta_acted``, ``meta_second``.

    ``meta_acted`` are the categories of the acted object and receptacle by their number in ``categories``, -1 for none; they are looked up
    in the house's ``entities``, since memory need not know what an action names. No network reads any of it.
    """
    action = sample.transition.action
    acted = [entities.get(a) if a is not None else None for a in (action.object, action.receptacle)]
    return {
        "meta_episode": np.asarray(number, dtype=np.int64),
        "meta_step": np.asarray(sample.step, dtype=np.int64),
        "meta_acted": np.array([-1 if e is None else categories.get(e.category, -1) for e in acted], dtype=np.int64),
        "meta_second": np.asarray(sample.second_look, dtype=np.bool_),
    }
