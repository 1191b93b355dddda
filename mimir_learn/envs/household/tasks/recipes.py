"""Long-horizon tasks: three to six goals that build on one another, over several rooms.

What is found while doing one part is often needed in a later one: parts are drawn to things that lie where an earlier part leads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from mimir_learn.symbols import AllOf, Exists, Goal, Has, Kind, Related

from . import choose, clauses, refer
from .clauses import Clause, bring, make, plain_query, some
from .compose import Draft, compatible
from .refer import Ref
from .simple import PLAIN, any_kind, clause, target
from .wording import noun, say
from .world import World

Recipe = Callable[[World, np.random.Generator], Draft | None]


def draft(world: World, rng: np.random.Generator) -> Draft | None:
    """A recipe, made longer by an errand before or after it where it has fewer than four goals."""
    found = _RECIPES[any_kind(rng, _WEIGHTS)](world, rng)
    if found is None:
        return None
    goals = sum(len(c.goals) for c in found.clauses)
    if goals < 5 and (goals < 4 or rng.random() < 0.4):
        extra = _errand(world, rng, found)
        if extra is not None:
            parts = (extra, *found.clauses) if rng.random() < 0.5 else (*found.clauses, extra)
            found = Draft(found.kind, parts, ordered=True)
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


def _meal(effect: str) -> Recipe:
    """Cut something (or not), heat or cool it, onto a plate or into a bowl, and that to the table."""

    def recipe(world: World, rng: np.random.Generator) -> Draft | None:
        cut = rng.random() < 0.75
        fit = [t for t in choose.things(world, rng) if choose.can(world, t, effect) and (not cut or choose.cuttable(world, t))]
        for thing_id in fit:
            dishes = choose.things(world, rng, lambda d, t=thing_id: choose.carries(world, d, t))  # type: ignore[misc]
            dish = _one(world, rng, (d for d in dishes if world.entities[d].category != "box"))
            avoid = {holder for _, _, holder in world.means(effect, thing_id)}
            where = None if dish is None else _where(world, rng, [dish.id], openable=False, avoid=avoid)
            if dish is None or where is None:
                continue
            thing = refer.plain_thing(world, rng, thing_id)
            return Draft("meal", (_served(world, rng, effect, thing, dish, where, cut),))
        return None

    return recipe


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
    do = {"heated": "[heat|warm up]", "cooled": "[chill|cool]"}[effect]
    first = "[cut up|slice|cut] {what}, " + do + " it" if cut else do + " {what}"
    text = say(
        rng,
        first + ", [put|lay] it {rel} {dish} and [take|bring|carry] [the {noun}|that] {to}",
        what=thing.text, rel=relation.value, dish=dish.text, noun=noun(dish.query.category), to=where.to,
    )  # fmt: skip
    return Clause("meal", text, tuple(goals), tuple(conditions), (thing.id, dish.id), (where.id,), (thing, dish, where))


def _tea(world: World, rng: np.random.Generator) -> Draft | None:
    """A vessel filled, heated, and set where it is wanted."""
    fit = (t for t in choose.things(world, rng) if choose.fillable(world, t) and choose.can(world, t, "heated"))
    for vessel_id in fit:
        vessel = refer.plain_thing(world, rng, vessel_id)
        avoid = {holder for _, _, holder in world.means("heated", vessel_id)}
        where = _where(world, rng, [vessel_id], avoid=avoid)
        if where is None:
            continue
        x = vessel.named("x")
        goals = (make("fill", x, "filled"), make("heat", x, "heated", after=("fill",)), bring(world, "put", x, where, ("heat",)))
        both = (Has("?x", "filled"), Has("?x", "heated"))
        conditions = (
            some(vessel.query, Has("?x", "filled")),
            some(vessel.query, *both),
            some(vessel.query, *both, clauses.located("?x", world.relation(where.id), where.query)),
        )
        text = say(
            rng,
            "[fill {what} with water|fill {what}], [heat|warm up] [it|the water] and [put|set] it {where}",
            what=vessel.text,
            where=where.at,
        )
        return Draft("tea", (Clause("tea", text, goals, conditions, (vessel_id,), (where.id,), (vessel, where)),))
    return None


# ---- washing, packing, tidying -------------------------------------------------------------------------------------------


def _dishes(world: World, rng: np.random.Generator) -> Draft | None:
    """Two things washed and put away behind a door that is closed afterwards."""
    washable = [t for t in choose.things(world, rng) if choose.can(world, t, "cleaned")]
    for first in washable:
        for second in washable:
            if first == second or world.entities[first].category == world.entities[second].category:
                continue
            avoid = {holder for _, _, holder in (*world.means("cleaned", first), *world.means("cleaned", second))}
            where = _where(world, rng, [first, second], openable=True, avoid=avoid)
            if where is None:
                break
            return Draft("dishes", (_washed(world, rng, [refer.plain_thing(world, rng, t) for t in (first, second)], where),))
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
        "[wash|rinse|clean] {one} and {two}, [put|store] both {where} and [close|shut] it",
        one=things[0].text, two=things[1].text, where=where.at,
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
        "[put|pack|collect] {one} and {two} {rel} {holder} and [take|bring|carry] [the {noun}|it all] {to}",
        one=things[0].text, two=things[1].text, rel=relation.value, holder=holder.text, noun=noun(holder.query.category), to=where.to,
    )  # fmt: skip
    return Clause(
        "pack", text, tuple(goals), tuple(conditions), (*(t.id for t in things), holder.id), (where.id,), (*things, holder, where)
    )


def _round(world: World, rng: np.random.Generator) -> Draft | None:
    """Three or four errands in a fixed order; the later ones about things that lie where the earlier ones lead."""
    parts: list[Clause] = []
    met: set[str] = set()
    for _ in range(24):
        if len(parts) >= 3 and (len(parts) == 4 or rng.random() < 0.3):
            break
        extra = _follow_up(world, rng, met) if parts and rng.random() < 0.7 else clause(any_kind(rng, _ERRANDS), world, rng)
        if extra is None or not compatible(world, (*parts, extra)) or sum(len(c.goals) for c in (*parts, extra)) > 6:
            continue
        parts.append(extra)
        met |= {world.parent(t) for t in extra.things} | set(extra.places)
    return Draft("round", tuple(parts), ordered=True) if len(parts) >= 3 else None


def _follow_up(world: World, rng: np.random.Generator, met: set[str]) -> Clause | None:
    """A thing out of (or off) a place that an earlier part leads to."""
    for thing_id in choose.things(world, rng, lambda t: world.parent(t) in met):
        where = _where(world, rng, [thing_id], avoid=met)
        if where is not None:
            return clauses.place(world, rng, refer.plain_thing(world, rng, thing_id), where)
    return None


def _swap(world: World, rng: np.random.Generator) -> Draft | None:
    """Two things change places."""
    for one in choose.things(world, rng, lambda t: world.entities[world.parent(t)].kind is Kind.RECEPTACLE):
        for two in choose.things(world, rng, lambda t: world.entities[world.parent(t)].kind is Kind.RECEPTACLE):
            here, there = world.parent(one), world.parent(two)
            if not world.alone(one) or not world.alone(two) or one == two or here == there:
                continue
            if not world.room_for([two], here) or not world.room_for([one], there):
                continue
            if not choose.suits(world, two, here) or not choose.suits(world, one, there):
                continue
            q, p = refer.exact_place(world, rng, there), refer.exact_place(world, rng, here)
            if q is None or p is None:
                continue
            a, b = refer.plain_thing(world, rng, one), refer.plain_thing(world, rng, two)
            goals = (bring(world, "there", a, q), bring(world, "here", b, p))
            conditions = tuple(some(t.query, clauses.located("?x", world.relation(w.id), w.query)) for t, w in ((a, q), (b, p)))
            text = say(
                rng,
                "[let {a} and {b} change places|swap {a} and {b}]: {a} goes {there}, {b} {here}",
                a=a.text, b=b.text, there=q.at, here=p.at,
            )  # fmt: skip
            swapped = Clause("swap", text, goals, conditions, (one, two), (here, there), (a, b, q, p))
            return Draft("swap", (swapped,))
    return None


def _laundry(world: World, rng: np.random.Generator) -> Draft | None:
    """Two different pieces washed, each to its own place."""
    parts: list[Clause] = []
    linen = ("pillow", "towel", "cloth", "teddy", "mug", "cup", "bowl", "plate", "fork", "spoon", "knife", "pan", "pot")
    for thing_id in choose.things(world, rng, lambda t: world.entities[t].category in linen and choose.can(world, t, "cleaned")):
        avoid = {holder for _, _, holder in world.means("cleaned", thing_id)} | {p for c in parts for p in c.places}
        where = _where(world, rng, [thing_id], avoid=avoid)
        if where is not None:
            extra = clauses.treat(world, rng, "cleaned", refer.plain_thing(world, rng, thing_id), where)
            if compatible(world, (*parts, extra)):
                parts.append(extra)
        if len(parts) == 2:
            return Draft("laundry", tuple(parts), ordered=rng.random() < 0.5)
    return None


_ERRANDS = {"place": 3.0, "put_and_close": 1.5, "two": 1.0, "turn_off": 0.6, "turn_on": 0.6, "clean": 1.0, "stack": 0.7}
_RECIPES: dict[str, Recipe] = {
    "hot_meal": _meal("heated"),
    "cold_meal": _meal("cooled"),
    "tea": _tea,
    "dishes": _dishes,
    "laundry": _laundry,
    "pack": _pack,
    "round": _round,
    "swap": _swap,
}
_WEIGHTS = {"hot_meal": 2.0, "cold_meal": 2.0, "tea": 1.0, "dishes": 2.0, "laundry": 1.5, "pack": 2.0, "round": 2.5, "swap": 1.0}
