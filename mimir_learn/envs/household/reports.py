"""What a skill tells about an action, and the sentence that says so in three styles.

`plain` is the household's own and gives away nothing the robot could not know. `alfred` has the shape of EB-ALFRED's feedback: one
sentence for every success, a coarse reason for a failure, which may tell where an unseen thing is. `habitat` has the shape of
EB-Habitat's: valid or invalid, with the predicate that now holds or that failed.
"""

from __future__ import annotations

from dataclasses import dataclass

from mimir_learn.symbols import Outcome

STYLES = ("plain", "alfred", "habitat")


@dataclass(frozen=True)
class Report:
    """Outcome of one command before it is put into words.

    Attributes:
        ok: claimed success.
        code: key of the tables below.
        x, p: the thing or device, and the place, as they are to be named.
        word: ``in`` or ``on``, or what was said.
        where: true place of a thing that was not seen; only the style that leaks may use it.
    """

    ok: bool
    code: str
    x: str = ""
    p: str = ""
    word: str = ""
    where: str = ""

    @property
    def refused(self) -> bool:
        """Whether nothing was tried, as a precondition is not met."""
        return self.code in _REFUSALS


# code → (plain sentence, predicate that holds now in the habitat style)
_DONE = {
    "went": ("You are at {x}.", "at({x})"),
    "looked": ("You look at {x} from another side.", "looking_at({x})"),
    "looked_up": ("You look up.", "looking_up()"),
    "looked_down": ("You look down.", "looking_down()"),
    "waited": ("You wait.", "waited()"),
    "picked": ("You pick up {x}.", "holding({x})"),
    "put": ("You put {x} {word} {p}.", "{word}({x}, {p})"),
    "put_floor": ("You put {x} on the floor of {p}.", "on_floor({x}, {p})"),
    "opened": ("You open {p}.", "opened({p})"),
    "closed": ("You close {p}.", "closed({p})"),
    "turned_on": ("You turn on {x}.", "switched_on({x})"),
    "turned_off": ("You turn off {x}.", "switched_off({x})"),
    "sliced": ("You slice {x}.", "sliced({x})"),
    "filled": ("You fill {x} at {p}.", "filled({x})"),
    "poured": ("You pour {x} into {p}.", "empty({x})"),
}

# code → (plain sentence, coarse reason in the alfred style, predicate that fails in the habitat style)
_FAILED = {
    "slipped": ("You reach for {x}, but it slips away.", "Picking up {x} did not work", "holding({x})"),
    "picked": ("You pick up {x}.", "Something else was picked up", "holding_target()"),
    "dropped": ("You drop {x} on the way to {p}.", "The thing in hand was lost", "holding({x})"),
    "beside": ("{x} lands beside {p}.", "Putting {x} at {p} did not work; try another place of that kind", "at({x}, {p})"),
    "put": ("You put {x} {word} {p}.", "Putting {x} there did not work", "at({x}, target)"),
    "unplaced": ("{x} stays in your hand.", "Putting {x} at {p} did not work; see whether it is open", "not_holding({x})"),
    "third_put": (
        "{x} slips from your hand.",
        "Putting {x} at {p} did not work; see whether it is open, or try another. The thing in hand was dropped",
        "at({x}, {p})",
    ),
    "broke": ("{x} breaks.", "{x} was damaged", "intact({x})"),
    "stuck_panel": ("{p} does not move.", "{p} could not be moved", "moved({p})"),
    "ajar": ("{p} opens only a little.", "{p} could not be opened", "opened({p})"),
    "stuck_switch": ("{x} does not respond.", "Switching {x} did not work", "switched({x})"),
    "uncut": ("{x} stays whole.", "Slicing {x} did not work", "sliced({x})"),
    "empty": ("{x} stays empty.", "Filling {x} did not work", "filled({x})"),
    "spilled": ("You spill {x} beside {p}.", "Pouring {x} did not work", "filled({p})"),
}

_REFUSALS = {
    "nonsense": ('I do not understand "{word}"', "There is no such action", "known_action()"),
    "nothing_there": ("there is no {x}", "{x} cannot be found", "exists({x})"),
    "unseen": ("you do not see {x}", "{x} cannot be found here; find it first", "visible({x})"),
    "far": ("you are not near {p}", "{p} is out of reach; go there first", "near({p})"),
    "hand_full": ("your hand is full", "There is something in the hand already", "not_holding_any()"),
    "hand_empty": ("your hand is empty", "There is nothing in the hand", "holding_any()"),
    "not_held": ("you are not holding {x}", "{x} is not in the hand", "holding({x})"),
    "shut": ("{p} is closed", "{p} could not be used; see whether it is open", "opened({p})"),
    "no_panel": ("{p} cannot be opened", "{p} could not be opened or closed", "openable({p})"),
    "open_already": ("{p} is already open", "{p} could not be opened, it is open already", "closed({p})"),
    "closed_already": ("{p} is already closed", "{p} could not be closed, it is closed already", "opened({p})"),
    "no_switch": ("{x} cannot be turned on or off", "Switching {x} did not work", "switchable({x})"),
    "on_already": ("{x} is already on", "Switching {x} on did not work", "switched_off({x})"),
    "off_already": ("{x} is already off", "Switching {x} off did not work", "switched_on({x})"),
    "holds_nothing": ("{p} holds nothing", "Nothing can be put at {p}", "receptacle({p})"),
    "no_room": ("{x} does not fit {word} {p}", "Putting {x} at {p} did not work; try another place of that kind", "fits({x}, {p})"),
    "broken": ("{x} is broken", "{x} could not be used", "intact({x})"),
    "no_tool": ("you hold nothing to slice with", "Slicing did not work", "holding_knife()"),
    "not_sliceable": ("{x} cannot be sliced", "Slicing {x} did not work", "sliceable({x})"),
    "sliced_already": ("{x} is already sliced", "Slicing {x} did not work", "whole({x})"),
    "not_fillable": ("{x} cannot be filled", "Filling {x} did not work", "vessel({x})"),
    "filled_already": ("{x} is already filled", "{x} is full", "empty({x})"),
    "empty_already": ("{x} is empty", "There is nothing to pour", "filled({x})"),
    "no_water": ("{p} gives no water", "Filling at {p} did not work", "water({p})"),
    "no_vessel": ("nothing can be poured into {p}", "Pouring into {p} did not work", "vessel({p})"),
    "highest": ("you cannot look any higher", "Looking up did not work", "level_or_lowered()"),
    "lowest": ("you cannot look any lower", "Looking down did not work", "level_or_raised()"),
}


def render(report: Report, style: str = "plain") -> Outcome:
    """The claimed flag and the sentence of a report in one of `STYLES`."""
    names = {"x": report.x, "p": report.p, "word": report.word}
    if report.ok:
        plain, holds = _DONE[report.code]
        if style == "alfred":
            return Outcome(True, "The action was carried out.")
        return Outcome(True, f"Valid: {holds.format(**names)}." if style == "habitat" else plain.format(**names))
    plain, coarse, fails = (_REFUSALS if report.refused else _FAILED)[report.code]
    if style == "habitat":
        return Outcome(False, f"Invalid: {fails.format(**names)} does not hold.")
    if style == "alfred":
        if report.code == "unseen" and report.where:
            coarse = "{x} cannot be seen, as it is in {where}; go there for it"
        return Outcome(False, f"The action failed. {coarse.format(**names, where=report.where)}.")
    said = plain.format(**names)
    return Outcome(False, f"Refused: {said}." if report.refused else said)
