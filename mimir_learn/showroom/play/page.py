"""The web page of ``mimir play``, served by this process to this machine only."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import TYPE_CHECKING, Any

from mimir_learn.errors import ConfigError, MimirError

if TYPE_CHECKING:
    from .terminal import House

_FRAME = re.compile(r"/(rgb|depth)/(\d{1,5})\.png")
_LONGEST = 4096  # bytes of a request that are read
_POLICY = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"


@contextlib.contextmanager
def serve(house: House, port: int) -> Iterator[str]:
    """The page's address while the server runs. Raises ConfigError when the port is taken."""
    handler = type("Handler", (_Handler,), {"house": house})
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as e:
        raise ConfigError(f"play.port {port} cannot be used ({e.strerror}); give another, 0 takes a free one") from e
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="page", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """``/`` the page, ``/state.json``, ``/rgb/N.png``, ``/depth/N.png``, and POST ``/act`` with ``{"command": …}``."""

    house: House
    server_version = "mimir"
    sys_version = ""

    def do_GET(self) -> None:
        if not self._local():
            return self._send(HTTPStatus.FORBIDDEN, b"this machine only", "text/plain")
        path = self.path.partition("?")[0]
        frame = _FRAME.fullmatch(path)
        if path == "/":
            return self._send(HTTPStatus.OK, resources.files(__package__).joinpath("page.html").read_bytes(), "text/html; charset=utf-8")
        if path == "/state.json":
            return self._json(HTTPStatus.OK, self.house.ask(lambda s: s.state()))
        if frame is not None:
            name = f"step-{int(frame[2]):03d}{'' if frame[1] == 'rgb' else '-depth'}.png"
            file = self.house.ask(lambda s: s.folder) / name
            if file.is_file():
                return self._send(HTTPStatus.OK, file.read_bytes(), "image/png")
        return self._send(HTTPStatus.NOT_FOUND, b"nothing here", "text/plain")

    def do_POST(self) -> None:
        # a page of another site can send a form here, but no JSON without asking first, and nobody answers that
        if not self._local() or self.headers.get_content_type() != "application/json":
            return self._send(HTTPStatus.FORBIDDEN, b"this page only", "text/plain")
        if self.path != "/act":
            return self._send(HTTPStatus.NOT_FOUND, b"nothing here", "text/plain")
        try:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 < length <= _LONGEST:
                raise ValueError(f"its length must be 1 to {_LONGEST} bytes, not {length}")
            command = json.loads(self.rfile.read(length))["command"]
            if not isinstance(command, str):
                raise TypeError("the command is no text")
            command.encode()  # JSON can spell half characters, which no file and no answer can
        except (ValueError, KeyError, TypeError, RecursionError) as e:
            return self._json(HTTPStatus.BAD_REQUEST, {"error": f"no command in the request ({e})"})
        try:
            turn = self.house.act(command, "page")
        except MimirError as e:
            return self._json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": str(e)})
        if turn is None:
            return self._json(HTTPStatus.BAD_REQUEST, {"error": self.house.ask(lambda s: s.why_not(command))})
        return self._json(HTTPStatus.OK, self.house.ask(lambda s: s.state()))

    def _local(self) -> bool:
        """Whether the request names this machine: a name that another site made point here is turned away."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        origin = self.headers.get("Origin")
        return host in ("127.0.0.1", "localhost") and (origin is None or origin == f"http://{self.headers.get('Host')}")

    def _json(self, status: HTTPStatus, body: dict[str, Any]) -> None:
        self._send(status, json.dumps(body, ensure_ascii=False).encode(), "application/json; charset=utf-8")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the browser went on to the next page
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the terminal belongs to the player."""
