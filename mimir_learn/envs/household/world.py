"""The physical house: things that rest, fall, are carried and hold each other; doors, drawers and lights; where everything really is."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mimir_learn.symbols import HAND, IN_HAND, Parent, Relation, Snapshot

from .bodies import Bodies, inverse, rotated, times, turned
from .build import BuiltHouse
from .causes import above, after_arrival, after_state
from .ground import Ground, front_of, turn_about_z
from .nesting import outline_of, postures
from .scenery import Scenery
from .spec import ThingSpec, Vec, Viewpoint
from .truth import Regions, initial_attributes, snapshot
from .viewpoints import FOV, Block
from .vocabulary import VOCABULARY

AJAR = 0.28  # share of its travel at which a door or drawer stands that opens only partly
Ride = tuple[str, NDArray[np.float64], NDArray[np.float64]]  # holder, position and quaternion in its frame


class World:
    """State of one house. All motion is deterministic: the same calls give the same bytes.

    What is in or on a movable thing *rides*: it keeps its pose in the holder's frame and touches nothing.

    Attributes:
        parents: thing → its one parent. attributes: (entity, attribute) → value. held: the thing in the hand, None for none.
    """

    def __init__(self, built: BuiltHouse) -> None:
        self.built = built
        self.house = built.house
        self.bodies = Bodies(built)
        self.model, self.data = self.bodies.model, self.bodies.data
        self.regions = Regions(built.house)
        self.specs: dict[str, ThingSpec] = {t.id: t for t in built.house.things}
        self.fixtures = {f.id: f for f in built.house.fixtures}
        self.room_of_fixture = {f.id: f.room for f in built.house.fixtures}
        self.ground = Ground(built.house)
        self._order = list(self.specs)
        self._fixed_parents = {f.id: f.parent for f in built.house.fixtures}
        self.held: str | None = None
        self.attributes = initial_attributes(built.house)
        self.parents: dict[str, Parent] = {}
        self._rides: dict[str, Ride] = {}
        self.scenery = Scenery(built)
        self._show_all()
        for fixture in built.house.fixtures:
            self.bodies.set_gap(fixture.id, 1.0 if self.attributes.get((fixture.id, "open"), False) else 0.0)
        self.bodies.sync()
        for thing, parent in zip(self._order, self._found(), strict=True):
            if parent is not None and parent.id in self.specs:
                self._attach(thing, parent.id)
        self.settle()
        self._start = (self.bodies.save(), dict(self.attributes), dict(self.parents), dict(self._rides))

    def reset(self) -> None:
        """Back to how the house was when it was built, without compiling or settling anything again."""
        bodies, attributes, parents, rides = self._start
        self.bodies.restore(bodies)
        self.held = None
        self.attributes, self.parents, self._rides = dict(attributes), dict(parents), dict(rides)
        self._show_all()
        self._group_things()

    # --- asking

    def position(self, thing: str) -> NDArray[np.float64]:
        """(3,) world position of a thing's middle."""
        return self.bodies.position(thing)

    def positions(self) -> dict[str, NDArray[np.float64]]:
        """World position of every thing and fixture."""
        out = {f.id: np.array(f.position) + np.array((0, 0, f.size[2] / 2)) for f in self.house.fixtures}
        out.update({t: self.position(t) for t in self._order})
        return out

    def is_open(self, entity: str) -> bool:
        """Whether one can reach in: open, or nothing to open."""
        return self.attributes.get((entity, "open"), True)

    def is_ajar(self, fixture: str) -> bool:
        """Whether a door or drawer stands partly open, too narrow to reach in."""
        return 0.0 < self.bodies.gaps[fixture] < 1.0

    def holders(self, thing: str) -> list[str]:
        """What a thing is in, on or held by, from the nearest out: things, then the fixture, room or hand."""
        return list(above(self.parents, self.house.entities, thing))

    def root(self, thing: str) -> str:
        """The fixture, room or hand that a thing's holders end with."""
        return self.holders(thing)[-1]

    def shut_in(self, thing: str) -> str | None:
        """The closed fixture a thing is in, None when one can get at it."""
        return next((h for h in self.holders(thing) if not self.is_open(h)), None)

    def room_of(self, entity: str) -> str:
        """The room an entity is in; ``hand`` for what is carried."""
        root = self.root(entity) if entity in self.specs else entity
        return self.room_of_fixture.get(root, root)

    def snapshot(self) -> Snapshot:
        """True parents and attributes, fixtures included."""
        return snapshot(self.all_parents(), self.attributes)

    def all_parents(self) -> dict[str, Parent]:
        """Parents of fixtures and things."""
        return self._fixed_parents | self.parents

    def contents(self, holder: str) -> list[str]:
        """Things whose parent is ``holder``, in spec order."""
        return [t for t in self._order if self.parents[t].id == holder]

    def loaded(self, thing: str) -> list[str]:
        """Things inside ``thing``, also inside others in it, outer ones first."""
        out = self.contents(thing)
        for inner in out:
            out += self.contents(inner)
        return out

    def blocks(self, room: str) -> list[Block]:
        """Footprints and heights of what stands on a room's floor."""
        return self.ground.blocks(room)

    def free_floor(self, at: tuple[float, ...], radius: float, ignore: str | None = None, room: str | None = None) -> bool:
        """Whether a disc on the floor is inside one room, ``room`` if given, and clear of furniture and of things on the floor."""
        here = self.regions.room_at(np.array(at))
        if here is None or room not in (None, here):
            return False
        lying = [t for t in self._order if t not in (ignore, self.held) and self.parents.get(t) == Parent(here, Relation.ROOM)]
        return self.ground.free(here, at, radius, [(self.position(t), self.specs[t].radius) for t in lying])

    def holds(self, entity: str) -> Relation | None:
        """How an entity holds things now; None when it does not, like one that is broken."""
        relation = VOCABULARY.spec(self.house.entities[entity]).relation
        return None if self.attributes.get((entity, "broken"), False) else relation

    # --- changing

    def set_open(self, fixture: str, value: bool) -> None:
        """Move every door or drawer of a fixture; what lies in a drawer comes along, what sticks out is pushed in by the door."""
        self._move_panels(fixture, 1.0 if value else 0.0)
        self.set_attribute(fixture, "open", value)

    def set_ajar(self, fixture: str) -> None:
        """Open a closed fixture only partly: one cannot reach in, it does not count as open."""
        self._move_panels(fixture, AJAR)

    def set_attribute(self, entity: str, attribute: str, value: bool) -> None:
        """Change and draw one attribute, with what the causal rules say follows from it."""
        if self.attributes[entity, attribute] is value:
            return
        self.attributes[entity, attribute] = value
        self._show(entity)
        touched = after_state(self.attributes, self.all_parents(), self.house.entities, entity, attribute)
        for thing in touched:
            self._show(thing)

    def hold(self, thing: str, view: Viewpoint) -> None:
        """Take a thing, and what is in it, into the hand: it floats at a fixed place of the camera's picture and touches nothing."""
        self._rides.pop(thing, None)
        self.bodies.loose(thing, False)
        self.held = thing
        self.parents[thing] = IN_HAND
        self.carry(view)

    def carry(self, view: Viewpoint) -> None:
        """Bring the held thing, if any, to where the camera now is."""
        if self.held is None:
            return
        spec = self.specs[self.held]
        radius, top = spec.radius, spec.half_height
        for thing in self.loaded(self.held):
            offset, size = self.bodies.position(thing) - self.bodies.position(self.held), max(postures(self.specs[thing].solid)[0].half)
            radius, top = max(radius, float(np.hypot(*offset[:2])) + size), max(top, float(offset[2]) + size)
        eye, target = np.asarray(view.eye), np.asarray(view.target)
        forward = (target - eye) / np.linalg.norm(target - eye)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        ahead = 0.36 + 1.1 * max(radius, top)
        edge = ahead * np.tan(np.radians(FOV / 2))
        at = eye + ahead * forward + (edge - radius - 0.015) * right + (edge - spec.half_height - 0.05) * down
        self.bodies.put(self.held, at, turned(np.degrees(np.arctan2(forward[1], forward[0])) - 90 + 25))
        self._sync()

    def release(self, thing: str, at: Vec | NDArray[np.float64], yaw: float, tilt: int = 0, push: Vec = (0.0, 0.0, 0.0)) -> None:
        """Let go of a thing at a world position in a posture of `nesting.TILTS` and let physics bring it to rest."""
        self._free(thing)
        self.bodies.put(thing, at, turned(yaw, tilt), push)
        self._follow()
        self.settle()

    def put_in(self, thing: str, holder: str, at: Vec, yaw: float, tilt: int = 0) -> None:
        """Put a thing into or onto a movable one, at a place in the holder's frame; from then on it goes where that goes.

        Where that would close a circle, or ``holder`` holds nothing, it raises ValueError: skills refuse both before.
        """
        if self.holds(holder) is None or thing == holder or holder in self.loaded(thing):
            raise ValueError(f"{thing} cannot go into {holder}")
        self._free(thing)
        self.bodies.loose(thing, False)
        self._rides[thing] = (holder, np.array(at), turned(yaw, tilt))
        self._sync()
        self._read_parents()

    def set_upright(self, thing: str) -> None:
        """Put a thing on its base where it lies or leans: sliced or broken, it is drawn around that.

        It stays as it lies where it does not fit upright, or where that would bring it or anything else to another place.
        """
        turn, at = self.bodies.rotation(thing), self.position(thing)
        half = postures(self.specs[thing].solid)[0].half[2]
        low = outline_of(self.specs[thing].solid, at, turn).low
        if turn[2, 2] > 0.99 or (low + half > at[2] + 0.01 and self.parents[thing].relation is Relation.IN):
            return
        yaw = float(np.degrees(np.arctan2(turn[1, 0], turn[0, 0])))
        at[2] = low + half + 0.002
        if thing in self._rides:
            holder = self._rides[thing][0]
            base, back = self.position(holder), inverse(self.bodies.pose(holder)[1])
            self._rides[thing] = (holder, rotated(at - base, back), times(back, turned(yaw)))
            self._sync()
            self._read_parents()
            return
        saved, held = self.bodies.save(), None if self.held is None else self.bodies.pose(self.held)
        self.bodies.put(thing, at, turned(yaw))
        self._follow()
        if self.specs[thing].solid.shape != "sphere":  # a ball touches the same as before, nothing has to come to rest
            self.bodies.rest()
        if self.held is not None and held is not None:
            self.bodies.put(self.held, *held)
        self._sync()
        found = dict(zip(self._order, self._found(), strict=True))
        if any(found[t] != p for t, p in self.parents.items() if t != self.held and t not in self._rides):
            self.bodies.restore(saved)
            self._sync()
        self._read_parents()

    def settle(self) -> int:
        """Step until everything rests, then read all parents from geometry. Returns the number of physics steps."""
        kept = None if self.held is None else self.bodies.pose(self.held)
        steps = self.bodies.rest()
        if self.held is not None and kept is not None:
            self.bodies.put(self.held, *kept)
        self._sync()
        self._read_parents()
        return steps

    # --- inside

    def _move_panels(self, fixture: str, share: float) -> None:
        spec = self.fixtures[fixture]
        moved = share - self.bodies.gaps[fixture]
        things = self.contents(fixture)
        riding = self.regions.riding(np.array([self.position(t) for t in things]).reshape(-1, 3), fixture, self.bodies.gaps[fixture])
        self.bodies.set_gap(fixture, share)
        front = turn_about_z(spec.yaw, (0.0, -1.0, 0.0))
        for thing, rides in zip(things, riding, strict=True):
            if rides:
                self.bodies.shift(thing, turn_about_z(spec.yaw, spec.panels[0].axis) * spec.panels[0].travel * moved)
            elif share == 0.0 and any(p.joint == "hinge" for p in spec.panels):
                middle, inside = float((self.position(thing) - spec.position) @ front), spec.size[1] / 2 - 0.03
                reach = outline_of(self.specs[thing].solid, self.position(thing), self.bodies.rotation(thing)).reach((front[0], front[1]))
                self.bodies.shift(thing, -front * max(0.0, min(middle + reach - inside, middle - reach + inside)))  # not into the back
        self._sync()

    def _free(self, thing: str) -> None:
        if self.held == thing:
            self.held = None
        self._rides.pop(thing, None)
        self.bodies.loose(thing, True)

    def _attach(self, thing: str, holder: str) -> None:
        """What lies in a holder rides with it from now on, just as it lies."""
        at, quat = self.bodies.pose(holder)
        own_at, own_quat = self.bodies.pose(thing)
        back = inverse(quat)
        self._rides[thing] = (holder, rotated(own_at - at, back), times(back, own_quat))
        self.bodies.loose(thing, False)

    def _follow(self) -> None:
        done: set[str] = set()

        def bring(thing: str) -> None:
            holder, at, quat = self._rides[thing]
            if holder in self._rides and holder not in done:
                bring(holder)
            base, turn = self.bodies.pose(holder)
            self.bodies.put(thing, base + rotated(at, turn), times(turn, quat))
            done.add(thing)

        for thing in self._rides:
            if thing not in done:
                bring(thing)

    def _sync(self) -> None:
        self._follow()
        self.bodies.sync()

    def _show(self, entity: str) -> None:
        """Draw an entity in the state it is in."""
        category = self.house.entities[entity].category
        self.scenery.show(entity, {a: self.attributes.get((entity, a), False) for a in VOCABULARY.spec(category).attributes})

    def _show_all(self) -> None:
        for entity in (*self.fixtures, *self._order):
            self._show(entity)

    def _found(self) -> list[Parent | None]:
        """Every thing's parent as geometry has it, the hand aside."""
        useless = {t for t in self._order if self.attributes.get((t, "broken"), False)}
        return self.regions.parents(self.bodies.points(), self.bodies.gaps, self.bodies.rotations(), useless)

    def _read_parents(self) -> None:
        before = dict(self.parents)
        lost = []
        for thing, parent in zip(self._order, self._found(), strict=True):
            if thing == self.held:
                self.parents[thing] = IN_HAND
            elif thing in self._rides:
                holder = self._rides[thing][0]
                relation = VOCABULARY.spec(self.house.entities[holder]).relation
                assert relation is not None
                self.parents[thing] = Parent(holder, relation)
            elif parent is None:
                lost.append(thing)
            else:
                self.parents[thing] = parent
                if parent.id in self.specs:
                    self._attach(thing, parent.id)
        for thing in lost:
            self._rescue(thing)
        self._group_things()
        if before:
            self._arrived(t for t in self._order if self.parents[t] != before[t])

    def _arrived(self, things: Iterable[str]) -> None:
        touched = after_arrival(self.attributes, self.all_parents(), self.house.entities, tuple(things))
        for thing in touched:
            self._show(thing)

    def _rescue(self, thing: str) -> None:
        """A thing that came to rest on top of something that holds nothing there (a fridge) slides off to the floor before it."""
        at = self.position(thing)
        nearest = min(self.house.fixtures, key=lambda f: (np.hypot(f.position[0] - at[0], f.position[1] - at[1]), f.id))
        spec = self.specs[thing]
        for gap in (0.12, 0.3, 0.5, 0.8):
            spot = front_of(nearest, gap + spec.radius)
            if self.free_floor(spot, spec.radius, ignore=thing):
                break
        self.bodies.put(thing, (spot[0], spot[1], spec.half_height + 0.003), turned(0.0))
        self._sync()
        room = self.regions.room_at(np.array(spot))
        assert room is not None
        self.parents[thing] = Parent(room, Relation.ROOM)

    def _group_things(self) -> None:
        for thing in self._order:
            room = self.room_of(thing)
            if room != HAND.id:
                self.scenery.place_in(thing, room)

    def show_held_in(self, room: str) -> None:
        """Draw the held thing, and what is in it, in the room the robot is in."""
        if self.held is not None:
            for thing in (self.held, *self.loaded(self.held)):
                self.scenery.place_in(thing, room)
