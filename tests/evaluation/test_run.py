"""``mimir eval`` and ``mimir suite`` end to end on a few tasks: files, resuming, refusing, the page."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError, LogError, MimirError, SimulatorError
from mimir_learn.evaluation import provenance
from mimir_learn.evaluation import run as runs
from mimir_learn.evaluation.caveats import caveats
from mimir_learn.evaluation.demo import Stages
from mimir_learn.evaluation.picture import picture_from_folder
from mimir_learn.evaluation.report import report_from_folder, write_report
from mimir_learn.evaluation.run import EvalConfig, evaluate
from mimir_learn.evaluation.suite import Suite
from mimir_learn.logs.locks import only_one

MAIN = ""


@pytest.fixture(scope="module", autouse=True)
def _main(suite_path: Path) -> None:
    global MAIN
    MAIN = str(suite_path)


def config(out: Path, **more: object) -> EvalConfig:
    base = EvalConfig(suite=MAIN, out=str(out), sources=["privileged@0", "privileged", "schema", "none"], tasks=4, n_jobs=1)
    return replace(base, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("eval")
    evaluate(config(out))
    return out


def test_files_and_provenance(run: Path) -> None:
    results = json.loads((run / "results.json").read_text())
    assert results["arms"]["privileged_no_fault"]["metrics"]["sr"]["value"] == 1.0
    made = results["provenance"]
    assert made["suite"]["sha256"] == Suite.load(Path(MAIN)).sha256 and made["seeds"] == [0]
    assert {"python", "numpy", "mujoco"} <= set(made["versions"]) and "commit" in made["git"] and made["config"]["tasks"] == 4
    summary = json.loads((run / "summary.json").read_text())
    assert all(isinstance(v, int | float) for v in summary.values()) and "schema.false_completion_rate" in summary


def test_the_page_stands_alone(run: Path) -> None:
    page = (run / "report.html").read_text()
    assert "<svg" in page and "prefers-color-scheme: dark" in page
    assert "data:image/jpeg;base64," in page
    without_names = re.sub(r'xmlns(:xlink)?="http://www.w3.org/[^"]*"', "", page)
    assert not re.findall(r"https?://|<script[^>]* src|<link|@import", without_names)


def test_the_page_marks_what_is_so_by_construction(run: Path) -> None:
    """Arms: privileged against none (the only pair that is settled beforehand) and privileged against schema."""
    page = (run / "report.html").read_text()
    rows = [re.sub(r"<[^>]+>", " ", r) for r in re.findall(r"<tr.*?</tr>", page, re.DOTALL)]
    none = [r for r in rows if "privileged − none" in r]
    assert ["by construction" in r for r in none] == ["declared SR" in r for r in none] and len(none) == 2
    assert not any("by construction" in r for r in rows if "privileged − schema" in r)
    assert "Declared SR of none is 0 by construction" in page
    kept = next(p for p in json.loads((run / "results.json").read_text())["paired"] if p["by_construction"])
    assert (kept["b"], kept["metric"]) == ("none", "declared_sr") and kept["p"] <= 1


def test_the_page_shows_quality_on_both_logs_and_what_was_held(run: Path, tmp_path: Path) -> None:
    results = json.loads((run / "results.json").read_text())
    page = (run / "report.html").read_text()
    assert "On the agent's own transitions" in page.replace("&#39;", "'") and "On the test log" not in page
    log = {"learned": {**results["delta"]["schema"], "changed_atom_f1_no_hand": 0.8765, "false_change_rate_manipulation": 0.0432}}
    bins = [{"p": 0.9, "right": 0.8, "n": 10}]
    write_report({**results, "estimator": log, "reliability": bins, "reliability_episodes": bins}, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text().replace("&#39;", "'")
    assert "On the test log" in page and "On the agent's own transitions" in page and "changes<br>held" in page
    assert page.count("0.876") + page.count("0.877") >= 2 and page.count("0.043") >= 2, "in a card and in the table"
    assert "Reliability on the test log" in page and "Reliability on the agent's own transitions" in page
    assert re.search(r"a fault struck [\d.]+% of \d+ steps", page)


def test_resuming_runs_nothing_twice_and_gives_the_same(run: Path) -> None:
    path = run / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    before = json.loads((run / "results.json").read_text())["arms"]
    path.write_bytes(b"".join(lines[:-3]) + lines[-3][:40])
    evaluate(config(run))
    assert json.loads((run / "results.json").read_text())["arms"] == before
    assert sorted(json.loads(x).get("task", "") for x in path.read_bytes().splitlines()) == sorted(
        json.loads(x).get("task", "") for x in lines
    )


def test_other_code_or_calibration_starts_the_records_anew(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    shutil.copytree(run, out)
    old = (out / "records.jsonl").read_bytes()
    monkeypatch.setattr(runs, "loaded_sha256", lambda stage: "f" * 64)
    evaluate(config(out, sources=["none"], tasks=1))
    assert "16 episodes recorded under another source are not used" in capsys.readouterr().err
    assert (out / "records.old1.jsonl").read_bytes() == old, "the old ones are kept, under another name"
    assert len((out / "records.jsonl").read_text().splitlines()) == 2, "a header and one new episode: nothing mixed in"
    results = json.loads((out / "results.json").read_text())
    assert results["provenance"]["source_sha256"] == "f" * 64 and results["arms"]["none"]["episodes"] == 1


def test_provenance_is_of_the_code_that_ran_the_records(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    shutil.copytree(run, out)
    ran = json.loads((out / "results.json").read_text())["provenance"]
    monkeypatch.setattr(runs, "git_state", lambda: {"commit": "later"})
    monkeypatch.setattr(provenance, "git_state", lambda: {"commit": "later"})
    evaluate(config(out))
    made = json.loads((out / "results.json").read_text())["provenance"]
    assert made["git"] == ran["git"] and made["scored_by"]["git"] == {"commit": "later"}
    assert made["source_sha256"] == ran["source_sha256"] == provenance.loaded_sha256("episodes")


def test_the_source_hash_follows_what_matters_for_the_stage(tmp_path: Path) -> None:
    package = tmp_path / "package"
    shutil.copytree(Path(provenance.__file__).parents[1], package, ignore=shutil.ignore_patterns("__pycache__"))
    before = {s: provenance.source_sha256(s, package) for s in provenance.SOURCES_OF}
    assert before == {s: provenance.source_sha256(s) for s in before}

    def changed(path: str) -> set[str]:
        text = (package / path).read_text()
        (package / path).write_text(text + "# another line\n")
        out = {s for s in before if provenance.source_sha256(s, package) != before[s]}
        (package / path).write_text(text)
        return out

    assert changed("memory/world.py") == {"collect", "train", "score", "episodes", "suite", "evaluate"}
    assert changed("envs/household/faults.py") == {"collect", "episodes", "suite", "evaluate"}
    assert changed("estimator/model.py") == {"train", "score", "episodes", "evaluate"}
    assert changed("evaluation/scoring.py") == {"episodes", "suite", "evaluate"}
    assert changed("evaluation/report.py") == {"evaluate"}
    assert changed("collect/policy.py") == {"collect", "evaluate"}


def test_a_calibration_is_part_of_what_learned_records_rest_on(tmp_path: Path) -> None:
    from mimir_learn.envs.household import VOCABULARY
    from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
    from mimir_learn.estimator.export import save_pretrained, weights_sha256, with_vocabulary

    small = EstimatorConfig(image_px=32, crop_px=8, dim=16, heads=2, layers=1, ffn=16, crop_width=4, image_width=4)
    save_pretrained(DeltaEstimator(with_vocabulary(small, VOCABULARY)), tmp_path)
    hashes = runs.checkpoint_hashes(str(tmp_path))
    arm = {"world": "learned", "task": "learned"}
    assert any("uncalibrated" in c for c in caveats({"arms": {"learned": arm}, "paired": [], "settings": hashes}))
    assert hashes["checkpoint_sha256"] == weights_sha256(tmp_path) and hashes["calibration_sha256"] is None
    heads = {"parent": 1.0, "attr": 1.0, "outcome": 1.0}
    for t in (1.0, 2.0):
        body = {"temperature": dict.fromkeys(heads, t), "weights_sha256": weights_sha256(tmp_path)}
        (tmp_path / "calibration.json").write_text(json.dumps(body))
        again = runs.checkpoint_hashes(str(tmp_path))
        assert again["calibration_sha256"] not in (None, hashes["calibration_sha256"])
        assert caveats({"arms": {"learned": arm}, "paired": [], "settings": again}) == []
        assert again["checkpoint_sha256"] == hashes["checkpoint_sha256"]
        hashes = again


def test_other_settings_in_the_same_folder_are_refused(run: Path) -> None:
    with pytest.raises(ConfigError, match="differs in: faults"):
        evaluate(config(run, faults=0.4))


def test_report_and_picture_from_a_folder(run: Path, tmp_path: Path) -> None:
    page = report_from_folder(run, tmp_path / "again.html")
    assert page.read_text() == (run / "report.html").read_text()
    assert picture_from_folder(run, tmp_path / "x" / "p.png").read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(ConfigError, match=r"no results\.json"):
        report_from_folder(tmp_path)
    with pytest.raises(ConfigError, match=r"no results\.json"):
        picture_from_folder(tmp_path, tmp_path / "p.png")


def test_subsets_and_appearance_are_split(run: Path, tmp_path: Path) -> None:
    results = json.loads((run / "results.json").read_text())
    assert len(results["by_subset"]) == 4 and set(results["by_appearance"]) <= {"seen", "unseen"}
    assert all(set(row) == set(results["arms"]) for row in results["by_subset"].values())
    summary = json.loads((run / "summary.json").read_text())
    assert all(f"schema.{subset}.sr" in summary for subset in results["by_subset"])
    evaluate(config(tmp_path, sources=["none"], subsets=["spatial", "base"], tasks=3, faults="rough"))
    results = json.loads((tmp_path / "results.json").read_text())
    assert set(results["by_subset"]) == {"spatial", "base"} and results["settings"]["faults"] == "rough"
    assert "Fault suite rough, 70% of faults silent" in (tmp_path / "report.html").read_text()
    with pytest.raises(ConfigError, match="no subset hard"):
        evaluate(config(tmp_path, subsets=["hard"]))


def test_stages_run_once_until_something_they_depend_on_changes(tmp_path: Path) -> None:
    calls: list[str] = []

    def stage(name: str, settings: int, later: int = 0) -> list[str]:
        calls.clear()
        stages = Stages(tmp_path / "stages")
        stages.run("a", settings, lambda: calls.append("a") or {"x": 1}, tmp_path)  # type: ignore[func-returns-value]
        stages.run("b", later, lambda: calls.append("b") or {"y": 2}, tmp_path)  # type: ignore[func-returns-value]
        return list(calls)

    assert stage("a", 1) == ["a", "b"] and stage("a", 1) == []
    assert stage("a", 1, later=3) == ["b"]
    assert stage("a", 2, later=3) == ["a", "b"], "what follows a changed stage runs again"


def test_what_other_code_left_behind_is_cleared_not_mixed_and_not_an_error(tmp_path: Path) -> None:
    made = tmp_path / "train"

    def run(code: str) -> list[str]:
        def work() -> dict[str, int]:
            made.mkdir(exist_ok=True)
            (made / code).touch()
            return {"x": 1}

        Stages(tmp_path / "stages").run("train", code, work, made, discard=made)
        return sorted(p.name for p in made.iterdir())

    assert run("old") == ["old"] and run("old") == ["old"]
    assert run("new") == ["new"], "a checkpoint of other code is trained again, by itself"
    shutil.rmtree(tmp_path / "stages")
    assert run("newer") == ["newer"]
    assert [p.name for p in (tmp_path / "train.old1").iterdir()] == ["new"], "what this demo did not make is kept"


def test_an_interrupted_stage_goes_on_where_it_stopped(tmp_path: Path) -> None:
    made = tmp_path / "train"

    def dies() -> dict[str, int]:
        made.mkdir()
        (made / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stages(tmp_path / "s").run("train", 1, dies, made / "model", discard=made)
    Stages(tmp_path / "s").run("train", 1, lambda: {"x": 1}, made / "model", discard=made)
    assert (made / "half").exists()


def test_a_failed_stage_is_not_done(tmp_path: Path) -> None:
    def fail() -> dict[str, int]:
        raise ConfigError("no")

    with pytest.raises(ConfigError):
        Stages(tmp_path / "s").run("a", 1, fail, tmp_path)
    assert Stages(tmp_path / "s").run("a", 1, lambda: {"x": 1}, tmp_path) == {"x": 1}


def test_starting_over_checks_first_and_keeps_what_was_there(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(run, out)
    old = (out / "records.jsonl").read_bytes()
    for wrong in ({"tasks": 0}, {"suite": "nowhere.json"}, {"checkpoint": "nowhere"}):
        with pytest.raises(MimirError):
            evaluate(config(out, resume=False, **wrong))
        assert (out / "records.jsonl").read_bytes() == old
    evaluate(config(out, resume=False, sources=["none"], tasks=1))
    assert (out / "records.old1.jsonl").read_bytes() == old


def test_a_folder_in_use_is_refused_and_left_alone(run: Path) -> None:
    before = (run / "records.jsonl").read_bytes()
    with only_one(run, "evaluating", ConfigError), pytest.raises(ConfigError, match="another process is evaluating"):
        evaluate(config(run, resume=False))
    assert (run / "records.jsonl").read_bytes() == before


def test_a_missing_driver_or_log_is_found_before_the_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_driver(_: int) -> None:
        raise SimulatorError("no driver")

    none = dict.fromkeys(("checkpoint_sha256", "calibration_sha256", "model_config_sha256"))
    monkeypatch.setattr(runs, "_run", lambda *_: pytest.fail("episodes ran"))
    monkeypatch.setattr(runs, "checkpoint_hashes", lambda _: none)
    with pytest.raises(LogError, match="nowhere"):
        evaluate(config(tmp_path, checkpoint="some", log="nowhere"))
    monkeypatch.undo()
    monkeypatch.setattr(runs, "probe_drawing", no_driver)
    with pytest.raises(SimulatorError, match="no driver"):
        evaluate(config(tmp_path))
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("image_size", 8), ("watchdog_s", 0.0), ("strips", -1), ("score_limit", 0), ("faults", "wild"), ("faults", 1.5)]
)
def test_settings_out_of_range_are_refused_by_name(name: str, value: object, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"eval.{name}"):
        config(tmp_path, **{name: value})


@pytest.mark.parametrize("damage", ["product", "marker", "begun"])
def test_a_stage_whose_product_or_marker_is_damaged_is_done_again(damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, calls = tmp_path / "train", []

    def work() -> dict[str, int]:
        calls.append(sorted(p.name for p in made.iterdir()) if made.exists() else [])
        made.mkdir(exist_ok=True)
        (made / "weights").write_text("1")
        return {"x": 1}

    def stage() -> dict[str, object]:
        return Stages(tmp_path / "s").run("train", 1, work, made / "weights", made, lambda: (made / "weights").read_text())

    assert stage() == stage() == {"x": 1} and calls == [[]]
    {"product": made / "weights", "marker": tmp_path / "s/train.json", "begun": tmp_path / "s/train.begun"}[damage].write_text("{")
    assert stage() == {"x": 1}
    assert calls[1:] == {"product": [[]], "marker": [["weights"]], "begun": []}[damage], "what is damaged is not built on"
    assert "damaged" in capsys.readouterr().out
    assert stage() == {"x": 1} and (made / "weights").read_text() == "1"
