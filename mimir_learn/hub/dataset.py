"""A transition log as a dataset repository: the log as it is, and a card with licence, splits and how often what happens."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path

from huggingface_hub import DatasetCard

from mimir_learn.errors import LogError
from mimir_learn.hub.check import check_dataset_repo, check_repo_id, fresh_folder
from mimir_learn.logs import check_log, fingerprint
from mimir_learn.logs.fingerprint import content_files

LICENSE = "mit"


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
        card.data, template_str=body, repo=repo, own=card.text.strip(), digest=digest, transitions=transitions, **meta
    ).content


def size_category(n: int) -> str:
    """The hub's size class of ``n`` rows."""
    for limit, name in ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")):
        if n < limit:
            return name
    return "1M<n<10M"
