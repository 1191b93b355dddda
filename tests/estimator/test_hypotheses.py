"""The hypotheses head: what it lists, what it aims at, and that its answer is a well-formed Δ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig, build_with_ids, hypotheses
from mimir_learn.estimator.batch import collate
from mimir_learn.estimator.criterion import criterion, probabilities
from mimir_learn.estimator.decode import decode, decode_hypotheses
from mimir_learn.estimator.hypotheses import FIRST_TAKEN, NOMINAL, NOTHING, OTHER, SPILLED
from mimir_learn.estimator.labels import targets
from mimir_learn.estimator.predict import Predictor
from mimir_learn.symbols import (
    ELSEWHERE,
    IN_HAND,
    Action,
    Belief,
    Delta,
    Outcome,
    Parent,
    ParentChange,
    Relation,
    StateChange,
    Transition,
    Verb,
)

from .conftest import SMALL
from .synthetic import World, transition, with_bowls
from .test_model import shuffled

CONFIG = replace(SMALL, head="hypotheses")
K = CONFIG.candidates
MOVED, BROKEN = FIRST_TAKEN + K, FIRST_TAKEN + 2 * K + 1


def sample(tr: Transition, delta: Delta) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    ids, arrays = build_with_ids(tr, CONFIG)
    return ids, {**arrays, **targets(delta, ids, tr.action, tr.belief, CONFIG), "y_find": np.array([-1, -1])}


def certain(items: list[dict[str, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The truth as probabilities of the factored head."""
    parent = np.stack([np.eye(3 + K)[s["y_parent"]] for s in items])
    return parent, np.stack([np.eye(3)[s["y_attr"]] for s in items])


def bowls() -> tuple[World, Belief]:
    w = World({"mug_1": np.array([0.3, 0.6, 0.65]), "apple_1": np.array([-0.3, 0.6, 0.65])})
    return w, with_bowls(w.belief())


def test_the_listed_outcomes_and_their_targets() -> None:
    """Every kind of outcome of a pick, a put, a switch and a pour, against the option it should be."""
    w, belief = bowls()
    bare = w.belief()
    on_1, on_2, floor = Parent("table_1", Relation.ON), Parent("table_2", Relation.ON), Parent("kitchen_1", Relation.ROOM)
    full = replace(belief, entities={**belief.entities, "bowl_1": replace(belief.entities["bowl_1"], attributes={"filled": True})})
    broke, dry = StateChange("bowl_1", "broken", False, True), StateChange("bowl_1", "filled", True, False)
    put, pick = Action(Verb.PLACE, "bowl_1", "table_1"), Action(Verb.PICK, "mug_1")
    pour, lamp = Action(Verb.POUR, "bowl_1", "bowl_2"), Action(Verb.TOGGLE_ON, "lamp_1")
    fills = StateChange("bowl_2", "filled", False, True)

    def move(entity: str, old: Parent, new: Parent) -> ParentChange:
        return ParentChange(entity, old, new)

    cases: list[tuple[Belief, Action, Delta, str | int]] = [
        (bare, pick, Delta(), NOTHING),
        (bare, pick, Delta([move("mug_1", on_2, IN_HAND)]), "take mug_1"),
        (bare, pick, Delta([move("apple_1", on_1, IN_HAND)]), "take apple_1"),
        (belief, put, Delta(), NOTHING),
        (belief, put, Delta([move("bowl_1", IN_HAND, on_1)]), "move table_1"),
        (belief, put, Delta([move("bowl_1", IN_HAND, on_2)]), "move table_2"),
        (belief, put, Delta([move("bowl_1", IN_HAND, floor)]), "move kitchen_1"),
        (belief, put, Delta([move("bowl_1", IN_HAND, ELSEWHERE)]), MOVED + K),
        (belief, put, Delta([move("bowl_1", IN_HAND, floor), broke]), "break kitchen_1"),
        (full, put, Delta([move("bowl_1", IN_HAND, floor), broke, dry]), "break kitchen_1"),
        (belief, Action(Verb.NAVIGATE, None, "table_2"), Delta([move("bowl_1", IN_HAND, floor)]), "move kitchen_1"),
        (belief, put, Delta([broke]), OTHER),
        (belief, put, Delta([move("bowl_1", IN_HAND, on_1), move("mug_1", on_2, IN_HAND)]), OTHER),
        (bare, lamp, Delta(), NOTHING),
        (bare, lamp, Delta([StateChange("lamp_1", "on", False, True)]), NOMINAL),
        (bare, Action(Verb.OPEN, None, "fridge_1"), Delta([StateChange("fridge_1", "open", False, True)]), NOMINAL),
        (full, pour, Delta([dry, fills]), NOMINAL),
        (full, pour, Delta([dry]), SPILLED),
        (full, pour, Delta([fills]), NOTHING),  # filled by someone else at that moment: a side effect
        (bare, Action(Verb.LOOK), Delta([StateChange("fridge_1", "open", False, True)]), NOTHING),
    ]  # fmt: skip
    for now, action, delta, expected in cases:
        tr = Transition(w.frame(), action, w.frame(), Outcome(True, ""), now)
        ids, arrays = sample(tr, delta)
        batch = collate([arrays], CONFIG)
        if isinstance(expected, str):
            what, entity = expected.split()
            expected = {"take": FIRST_TAKEN, "move": MOVED, "break": BROKEN}[what] + ids.index(entity)
        assert hypotheses.targets(batch).tolist() == [expected], (action, delta)
        if expected != OTHER:  # the option alone writes every primary fact, whatever the factored head thinks of them
            parent, attr = certain([arrays])
            facts = hypotheses.primary(batch)
            chosen = np.full(hypotheses.count(K), 0.1 / hypotheses.count(K))
            chosen[expected] = 0.9
            wrong = hypotheses.impose(NOTHING, parent[0], attr[0], facts, 0)
            if expected == NOTHING:
                wrong = (parent[0], attr[0])
            said, confidence = decode_hypotheses(chosen, *wrong, facts, 0, ids, now, CONFIG.attributes)
            truth, _ = decode(parent[0], attr[0], ids, now, CONFIG.attributes)
            side = fills if fills in delta and expected == NOTHING else None
            assert said.atoms == Delta(c for c in truth if side is None or c.key != side.key).atoms
            own = hypotheses.primary_keys(expected, facts, 0, ids, CONFIG.attributes) | {("hand", "hand")}
            assert np.isclose(confidence, 0.9) and all(np.isclose(c.p, 0.9) == (c.key in own) for c in said)


def test_a_target_is_always_legal_and_agrees_with_the_truth() -> None:
    rng = np.random.default_rng(3)
    pairs = [transition(rng) for _ in range(60)]
    built = [sample(tr, delta) for tr, delta in pairs]
    batch = collate([a for _, a in built], CONFIG)
    y, legal = hypotheses.targets(batch), hypotheses.legal(batch)
    assert legal[torch.arange(len(y)), y].all() and (y != OTHER).all() and len(set(y.tolist())) > 5
    facts = hypotheses.primary(batch)
    parent, attr = certain([a for _, a in built])
    for i, ((tr, delta), (ids, _)) in enumerate(zip(pairs, built, strict=True)):
        chosen = np.eye(hypotheses.count(K))[y[i]]
        said, confidence = decode_hypotheses(chosen, parent[i], attr[i], facts, i, ids, tr.belief, CONFIG.attributes)
        assert said.atoms == delta.atoms and confidence == pytest.approx(1.0)


def test_any_probabilities_give_a_well_formed_delta_with_the_probability_of_its_outcome() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        tr, delta = transition(rng)
        ids, arrays = sample(tr, delta)
        batch = collate([arrays], CONFIG)
        parent, attr = rng.dirichlet(np.ones(3 + K), K), rng.dirichlet(np.ones(3), (K, len(CONFIG.attributes)))
        p = rng.dirichlet(np.ones(hypotheses.count(K))) * hypotheses.legal(batch)[0].numpy()
        said, confidence = decode_hypotheses(p, parent, attr, hypotheses.primary(batch), 0, ids, tr.belief, CONFIG.attributes)
        assert (isinstance(said, Delta) and 0 <= confidence <= max(p.max(), 1e-9)) or int(p.argmax()) == OTHER


def test_scores_do_not_depend_on_the_order_of_candidates(samples: list[dict[str, np.ndarray]]) -> None:
    torch.manual_seed(0)
    model = DeltaEstimator(CONFIG).eval()
    order = np.random.default_rng(1).permutation(K)
    with torch.no_grad():
        a = model(collate(samples[:4], CONFIG))["hypothesis"]
        b = model(collate([shuffled(s, order) for s in samples[:4]], CONFIG))["hypothesis"]
    place = np.append(order, K)
    columns = np.concatenate([np.arange(FIRST_TAKEN), FIRST_TAKEN + order, MOVED + place, BROKEN + place])
    assert torch.allclose(a[:, columns], b, atol=1e-4)


def test_it_trains_beside_the_factored_head_and_survives_export(samples: list[dict[str, np.ndarray]], tmp_path) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    model, batch = DeltaEstimator(CONFIG), collate(samples, CONFIG)
    losses = criterion(model(batch), batch)
    losses["loss"].backward()
    assert losses["hypothesis"] > 0 and all(p.grad is not None and torch.isfinite(p.grad).all() for p in model.parameters())
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(120):
        optimiser.zero_grad()
        criterion(model(batch), batch)["loss"].backward()
        optimiser.step()
    p = probabilities(model.eval()(batch))["hypothesis"]
    assert (p.argmax(-1) == hypotheses.targets(batch)).all() and torch.allclose(p.sum(-1), torch.ones(len(p)))
    folder = model.save_pretrained(tmp_path / "model")
    tr, _ = transition(np.random.default_rng(0))
    first, again = Predictor(model).estimate(tr), Predictor.load(folder).estimate(tr)
    assert first.delta == again.delta and first.confidence == again.confidence


def test_nothing_to_list_without_the_action() -> None:
    with pytest.raises(ConfigError, match="head=factored"):
        EstimatorConfig(head="hypotheses", hidden=("action",))


def test_an_old_config_means_the_old_input_and_network() -> None:
    body = {k: v for k, v in SMALL.to_dict().items() if k not in ("input_version", "landing", "head")}
    old = EstimatorConfig.from_dict({**body, "schema_version": 2})
    assert (old.input_version, old.landing, old.head) == (2, False, "factored")
    assert DeltaEstimator(old).landing is None and old.input_key() != SMALL.input_key()
    assert EstimatorConfig.from_dict(SMALL.to_dict()) == SMALL
    with pytest.raises(CheckpointError):
        EstimatorConfig.from_dict({**body, "schema_version": 2, "landings": True})
