"""Δ quality, defined once: every source is scored by these functions on the same transitions (evaluation imports them).

Atom matching: predicted and true changes are compared by what they make true (`Delta.atoms`). A true new parent that memory did not
know before the action counts as ELSEWHERE, for every source alike, since one that reads memory could not have named it; whoever names
it all the same is right too. Headline numbers count all true changes, also exogenous ones in rooms the robot does not see; the
``visible.`` numbers leave the entities so changed out, of the truth and of the answer alike. A source that answers the truth scores 1
on every quality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mimir_learn.symbols import ELSEWHERE, MANIPULATIONS, Delta

Atom = tuple[str, str, str, str]
KINDS = ("relation", "state", "hand")


@dataclass(frozen=True)
class Scored:
    """One transition with a source's answer.

    Attributes:
        true, predicted: the two Δs.
        confidence: the source's probability that its whole answer is right.
        verb: of the action. fault: kind of injected fault, "" for none.
        known: ids memory knew before the action.
        unseen: ids changed by someone else that are in neither frame.
        did: whether the action truly did what it says.
        success: the source's probability of that, None when it has no opinion.
        refused: the environment refused the action (`labels.refused`): nothing was tried.
        moved: all ids changed by someone else; without ``unseen`` they are those in view of either frame or named by the action.
        novel: whether a thing the action names looks as none in a training house does; None where it names no thing.
        holders: ids of things that hold things, as far as memory knows them.
    """

    true: Delta
    predicted: Delta
    confidence: float = 1.0
    verb: str = ""
    fault: str = ""
    known: frozenset[str] | None = None
    unseen: frozenset[str] = frozenset()
    did: bool | None = None
    success: float | None = None
    refused: bool = False
    moved: frozenset[str] = frozenset()
    novel: bool | None = None
    holders: frozenset[str] = frozenset()

    def true_atoms(self, visible_only: bool = False) -> frozenset[Atom]:
        """True atoms under the matching rule above."""
        return self._matched(self.true.atoms, visible_only)

    def predicted_atoms(self, visible_only: bool = False) -> frozenset[Atom]:
        """Predicted atoms under the same rule."""
        return self._matched(self.predicted.atoms, visible_only)

    def exact(self, visible_only: bool = False) -> bool:
        """Whether the answer is the truth, nothing missing and nothing added."""
        return self.predicted_atoms(visible_only) == self.true_atoms(visible_only)

    def judged_changes(self) -> list[tuple[float, bool]]:
        """(probability, whether right) of every predicted change."""
        true = self.true_atoms()
        return [(c.p, self.matches(c.atom, true)) for c in self.predicted]

    def matches(self, atom: Atom, true: frozenset[Atom]) -> bool:
        """Whether a predicted atom is among the `true_atoms`, under the matching rule above."""
        return self._match(atom) in true

    def exogenous_atoms(self) -> frozenset[Atom]:
        """True atoms of things that someone else changed in view."""
        return frozenset(a for a in self.true_atoms() if a[1] in self.moved - self.unseen)

    def _matched(self, atoms: Iterable[Atom], visible_only: bool) -> frozenset[Atom]:
        return frozenset(self._match(a) for a in atoms if not (visible_only and a[1] in self.unseen))

    def _match(self, atom: Atom) -> Atom:
        kind, entity, relation, value = atom
        unknown = kind == "relation" and self.known is not None and value not in self.known and relation != "held"
        return (kind, entity, ELSEWHERE.relation.value, ELSEWHERE.id) if unknown and atom in self.true.atoms else atom


def counts(items: Iterable[Scored], kinds: Iterable[str] = KINDS, visible_only: bool = False) -> tuple[int, int, int]:
    """(hits, predicted, true) changed atoms of some kinds."""
    hits = predicted = true = 0
    wanted = frozenset(kinds)
    for item in items:
        t = {a for a in item.true_atoms(visible_only) if a[0] in wanted}
        p = {a for a in item.predicted_atoms(visible_only) if a[0] in wanted}
        hits, predicted, true = hits + len(t & p), predicted + len(p), true + len(t)
    return hits, predicted, true


def change_kinds(items: Sequence[Scored]) -> dict[str, float]:
    """``change.<kind>.f1`` and ``….n`` (true atoms) per kind of change that occurs or is claimed.

    Kinds: ``state.<attribute>``; ``grasp`` (into the hand), ``place`` (to a place), ``nest`` (into or onto a thing), ``floor``,
    ``elsewhere``.
    """
    sums: dict[str, list[int]] = {}
    for item in items:
        t, p = item.true_atoms(), item.predicted_atoms()
        for column, atoms in enumerate((t & p, p, t)):
            for atom in atoms:
                if (kind := _kind(atom, item.holders)) is not None:
                    sums.setdefault(kind, [0, 0, 0])[column] += 1
    out: dict[str, float] = {}
    for kind, (hits, predicted, true) in sorted(sums.items()):
        out |= {f"change.{kind}.f1": f1(hits, predicted, true), f"change.{kind}.n": float(true)}
    return out


_RELATION_KIND = {"held": "grasp", "room": "floor", ELSEWHERE.relation.value: "elsewhere"}


def _kind(atom: Atom, holders: frozenset[str]) -> str | None:
    kind, _, what, value = atom
    if kind == "state":
        return f"state.{what}"
    if kind == "hand":  # implied by a relation
        return None
    return _RELATION_KIND.get(what, "nest" if value in holders else "place")


def f1(hits: int, predicted: int, true: int) -> float:
    """Micro F1; 1 when there was nothing to find and nothing was claimed."""
    return 1.0 if predicted + true == 0 else 2 * hits / (predicted + true)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _core(items: Sequence[Scored], visible_only: bool = False) -> dict[str, float]:
    hits, predicted, true = counts(items, visible_only=visible_only)
    quiet = [i for i in items if not i.true_atoms(visible_only)]
    return {
        "n": float(len(items)),
        "changed_atom_precision": _ratio(hits, predicted),
        "changed_atom_recall": _ratio(hits, true),
        "changed_atom_f1": f1(hits, predicted, true),
        "changed_atom_f1_no_hand": f1(*counts(items, ("relation", "state"), visible_only)),
        "exact_delta": _ratio(sum(i.exact(visible_only) for i in items), len(items)),
        "false_change_rate": _ratio(sum(bool(i.predicted_atoms(visible_only)) for i in quiet), len(quiet)),
        "no_ops": float(len(quiet)),
    }


def false_changes_of_manipulations(items: Iterable[Scored]) -> dict[str, float]:
    """How often a change is claimed after a pick, place, open, close, toggle or slice that was not refused and truly changed nothing.

    Harder than ``false_change_rate``, whose no-ops are mostly navigation, looks and refusals.
    """
    quiet = [i for i in items if i.verb in MANIPULATIONS and not i.refused and not i.true_atoms()]
    rate = _ratio(sum(bool(i.predicted_atoms()) for i in quiet), len(quiet))
    return {"false_change_rate_manipulation": rate, "false_change_rate_manipulation_n": float(len(quiet))}


def exogenous_recall(items: Iterable[Scored]) -> dict[str, float]:
    """Share of the atoms changed by someone else in view that the source found, and how many there were."""
    pairs = [(i.exogenous_atoms(), i.predicted_atoms()) for i in items]
    n = sum(len(t) for t, _ in pairs)
    return {"exogenous_recall_visible": _ratio(sum(len(t & p) for t, p in pairs), n), "exogenous_recall_visible_n": float(n)}


def outcome_accuracy(items: Iterable[Scored]) -> float:
    """Balanced accuracy of "the action did what it says"; NaN when the source has no opinion or one class is absent."""
    rated = [(i.did, i.success >= 0.5) for i in items if i.did is not None and i.success is not None]
    sides = [[said == did for did, said in rated if did is side] for side in (True, False)]
    return float("nan") if not all(sides) else float(np.mean([np.mean(s) for s in sides]))


def calibration(probabilities: Sequence[float], correct: Sequence[bool], bins: int = 15) -> dict[str, float]:
    """ECE (l1, equal-width bins, torchmetrics' definition) and Brier score of probabilities of being right."""
    if not len(probabilities):
        return {"ece": float("nan"), "brier": float("nan")}
    import torch
    from torchmetrics.functional.classification import binary_calibration_error

    p, y = torch.tensor(list(probabilities), dtype=torch.float64), torch.tensor(list(correct), dtype=torch.int64)
    ece = float(binary_calibration_error(p, y, n_bins=bins, norm="l1"))
    return {"ece": ece, "brier": float(((p - y) ** 2).mean())}


def risk_coverage(items: Iterable[Scored], risks: Sequence[float] = (0.005, 0.01, 0.02)) -> dict[str, float]:
    """AURC over predicted changes ranked by probability, and the share of them that can be written with at most that share wrong."""
    ranked = sorted((c for i in items for c in i.judged_changes()), key=lambda x: -x[0])
    if not ranked:
        return {"aurc": float("nan")} | {f"coverage_at_{r:g}": 0.0 for r in risks}
    right = np.cumsum([ok for _, ok in ranked])
    written = np.arange(1, len(ranked) + 1)
    risk_n = (written - right) / written
    out = {"aurc": float(risk_n.mean())}
    for r in risks:
        good = np.flatnonzero(risk_n <= r)
        out[f"coverage_at_{r:g}"] = float((good[-1] + 1) / len(ranked)) if good.size else 0.0
    return out


def score(items: Iterable[Scored]) -> dict[str, float]:
    """All Δ-quality numbers as one flat dict.

    Keys: ``changed_atom_{precision,recall,f1}``, ``changed_atom_f1_no_hand`` (every grasp and release counts once instead of twice),
    ``exact_delta``, ``false_change_rate``, ``n``, ``no_ops``; the same under ``visible.``; ``false_change_rate_manipulation`` and
    ``exogenous_recall_visible``, each with ``…_n``; ``f1.<kind>``; ``outcome_balanced_accuracy``; ``ece``, ``brier`` of changes,
    ``exact_ece``, ``exact_brier`` of whole answers; ``aurc``, ``coverage_at_*``; ``change.<kind>.…`` (see `change_kinds`); and the core
    numbers per ``fault.<kind>.`` (``fault.none.`` = no fault), per ``verb.<verb>.``, and, of actions that name a thing, under
    ``appearance.novel.`` where such a thing looks as none in a training house does, else ``appearance.seen.``.

    A transition is filed under its own fault, so ``fault.slip.``, ``fault.stuck.`` and the like also hold the few exogenous changes that
    happened to coincide with one; ``fault.exogenous.`` has only those that came alone.
    """
    rows = list(items)
    out = _core(rows)
    out |= {f"visible.{k}": v for k, v in _core(rows, visible_only=True).items()}
    out |= {f"f1.{kind}": f1(*counts(rows, (kind,))) for kind in KINDS}
    out["outcome_balanced_accuracy"] = outcome_accuracy(rows)
    out |= false_changes_of_manipulations(rows) | exogenous_recall(rows)
    changes = [c for i in rows for c in i.judged_changes()]
    out |= calibration([p for p, _ in changes], [ok for _, ok in changes])
    whole = calibration([i.confidence for i in rows], [i.exact() for i in rows])
    out |= {f"exact_{k}": v for k, v in whole.items()}
    out |= risk_coverage(rows) | change_kinds(rows)
    groups: list[tuple[str, Callable[[Scored], str | None]]] = [
        ("fault", lambda i: i.fault or "none"), ("verb", lambda i: i.verb),
        ("appearance", lambda i: None if i.novel is None else "novel" if i.novel else "seen"),
    ]  # fmt: skip
    for prefix, of in groups:
        for value in sorted({v for i in rows if (v := of(i)) is not None}):
            part = [i for i in rows if of(i) == value]
            out |= {f"{prefix}.{value}.{k}": v for k, v in _core(part).items()}
            out[f"{prefix}.{value}.outcome_balanced_accuracy"] = outcome_accuracy(part)
    return out
