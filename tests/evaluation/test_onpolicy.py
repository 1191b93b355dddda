"""`mimir onpolicy`: what can be known to fail is said before a worker process starts, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mimir_learn.envs.household import VOCABULARY
from mimir_learn.errors import CheckpointError, ConfigError, LogError
from mimir_learn.estimator import DeltaEstimator
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.export import save_pretrained, with_vocabulary
from mimir_learn.evaluation import onpolicy
from mimir_learn.evaluation.onpolicy import OnPolicyConfig, collect_onpolicy
from mimir_learn.feedback.gate import GateConfig


@pytest.fixture
def model(tmp_path: Path) -> str:
    config = with_vocabulary(EstimatorConfig(dim=32, heads=2, layers=1, ffn=32, crop_width=8, image_width=8), VOCABULARY)
    return str(save_pretrained(DeltaEstimator(config), tmp_path / "model"))


@pytest.fixture(autouse=True)
def _no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: Any) -> None:
        raise AssertionError("a worker was started")

    monkeypatch.setattr(onpolicy, "_run", started)


def _suite(path: Path) -> dict[str, Any]:
    return {"suite": str(path / "no-such-suite.json")}


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        (lambda p: {"checkpoint": str(p / "nope")}, CheckpointError, "nope: not an exported"),
        (lambda p: {"checkpoint": "/nope"}, CheckpointError, "nope: not an exported"),
        (_suite, ConfigError, "no suite at .*no-such-suite"),
        (lambda p: {"houses": 10_001, "tasks": 1}, LogError, "house indices 0 to 9999"),
        (lambda p: {"gate": GateConfig(risk=0.99)}, ConfigError, "gate.risk is 0.99.*thresholds for none"),
    ],
)
def test_what_cannot_work_is_said_first(
    settings: Callable[[Path], dict[str, Any]],
    error: type[Exception],
    said: str,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mimir_learn.envs.household.tasks.sample_tasks", lambda *_: [])
    monkeypatch.setattr(onpolicy, "sized_house", lambda *_: None)
    with pytest.raises(error, match=said):
        collect_onpolicy(OnPolicyConfig(**({"checkpoint": model, "out": str(tmp_path / "out")} | settings(tmp_path))), progress=False)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("name", "said"), [("full", "is not empty"), ("file", "is not empty"), ("file/below", "cannot be written")])
def test_a_folder_that_cannot_take_the_log_is_said_first(name: str, said: str, model: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("keep")
    with pytest.raises(ConfigError, match=said):
        collect_onpolicy(OnPolicyConfig(model, str(tmp_path / name), houses=1, tasks=1), progress=False)
