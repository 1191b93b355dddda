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

BOX = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)


Size = tuple[float, float, float]
Box = tuple[Size, Size]  # lowest and highest corner, metres


def halves(size: Size) -> tuple[Box, ...]:
    """A block of this size that stands on the floor, cut at half its height."""
    w, d, h = size
    return (((-w / 2, -d / 2, 0.0), (w / 2, d / 2, h / 2)), ((-w / 2, -d / 2, h / 2), (w / 2, d / 2, h)))


def folder(root: Path, *models: tuple[str, Size, tuple[Box, ...]]) -> Path:
    """Models (category, size, boxes): one piece per box, the first red, the others green."""
    root.mkdir(parents=True, exist_ok=True)
    entries = []
    for i, (category, size, boxes) in enumerate(models):
        arrays = {"rgb_P3": np.array([[0.9, 0.1, 0.1], *[[0.1, 0.9, 0.1]] * (len(boxes) - 1)])}
        for k, (low, high) in enumerate(boxes):
            arrays |= {f"vertices_{k}": np.asarray(low) + BOX * np.subtract(high, low), f"faces_{k}": FACES}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        (root / f"{i}.npz").write_bytes(buffer.getvalue())
        digest = hashlib.sha256(buffer.getvalue()).hexdigest()
        entries.append({"category": category, "file": f"{i}.npz", "sha256": digest, "size": size})
    (root / "index.json").write_text(json.dumps({"format": 1, "models": entries}))
    return root


def block(root: Path, category: str, size: Size, *more: Box) -> Path:
    """A folder with one model: a block, and perhaps more boxes."""
    return folder(root, (category, size, (*halves(size), *more)))


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


def table(house: HouseSpec) -> FixtureSpec:
    """A fixture with one level and nothing that moves or is switched."""
    return next(f for f in plain(house, "fixtures") if isinstance(f, FixtureSpec) and len(f.regions) == 1)


@pytest.fixture(scope="module")
def assets(house: HouseSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    sizes: dict[str, Size] = {s.category: s.size for s in plain(house, "fixtures")}  # type: ignore[union-attr]
    sizes |= {s.category: (0.2, 0.1, 0.3) for s in plain(house, "things")}
    return folder(tmp_path_factory.mktemp("assets"), *((c, size, halves(size)) for c, size in sizes.items()))


def test_a_model_is_as_wide_and_deep_as_the_fixture_and_its_level_is_where_things_lie(house: HouseSpec, assets: Path) -> None:
    skins, dressed = Skins.load(assets), 0
    for spec in plain(house, "fixtures"):
        assert isinstance(spec, FixtureSpec)
        pieces = skins.dress(spec, house.seed)
        if not pieces:
            assert len(spec.regions) > 1
            continue
        dressed += 1
        points = np.concatenate([p.vertices for p in pieces])
        level = spec.regions[0].centre[2] if spec.regions else spec.size[2]
        assert np.allclose(np.ptp(points, axis=0), (*spec.size[:2], level), atol=1e-6) and np.isclose(points[:, 2].min(), 0)
    assert dressed and skins.categories >= {s.category for s in plain(house, "fixtures")}


def test_a_seat_is_where_things_lie_and_a_back_rest_as_high_as_ours(house: HouseSpec, tmp_path: Path) -> None:
    spec = replace(table(house), size=(1.0, 0.8, 0.9))
    spec = replace(spec, regions=(replace(spec.regions[0], centre=(0.0, -0.1, 0.4), half=(0.4, 0.25)),))
    chair = (((-0.5, -0.4, 0.0), (0.5, 0.4, 0.5)), ((-0.5, 0.3, 0.5), (0.5, 0.4, 1.0)))
    seat, rest = Skins.load(folder(tmp_path, (spec.category, (1.0, 0.8, 1.0), chair))).dress(spec, 0)
    assert np.isclose(seat.vertices[:, 2].max(), 0.4) and np.isclose(rest.vertices[:, 2].max(), 0.9)


def test_a_model_that_would_hide_what_lies_there_or_lacks_part_of_the_level_is_left_out(house: HouseSpec, tmp_path: Path) -> None:
    spec = table(house)
    w, d, h = spec.size
    assert Skins.load(block(tmp_path / "even", spec.category, spec.size)).dress(spec, 0)
    cushion = ((-0.3 * w, -0.3 * d, h), (0.3 * w, 0.3 * d, 1.3 * h))
    assert Skins.load(folder(tmp_path / "a", (spec.category, (w, d, 1.3 * h), (*halves(spec.size), cushion)))).dress(spec, 0) == ()
    narrow = halves((0.7 * w, d, h))
    assert Skins.load(folder(tmp_path / "b", (spec.category, spec.size, narrow))).dress(spec, 0) == ()


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
    cube = (0.5, 0.5, 0.5)
    names = {s.category for s in (*house.fixtures, *house.things)}
    skins = Skins.load(folder(tmp_path, *((name, cube, halves(cube)) for name in sorted(names))))
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
    target = table(house)
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
    spec = table(house)
    w, d, h = spec.size
    models = [(spec.category, spec.size, (*halves(spec.size), ((-w / 2, -d / 2, 0.0), (w / 2, d / 2, h * k / 10)))) for k in range(1, 7)]
    many = folder(tmp_path, *models)
    skins, other = Skins.load(many), Skins.load(many)
    taken = {skins.dress(replace(spec, id=f"x_{n}"), seed)[2].vertices.tobytes() for n in range(9) for seed in range(9)}
    assert len(taken) == 6
    for seed in range(5):
        assert np.array_equal(skins.dress(spec, seed)[2].vertices, other.dress(spec, seed)[2].vertices)


def test_a_model_that_would_be_stretched_too_much_is_left_out(house: HouseSpec, tmp_path: Path) -> None:
    spec = table(house)
    w, d, h = spec.size
    assert Skins.load(block(tmp_path / "a", spec.category, (w, d, 3 * h))).dress(spec, 0) == ()
    assert Skins.load(block(tmp_path / "b", spec.category, (3 * w, 3 * d, 3 * h))).dress(spec, 0) != ()


def test_damage_is_named(assets: Path, house: HouseSpec, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"index\.json is missing; make the folder with `mimir assets"):
        HouseholdEnv(HouseholdConfig(assets=str(tmp_path)))
    (tmp_path / "index.json").write_text("{")
    with pytest.raises(ConfigError, match="is damaged"):
        Skins.load(tmp_path)
    (tmp_path / "index.json").write_text(json.dumps({"format": 99, "models": []}))
    with pytest.raises(ConfigError, match="format 99"):
        Skins.load(tmp_path)
    spec = table(house)
    made = block(tmp_path / "made", spec.category, spec.size)
    (made / "0.npz").write_bytes((made / "0.npz").read_bytes()[:-30])
    with pytest.raises(ConfigError, match=r"0\.npz cannot be used"):
        Skins.load(made).dress(spec, 0)
