"""The ``learned`` Δ-source: the trained Δ-estimator. Reads two RGB-D frames, the action and what memory knew before it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mimir_learn.estimator.predict import Predictor
from mimir_learn.symbols import Estimate, Transition, Vocabulary
from mimir_learn.symbols.families import FAMILIES, family


class LearnedSource:
    """A `DeltaSource` around an exported `DeltaEstimator` (``model.safetensors`` + ``config.json`` [+ ``calibration.json``]).

    Args:
        checkpoint: the exported folder.
        vocabulary: of the environment it will run in; None skips the check.
        allow_other_vocabulary: run although it was trained on another vocabulary.

    Raises CheckpointError when the export cannot be used here.
    """

    name = "learned"

    def __init__(self, checkpoint: str | Path, vocabulary: Vocabulary | None = None, *, allow_other_vocabulary: bool = False) -> None:
        self.predictor = Predictor.load(checkpoint, vocabulary, allow_other_vocabulary=allow_other_vocabulary)
        calibration = self.predictor.calibration
        self._certified = {f: () if calibration is None else calibration.certified(f) for f in FAMILIES}

    @property
    def calibrated(self) -> bool:
        """Whether probabilities are temperature-calibrated."""
        return self.predictor.calibration is not None

    def reset(self, seed: int) -> None:
        """Nothing to reset: every transition is answered on its own."""

    def estimate(self, transition: Transition) -> Estimate:
        """Δ_t with per-change probabilities, and the thresholds certified for actions of this family.

        Raises ObservationError for a frame no sensor could have taken, CheckpointError for an answer that is not finite.
        """
        return replace(self.predictor.estimate(transition), certified=self._certified[family(transition.action.verb)])
