"""docs/household.md says what the code says: tables, commands, settings and pictures."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from PIL import Image

from mimir_learn import cli
from mimir_learn.agent.adapters import HouseholdAdapter
from mimir_learn.envs.household import HouseholdConfig
from mimir_learn.envs.household.faults import FAULT_SUITES, KINDS
from mimir_learn.showroom.play.grammar import Grammar
from mimir_learn.showroom.sheets import categories
from mimir_learn.showroom.tables import TABLES, main, renewed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/household.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_tables_are_as_the_code_has_them() -> None:
    assert set(re.findall(r"<!-- table: (\w+) -->", TEXT)) == set(TABLES)
    assert renewed(TEXT) == TEXT, "run: python -m mimir_learn.showroom.tables docs/household.md"


def test_a_table_that_is_out_of_date_is_renewed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- table: rules -->\nold\n<!-- end -->\nafter\n")
    assert main([str(page)]) == 0
    text = page.read_text()
    assert "old" not in text and TABLES["rules"]() in text and text.startswith("before\n") and text.endswith("after\n")


def test_tables_name_everything_once() -> None:
    for name, kind in (("things", "things"), ("fixtures", "fixtures")):
        assert re.findall(r"^\| `(\w+)`", TABLES[name](), re.MULTILINE) == list(categories(kind))
    assert re.findall(r"^\| `(\w+)`", TABLES["faults"](), re.MULTILINE) == [*KINDS, "silent"]
    assert all(f"`{suite}`" in TABLES["faults"]() for suite in FAULT_SUITES)


def test_every_command_is_explained() -> None:
    rows = TEXT.partition("## Commands")[2].partition("## ")[0]
    told = " ".join(re.findall(r"`([^`]+)`", rows))
    for usage in Grammar(HouseholdAdapter(), ()).usage:
        words = re.split(r" (?:THING|PLACE)", usage)[0]
        assert words in told, f"the commands do not tell of {usage!r}"


def test_settings_and_options_it_names_exist() -> None:
    fields = {f.name for f in dataclasses.fields(HouseholdConfig)}
    for name in re.findall(r"`HouseholdConfig\.(\w+)`", TEXT):
        assert name in fields
    for command, options in re.findall(r"mimir (play|show|assets|doctor|collect)\b([^`\n|]*)", TEXT):
        known = {f.name for f in dataclasses.fields(cli.COMMANDS[command].config())} | {"help", "preview"}
        for option in re.findall(r"--(\w+)", options):
            assert option in known, f"mimir {command} has no --{option}"


@pytest.mark.parametrize("link", re.findall(r"\]\((img/[^)]+)\)", TEXT))
def test_pictures_are_there_with_the_command_that_draws_them(link: str) -> None:
    path = PAGE.parent / link
    assert path.suffix == ".png" and min(Image.open(path).size) > 300
    what = "house" if "house" in path.stem else path.stem
    assert re.search(rf"`mimir show {what} [^`]*-o docs/img", TEXT), f"no command for {link}"


def test_pictures_are_small_enough_and_all_used() -> None:
    files = list((PAGE.parent / "img").glob("*"))
    assert sum(p.stat().st_size for p in files) < 3_000_000
    assert {f"img/{p.name}" for p in files} == set(re.findall(r"\]\((img/[^)]+)\)", TEXT))
