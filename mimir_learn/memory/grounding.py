"""Dynamic grounding G: commits the active goal to one admissible, evidence-supported binding, or to none (Eq. 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mimir_learn.memory.means import Way, distance, missing_tool, pick_receptacle, shut_out, switch, unmet, usable, ways
from mimir_learn.memory.post import fits
from mimir_learn.memory.recall import Candidate, Support, make_query, recall
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
        way: how to bring about the state the goal asks for, or one its object must have first; None when nothing is left to bring about.
    """

    goal: Goal
    object: str
    source: Parent | None
    parent: Parent | None
    target: str | None
    support: Support
    binding: Binding | None
    way: Way | None = None


def ground(
    goal: Goal,
    candidates: Sequence[Candidate],
    task: TaskMemory,
    world: WorldMemory,
    choose: Chooser | None = None,
) -> GroundedGoal | None:
    """G(g_t, R_t, F_t, …), None = ⊥_grd.

    Drops candidates that cannot support a legal interaction, conflict with explicit constraints, are reserved by a completed goal, or whose
    binding feedback has contradicted; then takes what is already in the hand, else the best supported. A candidate that lacks an attribute
    the goal asks for is admissible if memory knows a way to bring it about; what is broken is not, unless asked for. ``choose`` (e.g. a
    VLM) may decide between several remaining ones; an answer outside them is refused and the best supported one taken.
    """
    held = held_object(task, world)
    target = None if goal.target is None else target_of(goal, task, world)
    if goal.target is not None and target is None:
        return None
    left = [c for c in (_seen_by_hand(c, held, world) for c in candidates) if _admissible(goal, c, target, task, world, held)]
    left = [c for c in left if (wanted := _wanted(goal, c.entity, world)) is None or ways(c.entity, *wanted, goal, task, world)]
    if not left:
        return None
    best = next((c for c in left if c.entity == held), left[0])
    if choose is not None and len(left) > 1 and best.entity != held:
        answer = choose(goal, tuple(left))
        best = next((c for c in left if c.entity == answer), best)
    parent = best.parent if goal.attribute is None or world_kind(world, best.entity) is Kind.OBJECT else None
    source = parent if goal.source is None else held_at(goal.source, world)
    wanted = _wanted(goal, best.entity, world)
    way = None if wanted is None else ways(best.entity, *wanted, goal, task, world)[0]
    return GroundedGoal(goal, best.entity, source, parent, target, best.support, best.binding, way)


def lacking(goal: Goal, task: TaskMemory, world: WorldMemory) -> ObjectQuery | None:
    """What would have to be found for ``goal`` to be grounded: its object, a movable target, or a tool. None: nothing that is movable."""
    held = held_object(task, world)
    kind = _kind(goal.query, world)
    if kind is not Kind.OBJECT:
        return None
    candidates = recall(world, make_query(goal), exclude=task.failed)
    fit = [c for c in (_seen_by_hand(c, held, world) for c in candidates) if _admissible(goal, c, None, task, world, held)]
    if not fit:
        return goal.query
    if goal.target is not None:
        target = target_of(goal, task, world)
        if target is None or not any(_admissible(goal, c, target, task, world, held) for c in fit):
            return goal.target if _kind(goal.target, world) is Kind.OBJECT else None
    for wanted in (_wanted(goal, c.entity, world) for c in fit):
        if wanted is not None and (tool := missing_tool(*wanted, world)) is not None:
            return tool
    return goal.query


def _kind(query: ObjectQuery, world: WorldMemory) -> Kind | None:
    spec = world.vocabulary.categories.get(query.category)
    return None if spec is None else spec.kind


def _wanted(goal: Goal, entity_id: str, world: WorldMemory) -> tuple[str, bool] | None:
    """The next state to bring about: of those the object must have, then the goal's own. Switches of places and devices are no such."""
    if world_kind(world, entity_id) is not Kind.OBJECT:
        return None
    open_ones = unmet(goal.query, entity_id, world)
    if open_ones:
        return open_ones[0]
    return None if goal.attribute is None else (goal.attribute, goal.value)


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
    if c.parent == IN_HAND and c.entity != held:
        return False  # a grasp that feedback has contradicted
    if goal.attribute is not None and goal.attribute not in world.vocabulary.spec(entity).attributes:
        return False
    if entity.kind is not Kind.OBJECT:
        fit = not unmet(goal.query, c.entity, world)
        return goal.attribute is not None and fit and not task.exhausted(goal, switch(c.entity, goal.attribute, goal.value))
    if c.parent is None or (c.binding is not None and c.binding in task.failed) or not usable(c.entity, goal.query, world):
        return False
    if goal.attribute is not None and world.value(c.entity, goal.attribute) is goal.value:
        return False  # no Δ could show that it has come about
    place = world.place_of(c.parent.id)
    if c.entity != held and not world.inside(c.entity, held) and (place is None or shut_out(place, goal, task, world)):
        return False  # on or in something whose own place is not known, or that cannot be opened
    if goal.source is not None and c.parent.id != goal.source and not came_from(c.entity, goal.source, task, world):
        return False
    tries = [Action(Verb.PICK, c.entity, pick_receptacle(c.parent, world)), Action(Verb.SLICE, c.entity)]
    if target is not None and target != HAND.id:
        if target == c.entity or world.inside(target, c.entity):
            return False
        tries.append(Action(Verb.PLACE, c.entity, target))
    return not any(task.exhausted(goal, a) for a in tries)


def came_from(entity_id: str, source: str, task: TaskMemory, world: WorldMemory) -> bool:
    """Whether the entity has been the thing from ``source`` in this episode: taken from there, there now, or once seen there.

    It stays that thing wherever it falls or is carried; otherwise one slip would cost a goal with an explicit source.
    """
    return source in task.taken_from(entity_id) or world.was_seen_at(entity_id, source)


def target_of(goal: Goal, task: TaskMemory, world: WorldMemory) -> str | None:
    """d*: the instance of the goal's target; where a category is asked for, the one at hand, in this room, or first by id.

    One whose door would not open is none; one where the held thing would not go is the last resort, for another thing.
    """
    assert goal.target is not None
    if goal.target.category == HAND.category:
        return HAND.id
    query = goal.target
    if _kind(query, world) is not Kind.OBJECT:
        query = replace(query, attributes=())  # doors are opened on the way
    ids = world.of_category(query.category) if query.instance is None else (query.instance,)
    others = task.meant_by_others(query)
    good = []
    for i in ids:
        if i not in others and fits(query, i, world) and usable(i, query, world) and world.room_of(i) is not None:
            place = world.place_of(i)
            if place is None or not shut_out(place, goal, task, world):
                good.append(i)
    held = held_object(task, world)
    spent = {i for i in good if held is not None and task.exhausted(goal, Action(Verb.PLACE, held, i))}
    return min(good, key=lambda i: (i in spent, *distance(world.place_of(i), world), i), default=None)
