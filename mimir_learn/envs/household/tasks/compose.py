"""From clauses to a task: joined into one instruction, goals numbered and ordered, and refused where it could not be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from mimir_learn.symbols import AllOf, AnyOf, Condition, Course, Goal, Kind, ObjectQuery, Situation, Task, Watch

from .clauses import Clause
from .wording import choice, sentence
from .world import World

_FRAMES = (
    "{s}",
    "{s}",
    "{s}",
    "Please {s}",
    "Could you {s}?",
    "{s}, please",
    "I need you to {s}",
    "Your job is to {s}",
    "I want you to {s}",
)


@dataclass(frozen=True)
class Draft:
    """A task in the making.

    Attributes:
        kind: what it asks for, in a word.
        text: the whole instruction; "" = made from the clauses.
        clauses: its parts, in order.
        also: conditions that must hold in the end as well (a door left closed, a thing left alone); they count once, together with
            everything else, so that doing nothing earns nothing.
        said: more about the wording for the task's meta.
        course: what the scorer checks instead of the conditions: the clauses' goals are to be reached one after the other, in this order.
        more: further entries of the task's meta.
    """

    kind: str
    clauses: tuple[Clause, ...]
    text: str = ""
    also: tuple[Condition, ...] = ()
    said: tuple[str, ...] = field(default=())
    course: Course | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def framed(rng: np.random.Generator, text: str) -> str:
    """An imperative as a sentence, sometimes as a request. A text of several sentences is left as it is."""
    frame = "{s}" if any(mark in text for mark in ".?;") else choice(rng, _FRAMES)
    return sentence(frame.format(s=text))


def joined(rng: np.random.Generator, clauses: Sequence[Clause]) -> str:
    """Several imperatives as one text; in no stated order, for the order of independent parts is not scored."""
    texts = [c.text for c in clauses]
    if len(texts) == 1:
        return texts[0]
    return ", ".join(texts[:-1]) + choice(rng, (", and ", "; also, ", ". Also, ")) + texts[-1]


def compatible(world: World, clauses: Sequence[Clause]) -> bool:
    """Whether no two clauses fight over a thing or a place: moved categories and places are all different.

    Things meant by instance may share their category with other things meant by instance.
    """
    ids = [t for c in clauses for t in c.things]
    if len(set(ids)) < len(ids):
        return False
    loose: Counter[str] = Counter()
    for clause in clauses:
        exact = {q.instance for g in clause.goals for q in (g.query, g.target) if q is not None and q.instance}
        loose.update({world.entities[t].category for t in clause.things if t not in exact})
    every = Counter(c for clause in clauses for c in {world.entities[t].category for t in clause.things})
    if any(n > 1 or every[c] > n for c, n in loose.items()):
        return False
    for one in clauses:
        switches = any(g.attribute in ("open", "on") for g in one.goals)
        for other in clauses:
            if one is not other and switches and _leads_to(world, one) & (_leads_to(world, other) | _from(world, one, other)):
                return False
    return True


def _leads_to(world: World, clause: Clause) -> set[str]:
    """Places that the clause's expressions can mean."""
    meant = {e for r in clause.refs for e in r.ids if world.entities[e].kind is not Kind.OBJECT}
    return meant | set(clause.places)


def _from(world: World, switching: Clause, clause: Clause) -> set[str]:
    """Where the things of ``clause`` can be taken from, if it matters: what is to be opened is opened anyway to get them."""
    if switching.kind != "open":
        return set()
    return {world.place(e) for r in clause.refs for e in r.ids if world.entities[e].kind is Kind.OBJECT}


def finish(world: World, rng: np.random.Generator, task_id: str, subset: str, draft: Draft) -> Task | None:
    """The task of a draft, None where it could not be meant: parts in each other's way, or a condition true at the start."""
    if not compatible(world, draft.clauses):
        return None
    clauses = [c.prefixed(f"c{i}_") for i, c in enumerate(draft.clauses)]
    goals = _numbered([g for c in clauses for g in c.goals])
    conditions: tuple[Condition, ...] = tuple(x for c in draft.clauses for x in c.conditions)
    if draft.also:
        conditions = (*conditions, AnyOf((AllOf((*conditions, *draft.also)),)))
    success: Condition | Course = AllOf(conditions)
    if draft.course is not None:
        success, goals = draft.course, _chained(goals)
    text = draft.text or joined(rng, draft.clauses)
    refs = [r for c in draft.clauses for r in c.refs]
    things = {t for c in draft.clauses for t in c.things}
    places = {p for c in draft.clauses for p in c.places}
    sources = {world.place(t) for t in things}
    shut = [e for r in refs if (e := _shut(world, r.ids)) is not None]
    meta = {
        "subset": subset,
        "kind": draft.kind,
        "goals": len(goals),
        "linked": _linked(goals),
        "things": sorted(things),
        "places": sorted(places),
        "shut": len(set(shut)),
        "distractors": sum(len(world.alike(r.query.category)) - len(r.ids) for r in refs if world.entities[r.id].kind is Kind.OBJECT),
        "across": len({world.room(p) for p in sources | places}),
        "styles": sorted({r.style for r in refs}),
        "resolved": sorted({r.given for r in refs if r.given} | set(draft.said)),
        **draft.more,
    }
    task = Task(task_id, framed(rng, text), goals, meta, success)
    watch = Watch(task)
    watch.see(Situation(world.state, world.entities))
    return None if watch.progress()[0] else task


def _chained(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Each goal after the one before it, and afresh."""
    return (goals[0], *(replace(g, after=(before.id,), afresh=True) for before, g in pairwise(goals)))


def _shut(world: World, ids: Sequence[str]) -> str | None:
    """A container that has to be opened for what an expression means: all that it can mean are shut away, or closed themselves."""
    inside = [world.place(e) if world.entities[e].kind is Kind.OBJECT else e for e in ids]
    return inside[0] if all(world.closed(p) for p in inside) else None


def _linked(goals: Sequence[Goal]) -> int:
    """How many goals hang together by prerequisites, one using what another has brought about: the largest such group."""
    groups: list[set[str]] = []
    for goal in goals:
        mine = {goal.id, *goal.after}
        joining = [g for g in groups if g & mine]
        groups = [g for g in groups if not g & mine] + [mine.union(*joining)]
    return max(map(len, groups), default=0)


def _numbered(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Ids g1, g2, … and names a, b, …; a name that only one query has is dropped."""
    ids = {g.id: f"g{i + 1}" for i, g in enumerate(goals)}
    used = Counter(q.name for g in goals for q in (g.query, g.target) if q is not None and q.name is not None)
    names = {n: chr(ord("a") + i) for i, n in enumerate(n for n, times in used.items() if times > 1)}

    def own(query: ObjectQuery | None) -> ObjectQuery | None:
        return None if query is None else replace(query, name=names.get(query.name or ""))

    out = []
    for g in goals:
        query = own(g.query)
        assert query is not None
        out.append(replace(g, id=ids[g.id], after=tuple(ids[a] for a in g.after), query=query, target=own(g.target)))
    return tuple(out)


def key(task: Task) -> str:
    """What a task asks for, whatever its words: equal for tasks that only differ in wording."""
    goals = [(g.query, g.target, g.relation, g.attribute, g.value, g.source, g.after) for g in task.goals]
    return repr((goals, task.success))
