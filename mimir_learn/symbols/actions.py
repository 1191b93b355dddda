"""The embodiment-independent action space Ā (Eq. 11) and y_t's outcome part (Eq. 4)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

from mimir_learn.errors import SymbolError


class Verb(StrEnum):
    """Abstract skills, common to EB-ALFRED and EB-Habitat."""

    NAVIGATE = "navigate"
    PICK = "pick"
    PLACE = "place"
    OPEN = "open"
    CLOSE = "close"
    TOGGLE_ON = "toggle_on"
    TOGGLE_OFF = "toggle_off"
    SLICE = "slice"
    LOOK = "look"
    WAIT = "wait"


# (object, receptacle): True = required, False = forbidden, None = optional
_ARGUMENTS: dict[Verb, tuple[bool | None, bool | None]] = {
    Verb.NAVIGATE: (None, None),  # exactly one of the two, checked below
    Verb.PICK: (True, None),
    Verb.PLACE: (True, True),
    Verb.OPEN: (False, True),
    Verb.CLOSE: (False, True),
    Verb.TOGGLE_ON: (True, False),
    Verb.TOGGLE_OFF: (True, False),
    Verb.SLICE: (True, None),
    Verb.LOOK: (False, False),
    Verb.WAIT: (False, False),
}


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """One abstract action ā_t.

    - ``navigate``: ``receptacle`` is a place or room, or ``object`` is a thing in view to walk up to.
    - ``pick``: ``object`` [from ``receptacle``]. ``place``: ``object`` at ``receptacle`` (a room means its floor).
    - ``open``/``close``: ``receptacle``. ``toggle_on``/``toggle_off``: ``object`` is the device.
    - ``look``: the next viewpoint of the same place. ``wait``: nothing.

    Raises SymbolError when an argument is missing or does not belong to the verb.
    """

    verb: Verb
    object: str | None = None
    receptacle: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "verb", Verb(self.verb))
        if self.verb is Verb.NAVIGATE:
            if (self.object is None) == (self.receptacle is None):
                raise SymbolError("navigate takes exactly one of object and receptacle")
            return
        for name, value, rule in zip(("object", "receptacle"), (self.object, self.receptacle), _ARGUMENTS[self.verb], strict=True):
            if rule is True and value is None:
                raise SymbolError(f"{self.verb} needs {name}")
            if rule is False and value is not None:
                raise SymbolError(f"{self.verb} takes no {name}, got {value!r}")

    @property
    def arguments(self) -> tuple[str, ...]:
        """The entity ids this action names, object first."""
        return tuple(a for a in (self.object, self.receptacle) if a is not None)

    def to_json(self) -> str:
        return json.dumps({"verb": self.verb.value, "object": self.object, "receptacle": self.receptacle}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Action:
        body = json.loads(text)
        return cls(Verb(body["verb"]), body["object"], body["receptacle"])

    def __str__(self) -> str:
        return f"{self.verb.value}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the environment says about an action: the claimed success flag and a sentence. Both can be wrong."""

    success: bool
    text: str
