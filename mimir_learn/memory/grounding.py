"""Dynamic grounding G: commits the active goal to one admissible, evidence-supported binding, or to none (Eq. 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mimir_learn.memory.post import fits
from mimir_learn.memory.recall import Candidate, Support
from mimir_learn.memory.task import Binding, TaskMemory, held_object
from mimir_learn.memory.world import WorldMemory
from mimir_learn.symbols import HAND, IN_HAND, Action, Goal, Kind, ObjectQuery, Parent, Relation, Verb

Chooser = Callable[[Goal, Sequence[Candidate]], str]


@dataclass(frozen=True, slots=True)
class GroundedGoal:
    """ĝ_t = (g_t, v*, u*, d*, η*).

    Attributes:
        object: v*, the entity to act on.
        source: u*, where it is taken from: the goal's explicit source, else the remembered parent. None for a state goal.
        parent: where the hypothesis this rests on has it now: the source, the hand, or wherever else it got to since. None for a place.
        target: d*, the place the goal asks for (an instance of it). None for a state goal.
        support: η*.
        binding: the hypothesis this rests on; it enters F_t when it is contradicted.
    """

    goal: Goal
    object: str
    source: Parent | None
    parent: Parent | None
    target: str | None
    support: Support
    binding: Binding | None


def ground(
    goal: Goal,
    candidates: Sequence[Candidate],
    task: TaskMemory,
    world: WorldMemory,
    choose: Chooser | None = None,
) -> GroundedGoal | None:
    """G(g_t, R_t, F_t, …), None = ⊥_grd.

    Drops candidates that cannot support a legal interaction, conflict with explicit constraints, are reserved by a completed goal, or whose
    binding feedback has contradicted; then takes what is already in the hand, else the best supported. ``choose`` (e.g. a VLM) may decide
    between several remaining ones; an answer outside them is refused and the best supported one taken.
    """
    held = held_object(task, world)
    target = None if goal.target is None else target_of(goal, task, world)
    if goal.target is not None and target is None:
        return None
    left = [c for c in (_seen_by_hand(c, held, world) for c in candidates) if _admissible(goal, c, target, task, world, held)]
    if not left:
        return None
    best = next((c for c in left if c.entity == held), left[0])
    if choose is not None and len(left) > 1 and best.entity != held:
        answer = choose(goal, tuple(left))
        best = next((c for c in left if c.entity == answer), best)
    parent = best.parent if goal.attribute is None or world_kind(world, best.entity) is Kind.OBJECT else None
    source = parent if goal.source is None else held_at(goal.source, world)
    return GroundedGoal(goal, best.entity, source, parent, target, best.support, best.binding)


def held_at(place: str, world: WorldMemory) -> Parent | None:
    """The relation in which ``place`` holds things; None where it holds nothing or is not known."""
    entity = world.entity(place)
    relation = None if entity is None else Relation.HELD if entity == HAND else world.vocabulary.spec(entity).relation
    return None if relation is None else Parent(place, relation)


def _seen_by_hand(candidate: Candidate, held: str | None, world: WorldMemory) -> Candidate:
    """h_t places the held thing in the hand even where world memory was not told."""
    if candidate.entity != held or candidate.parent == IN_HAND:
        return candidate
    return replace(candidate, parent=IN_HAND, binding=Binding(candidate.entity, HAND.id, world.step))


def world_kind(world: WorldMemory, entity_id: str) -> Kind | None:
    entity = world.entity(entity_id)
    return None if entity is None else entity.kind


def _admissible(goal: Goal, c: Candidate, target: str | None, task: TaskMemory, world: WorldMemory, held: str | None) -> bool:
    entity = world.entity(c.entity)
    if entity is None or not goal.query.matches(entity) or c.entity in task.reserved(goal):
        return False
    if any(world.attribute(c.entity, a) is (not v) for a, v in goal.query.attributes):
        return False
    if c.parent == IN_HAND and c.entity != held:
        return False  # a grasp that feedback has contradicted
    if goal.attribute is not None and goal.attribute not in world.vocabulary.spec(entity).attributes:
        return False
    if goal.attribute is not None and entity.kind is not Kind.OBJECT:
        return not task.exhausted(goal, switch_action(goal, c.entity))
    if entity.kind is not Kind.OBJECT or c.parent is None or (c.binding is not None and c.binding in task.failed):
        return False
    if c.entity != held and world.place_of(c.parent.id) is None:
        return False  # on or in something whose own place is not known
    if goal.source is not None and c.parent.id != goal.source and not came_from(c.entity, goal.source, task, world):
        return False
    tries = [Action(Verb.PICK, c.entity, pick_receptacle(c.parent, world))]
    if target is not None and target != HAND.id:
        tries.append(Action(Verb.PLACE, c.entity, target))
    return not any(task.exhausted(goal, a) for a in tries)


def came_from(entity_id: str, source: str, task: TaskMemory, world: WorldMemory) -> bool:
    """Whether the entity has been the thing from ``source`` in this episode: taken from there, there now, or once seen there.

    It stays that thing wherever it falls or is carried; otherwise one slip would cost a goal with an explicit source.
    """
    return source in task.taken_from(entity_id) or world.was_seen_at(entity_id, source)


def switch_action(goal: Goal, entity_id: str) -> Action:
    """The abstract action that sets a place's or device's state as a goal asks."""
    if goal.attribute == "open":
        return Action(Verb.OPEN if goal.value else Verb.CLOSE, None, entity_id)
    return Action(Verb.TOGGLE_ON if goal.value else Verb.TOGGLE_OFF, entity_id)


def pick_receptacle(parent: Parent, world: WorldMemory) -> str | None:
    """The place named in a pick; a floor is not named."""
    return parent.id if world_kind(world, parent.id) is Kind.RECEPTACLE else None


def target_of(goal: Goal, task: TaskMemory, world: WorldMemory) -> str | None:
    """d*: the instance of the goal's target; where a category is asked for, the one at hand, in this room, or first by id."""
    assert goal.target is not None
    if goal.target.category == HAND.category:
        return HAND.id
    query = ObjectQuery(goal.target.category, goal.target.instance)
    ids = world.of_category(query.category) if query.instance is None else (query.instance,)
    usable = [i for i in ids if fits(query, i, world) and world.room_of(i) is not None and not _given_up(goal, i, task, world)]
    here = world.room_of(world.at)
    return min(usable, key=lambda i: (i != world.at, world.room_of(i) != here, i), default=None)


def _given_up(goal: Goal, target: str, task: TaskMemory, world: WorldMemory) -> bool:
    """The held thing could not be put there, and another instance of the target category may do."""
    held = held_object(task, world)
    return held is not None and task.exhausted(goal, Action(Verb.PLACE, held, target))
