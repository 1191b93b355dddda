"""One evaluation episode in one process: environment, agent, sources, scorer, and the record they leave."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from mimir_learn.agent import HouseholdAdapter, MimirAgent, Robot, StepRecord, Variant, run_episode
from mimir_learn.envs.household import HouseholdConfig, HouseholdEnv
from mimir_learn.errors import ConfigError
from mimir_learn.estimator.believed import completed
from mimir_learn.estimator.labels import did_what_it_says
from mimir_learn.estimator.samples import visible
from mimir_learn.evaluation.arms import fault_rates
from mimir_learn.evaluation.jobs import EpisodeSettings, Job, episode_seed, house_of, house_options
from mimir_learn.evaluation.perception import EVERYTHING, TrueWorld, perceiver
from mimir_learn.evaluation.records import Record
from mimir_learn.evaluation.scoring import EpisodeScorer
from mimir_learn.feedback import make_source
from mimir_learn.memory import Status
from mimir_learn.symbols import EMPTY, Delta, DeltaSource, Goal, Observation, Percept, Place, PrivilegedState, Snapshot, Vocabulary


class _Tap:
    """The environment without its privileged method, remembering the last honest info for the scorer."""

    def __init__(self, env: HouseholdEnv) -> None:
        self.vocabulary: Vocabulary = env.vocabulary
        self.info: dict[str, Any] = {}
        self._reset, self._step, self._perceive = env.reset, env.step, env.visible_entities

    def reset(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._reset(**kwargs)

    def step(self, command: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        out = self._step(command)
        self.info = out[4]
        return out

    def visible_entities(self) -> Percept:
        return self._perceive()

    def perceive_with(self, perceive: Callable[[], Percept]) -> None:
        self._perceive = perceive


@lru_cache(maxsize=1)
def environment(image_size: int) -> HouseholdEnv:
    """One environment per process, reset for every episode."""
    return HouseholdEnv(HouseholdConfig(image_size=image_size, max_steps=10_000))


def _source(spec: str, settings: EpisodeSettings, privileged: Callable[[], PrivilegedState], vocabulary: Vocabulary) -> DeltaSource:
    if spec != "learned":
        return make_source(spec, privileged=privileged)
    if settings.checkpoint is None:
        raise ConfigError("the source 'learned' needs a checkpoint; give --checkpoint DIR (made by `mimir train`)")
    key = (settings.checkpoint, vocabulary.sha256)
    if key not in _LEARNED:  # the estimator is loaded once per process
        _LEARNED[key] = make_source(spec, checkpoint=settings.checkpoint, vocabulary=vocabulary)
    return _LEARNED[key]


_LEARNED: dict[tuple[str, str], DeltaSource] = {}


OnStart = Callable[[Observation, Percept, PrivilegedState, tuple[Place, ...]], None]


def run_job(job: Job, on_step: Callable[[StepRecord, MimirAgent, Snapshot], None] | None = None, on_start: OnStart | None = None) -> Record:
    """Run one episode and score it.

    ``on_step`` gets every step, the agent after it, and the true state then; ``on_start`` the first frame, the ideal detector's view of
    it, the true state and the places.

    Only the scorer and the ``privileged``/``noisy`` sources hold the privileged method.
    Raises ConfigError when the house is not the one the suite was certified for.
    """
    started, cpu = time.monotonic(), time.process_time()
    env = environment(job.settings.image_size)
    rates = fault_rates(job.arm.faults)
    if job.settings.silent is not None:
        rates = replace(rates, silent=job.settings.silent)
    seed = episode_seed(job.task.task.id, job.key.seed)
    tap = _Tap(env)
    robot = Robot(tap, feedback_text=job.settings.feedback_text)  # type: ignore[arg-type]
    observation = robot.reset(seed=seed, options={**house_options(job.task.task, job.task.house_seed), "faults": rates})
    tap.perceive_with(perceiver(job.settings.perception, env.visible_entities, robot.places, robot.vocabulary, seed))
    start = env.privileged_state()
    if on_start is not None:
        on_start(observation, env.visible_entities(), start, robot.places)
    if job.task.house_sha256 and house_of(job.task.task, job.task.house_seed).key != job.task.house_sha256:
        raise ConfigError(
            f"house {job.task.house_seed} is no longer the one task {job.task.task.id} was certified for; "
            "build the suite again with `mimir suite`"
        )
    world = _source(job.arm.world, job.settings, env.privileged_state, robot.vocabulary)
    task = world if job.arm.task == job.arm.world else _source(job.arm.task, job.settings, env.privileged_state, robot.vocabulary)
    variant, limit = Variant.named(job.settings.variant), job.task.limit * job.settings.budget
    agent = MimirAgent(
        robot.vocabulary, robot.places, job.task.task, HouseholdAdapter(), world, task, job.settings.gate, k=job.settings.k, variant=variant
    )
    if job.settings.perception == EVERYTHING:
        agent.world = TrueWorld(robot.vocabulary, robot.places, env.privileged_state)
        agent.world.ramifications = variant.ramifications
    scorer = EpisodeScorer(job.task.task, start)
    trace: list[dict[str, Any]] = []
    known = set(agent.world.belief().entities)

    def score(step: StepRecord) -> None:
        known.update(s.entity.id for s in step.percept.sightings)
        trace.append(_score_step(step, scorer, env, tap, agent, frozenset(known)))
        known.update(agent.world.belief().entities)
        if on_step is not None:
            on_step(step, agent, env.privileged_state().snapshot)

    result = run_episode(robot, agent, observation, limit, score, seed=seed)
    scores = scorer.finish(result.declared, _completed(result.statuses))
    right = scores["committed"] - scores["wrong_writes"]
    return {
        "arm": job.arm.name,
        "task": job.task.task.id,
        "seed": job.key.seed,
        "subset": job.task.subset,
        "kind": job.task.kind,
        "novel": bool(start.novel & set(job.task.things)),
        "instruction": job.task.task.instruction,
        "goals": {g.id: describe(g) for g in job.task.task.goals},
        "house_seed": job.task.house_seed,
        "world_source": job.arm.world,
        "task_source": job.arm.task,
        "fault_level": job.arm.faults,
        "perception": job.settings.perception,
        "variant": job.settings.variant,
        "k": job.settings.k,
        "feedback_text": job.settings.feedback_text,
        "limit": limit,
        **scores,
        "right_writes": right,
        "true_changes": right + scores["missed_writes"],
        "blocked": sum(s is Status.BLOCKED for s in result.statuses.values()),
        "reruns": job.reruns,
        "wall_s": round(time.monotonic() - started, 3),
        "cpu_s": round(time.process_time() - cpu, 3),
        "trace": trace,
    }


def describe(goal: Goal) -> str:
    """A goal in a few words: "mug on table_2", "fridge not open"."""
    thing = goal.query.instance or goal.query.category
    if goal.target is not None:
        return f"{thing} {goal.relation} {goal.target.instance or goal.target.category}"
    return f"{thing} {'' if goal.value else 'not '}{goal.attribute}"


def _completed(statuses: Any) -> list[str]:
    return [g for g, s in statuses.items() if s is Status.COMPLETED]


def _score_step(
    step: StepRecord, scorer: EpisodeScorer, env: HouseholdEnv, tap: _Tap, agent: MimirAgent, known_before: frozenset[str]
) -> dict[str, Any]:
    lesson = step.world
    belief = agent.world.belief()

    def whole(delta: Delta) -> Delta:
        """With what causal rules derive of visible attributes, as memory and the scores of a log complete it."""
        return visible(completed(delta, lesson.belief) if agent.world.ramifications else delta)

    committed = EMPTY if lesson.feedback is None else whole(lesson.feedback.delta)
    held = EMPTY if lesson.feedback is None else lesson.feedback.held
    scored = scorer.step(
        env.privileged_state(),
        committed,
        held=held,
        deferred=lesson.feedback is None,
        success_flag=bool(tap.info["success"]),
        refused=str(tap.info["feedback"]).startswith("Refused"),
        look_again=step.look_again,
        memory=agent.world.triples(),
        known=belief.entities,
        sighted={s.entity.id for s in step.percept.sightings},
        completed=_completed(agent.task.statuses),
        known_before=known_before,
    )
    in_view, known = (set(scored.pop(k)) for k in ("judged_sighted", "judged_known"))
    judged = Delta.from_json(scored["judged"])
    after = {s.entity.id for s in env.visible_entities().sightings}
    return {
        "verb": lesson.about.verb.value,
        "mode": step.thought.mode,
        "command": step.command,
        "goal": None if step.goal is None else step.goal.id,
        "success": bool(tap.info["success"]),
        "text": str(tap.info["feedback"]),
        "look_again": step.look_again,
        "deferred": lesson.feedback is None,
        "estimate": whole(lesson.estimate.delta).to_json(),
        "confidence": round(lesson.estimate.confidence, 5),
        "p_success": lesson.estimate.success,
        "committed": committed.to_json(),
        "held": held.to_json(),
        "known": sorted({a[3] for a in judged.atoms if a[0] == "relation"} & known),
        "unseen": sorted(set(scored["judged_moved"]) - in_view - after - set(lesson.about.arguments)),
        "did": not scored["judged_refused"] and did_what_it_says(lesson.about, belief, judged),
        **scored,
    }
