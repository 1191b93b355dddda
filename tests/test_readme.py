"""What the README tells a reader to type exists and runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mimir_learn import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_commands_exist() -> None:
    named = set(re.findall(r"^(?:\$ )?mimir (\w+)", README, re.MULTILINE)) | set(re.findall(r"`mimir ([a-z]+)", README))
    assert {"collect", "train", "eval", "suite", "bench", "doctor"} <= named <= set(cli.COMMANDS)
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_options_exist() -> None:
    for name, rest in re.findall(r"^mimir (\w+) ([^#\n]*)", README, re.MULTILINE):
        command, args = cli.chosen(name, [str(ROOT / w) if w.startswith("configs/") else w for w in rest.split()])
        assert cli._parse(name, command, args) is not None


def test_files_exist() -> None:
    for path in re.findall(r"\]\(((?:docs|LICENSE|CHANGELOG|CONTRIBUTING)[^)]*)\)", README):
        assert (ROOT / path).is_file(), path


def test_python_examples_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from mimir_learn.envs.household import VOCABULARY
    from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
    from mimir_learn.estimator.export import save_pretrained, with_vocabulary

    small = EstimatorConfig(image_px=32, crop_px=8, dim=16, heads=2, layers=1, ffn=16, crop_width=4, image_width=4)
    save_pretrained(DeltaEstimator(with_vocabulary(small, VOCABULARY)), tmp_path)
    examples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        assert "runs/demo/train/model" in example
        exec(example.replace("runs/demo/train/model", str(tmp_path)), {})
    assert "EpisodeResult" in capsys.readouterr().out
