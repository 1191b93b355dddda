"""``mimir bench memory``: what one step of memory costs from 10² to 10⁵ entities, beside what people keep such facts in otherwise.

One step is the loop's: U_W^obs, belief, recall, grounding, U_W^act and U_T, with a dozen sightings. The alternatives answer the recall
query alone ("the eight best mugs, those in this room first") over the same facts: a scan of a networkx scene graph, SQLite's full-text
index, and a FAISS index of name embeddings.
"""

from __future__ import annotations

import importlib.util
import sqlite3
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.memory import TaskMemory, WorldMemory, ground, make_query, recall
from mimir_learn.symbols import (
    IN_HAND,
    Action,
    CategorySpec,
    Delta,
    Entity,
    Feedback,
    Goal,
    Kind,
    ObjectQuery,
    Parent,
    ParentChange,
    Percept,
    Place,
    Relation,
    Sighting,
    Verb,
    Vocabulary,
)

K = 8
SIGHTINGS = 12
CATEGORIES = 60  # kinds of movable thing; a bigger house has more of each, not more kinds
THINGS_PER_PLACE, PLACES_PER_ROOM = 8, 10


@dataclass(frozen=True)
class MemoryBenchConfig:
    """What to measure.

    Attributes:
        entities: memory sizes.
        steps: steps timed at each size.
        seed: of the scene and of what is seen.
    """

    entities: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    steps: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "entities", tuple(self.entities))
        whole("bench.steps", self.steps, 1)
        if not self.entities or any(n < 100 for n in self.entities) or any(b <= a for a, b in pairwise(self.entities)):
            raise ConfigError(f"bench.entities {list(self.entities)} must be growing sizes from 100 on")


@dataclass
class Cost:
    """Seconds of every timed call by name, and megabytes, at one size."""

    entities: int
    seconds: dict[str, list[float]] = field(default_factory=dict)
    megabytes: dict[str, float] = field(default_factory=dict)

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """Run ``work`` and note how long it took."""
        start = time.perf_counter()
        out = work()
        self.seconds.setdefault(name, []).append(time.perf_counter() - start)
        return out

    def quantile(self, name: str, q: float) -> float:
        """Milliseconds; NaN where nothing was timed under ``name``."""
        return 1e3 * float(np.quantile(self.seconds[name], q)) if name in self.seconds else float("nan")


@dataclass(frozen=True)
class Scene:
    """``entities`` facts to remember: places in rooms, things on places, categories spread evenly."""

    vocabulary: Vocabulary
    places: tuple[Place, ...]
    things: tuple[tuple[Entity, str], ...]

    @property
    def rooms(self) -> tuple[str, ...]:
        """Ids of the rooms."""
        return tuple(p.entity.id for p in self.places if p.entity.kind is Kind.ROOM)


def scene(entities: int, rng: np.random.Generator) -> Scene:
    """A house of about ``entities`` entities in all."""
    nouns = [f"thing{i}" for i in range(CATEGORIES)]
    vocabulary = Vocabulary(
        "bench",
        {
            s.name: s
            for s in (
                CategorySpec("room", Kind.ROOM, Relation.ROOM),
                CategorySpec("table", Kind.RECEPTACLE, Relation.ON),
                *(CategorySpec(n, Kind.OBJECT) for n in nouns),
            )
        },
    )
    tables = max(entities // (THINGS_PER_PLACE + 1), 1)
    rooms = [Entity(f"room_{i}", "room", Kind.ROOM) for i in range(max(tables // PLACES_PER_ROOM, 1))]
    places = [Place(r, r.id) for r in rooms]
    places += [Place(Entity(f"table_{i}", "table", Kind.RECEPTACLE), rooms[i % len(rooms)].id) for i in range(tables)]
    count = max(entities - len(places), SIGHTINGS)
    kinds = rng.integers(CATEGORIES, size=count)
    where = rng.integers(tables, size=count)
    things = [(Entity(f"{nouns[k]}_{i}", nouns[k], Kind.OBJECT), f"table_{w}") for i, (k, w) in enumerate(zip(kinds, where, strict=True))]
    return Scene(vocabulary, tuple(places), tuple(things))


def bench_memory(config: MemoryBenchConfig) -> str:
    """Measure and return the finding as text."""
    return report([measure(n, config.steps, config.seed) for n in config.entities])


def measure(entities: int, steps: int, seed: int) -> Cost:
    """Time ``steps`` steps of a memory with ``entities`` entities, and the alternatives' answers to the same queries."""
    rng = np.random.default_rng([seed, entities])
    house, cost = scene(entities, rng), Cost(entities)
    at_place: dict[str, list[Entity]] = {}
    for thing, place in house.things:
        at_place.setdefault(place, []).append(thing)
    tracemalloc.start()
    memory = _filled(house)
    cost.megabytes["memory"] = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    tables = sorted(at_place)
    target = ObjectQuery("table", tables[0])
    nouns = [f"thing{int(i)}" for i in rng.integers(CATEGORIES, size=steps)]
    visits = [tables[int(i)] for i in rng.integers(len(tables), size=steps)]
    clock = 1
    for noun, place in zip(nouns, visits, strict=True):
        goal = Goal("g", ObjectQuery(noun), target, Relation.ON)
        task = TaskMemory([goal])
        percept = _percept(place, at_place[place], memory)
        cost.time("step", partial(_step, memory, goal, task, percept, clock, cost))
        clock += 1
    rivals = list(_rivals(house))
    for name, ask in rivals:
        for noun, place in zip(nouns, visits, strict=True):
            cost.time(name, partial(ask, noun, place))
    return cost


def _filled(house: Scene) -> WorldMemory:
    memory = WorldMemory(house.vocabulary, house.places)
    by_place: dict[str, list[Sighting]] = {}
    for thing, place in house.things:
        by_place.setdefault(place, []).append(Sighting(thing, Parent(place, Relation.ON), {}, np.zeros(3), 50))
    for place, sightings in sorted(by_place.items()):
        memory.observe(Percept(tuple(sightings), frozenset({place}), place), 0)
    memory.belief()
    return memory


def _percept(place: str, things: Sequence[Entity], memory: WorldMemory) -> Percept:
    here = [t for t in things if memory.parent(t.id) == Parent(place, Relation.ON)]
    seen = tuple(Sighting(t, Parent(place, Relation.ON), {}, np.zeros(3), 50) for t in here[:SIGHTINGS])
    return Percept(seen, frozenset(), place)


def _step(memory: WorldMemory, goal: Goal, task: TaskMemory, percept: Percept, t: int, cost: Cost) -> None:
    """One pass of Algorithm 1's memory work: the grounded thing is picked and put back."""
    cost.time("  observe", lambda: memory.observe(percept, t))
    cost.time("  belief", memory.belief)
    candidates = cost.time("  recall", lambda: recall(memory, make_query(goal), K, task.failed))
    grounded = cost.time("  ground", lambda: ground(goal, candidates, task, memory))
    if grounded is None or grounded.parent is None:
        return
    for old, new in ((grounded.parent, IN_HAND), (IN_HAND, grounded.parent)):
        verb = Verb.PICK if new == IN_HAND else Verb.PLACE
        action = Action(verb, grounded.object, None if verb is Verb.PICK else new.id)
        feedback = Feedback(True, Delta([ParentChange(grounded.object, old, new)]))
        cost.time("  act", partial(memory.act, action, feedback, t))
    cost.time("  task", lambda: task.update(goal, action, feedback, memory))


Ask = Callable[[str, str], Sequence[Any]]


def _rivals(house: Scene) -> Iterator[tuple[str, Ask]]:
    room_of = {p.entity.id: p.room for p in house.places}
    if importlib.util.find_spec("networkx") is not None:
        yield "networkx scan", _networkx(house, room_of)
    yield "SQLite FTS5", _sqlite(house, room_of)
    if importlib.util.find_spec("faiss") is not None:
        yield "FAISS flat index", _faiss(house)


def _networkx(house: Scene, room_of: dict[str, str]) -> Ask:
    import networkx

    graph = networkx.DiGraph()
    for thing, place in house.things:
        graph.add_node(thing.id, category=thing.category)
        graph.add_edge(thing.id, place, relation="on")

    def ask(noun: str, place: str) -> Sequence[str]:
        found = [n for n, data in graph.nodes(data=True) if data.get("category") == noun]
        here = room_of[place]
        return sorted(found, key=lambda n: (room_of[next(graph.successors(n))] != here, n))[:K]

    return ask


def _sqlite(house: Scene, room_of: dict[str, str]) -> Ask:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table fact using fts5(name, id unindexed, place unindexed, room unindexed)")
    base.executemany("insert into fact values (?, ?, ?, ?)", [(t.category, t.id, p, room_of[p]) for t, p in house.things])

    def ask(noun: str, place: str) -> Sequence[Any]:
        query = f"select id, place from fact where fact match ? order by room != ?, id limit {K}"
        return base.execute(query, (noun, room_of[place])).fetchall()

    return ask


def _faiss(house: Scene) -> Ask:
    import faiss

    rng = np.random.default_rng(0)
    vectors = {f"thing{i}": v for i, v in enumerate(rng.normal(size=(CATEGORIES, 64)).astype(np.float32))}
    index = faiss.IndexFlatIP(64)
    index.add(np.stack([vectors[t.category] for t, _ in house.things]))
    names = [t.id for t, _ in house.things]

    def ask(noun: str, place: str) -> Sequence[str]:
        _, found = index.search(vectors[noun][None], K)
        return [names[int(i)] for i in found[0]]

    return ask


def report(costs: Sequence[Cost]) -> str:
    """Table of p50 / p99 milliseconds by size, megabytes, and how fast recall grows."""
    names = list(dict.fromkeys(n for c in costs for n in c.seconds))
    lines = [f"{'p50 / p99, ms':18s}" + "".join(f"{c.entities:>18,d}" for c in costs)]
    for name in names:
        cells = "".join(f"{c.quantile(name, 0.5):>9.3f} /{c.quantile(name, 0.99):>7.3f}" for c in costs)
        lines.append(f"{name:18s}{cells}")
    lines.append(f"{'memory, MB':18s}" + "".join(f"{c.megabytes['memory']:>18.1f}" for c in costs))
    for name in ("step", "  recall"):
        if len(costs) > 1:
            first, last = costs[0], costs[-1]
            power = np.log(last.quantile(name, 0.5) / first.quantile(name, 0.5)) / np.log(last.entities / first.entities)
            lines.append(f"{name.strip()} grows as n^{power:.2f} from {first.entities:,d} to {last.entities:,d} entities")
    lines.append("The last rows above memory answer the recall query alone; FAISS finds by name only and knows nothing of rooms.")
    return "\n".join(lines)
