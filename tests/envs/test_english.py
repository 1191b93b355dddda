"""What the grammar says is English: no slips of the templates, and no noun that two categories of the house would fit."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest

from mimir_learn.envs.household import generate_house
from mimir_learn.envs.household.tasks import COURSES, SUBSETS, World, sample_subset
from mimir_learn.envs.household.tasks.wording import nouns, plural, words
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.symbols import Task

UNCHECKED = "order that nobody checks"
SLIPS = {
    "doubled word": r"\b(\w+) \1\b",
    "two prepositions": r"\b(in|on|to|at|of) (in|on|to|at|of)\b",
    "no space after a comma": r"[,;:][^ ]",
    "two spaces": r"  ",
    "space before a mark": r" [,;.?]",
    "verb, particle, pronoun": r"\b(warm|heat|cool|cut|turn|switch|fill) (up|down|on|off) (it|them)\b",
    "the pieces, it": r"the (pieces|slices)[^.;]*\band (put|leave|lay|set) it\b",
    "it, them": r"\b(heat|warm|cool|chill) it\b[^.;]*\b(put|leave) them\b",
    "any of several": r"\bany\b",
    UNCHECKED: r"(?i)\b(first|before|after that|finally|to begin with|next,|when that is done)\b",
    "washed and dirty": r"(washed|rinsed|cleaned) (soiled|stained|dirty|clean|spotless)",
    "wash what is clean": r"(?i)\b(wash|rinse|clean) (the|a) (clean|spotless)\b",
    "a apple": r"\b[Aa] [aeiou]",
    "an mug": r"\b[Aa]n [^aeiou]",
    "a place in a place in a place": r"( in the (?!and )[a-z]+( (?!in |and |that |which )[a-z]+)?){3}",
    "a fruit for a colour": r"the (lemon|orange|peach|plum) (that is )?(lime|orange|peach|plum|olive)\b",
    "a request of a condition": r"(Please|you to|job is to|you) (if|in case)\b",
    "sentence in lower case": r"[.?] [a-z]",
}
HEADS = ["table", "cabinet", "cupboard", "drawer", "bottle", "ball", "shelf", "lamp", "can", "cup", "box", "washer", "chair", "toy", "pan"]
"""Nouns that would fit several categories."""


@lru_cache(maxsize=1)
def sampled() -> list[tuple[World, Task]]:
    worlds = [(seed, World.of_house(generate_house(seed))) for seed in range(40_500, 40_530)]
    return [(w, t) for seed, w in worlds for s in SUBSETS for t in sample_subset(w, np.random.default_rng(seed), s, 4)]


@pytest.mark.parametrize("slip", SLIPS)
def test_no_slips(slip: str) -> None:
    assert len(sampled()) > 600
    checked = COURSES if slip == UNCHECKED else ()
    assert not [t.instruction for _, t in sampled() if t.meta["subset"] not in checked and re.search(SLIPS[slip], t.instruction)]


def test_sentences_begin_and_end_as_they_should() -> None:
    for _, task in sampled():
        text = task.instruction
        assert text[0].isupper() and text[-1] in ".?" and text == text.strip() and text[-2] not in ".?,; ", text


def test_them_is_more_than_one() -> None:
    for _, task in sampled():
        for part in re.split(r"[.?] ", task.instruction):
            before, *after = re.split(r"\bthem\b", part)
            assert not after or re.search(r"\b(pieces|slices|both|two|three|four|all|the \w+s)\b", before), task.instruction


def fits(noun: str) -> set[str]:
    """Categories that ``noun`` could be said of: by their nouns, their synonyms, or as what they are a kind of (a coffee table: table)."""
    found = set()
    for name, spec in VOCABULARY.categories.items():
        if any(n == noun or n.endswith(f" {noun}") for n in (*nouns(name), *spec.synonyms, words(name))):
            found.add(name)
    return found


def test_no_noun_fits_two_categories_of_the_house() -> None:
    meant = {form: (name, n) for name in VOCABULARY.categories for n in nouns(name) for form in (n, plural(n))}
    forms = re.compile(r"\b(" + "|".join(sorted(map(re.escape, meant), key=len, reverse=True)) + r")\b")
    used = 0
    for world, task in sampled():
        present = {e.category for e in world.entities.values()}
        text = task.instruction[0].lower() + task.instruction[1:]
        for resolved in task.meta["resolved"]:
            if "use" in task.meta["styles"]:
                text = text.replace(resolved.partition(" = ")[0], "…")
        for form in forms.findall(text):
            category, noun = meant[form]
            assert fits(noun) & present <= {category}, f"{noun!r} in {task.instruction!r}"
            used += 1
        left = forms.sub("…", text)
        assert not re.search(rf"\b({'|'.join(HEADS)})s?\b", left), f"{left!r} of {task.instruction!r}"
    assert used > 1000
