"""Long-horizon tasks: three to six goals, most of which use what an earlier one has brought about (cut, heat, serve; wash, fill, place).

The order of a chain follows from what it asks for and is not scored apart: what is to be served hot has to be heated before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np

from mimir_learn.symbols import AllOf, Condition, Exists, Goal, Has, Kind, ObjectQuery, Related

from . import choose, clauses, refer
from .clauses import Clause, bring, make, plain_query, some
from .compose import Draft, compatible
from .lexicon import FOOD
from .refer import Ref
from .simple import PLAIN, any_kind, clause, target
from .wording import listed, noun, say
from .world import World

Recipe = Callable[[World, np.random.Generator], Draft | None]


def draft(world: World, rng: np.random.Generator) -> Draft | None:
    """A recipe, made longer by an errand before or after it where it has fewer than four goals."""
    found = _RECIPES[any_kind(rng, WEIGHTS)](world, rng)
    if found is None:
        return None
    goals = sum(len(c.goals) for c in found.clauses)
    if goals < 5 and (goals < 4 or rng.random() < 0.4):
        extra = _errand(world, rng, found)
        if extra is not None:
            parts = (extra, *found.clauses) if rng.random() < 0.5 else (*found.clauses, extra)
            found = Draft(found.kind, parts)
    return found if 3 <= sum(len(c.goals) for c in found.clauses) <= 6 else None


def _errand(world: World, rng: np.random.Generator, found: Draft) -> Clause | None:
    """One more simple clause that is in nobody's way."""
    for _ in range(6):
        extra = clause(any_kind(rng, {"place": 3.0, "put_and_close": 2.0, "turn_on": 0.7, "turn_off": 0.7, "close": 0.7}), world, rng)
        if (
            extra is not None
            and compatible(world, (*found.clauses, extra))
            and len(extra.goals) + sum(len(c.goals) for c in found.clauses) <= 6
        ):
            return extra
    return None


def _one(world: World, rng: np.random.Generator, ids: Iterator[str]) -> Ref | None:
    thing = next(ids, None)
    return None if thing is None else refer.plain_thing(world, rng, thing)


def _where(
    world: World, rng: np.random.Generator, moved: list[str], *, openable: bool | None = None, avoid: Collection[str] = ()
) -> Ref | None:
    return target(world, rng, PLAIN, moved, openable=openable, avoid=avoid)


# ---- cooking -------------------------------------------------------------------------------------------------------------

_DISHES = frozenset({"plate", "bowl", "pan", "pot"})
_ON_DISHES = FOOD | {"fork", "spoon", "knife", "ladle", "spatula"}
_SERVED_ON = frozenset({"table", "coffee_table", "side_table", "counter", "desk"})
_TEA_FROM = frozenset({"kettle", "pot", "mug", "cup"})


def _meal(effect: str) -> Recipe:
    """Cut something to eat (or not), heat or cool it, onto a plate or into a bowl, and that to the table."""

    def recipe(world: World, rng: np.random.Generator) -> Draft | None:
        cut = rng.random() < 0.75
        fit = [t for t in _food(world, rng) if choose.can(world, t, effect) and (not cut or choose.cuttable(world, t))]
        for thing_id in fit:
            dish = _one(world, rng, _dishes_for(world, rng, thing_id))
            where = None if dish is None else _served_on(world, rng, dish.id)
            if dish is None or where is None:
                continue
            thing = refer.plain_thing(world, rng, thing_id)
            kind = "hot_meal" if effect == "heated" else "cold_meal"
            return Draft(kind, (_served(world, rng, effect, thing, dish, where, cut),))
        return None

    return recipe


def _food(world: World, rng: np.random.Generator) -> Iterator[str]:
    return choose.things(world, rng, lambda t: world.entities[t].category in FOOD)


def _dishes_for(world: World, rng: np.random.Generator, thing: str) -> Iterator[str]:
    return choose.things(world, rng, lambda d: world.entities[d].category in _DISHES and choose.carries(world, d, thing))


def _served_on(world: World, rng: np.random.Generator, moved: str) -> Ref | None:
    others = frozenset(e.id for e in world.of(Kind.RECEPTACLE) if e.category not in _SERVED_ON)
    return _where(world, rng, [moved], openable=False, avoid=others)


def _served(world: World, rng: np.random.Generator, effect: str, thing: Ref, dish: Ref, where: Ref, cut: bool) -> Clause:
    x, y, relation = thing.named("x"), dish.named("y"), world.relation(dish.id)
    goals = [make("do", x, effect, after=("cut",) if cut else ())]
    goals += [Goal("dish", x.query, y.query, relation, after=("do",)), bring(world, "serve", y, where, ("dish",))]
    query = plain_query(thing.query, ("sliced", True)) if cut else plain_query(thing.query)
    on_dish = some(query, Has("?x", effect), Related("?x", relation, "?y"))
    served = AllOf((on_dish, clauses.located("?y", world.relation(where.id), where.query)))
    conditions = [some(thing.query, Has("?x", effect))]
    conditions += [Exists("?y", plain_query(dish.query), body) for body in (on_dish, served)]
    if cut:
        goals.insert(0, make("cut", x, "sliced"))
        conditions.insert(0, some(thing.query, Has("?x", "sliced")))
    first = clauses.treating(rng, effect, thing.text)
    if cut:
        first = f"{clauses.cutting(rng, thing.text)}, {clauses.treating(rng, effect, 'it')}"
    text = say(
        rng,
        "{first}, [put|lay] it {rel} {dish} and [take|bring|carry] the {name} {to}",
        first=first, rel=relation.value, dish=dish.text, name=dish.name, to=where.to,
    )  # fmt: skip
    return Clause("meal", text, tuple(goals), tuple(conditions), (thing.id, dish.id), (where.id,), (thing, dish, where))


def _salad(world: World, rng: np.random.Generator) -> Draft | None:
    """Two different things cut and put into one dish, and that to the table."""
    for dish_id in choose.things(world, rng, lambda d: world.entities[d].category in _DISHES):
        parts: list[str] = []
        for thing in _food(world, rng):
            categories = {world.entities[i].category for i in parts}
            fits = choose.cuttable(world, thing) and choose.carries(world, dish_id, thing) and world.room_for([*parts, thing], dish_id)
            if len(parts) < 2 and fits and world.entities[thing].category not in categories:
                parts.append(thing)
        where = _served_on(world, rng, dish_id) if len(parts) == 2 else None
        if where is None:
            continue
        dish, things = refer.plain_thing(world, rng, dish_id), [refer.plain_thing(world, rng, t) for t in parts]
        y, relation, goals, inside = dish.named("y"), world.relation(dish_id), [], []
        for i, part in enumerate(things):
            x = part.named(f"x{i}")
            goals += [make(f"cut{i}", x, "sliced"), Goal(f"in{i}", x.query, y.query, relation, after=(f"cut{i}",))]
            inside.append(some(part.query, Has(f"?x{i}", "sliced"), Related(f"?x{i}", relation, "?y"), var=f"?x{i}"))
        goals.append(bring(world, "serve", y, where, ("in0", "in1")))
        moved = clauses.located("?y", world.relation(where.id), where.query)
        conditions = [some(t.query, Has("?x", "sliced")) for t in things]
        conditions += [Exists("?y", plain_query(dish.query), body) for body in (*inside, AllOf((*inside, moved)))]
        text = say(
            rng,
            "[cut up|slice|cut] {one} and {two}, [put|lay] both {rel} {dish} and [take|bring|carry] the {name} {to}",
            one=things[0].text, two=things[1].text, rel=relation.value, dish=dish.text, name=dish.name, to=where.to,
        )  # fmt: skip
        made = Clause("salad", text, tuple(goals), tuple(conditions), (*parts, dish_id), (where.id,), (*things, dish, where))
        return Draft("salad", (made,))
    return None


def _in_turn(world: World, rng: np.random.Generator, kind: str, vessel: Ref, where: Ref, steps: tuple[tuple[str, str], ...]) -> Draft:
    """One thing that several states are brought about on, one after the other, and that is then put somewhere."""
    x = vessel.named("x")
    goals: list[Goal] = []
    conditions: list[Condition] = []
    after: tuple[str, ...] = ()
    for i, (attribute, _) in enumerate(steps):
        goals.append(make(f"s{i}", x, attribute, after=after))
        conditions.append(some(vessel.query, *(Has("?x", a) for a, _ in steps[: i + 1])))
        after = (f"s{i}",)
    goals.append(bring(world, "put", x, where, after))
    conditions.append(some(vessel.query, *(Has("?x", a) for a, _ in steps), clauses.located("?x", world.relation(where.id), where.query)))
    text = say(
        rng,
        ", ".join(words for _, words in steps) + " and [put|set] {it} {at}",
        it=f"the {vessel.name}", at=where.at,
    )  # fmt: skip
    return Draft(kind, (Clause(kind, text, tuple(goals), tuple(conditions), (vessel.id,), (where.id,), (vessel, where)),))


def _all_empty(world: World, vessel: str) -> bool:
    """Whether ``vessel`` has to be filled: another one of its category that is full already would do instead."""
    return choose.fillable(world, vessel) and not any(world.is_(o.id, "filled") for o in world.alike(world.entities[vessel].category))


def _tea(world: World, rng: np.random.Generator) -> Draft | None:
    """A vessel filled, heated, and set where it is wanted."""
    fit = (t for t in choose.things(world, rng) if world.entities[t].category in _TEA_FROM)
    for vessel_id in (t for t in fit if _all_empty(world, t) and choose.can(world, t, "heated")):
        vessel, where = refer.plain_thing(world, rng, vessel_id), _served_on(world, rng, vessel_id)
        if where is not None:
            steps = (("filled", clauses.filling(rng, vessel)), ("heated", clauses.treating(rng, "heated", f"the {vessel.name}")))
            return _in_turn(world, rng, "tea", vessel, where, steps)
    return None


def _fresh_water(world: World, rng: np.random.Generator) -> Draft | None:
    """A vessel washed, filled, and set where it is wanted."""
    for vessel_id in choose.things(world, rng, lambda t: _all_empty(world, t) and choose.can(world, t, "cleaned")):
        vessel = refer.plain_thing(world, rng, vessel_id)
        where = _where(world, rng, [vessel_id], openable=False, avoid=choose.of_categories(world, choose.NOT_FOR_FILLED))
        if where is not None:
            steps = (("cleaned", clauses.treating(rng, "cleaned", vessel.text)), ("filled", "fill it with water"))
            return _in_turn(world, rng, "fresh_water", vessel, where, steps)
    return None


# ---- washing, packing, tidying -------------------------------------------------------------------------------------------


def _dishes(world: World, rng: np.random.Generator) -> Draft | None:
    """Two things washed and put away behind a door that is closed afterwards."""
    washable = [t for t in choose.things(world, rng) if choose.can(world, t, "cleaned")]
    for first in washable:
        for second in washable:
            if first == second or world.entities[first].category == world.entities[second].category:
                continue
            avoid = choose.unfit(world, "cleaned", first) | choose.unfit(world, "cleaned", second)
            where = _where(world, rng, [first, second], openable=True, avoid=avoid)
            if where is None:
                break
            return Draft("dishes", (_washed(world, rng, [refer.plain_thing(world, rng, t) for t in (first, second)], where),))
    return None


def _wash_one(world: World, rng: np.random.Generator) -> Draft | None:
    """One thing washed and put away behind a door that is closed afterwards."""
    for thing in choose.things(world, rng, lambda t: choose.can(world, t, "cleaned")):
        where = _where(world, rng, [thing], openable=True, avoid=choose.unfit(world, "cleaned", thing))
        if where is not None:
            return Draft("wash_and_store", (_washed(world, rng, [refer.plain_thing(world, rng, thing)], where),))
    return None


def _washed(world: World, rng: np.random.Generator, things: list[Ref], where: Ref) -> Clause:
    p, relation = where.named("p"), world.relation(where.id)
    goals: list[Goal] = []
    conditions = []
    for i, thing in enumerate(things):
        x = thing.named(f"x{i}")
        goals += [make(f"wash{i}", x, "cleaned"), bring(world, f"put{i}", x, p, (f"wash{i}",))]
        conditions += [
            some(thing.query, Has("?x", "cleaned")),
            some(thing.query, Has("?x", "cleaned"), clauses.located("?x", relation, where.query)),
        ]
    goals.append(make("door", p, "open", False, tuple(f"put{i}" for i in range(len(things)))))
    inside = [some(t.query, Has(f"?x{i}", "cleaned"), Related(f"?x{i}", relation, "?p"), var=f"?x{i}") for i, t in enumerate(things)]
    conditions.append(Exists("?p", plain_query(where.query), AllOf((*inside, Has("?p", "open", False)))))
    text = say(
        rng,
        "[wash|rinse|clean] {what}, [put|store] {them} {where} and [close|shut] it",
        what=listed([t.text for t in things]), them="both" if len(things) > 1 else f"the {things[0].name}", where=where.at,
    )  # fmt: skip
    return Clause("dishes", text, tuple(goals), tuple(conditions), tuple(t.id for t in things), (where.id,), (*things, where))


def _pack(world: World, rng: np.random.Generator) -> Draft | None:
    """Two things into a box, bowl, pot …, and that to where it is wanted."""
    holders = choose.things(world, rng, lambda t: world.vocabulary.spec(world.entities[t]).relation is not None)
    for holder_id in holders:
        inside: list[str] = []
        for thing in choose.things(world, rng, lambda t, h=holder_id: choose.carries(world, h, t)):  # type: ignore[misc]
            categories = {world.entities[i].category for i in inside}
            if world.entities[thing].category not in categories and world.room_for([*inside, thing], holder_id):
                inside.append(thing)
            if len(inside) == 2:
                break
        where = _where(world, rng, [holder_id]) if len(inside) == 2 else None
        if where is None:
            continue
        holder = refer.plain_thing(world, rng, holder_id)
        return Draft("pack", (_packed(world, rng, [refer.plain_thing(world, rng, t) for t in inside], holder, where),))
    return None


def _packed(world: World, rng: np.random.Generator, things: list[Ref], holder: Ref, where: Ref) -> Clause:
    y, relation = holder.named("y"), world.relation(holder.id)
    goals = [Goal(f"in{i}", t.query, y.query, relation) for i, t in enumerate(things)]
    goals.append(bring(world, "put", y, where, tuple(g.id for g in goals)))
    inside = [some(t.query, Related(f"?x{i}", relation, "?y"), var=f"?x{i}") for i, t in enumerate(things)]
    conditions = [Exists("?y", plain_query(holder.query), body) for body in inside]
    moved = clauses.located("?y", world.relation(where.id), where.query)
    conditions.append(Exists("?y", plain_query(holder.query), AllOf((*inside, moved))))
    text = say(
        rng,
        "[put|pack|collect] {one} and {two} {rel} {holder} and [take|bring|carry] [the {name}|everything] {to}",
        one=things[0].text, two=things[1].text, rel=relation.value, holder=holder.text, name=holder.name, to=where.to,
    )  # fmt: skip
    return Clause(
        "pack", text, tuple(goals), tuple(conditions), (*(t.id for t in things), holder.id), (where.id,), (*things, holder, where)
    )


def _clean_dish(world: World, rng: np.random.Generator) -> Draft | None:
    """A dish washed, something put into it, and that to where it is wanted."""
    for dish_id in choose.things(world, rng, lambda d: world.entities[d].category in _DISHES and choose.can(world, d, "cleaned")):
        fit = choose.things(world, rng, lambda t: world.entities[t].category in _ON_DISHES)
        thing = _one(world, rng, (t for t in fit if choose.carries(world, dish_id, t)))
        where = None if thing is None else _served_on(world, rng, dish_id)
        if thing is None or where is None:
            continue
        dish, relation = refer.plain_thing(world, rng, dish_id), world.relation(dish_id)
        y = dish.named("y")
        goals = (
            make("wash", y, "cleaned"),
            Goal("in", thing.query, y.query, relation, after=("wash",)),
            bring(world, "put", y, where, ("in",)),
        )
        inside, clean = some(thing.query, Related("?x", relation, "?y")), Has("?y", "cleaned")
        moved = clauses.located("?y", world.relation(where.id), where.query)
        bodies = (clean, AllOf((clean, inside)), AllOf((clean, inside, moved)))
        conditions = tuple(Exists("?y", plain_query(dish.query), body) for body in bodies)
        text = say(
            rng,
            "{wash}, [put|lay] {what} {rel} it and [take|bring|carry] the {name} {to}",
            wash=clauses.treating(rng, "cleaned", dish.text), what=thing.text, rel=relation.value, name=dish.name, to=where.to,
        )  # fmt: skip
        made = Clause("clean_dish", text, goals, conditions, (thing.id, dish_id), (where.id,), (thing, dish, where))
        return Draft("clean_dish", (made,))
    return None


def _fetch_and_shut(world: World, rng: np.random.Generator) -> Draft | None:
    """Something out of one closed container into another, both closed in the end."""
    for thing_id in choose.things(world, rng, lambda t: world.shut_in(t) and world.parent(t) == world.place(t)):
        source, category = world.parent(thing_id), world.entities[thing_id].category
        box, where = refer.exact_place(world, rng, source), _where(world, rng, [thing_id], openable=True)
        if box is None or where is None or sum(world.parent(a.id) == source for a in world.alike(category)) > 1:
            continue
        name, p = noun(category, rng), where.named("p")
        thing = Ref(f"the {name}", ObjectQuery(category, None if world.alone(thing_id) else thing_id), (thing_id,), style="source")
        loose = replace(thing, query=ObjectQuery(category))  # the agenda names the source, not the instance: u_x of Eq. 10
        put = bring(world, "put", loose, p, source=source)
        goals = (put, make("from", box, "open", False, ("put",)), make("to", p, "open", False, ("put",)))
        inside = some(thing.query, Related("?x", world.relation(where.id), "?p"))
        stored = Exists("?p", plain_query(where.query), inside)
        shut = Exists("?p", plain_query(where.query), AllOf((inside, Has("?p", "open", False), Has(source, "open", False))))
        text = say(
            rng,
            "[take|get] the {name} out of {box}, [put|store] it {at} and [leave both of them closed|see that both are shut afterwards]",
            name=name, box=box.text, at=where.at,
        )  # fmt: skip
        made = Clause("fetch_and_shut", text, goals, (stored, shut), (thing_id,), (where.id, source), (thing, where, box))
        return Draft("fetch_and_shut", (made,))
    return None


def _laundry(world: World, rng: np.random.Generator) -> Draft | None:
    """Two different pieces washed, each to its own place."""
    parts: list[Clause] = []
    linen = ("pillow", "towel", "cloth", "teddy", "mug", "cup", "bowl", "plate", "fork", "spoon", "knife", "pan", "pot")
    for thing_id in choose.things(world, rng, lambda t: world.entities[t].category in linen and choose.can(world, t, "cleaned")):
        avoid = choose.unfit(world, "cleaned", thing_id) | {p for c in parts for p in c.places}
        where = _where(world, rng, [thing_id], avoid=avoid)
        if where is not None:
            extra = clauses.treat(world, rng, "cleaned", refer.plain_thing(world, rng, thing_id), where)
            if compatible(world, (*parts, extra)):
                parts.append(extra)
        if len(parts) == 2:
            return Draft("laundry", tuple(parts))
    return None


_RECIPES: dict[str, Recipe] = {
    "hot_meal": _meal("heated"),
    "cold_meal": _meal("cooled"),
    "salad": _salad,
    "tea": _tea,
    "fresh_water": _fresh_water,
    "clean_dish": _clean_dish,
    "dishes": _dishes,
    "wash_and_store": _wash_one,
    "fetch_and_shut": _fetch_and_shut,
    "pack": _pack,
    "laundry": _laundry,
}
WEIGHTS = {
    "hot_meal": 2.0, "cold_meal": 2.0, "salad": 2.0, "tea": 1.5, "fresh_water": 1.5, "clean_dish": 1.5, "dishes": 1.5,
    "wash_and_store": 1.0, "fetch_and_shut": 1.0, "pack": 1.0, "laundry": 0.5,
}  # fmt: skip
