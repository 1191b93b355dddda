"""The ``meta/`` folder of a log: written from the shards' footers alone, so that it is the same however the shards came about."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mimir_learn.errors import LogError
from mimir_learn.logs import schema
from mimir_learn.logs.splits import SPLITS
from mimir_learn.logs.statistics import Moments, rates
from mimir_learn.logs.writer import read_footer, write_atomic
from mimir_learn.symbols import Vocabulary

INFO, STATS, RATES, SPLIT_FILE = "meta/info.json", "meta/stats.json", "meta/rates.json", "meta/splits.json"
VOCABULARY, ACTIONS, ORIGIN, TASKS = "meta/vocabulary.json", "meta/actions.json", "meta/mimir.json", "meta/tasks.parquet"
CARD = "README.md"


@dataclass(frozen=True)
class LogOrigin:
    """Where a log comes from; stored as ``meta/mimir.json``.

    Attributes:
        vocabulary: what its symbols mean.
        image_size: height and width of the frames in pixels.
        instructions: text of every ``task_index``.
        simulator, simulator_version: what rendered it.
        commit: version of the code, "unknown" where git does not say.
        config: the collection's settings, JSON-able.
        faults: name of the fault suite, or its level as a number ("0.25").
        feedback_style: whose shape the sentences of ``next.feedback`` have.
    """

    vocabulary: Vocabulary
    image_size: int
    instructions: tuple[str, ...]
    simulator: str
    simulator_version: str
    commit: str = "unknown"
    config: Mapping[str, Any] = field(default_factory=dict)
    faults: str = "none"
    feedback_style: str = "plain"


def shard_path(root: Path, chunk: int, file: int) -> Path:
    """Where a shard lies in the LeRobot layout."""
    return root / schema.DATA_PATH.format(chunk_index=chunk, file_index=file)


def shard_paths(root: Path) -> list[Path]:
    """All shards of a log in episode order."""
    return sorted(root.glob("data/chunk-*/file-*.parquet"))


def write_meta(root: Path, origin: LogOrigin) -> dict[str, float]:
    """Write ``meta/`` and the dataset card from the shards under ``root``; return the log's rates.

    Raises LogError when a shard is damaged or the episodes of all shards are not 0, 1, 2, …
    """
    totals = add_up(root)
    _check_contiguous(root, totals.entries)

    def put(name: str, body: Any) -> None:
        write_atomic(root / name, (json.dumps(body, indent=1, sort_keys=True) + "\n").encode())

    for name, body in totals.bodies().items():
        put(name, body)
    write_atomic(root / VOCABULARY, (origin.vocabulary.to_json() + "\n").encode())
    put(ORIGIN, _origin(origin))
    _write_table(root / TASKS, _tasks(origin.instructions))
    _write_table(root / schema.EPISODES_PATH, _episodes(totals.entries, origin.instructions))
    chunks: dict[str, set[int]] = {}
    for entry in totals.entries:
        chunks.setdefault(entry["split"], set()).add(entry["data/chunk_index"])
    write_atomic(root / CARD, _card(chunks, totals.counts).encode())
    put(INFO, info(totals.entries, origin.vocabulary.name, len(origin.instructions), origin.image_size))  # last: now the log is complete
    return rates(totals.counts)


@dataclass(frozen=True)
class Totals:
    """What the footers of all shards say together.

    Attributes:
        entries: the episodes, with where their rows are.
        counts, moments: see `mimir_learn.logs.statistics`.
    """

    entries: list[dict[str, Any]]
    counts: Counter[str]
    moments: dict[str, Moments]

    def bodies(self) -> dict[str, Any]:
        """The JSON files that follow from the shards alone, by name."""
        return {
            STATS: {k: m.lerobot(image=k.startswith("observation.images")) for k, m in self.moments.items()},
            RATES: {"counts": dict(sorted(self.counts.items())), "rates": rates(self.counts)},
            SPLIT_FILE: {s: sorted({e["house_seed"] for e in self.entries if e["split"] == s}) for s in SPLITS},
            ACTIONS: list(schema.VERBS),
        }


def add_up(root: Path) -> Totals:
    """Read the footers of all shards under ``root``. Raises LogError for a damaged one."""
    out = Totals([], Counter(), {})
    for path in shard_paths(root):
        footer = read_footer(path)
        chunk, file = int(path.parent.name.rpartition("-")[2]), int(path.stem.rpartition("-")[2])
        for group, entry in enumerate(footer["episodes"]):
            out.entries.append({**entry, "data/chunk_index": chunk, "data/file_index": file, "data/row_group": group})
        out.counts.update(footer["counts"])
        for name, body in footer["moments"].items():
            out.moments.setdefault(name, Moments(len(body[1]))).merge(Moments.from_list(body))
    return out


def _check_contiguous(root: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    row = 0
    for number, entry in enumerate(entries):
        if entry["episode_index"] != number or entry["dataset_from_index"] != row:
            found = f"episode {entry['episode_index']} from row {entry['dataset_from_index']}"
            raise LogError(f"{root}: expected episode {number} from row {row}, found {found}; a shard is missing, collect again")
        row = entry["dataset_to_index"]
    if not entries:
        raise LogError(f"{root}: no shards under data/; nothing to describe")


def _origin(origin: LogOrigin) -> dict[str, Any]:
    return {
        "schema_version": schema.SCHEMA_VERSION,
        "vocabulary": {"name": origin.vocabulary.name, "sha256": origin.vocabulary.sha256},
        "simulator": {"name": origin.simulator, "version": origin.simulator_version},
        "faults": origin.faults,
        "feedback_style": origin.feedback_style,
        "commit": origin.commit,
        "config": dict(origin.config),
    }


def info(entries: Sequence[Mapping[str, Any]], robot: str, tasks: int, image_size: int) -> dict[str, Any]:
    """Body of ``meta/info.json``: LeRobot's description of the whole."""
    spans: dict[str, str] = {}
    for split in SPLITS:
        numbers = [e["episode_index"] for e in entries if e["split"] == split]
        if numbers:
            spans[split] = f"{min(numbers)}:{max(numbers) + 1}"
    return {
        "codebase_version": schema.LEROBOT_VERSION,
        "robot_type": robot,
        "total_episodes": len(entries),
        "total_frames": entries[-1]["dataset_to_index"],
        "total_tasks": tasks,
        "chunks_size": schema.CHUNK_SIZE,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": schema.FPS,
        "splits": spans,
        "data_path": schema.DATA_PATH,
        "video_path": None,
        "features": schema.lerobot_features(image_size),
    }


def _tasks(instructions: Sequence[str]) -> pa.Table:
    frame = pd.DataFrame({"task_index": range(len(instructions))}, index=pd.Index(instructions, name="task"))
    return pa.Table.from_pandas(frame)


def _episodes(entries: Sequence[Mapping[str, Any]], instructions: Sequence[str]) -> pa.Table:
    extra = {"meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}
    return pa.Table.from_pylist([{**e, "tasks": [instructions[e["task_index"]]], **extra} for e in entries])


def _write_table(path: Path, table: pa.Table) -> None:
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    write_atomic(path, out.getvalue())


def _card(chunks: Mapping[str, set[int]], counts: Mapping[str, int]) -> str:
    """Dataset card; its header tells ``datasets.load_dataset`` which files belong to which split."""
    lines = ["---", "configs:", "- config_name: default", "  data_files:"]
    for split in (s for s in SPLITS if s in chunks):
        lines += [f"  - split: {split}", "    path:", *[f"    - data/chunk-{c:03d}/*.parquet" for c in sorted(chunks[split])]]
    share = rates(counts)
    lines += [
        "tags: [LeRobot, robotics, state-change]", "---", "", "# Household transition log", "",
        f"{counts['transitions']} transitions of an agent in procedural MuJoCo houses, each with a colour and a depth frame",
        "before and after, the action, the environment's claim about it, and the true change Δ. Splits are by house.", "",
        f"- changed something: {share['changed']:.1%}; failures, no-ops or side effects: {share['unusual']:.1%}",
        f"- the success flag is wrong: {share['claims_wrong']:.1%}", "",
        "| count per transition | share |", "|---|---|",
        *[f"| `{k}` | {v:.2%} |" for k, v in share.items()], "",
    ]  # fmt: skip
    return "\n".join(lines)
