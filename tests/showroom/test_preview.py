"""Previews of a log: transitions are drawn from all of it, shown as they are, and counted right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mimir_learn.errors import ConfigError, LogError
from mimir_learn.logs import LogDirectory, read_episodes
from mimir_learn.logs.statistics import count
from mimir_learn.showroom.preview import PreviewConfig, _cell, _choose, histogram, preview

from ..logs.tiny_log import SCRIPT, make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("log")
    make_log(root)
    return root


def test_two_pictures_in_the_log_or_elsewhere_and_the_same_again(log: Path, tmp_path: Path) -> None:
    here = preview(PreviewConfig(str(log)))
    there = preview(PreviewConfig(str(log), out=str(tmp_path)))
    assert [p.name for p in here] == ["preview.png", "preview-counts.png"] and here[0].parent == log
    assert [p.read_bytes() for p in here] == [p.read_bytes() for p in there]
    other = preview(PreviewConfig(str(log), out=str(tmp_path), transitions=5, seed=1))
    assert other[0].read_bytes() != here[0].read_bytes()


@pytest.mark.parametrize("transitions", [1, 5, 18, 100])
def test_every_transition_is_equally_likely_and_none_comes_twice(log: Path, transitions: int) -> None:
    entries = LogDirectory(log).episodes
    total = len(entries) * len(SCRIPT)
    seen: Counter[tuple[int, int]] = Counter()
    for seed in range(60):
        chosen = _choose(entries, PreviewConfig(str(log), transitions=transitions, seed=seed))
        picks = [(e, row) for e, rows in chosen.items() for _, row in rows]
        assert len(picks) == len(set(picks)) == min(transitions, total)
        assert all(0 <= row < len(SCRIPT) for _, row in picks)
        assert sorted(place for rows in chosen.values() for place, _ in rows) == list(range(len(picks)))
        seen.update(picks)
    if transitions >= 5:
        assert len(seen) == total


def test_a_transition_is_shown_as_it_is(log: Path) -> None:
    episode = next(iter(read_episodes(log)))
    cell = _cell(episode, 1)
    assert np.array_equal(cell.images[0], episode.frames[1].rgb) and np.array_equal(cell.images[1], episode.frames[2].rgb)
    assert cell.accent and cell.lines[:4] == ("open fridge_1", "✓ You open fridge_1.", "Δ ∅", "fault: stuck")
    assert "train" in cell.lines[-1] and not _cell(episode, 4).accent and _cell(episode, 4).lines[2] == "Δ fridge_1 open"


def test_bars_are_as_long_as_their_share(log: Path) -> None:
    counts = count(s for e in read_episodes(log) for s in e.steps)
    image = np.asarray(histogram(counts))
    bars = (image == (176, 58, 20)).all(-1).sum(1)
    lengths = sorted({int(b) for b in bars if b}, reverse=True)
    shares = sorted({v / counts["transitions"] for k, v in counts.items() if "." in k and v}, reverse=True)
    assert len(lengths) == len(shares)
    assert np.allclose(np.array(lengths) / lengths[0], np.array(shares) / shares[0], atol=0.02)


def test_what_is_wrong_is_named(log: Path, tmp_path: Path) -> None:
    with pytest.raises(LogError, match="mimir collect"):
        preview(PreviewConfig(str(tmp_path / "nowhere")))
    with pytest.raises(ConfigError, match="no episodes of split calibration"):
        preview(PreviewConfig(str(log), split="calibration"))
    with pytest.raises(ConfigError, match="train, validation"):
        PreviewConfig(str(log), split="exam")
    with pytest.raises(ConfigError, match="transitions"):
        PreviewConfig(str(log), transitions=0)
    assert Image.open(preview(PreviewConfig(str(log), split="test", out=str(tmp_path)))[0]).size[0] > 50
