"""The planner Π and Replan: one deterministic next abstract action for a grounded goal (Eq. 11)."""

from __future__ import annotations

from collections.abc import Iterator

from mimir_learn.memory import GroundedGoal, TaskMemory, WorldMemory, held_object
from mimir_learn.memory.grounding import pick_receptacle, switch_action
from mimir_learn.symbols import HAND, Action, CausalRule, Entity, Goal, Kind, Verb

LOOKS_BEFORE_TRYING = 2
PLACE_FRAMES = 3  # viewpoints that show what is in front of a place
ROOM_FRAMES = 4  # viewpoints that show a room's floor
TRIES_BEFORE_LOOKING = 2


def plan(grounded: GroundedGoal, task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> Action | None:
    """Π(ĝ_t, T_t, W_t⁺): go there, open what is closed, pick; go, open, place; or set a state.

    Before it leaves a place that has to be closed again, it closes it. None when the goal cannot be reached by any known skill.
    """
    action = _next(grounded, task, world)
    return None if action is None else leave_closed(_vary(action, grounded.goal, task), task, world, tidy=tidy)


def _next(grounded: GroundedGoal, task: TaskMemory, world: WorldMemory) -> Action | None:
    goal, thing, held = grounded.goal, grounded.object, held_object(task, world)
    entity = world.entity(thing)
    if goal.attribute is not None and entity is not None:
        if entity.kind is not Kind.OBJECT:
            return _set_state(goal, thing, task, world)
        return _by_rule(goal, entity, grounded, task, world)
    if held is not None and (held != thing or grounded.target == HAND.id):
        return put_down(held, task, world)  # a hand goal whose grasp went unnoticed is grasped anew
    if held == thing and grounded.target is not None:
        return _bring(thing, grounded.target, goal, task, world)
    return _fetch(grounded, task, world)


def replan(grounded: GroundedGoal, task: TaskMemory, world: WorldMemory, failed: Action | None) -> Action | None:
    """Replan(ĝ_t, T_t, W_t⁺, ā_t): another way to the same end where the embodiment cannot express ``failed``; None when there is none."""
    if failed is None:
        return None
    if failed.verb is Verb.PICK and failed.receptacle is not None:
        return Action(Verb.PICK, failed.object)
    if failed.verb is Verb.NAVIGATE and failed.object is not None and (place := world.place_of(failed.object)) is not None:
        return Action(Verb.NAVIGATE, None, place)
    if failed.verb is Verb.LOOK and grounded.parent is not None and (place := world.place_of(grounded.parent.id)) is not None:
        return Action(Verb.NAVIGATE, None, place)
    return None


# ---- pieces of a plan ----------------------------------------------------------------------------------------------


def near(place: str, task: TaskMemory, world: WorldMemory) -> bool:
    """At a place or in front of a thing: perception says so, or the last successful navigation led there."""
    return place in (world.at, task.approached)


def closed(place: str, world: WorldMemory) -> bool:
    entity = world.entity(place)
    return entity is not None and world.vocabulary.spec(entity).openable and world.attribute(place, "open") is not True


def reach(place: str, task: TaskMemory, world: WorldMemory) -> Action | None:
    """What is still to do before one can reach into or onto ``place``; None when nothing is."""
    if not near(place, task, world):
        return Action(Verb.NAVIGATE, None, place)
    return Action(Verb.OPEN, None, place) if closed(place, world) else None


def _fetch(grounded: GroundedGoal, task: TaskMemory, world: WorldMemory) -> Action | None:
    thing, parent = grounded.object, grounded.parent
    place = None if parent is None else world.place_of(parent.id)
    if parent is None or place is None:
        return None
    pick = Action(Verb.PICK, thing, pick_receptacle(parent, world))
    if world.entity(place) is not None and world.places[place].entity.kind is Kind.ROOM:
        if near(thing, task, world):
            return pick
        if thing in world.sightings:
            return Action(Verb.NAVIGATE, thing)
        # frames older than the last sight of it cannot show where it is now
        known = (world.last_seen(thing), None if grounded.binding is None else grounded.binding.since)
        return search_floor(thing, place, max((step + 1 for step in known if step is not None), default=0), world) or pick
    if (first := reach(place, task, world)) is not None:
        return first
    if thing not in world.sightings and task.looks < LOOKS_BEFORE_TRYING:
        return Action(Verb.LOOK)
    return pick


def search_floor(thing: str, room: str | None, since: int, world: WorldMemory) -> Action | None:
    """Look for a thing that fell: in front of where the robot was then, then over the room's whole floor.

    ``room`` limits the search to one room, None where even that is not known. None when frames from ``since`` on cover all of it.
    """
    spots = [p for p in world.near(thing) if world.places[p].entity.kind is not Kind.ROOM and room in (None, world.places[p].room)]
    rooms = [world.places[p].room for p in world.near(thing)] if room is None else [room]
    for spot, frames in (*((p, PLACE_FRAMES) for p in spots), *((r, ROOM_FRAMES) for r in dict.fromkeys(rooms))):
        if world.stood(spot, since) < frames:
            return Action(Verb.LOOK) if world.at == spot else Action(Verb.NAVIGATE, None, spot)
    return None


def _bring(thing: str, target: str, goal: Goal | None, task: TaskMemory, world: WorldMemory) -> Action | None:
    place = world.place_of(target)
    if place is None:
        return None
    floor = world.places[place].entity.kind is Kind.ROOM
    if floor and world.room_of(world.at) == place:
        return Action(Verb.PLACE, thing, target)
    return reach(place, task, world) or Action(Verb.PLACE, thing, target)


def _set_state(goal: Goal, device: str, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Open, close or toggle. Where memory says the state is already there but no effect has shown it, undo it first and do it again."""
    if goal.attribute not in ("open", "on"):
        return None
    if not near(device, task, world):
        return Action(Verb.NAVIGATE, None, device)
    switch = switch_action(goal, device)
    if world.attribute(device, goal.attribute) is not goal.value:
        return switch
    undo = {Verb.OPEN: Verb.CLOSE, Verb.CLOSE: Verb.OPEN, Verb.TOGGLE_ON: Verb.TOGGLE_OFF, Verb.TOGGLE_OFF: Verb.TOGGLE_ON}
    return Action(undo[switch.verb], switch.object, switch.receptacle)


def _by_rule(goal: Goal, entity: Entity, grounded: GroundedGoal, task: TaskMemory, world: WorldMemory) -> Action | None:
    """A derived state (heated, cooled, cleaned): put the thing where a causal rule applies and trigger the rule."""
    rule = next((r for r in world.vocabulary.rules if r.effect == goal.attribute), None)
    device = None if rule is None else next(iter(world.of_category(rule.category)), None)
    if rule is None or device is None or not goal.value:
        return None
    holder = device
    if world.vocabulary.spec(rule.category).relation is None:  # a faucet acts on the sink it stands on
        above = world.parent(device)
        holder = device if above is None else above.id
    inside, held = world.parent(entity.id), held_object(task, world)
    if inside is None or inside.id != holder:
        if held is not None and held != entity.id:
            return put_down(held, task, world)
        return _bring(entity.id, holder, goal, task, world) if held == entity.id else _fetch(grounded, task, world)
    return _trigger(rule, device, goal, task, world)


def _trigger(rule: CausalRule, device: str, goal: Goal, task: TaskMemory, world: WorldMemory) -> Action | None:
    if not near(device, task, world):
        return Action(Verb.NAVIGATE, None, device)

    def switch(attribute: str, value: bool) -> Action:
        return switch_action(Goal(goal.id, goal.query, attribute=attribute, value=value), device)

    if world.attribute(device, rule.attribute) is rule.value:
        return switch(rule.attribute, not rule.value)
    unmet = next(((a, v) for a, v in rule.requires if world.attribute(device, a) is not v), None)
    return switch(*unmet) if unmet is not None else switch(rule.attribute, rule.value)


def _vary(action: Action, goal: Goal | None, task: TaskMemory) -> Action:
    """After every second fruitless try, look from another side before trying again."""
    tries = task.tries(goal, action)
    if tries and tries % TRIES_BEFORE_LOOKING == 0 and task.looks == 0 and action.verb is not Verb.NAVIGATE:
        return Action(Verb.LOOK)
    return action


# ---- the hand and the doors ----------------------------------------------------------------------------------------


def put_down(thing: str, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Free the hand of something the active goal has no use for.

    A thing that a completed goal rests on goes back where that goal wants it; anything else goes here if this place can hold it and
    is open, else to the nearest open surface, else on the floor.
    """
    for done in task.evidence.values():
        if done.witness == thing and done.place is not None and done.place != HAND.id and world.place_of(done.place) is not None:
            return _bring(thing, done.place, None, task, world)
    for place in _surfaces(world):
        if not task.exhausted(None, Action(Verb.PLACE, thing, place)):
            return _bring(thing, place, None, task, world)
    room = world.room_of(world.at) or next((p for p, x in world.places.items() if x.entity.kind is Kind.ROOM), None)
    return None if room is None else Action(Verb.PLACE, thing, room)


def _surfaces(world: WorldMemory) -> Iterator[str]:
    here = world.room_of(world.at)
    usable = [
        p
        for p, place in world.places.items()
        if place.entity.kind is Kind.RECEPTACLE and world.vocabulary.spec(place.entity).relation is not None and not closed(p, world)
    ]

    def nearness(p: str) -> tuple[bool, bool, bool, str]:
        place = world.places[p]
        return p != world.at, place.room != here, world.vocabulary.spec(place.entity).openable, p

    yield from sorted(usable, key=nearness)


def to_close(task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> tuple[str, ...]:
    """Places the agent opened and must close: a completed goal wants them closed, or ``tidy`` wants everything closed."""
    wanted = {
        done.witness
        for goal in task.goals
        if (done := task.evidence.get(goal.id)) is not None and (goal.attribute, goal.value) == ("open", False)
    }
    return tuple(
        sorted(
            p
            for p in task.opened
            if (tidy or p in wanted) and world.attribute(p, "open") is True and not task.exhausted(None, Action(Verb.CLOSE, None, p))
        )
    )


def leave_closed(action: Action, task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> Action:
    """Close behind itself: before walking away from a place in `to_close`, close it."""
    here = world.at
    leaves = action.verb is Verb.NAVIGATE and here is not None and action.receptacle != here
    return Action(Verb.CLOSE, None, here) if leaves and here in to_close(task, world, tidy=tidy) else action


def duty(task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> Action | None:
    """What is left to put right once no goal is pending: doors to close."""
    for place in to_close(task, world, tidy=tidy):
        return Action(Verb.CLOSE, None, place) if near(place, task, world) else Action(Verb.NAVIGATE, None, place)
    return None


__all__ = ["closed", "duty", "leave_closed", "near", "plan", "put_down", "reach", "replan", "search_floor", "to_close"]
