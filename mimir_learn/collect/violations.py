"""Deliberate precondition violations: actions an environment must refuse, so that refusals and their frames are in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mimir_learn.collect.scene import Scene
from mimir_learn.symbols import Action, Kind, Verb


def _pick_with_a_full_hand(scene: Scene) -> Iterator[Action]:
    if scene.hand:
        yield from (Action(Verb.PICK, e) for e in scene.visible)


def _pick_what_is_elsewhere(scene: Scene) -> Iterator[Action]:
    if not scene.hand:
        seen = set(scene.visible)
        yield from (Action(Verb.PICK, e) for e in scene.of_kind(Kind.OBJECT) if e not in seen)


def _pick_through_a_closed_door(scene: Scene) -> Iterator[Action]:
    if scene.at and scene.closed(scene.at) and not scene.hand:
        yield from (Action(Verb.PICK, e, scene.at) for e in scene.state.contents(scene.at) if scene.entities[e].kind is Kind.OBJECT)


def _place_with_an_empty_hand(scene: Scene) -> Iterator[Action]:
    if scene.at and not scene.hand:
        yield from (Action(Verb.PLACE, e, scene.at) for e in scene.visible)


def _place_something_else(scene: Scene) -> Iterator[Action]:
    if scene.at and scene.hand:
        yield from (Action(Verb.PLACE, e, scene.at) for e in scene.visible)


def _place_into_something_closed(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.at and scene.closed(scene.at):
        yield Action(Verb.PLACE, scene.hand, scene.at)


def _place_far_away(scene: Scene) -> Iterator[Action]:
    if scene.hand:
        yield from (Action(Verb.PLACE, scene.hand, p) for p in scene.of_kind(Kind.RECEPTACLE) if p != scene.at)


def _place_where_nothing_goes(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.at and scene.entities[scene.at].kind is Kind.FIXTURE:
        yield Action(Verb.PLACE, scene.hand, scene.at)


def _open_what_is_open_or_close_what_is_closed(scene: Scene) -> Iterator[Action]:
    if scene.at in scene.openables:
        yield Action(Verb.CLOSE if scene.closed(str(scene.at)) else Verb.OPEN, None, scene.at)


def _open_what_has_no_door(scene: Scene) -> Iterator[Action]:
    if scene.at and not scene.is_room(scene.at) and scene.at not in scene.openables:
        yield Action(Verb.OPEN, None, scene.at)


def _open_far_away(scene: Scene) -> Iterator[Action]:
    yield from (Action(Verb.OPEN if scene.closed(p) else Verb.CLOSE, None, p) for p in scene.openables if p != scene.at)


def _toggle_to_what_it_is(scene: Scene) -> Iterator[Action]:
    if scene.at in scene.devices:
        yield Action(Verb.TOGGLE_ON if scene.on(str(scene.at)) else Verb.TOGGLE_OFF, scene.at)


def _toggle_far_away(scene: Scene) -> Iterator[Action]:
    yield from (Action(Verb.TOGGLE_OFF if scene.on(d) else Verb.TOGGLE_ON, d) for d in scene.devices if d != scene.at)


def _toggle_what_has_no_switch(scene: Scene) -> Iterator[Action]:
    if scene.at and not scene.is_room(scene.at) and scene.at not in scene.devices:
        yield Action(Verb.TOGGLE_ON, scene.at)


VIOLATIONS: tuple[Callable[[Scene], Iterator[Action]], ...] = (
    _pick_with_a_full_hand,
    _pick_what_is_elsewhere,
    _pick_through_a_closed_door,
    _place_with_an_empty_hand,
    _place_something_else,
    _place_into_something_closed,
    _place_far_away,
    _place_where_nothing_goes,
    _open_what_is_open_or_close_what_is_closed,
    _open_what_has_no_door,
    _open_far_away,
    _toggle_to_what_it_is,
    _toggle_far_away,
    _toggle_what_has_no_switch,
)


def violate(scene: Scene, rng: np.random.Generator) -> Action | None:
    """One violation: first a kind that is possible here, then one action of it; None where none is possible."""
    for number in rng.permutation(len(VIOLATIONS)):
        if options := list(VIOLATIONS[number](scene)):
            return options[int(rng.integers(len(options)))]
    return None
