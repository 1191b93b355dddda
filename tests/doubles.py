"""What tests of several rooms share: one small vocabulary, and entities named after it."""

from mimir_learn.symbols import CategorySpec, CausalRule, Entity, Kind, Relation, Vocabulary

_R, _F, _O = Kind.RECEPTACLE, Kind.FIXTURE, Kind.OBJECT
_DISH = ("heated", "cleaned", "dirty", "broken")
VOCABULARY = Vocabulary(
    "test",
    {
        c.name: c
        for c in (
            CategorySpec("kitchen", Kind.ROOM, Relation.ROOM),
            CategorySpec("bedroom", Kind.ROOM, Relation.ROOM),
            CategorySpec("table", _R, Relation.ON),
            CategorySpec("shelf", _R, Relation.ON),
            CategorySpec("sink", _R, Relation.IN, (), (), (), ("pour",)),
            CategorySpec("fridge", _R, Relation.IN, ("open",)),
            CategorySpec("cabinet", _R, Relation.IN, ("open",)),
            CategorySpec("microwave", _R, Relation.IN, ("open", "on")),
            CategorySpec("burner", _R, Relation.ON, ("on",)),
            CategorySpec("lamp", _F, None, ("on",)),
            CategorySpec("laptop", _F, None, ("open", "on")),
            CategorySpec("faucet", _F, None, ("on",), (), (), ("fill",)),
            CategorySpec("mug", _O, Relation.IN, (*_DISH, "cooled", "filled"), ("table", "cabinet"), ("cup",)),
            CategorySpec("bowl", _O, Relation.IN, (*_DISH, "filled"), ("table", "cabinet")),
            CategorySpec("vase", _O, None, ("filled", "broken"), ("table", "shelf")),
            CategorySpec("pan", _O, Relation.IN, ("heated", "cleaned", "dirty"), ("burner", "cabinet")),
            CategorySpec("apple", _O, None, ("heated", "cooled"), ("fridge", "table")),
            CategorySpec("egg", _O, None, ("broken", "heated", "cooled"), ("fridge", "table")),
            CategorySpec("tomato", _O, None, ("sliced", "heated", "cooled"), ("fridge", "table")),
            CategorySpec("knife", _O, None, ("dirty", "cleaned"), ("table", "cabinet"), (), ("slice",)),
            CategorySpec("plate", _O, Relation.ON, (), ("table",)),
            CategorySpec("book", _O, None, (), ("shelf",)),
            CategorySpec("toy", _O, None, (), ("shelf", "cabinet")),
        )
    },
    (
        CausalRule("microwave", "on", True, "heated", (("open", False),), ("cooled",)),
        CausalRule("fridge", "open", False, "cooled", (), ("heated",)),
        CausalRule("burner", "on", True, "heated", (), ("cooled",)),
        CausalRule("faucet", "on", True, "cleaned", (), ("dirty",)),
    ),
)


def entity(entity_id: str) -> Entity:
    category = entity_id.rpartition("_")[0]
    return Entity(entity_id, category, VOCABULARY.spec(category).kind)
