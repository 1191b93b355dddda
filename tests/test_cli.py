"""The command line: settings from YAML and options, and one clear error with the right exit code for each mistake."""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mimir_learn import cli
from mimir_learn.collect import CollectConfig

from .logs.tiny_log import make_log

CONFIGS = Path(__file__).parents[1] / "configs"
SUITE = str(Path(__file__).parents[1] / "data/suites/household-v1-test.json")


def parsed(*args: str) -> object:
    return cli._parse(args[0], cli.COMMANDS[args[0]], list(args[1:]))


def test_yaml_then_options(tmp_path: Path) -> None:
    recipe = tmp_path / "c.yaml"
    recipe.write_text("steps: 7\nhouses: {train: 3}\nfaults: 0.1\n")
    config = parsed("collect", "--config", str(recipe), "--faults", "0.4")
    assert isinstance(config, CollectConfig)
    assert (config.steps, config.houses.train, config.houses.test, config.faults) == (7, 3, CollectConfig().houses.test, 0.4)


RECIPES = [p for p in sorted(CONFIGS.glob("*/*.yaml")) if p.parent.name != "experiments"]  # those are grids: tests/evaluation/test_grid.py


@pytest.mark.parametrize("path", RECIPES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_recipe_is_read(path: Path) -> None:
    command = path.parent.name
    assert type(parsed(command, "--config", str(path))) is cli.COMMANDS[command].config()


def test_demo_recipe_is_made_of_the_stages_recipes() -> None:
    demo = parsed("demo", "--config", str(CONFIGS / "demo/default.yaml"))
    collect = parsed("collect", "--config", str(CONFIGS / "collect/demo.yaml"))
    assert demo.collect == collect  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["dance"], 2, "no command 'dance'"),
        (["collect", "--stepz", "3"], 2, "did you mean steps?"),
        (["collect", "--steps", "many"], 2, "mimir collect: steps is 'many'; a whole number is wanted"),
        (["collect", "--steps=many"], 2, "steps is 'many'; a whole number is wanted"),
        (["collect", "--houses.train", "x"], 2, "houses.train is 'x'; a whole number is wanted"),
        (["collect", "--houses", "7"], 2, "houses is '7'; {train: …, validation: …, calibration: …, test: …} is wanted"),
        (["collect", "extra"], 2, "'extra' is not expected here; settings are given as --KEY VALUE; known: out, seed, houses"),
        (["collect", "--image_size", "5000"], 1, "collect.image_size is 5000; give 16 to 512 pixels"),
        (["eval", "--seeds", "a"], 2, "seeds is 'a'; a list, [a, b], each a whole number is wanted"),
        (["eval", "--seeds", "[-1]", "--sources", "[text]"], 1, "eval.seeds is -1; give a whole number, at least 0"),
        (["play", "--page", "maybe"], 2, "page is 'maybe'; true or false or null is wanted"),
        (["collect", "--config", "nowhere.yaml"], 2, "does not exist"),
        (["collect", "--faults", "2"], 1, "give a number from 0 to 1"),
        (["collect", "--check", "nowhere"], 1, "mimir collect"),
        (["eval", "--sources", "[oracle]"], 1, "unknown Δ-source 'oracle'"),
        (["eval", "--sources", "[learned]"], 1, "needs a checkpoint"),
        (["eval", "--sources", "[text]", "--suite", "nowhere.json"], 1, "mimir suite --out nowhere.json"),
        (["eval", "--sources", "[learned]", "--checkpoint", "nowhere", "--suite", SUITE], 1, "nowhere"),
        (["suite", "--tasks", "5000"], 1, "do not fit"),
        (["train", "--log_dir", "nowhere", "--out_dir", "nowhere/out"], 1, "nowhere"),
        (["report", "--folder", "nowhere"], 1, "no results.json in nowhere"),
        (["bench"], 2, "takes one of: env, memory"),
        (["eval", "--sources", "[text]", "--suite", "."], 1, "cannot be read as a suite"),
        (["eval", "--sources", "[text]", "--suite", "latin1"], 1, "latin1 is not a suite"),
        (["eval", "--sources", "[text]", "--suite", SUITE, "--out", "latin1/out"], 1, "latin1/out: Not a directory; a part of this path"),
        (["eval", "--watchdog_s", "0"], 1, "eval.watchdog_s"),
        (["demo", "--out", "latin1"], 1, "latin1/stages: Not a directory"),
        (["play", "--hous", "3"], 2, "did you mean house?"),
        (["play", "--script", "latin1"], 1, "no UTF-8 text"),
        (["play", "--faults", "dreadful"], 1, "none, mild, rough, silent, exogenous"),
        (["play", "--source", "oracle", "--script", "-"], 1, "unknown feedback source 'oracle'"),
        (["play", "--style", "rude", "--script", "-"], 1, "plain, alfred, habitat"),
        (["show", "house", "--spec", "nowhere.json"], 1, "nowhere.json cannot be read"),
        (["show", "things", "--colors", "3"], 2, "did you mean colours?"),
        (["show", "things", "-o", "latin1", "--only", "[fork]"], 1, "latin1: File exists"),
        (["collect", "--preview", "nowhere"], 1, "mimir collect"),
        (["collect", "--preview", "nowhere", "--splits", "test"], 2, "did you mean split?"),
        (["assets", "sweethome3d", "nowhere"], 1, "apt-get install sweethome3d-furniture"),
        (["assets", "sweethome3d"], 2, "source"),
        (["doctor", "--household", "--faults", "awful"], 1, "none, mild, rough, silent, exogenous"),
        (["doctor", "--households"], 2, "did you mean household?"),
    ],
)
def test_mistakes(
    args: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin1").write_bytes("é".encode("latin-1"))
    assert cli.main(args) == code
    err = capsys.readouterr().err
    assert err.startswith("error: ") and words in err, err
    assert "Traceback" not in err


def test_unknown_key_in_yaml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.yaml").write_text("fault: 0.2\n")
    assert cli.main(["collect", "--config", str(tmp_path / "bad.yaml")]) == 2
    assert "'fault' is not accepted; did you mean faults?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "text", "words"),
    [
        ("demo", b"collect: {stepz: 3}", "of bad.yaml); did you mean collect.steps?"),
        ("collect", b"steps: many", "steps is 'many' in bad.yaml; a whole number is wanted"),
        ("collect", b"houses: {train: x}", "houses.train is 'x' in bad.yaml; a whole number is wanted"),
        ("eval", b"gate: {nonsense: 3}", "of bad.yaml); known: gate.commit, gate.ignore"),
        ("collect", b"\xe9: 3", "bad.yaml is no UTF-8 text"),
    ],
)
def test_mistakes_inside_a_config_file_name_it(
    command: str, text: bytes, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_bytes(text)
    assert cli.main([command, "--config", "bad.yaml"]) == 2 and words in capsys.readouterr().err


def test_an_unknown_option_lists_the_top_level_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["demo", "--quick"]) == 2
    assert capsys.readouterr().err.endswith("known: out, collect, train, eval\n")


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0 and cli.main(["--version"]) == 0 and cli.main(["suite", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in cli.COMMANDS) and "--first_house" in out


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_its_settings(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    noun = cli.COMMANDS[name].nouns[:1]
    assert cli.main([name, *noun, "--help"]) == 0
    out = capsys.readouterr().out
    for field in dataclasses.fields(cli.COMMANDS[name].config()):
        if not dataclasses.is_dataclass(field.type):
            assert re.search(rf"--{field.name}[ ,.]", out), f"{name} --help does not tell of {field.name}"


@pytest.mark.parametrize(
    ("args", "setting", "value"),
    [
        (["doctor", "--household"], "household", True),
        (["doctor", "--household", "--actions", "5"], "household", True),
        (["doctor", "--household", "false"], "household", False),
        (["doctor"], "household", False),
        (["play", "--page", "--port", "0"], "page", True),
        (["play"], "page", None),
        (["play", "--reveal", "--faults", "0.3"], "faults", "0.3"),
        (["show", "--only", "[mug, bowl]"], "only", ("mug", "bowl")),
        (["show", "-o", "somewhere"], "out", "somewhere"),
    ],
)
def test_switches_may_stand_alone(args: list[str], setting: str, value: object) -> None:
    assert getattr(parsed(*args), setting) == value


def test_words_after_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[object] = []

    def hear(config: object) -> int:
        heard.append(config)
        return 0

    for name in ("show", "assets"):
        monkeypatch.setitem(cli.COMMANDS, name, dataclasses.replace(cli.COMMANDS[name], run=hear))
    assert cli.main(["show", "fixtures", "--size", "64"]) == 0 and cli.main(["assets", "sweethome3d", "some/where", "-o", "x"]) == 0
    shown, made = heard
    assert (shown.what, shown.size) == ("fixtures", 64) and (made.source, made.out) == ("some/where", "x")  # type: ignore[attr-defined]
    assert cli.main(["show"]) == 2 and "things, fixtures, house, faults" in capsys.readouterr().err
    assert cli.main(["assets", "blender", "x"]) == 2 and "takes one of: sweethome3d" in capsys.readouterr().err


def test_play_and_show_and_preview_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script").write_text("help\nwait\n")
    assert cli.main(["play", "--script", "script", "--size", "32", "--out", "p"]) == 0
    assert "[1] ✓ You wait." in capsys.readouterr().out and Path("p/step-001.png").is_file()
    assert cli.main(["show", "fixtures", "--only", "[lamp]", "--size", "32", "-o", "s"]) == 0
    assert capsys.readouterr().out == "s/fixtures.png\n" and Path("s/fixtures.png").is_file()
    make_log(Path("log"))
    assert cli.main(["collect", "--preview", "log", "--transitions", "3"]) == 0
    assert capsys.readouterr().out == "log/preview.png\nlog/preview-counts.png\n"


def test_doctor_finds_a_house_in_order_or_says_what_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from mimir_learn.envs.household import checker

    command = ["doctor", "--household", "--actions", "12", "--houses", "2", "--faults", "rough,exogenous"]
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert "everything in order" in out and "24 actions in 2 houses" in out
    assert re.search(r"rough +12 .* 0\n", out) and "mild" not in out
    monkeypatch.setattr(checker, "check_world", lambda world, view=None: ["the moon is made of cheese"])
    assert cli.main(command) == 1
    out = capsys.readouterr().out
    assert "the moon is made of cheese" in out and "everything in order" not in out
    assert re.search(r"house 0, rough, '[^']+': the moon", out) or "house 0, at the start: the moon" in out


def test_doctor_and_bench(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    assert "conda install habitat-sim" in capsys.readouterr().out
    assert cli.main(["bench", "memory", "--entities", "[100]", "--steps", "2"]) == 0
    assert "100" in capsys.readouterr().out
    assert cli.main(["bench", "env", "--steps", "20", "--houses", "1", "--resets", "0"]) == 0
    out = capsys.readouterr().out
    assert "transitions per second and core" in out and all(part in out for part in ("render", "physics", "encode", "perception"))


def test_collecting_does_not_load_torch() -> None:
    code = "import sys; sys.modules['torch'] = None\nfrom mimir_learn import cli\ncli._parse('collect', cli.COMMANDS['collect'], [])"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_doctor_says_everything_when_nothing_can_be_drawn() -> None:
    env = {**os.environ, "MUJOCO_GL": "nonsense"}
    done = subprocess.run([sys.executable, "-m", "mimir_learn.cli", "doctor"], capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 1 and "✗ MuJoCo draws off screen" in done.stdout and "Traceback" not in done.stderr
    assert "cores, MUJOCO_GL=nonsense" in done.stdout and done.stdout.rstrip().endswith("something is missing, see above")


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC])
def test_errors_of_the_file_system_name_path_and_cure(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_: object) -> int:
        raise OSError(number, os.strerror(number), "some/path")

    monkeypatch.setitem(cli.COMMANDS, "doctor", dataclasses.replace(cli.COMMANDS["doctor"], run=fails))
    assert cli.main(["doctor"]) == 1
    assert capsys.readouterr().err == f"error: some/path: {os.strerror(number)}; {cli._CURES[number]}\n"
