"""Decoding always gives a well-formed Δ, and the most probable one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.estimator.decode import decode
from mimir_learn.estimator.labels import FIRST_CANDIDATE, TO_ELSEWHERE, TO_HAND
from mimir_learn.symbols import ELSEWHERE, IN_HAND, Delta, Kind, Parent, Relation

from .conftest import SMALL
from .synthetic import with_bowls, world

ATTRIBUTES = SMALL.attributes


def setting(seed: int, holding: bool):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    w = world(rng)
    if holding:
        w.held = "mug_1"
    belief = w.belief()
    return belief, tuple(rng.permutation(sorted(belief.entities)))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.floats(0.1, 12))
def test_random_logits_decode_to_a_well_formed_delta(seed: int, holding: bool, spread: float) -> None:
    belief, ids = setting(seed, holding)
    rng = np.random.default_rng(seed)
    n = len(ids)
    parent = softmax(rng.normal(0, spread, (n, FIRST_CANDIDATE + n)))
    attr = softmax(rng.normal(0, spread, (n, len(ATTRIBUTES), 3)))
    delta, confidence = decode(parent, attr, ids, belief, ATTRIBUTES)
    assert isinstance(delta, Delta) and 0 <= confidence <= 1
    assert all(0 <= c.p <= 1 and c.source == "learned" for c in delta)
    after = belief.snapshot().apply(delta)
    assert sum(p == IN_HAND for p in after.parents.values()) <= 1  # two things never end up in one hand
    for entity, change in delta.parents.items():
        assert belief.entities[entity].entity.kind is Kind.OBJECT
        if change.new not in (IN_HAND, ELSEWHERE):
            assert belief.vocabulary.spec(belief.entities[change.new.id].entity).relation is change.new.relation
    for entity, attribute in delta.states:
        assert attribute in belief.vocabulary.spec(belief.entities[entity].entity).attributes


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.1, 12))
def test_no_thing_ends_up_in_itself(seed: int, spread: float) -> None:
    """With bowls that can hold each other, what memory believes after any answer is still a tree."""
    rng = np.random.default_rng(seed)
    belief = with_bowls(world(rng).belief())
    ids = tuple(e for e in rng.permutation(sorted(belief.entities)) if rng.random() < 0.9)
    n = len(ids)
    parent = softmax(rng.normal(0, spread, (n, FIRST_CANDIDATE + n)))
    delta, _ = decode(parent, softmax(rng.normal(0, 1, (n, len(ATTRIBUTES), 3))), ids, belief, ATTRIBUTES)
    after = belief.snapshot().apply(delta).parents
    for start in after:
        at, steps = start, 0
        while at in after:
            at, steps = after[at].id, steps + 1
            assert steps <= len(after), start


def probabilities(ids: tuple[str, ...], wanted: dict[str, dict[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    n = len(ids)
    parent = np.full((n, FIRST_CANDIDATE + n), 1e-6)
    parent[:, 0] = 1 - 1e-6
    for entity, row in wanted.items():
        i = ids.index(entity)
        parent[i] = 1e-6
        for option, p in row.items():
            parent[i, option] = p
    attr = np.zeros((n, len(ATTRIBUTES), 3))
    attr[..., 0] = 1.0
    return parent, attr


def test_of_two_things_claimed_for_the_hand_the_likelier_is_taken() -> None:
    belief, ids = setting(0, False)
    parent, attr = probabilities(ids, {"mug_1": {0: 0.3, TO_HAND: 0.7}, "mug_2": {0: 0.1, TO_HAND: 0.9}})
    delta, confidence = decode(parent, attr, ids, belief, ATTRIBUTES)
    assert delta.parents["mug_2"].new == IN_HAND and "mug_1" not in delta.parents
    assert delta.hand is not None and delta.hand.new == "mug_2" and abs(delta.hand.p - 0.9) < 1e-6
    assert np.isclose(confidence, 0.9 * 0.3, atol=1e-3)


def test_a_full_hand_must_let_go_before_it_takes() -> None:
    belief, ids = setting(0, True)
    table = FIRST_CANDIDATE + ids.index("table_2")
    parent, attr = probabilities(ids, {"mug_1": {0: 0.9, table: 0.1}, "mug_2": {0: 0.4, TO_HAND: 0.6}})
    assert not decode(parent, attr, ids, belief, ATTRIBUTES)[0]  # 0.9·0.4 beats 0.1·0.6
    parent, attr = probabilities(ids, {"mug_1": {0: 0.55, table: 0.45}, "mug_2": {0: 0.1, TO_HAND: 0.9}})
    delta, _ = decode(parent, attr, ids, belief, ATTRIBUTES)
    assert delta.parents["mug_1"].new == Parent("table_2", Relation.ON) and delta.hand is not None and delta.hand.new == "mug_2"


def test_of_two_bowls_in_each_other_the_less_sure_one_gives_way() -> None:
    belief = with_bowls(world(np.random.default_rng(0)).belief())
    ids = tuple(sorted(belief.entities))
    one, two = (FIRST_CANDIDATE + ids.index(f"bowl_{n}") for n in (1, 2))
    parent, attr = probabilities(ids, {"bowl_1": {two: 0.7, 0: 0.3}, "bowl_2": {one: 0.9, 0: 0.1}})
    delta, confidence = decode(parent, attr, ids, belief, ATTRIBUTES)
    assert set(delta.parents) == {"bowl_2"} and delta.parents["bowl_2"].new == Parent("bowl_1", Relation.IN)
    assert np.isclose(confidence, 0.3 * 0.9, atol=1e-3)


def test_elsewhere_and_wrong_memory() -> None:
    belief, ids = setting(0, False)
    parent, attr = probabilities(ids, {"apple_1": {TO_ELSEWHERE: 0.8, 0: 0.2}})
    assert decode(parent, attr, ids, belief, ATTRIBUTES)[0].parents["apple_1"].new == ELSEWHERE
    already = belief.entities["apple_1"].parent
    assert already is not None
    parent, attr = probabilities(ids, {"apple_1": {FIRST_CANDIDATE + ids.index(already.id): 0.9, 0: 0.1}})
    change = decode(parent, attr, ids, belief, ATTRIBUTES)[0].parents["apple_1"]
    assert change.new == already and change.old == ELSEWHERE  # it came from where memory did not know
