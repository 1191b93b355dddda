"""Task suites: a JSON file of certified tasks in several subsets, sealed by a SHA-256 over its content.

Certified means: the agent with privileged feedback, in an environment without faults, solved it and said so within 70 % of the step
limit; nothing of it holds at the start; and neither random legal actions nor an agent with another task's goals solved it, nor, where
order counts, one that sees to the end alone (`certify`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mimir_learn.errors import ConfigError, SymbolError
from mimir_learn.symbols import Task

SCHEMA_VERSION = 2
HEADROOM = 0.7
"""The certifying agent needs at most this share of a task's step limit."""


@dataclass(frozen=True)
class Certificate:
    """What the certifying runs of a task came to.

    Attributes:
        steps: steps the privileged agent took without faults until it said it was done.
        random_gc: best share of conditions that random legal actions met at once within the limit.
        other: id of the task whose goals an agent was given instead.
        other_gc: best share of conditions it met at once.
        end_gc: the same for an agent that brings about how things are to be in the end and nothing on the way; None where order does not
            count, and then no part of the file.
    """

    steps: int
    random_gc: float = 0.0
    other: str = ""
    other_gc: float = 0.0
    end_gc: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if k != "end_gc" or v is not None}


@dataclass(frozen=True)
class SuiteTask:
    """One task of a suite.

    Attributes:
        task: instruction, goals and success condition.
        house_seed: the house it plays in.
        house_sha256: `HouseSpec.key`: of the whole house with its positions, shapes and colours, so that a changed generator is noticed.
        limit: steps after which an episode is cut off.
        certificate: see `Certificate`.
    """

    task: Task
    house_seed: int
    house_sha256: str
    limit: int
    certificate: Certificate

    @property
    def subset(self) -> str:
        return str(self.task.meta.get("subset", ""))

    @property
    def kind(self) -> str:
        return str(self.task.meta.get("kind", ""))

    @property
    def things(self) -> tuple[str, ...]:
        """Ids of the things the task was made for (others of their category may do as well)."""
        return tuple(self.task.meta.get("things", ()))

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.task.to_dict(),
            "house_seed": self.house_seed,
            "house_sha256": self.house_sha256,
            "limit": self.limit,
            "certificate": self.certificate.to_dict(),
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> SuiteTask:
        task = Task.from_dict(body["task"])
        return cls(task, body["house_seed"], body["house_sha256"], body["limit"], Certificate(**body["certificate"]))


@dataclass(frozen=True)
class Suite:
    """A named list of certified tasks of one environment and vocabulary.

    ``provenance`` says how it was made; it is kept in the file and is no part of the hash.
    """

    name: str
    environment: str
    vocabulary_sha256: str
    tasks: tuple[SuiteTask, ...]
    split: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for what, values in (("task ids", [t.task.id for t in self.tasks]), ("instructions", [t.task.instruction for t in self.tasks])):
            if twice := sorted(i for i, n in Counter(values).items() if n > 1):
                raise ConfigError(f"suite {self.name}: {what} used twice: {', '.join(twice)}")

    def _body(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "name": self.name,
            "environment": self.environment,
            "split": self.split,
            "vocabulary_sha256": self.vocabulary_sha256,
            "tasks": [t.to_dict() for t in self.tasks],
        }

    @property
    def sha256(self) -> str:
        """Over the canonical JSON of everything but the hash itself and the provenance."""
        return hashlib.sha256(json.dumps(self._body(), sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def save(self, path: Path) -> None:
        """Write the file: JSON with the hash in front and one task a line."""
        path.parent.mkdir(parents=True, exist_ok=True)
        body = self._body()
        tasks = ",\n".join(json.dumps(t, ensure_ascii=False) for t in body.pop("tasks"))
        head = json.dumps({"sha256": self.sha256, **body, "provenance": dict(self.provenance)}, indent=1, ensure_ascii=False)
        part = path.with_suffix(path.suffix + ".part")
        part.write_text(f'{head[:-2]},\n "tasks": [\n{tasks}\n]\n}}\n', encoding="utf-8")
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> Suite:
        """Read and verify a suite file. Raises ConfigError when it is missing, damaged, edited by hand or of another schema."""
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
            suite = cls(body["name"], body["environment"], body["vocabulary_sha256"], tasks, body["split"], body["provenance"])
        except (KeyError, TypeError, AttributeError, SymbolError) as e:
            raise ConfigError(f"{path} is not a suite: {type(e).__name__} {e}; build it again with `mimir suite`") from e
        if suite.sha256 != body.get("sha256"):
            raise ConfigError(
                f"{path} does not match its sha256 (content {suite.sha256[:12]}…, stated {str(body.get('sha256'))[:12]}…): "
                "it was edited or damaged; build it again with `mimir suite`"
            )
        return suite

    def subsets(self) -> dict[str, int]:
        """How many tasks of each subset, in the suite's order."""
        return dict(Counter(t.subset for t in self.tasks))

    def kinds(self) -> dict[str, int]:
        """How many tasks of each kind, sorted by name."""
        return dict(sorted(Counter(t.kind for t in self.tasks).items()))

    def select(self, subsets: Sequence[str] | None = None, n: int | None = None) -> tuple[SuiteTask, ...]:
        """``n`` tasks (all for None) of ``subsets`` (all for None), always the same ones, in the suite's order.

        They are spread evenly over subsets, then over kinds, then over houses; a smaller selection is part of every larger one.
        Raises ConfigError for an unknown subset, or fewer than one task.
        """
        if unknown := sorted(set(subsets or ()) - set(self.subsets())):
            raise ConfigError(f"suite {self.name} has no subset {', '.join(unknown)}; it has {', '.join(self.subsets())}")
        pool = [t for t in self.tasks if not subsets or t.subset in subsets]
        if n is None or n >= len(pool):
            return tuple(pool)
        if n < 1:
            raise ConfigError(f"asked for {n} tasks of suite {self.name}; give at least 1")
        of_subset: Counter[str] = Counter()
        of_kind: Counter[tuple[str, str]] = Counter()
        of_house: Counter[int] = Counter()
        left = list(range(len(pool)))
        for _ in range(n):
            chosen = min(
                left, key=lambda i: (of_subset[pool[i].subset], of_kind[pool[i].subset, pool[i].kind], of_house[pool[i].house_seed], i)
            )
            of_subset[pool[chosen].subset] += 1
            of_kind[pool[chosen].subset, pool[chosen].kind] += 1
            of_house[pool[chosen].house_seed] += 1
            left.remove(chosen)
        return tuple(t for i, t in enumerate(pool) if i not in left)


def limit_for(steps: int, most: int) -> int:
    """Step limit of a task the privileged agent solves in ``steps``: room to recover from faults, at most ``most``."""
    return min(most, max(40, 3 * steps))
