"""``mimir collect --preview DIR``: what a log looks like, as a sheet of random transitions and a histogram of what is in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mimir_learn.checks import whole
from mimir_learn.errors import ConfigError
from mimir_learn.logs import LogDirectory
from mimir_learn.logs.episode import Episode
from mimir_learn.logs.splits import SPLITS
from mimir_learn.logs.statistics import count

from .grid import ACCENT, FAINT, INK, PAPER, Cell, grid, letters, save
from .wording import claim, short


@dataclass(frozen=True)
class PreviewConfig:
    """Look into a transition log.

    Attributes:
        preview: the log's directory.
        out: folder the two pictures are written into; default: the log's own.
        transitions: transitions on the sheet, drawn at random from the whole log.
        seed: of that draw.
        split: only of train, validation, calibration or test; default: all.
        columns: transitions in a row.
    """

    preview: str
    out: str | None = None
    transitions: int = 24
    seed: int = 0
    split: str | None = None
    columns: int = 4

    def __post_init__(self) -> None:
        whole("preview.transitions", self.transitions, 1)
        whole("preview.columns", self.columns, 1)
        whole("preview.seed", self.seed, 0)
        if self.split is not None and self.split not in SPLITS:
            raise ConfigError(f"preview.split is {self.split!r}; choose one of {', '.join(SPLITS)}")


def preview(config: PreviewConfig) -> list[Path]:
    """Write ``preview.png`` and ``preview-counts.png``. Returns their paths.

    Raises LogError where there is no complete log, or it has no episode of the split.
    """
    log = LogDirectory(Path(config.preview))
    entries = [e for e in log.episodes if config.split in (None, e["split"])]
    if not entries:
        raise ConfigError(f"{config.preview} has no episodes{f' of split {config.split}' if config.split else ''}; collect some")
    folder = Path(config.preview if config.out is None else config.out)
    counts: Counter[str] = Counter()
    chosen = _choose(entries, config)
    cells: dict[int, Cell] = {}
    for number, entry in enumerate(entries):
        episode = log.episode(entry)
        counts += count(episode.steps)
        for place, row in chosen.get(number, ()):
            cells[place] = _cell(episode, row)
    what = f"{config.preview}: {len(cells)} of {counts['transitions']} transitions"
    sheet = grid([cells[i] for i in sorted(cells)], config.columns, what)
    return [save(sheet, folder / "preview.png"), save(histogram(counts, config.preview), folder / "preview-counts.png")]


def _choose(entries: list[dict[str, object]], config: PreviewConfig) -> dict[int, list[tuple[int, int]]]:
    """Episode number → [(place on the sheet, step), …]; without repetition, every transition of the log being equally likely."""
    lengths = np.array([int(str(e["length"])) - 1 for e in entries])
    ends = np.cumsum(lengths)
    rng = np.random.default_rng(config.seed)
    picks = np.sort(rng.permutation(int(ends[-1]))[: config.transitions])
    out: dict[int, list[tuple[int, int]]] = {}
    for place, index in enumerate(picks):
        episode = int(np.searchsorted(ends, index, side="right"))
        out.setdefault(episode, []).append((place, int(index - ends[episode] + lengths[episode])))
    return out


def _cell(episode: Episode, row: int) -> Cell:
    step = episode.steps[row]
    fault = f"fault: {step.fault.replace('_', ' ')}" if step.fault else ""
    moved = f"moved by someone else: {', '.join(step.moved)}" if step.moved else ""
    where = f"{episode.episode_id}, step {row}, {episode.split}"
    lines = (step.command, claim(step.outcome.success, step.outcome.text), f"Δ {short(step.delta)}", fault, moved, where)
    frames = (episode.frames[row].rgb, episode.frames[row + 1].rgb)
    return Cell(frames, tuple(x for x in lines if x), accent=bool(step.fault))


GROUPS = (("verbs", "verb."), ("what came of it", "kind."), ("faults", "fault."), ("changes", "change."))


def histogram(counts: Counter[str], title: str = "") -> Image.Image:
    """Bars of verbs, kinds of outcome, faults and changes, each with its share of all transitions."""
    total = max(1, counts["transitions"])
    blocks = [(name, [(k.removeprefix(p), v) for k, v in counts.most_common() if k.startswith(p) and v]) for name, p in GROUPS]
    lines = sum(len(rows) + 2 for _, rows in blocks)
    wide, line, left = 640, 16, 150
    image = Image.new("RGB", (wide, 40 + lines * line), PAPER)
    draw, font, bold = ImageDraw.Draw(image), letters(11), letters(14)
    draw.text((8, 8), f"{title}: {counts['transitions']} transitions", INK, bold)
    y = 34
    for name, rows in blocks:
        draw.text((8, y), name, INK, bold)
        y += line + 2
        for key, value in rows:
            share = value / total
            draw.text((16, y), key.replace("_", " "), INK, font)
            draw.rectangle((left, y + 3, left + max(1, round((wide - left - 110) * share)), y + 11), fill=ACCENT)
            draw.text((wide - 100, y), f"{value}  ({share:.1%})", FAINT, font)
            y += line
        y += line - 2
    return image
