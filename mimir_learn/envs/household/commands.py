"""The household's command grammar: a line of text in, a parsed command out."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PATTERNS = tuple(
    (verb, re.compile(pattern))
    for verb, pattern in (
        ("go", r"go to (?P<x>\S+)"),
        ("pick", r"pick up (?P<x>\S+?)(?: from (?P<p>\S+))?"),
        ("put", r"put (?P<x>\S+) at (?P<p>\S+)"),
        ("open", r"open (?P<x>\S+)"),
        ("close", r"close (?P<x>\S+)"),
        ("turn on", r"turn on (?P<x>\S+)"),
        ("turn off", r"turn off (?P<x>\S+)"),
        ("slice", r"slice (?P<x>\S+)"),
        ("fill", r"fill (?P<x>\S+) at (?P<p>\S+)"),
        ("pour", r"pour (?P<x>\S+) into (?P<p>\S+)"),
        ("look", r"look"),
        ("look up", r"look up"),
        ("look down", r"look down"),
        ("wait", r"wait"),
    )
)


@dataclass(frozen=True)
class Command:
    """One command: its verb, the entity it names and, for pick, put, fill and pour, the second one."""

    verb: str
    x: str = ""
    p: str = ""


def parse(text: str) -> Command | None:
    """None for anything the grammar does not cover."""
    for verb, pattern in _PATTERNS:
        match = pattern.fullmatch(text.strip())
        if match:
            groups = match.groupdict()
            return Command(verb, groups.get("x") or "", groups.get("p") or "")
    return None
