"""Where the robot stands and what it has in view there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from .spec import Viewpoint
from .viewpoints import tilted
from .world import World

TILT = 25.0  # degrees by which the head is raised or lowered


@dataclass(frozen=True)
class Stance:
    """Where the robot stands: at a place or room, in which room, and the views it can cycle through there."""

    at: str
    room: str
    views: tuple[Viewpoint, ...]
    index: int = 0
    overview: bool = False
    tilt: int = 0

    @property
    def view(self) -> Viewpoint:
        """The viewpoint, with the head raised or lowered by `TILT` degrees when ``tilt`` is 1 or −1."""
        view = self.views[self.index]
        return tilted(view, TILT * self.tilt) if self.tilt else view

    def turned(self, by: int = 1) -> Stance:
        """At another of the viewpoints here, head level."""
        return replace(self, index=(self.index + by) % len(self.views), tilt=0)

    def viewed(self, world: World) -> frozenset[str]:
        """Places whose surface or open inside this stance shows from close by; none with the head raised or lowered."""
        if self.tilt:
            return frozenset()
        if self.at in world.fixtures:
            return frozenset(p for p in self.beside(world) if world.is_open(p))
        return frozenset({self.at}) if self.overview else frozenset()

    def beside(self, world: World) -> frozenset[str]:
        """The fixture one stands at, what it is mounted on, and all that is mounted on either (the burners of a stove)."""
        at = world.fixtures.get(self.at)
        if at is None:
            return frozenset()
        base = at.parent.id if at.parent.id in world.fixtures else at.id
        mounted = {
            f.id for f in world.house.fixtures if f.parent.id == base and (f.id == at.id or base == at.id or f.viewpoints == at.viewpoints)
        }
        return frozenset({at.id, base} | mounted)


class Eyes(Protocol):
    """What the robot's camera shows, as ids of entities with enough visible pixels."""

    def seen(self) -> frozenset[str]:
        """In the frame drawn last."""
        ...

    def look(self) -> frozenset[str]:
        """In a frame of the world as it is now, from where the robot now stands, which becomes the frame drawn last."""
        ...
