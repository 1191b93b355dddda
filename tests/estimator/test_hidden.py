"""What `EstimatorConfig.hidden` names reaches the network in no form: changing it leaves the logits bitwise what they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.estimator import DeltaEstimator, EstimatorConfig, build_input
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.config import HIDEABLE
from mimir_learn.estimator.hidden import hide
from mimir_learn.symbols import IN_HAND, Action, Kind, Observation, Parent, Relation, Transition, Verb

from .conftest import SMALL
from .synthetic import transition, with_bowls

Rng = np.random.Generator
ROOMY = replace(SMALL, candidates=16)  # everything of the toy world is a candidate, whatever the action


def _model(hidden: tuple[str, ...] = (), head: str = "factored") -> DeltaEstimator:
    torch.manual_seed(3)
    model = DeltaEstimator(replace(SMALL, hidden=hidden, head=head)).eval()
    with torch.no_grad():  # kin biases start at zero: an untouched one could not betray a parent
        for p in model.parameters():
            p.add_(0.05 * torch.randn(p.shape))
    return model


MODELS = {h: _model((h,)) for h in HIDEABLE}
LISTING = {h: _model((h,), "hypotheses") for h in HIDEABLE if h != "action"}  # outcomes are listed from the action
PLAIN = _model()


def _recoloured(frame: Observation, rng: Rng) -> Observation:
    return replace(frame, rgb=rng.integers(0, 256, frame.rgb.shape, dtype=np.uint8))


def _other_depth(frame: Observation, rng: Rng) -> Observation:
    return replace(frame, depth=rng.uniform(0.1, 5.0, frame.depth.shape).astype(np.float32))


def _other_action(t: Transition, rng: Rng) -> Transition:
    things = sorted(e for e, b in t.belief.entities.items() if b.entity.kind is Kind.OBJECT)
    places = sorted(e for e, b in t.belief.entities.items() if b.entity.kind is Kind.RECEPTACLE)
    thing, place = str(rng.choice(things)), str(rng.choice(places))
    choices = [
        Action(Verb.PICK, thing), Action(Verb.PLACE, thing, place), Action(Verb.OPEN, None, "fridge_1"), Action(Verb.TOGGLE_ON, "lamp_1"),
        Action(Verb.NAVIGATE, None, place), Action(Verb.NAVIGATE, thing), Action(Verb.LOOK), Action(Verb.SLICE, thing),
    ]  # fmt: skip
    return replace(t, action=choices[int(rng.integers(len(choices)))])


def _other_parents(t: Transition, rng: Rng) -> Transition:
    places = sorted(e for e, b in t.belief.entities.items() if b.entity.kind is Kind.RECEPTACLE)
    out, held = {}, str(rng.choice(["mug_1", "mug_2", "apple_1", "none"]))
    for e, b in t.belief.entities.items():
        parent = b.parent
        if b.entity.kind is Kind.OBJECT:
            where = Parent(str(rng.choice(places)), Relation.ON) if rng.random() < 0.8 else None
            parent = IN_HAND if e == held else where
        out[e] = replace(b, parent=parent)
    return replace(t, belief=replace(t.belief, entities=out))


CHANGE: dict[str, Callable[[Transition, Rng], Transition]] = {
    "before": lambda t, rng: replace(t, before=_other_depth(_recoloured(t.before, rng), rng)),
    "after": lambda t, rng: replace(t, after=_other_depth(_recoloured(t.after, rng), rng)),
    "rgb": lambda t, rng: replace(t, before=_recoloured(t.before, rng), after=_recoloured(t.after, rng)),
    "depth": lambda t, rng: replace(t, before=_other_depth(t.before, rng), after=_other_depth(t.after, rng)),
    "action": _other_action,
    "parent": _other_parents,
}


def _logits(model: DeltaEstimator, t: Transition) -> dict[str, torch.Tensor]:
    with torch.inference_mode():
        return model(collate([build_input(t, model.config)], model.config))


@pytest.mark.parametrize("name", HIDEABLE)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_any_change_of_a_hidden_input_leaves_every_logit_as_it_was(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, _ = transition(rng)
    if rng.random() < 0.5:
        first = replace(first, belief=with_bowls(first.belief))
    second = CHANGE[name](first, rng)
    for model in (MODELS[name], LISTING.get(name, MODELS[name])):
        said, again = _logits(model, first), _logits(model, second)
        assert all(torch.equal(said[k], again[k]) for k in said)


@pytest.mark.parametrize("name", HIDEABLE)
def test_without_hiding_the_same_changes_are_seen(name: str) -> None:
    rng = np.random.default_rng(5)
    differ = 0
    for _ in range(8):
        first, _ = transition(rng)
        a, b = _logits(PLAIN, first), _logits(PLAIN, CHANGE[name](first, rng))
        differ += any(not torch.equal(a[k], b[k]) for k in a)
    assert differ >= 6  # another action or other parents may by chance be the same


@pytest.mark.parametrize("name", ["action", "parent"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_hiding_in_the_batch_is_what_input_building_would_have_made(name: str, seed: int) -> None:
    """Apart from which entities are chosen and in which order: compared as sets of rows where all of them fit."""
    rng = np.random.default_rng(seed)
    t, _ = transition(rng)
    if rng.random() < 0.5:
        t = replace(t, belief=with_bowls(t.belief))
    t = _other_action(t, rng)
    config = replace(ROOMY, hidden=(name,))
    late = hide(collate([build_input(t, ROOMY)], ROOMY), config)
    early = collate([build_input(t, config)], config)
    keys = ("name", "feature", "view", "mask", "movable", "holds", "attr_known", "attr_value")
    rows = [
        sorted(tuple(np.concatenate([np.asarray(b[k][0, i], dtype=np.float64).ravel() for k in keys]).tolist()) for i in range(16))
        for b in (late, early)
    ]
    assert rows[0] == rows[1]
    assert torch.equal(late["verb"], early["verb"])
    assert len(late["close_slot"]) == len(early["close_slot"])


def test_hiding_changes_no_tensor_of_the_batch_it_gets(batch: dict[str, torch.Tensor]) -> None:
    kept = {k: v.clone() for k, v in batch.items()}
    hide(batch, replace(SMALL, hidden=HIDEABLE))
    assert all(torch.equal(kept[k], batch[k]) for k in kept)


def test_everything_hidden_still_trains(batch: dict[str, torch.Tensor]) -> None:
    from mimir_learn.estimator.criterion import criterion

    model = DeltaEstimator(replace(SMALL, hidden=HIDEABLE))
    loss = criterion(model(batch), batch)["loss"]
    loss.backward()
    assert torch.isfinite(loss)


def test_only_action_and_parents_need_samples_of_their_own() -> None:
    plain = EstimatorConfig()
    for name in HIDEABLE:
        assert (replace(plain, hidden=(name,)).input_key() == plain.input_key()) == (name not in ("action", "parent"))
