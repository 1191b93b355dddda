"""`build_input`: one `Transition` → the arrays the estimator reads. The same code serves training and `LearnedSource`.

**Law:** nothing here comes from the true state after the action. A `Transition` cannot reach it, and this file reads only its two
frames, its action, its outcome flag (if the config says so) and the belief memory held before the action. No torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mimir_learn.estimator.candidates import ROLES, Candidates, select
from mimir_learn.estimator.changes import Regions, changed_regions, same_camera
from mimir_learn.estimator.config import EstimatorConfig
from mimir_learn.estimator.crops import INVALID, box_crop, hand_depth, metric_crops, shrink
from mimir_learn.estimator.names import name_vector
from mimir_learn.estimator.withheld import unknowing
from mimir_learn.symbols import IN_HAND, Kind, Observation, Relation, Transition

KINDS: tuple[Kind, ...] = (Kind.ROOM, Kind.FIXTURE, Kind.RECEPTACLE, Kind.OBJECT)
FEATURES = len(KINDS) + len(ROLES) + 6  # per entity: kind, roles, memory facts
VIEW_FEATURES = 12
REGION_FEATURES = 11
ACTION_FEATURES = 7
RAGGED = {  # as many rows per sample as things had a crop, or a finer one
    "crop": ("crop_rgb", "crop_depth", "crop_slot"),
    "close": ("close_rgb", "close_depth", "close_slot"),
}
ROWS = tuple(f"{name}_row" for name in RAGGED)  # in a batch: which sample a ragged row belongs to
HELD_M = 0.8  # nothing but what is held is drawn nearer than this in the hand box
PARENT_NONE, PARENT_OUTSIDE = -1, -2  # values of ``parent``; K itself stands for the hand


def build_input(transition: Transition, config: EstimatorConfig) -> dict[str, NDArray[Any]]:
    """Arrays for one transition (no batch axis). K = ``config.candidates``, R = ``config.change_regions``, M ≤ K + R crops,
    C = ``config.crop_px``, X = ``config.close_px``.

    - ``image_rgb`` (2, S, S, 3) uint8, ``image_depth`` (2, S, S) float16 metres (0 = no return), ``image_plane`` (2, 4): height of a
      pixel above the world's zero is ``depth * (a x + b y + c) + d`` with x, y in [0, 1].
    - ``hand_rgb`` (2, C, C, 3), ``hand_depth`` (2, C, C): the part of the frame where the held thing is drawn.
    - ``crop_rgb`` (M, 2, C, C, 3), ``crop_depth`` (M, 2, C, C) relative metres, ``crop_slot`` (M,): candidate k, or K + region r.
    - ``close_rgb`` (L, 2, X, X, 3), ``close_depth`` (L, 2, X, X), ``close_slot`` (L,): finer crops of what the action names (candidate k),
      of the largest region (K) and, last, of the hand (K + R); L ≤ 4.
    - ``name`` (K, D), ``feature`` (K, FEATURES), ``view`` (K, VIEW_FEATURES); ``mask``, ``movable``, ``holds`` (K,) flags;
      ``parent`` (K,) index among candidates (K = hand).
    - ``attr_mask``, ``attr_known``, ``attr_value`` (K, A).
    - ``point`` (K + R, 3) metres, origin at the camera after, world axes; ``point_ok`` (K + R,).
    - ``uv`` (2, K + R, 2) in [0, 1], ``uv_ok`` (2, K + R); ``region`` (R, REGION_FEATURES), ``region_mask`` (R,).
    - ``verb`` (), ``action`` (ACTION_FEATURES,): claimed flag (known, value) and camera motion.

    Raises ObservationError for a frame no sensor could have taken.
    """
    return build_with_ids(transition, config)[1]


def build_with_ids(transition: Transition, config: EstimatorConfig) -> tuple[tuple[str, ...], dict[str, NDArray[Any]]]:
    """`build_input` and the entity ids behind its rows, in order."""
    transition = unknowing(transition, config)
    before, after = transition.before.validate(), transition.after.validate()
    chosen = select(transition, config.candidates)
    regions = _find_regions(transition, config)
    out: dict[str, NDArray[Any]] = {}
    out.update(_images(before, after, config))
    out.update(_entities(transition, chosen, config))
    out.update(_regions(regions, chosen, after, config))
    out.update(_geometry(chosen, regions, before, after, config))
    out.update(_crops(chosen, regions, before, after, config))
    out.update(_close_ups(chosen, regions, before, after, config))
    out["verb"] = np.asarray(config.verbs.index(transition.action.verb.value), dtype=np.int64)
    out["action"] = _action(transition)
    return chosen.ids, out


def _find_regions(transition: Transition, config: EstimatorConfig) -> Regions:
    if config.input_version < 3:
        return changed_regions(transition.before, transition.after, config.change_regions, config.hand_box)
    holding = transition.belief.hand is not None
    return changed_regions(transition.before, transition.after, config.change_regions, config.hand_box, HELD_M, holding)


def _images(before: Observation, after: Observation, config: EstimatorConfig) -> dict[str, NDArray[Any]]:
    small = [shrink(f, config.image_px, config.max_depth_m) for f in (before, after)]
    hand = [box_crop(f, config.hand_box, config.crop_px) for f in (before, after)]
    return {
        "image_rgb": np.stack([s[0] for s in small]),
        "image_depth": np.stack([s[1] for s in small]),
        "image_plane": np.stack([_height_plane(f) for f in (before, after)]),
        "hand_rgb": np.stack([h[0] for h in hand]),
        "hand_depth": np.stack([h[1] for h in hand]),
    }


def _height_plane(frame: Observation) -> NDArray[np.float32]:
    height, width = frame.depth.shape
    a, b, c = frame.pose[2, :3] @ np.linalg.inv(frame.intrinsics)
    return np.array([a * width, b * height, c, frame.pose[2, 3]], dtype=np.float32)


def _entities(transition: Transition, chosen: Candidates, config: EstimatorConfig) -> dict[str, NDArray[Any]]:
    k, n, vocabulary = config.candidates, len(chosen.entities), transition.belief.vocabulary
    index = {e: i for i, e in enumerate(chosen.ids)}
    name = np.zeros((k, config.name_dim), dtype=np.float32)
    feature = np.zeros((k, FEATURES), dtype=np.float32)
    parent = np.full(k, PARENT_NONE, dtype=np.int64)
    flags = {f: np.zeros(k, dtype=np.bool_) for f in ("mask", "movable", "holds")}
    attr = {f: np.zeros((k, len(config.attributes)), dtype=np.bool_) for f in ("attr_mask", "attr_known", "attr_value")}
    for i, believed in enumerate(chosen.entities):
        entity, spec = believed.entity, vocabulary.spec(believed.entity)
        name[i] = name_vector(entity.category, config.name_dim, config.names)
        flags["mask"][i] = True
        flags["movable"][i] = entity.kind is Kind.OBJECT
        flags["holds"][i] = spec.relation is not None
        if believed.parent is not None:
            parent[i] = k if believed.parent == IN_HAND else index.get(believed.parent.id, PARENT_OUTSIDE)
        for a, attribute in enumerate(config.attributes):
            if attribute in spec.attributes:
                attr["attr_mask"][i, a] = True
                if attribute in believed.attributes:
                    attr["attr_known"][i, a] = True
                    attr["attr_value"][i, a] = believed.attributes[attribute]
        relation = None if believed.parent is None else believed.parent.relation
        age = transition.belief.step - believed.last_seen if believed.last_seen is not None else None
        facts = [
            relation is Relation.IN, relation is Relation.ON, relation is Relation.ROOM, relation is None,
            age is None, 0.0 if age is None else np.log1p(max(age, 0)) / 3.0,
        ]  # fmt: skip
        feature[i, KINDS.index(entity.kind)] = 1.0
        at = len(KINDS) + len(ROLES)
        feature[i, at : at + len(facts)] = facts
    feature[:n, len(KINDS) : len(KINDS) + len(ROLES)] = chosen.roles_NR
    return {"name": name, "feature": feature, "parent": parent, **flags, **attr}


def _regions(regions: Regions, chosen: Candidates, after: Observation, config: EstimatorConfig) -> dict[str, NDArray[Any]]:
    """Height, size, sign of the depth change, depth; and where it lies from the acted receptacle: known, right, away, up, beside."""
    r, n = config.change_regions, len(regions)
    table = np.zeros((r, REGION_FEATURES), dtype=np.float32)
    if n:
        table[:n, 0] = 1.0
        table[:n, 1] = regions.points_M3[:, 2]
        table[:n, 2] = np.log(regions.size_M) / 5.0
        table[:n, 3] = np.clip(regions.nearer_M * 4, -2, 2)
        table[:n, 4] = np.linalg.norm(regions.points_M3 - after.pose[:3, 3], axis=1) / 3.0
        table[:n, 5] = n / max(r, 1)
        target = chosen.with_role("acted_receptacle")
        if target.size and np.isfinite(chosen.points_N3[target[0]]).all():
            offset = regions.points_M3 - chosen.points_N3[target[0]]
            forward = after.pose[:2, 2] / max(float(np.linalg.norm(after.pose[:2, 2])), 1e-6)
            right, away = offset[:, :2] @ np.array([forward[1], -forward[0]]), offset[:, :2] @ forward
            table[:n, 6:] = np.stack([np.ones(n), right, away, offset[:, 2], np.hypot(right, away)], -1).clip(-2, 2)
    return {"region": table, "region_mask": np.arange(r) < n}


def _geometry(
    chosen: Candidates, regions: Regions, before: Observation, after: Observation, config: EstimatorConfig
) -> dict[str, NDArray[Any]]:
    """Where every candidate and region is, in metres and in both frames; and the per-entity view features."""
    k, n, r, m = config.candidates, len(chosen.entities), config.change_regions, len(regions)
    height, width = before.depth.shape
    point = np.zeros((k + r, 3), dtype=np.float32)
    ok = np.zeros(k + r, dtype=np.bool_)
    uv, uv_ok = np.zeros((2, k + r, 2), dtype=np.float32), np.zeros((2, k + r), dtype=np.bool_)
    scale = np.array([width, height], dtype=np.float64)
    known = np.isfinite(chosen.points_N3).all(axis=1)
    ok[:n], ok[k : k + m] = known, True
    point[:n][known] = chosen.points_N3[known] - after.pose[:3, 3]
    point[k : k + m] = regions.points_M3 - after.pose[:3, 3]
    for f, view in enumerate(chosen.views):
        uv_ok[f, :n] = view.inside_N
        uv[f, :n][view.inside_N] = view.uv_N2[view.inside_N] / scale
        uv_ok[f, k : k + m] = regions.inside_FM[f]
        uv[f, k : k + m][regions.inside_FM[f]] = regions.uv_FM2[f][regions.inside_FM[f]] / scale
    return {"point": point, "point_ok": ok, "uv": uv, "uv_ok": uv_ok, "view": _view_features(chosen, before, after, k)}


def _view_features(chosen: Candidates, before: Observation, after: Observation, k: int) -> NDArray[np.float32]:
    """(K, VIEW_FEATURES): per frame in view, depth, observed − expected depth, row; then the metric position around the camera."""
    out = np.zeros((k, VIEW_FEATURES), dtype=np.float32)
    for f, (view, frame) in enumerate(zip(chosen.views, (before, after), strict=True)):
        rows = np.flatnonzero(view.inside_N)
        column, row = np.floor(view.uv_N2[rows]).astype(int).T
        observed = frame.depth[row, column]
        out[rows, 4 * f] = 1.0
        out[rows, 4 * f + 1] = view.z_N[rows] / 3.0
        out[rows, 4 * f + 2] = np.where(observed > 0, np.clip(observed - view.z_N[rows], -1, 1), 0.0) * 4
        out[rows, 4 * f + 3] = view.uv_N2[rows, 1] / frame.depth.shape[0]
    known = np.flatnonzero(np.isfinite(chosen.points_N3).all(axis=1))
    offset = chosen.points_N3[known] - after.pose[:3, 3]
    forward = after.pose[:2, 2] / max(float(np.linalg.norm(after.pose[:2, 2])), 1e-6)
    out[known, 8] = 1.0
    out[known, 9] = np.clip(offset[:, :2] @ forward, -6, 6) / 3.0
    out[known, 10] = np.clip(offset[:, :2] @ np.array([forward[1], -forward[0]]), -6, 6) / 3.0
    out[known, 11] = chosen.points_N3[known, 2]
    return out


def _crops(
    chosen: Candidates, regions: Regions, before: Observation, after: Observation, config: EstimatorConfig
) -> dict[str, NDArray[Any]]:
    k, n, m, size = config.candidates, len(chosen.entities), len(regions), config.crop_px
    window_N = np.array([config.thing_window_m if b.entity.kind is Kind.OBJECT else config.place_window_m for b in chosen.entities])
    room_N = np.array([b.entity.kind is Kind.ROOM for b in chosen.entities], dtype=np.bool_)
    window = np.concatenate([window_N, np.full(m, config.thing_window_m)])
    rgb = np.zeros((n + m, 2, size, size, 3), dtype=np.uint8)
    depth = np.full((n + m, 2, size, size), INVALID, dtype=np.float16)
    seen = np.zeros((n + m, 2), dtype=np.bool_)
    for f, (view, frame) in enumerate(zip(chosen.views, (before, after), strict=True)):
        uv = np.concatenate([view.uv_N2, regions.uv_FM2[f]])
        z = np.concatenate([view.z_N, regions.z_FM[f]])
        visible = _shown(uv, z, window, frame, config)
        visible[:n] &= ~room_N
        rows = np.flatnonzero(visible)
        rgb[rows, f], depth[rows, f] = metric_crops(frame, uv[rows], z[rows], window[rows], size)
        seen[:, f] = visible
    keep = np.flatnonzero(seen.any(axis=1))
    slot = np.where(keep < n, keep, keep - n + k)
    return {"crop_rgb": rgb[keep], "crop_depth": depth[keep], "crop_slot": slot.astype(np.int64)}


def _shown(
    uv_N2: NDArray[np.float64], z_N: NDArray[np.float64], window_N: NDArray[np.float64], frame: Observation, config: EstimatorConfig
) -> NDArray[np.bool_]:
    """Which windows reach into a frame: a place whose middle is just outside still shows half of itself."""
    height, width = frame.depth.shape
    with np.errstate(invalid="ignore", divide="ignore"):
        reach_N = 0.5 * window_N * frame.intrinsics[0, 0] / z_N
        visible = (z_N > 0.15) & (z_N < config.max_depth_m) & (np.abs(uv_N2[:, 0] - width / 2) < width / 2 + 0.5 * reach_N)
        return visible & (np.abs(uv_N2[:, 1] - height / 2) < height / 2 + 0.5 * reach_N)


def _close_ups(
    chosen: Candidates, regions: Regions, before: Observation, after: Observation, config: EstimatorConfig
) -> dict[str, NDArray[Any]]:
    """Finer crops of what the action names, where it can be seen, of the largest region that changed (where a thing put down has landed,
    perhaps in shards), and of the corner of the frame where the held thing is drawn."""
    size, most = config.close_px, min(1, len(regions))
    named = [int(i) for role in ("acted_object", "acted_receptacle") for i in chosen.with_role(role)]
    named = [i for i in named if chosen.entities[i].entity.kind is not Kind.ROOM]
    things = np.array([chosen.entities[i].entity.kind is Kind.OBJECT for i in named], dtype=np.bool_)
    window = np.concatenate([np.where(things, config.close_window_m, config.place_window_m), np.full(most, config.close_window_m)])
    n = len(window)
    rgb = np.zeros((n, 2, size, size, 3), dtype=np.uint8)
    depth = np.full((n, 2, size, size), INVALID, dtype=np.float16)
    seen = np.zeros(n, dtype=np.bool_)
    for f, (view, frame) in enumerate(zip(chosen.views, (before, after), strict=True)):
        uv, z = np.concatenate([view.uv_N2[named], regions.uv_FM2[f, :most]]), np.concatenate([view.z_N[named], regions.z_FM[f, :most]])
        rows = np.flatnonzero(_shown(uv, z, window, frame, config))
        rgb[rows, f], depth[rows, f] = metric_crops(frame, uv[rows], z[rows], window[rows], size)
        seen[rows] = True
    slots = [i for i, s in zip([*named, *[config.candidates] * most], seen, strict=True) if s]
    slots.append(config.candidates + config.change_regions)
    hand = [box_crop(f, config.hand_box, size) for f in (before, after)]
    rgb = np.concatenate([rgb[seen], np.stack([h[0] for h in hand])[None]])
    depth = np.concatenate([depth[seen], np.stack([hand_depth(h[1]) for h in hand])[None]])
    return {"close_rgb": rgb, "close_depth": depth, "close_slot": np.asarray(slots, dtype=np.int64)}


def _action(transition: Transition) -> NDArray[np.float32]:
    """(7,): claimed success, camera translation (forward, right, up; metres), turn (cos, sin), same camera."""
    before, after = transition.before.pose, transition.after.pose
    forward = before[:2, 2] / max(float(np.linalg.norm(before[:2, 2])), 1e-6)
    right = np.array([forward[1], -forward[0]])
    move = after[:3, 3] - before[:3, 3]
    ahead = after[:2, 2] / max(float(np.linalg.norm(after[:2, 2])), 1e-6)
    flag = 1.0 if transition.outcome.success else -1.0
    same = float(same_camera(transition.before, transition.after))
    turn = (float(ahead @ forward), float(ahead @ right))
    return np.array([flag, move[:2] @ forward / 3, move[:2] @ right / 3, move[2], *turn, same], dtype=np.float32)
