"""Δ-source ``vlm(MODEL)``: a vision-language model is shown both frames and asked what the action did; its answers are constrained.

MODEL is a folder or a hub id of any transformers image-text-to-text model. Nothing is generated: every answer that is possible (the action
worked, nothing changed, what was held fell) is scored by its log-likelihood after the question with the frames, less that after the same
question without them, which takes out how likely the words are by themselves. Softmax over the answers gives the probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mimir_learn.errors import ConfigError
from mimir_learn.feedback.schema import held_at, nominal_delta
from mimir_learn.symbols import ELSEWHERE, EMPTY, IN_HAND, Action, Belief, Delta, Estimate, HandChange, ParentChange, Transition, Verb

Image = NDArray[np.uint8]
_QUESTION = "The first picture was taken before, the second after a robot tried to {task}. What happened?"


class Scorer(Protocol):
    """``log_likelihood(images, question, answers)``: one number per answer; without images the question alone is read."""

    def log_likelihood(self, images: tuple[Image, ...], question: str, answers: tuple[str, ...]) -> list[float]: ...


@dataclass(frozen=True)
class Answer:
    """A sentence and what it means."""

    text: str
    delta: Delta
    worked: bool


def _words(entity: str | None, belief: Belief) -> str:
    known = belief.entities.get(entity or "")
    return f"the {(known.entity.category if known is not None else str(entity).rsplit('_', 1)[0]).replace('_', ' ')}"


def task_of(action: Action, belief: Belief) -> str:
    """The action in words: "put the mug at the table"."""
    thing, place = (_words(e, belief) for e in (action.object, action.receptacle))
    return {
        Verb.NAVIGATE: f"walk to {place if action.receptacle is not None else thing}", Verb.PICK: f"pick up {thing}",
        Verb.PLACE: f"put {thing} at {place}", Verb.OPEN: f"open {place}", Verb.CLOSE: f"close {place}", Verb.TOGGLE_ON: f"turn on {thing}",
        Verb.TOGGLE_OFF: f"turn off {thing}", Verb.SLICE: f"slice {thing}", Verb.FILL: f"fill {thing} with water",
        Verb.POUR: f"pour {thing} out into {place}",
    }.get(action.verb, "look around")  # fmt: skip


def answers_of(action: Action, belief: Belief, source: str) -> tuple[Answer, ...]:
    """What may have happened, as far as this source can say."""
    nominal, held = nominal_delta(action, belief, source), belief.hand
    out = [Answer("Nothing changed.", EMPTY, not nominal)]
    if nominal:
        out.insert(0, Answer(f"It worked: the robot did {task_of(action, belief)}.", nominal, True))
    if held is not None and action.verb in (Verb.NAVIGATE, Verb.PLACE):
        room = belief.room_of(belief.at)
        floor = ELSEWHERE if room is None else held_at(room, belief)
        fell = Delta([ParentChange(held, IN_HAND, floor, source=source)])
        out.append(Answer(f"{_words(held, belief).capitalize()} fell to the floor.", fell, False))
    return tuple(out)


class VlmSource:
    """Zero-shot judge of two frames; where only one answer is possible the model is not asked."""

    def __init__(self, scorer: Scorer, name: str = "vlm") -> None:
        self.scorer, self.name = scorer, name

    def reset(self, seed: int) -> None:
        """Nothing to start."""

    def estimate(self, transition: Transition) -> Estimate:
        """Δ_t, with the probability of the chosen answer."""
        answers = answers_of(transition.action, transition.belief, self.name)
        if len(answers) == 1:
            return Estimate(answers[0].delta)
        texts = tuple(a.text for a in answers)
        question = _QUESTION.format(task=task_of(transition.action, transition.belief))
        frames = (transition.before.rgb, transition.after.rgb)
        told, untold = (self.scorer.log_likelihood(images, question, texts) for images in (frames, ()))
        score = np.array(told) - np.array(untold)
        p = np.exp(score - score.max())
        p /= p.sum()
        best = int(p.argmax())
        worked = float(sum(x for x, a in zip(p, answers, strict=True) if a.worked))
        return Estimate(_with_p(answers[best].delta, float(p[best])), float(p[best]), worked)


def _with_p(delta: Delta, p: float) -> Delta:
    return Delta.fitting([replace(c, p=p) for c in delta if not isinstance(c, HandChange)])


class TransformersScorer:
    """A transformers image-text-to-text model on the CPU, or on a GPU where there is one.

    Args:
        model: folder or hub id. Raises ConfigError when it cannot be loaded.
    """

    def __init__(self, model: str) -> None:
        try:
            import torch
            from transformers import AutoModelForImageTextToText, AutoProcessor
        except ImportError as e:
            raise ConfigError(f"vlm({model}) needs transformers ({e}); pip install transformers") from e
        try:
            self.processor: Any = AutoProcessor.from_pretrained(model)
            self.model: Any = AutoModelForImageTextToText.from_pretrained(model)
        except (OSError, ValueError, KeyError, ImportError) as e:
            said = " ".join(str(e).split())[:300]
            raise ConfigError(f"vlm({model}) cannot be loaded ({said}); give a folder or hub id of an image-text-to-text model") from e
        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        to: Any = self.model.eval().to  # its annotation is that of a function of the module
        to(self.device)

    def log_likelihood(self, images: tuple[Image, ...], question: str, answers: tuple[str, ...]) -> list[float]:
        """log p(answer | images, question), summed over the answer's tokens."""
        prompt = self._prompt(len(images), question)
        start = self._encode(prompt, images)["input_ids"].shape[1]
        out = []
        for answer in answers:
            inputs = self._encode(f"{prompt} {answer}", images)
            ids = inputs["input_ids"]
            if ids.shape[1] <= start:
                raise ConfigError(f"{answer!r} adds no token to the question; this model's processor cannot be used")
            with self.torch.inference_mode():
                logits = self.model(**inputs).logits[0, start - 1 : -1].float().log_softmax(-1)
            out.append(float(logits.gather(-1, ids[0, start:, None]).sum()))
        return out

    def _prompt(self, images: int, question: str) -> str:
        if getattr(self.processor, "chat_template", None):
            content = [*({"type": "image"} for _ in range(images)), {"type": "text", "text": question}]
            text: str = self.processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
            return text
        token = getattr(self.processor, "image_token", "<image>")
        return f"{token * images} {question}"

    def _encode(self, text: str, images: tuple[Image, ...]) -> Any:
        from PIL import Image as Pillow

        pictures = [Pillow.fromarray(i) for i in images] or None
        return self.processor(text=text, images=pictures, return_tensors="pt").to(self.device)


@lru_cache(maxsize=1)
def vlm_source(model: str) -> VlmSource:
    """The source around a model, which is loaded once per process. Raises ConfigError."""
    return VlmSource(TransformersScorer(model), f"vlm({model})")
