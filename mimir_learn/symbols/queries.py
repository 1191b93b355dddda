"""`ObjectQuery`: which entity a goal or a condition is about, and when an entity is meant by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mimir_learn.errors import SymbolError
from mimir_learn.symbols.delta import Snapshot
from mimir_learn.symbols.vocabulary import ATTRIBUTES, Entity


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """Which entity is meant: a category, or one instance, with attributes it must have.

    ``name`` ties the goals of one agenda together: all queries with the same name mean the same entity, and two names never mean one.
    "Slice a tomato and put it in the fridge" is two goals about one ``ObjectQuery("tomato", name="x")``. A name says nothing about which
    entity that is; whatever completed the first of the goals is meant by the others.
    """

    category: str
    instance: str | None = None
    attributes: tuple[tuple[str, bool], ...] = ()
    name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple((str(a), bool(v)) for a, v in self.attributes))
        if unknown := {a for a, _ in self.attributes} - set(ATTRIBUTES):
            raise SymbolError(f"query for {self.category!r}: {sorted(unknown)} are no declared attributes")
        if self.name is not None and not (isinstance(self.name, str) and self.name):
            raise SymbolError(f"query for {self.category!r}: its name must be a non-empty string or None, got {self.name!r}")

    def matches(self, entity: Entity) -> bool:
        """Whether category and instance agree; attributes are the memory's business."""
        return entity.category == self.category and self.instance in (None, entity.id)

    def fits(self, entity: Entity, state: Snapshot) -> bool:
        """Whether category, instance and all attributes agree in ``state``. An attribute the state does not know never agrees."""
        return self.matches(entity) and all(state.attributes.get((entity.id, a)) is v for a, v in self.attributes)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; inverse is `from_dict`."""
        body: dict[str, Any] = {"category": self.category, "instance": self.instance, "attributes": [list(a) for a in self.attributes]}
        return body if self.name is None else body | {"name": self.name}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> ObjectQuery:
        """Inverse of `to_dict`. Raises KeyError or TypeError for missing or ill-typed entries."""
        return cls(body["category"], body["instance"], tuple((a, v) for a, v in body["attributes"]), body.get("name"))
