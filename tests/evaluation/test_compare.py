"""Two runs side by side: every episode in its place, flips first, and a real browser that walks the list."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from mimir_learn.cli import main
from mimir_learn.errors import ConfigError
from mimir_learn.evaluation.compare import CompareConfig, compare, differs, match
from mimir_learn.evaluation.reading import open_run
from mimir_learn.evaluation.records import RecordFile
from mimir_learn.evaluation.results import evaluate, write_json

from .gridfolder import CHROMIUM, in_browser, make_folder
from .synthetic import ARMS, records


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_folder(tmp_path_factory.mktemp("a")), make_folder(tmp_path_factory.mktemp("b"), luck=1)


@pytest.fixture(scope="module")
def page(folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = CompareConfig((str(folders[0]), str(folders[1])), str(tmp_path_factory.mktemp("out")), arms=["learned, rough"])
    return compare(config)[0]


def test_flips_come_first_and_are_counted_right(folders: tuple[Path, Path], page: Path) -> None:
    table = pd.read_csv(page.with_suffix(".csv"))
    a, b = ({r["task"]: r["declared_sr"] for r in open_run(f).rows["learned, rough"]} for f in folders)
    wanted = Counter("won" if b[t] > a[t] else "lost" if a[t] > b[t] else "both" if a[t] else "neither" for t in a)
    assert Counter(table["flip"]) == wanted and wanted["won"] + wanted["lost"] > 0
    assert list(table["flip"]) == sorted(table["flip"], key=("won", "lost", "both", "neither").index)
    assert (table["a_declared_sr"] == [a[t] for t in table["task"]]).all() and (
        table["b_declared_sr"] == [b[t] for t in table["task"]]
    ).all()


def test_every_arm_both_have_is_compared_unless_some_are_named(folders: tuple[Path, Path]) -> None:
    first, second = map(open_run, folders)
    assert {p.arm for p in match(first, second, None)} == set(first.rows)
    other = match(first, second, ["learned, rough", "schema, rough"])
    assert {p.arm for p in other} == {"learned, rough → schema, rough"} and all(p.a["task"] == p.b["task"] for p in other)
    with pytest.raises(ConfigError, match="has no arm 'leaned, rough'; its arms: privileged, none"):
        match(first, second, ["leaned, rough"])


def test_an_evaluation_against_itself_has_no_flip(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "records.jsonl", {})
    for record in records(tasks=6):
        steps = record["trace"]
        more = {"goals": {"g1": "mug on table"}, "trace": [{**s, "mode": "plan"} for s in steps]}
        file.append({**record, **more})
    write_json(tmp_path / "results.json", {"title": "T", **evaluate(records(tasks=6), ARMS)})
    page, table = compare(CompareConfig((str(tmp_path), str(tmp_path)), str(tmp_path / "out.html"), metric="sr"))
    assert page == tmp_path / "out.html" and table == tmp_path / "out.csv"
    assert not set(pd.read_csv(table)["flip"]) & {"won", "lost"}
    assert "Configuration, code, suite and estimator are the same." in page.read_text(encoding="utf-8")


def test_what_differs_is_named(folders: tuple[Path, Path]) -> None:
    first, second = map(open_run, folders)
    second.body = {**second.body, "provenance": {**second.body["provenance"], "gate": {"commit": 0.5}, "machine": {"cpus": 99}}}
    assert differs(first, second) == [("gate.commit", "–", "0.5")]


def test_runs_with_nothing_in_common_are_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    body = json.loads((folders[0] / "results.json").read_text())
    (alone / "results.json").write_text(json.dumps(body))
    with pytest.raises(ConfigError, match=r"cannot be compared episode by episode: there is no records\.jsonl"):
        compare(CompareConfig((str(folders[0]), str(alone)), str(tmp_path)))
    first, second = map(open_run, folders)
    second.rows = {"other": second.rows["learned, rough"]}
    with pytest.raises(ConfigError, match="no arm of one name"):
        match(first, second, None)
    second.rows = {"learned, rough": [{**r, "task": "else"} for r in second.rows["other"]]}
    with pytest.raises(ConfigError, match="no task and seed in common"):
        match(first, second, None)
    same = open_run(folders[1]).rows["learned, rough"]
    second.rows = {"learned, rough": [{**r, "task_sha256": "rebuilt"} for r in same]}
    with pytest.raises(ConfigError, match=r"12 tasks have one id but are not the same in both \(t00 first\): another suite"):
        match(first, second, None)
    second.rows = {"learned, rough": [{**r, "task_sha256": "rebuilt"} if r["task"] == "t00" else r for r in same]}
    assert {p.a["task"] for p in match(first, second, None)} == {f"t{i:02d}" for i in range(1, 12)}
    with pytest.raises(ConfigError, match="choose declared_sr or sr"):
        CompareConfig(("a", "b"), metric="gc")


def test_the_command_takes_two_folders(folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arms = json.dumps(["learned, mild"])
    assert main(["report", "--compare", *map(str, folders), "-o", str(tmp_path), "--arms", arms]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "compare.html"), str(tmp_path / "compare.csv")]
    assert main(["report", "--compare", str(folders[0]), "-o", str(tmp_path)]) == 2


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH to open the page in")
def test_a_browser_walks_the_list(page: Path) -> None:
    walk = """
      const v = document.getElementById("compare"), at = (n) => v.querySelector(`[data-v="${n}"]`);
      const options = () => at("list").querySelectorAll("[role=option]");
      out.push(options().length, options()[0].className, at("instruction").textContent, at("steps-0").children.length);
      at("list").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
      out.push([...options()].findIndex((o) => o.getAttribute("aria-selected") === "true"));
      at("flip").value = "won"; at("flip").dispatchEvent(new Event("change"));
      out.push([...options()].every((o) => o.className === "won"), at("parting").textContent);
      out.push([...v.querySelectorAll("[data-v='steps-0'] .bad")].length, [...v.querySelectorAll("[data-v='steps-1'] .bad")].length);
      out.push(document.documentElement.scrollWidth <= innerWidth);
    """
    count, first, instruction, steps, chosen, won, parting, bad_a, bad_b, fits = in_browser(page, walk)
    assert count == 12 and first in ("won", "lost") and instruction.startswith("“Do <b>thing</b>") and steps == 2 and chosen == 1
    assert won and parting == "The same for 1 step, then they part."
    assert bad_a == 1 and bad_b == 0, "the run that failed wrote what did not happen"
    assert fits and in_browser(page, "out.push(document.documentElement.scrollWidth <= innerWidth)", width=420) == [True]
