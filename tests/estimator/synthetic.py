"""A tiny rendered world for tests: coloured boxes on two tables and a floor, seen by a pinhole camera; picks that may go wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from mimir_learn.symbols import (
    IN_HAND,
    Action,
    Belief,
    BelievedEntity,
    CategorySpec,
    Delta,
    Entity,
    Kind,
    Observation,
    Outcome,
    Parent,
    ParentChange,
    Relation,
    StateChange,
    Transition,
    Verb,
    Vocabulary,
)  # fmt: skip

VOCABULARY = Vocabulary(
    "toy-v1",
    {
        s.name: s
        for s in (
            CategorySpec("kitchen", Kind.ROOM, Relation.ROOM),
            CategorySpec("table", Kind.RECEPTACLE, Relation.ON),
            CategorySpec("fridge", Kind.RECEPTACLE, Relation.IN, ("open",)),
            CategorySpec("lamp", Kind.FIXTURE, None, ("on",)),
            CategorySpec("mug", Kind.OBJECT),
            CategorySpec("apple", Kind.OBJECT),
            CategorySpec("bowl", Kind.OBJECT, Relation.IN, ("filled", "broken")),
        )
    },
)
SIZE = 64
INTRINSICS = np.array([[50.0, 0, 32.0], [0, 50.0, 32.0], [0, 0, 1.0]])
POSE = np.array([[1.0, 0, 0, 0], [0, 0, 1, -2.0], [0, -1, 0, 1.0], [0, 0, 0, 1]])  # at y=-2, 1 m high, looking along +y
COLOURS = {"mug_1": (220, 30, 30), "mug_2": (30, 30, 220), "apple_1": (30, 200, 30)}


@dataclass
class World:
    """Things with points; what is held is drawn at the lower right."""

    points: dict[str, np.ndarray]
    held: str | None = None
    lamp: bool = False
    fridge: bool = False
    pose: np.ndarray = field(default_factory=lambda: POSE.copy())

    def frame(self) -> Observation:
        rgb = np.full((SIZE, SIZE, 3), 120, np.uint8)
        depth = np.full((SIZE, SIZE), 4.0, np.float32)
        frame = Observation(rgb, depth, INTRINSICS, self.pose)
        boxes = [(np.array([-0.6, 0.6, 1.3]), 0.12, (255, 255, 120) if self.lamp else (60, 60, 60))]
        boxes += [(np.array([0.7, 0.6, 1.3]), 0.2, (10, 10, 10) if self.fridge else (240, 240, 240))]
        boxes += [(p, 0.07, COLOURS[e]) for e, p in sorted(self.points.items()) if e != self.held]
        for point, half, colour in boxes:
            uv, z = frame.project(point[None])
            if z[0] < 0.2:
                continue
            r = 50.0 * half / z[0]
            u0, u1 = (int(np.clip(x, 0, SIZE)) for x in (uv[0, 0] - r, uv[0, 0] + r))
            v0, v1 = (int(np.clip(x, 0, SIZE)) for x in (uv[0, 1] - r, uv[0, 1] + r))
            rgb[v0:v1, u0:u1], depth[v0:v1, u0:u1] = colour, z[0]
        if self.held is not None:
            rgb[44:60, 44:60], depth[44:60, 44:60] = COLOURS[self.held], 0.5
        return frame

    def belief(self) -> Belief:
        def entity(name: str, kind: Kind, parent: Parent | None, point: np.ndarray | None = None, **attributes: bool) -> BelievedEntity:
            return BelievedEntity(Entity(name, name.rsplit("_", 1)[0], kind), parent, attributes, point, 0)

        room = Parent("kitchen_1", Relation.ROOM)
        out = [
            entity("kitchen_1", Kind.ROOM, None),
            entity("table_1", Kind.RECEPTACLE, room, np.array([-0.5, 0.6, 0.6])),
            entity("table_2", Kind.RECEPTACLE, room, np.array([0.5, 0.6, 0.6])),
            entity("fridge_1", Kind.RECEPTACLE, room, np.array([0.7, 0.6, 1.3]), open=self.fridge),
            entity("lamp_1", Kind.FIXTURE, room, np.array([-0.6, 0.6, 1.3]), on=self.lamp),
        ]
        for name, point in sorted(self.points.items()):
            where = IN_HAND if name == self.held else Parent(table_at(point), Relation.ON)
            out.append(entity(name, Kind.OBJECT, where, None if name == self.held else point))
        return Belief(VOCABULARY, {b.entity.id: b for b in out}, "table_1", 3)


def with_bowls(belief: Belief) -> Belief:
    """The same belief with apple_1 in bowl_1, which alone is in the hand, and bowl_2 on table_2, out of every camera's view."""
    others = {e: replace(b, parent=None) if b.parent == IN_HAND else b for e, b in belief.entities.items()}
    bowl = [Entity(f"bowl_{n}", "bowl", Kind.OBJECT) for n in (1, 2)]
    more = {
        "bowl_1": BelievedEntity(bowl[0], IN_HAND, {"filled": False, "broken": False}, None, 1),
        "bowl_2": BelievedEntity(
            bowl[1], Parent("table_2", Relation.ON), {"filled": False, "broken": False}, np.array([0.5, -9.0, 0.6]), 1
        ),
        "apple_1": BelievedEntity(Entity("apple_1", "apple", Kind.OBJECT), Parent("bowl_1", Relation.IN), {}, None, 1),
    }
    return Belief(belief.vocabulary, {**others, **more}, belief.at, belief.step)


def table_at(point: np.ndarray) -> str:
    return "table_1" if point[0] < 0 else "table_2"


def world(rng: np.random.Generator) -> World:
    slots = rng.permutation([-0.75, -0.45, -0.15, 0.15, 0.45, 0.75])
    return World({e: np.array([x, 0.6, 0.65]) for e, x in zip(COLOURS, slots, strict=False)}, lamp=bool(rng.random() < 0.5))


def transition(rng: np.random.Generator) -> tuple[Transition, Delta]:
    """A pick, place or toggle that works, does nothing, or hits another thing; with its true Δ."""
    w = world(rng)
    kind = rng.integers(3)
    names = sorted(w.points)
    subject = str(rng.choice(names))
    if kind == 1:
        w.held = subject
    before, belief = w.frame(), w.belief()
    fate = rng.random()
    if kind == 0:
        action = Action(Verb.PICK, subject)
        taken = subject if fate < 0.5 else str(rng.choice([n for n in names if n != subject])) if fate < 0.75 else None
        delta = Delta()
        if taken is not None:
            w.held = taken
            delta = Delta([ParentChange(taken, Parent(table_at(w.points[taken]), Relation.ON), IN_HAND)])
    elif kind == 1:
        target = str(rng.choice(["table_1", "table_2"]))
        action, delta = Action(Verb.PLACE, subject, target), Delta()
        if fate < 0.7:
            x = abs(rng.uniform(0.2, 0.8)) * (-1 if target == "table_1" else 1) * (1 if fate < 0.5 else -1)
            w.points[subject], w.held = np.array([x, 0.6, 0.75]), None
            delta = Delta([ParentChange(subject, IN_HAND, Parent(table_at(w.points[subject]), Relation.ON))])
    else:
        action = Action(Verb.TOGGLE_OFF if w.lamp else Verb.TOGGLE_ON, "lamp_1")
        delta = Delta()
        if fate < 0.6:
            delta = Delta([StateChange("lamp_1", "on", w.lamp, not w.lamp)])
            w.lamp = not w.lamp
    return Transition(before, action, w.frame(), Outcome(True, ""), belief), delta
