"""Explore_e: where to look next for what the active goal needs and memory cannot locate (Algorithm 1, line 9)."""

from __future__ import annotations

from mimir_learn.agent.planner import closed, leave_in_order, near, put_down, search_floor
from mimir_learn.memory import TaskMemory, WorldMemory, held_object
from mimir_learn.memory.grounding import came_from, lacking
from mimir_learn.symbols import Action, Goal, Kind, ObjectQuery, Verb

ROUNDS = 2
FLOOR_VIEWS = 4
SOURCE_VIEWS = 3  # where the instruction says the thing is, one looks properly
LOOKS_PER_PLACE = 4
OPENING_TRIES = 6


class Explorer:
    """Visits places not viewed yet, most plausible first, opening what is closed; then goes round once more, floors first and each place
    from two sides; then gives up.

    Holds what exploration itself must remember within one episode: which places it gave up on, and in which round each goal is.
    """

    def __init__(self, *, tidy: bool = False) -> None:
        self.tidy = tidy
        self._round: dict[str, tuple[int, int]] = {}  # goal id → (round, step at which it began)
        self._gave_up: dict[str, int] = {}  # place → step
        self._opening: dict[str, int] = {}
        self._at: str | None = None
        self._looks = 0
        self._start = 0

    def start_over(self, step: int) -> None:
        """Looks before ``step`` count no more, for an agent that has forgotten what they showed."""
        self._round.clear()
        self._gave_up.clear()
        self._opening.clear()
        self._start = step

    def next(self, goal: Goal, task: TaskMemory, world: WorldMemory) -> Action | None:
        """The next exploring action for ``goal``, None (⊥_act) when everything has been searched."""
        query = lacking(goal, task, world)
        if query is None:
            return None
        held = held_object(task, world)
        if held is not None:
            entity = world.entity(held)
            if entity is None or not (goal.query.matches(entity) or query.matches(entity)):
                return put_down(held, task, world)
        action = _search_lost(query, task, world)
        if action is None:
            place = self._place(goal, query, task, world)
            if place is None:
                return None
            action = self._inspect(place, task, world)
        return leave_in_order(action, task, world, tidy=self.tidy)

    def _place(self, goal: Goal, query: ObjectQuery, task: TaskMemory, world: WorldMemory) -> str | None:
        for place, since in _hints(query, world):
            if not self._covered(place, since, 2, world):
                return place
        views = SOURCE_VIEWS if _from_source(goal, query, task, world) else 0
        number, start = self._round.setdefault(goal.id, (1, self._start))
        while number <= ROUNDS:
            for place in _order(goal, query, task, world, floors=number > 1):
                if not self._covered(place, start, views or number, world):
                    return place
            number, start = number + 1, world.step + 1
            self._round[goal.id] = (number, start)
        return None

    def _covered(self, place: str, since: int, views: int, world: WorldMemory) -> bool:
        """Seen often enough since then, or given up on. A floor takes more looks than a surface."""
        need = FLOOR_VIEWS if world.places[place].entity.kind is Kind.ROOM else views
        return world.views(place, since) >= need or self._gave_up.get(place, -1) >= since

    def _inspect(self, place: str, task: TaskMemory, world: WorldMemory) -> Action:
        if place != self._at:
            self._at, self._looks = place, 0
        if not near(place, task, world):
            return Action(Verb.NAVIGATE, None, place)
        if closed(place, world):
            self._opening[place] = self._opening.get(place, 0) + 1
            if self._opening[place] >= OPENING_TRIES:
                self._gave_up[place], self._opening[place] = world.step + 1, 0
            return Action(Verb.OPEN, None, place)
        self._looks += 1
        if self._looks >= LOOKS_PER_PLACE:
            self._gave_up[place], self._looks = world.step + 1, 0
        return Action(Verb.LOOK)


def _search_lost(query: ObjectQuery, task: TaskMemory, world: WorldMemory) -> Action | None:
    """Look first where a thing in question went missing: what fell lies in front of where the robot was."""
    for entity_id in world.of_category(query.category) if query.instance is None else (query.instance,):
        step = world.lost(entity_id)
        if step is not None and (action := search_floor(entity_id, None, step + 1, task, world)) is not None:
            return action
    return None


def _hints(query: ObjectQuery, world: WorldMemory) -> list[tuple[str, int]]:
    """Places worth a look before others, with the step from which a look there counts: where a held change or an older sighting has a lost
    thing, and where one is of which it is not known whether it is as asked for.
    """
    out: list[tuple[str, int]] = []
    for entity_id in world.of_category(query.category) if query.instance is None else (query.instance,):
        step, active = world.lost(entity_id), world.hypothesis(entity_id)
        if step is not None:
            out += [(h.parent.id, step + 1) for h in world.alternatives(entity_id) if h.parent.id in world.places and h.since >= step]
        elif active is not None and any(world.value(entity_id, a) is None for a, _ in query.attributes):
            place = world.place_of(active.parent.id)
            out += [] if place is None else [(place, active.since)]
    return out


def _from_source(goal: Goal, query: ObjectQuery, task: TaskMemory, world: WorldMemory) -> bool:
    """Only the explicit source is worth searching: nothing that came from there has got lost since."""
    if goal.source is None or query is not goal.query:
        return False
    return not any(
        world.lost(i) is not None and came_from(i, goal.source, task, world)
        for i in world.of_category(query.category)
        if query.instance in (None, i)
    )


def _order(goal: Goal, query: ObjectQuery, task: TaskMemory, world: WorldMemory, *, floors: bool) -> list[str]:
    """Places that can hold things, most plausible first; ties go to the robot's room, to what is open, then by id. Floors come
    first when asked for."""
    here = world.room_of(world.at)
    if goal.source is not None and _from_source(goal, query, task, world):
        return [goal.source] if goal.source in world.places else []
    usual = world.vocabulary.spec(query.category).usual_places
    rank = {category: i for i, category in enumerate(usual)}
    holding = []
    for place_id, place in world.places.items():
        if place.entity.kind is Kind.RECEPTACLE and world.vocabulary.spec(place.entity).relation is not None:
            holding.append((1, rank.get(place.entity.category, len(usual)), place.room != here, closed(place_id, world), place_id))
        elif floors and place.entity.kind is Kind.ROOM:
            holding.append((0, 0, place_id != here, False, place_id))
    return [place_id for *_, place_id in sorted(holding)]
