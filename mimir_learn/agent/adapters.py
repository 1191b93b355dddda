"""Adapters ρ_e: abstract actions to the command grammar of one embodiment, None (⊥_act) for what it cannot express (Eq. 11)."""

from __future__ import annotations

import re
from typing import Protocol

from mimir_learn.symbols import Action, Outcome, Verb


class Adapter(Protocol):
    """ρ_e : Ā → A_e ∪ {⊥_act}."""

    def command(self, action: Action) -> str | None: ...

    def refused(self, outcome: Outcome) -> bool:
        """Whether the environment says it did not try, because a precondition of the command is unmet."""
        ...


# what the household's feedback styles say of a command that was not tried; where one says the same of a try that failed, it is not listed
_REFUSALS = re.compile(
    r"Refused: .+"
    r"|The action failed\. (There is .+|Nothing .+|Slicing did not work|Filling at \S+ did not work|Pouring into \S+ did not work"
    r"|Looking (up|down) did not work|\S+ (cannot be .+|is out of reach.*|is not in the hand|is full|could not be used.*)"
    r"|\S+ could not be (opened or closed|opened, it is open already|closed, it is closed already))\."
    r"|Invalid: (known_action|exists|visible|near|not_holding_any|holding_any|openable|closed|switched_on|switched_off|switchable"
    r"|receptacle|fits|holding_knife|sliceable|whole|vessel|empty|water|level_or_lowered|level_or_raised)\(.*\) does not hold\."
)


class HouseholdAdapter:
    """The embedded household's grammar (``go to X``, ``pick up O from P``, ``put O at P``, …)."""

    def command(self, action: Action) -> str | None:
        """The legal command for ``action``, or None."""
        thing, place = action.object, action.receptacle
        match action.verb:
            case Verb.NAVIGATE:
                return f"go to {place or thing}"
            case Verb.PICK:
                return f"pick up {thing}" if place is None else f"pick up {thing} from {place}"
            case Verb.PLACE:
                return f"put {thing} at {place}"
            case Verb.OPEN:
                return f"open {place}"
            case Verb.CLOSE:
                return f"close {place}"
            case Verb.TOGGLE_ON:
                return f"turn on {thing}"
            case Verb.TOGGLE_OFF:
                return f"turn off {thing}"
            case Verb.SLICE:
                return f"slice {thing}"
            case Verb.FILL:
                return f"fill {thing} at {place}"
            case Verb.POUR:
                return f"pour {thing} into {place}"
            case Verb.LOOK:
                return "look"
            case Verb.LOOK_UP:
                return "look up"
            case Verb.LOOK_DOWN:
                return "look down"
            case Verb.WAIT:
                return "wait"

    def refused(self, outcome: Outcome) -> bool:
        """True for ``Refused: ….`` and for what the other styles say of nothing but a refusal.

        Without feedback text, and where a style has one sentence for both, nobody can tell a refusal from a failure.
        """
        return not outcome.success and _REFUSALS.fullmatch(outcome.text) is not None
