"""Houses drawn with models from elsewhere: only the looks change, the fit is right, and damage is named."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from mimir_learn.envs.household import FixtureSpec, HouseholdConfig, HouseholdEnv, HouseSpec, ThingSpec, generate_house
from mimir_learn.envs.household.build import COLLISION, build
from mimir_learn.envs.household.shapes import bounds
from mimir_learn.envs.household.skins import Skins
from mimir_learn.errors import ConfigError

BOX = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 1.0)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)


def folder(root: Path, *models: tuple[str, tuple[float, float, float], float | None]) -> Path:
    """Models (category, size, top): each a box in two colours, lower and upper half."""
    root.mkdir(parents=True, exist_ok=True)
    entries = []
    for i, (category, size, top) in enumerate(models):
        half = BOX * size * (1, 1, 0.5)
        arrays = {"rgb_P3": np.array([[0.9, 0.1, 0.1], [0.1, 0.9, 0.1]]), "faces_0": FACES, "faces_1": FACES}
        arrays |= {"vertices_0": half, "vertices_1": half + np.array([0.0, 0.0, size[2] / 2])}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        (root / f"{i}.npz").write_bytes(buffer.getvalue())
        digest = hashlib.sha256(buffer.getvalue()).hexdigest()
        entries.append({"category": category, "file": f"{i}.npz", "sha256": digest, "size": size, "top": top})
    (root / "index.json").write_text(json.dumps({"format": 1, "models": entries}))
    return root


def plain(house: HouseSpec, kind: str) -> list[FixtureSpec | ThingSpec]:
    """What could be dressed: no doors, no drawn states."""
    specs: tuple[FixtureSpec | ThingSpec, ...] = house.fixtures if kind == "fixtures" else house.things
    return [s for s in specs if not any(p.when for p in s.parts) and not getattr(s, "panels", ())]


@pytest.fixture(scope="module")
def house() -> HouseSpec:
    for seed in range(40):
        house = generate_house(seed)
        single = [f for f in plain(house, "fixtures") if len(f.regions) == 1 and abs(f.regions[0].centre[2] - f.size[2]) < 0.02]
        if single and any(t.holds is None for t in plain(house, "things")):
            return house
    pytest.fail("no house of 40 has a table and a plain thing")


@pytest.fixture(scope="module")
def assets(house: HouseSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    fixtures, things = plain(house, "fixtures"), plain(house, "things")
    models: dict[str, tuple[str, tuple[float, float, float], float | None]] = {}
    for spec in fixtures:
        models[spec.category] = (spec.category, spec.size, spec.size[2] * 0.4)  # type: ignore[union-attr]
    for spec in things:
        models[spec.category] = (spec.category, (0.2, 0.1, 0.3), None)
    return folder(tmp_path_factory.mktemp("assets"), *models.values())


def test_a_model_fills_the_fixture_and_its_seat_is_where_things_lie(house: HouseSpec, assets: Path) -> None:
    skins, dressed, seats = Skins.load(assets), 0, 0
    for spec in plain(house, "fixtures"):
        assert isinstance(spec, FixtureSpec)
        pieces = skins.dress(spec, house.seed)
        if not pieces:
            assert len(spec.regions) > 1
            continue
        dressed += 1
        points = np.concatenate([p.vertices for p in pieces])
        assert np.allclose(np.ptp(points, axis=0), spec.size, atol=1e-6) and np.isclose(points[:, 2].min(), 0)
        if spec.regions and spec.regions[0].centre[2] < spec.size[2] - 0.05:
            seats += 1  # 0.4 of the model's height is its seat, half of it the border between its pieces
            border = pieces[0].vertices[:, 2].max()
            level = spec.regions[0].centre[2]
            assert np.isclose(border, level + (spec.size[2] - level) * (0.5 - 0.4) / 0.6)
    assert dressed and skins.categories >= {s.category for s in plain(house, "fixtures")}


def test_a_thing_stays_within_its_own_bounds_and_keeps_its_colour(house: HouseSpec, assets: Path) -> None:
    skins, dressed = Skins.load(assets), 0
    for spec in plain(house, "things"):
        assert isinstance(spec, ThingSpec)
        pieces = skins.dress(spec, house.seed)
        if not pieces:
            continue
        dressed += 1
        corners = [bounds(p) for p in spec.parts]
        low, high = np.min([c[0] for c in corners], axis=0), np.max([c[1] for c in corners], axis=0)
        points = np.concatenate([p.vertices for p in pieces])
        assert (points >= low - 1e-6).all() and (points <= high + 1e-6).all() and np.isclose(points[:, 2].min(), low[2])
        assert pieces[0].rgb in {p.rgb for p in spec.parts} and pieces[1].rgb == (0.1, 0.9, 0.1)
    assert dressed


def test_what_shows_a_state_opens_or_holds_inside_is_never_dressed(house: HouseSpec, tmp_path: Path) -> None:
    everything = {s.category: (s.category, (0.5, 0.5, 0.5), 0.2) for s in (*house.fixtures, *house.things)}
    skins = Skins.load(folder(tmp_path, *everything.values()))
    for spec in (*house.fixtures, *house.things):
        if any(p.when for p in spec.parts) or getattr(spec, "panels", ()) or getattr(spec, "holds", None) is not None:
            assert skins.dress(spec, 0) == ()


def test_only_the_looks_change(house: HouseSpec, assets: Path) -> None:
    ours, theirs = build(house), build(house, Skins.load(assets))

    def solids(model: mujoco.MjModel) -> list[tuple[object, ...]]:
        out = []
        for g in range(model.ngeom):
            if model.geom_contype[g]:
                body = int(model.geom_bodyid[g])
                out.append((body, int(model.geom_type[g]), *np.round(np.r_[model.geom_size[g], model.geom_pos[g], model.geom_quat[g]], 9)))
        return sorted(out)

    assert solids(ours.model) == solids(theirs.model)
    assert np.array_equal(ours.model.body_mass, theirs.model.body_mass) and ours.ids == theirs.ids and ours.panels == theirs.panels
    drawn = [int((m.model.geom_group != COLLISION).sum()) for m in (ours, theirs)]
    assert drawn[0] != drawn[1]
    assert any("skin" in theirs.model.geom(g).name for g in range(theirs.model.ngeom))
    again = build(house)
    assert np.array_equal(ours.model.geom_rgba, again.model.geom_rgba) and ours.model.ngeom == again.model.ngeom


def test_a_session_is_the_same_but_for_its_pictures(house: HouseSpec, assets: Path) -> None:
    target = next(f for f in plain(house, "fixtures") if len(f.regions) == 1)  # type: ignore[union-attr]
    script = [f"go to {house.fixtures[0].id}", "look", f"go to {target.id}", "look", "wait"]
    traces, frames = [], []
    for folder_ in (None, str(assets)):
        env = HouseholdEnv(HouseholdConfig(image_size=64, assets=folder_))
        env.reset(seed=1, options={"house": house})
        trace, pictures = [], []
        for command in script:
            raw, *_, info = env.step(command)
            trace.append((info["success"], info["feedback"], env.privileged_state().snapshot.to_json()))
            pictures.append(raw["rgb"])
        env.close()
        traces.append(trace)
        frames.append(pictures)
    assert traces[0] == traces[1]
    assert not np.array_equal(frames[0][2], frames[1][2])


def test_which_model_is_taken_depends_on_house_and_id_alone(house: HouseSpec, tmp_path: Path) -> None:
    spec = next(f for f in plain(house, "fixtures") if len(f.regions) == 1)
    assert isinstance(spec, FixtureSpec)
    many = folder(tmp_path, *((spec.category, tuple(s * (1 + 0.05 * i) for s in spec.size), 0.4 * spec.size[2]) for i in range(6)))  # type: ignore[arg-type]
    skins, other = Skins.load(many), Skins.load(many)
    taken = {skins.dress(replace(spec, id=f"x_{n}"), seed)[0].vertices.tobytes() for n in range(9) for seed in range(9)}
    assert 1 <= len(taken) <= 6
    for seed in range(5):
        assert np.array_equal(skins.dress(spec, seed)[0].vertices, other.dress(spec, seed)[0].vertices)


def test_a_model_that_would_be_stretched_too_much_is_left_out(house: HouseSpec, tmp_path: Path) -> None:
    spec = next(f for f in plain(house, "fixtures") if len(f.regions) == 1)
    assert isinstance(spec, FixtureSpec)
    w, d, h = spec.size
    assert Skins.load(folder(tmp_path / "a", (spec.category, (w, d, 3 * h), 0.4 * h))).dress(spec, 0) == ()
    assert Skins.load(folder(tmp_path / "b", (spec.category, (3 * w, 3 * d, 3 * h), 1.2 * h))).dress(spec, 0) != ()


def test_damage_is_named(assets: Path, house: HouseSpec, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"index\.json is missing; make the folder with `mimir assets"):
        HouseholdEnv(HouseholdConfig(assets=str(tmp_path)))
    (tmp_path / "index.json").write_text("{")
    with pytest.raises(ConfigError, match="is damaged"):
        Skins.load(tmp_path)
    (tmp_path / "index.json").write_text(json.dumps({"format": 99, "models": []}))
    with pytest.raises(ConfigError, match="format 99"):
        Skins.load(tmp_path)
    spec = next(f for f in plain(house, "fixtures") if len(f.regions) == 1)
    assert isinstance(spec, FixtureSpec)
    made = folder(tmp_path / "made", (spec.category, spec.size, spec.size[2] * 0.4))
    (made / "0.npz").write_bytes((made / "0.npz").read_bytes()[:-30])
    with pytest.raises(ConfigError, match=r"0\.npz cannot be used"):
        Skins.load(made).dress(spec, 0)
