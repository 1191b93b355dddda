"""Courses: success conditions over an episode's history, for what no state can tell to have been done; and the watch that follows one.

"Take the vase to the table, put it back on the shelf and then turn the lamp on": in the end nothing shows that the vase has ever been on
the table. A course says what has to come about in turn, of the same things throughout, and what must hold in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from mimir_learn.errors import SymbolError
from mimir_learn.symbols.conditions import AllOf, Condition, Situation, free_variables, from_dict, holds, is_variable, to_dict, with_queries
from mimir_learn.symbols.queries import ObjectQuery

if TYPE_CHECKING:
    from mimir_learn.symbols.goals import Task


@dataclass(frozen=True, slots=True)
class Course:
    """Stages that must come about one after the other.

    A stage has come about at a step at which its condition holds, if the one before it had come about at an earlier step and the condition
    did not hold at some step since. So the order counts, and what happened to hold already does not. What else happens in between is
    free: a lamp that was switched once more than asked for has been switched as asked.

    Attributes:
        given: (variable, whom it may stand for); one choice for the whole course, no entity for two variables. Categories and instances
            only, for attributes change on the way.
        stages: in order; their free variables are the given ones.
        end: what must hold, too, once all stages have come about.
    """

    given: tuple[tuple[str, ObjectQuery], ...]
    stages: tuple[Condition, ...]
    end: Condition

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", tuple((str(v), q) for v, q in self.given))
        object.__setattr__(self, "stages", tuple(self.stages))
        names = [v for v, _ in self.given]
        if wrong := [v for v in names if not is_variable(v)]:
            raise SymbolError(f"course: {wrong[0]!r} is no variable; use names like '?x'")
        if len(set(names)) < len(names):
            raise SymbolError(f"course: a variable is given twice: {names}")
        if odd := [v for v, q in self.given if q.attributes or q.name is not None]:
            raise SymbolError(f"course: {odd[0]} stands for a query with attributes or a name; give category and instance alone")
        if not self.stages:
            raise SymbolError("course: it has no stages; a condition on the end alone is no course")
        if free := free_variables(AllOf((*self.stages, self.end))) - set(names):
            raise SymbolError(f"course: nothing gives {', '.join(sorted(free))}")

    def choices(self, now: Situation) -> Iterator[Mapping[str, str]]:
        """Every way to take entities for the given variables."""
        domains = [sorted(e for e, entity in now.entities.items() if q.matches(entity)) for _, q in self.given]
        for chosen in product(*domains):
            if len(set(chosen)) == len(chosen):
                yield {v: e for (v, _), e in zip(self.given, chosen, strict=True)}

    def with_queries(self, change: Callable[[ObjectQuery], ObjectQuery]) -> Course:
        """The same course with every query changed."""
        given = tuple((v, change(q)) for v, q in self.given)
        return replace(self, given=given, stages=tuple(with_queries(s, change) for s in self.stages), end=with_queries(self.end, change))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types; inverse is `from_dict`."""
        given = [[v, q.to_dict()] for v, q in self.given]
        return {"op": "course", "given": given, "stages": [to_dict(s) for s in self.stages], "end": to_dict(self.end)}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Course:
        """Inverse of `to_dict`. Raises SymbolError naming what is wrong."""
        try:
            given = tuple((v, ObjectQuery.from_dict(q)) for v, q in body["given"])
            return cls(given, tuple(from_dict(s) for s in body["stages"]), from_dict(body["end"]))
        except SymbolError:
            raise
        except (KeyError, TypeError, ValueError) as e:
            raise SymbolError(f"not a course: {str(body)[:200]} ({type(e).__name__}: {e})") from e


class _Follower:
    """How far one choice of entities has come in a course."""

    def __init__(self, course: Course, given: Mapping[str, str]) -> None:
        self.course, self.given = course, given
        self.reached = 0
        self.armed = False  # the next stage's condition has been false since the last one came about
        self.ended = False

    def see(self, now: Situation) -> None:
        stages = self.course.stages
        if self.reached < len(stages):
            true = holds(stages[self.reached], now, self.given)
            if true and self.armed:
                self.reached += 1
                self.armed = self.reached < len(stages) and not holds(stages[self.reached], now, self.given)
            else:
                self.armed = self.armed or not true
        self.ended = self.reached == len(stages) and holds(self.course.end, now, self.given)


class Watch:
    """Judges a task over an episode: `see` every situation in turn, from the initial one on; then ask.

    For a task with a condition (or none) only the last situation counts, so this agrees with `Task.tally`, `progress` and `done`.
    Raises SymbolError when asked before anything was seen.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self._now: Situation | None = None
        self._followers: list[_Follower] | None = None

    def see(self, now: Situation) -> None:
        self._now = now
        course = self.task.success
        if not isinstance(course, Course):
            return
        if self._followers is None:
            self._followers = [_Follower(course, given) for given in course.choices(now)]
        for follower in self._followers:
            follower.see(now)

    def tally(self) -> tuple[tuple[int, int], ...]:
        """(met, all) of each condition: of a course its stages (what has come about stays so) and then its end, which must hold now; of the
        choice of entities that has come furthest.
        """
        if self._now is None:
            raise SymbolError(f"task {self.task.id}: nothing has been seen yet; show the watch the initial situation first")
        course = self.task.success
        if not isinstance(course, Course):
            return self.task.tally(self._now)
        reached, ended = max(((f.reached, f.ended) for f in self._followers or ()), default=(0, False))
        return (*((int(i < reached), 1) for i in range(len(course.stages))), (int(ended), 1))

    def progress(self) -> tuple[int, int]:
        """(met, all) conditions, as EmbodiedBench counts for its GC."""
        tally = self.tally()
        return sum(met for met, _ in tally), sum(total for _, total in tally)

    def done(self) -> bool:
        """Whether the task is solved now."""
        if self._now is not None and not isinstance(self.task.success, Course):
            return self.task.done(self._now)
        met, total = self.progress()
        return met == total


__all__ = ["Course", "Watch"]
