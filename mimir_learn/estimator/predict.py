"""`Predictor`: a loaded estimator that answers one `Transition` with one `Estimate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray

from mimir_learn.errors import CheckpointError
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.calibration import Calibration, load_calibration
from mimir_learn.estimator.criterion import probabilities
from mimir_learn.estimator.decode import decode, decode_hypotheses
from mimir_learn.estimator.export import local_folder
from mimir_learn.estimator.hypotheses import primary
from mimir_learn.estimator.inputs import build_with_ids
from mimir_learn.estimator.model import DeltaEstimator
from mimir_learn.symbols import Estimate, Transition, Vocabulary

Built = tuple[tuple[str, ...], dict[str, NDArray[Any]]]


class Predictor:
    """Batch of one, on one thread (a second costs more than it brings at this size)."""

    def __init__(self, model: DeltaEstimator, calibration: Calibration | None = None, name: str = "learned") -> None:
        self.model, self.calibration, self.name = model.eval(), calibration, name
        self.origin = name
        self.temperature = dict(calibration.temperature) if calibration is not None else {}

    @classmethod
    def load(cls, checkpoint: str | Path, vocabulary: Vocabulary | None = None, *, allow_other_vocabulary: bool = False) -> Predictor:
        """Open an export (a folder, or ``owner/name`` on the hub) with its calibration, if it has one. Raises CheckpointError."""
        directory = local_folder(checkpoint)
        model = DeltaEstimator.from_pretrained(directory, vocabulary, allow_other_vocabulary=allow_other_vocabulary)
        out = cls(model, load_calibration(directory))
        out.origin = str(directory)
        return out

    def estimate(self, transition: Transition) -> Estimate:
        """Δ_t read off the two frames, with a probability per change, for the whole, and for the action's success.

        Raises CheckpointError when the network's answer is not finite.
        """
        return self.estimates([transition], [build_with_ids(transition, self.model.config)])[0]

    def estimates(self, transitions: Sequence[Transition], built: Sequence[Built]) -> list[Estimate]:
        """One answer per transition, in one batch; ``built``: what `build_with_ids` makes of each. Of a transition only action and belief
        are read here. Raises CheckpointError when one answer is not finite."""
        config = self.model.config
        threads = torch.get_num_threads()
        if threads != 1:
            torch.set_num_threads(1)
        try:
            with torch.inference_mode():
                batch = collate([arrays for _, arrays in built], config)
                p = probabilities(self.model(batch), self.temperature)
                facts = primary(batch) if "hypothesis" in p else None
        finally:
            if threads != 1:
                torch.set_num_threads(threads)
        if not all(bool(torch.isfinite(x).all()) for x in p.values()):
            raise CheckpointError(
                f"{self.origin}: the estimator's probabilities are not finite, so its answer means nothing; its training diverged: remove "
                "the run's folder and train again with a smaller lr"
            )
        out = []
        for i, (transition, (ids, _)) in enumerate(zip(transitions, built, strict=True)):
            parent, attr = p["parent"][i].numpy(), p["attr"][i].numpy()
            rest = (ids, transition.belief, config.attributes, self.name)
            if facts is None:
                delta, confidence = decode(parent, attr, *rest)
            else:
                delta, confidence = decode_hypotheses(p["hypothesis"][i].numpy(), parent, attr, facts, i, *rest)
            out.append(Estimate(delta, confidence, float(p["outcome"][i])))
        return out
