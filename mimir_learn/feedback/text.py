"""Δ-source ``text``: reads the environment's feedback sentence; an unknown sentence is unparsed, never a success."""

from __future__ import annotations

import re
from collections.abc import Callable

from mimir_learn.feedback.schema import held_at
from mimir_learn.symbols import (
    ELSEWHERE,
    EMPTY,
    IN_HAND,
    Belief,
    Change,
    Delta,
    Estimate,
    Parent,
    ParentChange,
    Relation,
    StateChange,
    Transition,
)

_SOURCE = "text"
_Reader = Callable[[re.Match[str], Transition], list[Change]]


def _believed(entity: str, belief: Belief) -> Parent | None:
    known = belief.entities.get(entity)
    return None if known is None else known.parent


def _picked(m: re.Match[str], t: Transition) -> list[Change]:
    old = _believed(m["o"], t.belief)
    return [ParentChange(m["o"], ELSEWHERE if old is None or old == IN_HAND else old, IN_HAND, source=_SOURCE)]


def _put(relation: Relation) -> _Reader:
    return lambda m, t: [ParentChange(m["o"], IN_HAND, Parent(m["p"], relation), source=_SOURCE)]


def _state(attribute: str, value: bool) -> _Reader:
    return lambda m, t: [StateChange(m["p"], attribute, not value, value, source=_SOURCE)]


def _dropped(m: re.Match[str], t: Transition) -> list[Change]:
    return [ParentChange(m["o"], IN_HAND, ELSEWHERE, source=_SOURCE)]


def _beside(m: re.Match[str], t: Transition) -> list[Change]:
    room = t.belief.room_of(m["p"])
    return [ParentChange(m["o"], IN_HAND, ELSEWHERE if room is None else held_at(room, t.belief), source=_SOURCE)]


def _nothing(m: re.Match[str], t: Transition) -> list[Change]:
    return []


# pattern, reader, and whether the sentence claims that the action did what it says
_SENTENCES: tuple[tuple[re.Pattern[str], _Reader, bool], ...] = tuple(
    (re.compile(pattern.replace("{O}", r"(?P<o>\S+)").replace("{P}", r"(?P<p>\S+)")), reader, success)
    for pattern, reader, success in (
        (r"You are at {P}\.", _nothing, True),
        (r"You pick up {O}\.", _picked, True),
        (r"You put {O} on the floor of {P}\.", _put(Relation.ROOM), True),
        (r"You put {O} in {P}\.", _put(Relation.IN), True),
        (r"You put {O} on {P}\.", _put(Relation.ON), True),
        (r"You open {P}\.", _state("open", True), True),
        (r"You close {P}\.", _state("open", False), True),
        (r"You turn on {P}\.", _state("on", True), True),
        (r"You turn off {P}\.", _state("on", False), True),
        (r"You look at {P} from another side\.", _nothing, True),
        (r"You wait\.", _nothing, True),
        (r"You reach for {O}, but it slips away\.", _nothing, False),
        (r"You drop {O} on the way to {P}\.", _dropped, False),
        (r"{O} lands beside {P}\.", _beside, False),
        (r"{P} does not move\.", _nothing, False),
        (r"{P} does not respond\.", _nothing, False),
        (r"Refused: .+\.", _nothing, False),
    )
)


class TextSource:
    """Reads what an EmbodiedBench-style agent is told, and believes it."""

    name = _SOURCE

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        for pattern, reader, claims in _SENTENCES:
            if (match := pattern.fullmatch(transition.outcome.text)) is not None:
                delta = Delta(reader(match, transition))
                # "You pick up mug_3." with a failed flag, or in answer to picking mug_2, is an honest report of the wrong instance
                meant = transition.action.object in (None, match.groupdict().get("o")) or "o" not in match.groupdict()
                return Estimate(delta, success=float(claims and meant and transition.outcome.success))
        return Estimate(EMPTY, confidence=0.0, success=0.0, parsed=False)
