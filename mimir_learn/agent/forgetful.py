"""Memories that remember less than Mimir's, for ablations: only what is in view, only what world memory shows now, only the last steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from mimir_learn.memory import Acted, Demotion, Observed, TaskMemory, WorldMemory
from mimir_learn.memory.tree import Tree
from mimir_learn.symbols import (
    ELSEWHERE,
    LOOKS,
    Action,
    Change,
    Feedback,
    Goal,
    Kind,
    ParentChange,
    Percept,
    Place,
    StateChange,
    Verb,
    Vocabulary,
)


class _Forgetting(WorldMemory):
    """World memory that can forget what it knows of things and of the states of places. What it was given stays: the places."""

    def _forget(self) -> None:
        """Back to what is known at the start of an episode. Where the robot is and has looked is not a memory of things and stays."""
        at, step, viewings, stays, places = self.at, self.step, self.viewings, self.stays, tuple(self.places.values())
        Tree.__init__(self, self.vocabulary, places)
        self._base, self._changed = {}, {}
        self.at, self.step, self.viewings, self.stays = at, step, viewings, stays


class GlimpseWorld(_Forgetting):
    """Only what the current frame shows. U_W^act writes into it, and the next frame replaces it.

    Kept: the known places, where the robot is, and which places it has looked at when (a search that goes round in circles would measure
    the search, not the memory of things).
    """

    def observe(self, percept: Percept, step: int) -> tuple[Demotion, ...]:
        self._forget()
        return super().observe(percept, step)


class HistoryWorld(_Forgetting):
    """What a plain reading of the last ``length`` steps tells: of each thing what was last said of it, by a frame or by a Δ.

    No demotion: that a thing was not seen where it should be is not noticed. Where the robot has looked is known as far as the list goes.
    """

    def __init__(self, vocabulary: Vocabulary, places: Iterable[Place], length: int) -> None:
        super().__init__(vocabulary, places)
        self.length = length

    def observe(self, percept: Percept, step: int) -> tuple[Demotion, ...]:
        self._read([*self.journal, Observed(step, percept)], step)
        return ()

    def _read(self, entries: Sequence[Observed | Acted], now: int) -> None:
        window = [e for e in entries if e.step > now - self.length]
        self.viewings, self.stays = {}, {}
        self._forget()
        for entry in window:
            if isinstance(entry, Acted):
                super().act(entry.action, entry.feedback, entry.step)
            else:
                bare = Percept(entry.percept.sightings, frozenset(), entry.percept.at)
                super().observe(bare, entry.step)
                for place in entry.percept.viewed:
                    self.viewings[place] = (*self.viewings.get(place, ()), entry.step)
        self.journal = window


class StatelessTask(TaskMemory):
    """The agenda and nothing of what execution has established: no s_t, no C_t, no F_t, no history of tries, switches or the hand.

    Which goals are done is read off world memory anew at every step: those that hold there now. Of the last step it is known where it led
    and whether it was a look, because that is where the robot stands.
    """

    def update(self, goal: Goal | None, action: Action, feedback: Feedback, world: WorldMemory, step: int | None = None) -> None:
        if action.verb is Verb.NAVIGATE:
            self.approached = (action.receptacle or action.object) if feedback.sigma else None
        self.looks = self.looks + 1 if action.verb in LOOKS else 0
        self.recollect(world)

    def contradict(self, demotions: Iterable[Demotion]) -> None:
        return None

    def _counts_after(self, goal: Goal) -> int:
        """That something holds now does not say since when."""
        return -1

    def recollect(self, world: WorldMemory) -> None:
        """Complete exactly the goals that world memory shows as they should be, in agenda order, each by a thing of its own."""
        approached, looks = self.approached, self.looks
        TaskMemory.__init__(self, self.goals, self.max_tries)
        self.approached, self.looks = approached, looks
        self._effects = {c.key: c for c in _facts(world)}
        self._effect_steps = dict.fromkeys(self._effects, world.step)
        for goal in self.pending:
            self.settle(self.bound(goal), world)


class HistoryTask(TaskMemory):
    """What a plain reading of the last ``length`` actions and their feedback tells: a goal is done if one of them shows it.

    Once that action has dropped off the list the goal is open again. No contradicted bindings.
    """

    def __init__(self, goals: Sequence[Goal], max_tries: int, length: int) -> None:
        super().__init__(goals, max_tries)
        self.past: deque[tuple[int, Goal | None, Action, Feedback]] = deque()
        self.length = length

    def update(self, goal: Goal | None, action: Action, feedback: Feedback, world: WorldMemory, step: int | None = None) -> None:
        self.past.append((world.step, goal, action, feedback))
        self.recollect(world)

    def contradict(self, demotions: Iterable[Demotion]) -> None:
        return None

    def recollect(self, world: WorldMemory) -> None:
        """Read the list from its oldest entry on."""
        while self.past and self.past[0][0] <= world.step - self.length:
            self.past.popleft()
        past, length = self.past, self.length
        TaskMemory.__init__(self, self.goals, self.max_tries)
        self.past, self.length = past, length
        for step, goal, action, feedback in past:
            super().update(goal, action, feedback, world, step)
        self._failed.clear()


def _facts(world: WorldMemory) -> list[Change]:
    """Everything world memory holds, as if it had just come about."""
    out: list[Change] = []
    for entity_id, known in world.belief().entities.items():
        if known.entity.kind is Kind.OBJECT and known.parent is not None:
            out.append(ParentChange(entity_id, ELSEWHERE, known.parent))
        for attribute in world.vocabulary.spec(known.entity).attributes if known.entity.kind is not Kind.HAND else ():
            value = world.value(entity_id, attribute)
            if value is not None:
                out.append(StateChange(entity_id, attribute, not value, value))
    return out
