"""A household without geometry, for testing agent and memory: true symbolic state, faults, occlusion, and blank frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mimir_learn.symbols import (
    IN_HAND,
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
)  # fmt: skip


PLACES = tuple(Place(entity(r), r) for r in ("kitchen_1", "bedroom_1")) + tuple(Place(entity(f), r) for f, r in FIXTURES)
HOLDERS = tuple(f for f, _ in FIXTURES if entity(f).kind is Kind.RECEPTACLE)


def at(place: str) -> Parent:
    relation = VOCABULARY.spec(entity(place)).relation
    assert relation is not None
    return Parent(place, relation)


def random_objects(rng: np.random.Generator) -> dict[str, Parent]:
    counts = {"mug": 3, "apple": 2, "book": 3, "toy": 2}
    return {f"{c}_{i + 1}": at(HOLDERS[int(rng.integers(len(HOLDERS)))]) for c, n in counts.items() for i in range(n)}


@dataclass
class SymbolicHouse:
    """The `Environment` contract over a symbolic state. ``level`` is the fault level of the project's standard mix."""

    objects: dict[str, Parent]
    level: float = 0.0
    silent: float = 0.7
    exogenous: bool = True
    occlusion: float = 0.1
    sealed: bool = False
    max_steps: int = 200
    vocabulary: Vocabulary = VOCABULARY
    commands: list[str] = field(default_factory=list)
    faults: int = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        self.rng = np.random.default_rng(seed)
        self.parents: dict[str, Parent] = {f: Parent(r, Relation.ROOM) for f, r in FIXTURES} | dict(self.objects)
        self.parents["faucet_1"] = Parent("sink_1", Relation.ON)
        self.entities = {p.entity.id: p.entity for p in PLACES} | {o: entity(o) for o in self.objects}
        self.attributes = {(e.id, a): False for e in self.entities.values() for a in VOCABULARY.spec(e).attributes}
        self.where, self.beside, self.view, self.fault, self.t = "kitchen_1", None, 0, "", 0
        self.moved: tuple[str, ...] = ()
        self.commands = []
        return self._frame(), {"places": PLACES}

    def _frame(self) -> dict[str, Any]:
        return {"rgb": np.zeros((2, 2, 3), np.uint8), "depth": np.ones((2, 2), np.float32), "intrinsics": np.eye(3), "pose": np.eye(4)}

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

    def room(self, place: str) -> str:
        while self.entities[place].kind is not Kind.ROOM:
            place = self.parents[place].id
        return place

    def visible(self) -> list[str]:
        here = self.where
        fixtures = [c for c, p in self.parents.items() if p.id == here and self.entities[c].kind is not Kind.OBJECT]
        seen = [f for f in (here, *fixtures) if f != self.room(here)]
        if self.reachable(here):
            mine = [o for o in self.objects if self.parents[o].id == here]
            seen += [o for o in mine if not self._hidden(o)]
        return seen + ([self.hand] if self.hand else [])

    def _hidden(self, thing: str) -> bool:
        if self.beside == thing:
            return False
        return bool(np.random.default_rng([self.view, sum(map(ord, thing + self.where))]).random() < self.occlusion)

    def visible_entities(self) -> Percept:
        def sight(i: str) -> Sighting:
            e = self.entities[i]
            shown = {a: self.attributes[i, a] for a in VOCABULARY.spec(e).attributes if a in ("open", "on")}
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
                return method(*command[len(prefix) :].replace(" from ", " at ").split(" at "))
        return False, f'Refused: I do not understand "{command}".'

    def _verbs(self) -> dict[str, Callable[..., tuple[bool, str]]]:
        return {
            "go to ": self._go, "pick up ": self._pick, "put ": self._put, "open ": lambda p: self._door(p, True),
            "close ": lambda p: self._door(p, False), "turn on ": lambda d: self._toggle(d, True),
            "turn off ": lambda d: self._toggle(d, False), "look": self._look, "wait": lambda *_: (True, "You wait."),
        }  # fmt: skip

    def _goes_wrong(self, kind: str, p: float) -> bool:
        if self.rng.random() < p:
            self.fault = kind
        return bool(self.fault)

    def _report(self, honest: str, nominal: str) -> tuple[bool, str]:
        return (True, nominal) if self.rng.random() < self.silent else (False, honest)

    def _go(self, x: str) -> tuple[bool, str]:
        if x in self.objects:
            if x not in self.visible():
                return False, f"Refused: you do not see {x}."
            self.beside = x
        elif x in self.entities:
            self.where, self.beside = x, None
        else:
            return False, f"Refused: there is no {x}."
        self.view += 1
        held = self.hand
        if held and self._goes_wrong("drop", self.level / 2):
            self.parents[held] = at(self.room(self.where))
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
        if self.entities[self.where].kind is Kind.ROOM and self.beside != thing:
            return False, f"Refused: you are not near {thing}."
        nominal = f"You pick up {thing}."
        if self._goes_wrong("slip", self.level):
            others = [o for o in self.visible() if o in self.objects and o != thing]
            if others and self.rng.random() < 0.5:
                self.fault = "wrong_instance"
                other = others[int(self.rng.integers(len(others)))]
                self.parents[other] = IN_HAND
                return self._report(f"You pick up {other}.", nominal)
            return self._report(f"You reach for {thing}, but it slips away.", nominal)
        self.parents[thing] = IN_HAND
        return True, nominal

    def _put(self, thing: str, place: str) -> tuple[bool, str]:
        if self.hand != thing:
            return False, f"Refused: you are not holding {thing}." if self.hand else "Refused: your hand is empty."
        if place != self.where and place != self.room(self.where):
            return False, f"Refused: you are not near {place}."
        if not self.reachable(place):
            return False, f"Refused: {place} is closed."
        if VOCABULARY.spec(self.entities[place]).relation is None:
            return False, f"Refused: {place} holds nothing."
        target = at(place)
        how = "on the floor of" if target.relation is Relation.ROOM else target.relation.value
        nominal = f"You put {thing} {how} {place}."
        if self._goes_wrong("beside", self.level):
            self.parents[thing] = at(self.room(place))
            return self._report(f"{thing} lands beside {place}.", nominal)
        self.parents[thing] = target
        return True, nominal

    def _set(self, device: str, attribute: str, value: bool) -> None:
        self.attributes[device, attribute] = value
        for rule in VOCABULARY.rules:
            if (rule.category, rule.attribute, rule.value) == (self.entities[device].category, attribute, value) and all(
                self.attributes[device, a] is v for a, v in rule.requires
            ):
                holders = {device, self.parents[device].id} if self.parents[device].relation is Relation.ON else {device}
                for o in self.objects:
                    if self.parents[o].id in holders and (o, rule.effect) in self.attributes:
                        self.attributes[o, rule.effect] = True
                        self.attributes.update({(o, c): False for c in rule.clears if (o, c) in self.attributes})

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
        self._set(place, "open", value)
        return True, f"You {word} {place}."

    def _toggle(self, device: str, value: bool) -> tuple[bool, str]:
        word = "on" if value else "off"
        if device != self.where and self.parents.get(device, at("kitchen_1")).id != self.where:
            return False, f"Refused: you are not near {device}."
        if (device, "on") not in self.attributes:
            return False, f"Refused: {device} cannot be turned on or off."
        if self.attributes[device, "on"] is value:
            return False, f"Refused: {device} is already {word}."
        if self._goes_wrong("stuck", self.level):
            return self._report(f"{device} does not respond.", f"You turn {word} {device}.")
        self._set(device, "on", value)
        return True, f"You turn {word} {device}."

    def _someone(self) -> None:
        things = [o for o in self.objects if self.parents[o] != IN_HAND]
        near = [o for o in things if self.parents[o].id == self.where]
        pool = near if near and self.rng.random() < 0.5 else things
        thing = pool[int(self.rng.integers(len(pool)))]
        places = [p for p in HOLDERS if self.parents[thing].id != p and self.reachable(p)]
        self.parents[thing] = at(places[int(self.rng.integers(len(places)))])
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
