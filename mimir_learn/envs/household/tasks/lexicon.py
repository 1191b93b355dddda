"""What people call things by use or kind ("something to read"), and the words for states and sizes. Plain tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sense:
    """Phrases that describe the categories ``means``; where the house has one of ``blurs`` too, they would be unclear."""

    phrases: tuple[str, ...]
    means: frozenset[str]
    blurs: frozenset[str]


def _sense(means: str, *phrases: str, blurs: Iterable[str] = ()) -> Sense:
    return Sense(phrases, frozenset(means.split()), frozenset(blurs.split() if isinstance(blurs, str) else blurs))


THINGS: tuple[Sense, ...] = (
    # food
    _sense(
        "apple orange banana pear peach plum lemon strawberry", "a piece of fruit", "some fruit", "a healthy fruity snack", blurs="tomato"
    ),
    _sense("banana", "the fruit one has to peel and monkeys are fond of"),
    _sense("lemon", "the sour yellow fruit", "what gives tea a sour note"),
    _sense("orange", "the fruit that breakfast juice is pressed from"),
    _sense("apple", "the fruit that keeps the doctor away"),
    _sense("strawberry", "a berry", "the berry that goes on a cake"),
    _sense("plum", "the fruit that becomes a prune when it is dried"),
    _sense("potato lettuce", "a vegetable", "something a vegetable grower sells", blurs="tomato"),
    _sense("potato", "what chips are made from", "the vegetable one mashes"),
    _sense("lettuce", "the leafy vegetable", "the leafy base of a salad"),
    _sense("tomato", "what ketchup is made from", "the red base of a pasta sauce"),
    _sense("egg", "something a hen has laid", "what an omelette needs"),
    _sense("bread", "what toast is made from", "something to make sandwiches from"),
    # dishes
    _sense("mug cup", "something to drink coffee from", "something to have a hot drink in", blurs="bowl"),
    _sense("bowl", "something to eat cereal from", "a dish deep enough for soup", blurs="pot"),
    _sense("plate", "something flat to eat dinner off", "the dish a steak is served on"),
    _sense("pan", "something to fry an egg in", "what pancakes are made in"),
    _sense("pot", "something to cook pasta in", "something to boil potatoes in", blurs="kettle"),
    _sense("kettle", "something to boil water for tea in"),
    _sense("lid", "something to cover a pot with"),
    # cutlery and tools
    _sense("knife", "something to cut bread with", "something sharp to slice vegetables with"),
    _sense("fork", "something to eat spaghetti with", "a piece of cutlery with prongs"),
    _sense("spoon", "something to eat yoghurt with", "something to stir tea with"),
    _sense("ladle", "something to serve soup with"),
    _sense("spatula", "something to turn pancakes with"),
    _sense("scissors", "something to cut paper with", "something to trim hair with"),
    _sense("hammer", "something to drive nails in with"),
    _sense("screwdriver", "something to tighten screws with"),
    _sense("wrench", "something to loosen a bolt with"),
    _sense("drill", "something to make holes in a wall with"),
    _sense("clamp", "something to hold two glued boards together"),
    _sense("padlock", "something to lock a bicycle shed with", "something to keep a locker shut"),
    # bottles, cans and cleaning
    _sense("wine_bottle", "something alcoholic to drink", "a drink made from grapes"),
    _sense("can", "something that is opened with a tin opener", "food that has been tinned"),
    _sense("bottle", "something to take water on a walk in", blurs="watering_can"),
    _sense("salt_shaker", "something that makes food salty"),
    _sense("pepper_shaker", "something that makes food a little hot"),
    _sense("watering_can", "something to water the plants with"),
    _sense("spray_bottle", "something to spray the windows with"),
    _sense("soap_bottle soap", "something to wash hands with"),
    _sense("sponge", "something to scrub dishes with", blurs="cloth"),
    _sense("toilet_paper", "what is missed most when the toilet runs out of it"),
    _sense("plunger", "something to unblock a drain with"),
    # paper and boxes
    _sense("book newspaper", "something to read"),
    _sense("book", "a novel", "something with chapters in it"),
    _sense("newspaper", "something with today's headlines"),
    _sense("tissue_box", "something for a runny nose", blurs="toilet_paper"),
    _sense("box", "something to pack odds and ends into"),
    # linen
    _sense("pillow", "something soft to rest one's head on", blurs="teddy"),
    _sense("towel", "something to dry off with after a shower"),
    _sense("cloth", "something to wipe the table with", blurs="sponge towel"),
    # toys and sport
    _sense("basketball", "something to shoot hoops with"),
    _sense("baseball_bat", "something to hit a pitch with"),
    _sense("tennis_racket", "something to return a serve with"),
    _sense("toy toy_airplane", "a toy vehicle"),
    _sense("toy_airplane", "the toy that looks as if it could fly"),
    _sense("block lego", "something to build a toy tower from"),
    _sense("rubiks_cube", "a puzzle to twist"),
    _sense("teddy", "something a child cuddles at night", blurs="pillow"),
    # personal things and decoration
    _sense("phone", "something to make a call with", "something to text a friend with"),
    _sense("remote", "something to change channels with"),
    _sense("watch", "something that tells the time on one's wrist"),
    _sense("alarm_clock", "something that rings to wake one up"),
    _sense("keys", "something to unlock the front door with"),
    _sense("credit_card", "something to pay with other than cash"),
    _sense("pen", "something to write with", "something to sign a letter with"),
    _sense("cd", "something with music on it"),
    _sense("candle", "a light for a power cut", "something to light on a birthday cake"),
    _sense("vase", "something to put flowers in"),
    _sense("statue", "a small work of art", "something a sculptor has made"),
)
"""Things by use or kind. A phrase is used only where the house has exactly one of the categories it could mean."""

PLACES: tuple[Sense, ...] = (
    _sense("fridge", "where milk is kept cold", "where fresh food is kept cool", blurs="freezer"),
    _sense("freezer", "where ice cream is kept", "where food stays frozen"),
    _sense("bin", "where rubbish goes", "where trash is thrown"),
    _sense("sink", "where dishes are washed by hand", blurs="bathtub"),
    _sense("bathtub", "where one takes a bath"),
    _sense("bed", "where one sleeps at night", "where one lies down to sleep"),
    _sense("sofa", "where several people sit to watch a film"),
    _sense("armchair", "where one person sits down comfortably", blurs="sofa"),
    _sense("desk", "where homework is done", "where one sits down to work"),
    _sense("bookcase", "where a whole library is kept"),
    _sense("wardrobe", "where coats hang", "where dresses hang"),
    _sense("dresser", "where socks and underwear are kept", blurs="wardrobe drawer"),
    _sense("washer", "where laundry gets clean"),
    _sense("dishwasher", "where dishes get clean by themselves"),
    _sense("microwave", "where leftovers are warmed up in a minute", blurs="oven"),
    _sense("oven", "where cakes are baked"),
    _sense("safe", "where valuables are locked away"),
    _sense("table", "where the family has dinner"),
    _sense("tv_stand", "where the television has its place"),
    _sense("lamp desk_lamp", "something to read by at night"),
    _sense("tv", "the thing one watches the news on", blurs="laptop"),
    _sense("laptop", "the computer one can carry around"),
)
"""Places (phrases beginning with "where") and devices by use."""

FOOD = frozenset(
    {"apple", "bread", "tomato", "potato", "lettuce", "orange", "egg", "banana", "pear", "peach", "plum", "lemon", "strawberry"}
)
"""What one eats."""

FRUITY = frozenset({"lime", "orange", "peach", "plum", "olive", "lemon"})
"""Colours that are foods, too: nobody says "the lime lemon"."""

STATES: dict[tuple[str, bool], tuple[str, ...]] = {
    ("dirty", True): ("dirty", "soiled", "stained"),
    ("dirty", False): ("clean", "spotless"),
    ("filled", True): ("full", "filled"),
    ("filled", False): ("empty",),
    ("sliced", True): ("sliced", "cut-up"),
    ("sliced", False): ("whole", "uncut"),
}
"""Visible states as adjectives."""

SIZES = 1.18
"""Ratio of scales from which people call one of two things of a shape the bigger one."""
