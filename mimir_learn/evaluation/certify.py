"""Certificates: a task is kept if the privileged agent solves it in time, and nobody does who has not read it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mimir_learn.evaluation.jobs import house_of
from mimir_learn.evaluation.suite import HEADROOM, Certificate, SuiteTask, limit_for
from mimir_learn.evaluation.trials import Mimir, run_trial
from mimir_learn.evaluation.trivial import RandomLegal
from mimir_learn.symbols import Course, Goal, PrivilegedState, Task, Vocabulary, satisfied

LONG_HORIZON = (20, 60)
"""Reference steps of a long-horizon task."""


@dataclass(frozen=True)
class Verdict:
    """A task with its certificate, or why there is none."""

    task: Task
    house_seed: int
    certified: SuiteTask | None
    reason: str = ""


def certify(task: Task, house_seed: int, other: Task | None, most_steps: int) -> Verdict:
    """Run the agents a certificate rests on.

    Args:
        task: the candidate; none of its conditions holds at the start (samplers see to that).
        house_seed: its house.
        other: another task of the house, whose goals an agent is given instead; None where there is no other.
        most_steps: upper bound of a task's step limit.
    """

    def discard(reason: str) -> Verdict:
        return Verdict(task, house_seed, None, reason)

    reference = run_trial(task, house_seed, most_steps, lambda s: Mimir(s, task), through=True)
    if reference.solved == 0:
        return discard("solved at the start")
    if not reference.stopped:
        return discard(
            "the privileged agent does not solve it"
            if reference.solved is None
            else "the privileged agent does not notice that it is solved"
        )
    limit = limit_for(reference.steps, most_steps)
    if reference.steps > HEADROOM * limit:
        return discard(f"the privileged agent needs more than {HEADROOM:.0%} of {most_steps} steps")
    least, most = LONG_HORIZON
    if task.meta.get("subset") == "long_horizon" and not least <= reference.steps <= most:
        return discard(f"not {least} to {most} steps long")
    chance = run_trial(task, house_seed, limit, lambda s: RandomLegal(s.vocabulary, s.places, s.seed))
    if chance.solved is not None:
        return discard("random legal actions solve it")
    other_gc = 0.0
    if other is not None:
        stranger = run_trial(task, house_seed, limit, lambda s: Mimir(s, other))
        if stranger.solved is not None:
            return discard("another task's goals solve it")
        other_gc = stranger.best
    end_gc = None
    if isinstance(task.success, Course):
        hasty = run_trial(task, house_seed, limit, lambda s: Mimir(s, only_the_end(task, s.vocabulary, s.privileged())))
        if hasty.solved is not None:
            return discard("seeing to the end alone solves it")
        end_gc = round(hasty.best, 3)
    certificate = Certificate(reference.steps, round(chance.best, 3), "" if other is None else other.id, round(other_gc, 3), end_gc)
    return Verdict(task, house_seed, SuiteTask(task, house_seed, house_of(task, house_seed).key, limit, certificate))


def only_the_end(task: Task, vocabulary: Vocabulary, start: PrivilegedState) -> Task:
    """The same task with the goals that make the end what it should be: not what a later goal undoes, nor what is so from the start."""

    def undone(one: Goal, by: Goal) -> bool:
        if one.query != by.query:
            return False
        if one.attribute is None or by.attribute is None:
            return one.attribute is by.attribute
        clears = {a for r in vocabulary.rules if r.effect == by.attribute and by.value for a in r.clears}
        return one.attribute == by.attribute or one.attribute in clears

    goals = task.goals
    last = [g for i, g in enumerate(goals) if not any(undone(g, later) for later in goals[i + 1 :])]
    there = satisfied(last, start.snapshot, start.entities)
    return replace(task, goals=tuple(replace(g, after=(), afresh=False) for g in last if g.id not in there))


def recertify(task: SuiteTask, most_steps: int) -> str:
    """Run the reference again; "" or one sentence saying what is no longer what the suite says."""
    name = f"{task.task.id} ({task.task.instruction!r})"
    if house_of(task.task, task.house_seed).key != task.house_sha256:
        return f"{name}: house {task.house_seed} is no longer the one it was certified for"
    trial = run_trial(task.task, task.house_seed, most_steps, lambda s: Mimir(s, task.task), through=True)
    if not trial.stopped or trial.steps > HEADROOM * task.limit:
        return f"{name}: the privileged agent no longer solves it within {HEADROOM:.0%} of {task.limit} steps"
    return "" if trial.steps == task.certificate.steps else f"{name}: takes {trial.steps} steps, certified with {task.certificate.steps}"
