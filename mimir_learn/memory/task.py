"""Task memory T_t = (𝒢, ≼, s, h, F, C) and its update U_T (Eq. 2-6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from mimir_learn.errors import SymbolError
from mimir_learn.memory.hypotheses import Hypothesis
from mimir_learn.memory.post import established, fits
from mimir_learn.memory.world import Demotion, WorldMemory
from mimir_learn.symbols import (
    EFFECT,
    HAND,
    IN_HAND,
    LOOKS,
    MANIPULATIONS,
    Action,
    Change,
    Delta,
    Feedback,
    Goal,
    ObjectQuery,
    ParentChange,
    Relation,
    Verb,
)

MAX_TRIES = 6
MAX_REFUSALS = 2
HAND_STRIKES = 2
# whether these are refused does not depend on what is in view, so asking again changes nothing
_SETTLED: frozenset[Verb] = frozenset({Verb.PLACE, Verb.SLICE, Verb.FILL, Verb.POUR})


class Status(StrEnum):
    """s_t(g)."""

    PENDING = "pending"
    COMPLETED = "completed"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, order=True)
class Binding:
    """An object-source hypothesis: the relation of ``object`` to ``source`` as established at step ``since``."""

    object: str
    source: str
    since: int


@dataclass(frozen=True, slots=True)
class Completion:
    """An entry of C_t: what completed a goal. ``place`` is the witness's new parent, None for state goals."""

    goal: str
    witness: str
    place: str | None
    step: int
    changes: tuple[Change, ...]


def binding_of(object_id: str, hypothesis: Hypothesis | None) -> Binding | None:
    """The binding that taking ``object_id`` from where ``hypothesis`` has it would be."""
    return None if hypothesis is None else Binding(object_id, hypothesis.parent.id, hypothesis.since)


def intended(action: Action, delta: Delta) -> bool:
    """Whether Δ contains the effect the action is for. Always False for actions without one (navigate, look, wait)."""
    if action.verb in (Verb.PICK, Verb.PLACE):
        move = delta.parents.get(action.object or "")
        goal = HAND.id if action.verb is Verb.PICK else action.receptacle
        return move is not None and move.new.id == goal
    if action.verb in EFFECT:
        attribute, value = EFFECT[action.verb]
        flip = delta.states.get((action.subject or "", attribute))
        return flip is not None and flip.new is value
    return False


class TaskMemory:
    """What remains to be done and what execution has established.

    Args:
        goals: the agenda in task order. ``≼`` is that order with prerequisites first.
        max_tries: fruitless tries of one manipulation for one goal before its binding is given up; refusals are counted apart from tries
            that went wrong, so that neither uses up the other's, and of what does not depend on the view (place, slice, fill, pour)
            `MAX_REFUSALS` are enough.

    Goals are handed out with the names of their queries resolved as far as completed goals have settled who is meant (`bound`).
    Completed goals never return to pending, as the paper has it, not even when the agent itself undoes one. A goal that is to come about
    ``afresh`` is shown only by an effect after the completion of its prerequisites, and their witnesses are not kept from it.
    Raises SymbolError for cyclic or unknown prerequisites.
    """

    def __init__(self, goals: Sequence[Goal], max_tries: int = MAX_TRIES) -> None:
        self.goals = _agenda(goals)
        self.max_tries = max_tries
        self.hand: str | None = None
        self.hand_since = 0
        self.approached: str | None = None
        self.looks = 0
        self._status: dict[str, Status] = {g.id: Status.PENDING for g in self.goals}
        self._failed: set[Binding] = set()
        self._evidence: dict[str, Completion] = {}
        self._tries: Counter[tuple[str, Action]] = Counter()
        self._refusals: Counter[tuple[str, Action]] = Counter()
        self._second_round: set[str] = set()
        self._effects: dict[tuple[str, str], Change] = {}
        self._effect_steps: dict[tuple[str, str], int] = {}
        self._taken_from: dict[str, set[str]] = {}
        self._switched: dict[tuple[str, str], bool] = {}
        self._named: dict[str, str] = {}

    # ---- Eq. 3 -----------------------------------------------------------------------------------------------------

    @property
    def pending(self) -> tuple[Goal, ...]:
        """P_t in agenda order."""
        return tuple(self.bound(g) for g in self.goals if self._status[g.id] is Status.PENDING)

    def active(self) -> Goal | None:
        """g_t = min≼ P_t; None is ⊥_goal. Prerequisites come first in ≼, so the first pending goal has all of its own behind it."""
        return next(iter(self.pending), None)

    def bound(self, goal: Goal) -> Goal:
        """``goal`` with every named query that a completed goal has settled asking for that one entity."""
        if not self._named:
            return goal
        target = None if goal.target is None else self._bound(goal.target)
        return replace(goal, query=self._bound(goal.query), target=target)

    def _bound(self, query: ObjectQuery) -> ObjectQuery:
        known = None if query.name is None else self._named.get(query.name)
        return query if known is None else replace(query, instance=known)

    def meant_by_others(self, query: ObjectQuery) -> frozenset[str]:
        """Entities that another name already stands for, which a named query can therefore not mean."""
        return frozenset() if query.name is None else frozenset(e for n, e in self._named.items() if n != query.name)

    def status(self, goal_id: str) -> Status:
        return self._status[goal_id]

    @property
    def statuses(self) -> Mapping[str, Status]:
        return dict(self._status)

    @property
    def failed(self) -> frozenset[Binding]:
        """F_t."""
        return frozenset(self._failed)

    @property
    def evidence(self) -> Mapping[str, Completion]:
        """C_t."""
        return dict(self._evidence)

    # ---- Eq. 5 -----------------------------------------------------------------------------------------------------

    def update(self, goal: Goal | None, action: Action, feedback: Feedback, world: WorldMemory, step: int | None = None) -> None:
        """U_T: hand, execution state, contradicted bindings, and completion of ``goal`` iff Post(goal, Δ) = 1 (Eq. 6).

        ``step``: when it happened; None = now.
        """
        delta, step = feedback.delta, world.step if step is None else step
        if delta.hand is not None:
            self.hand, self.hand_since = delta.hand.new, step
        for change in delta:
            self._effects[change.key], self._effect_steps[change.key] = change, step
        for move in delta.parents.values():
            if move.new == IN_HAND and move.old != IN_HAND:
                self._taken_from.setdefault(move.entity, set()).add(move.old.id)
        if action.verb is Verb.NAVIGATE:
            self.approached = (action.receptacle or action.object) if feedback.sigma else None
        if action.verb in MANIPULATIONS:
            self._judge_try(goal, action, feedback, world)
        self.looks = self.looks + 1 if action.verb in LOOKS else 0
        if goal is not None and self._status[goal.id] is Status.PENDING:
            self._complete(goal, established(goal, delta, world), tuple(delta), step)

    def settle(self, goal: Goal, world: WorldMemory) -> bool:
        """Complete a goal whose postcondition an earlier supported Δ of this episode established and none has undone since.

        A goal can come true while another one is active (a door opened on the way); when its turn comes there is nothing left to do.
        """
        if self._status[goal.id] is not Status.PENDING:
            return False
        since = self._counts_after(goal)
        changes = tuple(c for c in self._effects.values() if self._effect_steps[c.key] > since)
        still = tuple(w for w in established(goal, changes, world) if self._stands(goal, w, world))
        self._complete(goal, still, tuple(c for c in changes if c.key[1] in still), world.step)
        return self._status[goal.id] is Status.COMPLETED

    def _counts_after(self, goal: Goal) -> int:
        """Effects up to this step show nothing of ``goal``: −1, or for one that is to come about afresh, when its last prerequisite did."""
        steps = [self._evidence[g].step for g in goal.after if g in self._evidence] if goal.afresh else []
        return max(steps, default=-1)

    def _stands(self, goal: Goal, witness: str, world: WorldMemory) -> bool:
        """World memory has nothing newer against the effect."""
        if goal.attribute is not None:
            return world.attribute(witness, goal.attribute) is goal.value
        parent = world.parent(witness)
        if parent is None or goal.target is None:
            return False
        return parent.relation is goal.relation and fits(goal.target, parent.id, world)

    def _complete(self, goal: Goal, found: Iterable[str], changes: tuple[Change, ...], step: int) -> None:
        taken = self.reserved(goal)
        for witness in found:
            move = self._effects.get(("parent", witness)) if goal.attribute is None else None
            place = move.new.id if isinstance(move, ParentChange) else None
            if witness in taken or (goal.target is not None and place in self.meant_by_others(goal.target)):
                continue
            self._status[goal.id] = Status.COMPLETED
            self._evidence[goal.id] = Completion(goal.id, witness, place, step, changes)
            for query, entity in ((goal.query, witness), (goal.target, place)):
                if query is not None and query.name is not None and entity is not None:
                    self._named.setdefault(query.name, entity)
            return

    def _judge_try(self, goal: Goal | None, action: Action, feedback: Feedback, world: WorldMemory) -> None:
        key = ("" if goal is None else goal.id, action)
        if intended(action, feedback.delta):
            del self._tries[key], self._refusals[key]
            attribute, value = EFFECT.get(action.verb, ("", False))
            if attribute in ("open", "on") and action.subject is not None:
                self._switched[action.subject, attribute] = value
            return
        counter = self._refusals if feedback.refused else self._tries
        counter[key] += 1
        if feedback.sigma or feedback.delta or action.object is None:
            return
        binding = self._tried(action, world)
        if binding is None:
            return
        sighted = world.sightings.get(action.object)
        if sighted is not None and sighted.parent.id == binding.source:
            return  # it is there in plain sight: the attempt failed, not the hypothesis
        not_there = action.verb is Verb.PICK and binding.source != HAND.id
        not_held = action.verb is Verb.PLACE and self.tries(goal, action) >= HAND_STRIKES
        if not_there or not_held:
            self._failed.add(binding)
            if binding.source == HAND.id and self.hand == action.object:
                self.hand, self.hand_since = None, world.step

    # ---- failures and constraints -----------------------------------------------------------------------------------

    @staticmethod
    def binding(object_id: str, world: WorldMemory) -> Binding | None:
        """The object-source hypothesis world memory holds at present."""
        return binding_of(object_id, world.hypothesis(object_id))

    def _tried(self, action: Action, world: WorldMemory) -> Binding | None:
        """The binding an action on an object rested on: the active one, or the alternative that a pick fell back to."""
        assert action.object is not None
        active = self.binding(action.object, world)
        if action.verb is Verb.PICK and (active is None or active in self._failed):
            for h in world.unresolved(action.object):
                place = None if h.parent.relation is Relation.ROOM else h.parent.id
                other = binding_of(action.object, h)
                if place == action.receptacle and other not in self._failed:
                    return other
        return active

    def contradict(self, demotions: Iterable[Demotion]) -> None:
        """Enter relations that inspection has refuted into F_t."""
        self._failed.update(Binding(d.entity, d.parent.id, d.since) for d in demotions)

    def block(self, goal: Goal) -> None:
        """Block(T, g). Goals that need ``goal`` can no longer be reached and are blocked with it. Completed goals stay completed."""
        if self._status[goal.id] is Status.PENDING:
            self._status[goal.id] = Status.BLOCKED
        if self._status[goal.id] is Status.BLOCKED:
            for other in self.pending:
                if goal.id in other.after:
                    self.block(other)

    def reserved(self, goal: Goal) -> frozenset[str]:
        """Entities that other goals' completion rests on, so that ``goal`` may neither count nor move them.

        Two goals with the same query need two instances; a delivered thing is not taken away for another goal unless that names it, or is
        to be reached afresh after that one ("fill it, empty it, fill it again"). Two names never mean one thing.
        """
        by_id = {g.id: g for g in self.goals}
        earlier = preceding(goal, by_id) if goal.afresh else frozenset()
        taken = set(self.meant_by_others(goal.query))
        goal = self.bound(goal)
        for done in self._evidence.values():
            other = self.bound(by_id[done.goal])
            same = (other.query, other.target, other.attribute, other.value) == (goal.query, goal.target, goal.attribute, goal.value)
            moves = goal.attribute is None and other.attribute is None and goal.query.instance != done.witness
            if other.id != goal.id and other.id not in earlier and (same or moves):
                taken.add(done.witness)
        return frozenset(taken)

    def tries(self, goal: Goal | None, action: Action) -> int:
        """Tries of ``action`` for ``goal`` that went wrong or were refused since it last had its effect."""
        key = ("" if goal is None else goal.id, action)
        return self._tries[key] + self._refusals[key]

    def exhausted(self, goal: Goal | None, action: Action) -> bool:
        """Whether ``action`` went wrong, or was refused, too often for ``goal``."""
        return self._spent(("" if goal is None else goal.id, action))

    def worn_out(self, action: Action) -> bool:
        """Whether ``action`` is exhausted for any goal: for what serves all of them, such as freeing the hand or closing a door."""
        return any(key[1] == action and self._spent(key) for key in (*self._tries, *self._refusals))

    def _spent(self, key: tuple[str, Action]) -> bool:
        action = key[1]
        refusals = min(MAX_REFUSALS, self.max_tries) if action.verb in _SETTLED else self.max_tries
        return self._tries[key] >= self.max_tries or self._refusals[key] >= refusals

    def try_again(self, goal: Goal) -> bool:
        """One more round of tries for a goal that would otherwise be blocked, once; False when there is nothing to try anew."""
        spent = [key for key in {*self._tries, *self._refusals} if key[0] == goal.id and self.exhausted(goal, key[1])]
        if not spent or goal.id in self._second_round:
            return False
        self._second_round.add(goal.id)
        for key in spent:
            del self._tries[key], self._refusals[key]
        return True

    def taken_from(self, object_id: str) -> frozenset[str]:
        """Ids of the places this episode's supported grasps took the object from."""
        return frozenset(self._taken_from.get(object_id, ()))

    @property
    def switched(self) -> Mapping[tuple[str, str], bool]:
        """(place or device, ``open`` or ``on``) → what the agent itself last made it."""
        return dict(self._switched)


def preceding(goal: Goal, by_id: Mapping[str, Goal]) -> frozenset[str]:
    """Ids of the prerequisites of ``goal``, of theirs, and so on."""
    found: set[str] = set()
    left = list(goal.after)
    while left:
        one = left.pop()
        if one not in found and one in by_id:
            found.add(one)
            left += by_id[one].after
    return frozenset(found)


def held_object(task: TaskMemory, world: WorldMemory) -> str | None:
    """What the hand holds, from both memories: W's active relation, else h_t unless W has newer evidence that it is elsewhere."""
    held = world.hand
    if held is not None:
        binding = task.binding(held, world)
        return None if binding in task.failed else held
    if task.hand is None:
        return None
    active = world.hypothesis(task.hand)
    return None if active is not None and active.evidence[-1].step >= task.hand_since else task.hand


def _agenda(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Task order with prerequisites moved before what needs them."""
    left, done, out = list(goals), set(), []
    if len({g.id for g in goals}) != len(left):
        raise SymbolError(f"goal ids are not unique: {[g.id for g in goals]}")
    while left:
        ready = next((g for g in left if all(a in done for a in g.after)), None)
        if ready is None:
            raise SymbolError(f"goals {[g.id for g in left]} wait for each other or for unknown goals; check their 'after'")
        left.remove(ready)
        done.add(ready.id)
        out.append(ready)
    return tuple(out)
