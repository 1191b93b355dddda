"""What the household can talk about: its categories, where things usually are, and what heats, cools and cleans."""

from __future__ import annotations

from mimir_learn.symbols import CategorySpec, CausalRule, Kind, Relation, Vocabulary

ROOM_CATEGORIES = ("kitchen", "livingroom", "bedroom", "bathroom", "office", "hall")

_ON, _IN = Relation.ON, Relation.IN
_PLACES: tuple[tuple[str, Relation, tuple[str, ...], tuple[str, ...]], ...] = (
    ("counter", _ON, (), ("worktop", "countertop")),
    ("table", _ON, (), ("dining table",)),
    ("coffee_table", _ON, (), ("low table",)),
    ("side_table", _ON, (), ("nightstand", "bedside table")),
    ("desk", _ON, (), ()),
    ("shelf", _ON, (), ("rack", "wall shelf")),
    ("bookcase", _ON, (), ("bookshelf",)),
    ("tv_stand", _ON, (), ("TV stand",)),
    ("sofa", _ON, (), ("couch",)),
    ("armchair", _ON, (), ("easy chair",)),
    ("chair", _ON, (), ()),
    ("bed", _ON, (), ()),
    ("toilet", _ON, (), ()),
    ("burner", _ON, ("on",), ("stove burner", "hob")),
    ("sink", _IN, (), ("basin",)),
    ("bathtub", _IN, (), ("tub",)),
    ("bin", _IN, (), ("trash can", "waste basket", "garbage can")),
    ("fridge", _IN, ("open",), ("refrigerator",)),
    ("freezer", _IN, ("open",), ("freezer drawer",)),
    ("cabinet", _IN, ("open",), ("cupboard", "base cabinet")),
    ("wall_cabinet", _IN, ("open",), ("wall cabinet", "hanging cupboard")),
    ("drawer", _IN, ("open",), ("chest of drawers",)),
    ("dresser", _IN, ("open",), ("commode",)),
    ("microwave", _IN, ("open", "on"), ()),
    ("oven", _IN, ("open", "on"), ("stove",)),
    ("dishwasher", _IN, ("open", "on"), ()),
    ("wardrobe", _IN, ("open",), ("closet",)),
    ("washer", _IN, ("open", "on"), ("washing machine",)),
    ("safe", _IN, ("open",), ("strongbox",)),
)

_DEVICES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("lamp", ("on",), ("floor lamp",)),
    ("desk_lamp", ("on",), ("desk lamp", "reading lamp")),
    ("tv", ("on",), ("television",)),
    ("laptop", ("open", "on"), ("notebook computer",)),
    ("faucet", ("on",), ("tap",)),
)
_TOOLS = {"faucet": ("fill",), "sink": ("pour",), "bathtub": ("pour",), "toilet": ("pour",), "knife": ("slice",)}

_TEMPERED = ("heated", "cooled", "cleaned")
_CUT = ("sliced", *_TEMPERED)  # food a knife can slice
_CRACKS = ("broken",)
_VESSEL = ("dirty", "filled", *_TEMPERED)
_WASHED = ("dirty", "cleaned")

# name, how it holds things if it does, attributes, usual places, synonyms
_THINGS: tuple[tuple[str, Relation | None, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    # food
    ("apple", None, _CUT, ("fridge", "counter", "table", "bin"), ()),
    ("bread", None, _CUT, ("counter", "fridge", "table", "microwave"), ("loaf",)),
    ("tomato", None, _CUT, ("fridge", "counter", "table"), ()),
    ("potato", None, _CUT, ("cabinet", "counter", "fridge", "oven"), ()),
    ("lettuce", None, _CUT, ("fridge", "counter", "table"), ("salad",)),
    ("orange", None, _CUT, ("fridge", "counter", "table", "coffee_table"), ()),
    ("egg", None, (*_CRACKS, *_TEMPERED), ("fridge", "counter", "microwave"), ()),
    ("banana", None, _TEMPERED, ("counter", "table", "fridge", "coffee_table"), ()),
    ("pear", None, _TEMPERED, ("fridge", "counter", "table"), ()),
    ("peach", None, _TEMPERED, ("fridge", "counter", "table"), ()),
    ("plum", None, _TEMPERED, ("fridge", "counter", "table"), ()),
    ("lemon", None, _TEMPERED, ("fridge", "counter", "freezer"), ()),
    ("strawberry", None, _TEMPERED, ("fridge", "freezer", "counter"), ()),
    # dishes; those with a relation are movable receptacles
    ("mug", _IN, (*_VESSEL, *_CRACKS), ("counter", "table", "wall_cabinet", "sink", "desk", "dishwasher"), ()),
    ("cup", _IN, (*_VESSEL, *_CRACKS), ("wall_cabinet", "counter", "table", "dishwasher", "sink"), ()),
    ("bowl", _IN, (*_VESSEL, *_CRACKS), ("wall_cabinet", "cabinet", "counter", "sink", "table", "dishwasher"), ()),
    ("plate", _ON, ("dirty", *_TEMPERED, *_CRACKS), ("wall_cabinet", "cabinet", "table", "sink", "dishwasher"), ("dish",)),
    ("pan", _IN, ("dirty", *_TEMPERED), ("burner", "counter", "cabinet", "sink"), ("frying pan",)),
    ("pot", _IN, _VESSEL, ("burner", "cabinet", "counter", "sink"), ("cooking pot", "saucepan")),
    ("kettle", None, ("filled", *_TEMPERED), ("burner", "counter", "table"), ("teapot",)),
    ("lid", None, _WASHED, ("cabinet", "counter", "dishwasher", "sink"), ("pot lid",)),
    # cutlery and tools
    ("knife", None, _WASHED, ("counter", "drawer", "sink", "dishwasher", "table"), ("kitchen knife",)),
    ("fork", None, _WASHED, ("drawer", "table", "sink", "dishwasher", "counter"), ()),
    ("spoon", None, _WASHED, ("drawer", "table", "sink", "dishwasher", "counter"), ()),
    ("ladle", None, _WASHED, ("drawer", "counter", "sink", "cabinet"), ("soup ladle",)),
    ("spatula", None, _WASHED, ("drawer", "counter", "sink", "cabinet"), ("turner",)),
    ("scissors", None, (), ("drawer", "desk", "shelf"), ()),
    ("hammer", None, (), ("cabinet", "shelf", "drawer"), ()),
    ("screwdriver", None, (), ("drawer", "shelf", "cabinet"), ()),
    ("wrench", None, (), ("cabinet", "shelf", "drawer"), ("spanner",)),
    ("drill", None, (), ("shelf", "cabinet", "wardrobe"), ("power drill",)),
    ("clamp", None, (), ("shelf", "drawer", "cabinet"), ()),
    ("padlock", None, (), ("drawer", "safe", "side_table"), ("lock",)),
    # bottles, cans and cleaning
    ("bottle", None, ("filled", *_CRACKS, "cooled", "cleaned"), ("fridge", "counter", "table", "bin"), ("water bottle",)),
    ("wine_bottle", None, (*_CRACKS, "cooled", "cleaned"), ("fridge", "counter", "table", "cabinet"), ("bottle of wine",)),
    ("can", None, ("cooled", "cleaned"), ("fridge", "wall_cabinet", "bin", "counter"), ("tin",)),
    ("salt_shaker", None, (), ("counter", "table", "wall_cabinet"), ("salt shaker", "salt")),
    ("pepper_shaker", None, (), ("counter", "table", "wall_cabinet"), ("pepper shaker", "pepper mill")),
    ("watering_can", None, ("filled",), ("sink", "bathtub", "shelf", "counter"), ("watering can",)),
    ("spray_bottle", None, (), ("sink", "bathtub", "cabinet", "toilet"), ("spray bottle", "cleanser")),
    ("soap_bottle", None, (), ("sink", "bathtub", "cabinet"), ("soap bottle", "soap dispenser")),
    ("soap", None, (), ("sink", "bathtub", "cabinet"), ("bar of soap",)),
    ("sponge", None, _WASHED, ("sink", "bathtub", "counter", "cabinet"), ()),
    ("toilet_paper", None, (), ("toilet", "cabinet", "side_table"), ("toilet paper", "toilet roll")),
    ("plunger", None, (), ("toilet", "bathtub", "cabinet"), ()),
    # paper and boxes
    ("book", None, (), ("bookcase", "shelf", "desk", "bed", "side_table", "sofa"), ()),
    ("newspaper", None, (), ("coffee_table", "sofa", "armchair", "table", "bin"), ("paper",)),
    ("tissue_box", None, (), ("side_table", "coffee_table", "desk", "shelf"), ("tissue box", "tissues")),
    ("box", _IN, (), ("wardrobe", "shelf", "desk", "bookcase"), ("carton",)),
    # linen
    ("pillow", None, _WASHED, ("sofa", "bed", "armchair", "wardrobe", "washer"), ("cushion",)),
    ("towel", None, _WASHED, ("washer", "bathtub", "wardrobe", "dresser"), ()),
    ("cloth", None, _WASHED, ("washer", "sink", "counter", "drawer"), ("rag", "dishcloth")),
    # toys and sport
    ("ball", None, ("cleaned",), ("bed", "wardrobe", "shelf", "sofa"), ()),
    ("basketball", None, ("cleaned",), ("wardrobe", "bed", "armchair"), ()),
    ("baseball_bat", None, (), ("wardrobe", "bed", "sofa"), ("baseball bat", "bat")),
    ("tennis_racket", None, (), ("wardrobe", "bed", "sofa"), ("tennis racket", "racket")),
    ("toy", None, ("cleaned",), ("shelf", "bed", "drawer", "wardrobe"), ("toy car",)),
    ("toy_airplane", None, ("cleaned",), ("shelf", "bed", "bookcase", "dresser"), ("toy airplane", "toy plane")),
    ("block", None, ("cleaned",), ("shelf", "bed", "coffee_table"), ("wooden block",)),
    ("lego", None, ("cleaned",), ("shelf", "coffee_table", "bed", "drawer"), ("lego brick",)),
    ("rubiks_cube", None, (), ("desk", "shelf", "coffee_table"), ("rubik's cube", "puzzle cube")),
    ("teddy", None, _WASHED, ("bed", "sofa", "washer", "shelf"), ("teddy bear",)),
    # personal things and decoration
    ("phone", None, _CRACKS, ("desk", "side_table", "sofa", "table", "safe"), ("mobile", "cell phone")),
    ("remote", None, (), ("coffee_table", "sofa", "tv_stand", "armchair"), ("remote control",)),
    ("watch", None, (), ("side_table", "safe", "dresser", "desk"), ("wristwatch",)),
    ("keys", None, (), ("side_table", "counter", "safe", "drawer"), ("bunch of keys", "keychain")),
    ("credit_card", None, (), ("desk", "safe", "coffee_table", "drawer"), ("credit card", "bank card")),
    ("pen", None, (), ("desk", "drawer", "shelf", "coffee_table"), ("pencil",)),
    ("cd", None, (), ("desk", "tv_stand", "shelf", "safe"), ("disc",)),
    ("alarm_clock", None, (), ("side_table", "desk", "dresser", "shelf"), ("alarm clock",)),
    ("candle", None, (), ("coffee_table", "table", "bathtub", "shelf"), ()),
    ("vase", None, ("filled", *_CRACKS, "cleaned"), ("table", "shelf", "side_table", "coffee_table"), ("flower vase",)),
    ("statue", None, _CRACKS, ("shelf", "bookcase", "tv_stand", "dresser"), ("figurine",)),
)

_WASH = ("dirty",)
_RULES = (
    CausalRule("microwave", "on", True, "heated", requires=(("open", False),), clears=("cooled",)),
    CausalRule("oven", "on", True, "heated", requires=(("open", False),), clears=("cooled",)),
    CausalRule("burner", "on", True, "heated", clears=("cooled",)),
    CausalRule("fridge", "open", False, "cooled", clears=("heated",)),
    CausalRule("freezer", "open", False, "cooled", clears=("heated",)),
    # A faucet holds nothing itself: "in or on it" means in the sink or bathtub it is mounted on.
    CausalRule("faucet", "on", True, "cleaned", clears=_WASH),
    CausalRule("dishwasher", "on", True, "cleaned", requires=(("open", False),), clears=_WASH),
    CausalRule("washer", "on", True, "cleaned", requires=(("open", False),), clears=_WASH),
)

VOCABULARY = Vocabulary(
    "household-v1",
    {
        spec.name: spec
        for spec in (
            *(CategorySpec(name, Kind.ROOM, Relation.ROOM) for name in ROOM_CATEGORIES),
            *(CategorySpec(name, Kind.RECEPTACLE, rel, attrs, (), syn, _TOOLS.get(name, ())) for name, rel, attrs, syn in _PLACES),
            *(CategorySpec(name, Kind.FIXTURE, None, attrs, (), syn, _TOOLS.get(name, ())) for name, attrs, syn in _DEVICES),
            *(CategorySpec(name, Kind.OBJECT, rel, attrs, usual, syn, _TOOLS.get(name, ())) for name, rel, attrs, usual, syn in _THINGS),
        )
    },
    _RULES,
)
