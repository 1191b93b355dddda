"""`vlm(MODEL)`: constrained answers scored by a real, tiny, randomly initialised model; no weights of a trained one can be had here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.arms import parse_arm
from mimir_learn.feedback import make_source, nominal_delta
from mimir_learn.feedback.vlm import TransformersScorer, VlmSource, answers_of
from mimir_learn.symbols import EMPTY, Action, Delta, Verb

from ..estimator.synthetic import World, transition
from .test_untrained import POINTS, between, world

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LLaVA of 30 thousand parameters with a tokenizer of bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
        PreTrainedTokenizerFast,
    )

    folder = tmp_path_factory.mktemp("llava")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    tokens.pre_tokenizer, tokens.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="<pad>", bos_token="<s>", eos_token="</s>")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    vision = CLIPVisionConfig(hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8)
    size = len(tokenizer)
    words = LlamaConfig(vocab_size=size, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2)
    image = tokenizer.convert_tokens_to_ids("<image>")
    config = LlavaConfig(vision_config=vision, text_config=words, image_token_index=image, vision_feature_layer=-1)
    torch.manual_seed(0)
    LlavaForConditionalGeneration(config).save_pretrained(folder)
    images = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    LlavaProcessor(
        images, tokenizer, patch_size=8, vision_feature_select_strategy="default", num_additional_image_tokens=1
    ).save_pretrained(folder)
    return folder


def test_answers_have_probabilities_and_depend_on_the_pictures(model: Path) -> None:
    source = make_source(f"vlm({model})")
    pick = Action(Verb.PICK, "mug_1")
    a = source.estimate(between(world(), pick, world("mug_1")))
    b = source.estimate(between(world(), pick, world()))
    assert source.name == f"vlm({model})"
    assert 0.5 <= a.confidence <= 1.0 and a.success != b.success
    assert a.delta in (EMPTY, nominal_delta(pick, world().belief()))
    assert a == source.estimate(between(world(), pick, world("mug_1")))


def test_the_likelihood_is_the_sum_over_the_answer_alone(model: Path) -> None:
    import torch

    scorer = TransformersScorer(str(model))
    ids = scorer.processor(text="What? Yes", images=None, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        logits = scorer.model(input_ids=ids).logits[0].log_softmax(-1)
    answer = ids.shape[1] - len(" Yes")  # the tokenizer's tokens are bytes
    expected = sum(float(logits[i - 1, ids[0, i]]) for i in range(answer, ids.shape[1]))
    prompt, scorer._prompt = scorer._prompt, lambda images, question: question  # type: ignore[method-assign]
    assert scorer.log_likelihood((), "What?", ("Yes",))[0] == pytest.approx(expected, abs=1e-4)
    scorer._prompt = prompt  # type: ignore[method-assign]


class _Sure:
    """Answers with the sentence that has a word in it, if it sees pictures."""

    def __init__(self, word: str) -> None:
        self.word, self.asked = word, 0

    def log_likelihood(self, images: tuple, question: str, answers: tuple[str, ...]) -> list[float]:
        self.asked += 1
        return [5.0 * (self.word in a) if images else 0.0 for a in answers]


@pytest.mark.parametrize("word", ["worked", "Nothing", "fell"])
def test_the_chosen_sentence_becomes_its_delta(word: str) -> None:
    put = Action(Verb.PLACE, "mug_1", "table_2")
    belief = world("mug_1").belief()
    estimate = VlmSource(_Sure(word)).estimate(between(world("mug_1"), put, world()))
    meant = next(a.delta for a in answers_of(put, belief, "vlm") if word in a.text)
    assert estimate.delta == meant
    assert (estimate.success or 0) > 0.9 if word == "worked" else (estimate.success or 0) < 0.1
    assert all(c.p > 0.9 for c in estimate.delta)


def test_the_model_is_not_asked_where_only_one_answer_is_possible() -> None:
    scorer = _Sure("Nothing")
    assert VlmSource(scorer).estimate(between(world(), Action(Verb.LOOK), world())).delta == EMPTY
    assert scorer.asked == 0


def test_every_answer_is_a_delta_that_memory_can_take() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        t, _ = transition(rng)
        for answer in answers_of(t.action, t.belief, "vlm"):
            assert isinstance(answer.delta, Delta)
    walking = answers_of(Action(Verb.NAVIGATE, None, "table_2"), World(dict(POINTS), "mug_1").belief(), "vlm")
    assert {a.worked for a in walking} == {True, False}


def test_a_model_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="image-text-to-text"):
        make_source(f"vlm({tmp_path})")


def test_a_models_name_may_have_a_slash_in_an_arm() -> None:
    arm = parse_arm("vlm(owner/name)/privileged@0.2", 0.0)
    assert (arm.world, arm.task, arm.faults) == ("vlm(owner/name)", "privileged", 0.2)
    assert parse_arm("geometry/schema", 0.0).task == "schema"
    for wrong in ("vlm", "geometry(3)", "vlm()"):
        with pytest.raises(ConfigError):
            parse_arm(wrong, 0.0)
