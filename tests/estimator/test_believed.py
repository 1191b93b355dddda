"""An answer is completed by the causal rules just as memory would complete it."""

from __future__ import annotations

from pathlib import Path

from mimir_learn.estimator.believed import BelievedTree, completed
from mimir_learn.estimator.samples import replay
from mimir_learn.logs import read_episodes
from mimir_learn.memory import WorldMemory
from mimir_learn.memory.ramifications import ramify
from mimir_learn.symbols import (
    Belief,
    BelievedEntity,
    CategorySpec,
    CausalRule,
    Delta,
    Entity,
    Feedback,
    Kind,
    Parent,
    Relation,
    StateChange,
    Vocabulary,
)

WASHING = Vocabulary(
    "washing",
    {
        s.name: s
        for s in (
            CategorySpec("sink", Kind.RECEPTACLE, Relation.IN),
            CategorySpec("faucet", Kind.FIXTURE, None, ("on",)),
            CategorySpec("plate", Kind.OBJECT, Relation.ON, ("dirty", "cleaned")),
        )
    },
    (CausalRule("faucet", "on", True, "cleaned", clears=("dirty",)),),
)


def known(name: str, kind: Kind, parent: Parent | None, **attributes: bool) -> BelievedEntity:
    return BelievedEntity(Entity(name, name.rsplit("_", 1)[0], kind), parent, attributes)


def test_dirt_goes_with_the_water_that_a_source_saw() -> None:
    sink = Parent("sink_1", Relation.IN)
    entities = [
        known("sink_1", Kind.RECEPTACLE, None),
        known("faucet_1", Kind.FIXTURE, Parent("sink_1", Relation.ON), on=False),
        known("plate_1", Kind.OBJECT, sink, dirty=True),
        known("plate_2", Kind.OBJECT, Parent("plate_1", Relation.ON), dirty=True),
        known("plate_3", Kind.OBJECT, sink, dirty=False),
    ]
    belief = Belief(WASHING, {b.entity.id: b for b in entities})
    water = Delta([StateChange("faucet_1", "on", False, True, p=0.8, source="x")])
    washed = completed(water, belief)
    assert {e for (e, a), c in washed.states.items() if a == "dirty" and not c.new and c.p == 0.8} == {"plate_1", "plate_2"}
    assert completed(Delta(), belief) == Delta() and set(water) <= set(washed)


def test_a_belief_is_completed_as_the_memory_it_came_from(log_dir: Path) -> None:
    for episode in read_episodes(log_dir, "train"):
        memory = WorldMemory(episode.vocabulary, episode.places)
        for sample in replay(episode):
            memory.observe(episode.percepts[sample.step], sample.step)
            belief = memory.belief()
            tree = BelievedTree(belief)
            assert all(tree.children(e) == memory.children(e) for e in belief.entities)
            assert completed(sample.delta, belief) == ramify(sample.delta, memory)
            memory.act(sample.transition.action, Feedback(True, sample.delta), sample.step)
