"""The columns of a transition log: name, Arrow type, `datasets` feature, LeRobot feature and meaning, declared once.

Layout and names follow LeRobot's dataset v3 (``image`` dtype, lossless). Nothing under ``observation`` or ``action`` is known
to the simulator only; true state lives under ``privileged``, and what the row's action brought about under ``next``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mimir_learn.symbols import Verb

SCHEMA_VERSION = 2  # 1: before movable receptacles, novel appearance and the fault kinds after exogenous
LEROBOT_VERSION = "v3.0"
FPS = 1  # frames are discrete decision points: one "second" each
CHUNK_SIZE = 1000
DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
EPISODES_PATH = "meta/episodes/chunk-000/file-000.parquet"

RGB = "observation.images.egocentric"
DEPTH = "observation.images.egocentric_depth"
VERBS: tuple[str, ...] = tuple(v.value for v in Verb)
FAULTS: tuple[str, ...] = (  # what privileged.fault may say
    "", "slip", "wrong_instance", "drop", "beside", "stuck", "exogenous", "partial", "unfilled", "breaks", "misplaced", "unplaced",
    "third_put", "camera",
)  # fmt: skip
NO_ACTION = -1  # the last row of an episode has a frame and no action


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: column name.
        dtype: ``image``, ``string``, ``bool`` or a NumPy dtype name.
        doc: what it holds, with units.
        length: number of entries of a fixed-size vector; None for a scalar.
        names: names of the entries of a vector, or of an image's axes.
    """

    name: str
    dtype: str
    doc: str
    length: int | None = None
    names: tuple[str, ...] | None = None

    @property
    def arrow(self) -> pa.DataType:
        if self.dtype == "image":
            return pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        base = pa.type_for_alias(self.dtype)
        return base if self.length is None else pa.list_(base, self.length)

    @property
    def hugging_face(self) -> dict[str, Any]:
        """The entry of ``datasets.Features`` as it is stored in the Arrow schema; ``Sequence`` is read by all versions since 2."""
        if self.dtype == "image":
            return {"_type": "Image"}
        value = {"dtype": self.dtype, "_type": "Value"}
        return value if self.length is None else {"feature": value, "length": self.length, "_type": "Sequence"}

    def lerobot(self, image_size: int) -> dict[str, Any]:
        """The entry of ``features`` in LeRobot's ``meta/info.json``."""
        if self.dtype != "image":
            return {"dtype": self.dtype, "shape": [self.length or 1], "names": list(self.names) if self.names else None}
        body: dict[str, Any] = {"dtype": "image", "shape": [image_size, image_size, 1 if self.name == DEPTH else 3]}
        body["names"] = ["height", "width", "channels"]
        if self.name == DEPTH:
            body["info"] = {"is_depth_map": True, "depth_unit": "mm"}
        return body


COLUMNS: tuple[Column, ...] = (
    Column(RGB, "image", "colour frame before the row's action, PNG, (H, W, 3) uint8"),
    Column(DEPTH, "image", "depth frame, 16-bit PNG, millimetres along the optical axis, 0 = no return"),
    Column(
        "observation.state", "float32", "camera summary of a level camera", 6,
        ("x_m", "y_m", "z_m", "yaw_rad", "horizon_rad", "camera_fov_rad"),
    ),
    Column("observation.camera_pose", "float64", "camera-to-world matrix, row-major; x right, y down, z forward; metres", 16),
    Column("observation.camera_intrinsics", "float64", "pinhole matrix in pixels, row-major", 9),
    Column("action", "int64", "index of the verb in meta/actions.json; -1 on an episode's last row"),
    Column("skill.text", "string", "the command the environment was given"),
    Column("skill.arguments", "string", 'the abstract action as JSON {"verb", "object", "receptacle"}; "" on the last row'),
    Column("next.success", "bool", "the environment's own claim; can be wrong"),
    Column("next.feedback", "string", "the environment's sentence, verbatim; can be wrong"),
    Column("next.done", "bool", "the row's action was the last one (also true on the last row)"),
    Column("next.delta", "string", "true Δ of the action, canonical JSON: the difference of the two privileged.state"),
    Column("privileged.state", "string", "true snapshot at this frame: parents and attributes of every entity"),
    Column("privileged.positions", "string", "true world positions in metres at this frame, JSON id → [x, y, z]"),
    Column("privileged.percept", "string", "ideal detector on this frame: sightings, viewed places, where the robot is"),
    Column("privileged.fault", "string", 'fault injected into the row\'s action, one of FAULTS, "" for none'),
    Column("privileged.moved", "string", "ids changed by someone else during the row's action, JSON list"),
    Column("house_seed", "int64", "which house; decides the split"),
    Column("split", "string", "train, validation, calibration or test"),
    Column("timestamp", "float32", "frame_index / fps, seconds"),
    Column("frame_index", "int64", "0 … T within the episode"),
    Column("episode_index", "int64", "0 … over the whole log"),
    Column("index", "int64", "row number over the whole log"),
    Column("task_index", "int64", "row of meta/tasks.parquet"),
)  # fmt: skip


# Columns of the episode table that this code reads, with the Python type of their values; the others are LeRobot's.
EPISODE_COLUMNS: dict[str, type] = {
    "episode_index": int, "length": int, "dataset_from_index": int, "dataset_to_index": int, "split": str, "house_seed": int, "seed": int,
    "task_index": int, "task": str, "places": str, "privileged.entities": str, "privileged.novel": str,
    "data/chunk_index": int, "data/file_index": int, "data/row_group": int,
}  # fmt: skip


def other_version(version: object) -> str | None:
    """What to tell whoever brings a log or shard of another schema version; None where this code reads it."""
    if version == SCHEMA_VERSION:
        return None
    return f"schema version {version}, this code reads {SCHEMA_VERSION}; make the log again with `mimir collect` into another directory"


def arrow_schema(metadata: dict[str, str] | None = None) -> pa.Schema:
    """Arrow schema with the `datasets` features in its metadata, so that ``load_dataset`` decodes the images."""
    features = {c.name: c.hugging_face for c in COLUMNS}
    own = {"huggingface": json.dumps({"info": {"features": features}}), **(metadata or {})}
    return pa.schema([pa.field(c.name, c.arrow) for c in COLUMNS], metadata=own)


def lerobot_features(image_size: int) -> dict[str, dict[str, Any]]:
    """``features`` of ``meta/info.json``."""
    return {c.name: c.lerobot(image_size) for c in COLUMNS}
