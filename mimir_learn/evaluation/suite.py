"""Task suites: a JSON file of tasks in test houses, each certified solvable, sealed by a SHA-256 over its content.

Certified means: the agent with privileged feedback, in an environment without faults, solved it and said so, within the task's
step limit. The steps it took are the certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError
from mimir_learn.symbols import PrivilegedState, Task

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class SuiteTask:
    """One task of a suite.

    Attributes:
        task: instruction and goals.
        house_seed: the house it plays in.
        house_sha256: of the house's symbolic initial state, so that a changed house generator is noticed.
        limit: steps after which an episode is cut off.
        certified_steps: steps the privileged agent took without faults.
    """

    task: Task
    house_seed: int
    house_sha256: str
    limit: int
    certified_steps: int

    @property
    def kind(self) -> str:
        return str(self.task.meta.get("kind", ""))

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task.to_dict(),
            "house_seed": self.house_seed,
            "house_sha256": self.house_sha256,
            "limit": self.limit,
            "certificate": {"agent": "privileged", "faults": 0.0, "steps": self.certified_steps},
        }

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> SuiteTask:
        certificate = body["certificate"]
        return cls(Task.from_dict(body["task"]), body["house_seed"], body["house_sha256"], body["limit"], certificate["steps"])


@dataclass(frozen=True)
class Suite:
    """A named list of certified tasks of one environment and vocabulary."""

    name: str
    environment: str
    vocabulary_sha256: str
    tasks: tuple[SuiteTask, ...]

    def __post_init__(self) -> None:
        ids = [t.task.id for t in self.tasks]
        if twice := sorted(i for i, n in Counter(ids).items() if n > 1):
            raise ConfigError(f"suite {self.name}: task ids used twice: {', '.join(twice)}")

    def _body(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "environment": self.environment,
            "vocabulary_sha256": self.vocabulary_sha256,
            "tasks": [t.to_dict() for t in self.tasks],
        }

    @property
    def sha256(self) -> str:
        """Over the canonical JSON of everything but the hash itself."""
        return hashlib.sha256(json.dumps(self._body(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def save(self, path: Path) -> None:
        """Write the file: readable JSON with the hash in front."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"sha256": self.sha256, **self._body()}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Suite:
        """Read and verify a suite file. Raises ConfigError when it is missing, damaged, edited by hand or of a newer schema."""
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ConfigError(f"no suite at {path}; build one with `mimir suite --out {path}`") from None
        except OSError as e:
            raise ConfigError(
                f"{path} cannot be read as a suite: {e.strerror or e}; give a suite file, build one with `mimir suite`"
            ) from e
        except ValueError as e:  # no JSON, or not even UTF-8
            raise ConfigError(f"{path} is not a suite: {e}; build it again with `mimir suite`") from e
        if not isinstance(body, dict) or body.get("schema_version") != SCHEMA_VERSION:
            version = body.get("schema_version") if isinstance(body, dict) else None
            raise ConfigError(
                f"{path} has suite schema {version!r}, this package reads {SCHEMA_VERSION}; build it again with `mimir suite`"
            )
        try:
            tasks = tuple(SuiteTask.from_dict(t) for t in body["tasks"])
            suite = cls(body["name"], body["environment"], body["vocabulary_sha256"], tasks)
        except (KeyError, TypeError) as e:
            raise ConfigError(f"{path} is not a suite: {type(e).__name__} {e}; build it again with `mimir suite`") from e
        if suite.sha256 != body.get("sha256"):
            raise ConfigError(
                f"{path} does not match its sha256 (content {suite.sha256[:12]}…, stated {str(body.get('sha256'))[:12]}…): "
                "it was edited or damaged; build it again with `mimir suite`"
            )
        return suite

    def kinds(self) -> dict[str, int]:
        """How many tasks of each kind, sorted by name."""
        return dict(sorted(Counter(t.kind for t in self.tasks).items()))

    def first(self, n: int | None) -> tuple[SuiteTask, ...]:
        """``n`` tasks (all for None) spread evenly over kinds, and then over houses; always the same ones, in the suite's order.

        A smaller selection is part of every larger one.
        """
        if n is None or n >= len(self.tasks):
            return self.tasks
        if n < 1:
            raise ConfigError(f"asked for {n} tasks of suite {self.name}; give at least 1")
        kinds: Counter[str] = Counter()
        houses: Counter[int] = Counter()
        left = list(range(len(self.tasks)))
        while len(left) > len(self.tasks) - n:
            chosen = min(left, key=lambda i: (kinds[self.tasks[i].kind], houses[self.tasks[i].house_seed], i))
            kinds[self.tasks[chosen].kind] += 1
            houses[self.tasks[chosen].house_seed] += 1
            left.remove(chosen)
        return tuple(t for i, t in enumerate(self.tasks) if i not in left)


def state_sha256(state: PrivilegedState) -> str:
    """Hash of a house's symbolic initial state."""
    return hashlib.sha256(state.snapshot.to_json().encode()).hexdigest()


def limit_for(steps: int, most: int) -> int:
    """Step limit of a task the privileged agent solves in ``steps``: room to recover from faults, bounded by ``most``."""
    return min(most, max(40, 3 * steps))


@dataclass(frozen=True)
class Candidate:
    """A task proposed for a suite with what the certifying run said about it."""

    task: Task
    house_seed: int
    house_sha256: str
    solved: bool
    steps: int


def balanced(candidates: Iterable[Candidate], kinds: Sequence[str], count: int, per_house: int, most_steps: int) -> list[SuiteTask]:
    """Pick ``count`` solved candidates, the rarest kind first, at most ``per_house`` of a house; deterministic.

    Raises ConfigError when there are not enough.
    """
    pool: dict[str, list[Candidate]] = {k: [] for k in kinds}
    for candidate in candidates:
        if candidate.solved:
            pool[str(candidate.task.meta["kind"])].append(candidate)
    used: Counter[int] = Counter()
    picked: list[Candidate] = []
    taken: Counter[str] = Counter()
    while len(picked) < count:
        choice = None
        for kind in sorted(kinds, key=lambda k: (taken[k], kinds.index(k))):
            fits = [c for c in pool[kind] if used[c.house_seed] < per_house]
            if fits:
                choice = min(fits, key=lambda c: (used[c.house_seed], c.house_seed, c.task.id))
                break
        if choice is None:
            raise ConfigError(f"only {len(picked)} certified tasks for a suite of {count}; raise `houses` or `tasks_per_house`")
        kind = str(choice.task.meta["kind"])
        pool[kind].remove(choice)
        used[choice.house_seed] += 1
        taken[kind] += 1
        picked.append(choice)
    picked.sort(key=lambda c: (c.house_seed, c.task.id))
    return [SuiteTask(c.task, c.house_seed, c.house_sha256, limit_for(c.steps, most_steps), c.steps) for c in picked]
