"""A small symbolic house in the household's vocabulary, and what doing a task literally as its agenda says comes to."""

from __future__ import annotations

from collections.abc import Iterator

from mimir_learn.envs.household.tasks import Look, World
from mimir_learn.envs.household.vocabulary import VOCABULARY
from mimir_learn.symbols import Course, Entity, Goal, Kind, ObjectQuery, Parent, Relation, Situation, Snapshot, Task, Watch

# id → (parent, relation, x, y, colour)
WHERE = {
    "counter_1": ("kitchen_1", "room", 0.0, 1.8, ""),
    "sink_1": ("kitchen_1", "room", 1.4, 1.8, ""),
    "faucet_1": ("sink_1", "on", 1.4, 1.8, ""),
    "fridge_1": ("kitchen_1", "room", -1.4, 1.8, ""),
    "microwave_1": ("kitchen_1", "room", 1.9, 0.0, ""),
    "drawer_1": ("kitchen_1", "room", -1.9, -0.5, ""),
    "shelf_1": ("kitchen_1", "room", -0.5, -1.8, ""),
    "table_1": ("kitchen_1", "room", 0.0, -1.5, ""),
    "bed_1": ("bedroom_1", "room", 5.0, 1.5, ""),
    "shelf_2": ("bedroom_1", "room", 6.8, 0.0, ""),
    "drawer_2": ("bedroom_1", "room", 3.4, 0.3, ""),
    "wardrobe_1": ("bedroom_1", "room", 5.0, -1.7, ""),
    "lamp_1": ("bedroom_1", "room", 6.5, 1.5, ""),
    "tv_1": ("bedroom_1", "room", 3.4, -1.5, ""),
    "knife_1": ("counter_1", "on", 0.3, 1.7, "silver"),
    "mug_1": ("counter_1", "on", -0.3, 1.7, "red"),
    "mug_2": ("drawer_2", "in", 3.4, 0.3, "blue"),
    "mug_3": ("shelf_2", "on", 6.8, 0.1, "white"),
    "apple_1": ("fridge_1", "in", -1.4, 1.8, "green"),
    "apple_2": ("table_1", "on", 0.2, -1.5, "red"),
    "tomato_1": ("drawer_1", "in", -1.9, -0.5, "red"),
    "bowl_1": ("table_1", "on", -0.4, -1.5, "blue"),
    "plate_1": ("counter_1", "on", 0.0, 1.75, "white"),
    "plate_2": ("shelf_1", "on", -0.5, -1.8, "white"),
    "book_1": ("bed_1", "on", 5.0, 1.5, "red"),
    "book_2": ("wardrobe_1", "in", 5.0, -1.7, "green"),
    "pillow_1": ("bed_1", "on", 5.3, 1.6, "white"),
    "box_1": ("shelf_2", "on", 6.8, -0.3, "tan"),
    "pen_1": ("drawer_2", "in", 3.5, 0.3, "black"),
    "vase_1": ("shelf_1", "on", -0.8, -1.8, "blue"),
}  # fmt: skip
TRUE = {("plate_2", "dirty"), ("vase_1", "filled"), ("tv_1", "on"), ("wardrobe_1", "open")}


def toy_world() -> World:
    entities = {i: Entity(i, i[:-2], VOCABULARY.spec(i[:-2]).kind) for i in ("kitchen_1", "bedroom_1", *WHERE)}
    entities["hand"] = Entity("hand", "hand", Kind.HAND)
    parents = {e: Parent(p, Relation(r)) for e, (p, r, *_) in WHERE.items()}
    attributes = {(e, a): (e, a) in TRUE for e in WHERE for a in VOCABULARY.spec(e[:-2]).attributes}
    spots = {e: (x, y, 0.0) for e, (_, _, x, y, _) in WHERE.items()}
    fixed = [e for e in WHERE if entities[e].kind is not Kind.OBJECT]
    yaws = {e: {"bedroom_1": 90.0, "kitchen_1": 0.0}.get(WHERE[e][0], 0.0) for e in fixed}
    looks = {e: Look(colour) for e, (*_, colour) in WHERE.items() if entities[e].kind is Kind.OBJECT}
    return World(Snapshot(parents, attributes), entities, VOCABULARY, None, spots, yaws, looks)


def carried_out(world: World, task: Task, without: str | None = None) -> Situation:
    """The state after each goal of the agenda (all but ``without``) was brought about on one fitting entity, in order."""
    return list(states(world, task, [g for g in task.goals if g.id != without]))[-1]


def watched(world: World, task: Task, goals: list[Goal]) -> Watch:
    """What a watch has seen after these goals were brought about in turn."""
    watch = Watch(task)
    for now in states(world, task, goals):
        watch.see(now)
    return watch


def states(world: World, task: Task, goals: list[Goal]) -> Iterator[Situation]:
    """The initial state, and that after each of ``goals`` was brought about on one fitting entity."""
    parents, attributes = dict(world.state.parents), dict(world.state.attributes)
    meant: dict[str, str] = {}
    used: set[tuple[str, str]] = set()
    doors: dict[str, bool] = {}
    at = None

    def fitting(query: ObjectQuery) -> list[str]:
        if query.name in meant:
            return [meant[query.name or ""]]
        now = Snapshot(parents, attributes)
        taken = set() if query.name is None else set(meant.values())
        return [e.id for e in sorted(world.entities.values()) if query.fits(e, now) and e.id not in taken]

    def choose(goal: Goal) -> str:
        asked = repr((goal.query, goal.target, goal.attribute, goal.value))
        fit = [e for e in fitting(goal.query) if goal.source in (None, getattr(parents.get(e), "id", None))]
        fit = fit if isinstance(task.success, Course) else [e for e in fit if (asked, e) not in used]
        used.add((asked, fit[0]))
        return fit[0]

    yield Situation(Snapshot(dict(parents), dict(attributes)), world.entities, at)
    for goal in goals:
        thing = choose(goal)
        if goal.query.name is not None:
            meant[goal.query.name] = thing
        if goal.target is None:
            assert goal.attribute is not None
            attributes[thing, goal.attribute] = goal.value
            for rule in VOCABULARY.rules:
                if rule.effect == goal.attribute and goal.value:
                    attributes.update({(thing, a): False for a in rule.clears if (thing, a) in attributes})
            at = thing if goal.attribute == "on" else at
            if goal.attribute == "open":
                doors[thing] = goal.value
            yield Situation(Snapshot(dict(parents), dict(attributes)), world.entities, at)
            continue
        place = fitting(goal.target)[0]
        if goal.target.name is not None:
            meant[goal.target.name] = place
        for opened in (parents[thing].id, place):  # reached into, and left open unless the agenda says otherwise
            if (opened, "open") in attributes and opened not in doors:
                attributes[opened, "open"] = True
        assert goal.relation is not None
        parents[thing] = Parent(place, goal.relation)
        yield Situation(Snapshot(dict(parents), dict(attributes)), world.entities, at)
