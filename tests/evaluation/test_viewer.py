"""The episode viewer: what it is given, and that a real browser opens it, picks an episode and steps through it without an error."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jinja2 import Environment, PackageLoader

from mimir_learn.evaluation.page import viewer
from mimir_learn.evaluation.strips import data_uri, frame_of, grey
from mimir_learn.evaluation.viewer import episodes
from mimir_learn.symbols import EMPTY, IN_HAND, Delta, Parent, ParentChange, Relation

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TABLE = Parent("table_1", Relation.ON)
TAKEN = Delta([ParentChange("mug_1", TABLE, IN_HAND, 0.75)])


def _step(command: str, committed: Delta, truth: Delta, parent: str) -> dict[str, Any]:
    image = data_uri(np.full((8, 8, 3), 90, np.uint8))
    return {
        "command": command, "mode": "plan", "image": image, "depth": image, "hand": None, "text": "You </script> it.", "goal": "g1",
        "success": True,
        "tree": [["mug_1", "on", parent, ["dirty"], "learned", [], parent == "table_1"], ["pea_1", "in", "mug_1", [], "percept", [], True]],
        "agenda": [["g1", "pending"]], "candidates": [["mug_1", "on table_1", 1.0, 1.0, 0.5, 0.0]],
        "grounded": {"object": "mug_1", "parent": "on table_1", "target": "sink_1"}, "fault": "wrong_instance", "truth": truth.to_json(),
        "estimate": committed.to_json(), "committed": committed.to_json(), "held": EMPTY.to_json(),
        "wrong": sorted(committed.atoms - truth.atoms), "missed": sorted(truth.atoms - committed.atoms),
    }  # fmt: skip


def _strip(arm: str) -> dict[str, Any]:
    image = data_uri(np.full((8, 8, 3), 90, np.uint8))
    return {
        "arm": arm, "task": "t", "seed": 0, "instruction": f"Wash <b>it</b> with {arm}.", "goals": {"g1": "mug in sink"}, "sr": True,
        "declared": True, "declared_sr": True, "faults": 1, "length": 2, "places": [["table_1", "kitchen_1"], ["sink_1", "kitchen_1"]],
        "first": image, "first_depth": image,
        "steps": [_step("pick up mug_1", TAKEN, EMPTY, "table_1"), _step("wait", EMPTY, TAKEN, "sink_1")],
    }  # fmt: skip


def test_a_written_change_that_did_not_happen_is_wrong_and_one_that_was_not_written_is_missed() -> None:
    start, first, second = episodes([_strip("learned")])[0]["steps"]
    assert start["command"] == "start" and start["tree"] == []
    assert first["written"] == [["mug_1 in the hand", "bad"]] and first["wrong"] and not first["missed"]
    assert first["estimate"] == [["mug_1 in the hand", 0.75]] and first["truth"] == []
    assert second["written"] == [["mug_1 in the hand (missed)", "miss"]] and second["missed"]


def test_depth_is_bright_when_near_and_black_where_nothing_returned() -> None:
    shades = grey(np.array([[0.0, 0.5, 2.0, 9.0]], np.float32))[0]
    assert shades[0] == 0 and shades[1] > shades[2] > shades[3] > 0
    assert frame_of(data_uri(np.zeros((8, 8), np.uint8))).shape == (8, 8)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH to open the page in")
def test_a_browser_walks_through_it(tmp_path: Path) -> None:
    env = Environment(loader=PackageLoader("mimir_learn.evaluation"), autoescape=True)
    body = env.get_template("viewer.html.j2").render(viewer([_strip("learned"), _strip("schema")]))
    walk = """
      const out = [], v = document.getElementById("viewer");
      const key = (k) => v.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
      const at = (n) => v.querySelector(`[data-v="${n}"]`);
      const look = () => out.push([at("instruction").textContent, at("where").textContent, at("command").textContent,
        [...at("written").querySelectorAll(".bad, .miss")].map((n) => n.className + ":" + n.textContent), at("tree").textContent]);
      look(); key("ArrowRight"); look(); key("ArrowRight"); key("ArrowRight"); look(); key("PageDown"); look(); key("End"); look();
      at("choose").value = "0"; at("choose").dispatchEvent(new Event("change")); at("rail").children[1].click(); look();
      document.title = JSON.stringify({out, errors: window.errors});
    """
    page = f"<title>-</title><script>window.errors = []; onerror = (m) => errors.push(String(m));</script>{body}<script>{walk}</script>"
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8>{page}", encoding="utf-8")
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([*command, (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=90)
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None and title[1] != "-", done.stderr[-2000:]
    seen = json.loads(title[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert seen["errors"] == []
    first, one, two, other, end, back = seen["out"]
    assert first[:3] == ["“Wash <b>it</b> with learned.”", "0 / 2", "before the first step"]
    assert one[1:4] == ["1 / 2", "pick up mug_1", ["atom bad:mug_1 in the hand"]]
    assert two[1] == "2 / 2" and two[3] == ["atom miss:mug_1 in the hand (missed)"]
    assert two[4] == "kitchen_1sink_1mug_1 dirty moved, by learned not therepea_1"
    assert other[:2] == ["“Wash <b>it</b> with schema.”", "0 / 2"] and end[1] == "2 / 2"
    assert back[:2] == ["“Wash <b>it</b> with learned.”", "1 / 2"]
