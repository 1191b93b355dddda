"""Δ-source ``text``: reads the environment's feedback sentence; an unknown sentence is unparsed, never a success."""

from __future__ import annotations

from mimir_learn.errors import SymbolError
from mimir_learn.feedback.sentences import SENTENCES, SOURCE, about
from mimir_learn.symbols import EMPTY, Delta, Estimate, Transition


class TextSource:
    """Reads what an EmbodiedBench-style agent is told, in any of the three styles (`sentences`), and believes it."""

    name = SOURCE

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        for pattern, reader, claims in SENTENCES:
            if (match := pattern.fullmatch(transition.outcome.text)) is None:
                continue
            try:
                delta = None if (changes := reader(match, transition)) is None else Delta(changes)
            except SymbolError:  # a sentence of the right shape about what cannot be
                delta = None
            if delta is None:
                break
            return Estimate(delta, success=float(claims and about(match, transition) and transition.outcome.success))
        return Estimate(EMPTY, confidence=0.0, success=0.0, parsed=False)
