"""Converting furniture models: catalogue, size, orientation, decimation that spoils nothing, and the credits."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.showroom.sweethome import AssetsConfig, convert
from mimir_learn.showroom.sweethome.catalogue import archives, properties, read_catalogue
from mimir_learn.showroom.sweethome.mesh import MeshError, Piece, damage, decimate, load

trimesh = pytest.importorskip("trimesh", reason="pip install 'mimir-learn[assets]'")
pytest.importorskip("fast_simplification", reason="pip install 'mimir-learn[assets]'")

HEAD = "id=x\nname=test\nlicense={licence}\n"
ENTRY = """
id#{n}={id}
name#{n}={name}
model#{n}=/m/{n}/{n}.obj
width#{n}={size[0]}
depth#{n}={size[1]}
height#{n}={size[2]}
creator#{n}=Jos\\u00e9
"""


def obj(mesh: object, material: str = "") -> str:
    lines = [f"mtllib {material}.mtl\nusemtl red" if material else ""]
    lines += [f"v {x:.5f} {y:.5f} {z:.5f}" for x, y, z in mesh.vertices]  # type: ignore[attr-defined]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces]  # type: ignore[attr-defined]
    return "\n".join(lines) + "\n"


def chair(detail: int = 0) -> object:
    """Seat, back and four thin legs, y up and the front at +z, finely divided."""
    solids = [trimesh.creation.box((0.5, 0.05, 0.5)), trimesh.creation.box((0.5, 0.6, 0.04))]
    solids[0].apply_translation((0, 0.45, 0))
    solids[1].apply_translation((0, 0.75, -0.23))
    for x in (-1, 1):
        for z in (-1, 1):
            leg = trimesh.creation.cylinder(0.012, 0.45, sections=48)
            leg.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, (1, 0, 0)))
            leg.apply_translation((0.22 * x, 0.225, 0.22 * z))
            solids.append(leg)
    whole = trimesh.util.concatenate(solids)
    for _ in range(detail):
        whole = whole.subdivide()
    return whole


def archive(
    folder: Path, models: dict[str, tuple[str, str, tuple[float, float, float], str]], licence: str = "Public domain", name: str = "a"
) -> Path:
    """A .sh3f of models id → (name, OBJ text, size in cm, more properties)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.sh3f"
    text = HEAD.format(licence=licence)
    with zipfile.ZipFile(path, "w") as file:
        for n, (key, (label, body, size, more)) in enumerate(models.items(), 1):
            text += ENTRY.format(n=n, id=key, name=label, size=size) + more.replace("{n}", str(n)) + "\n"
            file.writestr(f"m/{n}/{n}.obj", body)
            file.writestr(f"m/{n}/red.mtl", "newmtl red\nKd 0.9 0.1 0.1\n")
        file.writestr("PluginFurnitureCatalog.properties", text)
    return path


def extent(pieces: list[Piece]) -> np.ndarray:
    return np.ptp(np.concatenate([p.vertices for p in pieces]), axis=0)


def test_properties_as_java_writes_them() -> None:
    text = "# no\n! no\n a = 1\nb:2\nc#1=caf\\u00e9 \\= x\nlong=one \\\n   two\nback=c\\:\\\\d\nempty=\nbare\n"
    expected = {"a": "1", "b": "2", "c#1": "café = x", "long": "one two", "back": "c:\\d", "empty": "", "bare": ""}
    assert dict(properties(text)) == expected


def test_models_get_the_catalogues_size_and_our_axes(tmp_path: Path) -> None:
    path = archive(tmp_path, {"c": ("Chair", obj(chair(), "red"), (50, 60, 100), "")})
    model = read_catalogue(path)[0]
    assert (model.name, model.creator, model.size, model.free) == ("Chair", "José", (0.5, 0.6, 1.0), True)
    with zipfile.ZipFile(path) as file:
        pieces = load(model, file)
    points = np.concatenate([p.vertices for p in pieces])
    assert np.allclose(extent(pieces), (0.5, 0.6, 1.0), atol=1e-6)
    assert np.allclose(points.min(0), (-0.25, -0.3, 0.0), atol=1e-6)  # stands on the floor, its middle over the origin
    back = points[points[:, 2] > 0.8]
    assert (back[:, 1] > 0.2).all()  # the back rest is at the back, which is +y; one sits down from −y
    assert np.allclose(pieces[0].rgb, (0.9, 0.1, 0.1), atol=0.01)


def test_a_rotation_of_the_catalogue_turns_before_it_scales(tmp_path: Path) -> None:
    lying = trimesh.creation.box((1.0, 0.1, 0.3))
    path = archive(tmp_path, {"c": ("Plank", obj(lying), (10, 30, 100), "modelRotation#{n}=0 -1 0 1 0 0 0 0 1\n")})
    with zipfile.ZipFile(path) as file:
        assert np.allclose(extent(load(read_catalogue(path)[0], file)), (0.1, 0.3, 1.0), atol=1e-6)


@pytest.mark.parametrize("budget", [60, 150, 400, 1200])
def test_decimation_keeps_what_it_promises_or_refuses(tmp_path: Path, budget: int) -> None:
    path = archive(tmp_path, {"c": ("Chair", obj(chair(2)), (50, 60, 100), "")})
    with zipfile.ZipFile(path) as file:
        pieces = load(read_catalogue(path)[0], file)
    assert sum(len(p.faces) for p in pieces) > 5000
    try:
        fewer = decimate(pieces, budget)
    except MeshError as e:
        assert budget < 400 and str(budget) in str(e)
        return
    assert sum(len(p.faces) for p in fewer) <= 2 * budget * 1.1
    assert np.all(np.abs(extent(fewer) / extent(pieces) - 1) <= 0.02)
    assert abs(sum(p.area for p in fewer) / sum(p.area for p in pieces) - 1) <= 0.15


def test_a_chair_without_legs_is_noticed() -> None:
    whole = chair()
    vertices, faces = np.asarray(whole.vertices)[:, [0, 2, 1]], np.asarray(whole.faces)  # type: ignore[attr-defined]
    before = [Piece(vertices, faces, (0.5, 0.5, 0.5))]
    legless = [Piece(vertices, faces[(vertices[faces][:, :, 2] > 0.4).all(1)], (0.5, 0.5, 0.5))]
    assert "extent" in damage(before, legless) and damage(before, before) == "" and damage(before, []) == "nothing is left"
    flattened = [Piece(vertices, faces[::2], (0.5, 0.5, 0.5))]
    assert "area" in damage(before, flattened)


def test_a_folder_with_index_and_credits_the_same_again(tmp_path: Path) -> None:
    free = {"Blend Swap CC-0#chair2": ("Free chair", obj(chair(1)), (50, 60, 100), "")}
    owned = {"Blend Swap CC-BY#chair3": ("Owned chair", obj(chair(1)), (50, 60, 100), "")}
    archive(tmp_path / "in", free)
    archive(tmp_path / "in" / "deeper", owned, "Creative Commons Attribution 3.0", "b")
    made = [convert(AssetsConfig(str(tmp_path / "in"), str(tmp_path / out)), progress=False) for out in ("one", "two")]
    assert made[0].models == 2 and "not in these archives" in made[0].left_out["Blend Swap CC-0#oakTable"]
    files = [{p.relative_to(m.folder): p.read_bytes() for p in m.folder.rglob("*") if p.is_file()} for m in made]
    assert files[0] == files[1] and len(files[0]) == 4
    text = (tmp_path / "one/CREDITS.md").read_text(encoding="utf-8")
    assert "Owned chair" in text.partition("Creative Commons Attribution 3.0")[2] and "by José" in text
    index = json.loads((tmp_path / "one/index.json").read_text(encoding="utf-8"))
    assert all(m["category"] == "chair" and m["triangles"] > 50 for m in index["models"])
    only_free = convert(AssetsConfig(str(tmp_path / "in"), str(tmp_path / "free"), free_only=True), progress=False)
    assert only_free.models == 1 and "not free" in only_free.left_out["Blend Swap CC-BY#chair3"]


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist; on Debian or Ubuntu: apt-get install sweethome3d-furniture"):
        archives(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"no \.sh3f archive"):
        archives(tmp_path)
    (tmp_path / "bad.sh3f").write_bytes(b"PK nothing")
    with pytest.raises(ConfigError, match=r"bad\.sh3f cannot be read"):
        convert(AssetsConfig(str(tmp_path), str(tmp_path / "out")), progress=False)
    with zipfile.ZipFile(tmp_path / "bad.sh3f", "w") as file:
        file.writestr("readme", "x")
    with pytest.raises(ConfigError, match="no furniture library"):
        read_catalogue(tmp_path / "bad.sh3f")
    archive(tmp_path / "other", {"who#knows": ("Thing", obj(chair()), (10, 10, 10), "")})
    with pytest.raises(ConfigError, match="none of the models"):
        convert(AssetsConfig(str(tmp_path / "other"), str(tmp_path / "out")), progress=False)
    flat = archive(tmp_path / "flat", {"Blend Swap CC-0#chair2": ("Line", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", (10, 10, 10), "")})
    done = convert(AssetsConfig(str(flat), str(tmp_path / "out2")), progress=False)
    assert done.models == 0 and "Blend Swap CC-0#chair2" in done.left_out
    size = archive(tmp_path / "size", {"x": ("Nothing", "", (10, 0, 10), "")})
    with pytest.raises(ConfigError, match="model 1 of its catalogue is damaged"):
        read_catalogue(size)
