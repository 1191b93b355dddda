"""The embodiment-independent action space Ā (Eq. 11) and y_t's outcome part (Eq. 4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

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
    FILL = "fill"
    POUR = "pour"
    LOOK = "look"
    LOOK_UP = "look_up"
    LOOK_DOWN = "look_down"
    WAIT = "wait"


# what a verb that switches a state is for: the attribute of its place or device, and the value it gets
EFFECT: Mapping[Verb, tuple[str, bool]] = MappingProxyType(
    {
        Verb.OPEN: ("open", True),
        Verb.CLOSE: ("open", False),
        Verb.TOGGLE_ON: ("on", True),
        Verb.TOGGLE_OFF: ("on", False),
        Verb.SLICE: ("sliced", True),
        Verb.FILL: ("filled", True),
        Verb.POUR: ("filled", False),
    }
)

# verbs that turn the head or change the viewpoint, and nothing else
LOOKS: frozenset[Verb] = frozenset({Verb.LOOK, Verb.LOOK_UP, Verb.LOOK_DOWN})

# verbs that are meant to change the world; the rest move the robot or its camera
MANIPULATIONS: frozenset[Verb] = frozenset({Verb.PICK, Verb.PLACE, *EFFECT})

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
    Verb.FILL: (True, True),
    Verb.POUR: (True, True),
    Verb.LOOK: (False, False),
    Verb.LOOK_UP: (False, False),
    Verb.LOOK_DOWN: (False, False),
    Verb.WAIT: (False, False),
}


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """One abstract action ā_t.

    - ``navigate``: ``receptacle`` is a place or room, or ``object`` is a thing in view to walk up to.
    - ``pick``: ``object`` [from ``receptacle``]. ``place``: ``object`` at ``receptacle`` (a room means its floor).
    - ``open``/``close``: ``receptacle``. ``toggle_on``/``toggle_off``: ``object`` is the device.
    - ``slice``: ``object`` [lying at ``receptacle``], with a tool for it in the hand (`CategorySpec.tool_for`).
    - ``fill``: the held ``object``, at ``receptacle``, which gives liquid (a faucet).
    - ``pour``: what the held ``object`` is filled with, into ``receptacle``: a vessel, or a place with a drain (a sink).
    - ``look``: the next viewpoint of the same place. ``look_up``/``look_down``: tilt the head there. ``wait``: nothing.

    Raises SymbolError for an unknown verb, and when an argument is missing, does not belong to the verb or is no entity id.
    """

    verb: Verb
    object: str | None = None
    receptacle: str | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "verb", Verb(self.verb))
        except ValueError:
            raise SymbolError(f"{self.verb!r} is not a verb; known: {', '.join(Verb)}") from None
        for name, value in (("object", self.object), ("receptacle", self.receptacle)):
            if value is not None and not (isinstance(value, str) and value):
                raise SymbolError(f"{self.verb}: {name} must be an entity id or None, got {value!r}")
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

    @property
    def subject(self) -> str | None:
        """Id of the entity whose state this verb changes (see `EFFECT`): the receptacle of open and close, else the object.

        ``pour`` changes a second one, see `fills`.
        """
        return self.receptacle if self.verb in (Verb.OPEN, Verb.CLOSE) else self.object

    @property
    def fills(self) -> str | None:
        """Id of the entity that gets the liquid of a ``pour``, None where it names the vessel it comes from; whether the other keeps it is
        its category's business."""
        return self.receptacle if self.verb is Verb.POUR and self.receptacle != self.object else None

    def to_json(self) -> str:
        return json.dumps({"verb": self.verb.value, "object": self.object, "receptacle": self.receptacle}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Action:
        """Inverse of `to_json`. Raises SymbolError naming what is wrong."""
        try:
            body = json.loads(text)
            return cls(Verb(body["verb"]), body["object"], body["receptacle"])
        except (KeyError, TypeError, ValueError) as e:
            raise SymbolError(f"not an action: {text[:200]!r} ({type(e).__name__}: {e})") from e

    def __str__(self) -> str:
        return f"{self.verb.value}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the environment says about an action: the claimed success flag and a sentence. Both can be wrong."""

    success: bool
    text: str
