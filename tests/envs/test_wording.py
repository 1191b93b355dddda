"""English: plurals, articles, alternatives; every category has a noun, and every noun of an instruction means one category."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from mimir_learn.envs.household.tasks import lexicon
from mimir_learn.envs.household.tasks.wording import a_noun, nouns, plural, say, sentence, words
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.symbols import Kind


@pytest.mark.parametrize(
    ("one", "many"),
    [("knife", "knives"), ("loaf of bread", "loaves of bread"), ("shelf", "shelves"), ("box", "boxes"), ("watch", "watches"),
     ("tomato", "tomatoes"), ("toy car", "toy cars"), ("bunch of keys", "bunches of keys"), ("egg", "eggs"), ("strawberry", "strawberries"),
     ("tennis racket", "tennis rackets"), ("bookcase", "bookcases"), ("TV", "TVs"), ("toy", "toys"), ("glass", "glasses")],
)  # fmt: skip
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


def test_alternatives_are_all_used_and_slots_filled() -> None:
    rng = np.random.default_rng(0)
    said = {say(rng, "[put|set [down|]] {x} , please", x="it") for _ in range(60)}
    assert said == {"put it, please", "set down it, please", "set it, please"}
    assert sentence("put it down") == "Put it down." and sentence("could you?") == "Could you?"
    assert words("livingroom_2") == "living room 2" and words("tv") == "TV" and a_noun("apple") == "an apple"


def test_no_noun_means_two_categories() -> None:
    meant = defaultdict(set)
    for category in VOCABULARY.categories:
        for noun in nouns(category):
            meant[noun].add(category)
            assert VOCABULARY.resolve(noun) in (category, noun), f"{noun!r} is {VOCABULARY.resolve(noun)} to the vocabulary"
    assert {n: c for n, c in meant.items() if len(c) > 1} == {}


def test_what_things_are_for_is_said_of_categories_that_exist() -> None:
    for table, kinds in ((lexicon.THINGS, {Kind.OBJECT}), (lexicon.PLACES, {Kind.RECEPTACLE, Kind.FIXTURE})):
        for sense in table:
            assert sense.means and not sense.means & sense.blurs
            assert all(c in VOCABULARY.categories for c in sense.means | sense.blurs)
            assert {VOCABULARY.spec(c).kind for c in sense.means} <= kinds
    told = set().union(*(s.means for s in lexicon.THINGS))
    assert len(told) > 60  # nearly all things can be asked for by use
    assert all(p.startswith("where") for s in lexicon.PLACES for p in s.phrases if VOCABULARY.spec(min(s.means)).kind is Kind.RECEPTACLE)
