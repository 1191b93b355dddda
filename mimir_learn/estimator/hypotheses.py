"""The hypotheses head: one softmax over the finite set of things an action can have done to the hand and to what it is meant to change.

An action touches few *primary facts*: which thing is in the hand, where the held thing is, and the attributes the verb sets
(`mimir_learn.symbols.EFFECT`). Over them the possible outcomes can be listed: nothing, the nominal effect, a pour that misses, thing k in
the hand now (k named: a grasp; another: the wrong instance), the held thing is now at j (the target; another place: beside, misplaced; a
room: dropped), the same but broken, and anything else. Kinds of fault are not told apart where their Δ is the same: a slip, a stuck door, a
door ajar, an unfilled cup and a thing that stayed in the hand are all "nothing". Side effects and what other people do are not primary; the
factored head says them, and also answers where "anything else" wins.

Layout of the H = 4 + 3 K + 2 options: `NOTHING`, `NOMINAL`, `SPILLED`, `OTHER`, K × thing k taken, K + 1 × held thing moved to candidate
j or elsewhere, K + 1 × the same and broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mimir_learn.estimator.candidates import ROLES
from mimir_learn.estimator.config import VERBS, VISIBLE_ATTRIBUTES, EstimatorConfig
from mimir_learn.estimator.inputs import KINDS
from mimir_learn.estimator.labels import CLEAR, FIRST_CANDIDATE, KEEP, SET, TO_ELSEWHERE, TO_HAND, UNCHANGED
from mimir_learn.symbols import EFFECT, Verb

NOTHING, NOMINAL, SPILLED, OTHER, FIRST_TAKEN = 0, 1, 2, 3, 4
_MASKED = -1e4
Batch = Mapping[str, Tensor]


def count(k: int) -> int:
    """H for K candidates."""
    return FIRST_TAKEN + 3 * k + 2


def _role(name: str) -> int:
    return len(KINDS) + ROLES.index(name)


@dataclass(frozen=True)
class Primary:
    """Rows and columns of the primary facts of a batch; a row is −1 where there is none.

    Attributes:
        held: the thing in the hand, as memory believes. subject: what the verb changes. receiver: the vessel a pour is meant to fill.
        attribute: column of the attribute that the verb sets, −1 for none. value: `SET` or `CLEAR`.
        broken, filled: columns of these attributes.
        pours: whether the verb pours. k: number of candidates.
    """

    held: Tensor
    subject: Tensor
    receiver: Tensor
    attribute: Tensor
    value: Tensor
    broken: int
    filled: int
    pours: Tensor
    k: int


def primary(batch: Batch) -> Primary:
    """Read off a collated batch: roles, verb, what memory knows. All tensors (B,) int64 but ``pours`` bool."""
    feature, mask, verb = batch["feature"], batch["mask"], batch["verb"]
    row = {r: _first((feature[..., _role(r)] > 0) & mask) for r in ("held", "acted_object", "acted_receptacle")}
    table = torch.full((len(VERBS), 2), -1, device=verb.device)
    for effect, (name, value) in EFFECT.items():
        table[VERBS.index(effect.value)] = torch.tensor([VISIBLE_ATTRIBUTES.index(name), SET if value else CLEAR])
    broken, filled = VISIBLE_ATTRIBUTES.index("broken"), VISIBLE_ATTRIBUTES.index("filled")
    rows = torch.arange(len(verb), device=verb.device)

    def verb_is(*verbs: Verb) -> Tensor:
        return torch.isin(verb, torch.tensor([VERBS.index(v.value) for v in verbs], device=verb.device))

    subject = torch.where(verb_is(Verb.OPEN, Verb.CLOSE), row["acted_receptacle"], row["acted_object"])
    attribute = table[verb, 0]
    can = (subject >= 0) & (attribute >= 0) & batch["attr_mask"][rows, subject.clamp(min=0), attribute.clamp(min=0)]
    pours, none = verb_is(Verb.POUR), torch.full_like(subject, -1)
    at = (rows, row["acted_receptacle"].clamp(min=0), filled)
    empty = batch["attr_mask"][at] & ~(batch["attr_known"][at] & batch["attr_value"][at])
    gets = pours & (row["acted_receptacle"] >= 0) & (row["acted_receptacle"] != row["acted_object"]) & empty
    return Primary(
        row["held"], torch.where(can, subject, none), torch.where(gets, row["acted_receptacle"], none), torch.where(can, attribute, none),
        table[verb, 1], broken, filled, pours, mask.shape[1],
    )  # fmt: skip


def _first(flag_BK: Tensor) -> Tensor:
    return torch.where(flag_BK.any(1), flag_BK.int().argmax(1), -1)


def legal(batch: Batch, facts: Primary | None = None) -> Tensor:
    """(B, H): which outcomes the action can have had as far as memory knows."""
    p = facts or primary(batch)
    mask, k = batch["mask"], batch["mask"].shape[1]
    out = torch.zeros(mask.shape[0], count(k), dtype=torch.bool, device=mask.device)
    out[:, NOTHING] = out[:, OTHER] = True
    out[:, NOMINAL] = p.subject >= 0
    out[:, SPILLED] = (p.receiver >= 0) & (p.subject >= 0)
    holding = p.held >= 0
    out[:, FIRST_TAKEN : FIRST_TAKEN + k] = batch["movable"] & mask & ~holding[:, None]
    goes = batch["holds"] & mask & holding[:, None]
    goes[torch.arange(len(goes), device=goes.device), p.held.clamp(min=0)] = False
    goes = torch.cat([goes, holding[:, None]], 1)
    first = FIRST_TAKEN + k
    out[:, first : first + k + 1] = goes
    breakable = batch["attr_mask"][torch.arange(len(goes), device=goes.device), p.held.clamp(min=0), p.broken] & holding
    out[:, first + k + 1 :] = goes & breakable[:, None]
    return out


def targets(batch: Batch) -> Tensor:
    """(B,) index of the outcome that agrees with the true Δ on the primary facts, `OTHER` where none does."""
    p = primary(batch)
    y_parent, y_attr = batch["y_parent"], batch["y_attr"]
    n, k = y_parent.shape
    rows = torch.arange(n, device=y_parent.device)
    is_held = torch.arange(k, device=y_parent.device) == p.held[:, None]
    taken = (y_parent == TO_HAND) & ~is_held
    went = torch.where(p.held >= 0, y_parent[rows, p.held.clamp(min=0)], UNCHANGED)
    state = torch.where(p.subject >= 0, y_attr[rows, p.subject.clamp(min=0), p.attribute.clamp(min=0)], KEEP)
    broke = (y_attr[rows, p.held.clamp(min=0), p.broken] == SET) & (p.held >= 0)
    fills = (y_attr[rows, p.receiver.clamp(min=0), p.filled] == SET) & (p.receiver >= 0)
    did, spilled = (state == p.value) & (p.subject >= 0), p.pours & (state == p.value) & ~fills & (p.receiver >= 0)
    target = torch.where(did & ~spilled, NOMINAL, torch.where(spilled, SPILLED, NOTHING))
    target = torch.where((state != KEEP) & ~did, OTHER, target)
    takes, leaves = taken.any(1), went != UNCHANGED
    place = torch.where(went == TO_ELSEWHERE, k, went - FIRST_CANDIDATE)
    moved = FIRST_TAKEN + k + place + broke.long() * (k + 1)
    target = torch.where(takes, torch.where(state == KEEP, FIRST_TAKEN + taken.int().argmax(1), OTHER), target)
    settled = broke & (p.attribute == p.filled) | (state == KEEP)  # what breaks loses its liquid
    target = torch.where(leaves, torch.where(settled, moved, OTHER), target)
    target = torch.where((takes & leaves) | (taken.sum(1) > 1) | (broke & ~leaves), OTHER, target)
    possible = legal(batch, p)[rows, target.clamp(0, count(k) - 1)]
    return torch.where(possible, target, OTHER)


class HypothesisHead(nn.Module):
    """Scores every outcome from the entities it touches."""

    def __init__(self, config: EstimatorConfig) -> None:
        super().__init__()
        d = config.dim
        self.fixed = nn.Sequential(nn.Linear(2 * d, d), nn.GELU(), nn.Linear(d, 4))
        self.subject = nn.Linear(d, 2)
        self.taken = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 1))
        self.taken_from, self.taken_to = nn.Linear(d, d), nn.Linear(d, d)
        self.place = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 1))
        self.place_from, self.place_to = nn.Linear(d, d), nn.Linear(d, d)
        self.gone = nn.Linear(d, 2)  # elsewhere, broken
        with torch.no_grad():
            last: nn.Linear = self.fixed[-1]  # type: ignore[assignment]
            last.bias[NOTHING] += 3.0

    def forward(
        self, entity_BKD: Tensor, hand_BD: Tensor, action_BD: Tensor, same_BK: Tensor, room_BK: Tensor | None, batch: Batch
    ) -> Tensor:
        """→ fp32 logits (B, H); impossible outcomes are masked.

        ``same_BK``: how much each candidate looks like what is in the hand now. ``room_BK``: log-odds of the held thing lying on the floor
        of a room, from whether it is in view (`mimir_learn.estimator.landing`).
        """
        p, scale = primary(batch), entity_BKD.shape[-1] ** -0.5
        rows = torch.arange(len(hand_BD), device=hand_BD.device)
        fixed = self.fixed(torch.cat([hand_BD, action_BD], -1)).float()
        of_subject = self.subject(entity_BKD[rows, p.subject.clamp(min=0)]).float()
        fixed = torch.cat([fixed[:, :1], fixed[:, 1:3] + of_subject, fixed[:, 3:]], 1)
        taken = self.taken(entity_BKD).squeeze(-1).float() + same_BK
        taken = taken + torch.einsum("bkd,bd->bk", self.taken_from(entity_BKD).float(), self.taken_to(hand_BD).float()) * scale
        held_BD = entity_BKD[rows, p.held.clamp(min=0)] + hand_BD
        place = self.place(entity_BKD).squeeze(-1).float()
        place = place + torch.einsum("bkd,bd->bk", self.place_from(entity_BKD).float(), self.place_to(held_BD).float()) * scale
        place = place if room_BK is None else place + room_BK
        elsewhere, broken = self.gone(held_BD).float().split(1, -1)
        place = torch.cat([place, elsewhere], -1)
        logits = torch.cat([fixed, taken, place, place + broken - 3.0], -1)
        return logits.masked_fill(~legal(batch, p), _MASKED)


def impose(
    best: int, parent_KO: NDArray[np.floating], attr_KA3: NDArray[np.floating], facts: Primary, row: int
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Copies of the factored head's probabilities with outcome ``best`` written into the primary facts of batch row ``row`` as certain.

    `OTHER` leaves everything as it is.
    """
    if best == OTHER:
        return parent_KO, attr_KA3
    parent, attr, k = parent_KO.copy(), attr_KA3.copy(), len(parent_KO)
    columns = (facts.held, facts.subject, facts.receiver, facts.attribute, facts.value)
    held, subject, receiver, attribute, value = (int(x[row]) for x in columns)
    parent[:, TO_HAND] = 0.0
    at, broken = (best - FIRST_TAKEN - k) % (k + 1), best >= FIRST_TAKEN + 2 * k + 1

    def write(table: NDArray[np.floating], *index: int) -> None:
        table[index[:-1]] = 0.0
        table[index] = 1.0

    if held >= 0:
        goes = TO_ELSEWHERE if at == k else FIRST_CANDIDATE + at
        write(parent, held, goes if best >= FIRST_TAKEN + k else UNCHANGED)
        write(attr, held, facts.broken, SET if broken else KEEP)
    if FIRST_TAKEN <= best < FIRST_TAKEN + k:
        write(parent, best - FIRST_TAKEN, TO_HAND)
    if subject >= 0 and not broken:
        write(attr, subject, attribute, value if best in (NOMINAL, SPILLED) else KEEP)
    if receiver >= 0:
        write(attr, receiver, facts.filled, SET if best == NOMINAL else KEEP)
    return parent, attr


def primary_keys(best: int, facts: Primary, row: int, ids: tuple[str, ...], attributes: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """Keys (`symbols.delta`) of the changes that outcome ``best`` stands for, of the n candidates ``ids``."""
    held, subject, receiver, attribute = (int(x[row]) for x in (facts.held, facts.subject, facts.receiver, facts.attribute))
    keys = {("parent", ids[held]), (f"state:{attributes[facts.broken]}", ids[held])} if held >= 0 else set()
    if subject >= 0:
        keys.add((f"state:{attributes[attribute]}", ids[subject]))
    if receiver >= 0:
        keys.add((f"state:{attributes[facts.filled]}", ids[receiver]))
    if FIRST_TAKEN <= best < FIRST_TAKEN + facts.k:
        keys.add(("parent", ids[best - FIRST_TAKEN]))
    return frozenset(keys)
