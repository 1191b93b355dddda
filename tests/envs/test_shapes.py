"""Meshes and textures of parts: closed where they should be, facing outwards, within their budget, the same every time."""

from __future__ import annotations

from collections import Counter
from math import pi

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mimir_learn.envs.household.shapes import MAX_TRIANGLES, bounds, rotation, surface, triangles
from mimir_learn.envs.household.spec import Part
from mimir_learn.envs.household.textures import PATTERNS, SIZE, image
from mimir_learn.errors import SymbolError

MUG = (0.0, 0.0, 0.04, 0.0, 0.045, 0.1, 0.04, 0.1, 0.036, 0.01, 0.0, 0.01)
CLOSED: dict[str, tuple[Part, float]] = {  # part, its volume
    "box": (Part("box", (0.1, 0.2, 0.3)), 0.048),
    "cylinder": (Part("cylinder", (0.3, 0.5)), pi * 0.09),
    "sphere": (Part("sphere", (0.2,)), 4 / 3 * pi * 0.008),
    "ellipsoid": (Part("ellipsoid", (0.1, 0.2, 0.3)), 4 / 3 * pi * 0.006),
    "capsule": (Part("capsule", (0.1, 0.2)), pi * 0.01 * 0.4 + 4 / 3 * pi * 0.001),
    "cone": (Part("lathe", (0.0, 0.0, 0.3, 0.0, 0.0, 0.6)), pi * 0.09 * 0.2),
    "mug": (Part("lathe", MUG), 0.00016),
    "ring": (Part("lathe", (0.3, 0.0, 0.4, 0.0, 0.4, 0.1, 0.3, 0.1, 0.3, 0.0)), pi * 0.07 * 0.1),
    "rectangular loft": (Part("loft", (0.0, 0.1, 0.2, 0.0, 0.5, 0.1, 0.2, 0.0)), 0.04),
    "pyramid": (Part("loft", (0.0, 0.3, 0.3, 0.0, 0.5, 0.0, 0.0, 0.0)), 0.36 * 0.5 / 3),
    "round loft": (Part("loft", (0.0, 0.2, 0.1, 1.0, 0.5, 0.2, 0.1, 1.0)), pi * 0.02 * 0.5),
}


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize("name", CLOSED)
def test_closed_shapes_are_watertight_and_face_outwards(name: str) -> None:
    part, expected = CLOSED[name]
    vertices, faces = triangles(part)
    edges = Counter((int(f[k]), int(f[(k + 1) % 3])) for f in faces for k in range(3))
    assert all(count == 1 and edges[b, a] == 1 for (a, b), count in edges.items())
    assert volume(vertices, faces) == pytest.approx(expected, rel=0.12)


@st.composite
def profiles(draw: st.DrawFn) -> Part:
    """Rising lathes from the axis to the axis, and lofts."""
    steps = draw(st.lists(st.floats(0.002, 0.3), min_size=2, max_size=30))
    levels = np.round(np.cumsum(steps), 4).tolist()
    if draw(st.booleans()):
        radii = [0.0, *draw(st.lists(st.floats(0.003, 0.4), min_size=len(levels) - 2, max_size=len(levels) - 2)), 0.0]
        if len(levels) == 2:
            radii[0] = 0.1
        return Part("lathe", tuple(v for r, z in zip(radii, levels, strict=True) for v in (round(r, 4), z)))
    size, share = st.floats(0.003, 0.5), st.floats(0.0, 1.0)
    return Part("loft", tuple(v for z in levels for v in (z, draw(size), draw(size), draw(share))))


@given(profiles())
@settings(max_examples=60, deadline=None)
def test_any_profile_stays_within_the_budget_and_is_the_same_again(part: Part) -> None:
    vertices, faces = triangles(part)
    assert 0 < len(faces) <= MAX_TRIANGLES
    assert faces.min() >= 0 and faces.max() < len(vertices) and np.isfinite(vertices).all()
    again = triangles(part)
    assert again[0].tobytes() == vertices.tobytes() and again[1].tobytes() == faces.tobytes()
    skin = surface(part)
    assert np.allclose(np.linalg.norm(skin.normals, axis=1), 1, atol=1e-4)
    a, b, c = (skin.vertices[skin.faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert all((np.einsum("ij,ij->i", flat, skin.normals[skin.faces[:, k]]) > 0.3).all() for k in range(3))


def test_what_triangles_returns_is_the_callers() -> None:
    vertices, _ = triangles(CLOSED["mug"][0])
    vertices[:] = 0
    assert triangles(CLOSED["mug"][0])[0].any()


def test_small_things_have_few_triangles() -> None:
    assert len(triangles(Part("lathe", (0.0, 0.0, 0.01, 0.0, 0.01, 0.1, 0.0, 0.1)))[1]) < len(
        triangles(Part("lathe", (0.0, 0.0, 0.2, 0.0, 0.2, 0.1, 0.0, 0.1)))[1]
    )
    assert len(triangles(Part("loft", (0.0, 0.1, 0.1, 0.0, 0.1, 0.1, 0.1, 0.0)))[1]) == 12


def test_a_lathe_that_descends_is_a_lining_and_ends_off_the_axis_stay_open() -> None:
    vertices, faces = triangles(Part("lathe", (0.1, 0.1, 0.08, 0.01, 0.0, 0.01)))
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals, middles = np.cross(b - a, c - a), (a + b + c) / 3
    inwards = -np.sum(normals[:, :2] * middles[:, :2], axis=1) + normals[:, 2]
    assert (inwards > 0).all()
    assert len(triangles(Part("lathe", (0.1, 0.0, 0.1, 0.2)))[1]) == 2 * 16  # a tube, no lids


@pytest.mark.parametrize(
    ("shape", "size", "complaint"),
    [
        ("lathe", (0.1, 0.0), "at least two points"),
        ("lathe", (0.1, 0.0, 0.1), "2 finite numbers a point"),
        ("lathe", (-0.1, 0.0, 0.1, 0.1), "radii"),
        ("lathe", (0.1, float("nan"), 0.1, 0.1), "finite"),
        ("lathe", (0.0, 0.0, 0.0, 0.1), "no surface"),
        ("lathe", tuple(v for k in range(90) for v in (0.1, 0.01 * k)), "too long"),
        ("loft", (0.0, 0.1, 0.1, 0.0), "at least two points"),
        ("loft", (0.0, 0.1, -0.1, 0.0, 1.0, 0.1, 0.1, 0.0), "half sizes"),
        ("loft", (0.0, 0.1, 0.1, 0.0, 1.0, 0.1, 0.1, 1.5), "roundness"),
        ("loft", tuple(v for k in range(70) for v in (0.01 * k, 0.1, 0.1, 0.0)), "too long"),
    ],
)
def test_profiles_that_cannot_be_meant(shape: str, size: tuple[float, ...], complaint: str) -> None:
    with pytest.raises(SymbolError, match=complaint):
        triangles(Part(shape, size))


@given(st.tuples(*[st.floats(-180, 180)] * 3))
@settings(max_examples=20, deadline=None)
def test_turns_mean_what_mujoco_takes_them_for(euler: tuple[float, float, float]) -> None:
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="degree"/><worldbody><geom size="1" euler="{euler[0]} {euler[1]} {euler[2]}"/></worldbody></mujoco>'
    )
    out = np.empty(9)
    mujoco.mju_quat2Mat(out, model.geom_quat[0])
    assert np.allclose(rotation(euler), out.reshape(3, 3), atol=1e-6)
    low, high = bounds(Part("sphere", (0.5,), (1.0, 2.0, 3.0), euler=euler))
    assert np.allclose((low + high) / 2, (1, 2, 3), atol=0.05)


def test_a_box_keeps_its_edges_and_its_texture_is_in_metres() -> None:
    skin = surface(Part("box", (0.5, 1.0, 0.1)))
    assert len(skin.vertices) == 24  # three a corner
    assert skin.texcoord.max() - skin.texcoord.min() == pytest.approx(2.0)


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_are_bright_varied_and_the_same_again(name: str) -> None:
    picture = image(name)
    assert picture.shape == (SIZE, SIZE, 3) and picture.dtype == np.uint8
    assert 175 < picture.mean() <= 255 and picture.std() > 1
    image.cache_clear()
    assert image(name).tobytes() == picture.tobytes()


def test_an_unknown_pattern_is_named() -> None:
    with pytest.raises(SymbolError, match="'paisley' is unknown; use '' or one of wood"):
        image("paisley")
