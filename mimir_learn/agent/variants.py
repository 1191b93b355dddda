"""Ablations of the agent as one typed setting: which memory is there, whether a goal is grounded, recall bounded, consequences derived."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mimir_learn.agent.forgetful import GlimpseWorld, HistoryTask, HistoryWorld, StatelessTask
from mimir_learn.errors import ConfigError
from mimir_learn.memory import Candidate, GroundedGoal, Support, TaskMemory, WorldMemory, ground, held_object, ways
from mimir_learn.memory.grounding import Chooser
from mimir_learn.memory.task import binding_of
from mimir_learn.symbols import HAND, IN_HAND, Goal, Kind, Parent, Place, Vocabulary

HISTORY = 20
"""Steps that ``flat_history`` looks back."""
UNBOUNDED = 1_000_000_000
PARTS = ("no_world_memory", "no_task_memory", "flat_history", "no_grounding", "unbounded_recall", "no_ramifications")
_HISTORY = re.compile(r"flat_history\((\d+)\)")


@dataclass(frozen=True)
class Variant:
    """What an agent may remember and how it uses it. The default is Mimir in full.

    Attributes:
        world: ``full`` | ``view``: only what the current frame shows (see `GlimpseWorld`) | ``history`` (see `HistoryWorld`).
        task: ``full`` | ``state``: done is what world memory shows to hold (see `StatelessTask`) | ``history`` (see `HistoryTask`).
        grounding: False takes the first thing and the first place whose category is the one named, whatever the evidence.
        bounded: False recalls every candidate instead of K.
        ramifications: False derives nothing from a Δ by causal rules.
        history: steps that ``history`` goes back.
    """

    world: str = "full"
    task: str = "full"
    grounding: bool = True
    bounded: bool = True
    ramifications: bool = True
    history: int = HISTORY

    def __post_init__(self) -> None:
        if self.world not in ("full", "view", "history") or self.task not in ("full", "state", "history"):
            raise ConfigError(f"variant: world memory {self.world!r}, task memory {self.task!r} is none; see `Variant`")
        if self.history < 1:
            raise ConfigError(f"variant: a history of {self.history} steps; give at least 1")

    @classmethod
    def named(cls, name: str) -> Variant:
        """``full``, one of `PARTS`, ``flat_history(STEPS)``, or several joined by ``+``. Raises ConfigError for anything else."""
        given: dict[str, Any] = (
            {} if name == "full" else dict(part for word in name.split("+") for part in _settings(word.strip(), name).items())
        )
        return cls(**given)

    # ---- what the loop is made of ----------------------------------------------------------------------------------

    def world_memory(self, vocabulary: Vocabulary, places: Iterable[Place]) -> WorldMemory:
        """W_0."""
        world: WorldMemory
        match self.world:
            case "view":
                world = GlimpseWorld(vocabulary, places)
            case "history":
                world = HistoryWorld(vocabulary, places, self.history)
            case _:
                world = WorldMemory(vocabulary, places)
        world.ramifications = self.ramifications
        return world

    def task_memory(self, goals: Sequence[Goal], max_tries: int) -> TaskMemory:
        """T_0."""
        match self.task:
            case "state":
                return StatelessTask(goals, max_tries)
            case "history":
                return HistoryTask(goals, max_tries, self.history)
            case _:
                return TaskMemory(goals, max_tries)

    def recollect(self, task: TaskMemory, world: WorldMemory) -> None:
        """At the start of a step: what a task memory that keeps nothing reads off what there is."""
        if isinstance(task, StatelessTask | HistoryTask):
            task.recollect(world)

    def ground(
        self, goal: Goal, candidates: Sequence[Candidate], task: TaskMemory, world: WorldMemory, choose: Chooser | None
    ) -> GroundedGoal | None:
        """G, or what stands in for it."""
        return ground(goal, candidates, task, world, choose) if self.grounding else first_match(goal, task, world)

    @property
    def forgets_what_it_saw(self) -> bool:
        """A search is worth nothing once something else has been done: what it showed has been forgotten."""
        return self.world == "view"


FULL = Variant()


def _settings(word: str, name: str) -> dict[str, Any]:
    given: dict[str, dict[str, Any]] = {
        "no_world_memory": {"world": "view"},
        "no_task_memory": {"task": "state"},
        "flat_history": {"world": "history", "task": "history"},
        "no_grounding": {"grounding": False},
        "unbounded_recall": {"bounded": False},
        "no_ramifications": {"ramifications": False},
    }
    if long := _HISTORY.fullmatch(word):
        return given["flat_history"] | {"history": int(long[1])}
    if word not in given:
        raise ConfigError(f"unknown variant {name!r}; known: full, {', '.join(PARTS)}, flat_history(STEPS), and several joined by +")
    return given[word]


def first_match(goal: Goal, task: TaskMemory, world: WorldMemory) -> GroundedGoal | None:
    """The first thing by id whose category (or id) is the one asked for and whose place memory has, and the first such place.

    Contradicted bindings, explicit sources, attributes, what other goals rest on and what has failed too often play no part. ⊥_grd only
    where memory knows no such thing or place, or no way to bring a state about.
    """
    held = held_object(task, world)
    thing, parent = _first(goal.query.category, goal.query.instance, held, world)
    if thing is None:
        return None
    target: str | None = None
    if goal.target is not None:
        at_hand = goal.target.category == HAND.category
        target = HAND.id if at_hand else _first(goal.target.category, goal.target.instance, held, world, beside=thing)[0]
        if target is None:
            return None
    entity = world.entity(thing)
    movable = entity is not None and entity.kind is Kind.OBJECT
    way = None
    if goal.attribute is not None and movable:
        known = ways(thing, goal.attribute, goal.value, goal, task, world)
        if not known:
            return None
        way = known[0]
    source = parent if movable else None
    binding = binding_of(thing, world.hypothesis(thing))
    return GroundedGoal(goal, thing, source, source, target, Support(1.0, 0.0, 0.0, 0.0, 0.0), binding, way)


def _first(
    category: str, instance: str | None, held: str | None, world: WorldMemory, beside: str | None = None
) -> tuple[str | None, Parent | None]:
    for entity_id in world.of_category(category):
        parent = IN_HAND if entity_id == held else world.parent(entity_id)
        known = parent is not None or entity_id in world.places
        if known and entity_id != beside and instance in (None, entity_id):
            return entity_id, parent
    return None, None
