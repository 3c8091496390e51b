"""The server in the background: `gieok open` starts one, the daemon has one, and both end."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from world import GIEOK, World

from gieok.processes import http_address
from gieok.processes.http_address import ServerStatus
from gieok.surfaces.http.__main__ import until_unused
from gieok.surfaces.http.serve import _bind_http_socket
from gieok.testing.prompt_answers import PromptAnswers

_PATIENCE_S = 180.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, value in (
        World(tmp_path).environment(GIEOK_EMBEDDER="none", GIEOK_OBSERVE_AGENTS="none").items()
    ):
        monkeypatch.setenv(name, value)
    yield World(tmp_path).home
    subprocess.run([*GIEOK, "down"], check=False, capture_output=True)


def _run(*arguments: str) -> dict[str, object]:
    done = subprocess.run([*GIEOK, *arguments, "--json"], check=True, capture_output=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def _get(url: str, **headers: str) -> tuple[int, dict[str, str]]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    connection.request("GET", f"{parts.path}?{parts.query}", headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}


class _Other(PromptAnswers, BaseHTTPRequestHandler):
    """Another program, on the port of a server that was killed: it says yes to everything."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()


def test_open_starts_a_server_in_the_background_once_and_down_ends_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = HTTPServer(("127.0.0.1", 0), _Other)
    Thread(target=other.serve_forever, daemon=True).start()
    port = other.server_port
    http_address.note_listening_server(
        home, ServerStatus(f"http://127.0.0.1:{port}", os.getpid(), "open", "", "")
    )
    assert http_address.find_listening_server(home) is None  # so it gets no link, and no signal
    assert not http_address.stop(home)
    monkeypatch.setenv("GIEOK_SERVE_PORT", str(port))  # in use: any other does
    first = _run("open", "--print-only")
    again = _run("open", "--print-only")
    assert (first["started"], again["started"], first["opened"]) == (True, False, False)
    link = str(first["link"])
    server = http_address.find_listening_server(home)
    assert server is not None
    assert link.startswith(f"{server.url}/open?code=")
    assert str(port) not in server.url
    assert _run("status")["server"] == server.url
    assert _run("config", "set", "character.reply_points", "0")["server"] == server.url
    status, headers = _get(link)
    assert (status, headers["location"], headers["referrer-policy"]) == (303, "/", "no-referrer")
    assert _get(f"{server.url}/", Cookie=headers["set-cookie"].partition(";")[0])[0] == 200
    assert _get(link)[0] == 401
    assert _run("down") == {"stopped": True}
    assert not (home / "serve.json").exists()
    assert re.search(r"Traceback|go_|code=", (home / "serve.log").read_text()) is None
    other.shutdown()
    other.server_close()


def _until(true: Callable[[], object]) -> None:
    """Wait for another process; how long that takes is no part of any test."""
    deadline = time.monotonic() + _PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)


def test_the_daemon_has_a_server_which_ends_with_it_also_where_it_is_killed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_SERVE_WITH_DAEMON", "true")
    monkeypatch.setenv("GIEOK_SERVE_PORT", "0")
    daemon = _run("up")["pid"]
    assert isinstance(daemon, int)
    _until(lambda: http_address.find_listening_server(home))
    server = http_address.find_listening_server(home)
    assert server is not None
    assert server.by == "daemon"
    assert (home / "serve.json").stat().st_mode & 0o777 == 0o600
    assert _run("open", "--print-only")["started"] is False
    os.kill(daemon, signal.SIGKILL)
    _until(lambda: not (home / "serve.json").exists())
    assert http_address.find_listening_server(home) is None


def test_a_port_in_use_is_an_error_unless_any_does() -> None:
    with _bind_http_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with _bind_http_socket("127.0.0.1", port, any_port=True) as other:
            assert other.getsockname()[1] != port


def test_a_server_ends_after_so_long_without_a_request() -> None:
    waits: list[float] = []
    counts = iter([3, 3, 4, 4, 4, 4])
    until_unused(lambda: next(counts), waits.append, idle_s=130)
    assert len(waits) == 5  # the second wait had a request in it; then three without
