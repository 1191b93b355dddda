"""The robot that the skills share: where it stands, what it sees and reaches, and what goes wrong in its hands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mimir_learn.symbols import HAND, Kind, Relation

from ..faults import FaultDice
from ..reports import Report
from ..stance import Eyes, Stance
from ..vocabulary import VOCABULARY
from ..world import World

REACH = 1.5  # metres along the floor, from below the camera to a thing within reach


@dataclass
class Robot:
    """State of the robot and of the action it is at.

    Attributes:
        fault: kind of fault that has struck the present action, "" for none.
        failed_puts: receptacle → places in a row that did not come off there.
    """

    world: World
    dice: FaultDice
    eyes: Eyes
    rng: np.random.Generator
    stance: Stance
    fault: str = ""
    failed_puts: dict[str, int] = field(default_factory=dict)

    # --- what it can know

    def may_exist(self, name: str) -> bool:
        """Places are known. A thing may exist as far as the robot can know: a refusal must not tell it which instances there are."""
        if name in self.world.house.entities:
            return name != HAND.id
        return self.category(name) != ""

    def category(self, name: str) -> str:
        """Category of a name that is, or could be, a thing's; "" for any other."""
        stem, _, number = name.rpartition("_")
        if name in self.world.specs:
            return self.world.specs[name].category
        spec = VOCABULARY.categories.get(stem)
        return stem if number.isdigit() and spec is not None and spec.kind is Kind.OBJECT else ""

    def has(self, name: str, attribute: str) -> bool:
        """Whether things of this name's category have an attribute at all."""
        category = self.category(name)
        return category != "" and attribute in VOCABULARY.spec(category).attributes

    def relation(self, name: str) -> Relation | None:
        """How a fixture, or things of this name's category, hold things; None when they do not."""
        fixture = self.world.fixtures.get(name)
        category = self.category(name) if fixture is None else fixture.category
        return VOCABULARY.spec(category).relation if category else None

    def sees(self, entity: str) -> bool:
        return entity in self.eyes.seen()

    # --- what it can get at

    def near(self, place: str) -> bool:
        """Whether a place or room is at hand: where one stands, and what is mounted on it or carries it."""
        return place in (self.stance.at, self.stance.room) or place in self.stance.beside(self.world)

    def within_reach(self, thing: str) -> bool:
        world = self.world
        if world.room_of(thing) != self.stance.room:
            return False
        root = world.root(thing)
        if root in world.fixtures and self.near(root):
            return True
        point, eye = world.position(thing), self.stance.view.eye
        return bool(np.hypot(point[0] - eye[0], point[1] - eye[1]) <= REACH)

    def perceives(self, thing: str) -> bool:
        """Seen in this frame, or in an open container one stands at (a hand can feel what a rim hides)."""
        world = self.world
        if thing not in world.specs or thing == world.held:
            return False
        direct, root = world.parents[thing], world.root(thing)
        at_hand = direct.id == root and world.regions.relation.get(root) is Relation.IN and self.near(root) and world.is_open(root)
        return at_hand or self.sees(thing)

    def unreachable(self, thing: str) -> Report | None:
        """Why a thing cannot be handled; None when it can."""
        if not self.perceives(thing):
            return self.unseen(thing)
        if not self.within_reach(thing):
            return Report(False, "far", p=thing)
        shut = self.world.shut_in(thing)
        return None if shut is None else Report(False, "shut", p=shut)

    def unseen(self, name: str) -> Report:
        where = self.world.parents[name].id if name in self.world.specs else ""
        return Report(False, "unseen", x=name, where=where)

    # --- what goes wrong

    def struck(self, kind: str) -> None:
        """Record a fault, unless one has struck before in this action."""
        self.fault = self.fault or kind

    def jolt(self) -> None:
        """Several tries may leave the camera at another viewpoint."""
        if self.dice.hits("camera") and len(self.stance.views) > 1:
            self.stance = self.stance.turned(1 + int(self.rng.integers(len(self.stance.views) - 1)))
            self.world.carry(self.stance.view)
            self.struck("camera")
