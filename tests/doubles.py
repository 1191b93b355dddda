"""What tests of several rooms share: one small vocabulary, and entities named after it."""

from mimir_learn.symbols import CategorySpec, CausalRule, Entity, Kind, Relation, Vocabulary

_R, _F, _O = Kind.RECEPTACLE, Kind.FIXTURE, Kind.OBJECT
VOCABULARY = Vocabulary(
    "test",
    {
        c.name: c
        for c in (
            CategorySpec("kitchen", Kind.ROOM, Relation.ROOM),
            CategorySpec("bedroom", Kind.ROOM, Relation.ROOM),
            CategorySpec("table", _R, Relation.ON),
            CategorySpec("shelf", _R, Relation.ON),
            CategorySpec("sink", _R, Relation.IN),
            CategorySpec("fridge", _R, Relation.IN, ("open",)),
            CategorySpec("cabinet", _R, Relation.IN, ("open",)),
            CategorySpec("microwave", _R, Relation.IN, ("open", "on")),
            CategorySpec("lamp", _F, None, ("on",)),
            CategorySpec("faucet", _F, None, ("on",)),
            CategorySpec("mug", _O, None, ("heated", "cleaned", "dirty"), ("table", "cabinet"), ("cup",)),
            CategorySpec("apple", _O, None, ("heated", "cooled"), ("fridge", "table")),
            CategorySpec("plate", _O, Relation.ON, (), ("table",)),
            CategorySpec("book", _O, None, (), ("shelf",)),
            CategorySpec("toy", _O, None, (), ("shelf", "cabinet")),
        )
    },
    (
        CausalRule("microwave", "on", True, "heated", (("open", False),), ("cooled",)),
        CausalRule("fridge", "open", False, "cooled", (), ("heated",)),
        CausalRule("faucet", "on", True, "cleaned"),
    ),
)


def entity(entity_id: str) -> Entity:
    category = entity_id.rpartition("_")[0]
    return Entity(entity_id, category, VOCABULARY.spec(category).kind)
