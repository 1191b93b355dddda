"""Chooses the thresholds of the untrained sources on training houses: ``python -m mimir_learn.evaluation.classical LOG [OUT]``.

One number at a time, each for what it decides: the share of changed pixels per group of verbs by how often "the action had its effect" is
right, the hand's shares by grasps and releases, the one for vanished things by the exact Δ of transitions. Places' extents are quantiles of
where their contents lie.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mimir_learn.errors import MimirError
from mimir_learn.estimator.changes import same_camera
from mimir_learn.estimator.classical import hand_change, hand_kept, hand_share
from mimir_learn.estimator.samples import Sample, replay
from mimir_learn.estimator.scoring import scored
from mimir_learn.feedback.classical import FILE, GROUPS, Extent, Thresholds
from mimir_learn.feedback.difference import evidence
from mimir_learn.feedback.geometry import GeometrySource
from mimir_learn.feedback.schema import nominal_delta
from mimir_learn.logs import LogDirectory, fingerprint
from mimir_learn.symbols import Kind, Verb

EPISODES = 120
_FEW = 8  # contents below which a category's extent is not believed
_VANISHED = (0.5, 0.7, 0.9, 1.0, 2.0)


def choose(log: Path, episodes: int = EPISODES) -> Thresholds:
    """Thresholds from ``episodes`` of the training split, spread evenly over its houses. Raises LogError."""
    directory = LogDirectory(log)
    entries = [e for e in directory.episodes if e["split"] == "train"]
    pick = entries[:: max(1, len(entries) // episodes)][:episodes]
    changed: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    grasps, releases, kept, offsets = [], [], [], defaultdict(list)
    kept_samples: list[Sample] = []
    for entry in pick:
        for sample in replay(directory.episode(entry)):
            t = sample.transition
            nominal = nominal_delta(t.action, t.belief)
            if nominal:
                changed[GROUPS[t.action.verb]].append((evidence(t), nominal.atoms <= sample.delta.atoms))
            hand, gained = sample.delta.hand, hand_share(t.after) - hand_share(t.before)
            if t.belief.hand is None and t.action.verb is Verb.PICK:
                grasps.append((min(gained, hand_change(t.before, t.after)), hand is not None))
            elif t.belief.hand is not None and not same_camera(t.before, t.after):
                kept.append((-hand_kept(t.before, t.after), hand is not None))
            elif t.belief.hand is not None and t.action.verb is Verb.PLACE:
                releases.append((-gained, hand is not None))
            if len(kept_samples) < 1000:
                kept_samples.append(sample)
        for category, offset in _offsets(sample):
            offsets[category].append(offset)
    origin = {"log_fingerprint": fingerprint(log), "split": "train", "episodes": len(pick)}
    places = {k: _extent(np.array(v)) for k, v in sorted(offsets.items()) if len(v) >= _FEW}
    chosen = Thresholds(
        {g: best_threshold(pairs) for g, pairs in sorted(changed.items())}, best_threshold(grasps), best_threshold(releases),
        -best_threshold(kept), 2.0, places, origin,
    )  # fmt: skip
    return replace(chosen, vanished=max(_VANISHED, key=lambda v: (_exact(replace(chosen, vanished=v), kept_samples), v)))


def best_threshold(pairs: Sequence[tuple[float, bool]]) -> float:
    """The t for which "value > t" agrees most often with the truth, in the middle of the widest gap that does; 0 without cases."""
    if not pairs:
        return 0.0
    values = np.array([v for v, _ in pairs])
    truth = np.array([y for _, y in pairs])
    levels = np.unique(values)
    cuts = np.concatenate([[levels[0] - 1e-3], (levels[1:] + levels[:-1]) / 2, [levels[-1] + 1e-3]])
    right = np.array([((values > c) == truth).mean() for c in cuts])
    gaps = np.concatenate([[0.0], np.diff(levels), [0.0]])
    best = max(range(len(cuts)), key=lambda i: (right[i], gaps[i]))
    return round(float(cuts[best]), 4)


def _offsets(sample: Sample) -> list[tuple[str, np.ndarray]]:
    """(category of the place, point of the content − point of the place) of all that the belief places."""
    known = sample.transition.belief.entities
    out = []
    for b in known.values():
        place = known.get(b.parent.id) if b.parent is not None else None
        if b.entity.kind is not Kind.OBJECT or b.point is None or place is None or place.point is None or place.entity.kind is Kind.ROOM:
            continue
        out.append((place.entity.category, b.point - place.point))
    return out


def _extent(offset_N3: np.ndarray) -> Extent:
    radius = np.quantile(np.hypot(offset_N3[:, 0], offset_N3[:, 1]), 0.95)
    low, high = np.quantile(offset_N3[:, 2], [0.05, 0.95])
    return Extent(round(max(0.1, float(radius)), 3), round(float(low) - 0.05, 3), round(float(high) + 0.05, 3))


def _exact(settings: Thresholds, samples: Sequence[Sample]) -> float:
    source = GeometrySource(settings)
    return float(np.mean([scored(s, source.estimate(s.transition)).exact() for s in samples]))


def main(arguments: Sequence[str], say: Callable[[str], None] = print) -> int:
    """Choose, write, and say what was chosen."""
    if not 1 <= len(arguments) <= 2:
        say("usage: python -m mimir_learn.evaluation.classical LOG [OUT]")
        return 2
    out = Path(arguments[1]) if len(arguments) == 2 else FILE
    try:
        chosen = choose(Path(arguments[0]))
    except MimirError as e:
        say(f"error: {e}")
        return 1
    chosen.write(out)
    shown = {k: getattr(chosen, k) for k in ("changed", "grasp", "release", "kept", "vanished")}
    say(f"{out}: {shown}, extents of {len(chosen.places)} categories")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
