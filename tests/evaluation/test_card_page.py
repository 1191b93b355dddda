"""Where a difficulty card's table goes: beside the suite, and into a page only when one is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.evaluation import difficulty
from mimir_learn.evaluation.build import SuiteConfig, run_suite_command
from mimir_learn.evaluation.difficulty import table
from mimir_learn.evaluation.suite import Suite

CARD = {"suite": "small", "sha256": "0", "subsets": {}}
MARK = "<!-- card small -->"


def test_no_page_is_touched_unless_named(suite_config: SuiteConfig, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difficulty, "card_of", lambda suite, n_jobs, rows: CARD)
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "docs/suites.md"
    page.parent.mkdir()
    page.write_text(f"before\n{MARK}\nold\n{MARK}\nafter\n")
    suite.save(tmp_path / "mine.json")
    config = replace(suite_config, out=str(tmp_path / "mine.json"), card=True)
    run_suite_command(config)
    assert (tmp_path / "mine.card.json").is_file() and "old" in page.read_text()
    run_suite_command(replace(config, docs=str(page)))
    assert page.read_text() == f"before\n{MARK}\n{table(CARD)}\n{MARK}\nafter\n"


@pytest.mark.parametrize("text", [None, "no place", MARK])
def test_a_page_without_a_place_is_refused_first(
    text: str | None, suite_config: SuiteConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(difficulty, "card_of", lambda *_: pytest.fail("measured in vain"))
    page = tmp_path / "page.md"
    if text is not None:
        page.write_text(text)
    with pytest.raises(ConfigError, match=r"suite\.docs is .*page\.md"):
        run_suite_command(replace(suite_config, card=True, docs=str(page)))
    with pytest.raises(ConfigError, match="give --card true"):
        SuiteConfig(docs=str(page))
