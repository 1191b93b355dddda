"""What the hub would refuse, found out before anything is uploaded, with the hub's own validators and no network."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from huggingface_hub import DatasetCard, ModelCard, parse_eval_result_entries
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id

from mimir_learn.errors import CheckpointError, ConfigError, LogError

PICKLES = frozenset({".ckpt", ".pt", ".pth", ".bin", ".pkl", ".pickle"})


def check_repo_id(repo: str) -> None:
    """Raises ConfigError for what is no ``owner/name`` the hub accepts."""
    try:
        validate_repo_id(repo)
    except HFValidationError as e:
        raise ConfigError(f"repo {repo!r}: {e}") from e
    if repo.count("/") != 1:
        raise ConfigError(f"repo {repo!r} must be owner/name, like 'my-lab/mimir-delta-small'")


def check_model_repo(folder: Path) -> None:
    """Raises CheckpointError for a pickle, or for a card or evaluation results the hub could not read."""
    if pickles := sorted(p.name for p in folder.rglob("*") if p.suffix in PICKLES):
        raise CheckpointError(f"{folder}: {', '.join(pickles)} are pickles; only safetensors and JSON are published")
    try:
        data = ModelCard.load(folder / "README.md").data
        for file in sorted((folder / ".eval_results").glob("*.yaml")):
            parse_eval_result_entries(yaml.safe_load(file.read_text()))
    except (ValueError, TypeError, KeyError) as e:
        raise CheckpointError(f"{folder}: the hub could not read its card or results: {e}") from e
    missing = [name for name in ("license", "library_name", "tags", "model_name") if not getattr(data, name, None)]
    if missing or not data.eval_results:
        raise CheckpointError(f"{folder}: the card lacks {', '.join(missing) or 'evaluation results'}")


def check_dataset_repo(folder: Path) -> None:
    """Raises LogError for a dataset card the hub could not read."""
    try:
        data = DatasetCard.load(folder / "README.md").data
    except (ValueError, TypeError, KeyError) as e:
        raise LogError(f"{folder}: the hub could not read the card: {e}") from e
    if missing := [name for name in ("license", "tags", "configs") if not data.get(name)]:
        raise LogError(f"{folder}: the card lacks {', '.join(missing)}")


@contextmanager
def fresh_folder(out: Path) -> Iterator[Path]:
    """A temporary neighbour that becomes ``out`` if all goes well and vanishes if not.

    Raises ConfigError when ``out`` exists and is not empty: what somebody else put there is not overwritten.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out} exists and is not empty; choose another folder, or remove it")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        yield draft
        draft.chmod(0o755)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
