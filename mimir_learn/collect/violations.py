"""Deliberate precondition violations: actions an environment must refuse, so that refusals and their frames are in the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mimir_learn.collect.scene import Scene
from mimir_learn.symbols import Action, Kind, Verb

_SMALL = frozenset({"cup", "mug"})  # nothing that holds something fits in these


def _pick_with_a_full_hand(scene: Scene) -> Iterator[Action]:
    if scene.hand:
        yield from (Action(Verb.PICK, e) for e in scene.visible)


def _pick_what_is_elsewhere(scene: Scene) -> Iterator[Action]:
    if not scene.hand:
        seen = {*scene.visible, *(e for e in scene.of_kind(Kind.OBJECT) if scene.is_near(scene.place_of(e)))}
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
    if scene.hand and scene.at and scene.closed(scene.at) and scene.entities[scene.at].kind is Kind.RECEPTACLE:
        yield Action(Verb.PLACE, scene.hand, scene.at)


def _place_far_away(scene: Scene) -> Iterator[Action]:
    if scene.hand:
        yield from (Action(Verb.PLACE, scene.hand, p) for p in scene.of_kind(Kind.RECEPTACLE) if not scene.is_near(p))


def _place_where_nothing_goes(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.at and scene.entities[scene.at].kind is Kind.FIXTURE:
        yield Action(Verb.PLACE, scene.hand, scene.at)


def _place_into_what_holds_nothing(scene: Scene) -> Iterator[Action]:
    if scene.hand:
        solid = (e for e in scene.here if scene.vocabulary.spec(scene.entities[e]).relation is None)
        yield from (Action(Verb.PLACE, scene.hand, e) for e in solid)


def _place_into_something_broken(scene: Scene) -> Iterator[Action]:
    if scene.hand:
        yield from (Action(Verb.PLACE, scene.hand, e) for e in scene.here if scene.has(e, "broken"))


def _place_into_something_too_small(scene: Scene) -> Iterator[Action]:
    if scene.hand in scene.vessels:
        small = (e for e in scene.here if scene.entities[e].category in _SMALL and e in scene.vessels)
        yield from (Action(Verb.PLACE, scene.hand, e) for e in small if scene.hand is not None)


def _open_what_is_open_or_close_what_is_closed(scene: Scene) -> Iterator[Action]:
    if scene.at in scene.openables:
        yield Action(Verb.CLOSE if scene.closed(str(scene.at)) else Verb.OPEN, None, scene.at)


def _open_what_has_no_door(scene: Scene) -> Iterator[Action]:
    if scene.at and not scene.is_room(scene.at) and scene.at not in scene.openables:
        yield Action(Verb.OPEN, None, scene.at)


def _open_far_away(scene: Scene) -> Iterator[Action]:
    yield from (Action(Verb.OPEN if scene.closed(p) else Verb.CLOSE, None, p) for p in scene.openables if not scene.is_near(p))


def _toggle_to_what_it_is(scene: Scene) -> Iterator[Action]:
    if scene.at in scene.devices:
        yield Action(Verb.TOGGLE_ON if scene.on(str(scene.at)) else Verb.TOGGLE_OFF, scene.at)


def _toggle_far_away(scene: Scene) -> Iterator[Action]:
    yield from (Action(Verb.TOGGLE_OFF if scene.on(d) else Verb.TOGGLE_ON, d) for d in scene.devices if not scene.is_near(d))


def _toggle_what_has_no_switch(scene: Scene) -> Iterator[Action]:
    if scene.at and not scene.is_room(scene.at) and scene.at not in scene.devices:
        yield Action(Verb.TOGGLE_ON, scene.at)


def _slice_without_a_knife(scene: Scene) -> Iterator[Action]:
    if scene.hand not in scene.tools(Verb.SLICE):
        yield from (Action(Verb.SLICE, e) for e in scene.here if scene.applies(e, "sliced"))


def _slice_what_cannot_be_sliced(scene: Scene) -> Iterator[Action]:
    if scene.hand in scene.tools(Verb.SLICE):
        yield from (Action(Verb.SLICE, e) for e in scene.here if not scene.applies(e, "sliced"))


def _slice_what_is_sliced(scene: Scene) -> Iterator[Action]:
    if scene.hand in scene.tools(Verb.SLICE):
        yield from (Action(Verb.SLICE, e) for e in scene.here if scene.has(e, "sliced"))


def _fill_what_cannot_be_filled(scene: Scene) -> Iterator[Action]:
    if scene.hand and not scene.applies(scene.hand, "filled"):
        yield from (Action(Verb.FILL, scene.hand, f) for f in scene.tools(Verb.FILL) if scene.is_near(f))


def _fill_what_is_filled(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.has(scene.hand, "filled"):
        yield from (Action(Verb.FILL, scene.hand, f) for f in scene.tools(Verb.FILL) if scene.is_near(f))


def _fill_where_there_is_no_water(scene: Scene) -> Iterator[Action]:
    dry = scene.at is not None and not scene.is_room(scene.at) and scene.at not in scene.tools(Verb.FILL)
    if dry and scene.hand and scene.applies(scene.hand, "filled"):
        yield Action(Verb.FILL, scene.hand, scene.at)


def _fill_far_away(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.applies(scene.hand, "filled"):
        yield from (Action(Verb.FILL, scene.hand, f) for f in scene.tools(Verb.FILL) if not scene.is_near(f))


def _pour_from_something_empty(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.applies(scene.hand, "filled") and not scene.has(scene.hand, "filled"):
        targets = [*(d for d in scene.tools(Verb.POUR) if scene.is_near(d)), *(e for e in scene.here if scene.applies(e, "filled"))]
        yield from (Action(Verb.POUR, scene.hand, t) for t in targets)


def _pour_where_nothing_can_be_poured(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.has(scene.hand, "filled"):
        yield from (Action(Verb.POUR, scene.hand, e) for e in scene.here if not scene.applies(e, "filled"))


def _use_something_broken(scene: Scene) -> Iterator[Action]:
    if scene.hand and scene.has(scene.hand, "broken") and scene.applies(scene.hand, "filled"):
        yield from (Action(Verb.FILL, scene.hand, f) for f in scene.tools(Verb.FILL) if scene.is_near(f))


VIOLATIONS: tuple[Callable[[Scene], Iterator[Action]], ...] = (
    _pick_with_a_full_hand,
    _pick_what_is_elsewhere,
    _pick_through_a_closed_door,
    _place_with_an_empty_hand,
    _place_something_else,
    _place_into_something_closed,
    _place_far_away,
    _place_where_nothing_goes,
    _place_into_what_holds_nothing,
    _place_into_something_broken,
    _place_into_something_too_small,
    _open_what_is_open_or_close_what_is_closed,
    _open_what_has_no_door,
    _open_far_away,
    _toggle_to_what_it_is,
    _toggle_far_away,
    _toggle_what_has_no_switch,
    _slice_without_a_knife,
    _slice_what_cannot_be_sliced,
    _slice_what_is_sliced,
    _fill_what_cannot_be_filled,
    _fill_what_is_filled,
    _fill_where_there_is_no_water,
    _fill_far_away,
    _pour_from_something_empty,
    _pour_where_nothing_can_be_poured,
    _use_something_broken,
)


def violate(scene: Scene, rng: np.random.Generator) -> Action | None:
    """One violation: first a kind that is possible here, then one action of it; None where none is possible."""
    for number in rng.permutation(len(VIOLATIONS)):
        if options := list(VIOLATIONS[number](scene)):
            return options[int(rng.integers(len(options)))]
    return None
