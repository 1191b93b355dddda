"""The scorer of one episode: what the agent believed and wrote, step by step, against the true state.

It alone holds the privileged state; nothing it computes goes back to the agent. Definitions are those of docs/evaluation.md.
Changes of derived attributes (heated, cooled, cleaned) are bookkeeping of causal rules and count neither way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mimir_learn.estimator.samples import visible
from mimir_learn.memory.task import preceding
from mimir_learn.symbols import ELSEWHERE, EMPTY, Delta, Entity, Kind, PrivilegedState, Situation, Snapshot, Task, Watch, satisfied

Atom = tuple[str, str, str, str]
Triple = tuple[str, str, str]


def wrong_atoms(committed: Delta, truth: Delta) -> frozenset[Atom]:
    """Atoms written to world memory that the true Δ of the step does not contain.

    "It left and I do not know where to" is right whenever the thing did change its parent.
    """
    moved = {c.entity for c in truth.parents.values()}
    vague = {c.atom for c in committed.parents.values() if c.new == ELSEWHERE and c.entity in moved}
    return committed.atoms - truth.atoms - vague


def missed_atoms(committed: Delta, truth: Delta, known: Iterable[str]) -> frozenset[Atom]:
    """True changes of entities memory knows (and of the hand) that were not written."""
    names = set(known) | {"hand"}
    return frozenset(a for a in truth.atoms - committed.atoms if a[1] in names)


def object_triples(state: Snapshot, entities: Mapping[str, Entity]) -> frozenset[Triple]:
    """(entity, relation, parent) of every movable object in a true state."""
    return frozenset((e, p.relation.value, p.id) for e, p in state.parents.items() if entities[e].kind is Kind.OBJECT)


@dataclass(frozen=True)
class Agreement:
    """How well memory's parent triples agree with the truth.

    Attributes:
        precision: share of memory's claims that are true (claims of an unknown parent are no claims).
        recall: share of the objects memory knows whose true parent it claims.
        f1: harmonic mean of the two.
        recall_seen: share of the objects ever seen in this episode whose true parent it claims.
    """

    precision: float
    recall: float
    f1: float
    recall_seen: float


def agreement(memory: frozenset[Triple], known: Iterable[str], seen: Iterable[str], truth: frozenset[Triple]) -> Agreement | None:
    """Compare memory with the truth; None while memory knows no object."""
    true_of = {t[0]: t for t in truth}
    names, looked_at = {e for e in known if e in true_of}, {e for e in seen if e in true_of}
    if not names:
        return None
    claims = {t for t in memory if t[1] != ELSEWHERE.relation.value}
    right = claims & truth
    precision = len(right) / len(claims) if claims else 1.0
    recall = sum(true_of[e] in right for e in names) / len(names)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    recall_seen = sum(true_of[e] in right for e in looked_at) / len(looked_at) if looked_at else 1.0
    return Agreement(precision, recall, f1, recall_seen)


@dataclass(frozen=True)
class Waiting:
    """A step to be judged: true state before it, its fault, whether it was refused, who was moved by someone else, and what was known
    and in view before it."""

    start: Snapshot
    fault: str
    refused: bool
    moved: frozenset[str]
    sighted: frozenset[str]
    known: frozenset[str]


@dataclass
class EpisodeScorer:
    """Accumulates the scores of one episode.

    Call `step` once after every executed action (memory already updated), then `finish` once.
    """

    task: Task
    state: PrivilegedState
    steps: int = 0
    first_success: int | None = None
    ever: list[int] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    completed: list[str] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)
    watch: Watch = field(init=False)  # over the task's own conditions
    waiting: Waiting | None = None  # an action whose judgement awaits a second look
    totals: dict[str, int] = field(default_factory=dict)
    met: int = 0  # of the task's own conditions, now

    def __post_init__(self) -> None:
        self.watch = Watch(self.task)
        self._hold(self.state)

    def _hold(self, state: PrivilegedState) -> frozenset[str]:
        """Goals of the agenda that hold; what the task's own conditions have come to is kept on the way."""
        self.watch.see(situation(state))
        tally = self.watch.tally()
        self.met = sum(met for met, _ in tally)
        self.ever = [max(met, before) for (met, _), before in zip(tally, self.ever or [0] * len(tally), strict=True)]
        if self.first_success is None and self.watch.done():
            self.first_success = self.steps
        return satisfied(self.task.goals, state.snapshot, state.entities)

    def _count(self, **numbers: int) -> None:
        for name, number in numbers.items():
            self.totals[name] = self.totals.get(name, 0) + number

    def step(
        self,
        after: PrivilegedState,
        committed: Delta,
        *,
        held: Delta = EMPTY,
        deferred: bool,
        success_flag: bool,
        refused: bool,
        look_again: bool,
        memory: frozenset[Triple],
        known: Iterable[str],
        sighted: Iterable[str],
        completed: Iterable[str],
        known_before: Iterable[str] = (),
    ) -> dict[str, Any]:
        """Score one step and return what the trace keeps of it.

        Args:
            after: true state after the action.
            committed: Δ written to world memory by U_W^act.
            held: changes the gate left unwritten for good as too doubtful.
            deferred: nothing was written because a second look is awaited; what the next step writes is then about both steps.
            success_flag: what the environment claimed.
            refused: the environment refused the command (nothing happened).
            look_again: the step was a second look asked for by the gate.
            memory: memory's active parent triples after the step.
            known: ids world memory knows after the step.
            sighted: ids recognised in the frame before the step.
            completed: ids of all goals task memory holds completed after the step.
            known_before: ids world memory knew before the step.

        What concerns the judged action (``judged*``) is about both steps when this one is the second look at the step before.
        """
        self.steps += 1
        before, self.state = self.state.snapshot, after
        truth = visible(before.diff(after.snapshot))
        names = frozenset(sighted)
        now = Waiting(before, after.fault, refused, frozenset(after.moved), names, frozenset(known_before))
        about, self.waiting = _both(self.waiting, now), None
        judged = visible(about.start.diff(after.snapshot))
        if deferred:
            self.waiting = about
        known = list(known)
        self.seen |= names
        wrong = wrong_atoms(committed, judged)
        missed = frozenset() if deferred else missed_atoms(committed, judged, known)
        untrue = [a for a in committed.atoms if not _true(a, after.snapshot)]
        holds = self._hold(after)
        new, false = self._complete(completed)
        agree = agreement(memory, known, self.seen, object_triples(after.snapshot, after.entities))
        if agree is not None:
            self.agreements.append(agree)
        self._count(
            invalid=int(refused),
            look_agains=int(look_again),
            claimed_failures=int(not success_flag and not refused),
            faults=int(bool(after.fault)),
            committed=len(committed.atoms),
            held=0 if deferred else len(held),
            wrong_writes=len(wrong),
            untrue_writes=len(untrue),
            missed_writes=len(missed),
        )
        return {
            "truth": truth.to_json(),
            "judged": judged.to_json(),
            "judged_fault": about.fault,
            "judged_refused": about.refused,
            "judged_moved": sorted(about.moved),
            "judged_sighted": sorted(about.sighted),
            "judged_known": sorted(about.known),
            "fault": after.fault,
            "moved": list(after.moved),
            "wrong": sorted(map(list, wrong)),
            "missed": sorted(map(list, missed)),
            "holds": sorted(holds),
            "met": self.met,
            "completed": new,
            "false_completions": false,
            "memory_f1": None if agree is None else round(agree.f1, 4),
        }

    def _complete(self, completed: Iterable[str]) -> tuple[list[str], list[str]]:
        """Goals newly marked completed, and those of them that do not hold now.

        Every witness counts once among all goals marked so far; but a goal that was to come about afresh does not share with its
        prerequisites ("fill it, empty it, fill it again" is one mug).
        """
        new = [g for g in completed if g not in self.completed]
        self.completed += new
        by_id = {g.id: g for g in self.task.goals}
        false = []
        for goal in (by_id[g] for g in new):
            apart = preceding(goal, by_id) if goal.afresh else frozenset()
            order = [by_id[g] for g in self.completed if g not in apart]
            if goal.id not in satisfied(order, self.state.snapshot, self.state.entities):
                false.append(goal.id)
        self._count(completions=len(new), false_completions=len(false))
        return new, false

    def finish(self, declared: bool, completed: Iterable[str] = ()) -> dict[str, Any]:
        """The episode's scores.

        Args:
            declared: the agent stopped by itself because it held every goal completed.
            completed: ids of the goals it holds completed at the end (some may have been settled without a further action).
        """
        self._complete(completed)
        sr = self.first_success is not None
        met, total = self.watch.progress()
        total = max(total, 1)

        def mean(name: str) -> float | None:
            return sum(getattr(a, name) for a in self.agreements) / len(self.agreements) if self.agreements else None

        return {
            "sr": sr,
            "declared": declared,
            "declared_sr": declared and self.watch.done(),
            "gc": 1.0 if sr else met / total,  # EmbodiedBench: the episode would have ended at the first success
            "conditions": total,
            "gc_end": met / total,
            "gc_ever": 1.0 if sr else min(1.0, sum(self.ever) / total),
            "steps": self.steps,
            "steps_to_success": self.first_success,
            "memory_precision": mean("precision"),
            "memory_recall": mean("recall"),
            "memory_f1": mean("f1"),
            "memory_f1_end": self.agreements[-1].f1 if self.agreements else None,
            "memory_recall_seen": mean("recall_seen"),
            **{k: self.totals.get(k, 0) for k in COUNTS},
        }


def situation(state: PrivilegedState) -> Situation:
    """What the task's conditions are judged on."""
    return Situation(state.snapshot, state.entities, state.at)


COUNTS = (
    "invalid",
    "look_agains",
    "claimed_failures",
    "faults",
    "committed",
    "held",
    "wrong_writes",
    "untrue_writes",
    "missed_writes",
    "completions",
    "false_completions",
)  # fmt: skip


def _both(action: Waiting | None, look: Waiting) -> Waiting:
    """What a judgement of ``action`` and the second look at it is about; the action's own fault goes before one during the look."""
    if action is None:
        return look
    return Waiting(action.start, action.fault or look.fault, action.refused, action.moved | look.moved, action.sighted, action.known)


def _true(atom: Atom, state: Snapshot) -> bool:
    kind, entity, name, value = atom
    if kind == "relation":
        parent = state.parents.get(entity)
        return name == ELSEWHERE.relation.value or (parent is not None and (parent.relation.value, parent.id) == (name, value))
    if kind == "state":
        return state.attributes.get((entity, name)) is (value == "true")
    return (state.hand or "") == value
