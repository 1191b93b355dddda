"""A grid's report: right numbers in the page, tables beside it, films to choose from, and a real browser that walks through it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import gridpage
from mimir_learn.evaluation.films import choose_films
from mimir_learn.evaluation.reading import open_run
from mimir_learn.evaluation.report import report_from_folder
from mimir_learn.evaluation.viewer import outcome

from .gridfolder import CHROMIUM, in_browser, make_folder, sources_grid


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("grid"))


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report_from_folder(folder, tmp_path_factory.mktemp("out"), films=9)


def test_the_page_is_self_contained_and_has_every_part(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    assert not re.findall(r"https?://|<script[^>]* src|<link|@import", without_names)
    assert re.findall(r'<section id="([\w-]+)">', text) == [
        "results",
        "faults",
        "noise",
        "gap",
        "splits",
        "causes",
        "delta",
        "episodes",
        "made",
    ]
    assert all(f'href="#{s}"' in text for s in ("results", "faults", "noise", "gap", "splits", "causes", "delta", "episodes", "made"))
    assert "<b>thing</b>" not in text, "an instruction is text, not markup"


def test_tables_for_papers_lie_beside_it(page: Path) -> None:
    for name in ("tables.tex", "tables.md", "scores.csv", "tests.csv", "attribution.csv"):
        assert (page.parent / name).stat().st_size > 0 and name in page.read_text(encoding="utf-8")


def test_the_same_results_give_the_same_page(folder: Path, page: Path, tmp_path: Path) -> None:
    assert report_from_folder(folder, tmp_path / "x.html", films=9).read_bytes() == page.read_bytes()


def test_the_gap_is_the_paired_difference_of_the_records(folder: Path) -> None:
    run = open_run(folder)
    grid = gridpage.Grid(run)
    found = gridpage.gap(grid)
    assert found is not None
    table = found["blocks"][1]
    rates = [{r["task"]: r["declared_sr"] for r in run.rows[f"{s}, rough"]} for s in ("privileged", "learned")]
    difference = 100 * sum(rates[0][t] - rates[1][t] for t in rates[0]) / len(rates[0])
    column = table["head"].index("rough") - 1
    everything = next(r for r in table["rows"] if r["name"] == "all")["cells"][column]
    assert float(everything["value"].replace("−", "-")) == pytest.approx(round(difference))
    assert {r["name"] for r in table["rows"]} == {"all", "base", "long horizon", "spatial", "learned keeps"}
    kept = table["rows"][-1]["cells"][column]["value"]
    assert kept == f"{100 * sum(rates[1].values()) / sum(rates[0].values()):.0f} %"


def test_seen_and_unseen_add_up(folder: Path) -> None:
    run = open_run(folder)
    section = gridpage.splits(gridpage.Grid(run))
    assert section is not None
    parts = {p["title"]: p["blocks"] for p in section["blocks"][0]["parts"]}
    head = parts["rough"][0]["head"]
    assert head == ["by appearance", "seen (9)", "unseen (3)"], "every fourth task of twelve is novel"


def test_bars_of_causes_are_shares_of_all_episodes(folder: Path) -> None:
    section = gridpage.causes(gridpage.Grid(open_run(folder)))
    assert section is not None
    rows = next(p for p in section["blocks"][0]["parts"] if p["title"] == "rough")["blocks"][0]["rows"]
    none = next(r for r in rows if r["name"] == "none")
    assert none["text"].startswith("12 of 12 failed") and sum(w for _, w, _, _ in none["parts"]) == pytest.approx(100)


def test_an_arm_that_cannot_declare_is_marked_and_not_tested(page: Path) -> None:
    rows = [
        r for r in re.findall(r"<tr.*?</tr>", page.read_text(encoding="utf-8"), re.DOTALL) if "none</td>" in r and "by construction" in r
    ]
    assert rows and "†" in rows[0]


def test_films_show_one_task_of_several_subsets_done_differently(folder: Path) -> None:
    run = open_run(folder)
    order = [f"{s}, rough" for s in ("learned", "privileged", "schema", "none")]
    chosen = choose_films(run.rows, order, 9)
    assert chosen == choose_films(run.rows, order, 9) and len(chosen) == 9
    tasks = {r["task"] for _, r in chosen}
    assert len({r["subset"] for _, r in chosen}) == 3 and len(tasks) < len(chosen), "the same task from several arms"
    assert len({outcome(r) for _, r in chosen}) >= 2
    assert choose_films(run.rows, order, 0) == [] and choose_films({}, order, 5) == []


def test_an_ablation_and_a_number_are_drawn(tmp_path: Path) -> None:
    arms = {"full": {}, "no gate": {"gate": "off"}, "flat": {"variant": "flat_history"}}
    parts = sources_grid(name="parts", axes={}, arms=arms, delta="schema", faults="rough", table={"rows": "arm", "reference": "full"})
    numbers = sources_grid(name="k", axes={"k": [1, 4, 8]}, delta="schema", table={"rows": "k", "columns": "subset", "reference": "8"})
    for number, (grid, wanted) in enumerate(((parts, "What each part is worth"), (numbers, "Against the bound K of recall"))):
        text = report_from_folder(make_folder(tmp_path / str(number), grid), films=0).read_text(encoding="utf-8")
        assert wanted in text and 'id="viewer"' not in text


def test_results_without_their_records_still_make_tables(folder: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone" / "sources"
    alone.mkdir(parents=True)
    (alone / "results.json").write_bytes((folder / "results.json").read_bytes())
    text = report_from_folder(alone).read_text(encoding="utf-8")
    assert "there is no records.jsonl" in text and 'id="results"' in text and 'id="gap"' not in text


def test_bad_folders_get_one_clear_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no results\.json in .* \(there are in its folders sources: name one of them\)"):
        report_from_folder(folder.parent)
    body = json.loads((folder / "results.json").read_text())
    (tmp_path / "results.json").write_text(json.dumps({**body, "layout": {}}))
    with pytest.raises(ConfigError, match="from another version"):
        report_from_folder(tmp_path)
    (tmp_path / "results.json").write_text("[]")
    with pytest.raises(ConfigError, match="neither an evaluation's nor a grid's"):
        report_from_folder(tmp_path)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH to open the page in")
def test_a_browser_opens_it_picks_filters_and_steps(page: Path) -> None:
    walk = """
      const shown = (section) => [...document.querySelectorAll(`#${section} .panel`)].filter((p) => getComputedStyle(p).display !== "none");
      out.push(shown("results").length, shown("results")[0].textContent.includes("learned"));
      const before = shown("causes")[0].textContent;
      document.querySelector("#causes .tabs input").click();
      out.push(shown("causes").length, shown("causes")[0].textContent !== before);
      const v = document.getElementById("viewer"), at = (n) => v.querySelector(`[data-v="${n}"]`);
      const key = (k) => v.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
      const count = at("choose").options.length;
      at("outcome").value = "wrong"; at("outcome").dispatchEvent(new Event("change"));
      out.push(count, at("choose").options.length, at("chips").textContent.includes("declared done, but wrong"));
      key("ArrowRight"); key("ArrowRight"); out.push(at("where").textContent, at("written").textContent);
      at("outcome").value = ""; at("arm").value = "none, rough"; at("arm").dispatchEvent(new Event("change"));
      out.push([...at("choose").options].length, at("chips").textContent, at("where").textContent);
      out.push([...v.querySelectorAll("img")].every((i) => i.alt !== "" && i.src.startsWith("data:image/jpeg")));
      out.push([...document.querySelectorAll("a[href^='#']")].every((a) => document.getElementById(a.getAttribute("href").slice(1))));
      out.push(document.documentElement.scrollWidth <= innerWidth);
    """
    panels, has, causes, moved, count, fewer, wrong, where, written, of_none, chips, start, images, links, fits = in_browser(page, walk)
    assert panels == 1 and has and causes == 1 and moved
    assert count == 9 and 0 < fewer < 9 and wrong and where == "2 / 2" and "mug_1 in the hand" in written
    assert 0 < of_none < 9 and "none, rough" in chips and "first wrong link: unnoticed fault" in chips and start == "0 / 2"
    assert images and links and fits, "nothing is wider than the page"
    narrow, phone = in_browser(page, "out.push(innerWidth, document.documentElement.scrollWidth <= innerWidth)", width=420)
    assert narrow <= 500 and phone, "nor on a phone"
