"""Uploading a checked folder. Never implied: somebody asked for it and has a token."""

from __future__ import annotations

from pathlib import Path

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError

from mimir_learn.errors import ConfigError


def push(folder: Path, repo: str, kind: str, token: str | None = None, private: bool = True) -> str:
    """Upload ``folder`` as ``repo`` of ``kind`` ("model" or "dataset"), made private if it is new; returns its address.

    Raises ConfigError without a token, or when the hub cannot be reached or refuses.
    """
    token = token or get_token()
    if not token:
        raise ConfigError(f"{folder} is ready, but there is no token to push it: run `hf auth login` or set HF_TOKEN, then push again")
    api = HfApi(token=token)
    try:
        api.create_repo(repo, repo_type=kind, private=private, exist_ok=True)
        info = api.upload_folder(folder_path=folder, repo_id=repo, repo_type=kind, commit_message="Published with mimir publish")
    except (HfHubHTTPError, OSError) as e:
        raise ConfigError(f"{folder} is ready, but the hub did not take it as {repo} ({str(e)[:300]}); push again later") from e
    return str(info.commit_url)
