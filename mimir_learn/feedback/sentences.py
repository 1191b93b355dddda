"""The feedback sentences of three styles, and what each says has changed; the grammar behind the ``text`` source.

``plain`` is the household's own. ``alfred`` has the shape of EB-ALFRED's feedback: one sentence for every success, which can only be read
as the nominal effect, and coarse reasons. ``habitat`` has that of EB-Habitat's: valid or invalid, and a predicate.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mimir_learn.feedback.schema import held_at, nominal_delta, takes_liquid
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Change, HandChange, Parent, ParentChange, Relation, StateChange, Transition, Verb

SOURCE = "text"
# None: the sentence cannot be turned into a Δ
Reader = Callable[[re.Match[str], Transition], list[Change] | None]


def _picked(m: re.Match[str], t: Transition) -> list[Change]:
    known = t.belief.entities.get(m["o"])
    old = None if known is None else known.parent
    return [ParentChange(m["o"], ELSEWHERE if old is None or old == IN_HAND else old, IN_HAND, source=SOURCE)]


def _put(relation: Relation) -> Reader:
    return lambda m, t: [ParentChange(m["o"], IN_HAND, Parent(m["p"], relation), source=SOURCE)]


def _state(attribute: str, value: bool) -> Reader:
    return lambda m, t: [StateChange(m["o"], attribute, not value, value, source=SOURCE)]


def _lost(m: re.Match[str], t: Transition) -> list[Change]:
    return [ParentChange(m["o"], IN_HAND, ELSEWHERE, source=SOURCE)]


def _beside(m: re.Match[str], t: Transition) -> list[Change]:
    room = t.belief.room_of(m["p"])
    return [ParentChange(m["o"], IN_HAND, ELSEWHERE if room is None else held_at(room, t.belief), source=SOURCE)]


def _poured(m: re.Match[str], t: Transition) -> list[Change]:
    into = m.groupdict().get("p") or t.action.fills
    full = [] if into is None or not takes_liquid(into, t.belief) else [StateChange(into, "filled", False, True, source=SOURCE)]
    return [StateChange(m["o"], "filled", True, False, source=SOURCE), *full]


def _broke(m: re.Match[str], t: Transition) -> list[Change]:
    """It broke where it was put; a thing that is only named as broken was so before."""
    if t.action.object != m["o"] or t.action.verb is not Verb.PLACE or t.action.receptacle is None:
        return []
    new = held_at(t.action.receptacle, t.belief)
    return [ParentChange(m["o"], IN_HAND, new, source=SOURCE), StateChange(m["o"], "broken", False, True, source=SOURCE)]


def _nominal(m: re.Match[str], t: Transition) -> list[Change]:
    return [c for c in nominal_delta(t.action, t.belief, SOURCE) if not isinstance(c, HandChange)]


def _hand_lost(m: re.Match[str], t: Transition) -> list[Change] | None:
    held = t.action.object if t.action.verb is Verb.PLACE else t.belief.hand
    return None if held is None else [ParentChange(held, IN_HAND, ELSEWHERE, source=SOURCE)]


def _not_there(m: re.Match[str], t: Transition) -> list[Change]:
    """ "Not at the target", said of a thing that was let go of."""
    return _lost(m, t) if t.action.verb is Verb.PLACE else []


def _not_held(m: re.Match[str], t: Transition) -> list[Change]:
    """ "Not holding it", said of a walk: it fell. Said of anything else: it was not taken, or one does not hold it."""
    return _lost(m, t) if t.action.verb is Verb.NAVIGATE else []


def _nothing(m: re.Match[str], t: Transition) -> list[Change]:
    return []


def _unreadable(m: re.Match[str], t: Transition) -> None:
    return None


Sentence = tuple[re.Pattern[str], Reader, bool]


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("{O}", r"(?P<o>\S+)").replace("{P}", r"(?P<p>\S+)"))


def _table(*rows: tuple[str, Reader, bool]) -> tuple[Sentence, ...]:
    return tuple((_compile(pattern), reader, success) for pattern, reader, success in rows)


# pattern, reader, and whether the sentence claims that the action did what it says
_PLAIN = _table(
    (r"You are at {P}\.", _nothing, True),
    (r"You pick up {O}\.", _picked, True),
    (r"You put {O} on the floor of {P}\.", _put(Relation.ROOM), True),
    (r"You put {O} in {P}\.", _put(Relation.IN), True),
    (r"You put {O} on {P}\.", _put(Relation.ON), True),
    (r"You open {O}\.", _state("open", True), True),
    (r"You close {O}\.", _state("open", False), True),
    (r"You turn on {O}\.", _state("on", True), True),
    (r"You turn off {O}\.", _state("on", False), True),
    (r"You slice {O}\.", _state("sliced", True), True),
    (r"You fill {O} at {P}\.", _state("filled", True), True),
    (r"You pour {O} into {P}\.", _poured, True),
    (r"You look at {P} from another side\.", _nothing, True),
    (r"You look (up|down)\.", _nothing, True),
    (r"You wait\.", _nothing, True),
    (r"You reach for {O}, but it slips away\.", _nothing, False),
    (r"You drop {O} on the way to {P}\.", _lost, False),
    (r"{O} lands beside {P}\.", _beside, False),
    (r"{O} stays in your hand\.", _nothing, False),
    (r"{O} slips from your hand\.", _lost, False),
    (r"{O} breaks\.", _broke, False),
    (r"{P} does not move\.", _nothing, False),
    (r"{P} opens only a little\.", _nothing, False),
    (r"{P} does not respond\.", _nothing, False),
    (r"{O} stays whole\.", _nothing, False),
    (r"{O} stays empty\.", _nothing, False),
    (r"You spill {O} beside {P}\.", _state("filled", False), False),
    (r"Refused: .+\.", _nothing, False),
)

_ALFRED = _table(
    (r"The action was carried out\.", _nominal, True),
    (r"The action failed\. Something else was picked up\.", _unreadable, False),
    (r"The action failed\. The thing in hand was lost\.", _hand_lost, False),
    (r"The action failed\. .+ The thing in hand was dropped\.", _hand_lost, False),
    (r"The action failed\. {O} was damaged\.", _broke, False),
    (r"The action failed\. .+\.", _nothing, False),
)

_HABITAT = _table(
    (r"Valid: at\({P}\)\.", _nothing, True),
    (r"Valid: (looking_at\(\S+\)|looking_up\(\)|looking_down\(\)|waited\(\))\.", _nothing, True),
    (r"Valid: holding\({O}\)\.", _picked, True),
    (r"Valid: in\({O}, {P}\)\.", _put(Relation.IN), True),
    (r"Valid: on\({O}, {P}\)\.", _put(Relation.ON), True),
    (r"Valid: on_floor\({O}, {P}\)\.", _put(Relation.ROOM), True),
    (r"Valid: opened\({O}\)\.", _state("open", True), True),
    (r"Valid: closed\({O}\)\.", _state("open", False), True),
    (r"Valid: switched_on\({O}\)\.", _state("on", True), True),
    (r"Valid: switched_off\({O}\)\.", _state("on", False), True),
    (r"Valid: sliced\({O}\)\.", _state("sliced", True), True),
    (r"Valid: filled\({O}\)\.", _state("filled", True), True),
    (r"Valid: empty\({O}\)\.", _poured, True),
    (r"Invalid: holding_target\(\) does not hold\.", _unreadable, False),
    (r"Invalid: holding\({O}\) does not hold\.", _not_held, False),
    (r"Invalid: at\({O}, \S+\) does not hold\.", _not_there, False),
    (r"Invalid: intact\({O}\) does not hold\.", _broke, False),
    (r"Invalid: \w+\(.*\) does not hold\.", _nothing, False),
)

SENTENCES: tuple[Sentence, ...] = (*_PLAIN, *_ALFRED, *_HABITAT)


def about(match: re.Match[str], t: Transition) -> bool:
    """Whether the sentence is about what the action was about; "You pick up mug_3." in answer to picking mug_2 is not."""
    said = match.groupdict()
    asked_place = t.action.receptacle if t.action.verb is Verb.PLACE else None
    same_thing = "o" not in said or said["o"] in (t.action.object, t.action.subject)
    return same_thing and (asked_place is None or said.get("p") in (None, asked_place))
