"""The planner Π and Replan: one deterministic next abstract action for a grounded goal (Eq. 11)."""

from __future__ import annotations

from collections.abc import Iterator

from mimir_learn.memory import GroundedGoal, TaskMemory, Way, WorldMemory, held_object
from mimir_learn.memory.means import distance, pick_receptacle, switch
from mimir_learn.memory.recall import best_hypothesis
from mimir_learn.symbols import HAND, Action, Goal, Kind, Parent, Relation, Verb

LOOKS_BEFORE_TRYING = 2
PLACE_FRAMES = 3  # viewpoints that show what is in front of a place
FRAMES_BEHIND_A_DOOR = 2  # more of them, once the door that hid the floor is closed
ROOM_FRAMES = 4  # viewpoints that show a room's floor
TRIES_BEFORE_LOOKING = 2


def plan(grounded: GroundedGoal, task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> Action | None:
    """Π(ĝ_t, T_t, W_t⁺): go there, open what is closed, pick; go, open, place; or set a state.

    Before it leaves what has to be closed or switched back, it does that. None when the goal cannot be reached by any known skill.
    """
    action = _next(grounded, task, world)
    return None if action is None else leave_in_order(_vary(action, grounded.goal, task), task, world, tidy=tidy)


def _next(grounded: GroundedGoal, task: TaskMemory, world: WorldMemory) -> Action | None:
    goal, thing, held = grounded.goal, grounded.object, held_object(task, world)
    entity = world.entity(thing)
    if entity is None:
        return None
    if grounded.way is not None:
        return _bring_about(grounded.way, grounded, task, world)
    if goal.attribute is not None:
        return None if entity.kind is Kind.OBJECT else _set_state(goal, thing, task, world)
    if held is not None and (held != thing or grounded.target == HAND.id):
        return put_down(held, task, world)  # a hand goal whose grasp went unnoticed is grasped anew
    if held == thing and grounded.target is not None:
        return _bring(thing, grounded.target, task, world)
    return _fetch(thing, grounded.parent, task, world)


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
    """At a place, at what it stands on or what stands on it, or in front of a thing: perception says so, or the last successful navigation
    led there.
    """
    if place in (world.at, task.approached):
        return True
    return any(_mounted(a, b, world) for a, b in ((place, world.at), (world.at, place)))


def _mounted(device: str | None, place: str | None, world: WorldMemory) -> bool:
    """A faucet on its sink, a burner on its oven: whoever is at one is at the other."""
    if device is None or place is None or device not in world.places or place not in world.places:
        return False
    above = world.parent(device)
    return above is not None and above.relation is not Relation.ROOM and above.id == place


def closed(place: str, world: WorldMemory) -> bool:
    entity = world.entity(place)
    return entity is not None and world.vocabulary.spec(entity).openable and world.attribute(place, "open") is not True


def reach(place: str, task: TaskMemory, world: WorldMemory) -> Action | None:
    """What is still to do before one can reach into or onto ``place``; None when nothing is."""
    if not near(place, task, world):
        return Action(Verb.NAVIGATE, None, place)
    return Action(Verb.OPEN, None, place) if closed(place, world) else None


def _fetch(thing: str, parent: Parent | None, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Go to where ``thing`` is believed to be and take it."""
    pick = None if parent is None else Action(Verb.PICK, thing, pick_receptacle(parent, world))
    return pick if pick is None or parent is None else _approach(thing, parent, task, world) or pick


def _approach(thing: str, parent: Parent, task: TaskMemory, world: WorldMemory) -> Action | None:
    """What is still to do before one can handle ``thing``, which is believed to be at ``parent``; None when nothing is."""
    place = world.place_of(parent.id)
    if place is None:
        return None
    if world.places[place].entity.kind is Kind.ROOM:
        if near(thing, task, world):
            return None
        if thing in world.sightings:
            return Action(Verb.NAVIGATE, thing)
        # frames older than the last sight of it cannot show where it is now
        hypothesis = next((h for h in (world.hypothesis(thing), *world.alternatives(thing)) if h is not None and h.parent == parent), None)
        known = (world.last_seen(thing), None if hypothesis is None else hypothesis.since)
        return search_floor(thing, place, max((step + 1 for step in known if step is not None), default=0), task, world)
    if (first := reach(place, task, world)) is not None:
        return first
    felt = parent.id == place and parent.relation is Relation.IN  # a hand in a drawer finds what a rim or another thing hides
    return Action(Verb.LOOK) if thing not in world.sightings and not felt and task.looks < LOOKS_BEFORE_TRYING else None


def search_floor(thing: str, room: str | None, since: int, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Look for a thing that fell: in front of where the robot was then, then over the room's whole floor.

    The door of an oven or dishwasher that stands open hides the floor in front, so it is closed where nothing was found. ``room`` limits
    the search to one room, None where even that is not known. None when frames from ``since`` on cover all of it.
    """
    spots = [p for p in world.near(thing) if world.places[p].entity.kind is not Kind.ROOM and room in (None, world.places[p].room)]
    rooms = [world.places[p].room for p in world.near(thing)] if room is None else [room]
    for spot in spots:
        shut_by_hand = task.switched.get((spot, "open")) is False
        frames = PLACE_FRAMES + (FRAMES_BEHIND_A_DOOR if shut_by_hand else 0)
        if world.stood(spot, since) < frames:
            return Action(Verb.LOOK) if world.at == spot else Action(Verb.NAVIGATE, None, spot)
        shut = Action(Verb.CLOSE, None, spot)
        if world.attribute(spot, "open") is True and not task.worn_out(shut):
            return shut if near(spot, task, world) else Action(Verb.NAVIGATE, None, spot)
    for place in dict.fromkeys(rooms):
        if world.stood(place, since) < ROOM_FRAMES:
            return Action(Verb.LOOK) if world.at == place else Action(Verb.NAVIGATE, None, place)
    return None


def _bring(thing: str, target: str, task: TaskMemory, world: WorldMemory) -> Action | None:
    place, above = world.place_of(target), world.parent(target)
    if place is None:
        return None
    put = Action(Verb.PLACE, thing, target)
    if world.places[place].entity.kind is not Kind.ROOM:
        return reach(place, task, world) or put
    if target != place and above is not None:  # a bowl on the floor
        return _approach(target, above, task, world) or put
    return put if world.room_of(world.at) == place else reach(place, task, world) or put


def _set_state(goal: Goal, device: str, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Open, close or toggle. Where memory says the state is already there but no effect has shown it, undo it first and do it again."""
    if goal.attribute not in ("open", "on"):
        return None
    if not near(device, task, world):
        return Action(Verb.NAVIGATE, None, device)
    lid = world.places[device].entity.kind is Kind.FIXTURE and closed(device, world)
    if goal.attribute == "on" and goal.value and lid:
        return switch(device, "open", True)  # a laptop
    done = world.attribute(device, goal.attribute) is goal.value
    return switch(device, goal.attribute, goal.value is not done)


def _bring_about(way: Way, grounded: GroundedGoal, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Make the thing what it has to be: cut it, fill or empty it, or put it where a causal rule strikes and set the rule off."""
    thing, held = grounded.object, held_object(task, world)
    if way.verb is Verb.SLICE:
        return _slice(thing, way.device, grounded.parent, task, world)
    if way.holder is not None and world.inside(thing, way.holder) and held != thing:
        return _set_off(way, task, world)
    if held is not None and held != thing:
        return put_down(held, task, world)
    if held is None:
        return _fetch(thing, grounded.parent, task, world)
    if way.verb is None:  # a device that has never been seen: go and see what it is mounted on
        return Action(Verb.NAVIGATE, None, way.device) if way.holder is None else _bring(thing, way.holder, task, world)
    return reach(way.device, task, world) or Action(way.verb, thing, way.device)


def _slice(thing: str, tool: str, parent: Parent | None, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Tool in hand, go to the thing, cut it where it lies."""
    held = held_object(task, world)
    if held != tool:
        if held is not None:
            return put_down(held, task, world)
        hypothesis = best_hypothesis(tool, world, task.failed)
        return None if hypothesis is None else _fetch(tool, hypothesis.parent, task, world)
    if parent is None:
        return None
    return _approach(thing, parent, task, world) or Action(Verb.SLICE, thing)  # its command names no place


def _set_off(way: Way, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Bring a rule's whole state about; where memory has it already but no effect has shown, undo it first and do it again."""
    rule, device = way.rule, way.device
    if rule is None:
        return None
    if not near(device, task, world):
        return Action(Verb.NAVIGATE, None, device)
    unready = next(((a, v) for a, v in (*rule.requires, (rule.attribute, rule.value)) if world.attribute(device, a) is not v), None)
    return switch(device, *unready) if unready is not None else switch(device, rule.attribute, not rule.value)


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
    for done in sorted(task.evidence.values(), key=lambda c: -c.step):  # of several, the last word
        if done.witness == thing and done.place is not None and done.place != HAND.id and world.place_of(done.place) is not None:
            return _bring(thing, done.place, task, world)
    for place in _surfaces(world):
        if not task.worn_out(Action(Verb.PLACE, thing, place)):
            return _bring(thing, place, task, world)
    room = world.room_of(world.at) or next((p for p, x in world.places.items() if x.entity.kind is Kind.ROOM), None)
    return None if room is None else Action(Verb.PLACE, thing, room)


def _surfaces(world: WorldMemory) -> Iterator[str]:
    """Open places, best first: this one, then surfaces, in this room; none on which a rule would strike (a hot burner)."""
    hot = {r.category: r for r in world.vocabulary.rules if world.vocabulary.spec(r.category).relation is not None}

    def usable(p: str) -> bool:
        entity = world.places[p].entity
        if entity.kind is not Kind.RECEPTACLE or world.vocabulary.spec(entity).relation is None or closed(p, world):
            return False
        rule = hot.get(entity.category)
        return rule is None or world.attribute(p, rule.attribute) is not rule.value

    def nearness(p: str) -> tuple[bool, bool, bool, str]:
        spec = world.vocabulary.spec(world.places[p].entity)
        plain = spec.relation is Relation.ON and not spec.attributes and not spec.tool_for
        return (*distance(p, world), not plain, p)

    yield from sorted((p for p in world.places if usable(p)), key=nearness)


def to_restore(task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> tuple[tuple[str, Action], ...]:
    """(place or device, action) for what the agent itself has opened, closed or switched against a completed goal; with ``tidy`` also for
    every door it left open. What it gave up on is left out.
    """
    wanted: dict[tuple[str, str], bool] = {}
    done = {c.goal: c for c in task.evidence.values()}
    for goal in sorted((g for g in task.goals if g.id in done), key=lambda g: done[g.id].step):
        if goal.attribute in ("open", "on"):
            wanted[done[goal.id].witness, goal.attribute] = goal.value
    out = []
    for (entity, attribute), value in sorted(task.switched.items()):
        want = wanted.get((entity, attribute), False if tidy and attribute == "open" else value)
        if world.attribute(entity, attribute) is value and want is not value:
            action = switch(entity, attribute, want)
            if not task.worn_out(action):
                out.append((entity, action))
    return tuple(out)


def leave_in_order(action: Action, task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> Action:
    """Put right behind itself: before walking away from something in `to_restore`, restore it."""
    here, to = world.at, action.receptacle
    if action.verb is not Verb.NAVIGATE or here is None or to == here or _mounted(to, here, world) or _mounted(here, to, world):
        return action
    return next((a for entity, a in to_restore(task, world, tidy=tidy) if entity == here or _mounted(entity, here, world)), action)


def duty(task: TaskMemory, world: WorldMemory, *, tidy: bool = False) -> Action | None:
    """What is left to put right once no goal is pending: doors to close, devices to switch back."""
    for entity, action in to_restore(task, world, tidy=tidy):
        return action if near(entity, task, world) else Action(Verb.NAVIGATE, None, entity)
    return None


__all__ = ["closed", "duty", "leave_in_order", "near", "plan", "put_down", "reach", "replan", "search_floor", "to_restore"]
