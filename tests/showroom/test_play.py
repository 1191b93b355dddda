"""Playing by script: frames, memory and Δ of a whole session, and what happens to lines that are no commands."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from mimir_learn.envs.household import VOCABULARY, generate_house
from mimir_learn.errors import ConfigError
from mimir_learn.estimator import DeltaEstimator, EstimatorConfig
from mimir_learn.estimator.export import with_vocabulary
from mimir_learn.logs.locks import only_one
from mimir_learn.showroom.play import PlayConfig, play
from mimir_learn.showroom.play.session import Session
from mimir_learn.showroom.play.terminal import _one
from mimir_learn.showroom.play.tree import lines, tree

HOUSE = 3
SPEC = generate_house(HOUSE)
DOOR = next(f.id for f in SPEC.fixtures if f.panels and not f.attributes.get("open") and f.category != "laptop")


class Asked:
    """A `House` without a thread of its own."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def ask(self, question: Callable[[Session], object]) -> object:
        return question(self.session)

    def act(self, line: str, origin: str) -> object:
        return self.session.act(line)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    session = Session(PlayConfig(house=HOUSE, size=32, out=str(tmp_path_factory.mktemp("session"))))
    yield session
    session.close()


def run(tmp_path: Path, script: str, **more: object) -> tuple[int, str, list[dict]]:
    out = io.StringIO()
    config = PlayConfig(house=HOUSE, size=64, out=str(tmp_path), **more)  # type: ignore[arg-type]
    code = play(config, io.StringIO(script), out)
    trace = [json.loads(line) for line in (tmp_path / "session.jsonl").read_text(encoding="utf-8").splitlines()]
    return code, out.getvalue(), trace


def test_a_script_leaves_frames_a_trace_and_words(tmp_path: Path) -> None:
    code, said, trace = run(tmp_path, f"# walk\n\ngo to {DOOR}\nopen {DOOR}   # and in\nmemory\nquit\nclose {DOOR}\n")
    assert code == 0
    assert [t["command"] for t in trace] == ["", f"go to {DOOR}", f"open {DOOR}"]  # nothing after quit
    assert trace[2]["success"] and trace[2]["committed"] == f"{DOOR} open" and trace[2]["at"] == DOOR
    assert f"Δ {DOOR} open" in said and re.search(rf"^  {DOOR}: [\w, ]*open$", said, re.MULTILINE)
    for number in range(3):
        for suffix in ("", "-depth"):
            picture = np.asarray(Image.open(tmp_path / f"step-{number:03d}{suffix}.png"))
            assert picture.shape == (64, 64, 3) and picture.std() > 1


def test_lines_that_are_no_commands_do_nothing_and_count(tmp_path: Path) -> None:
    code, said, trace = run(tmp_path, f"fly away\nhelp\nseen\nplaces\ngo to {DOOR}\n")
    assert code == 1 and "'fly away' is no command" in said and "pick up THING from PLACE" in said
    assert [t["command"] for t in trace] == ["", f"go to {DOOR}"]
    assert all(f.id in said for f in SPEC.fixtures)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"GO TO {DOOR}", f"command words are lower case: 'go to {DOOR}'"),
        ("memory everything", "there is 'memory' and 'memory all'"),
        ("Help", "there is 'help' alone"),
        ("pick up", "it goes: 'pick up THING', 'pick up THING from PLACE'"),
        ("goto fridge_1", "did you mean 'go to'?"),
        ("look \udce9", "is no command"),  # what a terminal makes of a byte it cannot read
    ],
)
def test_what_is_nearly_a_command_gets_a_hint(line: str, words: str, tmp_path: Path, session: Session) -> None:
    turns = len(session.turns)
    out = io.StringIO()
    assert session.act(line) is None and len(session.turns) == turns
    assert not _one(Asked(session), line, "test", out) and words in out.getvalue(), out.getvalue()  # type: ignore[arg-type]


def test_two_sessions_do_not_write_into_one_folder(tmp_path: Path) -> None:
    (tmp_path / "step-000.png").write_bytes(b"theirs")
    with only_one(tmp_path, "playing", ConfigError), pytest.raises(ConfigError, match="another process is playing"):
        run(tmp_path, "look\n")
    assert (tmp_path / "step-000.png").read_bytes() == b"theirs"


def test_the_same_script_gives_the_same_bytes_and_replaces_an_older_session(tmp_path: Path) -> None:
    script = f"go to {DOOR}\nopen {DOOR}\nlook\nwait\n"

    def files() -> dict[str, bytes]:
        return {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    run(tmp_path, script + "wait\nwait\n", faults="rough", reveal=True)
    longer = files()
    run(tmp_path, script, faults="rough", reveal=True)
    first = files()
    run(tmp_path, script, faults="rough", reveal=True)
    assert first == files() and len(longer) - len(first) == 4


def test_a_silent_fault_fools_the_source_that_trusts_its_actions(tmp_path: Path) -> None:
    script = f"go to {DOOR}\n" + f"open {DOOR}\nclose {DOOR}\n" * 12
    _, _, trusting = run(tmp_path / "a", script, faults="silent", source="schema", reveal=True)
    _, _, knowing = run(tmp_path / "b", script, faults="silent", source="privileged", reveal=True)
    fooled = [t for t in trusting if t["fault"] == "stuck"]
    assert fooled and all(t["success"] for t in fooled)
    assert any(t["committed"] != t["truth"] for t in fooled)
    assert all(t["committed"] == t["truth"] for t in knowing if t["number"])


def test_an_estimator_may_read_the_changes_off_the_frames(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = DeltaEstimator(with_vocabulary(EstimatorConfig(), VOCABULARY)).save_pretrained(tmp_path / "model")
    script = f"go to {DOOR}\nopen {DOOR}\nlook\n"
    code, said, trace = run(tmp_path / "play", script, source="learned", checkpoint=str(model))
    assert code == 0 and all(0 <= t["confidence"] <= 1 for t in trace[1:]) and len({t["confidence"] for t in trace[1:]}) == 3
    assert "confidence 0." in said
    assert PlayConfig(source="learned").pixels == 128 and PlayConfig().pixels == 256 and PlayConfig(size=99).pixels == 99


def test_the_truth_is_not_told_unless_asked_for(tmp_path: Path) -> None:
    _, said, trace = run(tmp_path, f"go to {DOOR}\nopen {DOOR}\n", faults="0.9")
    assert "true Δ" not in said and "fault:" not in said
    assert all(t["truth"] is None and t["fault"] == "" for t in trace)


def test_memory_is_a_tree_that_grows_with_what_is_seen(tmp_path: Path) -> None:
    session = Session(PlayConfig(house=HOUSE, size=64, out=str(tmp_path)))
    try:
        rooms = [n["id"] for n in tree(session.memory)]
        assert rooms[0] == "hand" and set(rooms[1:]) == {r.id for r in SPEC.rooms}
        before = set(session.ids)
        for fixture in SPEC.fixtures[:6]:
            session.act(f"go to {fixture.id}")
        assert before < set(session.ids) <= {*before, *(t.id for t in SPEC.things)}
        everything = "\n".join(lines(session.memory, everything=True))
        assert all(i in everything for i in session.ids)
        ids: list[str] = []

        def walk(node: dict) -> None:
            ids.append(node["id"])
            for child in node["children"]:
                walk(child)

        for node in tree(session.memory):
            walk(node)
        assert len(ids) == len(set(ids)) and set(ids) - {"hand", "?"} == set(session.ids)
        assert json.loads(json.dumps(session.state()))["turns"][-1]["number"] == 6
    finally:
        session.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"faults": "awful"}, "none, mild, rough, silent, exogenous"),
        ({"faults": "1.5"}, "outside"),
        ({"size": 4}, "play.size"),
        ({"port": 70000}, "65535"),
        ({"house": -1}, "play.house"),
    ],
)
def test_settings_that_cannot_be_meant(settings: dict, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        PlayConfig(**settings)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="checkpoint"):
        play(PlayConfig(source="learned", out=str(tmp_path)), io.StringIO(""), io.StringIO())
    with pytest.raises(ConfigError, match=r"nowhere\.txt cannot be read"):
        play(PlayConfig(script="nowhere.txt", out=str(tmp_path)), io.StringIO(""), io.StringIO())
    (tmp_path / "latin").write_bytes("go to café".encode("latin-1"))
    with pytest.raises(ConfigError, match="no UTF-8 text"):
        play(PlayConfig(script=str(tmp_path / "latin"), out=str(tmp_path)), io.StringIO(""), io.StringIO())
