"""A household without geometry, for testing agent and memory: true symbolic state, faults, occlusion, and blank frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mimir_learn.symbols import (
    ATTRIBUTES,
    HAND,
    IN_HAND,
    CausalRule,
    Goal,
    Kind,
    ObjectQuery,
    Parent,
    Percept,
    Place,
    PrivilegedState,
    Relation,
    Sighting,
    Snapshot,
    Task,
    Vocabulary,
    satisfied,
)

from ..doubles import VOCABULARY, entity

FIXTURES = (
    ("table_1", "kitchen_1"), ("sink_1", "kitchen_1"), ("fridge_1", "kitchen_1"), ("cabinet_1", "kitchen_1"), ("microwave_1", "kitchen_1"),
    ("faucet_1", "kitchen_1"), ("table_2", "bedroom_1"), ("shelf_1", "bedroom_1"), ("cabinet_2", "bedroom_1"), ("lamp_1", "bedroom_1"),
    ("burner_1", "kitchen_1"), ("laptop_1", "bedroom_1"),
)  # fmt: skip


PLACES = tuple(Place(entity(r), r) for r in ("kitchen_1", "bedroom_1")) + tuple(Place(entity(f), r) for f, r in FIXTURES)
HOLDERS = tuple(f for f, _ in FIXTURES if entity(f).kind is Kind.RECEPTACLE and f != "burner_1")


def at(place: str) -> Parent:
    relation = VOCABULARY.spec(entity(place)).relation
    assert relation is not None
    return Parent(place, relation)


def random_objects(rng: np.random.Generator) -> dict[str, Parent]:
    counts = {"mug": 3, "apple": 2, "book": 3, "toy": 2}
    return {f"{c}_{i + 1}": at(HOLDERS[int(rng.integers(len(HOLDERS)))]) for c, n in counts.items() for i in range(n)}


@dataclass
class SymbolicHouse:
    """The `Environment` contract over a symbolic state.

    ``level`` is the fault level of the first five kinds, ``extra`` gives rates of the others (and ``stuck``, for slicing too). ``full`` are
    receptacles with no room left; ``states`` are attributes that are true at the start.
    """

    objects: dict[str, Parent]
    level: float = 0.0
    silent: float = 0.7
    exogenous: bool = True
    occlusion: float = 0.1
    sealed: bool = False
    max_steps: int = 200
    vocabulary: Vocabulary = VOCABULARY
    extra: dict[str, float] = field(default_factory=dict)
    full: frozenset[str] = frozenset()
    states: tuple[tuple[str, str], ...] = ()
    commands: list[str] = field(default_factory=list)
    faults: int = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        self.rng = np.random.default_rng(seed)
        self.parents: dict[str, Parent] = {f: Parent(r, Relation.ROOM) for f, r in FIXTURES} | dict(self.objects)
        self.parents["faucet_1"] = Parent("sink_1", Relation.ON)
        known = {p.entity.id: p.entity for p in PLACES} | {o: entity(o) for o in self.objects}
        self.entities = known | {HAND.id: HAND}
        self.attributes = {(e.id, a): (e.id, a) in self.states for e in known.values() for a in VOCABULARY.spec(e).attributes}
        self.where, self.beside, self.view, self.fault, self.t = "kitchen_1", None, 0, "", 0
        self.moved: tuple[str, ...] = ()
        self.failed_puts: dict[str, int] = {}
        self.commands = []
        return self._frame(), {"places": PLACES}

    def _frame(self) -> dict[str, Any]:
        return {
            "rgb": np.full((2, 2, 3), len(self.commands) % 256, np.uint8),
            "depth": np.ones((2, 2), np.float32),
            "intrinsics": np.eye(3),
            "pose": np.eye(4),
        }

    def close(self) -> None:
        pass

    def snapshot(self) -> Snapshot:
        return Snapshot(dict(self.parents), dict(self.attributes))

    def privileged_state(self) -> PrivilegedState:
        if self.sealed:
            raise AssertionError("the privileged channel is sealed")
        return PrivilegedState(self.snapshot(), self.entities, self.fault, moved=self.moved)

    # ---- perception

    @property
    def hand(self) -> str | None:
        return next((o for o in self.objects if self.parents[o] == IN_HAND), None)

    def reachable(self, place: str) -> bool:
        return self.attributes.get((place, "open"), True)

    def chain(self, thing: str) -> list[str]:
        """What the thing is in or on, from the nearest out, ending with a place, a room or the hand."""
        out = []
        while thing in self.objects:
            thing = self.parents[thing].id
            out.append(thing)
        return out

    def room(self, place: str) -> str:
        while self.entities[place].kind is not Kind.ROOM:
            place = self.parents[place].id
        return place

    def near(self, place: str) -> bool:
        here, room = self.where, self.room(self.where)
        mounted = [a for a, b in ((place, here), (here, place)) if a in self.parents and self.parents[a].id == b != room]
        return place in (here, room) or bool(mounted)

    def visible(self) -> list[str]:
        here = self.where
        fixtures = [c for c, p in self.parents.items() if p.id == here and self.entities[c].kind is not Kind.OBJECT]
        seen = [f for f in (here, *fixtures) if f != self.room(here)]
        if self.reachable(here):
            places = {here} | ({self.parents[here].id} - {self.room(here)} if here in self.parents else set())  # a faucet's sink
            mine = [o for o in self.objects if self.chain(o)[-1] in places]
            seen += [o for o in mine if not self._hidden(o)]
        return seen + ([self.hand] if self.hand else [])

    def _hidden(self, thing: str) -> bool:
        if self.beside == thing:
            return False
        return bool(np.random.default_rng([self.view, sum(map(ord, thing + self.where))]).random() < self.occlusion)

    def visible_entities(self) -> Percept:
        def sight(i: str) -> Sighting:
            e = self.entities[i]
            shown = {a: self.attributes[i, a] for a in VOCABULARY.spec(e).attributes if ATTRIBUTES[a].visible}
            return Sighting(e, self.parents[i], shown, np.zeros(3), 50)

        viewed = frozenset({self.where}) if self.reachable(self.where) else frozenset()
        return Percept(tuple(sight(i) for i in sorted(set(self.visible()))), viewed, self.where)

    # ---- action

    def step(self, command: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        self.commands.append(command)
        self.t += 1
        self.fault, self.moved = "", ()
        success, text = self._do(command)
        self.faults += bool(self.fault)
        if self.exogenous and self.rng.random() < self.level / 10:
            self._someone()
        return self._frame(), 0.0, False, self.t >= self.max_steps, {"success": success, "feedback": text}

    def _do(self, command: str) -> tuple[bool, str]:
        for prefix, method in self._verbs().items():
            if command.startswith(prefix):
                words = command[len(prefix) :].replace(" from ", " at ").replace(" into ", " at ")
                return method(*words.split(" at "))
        return False, f'Refused: I do not understand "{command}".'

    def _verbs(self) -> dict[str, Callable[..., tuple[bool, str]]]:
        return {
            "go to ": self._go, "pick up ": self._pick, "put ": self._put, "open ": lambda p: self._door(p, True),
            "close ": lambda p: self._door(p, False), "turn on ": lambda d: self._toggle(d, True),
            "turn off ": lambda d: self._toggle(d, False), "slice ": self._slice, "fill ": self._fill, "pour ": self._pour,
            "look up": lambda *_: (True, "You look up."), "look down": lambda *_: (True, "You look down."), "look": self._look,
            "wait": lambda *_: (True, "You wait."),
        }  # fmt: skip

    def _goes_wrong(self, kind: str, p: float = 0.0) -> bool:
        if not self.fault and self.rng.random() < max(p, self.extra.get(kind, 0.0)):
            self.fault = kind
            return True
        return False

    def _report(self, honest: str, nominal: str) -> tuple[bool, str]:
        return (True, nominal) if self.rng.random() < self.silent else (False, honest)

    def _go(self, x: str) -> tuple[bool, str]:
        if x in self.objects:
            if x not in self.visible():
                return False, f"Refused: you do not see {x}."
            self.beside = x
        elif x in self.entities and x != HAND.id:
            self.where, self.beside = x, None
        else:
            return False, f"Refused: there is no {x}."
        self.view += 1
        held = self.hand
        if held and self._goes_wrong("drop", self.level / 2):
            self._move(held, at(self.room(self.where)))
            self._breaks(held)
            return self._report(f"You drop {held} on the way to {x}.", f"You are at {x}.")
        return True, f"You are at {x}."

    def _look(self, *_: str) -> tuple[bool, str]:
        self.view += 1
        return True, f"You look at {self.where} from another side."

    def _pick(self, thing: str, place: str | None = None) -> tuple[bool, str]:
        if self.hand:
            return False, "Refused: your hand is full."
        if thing not in self.visible():
            return False, f"Refused: you do not see {thing}."
        if self.entities[self.where].kind is Kind.ROOM and self.beside not in (thing, *self.chain(thing)):
            return False, f"Refused: you are not near {thing}."
        nominal = f"You pick up {thing}."
        if self._goes_wrong("slip", self.level):
            others = [o for o in self.visible() if o in self.objects and o != thing]
            if others and self.rng.random() < 0.5:
                self.fault = "wrong_instance"
                other = others[int(self.rng.integers(len(others)))]
                self._move(other, IN_HAND)
                return self._report(f"You pick up {other}.", nominal)
            return self._report(f"You reach for {thing}, but it slips away.", nominal)
        self._move(thing, IN_HAND)
        return True, nominal

    def _put(self, thing: str, place: str) -> tuple[bool, str]:
        if place not in self.entities or place == HAND.id:
            return False, f"Refused: there is no {place}."
        if self.hand != thing:
            return False, f"Refused: you are not holding {thing}." if self.hand else "Refused: your hand is empty."
        if place in self.objects:
            if place not in self.visible() or place == thing:
                return False, f"Refused: you do not see {place}."
            if self.entities[self.where].kind is Kind.ROOM and self.beside not in (place, *self.chain(place)):
                return False, f"Refused: you are not near {place}."
            if self.attributes.get((place, "broken")):
                return False, f"Refused: {place} is broken."
        elif not self.near(place):
            return False, f"Refused: you are not near {place}."
        if not self.reachable(place):
            return False, f"Refused: {place} is closed."
        if VOCABULARY.spec(self.entities[place]).relation is None:
            return False, f"Refused: {place} holds nothing."
        target = at(place)
        if place in self.full:
            return False, f"Refused: {thing} does not fit {target.relation.value} {place}."
        how = "on the floor of" if target.relation is Relation.ROOM else target.relation.value
        nominal = f"You put {thing} {how} {place}."
        if self._goes_wrong("unplaced"):
            self.failed_puts = {place: self.failed_puts.get(place, 0) + 1}
            if self.failed_puts[place] >= 3 and self.rng.random() < self.extra.get("third_put", 0.0):
                self.failed_puts, self.fault = {}, "third_put"
                self._move(thing, at(self.room(self.where)))
                return False, f"{thing} slips from your hand."
            return self._report(f"{thing} stays in your hand.", nominal)
        honest = nominal
        if self._goes_wrong("misplaced"):
            others = [p for p in self.entities if p != place and p != thing and self.entities[p].category == self.entities[place].category]
            others = [p for p in others if self.reachable(p) and thing not in self.chain(p)]
            if others:
                target, honest = at(others[0]), f"You put {thing} {target.relation.value} {others[0]}."
            else:
                self.fault = ""
        if self._goes_wrong("beside", self.level):
            target, honest = at(self.room(self.where)), f"{thing} lands beside {place}."
        self._move(thing, target)
        if self._breaks(thing):
            honest = f"{thing} breaks."
        return (True, nominal) if not self.fault else self._report(honest, nominal)

    def _breaks(self, thing: str) -> bool:
        fragile = self.attributes.get((thing, "broken")) is False
        if not fragile or self.rng.random() >= self.extra.get("breaks", 0.0):
            return False
        self.fault = self.fault or "breaks"
        self.attributes[thing, "broken"] = True
        if (thing, "filled") in self.attributes:
            self.attributes[thing, "filled"] = False
        for child in [o for o in self.objects if self.parents[o].id == thing]:
            self._move(child, self.parents[thing])
        return True

    def _slice(self, thing: str) -> tuple[bool, str]:
        if (thing, "sliced") not in self.attributes:
            return False, f"Refused: {thing} cannot be sliced."
        if self.hand is None or "slice" not in VOCABULARY.spec(self.entities[self.hand]).tool_for:
            return False, "Refused: you hold nothing to slice with."
        if thing not in self.visible():
            return False, f"Refused: you do not see {thing}."
        if self.attributes[thing, "sliced"]:
            return False, f"Refused: {thing} is already sliced."
        if self._goes_wrong("stuck", self.level):
            return self._report(f"{thing} stays whole.", f"You slice {thing}.")
        self.attributes[thing, "sliced"] = True
        return True, f"You slice {thing}."

    def _liquid(self, vessel: str) -> str:
        """Why the vessel in the hand cannot be filled or emptied; "" when it can."""
        if self.hand != vessel:
            return f"you are not holding {vessel}"
        return "" if (vessel, "filled") in self.attributes else f"{vessel} cannot be filled"

    def _fill(self, vessel: str, tap: str) -> tuple[bool, str]:
        why = self._liquid(vessel)
        why = why or ("" if "fill" in VOCABULARY.spec(self.entities[tap]).tool_for else f"{tap} gives no water")
        why = why or ("" if self.near(tap) else f"you are not near {tap}")
        why = why or (f"{vessel} is broken" if self.attributes.get((vessel, "broken")) else "")
        if why or self.attributes[vessel, "filled"]:
            return False, f"Refused: {why or f'{vessel} is already filled'}."
        if self._goes_wrong("unfilled"):
            return self._report(f"{vessel} stays empty.", f"You fill {vessel} at {tap}.")
        self.attributes[vessel, "filled"] = True
        return True, f"You fill {vessel} at {tap}."

    def _pour(self, vessel: str, into: str) -> tuple[bool, str]:
        drain = "pour" in VOCABULARY.spec(self.entities[into]).tool_for
        why = self._liquid(vessel)
        why = why or ("" if drain or (into, "filled") in self.attributes else f"nothing can be poured into {into}")
        why = why or ("" if (self.near(into) if drain else into in self.visible()) else f"you are not near {into}")
        if why or not self.attributes[vessel, "filled"]:
            return False, f"Refused: {why or f'{vessel} is empty'}."
        self.attributes[vessel, "filled"] = False
        nominal = f"You pour {vessel} into {into}."
        if not drain:
            if self._goes_wrong("unfilled"):
                return self._report(f"You spill {vessel} beside {into}.", nominal)
            self.attributes[into, "filled"] = True
        return True, nominal

    # ---- causes and effects: the truth, independently of the memory's own ramifications

    def _move(self, thing: str, parent: Parent) -> None:
        self.parents[thing] = parent
        for device, rule in self._active_rules():
            for carried in self._inside(device):
                if carried == thing or thing in self.chain(carried):
                    self._strike(rule, carried)

    def _set(self, device: str, attribute: str, value: bool) -> None:
        before = self._active_rules()
        self.attributes[device, attribute] = value
        for active in self._active_rules():
            if active not in before:
                for thing in self._inside(active[0]):
                    self._strike(active[1], thing)

    def _active_rules(self) -> list[tuple[str, CausalRule]]:
        conditions = [(d, r, ((r.attribute, r.value), *r.requires)) for d, _ in FIXTURES for r in VOCABULARY.rules]
        return [
            (d, r)
            for d, r, needs in conditions
            if self.entities[d].category == r.category and all(self.attributes[d, a] is v for a, v in needs)
        ]

    def _inside(self, device: str) -> list[str]:
        holder = device if VOCABULARY.spec(self.entities[device]).relation is not None else self.parents[device].id
        return [o for o in self.objects if holder in self.chain(o)]

    def _strike(self, rule: CausalRule, thing: str) -> None:
        if (thing, rule.effect) in self.attributes:
            self.attributes[thing, rule.effect] = True
            self.attributes.update({(thing, c): False for c in rule.clears if (thing, c) in self.attributes})

    def _door(self, place: str, value: bool) -> tuple[bool, str]:
        word = "open" if value else "close"
        if place != self.where:
            return False, f"Refused: you are not near {place}."
        if (place, "open") not in self.attributes:
            return False, f"Refused: {place} cannot be opened."
        if self.attributes[place, "open"] is value:
            return False, f"Refused: {place} is already {'open' if value else 'closed'}."
        if self._goes_wrong("stuck", self.level):
            return self._report(f"{place} does not move.", f"You {word} {place}.")
        if value and self._goes_wrong("partial"):
            return self._report(f"{place} opens only a little.", f"You open {place}.")
        self._set(place, "open", value)
        return True, f"You {word} {place}."

    def _toggle(self, device: str, value: bool) -> tuple[bool, str]:
        word = "on" if value else "off"
        if not self.near(device):
            return False, f"Refused: you are not near {device}."
        if (device, "on") not in self.attributes:
            return False, f"Refused: {device} cannot be turned on or off."
        if self.entities[device].category == "laptop" and not self.attributes[device, "open"]:
            return False, f"Refused: {device} is closed."
        if self.attributes[device, "on"] is value:
            return False, f"Refused: {device} is already {word}."
        if self._goes_wrong("stuck", self.level):
            return self._report(f"{device} does not respond.", f"You turn {word} {device}.")
        self._set(device, "on", value)
        return True, f"You turn {word} {device}."

    def _someone(self) -> None:
        things = [o for o in self.objects if "hand" not in self.chain(o)]
        near = [o for o in things if self.parents[o].id == self.where]
        pool = near if near and self.rng.random() < 0.5 else things
        thing = pool[int(self.rng.integers(len(pool)))]
        places = [p for p in HOLDERS if self.parents[thing].id != p and self.reachable(p)]
        self._move(thing, at(places[int(self.rng.integers(len(places)))]))
        self.fault, self.moved = self.fault or "exogenous", (thing,)


def bring(
    goal_id: str, category: str, place: str, *, instance: str | None = None, source: str | None = None, after: tuple[str, ...] = ()
) -> Goal:
    """ "Bring a <category> to <place>"; ``place`` is an id, or a category for any instance of it."""
    target = ObjectQuery(entity(place).category, place) if place[-1].isdigit() else ObjectQuery(place)
    relation = VOCABULARY.spec(target.category).relation
    return Goal(goal_id, ObjectQuery(category, instance), target, relation, source=source, after=after)


def make(goal_id: str, place: str, attribute: str, value: bool = True, after: tuple[str, ...] = ()) -> Goal:
    return Goal(goal_id, ObjectQuery(entity(place).category, place), attribute=attribute, value=value, after=after)


def random_task(rng: np.random.Generator, objects: dict[str, Parent], kind: str) -> Task:
    """One task of a kind that does not hold at the start."""
    entities = {p.entity.id: p.entity for p in PLACES} | {o: entity(o) for o in objects}
    state = Snapshot(objects, {(e.id, a): False for e in entities.values() for a in VOCABULARY.spec(e).attributes})

    def pick(options: tuple[str, ...]) -> str:
        return options[int(rng.integers(len(options)))]

    for draw in range(400):
        if draw == 200:
            kind = "place"  # some houses cannot offer some kinds
        thing, other, place = pick(("mug", "apple", "book", "toy")), pick(("mug", "book")), pick(HOLDERS)
        box = pick(("fridge_1", "cabinet_1", "cabinet_2"))
        goals = {
            "place": (bring("g1", thing, place),),
            "category_target": (bring("g1", thing, pick(("table", "cabinet"))),),
            "instance": (bring("g1", thing, place, instance=f"{thing}_1"),),
            "two": (bring("g1", thing, place), bring("g2", other, pick(HOLDERS))),
            "alike": (bring("g1", other, place), bring("g2", other, place)),
            "close": (bring("g1", thing, box), make("g2", box, "open", False, ("g1",))),
            "leave_open": (bring("g1", thing, box), make("g2", box, "open", True, ("g1",))),
            "toggle": (make("g1", pick(("lamp_1", "faucet_1")), "on"),),
            "closed_first": (make("g1", box, "open", False), bring("g2", thing, box)),
        }[kind]
        done = satisfied(goals, state, entities)
        relations = {g.id for g in goals if g.attribute is None}
        if not done & relations and len(done) < len(goals):
            return Task(kind, kind, goals)
    raise AssertionError("no task for this house")


KINDS = ("place", "category_target", "instance", "two", "alike", "close", "leave_open", "toggle", "closed_first")
