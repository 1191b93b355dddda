"""Entities, relations, attributes, and the per-environment vocabulary that declares them.

World memory's label function ℓ_t (Eq. 7) maps an entity to a `CategorySpec` of the environment's `Vocabulary`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from mimir_learn.errors import SymbolError


class Kind(StrEnum):
    """What sort of thing an entity is; decides which relations and attributes it may have."""

    ROOM = "room"
    FIXTURE = "fixture"  # stays where it is and holds nothing: lamp, TV
    RECEPTACLE = "receptacle"  # stays where it is and holds things: table, fridge
    OBJECT = "object"  # can be carried
    HAND = "hand"  # the agent's gripper


class Relation(StrEnum):
    """How a child relates to its one active parent (Eq. 7)."""

    IN = "in"
    ON = "on"
    HELD = "held"
    ROOM = "room"  # stands or lies on the floor of a room
    UNKNOWN = "unknown"  # known to have left its old parent, new one not known


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """A thing with an id (``mug_2``) that is unique within an episode."""

    id: str
    category: str
    kind: Kind

    def __post_init__(self) -> None:
        if not self.id or any(c.isspace() for c in self.id):
            raise SymbolError(f"entity id {self.id!r} is empty or has white space; use ids like 'mug_2'")
        object.__setattr__(self, "kind", Kind(self.kind))


HAND = Entity("hand", "hand", Kind.HAND)


@dataclass(frozen=True, slots=True, order=True)
class Parent:
    """The active parent p_t(v) of an entity: the parent's id and the relation to it."""

    id: str
    relation: Relation

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", Relation(self.relation))
        if not isinstance(self.id, str) or not self.id:
            raise SymbolError(f"parent id {self.id!r} is not an entity id")
        if (self.id == HAND.id) != (self.relation is Relation.HELD):
            raise SymbolError(f"parent {self.id!r} with relation {self.relation.value!r}: only the hand holds, and it only holds")
        if (self.id == "?") != (self.relation is Relation.UNKNOWN):
            raise SymbolError(f"parent {self.id!r} with relation {self.relation.value!r}: the unknown parent is ELSEWHERE")

    def __str__(self) -> str:
        return f"{self.relation.value} {self.id}"


IN_HAND = Parent(HAND.id, Relation.HELD)
ELSEWHERE = Parent("?", Relation.UNKNOWN)


@dataclass(frozen=True, slots=True)
class AttributeSpec:
    """A Boolean attribute. Only visible ones can be read off pixels; derived ones are written by causal rules."""

    name: str
    visible: bool
    doc: str


ATTRIBUTES: Mapping[str, AttributeSpec] = {
    a.name: a
    for a in (
        AttributeSpec("open", True, "door, lid or drawer is open enough to reach in"),
        AttributeSpec("on", True, "device runs or gives light"),
        AttributeSpec("dirty", True, "visibly soiled"),
        AttributeSpec("filled", True, "holds liquid"),
        AttributeSpec("sliced", True, "cut into pieces"),
        AttributeSpec("broken", True, "shattered or cracked"),
        AttributeSpec("heated", False, "has been in a running microwave or on a hot burner"),
        AttributeSpec("cooled", False, "has been in a closed fridge"),
        AttributeSpec("cleaned", False, "has been under a running faucet"),
    )
}


@dataclass(frozen=True, slots=True)
class CategorySpec:
    """One category of an environment's vocabulary.

    Attributes:
        name: singular noun, also the id stem (``mug`` → ``mug_2``).
        kind: see `Kind`.
        relation: how this category holds things (``in``/``on``), ``room`` for rooms, None when it holds nothing. An object with a
            relation is a movable receptacle (bowl, plate, box): what it holds goes where it goes.
        attributes: names from `ATTRIBUTES` that apply to it.
        usual_places: receptacle categories where one would look first, most plausible first (prior for Explore_e).
        synonyms: other nouns an instruction may use.
        tool_for: verbs this category makes possible: ``slice`` (a knife, in the hand), ``fill`` (a faucet), ``pour`` (a drain).
    """

    name: str
    kind: Kind
    relation: Relation | None = None
    attributes: tuple[str, ...] = ()
    usual_places: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    tool_for: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Kind(self.kind))
        if self.relation is not None:
            object.__setattr__(self, "relation", Relation(self.relation))
        for name in ("attributes", "usual_places", "synonyms", "tool_for"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if unknown := set(self.attributes) - set(ATTRIBUTES):
            raise SymbolError(f"category {self.name!r} has undeclared attributes {sorted(unknown)}; declare them in ATTRIBUTES")

    @property
    def openable(self) -> bool:
        return "open" in self.attributes

    @property
    def toggleable(self) -> bool:
        return "on" in self.attributes


@dataclass(frozen=True, slots=True)
class CausalRule:
    """Declared ramification: while ``attribute`` of a ``category`` is ``value`` and ``requires`` hold, all in or on it gets ``effect``.

    It strikes at the moment the two come together: when the container's state comes about (a microwave with a mug inside is
    turned on, or a running one closed), and when a thing gets into or onto a container that is in that state (a pot put on a hot
    burner). What is inside a thing inside (soup in a bowl) is meant too. A category that holds nothing acts on what it stands on and
    all that is there (a faucet, its sink). ``effect`` becomes True, the attributes in ``clears`` False: heating and cooling undo each
    other, and washing removes dirt. Afterwards both stay as they are.
    """

    category: str
    attribute: str
    value: bool
    effect: str
    requires: tuple[tuple[str, bool], ...] = ()
    clears: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "requires", tuple((str(a), bool(v)) for a, v in self.requires))
        object.__setattr__(self, "clears", tuple(self.clears))


@dataclass(frozen=True)
class Vocabulary:
    """Everything an environment can talk about; two vocabularies are the same iff their `sha256` is."""

    name: str
    categories: Mapping[str, CategorySpec]
    rules: tuple[CausalRule, ...] = field(default=())

    def __post_init__(self) -> None:
        for key, spec in self.categories.items():
            if key != spec.name:
                raise SymbolError(f"vocabulary {self.name!r}: key {key!r} holds the category {spec.name!r}")

    def spec(self, entity: Entity | str) -> CategorySpec:
        """Category of an entity (or of a category name). Raises SymbolError for an undeclared one."""
        category = entity.category if isinstance(entity, Entity) else entity
        try:
            return self.categories[category]
        except KeyError:
            raise SymbolError(f"category {category!r} is not in vocabulary {self.name!r}") from None

    def resolve(self, noun: str) -> str:
        """The category a noun of an instruction names: itself where declared, else the one that has it as a synonym.

        A noun nobody knows is returned as it is. Raises SymbolError for a synonym of several categories.
        """
        if noun in self.categories:
            return noun
        meant = [name for name, spec in self.categories.items() if noun in spec.synonyms]
        if len(meant) > 1:
            raise SymbolError(f"{noun!r} can mean {', '.join(meant)} in vocabulary {self.name!r}; name one of them")
        return meant[0] if meant else noun

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no white space."""
        body = {
            "name": self.name,
            "categories": {k: asdict(v) for k, v in self.categories.items()},
            "rules": [asdict(r) for r in self.rules],
        }
        return json.dumps(body, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Vocabulary:
        """Inverse of `to_json`."""
        body = json.loads(text)
        return cls(
            body["name"],
            {k: CategorySpec(**v) for k, v in body["categories"].items()},
            tuple(CausalRule(**r) for r in body["rules"]),
        )

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.to_json().encode()).hexdigest()
