"""Typed commands back to abstract actions: the inverse of an adapter, found by asking it what it would say."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from mimir_learn.agent.adapters import Adapter
from mimir_learn.errors import SymbolError
from mimir_learn.symbols import Action, Kind, Place, Verb

_OBJECT, _PLACE = "Ω1", "Ω2"  # ids that no house has
_FORMS = ((None, None), (_OBJECT, None), (None, _PLACE), (_OBJECT, _PLACE))


class Grammar:
    """Reads what a person types.

    Args:
        adapter: the embodiment's ρ_e.
        places: where one can go; the ids that ``go to`` takes for a place.
    """

    def __init__(self, adapter: Adapter, places: Iterable[Place]) -> None:
        self._places = {p.entity.id: p.entity for p in places}
        self._forms: list[tuple[str, re.Pattern[str], Verb]] = []
        for verb in Verb:
            for thing, place in _FORMS:
                try:
                    text = adapter.command(Action(verb, thing, place))
                except SymbolError:
                    continue
                if text is not None:
                    pattern = re.escape(text).replace(_OBJECT, r"(?P<object>\S+)").replace(_PLACE, r"(?P<receptacle>\S+)")
                    usage = text.replace(_OBJECT, "THING").replace(_PLACE, "PLACE")
                    self._forms.append((usage, re.compile(pattern), verb))

    @property
    def usage(self) -> list[str]:
        """Every form a command can have, ``pick up THING from PLACE``."""
        return list(dict.fromkeys(usage for usage, _, _ in self._forms))

    @property
    def words(self) -> list[str]:
        """What commands can start with, ``pick up``, ``go to``, …"""
        return sorted({re.split(r" (?:THING|PLACE)", usage)[0] for usage in self.usage})

    def read(self, text: str) -> Action | None:
        """The action that a line means; None for a line that is no command."""
        line = " ".join(text.split())
        if not _writable(line):
            return None
        for _, pattern, verb in self._forms:
            match = pattern.fullmatch(line)
            if match is None:
                continue
            thing, place = (match.groupdict().get(k) for k in ("object", "receptacle"))
            if verb is Verb.NAVIGATE:
                name = thing or place
                thing, place = (None, name) if self._goes_by_place(name) else (name, None)
            try:
                return Action(verb, thing, place)
            except SymbolError:
                continue
        return None

    def hint(self, text: str) -> str:
        """What somebody may have meant who typed a line that is no command; "" where nothing is like it."""
        line = " ".join(text.split())
        for usage, pattern, _ in self._forms:
            if (match := re.fullmatch(pattern.pattern, line, re.IGNORECASE)) and not pattern.fullmatch(line):
                found = match.groupdict()
                said = usage.replace("THING", found.get("object") or "").replace("PLACE", found.get("receptacle") or "")
                return f"command words are lower case: {said!r}"
        low = line.lower()
        begun = [w for w in self.words if low == w or low.startswith(f"{w} ")]
        if begun:
            longest = max(begun, key=len)
            return "it goes: " + ", ".join(f"{u!r}" for u in self.usage if u == longest or u.startswith(f"{longest} "))
        near = difflib.get_close_matches(" ".join(low.split()[:2]), self.words, 1) or difflib.get_close_matches(
            low.partition(" ")[0], self.words, 1
        )
        return f"did you mean {near[0]!r}?" if near else ""

    def _goes_by_place(self, name: str | None) -> bool:
        return name in self._places and self._places[str(name)].kind is not Kind.OBJECT


def _writable(line: str) -> bool:
    """Whether a line can be written to a file: not so with half characters, as a terminal makes of bytes it cannot read."""
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True
