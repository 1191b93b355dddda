"""Ablations: each one takes away something the agent could know, and the loop stays whole."""

import numpy as np
import pytest

from mimir_learn.agent import HouseholdAdapter, MimirAgent, Robot, Variant, run_episode
from mimir_learn.agent.variants import PARTS, first_match
from mimir_learn.errors import ConfigError
from mimir_learn.feedback import GateConfig, make_source
from mimir_learn.memory import Status
from mimir_learn.symbols import Action, Goal, Kind, ObjectQuery, Percept, Task, Verb, satisfied

from ..doubles import VOCABULARY
from ..memory.houses import ON_TABLE, THINGS, feedback, mug_goal, percept, see
from ..memory.houses import PLACES as KITCHEN
from .symbolic_house import KINDS, PLACES, SymbolicHouse, at, bring, make
from .test_episodes import episode, play


def agent(variant: str, goals: tuple[Goal, ...], source: str = "schema", places: tuple = PLACES, **kw) -> MimirAgent:
    feedback_source = make_source(source)
    task = Task("t", "t", goals)
    return MimirAgent(
        VOCABULARY, places, task, HouseholdAdapter(), feedback_source, feedback_source, GateConfig(), variant=Variant.named(variant), **kw
    )


def test_names() -> None:
    assert Variant.named("full") == Variant()
    assert Variant.named("no_world_memory + no_grounding") == Variant(world="view", grounding=False)
    assert Variant.named("flat_history(7)").history == 7 and Variant.named("flat_history").task == "history"
    for wrong in ("no_memory", "", "flat_history(x)", "full+no_grounding"):
        with pytest.raises(ConfigError, match="known: full, no_world_memory"):
            Variant.named(wrong)
    with pytest.raises(ConfigError, match="at least 1"):
        Variant.named("flat_history(0)")


@pytest.mark.parametrize("name", ["full", *PARTS])
def test_every_variant_solves_one_errand_without_faults(name: str) -> None:
    for seed in range(6):
        ok, result, mind, _ = episode(seed, "place", "privileged", 0.0, variant=Variant.named(name))
        assert ok and result.declared, seed
        assert mind.task.statuses["g1"] is Status.COMPLETED


@pytest.mark.parametrize("name", PARTS)
def test_every_variant_ends_and_repeats_itself(name: str) -> None:
    for seed in range(9):
        runs = [episode(seed, KINDS[seed], "text", 0.3, exogenous=True, variant=Variant.named(name)) for _ in range(2)]
        assert runs[0][3].commands == runs[1][3].commands and len(runs[0][3].commands) <= 60


# ---- world memory --------------------------------------------------------------------------------------------------


def test_without_world_memory_only_the_current_frame_counts() -> None:
    mind = agent("no_world_memory", (mug_goal(),), places=KITCHEN)
    world = mind.world
    world.observe(percept(see("mug_1", ON_TABLE), see("fridge_1", see("table_1", ON_TABLE).parent, open=True), viewed=("table_1",)), 0)
    assert world.parent("mug_1") == ON_TABLE and world.attribute("fridge_1", "open") is True
    world.observe(percept(at="sink_1"), 1)
    assert "mug_1" not in world and world.attribute("fridge_1", "open") is False, "presumed closed, as at the start"
    assert set(world.belief().entities) == {p.entity.id for p in KITCHEN} | {"hand"} and world.triples() == frozenset()
    assert world.at == "sink_1" and world.views("table_1") == 1, "where it stands and has looked is no memory of things"


def test_without_world_memory_what_was_seen_on_the_way_is_looked_for_again() -> None:
    """The apple is seen while the mug is fetched; only memory makes that worth anything. Both agents solve it."""
    objects = {"mug_1": at("table_2"), "book_1": at("table_2"), "book_2": at("cabinet_1"), "apple_1": at("table_2")}
    task = Task("t", "t", (bring("g1", "mug", "sink_1"), bring("g2", "apple", "fridge_1")))
    steps = {}
    for name in ("full", "no_world_memory"):
        ok, result, _ = play(SymbolicHouse(dict(objects), occlusion=0.0), task, variant=Variant.named(name))
        assert ok and result.declared
        steps[name] = (result.steps, sum(r.thought.mode == "explore" for r in result.records if r.goal and r.goal.id == "g2"))
    assert steps["full"][1] == 0 < steps["no_world_memory"][1] and steps["full"][0] < steps["no_world_memory"][0]


def test_what_a_delta_source_may_use_as_belief_is_forgotten_too() -> None:
    ok, result, mind = play(
        SymbolicHouse({"mug_1": at("table_2")}), Task("t", "t", (bring("g1", "mug", "sink_1"),)), variant=Variant.named("no_world_memory")
    )
    assert ok and mind._belief is not None
    assert {e for e, b in mind._belief.entities.items() if b.entity.kind is Kind.OBJECT} <= {"mug_1"}
    assert len(mind.world.journal) >= result.steps, "the journal of operations goes on"


# ---- task memory ---------------------------------------------------------------------------------------------------


def test_without_task_memory_done_is_what_memory_shows_now() -> None:
    mind = agent("no_task_memory", (make("g1", "fridge_1", "open"), make("g2", "fridge_1", "open", False)), places=KITCHEN)
    world, task = mind.world, mind.task
    world.observe(percept(), 0)
    task.recollect(world)
    assert task.statuses == {"g1": Status.PENDING, "g2": Status.COMPLETED}, "it is closed, as far as anybody knows"
    world.observe(percept(see("fridge_1", see("table_1", ON_TABLE).parent, open=True)), 1)
    task.recollect(world)
    assert task.statuses == {"g1": Status.COMPLETED, "g2": Status.PENDING}


def test_without_task_memory_opposite_goals_never_end_and_with_it_they_do() -> None:
    goals = (make("g1", "cabinet_1", "open"), make("g2", "cabinet_1", "open", False, ("g1",)))
    for name, declared in (("full", True), ("no_task_memory", False)):
        _, result, _ = play(SymbolicHouse({"mug_1": at("table_1")}), Task("t", "t", goals), variant=Variant.named(name))
        assert result.declared is declared


def test_without_task_memory_nothing_of_tries_failures_switches_or_evidence_is_kept() -> None:
    env = SymbolicHouse({"mug_1": at("cabinet_1"), "mug_2": at("table_2")}, level=0.3)
    _, result, mind = play(env, Task("t", "t", (bring("g1", "mug", "fridge_1"),)), "schema", variant=Variant.named("no_task_memory"))
    task = mind.task
    assert result.steps > 3 and not task.failed and not task.switched and not task.taken_from("mug_1")
    assert not any(task.tries(g, Action(Verb.PICK, m, "cabinet_1")) for g in task.goals for m in ("mug_1", "mug_2"))


def test_two_alike_need_two_things_without_task_memory_too() -> None:
    mind = agent("no_task_memory", (mug_goal("g1"), mug_goal("g2")), places=KITCHEN)
    other = see("mug_1", ON_TABLE).__class__
    there = [other(s.entity, type(s.parent)("table_2", s.parent.relation), s.attributes, s.point, 9) for s in (see("mug_1", ON_TABLE),)]
    mind.world.observe(percept(*there, see("mug_2", ON_TABLE)), 0)
    mind.task.recollect(mind.world)
    assert [g.id for g in mind.task.pending] == ["g2"] and mind.task.reserved(mind.task.pending[0]) == {"mug_1"}


# ---- a flat history ------------------------------------------------------------------------------------------------


def test_a_flat_history_forgets_what_is_older_than_it_is_long() -> None:
    mind = agent("flat_history(3)", (mug_goal(),), places=KITCHEN)
    world = mind.world
    world.observe(percept(see("mug_1", ON_TABLE), viewed=("table_1",)), 0)
    for step in (1, 2):
        world.observe(percept(viewed=("table_1",)), step)
    assert world.parent("mug_1") == ON_TABLE, "not seeing it there twice refutes nothing; full memory would have demoted it"
    world.observe(percept(at="sink_1"), 3)
    assert "mug_1" not in world and world.views("table_1") == 2 and all(e.step > 0 for e in world.journal)


def test_a_flat_history_holds_a_goal_done_as_long_as_it_shows_it() -> None:
    from mimir_learn.symbols import IN_HAND, Parent, ParentChange

    mind = agent("flat_history(3)", (mug_goal(),), places=KITCHEN)
    target = Parent("table_2", ON_TABLE.relation)
    mind.world.observe(percept(see("mug_1", IN_HAND)), 0)
    put = feedback(ParentChange("mug_1", IN_HAND, target))
    mind.world.act(Action(Verb.PLACE, "mug_1", "table_2"), put, 0)
    mind.task.update(mind.task.goals[0], Action(Verb.PLACE, "mug_1", "table_2"), put, mind.world)
    assert mind.task.statuses["g1"] is Status.COMPLETED
    for step, status in ((1, Status.COMPLETED), (2, Status.COMPLETED), (3, Status.PENDING)):
        mind.world.observe(percept(), step)
        mind.task.recollect(mind.world)
        assert mind.task.statuses["g1"] is status


def test_a_short_history_does_worse_on_errands_of_two() -> None:
    def done(name: str) -> float:
        runs = [episode(seed, kind, "privileged", 0.25, variant=Variant.named(name)) for seed in range(12) for kind in ("two", "alike")]
        return float(np.mean([ok and r.declared for ok, r, *_ in runs]))

    assert done("flat_history(4)") < done("flat_history(40)") - 0.2


# ---- grounding, recall, ramifications ------------------------------------------------------------------------------


def test_the_first_name_match_ignores_evidence_sources_and_what_is_reserved() -> None:
    mind = agent("no_grounding", (mug_goal("g1", source="fridge_1"),), places=KITCHEN)
    goal = mind.task.goals[0]
    assert first_match(goal, mind.task, mind.world) is None, "no mug is known"
    mind.world.observe(percept(*(see(t, ON_TABLE, broken=t == "mug_1") for t in THINGS if t in ("mug_1", "mug_2"))), 0)
    found = first_match(goal, mind.task, mind.world)
    assert found is not None and (found.object, found.target) == ("mug_1", "table_2")
    assert mind.variant.ground(goal, (), mind.task, mind.world, None) == found
    assert agent("full", (goal,), places=KITCHEN).variant.ground(goal, (), mind.task, mind.world, None) is None


def test_without_grounding_one_thing_is_taken_for_two() -> None:
    task = Task("t", "t", (bring("g1", "mug", "sink_1"), bring("g2", "mug", "sink_1")))
    objects = {"mug_1": at("table_1"), "mug_2": at("table_1")}
    assert play(SymbolicHouse(objects), task)[0]
    env = SymbolicHouse(objects, occlusion=0.0)
    _, result, _ = play(env, task, variant=Variant.named("no_grounding"))
    assert not result.declared, env.commands


def test_recall_without_a_bound_offers_everything() -> None:
    places = KITCHEN
    many = tuple(see(f"mug_{i}", ON_TABLE) for i in range(1, 30))
    for name, count in (("full", 8), ("unbounded_recall", 29)):
        mind = agent(name, (mug_goal(target="table_2"),), places=places)
        frame = mind.decide(None, Percept(many, frozenset(), "table_1"))  # type: ignore[arg-type]
        assert frame is not None and mind.thought is not None and len(mind.thought.candidates) == count


def test_without_ramifications_nothing_hidden_is_known() -> None:
    """The apple does get hot in both houses; only one of the two agents works that out."""
    task = Task("t", "t", (Goal("g1", ObjectQuery("apple"), attribute="heated"),))
    for name, declared in (("full", True), ("no_ramifications", False)):
        env = SymbolicHouse({"apple_1": at("table_1")}, occlusion=0.0)
        robot = Robot(env)
        first = robot.reset(seed=0)
        source = make_source("schema")
        mind = MimirAgent(
            robot.vocabulary, robot.places, task, HouseholdAdapter(), source, source, GateConfig(), variant=Variant.named(name)
        )
        result = run_episode(robot, mind, first, 40)
        assert result.declared is declared and mind.world.attribute("apple_1", "heated") is (True if declared else None)
        assert satisfied(task.goals, env.snapshot(), env.entities) == {"g1"}
