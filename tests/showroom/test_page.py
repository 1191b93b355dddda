"""The web page: what it serves, whom it turns away, and that a browser shows it."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from mimir_learn.errors import ConfigError
from mimir_learn.showroom.play.config import PlayConfig
from mimir_learn.showroom.play.page import serve
from mimir_learn.showroom.play.terminal import House


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str]]:
    house = House(PlayConfig(house=3, size=64, out=str(tmp_path_factory.mktemp("play")), reveal=True))
    with serve(house, 0) as address:
        yield house, address
    house.close()


def ask(address: str, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    where = urlsplit(address)
    connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=20)
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("GET" if body is None else "POST", path, data, {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    out = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    connection.close()
    return out


def test_the_page_needs_nothing_from_elsewhere(game: tuple[House, str]) -> None:
    status, headers, body = ask(game[1], "/")
    text = body.decode()
    assert status == 200 and headers["content-type"].startswith("text/html")
    assert "http://" not in text and "https://" not in text and 'src="//' not in text
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "prefers-color-scheme: dark" in text and "width=device-width" in text


def test_typed_actions_and_frames(game: tuple[House, str]) -> None:
    house, address = game
    before = json.loads(ask(address, "/state.json")[2])
    place = next(p.entity.id for p in house.ask(lambda s: s.places) if p.entity.id != p.room)
    heard: list[str] = []
    house.listeners.append(lambda turn, origin: heard.append(f"{origin}: {turn.command}"))
    status, _, body = ask(address, "/act", {"command": f"go to {place}"})
    after = json.loads(body)
    assert status == 200 and len(after["turns"]) == len(before["turns"]) + 1
    turn = after["turns"][-1]
    assert turn["at"] == place and turn["text"] and turn["truth"] == "∅" and heard == [f"page: go to {place}"]
    frames = [ask(address, f"/{kind}/{turn['number']}.png")[2] for kind in ("rgb", "depth")]
    assert all(f.startswith(b"\x89PNG") for f in frames) and frames[0] != frames[1]
    house.listeners.clear()


def test_nonsense_is_answered_and_does_nothing(game: tuple[House, str]) -> None:
    house, address = game
    turns = house.ask(lambda s: len(s.turns))
    half = b'{"command": "go to \\ud800"}'  # half a character, which JSON can spell
    for body in ({"command": "fly"}, {"command": 3}, {}, [], b"{", b"\xff", half, b"[" * 4000, b" " * 5000):
        status, _, text = ask(address, "/act", body)
        assert status == 400 and json.loads(text)["error"]
    assert ask(address, "/act", {"command": "look"}, **{"Content-Length": "-1"})[0] == 400
    assert "'go to PLACE'" in json.loads(ask(address, "/act", {"command": "go to"})[2])["error"]
    assert ask(address, "/state.json")[0] == 200
    for path in ("/rgb/999.png", "/rgb/../session.jsonl", "/etc/passwd", "/rgb/0.jpg"):
        assert ask(address, path)[0] == 404
    assert house.ask(lambda s: len(s.turns)) == turns


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Host": "evil.example:80"}, None),  # a name of another site that resolves to this machine
        ({"Host": "evil.example:80"}, {"command": "look"}),
        ({"Origin": "http://evil.example"}, {"command": "look"}),
        ({"Content-Type": "text/plain"}, {"command": "look"}),  # what a form of another site can send unasked
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"command=look"),
    ],
)
def test_other_sites_are_turned_away(game: tuple[House, str], headers: dict[str, str], body: object) -> None:
    house, address = game
    turns = house.ask(lambda s: len(s.turns))
    assert ask(address, "/act" if body is not None else "/state.json", body, **headers)[0] == 403
    assert house.ask(lambda s: len(s.turns)) == turns


def test_it_listens_on_this_machine_only_and_says_when_the_port_is_taken(game: tuple[House, str]) -> None:
    where = urlsplit(game[1])
    assert where.hostname == "127.0.0.1"
    with pytest.raises(ConfigError, match=f"play.port {where.port} cannot be used"), serve(game[0], int(where.port or 0)):
        pass


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed: apt-get install chromium")
def test_a_browser_shows_memory_frames_and_the_sentence(game: tuple[House, str], tmp_path: Path) -> None:
    house, address = game
    turn = house.act("look", "test")
    assert turn is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--virtual-time-budget=3000", "--dump-dom"]
    done = subprocess.run(["chromium", *options, address], capture_output=True, text=True, timeout=60)
    assert turn.text in done.stdout
    assert f"/rgb/{turn.number}.png" in done.stdout and f"/depth/{turn.number}.png" in done.stdout
    assert all(r in done.stdout for r in dict.fromkeys(p.room for p in house.ask(lambda s: s.places)))
    assert f"{turn.number}. look" in done.stdout
