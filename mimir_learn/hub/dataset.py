"""A transition log as a dataset repository: the log as it is, and a card with licence, splits and how often what happens."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path

from huggingface_hub import DatasetCard

from mimir_learn.errors import LogError
from mimir_learn.hub.check import check_dataset_repo, check_repo_id, fresh_folder
from mimir_learn.logs import LogDirectory, check_log, fingerprint
from mimir_learn.logs.fingerprint import content_files
from mimir_learn.logs.reader import decode_step
from mimir_learn.logs.splits import SPLITS
from mimir_learn.logs.statistics import count, rates

LICENSE = "mit"
POSITIVES = {
    "changed": "changed something", "change.relation": "where a thing is", "change.state": "a state", "change.hand": "what the hand holds",
    "fault": "a fault or someone else", "claims_wrong": "success claimed wrongly",
}  # fmt: skip
_COLUMNS = ["skill.arguments", "skill.text", "next.success", "next.feedback", "next.delta", "privileged.fault", "privileged.moved"]


def bundle_log(log: Path, out: Path, repo: str) -> Path:
    """Copy the sound log ``log`` into the new folder ``out`` as dataset ``repo`` (``owner/name``), with a full card; returns ``out``.

    Frames and tables are copied byte for byte; only the card differs from the log's own. Raises LogError for a damaged log and
    ConfigError for a bad name or a folder that holds something else.
    """
    check_repo_id(repo)
    if problems := [str(p) for p in check_log(log)]:
        raise LogError(f"{log}: {len(problems)} problems, the first: {problems[0]}; only a sound log is published")
    digest = fingerprint(log)
    with fresh_folder(out) as folder:
        for source in content_files(log):
            target = folder / source.relative_to(log)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        (folder / "LICENSE").write_text(resources.files("mimir_learn.hub").joinpath("templates/LICENSE.j2").read_text())
        (folder / "README.md").write_text(_card(log, repo, digest))
        check_dataset_repo(folder)
    return out


def _card(log: Path, repo: str, digest: str) -> str:
    card = DatasetCard.load(log / "README.md")
    meta = {name: json.loads((log / "meta" / f"{name}.json").read_text()) for name in ("info", "splits", "mimir", "rates")}
    transitions = int(meta["info"]["total_frames"]) - int(meta["info"]["total_episodes"])
    card.data.license = LICENSE
    card.data.pretty_name = repo.partition("/")[2]
    card.data.task_categories = ["robotics"]
    card.data.size_categories = [size_category(transitions)]
    body = resources.files("mimir_learn.hub").joinpath("templates/dataset_card.md.j2").read_text()
    return DatasetCard.from_template(
        card.data,
        template_str=body,
        repo=repo,
        own=card.text.strip(),
        digest=digest,
        transitions=transitions,
        positives=list(POSITIVES.values()),
        parts=split_rates(LogDirectory(log)),
        **meta,
    ).content


def split_rates(log: LogDirectory) -> dict[str, dict[str, float]]:
    """Per split of a log: ``episodes``, ``transitions``, and of the transitions the shares of `POSITIVES`. Raises LogError."""
    out = {}
    for split in SPLITS:
        entries = [e for e in log.episodes if e["split"] == split]
        if not entries:
            continue
        steps = []
        for entry in entries:
            table = log.table(entry, _COLUMNS)
            steps += [decode_step(table, row) for row in range(len(table) - 1)]
        shares = rates(count(steps))
        shares |= {
            "fault": sum(bool(s.fault) for s in steps) / len(steps),
            "change.state": sum(bool(s.delta.states) for s in steps) / len(steps),
        }
        out[split] = {"episodes": len(entries), "transitions": len(steps), **{k: shares.get(k, 0.0) for k in POSITIVES}}
    return out


def size_category(n: int) -> str:
    """The hub's size class of ``n`` rows."""
    for limit, name in ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")):
        if n < limit:
            return name
    return "1M<n<10M"
