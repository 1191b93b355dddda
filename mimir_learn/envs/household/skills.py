"""The robot's skills: preconditions, nominal effects, the faults that strike them, and the sentence that reports them."""

from __future__ import annotations

import numpy as np

from mimir_learn.symbols import Kind, Outcome, Relation

from .commands import Command, parse
from .exogenous import strike
from .faults import FaultDice
from .placing import beside, on_fixture, on_floor
from .stance import Eyes, Stance
from .viewpoints import approach
from .vocabulary import VOCABULARY
from .world import World

REACH = 1.5  # metres along the floor, from below the camera to a thing within reach


class Skills:
    """Carries out commands in a `World`. ``fault`` and ``moved`` tell what went wrong in the last one."""

    def __init__(self, world: World, dice: FaultDice, eyes: Eyes) -> None:
        self.world = world
        self.dice = dice
        self.rng = dice.rng
        self.fault = ""
        self.moved: tuple[str, ...] = ()
        self._eyes = eyes
        rooms = world.house.rooms
        room = rooms[int(self.rng.integers(len(rooms)))]
        self.stance = Stance(room.id, room.id, room.viewpoints, overview=True)

    def act(self, text: str) -> Outcome:
        """One command, then perhaps an exogenous change. Never raises for what the text says."""
        self.fault, self.moved = "", ()
        command = parse(text)
        outcome = _refuse(f'I do not understand "{text}"') if command is None else self._do(command)
        if self.dice.hits("exogenous"):
            handled = command.x if command is not None and command.verb in ("put", "turn on", "turn off") else ""
            self.moved = strike(self.world, self.stance, self._eyes, handled, self.rng)
            if self.moved and not self.fault:
                self.fault = "exogenous"
        return outcome

    def _do(self, c: Command) -> Outcome:
        if c.verb == "wait":
            return Outcome(True, "You wait.")
        if c.verb == "look":
            return self._look()
        for name in (c.x, c.p):
            if name and not self._may_exist(name):
                return _refuse(f"there is no {name}")
        if c.verb == "go":
            return self._go(c.x)
        if c.verb == "pick":
            return self._pick(c.x, c.p)
        if c.verb == "put":
            return self._put(c.x, c.p)
        if c.verb in ("open", "close"):
            return self._panel(c.x, c.verb == "open")
        return self._toggle(c.x, c.verb == "turn on")

    def _may_exist(self, name: str) -> bool:
        """Places are known. A thing may exist as far as the robot can know: a refusal must not tell it which instances there are."""
        if name in self.world.house.entities:
            return name != "hand"
        return self._is_thing(name)

    def _is_thing(self, name: str) -> bool:
        stem, _, number = name.rpartition("_")
        spec = VOCABULARY.categories.get(stem)
        return name in self.world.specs or (number.isdigit() and spec is not None and spec.kind is Kind.OBJECT)

    def _sees(self, entity: str) -> bool:
        return entity in self._eyes.seen()

    # --- moving

    def _look(self) -> Outcome:
        s = self.stance
        self.stance = Stance(s.at, s.room, s.views, (s.index + 1) % len(s.views), s.overview)
        self.world.carry(self.stance.view)
        return Outcome(True, f"You look at {s.at} from another side.")

    def _go(self, x: str) -> Outcome:
        goal = self._stance_at(x)
        if goal is None:
            return _refuse(f"you do not see {x}")
        world, held = self.world, self.world.held
        dropped = held is not None and self.dice.hits("drop")
        early = dropped and self.dice.coin()
        if early and not self._drop(self.stance):
            early = False
        self.stance = goal
        world.carry(goal.view)
        if dropped and (early or self._drop(goal)):
            self.fault = "drop"
            if not self.dice.silent():
                return Outcome(False, f"You drop {held} on the way to {x}.")
        return Outcome(True, f"You are at {x}.")

    def _drop(self, stance: Stance) -> bool:
        world, held = self.world, self.world.held
        assert held is not None
        spot = on_floor(world, world.specs[held], stance.view, self.rng)
        if spot is None:
            return False
        world.release(held, spot.at, spot.yaw)
        return True

    def _stance_at(self, x: str) -> Stance | None:
        world = self.world
        if x in world.fixtures:
            f = world.fixtures[x]
            return Stance(x, f.room, f.viewpoints)
        room = next((r for r in world.house.rooms if r.id == x), None)
        if room is not None:
            return Stance(x, x, room.viewpoints, overview=True)
        if x not in world.specs or x == world.held or not self._sees(x):
            return None
        parent = world.parents[x]
        if parent.relation is not Relation.ROOM:
            f = world.fixtures[parent.id]
            return Stance(f.id, f.room, f.viewpoints)
        room = next(r for r in world.house.rooms if r.id == parent.id)
        point = world.position(x)
        views = approach(
            (float(point[0]), float(point[1]), float(point[2])), self.stance.view.eye, room.centre, room.size, world.blocks(room.id)
        )
        return Stance(room.id, room.id, views)

    # --- handling

    def _near(self, place: str) -> bool:
        at, fixtures = self.stance.at, self.world.fixtures
        if place == at or place == self.stance.room:
            return True
        return place in fixtures and (fixtures[place].parent.id == at or (at in fixtures and fixtures[at].parent.id == place))

    def _within_reach(self, thing: str) -> bool:
        world = self.world
        if world.room_of(thing) != self.stance.room:
            return False
        parent = world.parents[thing]
        if parent.relation is not Relation.ROOM and self._near(parent.id):
            return True
        point, eye = world.position(thing), self.stance.view.eye
        return bool(np.hypot(point[0] - eye[0], point[1] - eye[1]) <= REACH)

    def _pick(self, x: str, p: str) -> Outcome:
        world = self.world
        if world.held is not None:
            return _refuse("your hand is full")
        if p and not self._near(p):
            return _refuse(f"you are not near {p}")
        if p and not world.is_open(p):
            return _refuse(f"{p} is closed")
        if x not in world.specs or not self._graspable(x):
            return _refuse(f"you do not see {x}")
        if not self._within_reach(x):
            return _refuse(f"you are not near {x}")
        kind, taken = self.dice.pick(), x
        if kind == "wrong_instance":
            other = self._other_than(x)
            taken, kind = (other, kind) if other is not None else (x, "slip" if self.dice.rates.slip > 0 else "")
        self.fault = kind
        if kind != "slip":
            world.hold(taken, self.stance.view)
        if kind and not self.dice.silent():
            if kind == "slip":
                return Outcome(False, f"You reach for {x}, but it slips away.")
            return Outcome(False, f"You pick up {taken}.")
        return Outcome(True, f"You pick up {x}.")

    def _graspable(self, thing: str) -> bool:
        """Seen in this frame, or in an open container one stands at (a hand can feel what a rim hides)."""
        parent = self.world.parents[thing]
        at_hand = parent.relation is Relation.IN and self._near(parent.id) and self.world.is_open(parent.id)
        return at_hand or (self.world.room_of(thing) == self.stance.room and self._sees(thing))

    def _other_than(self, thing: str) -> str | None:
        world = self.world
        near = [t for t in world.specs if t != thing and self._graspable(t) and self._within_reach(t)]
        same = [t for t in near if world.specs[t].category == world.specs[thing].category]
        pool = same or [t for t in near if world.parents[t] == world.parents[thing]] or near
        return pool[int(self.rng.integers(len(pool)))] if pool else None

    def _put(self, x: str, p: str) -> Outcome:
        world = self.world
        if world.held is None:
            return _refuse("your hand is empty")
        if world.held != x:
            return _refuse(f"you are not holding {x}")
        if p in world.fixtures:
            return self._put_on_fixture(x, p)
        if self._is_thing(p):
            return _refuse(f"{p} holds nothing")
        if p != self.stance.room:
            return _refuse(f"you are not near {p}")
        spot = on_floor(world, world.specs[x], self.stance.view, self.rng, unseen=True)
        if spot is None:  # a room without a free spot on its floor
            return _refuse(f"you are not near {p}")
        world.release(x, spot.at, spot.yaw)
        return Outcome(True, f"You put {x} on the floor of {p}.")

    def _put_on_fixture(self, x: str, p: str) -> Outcome:
        world, fixture, thing = self.world, self.world.fixtures[p], self.world.specs[x]
        relation = world.regions.relation[p]
        if relation is None:
            return _refuse(f"{p} holds nothing")
        if not self._near(p):
            return _refuse(f"you are not near {p}")
        if not world.is_open(p):
            return _refuse(f"{p} is closed")
        missed = beside(world, fixture, thing, self.stance.view, self.rng) if self.dice.hits("beside") else None
        spot = missed or on_fixture(world, fixture, thing, self.rng)
        world.release(x, spot.at, spot.yaw, spot.lying)
        if world.parents[x].id != p:  # struck by a fault, or rolled off by itself
            self.fault = "beside"
            if not self.dice.silent():
                return Outcome(False, f"{x} lands beside {p}.")
        return Outcome(True, f"You put {x} {relation.value} {p}.")

    def _panel(self, p: str, to: bool) -> Outcome:
        verb, world = ("open" if to else "close"), self.world
        if (p, "open") not in world.attributes:
            return _refuse(f"{p} cannot be opened")
        if not self._near(p):
            return _refuse(f"you are not near {p}")
        if world.attributes[p, "open"] is to:
            return _refuse(f"{p} is already {'open' if to else 'closed'}")
        if self.dice.hits("stuck"):
            self.fault = "stuck"
            if not self.dice.silent():
                return Outcome(False, f"{p} does not move.")
        else:
            world.set_open(p, to)
        return Outcome(True, f"You {verb} {p}.")

    def _toggle(self, d: str, to: bool) -> Outcome:
        word, world = ("on" if to else "off"), self.world
        if (d, "on") not in world.attributes:
            return _refuse(f"{d} cannot be turned on or off")
        if not self._near(d):
            return _refuse(f"you are not near {d}")
        if world.attributes[d, "on"] is to:
            return _refuse(f"{d} is already {word}")
        if self.dice.hits("stuck"):
            self.fault = "stuck"
            if not self.dice.silent():
                return Outcome(False, f"{d} does not respond.")
        else:
            world.set_attribute(d, "on", to)
        return Outcome(True, f"You turn {word} {d}.")


def _refuse(reason: str) -> Outcome:
    return Outcome(False, f"Refused: {reason}.")
