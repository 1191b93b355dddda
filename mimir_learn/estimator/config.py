"""`EstimatorConfig`: every number that fixes the estimator's input, its network and therefore its weights."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from mimir_learn.checks import chance, positive, whole
from mimir_learn.errors import CheckpointError, ConfigError
from mimir_learn.estimator.names import NGRAMS, content_key
from mimir_learn.symbols import ATTRIBUTES, Verb

SCHEMA_VERSION = 3  # 1: before movable receptacles, close-ups, and regions seen by a moving camera; 2: one backbone, head and name encoder
INPUT_VERSION = 3  # of `build_input`; 2: the whole hand box is left out of the change regions, and nothing on the floor is pointed out
HEADS = ("factored", "hypotheses")
HIDEABLE = ("before", "after", "rgb", "depth", "action", "parent")
TUNED = ("all", "none", "last")
VISIBLE_ATTRIBUTES: tuple[str, ...] = tuple(name for name, spec in ATTRIBUTES.items() if spec.visible)
VERBS: tuple[str, ...] = tuple(v.value for v in Verb)


@dataclass(frozen=True)
class EstimatorConfig:
    """Flat on purpose: it is written as it is to ``config.json`` beside the weights.

    Attributes:
        candidates: K, how many entities are offered per transition; the most relevant are kept.
        image_px: side of the whole-frame image the trunk sees, pixels.
        crop_px: side of a metric crop, pixels.
        thing_window_m, place_window_m: side of the crop around a movable thing / around a place, metres.
        close_px: side of the finer crop that what the action names, the largest changed region and the hand get beside the other, pixels.
        close_window_m: side of the finer crop around a movable thing, metres; around a place it is that of its other crop.
        hand_box: (left, top, right, bottom) of the part of the frame where the held thing is drawn, as fractions.
        max_depth_m: depth beyond this is clipped.
        outcome_flag: whether the environment's claimed success flag is an input. Off by default: the estimator then
            says what it *sees*, and a lying flag cannot mislead it.
        name_dim: size of the hashed character n-gram vector of a category name.
        change_regions: how many regions that differ between the frames get a crop of their own.
        dim, heads, layers, ffn: width, attention heads, decoder layers, feed-forward width.
        crop_width, close_width, image_width: channels of the first convolution of the crop encoders and of the trunk.
        dropout: in attention and feed-forward, in [0, 1).
        backbone: encoder of the whole frames: ``conv`` (from scratch), ``efficientnet_lite0``, ``torchvision:NAME``, ``transformers:NAME``.
        backbone_weights: where pretrained weights come from, "" for none; see `mimir_learn.estimator.backbones`.
        backbone_tuned: what of a pretrained backbone is trained: ``all``, ``none``, or ``last`` (its last ``backbone_last`` blocks).
        backbone_config: architecture of a ``transformers:NAME`` backbone as JSON; filled in when the network is built.
        names: encoder of category names: ``ngrams`` (hashed, needs nothing) or a text model; see `mimir_learn.estimator.names`.
        head: ``factored`` (every fact by itself) or ``hypotheses`` (one softmax over what the action can have done).
        landing: whether the change regions are compared with the hand and set against every candidate's place; see
            `mimir_learn.estimator.landing`.
        hidden: inputs the network does not get, of `HIDEABLE`; for ablations.
        attributes, verbs: the tables the heads and embeddings are laid out by; another table means other weights.
        vocabulary_name, vocabulary_sha256: of the logs it was trained on ("" before training).
        input_version: of the arrays that the network was trained on, and is given ever after.
        schema_version: of this file's meaning.
    """

    candidates: int = 24
    image_px: int = 64
    crop_px: int = 16
    thing_window_m: float = 0.4
    place_window_m: float = 1.2
    close_px: int = 32
    close_window_m: float = 0.25
    hand_box: tuple[float, float, float, float] = (0.55, 0.52, 1.0, 1.0)
    max_depth_m: float = 8.0
    outcome_flag: bool = False
    name_dim: int = 64
    change_regions: int = 4
    dim: int = 96
    heads: int = 4
    layers: int = 2
    ffn: int = 192
    crop_width: int = 24
    close_width: int = 16
    image_width: int = 16
    dropout: float = 0.0
    backbone: str = "conv"
    backbone_weights: str = ""
    backbone_tuned: str = "all"
    backbone_last: int = 2
    backbone_config: str = ""
    names: str = "ngrams"
    head: str = "factored"
    landing: bool = True
    hidden: tuple[str, ...] = ()
    attributes: tuple[str, ...] = VISIBLE_ATTRIBUTES
    verbs: tuple[str, ...] = VERBS
    vocabulary_name: str = ""
    vocabulary_sha256: str = ""
    input_version: int = INPUT_VERSION
    schema_version: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        for name in ("attributes", "verbs", "hand_box", "hidden"):
            if not isinstance(getattr(self, name), list | tuple):
                raise ConfigError(f"estimator.{name} is {getattr(self, name)!r}; give a list")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("attributes", "verbs", "hidden"):
            for item in getattr(self, name):
                _text(name, item)
        for name in ("backbone", "backbone_weights", "backbone_tuned", "backbone_config", "names", "head"):
            _text(name, getattr(self, name))
        for name in ("vocabulary_name", "vocabulary_sha256"):
            _text(name, getattr(self, name))
        for name in ("outcome_flag", "landing"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"estimator.{name} is {getattr(self, name)!r}; give true or false")
        for name in ("input_version", "schema_version"):
            whole(f"estimator.{name}", getattr(self, name), 1)
        widths = ("dim", "heads", "layers", "ffn", "crop_width", "close_width", "image_width")
        for name in ("image_px", "crop_px", "close_px", "name_dim", *widths):
            whole(f"estimator.{name}", getattr(self, name), 1)
        whole("estimator.change_regions", self.change_regions, 0)
        whole("estimator.candidates", self.candidates, 1)
        whole("estimator.backbone_last", self.backbone_last, 1)
        for name, known in (("head", HEADS), ("backbone_tuned", TUNED)):
            if getattr(self, name) not in known:
                raise ConfigError(f"estimator.{name} is {getattr(self, name)!r}; choose one of {', '.join(known)}")
        if odd := sorted(set(self.hidden) - set(HIDEABLE)):
            raise ConfigError(f"estimator.hidden has {odd}; what can be hidden: {', '.join(HIDEABLE)}")
        for name in ("thing_window_m", "place_window_m", "close_window_m", "max_depth_m"):
            positive(f"estimator.{name}", getattr(self, name))
        chance("estimator.dropout", self.dropout, below_one=True)
        if self.dim % self.heads:
            raise ConfigError(f"dim={self.dim} must be a multiple of heads={self.heads}")
        for name, step in (("image_px", 8), ("close_px", 8), ("crop_px", 4)):
            if getattr(self, name) % step:
                raise ConfigError(f"estimator.{name} is {getattr(self, name)}; it must be a multiple of {step}")
        if self.head == "hypotheses" and "action" in self.hidden:
            raise ConfigError("estimator.head=hypotheses lists what an action can have done; it cannot hide the action, use head=factored")
        if self.input_version not in (2, INPUT_VERSION):
            raise ConfigError(f"estimator.input_version is {self.input_version}; this package makes version 2 or {INPUT_VERSION}")
        if self.candidates < 8:
            raise ConfigError(f"candidates={self.candidates} is too few to hold the entities an action names; use at least 8")
        if len(self.hand_box) != 4 or any(isinstance(x, bool) or not isinstance(x, int | float) for x in self.hand_box):
            raise ConfigError(f"estimator.hand_box is {self.hand_box}; give four numbers (left, top, right, bottom)")
        left, top, right, bottom = self.hand_box
        if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
            raise ConfigError(f"hand_box={self.hand_box} must be (left, top, right, bottom) as fractions of the frame")

    def input_key(self) -> str:
        """Canonical JSON of the fields that decide `build_input`'s bytes; two configs with one key can share a sample cache."""
        names = ("candidates", "image_px", "crop_px", "thing_window_m", "place_window_m", "hand_box", "max_depth_m", "name_dim")
        more = ("change_regions", "close_px", "close_window_m", "attributes", "verbs", "names")
        unasked = [h for h in ("action", "parent") if h in self.hidden]  # see `mimir_learn.estimator.withheld`
        withheld = {"withheld": unasked} if unasked else {}
        body = {"version": self.input_version} | {n: getattr(self, n) for n in names + more} | withheld
        return json.dumps(body | {"names": content_key(self.names)}, sort_keys=True)

    def bound(self) -> dict[str, Any]:
        """What an export's weights are bound to: plain JSON of every field that changes an answer. Where a text model or pretrained weights
        were found, and how the file is laid out, does not."""
        out = {k: v for k, v in self.to_dict().items() if k not in ("schema_version", "backbone_weights")}
        return out | {"names": self.names if self.names == NGRAMS else "text model"}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> EstimatorConfig:
        """Inverse of `to_dict`. Raises CheckpointError for a newer schema or an unknown key."""
        version = body.get("schema_version")
        if not isinstance(version, int) or isinstance(version, bool):
            raise CheckpointError(f"config.json has no schema version (got {version!r}); it is damaged or no estimator's")
        if version > SCHEMA_VERSION:
            raise CheckpointError(
                f"estimator schema version {version!r} is newer than this package's {SCHEMA_VERSION}; update mimir-learn to read it"
            )
        body = {"input_version": 2, "landing": False, **body}  # what exports had before they said so
        known = {f.name for f in dataclasses.fields(cls)}
        if unknown := set(body) - known:
            raise CheckpointError(f"config.json has unknown keys {sorted(unknown)}; it is damaged or from another version of mimir-learn")
        return cls(**body)


def _text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ConfigError(f"estimator.{name} is {value!r}; give text")
