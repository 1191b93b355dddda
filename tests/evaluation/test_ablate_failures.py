"""`mimir ablate`: whatever goes wrong in one run is that run's failure; the others are finished, and the same command mends it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

import mimir_learn.estimator
from mimir_learn.errors import CheckpointError, ConfigError, MimirError
from mimir_learn.estimator.export import weights_sha256
from mimir_learn.evaluation import ablate as module
from mimir_learn.evaluation.ablate import ablate
from mimir_learn.evaluation.ablations import AblateConfig, completed_settings, make_ablation, settings_of
from tests.evaluation.test_ablate import SMOKE, log  # noqa: F401  (a fixture)


def _grid(folder: Path, epochs: int = 1, **more: object) -> str:
    body = yaml.safe_load(Path(SMOKE).read_text()) | {"seeds": [0], "sources": ["none"], "arms": {"full": {}}} | more
    body["base"] |= {"epochs": epochs}
    path = folder / "grid.yaml"
    path.write_text(yaml.safe_dump(body))
    return str(path)


@pytest.fixture(scope="module")
def trained(log: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:  # noqa: F811
    """(grid, folder of its results), one arm of two epochs, its checkpoints kept as they were before the end."""
    folder = tmp_path_factory.mktemp("trained")
    grid, keep = _grid(folder, 2), shutil.rmtree
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.shutil, "rmtree", lambda path, **k: None if Path(path).name == "checkpoints" else keep(path, **k))
        ablate(AblateConfig(grid, str(folder / "out"), log=log, n_jobs=1))
    return grid, folder / "out"


def _copy(trained: tuple[str, Path], to: Path) -> tuple[str, Path, Path]:
    grid, out = trained
    shutil.copytree(out, to / "out")
    (run,) = (p.parent for p in (to / "out").glob("runs/full-*/model"))
    (run / "record.json").unlink()
    return grid, to / "out", run


def test_samples_that_cannot_be_built_are_the_failure_of_their_arm_alone(log: str, tmp_path: Path) -> None:  # noqa: F811
    arms = {"words": {"estimator": {"names": str(tmp_path / "no-such-text-model")}}, "full": {}}
    with pytest.raises(MimirError, match=r"1 of 3 runs failed, words, seed 0 first: samples of the train split: .*no-such-text-model"):
        ablate(AblateConfig(_grid(tmp_path, arms=arms), str(tmp_path / "out"), log=log, n_jobs=1))
    text = (tmp_path / "out" / "tables.md").read_text()
    assert "| full | 1 |" in text and "`words, seed 0` failed" in text


def test_a_file_where_a_run_goes_fails_that_run_alone(log: str, tmp_path: Path) -> None:  # noqa: F811
    grid, out = _grid(tmp_path), tmp_path / "out"
    (out / "runs").mkdir(parents=True)
    ablation = make_ablation(yaml.safe_load(Path(grid).read_text()))
    run = next(r for r in module._runs(ablation, out, module.fingerprint(Path(log))) if r.seed == 0)
    run.folder.write_text("in the way")
    with pytest.raises(MimirError, match="1 of 2 runs failed, full, seed 0 first: FileExistsError"):
        ablate(AblateConfig(grid, str(out), log=log, n_jobs=1))
    assert "| none | 1 |" in (out / "tables.md").read_text()
    run.folder.unlink()
    ablate(AblateConfig(grid, str(out), log=log, n_jobs=1))
    assert "| full | 1 |" in (out / "tables.md").read_text()


@pytest.mark.parametrize("error", [RuntimeError("CUDA error: out of memory"), OSError(28, "No space left on device")])
def test_an_error_that_is_not_ours_fails_the_run_and_is_written_down(
    error: Exception, log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    def broken(config: object) -> None:
        raise error

    monkeypatch.setattr(mimir_learn.estimator, "fit", broken)
    with pytest.raises(MimirError, match=f"full, seed 0 first: {type(error).__name__}: .*(memory|space)"):
        ablate(AblateConfig(_grid(tmp_path), str(tmp_path / "out"), log=log, n_jobs=1))
    assert "Traceback" in next((tmp_path / "out").glob("runs/full-*/log.txt")).read_text()
    assert "| none | 1 |" in (tmp_path / "out" / "tables.md").read_text()


@pytest.mark.parametrize("checkpoints", [True, False])
@pytest.mark.parametrize("text", ["", '{"config": {"epo', "[]", "{}"])
def test_a_summary_cut_short_is_a_run_not_finished(
    text: str, checkpoints: bool, trained: tuple[str, Path], log: str, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    grid, out, run = _copy(trained, tmp_path)
    before = weights_sha256(run / "model")
    (run / "train.json").write_text(text)
    if not checkpoints:
        shutil.rmtree(run / "checkpoints")
    ablate(AblateConfig(grid, str(out), log=log, n_jobs=1))
    assert json.loads((run / "record.json").read_text())["checkpoint_sha256"] == before
    assert json.loads((run / "train.json").read_text())["summary"]["weights_sha256"] == before


def test_a_record_cut_short_is_made_again(trained: tuple[str, Path], log: str, tmp_path: Path) -> None:  # noqa: F811
    grid, out, run = _copy(trained, tmp_path)
    (run / "record.json").write_text('{"name": "fu')
    ablate(AblateConfig(grid, str(out), log=log, n_jobs=1))
    assert json.loads((run / "record.json").read_text())["name"] == "full"


def test_only_a_damaged_or_foreign_checkpoint_is_given_up(
    trained: tuple[str, Path], log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    grid, out, run = _copy(trained, tmp_path)
    (run / "train.json").unlink()
    kept = {p.name: p.read_bytes() for p in run.glob("checkpoints/*.ckpt")}
    assert sorted(kept) == ["best.ckpt", "last.ckpt"]
    with monkeypatch.context() as patch:

        def broken(config: object) -> None:
            raise CheckpointError("no text model here")

        patch.setattr(mimir_learn.estimator, "fit", broken)
        with pytest.raises(MimirError, match="no text model here"):
            ablate(AblateConfig(grid, str(out), log=log, n_jobs=1))
    assert {p.name: p.read_bytes() for p in run.glob("checkpoints/*.ckpt")} == kept

    ours = next(
        r for r in module._runs(make_ablation(yaml.safe_load(Path(grid).read_text())), out, module.fingerprint(Path(log))) if r.recipe
    )
    recipe = module.replace(ours.recipe, log_dir=log, out_dir=str(run))
    (run / "checkpoints" / "last.ckpt").write_bytes(kept["last.ckpt"][:100])
    assert module._can_go_on(run, recipe)  # from the best one
    assert [p.name for p in run.glob("checkpoints/*.ckpt")] == ["best.ckpt"]
    assert not module._can_go_on(run, module.replace(recipe, lr=0.5))
    assert not (run / "checkpoints").exists()


def test_a_run_made_before_the_input_had_a_version_is_not_taken_for_todays() -> None:
    (arm,) = make_ablation({"arms": {"full": {}}}).arms
    today = settings_of(arm.recipe)
    old = {**today, "estimator": {k: v for k, v in today["estimator"].items() if k not in ("input_version", "landing")}}
    assert completed_settings(old)["estimator"] == {**today["estimator"], "input_version": 2, "landing": False}
    (before,) = make_ablation({"arms": {"full": {"estimator": {"input_version": 2, "landing": False}}}}).arms
    assert completed_settings(old) == settings_of(before.recipe) != today
    assert completed_settings(today) == today


@pytest.mark.parametrize("split", ["train", "tests"])
def test_arms_are_not_scored_on_their_training_houses(split: str) -> None:
    with pytest.raises(ConfigError, match=f"split is '{split}'.*validation, calibration, test"):
        make_ablation({"arms": {"full": {}}, "split": split})


def test_a_plan_names_no_table(log: str, tmp_path: Path) -> None:  # noqa: F811
    assert ablate(AblateConfig(_grid(tmp_path), str(tmp_path / "out"), log=log, plan=True)) is None
    assert not (tmp_path / "out" / "tables.md").exists()


def test_a_file_where_the_results_go_is_named(log: str, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(ConfigError, match="out cannot be made"):
        ablate(AblateConfig(_grid(tmp_path), str(tmp_path / "out"), log=log))
