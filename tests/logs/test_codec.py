"""What goes into a log comes out again, exactly, and no impossible frame goes in."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from mimir_learn.errors import LogError, ObservationError
from mimir_learn.logs import codec
from mimir_learn.symbols import Observation

millimetres = arrays(np.uint16, (5, 7), elements=st.integers(0, 65535)).filter(lambda a: bool(a.any()))


@given(millimetres)
@settings(deadline=None)
def test_depth_round_trip_is_exact_in_millimetres(mm: np.ndarray) -> None:
    metres = mm.astype(np.float32) / np.float32(1000.0)
    data = codec.encode_depth(metres)
    assert np.array_equal(codec.decode_depth_mm(data), mm)
    assert np.array_equal(codec.decode_depth(data), metres)
    assert Image.open(io.BytesIO(data)).mode == "I;16"


@given(arrays(np.uint8, (4, 6, 3)))
@settings(deadline=None)
def test_rgb_round_trip_is_exact(rgb: np.ndarray) -> None:
    assert np.array_equal(codec.decode_rgb(codec.encode_rgb(rgb)), rgb)


def test_depth_beyond_sixteen_bits_is_no_return() -> None:
    depth = np.array([[65.535, 65.536, 1000.0, 0.0004]], dtype=np.float32)
    assert codec.depth_to_mm(depth).tolist() == [[65535, 0, 0, 0]]


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "NaN or infinite"), (-1.0, "negative"), (0.0, "zero everywhere")])
def test_impossible_depth_is_refused(value: float, word: str) -> None:
    with pytest.raises(ObservationError, match=word):
        codec.encode_depth(np.full((4, 4), value, dtype=np.float32))


@pytest.mark.parametrize("data", [None, b"", b"no png", codec.encode_rgb(np.zeros((9, 9, 3), np.uint8))[:40]])
def test_broken_image_is_named(data: bytes | None) -> None:
    with pytest.raises(LogError, match="depth image"):
        codec.decode_depth(data)


def test_images_do_not_pass_for_each_other() -> None:
    with pytest.raises(LogError, match="expected 16-bit"):
        codec.decode_depth(codec.encode_rgb(np.zeros((4, 4, 3), np.uint8)))
    with pytest.raises(LogError, match="expected"):
        codec.decode_rgb(codec.encode_depth(np.ones((4, 4), np.float32)))


def test_camera_state_of_a_level_camera() -> None:
    pitch = 0.3
    pose = np.eye(4)
    forward, right = np.array([0.0, np.cos(pitch), -np.sin(pitch)]), np.array([1.0, 0, 0])
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], 1)
    pose[:3, 3] = (1, 2, 3)
    frame = Observation(np.zeros((8, 8, 3), np.uint8), np.ones((8, 8), np.float32), np.diag([4.0, 4.0, 1.0]), pose)
    assert np.allclose(codec.camera_state(frame), [1, 2, 3, np.pi / 2, pitch, np.pi / 2])
