"""English for instructions: nouns with their plurals, and a small grammar with alternatives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")

_SPELLING = {"livingroom": "living room", "tv": "TV", "cd": "CD", "tv_stand": "TV stand"}

# categories whose bare name is no countable noun, would fit a sibling as well (a coffee table is a table), or that people call
# something else as well; the first is the usual one
_NOUNS: dict[str, tuple[str, ...]] = {
    "counter": ("counter", "worktop", "kitchen counter"),
    "table": ("dining table",),
    "coffee_table": ("coffee table",),
    "side_table": ("side table", "end table"),
    "shelf": ("shelf unit", "shelving unit"),
    "bookcase": ("bookcase",),
    "tv_stand": ("TV stand",),
    "sofa": ("sofa", "couch"),
    "armchair": ("armchair",),
    "chair": ("dining chair",),
    "burner": ("stove burner", "hob"),
    "bathtub": ("bathtub", "tub"),
    "bin": ("bin", "trash can", "waste basket"),
    "fridge": ("fridge", "refrigerator"),
    "cabinet": ("base cabinet", "floor cupboard"),
    "wall_cabinet": ("wall cabinet", "hanging cupboard"),
    "drawer": ("drawer unit",),
    "wardrobe": ("wardrobe", "closet"),
    "washer": ("washing machine",),
    "safe": ("safe", "strongbox"),
    "lamp": ("floor lamp", "standard lamp"),
    "desk_lamp": ("desk lamp",),
    "tv": ("TV", "television"),
    "laptop": ("laptop", "notebook computer"),
    "faucet": ("faucet", "tap"),
    "bread": ("loaf of bread", "loaf"),
    "lettuce": ("head of lettuce", "lettuce"),
    "pan": ("frying pan", "skillet"),
    "pot": ("cooking pot", "saucepan"),
    "lid": ("pot lid", "saucepan lid"),
    "knife": ("knife", "kitchen knife"),
    "ladle": ("ladle", "soup ladle"),
    "scissors": ("pair of scissors",),
    "wrench": ("wrench", "spanner"),
    "drill": ("drill", "power drill"),
    "wine_bottle": ("wine bottle", "bottle of wine"),
    "bottle": ("water bottle",),
    "cup": ("drinking cup",),
    "ball": ("toy ball", "play ball"),
    "can": ("tin can", "food can"),
    "pepper_shaker": ("pepper shaker", "pepper mill"),
    "soap_bottle": ("soap dispenser",),
    "soap": ("bar of soap",),
    "toilet_paper": ("roll of toilet paper", "toilet roll"),
    "tissue_box": ("tissue box",),
    "box": ("storage box",),
    "pillow": ("pillow", "cushion"),
    "cloth": ("dishcloth", "rag"),
    "toy": ("toy car",),
    "toy_airplane": ("toy airplane", "toy plane"),
    "block": ("wooden block",),
    "lego": ("lego brick",),
    "rubiks_cube": ("Rubik's cube", "puzzle cube"),
    "teddy": ("teddy bear", "teddy"),
    "phone": ("phone", "cell phone"),
    "remote": ("remote control", "remote"),
    "watch": ("watch", "wristwatch"),
    "keys": ("bunch of keys",),
    "credit_card": ("credit card", "bank card"),
    "cd": ("CD",),
    "vase": ("vase", "flower vase"),
    "statue": ("statue", "figurine"),
}
_ONE = re.compile(r"\[([^\[\]]*)\]")


def choice(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


def say(rng: np.random.Generator, template: str, **slots: str) -> str:
    """One sentence of a template: ``[a|b|]`` is one of the alternatives (innermost first), ``{name}`` a slot."""
    text = template
    while (found := _ONE.search(text)) is not None:
        text = text[: found.start()] + choice(rng, found[1].split("|")) + text[found.end() :]
    return " ".join(text.format(**slots).split()).replace(" ,", ",").replace(" .", ".").replace(" ;", ";")


def sentence(text: str) -> str:
    """A capital in front, a full stop behind where no mark is."""
    text = text.strip()
    return text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")


def words(name: str) -> str:
    """ "desk_lamp" → "desk lamp", "livingroom_2" → "living room 2"."""
    stem, _, number = name.rpartition("_")
    if not number.isdigit():
        stem, number = name, ""
    return f"{_SPELLING.get(stem, stem.replace('_', ' '))} {number}".rstrip()


def nouns(category: str) -> tuple[str, ...]:
    """Countable English nouns for a category, the usual one first."""
    return _NOUNS.get(category, (words(category),))


def noun(category: str, rng: np.random.Generator | None = None) -> str:
    """The usual noun, or with ``rng`` one of them, the usual one more often than the others."""
    options = nouns(category)
    return options[0] if rng is None or rng.random() < 0.6 else choice(rng, options)


def a_noun(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    """ "loaf of bread" → "loaves of bread", "knife" → "knives"."""
    head, of, rest = noun.partition(" of ")
    if head.endswith(("s", "x", "ch", "sh")):
        head += "es"
    elif head.endswith("fe") or head in ("loaf", "shelf", "bookshelf"):
        head = head.removesuffix("fe").removesuffix("f") + "ves"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = head[:-1] + "ies"
    elif head in ("potato", "tomato"):
        head += "es"
    else:
        head += "s"
    return head + of + rest


def number(n: int) -> str:
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")[n] if n < 9 else str(n)


def listed(items: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
