"""Inputs taken away from the network, for ablations: what `EstimatorConfig.hidden` names reaches it in no form.

Pixels are taken out of a batch (`hide`), so all such arms share one sample cache. Which entities become candidates depends on the action
and on remembered parents; these two are therefore withheld from input building itself (`withheld.unknowing`). Stays in every case: the
camera's motion (the robot's own odometry), memory's points as seen by both cameras, the outcome flag (which has a switch of its own), the
map (which place is in which room, where the robot is). The decoder, which turns probabilities into a well-formed Δ, still reads the
belief.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from mimir_learn.estimator.candidates import ROLES
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.crops import INVALID
from mimir_learn.estimator.inputs import KINDS, PARENT_NONE
from mimir_learn.symbols import Verb

PIXELS = ("before", "after", "rgb", "depth")
_FRAME = {"before": 0, "after": 1}
_SURFACE = (2, 6)  # columns of ``view``: observed − expected depth, before and after
_LOST = {"image_depth": 0.0, "hand_depth": 0.0, "crop_depth": INVALID, "close_depth": INVALID}
_COLOUR = ("image_rgb", "hand_rgb", "crop_rgb", "close_rgb")
_OF_ACTION = (
    "acted_object", "acted_receptacle", "source", "source_place", "destination", "other", "inside_object", "inside_receptacle",
    "inside_source", "inside_destination", "beside",
)  # fmt: skip
_RELATION = len(KINDS) + len(ROLES)  # columns of ``feature``: parent known as in, on, room, not known


def _role(name: str) -> int:
    return len(KINDS) + ROLES.index(name)


def hide(batch: Mapping[str, Tensor], config: EstimatorConfig) -> dict[str, Tensor]:
    """A collated batch without what ``config.hidden`` names; the tensors of ``batch`` are not changed.

    before, after: colour and depth of that frame, everywhere. rgb, depth: of both frames. Any of the four also takes the change regions
    away, with their crops and points: they are made of both frames, colour and depth. action: verb, roles, close-ups of what is named.
    parent: parents of movable things, and every role read off them.
    """
    out = dict(batch)
    hidden = set(config.hidden)
    for name, frame in _FRAME.items():
        if name in hidden:
            for key in _COLOUR:
                out[key] = _without_frame(out[key], frame, 0)
            for key, lost in _LOST.items():
                out[key] = _without_frame(out[key], frame, lost)
            out["view"] = _without_columns(out["view"], [_SURFACE[frame]])
    if "rgb" in hidden:
        out |= {key: torch.zeros_like(out[key]) for key in _COLOUR}
    if "depth" in hidden:
        out |= {key: torch.full_like(out[key], lost) for key, lost in _LOST.items()}
        out["view"] = _without_columns(out["view"], list(_SURFACE))
    if hidden & set(PIXELS):
        _drop_regions(out, config)
    if "parent" in hidden:  # first, because it asks what the action names
        _forget_parents(out, config)
    if "action" in hidden:
        _forget_action(out, config)
    return out


def _without_frame(x: Tensor, frame: int, value: float) -> Tensor:
    """``x`` (n, 2, …) with one frame filled."""
    x = x.clone()
    x[:, frame] = value
    return x


def _without_columns(x: Tensor, columns: list[int]) -> Tensor:
    x = x.clone()
    x[..., columns] = 0
    return x


def _drop_regions(out: dict[str, Tensor], config: EstimatorConfig) -> None:
    k, r = config.candidates, config.change_regions
    for key in ("region", "region_mask"):
        out[key] = torch.zeros_like(out[key])
    for key in ("point", "point_ok"):
        out[key] = torch.cat([out[key][:, :k], torch.zeros_like(out[key][:, k:])], 1)
    for key in ("uv", "uv_ok"):
        out[key] = torch.cat([out[key][:, :, :k], torch.zeros_like(out[key][:, :, k:])], 2)
    _keep_rows(out, "crop", out["crop_slot"] % (k + r) < k)
    slot = out["close_slot"] % (k + r + 1)
    _keep_rows(out, "close", (slot < k) | (slot == k + r))


def _keep_rows(out: dict[str, Tensor], name: str, keep: Tensor) -> None:
    for key in (f"{name}_rgb", f"{name}_depth", f"{name}_slot"):
        out[key] = out[key][keep]


def _forget_action(out: dict[str, Tensor], config: EstimatorConfig) -> None:
    """What `withheld.unknowing` would have made of it, but for the choice of candidates."""
    out["verb"] = torch.full_like(out["verb"], config.verbs.index(Verb.WAIT.value))
    feature = _without_columns(out["feature"], [_role(r) for r in _OF_ACTION])
    feature[..., _role("room_after")] = feature[..., _role("room_before")]
    out["feature"] = feature
    _keep_rows(out, "close", out["close_slot"] % (config.candidates + config.change_regions + 1) >= config.candidates)


def _forget_parents(out: dict[str, Tensor], config: EstimatorConfig) -> None:
    """What `withheld.unknowing` would have made of it, but for the choice of candidates."""
    movable_BK = out["movable"]
    out["parent"] = torch.where(movable_BK, torch.full_like(out["parent"], PARENT_NONE), out["parent"])
    feature = out["feature"].clone()
    feature[..., _RELATION : _RELATION + 4][movable_BK] = feature.new_tensor([0.0, 0.0, 0.0, 1.0])
    inside = [_role(r) for r in ROLES if r.startswith("inside_")]
    feature[..., inside] *= ~movable_BK[..., None]
    feature[..., _role("held")] = 0

    def names_movable(role: str) -> Tensor:
        return ((feature[..., _role(role)] > 0) & movable_BK).any(1)

    thing_B, target_B = names_movable("acted_object"), names_movable("acted_receptacle")
    walks_B = thing_B & (out["verb"] == config.verbs.index(Verb.NAVIGATE.value))
    for roles, gone_B in (
        (("source", "source_place", "inside_source"), thing_B),
        (("destination", "inside_destination"), walks_B),
        (("other", "beside"), target_B),
    ):
        for role in roles:
            feature[..., _role(role)] *= ~gone_B[:, None]
    feature[..., _role("room_after")] = torch.where(
        walks_B[:, None], feature[..., _role("room_before")], feature[..., _role("room_after")]
    )
    out["feature"] = feature
