"""Whether the commands of a log say what its abstract actions say, without knowing the embodiment's grammar beforehand.

An adapter ρ_e is a function of the action, so that all actions of one verb with the same arguments given have commands that differ in
nothing but the arguments. The pattern most of them share is taken for the grammar, and the others for damage.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from mimir_learn.logs.episode import LoggedStep

Shape = tuple[str, bool, bool]  # verb, has an object, has a receptacle


def pattern(step: LoggedStep) -> str:
    """The command with its arguments taken out: ``put {object} at {receptacle}``."""
    names = {step.action.receptacle: "{receptacle}", step.action.object: "{object}"}
    return " ".join(names.get(word, word) for word in step.command.split(" "))


class Commands:
    """Gathers the commands of a log; `wrong` tells those that do not fit their actions once all are there."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, int, Shape, str]] = []

    def add(self, file: str, row: int, step: LoggedStep) -> None:
        """Remember one command and where it stands; not where one thing is both arguments, for then nothing tells which is which."""
        action = step.action
        if action.object is not None and action.object == action.receptacle:
            return
        self._seen.append((file, row, (action.verb.value, action.object is not None, action.receptacle is not None), pattern(step)))

    def wrong(self) -> Iterator[tuple[str, int, str]]:
        """(file, row, what is wrong). A log whose commands do not name things by their ids is not judged."""
        with_arguments = [_complete(shape, text) for _, _, shape, text in self._seen if shape[1] or shape[2]]
        if sum(with_arguments) * 2 <= len(with_arguments):
            return
        votes: defaultdict[Shape, Counter[str]] = defaultdict(Counter)
        for _, _, shape, text in self._seen:
            votes[shape][text] += _complete(shape, text)
        grammar: dict[str, Shape] = {}
        for shape, texts in sorted(votes.items(), key=lambda item: item[1].total(), reverse=True):
            grammar.setdefault(texts.most_common(1)[0][0], shape)
        for file, row, shape, text in self._seen:
            if grammar.get(text) != shape or not _complete(shape, text):
                yield file, row, f"skill.text {text!r} is no command for the {shape[0]} of skill.arguments"


def _complete(shape: Shape, text: str) -> bool:
    """Whether a pattern names every argument."""
    return shape[1] <= ("{object}" in text) and shape[2] <= ("{receptacle}" in text)
