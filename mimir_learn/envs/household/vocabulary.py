"""What the household can talk about: its categories, where things usually are, and what heats, cools and cleans."""

from __future__ import annotations

from mimir_learn.symbols import CategorySpec, CausalRule, Kind, Relation, Vocabulary

ROOM_CATEGORIES = ("kitchen", "livingroom", "bedroom", "bathroom", "office")

_PLACES: tuple[tuple[str, Relation, tuple[str, ...], tuple[str, ...]], ...] = (
    ("counter", Relation.ON, (), ("worktop", "countertop")),
    ("table", Relation.ON, (), ()),
    ("desk", Relation.ON, (), ()),
    ("shelf", Relation.ON, (), ("bookcase", "rack")),
    ("sofa", Relation.ON, (), ("couch",)),
    ("bed", Relation.ON, (), ()),
    ("sink", Relation.IN, (), ("basin",)),
    ("bin", Relation.IN, (), ("trash can", "waste basket")),
    ("fridge", Relation.IN, ("open",), ("refrigerator",)),
    ("cabinet", Relation.IN, ("open",), ("cupboard",)),
    ("drawer", Relation.IN, ("open",), ("chest of drawers",)),
    ("microwave", Relation.IN, ("open", "on"), ()),
    ("wardrobe", Relation.IN, ("open",), ("closet",)),
    ("washer", Relation.IN, ("open",), ("washing machine",)),
    ("safe", Relation.IN, ("open",), ("strongbox",)),
)

_DEVICES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lamp", ("floor lamp",)),
    ("desk_lamp", ("desk lamp", "reading lamp")),
    ("tv", ("television",)),
    ("faucet", ("tap",)),
)

_FOOD, _DISH = ("heated", "cooled", "cleaned"), ("heated", "cooled", "cleaned")
_THINGS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    ("mug", _DISH, ("counter", "table", "cabinet", "sink", "desk", "microwave"), ("cup",)),
    ("bowl", _DISH, ("cabinet", "counter", "sink", "table", "microwave"), ()),
    ("plate", _DISH, ("cabinet", "table", "sink", "counter"), ("dish",)),
    ("pan", ("cleaned",), ("counter", "cabinet", "sink"), ("frying pan",)),
    ("apple", _FOOD, ("fridge", "counter", "table", "bin"), ()),
    ("bread", ("heated", "cooled"), ("counter", "fridge", "table", "microwave"), ("loaf",)),
    ("bottle", ("cooled", "cleaned"), ("fridge", "counter", "table", "bin"), ()),
    ("can", ("cooled", "cleaned"), ("fridge", "cabinet", "bin", "counter"), ("tin",)),
    ("book", (), ("shelf", "desk", "bed", "table", "sofa"), ()),
    ("ball", ("cleaned",), ("bed", "wardrobe", "shelf", "sofa"), ()),
    ("box", (), ("wardrobe", "shelf", "desk", "safe"), ("carton",)),
    ("sponge", ("cleaned",), ("sink", "washer", "counter", "cabinet"), ()),
    ("toy", ("cleaned",), ("shelf", "bed", "drawer", "wardrobe"), ("toy car",)),
    ("vase", ("cleaned",), ("table", "shelf", "desk", "counter"), ()),
    ("phone", (), ("desk", "drawer", "sofa", "table", "safe"), ("mobile", "cell phone")),
    ("pillow", (), ("sofa", "bed", "wardrobe", "washer"), ("cushion",)),
    ("candle", (), ("table", "drawer", "shelf"), ()),
    ("teddy", ("cleaned",), ("bed", "sofa", "washer", "shelf"), ("teddy bear",)),
)

_RULES = (
    CausalRule("microwave", "on", True, "heated", requires=(("open", False),), clears=("cooled",)),
    CausalRule("fridge", "open", False, "cooled", clears=("heated",)),
    # A faucet holds nothing itself: "in or on it" means in the sink it is mounted on.
    CausalRule("faucet", "on", True, "cleaned"),
)

VOCABULARY = Vocabulary(
    "household-v1",
    {
        spec.name: spec
        for spec in (
            *(CategorySpec(name, Kind.ROOM, Relation.ROOM) for name in ROOM_CATEGORIES),
            *(CategorySpec(name, Kind.RECEPTACLE, rel, attrs, (), syn) for name, rel, attrs, syn in _PLACES),
            *(CategorySpec(name, Kind.FIXTURE, None, ("on",), (), syn) for name, syn in _DEVICES),
            *(CategorySpec(name, Kind.OBJECT, None, attrs, usual, syn) for name, attrs, usual, syn in _THINGS),
        )
    },
    _RULES,
)
