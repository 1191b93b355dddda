"""Families of actions: what a Δ-source's mistakes are counted by, and a gate's thresholds certified for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mimir_learn.symbols.actions import Verb

_FAMILY: Mapping[Verb, str] = MappingProxyType(
    {
        Verb.PICK: "pick",
        Verb.PLACE: "place",
        Verb.OPEN: "switch",
        Verb.CLOSE: "switch",
        Verb.TOGGLE_ON: "switch",
        Verb.TOGGLE_OFF: "switch",
        Verb.SLICE: "treat",
        Verb.FILL: "treat",
        Verb.POUR: "treat",
    }
)
FAMILIES: tuple[str, ...] = ("pick", "place", "switch", "treat", "move")


def family(verb: Verb | str) -> str:
    """The family of a verb; verbs that change nothing by themselves are ``move``."""
    return _FAMILY.get(Verb(verb), "move")
