"""Where the robot stands and what it has in view there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mimir_learn.symbols import Relation

from .spec import Viewpoint
from .world import World


@dataclass(frozen=True)
class Stance:
    """Where the robot stands: at a place or room, in which room, and the views it can cycle through there."""

    at: str
    room: str
    views: tuple[Viewpoint, ...]
    index: int = 0
    overview: bool = False

    @property
    def view(self) -> Viewpoint:
        return self.views[self.index]

    def viewed(self, world: World) -> frozenset[str]:
        """Places whose surface or open inside this stance shows from close by."""
        if self.at in world.fixtures:
            parent = world.fixtures[self.at].parent
            near = {self.at} | ({parent.id} if parent.relation is Relation.ON else set())
            near |= {f.id for f in world.house.fixtures if f.parent.id == self.at}
            return frozenset(p for p in near if world.is_open(p))
        return frozenset({self.at}) if self.overview else frozenset()


class Eyes(Protocol):
    """What the robot's camera shows, as ids of entities with enough visible pixels."""

    def seen(self) -> frozenset[str]:
        """In the frame drawn last."""
        ...

    def look(self) -> frozenset[str]:
        """In a frame of the world as it is now, from where the robot now stands, which becomes the frame drawn last."""
        ...
